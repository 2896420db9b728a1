//! Which communicators of different ranks are the same one.
//!
//! Each rank numbers its communicators in the order in which it made them, so one communicator has
//! different numbers on its members. It is identified by what all members agree on: the parent, the
//! ordinal among the parent's children, the tag, and the members. Where a function is called by
//! only some members of the parent, the others cannot count it; there, equal ones are numbered in
//! the order in which they appear.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::field::Comm;
use crate::ranks::{Ranks, Run};
use crate::read::Trace;
use crate::table::{Communicator, Tables};

/// Functions that are not called by all members of the parent.
const BY_SOME: [&str; 2] = ["MPI_Comm_create_group", "MPI_Intercomm_create"];

/// The most processes outside of `MPI_COMM_WORLD` that are believed: a damaged list could have
/// billions.
const MOST_OUTSIDE: u32 = 1 << 24;

/// The number of a communicator in the whole program. 0 is `MPI_COMM_WORLD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedId(pub u32);

/// A communicator, as all its members see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedComm {
    /// The function that made it.
    pub made_by: String,
    /// The communicator from which it was made; none for the predefined ones, and for an
    /// intercommunicator whose groups come from different ones.
    pub parent: Option<SharedId>,
    /// The members' ranks in `MPI_COMM_WORLD`; of an intercommunicator, those of the group whose
    /// first member has the lower rank.
    pub members: Ranks,
    /// The other group of an intercommunicator.
    pub others: Option<Ranks>,
    /// The lowest rank that has it.
    found_on: u32,
    /// The highest rank that has it.
    held_by: Option<u32>,
    /// The number of ranks that have it.
    holders: u32,
}

impl SharedComm {
    /// Returns the members of both groups, without processes that are not in `MPI_COMM_WORLD`.
    fn inside(&self) -> impl Iterator<Item = u32> {
        let both = self.members.iter().chain(self.others.iter().flat_map(Ranks::iter));
        both.filter(|member| *member != Ranks::OUTSIDE)
    }
}

/// The communicators of a program.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The number of ranks.
    size: u32,
    comms: Vec<SharedComm>,
    /// For each rank, the shared numbers of its communicators.
    ranks: FxHashMap<u32, Vec<SharedId>>,
    known: FxHashMap<Key, SharedId>,
    /// For each rank, how many communicators it has that ranks cannot count.
    appeared: FxHashMap<u32, FxHashMap<Key, u32>>,
}

/// What all members of a communicator agree on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// The function, where members do not agree on an ordinal.
    made_by: Option<String>,
    parent: Option<SharedId>,
    number: u32,
    tag: i64,
    members: Ranks,
    others: Option<Ranks>,
}

impl World {
    /// Matches the communicators of all ranks of a trace. Events are not read.
    pub fn new(trace: &Trace) -> Result<Self> {
        let world = Self::of_incomplete(trace)?;
        world.check().map_err(|what| mismatch(trace, &what))?;
        Ok(world)
    }

    /// Matches the communicators of a trace whose ranks may end too early, so that a member may
    /// lack a communicator that others have made.
    pub fn of_incomplete(trace: &Trace) -> Result<Self> {
        let mut world = Self::empty(trace.size());
        for rank in trace.ranks() {
            let tables = rank.tables_without_signatures()?;
            world.extend(rank.rank(), &tables).map_err(|what| mismatch(trace, &what))?;
        }
        Ok(world)
    }

    /// Returns the world of a program of `size` ranks that have made no communicators yet.
    pub fn empty(size: u32) -> Self {
        Self { size, ..Self::default() }
    }

    /// Adds the communicators that a rank has made since the last time. Those before must be the
    /// same.
    pub fn extend(&mut self, rank: u32, tables: &Tables) -> std::result::Result<(), String> {
        let known = self.ranks.get(&rank).map_or(0, Vec::len);
        for comm in tables.comms().iter().skip(known) {
            let id = self.add(rank, tables.name(comm.made_by).unwrap_or_default(), comm)?;
            self.ranks.entry(rank).or_default().push(id);
        }
        self.ranks.entry(rank).or_default();
        Ok(())
    }

    /// Returns all communicators.
    pub fn comms(&self) -> &[SharedComm] {
        &self.comms
    }

    /// Returns a communicator.
    pub fn comm(&self, id: SharedId) -> &SharedComm {
        &self.comms[id.0 as usize]
    }

    /// Returns the shared number of a rank's communicator.
    pub fn shared(&self, rank: u32, comm: Comm) -> Option<SharedId> {
        self.ranks.get(&rank)?.get(comm.index()).copied()
    }

    /// Checks that every member of each communicator has it.
    fn check(&self) -> std::result::Result<(), String> {
        for (id, comm) in (0..).map(SharedId).zip(&self.comms) {
            if comm.holders as usize != comm.inside().count() {
                return Err(self.lacking(id, comm));
            }
        }
        Ok(())
    }

    fn lacking(&self, id: SharedId, comm: &SharedComm) -> String {
        let has_it = |rank: &u32| self.ranks.get(rank).is_some_and(|comms| comms.contains(&id));
        let (made_by, found_on) = (&comm.made_by, comm.found_on);
        comm.inside().find(|rank| !has_it(rank)).map_or_else(
            || format!("a communicator of rank {found_on}, from {made_by}, is on ranks that are not in it"),
            |rank| {
                format!(
                    "rank {rank} has no counterpart of a communicator that {made_by} made on rank {found_on}"
                )
            },
        )
    }
}

fn mismatch(trace: &Trace, what: &str) -> Error {
    Error::Mismatch(format!(
        "{}: {what}; the trace must have all ranks of one run, to their end",
        trace.path().display()
    ))
}

impl World {
    fn add(
        &mut self,
        rank: u32,
        made_by: &str,
        comm: &Communicator,
    ) -> std::result::Result<SharedId, String> {
        self.check_members(rank, made_by, comm)?;
        let parent = match comm.parent {
            None => None,
            Some(parent) => Some(self.shared(rank, parent).ok_or_else(|| {
                format!("rank {rank}: {made_by} made a communicator from one that is not there")
            })?),
        };
        let mut key = key(made_by, parent, comm);
        if key.made_by.is_some() {
            let appeared = self.appeared.entry(rank).or_default();
            key.number = *appeared.entry(key.clone()).and_modify(|number| *number += 1).or_insert(0);
        }
        self.join(rank, made_by, key)
    }

    /// Checks that this rank has the position that it claims, and that all members are ranks of the
    /// program.
    fn check_members(
        &self,
        rank: u32,
        made_by: &str,
        comm: &Communicator,
    ) -> std::result::Result<(), String> {
        let sides = || std::iter::once(&comm.members).chain(&comm.others);
        // A run is monotonic, so its ends bound all its ranks; a communicator of all ranks is one
        // run.
        let ends = |run: &Run| {
            let last = i64::from(run.first) + i64::from(run.step) * (i64::from(run.count) - 1);
            let is_outside = run.first == Ranks::OUTSIDE && (run.count < 2 || run.step == 0);
            let is_inside = run.first < self.size && u32::try_from(last).is_ok_and(|last| last < self.size);
            is_outside || is_inside
        };
        let is_sound =
            sides().all(|side| side.len() <= self.size.max(MOST_OUTSIDE) && side.runs().iter().all(ends));
        if is_sound && comm.members.get(comm.rank) == Some(rank) {
            return Ok(());
        }
        Err(format!("rank {rank}: a communicator from {made_by} has impossible members"))
    }

    fn join(&mut self, rank: u32, made_by: &str, key: Key) -> std::result::Result<SharedId, String> {
        let next = SharedId(self.comms.len() as u32);
        let id = *self.known.get(&key).unwrap_or(&next);
        if id == next {
            self.comms.push(SharedComm {
                made_by: made_by.to_owned(),
                parent: key.parent,
                members: key.members.clone(),
                others: key.others.clone(),
                found_on: rank,
                held_by: None,
                holders: 0,
            });
            self.known.insert(key, id);
        }
        let comm = &mut self.comms[id.0 as usize];
        if comm.held_by == Some(rank) {
            return Err(format!("rank {rank}: two communicators from {made_by} cannot be told apart"));
        }
        comm.held_by = Some(rank);
        comm.holders += 1;
        Ok(id)
    }
}

fn key(made_by: &str, parent: Option<SharedId>, comm: &Communicator) -> Key {
    let (mut members, mut others) = (comm.members.clone(), comm.others.clone());
    if let Some(others) = &mut others
        && others.get(0) < members.get(0)
    {
        std::mem::swap(others, &mut members);
    }
    let is_by_some = parent.is_none() || BY_SOME.contains(&made_by);
    Key {
        made_by: is_by_some.then(|| made_by.to_owned()),
        // The two groups of a new intercommunicator come from different communicators.
        parent: parent.filter(|_| !is_by_some || others.is_none()),
        number: if is_by_some { 0 } else { comm.ordinal },
        tag: comm.tag,
        members,
        others,
    }
}
