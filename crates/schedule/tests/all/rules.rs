//! Which rule applies, and the errors for invalid rules.

use panto_schedule::rules::{Row, Table, choose, for_problem, mpich, openmpi, puppet};
use panto_schedule::{Algorithm as A, Collective as C, algorithms};

use crate::harness::{ROUNDS, execute, problem};

fn holds(table: &Table, expected: &[(C, usize, usize, A)]) {
    for &(collective, ranks, bytes, algorithm) in expected {
        let chosen = table.choose(collective, ranks, bytes);
        assert_eq!(chosen, algorithm, "{collective} of {bytes} bytes on {ranks}");
    }
}

#[test]
fn the_rules_are_mpichs() {
    let scattered = A::Scattered { window: 32 };
    let expected = [
        (C::Broadcast, 7, 1 << 30, A::Binomial),
        (C::Broadcast, 8, 12_288, A::Binomial),
        (C::Broadcast, 8, 12_289, A::ScatterDoubling),
        (C::Broadcast, 8, 524_289, A::ScatterAllgather),
        (C::Broadcast, 9, 12_289, A::ScatterAllgather),
        (C::Reduce, 9, 2_048, A::Binomial),
        (C::Reduce, 9, 2_049, A::Rabenseifner),
        (C::Allreduce, 2, 8, A::RecursiveDoubling),
        (C::Allreduce, 2, 16, A::Rabenseifner),
        (C::Allreduce, 9, 63, A::RecursiveDoubling),
        (C::Allreduce, 9, 64, A::Rabenseifner),
        (C::Allgather, 8, 524_287, A::RecursiveDoubling),
        (C::Allgather, 9, 81_919, A::Bruck),
        (C::Allgather, 9, 81_920, A::Ring),
        (C::Alltoall, 7, 1, A::Linear),
        (C::Alltoall, 8, 256, A::Bruck),
        (C::Alltoall, 8, 257, A::Linear),
        (C::Alltoall, 33, 257, scattered),
        (C::Alltoall, 8, 32_769, A::Pairwise),
        (C::ReduceScatter, 8, 524_287, A::RecursiveHalving),
        (C::ReduceScatter, 8, 524_288, A::Pairwise),
        (C::Barrier, 8, 0, A::Dissemination),
    ];
    holds(mpich(), &expected);
    assert_eq!(choose(C::Reduce, 9, 2_049), A::Rabenseifner);
    // Eight blocks of 65,535 bytes are 524,280 bytes; eight of 65,536 are 524,288.
    assert_eq!(for_problem(&problem(C::Allgather, 8, 0, 65_535), 1), A::RecursiveDoubling);
    assert_eq!(for_problem(&problem(C::Allgather, 8, 0, 8_192), 8), A::Ring);
}

#[test]
fn the_rules_are_open_mpis() {
    let (chain, knomial) = (A::Chain { segments: 1 }, A::Knomial { radix: 4 });
    let expected = [
        (C::Broadcast, 4, 63, A::Binary),
        (C::Broadcast, 4, 64, A::Binomial),
        (C::Broadcast, 7, 8_191, A::Binomial),
        (C::Broadcast, 7, 8_192, A::Linear),
        (C::Broadcast, 7, 1 << 20, chain),
        (C::Broadcast, 8, 7, knomial),
        (C::Broadcast, 15, 16_384, A::Binomial),
        (C::Broadcast, 15, 32_768, A::Linear),
        (C::Broadcast, 100_000, 1 << 20, A::ScatterDoubling),
        (C::Reduce, 3, 1 << 20, chain),
        (C::Reduce, 4, 4_095, A::Binary),
        (C::Reduce, 100, 8, A::Binomial),
        (C::Allreduce, 3, 4_096, A::Ring),
        (C::Allreduce, 3, 8_192, A::RecursiveDoubling),
        (C::Allreduce, 3, 1 << 20, A::Rabenseifner),
        (C::Allreduce, 15, 8_191, A::RecursiveDoubling),
        (C::Allreduce, 15, 8_192, A::Rabenseifner),
        (C::Alltoall, 2, 8, A::Pairwise),
        (C::Alltoall, 7, 524_288, A::Pairwise),
        (C::Alltoall, 8, 1 << 20, A::Linear),
        (C::Alltoall, 40, 100, A::Bruck),
        (C::Allgather, 8, 800, A::RecursiveDoubling),
        (C::Allgather, 9, 900, A::Bruck),
        // The threshold is on blocks: 40 of 1,023 bytes, 40 of 1,024.
        (C::Allgather, 40, 40 * 1_023, A::Bruck),
        (C::Allgather, 40, 40 * 1_024, A::Neighbour),
        (C::Gather, 4, 1 << 20, A::LinearSync),
        (C::Barrier, 3, 0, A::RecursiveDoubling),
        (C::Barrier, 4, 0, A::Central),
        (C::Barrier, 15, 0, A::RecursiveDoubling),
        (C::Scan, 8, 8, A::Linear),
    ];
    holds(openmpi(), &expected);
}

#[test]
fn puppets_collectives_are_direct_sends() {
    let algorithm = |collective| puppet().choose(collective, 9, 1);
    let messages =
        |collective| execute(&problem(collective, 9, 0, 1), algorithm(collective), ROUNDS).messages;
    assert_eq!([C::Broadcast, C::Reduce, C::Gather, C::Scatter].map(messages), [8; 4]);
    assert_eq!(messages(C::Allreduce), 16);
    assert_eq!([C::Allgather, C::Alltoall, C::ReduceScatter, C::Barrier].map(messages), [72; 4]);
}

#[test]
fn every_built_in_rule_is_valid_and_reachable() {
    for table in [mpich(), openmpi(), puppet()] {
        for row in table.rows() {
            let serving = algorithms(row.collective);
            assert!(serving.iter().any(|other| other.is_kind_of(row.algorithm)), "{row:?}");
        }
        for collective in C::ALL {
            let last = table.rows().filter(|row| row.collective == collective).last();
            assert!(last.is_some_and(Row::is_unconditional), "{collective}");
        }
    }
    assert!(mpich().rows().any(|row| row.note == "short: start-up dominates"));
}

/// Returns the text completed by a rule for each collective it does not mention.
fn rest(text: &str) -> String {
    let named = text.split_whitespace().next().unwrap_or_default();
    let others = C::ALL.into_iter().filter(|collective| collective.name() != named);
    let rules = others.map(|collective| format!("{collective} {}", algorithms(collective)[0]));
    std::iter::once(text.to_owned()).chain(rules).collect::<Vec<_>>().join("\n")
}

#[test]
fn conditions_are_parsed() {
    let text = "allgather bruck ranks>2 ranks<=5 block=7 # odd\nallgather neighbour share>=4 bytes<9 power-of-two\nallgather ring";
    let table = Table::parse(&rest(text)).unwrap();
    holds(
        &table,
        &[
            (C::Allgather, 2, 14, A::Ring),
            (C::Allgather, 3, 21, A::Bruck),
            (C::Allgather, 5, 35, A::Bruck),
            (C::Allgather, 5, 34, A::Ring),
            (C::Allgather, 6, 42, A::Ring),
            (C::Allgather, 2, 8, A::Neighbour),
            (C::Allgather, 2, 9, A::Ring),
            (C::Allgather, 2, 7, A::Ring),
            (C::Allgather, 3, 8, A::Ring),
        ],
    );
    assert_eq!(table.rows().find(|row| row.collective == C::Allgather).unwrap().note, "odd");
}

#[test]
fn errors_name_the_line_and_a_remedy() {
    let error = |text: &str| Table::parse(text).unwrap_err().to_string();
    let long = format!("barrier central bytes<{}", "9".repeat(100_000));
    for (text, expected) in [
        ("\nbarier central", "line 2: unknown collective \"barier\"; valid names: broadcast"),
        ("barrier", "line 1: barrier has no algorithm; expected one of dissemination"),
        ("barrier centrl", "line 1: unknown algorithm \"centrl\"; valid names:"),
        ("barrier ring", "line 1: ring does not implement barrier; use one of dissemination"),
        ("broadcast chain:0", "line 1: a pipeline needs at least one segment"),
        ("barrier central size<9", "line 1: \"size<9\" is no condition; expected ranks"),
        ("barrier central bytes<x", "line 1: \"bytes<x\" is no condition"),
        ("barrier central bytes<-1", "line 1: \"bytes<-1\" is no condition"),
        ("barrier central bytes", "line 1: \"bytes\" is no condition"),
        ("barrier central =", "line 1: \"=\" is no condition"),
        ("barrier central bytes<0", "line 1: no bytes satisfies \"bytes<0\""),
        (
            "barrier central ranks<4 ranks>8",
            "line 1: no ranks satisfies \"ranks>8\" and the conditions before it",
        ),
        ("barrier central\n\nbarrier linear", "line 3: the rule of line 1 holds for every barrier"),
        (
            &rest("scan linear ranks<4"),
            "line 1: the last rule for scan has conditions; add a last one without conditions, such as `scan ",
        ),
        (
            "barrier central",
            "no rule for broadcast; add a last one without conditions, such as `broadcast linear`",
        ),
        ("", "no rule for broadcast"),
        (&long, "line 1: \"bytes<999"),
    ] {
        let error = error(text);
        assert!(error.starts_with(expected), "{error}");
        assert!(error.len() < 1_000);
    }
}
