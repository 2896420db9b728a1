//! The choice of all collectives and sizes.

use std::collections::BTreeMap;

use panto_calls::Collective;
use panto_findings::contest::middle;
use panto_results::scenario::CollectiveCall;
use panto_results::{Record, param};
use serde::{Deserialize, Serialize};

use crate::choice::{OwnChoice, SizeChoice, Timing};

/// The chosen algorithms of some collectives on a number of ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The number of ranks.
    pub ranks: usize,
    /// The collectives that were measured.
    pub collectives: Vec<TunedCollective>,
}

/// The chosen algorithms of a collective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TunedCollective {
    /// Its name.
    pub name: String,
    /// The choices, by ascending size.
    pub sizes: Vec<SizeChoice>,
}

/// A range of sizes with the same choice. It ends where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// The smallest size in bytes.
    pub from: u64,
    /// The algorithm; `None` for the library's own choice.
    pub algorithm: Option<String>,
}

impl Tuning {
    /// Chooses from records of the suite `scenario` on this number of ranks. `default` is the
    /// implementation that is the library's own choice. Records without samples, and with wrong
    /// data, do not count.
    pub fn of(records: &[Record], ranks: usize, default: OwnChoice<'_>) -> Self {
        Self::choose(records, ranks, |_, sizes| {
            let mut choices: Vec<SizeChoice> = Vec::new();
            for (bytes, times) in sizes {
                let before = choices.last().and_then(SizeChoice::name);
                choices.extend(SizeChoice::of(*bytes, times, &default, before));
            }
            choices
        })
    }

    /// Chooses the fastest algorithm of those that are allowed, also where the default is as fast.
    pub fn fastest(
        records: &[Record],
        ranks: usize,
        default: OwnChoice<'_>,
        is_allowed: &dyn Fn(Collective, &str) -> bool,
    ) -> Self {
        Self::choose(records, ranks, |collective, sizes| {
            let choice = |(bytes, times): (&u64, &Times)| {
                let choice = SizeChoice::of(*bytes, times, &default, None)?;
                let allowed = times.iter().filter(|(name, _)| is_allowed(collective, name));
                let fastest = allowed.min_by(|(_, a), (_, b)| a.median_ns.total_cmp(&b.median_ns));
                Some(SizeChoice { chosen: fastest.cloned(), ..choice })
            };
            sizes.iter().filter_map(choice).collect()
        })
    }

    fn choose(
        records: &[Record],
        ranks: usize,
        choices: impl Fn(Collective, &BTreeMap<u64, Times>) -> Vec<SizeChoice>,
    ) -> Self {
        let mut measured: BTreeMap<Collective, BTreeMap<u64, Times>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.point.ranks == ranks) {
            let call = record.point.text(param::COLLECTIVE).parse().ok();
            let Some(collective) = call.and_then(CollectiveCall::plain) else { continue };
            let Some(time) = Timing::of(record) else { continue };
            let sizes = measured.entry(collective).or_default();
            let times = sizes.entry(record.point.number(param::BYTES).unwrap_or(0)).or_default();
            times.push((record.point.text(param::IMPLEMENTATION).to_owned(), time));
        }
        let tuned = |(collective, sizes): (Collective, BTreeMap<u64, Times>)| TunedCollective {
            name: CollectiveCall::Plain(collective).name().to_owned(),
            sizes: choices(collective, &sizes),
        };
        Self { ranks, collectives: measured.into_iter().map(tuned).collect() }
    }

    /// Removes a prefix from the names of algorithms.
    pub fn strip_prefix(&mut self, prefix: &str) {
        let sizes = self.collectives.iter_mut().flat_map(|tuned| &mut tuned.sizes);
        for (name, _) in sizes.filter_map(|size| size.chosen.as_mut()) {
            if let Some(short) = name.strip_prefix(prefix) {
                *name = short.to_owned();
            }
        }
    }

    /// Returns whether any choice differs from the default.
    pub fn is_changed(&self) -> bool {
        self.collectives.iter().any(TunedCollective::is_changed)
    }
}

/// The times of the algorithms at a size, by name.
type Times = Vec<(String, Timing)>;

impl TunedCollective {
    /// Returns the collective.
    pub fn collective(&self) -> Option<Collective> {
        self.name.parse().ok().and_then(CollectiveCall::plain)
    }

    /// Returns whether any choice differs from the default.
    pub fn is_changed(&self) -> bool {
        self.sizes.iter().any(|size| size.chosen.is_some())
    }

    /// Returns the ranges of sizes with the same choice, the first from 0.
    pub fn bands(&self) -> Vec<Band> {
        let mut bands: Vec<Band> = Vec::new();
        let mut before = 0;
        for size in &self.sizes {
            let algorithm = size.name().map(str::to_owned);
            if bands.last().is_none_or(|band| band.algorithm != algorithm) {
                let from = if bands.is_empty() { 0 } else { middle(before, size.bytes) };
                bands.push(Band { from, algorithm });
            }
            before = size.bytes;
        }
        bands
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use panto_results::{Point, Samples};
    use panto_units::Time;

    use super::*;

    /// Returns eight passes of two samples, whose medians lie within 1 % of a time.
    fn record(implementation: &str, bytes: u64, nanos: f64) -> Record {
        let point = Point::new(4)
            .with_text(param::COLLECTIVE, "allreduce")
            .with_text(param::IMPLEMENTATION, implementation)
            .with(param::BYTES, bytes);
        let nanos = (0..16).map(|i| nanos * (1.0 + 0.0005 * f64::from(i))).collect();
        let samples = Samples { nanos, ..Samples::exact(Time::ZERO) };
        Record { passes: vec![2; 8], ..Record::new("scenario/only", &point, samples) }
    }

    /// Returns a tuning in which the default stays for 8 B, `a` is chosen for 64 B and 512 B, and
    /// `b` for 4 KiB.
    pub(crate) fn tuning() -> Tuning {
        let mut records = Vec::new();
        for (bytes, default, a, b) in [
            (8, 100.0, 100.2, 200.0),
            (64, 200.0, 100.0, 150.0),
            (512, 300.0, 150.2, 150.0),
            (4096, 900.0, 800.0, 600.0),
        ] {
            records.push(record("default", bytes, default));
            records.push(record("a", bytes, a));
            records.push(record("b", bytes, b));
        }
        Tuning::of(&records, 4, DEFAULT)
    }

    const DEFAULT: OwnChoice<'_> = OwnChoice { name: "default", cost_ns: 0.0 };

    #[test]
    fn an_algorithm_is_chosen_where_it_is_faster_beyond_doubt() {
        let tuning = tuning();
        let tuned = &tuning.collectives[0];
        assert_eq!(tuned.collective(), Some(Collective::Allreduce));
        let chosen: Vec<Option<&str>> = tuned.sizes.iter().map(SizeChoice::name).collect();
        // At 512 B both are tied, and the one before is kept.
        assert_eq!(chosen, [None, Some("a"), Some("a"), Some("b")]);
        let gain = tuned.sizes[1].gain().unwrap();
        assert!((gain.share - 0.5).abs() < 0.01 && gain.low <= gain.share && gain.share <= gain.high);
        assert_eq!(tuned.sizes[0].gain(), None);
        assert!(tuning.is_changed());
    }

    #[test]
    fn bands_meet_at_the_geometric_mean() {
        let band = |from, name: Option<&str>| Band { from, algorithm: name.map(str::to_owned) };
        let expected = [band(0, None), band(23, Some("a")), band(1449, Some("b"))];
        assert_eq!(tuning().collectives[0].bands(), expected);
    }

    /// What the library's choice costs is not saved by a file.
    #[test]
    fn the_cost_of_choosing_is_no_gain() {
        let records = [record("default", 8, 300.0), record("a", 8, 200.0)];
        for (cost_ns, is_changed) in [(0.0, true), (50.0, true), (95.0, false)] {
            let tuning = Tuning::of(&records, 4, OwnChoice { cost_ns, ..DEFAULT });
            assert_eq!(tuning.is_changed(), is_changed, "{cost_ns}");
        }
    }

    /// Samples of few moments prove nothing, however many they are.
    #[test]
    fn few_passes_are_no_proof() {
        for (passes, is_changed) in [(vec![4; 4], false), (vec![2; 8], true), (vec![], false)] {
            let of = |name, nanos| Record { passes: passes.clone(), ..record(name, 8, nanos) };
            let tuning = Tuning::of(&[of("default", 100.0), of("a", 50.0)], 4, DEFAULT);
            assert_eq!(tuning.is_changed(), is_changed, "{passes:?}");
        }
    }

    #[test]
    fn the_fastest_of_the_allowed_is_chosen_everywhere() {
        let records = [record("default", 8, 100.0), record("a", 8, 120.0), record("b", 8, 150.0)];
        let tuning = Tuning::fastest(&records, 4, DEFAULT, &|_, name| name != "default");
        assert_eq!(tuning.collectives[0].bands(), [Band { from: 0, algorithm: Some("a".into()) }]);
    }

    #[test]
    fn nothing_changes_without_a_winner() {
        // A gain of 3 % is not worth a file.
        let records = [record("default", 8, 100.0), record("a", 8, 97.0)];
        let tuning = Tuning::of(&records, 4, DEFAULT);
        assert!(!tuning.is_changed());
        assert_eq!(tuning.collectives[0].bands(), [Band { from: 0, algorithm: None }]);
        // Records of other numbers of ranks do not count.
        assert!(Tuning::of(&records, 8, DEFAULT).collectives.is_empty());
    }
}
