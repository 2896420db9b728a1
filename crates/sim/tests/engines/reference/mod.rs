//! A reference simulator: PUPPET's model (P12, P13), implemented as directly as possible.
//!
//! All events are executed one by one in the order of their times. The state is a list of events,
//! lists of messages and operations, which are matched after each event, and processes that work or
//! are blocked. A processor gives each of its r working processes 1/r of its speed. No process runs
//! ahead of another. Matching scans all messages and operations after each event, so this is fit
//! for small programs only.
//!
//! It shares with the engine only the network's transfer times, so that an error in matching,
//! protocols or ordering shows up as a difference between the two.

mod buffers;
mod matching;
mod process;
mod processors;
mod sending;

use panto_machine::Machine;
use panto_sim::network::Traffic;
use panto_sim::{SendProtocol, Sharing};
use panto_units::Time;

use crate::program::{Op, Program, Run};
use buffers::Held;
use process::{Process, State};

/// The first tag that no message of a random program uses; wildcards match tags below it.
pub const RESERVED: u32 = 1_000;

/// Runs the program.
pub fn simulate(machine: &Machine, sharing: Sharing, program: &Program) -> Report {
    let mut reference = Reference::new(machine, sharing, program);
    while reference.dispatch_next() {}
    reference.report()
}

/// The outcome of a run, with the conditions under which the engine must agree.
pub struct Report {
    pub run: Run,
    /// Whether a message arrived before an earlier one between the same two ranks.
    pub overtaken: bool,
    /// The shortest non-zero time, in picoseconds, between two events of a rank whose order may
    /// affect the result.
    pub closest: u64,
    /// Whether messages of two ranks arrived at a third less than 50 ps apart.
    pub tied: bool,
}

struct Reference<'a> {
    machine: &'a Machine,
    program: &'a Program,
    traffic: Option<Traffic>,
    sharing: Sharing,
    processes: Vec<Process>,
    messages: Vec<Message>,
    operations: Vec<Operation>,
    events: Vec<(u64, Event)>,
    now: u64,
    /// Messages that take space in finite buffers, whose space it is, and the units.
    in_use: Vec<(usize, (u32, u32), u64)>,
    /// Messages without room, in the order of sending.
    held: Vec<Held>,
    overtaken: bool,
    /// Times at which messages arrived, operations completed and ranks polled, by rank.
    decision_times: Vec<Vec<u64>>,
}

/// An event of a message. Its request and clear to send are packets of the same message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    /// A packet is injected into the network.
    Departure(usize, Packet),
    /// A packet arrives.
    Arrival(usize, Packet),
    /// The data has left the sender, whose buffer is free.
    BufferFree(usize),
    /// The space of a message is returned to its sender.
    Return(usize),
    /// A message that had no room when it was sent is sent, with or without it.
    Decision(usize),
}

/// The kinds of packets of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packet {
    RequestToSend,
    ClearToSend,
    Data,
}

struct Message {
    from: u32,
    to: u32,
    tag: u32,
    bytes: u64,
    protocol: SendProtocol,
    /// The sequence number among the messages of the sender.
    sequence: u32,
    send: usize,
    receive: Option<usize>,
    /// When the receiver can match it: the arrival of its data or, in a rendezvous, of its request.
    arrived: Option<u64>,
    /// When its request to send arrived, if it has one.
    requested: Option<u64>,
    /// When its data arrived.
    data_arrived: Option<u64>,
    /// The packet in flight.
    in_flight: Packet,
}

struct Operation {
    rank: u32,
    kind: OperationKind,
    posted: u64,
    done: Option<u64>,
    unexpected: bool,
    message: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OperationKind {
    Send,
    Receive { source: Option<u32>, tag: Option<u32> },
}

impl<'a> Reference<'a> {
    fn new(machine: &'a Machine, sharing: Sharing, program: &'a Program) -> Self {
        let network = &machine.network;
        let processors = network.processors();
        let processor_of = |rank| network.map.processor(rank, processors);
        // The engine matches the messages to a rank when they are sent until its first wildcard,
        // then when they arrive. The two differ only where messages overtake each other; here a
        // rank uses one of them for its whole run.
        let is_wildcard = |op: &Op| matches!(op, Op::Receive { source: None, .. });
        Self {
            machine,
            program,
            traffic: Traffic::new(network, sharing),
            sharing,
            processes: program
                .iter()
                .enumerate()
                .map(|(rank, ops)| Process::new(processor_of(rank), ops.iter().any(is_wildcard)))
                .collect(),
            messages: Vec::new(),
            operations: Vec::new(),
            events: Vec::new(),
            now: 0,
            in_use: Vec::new(),
            held: Vec::new(),
            overtaken: false,
            decision_times: vec![Vec::new(); program.len()],
        }
    }

    /// Runs a ready process or, if there is none, the first event. Events of the same time run in
    /// this order: the network, arrivals, ends of work, polls, departures in the order of ranks,
    /// and what concerns finite buffers. Returns whether there was anything to run.
    fn dispatch_next(&mut self) -> bool {
        self.match_messages();
        if let Some(rank) = self.first_in(State::Ready) {
            self.step(rank);
            return true;
        }
        let network = self.traffic.as_mut().and_then(Traffic::next).map(Time::as_picos);
        let event = self.next_event();
        let at = |event: Option<usize>| event.map(|index| self.events[index].0);
        let times = [
            network,
            at(event.filter(|&index| self.class(index) == 0)),
            self.next_work(),
            self.first_in(State::Polling).map(|_| self.now),
            at(event.filter(|&index| self.class(index) == 1)),
            at(event.filter(|&index| self.class(index) == 2)),
        ];
        let first = (0..times.len()).filter(|&i| times[i].is_some()).min_by_key(|&i| (times[i], i));
        let Some((source, time)) = first.and_then(|source| Some((source, times[source]?))) else {
            return false;
        };
        self.advance(time);
        match (source, event) {
            (0, _) => self.advance_network(),
            (1 | 4 | 5, Some(index)) => self.handle(index),
            // `advance` has made the process ready.
            (2, _) => {}
            _ => self.resume_first_poll(),
        }
        true
    }

    /// The place of an event among those of the same time.
    fn class(&self, index: usize) -> u8 {
        match self.events[index].1 {
            Event::Arrival(..) | Event::BufferFree(_) => 0,
            Event::Departure(..) => 1,
            Event::Return(_) | Event::Decision(_) => 2,
        }
    }

    /// Returns the index of the first event.
    fn next_event(&self) -> Option<usize> {
        let key = |index: usize| {
            let (time, event) = self.events[index];
            let (Event::Departure(id, _)
            | Event::Arrival(id, _)
            | Event::BufferFree(id)
            | Event::Return(id)
            | Event::Decision(id)) = event;
            (time, self.class(index), self.messages[id].from, self.messages[id].sequence)
        };
        (0..self.events.len()).min_by_key(|&index| key(index))
    }

    fn handle(&mut self, index: usize) {
        match self.events.swap_remove(index).1 {
            Event::Departure(id, packet) => self.depart(id, packet),
            Event::Arrival(id, packet) => self.arrive(id, packet),
            Event::BufferFree(id) => self.complete(self.messages[id].send),
            Event::Return(id) => self.return_space(id),
            Event::Decision(id) => self.decide(id),
        }
    }

    /// Returns the first process in this state.
    fn first_in(&self, state: State) -> Option<usize> {
        self.processes.iter().position(|process| process.state == state)
    }

    /// Lets the first polling process see what has arrived.
    fn resume_first_poll(&mut self) {
        if let Some(rank) = self.first_in(State::Polling) {
            self.decision_times[rank].push(self.now);
            self.processes[rank].state = State::Ready;
        }
    }

    /// Completes an operation and unblocks the process that waits for it.
    fn complete(&mut self, id: usize) {
        let operation = &mut self.operations[id];
        operation.done = Some(self.now);
        self.decision_times[operation.rank as usize].push(self.now);
        let process = &mut self.processes[operation.rank as usize];
        if process.state == State::Blocked(id) {
            process.state = State::Ready;
        }
    }

    /// Returns whether messages of two ranks arrived at a third less than 50 ps apart.
    fn tied(&self) -> bool {
        let close =
            |a: &Message, b: &Message| a.arrived.zip(b.arrived).is_some_and(|(a, b)| a.abs_diff(b) < 50);
        let tied = |a: &Message, b: &Message| a.to == b.to && a.from != b.from && close(a, b);
        self.messages.iter().any(|a| self.messages.iter().any(|b| tied(a, b)))
    }

    fn report(self) -> Report {
        let tied = self.tied();
        let gaps = |mut times: Vec<u64>| {
            times.sort_unstable();
            times.windows(2).map(|pair| pair[1] - pair[0]).filter(|&gap| gap > 0).min()
        };
        let closest = self.decision_times.into_iter().filter_map(gaps).min().unwrap_or(u64::MAX);
        let exits = self.processes.iter().map(|process| process.exit.map(Time::from_picos)).collect();
        let observations = self.processes.into_iter().map(|process| process.observations).collect();
        Report { run: Run { exits, observations }, overtaken: self.overtaken, closest, tied }
    }
}
