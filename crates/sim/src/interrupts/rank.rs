//! What ranks do: their operations, one event for each that needs the processor.

use panto_units::Time;

use super::messages::Sending;
use super::{Event, Simulation, Target};
use crate::costs;
use crate::error::Awaited;
use crate::observe::{Activity, Cause, Observer, ReceivedMessage};
use crate::program::{Code, Op, PackedOp, RemoteAccess};

/// How far a rank or helper has come.
#[derive(Debug)]
pub(super) struct RankProgress<'a> {
    ops: &'a [PackedOp],
    times: std::slice::Iter<'a, Time>,
    /// Program counter: the next operation.
    pc: u32,
    loops: Vec<Loop>,
    /// The state of its requests; the last is that of a blocking operation.
    requests: Vec<Request>,
    /// The end of what was reported last.
    pub(super) clock: Time,
    /// How many calls it has begun.
    pub(super) calls: u64,
    computations: u64,
    /// When its last request completed, in the order of events.
    pub(super) completion: u64,
    /// What it is blocked on.
    blocked: Option<Blocked>,
    is_done: bool,
}

/// A loop that a rank is in.
#[derive(Debug)]
struct Loop {
    left: u64,
    start: u32,
    exit: u32,
}

/// What a rank is blocked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocked {
    /// A request.
    Slot(u32),
    /// The arrival of a message on a channel.
    Probe(u32),
}

/// The request in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Request {
    /// None, or one that is complete.
    #[default]
    Empty,
    /// A send that completes when it is matched.
    Send { channel: u32, message: u32 },
    /// A receive whose message has not been handled.
    Receive { channel: u32 },
    /// A receive that is complete and was not waited for.
    Received(ReceivedMessage),
}

impl<'a> RankProgress<'a> {
    pub(super) fn new(code: &'a Code) -> Self {
        Self {
            ops: &code.ops,
            times: code.times.iter(),
            pc: 0,
            loops: Vec::new(),
            requests: vec![Request::Empty; code.slots as usize + 1],
            clock: Time::ZERO,
            calls: 0,
            computations: 0,
            completion: 0,
            blocked: None,
            is_done: false,
        }
    }

    /// What the rank waits for, unless it has ended.
    pub(super) fn awaits(&self) -> Option<Awaited> {
        if self.is_done {
            return None;
        }
        let wildcard = match self.ops.get(self.pc as usize).map(|op| op.unpack()) {
            Some(Op::StartWildcard { wildcard, .. } | Op::ProbeWildcard { wildcard }) => wildcard,
            _ => u32::MAX,
        };
        Some(match self.blocked {
            Some(Blocked::Probe(channel)) => Awaited::Message { channel },
            Some(Blocked::Slot(slot)) => match self.requests[slot as usize] {
                Request::Send { channel, .. } => Awaited::Receive { channel },
                Request::Receive { channel } => Awaited::Message { channel },
                Request::Empty | Request::Received(_) => Awaited::Wildcard { wildcard },
            },
            None => Awaited::Wildcard { wildcard },
        })
    }

    /// The slot of blocking operations.
    fn blocking_slot(&self) -> u32 {
        self.requests.len() as u32 - 1
    }

    /// Sets the request of a slot.
    pub(super) fn set_request(&mut self, slot: u32, request: Request) {
        self.requests[slot as usize] = request;
    }

    /// Removes and returns the request of a slot.
    pub(super) fn take_request(&mut self, slot: u32) -> Request {
        std::mem::take(&mut self.requests[slot as usize])
    }

    /// Completes the request of a slot. Returns whether the rank was blocked on it.
    pub(super) fn complete(&mut self, slot: u32) -> bool {
        self.requests[slot as usize] = Request::Empty;
        self.unblock(Blocked::Slot(slot))
    }

    /// Returns whether the rank was blocked on this, which has happened.
    pub(super) fn unblock(&mut self, on: Blocked) -> bool {
        let was = self.blocked == Some(on);
        if was {
            self.blocked = None;
        }
        was
    }

    fn repeat(&mut self, at: u32, times: u64) {
        self.loops.push(Loop { left: times, start: at, exit: self.pc });
        self.pc = at;
    }

    /// Ends an iteration of the innermost loop, or the main part.
    fn end(&mut self) {
        match self.loops.last_mut() {
            None => self.is_done = true,
            Some(innermost) if innermost.left > 1 => {
                innermost.left -= 1;
                self.pc = innermost.start;
            }
            Some(innermost) => {
                self.pc = innermost.exit;
                self.loops.pop();
            }
        }
    }
}

impl<O: Observer> Simulation<'_, O> {
    /// Executes operations of a rank until one needs time, or blocks it. `number` is that of the
    /// event, which keeps it if the processor is busy.
    pub(super) fn resume(&mut self, code: u32, number: u64) {
        while !self.ranks[code as usize].is_done {
            let rank = &mut self.ranks[code as usize];
            let Some(op) = rank.ops.get(rank.pc as usize).map(|op| op.unpack()) else {
                rank.is_done = true;
                return;
            };
            rank.pc += 1;
            if !self.execute(code, number, op) {
                return;
            }
            // What follows a wait has its turn when the request completed.
            let completion = self.ranks[code as usize].completion;
            if matches!(op, Op::Wait { .. }) && completion > number {
                return self.events.push(Event {
                    time: self.now,
                    number: completion,
                    target: Target::Rank(code),
                });
            }
        }
    }

    /// Executes an operation. Returns whether the rank proceeds at the same time.
    fn execute(&mut self, code: u32, number: u64, op: Op) -> bool {
        match op {
            Op::Send { mode, channel, bytes } => {
                let slot = self.ranks[code as usize].blocking_slot();
                self.send(code, number, Sending { mode, channel, bytes, slot, is_started: false })
            }
            Op::StartSend { mode, slot, channel, bytes } => {
                self.send(code, number, Sending { mode, channel, bytes, slot, is_started: true })
            }
            Op::Receive { channel } => {
                let slot = self.ranks[code as usize].blocking_slot();
                self.post(code, slot, channel);
                self.wait(code, slot)
            }
            Op::StartReceive { slot, channel } => {
                let overhead = costs::post_overhead(self.config.machine, self.collective(channel));
                let is_free = self.is_free(code, number, overhead);
                if is_free {
                    self.post(code, slot, channel);
                }
                is_free && self.occupy(code, Activity::Message, overhead)
            }
            Op::Wait { slot } => self.wait(code, slot),
            Op::Free { slot } => {
                self.free(code, slot);
                true
            }
            Op::Probe { channel } => self.probe(code, channel),
            Op::Repeat { at, times } => {
                self.ranks[code as usize].repeat(at, times);
                true
            }
            Op::End => {
                self.ranks[code as usize].end();
                true
            }
            // Programs with wildcards run on the time-ordered engine: here they block forever.
            Op::StartWildcard { .. } | Op::ProbeWildcard { .. } => {
                self.ranks[code as usize].pc -= 1;
                false
            }
            _ => self.work(code, number, op),
        }
    }

    /// Executes an operation that only takes time.
    fn work(&mut self, code: u32, number: u64, op: Op) -> bool {
        let machine = self.config.machine;
        let (activity, time) = match op {
            Op::Compute(time) | Op::Call { before: time, .. } => {
                (Activity::Compute, self.computation(code, time))
            }
            Op::ComputeListed | Op::CallListed { .. } => {
                let times = self.ranks[code as usize].times.as_slice();
                let time = times.first().copied().unwrap_or_default();
                (Activity::Compute, self.computation(code, time))
            }
            Op::Poll { times } => (Activity::Message, costs::poll_time(machine, times)),
            Op::Copy { bytes } => (Activity::Combine, machine.processor.copy.of(bytes)),
            Op::Reduce { bytes } => (Activity::Combine, machine.processor.reduce.of(bytes)),
            Op::Remote { access, channel, bytes } => (Activity::Access, self.remote(access, channel, bytes)),
            Op::File { bytes } => (Activity::Access, machine.storage.of(bytes)),
            _ => return true,
        };
        if !self.is_free(code, number, time) {
            return false;
        }
        let rank = &mut self.ranks[code as usize];
        if matches!(op, Op::ComputeListed | Op::CallListed { .. }) {
            rank.times.next();
        }
        rank.computations += u64::from(activity == Activity::Compute && time != Time::ZERO);
        let proceeds = self.occupy(code, activity, time);
        if let Op::Call { call, .. } | Op::CallListed { call } = op {
            self.ranks[code as usize].calls += 1;
            self.observer.call(code, call, self.now.saturating_add(time));
        }
        proceeds
    }

    /// How long a computation takes on this machine, with noise.
    fn computation(&self, code: u32, time: Time) -> Time {
        let home = self.program.home(code);
        let time = self.config.compute_scale(home).apply(time);
        let Some(noise) = self.config.noise.filter(|_| time != Time::ZERO) else { return time };
        let number = self.ranks[code as usize].computations;
        time.saturating_add(noise.delay(home, number, self.now, time))
    }

    fn remote(&self, access: RemoteAccess, channel: u32, bytes: u64) -> Time {
        let ends = self.ends_of(channel);
        costs::remote_time(self.config.machine, access, ends, bytes)
    }

    /// Returns whether the processor is free for an operation of this time. If not, the operation
    /// is tried again when it is.
    pub(super) fn is_free(&mut self, code: u32, number: u64, time: Time) -> bool {
        let free = self.processor(code).free;
        time == Time::ZERO || self.is_due(code, number, free)
    }

    /// Returns whether a time has come. If not, the operation is tried again then.
    pub(super) fn is_due(&mut self, code: u32, number: u64, time: Time) -> bool {
        if time > self.now {
            self.ranks[code as usize].pc -= 1;
            self.events.push(Event { time, number, target: Target::Rank(code) });
        }
        time <= self.now
    }

    /// Occupies the processor from now on. Returns whether the rank proceeds at once, because that
    /// takes no time.
    pub(super) fn occupy(&mut self, code: u32, activity: Activity, time: Time) -> bool {
        if time == Time::ZERO {
            return true;
        }
        let end = self.worked(code, activity, time);
        self.processor(code).free = end;
        self.schedule(end, Target::Rank(code));
        false
    }

    /// Reports that a rank works from now on. Returns until when.
    pub(super) fn worked(&mut self, code: u32, activity: Activity, time: Time) -> Time {
        self.waited(code, Cause { rank: code, at: self.now });
        let end = self.now.saturating_add(time);
        self.ranks[code as usize].clock = end;
        if time != Time::ZERO {
            self.observer.worked(code, activity, self.now, end);
        }
        end
    }

    /// Blocks the rank until the request of a slot is complete.
    pub(super) fn wait(&mut self, code: u32, slot: u32) -> bool {
        let rank = &mut self.ranks[code as usize];
        match rank.requests[slot as usize] {
            Request::Empty => {}
            Request::Received(message) => {
                rank.requests[slot as usize] = Request::Empty;
                self.observer.received(code, message);
            }
            Request::Send { .. } | Request::Receive { .. } => {
                rank.blocked = Some(Blocked::Slot(slot));
                return false;
            }
        }
        true
    }

    /// Blocks the rank until a message has arrived on a channel.
    fn probe(&mut self, code: u32, channel: u32) -> bool {
        let has_message = self.channels[channel as usize].has_unexpected();
        if !has_message {
            self.ranks[code as usize].blocked = Some(Blocked::Probe(channel));
        }
        has_message
    }
}
