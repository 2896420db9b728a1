//! The uncertainty of a prediction as text and JSON.

use panto_predict::sample::{Contribution, Samples};
use panto_units::{TIME, in_units, percent};
use serde_json::{Value, json};

use crate::table::{Column, Table};

/// Returns the interval of the predicted time, and the share of each parameter in its variance.
pub fn samples_text(samples: &Samples) -> String {
    let (low, high) = samples.interval();
    let [low, median, high] = told_apart([low, samples.median(), high]);
    let count = samples.times.len();
    let heading =
        format!("\nUncertainty over {count} samples: median {median}, 95% interval {low} to {high}\n");
    if samples.shares.is_empty() {
        return heading;
    }
    let columns = [Column::text("parameter"), Column::right("interval"), Column::right("share of variance")];
    let mut table = Table::new(columns);
    for part in &samples.shares {
        table.row([part.key.clone(), part.interval.clone(), percent(100.0 * part.share)]);
    }
    format!("{heading}\n{table}")
}

/// Returns the samples as JSON; times in seconds.
pub fn samples_json(samples: &Samples) -> Value {
    let (low, high) = samples.interval();
    let share = |part: &Contribution| json!({ "figure": part.key, "interval": part.interval, "variance_share": part.share });
    json!({
        "count": samples.times.len(),
        "median_s": samples.median(),
        "low_s": low,
        "high_s": high,
        "times_s": samples.times,
        "figures": samples.shares.iter().map(share).collect::<Vec<_>>(),
    })
}

/// Returns times with as many digits as it takes for the first and the last to differ.
fn told_apart(times: [f64; 3]) -> [String; 3] {
    let with = |digits| times.map(|time| in_units(time, TIME, digits));
    let differ = |texts: &[String; 3]| texts[0] != texts[2];
    (3..9).map(with).find(differ).unwrap_or_else(|| with(3))
}

#[cfg(test)]
mod tests {
    use super::told_apart;

    #[test]
    fn a_narrow_interval_gets_more_digits() {
        assert_eq!(told_apart([23.51e-3, 23.53e-3, 23.54e-3]), ["23.51ms", "23.53ms", "23.54ms"]);
        assert_eq!(told_apart([1e-3, 2e-3, 3e-3]), ["1.00ms", "2.00ms", "3.00ms"]);
        assert_eq!(told_apart([1.0, 1.0, 1.0]), ["1.00s", "1.00s", "1.00s"]);
    }
}
