//! Output in the format of the OSU micro-benchmarks, for scripts that read it.

use panto_results::{Record, param};

use super::counterpart::{self, Counterpart, CounterpartTable, Line};

const LEGEND: &str = "\
# Results of Panto in the format of the OSU micro-benchmarks 7.4. Avg is the mean of the samples;
# Min and Max are the smallest and the largest sample, not the fastest and slowest rank.
";

/// Width of the column of sizes.
const SIZE: usize = 10;
/// Width of the other columns.
const FIELD: usize = 18;
/// Width of the column of iterations.
const ITERATIONS: usize = 12;
/// Width of the first column where there are no sizes: that of its heading.
const ALONE: usize = 17;

/// Returns a table per number of ranks for the kernels that have a counterpart there.
pub fn osu(records: &[Record]) -> String {
    LEGEND.to_owned() + &counterpart::text(records, "OSU's benchmarks", table)
}

fn table(counterpart: Counterpart, sheet: &CounterpartTable) -> Option<String> {
    let lines: String = sheet.lines.iter().map(|line| self::line(counterpart, line)).collect();
    let (title, header, more) = (title(counterpart)?, header(counterpart), more(counterpart, sheet));
    let remark = format!("{}{}", sheet.remark, caveat(counterpart));
    Some(format!("\n# OSU {title} Test v7.4\n{more}# {remark}\n{header}\n{lines}"))
}

fn title(counterpart: Counterpart) -> Option<&'static str> {
    Some(match counterpart {
        Counterpart::PingPong => "MPI Latency",
        Counterpart::Bandwidth => "MPI Bandwidth",
        Counterpart::PairExchange | Counterpart::Bidirectional => "MPI Bi-Directional Bandwidth",
        Counterpart::MultiPingPong => "MPI Multi Latency",
        Counterpart::MultiBandwidth => "MPI Multiple Bandwidth / Message Rate",
        Counterpart::Broadcast => "MPI Broadcast Latency",
        Counterpart::Allreduce => "MPI Allreduce Latency",
        Counterpart::Barrier => "MPI Barrier Latency",
        Counterpart::PutLatency => "MPI_Put Latency",
        Counterpart::GetLatency => "MPI_Get latency",
        Counterpart::AccumulateLatency => "MPI_Accumulate latency",
        Counterpart::PutBandwidth => "MPI_Put Bandwidth",
        Counterpart::GetBandwidth => "MPI_Get Bandwidth",
        Counterpart::Sendrecv | Counterpart::Exchange => return None,
    })
}

/// Returns the lines that some tests print below their title.
fn more(counterpart: Counterpart, sheet: &CounterpartTable) -> String {
    if counterpart == Counterpart::MultiBandwidth {
        let window = sheet.point.number(param::WINDOW).unwrap_or(0);
        return format!("# [ pairs: {} ] [ window size: {window} ]\n", sheet.ranks / 2);
    }
    if !counterpart.is_one_sided() {
        return String::new();
    }
    let synchronisation = match sheet.point.text(param::VARIANT) {
        "fence" => "MPI_Win_fence",
        "lock" => "MPI_Win_lock/unlock",
        "pscw" => "MPI_Win_post/start/complete/wait",
        "flush" => "MPI_Win_flush",
        _ => "unknown",
    };
    format!("# Window creation: MPI_Win_allocate\n# Synchronization: {synchronisation}\n")
}

/// Returns a note where the method differs.
fn caveat(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::PairExchange => " The nearest test: OSU keeps 64 messages in flight, Panto one.",
        Counterpart::Bandwidth | Counterpart::Bidirectional => {
            " Each message of a window has its own receive buffer; OSU's share one."
        }
        Counterpart::MultiPingPong => " Time of the slowest pair; OSU's is the mean of all pairs.",
        Counterpart::MultiBandwidth => {
            " Time of the slowest pair, and each message has its own buffer; OSU takes the mean of all pairs, and one \
             buffer."
        }
        Counterpart::PutLatency | Counterpart::GetLatency | Counterpart::AccumulateLatency => {
            " Fences and posts are timed one way; OSU halves a round trip."
        }
        _ => "",
    }
}

fn header(counterpart: Counterpart) -> String {
    let more =
        format!("{:>FIELD$}{:>FIELD$}{:>ITERATIONS$}", "Min Latency(us)", "Max Latency(us)", "Iterations");
    let single = |name: &str| format!("{:<SIZE$}{name:>FIELD$}", "# Size");
    match counterpart {
        Counterpart::PingPong | Counterpart::MultiPingPong => single("Avg Latency(us)"),
        Counterpart::MultiBandwidth => format!("{}{:>FIELD$}", single("MB/s"), "Messages/s"),
        Counterpart::Barrier => format!("{:<ALONE$}{more}", "# Avg Latency(us)"),
        _ if is_bandwidth(counterpart) => single("Bandwidth (MB/s)"),
        _ if counterpart.is_one_sided() => single("Latency (us)"),
        _ => format!("{}{more}", single("Avg Latency(us)")),
    }
}

fn line(counterpart: Counterpart, line: &Line) -> String {
    let &Line { bytes, mean, min, max, operations, .. } = line;
    let more = format!("{min:>FIELD$.2}{max:>FIELD$.2}{operations:>ITERATIONS$}");
    let single = |figure: f64| format!("{bytes:<SIZE$}{figure:>FIELD$.2}");
    let text = match counterpart {
        Counterpart::PingPong | Counterpart::MultiPingPong => single(mean),
        Counterpart::MultiBandwidth => format!("{}{:>FIELD$.2}", single(line.megabytes()), line.messages()),
        Counterpart::Barrier => format!("{mean:>ALONE$.2}{more}"),
        _ if is_bandwidth(counterpart) => single(line.megabytes()),
        _ if counterpart.is_one_sided() => single(mean),
        _ => format!("{}{more}", single(mean)),
    };
    text + "\n"
}

fn is_bandwidth(counterpart: Counterpart) -> bool {
    counterpart.is_window_of_accesses()
        || matches!(
            counterpart,
            Counterpart::PairExchange | Counterpart::Bandwidth | Counterpart::Bidirectional
        )
}
