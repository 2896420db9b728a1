//! Counts verdicts, alike for machines and for PUPPET's thesis.

use std::fmt;

use serde::Serialize;

use crate::{Status, Verdict};

/// How many figures are reproduced, by what the model knew of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// The figures that the model was given.
    pub given: Count,
    /// The figures that the model predicts.
    pub predicted: Count,
    /// The figures that their document contradicts.
    pub contradicted: usize,
}

/// Some figures, and how many of them are reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Count {
    /// The reproduced figures.
    pub reproduced: usize,
    /// All figures.
    pub all: usize,
}

impl FromIterator<(Status, Verdict)> for Tally {
    fn from_iter<I: IntoIterator<Item = (Status, Verdict)>>(figures: I) -> Self {
        let mut tally = Self::default();
        for (status, verdict) in figures {
            let count = match status {
                Status::Given => &mut tally.given,
                Status::Predicted => &mut tally.predicted,
                Status::Contradicted => {
                    tally.contradicted += 1;
                    continue;
                }
            };
            count.all += 1;
            count.reproduced += usize::from(verdict.is_reproduced());
        }
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { given, predicted, contradicted } = self;
        write!(
            f,
            "{} of {} figures that the model was given are reproduced, and {} of {} that it predicts.",
            given.reproduced, given.all, predicted.reproduced, predicted.all
        )?;
        match contradicted {
            0 => Ok(()),
            1 => f.write_str(" The document itself contradicts 1 more figure."),
            more => write!(f, " The document itself contradicts {more} more figures."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradicted_figures_count_neither_as_reproduced_nor_as_missed() {
        let tally: Tally = [
            (Status::Given, Verdict::Met),
            (Status::Predicted, Verdict::Holds),
            (Status::Predicted, Verdict::Differs),
            (Status::Contradicted, Verdict::Contradicted),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            tally.to_string(),
            "1 of 1 figures that the model was given are reproduced, and 1 of 2 that it predicts. The document \
             itself contradicts 1 more figure."
        );
        assert!(!Tally::default().to_string().contains("contradicts"));
    }
}
