//! Times the comparison of two files of a million samples each: `cargo bench -p panto-compare`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use panto_compare::{Run, Settings, compare};
use panto_random::SplitMix64;
use panto_results::{Line, Manifest, Point, Record, RunSettings, Samples};

const SAMPLES: usize = 1_000_000;

fn main() {
    let directory = tempfile::tempdir().expect("a directory");
    for (points, launches) in [(1, 1), (100, 1), (1000, 1), (100, 10), (1000, 10)] {
        let [old, new] = ["old.jsonl", "new.jsonl"].map(|name| directory.path().join(name));
        write(&old, points, launches, 1);
        write(&new, points, launches, 2);
        let start = Instant::now();
        let (before, after) = Run::open_both(&old, &new, false).expect("sound files");
        let reading = start.elapsed().as_secs_f64();
        let comparison = compare(before, after, Settings::default()).expect("common points");
        let all = start.elapsed().as_secs_f64();
        println!(
            "{points} points, {launches} launches: {all:.3} s, of which reading {reading:.3} s; {:?}",
            comparison.counts
        );
    }
}

/// Writes a file of a million samples, spread evenly over points and launches.
fn write(path: &Path, points: u64, launches: u64, seed: u64) {
    let mut rng = SplitMix64::new(seed);
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let mut put = |line: &Line| {
        serde_json::to_writer(&mut file, line).expect("written");
        file.write_all(b"\n").expect("written");
    };
    let each = SAMPLES / (points * launches) as usize;
    for _ in 0..launches {
        let manifest = Manifest::new("threads", "none".into(), 2, RunSettings::default());
        put(&Line::Manifest(Box::new(manifest)));
        for point in 0..points {
            let nanos = (0..each).map(|_| 1000.0 * (1.0 - 0.1 * (1.0 - rng.unit()).ln())).collect();
            let samples = Samples { nanos, ..Samples::exact(panto_units::Time::ZERO) };
            put(&Line::Point(Box::new(Record::new(
                "comet/echo",
                &Point::new(2).with("bytes", point),
                samples,
            ))));
        }
    }
}
