//! Deadlock reports: what each rank waits for.

use std::fmt::Write;

use crate::message::Status;

/// Maximum number of ranks that are listed.
const MAX_RANKS_LISTED: usize = 16;
/// Maximum number of unexpected messages that are listed per rank.
const MAX_MESSAGES_LISTED: usize = 3;

/// Returns a line for each of the first ranks; `state` describes one rank.
pub(crate) fn report(ranks: usize, mut state: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for rank in 0..ranks.min(MAX_RANKS_LISTED) {
        let _ = writeln!(text, "  rank {rank} {}", state(rank));
    }
    if ranks > MAX_RANKS_LISTED {
        let _ = writeln!(text, "  ... and {} more ranks", ranks - MAX_RANKS_LISTED);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Describes what a rank waits for, and the unexpected messages that it has.
pub(crate) fn waits_for(what: &str, others: impl ExactSizeIterator<Item = Status>) -> String {
    let count = others.len();
    let name = |message: Status| format!("from rank {} with tag {}", message.source, message.tag);
    let list: Vec<String> = others.take(MAX_MESSAGES_LISTED).map(name).collect();
    match count {
        0 => format!("waits for {what}"),
        _ => format!("waits for {what}; {count} unexpected: {}", list.join(", ")),
    }
}
