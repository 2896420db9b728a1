//! A second implementation of `LogGOPSim`'s algorithm (Hoefler, Schneider and Lumsdaine 2010), as
//! naive as possible: a list of events, executed one by one in the order of time.
//!
//! It works on the dependency graphs of a schedule, while Panto converts the schedule to a trace
//! and replays that.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::fmt::Write as _;

/// The parameters of `LogGOPS`, in nanoseconds and bytes.
#[derive(Debug, Clone, Copy)]
pub struct Parameters {
    pub latency: u64,
    pub overhead: u64,
    pub gap: u64,
    pub gap_per_byte: u64,
    pub overhead_per_byte: u64,
    pub eager_limit: u64,
}

/// The defaults of `LogGOPSim`.
pub const DEFAULTS: Parameters = Parameters {
    latency: 2_500,
    overhead: 1_500,
    gap: 1_000,
    gap_per_byte: 6,
    overhead_per_byte: 0,
    eager_limit: 65_535,
};

/// What a vertex of a schedule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Computes, for this many nanoseconds.
    Compute(u64),
    Send {
        to: usize,
        bytes: u64,
        tag: u32,
    },
    Receive {
        from: usize,
        bytes: u64,
        tag: u32,
    },
}

/// A vertex of a schedule, with the vertices of the same rank that must be done before.
#[derive(Debug, Clone)]
pub struct Vertex {
    pub action: Action,
    pub requires: Vec<usize>,
}

/// The vertices of each rank.
pub type Schedule = Vec<Vec<Vertex>>;

/// Writes a schedule in GOAL.
pub fn goal(schedule: &Schedule) -> String {
    let mut text = format!("num_ranks {}\n", schedule.len());
    for (rank, vertices) in schedule.iter().enumerate() {
        let _ = writeln!(text, "rank {rank} {{");
        for (number, vertex) in vertices.iter().enumerate() {
            let _ = match vertex.action {
                Action::Compute(time) => writeln!(text, "v{number}: calc {time}"),
                Action::Send { to, bytes, tag } => {
                    writeln!(text, "v{number}: send {bytes}b to {to} tag {tag}")
                }
                Action::Receive { from, bytes, tag } => {
                    writeln!(text, "v{number}: recv {bytes}b from {from} tag {tag}")
                }
            };
            for earlier in &vertex.requires {
                let _ = writeln!(text, "v{number} requires v{earlier}");
            }
        }
        text += "}\n";
    }
    text
}

/// Runs a schedule. Returns when the processor of each rank is free for good, in nanoseconds.
pub fn simulate(schedule: &Schedule, parameters: Parameters) -> Vec<u64> {
    let mut simulation = Simulation::new(schedule, parameters);
    while let Some(Reverse((time, number, event))) = simulation.events.pop() {
        match event {
            Event::Vertex(rank, vertex) => simulation.execute(time, number, rank, vertex),
            Event::Message(id) => simulation.arrive(time, number, id),
        }
    }
    assert!(simulation.missing.iter().flatten().all(|missing| *missing == DONE), "not all are done");
    simulation.processor_free
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Vertex(usize, usize),
    Message(usize),
}

struct Message {
    from: usize,
    sender: usize,
    to: usize,
    bytes: u64,
    tag: u32,
}

/// Marks a vertex that is done.
const DONE: usize = usize::MAX;

struct Simulation<'a> {
    schedule: &'a Schedule,
    parameters: Parameters,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    numbered: u64,
    /// How many vertices each vertex waits for.
    missing: Vec<Vec<usize>>,
    processor_free: Vec<u64>,
    injection_free: Vec<u64>,
    ejection_free: Vec<u64>,
    messages: Vec<Message>,
    /// Messages without a receive, by receiver, sender and tag.
    unexpected: HashMap<(usize, usize, u32), VecDeque<usize>>,
    /// Receives without a message, likewise.
    posted: HashMap<(usize, usize, u32), VecDeque<usize>>,
}

impl<'a> Simulation<'a> {
    fn new(schedule: &'a Schedule, parameters: Parameters) -> Self {
        let ranks = schedule.len();
        let missing = |vertices: &Vec<Vertex>| vertices.iter().map(|vertex| vertex.requires.len()).collect();
        let mut simulation = Self {
            schedule,
            parameters,
            events: BinaryHeap::new(),
            numbered: 0,
            missing: schedule.iter().map(missing).collect(),
            processor_free: vec![0; ranks],
            injection_free: vec![0; ranks],
            ejection_free: vec![0; ranks],
            messages: Vec::new(),
            unexpected: HashMap::new(),
            posted: HashMap::new(),
        };
        for (rank, vertices) in schedule.iter().enumerate() {
            for (number, vertex) in vertices.iter().enumerate() {
                if vertex.requires.is_empty() {
                    simulation.push(0, Event::Vertex(rank, number));
                }
            }
        }
        simulation
    }

    fn push(&mut self, time: u64, event: Event) {
        self.numbered += 1;
        self.events.push(Reverse((time, self.numbered, event)));
    }

    fn execute(&mut self, time: u64, number: u64, rank: usize, vertex: usize) {
        let Parameters { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager_limit } =
            self.parameters;
        let free = match self.schedule[rank][vertex].action {
            Action::Compute(_) => self.processor_free[rank],
            Action::Send { .. } => self.processor_free[rank].max(self.injection_free[rank]),
            Action::Receive { .. } => 0,
        };
        if free > time {
            return self.events.push(Reverse((free, number, Event::Vertex(rank, vertex))));
        }
        match self.schedule[rank][vertex].action {
            Action::Compute(length) => {
                self.processor_free[rank] = time + length;
                self.done(rank, vertex);
            }
            Action::Send { to, bytes, tag } => {
                self.processor_free[rank] = time + overhead + (bytes - 1) * overhead_per_byte;
                self.injection_free[rank] = time + gap + (bytes - 1) * gap_per_byte;
                self.messages.push(Message { from: rank, sender: vertex, to, bytes, tag });
                self.push(time + overhead + latency, Event::Message(self.messages.len() - 1));
                if bytes <= eager_limit {
                    self.done(rank, vertex);
                }
            }
            Action::Receive { from, tag, .. } => {
                let key = (rank, from, tag);
                match self.unexpected.get_mut(&key).and_then(VecDeque::pop_front) {
                    Some(id) => self.matched(time, id, vertex),
                    None => self.posted.entry(key).or_default().push_back(vertex),
                }
            }
        }
    }

    fn arrive(&mut self, time: u64, number: u64, id: usize) {
        let Parameters { overhead, gap, gap_per_byte, overhead_per_byte, .. } = self.parameters;
        let Message { from, to, bytes, tag, .. } = self.messages[id];
        let free = self.processor_free[to].max(self.ejection_free[to]);
        if free > time {
            return self.events.push(Reverse((free, number, Event::Message(id))));
        }
        self.processor_free[to] = time + overhead + (bytes - 1) * gap_per_byte.max(overhead_per_byte);
        self.ejection_free[to] = time + gap + (bytes - 1) * gap_per_byte;
        let key = (to, from, tag);
        match self.posted.get_mut(&key).and_then(VecDeque::pop_front) {
            Some(vertex) => self.matched(time, id, vertex),
            None => self.unexpected.entry(key).or_default().push_back(id),
        }
    }

    fn matched(&mut self, time: u64, id: usize, receive: usize) {
        let Message { from, sender, to, bytes, .. } = self.messages[id];
        if bytes > self.parameters.eager_limit {
            self.processor_free[from] = self.processor_free[from].max(time);
            self.injection_free[from] = self.injection_free[from].max(time);
            self.done(from, sender);
        }
        self.done(to, receive);
    }

    /// Schedules what depends on a vertex alone.
    fn done(&mut self, rank: usize, vertex: usize) {
        self.missing[rank][vertex] = DONE;
        for later in 0..self.schedule[rank].len() {
            let Vertex { action, requires } = &self.schedule[rank][later];
            if !requires.contains(&vertex) {
                continue;
            }
            self.missing[rank][later] -= 1;
            if self.missing[rank][later] == 0 {
                let free = self.processor_free[rank];
                let is_send = matches!(action, Action::Send { .. });
                let free = if is_send { free.max(self.injection_free[rank]) } else { free };
                self.push(free, Event::Vertex(rank, later));
            }
        }
    }
}
