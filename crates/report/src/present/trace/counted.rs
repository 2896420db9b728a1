//! Computation by counted instructions: their rate, and ranks where they were not counted.

use panto_trace::{Metadata, RankTrace, Ranks, Trace, key};

use crate::present::ranks::rank_names;

/// Returns the counted events per nanosecond over the ranks: `2.41`, or `2.30 to 2.41`.
pub fn rate(trace: &Trace) -> Option<String> {
    range(trace.ranks().iter().map(RankTrace::metadata))
}

fn range<'a>(ranks: impl Iterator<Item = &'a Metadata>) -> Option<String> {
    let rate = |facts: &Metadata| facts.get(key::COUNTED_PER_NS)?.parse::<f64>().ok();
    let mut rates: Vec<f64> = ranks.filter_map(rate).collect();
    rates.sort_by(f64::total_cmp);
    let [least, most] = [rates.first()?, rates.last()?].map(|rate| format!("{rate:.2}"));
    Some(if least == most { least } else { format!("{least} to {most}") })
}

/// Returns a warning if the user asked for instructions, and some ranks could not count them.
pub fn not_counted(trace: &Trace) -> Option<String> {
    warning(trace.ranks().iter().map(|rank| (rank.rank(), rank.metadata())))
}

fn warning<'a>(ranks: impl Iterator<Item = (u32, &'a Metadata)>) -> Option<String> {
    let reason = |(rank, facts): (u32, &'a Metadata)| Some((rank, facts.get(key::NOT_COUNTED)?));
    let (ranks, reasons): (Vec<u32>, Vec<&str>) = ranks.filter_map(reason).unzip();
    let reason = reasons.first()?;
    let ranks: Ranks = ranks.into_iter().collect();
    Some(format!(
        "instructions were not counted on {}: {reason}; computation is CPU time there",
        rank_names(&ranks)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(values: &[(&str, &str)]) -> Metadata {
        let mut facts = Metadata::default();
        for (name, value) in values {
            facts.set(name, value);
        }
        facts
    }

    #[test]
    fn the_range_of_rates() {
        let text = |rates: &[&str]| {
            let ranks: Vec<Metadata> =
                rates.iter().map(|rate| facts(&[(key::COUNTED_PER_NS, rate)])).collect();
            range(ranks.iter())
        };
        assert_eq!(text(&["2.4137", "2.4099"]).as_deref(), Some("2.41"));
        assert_eq!(text(&["2.4137", "0.5", "3"]).as_deref(), Some("0.50 to 3.00"));
        assert_eq!(text(&["?"]), None);
        assert_eq!(range([&Metadata::default()].into_iter()), None);
    }

    #[test]
    fn ranks_that_could_not_count_are_reported() {
        let (counted, not) = (facts(&[]), facts(&[(key::NOT_COUNTED, "too many open files")]));
        let text = warning([(0, &counted), (1, &not), (2, &not)].into_iter());
        let right =
            "instructions were not counted on ranks 1-2: too many open files; computation is CPU time there";
        assert_eq!(text.as_deref(), Some(right));
        assert_eq!(warning([(0, &counted)].into_iter()), None);
    }
}
