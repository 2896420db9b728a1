//! Kernels of pairs, contention, overlap, handlers and files on threads.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::comet::Options;
use panto_bench::measure::Lab;
use panto_bench::{Error, Kernel, Settings, run};
use panto_findings::overlap_gain;
use panto_machine::Machine;
use panto_results::{Clock, Metric, Point, Record, param};
use panto_schedule::HopShape;
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::{Endpoint, Threads};

use crate::faulty::Faulty;
use crate::support::{Collect, SIZES, measured, record, small_files, tiny};

const RANKS: [usize; 4] = [2, 3, 4, 8];

/// Runs all points of a kernel on faulty transports, and returns the error.
fn failure(kernel: Kernel, settings: &Settings, fault: impl Fn(&mut Faulty<'_, Endpoint>) + Sync) -> Error {
    let points = kernel.points(settings, &[echo(1_000, 1e3)]).unwrap();
    let outcome = Threads::default().run(settings.world(), |endpoint| {
        let mut transport = Faulty::new(endpoint);
        fault(&mut transport);
        let interrupt = AtomicBool::new(false);
        let mut lab = Lab::new(&transport, settings, &interrupt)?;
        lab.set_budget(Duration::from_millis(20));
        points.iter().try_for_each(|point| kernel.run(&mut lab, point).map(drop))
    });
    outcome.expect_err("the fault must be detected")
}

/// Returns an echo record of one sample.
fn echo(bytes: u64, nanos: f64) -> Record {
    record("comet/echo", &Point::new(4).with(param::HOPS, 1).with(param::BYTES, bytes), vec![nanos])
}

#[test]
fn exchanges_at_every_distance() {
    for ranks in RANKS {
        let settings = Settings { shape: Some(HopShape::Linear), ..tiny(ranks) };
        let records = measured(&Threads::default(), Kernel::Exchange, &settings);
        assert_eq!(records.len(), SIZES.len() * (ranks - 1));
        for record in records {
            assert_eq!(record.moved, record.point.number(param::BYTES).map(|bytes| 2 * bytes));
            assert_eq!((record.metric.clock, record.metric.half), (Clock::OnRank(0), false));
        }
    }
}

#[test]
fn no_rank_exchanges_with_itself() {
    let settings = |hops| Settings { hops: Some(hops), ..tiny(2) };
    let points = Kernel::Exchange.points(&settings(vec![0, 1]), &[]).unwrap();
    assert!(points.iter().all(|point| point.number(param::HOPS) == Some(1)));
    assert!(Kernel::Exchange.points(&settings(vec![0]), &[]).is_err());
}

#[test]
fn a_transport_without_buffers_has_no_deadlock() {
    let world = Threads { eager_limit: 0, ..Threads::default() };
    measured(&world, Kernel::Exchange, &tiny(2));
    measured(&world, Kernel::Overlap, &tiny(3));
    measured(&world, Kernel::Contention, &tiny(4));
}

#[test]
fn contention_follows_echo() {
    for (ranks, shape) in [(4, HopShape::Complete), (8, HopShape::Hypercube), (4, HopShape::Linear)] {
        let settings = Settings { shape: Some(shape), ..tiny(ranks) }
            .with_options(Options { loads: vec![30, 90], ..small_files() });
        let records = measured(&Threads::default(), Kernel::Contention, &settings);
        assert_eq!(records.len(), 3 * SIZES.len());
        for record in records {
            let (load, bytes) = (record.point.number(param::LOAD), record.point.number(param::LOAD_BYTES));
            assert_eq!(load == Some(0), bytes == Some(0), "{:?}", record.point);
            assert_eq!((record.metric.clock, record.metric.half), (Clock::OnRank(1), true));
        }
    }
}

#[test]
fn contention_needs_a_shared_link() {
    for shape in [HopShape::Hypercube, HopShape::Ring] {
        let settings = Settings { shape: Some(shape), ..tiny(4) };
        let error = Kernel::Contention.available(&settings).unwrap_err();
        assert!(error.to_string().contains("shares a link"), "{error}");
    }
}

#[test]
fn loads_come_from_earlier_records() {
    // 1 byte/ns at 1000 bytes is the peak, half of it is measured at 100.
    let earlier = [echo(0, 50.0), echo(100, 200.0), echo(1_000, 1_000.0)];
    let points = Kernel::Contention
        .points(&tiny(4).with_options(Options { loads: vec![50, 100], ..small_files() }), &earlier)
        .unwrap();
    let mut loads: Vec<_> =
        points.iter().map(|point| (point.get(param::LOAD), point.get(param::LOAD_BYTES))).collect();
    loads.dedup();
    assert_eq!(loads, [(0, 0), (50, 100), (100, 1_000)]);
    let error = Kernel::Contention.points(&tiny(4), &[echo(0, 50.0)]).unwrap_err();
    assert!(error.to_string().contains("--sizes"), "{error}");
}

#[test]
fn overlap_measures_both_variants() {
    for ranks in RANKS {
        let records = measured(&Threads::default(), Kernel::Overlap, &tiny(ranks));
        assert_eq!(records.len(), 2 * SIZES.len() * 3);
        let is = |variant: &'static str| move |r: &&Record| r.point.text(param::VARIANT) == variant;
        for blocking in records.iter().filter(is("blocking")) {
            let wanted = blocking.point.clone().with_text(param::VARIANT, "overlapped");
            assert!(records.iter().filter(is("overlapped")).any(|overlapped| overlapped.point == wanted));
        }
    }
}

#[test]
fn the_gain_lies_in_its_interval() {
    let timed = |nanos| record("comet/overlap", &Point::new(2), nanos);
    let (blocking, overlapped) = (timed(vec![90.0, 100.0, 120.0]), timed(vec![50.0, 60.0, 72.0]));
    let gain = overlap_gain(&blocking, &overlapped).unwrap();
    assert!((gain.percent - 40.0).abs() < 1e-9, "{gain:?}");
    assert!((gain.low - 20.0).abs() < 1e-9 && (gain.high - 100.0 * 70.0 / 120.0).abs() < 1e-9, "{gain:?}");
    assert!(overlap_gain(&overlapped, &blocking).unwrap().percent < 0.0);
    assert!(overlap_gain(&blocking, &timed(vec![])).is_none());
}

#[test]
fn handlers_run_while_their_rank_computes() {
    for ranks in RANKS {
        let settings = Settings { sizes: Some(vec![0, 5_000]), ..tiny(ranks) };
        for record in measured(&Threads::default(), Kernel::Handler, &settings) {
            assert_eq!(record.metric.clock, Clock::SendToHandler);
            assert!(!record.samples_ns.is_empty() && record.samples_ns.len() as u64 + record.late >= 20);
        }
    }
}

/// On a simulated machine the reply costs the computing rank both overheads, and the round trip is
/// that of an echo, since the handler waits for nothing.
#[test]
fn a_handler_replies_while_its_rank_computes() {
    let settings = Settings { sizes: Some(vec![0, 5_000]), ..tiny(2) };
    for record in measured(&Threads::default(), Kernel::HandlerReply, &settings) {
        assert_eq!(record.metric, Metric::on(0));
        assert!(!record.samples_ns.is_empty() && record.samples_ns.len() as u64 + record.late >= 20);
    }
    let machine = Machine::load("cm5", &[]).expect("a built-in machine");
    let world = Simulated::new(Arc::new(machine), Sharing::Endpoints);
    let time = |kernel| {
        let settings = Settings { sizes: Some(vec![16]), ..tiny(2) };
        measured(&world, kernel, &settings)[0].summary().expect("samples").median
    };
    let (reply, echo) = (time(Kernel::HandlerReply), time(Kernel::Echo));
    assert!((reply - 2.0 * echo).abs() < 0.02 * reply, "{reply} and twice {echo}");
}

#[test]
fn handlers_need_their_transport() {
    for error in [
        failure(Kernel::Handler, &tiny(2), |transport| transport.handlers = false),
        failure(Kernel::Handler, &tiny(2), |transport| transport.one_clock = false),
    ] {
        assert!(
            matches!(&error, Error::Usage(text) if text.contains("the handler kernels of comet need")),
            "{error}"
        );
    }
}

#[test]
fn files_of_every_kind_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { ranks: RANKS.to_vec(), ..tiny(1) }
        .with_options(Options { io_dir: Some(directory.path().into()), ..small_files() });
    let records = measured(&Threads::default(), Kernel::Io, &settings);
    assert_eq!(records.len(), RANKS.len() * 4 * 3);
    for record in records {
        assert_eq!(record.moved, Some(10_000 * record.point.ranks as u64));
        assert_eq!((record.metric.clock, record.batch), (Clock::Longest, 1));
    }
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[test]
fn files_need_a_directory() {
    assert!(Kernel::Io.available(&tiny(1)).unwrap_err().to_string().contains("--io-dir"));
    assert!(Kernel::Echo.available(&tiny(1)).is_ok());
    let directory = tempfile::tempdir().unwrap();
    let settings = |path| tiny(1).with_options(Options { io_dir: Some(path), ..small_files() });
    let missing = settings(directory.path().join("missing"));
    assert!(Kernel::Io.available(&missing).is_ok());
    assert!(Kernel::Io.points(&missing, &[]).unwrap_err().to_string().contains("no such directory"));
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(Kernel::Io.points(&settings(file.path().into()), &[]).is_err());
}

#[test]
fn files_are_removed_when_a_rank_fails() {
    let directory = tempfile::tempdir().unwrap();
    let settings = tiny(2).with_options(Options { io_dir: Some(directory.path().into()), ..small_files() });
    // The corrupting rank gives the other rank the wrong name of the shared file.
    let error = failure(Kernel::Io, &settings, |transport| transport.corrupting_rank = Some(0));
    assert!(error.to_string().contains("cannot open"), "{error}");
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[test]
fn wrong_bytes_are_noticed() {
    let corruptions = [
        (Kernel::Exchange, 0),
        (Kernel::Exchange, 1),
        (Kernel::Overlap, 0),
        (Kernel::Overlap, 1),
        // Rank 0 sends the load, rank 1 the echo and rank 2 echoes it.
        (Kernel::Contention, 0),
        (Kernel::Contention, 1),
        (Kernel::Contention, 2),
        (Kernel::Handler, 0),
        (Kernel::HandlerReply, 0),
        (Kernel::SimpleSend, 0),
        (Kernel::SimpleSend, 1),
        (Kernel::PathLength, 1),
    ];
    for (kernel, corrupting_rank) in corruptions {
        let error = failure(kernel, &tiny(4), |transport| transport.corrupting_rank = Some(corrupting_rank));
        assert!(error.to_string().contains("wrong data"), "{kernel}, rank {corrupting_rank}: {error}");
    }
}

#[test]
fn an_interrupt_ends_every_kernel() {
    let directory = tempfile::tempdir().unwrap();
    let settings = tiny(2).with_options(Options { io_dir: Some(directory.path().into()), ..small_files() });
    for kernel in [Kernel::Exchange, Kernel::Overlap, Kernel::Handler, Kernel::Io] {
        let mut observer = Collect::default();
        let end =
            run(&Threads::default(), &[kernel], &settings, &AtomicBool::new(true), &mut observer).unwrap();
        assert_eq!((end.complete, observer.records.len()), (false, 0), "{kernel}");
    }
}
