//! Differences besides the times, and points that only one side has.

use panto_compare::{Basis, Run, Settings, Verdict, compare};
use panto_random::SplitMix64;
use panto_results::{Manifest, MpiInfo, RankPlacement, Record};

use super::support::{compared, echo, manifest, one_launch, times, write};

fn placed(host: &str, cores: &str) -> Vec<RankPlacement> {
    let one = |rank| RankPlacement {
        rank,
        host: host.into(),
        node: 0,
        cores: cores.into(),
        numa: None,
        cache: None,
        pid: 1,
    };
    (0..2).map(one).collect()
}

fn mpi(version: &str) -> MpiInfo {
    let [standard, abi, path, found] = ["4.0", "mpich", "/lib/libmpi.so", "named"].map(String::from);
    MpiInfo { version: version.into(), standard, abi, path, found }
}

#[test]
fn hosts_mpi_placement_and_versions_are_compared() {
    let directory = tempfile::tempdir().expect("a directory");
    let launch = |manifest: Manifest| [(manifest, vec![echo(8, vec![1.0; 9])])];
    let base = Manifest { mpi: Some(mpi("MPICH 4.0")), placement: placed("a", "0-1"), ..manifest() };
    let other = Manifest {
        host: "b".into(),
        cpu: "another".into(),
        panto: "0.0.1".into(),
        precision: 0.5,
        mpi: Some(mpi("MPICH 4.2")),
        placement: placed("a", "0"),
        ..base.clone()
    };
    let old = write(directory.path(), "old", &launch(base.clone()));
    let new = write(directory.path(), "new", &launch(other));
    let names = |comparison: &panto_compare::Comparison| {
        comparison.differences.iter().map(|difference| difference.fact).collect::<Vec<_>>()
    };
    let comparison = compared(&old, &new).expect("common points");
    assert_eq!(names(&comparison), ["benchmark", "host", "processor", "MPI", "placement", "precision"]);
    let same = write(directory.path(), "same", &launch(base));
    assert_eq!(names(&compared(&old, &same).expect("common points")), Vec::<&str>::new());
}

#[test]
fn points_of_one_side_are_listed() {
    let directory = tempfile::tempdir().expect("a directory");
    let records = |sizes: &[u64]| sizes.iter().map(|bytes| echo(*bytes, vec![5.0; 9])).collect::<Vec<_>>();
    let old = one_launch(directory.path(), "old", records(&[1, 2, 3]));
    let new = one_launch(directory.path(), "new", records(&[2, 3, 4, 5]));
    let comparison = compared(&old, &new).expect("common points");
    let sizes =
        |keys: &[panto_compare::Key]| keys.iter().filter_map(|key| key.number("bytes")).collect::<Vec<_>>();
    assert_eq!((sizes(&comparison.only_old), sizes(&comparison.only_new)), (vec![1], vec![4, 5]));
    assert_eq!((comparison.counts.all, comparison.counts.only_old, comparison.counts.only_new), (2, 1, 2));
}

#[test]
fn another_algorithm_machine_or_metric_is_another_point() {
    let directory = tempfile::tempdir().expect("a directory");
    let plain = || echo(8, vec![5.0; 9]);
    let others = [
        Record { algorithm: Some("binomial".into()), ..plain() },
        Record { machine: Some("cm5".into()), ..plain() },
        Record { metric: panto_results::Metric::one_way(0), ..plain() },
        Record { kernel: "comet/exchange".into(), ..plain() },
    ];
    let old = one_launch(directory.path(), "old", vec![plain()]);
    for (place, other) in others.into_iter().enumerate() {
        let new = one_launch(directory.path(), &format!("new{place}"), vec![other]);
        let error = compared(&old, &new).expect_err("nothing in common").to_string();
        assert!(error.contains("no point in common") && error.contains("panto"), "{error}");
    }
}

#[test]
fn simulated_times_are_compared_without_a_test() {
    let directory = tempfile::tempdir().expect("a directory");
    let simulated = |nanos| Record { machine: Some("cm5".into()), ..echo(8, vec![nanos; 3]) };
    for (nanos, verdict) in
        [(100.0, Verdict::Same), (104.0, Verdict::Same), (106.0, Verdict::Slower), (90.0, Verdict::Faster)]
    {
        let old = one_launch(directory.path(), "old", vec![simulated(100.0)]);
        let new = one_launch(directory.path(), "new", vec![simulated(nanos)]);
        let comparison = compared(&old, &new).expect("common points");
        let [pair] = &comparison.points[..] else { panic!("one point") };
        assert_eq!((pair.basis, pair.verdict, pair.p), (Basis::Exact, verdict, None), "{nanos}");
    }
}

#[test]
fn kernels_can_be_selected() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut rng = SplitMix64::new(3);
    let exchange = Record { kernel: "comet/exchange".into(), ..echo(8, times(&mut rng, 20, 1.0)) };
    let path = one_launch(directory.path(), "run", vec![echo(8, times(&mut rng, 20, 1.0)), exchange]);
    let count = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (mut old, mut new) = Run::open_both(&path, &path, false)?;
        old.keep(&names)?;
        new.keep(&names)?;
        compare(old, new, Settings::default()).map(|comparison| comparison.counts.all)
    };
    for (names, points) in [(vec!["comet/echo"], 1), (vec!["echo", "exchange"], 2), (vec!["comet"], 2)] {
        assert_eq!(count(&names).expect("known names"), points);
    }
    let error = count(&["barrier"]).expect_err("not measured").to_string();
    assert!(error.contains("barrier") && error.contains("comet/echo, comet/exchange"), "{error}");
}

#[test]
fn points_without_times_are_skipped_and_counted() {
    let directory = tempfile::tempdir().expect("a directory");
    let nothing = Record::absent("comet/echo", &panto_results::Point::new(3), "there is no third rank");
    let path = one_launch(directory.path(), "run", vec![echo(8, vec![5.0; 9]), nothing]);
    let comparison = compared(&path, &path).expect("common points");
    assert_eq!(comparison.counts.all, 1);
    assert!(
        comparison.notes.iter().any(|note| note.contains("1 points have no times")),
        "{:?}",
        comparison.notes
    );
}
