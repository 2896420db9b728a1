//! Times in a scenario: constants, variables, and patterns over the participants.

use std::fmt;
use std::sync::Arc;

use panto_random::{GOLDEN_GAMMA, SplitMix64};
use panto_transport::Time;

use super::Variable;

/// Time of a delay or a computation, for each participant of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// The time `T` of the pattern.
    pub span: Span,
    /// How it differs between participants.
    pub pattern: Pattern,
}

/// A constant time, or one that is swept over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// A constant.
    Fixed(Time),
    /// `$delay`.
    Delay,
    /// `$computation`.
    Computation,
}

/// How a time differs over the participants of a group, in rank order. `T` is the span.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// `T` for each.
    Same,
    /// From 0 for the first to `T` for the last, in equal steps.
    Linear,
    /// Uniformly random up to `T`, by the seed; the same in each repetition.
    Random,
    /// `T` for the last, and half of the next one's for each before it; 0 for the first.
    Exponential,
    /// `T` for one that the seed draws, 0 for the others.
    Straggler,
    /// Recorded for each rank in a trace; `T` has no meaning.
    Recorded(Arc<[Time]>),
}

/// The named patterns.
pub(super) const NAMED: [(&str, Pattern); 4] = [
    ("linear", Pattern::Linear),
    ("random", Pattern::Random),
    ("exponential", Pattern::Exponential),
    ("straggler", Pattern::Straggler),
];

/// Values of the time variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// `$delay`.
    pub delay: Time,
    /// `$computation`.
    pub computation: Time,
}

impl Span {
    pub(super) fn variable(self) -> Option<Variable> {
        match self {
            Self::Fixed(_) => None,
            Self::Delay => Some(Variable::Delay),
            Self::Computation => Some(Variable::Computation),
        }
    }

    fn value(self, times: Times) -> Time {
        match self {
            Self::Fixed(time) => time,
            Self::Delay => times.delay,
            Self::Computation => times.computation,
        }
    }
}

impl Amount {
    /// Returns the time of the participant at index `place` of its group, which is `rank` of all.
    pub(in super::super) fn at(
        &self,
        (place, of): (usize, usize),
        rank: usize,
        times: Times,
        seed: u64,
    ) -> Time {
        let whole = self.span.value(times);
        let part = |fraction: f64| Time::from_picos((whole.as_picos() as f64 * fraction) as u64);
        match &self.pattern {
            Pattern::Same => whole,
            Pattern::Linear if of < 2 => Time::ZERO,
            Pattern::Linear => part(place as f64 / (of - 1) as f64),
            Pattern::Random => {
                part(SplitMix64::new(seed ^ (rank as u64 + 1).wrapping_mul(GOLDEN_GAMMA)).unit())
            }
            Pattern::Exponential if place == 0 => Time::ZERO,
            Pattern::Exponential => part(0.5_f64.powi((of - 1 - place) as i32)),
            Pattern::Straggler if SplitMix64::new(seed).below(of as u64) == place as u64 => whole,
            Pattern::Straggler => Time::ZERO,
            Pattern::Recorded(recorded) => recorded.get(rank).copied().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(time) => f.write_str(&panto_units::time(time.as_secs())),
            Self::Delay => f.write_str("$delay"),
            Self::Computation => f.write_str("$computation"),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Pattern::Same => self.span.fmt(f),
            Pattern::Linear => write!(f, "0 to {}, in equal steps from the first to the last", self.span),
            Pattern::Random => write!(f, "a random time up to {}", self.span),
            Pattern::Exponential => {
                write!(f, "a time that doubles from one to the next, up to {} for the last", self.span)
            }
            Pattern::Straggler => {
                write!(f, "{} for one participant drawn by the seed, 0 for the others", self.span)
            }
            Pattern::Recorded(recorded) => {
                let most = recorded.iter().copied().max().map(|most| panto_units::time(most.as_secs()));
                let most = most.map_or_else(String::new, |most| format!(", up to {most}"));
                write!(f, "the lateness of its rank in the trace{most}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(pattern: Pattern, of: usize, seed: u64) -> Vec<u64> {
        let amount = Amount { span: Span::Delay, pattern };
        let times = Times { delay: Time::from_nanos(80), ..Times::default() };
        (0..of).map(|place| amount.at((place, of), place, times, seed).as_picos() / 1_000).collect()
    }

    #[test]
    fn patterns_over_the_participants() {
        assert_eq!(over(Pattern::Same, 3, 1), [80, 80, 80]);
        assert_eq!(over(Pattern::Linear, 5, 1), [0, 20, 40, 60, 80]);
        assert_eq!(over(Pattern::Linear, 1, 1), [0]);
        assert_eq!(over(Pattern::Exponential, 4, 1), [0, 20, 40, 80]);
        let stragglers = over(Pattern::Straggler, 6, 7);
        assert_eq!((stragglers.iter().sum::<u64>(), stragglers.len()), (80, 6));
        let random = over(Pattern::Random, 50, 1);
        assert!(random.iter().all(|&nanos| nanos < 80) && random.iter().max() > Some(&60), "{random:?}");
        assert_eq!(random, over(Pattern::Random, 50, 1));
        assert_ne!(random, over(Pattern::Random, 50, 2));
        let recorded = Pattern::Recorded([3, 0].map(Time::from_nanos).into());
        assert_eq!(over(recorded, 2, 1), [3, 0]);
    }
}
