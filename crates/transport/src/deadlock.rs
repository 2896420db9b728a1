//! The report of a deadlock: which rank waits for what.

use std::fmt::Write;

use crate::message::Status;

/// Ranks that are named.
const SHOWN: usize = 16;
/// Messages that are named.
const NAMED: usize = 3;

/// A line for each of the first ranks, where `state` says what a rank does.
pub(crate) fn report(ranks: usize, mut state: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for rank in 0..ranks.min(SHOWN) {
        let _ = writeln!(text, "  rank {rank} {}", state(rank));
    }
    if ranks > SHOWN {
        let _ = writeln!(text, "  ... and {} more ranks", ranks - SHOWN);
    }
    text.truncate(text.trim_end().len());
    text
}

/// What a rank waits for, and what came instead.
pub(crate) fn waits_for(what: &str, others: impl ExactSizeIterator<Item = Status>) -> String {
    let count = others.len();
    let name = |message: Status| format!("from rank {} with tag {}", message.source, message.tag);
    let list: Vec<String> = others.take(NAMED).map(name).collect();
    match count {
        0 => format!("waits for {what}"),
        _ => format!("waits for {what}; {count} other here: {}", list.join(", ")),
    }
}
