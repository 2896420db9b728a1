//! Options of the suite `scenario`.

use std::path::PathBuf;

use clap::Args;
use panto_bench::scenario::operation::Progress;
use panto_bench::scenario::{Form, Late, Options, Scenario, left_out, parse_times};
use panto_bench::{Error, Kernel, Settings};
use panto_results::scenario::CollectiveCall;

use super::user_code::UserCodeArgs;
use crate::failure::Failure;
use crate::print;

#[derive(Args)]
pub struct ScenarioArgs {
    /// Collectives: bcast, allreduce, alltoallv, barrier, ... [default: all].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    collective: Option<Vec<CollectiveCall>>,

    /// Scenarios for scenario/own: files, or built-in ones such as staggered (`panto info NAME`
    /// draws one).
    #[arg(long, value_name = "FILE|NAME,...", value_delimiter = ',')]
    scenario: Option<Vec<String>>,

    /// Trace for `$trace` in scenarios: ranks arrive as late as in the trace.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Sweep the number of participants by powers of two, from N to all [default: 2 in
    /// scenario/only, all elsewhere].
    #[arg(long, value_name = "N")]
    from: Option<usize>,

    /// Delays: `1us..1ms` (doubling) or `10us,1ms` [default: 1us, 4us ... 1ms].
    #[arg(long, value_name = "TIMES", value_parser = times, allow_hyphen_values = true)]
    delays: Option<Times>,

    /// Late participant: first, last, or a number [default: last].
    #[arg(long, value_name = "RANK,...", value_delimiter = ',')]
    late: Option<Vec<Late>>,

    /// Computation overlapped with a collective: `1us..1ms` (doubling) or `10us,1ms` [default: 1us,
    /// 4us ... 1ms].
    #[arg(long, value_name = "TIMES", value_parser = times, allow_hyphen_values = true)]
    computations: Option<Times>,

    /// Progress of the collective during that computation: none, poll (every 10 us), helper (a
    /// progress thread) [default: none].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    progress: Option<Vec<Progress>>,

    /// Form of collectives, if the scenario does not specify it: blocking, non-blocking [default:
    /// as the scenario needs].
    #[arg(long, value_name = "FORM")]
    call: Option<Form>,
}

/// A list in one argument; clap would take a `Vec` for several arguments.
type Times = std::sync::Arc<[u64]>;

fn times(text: &str) -> panto_bench::Result<Times> {
    parse_times(text).map(Into::into)
}

/// Maximum number of reasons printed for one kernel.
const MAX_REASONS: usize = 3;

/// Prints why a kernel measures less than requested.
pub fn note_skipped(kernel: Kernel, settings: &Settings) {
    let reasons = left_out(kernel, settings);
    for why in reasons.iter().take(MAX_REASONS) {
        print::note(format_args!("panto: skipped: {why}"));
    }
    if reasons.len() > MAX_REASONS {
        print::note(format_args!(
            "panto: skipped: {} more, for similar reasons",
            reasons.len() - MAX_REASONS
        ));
    }
}

impl ScenarioArgs {
    /// Fails if a scenario is given but no kernel runs it.
    pub fn check(&self, kernels: &[Kernel]) -> panto_bench::Result<()> {
        if self.scenario.is_none() || kernels.contains(&Kernel::ScenarioOwn) {
            return Ok(());
        }
        Err(Error::usage(
            "--scenario applies to the kernel scenario/own only; use `panto bench scenario/own --scenario ...`",
        ))
    }

    pub fn options(&self, user_code: &UserCodeArgs) -> Result<Options, Failure> {
        let defaults = Options::default();
        let trace = self.trace.as_deref();
        let mut own: Vec<Scenario> = Vec::new();
        for name in self.scenario.iter().flatten() {
            let scenario = Scenario::load(name, trace)?;
            if own.iter().any(|other| other.name == scenario.name) {
                return Err(Failure::Usage(format!(
                    "two scenarios have the name `{}`; change the `name` in one of the files",
                    scenario.name
                )));
            }
            own.push(scenario);
        }
        Ok(Options {
            calls: self.collective.clone(),
            implementations: user_code.implementation.clone(),
            from: self.from,
            delays: self.delays.as_deref().map(<[u64]>::to_vec),
            computations: self.computations.as_deref().map(<[u64]>::to_vec),
            late: self.late.clone().unwrap_or(defaults.late),
            progress: self.progress.clone().unwrap_or(defaults.progress),
            form: self.call,
            own,
            patience: user_code.timeout,
            ..defaults
        })
    }
}
