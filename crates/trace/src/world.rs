//! Which communicators of which ranks are the same one.
//!
//! Each rank numbers its communicators in the order in which it made them, so the same one has other numbers elsewhere. What all its
//! members agree on tells it: what it was made from, as how manieth, with which tag, and who is in it. Where a function is called by only
//! some ranks of what it is made from, the others cannot count it; there, equal ones are numbered as they appear.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::field::Comm;
use crate::ranks::{Ranks, Run};
use crate::read::Trace;
use crate::table::{Communicator, Tables};

/// Functions that are not called by all members of what the communicator is made from.
const BY_SOME: [&str; 2] = ["MPI_Comm_create_group", "MPI_Intercomm_create"];

/// More processes outside of `MPI_COMM_WORLD` are not believed: a damaged list could have billions.
const MOST_OUTSIDE: u32 = 1 << 24;

/// The number of a communicator in the whole program. 0 is `MPI_COMM_WORLD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedId(pub u32);

/// A communicator, as all its members see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedComm {
    /// The function that made it.
    pub made_by: String,
    /// What it was made from; none for the first ones, and where its two sides were made from different ones.
    pub parent: Option<SharedId>,
    /// The members' numbers in `MPI_COMM_WORLD`; of an intercommunicator, those of the side whose first member has the lowest number.
    pub members: Ranks,
    /// The other side of an intercommunicator.
    pub others: Option<Ranks>,
    /// The first rank that has it.
    found_on: u32,
    /// The last one.
    held_by: Option<u32>,
    /// How many have it.
    holders: u32,
}

impl SharedComm {
    /// Members on both sides, without processes that are not in `MPI_COMM_WORLD`.
    fn inside(&self) -> impl Iterator<Item = u32> {
        let both = self.members.iter().chain(self.others.iter().flat_map(Ranks::iter));
        both.filter(|member| *member != Ranks::OUTSIDE)
    }
}

/// The communicators of a program.
#[derive(Debug)]
pub struct World {
    comms: Vec<SharedComm>,
    /// For each rank and each of its communicators, which one it is.
    ranks: FxHashMap<u32, Vec<SharedId>>,
}

/// What all members of a communicator agree on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Where members do not agree on how many were made before.
    made_by: Option<String>,
    parent: Option<SharedId>,
    number: u32,
    tag: i64,
    members: Ranks,
    others: Option<Ranks>,
}

impl World {
    /// Finds out from all ranks of a trace. Their events are not read.
    pub fn new(trace: &Trace) -> Result<Self> {
        let mut builder = Builder { size: trace.size(), ..Builder::default() };
        for rank in trace.ranks() {
            builder.add(rank.rank(), &rank.tables()?).map_err(|what| mismatch(trace, &what))?;
        }
        let world = Self { comms: builder.comms, ranks: builder.ranks };
        world.check().map_err(|what| mismatch(trace, &what))?;
        Ok(world)
    }

    /// All communicators.
    pub fn comms(&self) -> &[SharedComm] {
        &self.comms
    }

    /// A communicator.
    pub fn comm(&self, id: SharedId) -> &SharedComm {
        &self.comms[id.0 as usize]
    }

    /// Which one is this communicator of this rank?
    pub fn shared(&self, rank: u32, comm: Comm) -> Option<SharedId> {
        self.ranks.get(&rank)?.get(comm.index()).copied()
    }

    /// Does every member of each communicator have it?
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

#[derive(Default)]
struct Builder {
    size: u32,
    comms: Vec<SharedComm>,
    ranks: FxHashMap<u32, Vec<SharedId>>,
    known: FxHashMap<Key, SharedId>,
}

impl Builder {
    fn add(&mut self, rank: u32, tables: &Tables) -> std::result::Result<(), String> {
        let mut own = Vec::new();
        let mut appeared = FxHashMap::default();
        for comm in tables.comms() {
            let made_by = tables.name(comm.made_by).unwrap_or_default();
            self.check(rank, made_by, comm)?;
            let parent = match comm.parent {
                None => None,
                Some(parent) => Some(own.get(parent.index()).copied().ok_or_else(|| {
                    format!("rank {rank}: {made_by} made a communicator from one that is not there")
                })?),
            };
            let mut key = key(made_by, parent, comm);
            if key.made_by.is_some() {
                key.number = *appeared.entry(key.clone()).and_modify(|number| *number += 1).or_insert(0);
            }
            own.push(self.join(rank, made_by, key)?);
        }
        self.ranks.insert(rank, own);
        Ok(())
    }

    /// Is this rank where it says it is, and is everybody in it a rank of the program?
    fn check(&self, rank: u32, made_by: &str, comm: &Communicator) -> std::result::Result<(), String> {
        let sides = || std::iter::once(&comm.members).chain(&comm.others);
        // A run goes up or down, so its ends tell of all in it; a communicator of all ranks is one run.
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
        // The two sides of a new intercommunicator come from different ones.
        parent: parent.filter(|_| !is_by_some || others.is_none()),
        number: if is_by_some { 0 } else { comm.ordinal },
        tag: comm.tag,
        members,
        others,
    }
}
