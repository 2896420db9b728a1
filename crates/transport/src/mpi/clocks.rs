//! The clocks of the hosts of a job.
//!
//! Times count from the start of the job on each host: 64 bits of picoseconds are 213 days, and
//! hosts stay up longer.

use std::fmt;

use panto_units::Time;

use super::endpoint::Endpoint;
use crate::clock;
use crate::error::Result;
use crate::placement::Placement;
use crate::transport::Transport;

/// The clocks of all hosts, and how this rank reads its own.
pub(super) struct Clocks {
    /// The clock number of each rank, in the order of first appearance.
    pub(super) of: Vec<usize>,
    /// This rank's own clock.
    pub(super) own: LocalClock,
}

/// A rank's own clock, which any of its threads may read.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalClock {
    /// This host's clock at the start of the job in nanoseconds, which is subtracted from readings.
    origin: u64,
    skew: Option<Skew>,
}

impl LocalClock {
    /// Returns the time.
    #[inline]
    pub(super) fn now(self) -> Time {
        let nanos = nanos().saturating_sub(self.origin);
        let time = Time::from_nanos(nanos);
        match self.skew {
            None => time,
            Some(skew) => skew.apply(time),
        }
    }
}

/// An artificial clock error, to test synchronisation on one host.
#[derive(Debug, Clone, Copy)]
struct Skew {
    ahead: Time,
    /// Nanoseconds gained per second.
    gain: u64,
}

/// The environment variable that gives each rank a clock of its own, with an artificial error.
const SKEW: &str = "PANTO_SKEW_CLOCKS";

impl Clocks {
    /// Assigns clocks to ranks by their placements, from a recent reading of each. Rank 0's
    /// environment decides on artificial errors: launchers do not pass every variable to every
    /// host.
    pub(super) fn new(rank: usize, placements: &[Placement], readings: &[Reading]) -> Self {
        let skewed = readings.first().is_some_and(|first| first.skewed);
        let of: Vec<usize> =
            (0..placements.len()).map(|rank| if skewed { rank } else { placements[rank].node }).collect();
        let same = (0..placements.len()).filter(|&other| placements[other].node == placements[rank].node);
        let origin = same.map(|other| readings[other].nanos).min().unwrap_or(0);
        Self { of, own: LocalClock { origin, skew: skewed.then(|| Skew::of(rank)) } }
    }

    /// Returns the time on this rank's own clock.
    #[inline]
    pub(super) fn local(&self) -> Time {
        self.own.now()
    }

    /// Whether the first `ranks` ranks read the same clock.
    pub(super) fn is_one(&self, ranks: usize) -> bool {
        self.of[..ranks].iter().all(|&clock| clock == self.of[0])
    }
}

/// A rank's clock reading.
pub(super) struct Reading {
    nanos: u64,
    skewed: bool,
}

impl Reading {
    pub(super) fn now() -> Self {
        let skewed = std::env::var_os(SKEW).is_some_and(|value| !value.is_empty() && value != "0");
        Self { nanos: nanos(), skewed }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.nanos.to_le_bytes().to_vec();
        bytes.push(self.skewed.into());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Self {
        let nanos = bytes.first_chunk().map_or(0, |nanos| u64::from_le_bytes(*nanos));
        Self { nanos, skewed: bytes.get(8) == Some(&1) }
    }
}

/// Returns the host's monotonic clock in nanoseconds since boot.
#[inline]
fn nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call; every Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Skew {
    /// Returns an error of up to a few minutes and up to 80 ppm.
    fn of(rank: usize) -> Self {
        let rank = rank as u64;
        Self { ahead: Time::from_nanos(rank * 37_123_456_789), gain: (rank * 17_000) % 83_000 }
    }

    fn apply(self, time: Time) -> Time {
        let gained = u128::from(time.as_picos()) * u128::from(self.gain) / 1_000_000_000;
        time + Time::from_picos(gained as u64) + self.ahead
    }
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("monotonic clock of the system")?;
        match self.of.iter().max() {
            None | Some(0) => f.write_str(", shared by all ranks"),
            Some(last) if self.own.skew.is_none() => {
                write!(f, ", of {} hosts, synchronised by HCA3", last + 1)
            }
            Some(_) => write!(f, ", skewed per rank by {SKEW}, synchronised by HCA3"),
        }
    }
}

/// Round trips per host of a comparison of clocks.
const EXCHANGES: usize = 20;
/// Clocks that certainly differ by more than this are synchronised again.
const RESYNC_THRESHOLD: Time = Time::from_nanos(1_000);

impl Endpoint {
    /// Synchronises the clocks of all hosts. All ranks must call this together.
    pub(super) fn synchronise(&self) -> Result<()> {
        let clocks = &self.job.clocks;
        let model = clock::synchronise(
            self,
            &clocks.of[..self.size()],
            &|| clocks.local(),
            &clock::SyncEffort::default(),
        )?;
        self.clock.set(model);
        self.is_synchronised.set(true);
        Ok(())
    }

    /// Returns the maximum difference of the clocks, and synchronises them again if it is too
    /// large.
    pub(super) fn compare_clocks(&self) -> Result<Option<Time>> {
        if !self.is_synchronised.get() {
            return Ok(None);
        }
        let (clocks, model) = (&self.job.clocks, self.clock.get());
        let of = &clocks.of[..self.size()];
        let difference = clock::difference(self, of, &|| clocks.local(), &model, EXCHANGES)?;
        if difference.is_some_and(|difference| difference.at_least > RESYNC_THRESHOLD) {
            self.synchronise()?;
        }
        Ok(difference.map(|difference| difference.at_most))
    }
}
