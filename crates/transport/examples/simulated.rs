//! Speed and memory of the simulated backend, for `cargo xtask bench simulated`.
//!
//! Ranks are coroutines that exchange small messages; every message is sent, matched and received
//! with its bytes.

use std::sync::Arc;
use std::time::Duration;

use panto_machine::{Cost, Machine, Network, Overheads, PerByte, Switching, Topology};
use panto_schedule::{Algorithm, Collective, Problem, schedule};
use panto_sim::Expansion;
use panto_transport::simulated::{Endpoint, Sharing, Simulated};
use panto_transport::{
    AlgorithmChoice, Buffers, PreparedCollective, Result, SUM_F64, Selector, SendMode, Time, Transport,
    World, scope,
};

const BYTES: usize = 64;

fn machine(topology: Topology, switching: Switching) -> Machine {
    let overhead = Cost::constant(Time::from_nanos(400));
    let link = Cost::line(Time::from_nanos(900), PerByte::from_secs(1e-10).unwrap_or_default());
    let network = Network {
        setup: Cost::constant(Time::from_nanos(50)),
        overheads: Overheads { send: overhead.clone(), receive: overhead, ..Overheads::default() },
        ..Network::plain(topology, switching, link)
    };
    Machine::plain("bench", network)
}

/// Each rank sends to the right and receives from the left.
fn ring(t: &Endpoint, rounds: usize) -> Result<Time> {
    let (right, left) = ((t.rank() + 1) % t.size(), (t.rank() + t.size() - 1) % t.size());
    let (data, mut buffer) = ([1; BYTES], [0; BYTES]);
    for _ in 0..rounds {
        t.send(SendMode::Standard, &data, right, 1)?;
        t.receive(&mut buffer, Selector::new(left, 1))?;
    }
    Ok(t.now())
}

/// Exchanges with four ranks on a torus, `reach` away: posts receives, sends, and waits for all.
/// Between neighbours no link is shared; at a distance of two every link carries two messages in
/// each direction.
fn halo(t: &Endpoint, side: usize, reach: usize, rounds: usize) -> Result<Time> {
    let (row, column) = (t.rank() / side, t.rank() % side);
    let at = |row: usize, column: usize| row % side * side + column % side;
    let back = side - reach;
    let peers =
        [at(row + reach, column), at(row + back, column), at(row, column + reach), at(row, column + back)];
    let (data, mut buffers) = ([1; BYTES], [[0; BYTES]; 4]);
    for _ in 0..rounds {
        scope(t, |s| {
            for (buffer, peer) in buffers.iter_mut().zip(peers) {
                let _ = s.receive(buffer, Selector::new(peer, 1))?;
            }
            for peer in peers {
                let _ = s.send(SendMode::Standard, &data, peer, 1)?;
            }
            Ok::<_, panto_transport::Error>(())
        })?;
    }
    Ok(t.now())
}

fn allreduce(t: &Endpoint) -> Result<Time> {
    let problem = Problem { collective: Collective::Allreduce, ranks: t.size(), root: 0, count: 1 };
    let (input, mut output) = (1_f64.to_ne_bytes(), [0; 8]);
    let buffers = Buffers { input: &input, output: &mut output, element: 8, combine: SUM_F64 };
    PreparedCollective::new(t, problem, 8, AlgorithmChoice::Library)?.run(t, buffers)?;
    assert!((f64::from_ne_bytes(output) - t.size() as f64).abs() < 0.5, "the sum is wrong");
    Ok(t.now())
}

/// Prints the best CPU time of three runs: other programs only ever slow a simulation down.
fn timed(
    what: &str,
    messages: usize,
    world: &Simulated,
    ranks: usize,
    body: impl Fn(&Endpoint) -> Result<Time> + Sync,
) {
    if !wanted(what) {
        return;
    }
    let once = || {
        let start = processor_time();
        let times = world.run(ranks, &body)?;
        Ok((processor_time().saturating_sub(start), times.into_iter().max().unwrap_or_default()))
    };
    let best = (0..3).map(|_| once()).collect::<Result<Vec<_>>>();
    match best.map(|runs| runs.into_iter().min()) {
        Ok(Some((time, last))) => say(what, messages, time, last),
        Ok(None) => {}
        Err(error) => println!("{what:<34} failed: {error}"),
    }
}

/// Whether this part is named on the command line, or none is.
fn wanted(what: &str) -> bool {
    std::env::args().nth(1).is_none_or(|part| what.contains(&part))
}

fn say(what: &str, messages: usize, time: Duration, last: Time) {
    let seconds = time.as_secs_f64();
    let rate = messages as f64 / seconds * 1e-6;
    println!(
        "{what:<34} {rate:>6.2} million messages/s {:>6.0} ns each, virtual time {last}",
        seconds * 1e9 / messages as f64
    );
}

/// Runs a schedule without stacks.
fn expanded(ranks: usize) {
    let start = processor_time();
    let machine =
        machine(Topology::complete(ranks as u64).expect("fits"), Switching::CutThrough { header: 0 });
    let problem = Problem { collective: Collective::Allreduce, ranks, root: 0, count: 1 };
    let steps = schedule(&problem, Algorithm::RecursiveDoubling).expect("served");
    let expansion = Expansion {
        machine: &machine,
        sharing: Sharing::None,
        collective: Collective::Allreduce,
        element: 8,
    };
    match expansion.run(&*steps) {
        Ok(times) => {
            let time = processor_time().saturating_sub(start);
            let messages = ranks * ranks.ilog2() as usize;
            say(
                "allreduce of 2^20 without stacks",
                messages,
                time,
                times.into_iter().max().unwrap_or_default(),
            );
        }
        Err(jam) => println!("{jam}"),
    }
}

/// Returns the CPU time of this thread, which other programs do not disturb. The simulation has one
/// thread.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_once(':')).map_or("unknown".into(), |(_, peak)| peak.trim().to_owned())
}

fn main() {
    let (side, rounds) = (32, 400);
    let ranks = side * side;
    let messages = ranks * rounds * 4;
    let cut = Switching::CutThrough { header: 0 };
    let world = |topology, switching, model| Simulated::new(Arc::new(machine(topology, switching)), model);
    let torus = || Topology::torus(&[side as u64, side as u64]).expect("few");
    let fast = world(torus(), cut, Sharing::None);
    timed("fast: ring", messages, &fast, ranks, |t| ring(t, rounds * 4));
    timed("fast: halo", messages, &fast, ranks, |t| halo(t, side, 1, rounds));
    let switchings = [
        ("circuit", Switching::Circuit { control: 0 }),
        ("wormhole", Switching::Wormhole { flit: 16 }),
        ("cut-through", cut),
        ("packet", Switching::Packet),
        ("flow", Switching::Flow { header: 0 }),
    ];
    for (name, switching) in switchings {
        let torus = world(torus(), switching, Sharing::Links);
        timed(&format!("{name}: halo"), messages, &torus, ranks, |t| halo(t, side, 1, rounds));
        timed(&format!("{name}: halo, shared links"), messages, &torus, ranks, |t| halo(t, side, 2, rounds));
    }
    let many = 1 << 16;
    let big = world(Topology::complete(many as u64).expect("fits"), cut, Sharing::None);
    timed("allreduce of 65,536 ranks", many * 16, &big, many, allreduce);
    println!("peak memory so far {}", memory());
    if wanted("without stacks") {
        expanded(1 << 20);
        println!("peak memory in all {}", memory());
    }
}
