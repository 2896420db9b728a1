//! Collective operations: blocking, started, persistent, and with counts of 64 bits; all by one line each.

mod table;

use panto_trace::{Action, Form, Pattern, Peer, Type};
use smallvec::SmallVec;

use crate::at::At;
use crate::comms;
use crate::requests::Request;

/// No request: the call blocks.
const NONE: usize = 0;

/// What a rank gives or gets.
#[derive(Clone, Copy)]
enum Data {
    /// Arguments that do not count on this rank, or data that are where the result will be.
    Nothing,
    /// So many elements, for each rank the same.
    Same { count: usize, datatype: usize },
    /// Elements for each rank, by a list.
    Each { counts: usize, datatype: usize, parts: u32 },
    /// Elements and their types for each rank, by two lists.
    Typed { counts: usize, types: usize, parts: u32 },
}

type Bytes = SmallVec<[i64; 16]>;

/// A collective call: where, how, and with which root.
struct Call {
    pattern: Pattern,
    form: Form,
    comm: comms::Known,
    root: Peer,
    request: usize,
}

/// What the root is to this rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    /// The root of an intercommunicator is not among those that give or get.
    RootOutside,
    Other,
    /// On the root's side of an intercommunicator, and not the root.
    Idle,
}

impl At<'_> {
    fn call(&mut self, pattern: Pattern, form: Form, comm: usize, request: usize) -> Call {
        Call { pattern, form, comm: self.comm(comm), root: Peer::Nobody, request }
    }

    fn rooted(
        &mut self,
        pattern: Pattern,
        form: Form,
        root: usize,
        comm: usize,
        request: usize,
    ) -> (Call, Role) {
        let call = self.call(pattern, form, comm, request);
        let root = self.peer(root, call.comm.rank);
        let role = match root {
            Peer::Here => Role::RootOutside,
            Peer::Nobody | Peer::Any => Role::Idle,
            Peer::Relative(0) if call.comm.others.is_none() => Role::Root,
            Peer::Relative(_) => Role::Other,
        };
        (Call { root, ..call }, role)
    }

    fn is_in_place(&self, buffer: usize) -> bool {
        buffer == self.rank.mpi.constants.in_place
    }

    fn measure(&mut self, data: Data) -> (Option<Type>, u64, Bytes) {
        match data {
            Data::Nothing => (None, 0, Bytes::new()),
            Data::Same { count, datatype } => {
                let datatype = self.datatype(datatype);
                (Some(datatype.number), self.count(count) * datatype.size, Bytes::new())
            }
            Data::Each { counts, datatype, parts } => {
                let datatype = self.datatype(datatype);
                // SAFETY: the program's list has an entry for each rank.
                let part = |place: u32| unsafe { self.count_at(counts, place as usize) } * datatype.size;
                let list: Bytes = (0..parts).map(|place| part(place) as i64).collect();
                (Some(datatype.number), list.iter().sum::<i64>() as u64, list)
            }
            Data::Typed { counts, types, parts } => {
                let list: Bytes =
                    (0..parts as usize).map(|place| self.typed_part(counts, types, place)).collect();
                (None, list.iter().sum::<i64>() as u64, list)
            }
        }
    }

    fn typed_part(&mut self, counts: usize, types: usize, place: usize) -> i64 {
        // SAFETY: the program's lists have an entry for each rank.
        let (count, datatype) =
            unsafe { (self.count_at(counts, place), self.rank.mpi.handle_at(types, place)) };
        // Where nothing is sent, the type may be none.
        if count == 0 { 0 } else { (count * self.datatype(datatype).size) as i64 }
    }

    fn collective(&mut self, call: &Call, gives: Data, gets: Data, op: Option<usize>, in_place: bool) {
        let (datatype, bytes, gives) = self.measure(gives);
        let (got_type, room, gets) = self.measure(gets);
        let commutes = op.is_none_or(|op| self.commutes(op));
        let is_persistent = call.form == Form::Persistent;
        let request = Request { is_persistent, is_active: !is_persistent, ..Request::default() };
        let request = if call.request == NONE { None } else { self.new_request(call.request, request) };
        self.emit(&Action::Collective {
            pattern: call.pattern,
            form: call.form,
            comm: call.comm.number,
            root: call.root,
            datatype,
            got_type,
            commutes,
            in_place,
            bytes,
            room,
            request,
            gives: &gives,
            gets: &gets,
        });
    }

    fn barrier(&mut self, form: Form, comm: usize, request: usize) {
        let call = self.call(Pattern::Barrier, form, comm, request);
        self.collective(&call, Data::Nothing, Data::Nothing, None, false);
    }

    fn broadcast(
        &mut self,
        form: Form,
        count: usize,
        datatype: usize,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Pattern::Broadcast, form, root, comm, request);
        let data = if role == Role::Idle { Data::Nothing } else { Data::Same { count, datatype } };
        self.collective(&call, data, Data::Nothing, None, false);
    }

    /// Only the root gets; what others say of the result does not count.
    fn gather(
        &mut self,
        form: Form,
        buffer: usize,
        gives: Data,
        gets: Data,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Pattern::Gather, form, root, comm, request);
        let in_place = role == Role::Root && self.is_in_place(buffer);
        let (gives, gets) = match role {
            Role::Root => (if in_place { Data::Nothing } else { gives }, gets.with(call.comm.parts())),
            Role::RootOutside => (Data::Nothing, gets.with(call.comm.parts())),
            Role::Other => (gives, Data::Nothing),
            Role::Idle => (Data::Nothing, Data::Nothing),
        };
        self.collective(&call, gives, gets, None, in_place);
    }

    /// Only the root gives; what others say of the source does not count.
    fn scatter(
        &mut self,
        form: Form,
        gives: Data,
        buffer: usize,
        gets: Data,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Pattern::Scatter, form, root, comm, request);
        let in_place = role == Role::Root && self.is_in_place(buffer);
        let (gives, gets) = match role {
            Role::Root => (gives.with(call.comm.parts()), if in_place { Data::Nothing } else { gets }),
            Role::RootOutside => (gives.with(call.comm.parts()), Data::Nothing),
            Role::Other => (Data::Nothing, gets),
            Role::Idle => (Data::Nothing, Data::Nothing),
        };
        self.collective(&call, gives, gets, None, in_place);
    }

    fn all(
        &mut self,
        pattern: Pattern,
        form: Form,
        buffer: usize,
        gives: Data,
        gets: Data,
        comm: usize,
        request: usize,
    ) {
        let call = self.call(pattern, form, comm, request);
        let in_place = self.is_in_place(buffer);
        let gives = if in_place { Data::Nothing } else { gives.with(call.comm.parts()) };
        let gets = gets.with(call.comm.parts());
        self.collective(&call, gives, gets, None, in_place);
    }

    fn neighbours(
        &mut self,
        pattern: Pattern,
        form: Form,
        gives: Data,
        gets: Data,
        comm: usize,
        request: usize,
    ) {
        let call = self.call(pattern, form, comm, request);
        let (sources, destinations) = call.comm.neighbours;
        let (gives, gets) = (gives.with(destinations), gets.with(sources));
        self.collective(&call, gives, gets, None, false);
    }

    fn reduce(
        &mut self,
        form: Form,
        buffer: usize,
        data: Data,
        op: usize,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Pattern::Reduce, form, root, comm, request);
        let in_place = role == Role::Root && self.is_in_place(buffer);
        let (data, op) = if role == Role::Idle { (Data::Nothing, None) } else { (data, Some(op)) };
        self.collective(&call, data, Data::Nothing, op, in_place);
    }

    fn reduce_all(
        &mut self,
        pattern: Pattern,
        form: Form,
        buffer: usize,
        data: Data,
        op: usize,
        comm: usize,
        request: usize,
    ) {
        let call = self.call(pattern, form, comm, request);
        let in_place = self.is_in_place(buffer);
        // The list of a reduce-scatter has an entry for each rank of this side, also between two sides.
        let data = data.with(call.comm.size);
        self.collective(&call, data, Data::Nothing, Some(op), in_place);
    }
}

fn same(count: usize, datatype: usize) -> Data {
    Data::Same { count, datatype }
}

/// The number of parts is known when the communicator is.
fn each(counts: usize, datatype: usize) -> Data {
    Data::Each { counts, datatype, parts: 0 }
}

fn typed(counts: usize, types: usize) -> Data {
    Data::Typed { counts, types, parts: 0 }
}

impl Data {
    fn with(self, parts: u32) -> Self {
        match self {
            Self::Each { counts, datatype, .. } => Self::Each { counts, datatype, parts },
            Self::Typed { counts, types, .. } => Self::Typed { counts, types, parts },
            other => other,
        }
    }
}
