//! What is measured: volumes, sizes, loops and ways (T2, T3, T4).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::pairs::Pairs;
use super::protocol::Protocol;
use crate::error::{Error, Result};
use crate::point::{Point, param};
use crate::settings::Settings;

/// What the user asked of COMMTEST; what is left open is the usual.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The protocols; all of them if not given.
    pub protocols: Option<Vec<Protocol>>,
    /// The volumes in bytes that each rank sends; 2 MB, 128 KB and 8 KB if not given.
    pub volumes: Option<Vec<u64>>,
    /// The loops; both if not given.
    pub loops: Option<Vec<Loop>>,
    /// The ways; all three if not given.
    pub ways: Option<Vec<Way>>,
    /// Pairs that swap at the same time, one set after the other; ranks 0 and 1 if not given.
    pub pairs: Option<Vec<Pairs>>,
}

/// The volumes of COMMTEST: its 2 MB, 128 KB and 8 KB experiments (T2).
pub const VOLUMES: [u64; 3] = [2 << 20, 128 << 10, 8 << 10];

/// The most messages that COMMTEST divides a volume into, if the user names no sizes.
const MOST_MESSAGES: u64 = 1024;

/// How often a message is sent in the repeated way; COMMTEST's own number.
const REPEATS: u64 = 10;

/// How the swaps of a volume follow each other (T3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// One after the other.
    Basic,
    /// Each receive is posted one swap ahead, each send waited for one swap later.
    Prepost,
}

/// What is done before and during a run (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The buffers are initialised and evicted from all caches; each message is sent once.
    Cold,
    /// The buffers are initialised; each message is sent once.
    Warm,
    /// The buffers are initialised; each message is sent ten times before the next.
    Repeated,
}

impl Loop {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Basic, Self::Prepost];
}

impl Way {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Cold, Self::Warm, Self::Repeated];

    /// How often each message is sent.
    pub(super) fn repeats(self) -> u64 {
        if self == Self::Repeated { REPEATS } else { 1 }
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic => "basic",
            Self::Prepost => "prepost",
        })
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Repeated => "repeated",
        })
    }
}

impl FromStr for Loop {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::usage(format!("there is no loop `{text}`; there are basic and prepost"));
        Self::ALL.into_iter().find(|each| each.to_string() == text).ok_or_else(unknown)
    }
}

impl FromStr for Way {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::usage(format!("there is no way `{text}`; there are cold, warm and repeated"));
        Self::ALL.into_iter().find(|each| each.to_string() == text).ok_or_else(unknown)
    }
}

impl Options {
    /// Refuses what no kernel of the suite can do in a world of so many ranks.
    pub fn check(&self, ranks: usize) -> Result<()> {
        for pairs in self.pairs.iter().flatten() {
            pairs.among(ranks)?;
        }
        if self.volumes.iter().flatten().any(|&volume| volume == 0) {
            return Err(Error::usage("a volume has at least 1 byte; use --volumes 8K or more"));
        }
        Ok(())
    }
}

/// The message sizes into which COMMTEST divides a volume: it is sent in 1, 2, 4 ... 1024 messages.
pub fn usual_sizes(volume: u64) -> Result<Vec<u64>> {
    if !volume.is_multiple_of(MOST_MESSAGES) {
        return Err(Error::usage(format!(
            "a volume of {volume} bytes does not divide into {MOST_MESSAGES} messages; use a multiple of {MOST_MESSAGES} for --volumes, \
             or name sizes that divide it, such as --sizes {}",
            divisors(volume)
        )));
    }
    Ok((0..=MOST_MESSAGES.ilog2()).rev().map(|power| volume >> power).collect())
}

/// The user's sizes that divide the volume; one command may name sizes for several volumes and kernels.
fn named_sizes(volume: u64, named: &[u64]) -> Result<Vec<u64>> {
    let divides = |&size: &u64| size > 0 && volume.is_multiple_of(size);
    let sizes: Vec<u64> = named.iter().copied().filter(divides).collect();
    if sizes.is_empty() {
        let named: Vec<String> = named.iter().map(u64::to_string).collect();
        return Err(Error::usage(format!(
            "a volume of {volume} bytes does not divide into messages of {} bytes; use --sizes {}",
            named.join(", "),
            divisors(volume)
        )));
    }
    Ok(sizes)
}

/// Some sizes that divide a volume, for people.
fn divisors(volume: u64) -> String {
    let found = (1..=64).filter(|parts| volume.is_multiple_of(*parts)).map(|parts| volume / parts);
    found.take(4).map(|size| size.to_string()).collect::<Vec<_>>().join(",")
}

/// With less time than this, every other size is left out.
const LITTLE_TIME: Duration = Duration::from_secs(30);

/// COMMTEST's sizes, or fewer of them: 1, 4, 16 ... 1024 messages, and the 512 that the latency needs.
fn sizes_in(volume: u64, budget: Duration) -> Result<Vec<u64>> {
    let mut sizes = usual_sizes(volume)?;
    if budget < LITTLE_TIME {
        sizes.retain(|size| (volume / size).ilog2().is_multiple_of(2) || volume / size == MOST_MESSAGES / 2);
    }
    Ok(sizes)
}

/// All points of a kernel whose ranks meet like this, one set after the other.
pub(super) fn points(settings: &Settings, meetings: &[String]) -> Result<Vec<Point>> {
    let Options { protocols, volumes, loops, ways, .. } = &settings.swap;
    let protocols = protocols.as_deref().unwrap_or(&Protocol::ALL);
    let loops = loops.as_deref().unwrap_or(&Loop::ALL);
    let ways = ways.as_deref().unwrap_or(&Way::ALL);
    let mut points = Vec::new();
    for &volume in volumes.as_deref().unwrap_or(&VOLUMES) {
        let sizes = match &settings.sizes {
            Some(named) => named_sizes(volume, named)?,
            None => sizes_in(volume, settings.effort.budget)?,
        };
        for meeting in meetings {
            let base =
                Point::new(settings.world()).with_text(param::BETWEEN, meeting).with(param::VOLUME, volume);
            for (order, way) in loops.iter().flat_map(|order| ways.iter().map(move |way| (order, way))) {
                let base = base.clone().with_text(param::LOOP, &order.to_string());
                let base = base.with_text(param::WAY, &way.to_string());
                for protocol in protocols {
                    let base = base.clone().with_text(param::PROTOCOL, &protocol.id());
                    points.extend(sizes.iter().map(|&size| base.clone().with(param::BYTES, size)));
                }
            }
        }
    }
    Ok(points)
}

/// What is to be done at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Experiment {
    pub(super) protocol: Protocol,
    pub(super) order: Loop,
    pub(super) way: Way,
    /// Bytes that each rank sends.
    pub(super) volume: usize,
    /// Bytes of a message.
    pub(super) bytes: usize,
}

impl Experiment {
    pub(super) fn of(point: &Point) -> Result<Self> {
        Ok(Self {
            protocol: point.text(param::PROTOCOL).parse()?,
            order: point.text(param::LOOP).parse()?,
            way: point.text(param::WAY).parse()?,
            volume: point.get(param::VOLUME),
            bytes: point.get(param::BYTES),
        })
    }

    /// Messages that each rank sends, each counted once.
    pub(super) fn messages(&self) -> usize {
        self.volume / self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_sent_in_up_to_1024_messages() {
        for (volume, least) in VOLUMES.into_iter().zip([2 << 10, 128, 8]) {
            let sizes = usual_sizes(volume).unwrap();
            assert_eq!((sizes.len(), sizes[0], sizes[10]), (11, least, volume));
        }
    }

    #[test]
    fn little_time_means_fewer_sizes() {
        let sizes = sizes_in(1 << 20, Duration::from_secs(20)).unwrap();
        let messages: Vec<u64> = sizes.iter().map(|size| (1 << 20) / size).collect();
        assert_eq!(messages, [1024, 512, 256, 64, 16, 4, 1]);
    }

    #[test]
    fn a_volume_that_does_not_divide_is_named() {
        let error = usual_sizes(1000).unwrap_err().to_string();
        assert!(error.contains("1000 bytes") && error.contains("1000,500,250"), "{error}");
        let error = named_sizes(8192, &[0, 100]).unwrap_err().to_string();
        assert!(error.contains("0, 100") && error.contains("8192,4096"), "{error}");
        assert_eq!(named_sizes(8192, &[0, 64, 100]).unwrap(), [64]);
    }

    #[test]
    fn the_whole_suite() {
        let points = points(&Settings::default(), &["0-1".into()]).unwrap();
        assert_eq!(points.len(), 3 * 11 * 21 * 2 * 3);
        for point in &points {
            assert_eq!(Experiment::of(point).unwrap().volume % point.get(param::BYTES), 0);
        }
    }
}
