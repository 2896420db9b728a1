//! Sets of simultaneous messages against the simple send (M1, M4, M5).

use panto_results::cm5::MessageSet;
use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::Transport;

use super::Options;
use super::trip::RoundTrips;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

/// Default sizes in bytes: the paper's range, in whole packets of 16 bytes, and beyond.
const SIZES: [u64; 7] = [0, 16, 256, 1_024, 4_080, 9_968, 65_536];
/// Default number of ranks where ranks are created on demand, so that there is more than the simple
/// send.
const DEFAULT_RANKS: usize = 4;

/// One-way time of sets of simultaneous messages, by set and size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageSets;

impl Pattern for MessageSets {
    fn name(&self) -> &'static str {
        kernel::cm5::MESSAGE_SET
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let ranks = world(settings);
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let by_size = |set: MessageSet| {
            let point = Point::new(ranks).with_text(param::SET, &set.to_string());
            sizes.iter().map(move |&bytes| point.clone().with(param::BYTES, bytes)).collect::<Vec<_>>()
        };
        Ok(with_simple(sets(settings, ranks)?).into_iter().flat_map(by_size).collect())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let set: MessageSet = point.text(param::SET).parse()?;
        let bytes = point.get(param::BYTES);
        let mut operation = RoundTrips::new(lab.transport, &set, bytes);
        // The set has arrived when its last message has.
        let slowest = Metric { half: true, ..Metric::longest() };
        let samples = lab.measure(Timing::batched(slowest), &mut operation)?;
        let messages = set.pairs().len() as u64;
        Ok(samples.map(|samples| Record {
            moved: Some(messages * bytes as u64),
            messages: Some(messages),
            ..Record::new(self.name(), point, samples)
        }))
    }
}

/// Returns the number of ranks: as many as the user's sets need if ranks are created on demand and
/// the user did not give a number.
fn world(settings: &Settings) -> usize {
    let ranks = settings.world();
    if settings.ranks_given || settings.machine.is_some() || settings.most_ranks.is_some() {
        return ranks;
    }
    let needed = settings.options.get::<Options>().sets.iter().map(MessageSet::least_ranks).max();
    ranks.max(needed.unwrap_or(DEFAULT_RANKS))
}

fn sets(settings: &Settings, ranks: usize) -> Result<Vec<MessageSet>> {
    let options = settings.options.get::<Options>();
    let named = &options.sets;
    named.iter().try_for_each(|set| set.fits(ranks))?;
    Ok(if named.is_empty() { MessageSet::of_paper(ranks) } else { named.clone() })
}

/// Returns each set after the simple send that it is compared with.
fn with_simple(sets: Vec<MessageSet>) -> Vec<MessageSet> {
    let mut all: Vec<MessageSet> = Vec::new();
    for set in sets.into_iter().flat_map(|set| [set.simple(), set]) {
        if !all.contains(&set) {
            all.push(set);
        }
    }
    all
}
