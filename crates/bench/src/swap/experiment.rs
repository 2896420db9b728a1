//! The parameters of COMMTEST: volumes, sizes, loops and cache modes (T2, T3, T4).

use std::time::Duration;

use panto_results::swap::{CacheMode, Loop, Protocol};
use panto_results::{Point, param};

use super::pairs::Pairs;
use crate::error::{Error, Result};
use crate::options::SuiteOptions;
use crate::settings::Settings;

/// Options of COMMTEST; `None` selects the defaults.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Protocols; all of them by default.
    pub protocols: Option<Vec<Protocol>>,
    /// Volumes in bytes that each rank sends; 2 MB, 128 KB and 8 KB by default.
    pub volumes: Option<Vec<u64>>,
    /// Loops; both by default.
    pub loops: Option<Vec<Loop>>,
    /// Cache modes; [`CacheMode::DEFAULT`] by default.
    pub cache_modes: Option<Vec<CacheMode>>,
    /// Sets of pairs that swap at the same time, one set after the other; ranks 0 and 1 by default.
    pub pairs: Option<Vec<Pairs>>,
    /// Whether [`better_pair`](super::better_pair) chooses the pair before the run.
    pub better_pair: bool,
}

/// The volumes of COMMTEST: its 2 MB, 128 KB and 8 KB experiments (T2).
pub const VOLUMES: [u64; 3] = [2 << 20, 128 << 10, 8 << 10];

/// Most messages into which COMMTEST divides a volume, for default sizes.
const MAX_MESSAGES: u64 = 1024;

impl SuiteOptions for Options {
    fn check(&self, ranks: usize) -> Result<()> {
        for pairs in self.pairs.iter().flatten() {
            pairs.among(ranks)?;
        }
        if self.better_pair && ranks < 3 {
            return Err(Error::usage(
                "the better of the pairs 0-1 and 0-2 needs 3 ranks; use --ranks 3 or more",
            ));
        }
        if self.volumes.iter().flatten().any(|&volume| volume == 0) {
            return Err(Error::usage("a volume has at least 1 byte; use --volumes 8K or more"));
        }
        Ok(())
    }
}

/// Returns the message sizes into which COMMTEST divides a volume: it is sent in 1, 2, 4 ... 1024
/// messages.
pub fn usual_sizes(volume: u64) -> Result<Vec<u64>> {
    if !volume.is_multiple_of(MAX_MESSAGES) {
        return Err(Error::usage(format!(
            "a volume of {volume} bytes does not divide into {MAX_MESSAGES} messages; use a multiple of {MAX_MESSAGES} for --volumes, \
             or name sizes that divide it, such as --sizes {}",
            divisors(volume)
        )));
    }
    Ok((0..=MAX_MESSAGES.ilog2()).rev().map(|power| volume >> power).collect())
}

/// Returns the user's sizes that divide the volume; one command may list sizes for several volumes
/// and kernels.
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

/// Returns examples of sizes that divide a volume, for an error message.
fn divisors(volume: u64) -> String {
    let found = (1..=64).filter(|parts| volume.is_multiple_of(*parts)).map(|parts| volume / parts);
    found.take(4).map(|size| size.to_string()).collect::<Vec<_>>().join(",")
}

/// Time budget below which every other size is skipped.
pub(super) const SHORT_BUDGET: Duration = Duration::from_secs(30);

/// Returns COMMTEST's sizes, or fewer of them: 1, 4, 16 ... 1024 messages, and the 512 that the
/// latency needs.
pub(super) fn sizes_in(volume: u64, budget: Duration) -> Result<Vec<u64>> {
    let mut sizes = usual_sizes(volume)?;
    if budget < SHORT_BUDGET {
        sizes.retain(|size| (volume / size).ilog2().is_multiple_of(2) || volume / size == MAX_MESSAGES / 2);
    }
    Ok(sizes)
}

/// Returns all points of a kernel for these sets of peers, one set after the other.
pub(super) fn points(settings: &Settings, meetings: &[String]) -> Result<Vec<Point>> {
    let options = settings.options.get::<Options>();
    let Options { protocols, volumes, loops, cache_modes, .. } = &*options;
    let protocols = protocols.as_deref().unwrap_or(&Protocol::ALL);
    let loops = loops.as_deref().unwrap_or(&Loop::ALL);
    let cache_modes = cache_modes.as_deref().unwrap_or(&CacheMode::DEFAULT);
    let mut points = Vec::new();
    for &volume in volumes.as_deref().unwrap_or(&VOLUMES) {
        let sizes = match &settings.sizes {
            Some(named) => named_sizes(volume, named)?,
            None => sizes_in(volume, settings.effort.budget)?,
        };
        for meeting in meetings {
            let base =
                Point::new(settings.world()).with_text(param::BETWEEN, meeting).with(param::VOLUME, volume);
            for (order, mode) in
                loops.iter().flat_map(|order| cache_modes.iter().map(move |mode| (order, mode)))
            {
                let base = base.clone().with_text(param::LOOP, &order.to_string());
                let base = base.with_text(param::CACHE_MODE, &mode.to_string());
                for protocol in protocols {
                    let base = base.clone().with_text(param::PROTOCOL, &protocol.id());
                    points.extend(sizes.iter().map(|&size| base.clone().with(param::BYTES, size)));
                }
            }
        }
    }
    Ok(points)
}

/// Parameters of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Experiment {
    pub(super) protocol: Protocol,
    pub(super) order: Loop,
    pub(super) mode: CacheMode,
    /// Bytes that each rank sends.
    pub(super) volume: usize,
    /// Message size in bytes.
    pub(super) bytes: usize,
}

impl Experiment {
    pub(super) fn of(point: &Point) -> Result<Self> {
        Ok(Self {
            protocol: point.text(param::PROTOCOL).parse()?,
            order: point.text(param::LOOP).parse()?,
            mode: point.text(param::CACHE_MODE).parse()?,
            volume: point.get(param::VOLUME),
            bytes: point.get(param::BYTES),
        })
    }

    /// Returns the messages that each rank sends, each counted once.
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
