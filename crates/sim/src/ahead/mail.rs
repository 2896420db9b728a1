//! What goes from one part of a program to another.
//!
//! Messages and answers are collected and handed over many at a time, under one lock. In which order parts get each other's batches does
//! not matter: a channel has one sender, whose batches are opened in the order in which they were handed over, so every channel gets its
//! messages in the order of sending; and what ranks do depends on nothing else.
//!
//! *When is it over?* A part waits only after it has handed over all that it had, and has found nothing to open. If all parts wait and no
//! batch lies there, nothing is on its way: a batch is either not handed over yet, and then its part does not wait, or it lies there, or it
//! was taken by a part that does not wait. So nothing can happen any more. All of this is looked at and changed under the lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::odd::{Answer, Odd};
use super::queue::{Entry, ODD};

/// A message for another part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letter {
    pub(super) channel: u32,
    pub(super) entry: Entry,
}

/// What is handed over at once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) letters: Vec<Letter>,
    pub(super) odds: Vec<Odd>,
    pub(super) answers: Vec<Answer>,
}

/// A batch of so many letters is not kept back.
const ENOUGH: usize = 1 << 10;
/// A part that has nothing to do looks so many times before it sleeps: to be woken takes longer.
const LOOKS: u32 = 1 << 12;

impl Batch {
    fn is_empty(&self) -> bool {
        self.letters.is_empty() && self.answers.is_empty()
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.odds.clear();
        self.answers.clear();
    }
}

/// Where the parts begin.
#[derive(Debug, Clone, Default)]
pub(super) struct Borders {
    pub(super) seats: Vec<u32>,
    pub(super) channels: Vec<u32>,
}

/// What a part has for the others.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    borders: Borders,
    batches: Vec<Batch>,
}

impl Outbox {
    pub(super) fn new(borders: Borders) -> Self {
        let batches = borders.seats.iter().map(|_| Batch::default()).collect();
        Self { borders, batches }
    }

    /// Is there no other part?
    pub(super) fn is_alone(&self) -> bool {
        self.batches.len() <= 1
    }

    #[inline]
    pub(super) fn letter(&mut self, letter: Letter, odd: Option<Odd>) {
        let batch = &mut self.batches[part(&self.borders.channels, letter.channel)];
        let bytes = match odd {
            None => letter.entry.bytes,
            Some(odd) => {
                batch.odds.push(odd);
                ODD | (batch.odds.len() as u64 - 1)
            }
        };
        batch.letters.push(Letter { entry: Entry { bytes, ..letter.entry }, ..letter });
    }

    pub(super) fn answer(&mut self, answer: Answer) {
        self.batches[part(&self.borders.seats, answer.asker.seat)].answers.push(answer);
    }
}

/// The part that something belongs to.
#[inline]
fn part(borders: &[u32], number: u32) -> usize {
    borders.partition_point(|&border| border <= number) - 1
}

/// Where parts hand over what they have for each other.
pub(super) struct Exchange {
    counter: Mutex<Counter>,
    bells: Vec<Condvar>,
    /// Which parts have nothing to do,
    idle: Vec<AtomicBool>,
    /// and for which something lies there: both to be looked at without the lock, as a hint.
    has_mail: Vec<AtomicBool>,
}

#[derive(Default)]
struct Counter {
    boxes: Vec<Vec<Batch>>,
    /// Empty ones, with their memory.
    spare: Vec<Batch>,
    idle: usize,
    is_over: bool,
}

impl Exchange {
    pub(super) fn new(parts: usize) -> Self {
        let flags = || (0..parts).map(|_| AtomicBool::new(false)).collect();
        let boxes = (0..parts).map(|_| Vec::new()).collect();
        Self {
            counter: Mutex::new(Counter { boxes, ..Counter::default() }),
            bells: (0..parts).map(|_| Condvar::new()).collect(),
            idle: flags(),
            has_mail: flags(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counter> {
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Is something there for a part?
    #[inline]
    pub(super) fn has_mail(&self, part: usize) -> bool {
        self.has_mail[part].load(Ordering::Relaxed)
    }

    /// Hands over what is worth it, or urgent.
    #[inline]
    pub(super) fn hand_over(&self, outbox: &mut Outbox) {
        for to in 0..outbox.batches.len() {
            let batch = &outbox.batches[to];
            let is_urgent = self.idle[to].load(Ordering::Relaxed);
            if batch.letters.len() >= ENOUGH || is_urgent && !batch.is_empty() {
                self.put(&mut self.lock(), outbox, to);
            }
        }
    }

    fn put(&self, counter: &mut Counter, outbox: &mut Outbox, to: usize) {
        let spare = counter.spare.pop().unwrap_or_default();
        counter.boxes[to].push(std::mem::replace(&mut outbox.batches[to], spare));
        self.has_mail[to].store(true, Ordering::Relaxed);
        self.bells[to].notify_one();
    }

    /// Takes what is there for a part.
    pub(super) fn collect(&self, part: usize, into: &mut Vec<Batch>) {
        self.take(&mut self.lock(), part, into);
    }

    fn take(&self, counter: &mut Counter, part: usize, into: &mut Vec<Batch>) {
        self.has_mail[part].store(false, Ordering::Relaxed);
        into.append(&mut counter.boxes[part]);
    }

    /// Gives empty batches back.
    pub(super) fn give_back(&self, batches: &mut Vec<Batch>) {
        batches.iter_mut().for_each(Batch::clear);
        self.lock().spare.append(batches);
    }

    /// A part has nothing to do. Waits until something is there for it; false if nothing ever will.
    pub(super) fn wait(&self, part: usize, outbox: &mut Outbox, into: &mut Vec<Batch>) -> bool {
        let mut counter = self.lock();
        for to in 0..outbox.batches.len() {
            if !outbox.batches[to].is_empty() {
                self.put(&mut counter, outbox, to);
            }
        }
        counter.idle += 1;
        self.idle[part].store(true, Ordering::Relaxed);
        let nothing_left = counter.idle == counter.boxes.len() && counter.boxes.iter().all(Vec::is_empty);
        if nothing_left {
            self.end(&mut counter);
        }
        if !counter.is_over && counter.boxes[part].is_empty() {
            drop(counter);
            self.look(part);
            counter = self.lock();
        }
        while !counter.is_over && counter.boxes[part].is_empty() {
            counter = self.bells[part].wait(counter).unwrap_or_else(PoisonError::into_inner);
        }
        self.idle[part].store(false, Ordering::Relaxed);
        counter.idle -= 1;
        self.take(&mut counter, part, into);
        !into.is_empty()
    }

    /// Looks for mail for a while, without sleeping.
    fn look(&self, part: usize) {
        for _ in 0..LOOKS {
            if self.has_mail(part) {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Lets nobody wait any longer.
    fn end(&self, counter: &mut Counter) {
        counter.is_over = true;
        self.bells.iter().for_each(Condvar::notify_all);
    }

    /// Ends everything if this thread panics, so that the others do not wait for it.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

/// Ends the exchange when it is dropped by a panic.
pub(super) struct Guard<'a>(&'a Exchange);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(&mut self.0.lock());
        }
    }
}
