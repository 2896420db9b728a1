//! What calls with one signature count as.

use panto_calls::Collective;

use crate::action::{Action, Constants, Kind};
use crate::collective::CollectiveKind;
use crate::field::{CallForm, Field, Peer};
use crate::table::{Communicator, Signature, Tables};

/// What a call sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// A message.
    Message { bytes: u64 },
    /// This rank's part of a collective operation.
    Collective { bytes: u64 },
    /// Data to memory of other ranks, or to files.
    Other { bytes: u64 },
}

impl Sent {
    pub fn bytes(self) -> u64 {
        match self {
            Self::Message { bytes } | Self::Collective { bytes } | Self::Other { bytes } => bytes,
        }
    }
}

/// What is the same for all calls with one signature.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meaning {
    /// The rank of the program to which messages are sent.
    pub to: Option<u32>,
    /// The collective operation, and the number of ranks that take part.
    pub collective: Option<(CollectiveKind, u32)>,
    /// The number of ranks that receive a block of their own.
    parts: u64,
    /// This rank's number in the communicator of the operation.
    rank: u32,
    /// Whether it is the root of the operation.
    is_root: bool,
}

impl Meaning {
    pub fn of(signature: &Signature, tables: &Tables) -> Self {
        let parts = &signature.constants;
        match signature.kind {
            Kind::Send => Self { to: destination(tables, parts[2], parts[3]), ..Self::default() },
            Kind::SendReceive => Self { to: destination(tables, parts[0], parts[1]), ..Self::default() },
            Kind::Collective => Self::of_collective(tables, parts).unwrap_or_default(),
            _ => Self::default(),
        }
    }

    fn of_collective(tables: &Tables, constants: &Constants) -> Option<Self> {
        let (pattern, comm) = (CollectiveKind::get(constants[0])?, tables.comm(Field::get(constants[2])?)?);
        let partners = comm.others.as_ref().unwrap_or(&comm.members).len();
        let parts =
            if pattern == CollectiveKind::NeighborAlltoall { comm.destinations.len() } else { partners };
        let is_root = match Peer::get(constants[3])? {
            Peer::Relative(far) => far == 0 && comm.others.is_none(),
            peer => peer == Peer::Root,
        };
        Some(Self {
            to: None,
            collective: Some((pattern, size(comm))),
            parts: parts.into(),
            rank: comm.rank,
            is_root,
        })
    }

    /// Returns what a call sends, and whether it does so each time its request is started and not
    /// now.
    #[inline]
    pub fn sent(&self, action: &Action<'_>) -> Option<(Sent, bool)> {
        match *action {
            Action::Send { form, bytes, .. } => {
                self.to.map(|_| (Sent::Message { bytes }, is_for_later(form)))
            }
            Action::SendReceive { bytes, .. } => self.to.map(|_| (Sent::Message { bytes }, false)),
            Action::Collective { pattern, form, .. } => {
                Some((Sent::Collective { bytes: self.given(pattern, action) }, is_for_later(form)))
            }
            Action::OneSided { bytes, .. } | Action::File { bytes, .. } => {
                Some((Sent::Other { bytes }, false))
            }
            _ => None,
        }
    }

    /// Returns the bytes that this rank sends in a collective operation, in total.
    fn given(&self, pattern: CollectiveKind, action: &Action<'_>) -> u64 {
        use Collective::{Allgather, Alltoall, Broadcast, ReduceScatter, Scatter};
        use CollectiveKind::{Group, NeighborAllgather};
        let Action::Collective { bytes, receive_bytes, in_place, send_sizes, receive_sizes, .. } = *action
        else {
            return 0;
        };
        let in_all = |bytes: u64, list: &[i64]| {
            if list.is_empty() { bytes.saturating_mul(self.parts) } else { bytes }
        };
        match pattern {
            Group(Broadcast) if !self.is_root => 0,
            // The data are in place, and only the result is described.
            Group(Alltoall) if in_place => in_all(receive_bytes, receive_sizes),
            Group(Allgather) if in_place => {
                receive_sizes.get(self.rank as usize).map_or(receive_bytes, |own| *own as u64)
            }
            CollectiveKind::NeighborAlltoall | Group(Alltoall | ReduceScatter | Scatter) => {
                in_all(bytes, send_sizes)
            }
            NeighborAllgather | Group(_) => bytes,
        }
    }
}

fn is_for_later(form: CallForm) -> bool {
    matches!(form, CallForm::Persistent | CallForm::Partitioned)
}

fn size(comm: &Communicator) -> u32 {
    comm.members.len().saturating_add(comm.others.as_ref().map_or(0, crate::Ranks::len))
}

/// Returns the rank of the program to which messages are sent.
fn destination(tables: &Tables, comm: i64, to: i64) -> Option<u32> {
    let comm = tables.comm(Field::get(comm)?)?;
    let to = Peer::get(to)?.rank(comm.rank)?;
    comm.others.as_ref().unwrap_or(&comm.members).get(to)
}
