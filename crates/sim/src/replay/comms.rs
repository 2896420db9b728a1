//! Communicators, as one rank sees them.

use std::rc::Rc;

use panto_trace::{Comm, Communicator, Ranks, Tables, World};

/// A communicator.
pub struct Known {
    /// The same number on all members.
    pub id: u32,
    /// This rank's number in it.
    pub rank: u32,
    /// The members; of an intercommunicator those on this side.
    pub members: Ranks,
    /// The other side.
    pub others: Option<Ranks>,
    /// Neighbours from which neighbourhood collectives receive.
    pub sources: Ranks,
    /// Neighbours to which they send.
    pub destinations: Ranks,
    /// The rank's number among both sides, in an order that both agree on.
    pub both_rank: u32,
    /// Is one of its members no rank of the program?
    pub has_strangers: bool,
}

impl Known {
    fn new(comm: &Communicator, id: panto_trace::SharedId, world: &World) -> Self {
        let first_side = &world.comm(id).members;
        let is_second = comm.others.is_some() && first_side.get(0) != comm.members.get(0);
        let sides = || std::iter::once(&comm.members).chain(&comm.others);
        let ends = |run: &panto_trace::Run| {
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
            has_strangers: sides().any(|side| side.runs().iter().any(ends)),
        }
    }

    /// Those with whom messages are exchanged.
    pub fn partners(&self) -> &Ranks {
        self.others.as_ref().unwrap_or(&self.members)
    }

    /// Members of both sides.
    pub fn both_size(&self) -> u32 {
        self.members.len() + self.others.as_ref().map_or(0, Ranks::len)
    }

    /// The member with a number among both sides.
    pub fn both(&self, number: u32) -> Option<u32> {
        let is_second = self.both_rank != self.rank;
        let (first, second) = match &self.others {
            Some(others) if is_second => (others, Some(&self.members)),
            others => (&self.members, others.as_ref()),
        };
        first.get(number).or_else(|| second?.get(number - first.len()))
    }
}

/// The communicators of a rank, and how far it is in each.
#[derive(Default)]
pub struct Comms(Vec<Option<(Rc<Known>, Progress)>>);

/// How far a rank is in a communicator.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Collectives so far.
    pub collectives: usize,
    /// Non-blocking ones among them.
    pub started: u32,
    /// Persistent ones that were described.
    pub persistent: u32,
}

impl Comms {
    /// A communicator; none if the trace does not define it.
    #[inline]
    pub fn get(&mut self, comm: Comm, rank: u32, tables: &Tables, world: &World) -> Option<Rc<Known>> {
        match self.0.get(comm.index()) {
            Some(Some((known, _))) => Some(Rc::clone(known)),
            _ => self.look_up(comm, rank, tables, world),
        }
    }

    fn look_up(&mut self, comm: Comm, rank: u32, tables: &Tables, world: &World) -> Option<Rc<Known>> {
        let known = Known::new(tables.comm(comm)?, world.shared(rank, comm)?, world);
        if self.0.len() <= comm.index() {
            self.0.resize_with(comm.index() + 1, || None);
        }
        let known = Rc::new(known);
        self.0[comm.index()] = Some((Rc::clone(&known), Progress::default()));
        Some(known)
    }

    /// How far the rank is in a communicator that it has got before.
    pub fn progress(&mut self, comm: Comm) -> Option<&mut Progress> {
        self.0.get_mut(comm.index())?.as_mut().map(|(_, progress)| progress)
    }
}
