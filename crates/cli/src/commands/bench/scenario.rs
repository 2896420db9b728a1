//! What only the suite `scenario` is asked.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use panto_bench::scenario::operation::{Call, Implementation, Progress};
use panto_bench::scenario::{Form, Late, Options, Scenario, left_out, parse_times};
use panto_bench::{Error, Kernel, Settings};

use crate::failure::Failure;
use crate::out;

#[derive(Args)]
pub struct ScenarioArgs {
    /// Collectives: bcast, allreduce, alltoallv, barrier and so on [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    collective: Option<Vec<Call>>,

    /// Who carries them out: `library`, algorithms such as rabenseifner, or your own: path/libmine.so:name [default: library]
    #[arg(long = "impl", value_name = "NAME,...", value_delimiter = ',')]
    implementation: Option<Vec<Implementation>>,

    /// Scenarios of scenario/own: files, or built-ins such as staggered; `panto info FILE` draws one
    #[arg(long, value_name = "FILE|NAME,...", value_delimiter = ',')]
    scenario: Option<Vec<String>>,

    /// The trace that a scenario means by `$trace`: ranks come as late as they did there
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Sweep over participants from so many up to all, in powers of two [default: 2 in scenario/only, all elsewhere]
    #[arg(long, value_name = "N")]
    from: Option<usize>,

    /// Delays: `1us..1ms` doubles, `10us,1ms` lists [default: 1us,4us ... 1ms]
    #[arg(long, value_name = "TIMES", value_parser = times, allow_hyphen_values = true)]
    delays: Option<Times>,

    /// Who is late: first, last, or a participant's number [default: last]
    #[arg(long, value_name = "WHO,...", value_delimiter = ',')]
    late: Option<Vec<Late>>,

    /// Computation while a collective is in flight: `1us..1ms` doubles, `10us,1ms` lists [default: 1us,4us ... 1ms]
    #[arg(long, value_name = "TIMES", value_parser = times, allow_hyphen_values = true)]
    computations: Option<Times>,

    /// What moves a collective on meanwhile: none, poll (every 10 us), helper (a thread of its own) [default: none]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    progress: Option<Vec<Progress>>,

    /// Whether collectives block that the scenario leaves open: blocking, non-blocking [default: as the scenario needs]
    #[arg(long, value_name = "FORM")]
    call: Option<Form>,

    /// How long your own implementation may take before it counts as hung
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = panto_units::parse_time)]
    patience: Duration,
}

/// A list that is one argument: clap would take a vector for several.
type Times = std::sync::Arc<[u64]>;

fn times(text: &str) -> panto_bench::Result<Times> {
    parse_times(text).map(Into::into)
}

/// More reasons than this are not read.
const MOST_REASONS: usize = 3;

/// Says why a kernel measures less than was asked for.
pub fn note_left_out(kernel: Kernel, settings: &Settings) {
    let reasons = left_out(kernel, settings);
    for why in reasons.iter().take(MOST_REASONS) {
        out::note(format_args!("panto: left out: {why}"));
    }
    if reasons.len() > MOST_REASONS {
        out::note(format_args!("panto: left out for such reasons: {} more", reasons.len() - MOST_REASONS));
    }
}

impl ScenarioArgs {
    /// A scenario that nobody would run is a slip.
    pub fn check(&self, kernels: &[Kernel]) -> panto_bench::Result<()> {
        if self.scenario.is_none() || kernels.contains(&Kernel::ScenarioOwn) {
            return Ok(());
        }
        Err(Error::usage("--scenario is for scenario/own: use `panto bench scenario/own --scenario ...`"))
    }

    pub fn options(&self) -> Result<Options, Failure> {
        let usual = Options::default();
        let trace = self.trace.as_deref();
        let mut own: Vec<Scenario> = Vec::new();
        for name in self.scenario.iter().flatten() {
            let scenario = Scenario::load(name, trace)?;
            if own.iter().any(|other| other.name == scenario.name) {
                return Err(Failure::Usage(format!(
                    "two scenarios are called `{}`; give one of them another `name` in its file",
                    scenario.name
                )));
            }
            own.push(scenario);
        }
        Ok(Options {
            calls: self.collective.clone(),
            implementations: self.implementation.clone(),
            from: self.from,
            delays: self.delays.as_deref().map(<[u64]>::to_vec),
            computations: self.computations.as_deref().map(<[u64]>::to_vec),
            late: self.late.clone().unwrap_or(usual.late),
            progress: self.progress.clone().unwrap_or(usual.progress),
            form: self.call,
            own,
            patience: self.patience,
        })
    }
}
