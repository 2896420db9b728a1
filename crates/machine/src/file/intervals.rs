//! `[intervals]`: the 95 % confidence intervals of figures, as in `"1.9us..2.2us"`.

use panto_units::{parse_rate, parse_seconds};

use super::error::{Error, Location};
use super::figures;
use super::tree::{Node, Table, Value};
use panto_units::suggest::hint;

/// The 95 % confidence interval of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// The figure's key, as `--set` takes it.
    pub key: String,
    /// The lower end, above 0: seconds, bytes per second, or a factor.
    pub low: f64,
    /// The figure itself.
    pub value: f64,
    /// The upper end.
    pub high: f64,
    /// The interval as in the file.
    pub written: String,
    measure: Measure,
    /// The location of the figure. The interval does not apply to one that replaces it.
    figure: Location,
}

/// What a figure measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Time,
    Rate,
    Factor,
}

impl Interval {
    /// The `--set` argument of the end at which the machine is faster.
    pub fn faster(&self) -> String {
        self.set(if self.measure == Measure::Time { self.low } else { self.high })
    }

    /// The `--set` argument of the end at which the machine is slower.
    pub fn slower(&self) -> String {
        self.set(if self.measure == Measure::Time { self.high } else { self.low })
    }

    /// The `--set` argument that gives the figure another value.
    pub fn set(&self, value: f64) -> String {
        match self.measure {
            Measure::Time => format!("{}={:.6}ps", self.key, value * 1e12),
            Measure::Rate => format!("{}={value:.6}B/s", self.key),
            Measure::Factor => format!("{}={value:.9}", self.key),
        }
    }
}

/// Parses the intervals of a file, whose figures are in it or in its bases.
pub fn read(own: &Table, tree: &Table) -> Result<Vec<Interval>, Error> {
    own.iter().map(|(key, node)| one(key, node, tree)).collect()
}

/// The intervals whose figures were not replaced, the last for each figure.
pub fn valid(all: Vec<Interval>, tree: &Table) -> Vec<Interval> {
    let mut valid: Vec<Interval> = Vec::new();
    for interval in all {
        if find(&interval.key, tree).is_some_and(|node| node.location == interval.figure) {
            valid.retain(|other| other.key != interval.key);
            valid.push(interval);
        }
    }
    valid
}

fn find<'a>(key: &str, tree: &'a Table) -> Option<&'a Node> {
    figures::nodes(tree).into_iter().find(|(known, _)| known == key).map(|(_, node)| node)
}

fn one(key: &str, node: &Node, tree: &Table) -> Result<Interval, Error> {
    let wrong = |text: String| Error::at(&node.location, format!("`intervals.{key}`: {text}"));
    let Some(figure) = find(key, tree) else {
        let known = figures::nodes(tree);
        let hint = hint(key, known.iter().map(|(key, _)| key.as_str()));
        return Err(wrong(format!(
            "the model has no figure `{key}`{hint}; list them with `panto machines show`"
        )));
    };
    let (measure, value) = measure(key, &figure.value).ok_or_else(|| {
        wrong(format!(
            "the figure is {}: only times, rates and processor.speed have intervals",
            figure.value.found()
        ))
    })?;
    let Value::Text(written) = &node.value else { return Err(wrong("expected a string".into())) };
    let ends =
        written.split_once("..").and_then(|(low, high)| Some((end(low, measure)?, end(high, measure)?)));
    let Some((low, high)) = ends else {
        let example = match measure {
            Measure::Time => "\"1.9us..2.2us\"",
            Measure::Rate => "\"9.5GB/s..11GB/s\"",
            Measure::Factor => "\"0.9..1.1\"",
        };
        return Err(wrong(format!("{} is not an interval such as {example}", node.value.found())));
    };
    if low <= 0.0 {
        return Err(wrong("the lower end must be above 0".into()));
    }
    if low > high {
        return Err(wrong(format!("{written} ends below its beginning")));
    }
    if value < low || value > high {
        return Err(wrong(format!("the figure is {}, outside of {written}", figure.value.found())));
    }
    let (key, written, figure) = (key.to_owned(), written.clone(), figure.location.clone());
    Ok(Interval { key, low, value, high, written, measure, figure })
}

/// Returns what a figure measures, and its value; `None` if it is neither a time nor a rate nor the
/// speed of processors.
pub fn measure(key: &str, value: &Value) -> Option<(Measure, f64)> {
    match value {
        Value::Text(text) => {
            let time = parse_seconds(text).map(|value| (Measure::Time, value));
            time.or_else(|_| parse_rate(text).map(|value| (Measure::Rate, value))).ok()
        }
        Value::Number(value) if key == SPEED => Some((Measure::Factor, *value)),
        Value::Integer(value) if key == SPEED => Some((Measure::Factor, *value as f64)),
        _ => None,
    }
}

/// The only plain number that is a measured quantity; others are counts.
const SPEED: &str = "processor.speed";

fn end(text: &str, measure: Measure) -> Option<f64> {
    let text = text.trim();
    match measure {
        Measure::Time => parse_seconds(text).ok(),
        Measure::Rate => parse_rate(text).ok(),
        Measure::Factor => text.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}
