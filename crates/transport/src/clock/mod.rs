//! One global clock for ranks on several hosts (S7, T6).
//!
//! Every host has a clock of its own, which began to count when it liked and goes a little too fast or too slow. The method is
//! HCA3 (Hunold and Carpen-Amarie, 2018): hosts form a binomial tree with rank 0's host at the top. A parent answers with
//! *global* time, so that each child fits a line straight to global time and no models have to be put together. Ranks of one
//! host read one clock: only the first of them talks, and gives the others what it learned.
//!
//! How well it went is measured and not believed: [`error`] compares the global clocks, at any later time.
//!
//! Readings are [`Time`]: picoseconds in 64 bits. A clock that counts from long ago does not fit, because they end after 213
//! days. Ranks of one clock may subtract any number from its readings, as long as all of them subtract the same.

mod exchange;
mod fit;
mod model;
mod tree;

pub use model::Model;

use panto_units::Time;

use crate::error::{Error, Result};
use crate::message::Tag;
use crate::transport::{Patience, Transport};
use exchange::Bounds;

/// The tag of all messages about clocks.
const TAG: Tag = 32_000;

/// Who answers with the time of all others.
const REFERENCE: usize = 0;

/// How much is done for each edge of the tree; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Offsets that the line is fitted to. Fewer than four give no drift.
    pub fitpoints: usize,
    /// Messages to and fro for each of them.
    pub exchanges: usize,
    /// The pause between two of them. The drift is known to about the scatter of the offsets over the whole time that
    /// they were taken in.
    pub spacing: Time,
}

impl Default for Effort {
    /// Forty milliseconds and the exchanges: a scatter of 100 ns gives the drift to about two millionths.
    fn default() -> Self {
        Self { fitpoints: 20, exchanges: 20, spacing: Time::from_nanos(2_000_000) }
    }
}

impl Effort {
    fn points(&self) -> usize {
        self.fitpoints.max(1)
    }

    fn questions(&self) -> usize {
        self.points() * self.exchanges.max(1)
    }
}

/// Finds out how this rank's clock follows that of rank 0. All ranks call this together, with the same `clocks` and
/// `effort`.
///
/// `clocks[r]` is the number of the clock that rank r reads, from 0 in the order of first appearance; `local` reads this rank's.
/// The answer turns its readings into global time, which is what rank 0 reads. Where there is one clock nothing is sent.
///
/// Edges of one level of the tree work at the same time, so the whole takes `ceil(log2 hosts)` times as long as one
/// edge, and then `ceil(log2 ranks of a host)` messages. The messages are not [set aside](Transport::set_aside): on a simulated
/// machine they would take no time then, and there would be nothing to learn from them.
pub fn synchronise<T: Transport>(
    t: &T,
    clocks: &[usize],
    local: &dyn Fn() -> Time,
    effort: &Effort,
) -> Result<Model> {
    let firsts = first_ranks(t, clocks)?;
    if firsts.len() < 2 {
        return Ok(Model::default());
    }
    let mine = clocks[t.rank()];
    let mut words = Model::default().encode();
    if firsts[mine] == t.rank() {
        words = join(t, &firsts, mine, local, effort)?.encode();
    }
    let ranks: Vec<usize> = (0..t.size()).filter(|&rank| clocks[rank] == mine).collect();
    tree::spread(t, &ranks, &mut words)?;
    Model::decode(&words).ok_or_else(|| {
        let from = firsts[mine];
        Error::Start(format!(
            "rank {from} sent something that is no model of a clock: is it the same version of Panto?"
        ))
    })
}

/// How far clocks are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Apart {
    /// The farthest that they can be by what the exchanges tell.
    pub at_most: Time,
    /// The least: more than nothing only if they certainly differ.
    pub at_least: Time,
}

/// The most that the global clocks can differ now; see [`apart`].
pub fn error<T: Transport>(
    t: &T,
    clocks: &[usize],
    local: &dyn Fn() -> Time,
    model: &Model,
    exchanges: usize,
) -> Result<Option<Time>> {
    Ok(apart(t, clocks, local, model, exchanges)?.map(|apart| apart.at_most))
}

/// How far the global clocks are apart now: for each clock's first rank against rank 0 what the exchanges tell; the largest of
/// these, the same on all ranks. All ranks call this together. `None` if there is one clock.
///
/// The bounds hold at some moment while the exchanges go on: clocks that drift apart are farther apart at the end by what they
/// drift in that time. Rank 0 asks one host after the other, so that nobody is in the way: `exchanges` round trips for each
/// host, and then `ceil(log2 ranks)` messages.
pub fn apart<T: Transport>(
    t: &T,
    clocks: &[usize],
    local: &dyn Fn() -> Time,
    model: &Model,
    exchanges: usize,
) -> Result<Option<Apart>> {
    let firsts = first_ranks(t, clocks)?;
    if firsts.len() < 2 {
        return Ok(None);
    }
    let global = || model.global(local());
    let exchanges = exchanges.max(1);
    let mut worst = Apart::default();
    if t.rank() == REFERENCE {
        for &other in &firsts[1..] {
            let bounds = exchange::compare(t, other, exchanges, &global)?;
            worst.at_most = worst.at_most.max(bounds.farthest());
            worst.at_least = worst.at_least.max(bounds.nearest());
        }
    } else if firsts[clocks[t.rank()]] == t.rank() {
        exchange::answer(t, REFERENCE, exchanges, &global)?;
    }
    let mut words = u128::from(worst.at_most.as_picos()) | u128::from(worst.at_least.as_picos()) << 64;
    let mut bytes = words.to_le_bytes();
    tree::spread(t, &(0..t.size()).collect::<Vec<_>>(), &mut bytes)?;
    words = u128::from_le_bytes(bytes);
    let [at_most, at_least] = [words, words >> 64].map(|word| Time::from_picos(word as u64));
    Ok(Some(Apart { at_most, at_least }))
}

/// The first rank of each clock.
fn first_ranks<T: Transport>(t: &T, clocks: &[usize]) -> Result<Vec<usize>> {
    if clocks.len() != t.size() {
        let (given, ranks) = (clocks.len(), t.size());
        return Err(Error::Start(format!(
            "the clocks of {given} ranks are named, but there are {ranks} ranks"
        )));
    }
    let mut firsts = Vec::new();
    for (rank, &clock) in clocks.iter().enumerate() {
        if clock > firsts.len() {
            let next = firsts.len();
            return Err(Error::Start(format!(
                "rank {rank} reads clock {clock} before any rank reads clock {next}: number clocks as they appear"
            )));
        }
        if clock == firsts.len() {
            firsts.push(rank);
        }
    }
    Ok(firsts)
}

/// Takes one host's place in the tree: learns from above, then answers below.
fn join<T: Transport>(
    t: &T,
    firsts: &[usize],
    mine: usize,
    local: &dyn Fn() -> Time,
    effort: &Effort,
) -> Result<Model> {
    let model = match tree::parent(mine) {
        Some(parent) => fit::line(&observe(t, firsts[parent], local, effort)?),
        None => Model::default(),
    };
    for child in tree::children(mine, firsts.len()) {
        exchange::answer(t, firsts[child], effort.questions(), &|| model.global(local()))?;
    }
    Ok(model)
}

/// Offsets from global time, with pauses between them.
fn observe<T: Transport>(
    t: &T,
    parent: usize,
    local: &dyn Fn() -> Time,
    effort: &Effort,
) -> Result<Vec<Bounds>> {
    let patience = if t.oversubscribed() { Patience::Sleep } else { Patience::Spin };
    let mut points = Vec::with_capacity(effort.points());
    for point in 0..effort.points() {
        if point > 0 {
            // Whatever the transport's own clock shows, only a span of it matters here.
            t.wait_until(t.now() + effort.spacing, patience)?;
        }
        points.push(exchange::compare(t, parent, effort.exchanges.max(1), local)?);
    }
    Ok(points)
}
