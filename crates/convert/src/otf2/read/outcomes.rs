//! What only later events tell, found in a first pass.
//!
//! OTF2 has the source and length of a non-blocking receive in the event of its completion, and the
//! parameters of a non-blocking collective likewise, but a trace has them where they are started.
//! And a rank's event of `MPI_Gatherv` tells how many bytes this rank sent, while a trace has, at
//! the root, how many each rank sent.

use rustc_hash::FxHashMap;

use super::collective::differs_by_rank;
use super::definitions::{Communicator, Definitions};
use super::events::{EventFile, EventKind, Operation, Transfer};
use crate::error::Result;

/// What a request turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Received(Transfer),
    Collective(Operation),
}

/// What the requests of a rank turned out to be.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// For each non-blocking receive and collective, in the order of their starts.
    started: Vec<Option<Outcome>>,
    /// Collectives in the order of their starts: blocking ones, or positions in `started`.
    collectives: Vec<Started>,
}

#[derive(Debug, Clone, Copy)]
enum Started {
    Blocking(Operation),
    Position(usize),
}

impl Outcomes {
    pub fn read(file: &mut EventFile) -> Result<Self> {
        let mut outcomes = Self::default();
        let mut pending: FxHashMap<u64, usize> = FxHashMap::default();
        while let Some(event) = file.next()? {
            match event.kind {
                EventKind::ReceiveStarted(request) => {
                    pending.insert(request, outcomes.started.len());
                    outcomes.started.push(None);
                }
                EventKind::CollectiveStarted(request) => {
                    outcomes.collectives.push(Started::Position(outcomes.started.len()));
                    pending.insert(request, outcomes.started.len());
                    outcomes.started.push(None);
                }
                EventKind::Received { message, request: Some(request) } => {
                    if let Some(position) = pending.remove(&request) {
                        outcomes.started[position] = Some(Outcome::Received(message));
                    }
                }
                EventKind::Collective { operation, request: Some(request) } => {
                    if let Some(position) = pending.remove(&request) {
                        outcomes.started[position] = Some(Outcome::Collective(operation));
                    }
                }
                EventKind::Collective { operation, request: None } => {
                    outcomes.collectives.push(Started::Blocking(operation));
                }
                _ => {}
            }
        }
        Ok(outcomes)
    }

    /// Returns the outcome of the request that was started as the n-th.
    pub fn started(&self, n: usize) -> Option<Outcome> {
        self.started.get(n).copied().flatten()
    }

    /// Returns the collectives in the order of their starts.
    fn operations(&self) -> impl Iterator<Item = Operation> {
        self.collectives.iter().filter_map(|started| match started {
            Started::Blocking(operation) => Some(*operation),
            Started::Position(position) => match self.started[*position] {
                Some(Outcome::Collective(operation)) => Some(operation),
                _ => None,
            },
        })
    }
}

/// Bytes that one rank sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    pub sent: u64,
    pub received: u64,
}

/// The sizes of all members, for collectives in which they differ.
#[derive(Debug, Default)]
pub struct RankSizes {
    /// By communicator and number of the collective on it.
    calls: FxHashMap<(u32, u64), Vec<Sizes>>,
}

impl RankSizes {
    pub fn new(outcomes: &[Outcomes], definitions: &Definitions) -> Self {
        let mut calls: FxHashMap<(u32, u64), Vec<Sizes>> = FxHashMap::default();
        let mut places: FxHashMap<u32, FxHashMap<u32, usize>> = FxHashMap::default();
        for (rank, outcomes) in (0..).zip(outcomes) {
            let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
            for operation in outcomes.operations() {
                let count = counts.entry(operation.comm).or_default();
                *count += 1;
                if !differs_by_rank(operation.code) {
                    continue;
                }
                let place = *places
                    .entry(operation.comm)
                    .or_insert_with(|| members(definitions, operation.comm).into_iter().zip(0..).collect())
                    .get(&rank)
                    .unwrap_or(&0);
                let sizes = calls.entry((operation.comm, *count - 1)).or_default();
                if sizes.len() <= place {
                    sizes.resize(place + 1, Sizes::default());
                }
                sizes[place] = Sizes { sent: operation.sent, received: operation.received };
            }
        }
        Self { calls }
    }

    /// Returns the sizes of all members in the n-th collective of a communicator.
    pub fn of(&self, comm: u32, n: u64) -> &[Sizes] {
        self.calls.get(&(comm, n)).map_or(&[], Vec::as_slice)
    }
}

fn members(definitions: &Definitions, comm: u32) -> Vec<u32> {
    match definitions.comms.get(&comm) {
        Some(Communicator::World) => (0..definitions.rank_locations.len() as u32).collect(),
        Some(Communicator::Ranks { members, .. }) => members.clone(),
        Some(Communicator::Own) | None => Vec::new(),
    }
}
