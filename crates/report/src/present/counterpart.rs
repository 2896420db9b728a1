//! Kernels that also exist in OSU's and Intel's benchmarks.

use panto_results::{Point, Record, Separation, kernel, param};
use panto_stats::Summary;

use super::group::{Curve, Group, groups};
use super::param::{RANKS, of as phrase};
use super::phrases::{capitalised, metric, one_line};

/// The equivalent benchmark, or the nearest to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counterpart {
    PingPong,
    /// CoMet's exchange: one message each way between two ranks.
    PairExchange,
    Broadcast,
    Allreduce,
    Barrier,
    Bandwidth,
    Bidirectional,
    MultiPingPong,
    MultiBandwidth,
    Sendrecv,
    Exchange,
    PutLatency,
    GetLatency,
    AccumulateLatency,
    PutBandwidth,
    GetBandwidth,
}

/// One table of a counterpart.
pub(super) struct CounterpartTable<'a> {
    pub ranks: usize,
    /// The first of its points: parameters that are the same for all lines.
    pub point: &'a Point,
    /// The parameters that are the same for all lines, as text.
    pub remark: String,
    pub lines: Vec<Line<'a>>,
}

/// One line of a table: times in microseconds.
pub(super) struct Line<'a> {
    record: &'a Record,
    pub bytes: u64,
    pub operations: u64,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
}

/// Returns the text of all kernels: those with a counterpart through `render`, the others as a
/// comment.
pub(super) fn text(
    records: &[Record],
    suite: &str,
    render: impl Fn(Counterpart, &CounterpartTable) -> Option<String>,
) -> String {
    let each = |group: &Group| {
        let sheets = Counterpart::of(group.kernel).map_or_else(Vec::new, |_| sheets(group));
        let tables = |counterpart| sheets.iter().map(|sheet| render(counterpart, sheet)).collect();
        let text: Option<String> = Counterpart::of(group.kernel).and_then(tables);
        text.unwrap_or_else(|| {
            let kernel = one_line(group.kernel);
            format!("\n# {kernel} has no counterpart in {suite}; use --format table.\n")
        })
    };
    groups(records).iter().map(each).collect()
}

impl Counterpart {
    fn of(kernel: &str) -> Option<Self> {
        Some(match kernel {
            kernel::comet::ECHO | kernel::classic::LATENCY => Self::PingPong,
            kernel::comet::EXCHANGE => Self::PairExchange,
            kernel::comet::BROADCAST => Self::Broadcast,
            kernel::comet::REDUCTION => Self::Allreduce,
            kernel::comet::BARRIER => Self::Barrier,
            kernel::classic::BANDWIDTH => Self::Bandwidth,
            kernel::classic::BIDIRECTIONAL => Self::Bidirectional,
            kernel::classic::MULTI_LATENCY => Self::MultiPingPong,
            kernel::classic::MULTI_BANDWIDTH => Self::MultiBandwidth,
            kernel::classic::SENDRECV => Self::Sendrecv,
            kernel::classic::EXCHANGE => Self::Exchange,
            kernel::classic::PUT_LATENCY => Self::PutLatency,
            kernel::classic::GET_LATENCY => Self::GetLatency,
            kernel::classic::ACCUMULATE_LATENCY => Self::AccumulateLatency,
            kernel::classic::PUT_BANDWIDTH => Self::PutBandwidth,
            kernel::classic::GET_BANDWIDTH => Self::GetBandwidth,
            _ => return None,
        })
    }

    /// Returns whether two ranks take part, regardless of the size of the world.
    pub fn is_pair(self) -> bool {
        matches!(self, Self::PingPong | Self::PairExchange | Self::Bandwidth | Self::Bidirectional)
            || self.is_one_sided()
    }

    /// Returns whether it is one-sided communication.
    pub fn is_one_sided(self) -> bool {
        self.is_window_of_accesses()
            || matches!(self, Self::PutLatency | Self::GetLatency | Self::AccumulateLatency)
    }

    /// Returns whether one synchronization completes many accesses.
    pub fn is_window_of_accesses(self) -> bool {
        matches!(self, Self::PutBandwidth | Self::GetBandwidth)
    }
}

/// Returns one table per number of ranks and combination of parameters that these benchmarks do not
/// have.
fn sheets<'a>(group: &Group<'a>) -> Vec<CounterpartTable<'a>> {
    let mut names = group.curve_names();
    if !names.contains(&RANKS) {
        names.insert(0, RANKS);
    }
    let nearest = nearest(group);
    let at_nearest = |record: &Record| record.point.separation() == nearest;
    let curves = group.curves(&names).into_iter();
    curves.filter(|curve| at_nearest(curve.records[0])).map(|curve| sheet(group, &names, &curve)).collect()
}

/// Returns the smallest measured distance between two ranks, or that of a rank to itself if there
/// is no other.
fn nearest(group: &Group) -> Option<Separation> {
    Separation::nearest(group.records.iter().filter_map(|record| record.point.separation()))
}

fn sheet<'a>(group: &Group, names: &[&str], curve: &Curve<'a>) -> CounterpartTable<'a> {
    let first = curve.records[0];
    let same = names.iter().copied().chain(group.fixed().into_iter().filter(|name| !names.contains(name)));
    let phrases: Vec<String> = same.map(|name| remark(first, name)).collect();
    let metric = match &first.machine {
        Some(machine) => format!("Simulated {machine}, not measured; {}", metric(first.metric)),
        None => capitalised(&metric(first.metric)),
    };
    CounterpartTable {
        ranks: first.point.ranks,
        point: &first.point,
        remark: one_line(&format!("{metric}; {}.", phrases.join("; "))),
        lines: curve.records.iter().filter_map(|record| Line::of(record)).collect(),
    }
}

fn remark(record: &Record, name: &str) -> String {
    let phrase = phrase(record, name);
    match record.point.separation() {
        Some(separation) if matches!(name, param::HOPS | param::DISTANCE) => {
            let which = if separation.is_itself() { "a rank with itself" } else { "the nearest measured" };
            format!("{phrase} ({which})")
        }
        _ => phrase,
    }
}

impl<'a> Line<'a> {
    fn of(record: &'a Record) -> Option<Self> {
        let Summary { n, mean, min, max, .. } = record.summary()?;
        let bytes = record.point.number(param::BYTES).or(record.moved).unwrap_or(0);
        let [mean, min, max] = [mean, min, max].map(|nanos| nanos * 1e-3);
        Some(Self { record, bytes, operations: n as u64 * record.batch, mean, min, max })
    }

    /// Returns the bandwidth in millions of bytes per second at the mean time.
    pub fn megabytes(&self) -> f64 {
        self.record.bandwidth(self.mean * 1e3).unwrap_or(0.0) * 1e-6
    }

    /// Returns the mean time of one message of a window, in microseconds.
    pub fn each(&self) -> f64 {
        self.mean / self.record.messages.unwrap_or(1).max(1) as f64
    }

    /// Returns the message rate per second at the mean time.
    pub fn messages(&self) -> f64 {
        self.record.message_rate(self.mean * 1e3).unwrap_or(0.0)
    }
}
