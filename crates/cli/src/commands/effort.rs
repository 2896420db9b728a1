//! How long to measure.

use std::time::Duration;

use clap::Args;
use panto_bench::Effort;

/// How sure to be, and how long to try.
#[derive(Args)]
pub struct EffortArgs {
    /// Time for the whole run, such as 30s or 5min [default: 60s, and 20s if --quick]
    #[arg(short = 't', long, value_name = "TIME", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Option<Duration>,

    /// Stop a point when the median is known to within this fraction [default: 0.01, and 0.05 if --quick]
    #[arg(long, value_name = "FRACTION")]
    precision: Option<f64>,

    /// Measure a third of the time, and be content with less certainty
    #[arg(long)]
    quick: bool,

    /// Repeat the operation so often in each sample [default: until it lasts 20us]
    #[arg(long, value_name = "N")]
    repetitions: Option<u64>,

    #[arg(long, value_name = "N", help = MAX_SAMPLES)]
    max_samples: Option<usize>,

    /// Take exactly so many samples of each point, however certain it is by then
    #[arg(long, value_name = "N", conflicts_with_all = ["precision", "max_samples"], value_parser = clap::value_parser!(u64).range(1..))]
    samples: Option<u64>,

    /// Seed of the order of points and of random sizes
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

const MAX_SAMPLES: &str =
    "Never take more samples of a point [default: 2000, and 200 on a simulated machine]";

impl EffortArgs {
    pub fn effort(&self) -> Effort {
        let usual = if self.quick { quick() } else { Effort::default() };
        let effort = Effort {
            precision: self.precision.unwrap_or(usual.precision),
            repetitions: self.repetitions,
            budget: self.time_budget.unwrap_or(usual.budget),
            ..usual
        };
        self.exactly(Effort { max_samples: self.max_samples.unwrap_or(effort.max_samples), ..effort })
    }

    /// So many samples as the user wants, if they were counted.
    fn exactly(&self, effort: Effort) -> Effort {
        let Some(samples) = self.samples else { return effort };
        let samples = samples as usize;
        Effort { min_samples: samples, max_samples: samples, least_time: Duration::ZERO, ..effort }
    }

    /// The same on a simulated machine.
    pub fn on_virtual_clock(&self) -> Effort {
        let effort = self.effort().on_virtual_clock();
        self.exactly(Effort { max_samples: self.max_samples.unwrap_or(effort.max_samples), ..effort })
    }
}

/// Enough to see what there is to see.
fn quick() -> Effort {
    Effort {
        precision: 0.05,
        least_time: Duration::from_millis(5),
        budget: Duration::from_secs(20),
        ..Effort::default()
    }
}
