//! PUPPET's simulator (P12, P13), slow and plain: everything happens in the order of time, one thing after the other.
//!
//! A list of events; messages that wait for a receive and receives that wait for a message, matched after each event; processes
//! that are blocked or work; processors that give each of r working processes 1/r of themselves. Nobody runs ahead. It
//! shares with the engine what a message takes on its way, and nothing else.

mod matching;
mod process;
mod processors;
mod sending;

use panto_machine::Machine;
use panto_sim::network::Traffic;
use panto_sim::{Manner, Model};
use panto_units::Time;

use crate::program::{Op, Program, Run};
use process::{Process, State};

/// Runs the program.
pub fn simulate(machine: &Machine, model: Model, program: &Program) -> Report {
    let mut reference = Reference::new(machine, model, program);
    while reference.something_happens() {}
    reference.report()
}

/// How it went.
pub struct Report {
    pub run: Run,
    /// Did a message arrive before an earlier one from the same rank to the same?
    pub overtaken: bool,
    /// The least time between two things of which the first decides, that is not 0.
    pub closest: u64,
    /// Did messages of two ranks come to a third at the same moment, or nearly?
    pub tied: bool,
}

struct Reference<'a> {
    machine: &'a Machine,
    program: &'a Program,
    traffic: Option<Traffic>,
    processes: Vec<Process>,
    messages: Vec<Message>,
    operations: Vec<Operation>,
    events: Vec<(u64, Event)>,
    now: u64,
    overtaken: bool,
    /// When messages came, operations were complete and ranks asked, by rank.
    decisive: Vec<Vec<u64>>,
}

/// What happens, of a message. Requests and grants are messages too, on the way of the message that they are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    /// A part of it goes on the network.
    Departs(usize, Part),
    /// That part is there.
    Arrives(usize, Part),
    /// Its data has left the sender.
    Leaves(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Request,
    Grant,
    Data,
}

struct Message {
    from: u32,
    to: u32,
    tag: u32,
    bytes: u64,
    manner: Manner,
    /// Counts the messages of the sender.
    number: u32,
    send: usize,
    receive: Option<usize>,
    /// When the receiver can know of it.
    came: Option<u64>,
    /// When its request to send came, if it made one.
    asked: Option<u64>,
    /// When its data is there.
    data: Option<u64>,
    /// What is on the network.
    under_way: Part,
}

struct Operation {
    rank: u32,
    kind: Kind,
    posted: u64,
    done: Option<u64>,
    unexpected: bool,
    message: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Send,
    Receive { source: Option<u32>, tag: Option<u32> },
}

impl<'a> Reference<'a> {
    fn new(machine: &'a Machine, model: Model, program: &'a Program) -> Self {
        let network = &machine.network;
        let processors = network.processors();
        let place = |rank| network.map.processor(rank, processors);
        // Before its first wild card a rank's messages may be matched when they are sent; after it, when they come. There is
        // a difference only where messages overtake each other; then no rank here may do both.
        let wild = |op: &Op| matches!(op, Op::Receive { source: None, .. });
        Self {
            machine,
            program,
            traffic: (model == Model::Traffic).then(|| Traffic::new(network)),
            processes: program
                .iter()
                .enumerate()
                .map(|(rank, ops)| Process::new(place(rank), ops.iter().any(wild)))
                .collect(),
            messages: Vec::new(),
            operations: Vec::new(),
            events: Vec::new(),
            now: 0,
            overtaken: false,
            decisive: vec![Vec::new(); program.len()],
        }
    }

    /// What can be done now is done, then what comes first in time. At one moment: what the network does, arrivals,
    /// work, those who ask what has come, and then the departures of all, in the order of their ranks.
    fn something_happens(&mut self) -> bool {
        self.match_messages();
        if let Some(rank) = self.first_in(State::Ready) {
            self.step(rank);
            return true;
        }
        let inside = self.traffic.as_mut().and_then(Traffic::next).map(Time::as_picos);
        let event = self.next_event();
        let at = |event: Option<usize>| event.map(|place| self.events[place].0);
        let times = [
            inside,
            at(event.filter(|&place| !self.departs(place))),
            self.next_work(),
            self.first_in(State::Asking).map(|_| self.now),
            at(event.filter(|&place| self.departs(place))),
        ];
        let first = (0..times.len()).filter(|&i| times[i].is_some()).min_by_key(|&i| (times[i], i));
        let Some((what, time)) = first.and_then(|what| Some((what, times[what]?))) else { return false };
        self.advance(time);
        match (what, event) {
            (0, _) => self.network_acts(),
            (1 | 4, Some(place)) => self.handle(place),
            // Work that is done was seen while time advanced.
            (2, _) => {}
            _ => self.first_may_ask(),
        }
        true
    }

    fn departs(&self, place: usize) -> bool {
        matches!(self.events[place].1, Event::Departs(..))
    }

    fn next_event(&self) -> Option<usize> {
        let key = |place: usize| {
            let (time, event) = self.events[place];
            let (Event::Departs(id, _) | Event::Arrives(id, _) | Event::Leaves(id)) = event;
            (time, self.departs(place), self.messages[id].from, self.messages[id].number)
        };
        (0..self.events.len()).min_by_key(|&place| key(place))
    }

    fn handle(&mut self, place: usize) {
        match self.events.swap_remove(place).1 {
            Event::Departs(id, part) => self.depart(id, part),
            Event::Arrives(id, part) => self.arrive(id, part),
            Event::Leaves(id) => self.complete(self.messages[id].send),
        }
    }

    fn first_in(&self, state: State) -> Option<usize> {
        self.processes.iter().position(|process| process.state == state)
    }

    fn first_may_ask(&mut self) {
        if let Some(rank) = self.first_in(State::Asking) {
            self.decisive[rank].push(self.now);
            self.processes[rank].state = State::Ready;
        }
    }

    /// An operation is complete; its process is no longer blocked by it.
    fn complete(&mut self, id: usize) {
        let operation = &mut self.operations[id];
        operation.done = Some(self.now);
        self.decisive[operation.rank as usize].push(self.now);
        let process = &mut self.processes[operation.rank as usize];
        if process.state == State::Blocked(id) {
            process.state = State::Ready;
        }
    }

    fn tied(&self) -> bool {
        let close = |a: &Message, b: &Message| a.came.zip(b.came).is_some_and(|(a, b)| a.abs_diff(b) < 50);
        let tied = |a: &Message, b: &Message| a.to == b.to && a.from != b.from && close(a, b);
        self.messages.iter().any(|a| self.messages.iter().any(|b| tied(a, b)))
    }

    fn report(self) -> Report {
        let tied = self.tied();
        let gaps = |mut times: Vec<u64>| {
            times.sort_unstable();
            times.windows(2).map(|pair| pair[1] - pair[0]).filter(|&gap| gap > 0).min()
        };
        let closest = self.decisive.into_iter().filter_map(gaps).min().unwrap_or(u64::MAX);
        let exits = self.processes.iter().map(|process| process.exit.map(Time::from_picos)).collect();
        let saw = self.processes.into_iter().map(|process| process.saw).collect();
        Report { run: Run { exits, saw }, overtaken: self.overtaken, closest, tied }
    }
}
