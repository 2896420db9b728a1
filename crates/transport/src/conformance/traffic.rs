//! Random traffic: every rank knows all messages from the seed, and verifies every byte that it
//! receives.

use std::collections::{BTreeMap, VecDeque};

use super::pattern::{Random, pattern};
use super::violation::{Outcome, Violation, equal, same_bytes, violation};
use crate::error::Result;
use crate::message::{Selector, SendMode, Status, Tag};
use crate::scope::scope;
use crate::transport::Transport;

const MESSAGES_PER_RANK: usize = 30;
const TAGS: usize = 3;
const LONGEST: usize = 200_000;

#[derive(Clone, Copy)]
struct Message {
    number: usize,
    from: usize,
    to: usize,
    tag: Tag,
    len: usize,
    mode: SendMode,
}

impl Message {
    fn random(number: usize, ranks: usize, random: &mut Random) -> Self {
        let len = match random.below(20) {
            0..8 => random.below(41),
            8..14 => random.below(4_200),
            14 => 4_096,
            15 => 4_097,
            16..19 => random.below(20_000),
            _ => random.below(LONGEST),
        };
        let mode =
            random.pick(&[SendMode::Standard, SendMode::Standard, SendMode::Buffered, SendMode::Synchronous]);
        let (from, to) = (random.below(ranks), random.below(ranks));
        Self { number, from, to, tag: random.below(TAGS) as Tag, len, mode }
    }

    fn bytes(&self) -> Vec<u8> {
        pattern(self.number, self.len)
    }
}

/// Sends random messages between random ranks and receives them by all kinds of operations.
pub fn random_traffic<T: Transport>(t: &T, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let messages: Vec<_> = (0..MESSAGES_PER_RANK * t.size())
        .map(|number| Message::random(number, t.size(), &mut random))
        .collect();
    let mine: Vec<_> = messages.iter().filter(|message| message.from == t.rank()).collect();
    let data: Vec<_> = mine.iter().map(|message| message.bytes()).collect();
    let inbox = Inbox::new(t, messages.iter().copied());
    // How a rank receives depends on the rank.
    let own = Random::new(seed ^ (t.rank() as u64) << 32);
    scope(t, |s| {
        for (message, data) in mine.iter().zip(&data) {
            let _ = s.send(message.mode, data, message.to, message.tag)?;
        }
        inbox.drain(own)
    })
}

/// Messages that are still to come, by source and tag: within these, the order is determined.
struct Inbox<'a, T> {
    t: &'a T,
    streams: BTreeMap<(usize, Tag), VecDeque<Message>>,
    left: usize,
}

impl<'a, T: Transport> Inbox<'a, T> {
    fn new(t: &'a T, messages: impl Iterator<Item = Message>) -> Self {
        let mut inbox = Self { t, streams: BTreeMap::new(), left: 0 };
        for message in messages.filter(|message| message.to == t.rank()) {
            inbox.streams.entry((message.from, message.tag)).or_default().push_back(message);
            inbox.left += 1;
        }
        inbox
    }

    fn drain(mut self, mut random: Random) -> Outcome {
        while self.left > 0 {
            let selector = self.random_selector(&mut random);
            match random.below(4) {
                0 => self.probe_and_receive(selector)?,
                1 => self.receive_window(random.below(8) + 1)?,
                _ => self.receive(selector)?,
            }
        }
        Ok(())
    }

    /// Returns a selector that accepts some message to come.
    fn random_selector(&self, random: &mut Random) -> Selector {
        let keys: Vec<_> = self.streams.keys().copied().collect();
        let (source, tag) = random.pick(&keys);
        random.pick(&[
            Selector::new(source, tag),
            Selector::source(source),
            Selector::tag(tag),
            Selector::any(),
        ])
    }

    fn receive(&mut self, selector: Selector) -> Outcome {
        let mut buffer = vec![0; LONGEST];
        let status = self.t.receive(&mut buffer, selector)?;
        self.verify(status, &buffer[..status.len])
    }

    fn probe_and_receive(&mut self, selector: Selector) -> Outcome {
        let seen = self.t.probe(selector)?;
        let mut buffer = vec![0; seen.len];
        let status = self.t.receive(&mut buffer, Selector::new(seen.source, seen.tag))?;
        equal(self.t, "received what was probed", status, seen)?;
        self.verify(status, &buffer)
    }

    /// Posts several receives at once, each for any message.
    fn receive_window(&mut self, window: usize) -> Outcome {
        let mut buffers = vec![vec![0; LONGEST]; window.min(self.left)];
        let t = self.t;
        scope(t, |s| {
            let posted: Result<Vec<_>> =
                buffers.iter_mut().map(|buffer| s.receive(buffer, Selector::any())).collect();
            for done in s.wait_all(posted?)? {
                self.verify(done.status, &done.buffer[..done.status.len])?;
            }
            Ok::<_, Violation>(())
        })
    }

    fn verify(&mut self, status: Status, bytes: &[u8]) -> Outcome {
        let key = (status.source, status.tag);
        let expected = self.streams.get_mut(&key).and_then(VecDeque::pop_front);
        let Some(expected) = expected else {
            return Err(violation(self.t, &format!("a message that was not sent: {status:?}")));
        };
        if self.streams[&key].is_empty() {
            self.streams.remove(&key);
        }
        self.left -= 1;
        same_bytes(
            self.t,
            &format!("{} message {}", expected.mode, expected.number),
            bytes,
            &expected.bytes(),
        )
    }
}
