//! Every message that a rank sent was received by another: wildcards are resolved correctly, and no
//! message is lost.

use std::collections::{BTreeMap, HashMap};

use panto_trace::{Action, CallForm, Comm, Peer, SharedId, Slot, Tables, Trace, World};

/// Messages that match the same receives: communicator, sender and receiver (in `MPI_COMM_WORLD`),
/// tag.
type Channel = (SharedId, u32, u32, i64);

/// A message, with its bytes where the trace has them.
type Message = (Channel, Option<u64>);

/// A pending receive, with the parameters of its call.
#[derive(Clone, Copy)]
struct Awaited {
    comm: Comm,
    from: Peer,
    tag: i64,
    is_persistent: bool,
}

/// The messages that one rank sent and received.
struct Reader<'a> {
    rank: u32,
    world: &'a World,
    sent: Vec<Message>,
    received: Vec<Message>,
    awaited: HashMap<Slot, Awaited>,
    /// Messages of persistent sends, sent each time these are started.
    persistent: HashMap<Slot, Option<Message>>,
    taken: HashMap<Slot, Option<Message>>,
}

/// Returns an error for each message in the trace without a counterpart.
pub fn unmatched(trace: &Trace) -> Vec<String> {
    let world = match World::new(trace) {
        Ok(world) => world,
        Err(error) => return vec![error.to_string()],
    };
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for rank in trace.ranks() {
        let mut reader = Reader::new(rank.rank(), &world);
        let mut events = rank.events();
        while let Some(event) = events.next().expect("sound") {
            reader.add(&event.action().expect("sound"), event.tables());
        }
        sent.extend(reader.sent);
        received.extend(reader.received);
    }
    compare(&sent, &received)
}

/// Compares the number of messages on each channel. Where the received bytes are known, a message
/// of that size must have been sent.
fn compare(sent: &[Message], received: &[Message]) -> Vec<String> {
    let mut channels: BTreeMap<Channel, (i64, Vec<u64>)> = BTreeMap::new();
    for (channel, bytes) in sent {
        let (balance, sizes) = channels.entry(*channel).or_default();
        *balance += 1;
        sizes.extend(bytes);
    }
    let mut wrong = Vec::new();
    for (channel, bytes) in received {
        let (balance, sizes) = channels.entry(*channel).or_default();
        *balance -= 1;
        let Some(bytes) = bytes else { continue };
        match sizes.iter().position(|size| size == bytes) {
            Some(place) => drop(sizes.swap_remove(place)),
            None => wrong.push(format!("{channel:?}: {bytes} bytes were received but not sent")),
        }
    }
    let lost = channels.iter().filter(|(_, (balance, _))| *balance != 0);
    wrong.extend(
        lost.map(|(channel, (balance, _))| format!("{channel:?}: {balance} more sent than received")),
    );
    wrong
}

impl<'a> Reader<'a> {
    fn new(rank: u32, world: &'a World) -> Self {
        Self {
            rank,
            world,
            sent: Vec::new(),
            received: Vec::new(),
            awaited: HashMap::new(),
            persistent: HashMap::new(),
            taken: HashMap::new(),
        }
    }

    fn add(&mut self, action: &Action<'_>, tables: &Tables) {
        match *action {
            Action::Send { form, comm, to, bytes, tag, request, .. } => {
                let message = self.outgoing(tables, comm, to, tag, bytes);
                match request {
                    Some(slot) if form != CallForm::Immediate => drop(self.persistent.insert(slot, message)),
                    _ => self.sent.extend(message),
                }
            }
            Action::Start { requests } => {
                let slots = requests.iter().map(|slot| Slot(*slot as u32));
                self.sent.extend(slots.filter_map(|slot| self.persistent.get(&slot).copied().flatten()));
            }
            Action::Receive { form, comm, from, tag, request, source, got_tag, got_bytes, .. } => {
                let is_persistent = matches!(form, CallForm::Persistent | CallForm::Partitioned);
                self.receive(
                    tables,
                    Awaited { comm, from, tag, is_persistent },
                    request,
                    [source, got_tag, got_bytes],
                );
            }
            Action::SendReceive {
                comm,
                to,
                bytes,
                tag,
                from,
                want_tag,
                request,
                source,
                got_tag,
                got_bytes,
                ..
            } => {
                let message = self.outgoing(tables, comm, to, tag, bytes);
                self.sent.extend(message);
                let awaited = Awaited { comm, from, tag: want_tag, is_persistent: false };
                self.receive(tables, awaited, request, [source, got_tag, got_bytes]);
            }
            Action::Probe { comm, from, tag, source, got_tag, got_bytes, message: Some(slot), .. } => {
                let awaited = Awaited { comm, from, tag, is_persistent: false };
                let message = self.incoming(tables, awaited, [source, got_tag, got_bytes]);
                self.taken.insert(slot, message);
            }
            Action::ReceiveTaken { message: Some(slot), .. } => {
                self.received.extend(self.taken.remove(&slot).expect("a probe took it"));
            }
            Action::Complete { requests, completed, outcomes, .. } => {
                self.complete(tables, requests, completed, outcomes);
            }
            Action::Free { request: Some(slot) } => {
                self.persistent.remove(&slot);
                self.awaited.remove(&slot);
            }
            _ => {}
        }
    }

    fn receive(&mut self, tables: &Tables, awaited: Awaited, request: Option<Slot>, came: [i64; 3]) {
        match request {
            Some(slot) => drop(self.awaited.insert(slot, awaited)),
            None => self.received.extend(self.incoming(tables, awaited, came)),
        }
    }

    fn complete(&mut self, tables: &Tables, requests: &[i64], completed: &[i64], outcomes: &[i64]) {
        const CANCELLED: i64 = -2;
        for position in completed {
            let slot = Slot(requests[*position as usize] as u32);
            let Some(awaited) = self.awaited.get(&slot).copied() else { continue };
            let outcome = outcomes.chunks_exact(4).find(|outcome| outcome[0] == *position);
            let came = outcome.map_or([-1; 3], |outcome| [outcome[1], outcome[2], outcome[3]]);
            if came[0] != CANCELLED {
                self.received.extend(self.incoming(tables, awaited, came));
            }
            if !awaited.is_persistent {
                self.awaited.remove(&slot);
            }
        }
    }

    fn outgoing(&self, tables: &Tables, comm: Comm, to: Peer, tag: i64, bytes: u64) -> Option<Message> {
        let (id, to) = self.partner(tables, comm, to)?;
        Some(((id, self.rank, to, tag), Some(bytes)))
    }

    /// Returns the message of a completed receive: with the parameters of the call, or for
    /// wildcards those of the status.
    fn incoming(&self, tables: &Tables, awaited: Awaited, came: [i64; 3]) -> Option<Message> {
        let Awaited { comm, from, tag, .. } = awaited;
        let own = tables.comm(comm).expect("events refer to what is there").rank;
        let from = if from == Peer::Any { Peer::Relative((came[0] - i64::from(own)) as i32) } else { from };
        let (id, from) = self.partner(tables, comm, from)?;
        let tag = if tag == -1 { came[1] } else { tag };
        Some(((id, from, self.rank, tag), u64::try_from(came[2]).ok()))
    }

    /// Returns the communicator, and the partner's rank in `MPI_COMM_WORLD`; `None` for
    /// `MPI_PROC_NULL`.
    fn partner(&self, tables: &Tables, comm: Comm, peer: Peer) -> Option<(SharedId, u32)> {
        let id = self.world.shared(self.rank, comm).expect("it is somewhere");
        let comm = tables.comm(comm).expect("events refer to what is there");
        let number = peer.rank(comm.rank)?;
        let side = comm.others.as_ref().unwrap_or(&comm.members);
        Some((id, side.get(number).expect("messages come from members")))
    }
}
