//! Speed-ups: tables A.4 and A.7 of PUPPET's thesis.

use super::fit::Parameters;
use super::machines::Bench;
use super::programs::merge_sort;
use super::published::{Figure, Published};
use super::{Cell, ComparedTable, TableKind};
use crate::error::{Error, Result};

/// The parts of table A.4: their letters, and the number of integers in thousands.
const PARTS: [(&str, usize); 4] = [("a", 10), ("b", 20), ("c", 40), ("d", 80)];

pub(super) fn tables(
    published: &Published,
    bench: &Bench,
    parameters: &Parameters,
) -> Result<Vec<ComparedTable>> {
    let mut tables = Vec::new();
    for part in PARTS {
        tables.push(metrics(published, bench, parameters, part)?);
    }
    tables.push(topologies(published, bench, parameters)?);
    Ok(tables)
}

/// Returns one part of table A.4: three speed-ups of the merge sort on the Ethernet.
fn metrics(
    published: &Published,
    bench: &Bench,
    parameters: &Parameters,
    (letter, thousands): (&str, usize),
) -> Result<ComparedTable> {
    let integers = 1000 * thousands;
    let serial = parameters.sort * (integers as f64).powi(2);
    let mut cells = Vec::new();
    for processors in [2, 4, 8, 16, 32] {
        let run = bench.on_complete(&merge_sort(integers, processors, parameters), processors)?;
        let typical = serial / run.time;
        let metrics =
            [("typical", typical), ("square-root", typical.sqrt()), ("scaled", run.scaled_speedup())];
        for (metric, simulated) in metrics {
            let figure = published.figure("A.4", &integers.to_string(), &format!("{processors} {metric}"))?;
            cells.push(Cell {
                row: processors.to_string(),
                column: metric.into(),
                printed: figure.value,
                simulated,
                status: figure.status,
                contradiction: figure.contradiction,
            });
        }
    }
    Ok(ComparedTable {
        kind: TableKind::Speedups,
        table: format!("A.4({letter})"),
        about: format!("speed-ups of the merge sort of {thousands},000 integers on the Ethernet"),
        rows: "P",
        cells,
    })
}

/// Returns table A.7: scaled speed-ups of the merge sort of 10,000 integers on two topologies.
fn topologies(published: &Published, bench: &Bench, parameters: &Parameters) -> Result<ComparedTable> {
    let mut cells = Vec::new();
    for processors in [2, 4, 8, 16_usize] {
        let row = processors.to_string();
        let program = merge_sort(10_000, processors, parameters);
        let mut add = |column: &str, topology: String| {
            let figure = published.figure("A.7", column, &row)?;
            let simulated = bench.run(&program, &topology, processors)?.scaled_speedup();
            let Figure { value: printed, status, contradiction, .. } = *figure;
            let (row, column) = (row.clone(), column.into());
            let cell = Cell { row, column, printed, simulated, status, contradiction };
            cells.push(cell.clone());
            Ok::<_, Error>(cell)
        };
        let hypercube = add("hypercube", format!("hypercube {}", processors.ilog2()))?;
        let ring = add("ring", format!("ring {processors}"))?;
        cells.push(Cell {
            column: "ring / hypercube".into(),
            printed: ring.printed / hypercube.printed,
            simulated: ring.simulated / hypercube.simulated,
            ..ring
        });
    }
    Ok(ComparedTable {
        kind: TableKind::Topologies,
        table: "A.7".into(),
        about: "scaled speed-ups of the merge sort of 10,000 integers on two topologies".into(),
        rows: "P",
        cells,
    })
}
