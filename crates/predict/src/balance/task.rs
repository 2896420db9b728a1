//! The program and the machine of a search, and the evaluation of a mapping.

use panto_machine::{Machine, Model};
use panto_sim::observe::Observer;
use panto_sim::program::Program;
use panto_sim::{RunError, Sharing};
use panto_units::Time;

use super::busy::Busy;
use crate::case::{self, Case, CaseOptions};
use crate::error::Error;
use crate::prediction::Prediction;
use crate::speeds::Speeds;

/// A program whose ranks are to be mapped to the processors of a machine.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// The number of processors that may be used, from the first on.
    pub processors: usize,
    /// The machine, before ranks are mapped.
    machine: Machine,
    sharing: Sharing,
    speeds: Speeds,
    /// The time of an element of a DAXPY on the traced computer, if it is known.
    daxpy: Option<Time>,
}

/// An evaluated mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The processor of each rank.
    pub places: Vec<u32>,
    /// The makespan.
    pub time: Time,
    /// The busy time of each processor.
    pub busy: Vec<Time>,
}

impl<'a> Task<'a> {
    /// Makes the machine ready for a program; `daxpy` is the traced computer's, if it is known. The
    /// mapping of `options` is ignored.
    pub fn new(
        program: &'a Program,
        daxpy: Option<Time>,
        model: Model,
        options: &CaseOptions,
    ) -> Result<Self, Error> {
        let mut machine = case::sized(model, program.ranks as usize, options, &mut Vec::new())?;
        let processors = options.processors.unwrap_or_else(|| machine.network.processors());
        // The machine is copied for each trial, and its sources are not needed.
        machine.sources.clear();
        machine.multitasking = true;
        let sharing = options.sharing_on(&machine);
        Ok(Self { program, daxpy, processors, machine, sharing, speeds: options.speeds.clone() })
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.program.ranks as usize
    }

    /// Returns whether there is only one mapping.
    pub fn has_no_choice(&self) -> bool {
        self.processors < 2 || self.ranks() == 0
    }

    /// Returns the machine with ranks on these processors.
    fn case(&self, places: &[u32]) -> Case {
        let mut machine = self.machine.clone();
        case::place(&mut machine, places);
        Case {
            compute_scales: self.speeds.compute_scales(&machine.processor, self.daxpy, places),
            speed_origin: self.speeds.origin(&machine.processor, self.daxpy),
            machine,
            sharing: self.sharing,
            places: places.to_vec(),
            notes: Vec::new(),
        }
    }

    /// Simulates a mapping.
    pub fn evaluate(&self, places: &[u32]) -> Result<Trial, RunError> {
        let case = self.case(places);
        let mut busy = Busy::new(places, self.processors);
        let ends = panto_sim::run(self.program, &case.run_config(None), &mut busy)?;
        let time = ends.into_iter().take(self.ranks()).max().unwrap_or_default();
        Ok(Trial { places: places.to_vec(), time, busy: busy.times() })
    }

    /// Simulates a mapping, with its critical path.
    pub(super) fn predict(&self, places: &[u32], extra: &mut impl Observer) -> Result<Prediction, RunError> {
        Prediction::observed(self.program, &self.case(places), None, extra)
    }
}

impl Trial {
    /// Returns the share of the makespan in which a processor is busy.
    pub fn utilisation(&self, processor: usize) -> f64 {
        if self.time == Time::ZERO { 0.0 } else { self.busy[processor].as_secs() / self.time.as_secs() }
    }

    /// Returns the least busy processor and the first of the busiest; `None` without processors.
    pub fn extremes(&self) -> Option<(usize, usize)> {
        let by = |&processor: &usize| (self.busy[processor], processor);
        let least = (0..self.busy.len()).min_by_key(by)?;
        let most = (0..self.busy.len()).rev().max_by_key(|&processor| self.busy[processor])?;
        Some((least, most))
    }

    /// Returns the mean utilisation of all processors.
    pub fn mean_utilisation(&self) -> f64 {
        let sum: f64 = (0..self.busy.len()).map(|processor| self.utilisation(processor)).sum();
        sum / self.busy.len() as f64
    }

    /// Returns whether this mapping is faster, or as fast with more even load.
    pub fn is_better_than(&self, other: &Self) -> bool {
        (self.time, self.unevenness()) < (other.time, other.unevenness())
    }

    /// Returns the sum of the squares of busy times: the smaller, the more even the load.
    fn unevenness(&self) -> u128 {
        let square = |time: &Time| u128::from(time.as_picos()).pow(2) >> 20;
        self.busy.iter().map(square).sum()
    }
}
