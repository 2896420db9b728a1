//! What is to be placed where, and how good a mapping is.

use panto_machine::{Machine, Model as MachineModel};
use panto_sim::observe::Observer;
use panto_sim::program::Program;
use panto_sim::{Halted, Model};
use panto_units::Time;

use super::busy::Busy;
use crate::case::{self, Case, Wish};
use crate::error::Error;
use crate::prediction::Prediction;
use crate::speeds::Speeds;

/// A program whose ranks are to be placed on processors.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// Ranks may be placed on so many processors, from the first on.
    pub processors: usize,
    /// The machine before ranks are placed on it.
    machine: Machine,
    network: Model,
    speeds: Speeds,
}

/// A mapping, and how it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The processor of each rank.
    pub places: Vec<u32>,
    /// When the last rank ends.
    pub time: Time,
    /// How long each processor works.
    pub busy: Vec<Time>,
}

impl<'a> Task<'a> {
    /// A program on a machine. The wish's own mapping does not matter.
    pub fn new(program: &'a Program, model: MachineModel, wish: &Wish) -> Result<Self, Error> {
        let mut machine = case::sized(model, program.ranks as usize, wish, &mut Vec::new())?;
        let processors = wish.processors.unwrap_or_else(|| machine.network.processors());
        // Nobody asks for them here, and the machine is copied for each trial.
        machine.sources.clear();
        machine.multitasking = true;
        let network = wish.network_of(&machine);
        Ok(Self { program, processors, machine, network, speeds: wish.speeds.clone() })
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.program.ranks as usize
    }

    /// Is there nothing to choose?
    pub fn is_settled(&self) -> bool {
        self.processors < 2 || self.ranks() == 0
    }

    /// The machine with ranks on these processors.
    fn case(&self, places: &[u32]) -> Case {
        let mut machine = self.machine.clone();
        case::place(&mut machine, places);
        Case {
            paces: self.speeds.paces(machine.processor.speed, places),
            machine,
            network: self.network,
            places: places.to_vec(),
            notes: Vec::new(),
        }
    }

    /// Simulates a mapping.
    pub fn evaluate(&self, places: &[u32]) -> Result<Trial, Halted> {
        let case = self.case(places);
        let mut busy = Busy::new(places, self.processors);
        let ends = panto_sim::run(self.program, &case.setting(None), &mut busy)?;
        let time = ends.into_iter().take(self.ranks()).max().unwrap_or_default();
        Ok(Trial { places: places.to_vec(), time, busy: busy.times() })
    }

    /// Simulates a mapping, with its critical path.
    pub(super) fn predict(&self, places: &[u32], extra: &mut impl Observer) -> Result<Prediction, Halted> {
        Prediction::new(self.program, &self.case(places), None, extra)
    }
}

impl Trial {
    /// The share of the time in which a processor works.
    pub fn utilisation(&self, processor: usize) -> f64 {
        if self.time == Time::ZERO { 0.0 } else { self.busy[processor].as_secs() / self.time.as_secs() }
    }

    /// The processor that works least, and the first of those that work most; none without processors.
    pub fn extremes(&self) -> Option<(usize, usize)> {
        let by = |&processor: &usize| (self.busy[processor], processor);
        let least = (0..self.busy.len()).min_by_key(by)?;
        let most = (0..self.busy.len()).rev().max_by_key(|&processor| self.busy[processor])?;
        Some((least, most))
    }

    /// The mean utilisation of all processors.
    pub fn mean_utilisation(&self) -> f64 {
        let sum: f64 = (0..self.busy.len()).map(|processor| self.utilisation(processor)).sum();
        sum / self.busy.len() as f64
    }

    /// Is it faster; or as fast, and work is spread more evenly?
    pub fn is_better_than(&self, other: &Self) -> bool {
        (self.time, self.unevenness()) < (other.time, other.unevenness())
    }

    /// The sum of the squares of what processors work: the smaller the more even.
    fn unevenness(&self) -> u128 {
        let square = |time: &Time| u128::from(time.as_picos()).pow(2) >> 20;
        self.busy.iter().map(square).sum()
    }
}
