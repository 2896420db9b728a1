//! The kernels: SWAP between pairs, SENDRECV around a ring (T1, T9).

use std::collections::BTreeMap;

use panto_transport::{Evictor, Transport};

use super::conduct::{Conduct, Party};
use super::experiment::{Experiment, Way, points};
use super::operation::SwapOperation;
use super::pairs::Pairs;
use super::{SUITE, absent, warmth};
use crate::error::{Error, Result};
use crate::kernel::{About, Pattern};
use crate::measure::{Lab, Metric, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Time in which pairs of ranks exchange a volume.
#[derive(Debug, Clone, Copy)]
pub struct Swap;

/// Time in which ranks pass a volume around a ring.
#[derive(Debug, Clone, Copy)]
pub struct SendReceive;

/// In a smaller ring a rank sends to whom it receives from, which is a SWAP.
const LEAST_RING: usize = 4;

/// How the ranks of SENDRECV meet, where SWAP has its pairs.
const RING: &str = "ring";

impl Pattern for Swap {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "swap",
            line: "time in which pairs swap a volume, by protocol, loop, cache and message size",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sets = settings.swap.pairs.clone().unwrap_or_else(|| vec![Pairs::first()]);
        for pairs in &sets {
            pairs.among(settings.world())?;
        }
        points(settings, &sets.iter().map(Pairs::to_string).collect::<Vec<_>>())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let pairs = point.text(param::BETWEEN).parse::<Pairs>()?.among(lab.transport.size())?;
        measure(lab, &self.about(), point, Party::in_pairs(lab.transport.rank(), &pairs))
    }
}

impl Pattern for SendReceive {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "sendrecv",
            line: "time in which ranks send a volume to the next in a ring and receive one, by protocol",
            axis: param::BYTES,
            least_ranks: LEAST_RING,
            needs: None,
        }
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        let ranks = settings.world();
        if ranks >= LEAST_RING && ranks.is_multiple_of(2) {
            return Ok(());
        }
        let why = if ranks < LEAST_RING {
            "with so few ranks SENDRECV is SWAP".to_owned()
        } else {
            format!("{ranks} ranks cannot take turns around a ring")
        };
        let (below, above) = ((ranks & !1).max(LEAST_RING), (ranks.next_multiple_of(2)).max(LEAST_RING));
        let remedy = if below == above { below.to_string() } else { format!("{below} or {above}") };
        Err(Error::usage(format!(
            "swap/sendrecv needs an even number of ranks, and at least {LEAST_RING}: {why}; use --ranks {remedy}"
        )))
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, &[RING.to_owned()])
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let party = Party::in_ring(lab.transport.rank(), lab.transport.size());
        measure(lab, &self.about(), point, Some(party))
    }
}

/// Measures one point. The longest time over the ranks is what counts, and that from the first start to the last end is kept
/// beside it (T6).
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    about: &About,
    point: &Point,
    party: Option<Party>,
) -> Result<Option<Record>> {
    let experiment = Experiment::of(point)?;
    if let Some(why) = absent::why(lab.transport, &experiment) {
        return Ok(lab.is_root().then(|| Record::absent(&about.full_name(), point, why)));
    }
    let conduct = party.map(|party| Conduct::new(&experiment.protocol, experiment.order, party));
    let mut operation = SwapOperation::new(lab.transport, experiment, conduct);
    let timing = Timing::prepared(Metric::longest(), experiment.way.repeats());
    let samples = lab.measure(timing, &mut operation)?;
    Ok(samples.map(|samples| Record {
        // What one rank sends and receives, however many swap at once.
        moved: Some(2 * experiment.volume as u64),
        messages: Some(2 * experiment.messages() as u64),
        figures: figures(&experiment),
        ..Record::new(&about.full_name(), point, samples)
    }))
}

/// How much slower a line is read that was evicted: the proof that it was.
fn figures(experiment: &Experiment) -> BTreeMap<String, f64> {
    if experiment.way != Way::Cold {
        return BTreeMap::new();
    }
    let (warm, evicted) = warmth::probe(&Evictor::default(), experiment.volume);
    let named = [(warmth::figure::WARM_LINE, warm), (warmth::figure::EVICTED_LINE, evicted)];
    named.into_iter().map(|(name, nanos)| (name.to_owned(), nanos)).collect()
}
