//! What is folded unfolds to the same, and what repeats itself is short.

use proptest::prelude::*;

use super::*;

fn op(number: u64) -> Op {
    Act::Copy { bytes: number }.into()
}

fn fold(numbers: &[u64]) -> (Vec<Op>, Vec<Op>) {
    let mut fold = Fold::default();
    let ops: Vec<Op> = numbers.iter().map(|number| op(*number)).collect();
    ops.chunks(7).for_each(|chunk| fold.extend(chunk.iter()));
    let (out, bodies) = fold.finish();
    (out, bodies.into_ops())
}

fn unfold(ops: &[Op], bodies: &[Op], out: &mut Vec<u64>) {
    for op in ops {
        match op.act() {
            Act::Copy { bytes } => out.push(bytes),
            Act::Repeat { at, times } => (0..times).for_each(|_| unfold(&bodies[at as usize..], bodies, out)),
            _ => return,
        }
    }
}

fn kept(numbers: &[u64]) -> usize {
    let (out, bodies) = fold(numbers);
    let mut unfolded = Vec::new();
    unfold(&out, &bodies, &mut unfolded);
    assert_eq!(unfolded, numbers);
    out.len() + bodies.len()
}

#[test]
fn loops_are_kept_once() {
    let round: Vec<u64> = vec![1, 1, 2, 3, 1, 4];
    assert!(kept(&round.repeat(1000)) <= 8 + 6);
    // A beginning and an end that are different.
    let framed = [vec![9, 8], round.repeat(50), vec![1, 1, 2, 7]].concat();
    assert!(kept(&framed) <= 20);
}

#[test]
fn loops_in_loops_are_kept_once() {
    let inner = [vec![5], [1, 2].repeat(20), vec![6]].concat();
    let outer = [inner.repeat(10), vec![7, 8]].concat();
    assert!(kept(&outer.repeat(30)) < 40);
}

#[test]
fn long_periods_are_found_and_longer_ones_do_no_harm() {
    let long: Vec<u64> = (0..20_000).collect();
    assert!(kept(&long.repeat(5)) < 2 * long.len());
    // Part of the window is gone when the loop is found.
    let after_others = [(100_000..130_000).collect::<Vec<u64>>(), long.repeat(3)].concat();
    assert!(kept(&after_others) <= after_others.len());
    let longer: Vec<u64> = (0..70_000).collect();
    assert_eq!(kept(&longer.repeat(2)), 2 * longer.len());
}

proptest! {
    #[test]
    fn what_is_folded_unfolds(numbers in prop::collection::vec(0_u64..3, 0..400)) {
        kept(&numbers);
    }

    #[test]
    fn repeated_parts_unfold(parts in prop::collection::vec((prop::collection::vec(0_u64..4, 1..6), 1_usize..9), 0..20)) {
        let numbers: Vec<u64> = parts.iter().flat_map(|(part, times)| part.repeat(*times)).collect();
        kept(&numbers.repeat(3));
    }
}
