//! Runs and files to compare.

use std::path::{Path, PathBuf};

use panto_bench::measure::Samples;
use panto_bench::results::{Existing, Line, Manifest, Record, Writer};
use panto_bench::{Point, Settings as BenchSettings};
use panto_compare::{Comparison, Run, Settings, compare};
use panto_stats::Rng;
use panto_units::Time;

/// Skewed times with some per cent of noise, as timings are.
pub fn times(rng: &mut Rng, count: usize, level: f64) -> Vec<f64> {
    (0..count).map(|_| level * (1.0 - 0.05 * (1.0 - rng.unit()).ln())).collect()
}

/// A record of an echo of so many bytes.
pub fn echo(bytes: u64, nanos: Vec<f64>) -> Record {
    let samples = Samples { nanos, ..Samples::exact(Time::ZERO) };
    Record::new("comet/echo", &Point::new(2).with("bytes", bytes), samples)
}

pub fn manifest() -> Manifest {
    Manifest::new("threads", "usual".into(), 2, &BenchSettings::default())
}

/// Writes a file of these launches, each a manifest and its points.
pub fn write(directory: &Path, name: &str, launches: &[(Manifest, Vec<Record>)]) -> PathBuf {
    let path = directory.join(name);
    let mut writer = Writer::create(&path, Existing::Replace).expect("a new file");
    for (manifest, records) in launches {
        writer.write(&Line::Manifest(Box::new(manifest.clone()))).expect("written");
        for record in records {
            writer.write(&Line::Point(Box::new(record.clone()))).expect("written");
        }
        let end =
            panto_bench::results::End { complete: true, planned: records.len(), measured: records.len() };
        writer.write(&Line::End(end)).expect("written");
    }
    path
}

/// A file of one launch.
pub fn one_launch(directory: &Path, name: &str, records: Vec<Record>) -> PathBuf {
    write(directory, name, &[(manifest(), records)])
}

/// A file with any content.
pub fn text(directory: &Path, name: &str, content: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, content).expect("written");
    path
}

pub fn compared(old: &Path, new: &Path) -> panto_bench::Result<Comparison> {
    let (old, new) = Run::open_both(old, new, false)?;
    compare(old, new, Settings::default())
}
