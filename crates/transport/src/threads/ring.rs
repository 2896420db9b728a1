//! The inbox of a rank: an unbounded multi-producer, single-consumer queue in a ring buffer.
//!
//! It is a ring with tickets and per-slot sequence numbers, in the manner of Vyukov's bounded MPMC
//! queue, with one consumer and an overflow map that makes it unbounded.
//!
//! - A sender draws a ticket `t` (`fetch_add`). Tickets are the order in which the receiver takes
//!   messages. Slot `t % SLOTS` belongs to it once the receiver has taken ticket `t - SLOTS`.
//! - If the slot is free, the sender writes the message there and publishes it by storing `t + 1`
//!   as the slot's sequence number, `turn`.
//! - If not, the receiver is `SLOTS` messages behind, and the message goes to a mutex-protected map
//!   under its ticket. So a copying send never waits for room, and two ranks that both send before
//!   they receive never block each other.
//! - The receiver looks for ticket `head` in its slot, then in the map.
//!
//! A slot is one cache line that holds the sequence number *and* a message of up to `INLINE` bytes,
//! so a small message reaches the receiver with a single transfer of a line between cores. Beside
//! each slot is a cell of `CELL` bytes for messages that fit there, which need no allocation
//! either.
//!
//! The receiver never writes to a slot: it counts what it took in `head`. Marking the slot as free
//! would mean taking the line away from the sender's core, and the receiver's reply would wait for
//! that. Senders share a cached copy of `head` (`taken`) on the line of the ticket counter, so they
//! read the receiver's line about once a lap.
//!
//! # Memory ordering
//!
//! - `turn` is stored with release and loaded with acquire: a receiver that sees `t + 1` sees the
//!   packet and its cell.
//! - `head` is stored with release when a message is consumed, and loaded with acquire by a sender
//!   that needs the slot: the receiver's reads of slot and cell happen before the sender's writes.
//!   The cached copy `taken` passes that on with release and acquire.
//! - `overflowed` is incremented with release after the insertion, and loaded with acquire before
//!   the map is locked. It only avoids locking an empty map; a receiver that misses it looks again,
//!   because `is_drained` stays false until the ticket is taken.
//! - Drawing a ticket and `is_drained` are sequentially consistent: the sleep protocol in `shared`
//!   needs them in one total order with the flag of a sleeping receiver.
//!
//! The counters are 64 bits wide and do not wrap around in practice.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::packet::Body;
use super::rendezvous::Rendezvous;
use crate::message::{Status, Tag};

const SLOTS: u64 = 64;

/// Bytes of a message that travel inside a slot: what is left of a cache line beside the sequence
/// number and the envelope.
const INLINE: usize = 39;

/// Bytes of an eager cell, and the default eager limit: one page.
pub(super) const CELL: usize = 4096;

/// A message to send.
pub(super) enum Outgoing<'a> {
    /// Eager: the bytes are copied.
    Copy(&'a [u8]),
    /// Rendezvous: the bytes stay in the sender's buffer.
    Rendezvous(Arc<Rendezvous>),
}

struct Packet {
    source: u32,
    tag: Tag,
    len: usize,
    payload: Payload,
}

impl Packet {
    fn status(&self) -> Status {
        Status { source: self.source as usize, tag: self.tag, len: self.len }
    }
}

enum Payload {
    Inline([u8; INLINE]),
    Cell,
    Owned(Box<[u8]>),
    Rendezvous(Arc<Rendezvous>),
}

#[repr(align(64))]
struct Slot {
    turn: AtomicU64,
    packet: UnsafeCell<MaybeUninit<Packet>>,
}

const _: () = assert!(size_of::<Slot>() == 64, "a slot is one cache line");

type Cell = UnsafeCell<MaybeUninit<[u8; CELL]>>;

#[repr(align(128))]
struct CachePadded<T>(T);

/// What senders write: a cache line of its own.
struct Senders {
    /// The next ticket to draw.
    tickets: AtomicU64,
    /// A lower bound of `head`, as a sender last saw it.
    taken: AtomicU64,
}

/// An inbox; see the module's documentation.
pub(super) struct Ring {
    senders: CachePadded<Senders>,
    /// The next ticket to take. Only the receiver writes it.
    head: CachePadded<AtomicU64>,
    overflowed: AtomicUsize,
    overflow: Mutex<HashMap<u64, Packet>>,
    slots: Box<[Slot]>,
    /// Eager cells. Untouched pages of the allocation take no memory: a thousand ranks that pass
    /// only small messages pay nothing for them.
    cells: Box<[MaybeUninit<Cell>]>,
}

// SAFETY: a slot and its cell are written only by the owner of the slot's ticket, before it
// publishes the sequence number (release). They are read only by the one receiver, after it saw
// that number (acquire) and before it advances `head` past the ticket (release), which the next
// owner of the slot has seen (acquire).
unsafe impl Sync for Ring {}
// SAFETY: packets hold bytes, owned allocations and `Arc`s of `Send` types; any thread may drop
// them.
unsafe impl Send for Ring {}

impl Default for Ring {
    fn default() -> Self {
        // Sequence number 0 belongs to no ticket.
        let slot = |_| Slot { turn: AtomicU64::new(0), packet: UnsafeCell::new(MaybeUninit::uninit()) };
        Self {
            senders: CachePadded(Senders { tickets: AtomicU64::new(0), taken: AtomicU64::new(0) }),
            head: CachePadded(AtomicU64::new(0)),
            overflowed: AtomicUsize::new(0),
            overflow: Mutex::default(),
            slots: (0..SLOTS).map(slot).collect(),
            cells: Box::new_uninit_slice(SLOTS as usize),
        }
    }
}

impl Ring {
    /// Enqueues a message. Any thread may call this.
    ///
    /// Drawing the ticket is sequentially consistent, because the caller checks afterwards whether
    /// the receiver sleeps; see `shared`.
    #[inline]
    pub(super) fn push(&self, source: u32, tag: Tag, len: usize, message: Outgoing<'_>) {
        let ticket = self.senders.0.tickets.fetch_add(1, Ordering::SeqCst);
        let free = self.is_free(ticket);
        let payload = match message {
            Outgoing::Rendezvous(rendezvous) => Payload::Rendezvous(rendezvous),
            Outgoing::Copy(bytes) if bytes.len() <= INLINE => Payload::Inline(inline(bytes)),
            Outgoing::Copy(bytes) if bytes.len() <= CELL && free => {
                // SAFETY: `is_free` has acquired `head` beyond the slot's previous ticket, tickets
                // are unique, and `bytes` has at most `CELL` bytes.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.cell(ticket), bytes.len()) };
                Payload::Cell
            }
            Outgoing::Copy(bytes) => Payload::Owned(bytes.into()),
        };
        let packet = Packet { source, tag, len, payload };
        if !free {
            return self.push_overflow(ticket, packet);
        }
        let slot = self.slot(ticket);
        // SAFETY: the slot is free for this ticket (`is_free`), and tickets are unique.
        unsafe { (*slot.packet.get()).write(packet) };
        slot.turn.store(ticket + 1, Ordering::Release);
    }

    /// Whether the receiver has taken the ticket that owned this one's slot before.
    #[inline]
    fn is_free(&self, ticket: u64) -> bool {
        // Acquire, here and below: the receiver has finished reading the slot and its cell.
        ticket < self.senders.0.taken.load(Ordering::Acquire) + SLOTS || self.is_free_now(ticket)
    }

    #[cold]
    fn is_free_now(&self, ticket: u64) -> bool {
        let head = self.head.0.load(Ordering::Acquire);
        self.senders.0.taken.fetch_max(head, Ordering::Release);
        ticket < head + SLOTS
    }

    #[cold]
    fn push_overflow(&self, ticket: u64, packet: Packet) {
        self.overflow().insert(ticket, packet);
        self.overflowed.fetch_add(1, Ordering::Release);
    }

    /// Takes the next message and passes it to `consume`.
    ///
    /// # Safety
    /// Only one thread, the receiver, may call this.
    #[inline]
    pub(super) unsafe fn pop<R>(&self, consume: impl FnOnce(Status, Body<'_>) -> R) -> Option<R> {
        let ticket = self.head.0.load(Ordering::Relaxed);
        let slot = self.slot(ticket);
        if slot.turn.load(Ordering::Acquire) != ticket + 1 {
            let packet = self.pop_overflow(ticket)?;
            let _taken = AdvanceHead { head: &self.head.0, next: ticket + 1 };
            return Some(self.open(ticket, packet, consume));
        }
        let _taken = AdvanceHead { head: &self.head.0, next: ticket + 1 };
        // SAFETY: the sequence number says that this ticket's packet is in the slot. It is not
        // overwritten before `head` advances, which happens when `_taken` is dropped.
        let packet = unsafe { (*slot.packet.get()).assume_init_ref() };
        if let Payload::Inline(bytes) = &packet.payload {
            return Some(consume(packet.status(), Body::Bytes(&bytes[..packet.len])));
        }
        // SAFETY: as above. The packet is moved out once, because `head` advances past it.
        let packet = unsafe { (*slot.packet.get()).assume_init_read() };
        Some(self.open(ticket, packet, consume))
    }

    fn open<R>(&self, ticket: u64, packet: Packet, consume: impl FnOnce(Status, Body<'_>) -> R) -> R {
        let status = packet.status();
        match packet.payload {
            Payload::Inline(bytes) => consume(status, Body::Bytes(&bytes[..packet.len])),
            // SAFETY: the sender wrote `len` bytes to the cell before it published the packet, and
            // the cell is not overwritten before `head` advances.
            Payload::Cell => consume(status, unsafe {
                Body::Bytes(std::slice::from_raw_parts(self.cell(ticket), packet.len))
            }),
            Payload::Owned(bytes) => consume(status, Body::Owned(bytes)),
            Payload::Rendezvous(rendezvous) => consume(status, Body::Rendezvous(rendezvous)),
        }
    }

    #[inline]
    fn pop_overflow(&self, ticket: u64) -> Option<Packet> {
        if self.overflowed.load(Ordering::Acquire) == 0 {
            return None;
        }
        let packet = self.overflow().remove(&ticket)?;
        self.overflowed.fetch_sub(1, Ordering::Relaxed);
        Some(packet)
    }

    fn overflow(&self) -> MutexGuard<'_, HashMap<u64, Packet>> {
        self.overflow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether every drawn ticket was taken. A ticket that is drawn but not yet published counts as
    /// a message in flight.
    pub(super) fn is_drained(&self) -> bool {
        self.senders.0.tickets.load(Ordering::SeqCst) == self.head.0.load(Ordering::SeqCst)
    }

    fn slot(&self, ticket: u64) -> &Slot {
        &self.slots[(ticket % SLOTS) as usize]
    }

    fn cell(&self, ticket: u64) -> *mut u8 {
        let cell: *const MaybeUninit<Cell> = &raw const self.cells[(ticket % SLOTS) as usize];
        UnsafeCell::raw_get(cell.cast::<Cell>()).cast()
    }
}

/// Advances `head` when dropped, which releases the slot, also if `consume` panics.
struct AdvanceHead<'a> {
    head: &'a AtomicU64,
    next: u64,
}

impl Drop for AdvanceHead<'_> {
    fn drop(&mut self) {
        self.head.store(self.next, Ordering::Release);
    }
}

fn inline(bytes: &[u8]) -> [u8; INLINE] {
    let mut inline = [0; INLINE];
    inline[..bytes.len()].copy_from_slice(bytes);
    inline
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: `&mut self`: no other thread uses the ring.
        while unsafe { self.pop(|_, _| ()) }.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(ring: &Ring) -> Option<(Status, Vec<u8>)> {
        // SAFETY: each test receives on one thread.
        unsafe {
            ring.pop(|status, body| match body {
                Body::Bytes(bytes) => (status, bytes.to_vec()),
                Body::Owned(bytes) => (status, bytes.into()),
                Body::Rendezvous(_) => (status, Vec::new()),
            })
        }
    }

    #[test]
    fn order_and_bytes_survive_overflow() {
        let ring = Ring::default();
        for tag in 0..1000 {
            let data = vec![tag as u8; tag as usize * 7];
            ring.push(0, tag, data.len(), Outgoing::Copy(&data));
        }
        for tag in 0..1000 {
            let (status, data) = take(&ring).expect("pushed");
            assert_eq!((status.tag, data), (tag, vec![tag as u8; tag as usize * 7]));
        }
        assert!(ring.is_drained());
    }

    #[test]
    fn each_sender_keeps_its_order() {
        let ring = Ring::default();
        let mut next = [0_u32; 3];
        std::thread::scope(|scope| {
            for source in 0..3 {
                let ring = &ring;
                let send = move |tag: u32| ring.push(source, tag, 4, Outgoing::Copy(&tag.to_ne_bytes()));
                scope.spawn(move || (0..5000).for_each(send));
            }
            while next.iter().sum::<u32>() < 15_000 {
                let Some((status, data)) = take(&ring) else {
                    std::thread::yield_now();
                    continue;
                };
                assert_eq!(status.tag, next[status.source]);
                assert_eq!(data, status.tag.to_ne_bytes());
                next[status.source] += 1;
            }
        });
        assert!(ring.is_drained());
    }

    #[test]
    fn what_is_left_is_dropped() {
        let rendezvous = Arc::new(
            // SAFETY: no receive accepts it, so the null address is never read.
            unsafe { Rendezvous::new(std::ptr::null(), 0) },
        );
        let ring = Ring::default();
        for _ in 0..200 {
            ring.push(0, 0, 0, Outgoing::Rendezvous(Arc::clone(&rendezvous)));
        }
        drop(ring);
        assert_eq!(Arc::strong_count(&rendezvous), 1);
    }
}
