//! The argument of `--format`: one type for all commands, each of which accepts some of its values.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};

use crate::failure::Failure;

/// A format of printed results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable tables and notes.
    Table,
    /// One JSON document.
    Json,
    /// Comma-separated values, one row per point, rank or setting.
    Csv,
    /// The format of the OSU micro-benchmarks.
    Osu,
    /// The format of the Intel MPI Benchmarks.
    Imb,
    /// The format of CRESTA's collectives microbenchmark suite.
    Mbs,
}

/// The formats of commands whose results are not a flat table.
pub const TABLE_OR_JSON: &[Format] = &[Format::Table, Format::Json];
/// The formats of commands whose results are a flat table.
pub const TABLE_JSON_OR_CSV: &[Format] = &[Format::Table, Format::Json, Format::Csv];

impl Format {
    /// Returns a parser of `--format` that accepts these formats only.
    pub fn one_of(accepted: &[Self]) -> ValueParser {
        let values: Vec<PossibleValue> = accepted.iter().filter_map(Self::to_possible_value).collect();
        let parser = PossibleValuesParser::new(values);
        ValueParser::from(parser.try_map(|name| Self::from_str(&name, false)))
    }

    /// Fails unless this is one of the accepted formats. `what` is shown, such as `a trace`.
    pub fn check(self, accepted: &[Self], what: &str) -> Result<(), Failure> {
        if accepted.contains(&self) {
            return Ok(());
        }
        let names: Vec<String> = accepted.iter().map(|format| format.name()).collect();
        Err(Failure::Usage(format!(
            "--format {} does not apply to {what}; use {}",
            self.name(),
            names.join(" or ")
        )))
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_does_not_apply_is_refused() {
        assert!(Format::Csv.check(TABLE_JSON_OR_CSV, "a trace").is_ok());
        let failure = Format::Osu.check(TABLE_OR_JSON, "a machine model").unwrap_err();
        assert_eq!(failure.to_string(), "--format osu does not apply to a machine model; use table or json");
    }
}
