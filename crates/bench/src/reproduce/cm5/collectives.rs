//! Complete exchange and broadcast.

use panto_schedule::Algorithm;
use panto_stats::least_squares;
use panto_transport::Choice;

use super::super::laws::{Points, against, at, curve, is_variant, least, ratios, said};
use super::super::{Evaluated, Workbench};
use super::{once, plot};
use crate::cm5::Options;
use crate::contest::{RANKS, crossovers_between, rounds};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::point::param;
use crate::results::Record;
use crate::settings::Settings;

/// The partition of most figures, and those of the others.
const NODES: usize = 32;
const PARTITIONS: [usize; 7] = [4, 8, 16, 32, 64, 128, 256];
const LARGE: u64 = 2_048;
/// A message that is worth dividing.
const HUGE: u64 = 16_384;

/// The records of these candidates.
fn contest(
    bench: &Workbench,
    kernel: Kernel,
    ranks: &[usize],
    sizes: &[u64],
    rivals: &[Algorithm],
) -> Result<Vec<Record>> {
    let settings = Settings {
        sizes: Some(sizes.to_vec()),
        cm5: Options {
            rivals: rivals.iter().copied().map(Choice::Algorithm).collect(),
            ..Options::default()
        },
        ..once(bench, ranks)
    };
    let mut records = bench.simulate(kernel, &settings)?;
    // One number of ranks stands for all powers of two up to it.
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
        curve(&by_ranks, "ranks", |record| is_it(record) && is_there(record))
    };
    // What REX takes against PEX, from few processors to many.
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

/// From how many processors on REX is faster than PEX, if it ever is.
fn crossing(records: &[Record], size: u64) -> Result<Option<f64>> {
    let of_size: Vec<&Record> = records.iter().filter(|record| at(param::BYTES, size)(record)).collect();
    let found = crossovers_between(&rounds(&of_size, param::VARIANT), RANKS, ["pex", "rex"]);
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.place).filter(|_| one.to == "rex")),
        _ => Err(Error::usage(format!("PEX and REX cross more than once at {size} bytes"))),
    }
}

pub(super) fn broadcasts(bench: &Workbench) -> Result<Evaluated> {
    let (linear, recursive) = (Algorithm::Linear, Algorithm::RecursiveHalving);
    let divided = [2, 4, 8].map(|segments| Algorithm::SegmentedHalving { segments });
    let all: Vec<Algorithm> = [linear, recursive].into_iter().chain(divided).collect();
    let sizes = [0, 16, 256, 512, 1_024, LARGE, HUGE];
    let on_32 = contest(bench, Kernel::RivalBroadcast, &[NODES], &sizes, &all)?;
    let by_ranks = contest(bench, Kernel::RivalBroadcast, &PARTITIONS, &[0, LARGE], &[recursive])?;
    let by_size = |name| curve(&on_32, param::BYTES, is_variant(name));
    let added = |size| doubling(&curve(&by_ranks, "ranks", at(param::BYTES, size)));
    // What the whole message takes against two halves, from short to long.
    let halved = ratios(&by_size("reb:2"), &by_size("reb"));
    let values = vec![
        ("reb-lib", least(ratios(&by_size("reb"), &by_size("lib")))),
        ("reb-growth", added(LARGE)? / added(0)?),
        ("halves-short", halved.first().map_or(f64::NAN, |ratio| ratio.recip())),
        ("halves-long", halved.last().copied().unwrap_or(f64::NAN)),
    ];
    let records = on_32.into_iter().chain(by_ranks.into_iter().filter(|record| record.point.ranks != NODES));
    Ok((values, vec![plot(Kernel::RivalBroadcast, records.collect())]))
}

/// What each doubling of the ranks adds.
fn doubling(by_ranks: &Points) -> Result<f64> {
    Ok(least_squares(&against(by_ranks, f64::log2)).map_err(said)?.line.slope)
}
