//! COMMTEST's choice before it measures: the faster of the pairs 0-1 and 0-2 (T5).

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_results::swap::{CacheMode, Loop};
use panto_results::{Record, param};
use panto_transport::World;
use serde::{Deserialize, Serialize};

use super::{Options, Pairs};
use crate::decision::decide;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::run::{Observer, run};
use crate::settings::{Effort, Settings};

/// The pairs to choose from.
const PAIRS: [(usize, usize); 2] = [(0, 1), (0, 2)];
/// Bytes that each rank sends for the choice: COMMTEST is about bandwidth.
const VOLUME: u64 = 128 << 10;
/// Message sizes for the choice, in bytes.
const SIZES: [u64; 2] = [VOLUME / 16, VOLUME];
/// Most time for the choice.
const BUDGET: Duration = Duration::from_secs(2);

/// The choice, with what it is based on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BetterPair {
    /// The faster pair.
    pub pair: (usize, usize),
    /// The other pair.
    pub other: (usize, usize),
    /// How much longer the other pair takes, as a fraction of the time of the faster.
    pub margin: f64,
}

/// Measures both pairs with the user's first protocol, or all of them, and returns the one with the
/// shortest time of any size. Where ranks are processes, all must call this together.
pub fn better_pair<W: World>(world: &W, settings: &Settings, interrupt: &AtomicBool) -> Result<BetterPair> {
    let protocols = settings.options.get::<Options>().protocols.clone();
    let probe = Settings {
        sizes: Some(SIZES.to_vec()),
        effort: Effort { budget: settings.effort.budget.min(BUDGET), ..settings.effort.clone() },
        ..settings.clone()
    }
    .with_options(Options {
        protocols,
        volumes: Some(vec![VOLUME]),
        loops: Some(vec![Loop::Basic]),
        cache_modes: Some(vec![CacheMode::Warm]),
        pairs: Some(PAIRS.map(|pair| Pairs::Named(vec![pair])).to_vec()),
        ..Options::default()
    });
    let mut records = Collected::default();
    run(world, &[Kernel::Swap], &probe, interrupt, &mut records)?;
    decide(world, || choice(&records.0))
}

fn choice(records: &[Record]) -> Result<BetterPair> {
    let [first, second] = PAIRS.map(|pair| (pair, shortest(records, pair)));
    let ((pair, best), (other, longer)) = if second.1 < first.1 { (second, first) } else { (first, second) };
    if best.is_finite() && longer.is_finite() {
        return Ok(BetterPair { pair, other, margin: longer / best - 1.0 });
    }
    Err(Error::usage("neither pair could be measured to find the better one; name one, such as --pairs 0-1"))
}

/// Returns the shortest median of a pair in nanoseconds; infinite if there is none.
fn shortest(records: &[Record], pair: (usize, usize)) -> f64 {
    let name = Pairs::Named(vec![pair]).to_string();
    let of_pair = records.iter().filter(|record| record.point.text(param::BETWEEN) == name);
    of_pair.filter_map(|record| Some(record.summary()?.median)).fold(f64::INFINITY, f64::min)
}

/// Keeps the records of the choice.
#[derive(Default)]
struct Collected(Vec<Record>);

impl Observer for Collected {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> Result<()> {
        self.0.push(record.clone());
        Ok(())
    }
}
