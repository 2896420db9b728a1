//! How long it takes to start many ranks, run a barrier and stop: `cargo run --release -p
//! panto-transport --example startup [ranks]`.

use std::time::Instant;

use panto_schedule::{Collective, Problem};
use panto_transport::threads::Threads;
use panto_transport::{AlgorithmChoice, Buffers, Error, NO_REDUCTION, PreparedCollective, Transport, World};

const ROUNDS: usize = 9;

fn main() -> Result<(), Error> {
    let ranks = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut seconds = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        Threads::default().run(ranks, barrier)?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let (median, most) = (seconds[ROUNDS / 2], seconds[ROUNDS - 1]);
    println!("ranks {ranks} start+barrier+stop {median:.3} s (median of {ROUNDS}, slowest {most:.3} s)");
    Ok(())
}

fn barrier<T: Transport>(transport: &T) -> Result<(), Error> {
    let problem = Problem { collective: Collective::Barrier, ranks: transport.size(), root: 0, count: 0 };
    let nothing = Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION };
    PreparedCollective::new(transport, problem, 1, AlgorithmChoice::Library)?.run(transport, nothing)
}
