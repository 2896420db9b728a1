//! The classic benchmarks on threads and on simulated machines.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::classic::{Grid, Options};
use panto_bench::measure::Lab;
use panto_bench::{Effort, Error, Kernel, Settings, runnable};
use panto_findings::{Unit, findings};
use panto_machine::Machine;
use panto_results::{Clock, Record, param};
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use crate::faulty::Faulty;
use crate::support::{SIZES, measured, tiny};

/// The kernels that every transport supports.
const KERNELS: [Kernel; 9] = [
    Kernel::Latency,
    Kernel::Bandwidth,
    Kernel::Bidirectional,
    Kernel::MultiLatency,
    Kernel::MultiBandwidth,
    Kernel::SendrecvRing,
    Kernel::ExchangeRing,
    Kernel::Halo2d,
    Kernel::Halo3d,
];

const ONE_SIDED: [Kernel; 5] = [
    Kernel::PutLatency,
    Kernel::GetLatency,
    Kernel::AccumulateLatency,
    Kernel::PutBandwidth,
    Kernel::GetBandwidth,
];

fn settings(ranks: usize) -> Settings {
    let classic = Options { window: 5, ..Options::default() };
    Settings { dims: Some(vec![1, 3, 8]), ..tiny(ranks) }.with_options(classic)
}

fn bytes_of(record: &Record) -> u64 {
    record.point.number(param::BYTES).expect("a size")
}

#[test]
fn every_kernel_on_any_even_number_of_ranks() {
    for ranks in [2, 4, 6] {
        for kernel in KERNELS {
            let records = measured(&Threads::default(), kernel, &settings(ranks));
            let points = if matches!(kernel, Kernel::Halo2d | Kernel::Halo3d) { 3 } else { SIZES.len() };
            assert_eq!(records.len(), points, "{kernel} on {ranks}");
        }
    }
}

/// No rank sends before the other side is ready, and nothing hangs.
#[test]
fn no_kernel_needs_buffers() {
    let world = Threads { eager_limit: 0, ..Threads::default() };
    for kernel in KERNELS {
        measured(&world, kernel, &settings(4));
    }
}

#[test]
fn halos_and_rings_on_odd_numbers_of_ranks() {
    for ranks in [1, 3, 5, 7] {
        for kernel in [Kernel::Halo2d, Kernel::Halo3d] {
            measured(&Threads::default(), kernel, &settings(ranks));
        }
    }
    for kernel in [Kernel::SendrecvRing, Kernel::ExchangeRing] {
        measured(&Threads::default(), kernel, &settings(3));
    }
}

#[test]
fn bytes_moved_per_operation() {
    let records = |kernel| measured(&Threads::default(), kernel, &settings(4));
    let cases = [
        (Kernel::Latency, 1, None),
        (Kernel::Bandwidth, 5, Some(5)),
        (Kernel::Bidirectional, 10, Some(10)),
        (Kernel::MultiLatency, 1, None),
        (Kernel::MultiBandwidth, 10, Some(10)),
        (Kernel::SendrecvRing, 2, None),
        (Kernel::ExchangeRing, 4, None),
    ];
    for (kernel, times, messages) in cases {
        for record in records(kernel) {
            assert_eq!(
                (record.moved, record.messages),
                (Some(times * bytes_of(&record)), messages),
                "{kernel}"
            );
        }
    }
    for (kernel, faces, power) in [(Kernel::Halo2d, 4, 1), (Kernel::Halo3d, 6, 2)] {
        for record in records(kernel) {
            let side = record.point.number(param::SIDE).expect("a side");
            assert_eq!((record.moved, record.messages), (Some(faces * 8 * side.pow(power)), Some(faces)));
        }
    }
}

#[test]
fn the_metric_names_the_timed_ranks() {
    let metric = |kernel| measured(&Threads::default(), kernel, &settings(4))[0].metric;
    assert_eq!((metric(Kernel::Latency).clock, metric(Kernel::Latency).half), (Clock::OnRank(0), true));
    assert_eq!((metric(Kernel::Bandwidth).clock, metric(Kernel::Bandwidth).half), (Clock::OnRank(0), false));
    assert_eq!(
        (metric(Kernel::MultiLatency).clock, metric(Kernel::MultiLatency).half),
        (Clock::Longest, true)
    );
    for kernel in [Kernel::MultiBandwidth, Kernel::SendrecvRing, Kernel::ExchangeRing, Kernel::Halo3d] {
        assert_eq!(metric(kernel).clock, Clock::Longest, "{kernel}");
    }
}

/// Every kernel detects a rank that corrupts a byte of its messages.
#[test]
fn wrong_bytes_are_noticed() {
    let settings = Settings { sizes: Some(vec![100]), ..settings(4) };
    for kernel in KERNELS {
        let points = kernel.points(&settings, &[]).expect("points");
        for corrupting_rank in [0, 2] {
            // In a point-to-point pattern, the other ranks send nothing.
            if corrupting_rank == 2
                && matches!(kernel, Kernel::Latency | Kernel::Bandwidth | Kernel::Bidirectional)
            {
                continue;
            }
            let outcome = Threads::default().run(4, |endpoint| {
                let mut transport = Faulty::new(endpoint);
                transport.corrupting_rank = Some(corrupting_rank);
                let interrupt = AtomicBool::new(false);
                let mut lab = Lab::new(&transport, &settings, &interrupt)?;
                lab.set_budget(Duration::from_millis(20));
                points.iter().try_for_each(|point| kernel.run(&mut lab, point).map(drop))
            });
            // The acknowledgement of a window has no data to corrupt.
            if corrupting_rank == 2 && kernel == Kernel::MultiBandwidth {
                outcome.expect("an answer has no bytes");
                continue;
            }
            let error: Error = outcome.expect_err("a corrupting_rank is found out");
            assert!(error.to_string().contains("wrong data"), "{kernel}, rank {corrupting_rank}: {error}");
        }
    }
}

#[test]
fn ranks_are_swept_over_as_listed() {
    let swept = Settings { ranks: vec![2, 4], ranks_given: true, ..settings(4) };
    for kernel in [Kernel::MultiLatency, Kernel::MultiBandwidth, Kernel::SendrecvRing, Kernel::Halo2d] {
        let points = kernel.points(&swept, &[]).expect("points");
        assert!([2, 4].iter().all(|ranks| points.iter().any(|point| point.ranks == *ranks)), "{kernel}");
    }
}

#[test]
fn pairs_of_an_odd_number_of_ranks() {
    let odd = |given| Settings { ranks: vec![5], ranks_given: given, ..settings(5) };
    for kernel in [Kernel::MultiLatency, Kernel::MultiBandwidth] {
        let error = runnable(kernel, &odd(true)).expect_err("odd").to_string();
        assert!(error.contains("5 is an odd number") && error.contains("--ranks 4 or 6"), "{error}");
        let points = kernel.points(&odd(false), &[]).expect("one rank is left over");
        assert!(points.iter().all(|point| point.ranks == 4));
    }
}

#[test]
fn grids_that_do_not_fit_are_refused() {
    let with = |grid: &str| {
        let grid: Option<Grid> = Some(grid.parse().expect("a grid"));
        settings(4).with_options(Options { grid, ..Options::default() })
    };
    let error = runnable(Kernel::Halo2d, &with("3x2")).expect_err("six places").to_string();
    assert!(error.contains("3x2") && error.contains("6 places") && error.contains("2x2"), "{error}");
    let error = runnable(Kernel::Halo3d, &with("2x2x2")).expect_err("eight places").to_string();
    assert!(error.contains("8 places") && error.contains("--ranks 8"), "{error}");
    // A grid of two dimensions is for the exchange in two.
    assert!(runnable(Kernel::Halo3d, &with("3x2")).is_ok());
    for record in measured(&Threads::default(), Kernel::Halo2d, &with("1x4")) {
        assert_eq!(record.point.text(param::GRID), "1x4");
    }
    let none = Settings { dims: Some(vec![0, 4]), ..settings(4) };
    assert!(runnable(Kernel::Halo2d, &none).expect_err("no cells").to_string().contains("--dims"));
}

#[test]
fn empty_and_huge_windows_are_refused() {
    let window = |window| settings(2).with_options(Options { window, ..Options::default() });
    let error = runnable(Kernel::Bandwidth, &window(0)).expect_err("no window").to_string();
    assert!(error.contains("at least 1") && error.contains("--window"), "{error}");
    let error = runnable(Kernel::Bandwidth, &window(1 << 40)).expect_err("too much").to_string();
    assert!(error.contains("of memory"), "{error}");
    let cube = Settings { dims: Some(vec![100_000]), ..settings(2) };
    assert!(runnable(Kernel::Halo3d, &cube).expect_err("too much").to_string().contains("of memory"));
}

#[test]
fn one_sided_communication_needs_its_transport() {
    for kernel in ONE_SIDED {
        let error = runnable(kernel, &settings(2)).expect_err("threads have none").to_string();
        assert!(error.contains("one-sided") && error.contains("mpirun"), "{error}");
        let points = kernel.points(&Settings { has_windows: true, ..settings(2) }, &[]).expect("points");
        assert_eq!(points.len(), 4 * SIZES.len(), "{kernel}");
    }
}

/// A message takes 10 us and 10 ns per byte, so a link carries 100 MB/s.
const SQUARE: &str = r#"
name = "square"
[network]
topology = "hypercube"
dimensions = 2
switching = "circuit"
link = { latency = "10us", per-byte = "10ns" }
"#;

fn simulated(model: Sharing) -> Simulated {
    Simulated::new(Arc::new(Machine::parse(SQUARE, "test.toml").expect("a model")), model)
}

fn on_the_square(window: usize, sizes: Vec<u64>) -> Settings {
    Settings {
        ranks: vec![4],
        sizes: Some(sizes),
        dims: Some(vec![4, 8]),
        shape: Some(panto_schedule::HopShape::Hypercube),
        machine: Some("square".into()),
        effort: Effort::default().on_virtual_clock(),
        ..Settings::default()
    }
    .with_options(Options { window, ..Options::default() })
}

/// The one-way time is the model's formula. A window of messages takes the time of a link that
/// carries one message after the other, plus the acknowledgement, so the bandwidth tends to the
/// link's.
#[test]
fn a_simulated_link_gives_its_own_figures() {
    let world = simulated(Sharing::Links);
    for record in measured(&world, Kernel::Latency, &on_the_square(64, vec![0, 1_000, 100_000])) {
        let expected = 10_000.0 + 10.0 * bytes_of(&record) as f64;
        assert!((record.summary().expect("samples").median - expected).abs() < 1e-6, "{record:?}");
    }
    for record in measured(&world, Kernel::Bandwidth, &on_the_square(64, vec![1_000, 1_000_000])) {
        let window = 64.0 * (10_000.0 + 10.0 * bytes_of(&record) as f64);
        let answer = 10_000.0;
        let nanos = record.summary().expect("samples").median;
        assert!((nanos - window - answer).abs() < 1e-3, "{nanos} and {window}");
        if bytes_of(&record) == 1_000_000 {
            let rate = record.bandwidth(nanos).expect("bytes");
            assert!((0.99e8..1e8).contains(&rate), "{rate}");
        }
    }
}

#[test]
fn every_kernel_on_a_simulated_machine_whatever_its_model() {
    for model in [Sharing::None, Sharing::Links] {
        for kernel in KERNELS {
            for record in measured(&simulated(model), kernel, &on_the_square(8, vec![0, 8, 5_000])) {
                assert_eq!(record.machine.as_deref(), Some("square"), "{kernel}");
            }
        }
    }
}

#[test]
fn the_usual_findings_are_reported() {
    let records: Vec<Record> = [Kernel::Latency, Kernel::Bandwidth, Kernel::Halo2d]
        .into_iter()
        .flat_map(|kernel| {
            measured(&simulated(Sharing::Links), kernel, &on_the_square(64, vec![1, 1_000_000]))
        })
        .collect();
    let found = findings(&records);
    let of = |kernel: &str, unit| {
        let mut all = found.iter().filter(|finding| finding.kernel == kernel && finding.unit == unit);
        (all.next().unwrap_or_else(|| panic!("{kernel}: {found:#?}")), all.count())
    };
    let (latency, others) = of("classic/latency", Unit::Seconds);
    assert!((latency.value - 10.01e-6).abs() < 1e-12 && others == 0, "{latency:?}");
    assert!(latency.label.contains("1B") && latency.label.contains("one way"), "{latency:?}");
    let (bandwidth, _) = of("classic/bandwidth", Unit::BytesPerSecond);
    assert!((0.99e8..1e8).contains(&bandwidth.value), "{bandwidth:?}");
    let (rate, _) = of("classic/bandwidth", Unit::MessagesPerSecond);
    assert!((rate.value - 64.0 / (64.0 * 10.01e-6 + 10e-6)).abs() < 1.0, "{rate:?}");
    assert!(of("classic/halo-2d", Unit::Seconds).0.label.contains("side of 8"));
}
