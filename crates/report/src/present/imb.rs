//! Text in the layout of Intel's MPI benchmarks, for scripts that read it.

use panto_bench::results::Record;

use super::counterpart::{self, Counterpart, Line, Sheet};

const LEGEND: &str = "\
# Figures of Panto in the layout of the Intel MPI Benchmarks. t and t_avg are the mean of the samples;
# t_min and t_max are the least and the largest sample, not the fastest and slowest rank.
";

/// The width of every column.
const FIELD: usize = 13;

/// The kernels that have a counterpart there, a table for each number of ranks.
pub fn imb(records: &[Record]) -> String {
    LEGEND.to_owned() + &counterpart::text(records, "Intel's benchmarks", table)
}

fn table(counterpart: Counterpart, sheet: &Sheet) -> String {
    let columns = columns(counterpart);
    let rule = format!("#{}", "-".repeat(columns.len() * FIELD - 1));
    let head = columns.iter().map(|column| column.0);
    let cells = |line| columns.iter().map(move |column| (column.1)(line));
    let lines: String = sheet.lines.iter().map(|line| row(cells(line))).collect();
    format!(
        "\n{rule}\n# Benchmarking {}\n{}\n# {}{}\n{rule}\n{}{lines}",
        title(counterpart),
        processes(counterpart, sheet.ranks),
        sheet.remark,
        caveat(counterpart),
        row(head),
    )
}

fn title(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::PingPong => "PingPong",
        Counterpart::Exchange => "Sendrecv",
        Counterpart::Broadcast => "Bcast",
        Counterpart::Allreduce => "Allreduce",
        Counterpart::Barrier => "Barrier",
    }
}

/// Two ranks take part in an echo or exchange, however many there are.
fn processes(counterpart: Counterpart, ranks: usize) -> String {
    let pair = matches!(counterpart, Counterpart::PingPong | Counterpart::Exchange);
    match ranks.checked_sub(2) {
        Some(waiting @ 1..) if pair => {
            format!("# #processes = 2\n# ( {waiting} additional processes wait )")
        }
        _ => format!("# #processes = {ranks}"),
    }
}

fn caveat(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::Exchange => " The nearest benchmark: two ranks send to each other and receive.",
        _ => "",
    }
}

/// A header and its cell.
type Column = (&'static str, fn(&Line) -> String);

const BYTES: Column = ("#bytes", |line| line.bytes.to_string());
const REPETITIONS: Column = ("#repetitions", |line| line.operations.to_string());
const TIME: Column = ("t[usec]", |line| format!("{:.2}", line.mean));
const LEAST: Column = ("t_min[usec]", |line| format!("{:.2}", line.min));
const LARGEST: Column = ("t_max[usec]", |line| format!("{:.2}", line.max));
const MEAN: Column = ("t_avg[usec]", |line| format!("{:.2}", line.mean));
const BANDWIDTH: Column = ("Mbytes/sec", |line| format!("{:.2}", line.megabytes()));

fn columns(counterpart: Counterpart) -> &'static [Column] {
    match counterpart {
        Counterpart::PingPong => &[BYTES, REPETITIONS, TIME, BANDWIDTH],
        Counterpart::Exchange => &[BYTES, REPETITIONS, LEAST, LARGEST, MEAN, BANDWIDTH],
        Counterpart::Broadcast | Counterpart::Allreduce => &[BYTES, REPETITIONS, LEAST, LARGEST, MEAN],
        Counterpart::Barrier => &[REPETITIONS, LEAST, LARGEST, MEAN],
    }
}

fn row(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    cells.map(|cell| format!("{:>FIELD$}", cell.as_ref())).collect::<Vec<_>>().concat() + "\n"
}
