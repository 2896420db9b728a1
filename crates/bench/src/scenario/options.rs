//! What the user asked of the suite.

use std::time::Duration;

use panto_units::parse_span;

use super::language::{Form, Late, Scenario};
use super::operation::{Call, Implementation, Progress};
use crate::error::{Error, Result};

/// What the user asked of the suite; what is left open is the usual.
#[derive(Debug, Clone)]
pub struct Options {
    /// The collectives; all of them if not given.
    pub calls: Option<Vec<Call>>,
    /// Who carries them out, one after the other; the message layer if not given.
    pub implementations: Option<Vec<Implementation>>,
    /// The fewest participants of the sweep; each scenario knows a usual number if not given (S3).
    pub from: Option<usize>,
    /// Values of `$delay` in nanoseconds.
    pub delays: Option<Vec<u64>>,
    /// Values of `$computation` in nanoseconds.
    pub computations: Option<Vec<u64>>,
    /// Who is late, one after the other.
    pub late: Vec<Late>,
    /// What moves operations on meanwhile, one after the other.
    pub progress: Vec<Progress>,
    /// Whether operations block that the scenario leaves open; as it needs them if not given.
    pub form: Option<Form>,
    /// The scenarios of the kernel `own`.
    pub own: Vec<Scenario>,
    /// How long somebody's own implementation may take before it counts as hung.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: None,
            implementations: None,
            from: None,
            delays: None,
            computations: None,
            late: vec![Late::default()],
            progress: vec![Progress::None],
            form: None,
            own: Vec::new(),
            patience: Duration::from_secs(10),
        }
    }
}

impl Options {
    /// Refuses what no scenario can do in a world of so many ranks.
    pub fn check(&self, ranks: usize) -> Result<()> {
        if let Some(from) = self.from.filter(|&from| from < 1 || from > ranks) {
            return Err(Error::usage(format!(
                "--from {from}: the sweep over participants begins with 1 to {ranks}, the number of ranks"
            )));
        }
        Ok(())
    }
}

/// Reads times: values and ranges that double, separated by commas; answers nanoseconds.
///
/// ```
/// use panto_bench::scenario::parse_times;
/// assert_eq!(parse_times("1us..4us,10us").unwrap(), [1_000, 2_000, 4_000, 10_000]);
/// assert!(parse_times("9us..3us").is_err());
/// ```
pub fn parse_times(text: &str) -> Result<Vec<u64>> {
    let mut times = Vec::new();
    for part in text.split(',') {
        let Some((from, to)) = part.split_once("..") else {
            times.push(nanos(part)?);
            continue;
        };
        let (from, to) = (nanos(from)?, nanos(to)?);
        if from > to {
            return Err(Error::usage(format!("the range `{part}` ends before it begins")));
        }
        if from == 0 {
            return Err(Error::usage(format!(
                "the range `{part}` cannot double from nothing; use 0,1us..1ms"
            )));
        }
        times.extend(
            std::iter::successors(Some(from), |time| time.checked_mul(2)).take_while(|&time| time < to),
        );
        times.push(to);
    }
    times.sort_unstable();
    times.dedup();
    Ok(times)
}

fn nanos(text: &str) -> Result<u64> {
    let time = parse_span(text.trim()).map_err(|error| Error::usage(error.to_string()))?;
    // A point has whole nanoseconds; less is nothing that a clock could tell.
    Ok(time.as_picos().div_ceil(1_000))
}
