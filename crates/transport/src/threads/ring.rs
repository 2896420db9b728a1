//! The inbox of a rank: many senders, one receiver, order kept, never full.
//!
//! A sender draws a ticket; the ticket names one of the slots. A slot is one cache line that holds the
//! ticket's turn *and* a small message, so that it reaches the receiver with a single transfer of a line
//! between cores; beside each slot lies a cell for messages of up to a page, so that these need neither an
//! allocation nor any other hand-shake. When the slot is still in use (the receiver is a lap behind), the
//! message goes to an overflow map under its ticket instead: a copying send never waits for room, and two
//! ranks that both send first never block each other. The receiver takes tickets in order from wherever they
//! are.
//!
//! The turn of a slot is `t + 1` from when ticket `t` is in it until the sender of ticket `t + SLOTS` writes
//! the next message there. The receiver never writes to a slot: it counts the tickets that it took in `head`, and a
//! slot is free for ticket `t` when `head` is at most `SLOTS` behind. Marking the slot itself would cost the
//! receiver a transfer of the line it just read, and its answer would wait for that. Senders keep what they last
//! saw of `head` beside the tickets, so they look at the receiver's line once a lap.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::offer::Offer;
use super::packet::Body;
use crate::message::{Status, Tag};

const SLOTS: u64 = 64;

/// Bytes that travel inside a slot.
const INLINE: usize = 39;

/// Bytes that travel in the cell beside a slot.
pub(super) const CELL: usize = 4096;

/// A message to put in.
pub(super) enum Outgoing<'a> {
    /// Copy these bytes.
    Copy(&'a [u8]),
    /// Leave them with the sender.
    Offer(Arc<Offer>),
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
    Offer(Arc<Offer>),
}

#[repr(align(64))]
struct Slot {
    turn: AtomicU64,
    packet: UnsafeCell<MaybeUninit<Packet>>,
}

const _: () = assert!(size_of::<Slot>() == 64, "a slot is one cache line");

type Cell = UnsafeCell<MaybeUninit<[u8; CELL]>>;

#[repr(align(128))]
struct Line<T>(T);

/// What the senders share.
struct Senders {
    /// The next ticket to draw.
    tickets: AtomicU64,
    /// Tickets below this were taken; there may be more.
    taken: AtomicU64,
}

/// The inbox.
pub(super) struct Ring {
    senders: Line<Senders>,
    /// The next ticket to take. Only the receiver writes it.
    head: Line<AtomicU64>,
    overflowed: AtomicUsize,
    overflow: Mutex<HashMap<u64, Packet>>,
    slots: Box<[Slot]>,
    /// Memory that is not touched is not there: a thousand ranks that pass small messages pay nothing.
    cells: Box<[MaybeUninit<Cell>]>,
}

// SAFETY: a slot and its cell are written only by the holder of the slot's ticket before it publishes the
// turn (release), and read only by the one receiver after it saw that turn (acquire) and before it moves `head`
// past the ticket (release), which the next holder of the slot has seen (acquire).
unsafe impl Sync for Ring {}
// SAFETY: everything in it may be dropped by any thread.
unsafe impl Send for Ring {}

impl Default for Ring {
    fn default() -> Self {
        // Turn 0 belongs to no ticket.
        let slot = |_| Slot { turn: AtomicU64::new(0), packet: UnsafeCell::new(MaybeUninit::uninit()) };
        Self {
            senders: Line(Senders { tickets: AtomicU64::new(0), taken: AtomicU64::new(0) }),
            head: Line(AtomicU64::new(0)),
            overflowed: AtomicUsize::new(0),
            overflow: Mutex::default(),
            slots: (0..SLOTS).map(slot).collect(),
            cells: Box::new_uninit_slice(SLOTS as usize),
        }
    }
}

impl Ring {
    /// Puts a message in. Any thread may call this.
    ///
    /// Drawing the ticket is sequentially consistent, because the caller asks afterwards whether the
    /// receiver sleeps; see `shared`.
    #[inline]
    pub(super) fn push(&self, source: u32, tag: Tag, len: usize, message: Outgoing<'_>) {
        let ticket = self.senders.0.tickets.fetch_add(1, Ordering::SeqCst);
        let free = self.is_free(ticket);
        let payload = match message {
            Outgoing::Offer(offer) => Payload::Offer(offer),
            Outgoing::Copy(bytes) if bytes.len() <= INLINE => Payload::Inline(inline(bytes)),
            Outgoing::Copy(bytes) if bytes.len() <= CELL && free => {
                // SAFETY: the slot is free for our ticket, tickets are unique, and `bytes` fit.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.cell(ticket), bytes.len()) };
                Payload::Cell
            }
            Outgoing::Copy(bytes) => Payload::Owned(bytes.into()),
        };
        let packet = Packet { source, tag, len, payload };
        if !free {
            return self.push_aside(ticket, packet);
        }
        let slot = self.slot(ticket);
        // SAFETY: the slot is free for our ticket, and tickets are unique.
        unsafe { (*slot.packet.get()).write(packet) };
        slot.turn.store(ticket + 1, Ordering::Release);
    }

    /// Has the receiver taken the ticket that had this one's slot before?
    #[inline]
    fn is_free(&self, ticket: u64) -> bool {
        // Acquire, here and below: the receiver has done with the slot and its cell.
        ticket < self.senders.0.taken.load(Ordering::Acquire) + SLOTS || self.is_free_now(ticket)
    }

    #[cold]
    fn is_free_now(&self, ticket: u64) -> bool {
        let head = self.head.0.load(Ordering::Acquire);
        self.senders.0.taken.fetch_max(head, Ordering::Release);
        ticket < head + SLOTS
    }

    #[cold]
    fn push_aside(&self, ticket: u64, packet: Packet) {
        self.overflow().insert(ticket, packet);
        self.overflowed.fetch_add(1, Ordering::Release);
    }

    /// Takes the next message and lets `consume` have it.
    ///
    /// # Safety
    /// Only one thread, the receiver, may call this.
    #[inline]
    pub(super) unsafe fn pop<R>(&self, consume: impl FnOnce(Status, Body<'_>) -> R) -> Option<R> {
        let ticket = self.head.0.load(Ordering::Relaxed);
        let slot = self.slot(ticket);
        if slot.turn.load(Ordering::Acquire) != ticket + 1 {
            let packet = self.pop_aside(ticket)?;
            let _taken = Taken { head: &self.head.0, next: ticket + 1 };
            return Some(self.open(ticket, packet, consume));
        }
        let _taken = Taken { head: &self.head.0, next: ticket + 1 };
        // SAFETY: the turn says that ticket's packet is in the slot, and nobody writes to it before `head` moves
        // on, which it does when this returns or panics.
        let packet = unsafe { (*slot.packet.get()).assume_init_ref() };
        if let Payload::Inline(bytes) = &packet.payload {
            return Some(consume(packet.status(), Body::Bytes(&bytes[..packet.len])));
        }
        // SAFETY: as above; the packet is taken out once, because `head` moves on.
        let packet = unsafe { (*slot.packet.get()).assume_init_read() };
        Some(self.open(ticket, packet, consume))
    }

    fn open<R>(&self, ticket: u64, packet: Packet, consume: impl FnOnce(Status, Body<'_>) -> R) -> R {
        let status = packet.status();
        match packet.payload {
            Payload::Inline(bytes) => consume(status, Body::Bytes(&bytes[..packet.len])),
            // SAFETY: the sender wrote `len` bytes there, and nobody writes before `head` moves on.
            Payload::Cell => consume(status, unsafe {
                Body::Bytes(std::slice::from_raw_parts(self.cell(ticket), packet.len))
            }),
            Payload::Owned(bytes) => consume(status, Body::Owned(bytes)),
            Payload::Offer(offer) => consume(status, Body::Offer(offer)),
        }
    }

    #[inline]
    fn pop_aside(&self, ticket: u64) -> Option<Packet> {
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

    /// Has every ticket that was drawn been taken? A ticket that is drawn but not yet published counts as
    /// a message on its way.
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

/// Gives the slot back when the message is consumed.
struct Taken<'a> {
    head: &'a AtomicU64,
    next: u64,
}

impl Drop for Taken<'_> {
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
        // SAFETY: nobody else has the ring any more.
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
                Body::Offer(_) => (status, Vec::new()),
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
        let offer = Arc::new(
            // SAFETY: nobody accepts it.
            unsafe { Offer::new(std::ptr::null(), 0) },
        );
        let ring = Ring::default();
        for _ in 0..200 {
            ring.push(0, 0, 0, Outgoing::Offer(Arc::clone(&offer)));
        }
        drop(ring);
        assert_eq!(Arc::strong_count(&offer), 1);
    }
}
