//! Options of the suite.

use std::time::Duration;

use panto_results::scenario::CollectiveCall;
use panto_units::parse_span;

use super::language::{Form, Late, Scenario};
use super::operation::{Implementation, Progress};
use crate::error::{Error, Result};
use crate::options::SuiteOptions;

/// Options of the suite; `None` selects the defaults.
#[derive(Debug, Clone)]
pub struct Options {
    /// Collectives; all of them by default.
    pub calls: Option<Vec<CollectiveCall>>,
    /// Implementations, one after the other; the message layer by default.
    pub implementations: Option<Vec<Implementation>>,
    /// Further implementations of single collectives.
    pub by_call: Vec<(CollectiveCall, Vec<Implementation>)>,
    /// Fewest participants of the sweep; the default depends on the scenario (S3).
    pub from: Option<usize>,
    /// Values of `$delay` in nanoseconds.
    pub delays: Option<Vec<u64>>,
    /// Values of `$computation` in nanoseconds.
    pub computations: Option<Vec<u64>>,
    /// Late participants, one after the other.
    pub late: Vec<Late>,
    /// Means of progress for operations in flight, one after the other.
    pub progress: Vec<Progress>,
    /// Whether operations block that the scenario leaves open; by default as it needs them.
    pub form: Option<Form>,
    /// Scenarios of the kernel `own`.
    pub own: Vec<Scenario>,
    /// Time after which a user-supplied implementation counts as hung.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: None,
            implementations: None,
            by_call: Vec::new(),
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
    /// Returns the implementations of a collective.
    pub(super) fn implementations_of(&self, call: CollectiveCall) -> Vec<Implementation> {
        let library = [Implementation::Library];
        let all = self.implementations.as_deref().unwrap_or(&library);
        let of_call = self.by_call.iter().filter(|(other, _)| *other == call);
        all.iter().chain(of_call.flat_map(|(_, implementations)| implementations)).cloned().collect()
    }

    /// Returns whether an implementation is an algorithm of the message layer's own collective.
    pub fn selects_algorithms(&self) -> bool {
        let by_call = self.by_call.iter().flat_map(|(_, implementations)| implementations);
        self.implementations
            .iter()
            .flatten()
            .chain(by_call)
            .any(|implementation| matches!(implementation, Implementation::LibraryAlgorithm(_)))
    }
}

impl SuiteOptions for Options {
    fn check(&self, ranks: usize) -> Result<()> {
        if let Some(from) = self.from.filter(|&from| from < 1 || from > ranks) {
            return Err(Error::usage(format!(
                "--from {from}: the sweep over participants begins with 1 to {ranks}, the number of ranks"
            )));
        }
        Ok(())
    }
}

/// Parses times: values and ranges that double, separated by commas. Returns nanoseconds.
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
    // A point has whole nanoseconds; less is below the resolution of a clock.
    Ok(time.as_picos().div_ceil(1_000))
}
