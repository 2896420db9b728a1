//! The settings of a sweep: the Cartesian product of its axes (P19).

use std::collections::HashSet;

use panto_machine::builtin;

use super::parameter::{Parameter, Variant};
use crate::error::{Error, SweepError};

/// The most settings of a sweep; more are taken for a mistake.
const MOST: usize = 1_000_000;

/// A parameter and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The parameter.
    pub parameter: Parameter,
    /// Its values, in order.
    pub values: Vec<String>,
}

impl Axis {
    /// Parses a list of values, split at commas outside brackets.
    pub fn parse(parameter: Parameter, list: &str) -> Result<Self, Error> {
        let values = split(list);
        if values.iter().any(String::is_empty) {
            let parameter = parameter.name().to_owned();
            return Err(SweepError::MissingValue { list: list.to_owned(), parameter }.into());
        }
        // Brackets distinguish a list that is one value (processors, speeds) from a list of values.
        let bare = |value: String| match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) if matches!(parameter, Parameter::Map | Parameter::Speed) => inner.to_owned(),
            _ => value,
        };
        let values = values.into_iter().map(bare).collect();
        Ok(Self { parameter, values })
    }

    /// Parses a list of machines; a group such as `@modern` stands for its members.
    pub fn machines(list: &str) -> Result<Self, Error> {
        let mut axis = Self::parse(Parameter::Machine, list)?;
        let members = axis.values.into_iter().map(members).collect::<Result<Vec<_>, Error>>()?;
        axis.values = members.concat();
        Ok(axis)
    }

    /// Parses a model parameter with its values, `KEY=VALUE,VALUE`.
    pub fn figure(text: &str) -> Result<Self, Error> {
        let (key, list) = text
            .split_once('=')
            .filter(|(key, _)| !key.trim().is_empty())
            .ok_or_else(|| SweepError::NotKeyValue(text.to_owned()))?;
        Self::parse(Parameter::Figure(key.trim().to_owned()), list)
    }

    /// Returns an axis with one value.
    pub fn single(parameter: Parameter, value: &str) -> Self {
        Self { parameter, values: vec![value.to_owned()] }
    }
}

/// Returns the machines that a name stands for.
fn members(name: String) -> Result<Vec<String>, Error> {
    let Some(group) = name.strip_prefix(builtin::GROUP) else { return Ok(vec![name]) };
    Ok(builtin::group(group)?.into_iter().map(str::to_owned).collect())
}

/// Splits at commas outside brackets and quotes, and trims spaces.
fn split(list: &str) -> Vec<String> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    let parts = list.split(|character: char| {
        match character {
            '"' => is_quoted = !is_quoted,
            '[' | '(' | '{' if !is_quoted => depth += 1,
            ']' | ')' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0 && !is_quoted
    });
    parts.map(|part| part.trim().to_owned()).collect()
}

/// Returns all combinations of the axes' values; the first axis varies slowest.
pub fn product(axes: &[Axis]) -> Result<Vec<Variant>, Error> {
    let mut variants = vec![Variant::default()];
    for axis in axes {
        within(variants.len().saturating_mul(axis.values.len()))?;
        let with = |variant: &Variant, value: &String| {
            variant.joined(&Variant::new([(axis.parameter.clone(), value.clone())]))
        };
        variants = variants
            .iter()
            .flat_map(|variant| axis.values.iter().map(move |value| with(variant, value)))
            .collect::<Result<_, _>>()?;
    }
    Ok(distinct(variants))
}

/// Returns each variant of one list joined with each of another.
pub fn cross(some: &[Variant], others: &[Variant]) -> Result<Vec<Variant>, Error> {
    within(some.len().saturating_mul(others.len()))?;
    let pairs = some.iter().flat_map(|one| others.iter().map(move |other| one.joined(other)));
    Ok(distinct(pairs.collect::<Result<_, _>>()?))
}

/// Removes repeated variants.
fn distinct(mut variants: Vec<Variant>) -> Vec<Variant> {
    let mut seen = HashSet::new();
    variants.retain(|variant| seen.insert(variant.clone()));
    variants
}

fn within(settings: usize) -> Result<(), Error> {
    if settings <= MOST {
        return Ok(());
    }
    Err(SweepError::TooManySettings(MOST).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(parameter: Parameter, list: &str) -> Vec<String> {
        Axis::parse(parameter, list).unwrap().values
    }

    #[test]
    fn lists_are_split_outside_brackets() {
        assert_eq!(values(Parameter::Machine, "a, b,c.toml"), ["a", "b", "c.toml"]);
        let machines = Axis::machines("a.toml,@bluegene").unwrap();
        assert_eq!(machines.values, ["a.toml", "bgl", "bgp", "bgq"]);
        let error = Axis::machines("@moden").unwrap_err().to_string();
        assert!(error.contains("did you mean `modern`?"), "{error}");
        assert_eq!(values(Parameter::Map, "wrap,[0,1,3,2]"), ["wrap", "0,1,3,2"]);
        let axis = Axis::figure("network.dims=[4, 4],[8,2]").unwrap();
        assert_eq!(
            (axis.parameter.name(), axis.values),
            ("network.dims", vec!["[4, 4]".into(), "[8,2]".into()])
        );
        assert_eq!(values(Parameter::Figure("about".into()), "\"a,b\",c"), ["\"a,b\"", "c"]);
    }

    #[test]
    fn the_first_axis_varies_slowest() {
        let axes = [
            Axis::parse(Parameter::Processors, "4,8").unwrap(),
            Axis::parse(Parameter::Map, "wrap,block,wrap").unwrap(),
        ];
        let words: Vec<String> = product(&axes).unwrap().iter().map(Variant::in_words).collect();
        assert_eq!(
            words,
            [
                "processors 4, map wrap",
                "processors 4, map block",
                "processors 8, map wrap",
                "processors 8, map block"
            ]
        );
        assert_eq!(product(&[]).unwrap(), [Variant::default()]);
    }

    #[test]
    fn errors_name_the_problem() {
        let error = Axis::parse(Parameter::Speed, "1,,2").unwrap_err().to_string();
        assert!(error.contains("a value is missing in `1,,2` for `speed`"), "{error}");
        assert!(Axis::figure("latency").is_err() && Axis::figure("=2").is_err());
        let twice = [Axis::single(Parameter::Map, "wrap"), Axis::single(Parameter::Map, "block")];
        assert!(product(&twice).unwrap_err().to_string().contains("twice"));
        let long = Axis { parameter: Parameter::Speed, values: (1..=1001).map(|n| n.to_string()).collect() };
        let wide = Axis { parameter: Parameter::Processors, ..long.clone() };
        assert!(product(&[long, wide]).unwrap_err().to_string().contains("more than 1000000 settings"));
    }
}
