//! Repeated calls are written like all others.

use super::*;

const LOOP: [(i64, Key); 4] = [(1, [1; 7]), (1, [1; 7]), (2, [2; 7]), (1, [1; 7])];

/// Returns two blocks of a loop, and the number of calls that were repeated by their key.
fn blocks(has_keys: bool) -> (Vec<u8>, usize) {
    let mut recorder = Recorder::new(true);
    let (name, mut out, mut repeated) = (recorder.name("MPI_Probe"), Vec::new(), 0);
    for _block in 0..2 {
        for (before, (code, key)) in (0..).zip(LOOP.repeat(3)) {
            let times = Times { before, gap: 1, inside: 200 };
            if has_keys && recorder.repeats(&key) {
                recorder.repeat(times);
                repeated += 1;
                continue;
            }
            recorder.record(name, &Action::Process { count: code }, times);
            if has_keys {
                recorder.remember(key);
            }
        }
        recorder.seal(0, &mut out);
    }
    (out, repeated)
}

#[test]
fn what_is_repeated_is_written_as_if_it_were_recorded() {
    let ((with, repeated), (without, _)) = (blocks(true), blocks(false));
    assert_eq!(with, without);
    // Neither the first of a block, nor those that differ from the one before.
    assert_eq!(repeated, 2 * 5);
}
