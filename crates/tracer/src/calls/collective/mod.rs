//! Collective operations: blocking, non-blocking and persistent, with 32-bit and 64-bit counts, by
//! one line of a table for each function.

mod table;

use panto_trace::{Action, CallForm, Collective, CollectiveKind, Peer, Type};
use smallvec::SmallVec;

use crate::call_context::CallContext;
use panto_recording::CommInfo;
use panto_recording::Request;

/// No request: the call blocks.
const NONE: usize = 0;

/// What a rank sends or receives.
#[derive(Clone, Copy)]
enum Data {
    /// Arguments that are not significant on this rank, or data in place.
    Nothing,
    /// A number of elements, the same for each rank.
    Same { count: usize, datatype: usize },
    /// Elements for each rank, by a list of counts.
    Each { counts: usize, datatype: usize, parts: u32 },
    /// Elements and their datatypes for each rank, by two lists.
    Typed { counts: usize, types: usize, parts: u32 },
}

type Bytes = SmallVec<[i64; 16]>;

/// A collective call: the operation, how it is called, where, and its root.
struct Call {
    pattern: CollectiveKind,
    form: CallForm,
    comm: CommInfo,
    root: Peer,
    request: usize,
}

/// The role of this rank in a collective with a root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    /// The root of an intercommunicator, which is not in the group that sends or receives.
    RootOutside,
    Other,
    /// A member of the root's group of an intercommunicator that is not the root.
    Idle,
}

impl CallContext<'_> {
    fn call(
        &mut self,
        pattern: impl Into<CollectiveKind>,
        form: CallForm,
        comm: usize,
        request: usize,
    ) -> Call {
        Call { pattern: pattern.into(), form, comm: self.comm(comm), root: Peer::Null, request }
    }

    fn rooted(
        &mut self,
        pattern: impl Into<CollectiveKind>,
        form: CallForm,
        root: usize,
        comm: usize,
        request: usize,
    ) -> (Call, Role) {
        let call = self.call(pattern, form, comm, request);
        let root = self.peer(root, call.comm.rank);
        let role = match root {
            Peer::Root => Role::RootOutside,
            Peer::Null | Peer::Any => Role::Idle,
            Peer::Relative(0) if call.comm.others.is_none() => Role::Root,
            Peer::Relative(_) => Role::Other,
        };
        (Call { root, ..call }, role)
    }

    fn is_in_place(&self, buffer: usize) -> bool {
        buffer == self.rank.mpi.constants.in_place
    }

    unsafe fn measure(&mut self, data: Data) -> (Option<Type>, u64, Bytes) {
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

    unsafe fn typed_part(&mut self, counts: usize, types: usize, place: usize) -> i64 {
        // SAFETY: the program's lists have an entry for each rank.
        let (count, datatype) =
            unsafe { (self.count_at(counts, place), self.rank.mpi.handle_at(types, place)) };
        // Where nothing is sent, the datatype may be null.
        if count == 0 { 0 } else { (count * self.datatype(datatype).size) as i64 }
    }

    unsafe fn collective(
        &mut self,
        call: &Call,
        send_sizes: Data,
        receive_sizes: Data,
        op: Option<usize>,
        in_place: bool,
    ) {
        let (datatype, bytes, send_sizes) = self.measure(send_sizes);
        let (receive_type, receive_bytes, receive_sizes) = self.measure(receive_sizes);
        let commutes = op.is_none_or(|op| self.is_commutative(op));
        let is_persistent = call.form == CallForm::Persistent;
        let request = Request { is_persistent, is_active: !is_persistent, ..Request::default() };
        let request = if call.request == NONE { None } else { self.new_request(call.request, request) };
        self.record(&Action::Collective {
            pattern: call.pattern,
            form: call.form,
            comm: call.comm.number,
            root: call.root,
            datatype,
            receive_type,
            commutes,
            in_place,
            bytes,
            receive_bytes,
            request,
            send_sizes: &send_sizes,
            receive_sizes: &receive_sizes,
        });
    }

    unsafe fn barrier(&mut self, form: CallForm, comm: usize, request: usize) {
        let call = self.call(Collective::Barrier, form, comm, request);
        self.collective(&call, Data::Nothing, Data::Nothing, None, false);
    }

    unsafe fn broadcast(
        &mut self,
        form: CallForm,
        count: usize,
        datatype: usize,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Collective::Broadcast, form, root, comm, request);
        let data = if role == Role::Idle { Data::Nothing } else { Data::Same { count, datatype } };
        self.collective(&call, data, Data::Nothing, None, false);
    }

    /// Records a gather. Receive arguments are significant at the root only.
    unsafe fn gather(
        &mut self,
        form: CallForm,
        buffer: usize,
        send_sizes: Data,
        receive_sizes: Data,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Collective::Gather, form, root, comm, request);
        let in_place = role == Role::Root && self.is_in_place(buffer);
        let (send_sizes, receive_sizes) = match role {
            Role::Root => {
                (if in_place { Data::Nothing } else { send_sizes }, receive_sizes.with(call.comm.parts()))
            }
            Role::RootOutside => (Data::Nothing, receive_sizes.with(call.comm.parts())),
            Role::Other => (send_sizes, Data::Nothing),
            Role::Idle => (Data::Nothing, Data::Nothing),
        };
        self.collective(&call, send_sizes, receive_sizes, None, in_place);
    }

    /// Records a scatter. Send arguments are significant at the root only.
    unsafe fn scatter(
        &mut self,
        form: CallForm,
        send_sizes: Data,
        buffer: usize,
        receive_sizes: Data,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Collective::Scatter, form, root, comm, request);
        let in_place = role == Role::Root && self.is_in_place(buffer);
        let (send_sizes, receive_sizes) = match role {
            Role::Root => {
                (send_sizes.with(call.comm.parts()), if in_place { Data::Nothing } else { receive_sizes })
            }
            Role::RootOutside => (send_sizes.with(call.comm.parts()), Data::Nothing),
            Role::Other => (Data::Nothing, receive_sizes),
            Role::Idle => (Data::Nothing, Data::Nothing),
        };
        self.collective(&call, send_sizes, receive_sizes, None, in_place);
    }

    unsafe fn all(
        &mut self,
        pattern: impl Into<CollectiveKind>,
        form: CallForm,
        buffer: usize,
        send_sizes: Data,
        receive_sizes: Data,
        comm: usize,
        request: usize,
    ) {
        let call = self.call(pattern, form, comm, request);
        let in_place = self.is_in_place(buffer);
        let send_sizes = if in_place { Data::Nothing } else { send_sizes.with(call.comm.parts()) };
        let receive_sizes = receive_sizes.with(call.comm.parts());
        self.collective(&call, send_sizes, receive_sizes, None, in_place);
    }

    unsafe fn neighbours(
        &mut self,
        pattern: impl Into<CollectiveKind>,
        form: CallForm,
        send_sizes: Data,
        receive_sizes: Data,
        comm: usize,
        request: usize,
    ) {
        let call = self.call(pattern, form, comm, request);
        let (sources, destinations) = call.comm.neighbours;
        let (send_sizes, receive_sizes) = (send_sizes.with(destinations), receive_sizes.with(sources));
        self.collective(&call, send_sizes, receive_sizes, None, false);
    }

    unsafe fn reduce(
        &mut self,
        form: CallForm,
        buffer: usize,
        data: Data,
        op: usize,
        root: usize,
        comm: usize,
        request: usize,
    ) {
        let (call, role) = self.rooted(Collective::Reduce, form, root, comm, request);
        let in_place = role == Role::Root && self.is_in_place(buffer);
        let (data, op) = if role == Role::Idle { (Data::Nothing, None) } else { (data, Some(op)) };
        self.collective(&call, data, Data::Nothing, op, in_place);
    }

    unsafe fn reduce_all(
        &mut self,
        pattern: impl Into<CollectiveKind>,
        form: CallForm,
        buffer: usize,
        data: Data,
        op: usize,
        comm: usize,
        request: usize,
    ) {
        let call = self.call(pattern, form, comm, request);
        let in_place = self.is_in_place(buffer);
        // The list of a reduce-scatter has an entry for each rank of the local group, also on an
        // intercommunicator.
        let data = data.with(call.comm.size);
        self.collective(&call, data, Data::Nothing, Some(op), in_place);
    }
}

fn same(count: usize, datatype: usize) -> Data {
    Data::Same { count, datatype }
}

/// Blocks of different lengths. Their number is set when the communicator is known.
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
