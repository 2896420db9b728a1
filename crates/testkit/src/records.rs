//! Synthetic measurements, the same on every machine.

use panto_results::{Clock, Manifest, Metric, Point, Record, StopReason, SyncMethod, param};

/// Returns how they were measured.
pub fn manifest() -> Manifest {
    Manifest {
        format: 1,
        panto: "0.1.0".into(),
        started: 1_700_000_000,
        command: ["panto", "bench", "comet", "--out", "my results.jsonl"].map(String::from).to_vec(),
        label: None,
        host: "bench-7".into(),
        cpu: "Example CPU @ 2.40GHz".into(),
        cores: 4,
        system: "linux x86_64 6.1.0".into(),
        transport: "threads".into(),
        transport_settings: "shared memory within one process".into(),
        clock: "monotonic clock of the system, shared by all ranks".into(),
        ranks: vec![2, 4],
        precision: 0.01,
        budget_s: 60.0,
        seed: 1,
        machine: None,
        placement: Vec::new(),
        layout: None,
        mpi: None,
    }
}

/// Returns reproducible noise from 0 to 1.
fn noise(seed: u64, index: u64) -> f64 {
    let mixed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40) as f64 / (1_u64 << 24) as f64
}

/// Returns forty samples from `nanos` on, with a tail.
fn samples(nanos: f64, seed: u64) -> Vec<f64> {
    let tail = |x: f64| 1.0 + 0.04 * x + if x > 0.9 { 3.0 * (x - 0.9) } else { 0.0 };
    (0..40).map(|index| (nanos * tail(noise(seed, index)) * 1e3).round() / 1e3).collect()
}

/// Returns a point that takes about `nanos` nanoseconds.
pub fn record(kernel: &str, point: Point, nanos: f64) -> Record {
    let seed = (nanos * 1e3) as u64 + point.ranks as u64;
    Record {
        kernel: kernel.into(),
        point,
        metric: Metric::on(0),
        samples_ns: samples(nanos, seed),
        disturbed_ns: Vec::new(),
        all_disturbed: false,
        provisional: false,
        passes: Vec::new(),
        batch: 8,
        late: 0,
        stop: StopReason::Confidence,
        start: SyncMethod::RoundTime,
        empty_ns: 1.5,
        moved: None,
        algorithm: None,
        clock_error_ns: None,
        steal: Some(0.0),
        others: None,
        machine: None,
        verified: true,
        messages: None,
        first_to_last_ns: Vec::new(),
        figures: std::collections::BTreeMap::new(),
        expected: None,
        absent: None,
        ranks_ns: Vec::new(),
        wrong: None,
    }
}

/// Returns 0, and powers of two up to `2^last`.
fn sizes(last: u32) -> impl Iterator<Item = u64> + Clone {
    std::iter::once(0).chain((0..=last).map(|power| 1 << power))
}

/// Returns echoes by hop distance and size, unsorted.
pub fn echo(hops: u64, last: u32) -> Vec<Record> {
    let one = |hops: u64, bytes: u64| {
        let switch = if bytes >= 8192 { 900.0 } else { 0.0 };
        let nanos = 90.0 + 160.0 * hops as f64 + bytes as f64 / 9.0 + switch;
        let point = Point::new(4).with(param::HOPS, hops).with(param::BYTES, bytes);
        Record { metric: Metric::one_way(0), moved: Some(bytes), ..record("comet/echo", point, nanos) }
    };
    let mut all: Vec<Record> = sizes(last)
        .flat_map(|bytes| (0..=hops).map(move |hops| (hops, bytes)))
        .map(|(h, b)| one(h, b))
        .collect();
    let middle = all.len() / 2;
    all.rotate_left(middle);
    all
}

/// Returns exchanges: both sides send first.
pub fn exchange() -> Vec<Record> {
    let one = |bytes: u64| {
        let point = Point::new(4).with(param::HOPS, 1).with(param::BYTES, bytes);
        Record { moved: Some(2 * bytes), ..record("comet/exchange", point, 400.0 + bytes as f64 / 5.0) }
    };
    [1 << 20, 0, 64].map(one).to_vec()
}

/// Returns broadcasts by number of ranks and size.
pub fn broadcast(last: u32) -> Vec<Record> {
    let one = |ranks: usize, bytes: u64| {
        let nanos = f64::from(ranks.ilog2()) * (600.0 + bytes as f64 / 7.0);
        let point = Point::new(ranks).with(param::BYTES, bytes).with_text(param::VARIANT, "barrier");
        Record {
            moved: Some(bytes),
            algorithm: Some("binomial".into()),
            ..record("comet/broadcast", point, nanos)
        }
    };
    [8, 2, 4].into_iter().flat_map(|ranks| sizes(last).map(move |bytes| one(ranks, bytes))).collect()
}

/// Returns reductions by number of ranks and length; the algorithm depends on the length.
pub fn reduction() -> Vec<Record> {
    let one = |ranks: usize, length: u64| {
        let nanos = f64::from(ranks.ilog2()) * (900.0 + length as f64 * 1.2);
        let algorithm = if length > 1000 { "rabenseifner" } else { "recursive-doubling" };
        let point = Point::new(ranks).with(param::LENGTH, length);
        Record {
            moved: Some(8 * length),
            algorithm: Some(algorithm.into()),
            ..record("comet/reduction", point, nanos)
        }
    };
    [2, 4].into_iter().flat_map(|ranks| [1, 64, 4096, 65_536].map(|length| one(ranks, length))).collect()
}

/// Returns barriers by number of ranks.
pub fn barrier() -> Vec<Record> {
    let one = |ranks: usize| {
        let nanos = 700.0 * f64::from(ranks.ilog2());
        Record { verified: false, ..record("comet/barrier", Point::new(ranks), nanos) }
    };
    [8, 2, 16, 4].map(one).to_vec()
}

/// Returns echoes under load, by load and size.
pub fn contention() -> Vec<Record> {
    let one = |(load, load_bytes): (u64, u64), bytes: u64| {
        let nanos = (250.0 + bytes as f64 / 9.0) * (1.0 + load as f64 / 60.0);
        let point = Point::new(4).with(param::LOAD, load).with(param::LOAD_BYTES, load_bytes);
        let point = point.with(param::BYTES, bytes);
        Record { metric: Metric::one_way(1), moved: Some(bytes), ..record("comet/contention", point, nanos) }
    };
    [(0, 0), (50, 2_345), (90, 20_000)]
        .into_iter()
        .flat_map(|load| sizes(16).map(move |b| one(load, b)))
        .collect()
}

/// Returns overlaps by size, length and variant: more curves than one chart can show.
pub fn overlap() -> Vec<Record> {
    let one = |bytes: u64, length: u64, variant: &str| {
        let (talk, work) = (500.0 + bytes as f64 / 5.0, length as f64 * 0.3);
        let nanos = if variant == "blocking" { talk + work } else { talk.max(work) + 300.0 };
        let point = Point::new(2).with(param::BYTES, bytes).with(param::LENGTH, length);
        record("comet/overlap", point.with_text(param::VARIANT, variant), nanos)
    };
    let mut all = Vec::new();
    for bytes in [0, 1 << 10, 8 << 10, 64 << 10, 512 << 10, 1 << 20] {
        for length in [0, 1_000, 10_000, 50_000, 200_000] {
            all.extend(["overlapped", "blocking"].map(|variant| one(bytes, length, variant)));
        }
    }
    all
}

/// Returns transposes by matrix dimension.
pub fn transpose() -> Vec<Record> {
    let one = |dim: u64, variant: &str, factor: f64| {
        let point = Point::new(4).with(param::DIM, dim).with_text(param::VARIANT, variant);
        let moved = Some(8 * dim * dim);
        Record { moved, ..record("comet/transpose", point, 3_000.0 + factor * (dim * dim) as f64) }
    };
    (1..=12).flat_map(|step| [one(64 * step, "exchange", 0.9), one(64 * step, "recursive", 0.7)]).collect()
}

/// Returns handler latencies by size, with a wide distribution.
pub fn handler() -> Vec<Record> {
    let one = |bytes: u64| {
        let point = Point::new(2).with(param::BYTES, bytes);
        let wait =
            |index| 4_000.0 + bytes as f64 / 8.0 - 2_500.0 * (1.0 - noise(bytes, index)).max(1e-3).ln();
        let metric = Metric { clock: Clock::SendToHandler, half: false };
        let samples_ns = (0..400).map(wait).collect();
        Record { metric, samples_ns, batch: 1, ..record("comet/handler", point, 1.0) }
    };
    [8, 1 << 10, 64 << 10].map(one).to_vec()
}

/// Returns file accesses by block size.
pub fn io() -> Vec<Record> {
    let one = |variant: &str, factor: f64, block: u64| {
        let nanos = factor * 16_777_216.0 * (0.4 + 900.0 / block as f64);
        let point = Point::new(4).with_text(param::VARIANT, variant).with(param::BLOCK, block);
        Record { metric: Metric::longest(), moved: Some(64 << 20), ..record("comet/io", point, nanos) }
    };
    let variants = [("write", 2.0), ("read", 0.7), ("shared-write", 3.1), ("shared-read", 0.8)];
    let blocks = [4 << 10, 64 << 10, 1 << 20, 16 << 20];
    variants.into_iter().flat_map(|(name, factor)| blocks.map(|block| one(name, factor, block))).collect()
}
