//! Compressed code expands to the original, and repeated sequences are stored once.

use proptest::prelude::*;

use super::*;

fn op(number: u64) -> PackedOp {
    Op::Copy { bytes: number }.into()
}

fn fold(numbers: &[u64]) -> (Vec<PackedOp>, Vec<PackedOp>) {
    let mut folder = LoopFolder::default();
    let ops: Vec<PackedOp> = numbers.iter().map(|number| op(*number)).collect();
    ops.chunks(7).for_each(|chunk| folder.extend(chunk.iter()));
    let (out, bodies) = folder.finish();
    (out, bodies.into_ops())
}

fn unfold(ops: &[PackedOp], bodies: &[PackedOp], out: &mut Vec<u64>) {
    for op in ops {
        match op.unpack() {
            Op::Copy { bytes } => out.push(bytes),
            Op::Repeat { at, times } => (0..times).for_each(|_| unfold(&bodies[at as usize..], bodies, out)),
            _ => return,
        }
    }
}

fn stored_ops(numbers: &[u64]) -> usize {
    let (out, bodies) = fold(numbers);
    let mut unfolded = Vec::new();
    unfold(&out, &bodies, &mut unfolded);
    assert_eq!(unfolded, numbers);
    out.len() + bodies.len()
}

#[test]
fn loops_are_stored_once() {
    let round: Vec<u64> = vec![1, 1, 2, 3, 1, 4];
    assert!(stored_ops(&round.repeat(1000)) <= 8 + 6);
    // With other operations before and after.
    let framed = [vec![9, 8], round.repeat(50), vec![1, 1, 2, 7]].concat();
    assert!(stored_ops(&framed) <= 20);
}

#[test]
fn nested_loops_are_stored_once() {
    let inner = [vec![5], [1, 2].repeat(20), vec![6]].concat();
    let outer = [inner.repeat(10), vec![7, 8]].concat();
    assert!(stored_ops(&outer.repeat(30)) < 40);
}

#[test]
fn periods_beyond_the_window_are_left_alone() {
    let long: Vec<u64> = (0..20_000).collect();
    assert!(stored_ops(&long.repeat(5)) < 2 * long.len());
    // Part of the window has been flushed when the loop is found.
    let after_others = [(100_000..130_000).collect::<Vec<u64>>(), long.repeat(3)].concat();
    assert!(stored_ops(&after_others) <= after_others.len());
    let longer: Vec<u64> = (0..70_000).collect();
    assert_eq!(stored_ops(&longer.repeat(2)), 2 * longer.len());
}

proptest! {
    #[test]
    fn random_code_expands_to_itself(numbers in prop::collection::vec(0_u64..3, 0..400)) {
        stored_ops(&numbers);
    }

    #[test]
    fn repeated_sequences_expand_to_themselves(parts in prop::collection::vec((prop::collection::vec(0_u64..4, 1..6), 1_usize..9), 0..20)) {
        let numbers: Vec<u64> = parts.iter().flat_map(|(part, times)| part.repeat(*times)).collect();
        stored_ops(&numbers.repeat(3));
    }
}
