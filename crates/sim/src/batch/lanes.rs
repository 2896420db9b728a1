//! Runs a recording on several machines side by side.

use panto_units::Time;

use super::cost::{CostTable, MessageCost, Times};
use super::step::Step;
use super::{LANES, LaneResult, Recording};
use crate::config::{ComputeScale, RunConfig};
use crate::engine::SendProtocol;
use crate::error::RunError;

/// The clocks of a rank, and where its time went.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Rank {
    clock: Times,
    /// When the rank may inject the next message.
    injection_free: Times,
    waited: Times,
    computed: Times,
}

/// The times of a message.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Message {
    /// When its data has arrived, or the request to send it.
    arrival: Times,
    /// When its buffer was chosen: if before the receive was posted, it was unexpected.
    buffer_chosen: Times,
    /// When its receive was posted.
    posted: Times,
    /// When its send completes.
    done: Times,
}

/// A recording that is being run on several machines.
struct Playback<'t> {
    costs: CostTable,
    /// The compute scale of each rank and lane; empty if all are one.
    scales: Vec<[ComputeScale; LANES]>,
    recording: &'t Recording<'t>,
    ranks: Vec<Rank>,
    messages: Vec<Message>,
    /// The latest arrival, to detect overflow of virtual time.
    latest: Times,
}

/// Runs up to [`LANES`] configurations. Unused lanes repeat the last one.
pub(super) fn run(recording: &Recording<'_>, configs: &[RunConfig<'_>]) -> Vec<Result<LaneResult, RunError>> {
    let mut playback = Playback {
        costs: CostTable::new(recording, configs),
        scales: scales(recording, configs),
        recording,
        ranks: vec![Rank::default(); recording.program.codes.len()],
        messages: vec![Message::default(); recording.messages],
        latest: Times::default(),
    };
    for &step in &recording.steps {
        playback.step(step);
    }
    (0..configs.len()).map(|lane| playback.result(lane)).collect()
}

fn scales(recording: &Recording<'_>, configs: &[RunConfig<'_>]) -> Vec<[ComputeScale; LANES]> {
    let codes = 0..recording.program.codes.len() as u32;
    let scale = |lane: usize, code: u32| {
        configs[lane.min(configs.len() - 1)].compute_scale(recording.program.home(code))
    };
    let is_same = |code| (0..LANES).all(|lane| scale(lane, code) == ComputeScale::ONE);
    if codes.clone().all(is_same) {
        return Vec::new();
    }
    codes.map(|code| std::array::from_fn(|lane| scale(lane, code))).collect()
}

#[inline]
fn for_each_lane(mut act: impl FnMut(usize)) {
    (0..LANES).for_each(&mut act);
}

impl Rank {
    #[inline]
    fn work(&mut self, times: &Times) {
        for_each_lane(|lane| self.clock[lane] = self.clock[lane].saturating_add(times[lane]));
    }

    #[inline]
    fn wait(&mut self, until: &Times) {
        for_each_lane(|lane| {
            let later = self.clock[lane].max(until[lane]);
            self.waited[lane] += later - self.clock[lane];
            self.clock[lane] = later;
        });
    }

    /// Injects a message, not before the gap after the previous one has passed. Returns when.
    #[inline]
    fn inject(&mut self, gap: &Times) -> Times {
        let mut start = Times::default();
        for_each_lane(|lane| {
            start[lane] = self.clock[lane].max(self.injection_free[lane]);
            self.injection_free[lane] = start[lane].saturating_add(gap[lane]);
        });
        start
    }

    /// Charges the overhead of a received message, which depends on whether it was unexpected.
    #[inline]
    fn finish_receive(&mut self, cost: &MessageCost, buffer_chosen: &Times, posted: &Times) {
        for_each_lane(|lane| {
            let is_early = buffer_chosen[lane] < posted[lane];
            let time = if is_early { cost.unexpected[lane] } else { cost.receiving[lane] };
            self.clock[lane] = self.clock[lane].saturating_add(time);
        });
    }
}

#[inline]
fn add(a: &Times, b: &Times) -> Times {
    std::array::from_fn(|lane| a[lane].saturating_add(b[lane]))
}

impl Playback<'_> {
    #[inline]
    fn step(&mut self, step: Step) {
        match step {
            Step::Compute { rank, picos } => self.compute(rank, picos),
            Step::LocalOp { rank, local_op } => self.ranks[rank as usize].work(self.costs.local_op(local_op)),
            Step::Send { protocol, started, rank, message, spec } => {
                self.send(protocol, started, rank, message, spec);
            }
            Step::Signal { rank, message } => {
                self.messages[message as usize].arrival = self.ranks[rank as usize].clock;
            }
            Step::Post { rank, message } => {
                self.messages[message as usize].posted = self.ranks[rank as usize].clock;
            }
            Step::Match { protocol, message, spec } => self.match_receive(protocol, message, spec),
            Step::Receive { rank, message, spec } => {
                let (rank, message) = (&mut self.ranks[rank as usize], &self.messages[message as usize]);
                let posted = rank.clock;
                rank.wait(&message.arrival);
                rank.finish_receive(self.costs.of(spec), &message.arrival, &posted);
            }
            Step::CompleteReceive { protocol, rank, message, spec } => {
                self.complete_receive(protocol, rank, message, spec);
            }
            Step::CompleteSend { rank, message } => {
                self.ranks[rank as usize].wait(&self.messages[message as usize].done);
            }
            Step::Probe { rank, message } => {
                self.ranks[rank as usize].wait(&self.messages[message as usize].arrival);
            }
        }
    }

    #[inline]
    fn compute(&mut self, rank: u32, picos: u64) {
        let scales = self.scales.get(rank as usize);
        let times = scales.map_or([picos; LANES], |scales| {
            scales.map(|scale| scale.apply(Time::from_picos(picos)).as_picos())
        });
        let rank = &mut self.ranks[rank as usize];
        rank.work(&times);
        for_each_lane(|lane| rank.computed[lane] = rank.computed[lane].saturating_add(times[lane]));
    }

    #[inline]
    fn send(&mut self, protocol: SendProtocol, started: bool, rank: u32, message: u32, spec: u32) {
        let (rank, message) = (&mut self.ranks[rank as usize], &mut self.messages[message as usize]);
        let cost = self.costs.of(spec);
        rank.work(if started { &cost.started } else { &cost.sending });
        let start = rank.inject(&cost.gap);
        match protocol {
            SendProtocol::Buffered | SendProtocol::LimitedBuffer | SendProtocol::Synchronous => {
                message.arrival = add(&start, &cost.arrives);
            }
            SendProtocol::NoSpace => {
                message.arrival = add(&start, &cost.arrives);
                message.done = message.arrival;
            }
            SendProtocol::Handshake | SendProtocol::BufferedHandshake => {
                message.buffer_chosen = add(&start, &cost.rts);
                let start = add(&message.buffer_chosen, &cost.cts);
                message.done = add(&start, &cost.leaves);
                message.arrival = add(&start, &cost.arrives);
            }
            SendProtocol::Rendezvous => message.arrival = add(&start, &cost.rts),
        }
        for_each_lane(|lane| self.latest[lane] = self.latest[lane].max(message.arrival[lane]));
    }

    fn match_receive(&mut self, protocol: SendProtocol, message: u32, spec: u32) {
        let (cost, message) = (self.costs.of(spec), &mut self.messages[message as usize]);
        let matched: Times = std::array::from_fn(|lane| message.arrival[lane].max(message.posted[lane]));
        if protocol == SendProtocol::Rendezvous {
            let start = add(&matched, &cost.cts);
            message.arrival = add(&start, &cost.arrives);
            message.done = add(&start, &cost.leaves);
        } else {
            message.done = matched;
        }
        for_each_lane(|lane| {
            let later = message.arrival[lane].max(message.done[lane]);
            self.latest[lane] = self.latest[lane].max(later);
        });
    }

    #[inline]
    fn complete_receive(&mut self, protocol: SendProtocol, rank: u32, message: u32, spec: u32) {
        let (rank, message) = (&mut self.ranks[rank as usize], &self.messages[message as usize]);
        let cost = self.costs.of(spec);
        rank.wait(&message.arrival);
        match protocol {
            // The data of a rendezvous goes to the posted buffer.
            SendProtocol::Rendezvous => rank.work(&cost.receiving),
            SendProtocol::Handshake | SendProtocol::BufferedHandshake => {
                rank.finish_receive(cost, &message.buffer_chosen, &message.posted);
            }
            _ => rank.finish_receive(cost, &message.arrival, &message.posted),
        }
    }

    fn result(&self, lane: usize) -> Result<LaneResult, RunError> {
        let is_over = |time: u64| time == u64::MAX;
        if is_over(self.latest[lane]) || self.ranks.iter().any(|rank| is_over(rank.clock[lane])) {
            return Err(RunError::TimeOverflow);
        }
        let ranks = || self.ranks.iter().take(self.recording.program.ranks as usize);
        Ok(LaneResult {
            ends: self.ranks.iter().map(|rank| Time::from_picos(rank.clock[lane])).collect(),
            computed: ranks().map(|rank| u128::from(rank.computed[lane])).sum(),
            waited: ranks().map(|rank| u128::from(rank.waited[lane])).sum(),
        })
    }
}
