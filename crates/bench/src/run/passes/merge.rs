//! Joining the passes over a point to one record.

use std::collections::BTreeMap;

use panto_results::{Record, StopReason};
use panto_stats::{StopRule, undisturbed_limit};

use super::Pass;
use crate::host::HostLoad;
use crate::settings::Effort;

/// Least number of passes on a quiet host that make those on a busy host dispensable.
const QUIET_PASSES: usize = 2;

/// Joins passes; `None` without any. Samples are left out, and kept as disturbed, if a rank lost
/// its core during them, if the host was busy and there are enough others, or if they lie beyond
/// the undisturbed mode.
pub(super) fn merge(passes: &[Pass], effort: &Effort) -> Option<Record> {
    let fullest = passes.iter().max_by_key(|pass| pass.record.samples_ns.len())?;
    if passes.len() == 1 && fullest.record.disturbed_ns.is_empty() {
        return Some(with_load(fullest.record.clone(), &[fullest]));
    }
    let quiet: Vec<&Pass> = passes.iter().filter(|pass| pass.is_quiet()).collect();
    let quiet_samples: usize = quiet.iter().map(|pass| pass.record.samples_ns.len()).sum();
    let is_enough = quiet.len() >= QUIET_PASSES && quiet_samples >= effort.min_samples;
    let (used, unused): (Vec<&Pass>, Vec<&Pass>) =
        passes.iter().partition(|pass| !is_enough || pass.is_quiet());
    let mut merged = Merged::default();
    for pass in unused {
        merged.leave_out(&pass.record);
    }
    let all_disturbed = used.iter().all(|pass| pass.record.all_disturbed);
    for Pass { record, .. } in &used {
        if record.all_disturbed && !all_disturbed { merged.leave_out(record) } else { merged.add(record) }
    }
    merged.all_disturbed = all_disturbed;
    merged.leave_out_beyond_mode();
    Some(with_load(merged.into_record(passes, &fullest.record, effort), &used))
}

impl Pass {
    fn is_quiet(&self) -> bool {
        self.load.is_none_or(|load| !load.is_busy())
    }
}

/// One sample: its time, and the time from the first start to the last end if that is another one.
type Sample = (f64, Option<f64>);

/// The samples of several passes.
#[derive(Default)]
struct Merged {
    passes: Vec<Vec<Sample>>,
    disturbed: Vec<f64>,
    all_disturbed: bool,
}

impl Merged {
    fn add(&mut self, record: &Record) {
        let second = |place: usize| record.first_to_last_ns.get(place).copied();
        let samples = record.samples_ns.iter().enumerate();
        self.passes.push(samples.map(|(place, &nanos)| (nanos, second(place))).collect());
        self.disturbed.extend(&record.disturbed_ns);
    }

    fn leave_out(&mut self, record: &Record) {
        self.disturbed.extend(record.samples_ns.iter().chain(&record.disturbed_ns));
    }

    /// Leaves out the samples beyond the undisturbed mode.
    fn leave_out_beyond_mode(&mut self) {
        let kept: Vec<f64> = self.passes.iter().flatten().map(|sample| sample.0).collect();
        let Some(limit) = undisturbed_limit(&kept).ok().flatten() else { return };
        for pass in &mut self.passes {
            let beyond = pass.extract_if(.., |sample| sample.0 > limit);
            self.disturbed.extend(beyond.map(|sample| sample.0));
        }
    }

    /// Returns the record of all passes; what is the same in all is taken from `like`.
    fn into_record(self, passes: &[Pass], like: &Record, effort: &Effort) -> Record {
        let samples = || self.passes.iter().flatten();
        let samples_ns: Vec<f64> = samples().map(|sample| sample.0).collect();
        let records = || passes.iter().map(|pass| &pass.record);
        Record {
            first_to_last_ns: samples().filter_map(|sample| sample.1).collect(),
            stop: stop(passes, &samples_ns, effort),
            passes: self.passes.iter().map(Vec::len).collect(),
            samples_ns,
            disturbed_ns: self.disturbed,
            all_disturbed: self.all_disturbed,
            batch: records().map(|record| record.batch).min().unwrap_or(like.batch),
            late: records().map(|record| record.late).sum(),
            figures: most_common(passes).clone(),
            ..like.clone()
        }
    }
}

/// Returns why sampling ended: what was reached together counts, or what each pass reached.
fn stop(passes: &[Pass], samples: &[f64], effort: &Effort) -> StopReason {
    let rule = StopRule { relative: effort.precision, min_samples: effort.min_samples };
    let mut stops = passes.iter().map(|pass| pass.record.stop);
    match () {
        () if stops.clone().any(|stop| stop == StopReason::Interrupted) => StopReason::Interrupted,
        () if rule.reached(samples) || stops.all(|stop| stop == StopReason::Confidence) => {
            StopReason::Confidence
        }
        () if samples.len() >= effort.max_samples => StopReason::Count,
        () => StopReason::Budget,
    }
}

/// Returns the figures that occur most often: interference may change what one pass finds.
fn most_common(passes: &[Pass]) -> &BTreeMap<String, f64> {
    let figures = || passes.iter().map(|pass| &pass.record.figures);
    let count = |mine: &&BTreeMap<String, f64>| figures().filter(|other| other == mine).count();
    figures().max_by_key(count).unwrap_or(&NO_FIGURES)
}

static NO_FIGURES: BTreeMap<String, f64> = BTreeMap::new();

/// Returns the record with the mean load of the host during these passes.
fn with_load(record: Record, passes: &[&Pass]) -> Record {
    let mean = |part: fn(&HostLoad) -> Option<f64>| {
        let parts: Vec<f64> = passes.iter().filter_map(|pass| part(pass.load.as_ref()?)).collect();
        (!parts.is_empty()).then(|| parts.iter().sum::<f64>() / parts.len() as f64)
    };
    Record { steal: mean(|load| Some(load.steal)), others: mean(|load| load.others), ..record }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_random::SplitMix64;
    use panto_results::{Point, Samples};
    use panto_transport::Time;

    const TRUTH: f64 = 200.0;
    const QUIET: HostLoad = HostLoad { steal: 0.0, others: Some(0.01) };
    const BUSY: HostLoad = HostLoad { steal: 0.0, others: Some(0.5) };

    fn pass(nanos: Vec<f64>, disturbed: Vec<f64>, load: HostLoad) -> Pass {
        let all_disturbed = nanos.is_empty();
        let (nanos, disturbed) = if all_disturbed { (disturbed, nanos) } else { (nanos, disturbed) };
        let samples = Samples { nanos, disturbed, all_disturbed, ..Samples::exact(Time::ZERO) };
        Pass { record: Record::new("comet/echo", &Point::new(2), samples), load: Some(load) }
    }

    fn joined(passes: &[Pass]) -> Record {
        merge(passes, &Effort::default()).unwrap()
    }

    fn median(record: &Record) -> f64 {
        record.summary().unwrap().median
    }

    #[test]
    fn passes_on_a_busy_host_are_left_out_if_there_are_others() {
        let [quiet, busy] = [vec![200.0; 20], vec![300.0; 20]];
        let two_quiet = [
            pass(quiet.clone(), vec![], QUIET),
            pass(busy.clone(), vec![], BUSY),
            pass(quiet.clone(), vec![], QUIET),
        ];
        let record = joined(&two_quiet);
        assert_eq!(
            (record.samples_ns.len(), &record.disturbed_ns, &record.passes),
            (40, &busy, &vec![20, 20])
        );
        assert!(record.others.unwrap() < 0.02);
        let one_quiet = [pass(quiet, vec![], QUIET), pass(busy.clone(), vec![], BUSY)];
        let record = joined(&one_quiet);
        assert!(record.others.unwrap() > 0.2, "the load is reported where its samples are used");
    }

    #[test]
    fn disturbed_samples_are_used_only_if_there_are_no_others() {
        let record = joined(&[pass(vec![200.0; 5], vec![9e6; 3], QUIET)]);
        assert_eq!((record.samples_ns.len(), record.disturbed_ns.len(), record.all_disturbed), (5, 3, false));
        let record = joined(&[pass(vec![200.0; 5], vec![], QUIET), pass(vec![], vec![9e6; 3], QUIET)]);
        assert_eq!((record.samples_ns.len(), record.disturbed_ns.len(), record.all_disturbed), (5, 3, false));
        let record = joined(&[pass(vec![], vec![9e6; 3], QUIET)]);
        assert_eq!((record.samples_ns.len(), record.disturbed_ns.len(), record.all_disturbed), (3, 0, true));
        assert!(record.undisturbed_share() < 1e-9);
    }

    /// Ten passes, of which six met a disturbance that no counter shows.
    #[test]
    fn the_true_time_survives_bad_passes() {
        let mut rng = SplitMix64::new(5);
        for _ in 0..100 {
            let mut passes: Vec<Pass> = (0..10)
                .map(|number| {
                    let slower = if number < 6 { 1.0 + 90.0 * rng.unit() } else { 1.0 };
                    let nanos = (0..12).map(|_| TRUTH * slower * (1.0 + 0.01 * rng.normal())).collect();
                    pass(nanos, vec![], QUIET)
                })
                .collect();
            rng.shuffle(&mut passes);
            let record = joined(&passes);
            assert!((median(&record) / TRUTH - 1.0).abs() < 0.02, "{}", median(&record));
            assert_eq!(record.samples_ns.len() + record.disturbed_ns.len(), 120);
        }
    }

    #[test]
    fn seconds_stay_beside_their_samples() {
        let mut odd = pass(vec![200.0; 20], vec![], QUIET);
        odd.record.samples_ns[..8].fill(900.0);
        odd.record.first_to_last_ns = (0..20).map(f64::from).collect();
        let record = joined(&[odd, pass(vec![200.0; 20], vec![], QUIET)]);
        let kept: Vec<f64> = (8..20).map(f64::from).collect();
        assert_eq!(record.first_to_last_ns, kept);
    }
}
