//! The history of an implementation (S9): each version compared with the previous one that measured
//! the same point.

use std::collections::BTreeMap;
use std::path::Path;

use panto_results::{Error, Result};
use panto_results::{Manifest, Record};
use panto_stats::Summary;
use serde::Serialize;

use crate::comparison::{Pair, Settings, Side, Verdict};
use crate::judge::compare;
use crate::key::Key;
use crate::run::Run;

/// The points of all versions, and where their times changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    /// The threshold and the confidence level.
    pub settings: Settings,
    /// The versions, in the order in which they were first measured.
    pub versions: Vec<Version>,
    /// Every point over the versions, in the order of the points.
    pub series: Vec<Series>,
    /// Caveats for the reader.
    pub notes: Vec<String>,
}

/// A measured version: all launches with one label, or one launch without a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// The label; `None` if the launch has none.
    pub label: Option<String>,
    /// The start of its first launch, in seconds since 1970.
    pub started: u64,
    /// The number of launches.
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
    /// The last value compared with the first, since many small steps may add up.
    pub overall: Option<Change>,
}

/// The measurements of a version at a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Value {
    /// The index of the version in [`History::versions`].
    pub version: usize,
    /// The median, samples and launches.
    #[serde(flatten)]
    pub side: Side,
    /// The lower bound of the median's 95 % interval over all samples, in nanoseconds.
    pub low_ns: f64,
    /// The upper bound of the median's 95 % interval over all samples, in nanoseconds.
    pub high_ns: f64,
    /// The comparison with the previous version that has this point.
    pub change: Option<Change>,
}

/// The comparison of a value with an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The index of the earlier version.
    pub since: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// The time over the earlier one; `None` if a time is zero.
    pub ratio: Option<f64>,
    /// The lower bound of the ratio's confidence interval.
    pub low: Option<f64>,
    /// The upper bound of the ratio's confidence interval.
    pub high: Option<f64>,
}

impl History {
    /// Reads results files, given as for [`Run::open`], and compares their versions.
    pub fn open(argument: &Path, kernels: &[String], settings: Settings, salvage: bool) -> Result<Self> {
        let mut runs = VersionRuns::default();
        for path in crate::run::files(argument)? {
            runs.read(&path, salvage)?;
        }
        if !kernels.is_empty() {
            runs.keep(argument, kernels)?;
        }
        runs.history(settings)
    }

    /// Returns the changes of the newest version, one per point that it has.
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
struct VersionRuns {
    versions: Vec<(Version, Run)>,
    notes: Vec<String>,
}

impl VersionRuns {
    fn read(&mut self, path: &Path, salvage: bool) -> Result<()> {
        let results = if salvage { panto_results::salvage(path)? } else { panto_results::read(path)? };
        let damage =
            results.damage.as_ref().map(|damage| format!("the rest of a damaged file was skipped: {damage}"));
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
        // A name is valid if any version has such a kernel.
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
                "the file has no times; measure some: panto bench scenario --append -o history.jsonl --label v1",
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

    /// Returns the notes, among them which consecutive versions were measured under different
    /// conditions: a slower time on another machine says little about the implementation.
    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        for (place, pair) in self.versions.windows(2).enumerate() {
            let [(_, old), (_, new)] = pair else { continue };
            let changed: Vec<&str> =
                old.facts.differences(&new.facts).iter().map(|found| found.fact).collect();
            if !changed.is_empty() {
                notes.push(format!(
                    "versions {} and {} were measured differently: {}",
                    place + 1,
                    place + 2,
                    changed.join(", ")
                ));
            }
        }
        notes
    }
}

/// For each point, the launches of one version and the index of that version.
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

    /// Compares the points of a run with these; all points are one family of tests.
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
