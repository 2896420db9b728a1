//! A machine made ready for a program: sized, with ranks mapped to processors.

use panto_machine::{Machine, Model, RankMap};
use panto_sim::{ComputeScale, Noise, RunConfig, Sharing};
use panto_trace::Trace;
use panto_units::{Time, significant, time};

use crate::error::Error;
use crate::mapping::Mapping;
use crate::speeds::{SpeedOrigin, Speeds};

/// What a machine is made ready for: a program that was traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traced {
    /// The number of ranks.
    pub ranks: usize,
    /// The time of an element of a DAXPY on the traced computer, if it is known.
    pub daxpy: Option<Time>,
}

impl From<&Trace> for Traced {
    fn from(trace: &Trace) -> Self {
        Self { ranks: trace.size() as usize, daxpy: trace.daxpy_picoseconds().map(Time::from_picos) }
    }
}

impl From<usize> for Traced {
    fn from(ranks: usize) -> Self {
        Self { ranks, daxpy: None }
    }
}

/// The computer of a trace, in sentences.
pub const TRACED_COMPUTER: &str = "the traced computer";

/// How a program runs on a machine; defaults leave the choice to the machine.
#[derive(Debug, Clone, Default)]
pub struct CaseOptions {
    /// The number of processors; `None` for as many as the machine has, or one per rank if it can
    /// grow.
    pub processors: Option<usize>,
    /// The mapping of ranks to processors.
    pub mapping: Mapping,
    /// The speeds of processors.
    pub speeds: Speeds,
    /// What messages share; `None` for what the machine says.
    pub sharing: Option<Sharing>,
}

impl CaseOptions {
    /// Returns what messages share on a machine.
    pub(crate) fn sharing_on(&self, machine: &Machine) -> Sharing {
        self.sharing.unwrap_or(machine.sharing)
    }
}

/// A machine made ready for the ranks of a program.
#[derive(Debug, Clone)]
pub struct Case {
    /// The machine, with the mapping of ranks to processors.
    pub machine: Machine,
    /// What messages share.
    pub sharing: Sharing,
    /// The speed of each rank; a single element if all are equal.
    pub compute_scales: Vec<ComputeScale>,
    /// Where the speed comes from.
    pub speed_origin: SpeedOrigin,
    /// The processor of each rank.
    pub places: Vec<u32>,
    /// What was changed to make the machine fit, for the user.
    pub notes: Vec<String>,
}

impl Case {
    /// Makes a machine ready for a program. If ranks outnumber processors, they share them in turns
    /// (P13).
    pub fn new(model: Model, traced: impl Into<Traced>, options: &CaseOptions) -> Result<Self, Error> {
        let Traced { ranks, daxpy } = traced.into();
        let mut notes = Vec::new();
        let mut machine = sized(model, ranks, options, &mut notes)?;
        let processors = options.processors.unwrap_or_else(|| machine.network.processors());
        let mapping = match (&options.mapping, options.processors) {
            (Mapping::Machine, Some(_)) => &Mapping::Wrap,
            (mapping, _) => mapping,
        };
        if let Some(places) = mapping.places(ranks, processors)? {
            place(&mut machine, &places);
        }
        let places = places(&machine, ranks);
        if let Some((most, on)) = most_on_one(&places).filter(|(most, _)| *most > 1) {
            machine.multitasking = true;
            notes.push(format!("ranks share processors in turns: up to {most} on one (processor {on})"));
        }
        if let Some(wanted) = options.processors.filter(|&wanted| wanted > ranks) {
            notes.push(format!(
                "{} of {wanted} processors have no rank: the program has {ranks} ranks, and more processors change nothing",
                wanted - ranks
            ));
        }
        options.speeds.check(&machine.processor, daxpy)?;
        Ok(Self {
            compute_scales: options.speeds.compute_scales(&machine.processor, daxpy, &places),
            speed_origin: options.speeds.origin(&machine.processor, daxpy),
            sharing: options.sharing_on(&machine),
            machine,
            places,
            notes,
        })
    }

    /// Returns the configuration of the simulator.
    pub fn run_config<'a>(&'a self, noise: Option<&'a dyn Noise>) -> RunConfig<'a> {
        // The simulator has a shorter path for computation that takes as long as in the trace.
        let is_unscaled = self.compute_scales.iter().all(|scale| *scale == ComputeScale::ONE);
        let compute_scales = if is_unscaled { &[] } else { self.compute_scales.as_slice() };
        RunConfig { machine: &self.machine, sharing: self.sharing, compute_scales, noise }
    }

    /// Returns how fast an old machine computes compared with `computer`, on which the program's
    /// computation was measured; `None` for speeds that are stated.
    pub fn old_speed(&self, computer: &str) -> Option<String> {
        let name = &self.machine.name;
        match self.speed_origin {
            SpeedOrigin::Stated => None,
            SpeedOrigin::Unknown => Some(format!(
                "computation takes as long as on {computer}, although {name} is slower: the speed of {computer} is not in \
                 the trace (trace again, or give --speed)"
            )),
            SpeedOrigin::Daxpy { traced, machine } => Some(format!(
                "computation is {} times as fast as on {computer}: an element of a DAXPY takes {} there and {} on {name} \
                 (--speed changes that)",
                significant(self.compute_scales.first().map_or(1.0, |scale| scale.speed()), 3),
                time(traced.as_secs()),
                time(machine.as_secs()),
            )),
        }
    }

    /// Returns the number of processors that have ranks.
    pub fn processors_used(&self) -> usize {
        let mut places = self.places.clone();
        places.sort_unstable();
        places.dedup();
        places.len()
    }
}

/// Returns the machine with enough processors for the ranks, if it can grow.
pub(crate) fn sized(
    model: Model,
    ranks: usize,
    options: &CaseOptions,
    notes: &mut Vec<String>,
) -> Result<Machine, Error> {
    if let Some(wanted) = options.processors {
        if wanted == 0 {
            return Err(Error::NoProcessors);
        }
        let has = model.machine().processors();
        if wanted > has && !model.is_builtin() {
            return Err(Error::TooFewProcessors {
                machine: model.machine().name.clone(),
                available: has,
                requested: wanted,
            });
        }
        if wanted > has {
            notes.push(format!("{} with {wanted} processors instead of {has}", model.machine().name));
        }
        return Ok(model.with_processors(wanted)?.into_machine());
    }
    let must_share = |model: &Model| {
        options.mapping != Mapping::Machine || (!model.is_builtin() && ranks > model.machine().processors())
    };
    if must_share(&model) {
        return Ok(model.into_machine());
    }
    let (machine, grown) = model.for_ranks(ranks)?;
    notes.extend(grown);
    Ok(machine)
}

/// Maps ranks to processors on all networks of a machine. A network with a map of its own has other
/// numbers for the same processors.
pub(crate) fn place(machine: &mut Machine, places: &[u32]) {
    let main = machine.network.map.clone();
    let names = |own: &RankMap| -> Vec<u32> {
        let (RankMap::List(main), RankMap::List(own)) = (&main, own) else { return places.to_vec() };
        let renamed = |place: &u32| {
            let at = main.iter().position(|known| known == place);
            at.and_then(|at| own.get(at)).copied().unwrap_or(*place)
        };
        places.iter().map(renamed).collect()
    };
    for network in machine.networks.values_mut() {
        network.map = RankMap::List(names(&network.map));
    }
    machine.network.map = RankMap::List(places.to_vec());
}

fn places(machine: &Machine, ranks: usize) -> Vec<u32> {
    let processors = machine.network.processors();
    (0..ranks).map(|rank| machine.network.map.processor(rank, processors)).collect()
}

/// Returns the largest number of ranks on one processor, and that processor.
fn most_on_one(places: &[u32]) -> Option<(usize, u32)> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    groups.map(|group| (group.len(), group[0])).max_by_key(|(count, on)| (*count, std::cmp::Reverse(*on)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(machine: &str, ranks: usize, options: &CaseOptions) -> Case {
        Case::new(Model::load(machine, &[]).unwrap(), ranks, options).unwrap()
    }

    #[test]
    fn built_in_machines_grow() {
        let case = case("infiniband", 1000, &CaseOptions::default());
        assert!(case.machine.processors() >= 1000);
        assert_eq!((case.processors_used(), case.notes.len()), (1000, 1));
    }

    #[test]
    fn a_hundred_ranks_on_nine_processors() {
        let case = case("ethernet10", 100, &CaseOptions { processors: Some(9), ..CaseOptions::default() });
        assert_eq!((case.processors_used(), case.machine.multitasking), (9, true));
        assert_eq!(case.places[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
        let shares = "ranks share processors in turns: up to 12 on one (processor 0)";
        assert_eq!(case.notes.last().map(String::as_str), Some(shares));
    }

    #[test]
    fn a_map_beyond_the_processors_is_rejected() {
        let options =
            CaseOptions { processors: Some(2), mapping: Mapping::List(vec![0, 5]), ..CaseOptions::default() };
        let error = Case::new(Model::load("ethernet10", &[]).unwrap(), 2, &options).unwrap_err();
        assert!(error.to_string().contains("rank 1 on processor 5"), "{error}");
    }
}
