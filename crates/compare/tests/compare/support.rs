//! Runs and files for the tests.

use std::path::{Path, PathBuf};

use panto_compare::{Comparison, Run, Settings, compare};
use panto_random::SplitMix64;
use panto_results::{ExistingFile, Line, Manifest, Point, Record, RunSettings, Samples, Writer};
use panto_units::Time;

/// Returns `count` times with the skewed distribution of real timings and noise of a few per cent.
pub fn times(rng: &mut SplitMix64, count: usize, level: f64) -> Vec<f64> {
    (0..count).map(|_| level * (1.0 - 0.05 * (1.0 - rng.unit()).ln())).collect()
}

/// Returns a record of an echo of `bytes` bytes.
pub fn echo(bytes: u64, nanos: Vec<f64>) -> Record {
    let samples = Samples { nanos, ..Samples::exact(Time::ZERO) };
    Record::new("comet/echo", &Point::new(2).with("bytes", bytes), samples)
}

pub fn manifest() -> Manifest {
    Manifest::new("threads", "usual".into(), 2, RunSettings::default())
}

/// Writes a file of these launches, each a manifest and its points.
pub fn write(directory: &Path, name: &str, launches: &[(Manifest, Vec<Record>)]) -> PathBuf {
    let path = directory.join(name);
    let mut writer = Writer::create(&path, ExistingFile::Replace).expect("a new file");
    for (manifest, records) in launches {
        writer.write(&Line::Manifest(Box::new(manifest.clone()))).expect("written");
        for record in records {
            writer.write(&Line::Point(Box::new(record.clone()))).expect("written");
        }
        let end = panto_results::RunEnd {
            complete: true,
            planned: records.len(),
            measured: records.len(),
            quality: None,
        };
        writer.write(&Line::End(end)).expect("written");
    }
    path
}

/// Writes a file of one launch.
pub fn one_launch(directory: &Path, name: &str, records: Vec<Record>) -> PathBuf {
    write(directory, name, &[(manifest(), records)])
}

/// Writes a file with this content.
pub fn text(directory: &Path, name: &str, content: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, content).expect("written");
    path
}

pub fn compared(old: &Path, new: &Path) -> panto_results::Result<Comparison> {
    let (old, new) = Run::open_both(old, new, false)?;
    compare(old, new, Settings::default())
}
