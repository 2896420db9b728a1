//! The kernels: SWAP between pairs, SENDRECV around a ring (T1, T9).

use std::collections::BTreeMap;

use panto_results::swap::{CacheMode, figure};
use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::{Evictor, Transport};

use super::Options;
use super::experiment::{Experiment, points};
use super::operation::SwapOperation;
use super::pairs::Pairs;
use super::rank_protocol::{Peers, RankProtocol};
use super::{absent, eviction_probe, plan};
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

/// Time in which pairs of ranks exchange a volume.
#[derive(Debug, Clone, Copy)]
pub struct Swap;

/// Time in which ranks pass a volume around a ring.
#[derive(Debug, Clone, Copy)]
pub struct SendReceive;

/// Fewest ranks of a ring: in a smaller one a rank sends to the rank it receives from, which is a
/// SWAP.
const MIN_RING: usize = 4;

/// The pairs parameter of SENDRECV, whose ranks form a ring.
const RING: &str = "ring";

impl Pattern for Swap {
    fn name(&self) -> &'static str {
        kernel::swap::SWAP
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sets = settings.options.get::<Options>().pairs.clone().unwrap_or_else(|| vec![Pairs::first()]);
        for pairs in &sets {
            pairs.among(settings.world())?;
        }
        points(settings, &sets.iter().map(Pairs::to_string).collect::<Vec<_>>())
    }

    fn plan_notes(&self, settings: &Settings) -> Vec<String> {
        self.points(settings, &[])
            .map(|points| plan::notes(self.name(), settings, &points))
            .unwrap_or_default()
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let pairs = point.text(param::BETWEEN).parse::<Pairs>()?.among(lab.transport.size())?;
        measure(lab, self.info(), point, Peers::in_pairs(lab.transport.rank(), &pairs))
    }
}

impl Pattern for SendReceive {
    fn name(&self) -> &'static str {
        kernel::swap::SENDRECV
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        let ranks = settings.world();
        if ranks >= MIN_RING && ranks.is_multiple_of(2) {
            return Ok(());
        }
        let why = if ranks < MIN_RING {
            "with fewer ranks SENDRECV is SWAP".to_owned()
        } else {
            format!("{ranks} ranks cannot alternate around a ring")
        };
        let (below, above) = ((ranks & !1).max(MIN_RING), (ranks.next_multiple_of(2)).max(MIN_RING));
        let remedy = if below == above { below.to_string() } else { format!("{below} or {above}") };
        Err(Error::usage(format!(
            "swap/sendrecv needs an even number of ranks, and at least {MIN_RING}: {why}; use --ranks {remedy}"
        )))
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, &[RING.to_owned()])
    }

    fn plan_notes(&self, settings: &Settings) -> Vec<String> {
        self.points(settings, &[])
            .map(|points| plan::notes(self.name(), settings, &points))
            .unwrap_or_default()
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let peers = Peers::in_ring(lab.transport.rank(), lab.transport.size());
        measure(lab, self.info(), point, Some(peers))
    }
}

/// Measures one point. The longest time over the ranks counts; that from the first start to the
/// last end is recorded beside it (T6).
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    peers: Option<Peers>,
) -> Result<Option<Record>> {
    let experiment = Experiment::of(point)?;
    if let Some(why) = absent::why(lab.transport, &experiment) {
        return Ok(lab.is_root().then(|| Record::absent(info.name, point, why)));
    }
    let conduct = peers.map(|peers| RankProtocol::new(&experiment.protocol, experiment.order, peers));
    let mut operation = SwapOperation::new(lab.transport, experiment, conduct);
    let timing = Timing::prepared(Metric::longest(), experiment.mode.repeats());
    let samples = lab.measure(timing, &mut operation)?;
    Ok(samples.map(|samples| Record {
        // Bytes that one rank sends and receives, however many ranks swap at once.
        moved: Some(2 * experiment.volume as u64),
        messages: Some(2 * experiment.messages() as u64),
        figures: figures(&experiment),
        ..Record::new(info.name, point, samples)
    }))
}

/// Returns the times to read warm and evicted cache lines: evidence that eviction worked.
fn figures(experiment: &Experiment) -> BTreeMap<String, f64> {
    if experiment.mode != CacheMode::Cold {
        return BTreeMap::new();
    }
    let (warm, evicted) = eviction_probe::probe(&Evictor::default(), experiment.volume);
    let named = [(figure::WARM_LINE, warm), (figure::EVICTED_LINE, evicted)];
    named.into_iter().map(|(name, nanos)| (name.to_owned(), nanos)).collect()
}
