//! Options of precision and duration of a benchmark run.

use std::time::Duration;

use clap::Args;
use panto_bench::Effort;

/// Precision and duration of a benchmark run.
#[derive(Args)]
pub struct EffortArgs {
    /// Time budget of the run, such as 30s or 5min [default: 60s; 20s with --quick].
    #[arg(short = 't', long, value_name = "TIME", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Option<Duration>,

    /// Stop sampling a point at this relative half-width of the median's 95% confidence interval
    /// [default: 0.01; 0.05 with --quick].
    #[arg(long, value_name = "FRACTION")]
    precision: Option<f64>,

    /// Measure for a third of the time, with lower precision.
    #[arg(long)]
    quick: bool,

    /// Repetitions of the operation per sample [default: enough for 20us].
    #[arg(long, value_name = "N")]
    repetitions: Option<u64>,

    #[arg(long, value_name = "N", help = MAX_SAMPLES)]
    max_samples: Option<usize>,

    /// Take exactly this many samples of each point.
    #[arg(long, value_name = "N", conflicts_with_all = ["precision", "max_samples"], value_parser = clap::value_parser!(u64).range(1..))]
    samples: Option<u64>,

    /// Wait up to this time for a quiet machine before measuring, such as 60s.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = panto_units::parse_time)]
    quiet_wait: Duration,

    /// Random seed, for the order of points and random sizes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

const MAX_SAMPLES: &str = "Maximum samples per point [default: 2000; 200 on a simulated machine]";

impl EffortArgs {
    /// Returns the effort of a run on a real clock.
    pub fn effort(&self) -> Effort {
        let defaults = if self.quick { quick() } else { Effort::default() };
        let effort = Effort {
            precision: self.precision.unwrap_or(defaults.precision),
            repetitions: self.repetitions,
            budget: self.time_budget.unwrap_or(defaults.budget),
            quiet_wait: self.quiet_wait,
            ..defaults
        };
        self.exactly(Effort { max_samples: self.max_samples.unwrap_or(effort.max_samples), ..effort })
    }

    /// Applies `--samples`.
    fn exactly(&self, effort: Effort) -> Effort {
        let Some(samples) = self.samples else { return effort };
        let samples = samples as usize;
        Effort { min_samples: samples, max_samples: samples, least_time: Duration::ZERO, passes: 1, ..effort }
    }

    /// Returns the effort on a simulated machine, whose times have no noise.
    pub fn on_virtual_clock(&self) -> Effort {
        let effort = self.effort().on_virtual_clock();
        self.exactly(Effort { max_samples: self.max_samples.unwrap_or(effort.max_samples), ..effort })
    }
}

/// Returns the effort of `--quick`.
fn quick() -> Effort {
    Effort {
        precision: 0.05,
        least_time: Duration::from_millis(5),
        budget: Duration::from_secs(20),
        ..Effort::default()
    }
}
