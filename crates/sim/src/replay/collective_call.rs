//! The arguments of a collective call.

use std::rc::Rc;

use panto_trace::{Action, CallForm, Collective, CommInfo, Peer, Tables, Type};

use super::agreement::{CollectiveInstance, InstanceKind};
use super::call_traits::CallTraits;
use super::error::Result;
use super::rank_reader::RankReader;

/// A collective call of one rank.
pub struct CollectiveCall {
    pub comm: Rc<CommInfo>,
    /// The collective as the members must agree on it.
    pub instance: CollectiveInstance,
    pub root: Peer,
    /// Whether the send buffer is the receive buffer (`MPI_IN_PLACE`).
    pub in_place: bool,
    /// Bytes sent: to one rank, or in total where there is a list.
    pub send_bytes: u64,
    /// Bytes received: from one rank, or in total where there is a list.
    pub receive_bytes: u64,
    /// Bytes sent to each rank, for collectives with lists.
    pub send_sizes: Vec<u64>,
    /// Bytes received from each rank, for collectives with lists.
    pub receive_sizes: Vec<u64>,
    /// The number of the agreed instance, once it is known.
    pub number: u32,
    /// The index of the helper that carries it out; `None` for the rank itself.
    pub helper: Option<u32>,
}

impl RankReader<'_, '_> {
    pub(super) fn collective_call(
        &mut self,
        action: &Action<'_>,
        traits: CallTraits,
        tables: &Tables,
    ) -> Result<CollectiveCall> {
        let Action::Collective {
            pattern,
            form,
            comm,
            root,
            commutes,
            in_place,
            bytes,
            receive_bytes,
            send_sizes,
            receive_sizes,
            ..
        } = *action
        else {
            return Err(self.error("the call is not a collective"));
        };
        let comm = self.comm(comm, tables)?;
        let list =
            |list: &[i64]| list.iter().map(|part| u64::try_from(*part).ok()).collect::<Option<Vec<u64>>>();
        let (Some(send_sizes), Some(receive_sizes)) = (list(send_sizes), list(receive_sizes)) else {
            return Err(self.error("invalid lengths (negative); trace the program again"));
        };
        let is_intra = comm.others.is_none();
        let root_number = root.rank(comm.rank).filter(|_| is_intra);
        if is_intra
            && pattern.collective().rooted()
            && root_number.is_none_or(|root| root >= comm.members.len())
        {
            return Err(self.error("the root is outside the communicator; trace the program again"));
        }
        let (length, datatype) = described(action, comm.members.len());
        let (count, element) = elements(length, datatype, tables);
        let kind =
            if traits.is_vector { InstanceKind::Vector(pattern) } else { InstanceKind::Collective(pattern) };
        let has_lengths = is_intra && !traits.is_vector && !pattern.is_among_neighbors();
        let instance = CollectiveInstance {
            kind,
            started: form != CallForm::Blocking,
            root: root_number.filter(|_| pattern.collective().rooted()),
            count: if has_lengths { count } else { 0 },
            element: if has_lengths { element } else { 1 },
            commutes: commutes || !has_lengths,
            call: self.now.call,
        };
        Ok(CollectiveCall {
            root,
            in_place,
            send_bytes: bytes,
            receive_bytes,
            send_sizes,
            receive_sizes,
            ..CollectiveCall::plain(comm, instance)
        })
    }
}

impl CollectiveCall {
    /// A call without data.
    pub fn plain(comm: Rc<CommInfo>, instance: CollectiveInstance) -> Self {
        Self {
            comm,
            instance,
            root: Peer::Null,
            in_place: false,
            send_bytes: 0,
            receive_bytes: 0,
            send_sizes: Vec::new(),
            receive_sizes: Vec::new(),
            number: 0,
            helper: None,
        }
    }
}

/// The bytes of the vector or of one block, and their type, from the buffer that describes them on
/// this rank.
fn described(action: &Action<'_>, members: u32) -> (u64, Option<Type>) {
    let Action::Collective {
        pattern,
        datatype,
        receive_type,
        in_place,
        bytes,
        receive_bytes,
        send_sizes,
        ..
    } = *action
    else {
        return (0, None);
    };
    let (sent, received) = ((bytes, datatype), (receive_bytes, receive_type));
    match pattern.collective() {
        Collective::Gather | Collective::Allgather | Collective::Alltoall
            if in_place && !pattern.is_among_neighbors() =>
        {
            received
        }
        // Only the root of a scatter sends.
        Collective::Scatter if datatype.is_none() => received,
        // Blocks of different lengths are approximated by their mean.
        Collective::ReduceScatter if !send_sizes.is_empty() => (bytes / u64::from(members.max(1)), datatype),
        _ => sent,
    }
}

/// The number of elements and their size; single bytes if that does not divide the length.
fn elements(bytes: u64, datatype: Option<Type>, tables: &Tables) -> (u64, u64) {
    let size = datatype.and_then(|datatype| tables.datatype(datatype)).map_or(1, |datatype| datatype.size);
    if size > 0 && bytes.is_multiple_of(size) { (bytes / size, size) } else { (bytes, 1) }
}
