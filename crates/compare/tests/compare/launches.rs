//! Several launches in a file: launches differ more than samples do.

use panto_compare::{Basis, Comparison, Verdict};
use panto_random::SplitMix64;
use panto_results::Record;

use super::support::{compared, echo, manifest, times, write};

/// Compares launches with these typical times in nanoseconds, over `points` points.
fn levels(old: &[f64], new: &[f64], points: u64) -> Comparison {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rng = SplitMix64::new(11);
    let mut launch = |level: &f64| {
        let records: Vec<Record> =
            (0..points).map(|bytes| echo(bytes, times(&mut rng, 60, *level))).collect();
        (manifest(), records)
    };
    let [before, after] = [("old", old), ("new", new)].map(|(name, levels)| {
        let launches: Vec<_> = levels.iter().map(&mut launch).collect();
        write(directory.path(), name, &launches)
    });
    compared(&before, &after).expect("common points")
}

#[test]
fn enough_launches_are_tested() {
    let old = [100.0, 104.0, 98.0, 102.0, 101.0];
    let comparison = levels(&old, &[120.0, 123.0, 118.0, 125.0, 121.0], 2);
    assert!(comparison.points.iter().all(|pair| pair.basis == Basis::Launches && pair.old.launches == 5));
    assert_eq!(comparison.counts.slower, 2);
    assert!(comparison.points.iter().all(|pair| pair.p.is_some_and(|p| (p - 4.0 / 252.0).abs() < 1e-9)));
    // Launches that overlap are not significantly different.
    let comparison = levels(&old, &[100.0, 112.0, 99.0, 120.0, 101.0], 2);
    assert_eq!(comparison.counts.slower, 0);
}

/// A poor launch among good ones is noise, which the test allows for. If most are poor, or there is
/// one only, they prove nothing.
#[test]
fn few_poor_launches_do_no_harm() {
    let compared_with = |launches: usize, poor: usize| {
        let directory = tempfile::tempdir().expect("a directory");
        let mut rng = SplitMix64::new(13);
        let mut side = |name: &str, level: f64, poor: usize| {
            let launch = |place: usize| {
                let others = (place < poor).then_some(0.9);
                let record = Record { others, ..echo(8, times(&mut rng, 60, level + place as f64)) };
                (manifest(), vec![record])
            };
            let launches: Vec<_> = (0..launches).map(launch).collect();
            write(directory.path(), name, &launches)
        };
        let (old, new) = (side("old", 100.0, 0), side("new", 150.0, poor));
        compared(&old, &new).expect("common points").points.remove(0)
    };
    for (launches, poor, verdict) in [
        (5, 0, Verdict::Slower),
        (5, 2, Verdict::Slower),
        (5, 3, Verdict::Inconclusive),
        (1, 1, Verdict::Inconclusive),
    ] {
        let pair = compared_with(launches, poor);
        assert_eq!(pair.verdict, verdict, "{poor} of {launches}");
        assert_eq!(pair.why.is_some(), verdict == Verdict::Inconclusive);
    }
}

#[test]
fn few_launches_are_tested_by_samples_and_judged_by_their_spread() {
    let apart = levels(&[100.0, 102.0, 101.0], &[120.0, 122.0, 119.0], 30);
    assert!(apart.points.iter().all(|pair| pair.basis == Basis::Samples && pair.low > Some(1.1)));
    assert_eq!(apart.counts.slower, 30);
    assert!(
        apart.notes.iter().any(|note| note.contains("3 launches") && note.contains("30 points")),
        "{:?}",
        apart.notes
    );
    // One launch of three that was as fast as before: the samples differ, the launches do not.
    let mixed = levels(&[100.0, 102.0, 101.0], &[120.0, 101.0, 119.0], 30);
    assert_eq!((mixed.counts.slower, mixed.counts.inconclusive), (0, 30));
}

#[test]
fn launches_that_vary_cause_few_false_positives() {
    let mut rng = SplitMix64::new(12);
    let mut alarms = 0;
    for _ in 0..60 {
        let mut side = || (0..4).map(|_| 100.0 * (1.0 + 0.06 * (rng.unit() - 0.5))).collect::<Vec<_>>();
        let counts = levels(&side(), &side(), 6).counts;
        alarms += usize::from(counts.slower + counts.faster > 0);
    }
    assert!(alarms <= 3, "{alarms} of 60 families");
}

#[test]
fn a_single_launch_is_noted() {
    let comparison = levels(&[100.0], &[100.5, 101.0], 1);
    assert_eq!(comparison.verdict, Verdict::Same);
    assert!(comparison.notes.iter().any(|note| note.contains("one launch") && note.contains("--append")));
    let [pair] = &comparison.points[..] else { panic!("one point") };
    assert_eq!((pair.old.launches, pair.new.launches, pair.new.samples), (1, 2, 120));
}

#[test]
fn several_files_and_a_directory_are_launches() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rng = SplitMix64::new(13);
    let mut file = |name: &str| {
        std::fs::create_dir_all(directory.path().join("new")).expect("a directory");
        write(directory.path(), name, &[(manifest(), vec![echo(8, times(&mut rng, 30, 100.0))])])
    };
    let (a, b) = (file("a"), file("b"));
    file("new/c");
    file("new/d");
    file("new/e");
    let list = format!("{},{}", a.display(), b.display());
    let comparison = compared(list.as_ref(), &directory.path().join("new")).expect("common points");
    let [pair] = &comparison.points[..] else { panic!("one point") };
    assert_eq!((pair.old.launches, pair.new.launches), (2, 3));
}
