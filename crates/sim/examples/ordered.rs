//! Measures the time-ordered engine: messages per second of a halo exchange in three dimensions.
//! Prints the best of several runs and, in parentheses, the median.
//!
//! Usage: `cargo run --release -p panto-sim --example ordered [side [rounds [switching]]]`.

use std::time::Instant;

use panto_machine::{Cost, Machine, Network, PerByte, Switching, Topology};
use panto_sim::observe::NoObserver;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_sim::{RunConfig, Sharing, ordered};
use panto_units::Time;

const NEIGHBOURS: u32 = 6;
const BYTES: u64 = 1024;
const REPETITIONS: usize = 5;

fn main() {
    let number = |nth| std::env::args().nth(nth).and_then(|number| number.parse().ok());
    let (side, rounds) = (number(1).unwrap_or(16), u64::from(number(2).unwrap_or(100)));
    let only = std::env::args().nth(3);
    let program = halo(side, rounds);
    let messages = u64::from(program.ranks * NEIGHBOURS) * rounds;
    println!("{} ranks, {messages} messages", program.ranks);
    let switchings = [
        ("fast", Sharing::None, Switching::Packet),
        ("packet", Sharing::Links, Switching::Packet),
        ("cut-through", Sharing::Links, Switching::CutThrough { header: 8 }),
        ("circuit", Sharing::Links, Switching::Circuit { control: 8 }),
        ("wormhole", Sharing::Links, Switching::Wormhole { flit: 16 }),
        ("flow", Sharing::Links, Switching::Flow { header: 8 }),
    ];
    for (name, model, switching) in switchings {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let machine = torus(side, switching);
        let config = RunConfig { machine: &machine, sharing: model, compute_scales: &[], noise: None };
        let mut rates = [0.0; REPETITIONS];
        let mut end = Time::ZERO;
        for rate in &mut rates {
            let start = Instant::now();
            let ends = ordered::run(&program, &config, &mut NoObserver).expect("the program ends");
            *rate = messages as f64 / start.elapsed().as_secs_f64() / 1e6;
            end = ends.into_iter().max().unwrap_or_default();
        }
        rates.sort_by(f64::total_cmp);
        let (best, median) = (rates[REPETITIONS - 1], rates[REPETITIONS / 2]);
        println!("  {name:12} {best:6.2} ({median:.2}) million messages a second; {end} of simulated time");
    }
}

fn torus(side: u32, switching: Switching) -> Machine {
    let link = Cost::line(Time::from_nanos(100), PerByte::from_secs(1e-9).expect("a rate"));
    let topology = Topology::torus(&[side.into(); 3]).expect("a torus");
    let mut network =
        Network { setup: Cost::constant(Time::from_nanos(20)), ..Network::plain(topology, switching, link) };
    network.overheads.send = Cost::constant(Time::from_nanos(50));
    network.overheads.receive = Cost::constant(Time::from_nanos(50));
    Machine::plain("torus", network)
}

/// Returns a program in which each rank starts six receives and six sends and waits for all of
/// them; between rounds it computes.
fn halo(side: u32, rounds: u64) -> Program {
    let ranks = side.pow(3);
    let place = |rank: u32| [rank / side / side, rank / side % side, rank % side];
    let neighbour = |rank: u32, nth: u32| {
        let mut at = place(rank);
        let step = if nth.is_multiple_of(2) { 1 } else { side - 1 };
        let coordinate = &mut at[nth as usize / 2];
        *coordinate = (*coordinate + step) % side;
        (at[0] * side + at[1]) * side + at[2]
    };
    // The n-th channel of a rank comes from its n-th neighbour, which sends in the opposite
    // direction.
    let all = (0..ranks).flat_map(|to| (0..NEIGHBOURS).map(move |nth| (to, nth)));
    let channels = all
        .map(|(to, nth)| Channel {
            from: neighbour(to, nth),
            to,
            match_key: nth,
            kind: ChannelKind::PointToPoint,
        })
        .collect();
    let code = |rank: u32| {
        let receives =
            (0..NEIGHBOURS).map(|nth| Op::StartReceive { slot: nth, channel: rank * NEIGHBOURS + nth });
        let sends = (0..NEIGHBOURS).map(|nth| Op::StartSend {
            mode: SendMode::Standard,
            slot: NEIGHBOURS + nth,
            channel: neighbour(rank, nth) * NEIGHBOURS + (nth ^ 1),
            bytes: BYTES,
        });
        let waits = (0..2 * NEIGHBOURS).map(|slot| Op::Wait { slot });
        let compute = Op::Compute(Time::from_nanos(1_000 + u64::from(rank * 7919 % 100)));
        let body = std::iter::once(compute).chain(receives).chain(sends).chain(waits);
        let main = [Op::Repeat { at: 2, times: rounds }, Op::End];
        let ops = main.into_iter().chain(body).chain([Op::End]).map(PackedOp::from).collect();
        Code { ops, times: Vec::new(), slots: 2 * NEIGHBOURS }
    };
    Program { codes: (0..ranks).map(code).collect(), ranks, channels, ..Program::default() }
}
