//! Records sorted by the parameter they determine.
//!
//! The time of a point is the median over its samples, each of which is the mean of a batch of
//! repetitions: the mixed median-mean estimator of PUPPET's network evaluator (P16). Times that no
//! clock returns (negative, not finite) are an error.

use std::collections::BTreeMap;

use panto_results::{Record, Separation, kernel, param};

use crate::error::Error;
use crate::fitter::Points;
use crate::suspect_points;

/// All observations that a fit uses.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    /// One-way times, by distance.
    pub echo: BTreeMap<Separation, Points>,
    /// Times of `calibrate/overhead` by variant, over the longest distance.
    pub overhead: BTreeMap<String, Points>,
    /// Times of `calibrate/gap` by number of messages, over the longest distance.
    pub gap: BTreeMap<u64, Points>,
    /// Sizes that are sent eagerly.
    pub eager: Option<EagerRange>,
    /// Times of messages with others in flight, in the order of the records.
    pub contention: Vec<ContentionPoint>,
    /// Times of `calibrate/rates` by amount of work, by variant.
    pub rates: BTreeMap<String, Points>,
    /// Whether all times are free of noise.
    pub exact: bool,
    /// Number of suspect points that were excluded.
    pub suspect: usize,
}

/// Sizes whose sends complete before their receive is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EagerRange {
    /// All sizes that were tried, up to this one.
    AtLeast(u64),
    /// Sizes up to this one.
    UpTo(u64),
    /// No size, not even an empty message.
    Never,
}

/// Time of a message while others use the network.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentionPoint {
    /// Kernel that measured it.
    pub kernel: String,
    /// Number of concurrent pairs; 0 for a load.
    pub pairs: u64,
    /// Message size in bytes.
    pub bytes: u64,
    /// Seconds of a message.
    pub seconds: f64,
    /// Load in per cent; 0 for pairs.
    pub load: u64,
    /// Message set, such as `(0,1),(2,3)`; empty for pairs and loads.
    pub set: String,
}

impl Observations {
    /// Sorts the records of each launch. Times that are negative or not finite are an error.
    pub fn by_launch(launches: &[&[Record]]) -> Result<Vec<Self>, Error> {
        let there = || launches.iter().copied().flatten().filter(|record| record.absent.is_none());
        there().try_for_each(check_times)?;
        // A model has one overhead for all distances: that of the longest, which is the network
        // where several hosts took part.
        let calibrated = there().filter(|record| record.suite() == kernel::calibrate::SUITE);
        let longest = calibrated.filter_map(|record| record.point.separation()).max();
        let at_longest = |record: &&Record| {
            record.suite() != kernel::calibrate::SUITE
                || record.point.separation().is_none_or(|way| Some(way) == longest)
        };
        let one = |records: &&[Record]| {
            let (kept, suspect) = suspect_points::exclude(records);
            let mut observed = Self { exact: true, suspect, ..Self::default() };
            let there = kept.into_iter().filter(|record| record.absent.is_none());
            there.filter(at_longest).for_each(|record| observed.add(record));
            observed
        };
        Ok(launches.iter().map(one).collect())
    }

    /// Pools launches: each size once, with the median over launches.
    pub fn pooled(launches: &[Self]) -> Self {
        let mut all = Self { exact: true, ..Self::default() };
        for launch in launches {
            extend(&mut all.echo, &launch.echo);
            extend(&mut all.overhead, &launch.overhead);
            extend(&mut all.gap, &launch.gap);
            extend(&mut all.rates, &launch.rates);
            all.eager = all.eager.or(launch.eager);
            all.contention.extend(launch.contention.iter().cloned());
            all.exact &= launch.exact;
            all.suspect += launch.suspect;
        }
        all.merge_sizes();
        all
    }

    /// Returns the observations of one launch, completed by those of all launches where it has
    /// none.
    pub fn completed_from(&self, all: &Self) -> Self {
        let mut one = all.clone();
        replace(&mut one.echo, &self.echo);
        replace(&mut one.overhead, &self.overhead);
        replace(&mut one.gap, &self.gap);
        replace(&mut one.rates, &self.rates);
        one.merge_sizes();
        one
    }

    fn add(&mut self, record: &Record) {
        let point = &record.point;
        let eager = |name: &str| record.figures.get(name).copied();
        if record.kernel == kernel::calibrate::EAGER {
            let limit = eager("eager_limit").map(|limit| match limit {
                limit if limit < 0.0 => EagerRange::Never,
                limit => EagerRange::UpTo(limit as u64),
            });
            let all = || eager("eager_at_least").map(|size| EagerRange::AtLeast(size as u64));
            self.eager = self.eager.or_else(|| limit.or_else(all));
            return;
        }
        let Some(seconds) = seconds(record) else { return };
        let number = |name: &str| point.number(name);
        let bytes = number(param::BYTES);
        let amount = number(param::LENGTH).or(bytes);
        let variant = point.text(param::VARIANT).to_owned();
        match (record.kernel.as_str(), bytes) {
            (kernel::comet::ECHO, Some(bytes)) => {
                if let Some(separation) = point.separation() {
                    self.update_exact(record);
                    self.echo.entry(separation).or_default().push((bytes, seconds));
                }
            }
            (kernel::calibrate::OVERHEAD, Some(bytes)) => {
                self.update_exact(record);
                self.overhead.entry(variant).or_default().push((bytes, seconds));
            }
            (kernel::calibrate::GAP, Some(bytes)) => {
                let messages = number(param::MESSAGES).unwrap_or(1);
                self.gap.entry(messages).or_default().push((bytes, seconds));
            }
            (kernel::calibrate::RATES, _) => {
                let amount = amount.unwrap_or(0);
                self.rates.entry(variant).or_default().push((amount, seconds));
            }
            (
                kernel::calibrate::PAIRS | kernel::comet::CONTENTION | kernel::cm5::MESSAGE_SET,
                Some(bytes),
            ) => {
                self.contention.push(ContentionPoint {
                    kernel: record.kernel.clone(),
                    pairs: number(param::PAIRS).or(record.messages).unwrap_or(0),
                    load: number(param::LOAD).unwrap_or(0),
                    set: point.text(param::SET).to_owned(),
                    bytes,
                    seconds,
                });
            }
            _ => {}
        }
    }

    fn update_exact(&mut self, record: &Record) {
        let first = record.samples_ns.first();
        let same = |sample: &f64| first.is_some_and(|first| first.total_cmp(sample).is_eq());
        self.exact &= record.machine.is_some() && record.samples_ns.iter().all(same);
    }

    fn merge_sizes(&mut self) {
        let lists = self.echo.values_mut().chain(self.overhead.values_mut());
        for points in lists.chain(self.gap.values_mut()).chain(self.rates.values_mut()) {
            let once = median_per_size(points);
            // Differences between launches are noise, even where each launch is exact.
            self.exact &= points.iter().all(|point| once.contains(point));
            *points = once;
        }
    }
}

/// Points by kind.
type Lists<K> = BTreeMap<K, Points>;

fn extend<K: Ord + Clone>(all: &mut Lists<K>, more: &Lists<K>) {
    for (key, points) in more {
        all.entry(key.clone()).or_default().extend(points);
    }
}

fn replace<K: Ord + Clone>(all: &mut Lists<K>, own: &Lists<K>) {
    all.extend(own.iter().map(|(key, points)| (key.clone(), points.clone())));
}

/// Returns the seconds of one operation: the median over samples.
pub fn seconds(record: &Record) -> Option<f64> {
    Some(record.summary()?.median * 1e-9)
}

/// Returns each size once with the median of its times, by ascending size.
pub fn median_per_size(points: &Points) -> Points {
    let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (bytes, seconds) in points {
        by_size.entry(*bytes).or_default().push(*seconds);
    }
    let one = |(bytes, times): (u64, Vec<f64>)| Some((bytes, panto_stats::median(&times).ok()?));
    by_size.into_iter().filter_map(one).collect()
}

/// Returns an error for a time that no clock returns: the file is damaged, or was written by
/// another program.
fn check_times(record: &Record) -> Result<(), Error> {
    let bad = |nanos: &&f64| !nanos.is_finite() || **nanos < 0.0;
    match record.samples_ns.iter().find(bad) {
        None => Ok(()),
        Some(nanos) => Err(Error::InvalidTime {
            kernel: record.kernel.clone(),
            point: record.point.to_string(),
            nanos: *nanos,
        }),
    }
}
