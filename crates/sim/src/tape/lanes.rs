//! Goes through a tape with several settings side by side.

use panto_units::Time;

use super::price::{Price, Prices, Times};
use super::step::Step;
use super::{LANES, Played, Tape};
use crate::engine::Manner;
use crate::halt::Halted;
use crate::setting::{Pace, Setting};

/// The clocks of a rank, and what it did.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Rank {
    clock: Times,
    /// When it may put the next message on a network.
    free: Times,
    waited: Times,
    computed: Times,
}

/// What is known of a message.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Message {
    /// When its bytes are there, or the request to send them.
    arrival: Times,
    /// When its place was chosen.
    chosen: Times,
    /// When its receive was posted.
    posted: Times,
    /// When its sender can go on.
    done: Times,
}

struct Player<'t> {
    prices: Prices,
    /// How fast ranks compute in each lane; none where all compute as they did.
    paces: Vec<[Pace; LANES]>,
    tape: &'t Tape<'t>,
    ranks: Vec<Rank>,
    messages: Vec<Message>,
    /// The latest arrival.
    latest: Times,
}

/// Runs up to [`LANES`] settings. A lane that is left over does what the last one does.
pub(super) fn play(tape: &Tape<'_>, settings: &[Setting<'_>]) -> Vec<Result<Played, Halted>> {
    let mut player = Player {
        prices: Prices::new(tape, settings),
        paces: paces(tape, settings),
        tape,
        ranks: vec![Rank::default(); tape.program.codes.len()],
        messages: vec![Message::default(); tape.messages],
        latest: Times::default(),
    };
    for &step in &tape.steps {
        player.step(step);
    }
    (0..settings.len()).map(|lane| player.played(lane)).collect()
}

fn paces(tape: &Tape<'_>, settings: &[Setting<'_>]) -> Vec<[Pace; LANES]> {
    let codes = 0..tape.program.codes.len() as u32;
    let pace = |lane: usize, code: u32| settings[lane.min(settings.len() - 1)].pace(tape.program.home(code));
    let is_same = |code| (0..LANES).all(|lane| pace(lane, code) == Pace::SAME);
    if codes.clone().all(is_same) {
        return Vec::new();
    }
    codes.map(|code| std::array::from_fn(|lane| pace(lane, code))).collect()
}

#[inline]
fn each(mut act: impl FnMut(usize)) {
    (0..LANES).for_each(&mut act);
}

impl Rank {
    #[inline]
    fn work(&mut self, times: &Times) {
        each(|lane| self.clock[lane] = self.clock[lane].saturating_add(times[lane]));
    }

    #[inline]
    fn wait(&mut self, until: &Times) {
        each(|lane| {
            let later = self.clock[lane].max(until[lane]);
            self.waited[lane] += later - self.clock[lane];
            self.clock[lane] = later;
        });
    }

    /// A message leaves, not too soon after the last: its start.
    #[inline]
    fn leave(&mut self, gap: &Times) -> Times {
        let mut start = Times::default();
        each(|lane| {
            start[lane] = self.clock[lane].max(self.free[lane]);
            self.free[lane] = start[lane].saturating_add(gap[lane]);
        });
        start
    }

    /// What taking a message costs that lay there, or did not, when its receive was posted.
    #[inline]
    fn take(&mut self, price: &Price, chosen: &Times, posted: &Times) {
        each(|lane| {
            let is_early = chosen[lane] < posted[lane];
            let time = if is_early { price.unexpected[lane] } else { price.receiving[lane] };
            self.clock[lane] = self.clock[lane].saturating_add(time);
        });
    }
}

#[inline]
fn plus(a: &Times, b: &Times) -> Times {
    std::array::from_fn(|lane| a[lane].saturating_add(b[lane]))
}

impl Player<'_> {
    #[inline]
    fn step(&mut self, step: Step) {
        match step {
            Step::Compute { rank, picos } => self.compute(rank, picos),
            Step::Chore { rank, chore } => self.ranks[rank as usize].work(self.prices.chore(chore)),
            Step::Send { manner, started, rank, message, parcel } => {
                self.send(manner, started, rank, message, parcel);
            }
            Step::Tell { rank, message } => {
                self.messages[message as usize].arrival = self.ranks[rank as usize].clock;
            }
            Step::Post { rank, message } => {
                self.messages[message as usize].posted = self.ranks[rank as usize].clock;
            }
            Step::Meet { manner, message, parcel } => self.meet(manner, message, parcel),
            Step::Receive { rank, message, parcel } => {
                let (rank, message) = (&mut self.ranks[rank as usize], &self.messages[message as usize]);
                let posted = rank.clock;
                rank.wait(&message.arrival);
                rank.take(self.prices.of(parcel), &message.arrival, &posted);
            }
            Step::Take { manner, rank, message, parcel } => self.take(manner, rank, message, parcel),
            Step::Await { rank, message } => {
                self.ranks[rank as usize].wait(&self.messages[message as usize].done);
            }
            Step::Probe { rank, message } => {
                self.ranks[rank as usize].wait(&self.messages[message as usize].arrival);
            }
        }
    }

    #[inline]
    fn compute(&mut self, rank: u32, picos: u64) {
        let paces = self.paces.get(rank as usize);
        let times = paces
            .map_or([picos; LANES], |paces| paces.map(|pace| pace.of(Time::from_picos(picos)).as_picos()));
        let rank = &mut self.ranks[rank as usize];
        rank.work(&times);
        each(|lane| rank.computed[lane] = rank.computed[lane].saturating_add(times[lane]));
    }

    #[inline]
    fn send(&mut self, manner: Manner, started: bool, rank: u32, message: u32, parcel: u32) {
        let (rank, message) = (&mut self.ranks[rank as usize], &mut self.messages[message as usize]);
        let price = self.prices.of(parcel);
        rank.work(if started { &price.started } else { &price.sending });
        let start = rank.leave(&price.gap);
        match manner {
            Manner::Buffered | Manner::Synchronous => message.arrival = plus(&start, &price.arrives),
            Manner::NoSpace => {
                message.arrival = plus(&start, &price.arrives);
                message.done = message.arrival;
            }
            Manner::Handshake => {
                message.chosen = plus(&start, &price.there);
                let start = plus(&message.chosen, &price.back);
                message.done = plus(&start, &price.leaves);
                message.arrival = plus(&start, &price.arrives);
            }
            Manner::Rendezvous => message.arrival = plus(&start, &price.there),
        }
        each(|lane| self.latest[lane] = self.latest[lane].max(message.arrival[lane]));
    }

    fn meet(&mut self, manner: Manner, message: u32, parcel: u32) {
        let (price, message) = (self.prices.of(parcel), &mut self.messages[message as usize]);
        let met: Times = std::array::from_fn(|lane| message.arrival[lane].max(message.posted[lane]));
        if manner == Manner::Rendezvous {
            let start = plus(&met, &price.back);
            message.arrival = plus(&start, &price.arrives);
            message.done = plus(&start, &price.leaves);
        } else {
            message.done = met;
        }
        each(|lane| {
            let later = message.arrival[lane].max(message.done[lane]);
            self.latest[lane] = self.latest[lane].max(later);
        });
    }

    #[inline]
    fn take(&mut self, manner: Manner, rank: u32, message: u32, parcel: u32) {
        let (rank, message) = (&mut self.ranks[rank as usize], &self.messages[message as usize]);
        let price = self.prices.of(parcel);
        rank.wait(&message.arrival);
        match manner {
            // Its place is the one that was posted.
            Manner::Rendezvous => rank.work(&price.receiving),
            Manner::Handshake => rank.take(price, &message.chosen, &message.posted),
            _ => rank.take(price, &message.arrival, &message.posted),
        }
    }

    fn played(&self, lane: usize) -> Result<Played, Halted> {
        let is_over = |time: u64| time == u64::MAX;
        if is_over(self.latest[lane]) || self.ranks.iter().any(|rank| is_over(rank.clock[lane])) {
            return Err(Halted::EndOfTime);
        }
        let ranks = || self.ranks.iter().take(self.tape.program.ranks as usize);
        Ok(Played {
            ends: self.ranks.iter().map(|rank| Time::from_picos(rank.clock[lane])).collect(),
            computed: ranks().map(|rank| u128::from(rank.computed[lane])).sum(),
            waited: ranks().map(|rank| u128::from(rank.waited[lane])).sum(),
        })
    }
}
