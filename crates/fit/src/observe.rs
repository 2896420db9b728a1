//! What records say, sorted by what it is taken for. The estimate of a point is the median over samples that are means of a
//! batch: the mixed median-mean of PUPPET's network evaluator (P16).

use std::collections::BTreeMap;

use panto_bench::results::Record;
use panto_bench::{Separation, param};

use crate::curve::Points;
use crate::error::Error;
use crate::moods;

/// Everything that the fit can use.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// One way, by distance.
    pub echo: BTreeMap<Separation, Points>,
    /// `calibrate/overhead`, by variant: that of the longest way.
    pub overhead: BTreeMap<String, Points>,
    /// `calibrate/gap`: time by number of messages and their size, over the longest way.
    pub gap: BTreeMap<u64, Points>,
    /// Sends up to this size do not wait for their receive.
    pub eager: Option<Eager>,
    /// Slower by this factor, by kernel and point, in the order of the records.
    pub shared: Vec<Shared>,
    /// `calibrate/rates`: time by amount of work, by variant.
    pub rates: BTreeMap<String, Points>,
    /// Have all times no noise at all?
    pub exact: bool,
    /// Points that are not believed.
    pub left_out: usize,
}

/// Up to which size sends do not wait for their receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eager {
    /// All that were tried, up to this size.
    All(u64),
    /// Up to this size.
    UpTo(u64),
    /// None, not even of nothing.
    None,
}

/// Messages that shared a way.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// The kernel.
    pub kernel: String,
    /// How many pairs at once; 0 where it was a load.
    pub pairs: u64,
    /// Bytes of a message.
    pub bytes: u64,
    /// Seconds of a message.
    pub seconds: f64,
    /// Load in per cent; 0 where it was pairs.
    pub load: u64,
    /// Who sends to whom, where that was said.
    pub set: String,
}

impl Observed {
    /// Sorts the records of each launch; refuses times that cannot be.
    pub fn by_launch(launches: &[&[Record]]) -> Result<Vec<Self>, Error> {
        let there = || launches.iter().copied().flatten().filter(|record| record.absent.is_none());
        there().try_for_each(check)?;
        // Processors pay once in a model, whatever the way: it is measured over the network where there is one.
        let ways = there().filter(|record| record.kernel.starts_with("calibrate/"));
        let longest = ways.filter_map(|record| record.point.separation()).max();
        let on_it = |record: &&Record| {
            !record.kernel.starts_with("calibrate/")
                || record.point.separation().is_none_or(|way| Some(way) == longest)
        };
        let one = |records: &&[Record]| {
            let (kept, left_out) = moods::without(records);
            let mut observed = Self { exact: true, left_out, ..Self::default() };
            let there = kept.into_iter().filter(|record| record.absent.is_none());
            there.filter(on_it).for_each(|record| observed.take(record));
            observed
        };
        Ok(launches.iter().map(one).collect())
    }

    /// All launches together: points of equal size count once, with the median of what launches found.
    pub fn pooled(launches: &[Self]) -> Self {
        let mut all = Self { exact: true, ..Self::default() };
        for launch in launches {
            extend(&mut all.echo, &launch.echo);
            extend(&mut all.overhead, &launch.overhead);
            extend(&mut all.gap, &launch.gap);
            extend(&mut all.rates, &launch.rates);
            all.eager = all.eager.or(launch.eager);
            all.shared.extend(launch.shared.iter().cloned());
            all.exact &= launch.exact;
            all.left_out += launch.left_out;
        }
        all.merge();
        all
    }

    /// What one launch found, and for what it did not measure what all found together.
    pub fn filled(&self, all: &Self) -> Self {
        let mut one = all.clone();
        replace(&mut one.echo, &self.echo);
        replace(&mut one.overhead, &self.overhead);
        replace(&mut one.gap, &self.gap);
        replace(&mut one.rates, &self.rates);
        one.merge();
        one
    }

    fn take(&mut self, record: &Record) {
        let point = &record.point;
        let eager = |name: &str| record.figures.get(name).copied();
        if record.kernel == "calibrate/eager" {
            let limit = eager("eager_limit").map(|limit| match limit {
                limit if limit < 0.0 => Eager::None,
                limit => Eager::UpTo(limit as u64),
            });
            let all = || eager("eager_at_least").map(|size| Eager::All(size as u64));
            self.eager = self.eager.or_else(|| limit.or_else(all));
            return;
        }
        let Some(seconds) = seconds(record) else { return };
        let number = |name: &str| point.number(name);
        let bytes = number(param::BYTES);
        let amount = number(param::LENGTH).or(bytes);
        let variant = point.text(param::VARIANT).to_owned();
        match (record.kernel.as_str(), bytes) {
            ("comet/echo", Some(bytes)) => {
                if let Some(separation) = point.separation() {
                    self.note(record);
                    self.echo.entry(separation).or_default().push((bytes, seconds));
                }
            }
            ("calibrate/overhead", Some(bytes)) => {
                self.note(record);
                self.overhead.entry(variant).or_default().push((bytes, seconds));
            }
            ("calibrate/gap", Some(bytes)) => {
                let messages = number(param::MESSAGES).unwrap_or(1);
                self.gap.entry(messages).or_default().push((bytes, seconds));
            }
            ("calibrate/rates", _) => {
                let amount = amount.unwrap_or(0);
                self.rates.entry(variant).or_default().push((amount, seconds));
            }
            ("calibrate/pairs" | "comet/contention" | "cm5/message-set", Some(bytes)) => {
                self.shared.push(Shared {
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

    fn note(&mut self, record: &Record) {
        let first = record.samples_ns.first();
        let same = |sample: &f64| first.is_some_and(|first| first.total_cmp(sample).is_eq());
        self.exact &= record.machine.is_some() && record.samples_ns.iter().all(same);
    }

    fn merge(&mut self) {
        let lists = self.echo.values_mut().chain(self.overhead.values_mut());
        for points in lists.chain(self.gap.values_mut()).chain(self.rates.values_mut()) {
            let once = merged(points);
            // Launches that differ are noise, however little each of them has.
            self.exact &= points.iter().all(|point| once.contains(point));
            *points = once;
        }
    }
}

/// Points by what they are of.
type Lists<K> = BTreeMap<K, Points>;

fn extend<K: Ord + Clone>(all: &mut Lists<K>, more: &Lists<K>) {
    for (key, points) in more {
        all.entry(key.clone()).or_default().extend(points);
    }
}

fn replace<K: Ord + Clone>(all: &mut Lists<K>, own: &Lists<K>) {
    all.extend(own.iter().map(|(key, points)| (key.clone(), points.clone())));
}

/// Seconds of one operation.
pub fn seconds(record: &Record) -> Option<f64> {
    Some(record.summary()?.median * 1e-9)
}

/// Equal sizes once, by ascending size.
pub fn merged(points: &Points) -> Points {
    let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (bytes, seconds) in points {
        by_size.entry(*bytes).or_default().push(*seconds);
    }
    let one = |(bytes, times): (u64, Vec<f64>)| Some((bytes, panto_stats::median(&times).ok()?));
    by_size.into_iter().filter_map(one).collect()
}

/// Times that cannot be are not measured: the file was damaged or written by something else.
fn check(record: &Record) -> Result<(), Error> {
    let bad = |nanos: &&f64| !nanos.is_finite() || **nanos < 0.0;
    match record.samples_ns.iter().find(bad) {
        None => Ok(()),
        Some(nanos) => Err(Error::new(format!(
            "{} at {} has a time of {nanos} ns: times are finite and not negative; the file is damaged or was not written \
             by panto, so measure again: panto bench {} -o FILE",
            record.kernel, record.point, record.kernel
        ))),
    }
}
