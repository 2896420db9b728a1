//! Tests that the simulated tables have the shapes of the thesis's.

use panto_sim::Sharing;

use super::{Cell, ComparedTable, SpeedRow, ThesisReproduction, reproduce};
use crate::Status;

fn table<'a>(all: &'a ThesisReproduction, name: &str) -> &'a ComparedTable {
    all.tables.iter().find(|table| table.table == name).expect("there")
}

fn simulated(table: &ComparedTable, row: &str, column: &str) -> f64 {
    table.cell(row, column).expect("there").simulated
}

#[test]
fn the_tables_of_the_thesis_are_reproduced() {
    let all = reproduce(Sharing::None).unwrap();
    given_figures_are_reproduced(&all);
    speedups(&all);
    topologies(&all);
    balancing(&all);
    speed(&all);
    assert_eq!(all.contradictions.len(), 5);
    let tally = all.tally();
    assert_eq!((tally.given.reproduced, tally.given.all), (9, 9));
    assert_eq!((tally.predicted.reproduced, tally.predicted.all), (145, 165));
    assert_eq!(tally.contradicted, 58);
}

/// Asserts that logs grow with the problem, and that simulating takes no longer than PUPPET took at
/// most.
fn speed(all: &ThesisReproduction) {
    let entries: Vec<usize> = all.speed.iter().map(|row| row.entries).collect();
    assert_eq!(entries, [1_488, 1_488, 2_988, 2_988, 5_988, 5_988, 11_988, 11_988, 384]);
    assert_eq!(all.speed.iter().filter(|row| row.published.is_some()).count(), 7);
    assert!(all.speed.iter().all(SpeedRow::holds), "{:?}", all.speed);
}

fn given_figures_are_reproduced(all: &ThesisReproduction) {
    // The given figures of load balancing determine only a round problem size.
    let fitted = all.tables.iter().filter(|table| !["A.5", "A.6"].contains(&table.table.as_str()));
    let cells = fitted.flat_map(|table| &table.cells);
    let given: Vec<_> = cells.filter(|cell| cell.status == Status::Given).collect();
    assert_eq!(given.len(), 9);
    for cell in given {
        assert!(cell.difference().abs() < 0.05, "{cell:?}");
    }
    for cell in &table(all, "A.1").cells {
        assert!(cell.difference().abs() < 8.0, "{cell:?}");
    }
    let blas = &table(all, "A.3 measured").cells;
    let is_near = |cell: &&Cell| cell.difference().abs() < 7.0;
    assert_eq!((blas.iter().filter(is_near).count(), blas.len()), (42, 43));
}

/// Asserts that larger problems scale better, that the square root is below the typical speed-up
/// and the scaled one below the number of processors, and that nearly all scaled ones are within 10
/// %.
fn speedups(all: &ThesisReproduction) {
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

/// Asserts that the ring equals the hypercube on two processors, and is much slower on sixteen.
fn topologies(all: &ThesisReproduction) {
    let part = table(all, "A.7");
    let ratios = ["2", "4", "8", "16"].map(|row| simulated(part, row, "ring / hypercube"));
    assert!(ratios.is_sorted_by(|a, b| a >= b), "{ratios:?}");
    assert!((ratios[0] - 1.0).abs() < 1e-9 && ratios[3] < 0.85, "{ratios:?}");
    let complete = simulated(table(all, "A.4(a)"), "16", "scaled");
    assert!((simulated(part, "16", "hypercube") / complete - 1.0).abs() < 1e-9);
}

/// Asserts that each attempt reduces the time and increases the utilisation.
fn balancing(all: &ThesisReproduction) {
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
