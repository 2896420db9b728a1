//! The clocks of the hosts of a job.

use std::fmt;

use panto_units::Time;

use super::endpoint::Endpoint;
use crate::clock;
use crate::error::Result;
use crate::place::Place;
use crate::transport::Transport;

/// The clocks of all hosts, and how this rank reads its own.
pub(super) struct Clocks {
    /// For each rank the number of its clock, in the order in which they first appear.
    pub(super) of: Vec<usize>,
    /// What this rank's clock showed when the job began, so that times are small numbers.
    origin: u64,
    skew: Option<Skew>,
}

/// An artificial error, to try synchronisation where all clocks are one.
#[derive(Debug, Clone, Copy)]
struct Skew {
    ahead: Time,
    /// Nanoseconds that are gained in a second.
    gain: u64,
}

/// Set, it makes each rank's clock wrong in its own way, and a clock of its own.
const SKEW: &str = "PANTO_SKEW_CLOCKS";

impl Clocks {
    /// From where the ranks run, and what the clock of each showed about now. Whether clocks are made wrong is the first rank's word:
    /// launchers do not bring every variable to every host.
    pub(super) fn new(rank: usize, places: &[Place], readings: &[Reading]) -> Self {
        let skewed = readings.first().is_some_and(|first| first.skewed);
        let of: Vec<usize> =
            (0..places.len()).map(|rank| if skewed { rank } else { places[rank].node }).collect();
        let same = (0..places.len()).filter(|&other| places[other].node == places[rank].node);
        let origin = same.map(|other| readings[other].nanos).min().unwrap_or(0);
        Self { of, origin, skew: skewed.then(|| Skew::of(rank)) }
    }

    /// The time on this rank's own clock.
    #[inline]
    pub(super) fn local(&self) -> Time {
        let nanos = nanos().saturating_sub(self.origin);
        let time = Time::from_nanos(nanos);
        match self.skew {
            None => time,
            Some(skew) => skew.apply(time),
        }
    }

    /// Do the first `ranks` ranks read the same clock?
    pub(super) fn is_one(&self, ranks: usize) -> bool {
        self.of[..ranks].iter().all(|&clock| clock == self.of[0])
    }
}

/// What a rank says of its clock.
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

/// The clock of this host, in nanoseconds since it was started.
#[inline]
fn nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer; this clock is there on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Skew {
    /// Up to a few minutes ahead, and up to 80 ppm too fast.
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
            Some(last) if self.skew.is_none() => write!(f, ", of {} hosts, synchronised by HCA3", last + 1),
            Some(_) => write!(f, ", made wrong for each rank by {SKEW}, synchronised by HCA3"),
        }
    }
}

/// Exchanges that find out how far clocks are apart.
const EXCHANGES: usize = 20;
/// Clocks that certainly differ by more than this are synchronised again.
const DRIFTED: Time = Time::from_nanos(1_000);

impl Endpoint {
    /// Makes the clocks of all hosts one. All ranks must call this together.
    pub(super) fn synchronise(&self) -> Result<()> {
        let clocks = &self.job.clocks;
        let model = clock::synchronise(
            self,
            &clocks.of[..self.size()],
            &|| clocks.local(),
            &clock::Effort::default(),
        )?;
        self.clock.set(model);
        self.is_synchronised.set(true);
        Ok(())
    }

    /// How far they are apart by now; and if that is too far, no more.
    pub(super) fn compare_clocks(&self) -> Result<Option<Time>> {
        if !self.is_synchronised.get() {
            return Ok(None);
        }
        let (clocks, model) = (&self.job.clocks, self.clock.get());
        let of = &clocks.of[..self.size()];
        let apart = clock::apart(self, of, &|| clocks.local(), &model, EXCHANGES)?;
        if apart.is_some_and(|apart| apart.at_least > DRIFTED) {
            self.synchronise()?;
        }
        Ok(apart.map(|apart| apart.at_most))
    }
}
