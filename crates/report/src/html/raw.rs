//! Raw samples embedded in a page: two bytes each, and no more than are visible.

use std::fmt::Write as _;

/// The samples behind a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawSamples {
    /// Samples in seconds, in the order they were taken; possibly a subset.
    pub seconds: Vec<f64>,
    /// Number of all samples.
    pub all: usize,
}

/// Significant digits of the smallest and the largest sample: as many as are shown.
const DIGITS: usize = 4;
/// Quantization steps between the smallest and the largest sample: finer than the pixels of any
/// screen.
const STEPS: f64 = 4095.0;
/// Samples that spread by more than this factor are stored, and shown, on a logarithmic scale.
const WIDE: f64 = 20.0;
/// Base-64 digits; a sample is two of them.
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl RawSamples {
    /// Keeps at most `most` samples, evenly spaced, always including the smallest and the largest.
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
    // Two positions are reserved for the extremes.
    let even = most - 2;
    let mut places: Vec<usize> = (0..even).map(|n| n * last / (even - 1)).chain(extremes).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Returns a list of lists: number of all samples, the smallest and the largest, 1 if the scale
/// between them is logarithmic, and the kept samples as steps on that scale.
pub(super) fn json(all: &[RawSamples]) -> String {
    let mut text = String::from("[");
    for (place, raw) in all.iter().enumerate() {
        let comma = if place == 0 { "" } else { ",\n" };
        // Values that are not finite cannot be shown.
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
    [step / BASE64.len(), step % BASE64.len()].map(|digit| BASE64[digit].into())
}

fn number(seconds: f64) -> String {
    format!("{seconds:.*e}", DIGITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_all_kept() {
        let raw = RawSamples::new(&[3.0, 1.0, 2.0], 100);
        assert_eq!((raw.seconds.as_slice(), raw.all), ([3.0, 1.0, 2.0].as_slice(), 3));
        assert_eq!(RawSamples::new(&[], 100).seconds, [0.0; 0]);
    }

    #[test]
    fn thinning_keeps_order_and_extremes() {
        let seconds: Vec<f64> = (0..1000).map(|n| f64::from((n * 377) % 1000)).collect();
        let raw = RawSamples::new(&seconds, 50);
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
    fn samples_are_quantized_between_the_extremes() {
        let samples = [1.0, f64::NAN, 2.0, 1.25, 1.0];
        assert_eq!(json(&[RawSamples::new(&samples, 10)]), "[[5,1.000e0,2.000e0,0,\"AA//QAAA\"]]");
        let wide = json(&[
            RawSamples::new(&[4.0, 1024.0, 1.0], 10),
            RawSamples::new(&[7e-6], 10),
            RawSamples::default(),
        ]);
        let lists = [
            "[3,1.000e0,1.024e3,1,\"Mz//AA\"]",
            "[1,7.000e-6,7.000e-6,0,\"AA\"]",
            "[0,0.000e0,0.000e0,0,\"\"]",
        ];
        assert_eq!(wide, format!("[{}]", lists.join(",\n")));
        let below = json(&[RawSamples::new(&[-1.0, 0.0, 1e9], 10)]);
        assert!(
            below.contains("-1.000e0,1.000e9,0,"),
            "linear scale for values that are not positive: {below}"
        );
    }
}
