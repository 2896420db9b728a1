//! Sets of simultaneous messages against the simple send (M1, M4, M5).

use panto_transport::Transport;

use super::SUITE;
use super::set::MessageSet;
use super::trip::RoundTrips;
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Lab, Metric, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// The paper's range, in whole packets of 16 bytes, and beyond.
const SIZES: [u64; 7] = [0, 16, 256, 1_024, 4_080, 9_968, 65_536];
/// Where ranks are made on demand there are so many of them, so that there is more than the simple send.
const USUAL_RANKS: usize = 4;

/// One-way time of sets of messages that go at once, by set and size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageSets;

impl Pattern for MessageSets {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "message-set",
            line: "one-way time of messages that go at once, the slowest of the set, by set and message size",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
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
            ..Record::new(&self.about().full_name(), point, samples)
        }))
    }
}

/// How many ranks there are: as many as the user's sets need if they are made on demand and the user did not say.
fn world(settings: &Settings) -> usize {
    let ranks = settings.world();
    if settings.ranks_given || settings.machine.is_some() || settings.most_ranks.is_some() {
        return ranks;
    }
    let needed = settings.cm5.sets.iter().map(MessageSet::least_ranks).max();
    ranks.max(needed.unwrap_or(USUAL_RANKS))
}

fn sets(settings: &Settings, ranks: usize) -> Result<Vec<MessageSet>> {
    let named = &settings.cm5.sets;
    named.iter().try_for_each(|set| set.fits(ranks))?;
    Ok(if named.is_empty() { MessageSet::of_paper(ranks) } else { named.clone() })
}

/// Each set with the simple send that it is compared with.
fn with_simple(sets: Vec<MessageSet>) -> Vec<MessageSet> {
    let mut all: Vec<MessageSet> = Vec::new();
    for set in sets.into_iter().flat_map(|set| [set.simple(), set]) {
        if !all.contains(&set) {
            all.push(set);
        }
    }
    all
}
