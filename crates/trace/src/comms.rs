//! Communicators as one rank sees them.

use std::rc::Rc;

use crate::field::Comm;
use crate::ranks::{Ranks, Run};
use crate::table::{Communicator, Tables};
use crate::world::{SharedId, World};

/// A communicator as one rank sees it.
#[derive(Debug)]
pub struct CommInfo {
    /// Its number, the same on all members.
    pub id: u32,
    /// This rank's number in it.
    pub rank: u32,
    /// The members as ranks of the program; of an intercommunicator, those on this side.
    pub members: Ranks,
    /// The other side of an intercommunicator.
    pub others: Option<Ranks>,
    /// The neighbours that neighbourhood collectives receive from.
    pub sources: Ranks,
    /// The neighbours that neighbourhood collectives send to.
    pub destinations: Ranks,
    /// This rank's number among both sides, in an order that both sides agree on.
    pub both_rank: u32,
    /// Whether a member is not a rank of the program.
    pub has_outside_members: bool,
}

impl CommInfo {
    fn new(comm: &Communicator, id: SharedId, world: &World) -> Self {
        let first_side = &world.comm(id).members;
        let is_second = comm.others.is_some() && first_side.get(0) != comm.members.get(0);
        let sides = || std::iter::once(&comm.members).chain(&comm.others);
        let ends = |run: &Run| {
            let last = i64::from(run.first) + i64::from(run.step) * (i64::from(run.count) - 1);
            [i64::from(run.first), last].contains(&i64::from(Ranks::OUTSIDE))
        };
        Self {
            id: id.0,
            rank: comm.rank,
            members: comm.members.clone(),
            others: comm.others.clone(),
            sources: comm.sources.clone(),
            destinations: comm.destinations.clone(),
            both_rank: comm.rank + if is_second { first_side.len() } else { 0 },
            has_outside_members: sides().any(|side| side.runs().iter().any(ends)),
        }
    }

    /// The ranks that point-to-point messages go to: of an intercommunicator, the other side.
    pub fn partners(&self) -> &Ranks {
        self.others.as_ref().unwrap_or(&self.members)
    }

    /// The number of members of both sides.
    pub fn both_size(&self) -> u32 {
        self.members.len() + self.others.as_ref().map_or(0, Ranks::len)
    }

    /// The rank of the program that has a number among both sides.
    pub fn both(&self, number: u32) -> Option<u32> {
        let is_second = self.both_rank != self.rank;
        let (first, second) = match &self.others {
            Some(others) if is_second => (others, Some(&self.members)),
            others => (&self.members, others.as_ref()),
        };
        first.get(number).or_else(|| second?.get(number - first.len()))
    }
}

/// The communicators of a rank, with its progress in each.
#[derive(Debug, Default)]
pub struct Comms(Vec<Option<(Rc<CommInfo>, Progress)>>);

/// The progress of a rank in a communicator.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// The number of collectives so far.
    pub collectives: usize,
    /// The number of non-blocking ones among them.
    pub started: u32,
    /// The number of persistent ones that were defined.
    pub persistent: u32,
}

impl Comms {
    /// Returns a communicator, or `None` if the trace does not define it.
    #[inline]
    pub fn get(&mut self, comm: Comm, rank: u32, tables: &Tables, world: &World) -> Option<Rc<CommInfo>> {
        match self.0.get(comm.index()) {
            Some(Some((info, _))) => Some(Rc::clone(info)),
            _ => self.look_up(comm, rank, tables, world),
        }
    }

    fn look_up(&mut self, comm: Comm, rank: u32, tables: &Tables, world: &World) -> Option<Rc<CommInfo>> {
        let info = CommInfo::new(tables.comm(comm)?, world.shared(rank, comm)?, world);
        if self.0.len() <= comm.index() {
            self.0.resize_with(comm.index() + 1, || None);
        }
        let info = Rc::new(info);
        self.0[comm.index()] = Some((Rc::clone(&info), Progress::default()));
        Some(info)
    }

    /// Returns the communicator with a shared number, if [`Comms::get`] returned it before.
    pub fn shared(&self, id: u32) -> Option<&CommInfo> {
        self.0.iter().flatten().map(|(info, _)| &**info).find(|info| info.id == id)
    }

    /// The progress of the rank in a communicator that [`Comms::get`] returned before.
    pub fn progress(&mut self, comm: Comm) -> Option<&mut Progress> {
        self.0.get_mut(comm.index())?.as_mut().map(|(_, progress)| progress)
    }
}
