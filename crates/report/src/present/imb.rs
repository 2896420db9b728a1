//! Output in the format of Intel's MPI Benchmarks, for scripts that read it.

use panto_results::{Record, param};

use super::counterpart::{self, Counterpart, CounterpartTable, Line};

const LEGEND: &str = "\
# Results of Panto in the format of the Intel MPI Benchmarks. t and t_avg are the mean of the samples;
# t_min and t_max are the smallest and the largest sample, not the fastest and slowest rank.
";

/// Width of every column.
const FIELD: usize = 13;

/// Returns a table per number of ranks for the kernels that have a counterpart there.
pub fn imb(records: &[Record]) -> String {
    LEGEND.to_owned()
        + &counterpart::text(records, "Intel's benchmarks", |counterpart, sheet| {
            Some(table(counterpart, sheet))
        })
}

fn table(counterpart: Counterpart, sheet: &CounterpartTable) -> String {
    let columns = columns(counterpart);
    let rule = format!("#{}", "-".repeat(columns.len() * FIELD - 1));
    let head = columns.iter().map(|column| column.0);
    let cells = |line| columns.iter().map(move |column| (column.1)(line));
    let lines: String = sheet.lines.iter().map(|line| row(cells(line))).collect();
    // The trailing blank is Intel's, and scripts look for it.
    format!(
        "\n{rule}\n# Benchmarking {} \n{} \n# {}{}\n{rule}\n{}{}{lines}",
        title(counterpart, sheet),
        processes(counterpart, sheet.ranks),
        sheet.remark,
        caveat(counterpart),
        mode(counterpart),
        row(head),
    )
}

fn title(counterpart: Counterpart, sheet: &CounterpartTable) -> &'static str {
    // IMB-EXT, which uses fences, capitalizes the name; IMB-RMA does not.
    let fences = sheet.point.text(param::VARIANT) == "fence";
    match counterpart {
        Counterpart::PingPong => "PingPong",
        Counterpart::MultiPingPong => "Multi-PingPong",
        Counterpart::Bandwidth | Counterpart::MultiBandwidth => "Uniband",
        Counterpart::Bidirectional => "Biband",
        Counterpart::PairExchange | Counterpart::Sendrecv => "Sendrecv",
        Counterpart::Exchange => "Exchange",
        Counterpart::Broadcast => "Bcast",
        Counterpart::Allreduce => "Allreduce",
        Counterpart::Barrier => "Barrier",
        Counterpart::PutLatency | Counterpart::PutBandwidth if fences => "Unidir_Put",
        Counterpart::PutLatency | Counterpart::PutBandwidth => "Unidir_put",
        Counterpart::GetLatency | Counterpart::GetBandwidth if fences => "Unidir_Get",
        Counterpart::GetLatency | Counterpart::GetBandwidth => "Unidir_get",
        Counterpart::AccumulateLatency => "Accumulate",
    }
}

/// Returns the number of processes; two take part in a pattern of two, regardless of the size of
/// the world.
fn processes(counterpart: Counterpart, ranks: usize) -> String {
    if counterpart == Counterpart::MultiPingPong {
        return format!("# ( {} groups of 2 processes each running simultaneous )", ranks / 2);
    }
    match ranks.checked_sub(2) {
        Some(waiting @ 1..) if counterpart.is_pair() => {
            format!("# #processes = 2 \n# ( {waiting} additional processes wait )")
        }
        _ => format!("# #processes = {ranks}"),
    }
}

/// Returns IMB's line on how many accesses one synchronization completes.
fn mode(counterpart: Counterpart) -> &'static str {
    if counterpart.is_window_of_accesses() {
        "#\n#    MODE: AGGREGATE \n#\n"
    } else if counterpart.is_one_sided() {
        "#\n#    MODE: NON-AGGREGATE \n#\n"
    } else {
        ""
    }
}

/// Returns a note where the method differs.
fn caveat(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::PairExchange => " The nearest benchmark: two ranks send to each other and receive.",
        Counterpart::MultiPingPong | Counterpart::Sendrecv | Counterpart::Exchange => {
            " Each sample is the time of the slowest rank, and the bandwidth that at its mean; IMB's is at t_max."
        }
        _ => "",
    }
}

/// A heading and its cell.
type Column = (&'static str, fn(&Line) -> String);

const BYTES: Column = ("#bytes", |line| line.bytes.to_string());
const REPETITIONS: Column = ("#repetitions", |line| line.operations.to_string());
const TIME: Column = ("t[usec]", |line| format!("{:.2}", line.mean));
/// Time of one access in a window of several.
const EACH: Column = ("t[usec]", |line| format!("{:.2}", line.each()));
const MIN: Column = ("t_min[usec]", |line| format!("{:.2}", line.min));
const MAX: Column = ("t_max[usec]", |line| format!("{:.2}", line.max));
const MEAN: Column = ("t_avg[usec]", |line| format!("{:.2}", line.mean));
const BANDWIDTH: Column = ("Mbytes/sec", |line| format!("{:.2}", line.megabytes()));

const MESSAGES: Column = ("Msg/sec", |line| format!("{:.0}", line.messages()));

fn columns(counterpart: Counterpart) -> &'static [Column] {
    match counterpart {
        Counterpart::PingPong => &[BYTES, REPETITIONS, TIME, BANDWIDTH],
        Counterpart::Bandwidth | Counterpart::MultiBandwidth | Counterpart::Bidirectional => {
            &[BYTES, REPETITIONS, BANDWIDTH, MESSAGES]
        }
        Counterpart::PairExchange
        | Counterpart::MultiPingPong
        | Counterpart::Sendrecv
        | Counterpart::Exchange => &[BYTES, REPETITIONS, MIN, MAX, MEAN, BANDWIDTH],
        Counterpart::Broadcast | Counterpart::Allreduce => &[BYTES, REPETITIONS, MIN, MAX, MEAN],
        Counterpart::Barrier => &[REPETITIONS, MIN, MAX, MEAN],
        _ => &[BYTES, REPETITIONS, EACH, BANDWIDTH],
    }
}

fn row(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    cells.map(|cell| format!("{:>FIELD$}", cell.as_ref())).collect::<Vec<_>>().concat() + "\n"
}
