//! How many messages a second a network with shared links carries, without an engine.
//!
//! `cargo run --release -p panto-sim --example traffic [rounds [switching]]`

use std::time::Instant;

use panto_machine::{Cost, Network, PerByte, Switching, Topology};
use panto_sim::network::{Carried, Load, Traffic};
use panto_units::Time;

const SIDE: u32 = 32;

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(200);
    let patterns: [(&str, Pattern); 4] = [
        ("halo exchange, all at once", &halo),
        ("halo exchange, one after the other", &|rank, round| {
            halo(rank, round).map(|(load, _)| (load, rank.into()))
        }),
        ("to (+5, +3), one after the other", &|rank, round| {
            shift(rank, round).map(|(load, _)| (load, rank.into()))
        }),
        ("to anybody, at any time", &anybody),
    ];
    let switchings = [
        ("packet", Switching::Packet),
        ("cut-through", Switching::CutThrough { header: 8 }),
        ("circuit", Switching::Circuit { control: 8 }),
        ("wormhole", Switching::Wormhole { flit: 16 }),
        ("flow", Switching::Flow { header: 8 }),
    ];
    let only = std::env::args().nth(2);
    for (what, pattern) in patterns {
        println!("{what}:");
        for (name, switching) in switchings {
            if only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let start = Instant::now();
            let (messages, end) = run(&torus(switching), pattern, rounds);
            let rate = f64::from(messages) / start.elapsed().as_secs_f64() / 1e6;
            println!("  {name:12} {rate:6.2} million messages a second; {end} of simulated time");
        }
    }
}

fn torus(switching: Switching) -> Network {
    let topology = Topology::torus(&[SIDE.into(), SIDE.into()]).expect("a torus");
    let link = Cost::line(Time::from_nanos(100), PerByte::from_secs(1e-9).expect("a rate"));
    Network { setup: Cost::constant(Time::from_nanos(20)), ..Network::plain(topology, switching, link) }
}

/// What a rank sends in a round, and how many nanoseconds after its beginning.
type Pattern<'a> = &'a dyn Fn(u32, u64) -> [(Load, u64); 4];

fn load(from: u32, rows: u32, columns: u32, bytes: u64) -> Load {
    let (row, column) = (from / SIDE, from % SIDE);
    Load { from, to: (row + rows) % SIDE * SIDE + (column + columns) % SIDE, bytes }
}

fn halo(rank: u32, _: u64) -> [(Load, u64); 4] {
    [(0, 1), (1, 0), (0, SIDE - 1), (SIDE - 1, 0)].map(|(rows, columns)| (load(rank, rows, columns, 1024), 0))
}

fn shift(rank: u32, _: u64) -> [(Load, u64); 4] {
    [1024, 512, 2048, 100].map(|bytes| (load(rank, 5, 3, bytes), 0))
}

fn anybody(rank: u32, round: u64) -> [(Load, u64); 4] {
    [0, 1, 2, 3].map(|i| {
        let random = ((u64::from(rank) << 2 | i) << 32 | round).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let random = (random ^ random >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16;
        (
            load(rank, random as u32 % SIDE, (random >> 10) as u32 % SIDE, random >> 20 & 4095),
            random >> 32 & 0xffff,
        )
    })
}

/// Rounds that begin when all of the last one has arrived.
fn run(network: &Network, pattern: Pattern, rounds: u64) -> (u32, Time) {
    let mut traffic = Traffic::new(network);
    let (mut messages, mut start) = (0, Time::ZERO);
    for round in 0..rounds {
        let mut loads: Vec<(u64, Load)> = (0..SIDE * SIDE)
            .flat_map(|rank| pattern(rank, round))
            .map(|(load, after)| (after, load))
            .collect();
        loads.sort_by_key(|(after, _)| *after);
        let mut end = start;
        for (after, load) in loads {
            let now = start + Time::from_nanos(after);
            messages += 1;
            if let Carried::At(passage) = traffic.inject(now, messages, load) {
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
