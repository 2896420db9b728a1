//! The measurements of collectives from which a model gets their algorithms.

use panto_bench::{Effort, Settings, scenario};
use panto_results::scenario::CollectiveCall;

/// Message sizes in bytes, between which libraries change their algorithms.
const SIZES: [u64; 8] = [8, 64, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10];

/// Collectives get the time budget of all other measurements divided by this.
const SHARE: u32 = 2;

/// Returns the settings of `scenario/only`: all collectives that have rules, from two ranks to all.
pub fn settings(settings: &Settings) -> Settings {
    let calls = CollectiveCall::ALL.into_iter().filter(|call| call.plain().is_some()).collect();
    let largest = settings.options.get::<panto_bench::calibrate::Options>().largest.max(SIZES[0]);
    let sizes = SIZES.into_iter().filter(|bytes| *bytes <= largest).collect();
    Settings {
        sizes: Some(sizes),
        effort: Effort { budget: settings.effort.budget / SHARE, ..settings.effort.clone() },
        ..settings.clone()
    }
    .with_options(scenario::Options { calls: Some(calls), ..scenario::Options::default() })
}
