//! Complete exchange and broadcast on the CM-5.

use panto_bench::cm5::Options;
use panto_bench::{Kernel, Settings};
use panto_findings::contest::{crossovers_between, rounds};
use panto_results::param::RANKS;
use panto_results::{Record, param};
use panto_schedule::Algorithm;
use panto_stats::least_squares;
use panto_transport::AlgorithmChoice;

use super::super::curves::{Points, against, at, curve, is_variant, least, ratios};
use super::super::{Evaluated, Workbench};
use super::{once, plot};
use crate::error::{Error, Result};

/// Nodes of the partition that most figures use.
const NODES: usize = 32;
/// Nodes of the partitions of the figures that vary them.
const PARTITIONS: [usize; 7] = [4, 8, 16, 32, 64, 128, 256];
/// Bytes of a large message.
const LARGE: u64 = 2_048;
/// Bytes of a message that is long enough for segmentation to pay off.
const HUGE: u64 = 16_384;

/// Returns the records of a kernel with these algorithms.
fn contest(
    bench: &Workbench,
    kernel: Kernel,
    ranks: &[usize],
    sizes: &[u64],
    candidates: &[Algorithm],
) -> Result<Vec<Record>> {
    let settings = Settings { sizes: Some(sizes.to_vec()), ..once(bench, ranks) }.with_options(Options {
        candidates: candidates.iter().copied().map(AlgorithmChoice::Algorithm).collect(),
        ..Options::default()
    });
    let mut records = bench.simulate(kernel, &settings)?;
    // A single number of ranks selects all powers of two up to it as well.
    records.retain(|record| ranks.contains(&record.point.ranks));
    Ok(records)
}

pub(super) fn exchanges(bench: &Workbench) -> Result<Evaluated> {
    let (lex, pex, rex) = (Algorithm::Lex, Algorithm::Pex, Algorithm::Rex);
    let sizes = [0, 16, 64, 256, 512, 1_024, LARGE];
    let on_32 = contest(bench, Kernel::CompleteExchange, &[NODES], &sizes, &[lex, pex, rex])?;
    let by_ranks = contest(bench, Kernel::CompleteExchange, &PARTITIONS, &[0, 256, 512], &[pex, rex])?;
    let by_size = |name| curve(&on_32, param::BYTES, is_variant(name));
    let of_size = |name, size| {
        let (is_it, is_there) = (is_variant(name), at(param::BYTES, size));
        curve(&by_ranks, RANKS, |record| is_it(record) && is_there(record))
    };
    // The time of REX relative to PEX, by ascending number of processors.
    let against_pex = |size| ratios(&of_size("pex", size), &of_size("rex", size));
    let values = vec![
        ("lex-pex", least(ratios(&by_size("pex"), &by_size("lex")))),
        ("rex-empty", least(against_pex(0).into_iter().map(f64::recip))),
        ("pex-large", ratios(&by_size("pex"), &by_size("rex")).last().copied().unwrap_or(f64::NAN)),
        ("pex-few", against_pex(256).first().copied().unwrap_or(f64::NAN)),
        ("rex-many", against_pex(256).last().map_or(f64::NAN, |ratio| ratio.recip())),
        (
            "cross-512",
            crossing(&by_ranks, 512)?
                .zip(crossing(&by_ranks, 256)?)
                .map_or(0.0, |(long, short)| long / short),
        ),
    ];
    let records = on_32.into_iter().chain(by_ranks.into_iter().filter(|record| record.point.ranks != NODES));
    Ok((values, vec![plot(Kernel::CompleteExchange, records.collect())]))
}

/// Returns the number of processors from which REX is faster than PEX; `None` if it never is.
fn crossing(records: &[Record], size: u64) -> Result<Option<f64>> {
    let of_size: Vec<&Record> = records.iter().filter(|record| at(param::BYTES, size)(record)).collect();
    let found = crossovers_between(&rounds(&of_size, param::VARIANT), RANKS, ["pex", "rex"]);
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.position).filter(|_| one.to == "rex")),
        _ => Err(Error::Curve(format!("PEX and REX cross more than once at {size} bytes"))),
    }
}

pub(super) fn broadcasts(bench: &Workbench) -> Result<Evaluated> {
    let (linear, recursive) = (Algorithm::Linear, Algorithm::RecursiveHalving);
    let divided = [2, 4, 8].map(|segments| Algorithm::SegmentedHalving { segments });
    let all: Vec<Algorithm> = [linear, recursive].into_iter().chain(divided).collect();
    let sizes = [0, 16, 256, 512, 1_024, LARGE, HUGE];
    let on_32 = contest(bench, Kernel::BroadcastContest, &[NODES], &sizes, &all)?;
    let by_ranks = contest(bench, Kernel::BroadcastContest, &PARTITIONS, &[0, LARGE], &[recursive])?;
    let by_size = |name| curve(&on_32, param::BYTES, is_variant(name));
    let added = |size| doubling(&curve(&by_ranks, RANKS, at(param::BYTES, size)));
    // The time of the whole message relative to two segments, by ascending size.
    let halved = ratios(&by_size("reb:2"), &by_size("reb"));
    let values = vec![
        ("reb-lib", least(ratios(&by_size("reb"), &by_size("lib")))),
        ("reb-growth", added(LARGE)? / added(0)?),
        ("halves-short", halved.first().map_or(f64::NAN, |ratio| ratio.recip())),
        ("halves-long", halved.last().copied().unwrap_or(f64::NAN)),
    ];
    let records = on_32.into_iter().chain(by_ranks.into_iter().filter(|record| record.point.ranks != NODES));
    Ok((values, vec![plot(Kernel::BroadcastContest, records.collect())]))
}

/// Returns the seconds that each doubling of the ranks adds.
fn doubling(by_ranks: &Points) -> Result<f64> {
    Ok(least_squares(&against(by_ranks, f64::log2))?.line.slope)
}
