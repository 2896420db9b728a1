//! Clock synchronisation of ranks on several hosts (S7, T6).
//!
//! Each host has a clock with its own origin and rate. The method is HCA3 (Hunold and
//! Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", IEEE Cluster 2018): hosts form a
//! binomial tree with rank 0's host as the root. Each host measures its offset from its parent
//! several times over some milliseconds and fits a line to them. A parent replies with *global*
//! time, so every host fits its line straight to global time, and models need not be composed.
//! Ranks of one host read one clock: only the first of them communicates, and sends its model to
//! the others.
//!
//! - `exchange`: bounds of an offset from round trips.
//! - `fit`: the weighted line, and when its slope is significant.
//! - `model`: the line as a function from local to global time and back.
//! - `tree`: the binomial tree.
//!
//! The result is verified by measurement: [`max_difference`] compares the global clocks at any
//! later time.
//!
//! Readings are [`Time`]: picoseconds in 64 bits, a range of 213 days. A clock with an earlier
//! origin does not fit; ranks of one clock may subtract any number from its readings, as long as
//! all subtract the same.
//!
//! Cost: `ceil(log2 hosts)` times the effort of one edge, 40 ms by default.

mod exchange;
mod fit;
mod model;
mod tree;

pub use model::LinearModel;

use panto_units::Time;

use crate::error::{Error, Result};
use crate::message::Tag;
use crate::transport::{Transport, WaitPolicy};
use exchange::Bounds;

/// The tag of all messages about clocks.
const TAG: Tag = 32_000;

/// The rank whose clock is the global one.
const REFERENCE: usize = 0;

/// The effort for each edge of the tree; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncEffort {
    /// Offsets that the line is fitted to. Fewer than four give no drift.
    pub fitpoints: usize,
    /// Exchanges per offset.
    pub exchanges: usize,
    /// The pause between two offsets. The error of the drift is about the scatter of the offsets
    /// divided by the whole time in which they were measured.
    pub spacing: Time,
}

impl Default for SyncEffort {
    /// Takes 40 ms plus the exchanges: a scatter of 100 ns gives the drift to about two parts per
    /// million.
    fn default() -> Self {
        Self { fitpoints: 20, exchanges: 20, spacing: Time::from_nanos(2_000_000) }
    }
}

impl SyncEffort {
    fn points(&self) -> usize {
        self.fitpoints.max(1)
    }

    fn requests(&self) -> usize {
        self.points() * self.exchanges.max(1)
    }
}

/// Fits the model of this rank's clock. All ranks must call this together, with the same `clocks`
/// and `effort`.
///
/// `clocks[r]` is the number of the clock that rank r reads, from 0 in the order of first
/// appearance; `local` reads this rank's. The model turns its readings into global time, which is
/// what rank 0 reads. Where there is one clock, nothing is sent.
///
/// Edges of one level of the tree work at the same time, so this takes `ceil(log2 hosts)` times as
/// long as one edge, and then `ceil(log2 ranks of a host)` messages. The messages are not [out of
/// band](Transport::set_out_of_band): on a simulated machine those take no time, and would reveal
/// no offset.
pub fn synchronise<T: Transport>(
    t: &T,
    clocks: &[usize],
    local: &dyn Fn() -> Time,
    effort: &SyncEffort,
) -> Result<LinearModel> {
    let firsts = first_ranks(t, clocks)?;
    if firsts.len() < 2 {
        return Ok(LinearModel::default());
    }
    let mine = clocks[t.rank()];
    let mut words = LinearModel::default().encode();
    if firsts[mine] == t.rank() {
        words = join(t, &firsts, mine, local, effort)?.encode();
    }
    let ranks: Vec<usize> = (0..t.size()).filter(|&rank| clocks[rank] == mine).collect();
    tree::broadcast(t, &ranks, &mut words)?;
    LinearModel::decode(&words).ok_or_else(|| {
        let from = firsts[mine];
        Error::Start(format!(
            "rank {from} sent a malformed clock model: do all ranks run the same version of Panto?"
        ))
    })
}

/// Bounds on the largest difference between clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// The largest difference that the exchanges permit.
    pub at_most: Time,
    /// The smallest difference that the exchanges permit; zero unless the clocks certainly differ.
    pub at_least: Time,
}

/// Returns the maximum by which the global clocks can differ now; see [`difference`].
pub fn max_difference<T: Transport>(
    t: &T,
    clocks: &[usize],
    local: &dyn Fn() -> Time,
    model: &LinearModel,
    exchanges: usize,
) -> Result<Option<Time>> {
    Ok(difference(t, clocks, local, model, exchanges)?.map(|difference| difference.at_most))
}

/// Measures how much the global clocks differ now: the largest bounds over the first rank of each
/// clock against rank 0, the same on all ranks. All ranks must call this together. Returns `None`
/// if there is one clock.
///
/// The bounds hold at some time during the exchanges: clocks that drift differ more at the end, by
/// what they drift in that time. Rank 0 compares one host after the other, so that exchanges do not
/// disturb each other: `exchanges` round trips per host, and then `ceil(log2 ranks)` messages.
pub fn difference<T: Transport>(
    t: &T,
    clocks: &[usize],
    local: &dyn Fn() -> Time,
    model: &LinearModel,
    exchanges: usize,
) -> Result<Option<Difference>> {
    let firsts = first_ranks(t, clocks)?;
    if firsts.len() < 2 {
        return Ok(None);
    }
    let global = || model.global(local());
    let exchanges = exchanges.max(1);
    let mut worst = Difference::default();
    if t.rank() == REFERENCE {
        for &other in &firsts[1..] {
            let bounds = exchange::compare(t, other, exchanges, &global)?;
            worst.at_most = worst.at_most.max(bounds.max_abs());
            worst.at_least = worst.at_least.max(bounds.min_abs());
        }
    } else if firsts[clocks[t.rank()]] == t.rank() {
        exchange::reply(t, REFERENCE, exchanges, &global)?;
    }
    let mut words = u128::from(worst.at_most.as_picos()) | u128::from(worst.at_least.as_picos()) << 64;
    let mut bytes = words.to_le_bytes();
    tree::broadcast(t, &(0..t.size()).collect::<Vec<_>>(), &mut bytes)?;
    words = u128::from_le_bytes(bytes);
    let [at_most, at_least] = [words, words >> 64].map(|word| Time::from_picos(word as u64));
    Ok(Some(Difference { at_most, at_least }))
}

/// Returns the first rank of each clock.
fn first_ranks<T: Transport>(t: &T, clocks: &[usize]) -> Result<Vec<usize>> {
    if clocks.len() != t.size() {
        let (given, ranks) = (clocks.len(), t.size());
        return Err(Error::Start(format!(
            "the clocks of {given} ranks are given, but there are {ranks} ranks"
        )));
    }
    let mut firsts = Vec::new();
    for (rank, &clock) in clocks.iter().enumerate() {
        if clock > firsts.len() {
            let next = firsts.len();
            return Err(Error::Start(format!(
                "rank {rank} reads clock {clock} before any rank reads clock {next}: number clocks in the order of appearance"
            )));
        }
        if clock == firsts.len() {
            firsts.push(rank);
        }
    }
    Ok(firsts)
}

/// Runs one host's part of the tree: fits its model to its parent, then replies to its children.
fn join<T: Transport>(
    t: &T,
    firsts: &[usize],
    mine: usize,
    local: &dyn Fn() -> Time,
    effort: &SyncEffort,
) -> Result<LinearModel> {
    let model = match tree::parent(mine) {
        Some(parent) => fit::line(&observe(t, firsts[parent], local, effort)?),
        None => LinearModel::default(),
    };
    for child in tree::children(mine, firsts.len()) {
        exchange::reply(t, firsts[child], effort.requests(), &|| model.global(local()))?;
    }
    Ok(model)
}

/// Measures offsets from global time, with pauses between them.
fn observe<T: Transport>(
    t: &T,
    parent: usize,
    local: &dyn Fn() -> Time,
    effort: &SyncEffort,
) -> Result<Vec<Bounds>> {
    let policy = if t.oversubscribed() { WaitPolicy::Sleep } else { WaitPolicy::Spin };
    let mut points = Vec::with_capacity(effort.points());
    for point in 0..effort.points() {
        if point > 0 {
            // Only a duration matters here, so the transport's own clock will do.
            t.wait_until(t.now() + effort.spacing, policy)?;
        }
        points.push(exchange::compare(t, parent, effort.exchanges.max(1), local)?);
    }
    Ok(points)
}
