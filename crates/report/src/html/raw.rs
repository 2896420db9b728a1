//! Raw samples inside a page: few bytes each, and no more than can be seen.

use std::fmt::Write as _;

/// The samples behind a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raw {
    /// What was measured, in words.
    pub name: String,
    /// Seconds, in the order in which they were taken; maybe not all.
    pub seconds: Vec<f64>,
    /// How many there are in all.
    pub all: usize,
}

/// Digits that a sample keeps: enough for any plot.
const DIGITS: usize = 4;

impl Raw {
    /// At most so many of the samples, evenly from the first to the last, the least and the greatest always among them.
    pub fn new(name: impl Into<String>, seconds: &[f64], most: usize) -> Self {
        let kept: Vec<f64> = places(seconds, most.max(4)).into_iter().map(|place| seconds[place]).collect();
        Self { name: name.into(), seconds: kept, all: seconds.len() }
    }
}

fn places(seconds: &[f64], most: usize) -> Vec<usize> {
    let last = seconds.len().saturating_sub(1);
    if seconds.len() <= most {
        return (0..seconds.len()).collect();
    }
    let by = |a: &usize, b: &usize| seconds[*a].total_cmp(&seconds[*b]);
    let extremes = (0..seconds.len()).min_by(by).into_iter().chain((0..seconds.len()).max_by(by));
    // Two places are kept for the extremes.
    let even = most - 2;
    let mut places: Vec<usize> = (0..even).map(|n| n * last / (even - 1)).chain(extremes).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// A list of lists: name, number of all samples, those that are here.
pub(super) fn json(all: &[Raw]) -> String {
    let mut text = String::from("[");
    for (place, raw) in all.iter().enumerate() {
        let comma = if place == 0 { "" } else { ",\n" };
        let samples: Vec<String> = raw.seconds.iter().map(|&seconds| number(seconds)).collect();
        let _ = write!(text, "{comma}[{},{},[{}]]", quoted(&raw.name), raw.all, samples.join(","));
    }
    text + "]"
}

/// What cannot be a number in JSON is nothing.
fn number(seconds: f64) -> String {
    if seconds.is_finite() { format!("{seconds:.*e}", DIGITS - 1) } else { "null".into() }
}

/// A string that ends neither itself nor the element around it.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_kept_as_they_are() {
        let raw = Raw::new("a", &[3.0, 1.0, 2.0], 100);
        assert_eq!((raw.seconds.as_slice(), raw.all), ([3.0, 1.0, 2.0].as_slice(), 3));
        assert_eq!(Raw::new("none", &[], 100).seconds, [0.0; 0]);
    }

    #[test]
    fn of_many_the_order_and_the_extremes_stay() {
        let seconds: Vec<f64> = (0..1000).map(|n| f64::from((n * 377) % 1000)).collect();
        let raw = Raw::new("many", &seconds, 50);
        assert!(raw.seconds.len() <= 50 && raw.seconds.len() > 45, "{}", raw.seconds.len());
        let least = raw.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = raw.seconds.iter().copied().fold(0.0, f64::max);
        assert_eq!((least, most), (0.0, 999.0));
        let places: Vec<usize> = raw
            .seconds
            .iter()
            .filter_map(|kept| seconds.iter().position(|each| each.total_cmp(kept).is_eq()))
            .collect();
        assert!(places.is_sorted());
    }

    #[test]
    fn names_stay_inside_of_their_element() {
        let text = json(&[Raw::new("</script><b>\"&", &[1.5e-6, f64::NAN], 10)]);
        assert_eq!(text, "[[\"\\u003c/script\\u003e\\u003cb\\u003e\\\"\\u0026\",2,[1.500e-6,null]]]");
    }
}
