//! Measures networks with shared links: messages per second, without an engine.
//!
//! Usage: `cargo run --release -p panto-sim --example traffic [rounds [switching]]`.

use std::time::Instant;

use panto_machine::{Cost, Network, PerByte, Sharing, Switching, Topology};
use panto_sim::network::{Injected, Traffic, Transfer};
use panto_units::Time;

const SIDE: u32 = 32;

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(200);
    let patterns: [(&str, Pattern); 4] = [
        ("halo exchange, all at once", &halo),
        ("halo exchange, one after the other", &|rank, round| {
            halo(rank, round).map(|(transfer, _)| (transfer, rank.into()))
        }),
        ("to (+5, +3), one after the other", &|rank, round| {
            shift(rank, round).map(|(transfer, _)| (transfer, rank.into()))
        }),
        ("to a random rank, at a random time", &random),
    ];
    let switchings = [
        ("packet", Switching::Packet),
        ("cut-through", Switching::CutThrough { header: 8 }),
        ("circuit", Switching::Circuit { control: 8 }),
        ("wormhole", Switching::Wormhole { flit: 16 }),
        ("flow", Switching::Flow { header: 8 }),
    ];
    let only = std::env::args().nth(2);
    for (name, pattern) in patterns {
        println!("{name}:");
        for (kind, switching) in switchings {
            if only.as_ref().is_some_and(|only| only != kind) {
                continue;
            }
            let start = Instant::now();
            let (messages, end) = run(&torus(switching), pattern, rounds);
            let rate = f64::from(messages) / start.elapsed().as_secs_f64() / 1e6;
            println!("  {kind:12} {rate:6.2} million messages a second; {end} of simulated time");
        }
    }
}

fn torus(switching: Switching) -> Network {
    let topology = Topology::torus(&[SIDE.into(), SIDE.into()]).expect("a torus");
    let link = Cost::line(Time::from_nanos(100), PerByte::from_secs(1e-9).expect("a rate"));
    Network { setup: Cost::constant(Time::from_nanos(20)), ..Network::plain(topology, switching, link) }
}

/// What a rank sends in a round, and how many nanoseconds after its start.
type Pattern<'a> = &'a dyn Fn(u32, u64) -> [(Transfer, u64); 4];

fn transfer(from: u32, rows: u32, columns: u32, bytes: u64) -> Transfer {
    let (row, column) = (from / SIDE, from % SIDE);
    Transfer { from, to: (row + rows) % SIDE * SIDE + (column + columns) % SIDE, bytes }
}

fn halo(rank: u32, _: u64) -> [(Transfer, u64); 4] {
    [(0, 1), (1, 0), (0, SIDE - 1), (SIDE - 1, 0)]
        .map(|(rows, columns)| (transfer(rank, rows, columns, 1024), 0))
}

fn shift(rank: u32, _: u64) -> [(Transfer, u64); 4] {
    [1024, 512, 2048, 100].map(|bytes| (transfer(rank, 5, 3, bytes), 0))
}

fn random(rank: u32, round: u64) -> [(Transfer, u64); 4] {
    [0, 1, 2, 3].map(|i| {
        let random = ((u64::from(rank) << 2 | i) << 32 | round).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let random = (random ^ random >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16;
        (
            transfer(rank, random as u32 % SIDE, (random >> 10) as u32 % SIDE, random >> 20 & 4095),
            random >> 32 & 0xffff,
        )
    })
}

/// Runs rounds, each of which begins when all messages of the previous one have arrived.
fn run(network: &Network, pattern: Pattern, rounds: u64) -> (u32, Time) {
    let mut traffic = Traffic::new(network, Sharing::Links).expect("links are shared");
    let (mut messages, mut start) = (0, Time::ZERO);
    for round in 0..rounds {
        let mut transfers: Vec<(u64, Transfer)> = (0..SIDE * SIDE)
            .flat_map(|rank| pattern(rank, round))
            .map(|(transfer, after)| (after, transfer))
            .collect();
        transfers.sort_by_key(|(after, _)| *after);
        let mut end = start;
        for (after, transfer) in transfers {
            let now = start + Time::from_nanos(after);
            messages += 1;
            if let Injected::Scheduled(passage) = traffic.inject(now, messages, transfer) {
                end = end.max(passage.arrived);
            }
            if traffic.next().is_some_and(|next| next < now) {
                traffic.advance(now, &mut |_, passage| end = end.max(passage.arrived));
            }
        }
        while let Some(now) = traffic.next() {
            traffic.advance(now, &mut |_, passage| end = end.max(passage.arrived));
        }
        start = end;
    }
    (messages, start)
}
