//! What the user asked for.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use panto_schedule::{Algorithm, HopShape, Mesh};
use panto_transport::{Choice, Distance, Place};

use crate::error::{Error, Result};
use crate::sizes::rank_counts;
use crate::{calibrate, classic, cm5, scenario, swap};

/// What to sweep over and how long to measure. `None` leaves the choice to each kernel.
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
#[derive(Debug, Clone)]
pub struct Settings {
    /// The numbers of ranks for kernels that sweep over them; the largest is the world of all others.
    pub ranks: Vec<usize>,
    /// Did the user name the ranks? If not, a kernel that needs more of them gets them.
    pub ranks_given: bool,
    /// Message sizes in bytes.
    pub sizes: Option<Vec<u64>>,
    /// Matrix dimensions.
    pub dims: Option<Vec<u64>>,
    /// Vector lengths.
    pub lengths: Option<Vec<u64>>,
    /// Hop distances.
    pub hops: Option<Vec<u64>>,
    /// Distances in words, where [`places`](Self::places) give them.
    pub distances: Option<Vec<Distance>>,
    /// Background loads in per cent of the peak bandwidth.
    pub loads: Vec<u64>,
    /// How far ranks are from each other; the transport's own hint if not given.
    pub shape: Option<HopShape>,
    /// Where each rank runs; empty where that is not known. Then `shape` is
    /// [`distances_from_first`](panto_transport::distances_from_first) of them, unless the user says otherwise.
    pub places: Vec<Place>,
    /// The most ranks that there can be, where somebody else started them; `None` where they are made on demand.
    pub most_ranks: Option<usize>,
    /// Does the message layer know message-driven receive?
    pub has_handlers: bool,
    /// Does it know one-sided communication?
    pub has_windows: bool,
    /// The global row or column that is broadcast; the middle one if not given.
    pub index: Option<u64>,
    /// The process mesh of the matrix kernels.
    pub mesh: Option<Mesh>,
    /// The algorithm of collectives; the library's own if not given.
    pub algorithm: Option<Algorithm>,
    /// Does a barrier close the timed region of a broadcast (C6)?
    pub closing_barrier: bool,
    /// Where the I/O kernel writes; without it there is no I/O kernel.
    pub io_dir: Option<PathBuf>,
    /// Bytes that each rank writes there.
    pub io_bytes: u64,
    /// The machine that is simulated; none if ranks run for real.
    pub machine: Option<String>,
    /// With more ranks than this, kernels that are schedules run as such, without stacks and bytes.
    pub stackless_above: usize,
    /// The most ranks that other kernels can have.
    pub most_programs: usize,
    /// How sure to be, and how long to try.
    pub effort: Effort,
    /// Seed of everything random: the order of points, sizes between powers of two.
    pub seed: u64,
    /// What only the suite `cm5` asks for.
    pub cm5: cm5::Options,
    /// What only the suite `swap` asks for.
    pub swap: swap::Options,
    /// What only the suite `classic` asks for.
    pub classic: classic::Options,
    /// What only the suite `calibrate` asks for.
    pub calibrate: calibrate::Options,
    /// What only the suite `scenario` asks for.
    pub scenario: scenario::Options,
}

/// How sure to be, and how long to try.
#[derive(Debug, Clone)]
pub struct Effort {
    /// Stop when the interval of the median is within this fraction of it.
    pub precision: f64,
    /// Never stop before this many samples, unless the time is over.
    pub min_samples: usize,
    /// Nor before so much time: a machine that is in one mood for a millisecond looks more certain than it is.
    pub least_time: Duration,
    /// Never take more.
    pub max_samples: usize,
    /// Time for the whole run.
    pub budget: Duration,
    /// A sample repeats the operation until it lasts this long (C2),
    pub sample_time: Duration,
    /// or exactly so many times.
    pub repetitions: Option<u64>,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            precision: 0.01,
            min_samples: 12,
            least_time: Duration::from_millis(20),
            max_samples: 2_000,
            budget: Duration::from_secs(60),
            sample_time: Duration::from_micros(20),
            repetitions: None,
        }
    }
}

/// A point of a simulated machine needs no more: its samples differ only where something else is going on.
const VIRTUAL_SAMPLES: (usize, usize) = (6, 200);

impl Effort {
    /// The same where the clock is virtual: nothing is gained by measuring for long. The budget stays the user's time.
    #[must_use]
    pub fn on_virtual_clock(self) -> Self {
        let (least, most) = VIRTUAL_SAMPLES;
        Self {
            min_samples: self.min_samples.min(least),
            least_time: Duration::ZERO,
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
            loads: vec![50, 90],
            shape: None,
            places: Vec::new(),
            most_ranks: None,
            has_handlers: true,
            has_windows: false,
            index: None,
            mesh: None,
            algorithm: None,
            closing_barrier: true,
            io_dir: None,
            io_bytes: 16 << 20,
            machine: None,
            stackless_above: usize::MAX,
            most_programs: usize::MAX,
            effort: Effort::default(),
            seed: 1,
            cm5: cm5::Options::default(),
            swap: swap::Options::default(),
            classic: classic::Options::default(),
            calibrate: calibrate::Options::default(),
            scenario: scenario::Options::default(),
        }
    }
}

impl Settings {
    /// The largest number of ranks.
    pub fn world(&self) -> usize {
        self.ranks.iter().copied().max().unwrap_or(1)
    }

    /// Are there so many ranks that kernels which are schedules run as such?
    pub fn is_stackless(&self) -> bool {
        self.world() > self.stackless_above
    }

    /// The numbers of ranks of a kernel that sweeps over them: those that the user listed, or powers of two up to the
    /// one that the user named.
    pub fn rank_sweep(&self) -> Vec<usize> {
        match self.ranks.as_slice() {
            [one] => rank_counts(*one),
            several => several.to_vec(),
        }
    }

    /// The settings for a kernel that needs at least so many ranks, if so many can be had.
    #[must_use]
    pub fn with_least_ranks(&self, least: usize) -> Cow<'_, Self> {
        let too_many = self.most_ranks.is_some_and(|most| least > most);
        if self.ranks_given || self.world() >= least || too_many {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { ranks: vec![least], ..self.clone() })
    }

    /// Refuses what no kernel can do.
    pub fn check(&self) -> Result<()> {
        let ranks = self.world();
        if self.ranks.is_empty() || self.ranks.contains(&0) {
            return Err(Error::usage("there must be at least 1 rank; use --ranks 2 or more"));
        }
        if !(self.effort.precision > 0.0 && self.effort.precision < 1.0) {
            return Err(Error::usage("the precision is a fraction between 0 and 1, such as 0.01"));
        }
        if self.effort.repetitions == Some(0) {
            return Err(Error::usage("a sample has at least 1 repetition; use --repetitions 1 or more"));
        }
        if self.effort.max_samples == 0 {
            return Err(Error::usage("at least 1 sample is needed; use --max-samples 1 or more"));
        }
        if self.loads.iter().any(|&load| load > 100) {
            return Err(Error::usage("a load is at most 100 per cent of the peak bandwidth"));
        }
        if let Some(most) = self.most_ranks.filter(|&most| ranks > most) {
            return Err(Error::usage(format!(
                "{ranks} ranks, and this job has {most}; use --ranks {most} or fewer, or start it with more, such as \
                 `mpirun -n {ranks} panto ...`"
            )));
        }
        self.check_distances()?;
        self.swap.check(ranks)?;
        self.scenario.check(ranks)?;
        self.shape.as_ref().map_or(Ok(()), |shape| shape.fits(ranks))?;
        self.mesh.as_ref().map_or(Ok(()), |mesh| check_mesh(mesh, ranks))
    }

    /// Distances are hops or have names, never both.
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

    /// Who carries collectives out.
    pub fn choice(&self) -> Choice {
        self.algorithm.map_or(Choice::Library, Choice::Algorithm)
    }

    /// Have distances names, because it is known where ranks run? Not if the user says how ranks are wired.
    pub fn names_distances(&self) -> bool {
        !self.places.is_empty() && matches!(self.shape, Some(HopShape::FromFirst(_)))
    }

    /// Where the first so many ranks run, as far as it is known.
    pub fn places_of(&self, ranks: usize) -> &[Place] {
        &self.places[..ranks.min(self.places.len())]
    }

    /// The shape of hop distances, where `hint` is the transport's.
    pub fn shape_or(&self, hint: HopShape) -> HopShape {
        self.shape.unwrap_or(hint)
    }
}

fn check_mesh(mesh: &Mesh, ranks: usize) -> Result<()> {
    if mesh.ranks() == ranks {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the mesh {mesh} has {} cells, and there are {ranks} ranks; use --ranks {} or another mesh",
        mesh.ranks(),
        mesh.ranks()
    )))
}
