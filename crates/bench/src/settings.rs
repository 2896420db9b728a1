//! Settings of a run: what to sweep over, and how much effort to spend.

use std::borrow::Cow;
use std::time::Duration;

use panto_machine::Machine;
use panto_results::{Ranges, RankPlacement, RunSettings};
use panto_schedule::HopShape;
use panto_transport::{Distance, Placement};

use crate::error::{Error, Result};
use crate::options::{OptionsMap, SuiteOptions};
use crate::sizes::rank_counts;

/// What to sweep over and how long to measure. `None` selects each kernel's default.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Numbers of ranks, for kernels that sweep over them; other kernels run on the largest.
    pub ranks: Vec<usize>,
    /// Whether the user gave the ranks; if not, a kernel that needs more runs on more.
    pub ranks_given: bool,
    /// Message sizes in bytes.
    pub sizes: Option<Vec<u64>>,
    /// Matrix dimensions.
    pub dims: Option<Vec<u64>>,
    /// Vector lengths.
    pub lengths: Option<Vec<u64>>,
    /// Hop distances.
    pub hops: Option<Vec<u64>>,
    /// Distances by name, where [`places`](Self::places) are known.
    pub distances: Option<Vec<Distance>>,
    /// Shape that hop distances follow from; the transport's hint by default.
    pub shape: Option<HopShape>,
    /// Where each rank runs; empty where unknown. If known, `shape` is
    /// [`distances_from_first`](panto_transport::distances_from_first) of them by default.
    pub places: Vec<Placement>,
    /// Number of ranks of the job, where a launcher started them; `None` where ranks are started on
    /// demand.
    pub most_ranks: Option<usize>,
    /// Whether the transport supports message handlers.
    pub has_handlers: bool,
    /// Whether the transport supports one-sided communication.
    pub has_windows: bool,
    /// Storage of the simulated machine; a real one always has some.
    pub storage: Storage,
    /// Which messages share a link, as far as routes are known.
    pub shared_link: SharedLink,
    /// The simulated machine; `None` for real ranks.
    pub machine: Option<String>,
    /// Number of ranks above which collectives are simulated as schedules, without stacks and
    /// bytes.
    pub stackless_above: usize,
    /// Largest number of ranks of kernels that are not schedules.
    pub most_programs: usize,
    /// Precision and time limits.
    pub effort: Effort,
    /// Seed of the order of points and of sizes between powers of two.
    pub seed: u64,
    /// The options of single suites, by their type.
    pub options: OptionsMap,
}

/// Whether the model of a simulated machine has a cost of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// It has none.
    #[default]
    Absent,
    /// Reading and writing take time.
    Modelled,
}

impl Storage {
    /// Returns the storage of a machine.
    pub fn of(machine: &Machine) -> Self {
        if machine.storage.is_free() { Self::Absent } else { Self::Modelled }
    }
}

/// Messages that share a link, each with its sender and receiver.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SharedLink {
    /// Routes are unknown; kernels judge by the shape.
    #[default]
    Unknown,
    /// These messages between four ranks do.
    Between {
        /// The background load: the longer route.
        load: (usize, usize),
        /// The echo: the shorter route.
        echo: (usize, usize),
    },
    /// No two messages between four ranks do, for this reason.
    Nowhere(String),
}

/// Precision and time limits of sampling.
#[derive(Debug, Clone)]
pub struct Effort {
    /// Relative half-width of the median's confidence interval at which sampling stops.
    pub precision: f64,
    /// Minimum number of samples, unless the time limit is reached.
    pub min_samples: usize,
    /// Minimum time per point: samples of one millisecond share their noise and look more precise
    /// than they are.
    pub least_time: Duration,
    /// Number of passes over all points, each in another random order, before points are measured
    /// again on which they disagree.
    pub passes: usize,
    /// Maximum number of samples.
    pub max_samples: usize,
    /// Time limit of the whole run.
    pub budget: Duration,
    /// Time to wait for a quiet machine at most, before the run.
    pub quiet_wait: Duration,
    /// Duration that a sample reaches by repeating the operation (C2).
    pub sample_time: Duration,
    /// Fixed number of repetitions per sample, instead of `sample_time`.
    pub repetitions: Option<u64>,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            precision: 0.01,
            min_samples: 12,
            least_time: Duration::from_millis(20),
            passes: 3,
            max_samples: 2_000,
            budget: Duration::from_secs(60),
            quiet_wait: Duration::ZERO,
            sample_time: Duration::from_micros(20),
            repetitions: None,
        }
    }
}

/// Repetitions of a sample that a user may choose: a sample is not interrupted, and the largest
/// number of the shortest operation takes a few seconds.
const REPETITIONS: std::ops::RangeInclusive<u64> = 1..=10_000_000;

/// Minimum and maximum number of samples on a virtual clock, where samples differ only under
/// contention.
const VIRTUAL_SAMPLES: (usize, usize) = (6, 200);

impl Effort {
    /// Returns the effort of one pass.
    #[must_use]
    pub fn of_one_pass(&self) -> Self {
        let passes = self.passes.max(1);
        Self {
            least_time: self.least_time / passes as u32,
            max_samples: self.max_samples.div_ceil(passes),
            ..self.clone()
        }
    }

    /// Returns the effort for a virtual clock, where longer sampling gains nothing. The budget
    /// remains real time.
    #[must_use]
    pub fn on_virtual_clock(self) -> Self {
        let (least, most) = VIRTUAL_SAMPLES;
        Self {
            min_samples: self.min_samples.min(least),
            least_time: Duration::ZERO,
            passes: 1,
            max_samples: self.max_samples.min(most),
            ..self
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ranks: vec![2],
            ranks_given: false,
            sizes: None,
            dims: None,
            lengths: None,
            hops: None,
            distances: None,
            shape: None,
            places: Vec::new(),
            most_ranks: None,
            has_handlers: true,
            has_windows: false,
            storage: Storage::default(),
            shared_link: SharedLink::default(),
            machine: None,
            stackless_above: usize::MAX,
            most_programs: usize::MAX,
            effort: Effort::default(),
            seed: 1,
            options: OptionsMap::default(),
        }
    }
}

impl Settings {
    /// Returns the settings with these options of a suite.
    #[must_use]
    pub fn with_options<O: SuiteOptions>(mut self, options: O) -> Self {
        self.options.set(options);
        self
    }

    /// Returns the largest number of ranks.
    pub fn world(&self) -> usize {
        self.ranks.iter().copied().max().unwrap_or(1)
    }

    /// Returns whether collectives run as schedules because of the number of ranks.
    pub fn is_stackless(&self) -> bool {
        self.world() > self.stackless_above
    }

    /// Returns the numbers of ranks of a kernel that sweeps over them: the list of the user, or
    /// powers of two up to a single number.
    pub fn rank_sweep(&self) -> Vec<usize> {
        match self.ranks.as_slice() {
            [one] => rank_counts(*one),
            several => several.to_vec(),
        }
    }

    /// Returns the settings for a kernel that needs at least `least` ranks, raised to that number
    /// unless the user or the job fixes it.
    #[must_use]
    pub fn with_least_ranks(&self, least: usize) -> Cow<'_, Self> {
        let too_many = self.most_ranks.is_some_and(|most| least > most);
        if self.ranks_given || self.world() >= least || too_many {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { ranks: vec![least], ..self.clone() })
    }

    /// Returns the settings that a manifest repeats.
    pub fn for_manifest(&self) -> RunSettings {
        let placed = |(rank, place): (usize, &Placement)| RankPlacement {
            rank,
            host: place.host.clone(),
            node: place.node,
            cores: place.cores.iter().copied().collect::<Ranges>().to_string(),
            numa: place.numa,
            cache: place.cache,
            pid: place.pid,
        };
        RunSettings {
            ranks: self.ranks.clone(),
            precision: self.effort.precision,
            budget_s: self.effort.budget.as_secs_f64(),
            seed: self.seed,
            placement: self.places.iter().enumerate().map(placed).collect(),
        }
    }

    /// Returns an error for settings that no kernel supports.
    pub fn check(&self) -> Result<()> {
        let ranks = self.world();
        if self.ranks.is_empty() || self.ranks.contains(&0) {
            return Err(Error::usage("there must be at least 1 rank; use --ranks 2 or more"));
        }
        if !(self.effort.precision > 0.0 && self.effort.precision < 1.0) {
            return Err(Error::usage("the precision is a fraction between 0 and 1, such as 0.01"));
        }
        if self.effort.repetitions.is_some_and(|repetitions| !REPETITIONS.contains(&repetitions)) {
            return Err(Error::usage(format!(
                "a sample has {} to {} repetitions; choose --repetitions within that",
                REPETITIONS.start(),
                REPETITIONS.end()
            )));
        }
        if self.effort.max_samples == 0 {
            return Err(Error::usage("at least 1 sample is needed; use --max-samples 1 or more"));
        }
        if let Some(most) = self.most_ranks.filter(|&most| ranks > most) {
            return Err(Error::usage(format!(
                "{ranks} ranks, and this job has {most}; use --ranks {most} or fewer, or start it with more, such as \
                 `mpirun -n {ranks} panto ...`"
            )));
        }
        self.check_distances()?;
        self.options.check(ranks)?;
        self.shape.as_ref().map_or(Ok(()), |shape| Ok(shape.fits(ranks)?))
    }

    /// Checks that distances are given as hops or by name, as the placement allows.
    fn check_distances(&self) -> Result<()> {
        if self.distances.is_some() && !self.names_distances() {
            return Err(Error::usage(
                "--distance is for ranks of which it is known where they run, as under MPI without --shape; use --hops",
            ));
        }
        if self.hops.is_some() && self.names_distances() {
            let names = Distance::ALL.map(|distance| distance.to_string()).join(", ");
            return Err(Error::usage(format!(
                "--hops counts links, and here distances have names: {names}; use --distance, or say by --shape how \
                 ranks are wired"
            )));
        }
        Ok(())
    }

    /// Returns whether distances have names: the placement is known and the user gave no shape.
    pub fn names_distances(&self) -> bool {
        !self.places.is_empty() && matches!(self.shape, Some(HopShape::FromFirst(_)))
    }

    /// Returns the places of the first `ranks` ranks, as far as they are known.
    pub fn places_of(&self, ranks: usize) -> &[Placement] {
        &self.places[..ranks.min(self.places.len())]
    }

    /// Returns the shape of hop distances; `hint` is the transport's.
    pub fn shape_or(&self, hint: HopShape) -> HopShape {
        self.shape.unwrap_or(hint)
    }
}
