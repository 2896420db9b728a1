//! Which engine runs a program.

use panto_machine::{BufferSide, RankMap, SendBuffer};
use panto_sim::observe::NoObserver;
use panto_sim::program::{Op, Wildcard};
use panto_sim::{EngineChoice, OrderReason, RunConfig, Sharing, choose_engine, run, run_on};

use super::wildcards::{channel, plain, program, send};
use crate::machines::ps;

#[test]
fn the_time_ordered_engine_runs_only_what_needs_it() {
    let ranks = vec![vec![send(0, 5)], vec![Op::Receive { channel: 0 }]];
    let program = program(vec![channel(0, 1, 0)], Vec::new(), ranks);
    let mut with_wildcard = program.clone();
    with_wildcard.wildcards.push(Wildcard { from: None, match_keys: 0..1 });
    let (two, one) = (plain(2), plain(1));
    let mut crowded = plain(2);
    crowded.network.map = RankMap::List(vec![1, 1]);
    let mut limited = plain(2);
    limited.buffer = Some(SendBuffer { side: BufferSide::Sender, space: 5, unit: 1 });
    let mut mapped = plain(3);
    mapped.network.map = RankMap::List(vec![2, 0]);
    let cases = [
        (&two, Sharing::None, &program, EngineChoice::RunAhead),
        (&mapped, Sharing::None, &program, EngineChoice::RunAhead),
        (&two, Sharing::Links, &program, EngineChoice::TimeOrdered(OrderReason::Contention)),
        (&two, Sharing::None, &with_wildcard, EngineChoice::TimeOrdered(OrderReason::Wildcards)),
        (&one, Sharing::None, &program, EngineChoice::TimeOrdered(OrderReason::SharedProcessors)),
        (&limited, Sharing::None, &program, EngineChoice::TimeOrdered(OrderReason::FiniteBuffers)),
        (&crowded, Sharing::None, &program, EngineChoice::TimeOrdered(OrderReason::SharedProcessors)),
    ];
    for (machine, model, program, choice) in cases {
        let config = RunConfig { machine, sharing: model, compute_scales: &[], noise: None };
        assert_eq!(choose_engine(program, &config), choice);
        let same_processor = machine.network.map == RankMap::List(vec![1, 1]) || machine.processors() == 1;
        let end = if same_processor { ps(0) } else { ps(15) };
        assert_eq!(run(program, &config, &mut NoObserver), Ok(vec![ps(0), end]));
        for threads in 0..3 {
            let mut observers = vec![NoObserver; threads];
            assert_eq!(run_on(program, &config, &mut observers), Ok(vec![ps(0), end]));
        }
    }
}
