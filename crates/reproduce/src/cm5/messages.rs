//! Path length, double sends, and the maximum number of simultaneous messages on the CM-5.

use panto_bench::{Kernel, Settings};
use panto_results::cm5::MessageSet;
use panto_results::{Record, param};

use super::super::curves::{at, curve, most};
use super::super::{Evaluated, Workbench};
use super::{once, plot};
use crate::error::{Error, Result};

/// Nodes of the paper's machine.
const NODES: usize = 512;
/// Bytes of the paper's small messages.
const SMALL: u64 = 16;
/// Bytes of the paper's medium messages.
const MIDDLE: u64 = 496;
/// Bytes of the paper's large messages.
const LARGE: u64 = 9_968;

pub(super) fn paths(bench: &Workbench) -> Result<Evaluated> {
    let records = bench.simulate(Kernel::PathLength, &once(bench, &[NODES]))?;
    // The paper counts levels from 1: clusters of 4, 16, 64, 256 and 1024.
    let by_level = |size| curve(&records, param::LEVEL, at(param::BYTES, size));
    let time = |size, level: f64| {
        let found = by_level(size).into_iter().find(|point| point.0.total_cmp(&level).is_eq());
        found
            .map(|point| point.1)
            .ok_or_else(|| Error::Curve(format!("no path of length {level} was simulated")))
    };
    let rise = |size| Ok::<_, Error>(time(size, 5.0)? - time(size, 1.0)?);
    let values = vec![
        ("path-short", percent(time(SMALL, 5.0)? / time(SMALL, 1.0)?)),
        ("path-long", percent(time(LARGE, 5.0)? / time(LARGE, 3.0)?)),
        ("path-growth", rise(LARGE)? - rise(MIDDLE)?),
    ];
    Ok((values, vec![plot(Kernel::PathLength, records)]))
}

pub(super) fn sets(bench: &Workbench) -> Result<Evaluated> {
    let sizes = vec![0, SMALL, MIDDLE, 1_024, 4_080, LARGE];
    let settings = Settings { sizes: Some(sizes), ..once(bench, &[NODES]) };
    let records = bench.simulate(Kernel::MessageSets, &settings)?;
    let added = |set: &str, size| slower(&records, set, size).map(percent);
    let lost = |set: &str| slower(&records, set, LARGE).map(|ratio| (1.0 - 1.0 / ratio) * 100.0);
    let maximum = ["maximum-32", "maximum-128", "maximum-512"];
    let values = vec![
        ("double-cluster", added("double", LARGE)?),
        ("double-4", added("double-4", LARGE)?),
        ("double-6", added("double-6", LARGE)?),
        ("max-8", added("maximum-8", LARGE)?),
        ("max-32", added("maximum-32", LARGE)?),
        ("max-32-growth", added("maximum-32", LARGE)? - added("maximum-32", MIDDLE)?),
        ("max-128-time", added("maximum-128", LARGE)?),
        ("max-128-bandwidth", lost("maximum-128")?),
        ("max-512-time", added("maximum-512", LARGE)?),
        ("max-512-bandwidth", lost("maximum-512")?),
        ("max-most-time", most(maximum.iter().map(|set| added(set, LARGE)).collect::<Result<Vec<_>>>()?)),
        ("max-most-bandwidth", lost("maximum-512")?),
    ];
    Ok((values, vec![plot(Kernel::MessageSets, records)]))
}

fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

/// Returns the time of a set of messages relative to that of its first message alone.
fn slower(records: &[Record], set: &str, size: u64) -> Result<f64> {
    let set: MessageSet = set.parse()?;
    let time = |set: &MessageSet| {
        let (name, of_size) = (set.to_string(), at(param::BYTES, size));
        let found = records.iter().find(|record| record.point.text(param::SET) == name && of_size(record));
        let median = found.and_then(Record::summary).map(|summary| summary.median);
        median.ok_or_else(|| Error::Curve(format!("the messages {set} of {size} bytes were not simulated")))
    };
    Ok(time(&set)? / time(&set.simple())?)
}
