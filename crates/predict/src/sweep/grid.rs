//! All settings of a sweep: the product of its axes (P19).

use std::collections::HashSet;

use super::knob::{Knob, Variant};
use crate::error::Error;

/// More settings than this are a slip.
const MOST: usize = 1_000_000;

/// A knob and the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// What is varied.
    pub knob: Knob,
    /// Its values, in their order.
    pub values: Vec<String>,
}

impl Axis {
    /// Values from a list, split at commas outside of brackets.
    pub fn parse(knob: Knob, list: &str) -> Result<Self, Error> {
        let values = split(list);
        if values.iter().any(String::is_empty) {
            return Err(Error::new(format!(
                "a value is missing in `{list}` for `{}`: expected a list such as 1,2,4",
                knob.name()
            )));
        }
        // A list of processors or speeds is one value; in brackets it is told from a list of values.
        let bare = |value: String| match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) if matches!(knob, Knob::Map | Knob::Speed) => inner.to_owned(),
            _ => value,
        };
        let values = values.into_iter().map(bare).collect();
        Ok(Self { knob, values })
    }

    /// A figure of the model from `KEY=VALUE,VALUE`.
    pub fn figure(text: &str) -> Result<Self, Error> {
        let (key, list) =
            text.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                Error::new(format!("`{text}` is not KEY=VALUE,VALUE such as link.latency=1us,2us"))
            })?;
        Self::parse(Knob::Figure(key.trim().to_owned()), list)
    }

    /// One value.
    pub fn single(knob: Knob, value: &str) -> Self {
        Self { knob, values: vec![value.to_owned()] }
    }
}

/// At commas outside of brackets and quotes, without space around.
fn split(list: &str) -> Vec<String> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    let parts = list.split(|letter: char| {
        match letter {
            '"' => is_quoted = !is_quoted,
            '[' | '(' | '{' if !is_quoted => depth += 1,
            ']' | ')' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0 && !is_quoted
    });
    parts.map(|part| part.trim().to_owned()).collect()
}

/// The product of all axes; the first varies slowest.
pub fn product(axes: &[Axis]) -> Result<Vec<Variant>, Error> {
    let mut variants = vec![Variant::default()];
    for axis in axes {
        within(variants.len().saturating_mul(axis.values.len()))?;
        let with = |variant: &Variant, value: &String| {
            variant.joined(&Variant::new([(axis.knob.clone(), value.clone())]))
        };
        variants = variants
            .iter()
            .flat_map(|variant| axis.values.iter().map(move |value| with(variant, value)))
            .collect::<Result<_, _>>()?;
    }
    Ok(distinct(variants))
}

/// Each of some with each of others.
pub fn cross(some: &[Variant], others: &[Variant]) -> Result<Vec<Variant>, Error> {
    within(some.len().saturating_mul(others.len()))?;
    let pairs = some.iter().flat_map(|one| others.iter().map(move |other| one.joined(other)));
    Ok(distinct(pairs.collect::<Result<_, _>>()?))
}

/// Each once, where it came first.
fn distinct(mut variants: Vec<Variant>) -> Vec<Variant> {
    let mut seen = HashSet::new();
    variants.retain(|variant| seen.insert(variant.clone()));
    variants
}

fn within(settings: usize) -> Result<(), Error> {
    if settings <= MOST {
        return Ok(());
    }
    Err(Error::new(format!("more than {MOST} settings: the axes multiply; vary less at a time")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(knob: Knob, list: &str) -> Vec<String> {
        Axis::parse(knob, list).unwrap().values
    }

    #[test]
    fn lists_are_split_outside_of_brackets() {
        assert_eq!(values(Knob::Machine, "a, b,c.toml"), ["a", "b", "c.toml"]);
        assert_eq!(values(Knob::Map, "wrap,[0,1,3,2]"), ["wrap", "0,1,3,2"]);
        let axis = Axis::figure("network.dims=[4, 4],[8,2]").unwrap();
        assert_eq!((axis.knob.name(), axis.values), ("network.dims", vec!["[4, 4]".into(), "[8,2]".into()]));
        assert_eq!(values(Knob::Figure("about".into()), "\"a,b\",c"), ["\"a,b\"", "c"]);
    }

    #[test]
    fn the_first_axis_varies_slowest() {
        let axes = [
            Axis::parse(Knob::Processors, "4,8").unwrap(),
            Axis::parse(Knob::Map, "wrap,block,wrap").unwrap(),
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
    fn what_is_wrong_is_said() {
        let error = Axis::parse(Knob::Speed, "1,,2").unwrap_err().to_string();
        assert!(error.contains("a value is missing in `1,,2` for `speed`"), "{error}");
        assert!(Axis::figure("latency").is_err() && Axis::figure("=2").is_err());
        let twice = [Axis::single(Knob::Map, "wrap"), Axis::single(Knob::Map, "block")];
        assert!(product(&twice).unwrap_err().to_string().contains("twice"));
        let long = Axis { knob: Knob::Speed, values: (1..=1001).map(|n| n.to_string()).collect() };
        let wide = Axis { knob: Knob::Processors, ..long.clone() };
        assert!(product(&[long, wide]).unwrap_err().to_string().contains("more than 1000000 settings"));
    }
}
