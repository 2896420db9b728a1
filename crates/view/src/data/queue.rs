//! Length of each line's queue at a time, and its maximum until then: messages that have arrived
//! and are not received (figures 5.26 and 5.27 of PUPPET's thesis).

use panto_timeline::Timeline;
use panto_units::Time;
use serde_json::{Value, json};

use super::grid::{rows, whole};
use crate::error::Result;

/// Upper limit of queues listed; with more lines the longest of each group is.
const MAX_ROWS: usize = 1024;
/// Number of lines whose messages are in memory at the same time.
const LINES: u32 = 64;

/// Returns the queues of all lines `at` picoseconds after the first event, and the longest until
/// then, as JSON: the group of lines, lengths, and maximums.
pub fn queues(timeline: &Timeline, lines: u32, origin: u64, at: u64) -> Result<Value> {
    let group = (0..=whole(lines)).find(|group| rows(lines, *group) <= MAX_ROWS).unwrap_or(0);
    let mut longest = vec![[0_u64; 2]; rows(lines, group)];
    let end = Time::from_picos(origin.saturating_add(at));
    let window = Time::from_picos(origin)..=end;
    for first in (0..lines).step_by(LINES as usize) {
        let last = (first + LINES).min(lines);
        let mut queues = vec![Queue::default(); (last - first) as usize];
        for found in timeline.messages_to(first..last, &window) {
            let message = found?;
            if message.arrived <= end {
                queues[(message.to - first) as usize].add(message.arrived, message.received);
            }
        }
        for (line, queue) in (first..).zip(queues) {
            let row = &mut longest[(line >> group) as usize];
            let (length, most) = queue.length(end);
            *row = [row[0].max(length), row[1].max(most)];
        }
    }
    let column = |place: usize| longest.iter().map(|row| row[place]).collect::<Vec<_>>();
    Ok(json!([group, column(0), column(1)]))
}

/// Arrivals and receives of one line.
#[derive(Debug, Clone, Default)]
struct Queue {
    arrived: Vec<Time>,
    received: Vec<Time>,
}

impl Queue {
    fn add(&mut self, arrived: Time, received: Time) {
        self.arrived.push(arrived);
        self.received.push(received);
    }

    /// Returns the length at a time, and the maximum until then. A message received when another
    /// arrives has left.
    fn length(mut self, end: Time) -> (u64, u64) {
        self.arrived.sort_unstable();
        self.received.sort_unstable();
        let (mut left, mut most) = (0, 0);
        for (number, arrived) in (1..).zip(&self.arrived) {
            while self.received.get(left).is_some_and(|received| received <= arrived) {
                left += 1;
            }
            most = most.max(number - (left as u64).min(number));
        }
        let gone = self.received.partition_point(|received| *received <= end);
        ((self.arrived.len() - gone.min(self.arrived.len())) as u64, most)
    }
}
