//! Echo and the collectives on threads.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::comet::Options;
use panto_bench::measure::Lab;
use panto_bench::{Kernel, Settings, rank_counts};
use panto_results::{Record, param};
use panto_schedule::{Algorithm, Collective, HopShape, algorithms};
use panto_transport::World;
use panto_transport::threads::Threads;

use crate::faulty::Faulty;
use crate::support::{SIZES, measured, small_files, tiny};

#[test]
fn echoes_at_every_distance() {
    let settings = Settings { shape: Some(HopShape::Hypercube), ..tiny(8) };
    let records = measured(&Threads::default(), Kernel::Echo, &settings);
    for hops in 0..=3 {
        let of = records.iter().filter(|record| record.point.number(param::HOPS) == Some(hops));
        assert_eq!(of.count(), SIZES.len());
    }
    assert!(records.iter().all(|record| record.metric.half));
}

#[test]
fn one_rank_echoes_with_itself() {
    assert_eq!(measured(&Threads::default(), Kernel::Echo, &tiny(1)).len(), SIZES.len());
}

#[test]
fn collectives_sweep_over_ranks() {
    let settings = tiny(6);
    for (kernel, points) in [(Kernel::Broadcast, SIZES.len()), (Kernel::Reduction, 3)] {
        assert_eq!(measured(&Threads::default(), kernel, &settings).len(), points * rank_counts(6).len());
    }
    let listed = Settings { ranks: vec![1, 2, 5], ..tiny(1) };
    assert_eq!(measured(&Threads::default(), Kernel::Reduction, &listed).len(), 2 * 3);
}

#[test]
fn every_algorithm_of_each_collective_is_verified() {
    let kernels = [(Kernel::Broadcast, Collective::Broadcast), (Kernel::Reduction, Collective::Allreduce)];
    for (kernel, collective) in kernels {
        for &algorithm in algorithms(collective) {
            let settings = tiny(5).with_options(Options { algorithm: Some(algorithm), ..small_files() });
            let records = measured(&Threads::default(), kernel, &settings);
            assert!(records.iter().all(|record| record.algorithm == Some(algorithm.to_string())));
        }
    }
}

/// Returns the record of one kernel at its smallest point, on a message layer with native
/// collectives.
fn on_native_collectives(kernel: Kernel, settings: &Settings) -> Record {
    let point = kernel.points(settings, &[]).expect("points").remove(0);
    let mut records = Threads::default()
        .run(point.ranks, |endpoint| {
            let transport = Faulty { native: true, ..Faulty::new(endpoint) };
            let interrupt = AtomicBool::new(false);
            let mut lab = Lab::new(&transport, settings, &interrupt)?;
            lab.set_budget(Duration::from_millis(20));
            kernel.run(&mut lab, &point)
        })
        .expect("nothing fails");
    records.swap_remove(0).expect("the root has it")
}

#[test]
fn native_collectives_are_distinguished_from_schedules() {
    for kernel in [Kernel::Broadcast, Kernel::Reduction, Kernel::Barrier] {
        let record = on_native_collectives(kernel, &tiny(3));
        assert_eq!(record.algorithm.as_deref(), Some("library"), "{kernel}");
    }
    let ring = tiny(3).with_options(Options { algorithm: Some(Algorithm::Ring), ..small_files() });
    assert_eq!(on_native_collectives(Kernel::Reduction, &ring).algorithm.as_deref(), Some("ring"));
}

#[test]
fn an_unsupported_algorithm_is_refused() {
    let settings = tiny(4).with_options(Options { algorithm: Some(Algorithm::Pex), ..small_files() });
    let error = Kernel::Broadcast.points(&settings, &[]).unwrap_err();
    assert!(error.to_string().contains("binomial"), "{error}");
}

#[test]
fn a_broadcast_without_barrier_is_timed_to_the_last_end() {
    let settings = tiny(4).with_options(Options { closing_barrier: false, ..small_files() });
    let records = measured(&Threads::default(), Kernel::Broadcast, &settings);
    let words = records[0].metric.to_string();
    assert_eq!(words, "first start to last end");
    assert!(records.iter().all(|record| record.batch == 1));
}

#[test]
fn barriers_by_number_of_ranks() {
    for &algorithm in algorithms(Collective::Barrier) {
        let settings = tiny(6).with_options(Options { algorithm: Some(algorithm), ..small_files() });
        let records = measured(&Threads::default(), Kernel::Barrier, &settings);
        let mut ranks: Vec<usize> = records.iter().map(|record| record.point.ranks).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, [2, 4, 6]);
        assert!(records.iter().all(|record| record.moved.is_none() && record.summary().unwrap().min > 0.0));
    }
}

#[test]
fn the_whole_suite_on_many_ranks() {
    for kernel in Kernel::named("comet").unwrap() {
        if kernel == Kernel::Io {
            continue;
        }
        let settings = Settings {
            ranks: vec![64],
            ranks_given: true,
            sizes: Some(vec![8, 8192]),
            dims: Some(vec![16]),
            lengths: Some(vec![10]),
            ..tiny(64)
        };
        measured(&Threads::default(), kernel, &settings);
    }
}
