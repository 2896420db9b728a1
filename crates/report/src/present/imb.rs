//! Text in the layout of Intel's MPI benchmarks, for scripts that read it.

use panto_bench::param;
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
    LEGEND.to_owned()
        + &counterpart::text(records, "Intel's benchmarks", |counterpart, sheet| {
            Some(table(counterpart, sheet))
        })
}

fn table(counterpart: Counterpart, sheet: &Sheet) -> String {
    let columns = columns(counterpart);
    let rule = format!("#{}", "-".repeat(columns.len() * FIELD - 1));
    let head = columns.iter().map(|column| column.0);
    let cells = |line| columns.iter().map(move |column| (column.1)(line));
    let lines: String = sheet.lines.iter().map(|line| row(cells(line))).collect();
    // The blank behind the name is Intel's, and scripts look for it.
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

fn title(counterpart: Counterpart, sheet: &Sheet) -> &'static str {
    // Those of IMB-EXT, which fences, begin with a capital; those of IMB-RMA do not.
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

/// Two ranks take part in a pattern between two, however many there are.
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

/// How many accesses one synchronisation completes, as IMB says it below the rule.
fn mode(counterpart: Counterpart) -> &'static str {
    if counterpart.is_window_of_accesses() {
        "#\n#    MODE: AGGREGATE \n#\n"
    } else if counterpart.is_one_sided() {
        "#\n#    MODE: NON-AGGREGATE \n#\n"
    } else {
        ""
    }
}

/// Where the method is another.
fn caveat(counterpart: Counterpart) -> &'static str {
    match counterpart {
        Counterpart::PairExchange => " The nearest benchmark: two ranks send to each other and receive.",
        Counterpart::MultiPingPong | Counterpart::Sendrecv | Counterpart::Exchange => {
            " Each sample is the time of the slowest rank, and the bandwidth that at its mean; IMB's is at t_max."
        }
        _ => "",
    }
}

/// A header and its cell.
type Column = (&'static str, fn(&Line) -> String);

const BYTES: Column = ("#bytes", |line| line.bytes.to_string());
const REPETITIONS: Column = ("#repetitions", |line| line.operations.to_string());
const TIME: Column = ("t[usec]", |line| format!("{:.2}", line.mean));
/// Of one access, of however many.
const EACH: Column = ("t[usec]", |line| format!("{:.2}", line.each()));
const LEAST: Column = ("t_min[usec]", |line| format!("{:.2}", line.min));
const LARGEST: Column = ("t_max[usec]", |line| format!("{:.2}", line.max));
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
        | Counterpart::Exchange => &[BYTES, REPETITIONS, LEAST, LARGEST, MEAN, BANDWIDTH],
        Counterpart::Broadcast | Counterpart::Allreduce => &[BYTES, REPETITIONS, LEAST, LARGEST, MEAN],
        Counterpart::Barrier => &[REPETITIONS, LEAST, LARGEST, MEAN],
        _ => &[BYTES, REPETITIONS, EACH, BANDWIDTH],
    }
}

fn row(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    cells.map(|cell| format!("{:>FIELD$}", cell.as_ref())).collect::<Vec<_>>().concat() + "\n"
}
