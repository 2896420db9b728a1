//! Scenarios on threads: data is checked, each rank's time is reported, wrong data is marked.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::measure::Lab;
use panto_bench::scenario::operation::Progress;
use panto_bench::scenario::{Form, Options, Scenario, builtin};
use panto_bench::{Kernel, Settings};
use panto_results::scenario::CollectiveCall;
use panto_results::{Record, param};
use panto_transport::World;
use panto_transport::threads::Threads;

use crate::faulty::Faulty;
use crate::support::{measured, tiny};

fn settings(scenario: Options) -> Settings {
    Settings { sizes: Some(vec![8, 3_000]), ranks_given: true, ..tiny(3) }.with_options(scenario)
}

/// Every collective runs alone; a barrier has no size.
#[test]
fn every_collective_in_scenario_1() {
    for form in Form::ALL {
        let options = Options { form: Some(form), from: Some(3), ..Options::default() };
        let records = measured(&Threads::default(), Kernel::ScenarioOnly, &settings(options));
        assert_eq!(records.len(), 2 * (CollectiveCall::ALL.len() - 1) + 1);
        for record in &records {
            let is_barrier = record.point.text(param::COLLECTIVE) == "barrier";
            assert_eq!(
                (record.verified, record.point.number(param::BYTES).is_none()),
                (!is_barrier, is_barrier)
            );
            assert_eq!((record.wrong.as_ref(), record.ranks_ns.len(), record.batch), (None, 3, 1));
            assert_eq!(record.point.text(param::CALL), form.to_string());
        }
    }
}

/// A late participant delays the others, and its own time is the shortest.
#[test]
fn a_late_rank_waits_least_for_a_barrier() {
    let calls = Some(vec!["barrier".parse().unwrap()]);
    let options = Options { calls, delays: Some(vec![300_000]), ..Options::default() };
    let records = measured(&Threads::default(), Kernel::ScenarioDelay, &settings(options));
    let late = |record: &&Record| record.point.number(param::DELAY) == Some(300_000);
    assert_eq!(records.iter().filter(late).count(), 1);
    for record in records.iter().filter(late) {
        assert!(record.samples_ns.iter().all(|&nanos| nanos >= 300_000.0), "{record:?}");
    }
}

/// Computation is calibrated and checks itself; each kind of progress gives correct data.
#[test]
fn computation_beside_every_kind_of_progress() {
    let calls = Some(vec!["allreduce".parse().unwrap(), "bcast".parse().unwrap()]);
    let progress = vec![Progress::None, Progress::Poll, Progress::Helper];
    let options = Options { calls, progress, computations: Some(vec![30_000]), ..Options::default() };
    let records = measured(&Threads::default(), Kernel::ScenarioOverlap, &settings(options));
    let computing = |record: &&Record| record.point.number(param::COMPUTATION) == Some(30_000);
    assert_eq!(records.iter().filter(computing).count(), 2 * 2 * 3);
    for record in records.iter().filter(computing) {
        assert!(record.verified && record.figures["comp_error"].is_finite(), "{record:?}");
        // The computation is not shorter if the core is shared.
        assert!(record.summary().unwrap().median > 20_000.0, "{record:?}");
    }
}

/// The other built-in scenarios, unchanged.
#[test]
fn every_builtin_runs() {
    let own = builtin::all().iter().filter_map(|builtin| Scenario::load(builtin.name, None).ok()).collect();
    let calls = Some(vec!["allgather".parse().unwrap()]);
    let delays = Some(vec![20_000]);
    let options = Options { calls, own, delays, computations: Some(vec![20_000]), ..Options::default() };
    let settings = Settings { sizes: Some(vec![3_000]), ..settings(options) };
    let records = measured(&Threads::default(), Kernel::ScenarioOwn, &settings);
    let names: BTreeSet<&str> = records.iter().map(|record| record.point.text(param::SCENARIO)).collect();
    assert_eq!(names.len(), builtin::all().len() - 1, "all but `arrival`, which needs a trace");
}

/// Returns the records of a kernel on a message layer whose native allreduce corrupts data.
fn on_corrupting_collectives(settings: &Settings) -> Vec<Record> {
    let points = Kernel::ScenarioOnly.points(settings, &[]).expect("points");
    let mut all = Threads::default()
        .run(3, |endpoint| {
            let transport = Faulty { native: true, corrupts_allreduce: true, ..Faulty::new(endpoint) };
            let interrupt = AtomicBool::new(false);
            let mut lab = Lab::new(&transport, settings, &interrupt)?;
            lab.set_budget(Duration::from_millis(5));
            let records = points.iter().map(|point| Kernel::ScenarioOnly.run(&mut lab, point));
            records.collect::<panto_bench::Result<Vec<_>>>()
        })
        .expect("wrong data ends no run");
    all.swap_remove(0).into_iter().flatten().collect()
}

#[test]
fn wrong_data_marks_the_row_and_the_run_continues() {
    let calls = Some(vec!["allreduce".parse().unwrap(), "barrier".parse().unwrap()]);
    let options = Options { calls, from: Some(3), ..Options::default() };
    let records = on_corrupting_collectives(&settings(options));
    assert_eq!(records.len(), 3);
    for record in &records {
        let is_barrier = record.point.text(param::COLLECTIVE) == "barrier";
        assert!(!record.verified && !record.samples_ns.is_empty());
        assert_eq!(
            record.wrong.as_ref().is_some_and(|what| what.starts_with("wrong data on rank 0: ")),
            !is_barrier
        );
    }
}

#[test]
fn invalid_options_are_refused_with_a_remedy() {
    let refused = |kernel: Kernel, options: Options| {
        let settings = settings(options);
        kernel
            .available(&settings)
            .and_then(|()| kernel.points(&settings, &[]).map(drop))
            .unwrap_err()
            .to_string()
    };
    let error = refused(Kernel::ScenarioOwn, Options::default());
    assert!(error.contains("--scenario my.toml") && error.contains("staggered"), "{error}");
    let pex = Some(vec!["pex".parse().unwrap()]);
    let calls = Some(vec!["bcast".parse().unwrap()]);
    let error = refused(Kernel::ScenarioOnly, Options { implementations: pex, calls, ..Options::default() });
    assert!(error.contains("binomial"), "{error}");
    let late = vec!["7".parse().unwrap()];
    let error = refused(Kernel::ScenarioDelay, Options { late, ..Options::default() });
    assert!(error.contains("participant 7 is out of range: 3 participants are numbered 0 to 2"), "{error}");
    let error = tiny(3).with_options(Options { from: Some(9), ..Options::default() }).check().unwrap_err();
    assert!(error.to_string().contains("--from 9"), "{error}");
}
