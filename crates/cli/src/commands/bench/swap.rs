//! Options of the suite `swap`.

use std::sync::atomic::AtomicBool;

use clap::Args;
use panto_bench::swap::{BetterPair, Options, Pairs, better_pair};
use panto_bench::{Kernel, Settings, parse_sizes};
use panto_results::swap::{CacheMode, Loop, parse_protocols};
use panto_transport::World;

use crate::failure::Failure;
use crate::print;

/// The value of `--pairs` by which the pair is chosen.
const BETTER: &str = "better";

#[derive(Args)]
pub struct SwapArgs {
    /// Protocols by id or name: `(0,3)`, `irecv-isend`, `unordered`, `ordered` [default: all].
    #[arg(long, value_name = "ID,...")]
    protocol: Option<String>,

    /// Bytes that each rank sends, in messages of `--sizes` [default: 2M,128K,8K, each in 1, 2, 4
    /// ... 1024 messages].
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    volumes: Option<String>,

    /// Loops: basic, prepost (receives posted one swap ahead, sends completed one swap later)
    /// [default: both].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    loops: Option<Vec<String>>,

    /// Cache states: cold (buffers evicted from all caches), invalidated (the L2 cache, before
    /// the buffers are initialised, as COMMTEST does), warm, repeated (each message ten times)
    /// [default: cold,warm,repeated].
    #[arg(long, alias = "ways", value_name = "NAME,...", value_delimiter = ',')]
    cache: Option<Vec<String>>,

    /// Pairs that swap at the same time, such as 0-2,1-3, or `all`. Repeatable. `better` measures
    /// 0-1 and 0-2 first and takes the faster, as COMMTEST does [default: 0-1].
    #[arg(long, value_name = "A-B,...", allow_hyphen_values = true)]
    pairs: Option<Vec<String>>,
}

impl SwapArgs {
    pub fn options(&self) -> Result<Options, Failure> {
        let better_pair = self.pairs.as_deref().is_some_and(|words| words == [BETTER]);
        let pairs = if better_pair { None } else { self.pairs.as_deref() };
        Ok(Options {
            protocols: self.protocol.as_deref().map(parse_protocols).transpose()?,
            volumes: self.volumes.as_deref().map(parse_sizes).transpose()?.map(largest_first),
            loops: parse_each::<Loop>(self.loops.as_deref())?,
            cache_modes: parse_each::<CacheMode>(self.cache.as_deref())?,
            pairs: parse_each::<Pairs>(pairs)?,
            better_pair,
        })
    }
}

/// Returns the settings with the better pair, if the user wants it and it matters.
pub fn with_better_pair<W: World>(
    world: &W,
    settings: &Settings,
    kernels: &[Kernel],
) -> Result<Settings, Failure> {
    let options = settings.options.get::<Options>();
    if !options.better_pair || !kernels.contains(&Kernel::Swap) {
        return Ok(settings.clone());
    }
    let BetterPair { pair, other, margin } = better_pair(world, settings, &AtomicBool::new(false))?;
    if world.is_first() {
        print::note(format_args!(
            "panto: the pair {}-{} is measured: {}-{} takes {} longer",
            pair.0,
            pair.1,
            other.0,
            other.1,
            panto_units::percent(100.0 * margin)
        ));
    }
    let chosen = Options { pairs: Some(vec![Pairs::Named(vec![pair])]), ..(*options).clone() };
    Ok(settings.clone().with_options(chosen))
}

/// Sorts volumes in COMMTEST's order.
fn largest_first(mut volumes: Vec<u64>) -> Vec<u64> {
    volumes.reverse();
    volumes
}

/// Parses each word and removes repetitions; `None` stays `None`.
fn parse_each<N>(words: Option<&[String]>) -> panto_bench::Result<Option<Vec<N>>>
where
    N: std::str::FromStr + PartialEq,
    panto_bench::Error: From<N::Err>,
{
    let Some(words) = words else { return Ok(None) };
    let mut named = Vec::new();
    for word in words {
        let next = word.trim().parse()?;
        if !named.contains(&next) {
            named.push(next);
        }
    }
    Ok(Some(named))
}
