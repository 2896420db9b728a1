//! Runs a program without an order of time.
//!
//! Where messages do not get in each other's way, where every receive names its sender, and where every rank has a processor of its own,
//! ranks form a Kahn network: each is a process that reads from and writes to queues, and asks for nothing but the next of a queue. What
//! happens does not depend on the order in which ranks are looked at. So there is no queue of events: a rank runs ahead until it needs a
//! message that was not sent yet, and it is looked at again when that was sent. Nor does it matter how many threads do that, or
//! which of them is faster: the results are the same, bit by bit.
//!
//! An answer to a sender (rendezvous, synchronous) is a message, too: it depends on the clocks of both sides alone, and is sent when both
//! have come so far.

mod agenda;
mod ending;
mod mail;
mod odd;
mod order;
mod part;
mod prepared;
pub(crate) mod price;
mod queue;
pub(crate) mod rank;
mod receiving;
mod score;
mod sending;
mod touch;
mod working;

pub use prepared::Prepared;

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use panto_units::Time;

use ending::Ending;
use mail::{Borders, Exchange, Outbox};
use part::Part;

use crate::halt::Halted;
use crate::observe::{Observer, Unseen};
use crate::program::Program;
use crate::setting::Setting;

/// A part looks after so many turns whether others wait for it.
const TURNS: u32 = 8;

/// Runs a program on one thread; answers when each rank and helper ends. The model must be [`Model::Fast`](crate::Model::Fast), and every rank
/// must have a processor of its own; a pick waits for ever.
pub fn run<O: Observer>(
    program: &Program,
    setting: &Setting<'_>,
    observer: &mut O,
) -> Result<Vec<Time>, Halted> {
    Prepared::new(program).run(setting, observer)
}

/// The same on as many threads as there are observers, each of which sees some of the ranks; on one if there are none.
pub fn run_on<O: Observer + Send>(
    program: &Program,
    setting: &Setting<'_>,
    observers: &mut [O],
) -> Result<Vec<Time>, Halted> {
    Prepared::new(program).run_on(setting, observers)
}

impl Prepared<'_> {
    /// Runs on one thread, like [`run`].
    pub fn run<O: Observer>(&self, setting: &Setting<'_>, observer: &mut O) -> Result<Vec<Time>, Halted> {
        let seats = 0..self.program().codes.len() as u32;
        let mut part = Part::new(self, setting, observer, seats, Outbox::default());
        while part.turn() {}
        ending::join(self, vec![part.ending()])
    }

    /// Runs on as many threads as there are observers, like [`run_on`]: the first sees the first ranks, and so on.
    pub fn run_on<O: Observer + Send>(
        &self,
        setting: &Setting<'_>,
        observers: &mut [O],
    ) -> Result<Vec<Time>, Halted> {
        if observers.is_empty() {
            return self.run(setting, &mut Unseen);
        }
        let parts = self.parts(observers.len());
        let borders = Borders {
            seats: parts.iter().map(|part| part.start).collect(),
            channels: parts.iter().map(|part| self.channels_to(part).start).collect(),
        };
        let exchange = Exchange::new(parts.len());
        let endings = thread::scope(|scope| {
            let work = parts.into_iter().zip(observers).enumerate().map(|(number, (seats, observer))| {
                let outbox = Outbox::new(borders.clone());
                let exchange = &exchange;
                scope.spawn(move || self.run_part(setting, observer, seats, outbox, (exchange, number)))
            });
            let threads: Vec<_> = work.collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        ending::join(self, endings)
    }

    fn run_part<O: Observer>(
        &self,
        setting: &Setting<'_>,
        observer: &mut O,
        seats: Range<u32>,
        outbox: Outbox,
        (exchange, number): (&Exchange, usize),
    ) -> Ending {
        let _guard = exchange.guard();
        let mut part = Part::new(self, setting, observer, seats, outbox);
        let mut mail = Vec::new();
        loop {
            let mut turns = 0_u32;
            while part.turn() {
                turns += 1;
                if turns.is_multiple_of(TURNS) {
                    exchange.hand_over(&mut part.outbox);
                    if exchange.has_mail(number) {
                        exchange.collect(number, &mut mail);
                        part.open(&mail);
                        exchange.give_back(&mut mail);
                    }
                }
            }
            if !exchange.wait(number, &mut part.outbox, &mut mail) {
                return part.ending();
            }
            part.open(&mail);
            exchange.give_back(&mut mail);
        }
    }
}
