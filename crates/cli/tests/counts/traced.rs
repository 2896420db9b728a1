//! The figures of a rank, computed from a trace.

use std::collections::HashMap;

use panto_trace::{
    Action, CallForm, Comm, CompletionKind, Event, Peer, RankTrace, Slot, Tables, WindowOrFileId,
};

use crate::collective;
use crate::figures::Counts;

/// The bytes and the peer of an operation.
#[derive(Clone, Copy, Default)]
struct Traffic {
    bytes: u64,
    capacity: u64,
    /// The peer's rank in `MPI_COMM_WORLD`.
    peer: Option<u32>,
}

/// Reads the events of a rank in order.
#[derive(Default)]
struct Reader {
    counts: Counts,
    /// The traffic of each start of a persistent request.
    persistent: HashMap<Slot, Traffic>,
}

/// Returns all figures of a rank.
pub fn counts(rank: &RankTrace) -> Counts {
    let mut reader = Reader::default();
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        reader.add(event);
    }
    reader.counts
}

impl Reader {
    fn add(&mut self, event: Event<'_>) {
        let (name, tables) = (event.name(), event.tables());
        let action = event.action().expect("sound");
        if matches!(action, Action::Thread { .. }) {
            return;
        }
        let figures = self.counts.of(name);
        figures.calls += 1;
        match action {
            Action::Spin { polls, .. } => {
                figures.calls += polls - 1;
                figures.failed += polls;
            }
            Action::Complete { until, requests, completed, .. } => {
                figures.completed += completed.len() as u64;
                let is_look = matches!(
                    until,
                    CompletionKind::Test
                        | CompletionKind::TestAll
                        | CompletionKind::TestAny
                        | CompletionKind::TestSome
                );
                figures.failed += u64::from(is_look && completed.is_empty() && !requests.is_empty());
            }
            Action::Probe { found, .. } => figures.failed += u64::from(!found),
            Action::Partition { arrived, .. } => {
                figures.failed += u64::from(name == "MPI_Parrived" && !arrived);
            }
            Action::Start { requests } => self.start(name, requests),
            Action::Free { request: Some(slot) } => drop(self.persistent.remove(&slot)),
            _ => self.pass_by(name, &action, tables),
        }
    }

    fn start(&mut self, name: &str, requests: &[i64]) {
        for slot in requests {
            let traffic = self.persistent.get(&Slot(*slot as u32)).copied().expect("it was described before");
            self.pass(name, traffic);
        }
    }

    /// Adds the traffic of a call, or keeps it for each start of a persistent request.
    fn pass_by(&mut self, name: &str, action: &Action<'_>, tables: &Tables) {
        let traffic = traffic(name, action, tables);
        match *action {
            Action::Send { form: CallForm::Persistent | CallForm::Partitioned, request, .. }
            | Action::Receive { form: CallForm::Persistent | CallForm::Partitioned, request, .. }
            | Action::Collective { form: CallForm::Persistent, request, .. } => {
                let slot = request.expect("a persistent operation has a request");
                assert!(self.persistent.insert(slot, traffic).is_none(), "two requests at place {}", slot.0);
            }
            _ => self.pass(name, traffic),
        }
    }

    fn pass(&mut self, name: &str, traffic: Traffic) {
        let figures = self.counts.of(name);
        figures.bytes += traffic.bytes;
        figures.capacity += traffic.capacity;
        if let Some(peer) = traffic.peer {
            let figures = self.counts.with(name, peer);
            figures.calls += 1;
            figures.bytes += traffic.bytes;
        }
    }
}

fn traffic(name: &str, action: &Action<'_>, tables: &Tables) -> Traffic {
    match *action {
        Action::Send { comm, to, bytes, .. } => sent(tables, comm, to, bytes),
        Action::Receive { bytes, .. } | Action::ReceiveTaken { bytes, .. } => {
            Traffic { capacity: bytes, ..Traffic::default() }
        }
        Action::SendReceive { comm, to, bytes, receive_bytes, .. } => {
            Traffic { capacity: receive_bytes, ..sent(tables, comm, to, bytes) }
        }
        Action::Collective { .. } => {
            Traffic { bytes: collective::given(action, tables), ..Traffic::default() }
        }
        Action::OneSided { window, target, bytes, .. } => one_sided(name, tables, window, target, bytes),
        Action::File { bytes, .. } if name.contains("read") => {
            Traffic { capacity: bytes, ..Traffic::default() }
        }
        Action::File { bytes, .. } => Traffic { bytes, ..Traffic::default() },
        _ => Traffic::default(),
    }
}

/// Sends to `MPI_PROC_NULL` carry no bytes.
fn sent(tables: &Tables, comm: Comm, to: Peer, bytes: u64) -> Traffic {
    let peer = in_world(tables, comm, to);
    Traffic { bytes: if peer.is_some() { bytes } else { 0 }, capacity: 0, peer }
}

fn one_sided(
    name: &str,
    tables: &Tables,
    window: Option<WindowOrFileId>,
    target: Peer,
    bytes: u64,
) -> Traffic {
    let Some(window) = window.and_then(|window| tables.window_or_file(window)) else {
        return Traffic::default();
    };
    let sent = sent(tables, window.comm, target, bytes);
    match name {
        "MPI_Get"
        | "MPI_Get_c"
        | "MPI_Rget"
        | "MPI_Rget_c"
        | "MPI_Get_accumulate"
        | "MPI_Get_accumulate_c" => Traffic { bytes: 0, capacity: bytes, ..sent },
        "MPI_Fetch_and_op" | "MPI_Compare_and_swap" => Traffic { capacity: bytes, ..sent },
        _ => sent,
    }
}

/// Returns the rank in `MPI_COMM_WORLD` of a member of a communicator, on the other side of an
/// intercommunicator.
fn in_world(tables: &Tables, comm: Comm, to: Peer) -> Option<u32> {
    let comm = tables.comm(comm).expect("events refer to what is there");
    let number = to.rank(comm.rank)?;
    let side = comm.others.as_ref().unwrap_or(&comm.members);
    Some(side.get(number).expect("messages go to members"))
}
