//! Noise of the operating system: interruptions that lengthen computation.

use std::path::{Path, PathBuf};

use panto_random::{GOLDEN_GAMMA, SplitMix64};
use panto_sim::Noise;
use panto_units::{Time, parse_span, time};

use crate::error::{Error, NoiseError};

/// A source of noise. The same seed gives the same interruptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disturbance {
    kind: Kind,
    seed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A timer tick: at regular intervals, with a random phase for each rank.
    Periodic { every: Time, lasts: Time },
    /// A Poisson process: exponentially distributed intervals and lengths.
    Random { every: Time, lasts: Time },
    /// A recording that is repeated; each rank starts at a random offset.
    Recorded { path: PathBuf, detours: Vec<Detour>, span: Time },
}

/// A recorded interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Detour {
    at: Time,
    /// The length of this one and all before it.
    sum: Time,
}

/// Expected interruptions of one computation above which the mean is used instead of a random sum:
/// the relative standard deviation is about 3% there.
const MANY: f64 = 1000.0;

impl Disturbance {
    /// Parses `periodic:PERIOD,LENGTH`, `random:PERIOD,LENGTH`, or the name of a file.
    pub fn parse(text: &str, seed: u64) -> Result<Self, Error> {
        let kind = match text.split_once(':') {
            Some(("periodic", times)) => {
                let (every, lasts) = pair(times, text)?;
                Kind::Periodic { every, lasts }
            }
            Some(("random", times)) => {
                let (every, lasts) = pair(times, text)?;
                Kind::Random { every, lasts }
            }
            _ if Path::new(text).is_file() => recorded(Path::new(text))?,
            _ => return Err(unknown(text)),
        };
        Ok(Self { kind, seed })
    }

    /// Describes the noise in a sentence.
    pub fn describe(&self) -> String {
        let seconds = |moment: Time| time(moment.as_secs());
        match &self.kind {
            Kind::Periodic { every, lasts } => {
                format!("computation is interrupted every {} for {}", seconds(*every), seconds(*lasts))
            }
            Kind::Random { every, lasts } => format!(
                "computation is interrupted at random, on average every {} for {}",
                seconds(*every),
                seconds(*lasts)
            ),
            Kind::Recorded { path, detours, span } => format!(
                "computation is interrupted as recorded in {}: {} times in {}",
                path.display(),
                detours.len(),
                seconds(*span)
            ),
        }
    }

    /// Returns the random numbers of a computation of a rank.
    fn rng(&self, rank: u32, number: u64) -> SplitMix64 {
        let mut first = SplitMix64::new(self.seed ^ u64::from(rank).wrapping_mul(GOLDEN_GAMMA));
        SplitMix64::new(first.next_u64() ^ number)
    }
}

impl Noise for Disturbance {
    fn delay(&self, rank: u32, number: u64, at: Time, time: Time) -> Time {
        match &self.kind {
            Kind::Periodic { every, lasts } => {
                let phase = self.rng(rank, 0).below(every.as_picos());
                let ticks = |moment: Time| moment.as_picos().saturating_add(phase) / every.as_picos();
                let ticks = ticks(at.saturating_add(time)) - ticks(at);
                Time::from_picos(lasts.as_picos().saturating_mul(ticks))
            }
            Kind::Random { every, lasts } => {
                random(&mut self.rng(rank, number), time.as_secs() / every.as_secs(), *lasts)
            }
            Kind::Recorded { detours, span, .. } => {
                let phase = self.rng(rank, 0).below(span.as_picos());
                let from = at.as_picos().saturating_add(phase);
                within(detours, *span, from, time)
            }
        }
    }
}

/// Returns the total length of a random number of interruptions with this expectation.
fn random(rng: &mut SplitMix64, expected: f64, lasts: Time) -> Time {
    let lasts = lasts.as_picos() as f64;
    if expected > MANY {
        return Time::from_picos((expected * lasts) as u64);
    }
    let exponential = |rng: &mut SplitMix64| -(1.0 - rng.unit()).ln();
    let (mut passed, mut sum) = (exponential(rng), 0.0);
    while passed < expected {
        sum += exponential(rng) * lasts;
        passed += exponential(rng);
    }
    Time::from_picos(sum as u64)
}

/// Returns the total length of the recorded interruptions that begin while `time` is computed from
/// `from` on, including those that begin during the delays themselves.
fn within(detours: &[Detour], span: Time, from: u64, time: Time) -> Time {
    let before = |moment: u64| {
        let (rounds, rest) = (moment / span.as_picos(), moment % span.as_picos());
        let count = detours.partition_point(|detour| detour.at.as_picos() < rest);
        let part = count.checked_sub(1).map_or(0, |last| detours[last].sum.as_picos());
        let whole = detours.last().map_or(0, |last| last.sum.as_picos());
        u128::from(rounds) * u128::from(whole) + u128::from(part)
    };
    let start = before(from);
    let mut delay = 0_u64;
    loop {
        let end = from.saturating_add(time.as_picos()).saturating_add(delay);
        let sum = u64::try_from(before(end) - start).unwrap_or(u64::MAX);
        if sum <= delay || end == u64::MAX {
            return Time::from_picos(sum);
        }
        delay = sum;
    }
}

fn pair(times: &str, text: &str) -> Result<(Time, Time), Error> {
    let (every, lasts) = times.split_once(',').ok_or_else(|| unknown(text))?;
    let moment = |word: &str| {
        parse_span(word.trim()).map_err(|reason| NoiseError::Time { text: text.to_owned(), reason })
    };
    let (every, lasts) = (moment(every)?, moment(lasts)?);
    if every == Time::ZERO {
        return Err(NoiseError::ZeroPeriod(text.to_owned()).into());
    }
    Ok((every, lasts))
}

fn unknown(text: &str) -> Error {
    NoiseError::Unknown(text.to_owned()).into()
}

fn recorded(path: &Path) -> Result<Kind, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::read(path, &error))?;
    let mut detours: Vec<Detour> = Vec::new();
    let (mut sum, mut end) = (0_u64, 0_u64);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (at, lasts) = numbers(line).ok_or_else(|| NoiseError::Line {
            path: path.to_owned(),
            line: number,
            text: line.to_owned(),
        })?;
        if detours.last().is_some_and(|last| last.at >= at) {
            return Err(NoiseError::Unsorted { path: path.to_owned(), line: number }.into());
        }
        sum = sum.saturating_add(lasts.as_picos());
        end = at.saturating_add(lasts).as_picos();
        detours.push(Detour { at, sum: Time::from_picos(sum) });
    }
    if end == 0 || sum >= end {
        return Err(NoiseError::NoTimeLeft(path.to_owned()).into());
    }
    Ok(Kind::Recorded { path: path.to_owned(), detours, span: Time::from_picos(end) })
}

fn numbers(line: &str) -> Option<(Time, Time)> {
    let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let mut next = || words.next()?.parse::<u64>().ok()?.checked_mul(1000).map(Time::from_picos);
    let pair = (next()?, next()?);
    words.next().is_none().then_some(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(micros: u64) -> Time {
        Time::from_nanos(micros * 1000)
    }

    #[test]
    fn periodic_noise_takes_its_share() {
        let noise = Disturbance::parse("periodic:1ms,10us", 1).unwrap();
        assert_eq!(noise.delay(3, 0, us(500), us(100_000)), us(1000));
        let pieces: u64 =
            (0..1000).map(|piece| noise.delay(3, piece, us(100 * piece), us(100)).as_picos()).sum();
        assert_eq!(Time::from_picos(pieces), us(1000));
    }

    #[test]
    fn random_noise_has_its_mean_and_its_seed() {
        let noise = Disturbance::parse("random:1ms,10us", 7).unwrap();
        let sum: f64 = (0..2000).map(|number| noise.delay(0, number, us(0), us(10_000)).as_secs()).sum();
        assert!((sum / 2000.0 - 100e-6).abs() < 5e-6, "{sum}");
        assert_eq!(noise.delay(1, 5, us(0), us(9000)), noise.delay(1, 5, us(0), us(9000)));
    }

    #[test]
    fn recorded_noise_repeats() {
        let path = std::env::temp_dir().join(format!("panto-noise-{}", std::process::id()));
        std::fs::write(&path, "# begins lasts\n100000 1000\n900000,9000\n").unwrap();
        let noise = Disturbance::parse(path.to_str().unwrap(), 0).unwrap();
        // Ten rounds of 909 us contain ten times 10 us of noise.
        assert_eq!(noise.delay(0, 0, us(0), us(8990)), us(100));
        std::fs::write(&path, "5 1\n4 1\n").unwrap();
        let error = Disturbance::parse(path.to_str().unwrap(), 0).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains(":2: starts before"), "{error}");
    }

    #[test]
    fn invalid_noise_is_rejected() {
        for text in ["often", "periodic:1ms", "random:0s,1us", "periodic:x,1us"] {
            assert!(Disturbance::parse(text, 0).is_err(), "{text}");
        }
    }
}
