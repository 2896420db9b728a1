//! An implementation over its versions (S9): each version beside the last one that measured the same point.

use std::collections::BTreeMap;
use std::path::Path;

use panto_bench::results::{self, Manifest, Record};
use panto_bench::{Error, Result};
use panto_stats::Summary;
use serde::Serialize;

use crate::comparison::{Pair, Settings, Side, Verdict};
use crate::judge::compare;
use crate::key::Key;
use crate::run::Run;

/// What was measured over time, and where it changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    /// What counted as a change.
    pub settings: Settings,
    /// The versions, in the order in which they were first measured.
    pub versions: Vec<Version>,
    /// Every point over the versions, in the order of the points.
    pub series: Vec<Series>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

/// A state of things that was measured: all launches of one label, or one launch without a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// What the user calls it; absent where nobody gave it a name.
    pub label: Option<String>,
    /// When its first launch started, seconds since 1970.
    pub started: u64,
    /// How many launches it has.
    pub launches: usize,
}

/// A point over the versions that measured it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The point.
    #[serde(flatten)]
    pub key: Key,
    /// Its values, by version.
    pub values: Vec<Value>,
    /// The last value against the first: many small steps may lead far.
    pub overall: Option<Change>,
}

/// What a version measured at a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Value {
    /// The version, as a place in [`History::versions`].
    pub version: usize,
    /// The median, samples and launches.
    #[serde(flatten)]
    pub side: Side,
    /// The lower end of the median's 95 % interval, over all samples.
    pub low_ns: f64,
    /// The upper end.
    pub high_ns: f64,
    /// What it is against the version before that has this point.
    pub change: Option<Change>,
}

/// A value against an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The earlier version.
    pub since: usize,
    /// What follows.
    pub verdict: Verdict,
    /// The time over the earlier one; absent where a time is zero.
    pub ratio: Option<f64>,
    /// The lower end of the ratio's interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl History {
    /// Reads result files (as [`Run::open`] names them) and compares their versions.
    pub fn open(argument: &Path, kernels: &[String], settings: Settings, salvage: bool) -> Result<Self> {
        let mut shelf = Shelf::default();
        for path in crate::run::files(argument)? {
            shelf.read(&path, salvage)?;
        }
        if !kernels.is_empty() {
            shelf.keep(argument, kernels)?;
        }
        shelf.history(settings)
    }

    /// What the newest version changed, at every point that it has.
    pub fn latest(&self) -> impl Iterator<Item = (&Series, &Change)> {
        let newest = self.versions.len() - 1;
        let step = move |series| -> Option<(&Series, &Change)> {
            let Series { values, .. }: &Series = series;
            let value = values.last().filter(|value| value.version == newest)?;
            value.change.as_ref().map(|change| (series, change))
        };
        self.series.iter().filter_map(step)
    }
}

/// The runs of all versions.
#[derive(Default)]
struct Shelf {
    versions: Vec<(Version, Run)>,
    notes: Vec<String>,
}

impl Shelf {
    fn read(&mut self, path: &Path, salvage: bool) -> Result<()> {
        let results = if salvage { results::salvage(path)? } else { results::read(path)? };
        let damage = results.damage.as_ref().map(|damage| format!("the rest of a file is lost: {damage}"));
        self.notes.extend(damage);
        for (manifest, records) in results.launches() {
            self.add(manifest, records);
        }
        Ok(())
    }

    fn add(&mut self, manifest: &Manifest, records: &[Record]) {
        let known =
            |(version, _): &(Version, Run)| version.label.is_some() && version.label == manifest.label;
        let place = self.versions.iter().position(known).unwrap_or_else(|| {
            let version = Version { label: manifest.label.clone(), started: manifest.started, launches: 0 };
            self.versions.push((version, Run::default()));
            self.versions.len() - 1
        });
        let (version, run) = &mut self.versions[place];
        version.launches += 1;
        run.facts.add_manifest(manifest);
        for record in records.iter().filter(|record| !record.samples_ns.is_empty()) {
            run.push(Key::of(record), record.samples_ns.clone());
        }
    }

    fn keep(&mut self, argument: &Path, kernels: &[String]) -> Result<()> {
        let mut all = Run { files: vec![argument.into()], ..Run::default() };
        for key in self.versions.iter().flat_map(|(_, run)| run.points.keys()) {
            all.push(key.clone(), Vec::new());
        }
        // Whether a name stands for something is a question to all versions together.
        all.keep(kernels)?;
        for (_, run) in &mut self.versions {
            run.points.retain(|key, _| all.points.contains_key(key));
        }
        Ok(())
    }

    fn history(mut self, settings: Settings) -> Result<History> {
        self.versions.retain(|(_, run)| !run.points.is_empty());
        if self.versions.is_empty() {
            return Err(Error::usage(
                "there are no times in it; measure some: panto bench scenario --append -o history.jsonl --label v1",
            ));
        }
        let mut before = Latest::default();
        let mut first = Latest::default();
        let mut series: BTreeMap<Key, Series> = BTreeMap::new();
        for (version, (_, run)) in self.versions.iter().enumerate() {
            let mut changes = before.changes(run, settings)?;
            for (key, launches) in &run.points {
                let change = changes.remove(key);
                let values = &mut series.entry(key.clone()).or_insert_with(|| Series::of(key)).values;
                values.extend(Value::of(version, launches, change));
            }
            before.put(version, run);
            first.put_new(version, run);
        }
        let mut overall = first.changes(&before.run, settings)?;
        let mut series: Vec<Series> = series.into_values().collect();
        for one in series.iter_mut().filter(|one| one.values.len() > 2) {
            one.overall = overall.remove(&one.key);
        }
        let notes = self.all_notes();
        let versions = self.versions.into_iter().map(|(version, _)| version).collect();
        Ok(History { settings, versions, series, notes })
    }

    /// A slower time on another machine says little of the implementation.
    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        for (place, pair) in self.versions.windows(2).enumerate() {
            let [(_, old), (_, new)] = pair else { continue };
            let what: Vec<&str> = old.facts.differences(&new.facts).iter().map(|found| found.what).collect();
            if !what.is_empty() {
                notes.push(format!(
                    "versions {} and {} were not measured in the same way: {}",
                    place + 1,
                    place + 2,
                    what.join(", ")
                ));
            }
        }
        notes
    }
}

/// For each point the launches of one version, and which it is.
#[derive(Default)]
struct Latest {
    run: Run,
    versions: BTreeMap<Key, usize>,
}

impl Latest {
    fn put(&mut self, version: usize, run: &Run) {
        for (key, launches) in &run.points {
            self.run.points.insert(key.clone(), launches.clone());
            self.versions.insert(key.clone(), version);
        }
    }

    fn put_new(&mut self, version: usize, run: &Run) {
        for (key, launches) in &run.points {
            self.run.points.entry(key.clone()).or_insert_with(|| launches.clone());
            self.versions.entry(key.clone()).or_insert(version);
        }
    }

    /// How the points of a run differ from these, all points together as one family.
    fn changes(&self, run: &Run, settings: Settings) -> Result<BTreeMap<Key, Change>> {
        let common: Vec<&Key> = run.points.keys().filter(|key| self.run.points.contains_key(*key)).collect();
        if common.is_empty() {
            return Ok(BTreeMap::new());
        }
        let part = |run: &Run| Run {
            points: common.iter().map(|&key| (key.clone(), run.points[key].clone())).collect(),
            ..Run::default()
        };
        let compared = compare(part(&self.run), part(run), settings)?;
        let change = |pair: Pair| {
            let since = self.versions[&pair.key];
            let Pair { verdict, ratio, low, high, .. } = pair;
            (pair.key, Change { since, verdict, ratio, low, high })
        };
        Ok(compared.points.into_iter().map(change).collect())
    }
}

impl Series {
    fn of(key: &Key) -> Self {
        Self { key: key.clone(), values: Vec::new(), overall: None }
    }
}

impl Value {
    fn of(version: usize, launches: &[Vec<f64>], change: Option<Change>) -> Option<Self> {
        let Summary { interval, .. } = Summary::of(&launches.concat()).ok()?;
        let side = Side::of(launches);
        Some(Self {
            version,
            side,
            // The median of medians need not lie in the interval of the pooled one.
            low_ns: interval.low.min(side.median_ns),
            high_ns: interval.high.max(side.median_ns),
            change,
        })
    }
}
