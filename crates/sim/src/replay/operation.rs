//! What a collective call asks for.

use std::rc::Rc;

use panto_trace::{Action, Form, Pattern, Peer, Tables, Type};

use super::agreed::{Instance, What};
use super::comms::Known;
use super::error::Result;
use super::names::Name;
use super::rank::Walk;

/// A collective, as one rank sees it.
pub struct Operation {
    pub comm: Rc<Known>,
    pub instance: Instance,
    pub root: Peer,
    /// Is what this rank gives where the result will be?
    pub in_place: bool,
    /// Bytes that this rank gives: for one rank, or in all where there is a list.
    pub bytes: u64,
    /// Bytes that it gets, likewise.
    pub room: u64,
    pub gives: Vec<u64>,
    pub gets: Vec<u64>,
    /// The number that members agree on, once it is known,
    pub number: u32,
    /// and who carries it out: a helper, or the rank itself.
    pub lane: Option<u32>,
}

impl Walk<'_, '_> {
    pub(super) fn operation(
        &mut self,
        action: &Action<'_>,
        name: Name,
        tables: &Tables,
    ) -> Result<Operation> {
        let Action::Collective {
            pattern,
            form,
            comm,
            root,
            commutes,
            in_place,
            bytes,
            room,
            gives,
            gets,
            ..
        } = *action
        else {
            return Err(self.error("it is no collective"));
        };
        let comm = self.comm(comm, tables)?;
        let list =
            |list: &[i64]| list.iter().map(|part| u64::try_from(*part).ok()).collect::<Option<Vec<u64>>>();
        let (Some(gives), Some(gets)) = (list(gives), list(gets)) else {
            return Err(self.error("its lengths are impossible; trace the program again"));
        };
        let is_inside = comm.others.is_none();
        let root_number = root.rank(comm.rank).filter(|_| is_inside);
        if is_inside && is_rooted(pattern) && root_number.is_none_or(|root| root >= comm.members.len()) {
            return Err(self.error("its root is outside of the communicator; trace the program again"));
        }
        let (length, datatype) = described(action, comm.members.len());
        let (count, element) = elements(length, datatype, tables);
        let what = if name.is_listed { What::Listed(pattern) } else { What::Pattern(pattern) };
        let has_lengths = is_inside && !name.is_listed && !is_among_neighbours(pattern);
        let instance = Instance {
            what,
            started: form != Form::Blocking,
            root: root_number.filter(|_| is_rooted(pattern)),
            count: if has_lengths { count } else { 0 },
            element: if has_lengths { element } else { 1 },
            commutes: commutes || !has_lengths,
            call: self.now.call,
        };
        Ok(Operation { root, in_place, bytes, room, gives, gets, ..Operation::plain(comm, instance) })
    }
}

impl Operation {
    /// One without data of its own.
    pub fn plain(comm: Rc<Known>, instance: Instance) -> Self {
        let (gives, gets) = (Vec::new(), Vec::new());
        let root = Peer::Nobody;
        Self { comm, instance, root, in_place: false, bytes: 0, room: 0, gives, gets, number: 0, lane: None }
    }
}

fn is_rooted(pattern: Pattern) -> bool {
    matches!(pattern, Pattern::Broadcast | Pattern::Gather | Pattern::Scatter | Pattern::Reduce)
}

fn is_among_neighbours(pattern: Pattern) -> bool {
    matches!(pattern, Pattern::NeighbourAllGather | Pattern::NeighbourAllToAll)
}

/// Bytes of the vector or of one block, and their type: where this rank describes them.
fn described(action: &Action<'_>, members: u32) -> (u64, Option<Type>) {
    let Action::Collective { pattern, datatype, got_type, in_place, bytes, room, gives, .. } = *action else {
        return (0, None);
    };
    let (given, got) = ((bytes, datatype), (room, got_type));
    match pattern {
        Pattern::Gather | Pattern::AllGather | Pattern::AllToAll if in_place => got,
        // Only the root of a scatter gives.
        Pattern::Scatter if datatype.is_none() => got,
        // Unequal parts count as equal ones of their mean length.
        Pattern::ReduceScatter if !gives.is_empty() => (bytes / u64::from(members.max(1)), datatype),
        _ => given,
    }
}

/// Elements and their size; single bytes where that does not divide the length.
fn elements(bytes: u64, datatype: Option<Type>, tables: &Tables) -> (u64, u64) {
    let size = datatype.and_then(|datatype| tables.datatype(datatype)).map_or(1, |datatype| datatype.size);
    if size > 0 && bytes.is_multiple_of(size) { (bytes / size, size) } else { (bytes, 1) }
}
