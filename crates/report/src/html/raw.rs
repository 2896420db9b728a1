//! Raw samples inside a page: two bytes each, and no more than can be seen.

use std::fmt::Write as _;

/// The samples behind a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raw {
    /// Seconds, in the order in which they were taken; maybe not all.
    pub seconds: Vec<f64>,
    /// How many there are in all.
    pub all: usize,
}

/// Digits of the least and the greatest sample: as many as are shown.
const DIGITS: usize = 4;
/// The way from the least to the greatest sample has so many steps: finer than the pixels of any screen.
const STEPS: f64 = 4095.0;
/// Samples that spread by more than this factor are seen, and kept, on a logarithmic scale.
const WIDE: f64 = 20.0;
/// A step is two of these.
const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Raw {
    /// At most so many of the samples, evenly from the first to the last, the least and the greatest always among them.
    pub fn new(seconds: &[f64], most: usize) -> Self {
        let kept: Vec<f64> = places(seconds, most.max(4)).into_iter().map(|place| seconds[place]).collect();
        Self { seconds: kept, all: seconds.len() }
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

/// A list of lists: number of all samples, the least and the greatest, 1 if the scale between them is logarithmic, and the samples that
/// are here as steps on it.
pub(super) fn json(all: &[Raw]) -> String {
    let mut text = String::from("[");
    for (place, raw) in all.iter().enumerate() {
        let comma = if place == 0 { "" } else { ",\n" };
        // What is no number cannot be seen.
        let seconds: Vec<f64> = raw.seconds.iter().copied().filter(|seconds| seconds.is_finite()).collect();
        let low = seconds.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let high = seconds.iter().copied().reduce(f64::max).unwrap_or(0.0);
        let is_log = low > 0.0 && high > WIDE * low;
        let steps: String = seconds.iter().flat_map(|&seconds| step(seconds, low, high, is_log)).collect();
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "{comma}[{},{},{},{},\"{steps}\"]",
            raw.all,
            number(low),
            number(high),
            u8::from(is_log)
        );
    }
    text + "]"
}

fn step(seconds: f64, low: f64, high: f64, is_log: bool) -> [char; 2] {
    let [at, low, high] = [seconds, low, high].map(|value| if is_log { value.ln() } else { value });
    let part = if high > low { (at - low) / (high - low) } else { 0.0 };
    let step = (part * STEPS).round() as usize;
    [step / SIGNS.len(), step % SIGNS.len()].map(|sign| SIGNS[sign].into())
}

fn number(seconds: f64) -> String {
    format!("{seconds:.*e}", DIGITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_kept_as_they_are() {
        let raw = Raw::new(&[3.0, 1.0, 2.0], 100);
        assert_eq!((raw.seconds.as_slice(), raw.all), ([3.0, 1.0, 2.0].as_slice(), 3));
        assert_eq!(Raw::new(&[], 100).seconds, [0.0; 0]);
    }

    #[test]
    fn of_many_the_order_and_the_extremes_stay() {
        let seconds: Vec<f64> = (0..1000).map(|n| f64::from((n * 377) % 1000)).collect();
        let raw = Raw::new(&seconds, 50);
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
    fn samples_are_steps_between_the_least_and_the_greatest() {
        let samples = [1.0, f64::NAN, 2.0, 1.25, 1.0];
        assert_eq!(json(&[Raw::new(&samples, 10)]), "[[5,1.000e0,2.000e0,0,\"AA//QAAA\"]]");
        let wide = json(&[Raw::new(&[4.0, 1024.0, 1.0], 10), Raw::new(&[7e-6], 10), Raw::default()]);
        let lists = [
            "[3,1.000e0,1.024e3,1,\"Mz//AA\"]",
            "[1,7.000e-6,7.000e-6,0,\"AA\"]",
            "[0,0.000e0,0.000e0,0,\"\"]",
        ];
        assert_eq!(wide, format!("[{}]", lists.join(",\n")));
        let below = json(&[Raw::new(&[-1.0, 0.0, 1e9], 10)]);
        assert!(below.contains("-1.000e0,1.000e9,0,"), "no logarithm of what is not positive: {below}");
    }
}
