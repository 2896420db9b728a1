//! The points of a scenario: participants, sizes, delays and computations (S3).

use panto_results::scenario::CollectiveCall;
use panto_results::{Point, param};
use panto_transport::Time;

use super::Options;
use super::language::{Form, Late, Scenario, Times, Variable};
use super::operation::{Implementation, Progress};
use super::script::{Script, Values};
use crate::error::{Error, Result};
use crate::settings::Settings;

/// Default sweep of a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct DefaultSweep {
    pub sizes: &'static [u64],
    pub times: &'static [u64],
    /// Whether it sweeps over numbers of participants.
    pub ranks: bool,
}

/// Default sizes: 8 B to 1 MiB.
pub(super) const ALL_SIZES: &[u64] = &[8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20];
/// Default sizes where times are swept over: a short and a long message.
pub(super) const TWO_SIZES: &[u64] = &[8, 64 << 10];
/// Default times in nanoseconds: none, and 1 us to 1 ms.
pub(super) const TIMES: &[u64] = &[0, 1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000];

/// All points of a scenario, and why some that were requested are missing.
#[derive(Debug)]
pub(super) struct SweepPoints {
    pub points: Vec<Point>,
    /// Each reason once.
    pub left_out: Vec<Error>,
}

/// Returns all points of a scenario, or an error with the reason if there are none.
pub(super) fn points(
    settings: &Settings,
    scenario: &Scenario,
    usual: DefaultSweep,
    named: bool,
) -> Result<SweepPoints> {
    if let Some(repetitions) = settings.effort.repetitions.filter(|repetitions| *repetitions > 1) {
        return Err(Error::usage(format!(
            "--repetitions {repetitions}: a sample of a scenario is one run of it, because runs in a row are another scenario; use \
             --samples {repetitions} for as many runs, or --precision 0.02 for as many as it takes"
        )));
    }
    // An implementation that does not exist is an error, even where others do.
    let options = settings.options.get::<Options>();
    options.implementations.iter().flatten().try_for_each(Implementation::check)?;
    let found = SweepPoints { points: Vec::new(), left_out: Vec::new() };
    let mut sweep = Sweep { settings, scenario, usual, named, found };
    for ranks in participants(settings, usual) {
        sweep.ranks(ranks);
    }
    let mut found = sweep.found;
    if found.points.is_empty() && !found.left_out.is_empty() {
        return Err(found.left_out.swap_remove(0));
    }
    Ok(found)
}

/// Returns the numbers of participants, from the fewest to all.
fn participants(settings: &Settings, usual: DefaultSweep) -> Vec<usize> {
    let from = settings.options.get::<Options>().from.or(usual.ranks.then_some(2));
    match (settings.ranks.as_slice(), from) {
        ([one], None) => vec![*one],
        ([one], Some(from)) => {
            // Powers of two from the fewest on, as in CRESTA.
            let doubled = std::iter::successors(Some(from.max(1)), |ranks| ranks.checked_mul(2));
            doubled.take_while(|ranks| ranks < one).chain([*one]).collect()
        }
        (several, from) => several.iter().copied().filter(|&ranks| ranks >= from.unwrap_or(1)).collect(),
    }
}

struct Sweep<'a> {
    settings: &'a Settings,
    scenario: &'a Scenario,
    usual: DefaultSweep,
    /// Whether the point names the scenario.
    named: bool,
    found: SweepPoints,
}

impl Sweep<'_> {
    fn uses(&self, variable: Variable) -> bool {
        self.scenario.uses(variable)
    }

    fn ranks(&mut self, ranks: usize) {
        let options = self.settings.options.get::<Options>();
        let calls = options.calls.as_deref().unwrap_or(&CollectiveCall::ALL);
        let calls = if self.uses(Variable::Collective) { calls } else { &calls[..1] };
        let late = if self.uses(Variable::Late) { &options.late[..] } else { &options.late[..1] };
        for &late in late {
            for &call in calls {
                let values = self.values(ranks, call, late);
                match Script::new(self.scenario, values) {
                    Err(why) => self.refuse(why),
                    Ok(script) => {
                        for who in options.implementations_of(call) {
                            self.implementation(&who, &values, &script);
                        }
                    }
                }
            }
        }
    }

    fn values(&self, ranks: usize, call: CollectiveCall, late: Late) -> Values {
        let (form, seed) = (self.settings.options.get::<Options>().form, self.settings.seed);
        Values { ranks, call, bytes: 0, times: Times::default(), late, form, seed }
    }

    fn refuse(&mut self, why: Error) {
        let left_out = &mut self.found.left_out;
        if !left_out.iter().any(|other| other.to_string() == why.to_string()) {
            left_out.push(why);
        }
    }

    fn implementation(&mut self, who: &Implementation, values: &Values, script: &Script<'_>) {
        for operation in &script.operations {
            let fits = who.for_call(operation.call, values.ranks).and_then(|()| match operation.form {
                Form::Blocking => Ok(()),
                Form::NonBlocking => who.check_non_blocking(),
            });
            if let Err(why) = fits {
                return self.refuse(why);
            }
        }
        let mut point = Point::new(values.ranks).with_text(param::IMPLEMENTATION, &who.to_string());
        if self.uses(Variable::Collective) {
            point = point.with_text(param::COLLECTIVE, values.call.name());
        }
        if self.uses(Variable::Late) {
            point = point.with_text(param::LATE, &values.late.to_string());
        }
        if self.named {
            point = point.with_text(param::SCENARIO, &self.scenario.name);
        }
        if let Some(form) = script.form() {
            point = point.with_text(param::CALL, &form.to_string());
        }
        let moving = self.scenario.computes_beside() && script.form() != Some(Form::Blocking);
        let moves = script.operations.iter().any(|operation| operation.call.has_data());
        let has_size = self.uses(Variable::Size) && (moves || self.scenario.loads_are_swept());
        self.expand(who, &point, has_size, moving);
    }

    /// Adds the point at every size and time.
    fn expand(&mut self, who: &Implementation, point: &Point, has_size: bool, moving: bool) {
        let (settings, options) = (self.settings, self.settings.options.get::<Options>());
        let sizes = swept(has_size, settings.sizes.as_deref(), self.usual.sizes);
        let delays = against_none(self.uses(Variable::Delay), options.delays.as_deref(), self.usual.times);
        let computations =
            against_none(self.uses(Variable::Computation), options.computations.as_deref(), self.usual.times);
        let progress: Vec<Option<Progress>> =
            if moving { options.progress.iter().copied().map(Some).collect() } else { vec![None] };
        let with = |point: Point, name: &str, value: Option<u64>| match value {
            Some(value) => point.with(name, value),
            None => point,
        };
        for &bytes in sizes.iter().filter(|bytes| bytes.is_none_or(|bytes| who.is_distinct_at(bytes))) {
            for &delay in &delays {
                for &computation in &computations {
                    let point = with(point.clone(), param::BYTES, bytes);
                    let point = with(with(point, param::DELAY, delay), param::COMPUTATION, computation);
                    self.found.points.extend(progress.iter().map(|progress| match progress {
                        Some(progress) => point.clone().with_text(param::PROGRESS, &progress.to_string()),
                        None => point.clone(),
                    }));
                }
            }
        }
    }
}

/// Returns delays or computations. Their effect is relative to none, so 0 is always included.
fn against_none(used: bool, named: Option<&[u64]>, usual: &[u64]) -> Vec<Option<u64>> {
    let mut times = swept(used, named, usual);
    if used && !times.contains(&Some(0)) {
        times.insert(0, Some(0));
    }
    times
}

/// Returns the values of a swept variable; one `None` if it is not swept.
fn swept(used: bool, named: Option<&[u64]>, usual: &[u64]) -> Vec<Option<u64>> {
    if used { named.unwrap_or(usual).iter().copied().map(Some).collect() } else { vec![None] }
}

/// Returns the values of the variables at a point.
pub(super) fn values_of(point: &Point, seed: u64) -> Result<Values> {
    let nanos = |name| Time::from_nanos(point.number(name).unwrap_or(0));
    let parsed = |name| Some(point.text(name)).filter(|text| !text.is_empty());
    Ok(Values {
        ranks: point.ranks,
        call: parsed(param::COLLECTIVE).map_or(Ok(CollectiveCall::ALL[0]), str::parse)?,
        bytes: point.number(param::BYTES).unwrap_or(0),
        times: Times { delay: nanos(param::DELAY), computation: nanos(param::COMPUTATION) },
        late: parsed(param::LATE).map_or(Ok(Late::default()), str::parse)?,
        form: parsed(param::CALL).map(str::parse).transpose()?,
        seed,
    })
}
