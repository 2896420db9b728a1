//! The exchange of messages between partitions, that is, between threads.
//!
//! A partition collects what it sends to each other partition in a [`Bundle`], and hands whole
//! bundles over under one lock. The order in which partitions receive each other's bundles depends
//! on the scheduling of threads and does not matter: a channel has one sender, whose bundles are
//! delivered in the order in which they were handed over, so each channel sees its messages in the
//! order of sending; and in a Kahn network nothing else influences what ranks do.
//!
//! # Termination
//!
//! A partition waits only when none of its ranks is ready, after it has handed over everything, and
//! with an empty inbox. Suppose that all partitions wait and all inboxes are empty. Every bundle is
//! then either still with its sender, which would not wait; or in an inbox, which would not be
//! empty; or with its receiver, which would not wait. So there is none, and no rank can ever become
//! ready again. The number of waiting partitions and the inboxes are read and changed under the
//! same lock, so the test is exact.
//!
//! The atomic flags are hints that save taking the lock. They may be `Relaxed`: a thread that acts
//! on one takes the lock before it reads anything else that is shared.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::channels::{DETAILED, Message};
use super::rendezvous::{MessageDetail, SendCompletion};

/// A message to a channel of another partition.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutgoingMessage {
    pub(super) channel: u32,
    pub(super) message: Message,
}

/// What one partition hands over to another at once.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    pub(super) messages: Vec<OutgoingMessage>,
    /// Details of the messages with [`DETAILED`] set, whose `bytes` are indices of this list.
    pub(super) details: Vec<MessageDetail>,
    pub(super) completions: Vec<SendCompletion>,
}

/// Number of messages from which on a bundle is handed over, even if the receiver is busy.
const FLUSH_MESSAGES: usize = 1 << 10;
/// Number of times an idle partition polls its inbox before it sleeps: being woken takes longer.
const SPINS: u32 = 1 << 12;

impl Bundle {
    fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.completions.is_empty()
    }

    fn clear(&mut self) {
        self.messages.clear();
        self.details.clear();
        self.completions.clear();
    }
}

/// The first position and the first channel of each partition.
#[derive(Debug, Clone, Default)]
pub(super) struct PartitionStarts {
    pub(super) positions: Vec<u32>,
    pub(super) channels: Vec<u32>,
}

/// What a partition has for the others and has not handed over: a bundle for each.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    starts: PartitionStarts,
    bundles: Vec<Bundle>,
}

impl Outbox {
    pub(super) fn new(starts: PartitionStarts) -> Self {
        let bundles = starts.positions.iter().map(|_| Bundle::default()).collect();
        Self { starts, bundles }
    }

    /// Returns whether there is no other partition.
    pub(super) fn is_only_partition(&self) -> bool {
        self.bundles.len() <= 1
    }

    /// Adds a message, with its details if it has any.
    #[inline]
    pub(super) fn send(&mut self, outgoing: OutgoingMessage, detail: Option<MessageDetail>) {
        let bundle = &mut self.bundles[partition_of(&self.starts.channels, outgoing.channel)];
        let bytes = match detail {
            None => outgoing.message.bytes,
            Some(detail) => {
                bundle.details.push(detail);
                DETAILED | (bundle.details.len() as u64 - 1)
            }
        };
        bundle.messages.push(OutgoingMessage { message: Message { bytes, ..outgoing.message }, ..outgoing });
    }

    /// Adds the completion of another partition's send.
    pub(super) fn complete(&mut self, completion: SendCompletion) {
        self.bundles[partition_of(&self.starts.positions, completion.send.position)]
            .completions
            .push(completion);
    }
}

/// Returns the partition that a position or channel belongs to.
#[inline]
fn partition_of(starts: &[u32], number: u32) -> usize {
    starts.partition_point(|&start| start <= number) - 1
}

/// Where partitions hand over bundles.
pub(super) struct Exchange {
    shared: Mutex<Shared>,
    wakeups: Vec<Condvar>,
    /// Whether each partition is out of work; a hint, read without the lock.
    idle: Vec<AtomicBool>,
    /// Whether each partition's inbox holds something; a hint, read without the lock.
    has_messages: Vec<AtomicBool>,
}

/// What the lock protects.
#[derive(Default)]
struct Shared {
    /// The bundles for each partition, in the order in which they were handed over.
    inboxes: Vec<Vec<Bundle>>,
    /// Empty bundles, kept for their allocations.
    empty: Vec<Bundle>,
    /// How many partitions wait.
    idle: usize,
    is_done: bool,
}

impl Exchange {
    pub(super) fn new(partitions: usize) -> Self {
        let flags = || (0..partitions).map(|_| AtomicBool::new(false)).collect();
        let inboxes = (0..partitions).map(|_| Vec::new()).collect();
        Self {
            shared: Mutex::new(Shared { inboxes, ..Shared::default() }),
            wakeups: (0..partitions).map(|_| Condvar::new()).collect(),
            idle: flags(),
            has_messages: flags(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a partition's inbox seems to hold something.
    #[inline]
    pub(super) fn has_messages(&self, partition: usize) -> bool {
        self.has_messages[partition].load(Ordering::Relaxed)
    }

    /// Hands over the bundles that are full enough, and those to partitions that are out of work.
    #[inline]
    pub(super) fn hand_over(&self, outbox: &mut Outbox) {
        for to in 0..outbox.bundles.len() {
            let bundle = &outbox.bundles[to];
            let is_urgent = self.idle[to].load(Ordering::Relaxed);
            if bundle.messages.len() >= FLUSH_MESSAGES || is_urgent && !bundle.is_empty() {
                self.put(&mut self.lock(), outbox, to);
            }
        }
    }

    fn put(&self, shared: &mut Shared, outbox: &mut Outbox, to: usize) {
        let empty = shared.empty.pop().unwrap_or_default();
        shared.inboxes[to].push(std::mem::replace(&mut outbox.bundles[to], empty));
        self.has_messages[to].store(true, Ordering::Relaxed);
        self.wakeups[to].notify_one();
    }

    /// Takes everything out of a partition's inbox.
    pub(super) fn collect(&self, partition: usize, into: &mut Vec<Bundle>) {
        self.take(&mut self.lock(), partition, into);
    }

    fn take(&self, shared: &mut Shared, partition: usize, into: &mut Vec<Bundle>) {
        self.has_messages[partition].store(false, Ordering::Relaxed);
        into.append(&mut shared.inboxes[partition]);
    }

    /// Returns delivered bundles for reuse.
    pub(super) fn give_back(&self, bundles: &mut Vec<Bundle>) {
        bundles.iter_mut().for_each(Bundle::clear);
        self.lock().empty.append(bundles);
    }

    /// Hands over everything and waits until the partition's inbox holds something, which is then
    /// taken. Returns false if no partition has work any more.
    pub(super) fn wait(&self, partition: usize, outbox: &mut Outbox, into: &mut Vec<Bundle>) -> bool {
        let mut shared = self.lock();
        for to in 0..outbox.bundles.len() {
            if !outbox.bundles[to].is_empty() {
                self.put(&mut shared, outbox, to);
            }
        }
        shared.idle += 1;
        self.idle[partition].store(true, Ordering::Relaxed);
        let nothing_left = shared.idle == shared.inboxes.len() && shared.inboxes.iter().all(Vec::is_empty);
        if nothing_left {
            self.end(&mut shared);
        }
        if !shared.is_done && shared.inboxes[partition].is_empty() {
            drop(shared);
            self.spin(partition);
            shared = self.lock();
        }
        while !shared.is_done && shared.inboxes[partition].is_empty() {
            shared = self.wakeups[partition].wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        self.idle[partition].store(false, Ordering::Relaxed);
        shared.idle -= 1;
        self.take(&mut shared, partition, into);
        !into.is_empty()
    }

    /// Polls the inbox for a while.
    fn spin(&self, partition: usize) {
        for _ in 0..SPINS {
            if self.has_messages(partition) {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Ends all waits for good.
    fn end(&self, shared: &mut Shared) {
        shared.is_done = true;
        self.wakeups.iter().for_each(Condvar::notify_all);
    }

    /// Returns a guard that ends all waits if this thread panics, so that the other threads end,
    /// too.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

/// Ends all waits when it is dropped by a panic.
pub(super) struct Guard<'a>(&'a Exchange);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(&mut self.0.lock());
        }
    }
}
