//! Which way a program is run.

use panto_machine::Map;
use panto_sim::observe::Unseen;
use panto_sim::program::{Act, Pick};
use panto_sim::{Means, Model, Setting, Why, chooses, run, run_on};

use crate::machines::ps;
use crate::picks::{channel, plain, program, send};

#[test]
fn the_order_of_time_only_where_it_matters() {
    let ranks = vec![vec![send(0, 5)], vec![Act::Receive { channel: 0 }]];
    let program = program(vec![channel(0, 1, 0)], Vec::new(), ranks);
    let mut picking = program.clone();
    picking.picks.push(Pick { from: None, classes: 0..1 });
    let (two, one) = (plain(2), plain(1));
    let mut crowded = plain(2);
    crowded.network.map = Map::List(vec![1, 1]);
    let mut mapped = plain(3);
    mapped.network.map = Map::List(vec![2, 0]);
    let cases = [
        (&two, Model::Fast, &program, Means::Ahead),
        (&mapped, Model::Fast, &program, Means::Ahead),
        (&two, Model::Traffic, &program, Means::Ordered(Why::Traffic)),
        (&two, Model::Fast, &picking, Means::Ordered(Why::Picks)),
        (&one, Model::Fast, &program, Means::Ordered(Why::Sharing)),
        (&crowded, Model::Fast, &program, Means::Ordered(Why::Sharing)),
    ];
    for (machine, model, program, means) in cases {
        let setting = Setting { machine, model, paces: &[], noise: None };
        assert_eq!(chooses(program, &setting), means);
        let alone = machine.network.map == Map::List(vec![1, 1]) || machine.processors() == 1;
        let end = if alone { ps(0) } else { ps(15) };
        assert_eq!(run(program, &setting, &mut Unseen), Ok(vec![ps(0), end]));
        for threads in 0..3 {
            let mut observers = vec![Unseen; threads];
            assert_eq!(run_on(program, &setting, &mut observers), Ok(vec![ps(0), end]));
        }
    }
}
