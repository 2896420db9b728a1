//! The orders inside LEX, PEX, REX and REB are those of the CM-5 paper, section 4 and 5.

use panto_schedule::{Algorithm, Collective, Step, steps};

use crate::harness::{build, problem};

/// Peers in order: `s3` is a send to 3, `r3` a receive from 3, `c` a copy.
fn short(collective: Collective, algorithm: Algorithm, ranks: usize, rank: usize) -> String {
    let schedule = build(&problem(collective, ranks, 0, 1), algorithm);
    let name = |step| match step {
        Step::Send { to, .. } => format!("s{to}"),
        Step::Receive { from, .. } => format!("r{from}"),
        Step::Copy { .. } => "c".to_owned(),
        other => panic!("{other} is not blocking"),
    };
    steps(&*schedule, rank).map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn lex_receives_from_all_in_its_own_round() {
    let lex = |rank| short(Collective::Alltoall, Algorithm::Lex, 4, rank);
    assert_eq!(lex(0), "c r1 r2 r3 s1 s2 s3");
    assert_eq!(lex(2), "c s0 s1 r0 r1 r3 s3");
    assert_eq!(lex(3), "c s0 s1 s2 r0 r1 r2");
}

#[test]
fn pex_lets_the_lower_rank_receive_first() {
    let pex = |ranks, rank| short(Collective::Alltoall, Algorithm::Pex, ranks, rank);
    assert_eq!(pex(4, 0), "c r1 s1 r2 s2 r3 s3");
    assert_eq!(pex(4, 2), "c r3 s3 s0 r0 s1 r1");
    // Over the next power of two, absent partners skipped.
    assert_eq!(pex(3, 2), "c s0 r0 s1 r1");
    assert_eq!(pex(3, 1), "c s0 r0 r2 s2");
}

#[test]
fn rex_lets_the_lower_rank_send_first() {
    let rex = |ranks, rank| short(Collective::Alltoall, Algorithm::Rex, ranks, rank);
    // Lower rank: pack, send, receive, unpack; upper rank: receive, unpack, pack, send; four final
    // copies.
    assert_eq!(rex(4, 0), "c s2 r2 c c c s1 r1 c c c c c c");
    assert_eq!(rex(4, 3), "r1 c c s1 r2 c c c c s2 c c c c");
    // Of three, rank 1 has no partner in the first round: rank 2 receives from it as well.
    assert_eq!(rex(3, 1), "c s2 c r0 c c s0 c c c");
    assert_eq!(rex(3, 2), "r0 c c s0 r1 c c c");
}

#[test]
fn reb_sends_half_the_machine_away_first() {
    let reb = |ranks, rank| short(Collective::Broadcast, Algorithm::RecursiveHalving, ranks, rank);
    assert_eq!(reb(8, 0), "s4 s2 s1");
    assert_eq!(reb(8, 4), "r0 s6 s5");
    assert_eq!(reb(8, 6), "r4 s7");
    // Halves are as equal as possible; the holder keeps the larger one.
    assert_eq!(reb(6, 0), "s3 s2 s1");
    assert_eq!(reb(6, 3), "r0 s5 s4");
    assert_eq!(short(Collective::Broadcast, Algorithm::Binomial, 6, 0), "s4 s2 s1");
}
