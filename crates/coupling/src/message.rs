//! What ranks and the hub say to each other, as words.
//!
//! A message is a head word, with its kind and length, and the words that follow. Numbers of
//! communicators, requests and names are those of the rank's trace, which both sides know.

use panto_units::Time;

pub use panto_calls::{Matched, Reply, TestKind};

/// The most words of a message, so that several fit into a ring.
pub const MAX_WORDS: usize = crate::layout::RING / 2;

/// The most words of a reply.
pub const MAX_REPLY: usize = crate::layout::REPLY;

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Definitions of a trace: the length in bytes, and the bytes. More may follow in the next
    /// message.
    Define = 1,
    /// A call: name, kind of action, computation before it in nanoseconds, and the parts of the
    /// action.
    Call = 2,
    /// Computation in nanoseconds that belongs to no call yet.
    Compute = 3,
    /// A [`Question`]. The rank waits for its reply.
    Ask = 4,
    /// The rank makes no more calls.
    End = 5,
    /// The rank ends the job (`MPI_Abort`).
    Abort = 7,
    /// The rank waits until other ranks make the same call, and reports the call then: only the
    /// real MPI knows which ranks these are.
    Hold = 8,
    /// The rank cannot continue: a text, as [`Kind::Define`].
    Refuse = 6,
}

/// Returns the head of a message.
pub(crate) fn head(kind: Kind, length: usize) -> u64 {
    (length as u64) << 8 | kind as u64
}

/// Returns the kind and length that a head has.
pub(crate) fn parse_head(word: u64) -> Option<(Kind, usize)> {
    let kind = match word & 0xFF {
        1 => Kind::Define,
        2 => Kind::Call,
        3 => Kind::Compute,
        4 => Kind::Ask,
        5 => Kind::End,
        6 => Kind::Refuse,
        7 => Kind::Abort,
        8 => Kind::Hold,
        _ => return None,
    };
    let length = usize::try_from(word >> 8).ok().filter(|length| *length <= MAX_WORDS)?;
    Some((kind, length))
}

/// Appends bytes as words: their number first.
pub fn put_bytes(words: &mut Vec<u64>, bytes: &[u8]) {
    words.push(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_le_bytes(word));
    }
}

/// Appends the bytes of [`put_bytes`]; `None` if there are fewer words.
pub fn take_bytes(words: &[u64], bytes: &mut Vec<u8>) -> Option<()> {
    let (length, words) = words.split_first()?;
    let length = usize::try_from(*length).ok()?;
    let words = words.get(..length.div_ceil(8))?;
    let start = bytes.len();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.truncate(start + length);
    Some(())
}

/// A question of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// What time it is when the calls so far are done.
    Clock,
    /// Which of these requests are complete.
    Test(TestKind, Vec<u32>),
    /// Whether a message has arrived.
    Probe {
        /// The communicator.
        comm: u32,
        /// The source, as a trace stores it.
        from: i64,
        /// The tag; -1 for any.
        tag: i64,
    },
    /// Cancel this request. The reply completes it if it could be cancelled.
    Cancel(u32),
}

impl Question {
    /// Appends the question as words.
    pub fn put(&self, words: &mut Vec<u64>) {
        match self {
            Self::Clock => words.push(0),
            Self::Test(kind, requests) => {
                words.extend([1, *kind as u64]);
                words.extend(requests.iter().map(|request| u64::from(*request)));
            }
            Self::Probe { comm, from, tag } => {
                words.extend([2, (*comm).into(), *from as u64, *tag as u64]);
            }
            Self::Cancel(request) => words.extend([3, u64::from(*request)]),
        }
    }

    /// Returns the question that words are; `None` if they make no sense.
    pub fn take(words: &[u64]) -> Option<Self> {
        Some(match *words {
            [0] => Self::Clock,
            [1, kind, ref requests @ ..] => {
                let kind = *TestKind::ALL.get(usize::try_from(kind).ok()?)?;
                let requests = requests.iter().map(|request| u32::try_from(*request).ok());
                Self::Test(kind, requests.collect::<Option<_>>()?)
            }
            [2, comm, from, tag] => {
                Self::Probe { comm: u32::try_from(comm).ok()?, from: from as i64, tag: tag as i64 }
            }
            [3, request] => Self::Cancel(u32::try_from(request).ok()?),
            _ => return None,
        })
    }
}

/// Appends a reply as words.
pub fn put_reply(words: &mut Vec<u64>, reply: &Reply) {
    words.extend([reply.clock.as_picos(), reply.completed.len() as u64, reply.matches.len() as u64]);
    words.extend(reply.completed.iter().map(|position| u64::from(*position)));
    for matched in [reply.probed, reply.received] {
        words.push(matched.is_some().into());
        words.extend(matched.map(matched_words).unwrap_or_default());
    }
    for (request, matched) in &reply.matches {
        words.push((*request).into());
        words.extend(matched_words(*matched));
    }
}

/// Returns the reply that words are; `None` if they make no sense.
pub fn take_reply(words: &[u64]) -> Option<Reply> {
    let (&[clock, completed, count], rest) = words.split_first_chunk()?;
    let clock = Time::from_picos(clock);
    let (completed, rest) = rest.split_at_checked(usize::try_from(completed).ok()?)?;
    let completed = completed.iter().map(|position| *position as u32).collect();
    let (&[is_probed, source, tag, bytes], rest) = rest.split_first_chunk()?;
    let probed = (is_probed != 0).then(|| of_words([source, tag, bytes]));
    let (&[is_received, source, tag, bytes], rest) = rest.split_first_chunk()?;
    let received = (is_received != 0).then(|| of_words([source, tag, bytes]));
    let (all, rest) = rest.as_chunks::<4>();
    let pair = |&[request, source, tag, bytes]: &[u64; 4]| (request as u32, of_words([source, tag, bytes]));
    let is_whole = rest.is_empty() && all.len() as u64 == count;
    is_whole.then(|| Reply { clock, completed, probed, received, matches: all.iter().map(pair).collect() })
}

fn matched_words(matched: Matched) -> [u64; 3] {
    [matched.source.into(), matched.tag.into(), matched.bytes]
}

fn of_words([source, tag, bytes]: [u64; 3]) -> Matched {
    Matched { source: source as u32, tag: tag as u32, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_replies_survive() {
        let questions = [
            Question::Clock,
            Question::Test(TestKind::WaitSome, vec![3, 1]),
            Question::Probe { comm: 2, from: -7, tag: -1 },
            Question::Cancel(5),
        ];
        for question in questions {
            let mut words = Vec::new();
            question.put(&mut words);
            assert_eq!(Question::take(&words), Some(question));
        }
        let matched = Matched { source: 3, tag: 9, bytes: 1 << 40 };
        let reply = Reply {
            clock: Time::from_picos(7),
            completed: vec![0, 5],
            probed: None,
            received: Some(matched),
            matches: vec![(4, matched), (5, matched)],
        };
        let mut words = Vec::new();
        put_reply(&mut words, &reply);
        assert_eq!(take_reply(&words), Some(reply));
        for length in 0..words.len() {
            assert_eq!(take_reply(&words[..length]), None, "{length} words");
        }
    }

    #[test]
    fn bytes_survive() {
        for length in [0, 1, 7, 8, 9, 100] {
            let bytes: Vec<u8> = (0..length).collect();
            let (mut words, mut back) = (Vec::new(), Vec::new());
            put_bytes(&mut words, &bytes);
            take_bytes(&words, &mut back).unwrap();
            assert_eq!(back, bytes);
        }
        assert_eq!(take_bytes(&[9, 0], &mut Vec::new()), None);
    }
}
