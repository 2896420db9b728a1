//! The shapes of the thesis's tables.

use panto_sim::Model;

use super::{Compared, Reproduced, Status, reproduce};

fn table<'a>(all: &'a Reproduced, name: &str) -> &'a Compared {
    all.tables.iter().find(|table| table.table == name).expect("there")
}

fn simulated(table: &Compared, row: &str, column: &str) -> f64 {
    table.cell(row, column).expect("there").simulated
}

#[test]
fn the_shapes_of_the_thesis_come_out() {
    let all = reproduce(Model::Fast).unwrap();
    given_figures_come_out(&all);
    speedups(&all);
    topologies(&all);
    balancing(&all);
    assert_eq!(all.contradictions.len(), 3);
}

fn given_figures_come_out(all: &Reproduced) {
    // Those of load balancing gave but a round size.
    let fitted = all.tables.iter().filter(|table| !["A.5", "A.6"].contains(&table.table.as_str()));
    let cells = fitted.flat_map(|table| &table.cells);
    let given: Vec<_> = cells.filter(|cell| cell.status == Status::Given).collect();
    assert_eq!(given.len(), 3);
    for cell in given {
        assert!(cell.difference().abs() < 0.05, "{cell:?}");
    }
    for cell in &table(all, "A.1").cells {
        assert!(cell.difference().abs() < 6.0, "{cell:?}");
    }
}

/// Larger problems scale better; scaled speed-up is below the square root, which is below the typical one; nearly all is within a tenth.
fn speedups(all: &Reproduced) {
    let parts = ["A.4(a)", "A.4(b)", "A.4(c)", "A.4(d)"].map(|name| table(all, name));
    for row in ["2", "4", "8", "16", "32"] {
        let scaled = parts.map(|part| simulated(part, row, "scaled"));
        assert!(scaled.is_sorted(), "{row}: {scaled:?}");
        for part in parts {
            let of = |column: &str| simulated(part, row, column);
            assert!(of("square-root") < of("typical") && of("scaled") < row.parse().unwrap());
        }
    }
    let scaled = parts.iter().flat_map(|part| &part.cells).filter(|cell| cell.column == "scaled");
    let near = scaled.clone().filter(|cell| cell.difference().abs() < 10.0).count();
    assert!(near >= 19 && scaled.count() == 20, "{near}");
}

/// The ring is as good as the hypercube on two processors, and far below on sixteen.
fn topologies(all: &Reproduced) {
    let part = table(all, "A.7");
    let ratios = ["2", "4", "8", "16"].map(|row| simulated(part, row, "ring / hypercube"));
    assert!(ratios.is_sorted_by(|a, b| a >= b), "{ratios:?}");
    assert!((ratios[0] - 1.0).abs() < 1e-9 && ratios[3] < 0.85, "{ratios:?}");
    let complete = simulated(table(all, "A.4(a)"), "16", "scaled");
    assert!((simulated(part, "16", "hypercube") / complete - 1.0).abs() < 1e-9);
}

/// Each attempt gains, and spreads the work.
fn balancing(all: &Reproduced) {
    for column in ["fan-in (text)", "merge-sort (caption)"] {
        for attempt in 1..=3 {
            let of = |what: &str| simulated(table(all, "A.5"), &format!("{attempt}: {what}, s"), column);
            assert!(of("best") < 0.95 * of("first"), "{column}, attempt {attempt}");
        }
        let part = table(all, "A.6");
        let of = |row: &str| simulated(part, row, column);
        assert!(of("best: least, %") > of("first: least, %"), "{column}");
        assert!(of("best: mean, %") > of("first: mean, %"), "{column}");
    }
    let histories = all.convergence.iter().filter(|history| history.whose != "printed");
    assert!(histories.clone().all(|history| history.times.len() > 1));
    assert_eq!((all.convergence.len(), histories.count()), (9, 6));
}
