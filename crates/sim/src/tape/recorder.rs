//! Finds an order in which everything can be done.

use std::collections::VecDeque;
use std::hash::Hash;

use panto_machine::Machine;
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::message::{Messages, asks};
use super::step::{Chore, Parcel, Step};
use super::{Manners, Tape};
use crate::ahead::rank::{NONE, Rank, Rest};
use crate::costs;
use crate::engine::Manner;
use crate::program::{Act, Lane, Op, Program, Sending};

/// A rank goes on for so many operations before others have their turn, so that few messages are under way at once.
const TURN: u32 = 256;

/// What a rank has started.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Nothing,
    Receive(u32),
    Send(u32),
}

/// Things by number, each once.
#[derive(Debug)]
struct Interned<T> {
    all: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Copy + Eq + Hash> Interned<T> {
    fn new() -> Self {
        Self { all: Vec::new(), numbers: FxHashMap::default() }
    }

    fn number(&mut self, thing: T) -> u32 {
        *self.numbers.entry(thing).or_insert_with(|| {
            self.all.push(thing);
            self.all.len() as u32 - 1
        })
    }
}

/// What a rank is doing.
struct Runner<'p> {
    rank: Rank<'p, Op>,
    rest: Rest,
    slots: Vec<Slot>,
    /// What a blocking operation waits for.
    own: Slot,
}

pub(super) struct Recorder<'p, 'm> {
    program: &'p Program,
    machine: &'m Machine,
    runners: Vec<Runner<'p>>,
    agenda: VecDeque<u32>,
    messages: Messages,
    parcels: Interned<Parcel>,
    chores: Interned<Chore>,
    steps: Vec<Step>,
}

/// Can a rank go on? `None` if the program is not for tapes.
type GoesOn = Option<bool>;

impl<'p, 'm> Recorder<'p, 'm> {
    pub(super) fn new(program: &'p Program, machine: &'m Machine) -> Self {
        let runner = |code: &'p crate::program::Code| Runner {
            rank: Rank::at_start(&code.ops),
            rest: Rest::default(),
            slots: vec![Slot::Nothing; code.slots as usize],
            own: Slot::Nothing,
        };
        Self {
            program,
            machine,
            runners: program.codes.iter().map(runner).collect(),
            agenda: (0..program.codes.len() as u32).collect(),
            messages: Messages::new(program.channels.len()),
            parcels: Interned::new(),
            chores: Interned::new(),
            steps: Vec::new(),
        }
    }

    pub(super) fn record(mut self, most: usize) -> Option<Tape<'p>> {
        while let Some(who) = self.agenda.pop_front() {
            self.turn(who)?;
            if self.steps.len() > most {
                return None;
            }
        }
        let has_ended = self.runners.iter().all(|runner| runner.rank.next == NONE);
        has_ended.then(|| Tape {
            program: self.program,
            manners: Manners::of(self.machine),
            messages: self.messages.places(),
            steps: self.steps,
            parcels: self.parcels.all,
            chores: self.chores.all,
        })
    }

    fn turn(&mut self, who: u32) -> Option<()> {
        let own = std::mem::replace(&mut self.runners[who as usize].own, Slot::Nothing);
        if !self.wait(who, own) {
            self.runners[who as usize].own = own;
            return Some(());
        }
        for _ in 0..TURN {
            let rank = &mut self.runners[who as usize].rank;
            let Some(op) = rank.ops.get(rank.next as usize) else {
                rank.next = NONE;
                return Some(());
            };
            rank.next += 1;
            if !self.act(who, op.act())? {
                return Some(());
            }
        }
        self.agenda.push_back(who);
        Some(())
    }

    fn act(&mut self, who: u32, act: Act) -> GoesOn {
        match act {
            Act::Compute(time) | Act::Call { before: time, .. } => self.compute(who, time),
            Act::ComputeListed | Act::CallListed { .. } => {
                let time = self.listed(who);
                self.compute(who, time);
            }
            Act::Send { sending, channel, bytes } => {
                let sent = self.send(who, sending, Parcel { channel, bytes }, false)?;
                return Some(self.wait_or_stay(who, sent));
            }
            Act::StartSend { sending, slot, channel, bytes } => {
                let sent = self.send(who, sending, Parcel { channel, bytes }, true)?;
                self.runners[who as usize].slots[slot as usize] = sent;
            }
            Act::Receive { channel } => return Some(self.receive(who, channel)),
            Act::StartReceive { slot, channel } => {
                let lane = self.program.channels[channel as usize].lane;
                if lane != Lane::Aside {
                    self.chore(who, Chore::Start(lane));
                }
                let message = self.post(who, channel);
                self.runners[who as usize].slots[slot as usize] = Slot::Receive(message);
            }
            Act::Wait { slot } => {
                let held = self.take_slot(who, slot);
                return Some(self.wait_or_stay(who, held));
            }
            Act::Free { slot } => match self.take_slot(who, slot) {
                Slot::Nothing => {}
                Slot::Receive(message) => self.messages.drop_receive(message),
                Slot::Send(message) => self.messages.leave(message),
            },
            Act::Probe { channel } => return Some(self.probe(who, channel)),
            Act::Poll { times } => self.chore(who, Chore::Poll { times }),
            Act::Copy { bytes } => self.chore(who, Chore::Copy { bytes }),
            Act::Reduce { bytes } => self.chore(who, Chore::Reduce { bytes }),
            Act::File { bytes } => self.chore(who, Chore::File { bytes }),
            Act::Remote { way, channel, bytes } => {
                self.chore(who, Chore::Remote { way, parcel: Parcel { channel, bytes } });
            }
            Act::Repeat { at, times } => {
                let runner = &mut self.runners[who as usize];
                runner.rank.repeat(&mut runner.rest, at, times);
            }
            Act::End => {
                let runner = &mut self.runners[who as usize];
                return Some(!runner.rank.end(&mut runner.rest));
            }
            Act::StartPick { .. } | Act::ProbePick { .. } => return None,
        }
        Some(true)
    }

    fn compute(&mut self, rank: u32, time: Time) {
        if time != Time::ZERO {
            self.steps.push(Step::Compute { rank, picos: time.as_picos() });
        }
    }

    fn listed(&mut self, who: u32) -> Time {
        let rest = &mut self.runners[who as usize].rest;
        rest.next_of(&self.program.codes[who as usize].times)
    }

    fn chore(&mut self, rank: u32, chore: Chore) {
        let chore = self.chores.number(chore);
        self.steps.push(Step::Chore { rank, chore });
    }

    fn take_slot(&mut self, who: u32, slot: u32) -> Slot {
        std::mem::replace(&mut self.runners[who as usize].slots[slot as usize], Slot::Nothing)
    }

    /// A message leaves. What its sender may have to wait for; `None` if it is longer than prices are told apart.
    fn send(&mut self, rank: u32, sending: Sending, parcel: Parcel, started: bool) -> Option<Slot> {
        let lane = self.program.channels[parcel.channel as usize].lane;
        let number = self.parcels.number(parcel);
        if parcel.bytes >> 63 != 0 {
            return None;
        }
        if lane == Lane::Aside {
            let message = self.messages.send(parcel.channel, Manner::Buffered, number);
            self.steps.push(Step::Tell { rank, message });
            self.has_left(parcel, message, Manner::Buffered, number);
            return Some(Slot::Nothing);
        }
        let manner = costs::manner(self.machine, lane.operation(), sending, parcel.bytes);
        let message = self.messages.send(parcel.channel, manner, number);
        self.steps.push(Step::Send { manner, started, rank, message, parcel: number });
        self.has_left(parcel, message, manner, number);
        Some(if manner == Manner::Buffered { Slot::Nothing } else { Slot::Send(message) })
    }

    /// Whoever waits for the message can go on.
    fn has_left(&mut self, parcel: Parcel, message: u32, manner: Manner, number: u32) {
        let under_way = self.messages.get(message);
        let receiver = std::mem::replace(&mut under_way.waits, NONE);
        if under_way.is_posted && asks(manner) {
            self.steps.push(Step::Meet { manner, message, parcel: number });
        }
        self.messages.forget_if_over(message);
        let is_next = self.messages.first(parcel.channel).is_some();
        let channel = self.messages.channel(parcel);
        let prober = if is_next { std::mem::replace(&mut channel.prober, NONE) } else { NONE };
        self.agenda.extend([receiver, prober].into_iter().filter(|&who| who != NONE));
    }

    /// A receive is posted.
    fn post(&mut self, rank: u32, channel: u32) -> u32 {
        let message = self.messages.post(channel);
        self.steps.push(Step::Post { rank, message });
        let under_way = self.messages.get(message);
        if let Some((manner, parcel)) = under_way.sent.filter(|(manner, _)| asks(*manner)) {
            let sender = std::mem::replace(&mut under_way.waits, NONE);
            self.steps.push(Step::Meet { manner, message, parcel });
            self.agenda.extend((sender != NONE).then_some(sender));
        }
        message
    }

    fn receive(&mut self, rank: u32, channel: u32) -> bool {
        let first = self.messages.first(channel);
        let sent = first.and_then(|message| self.messages.get(message).sent);
        if let Some((Manner::Buffered, parcel)) = sent {
            let message = self.messages.post(channel);
            self.steps.push(Step::Receive { rank, message, parcel });
            self.messages.drop_receive(message);
            return true;
        }
        let message = self.post(rank, channel);
        self.wait_or_stay(rank, Slot::Receive(message))
    }

    /// Waits now, or when it is told to go on.
    fn wait_or_stay(&mut self, who: u32, held: Slot) -> bool {
        let goes_on = self.wait(who, held);
        if !goes_on {
            self.runners[who as usize].own = held;
        }
        goes_on
    }

    /// Waits for something that was started, if it is known when that ends.
    fn wait(&mut self, rank: u32, held: Slot) -> bool {
        match held {
            Slot::Nothing => true,
            Slot::Receive(message) => {
                let under_way = self.messages.get(message);
                let Some((manner, parcel)) = under_way.sent else {
                    under_way.waits = rank;
                    return false;
                };
                self.steps.push(Step::Take { manner, rank, message, parcel });
                self.messages.drop_receive(message);
                true
            }
            Slot::Send(message) => {
                let under_way = self.messages.get(message);
                let is_asking = under_way.sent.is_some_and(|(manner, _)| asks(manner));
                if is_asking && !under_way.is_posted {
                    under_way.waits = rank;
                    return false;
                }
                self.steps.push(Step::Await { rank, message });
                self.messages.leave(message);
                true
            }
        }
    }

    fn probe(&mut self, rank: u32, channel: u32) -> bool {
        let Some(message) = self.messages.first(channel) else {
            self.messages.channel(Parcel { channel, bytes: 0 }).prober = rank;
            self.runners[rank as usize].rank.next -= 1;
            return false;
        };
        self.steps.push(Step::Probe { rank, message });
        self.chore(rank, Chore::Poll { times: 1 });
        true
    }
}
