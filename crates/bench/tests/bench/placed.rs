//! Ranks with known placement: pairs by distance.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::measure::Lab;
use panto_bench::{Kernel, Settings, runnable};
use panto_findings::findings;
use panto_results::{Point, Record, Separation, param};
use panto_schedule::HopShape;
use panto_transport::threads::Threads;
use panto_transport::{Distance, Placement, World, distances_from_first};

use crate::faulty::Faulty;
use crate::support::{SIZES, measured, record, tiny};

/// Returns a placement on two hosts: on the first, ranks 0 and 2 share a cache and rank 1 does not;
/// ranks 3 to 5 are on the second.
fn two_hosts() -> Vec<Placement> {
    let place = |(node, cache)| Placement { node, cache, ..Placement::default() };
    [(0, Some(0)), (0, Some(8)), (0, Some(0)), (1, None), (1, None), (1, None)].map(place).to_vec()
}

fn settings(places: Vec<Placement>) -> Settings {
    let (ranks, shape) = (places.len(), Some(distances_from_first(&places)));
    Settings { places, shape, most_ranks: Some(ranks), ..tiny(ranks) }
}

fn at(distances: &[Distance]) -> Settings {
    Settings { distances: Some(distances.to_vec()), ..settings(two_hosts()) }
}

/// Returns the distinct distances of these records.
fn distances(records: &[Record]) -> Vec<Distance> {
    let mut all: Vec<Distance> =
        records.iter().filter_map(|record| record.point.text(param::DISTANCE).parse().ok()).collect();
    assert_eq!(all.len(), records.len(), "every point names its distance");
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the record as a quiet machine would have it: nothing is derived from poor points.
fn undisturbed(measured: &Record) -> Record {
    let median = measured.summary().map_or(1.0, |summary| summary.median.max(1.0));
    Record { metric: measured.metric, ..record(&measured.kernel, &measured.point, vec![median; 12]) }
}

#[test]
fn pairs_are_measured_at_every_distance_and_name_it() {
    let settings = settings(two_hosts());
    let echo = measured(&Threads::default(), Kernel::Echo, &settings);
    assert_eq!((echo.len(), distances(&echo)), (4 * SIZES.len(), Distance::ALL.to_vec()));
    assert!(echo.iter().all(|record| record.point.number(param::HOPS).is_none()));
    let exchange = measured(&Threads::default(), Kernel::Exchange, &settings);
    assert_eq!(distances(&exchange), Distance::ALL[1..]);
    // One pair: the nearest, unless the user selects one.
    assert_eq!(
        distances(&measured(&Threads::default(), Kernel::Overlap, &settings)),
        [Distance::CoreComplex]
    );
    let echo: Vec<Record> = echo.iter().map(undisturbed).collect();
    let labels: Vec<String> = findings(&echo).into_iter().map(|finding| finding.label).collect();
    for way in ["to itself", "within a core complex", "within a node", "over the network"] {
        assert!(labels.contains(&format!("empty message, {way}, one way")), "{labels:?}");
    }
    assert!(!labels.iter().any(|label| label.contains("hop")), "{labels:?}");
}

#[test]
fn the_user_chooses_distances() {
    let far = [Distance::Itself, Distance::Network];
    assert_eq!(distances(&measured(&Threads::default(), Kernel::Echo, &at(&far))), far);
    for kernel in [Kernel::Exchange, Kernel::Overlap, Kernel::Contention] {
        let records = measured(&Threads::default(), kernel, &at(&far));
        assert_eq!(distances(&records), [Distance::Network], "{kernel}");
    }
}

/// The corrupting rank is detected where it takes part, and only there.
#[test]
fn the_partner_is_at_its_distance() {
    let notices = |kernel: Kernel, distance: Distance, corrupting_rank: usize| {
        let settings = at(&[distance]);
        let echo = Point::new(6).apart(Separation::Placed(distance)).with(param::BYTES, 100);
        let records = [record("comet/echo", &echo, vec![1e3])];
        let points = kernel.points(&settings, &records).expect("there are such ranks");
        let outcome = Threads::default().run(settings.world(), |endpoint| {
            let transport = Faulty { corrupting_rank: Some(corrupting_rank), ..Faulty::new(endpoint) };
            let interrupt = AtomicBool::new(false);
            let mut lab = Lab::new(&transport, &settings, &interrupt)?;
            lab.set_budget(Duration::from_millis(20));
            points.iter().try_for_each(|point| kernel.run(&mut lab, point).map(drop))
        });
        match outcome {
            Ok(_) => false,
            Err(panto_bench::Error::Transport(error)) => error.to_string().contains("wrong data"),
            Err(error) => panic!("{error}"),
        }
    };
    for kernel in [Kernel::Echo, Kernel::Exchange, Kernel::Overlap] {
        for (distance, partner) in [(Distance::CoreComplex, 2), (Distance::Node, 1), (Distance::Network, 3)] {
            let detected: Vec<usize> =
                (1..6).filter(|&corrupting_rank| notices(kernel, distance, corrupting_rank)).collect();
            assert_eq!(detected, [partner], "{kernel}, {distance}");
        }
    }
    // The load goes from rank 0 to rank 4, which only listens.
    let detected: Vec<usize> = (0..6)
        .filter(|&corrupting_rank| notices(Kernel::Contention, Distance::Network, corrupting_rank))
        .collect();
    assert_eq!(detected, [0, 1, 3]);
}

#[test]
fn contention_uses_the_longest_distance() {
    let records = measured(&Threads::default(), Kernel::Contention, &settings(two_hosts()));
    assert_eq!(distances(&records), [Distance::Network]);
    assert!(findings(&records).iter().all(|finding| finding.label.contains("over the network")));
    let one_host = settings(two_hosts()[3..].iter().cycle().take(4).cloned().collect());
    assert_eq!(distances(&measured(&Threads::default(), Kernel::Contention, &one_host)), [Distance::Node]);
    let apart: Vec<Placement> = (0..4).map(|node| Placement { node, ..Placement::default() }).collect();
    let error = runnable(Kernel::Contention, &settings(apart)).unwrap_err().to_string();
    assert!(error.contains("two on one and two on others"), "{error}");
}

#[test]
fn an_unknown_distance_is_refused_with_a_list_of_the_known_ones() {
    let near = two_hosts()[..3].to_vec();
    let far = Settings { distances: Some(vec![Distance::Network]), ..settings(near.clone()) };
    for kernel in [Kernel::Echo, Kernel::Overlap] {
        let error = kernel.points(&far, &[]).unwrap_err().to_string();
        assert!(error.contains("`network`") && error.contains("core-complex, node"), "{error}");
    }
    let itself = Settings { distances: Some(vec![Distance::Itself]), ..settings(near) };
    let error = Kernel::Exchange.points(&itself, &[]).unwrap_err().to_string();
    assert!(error.contains("two ranks") && error.contains("core-complex"), "{error}");
}

#[test]
fn distances_are_hops_or_have_names() {
    let hops = Settings { hops: Some(vec![1]), ..settings(two_hosts()) };
    let error = hops.check().unwrap_err().to_string();
    assert!(error.contains("--distance") && error.contains("core-complex"), "{error}");
    let unknown = Settings { distances: Some(vec![Distance::Node]), ..tiny(4) };
    assert!(unknown.check().unwrap_err().to_string().contains("--hops"));
    // A topology given by the user takes precedence.
    let wired = Settings { shape: Some(HopShape::Linear), hops: Some(vec![2]), ..settings(two_hosts()) };
    wired.check().expect("hops of a shape");
    let points = Kernel::Echo.points(&wired, &[]).expect("two hops");
    assert!(points.iter().all(|point| point.separation() == Some(Separation::Hops(2))));
}

#[test]
fn a_job_cannot_have_more_ranks_than_it_was_started_with() {
    let pair = settings(two_hosts()[..2].to_vec());
    let error = runnable(Kernel::Contention, &pair).unwrap_err().to_string();
    assert!(error.contains("mpirun -n 4") && error.contains("has 2"), "{error}");
    runnable(Kernel::Echo, &pair).expect("two are enough");
    let more = Settings { ranks: vec![8], ranks_given: true, ..pair };
    let error = more.check().unwrap_err().to_string();
    assert!(error.contains("--ranks 2") && error.contains("mpirun -n 8"), "{error}");
}

#[test]
fn a_message_layer_without_handlers_skips_their_kernel() {
    let error = runnable(Kernel::Handler, &Settings { has_handlers: false, ..tiny(2) }).unwrap_err();
    assert!(error.to_string().contains("MPI_THREAD_MULTIPLE"), "{error}");
    runnable(Kernel::Handler, &tiny(2)).expect("threads have them");
}
