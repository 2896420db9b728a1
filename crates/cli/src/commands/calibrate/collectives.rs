//! Collectives beside the messages, so that the model knows by which algorithms they are carried out.

use panto_bench::scenario::operation::Call;
use panto_bench::{Effort, Settings, scenario};

/// Libraries change their algorithms between these sizes.
const SIZES: [u64; 8] = [8, 64, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10];

/// What they may take, as a part of the time for everything else.
const SHARE: u32 = 2;

/// The settings of `scenario/only`: all collectives that have rules, at some sizes, from two ranks on to all.
pub fn settings(settings: &Settings) -> Settings {
    let calls = Call::ALL.into_iter().filter(|call| call.plain().is_some()).collect();
    let sizes =
        SIZES.into_iter().filter(|bytes| *bytes <= settings.calibrate.largest.max(SIZES[0])).collect();
    Settings {
        sizes: Some(sizes),
        scenario: scenario::Options { calls: Some(calls), ..scenario::Options::default() },
        effort: Effort { budget: settings.effort.budget / SHARE, ..settings.effort.clone() },
        ..settings.clone()
    }
}
