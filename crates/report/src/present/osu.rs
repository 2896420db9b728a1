//! Text in the layout of the OSU micro-benchmarks, for scripts that read it.

use panto_bench::results::Record;

use super::counterpart::{self, Counterpart, Line, Sheet};

const LEGEND: &str = "\
# Figures of Panto in the layout of the OSU micro-benchmarks 7.4. Avg is the mean of the samples;
# Min and Max are the least and the largest sample, not the fastest and slowest rank.
";

/// The width of the column of sizes, of the others, and of the iterations.
const SIZE: usize = 10;
const FIELD: usize = 18;
const ITERATIONS: usize = 12;
/// The width of the first column where there are no sizes: that of its header.
const ALONE: usize = 17;

/// The kernels that have a counterpart there, a table for each number of ranks.
pub fn osu(records: &[Record]) -> String {
    LEGEND.to_owned() + &counterpart::text(records, "OSU's benchmarks", table)
}

fn table(counterpart: Counterpart, sheet: &Sheet) -> String {
    let lines: String = sheet.lines.iter().map(|line| self::line(counterpart, line)).collect();
    let (title, header) = (title(counterpart), header(counterpart));
    let remark = format!("{}{}", sheet.remark, caveat(counterpart));
    format!("\n# OSU MPI {title} Test v7.4\n# {remark}\n{header}\n{lines}")
}

fn title(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::PingPong => "Latency",
        Counterpart::Exchange => "Bi-Directional Bandwidth",
        Counterpart::Broadcast => "Broadcast Latency",
        Counterpart::Allreduce => "Allreduce Latency",
        Counterpart::Barrier => "Barrier Latency",
    }
}

fn caveat(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::Exchange => " The nearest test: OSU keeps 64 messages under way, Panto one.",
        _ => "",
    }
}

fn header(counterpart: Counterpart) -> String {
    let more =
        format!("{:>FIELD$}{:>FIELD$}{:>ITERATIONS$}", "Min Latency(us)", "Max Latency(us)", "Iterations");
    match counterpart {
        Counterpart::PingPong => format!("{:<SIZE$}{:>FIELD$}", "# Size", "Avg Latency(us)"),
        Counterpart::Exchange => format!("{:<SIZE$}{:>FIELD$}", "# Size", "Bandwidth (MB/s)"),
        Counterpart::Barrier => format!("{:<ALONE$}{more}", "# Avg Latency(us)"),
        _ => format!("{:<SIZE$}{:>FIELD$}{more}", "# Size", "Avg Latency(us)"),
    }
}

fn line(counterpart: Counterpart, line: &Line) -> String {
    let &Line { bytes, mean, min, max, operations, .. } = line;
    let more = format!("{min:>FIELD$.2}{max:>FIELD$.2}{operations:>ITERATIONS$}");
    match counterpart {
        Counterpart::PingPong => format!("{bytes:<SIZE$}{mean:>FIELD$.2}\n"),
        Counterpart::Exchange => format!("{bytes:<SIZE$}{:>FIELD$.2}\n", line.megabytes()),
        Counterpart::Barrier => format!("{mean:>ALONE$.2}{more}\n"),
        _ => format!("{bytes:<SIZE$}{mean:>FIELD$.2}{more}\n"),
    }
}
