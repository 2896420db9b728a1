//! A machine made ready for a program.

use panto_machine::{Machine, Map, Model as MachineModel};
use panto_sim::{Model, Noise, Pace, Setting};

use crate::error::Error;
use crate::mapping::Mapping;
use crate::speeds::Speeds;

/// What a user may ask for, beside the machine.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// So many processors; without it as many as the machine has or can have.
    pub processors: Option<usize>,
    /// Which rank runs where.
    pub mapping: Mapping,
    /// How fast processors compute.
    pub speeds: Speeds,
    /// How messages get in each other's way; as the machine says if none.
    pub network: Option<Model>,
}

impl Wish {
    /// How messages get in each other's way on a machine.
    pub(crate) fn network_of(&self, machine: &Machine) -> Model {
        self.network.unwrap_or(if machine.traffic { Model::Traffic } else { Model::Fast })
    }
}

/// A machine made ready for so many ranks.
#[derive(Debug, Clone)]
pub struct Case {
    /// The machine, with the map of ranks to processors.
    pub machine: Machine,
    /// How messages get in each other's way.
    pub network: Model,
    /// How fast each rank computes; one for all if it is the same.
    pub paces: Vec<Pace>,
    /// The processor of each rank.
    pub places: Vec<u32>,
    /// What was done to make it fit.
    pub notes: Vec<String>,
}

impl Case {
    /// A machine for so many ranks, as the user wants it. Where there are more ranks than processors, they share them in turns (P13).
    pub fn new(model: MachineModel, ranks: usize, wish: &Wish) -> Result<Self, Error> {
        let mut notes = Vec::new();
        let mut machine = sized(model, ranks, wish, &mut notes)?;
        let processors = wish.processors.unwrap_or_else(|| machine.network.processors());
        let mapping = match (&wish.mapping, wish.processors) {
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
        wish.speeds.check(machine.processor.speed)?;
        Ok(Self {
            paces: wish.speeds.paces(machine.processor.speed, &places),
            network: wish.network_of(&machine),
            machine,
            places,
            notes,
        })
    }

    /// How a program is run on it.
    pub fn setting<'a>(&'a self, noise: Option<&'a dyn Noise>) -> Setting<'a> {
        Setting { machine: &self.machine, model: self.network, paces: &self.paces, noise }
    }

    /// How many processors have ranks.
    pub fn processors_used(&self) -> usize {
        let mut places = self.places.clone();
        places.sort_unstable();
        places.dedup();
        places.len()
    }
}

/// The machine with enough processors, if it can have them.
pub(crate) fn sized(
    model: MachineModel,
    ranks: usize,
    wish: &Wish,
    notes: &mut Vec<String>,
) -> Result<Machine, Error> {
    if let Some(wanted) = wish.processors {
        if wanted == 0 {
            return Err(Error::new("no program runs on 0 processors"));
        }
        let has = model.machine().processors();
        if wanted > has && !model.is_builtin() {
            return Err(Error::new(format!(
                "{} has {has} processors, and {wanted} were asked for: take a larger topology, such as by --set",
                model.machine().name
            )));
        }
        if wanted > has {
            notes.push(format!("{} with {wanted} processors instead of {has}", model.machine().name));
        }
        return Ok(model.with_processors(wanted)?.into_machine());
    }
    let must_share = |model: &MachineModel| {
        wish.mapping != Mapping::Machine || (!model.is_builtin() && ranks > model.machine().processors())
    };
    if must_share(&model) {
        return Ok(model.into_machine());
    }
    let (machine, grown) = model.for_ranks(ranks)?;
    notes.extend(grown);
    Ok(machine)
}

/// Puts ranks on these processors, on all networks. A network with a map of its own has other numbers for the same processors.
pub(crate) fn place(machine: &mut Machine, places: &[u32]) {
    let main = machine.network.map.clone();
    let names = |own: &Map| -> Vec<u32> {
        let (Map::List(main), Map::List(own)) = (&main, own) else { return places.to_vec() };
        let renamed = |place: &u32| {
            let at = main.iter().position(|known| known == place);
            at.and_then(|at| own.get(at)).copied().unwrap_or(*place)
        };
        places.iter().map(renamed).collect()
    };
    for network in machine.networks.values_mut() {
        network.map = Map::List(names(&network.map));
    }
    machine.network.map = Map::List(places.to_vec());
}

fn places(machine: &Machine, ranks: usize) -> Vec<u32> {
    let processors = machine.network.processors();
    (0..ranks).map(|rank| machine.network.map.processor(rank, processors)).collect()
}

/// The most ranks on one processor, and which.
fn most_on_one(places: &[u32]) -> Option<(usize, u32)> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    groups.map(|group| (group.len(), group[0])).max_by_key(|(count, on)| (*count, std::cmp::Reverse(*on)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(machine: &str, ranks: usize, wish: &Wish) -> Case {
        Case::new(MachineModel::load(machine, &[]).unwrap(), ranks, wish).unwrap()
    }

    #[test]
    fn builtins_grow() {
        let case = case("infiniband", 1000, &Wish::default());
        assert!(case.machine.processors() >= 1000);
        assert_eq!((case.processors_used(), case.notes.len()), (1000, 1));
    }

    #[test]
    fn a_hundred_ranks_on_nine_processors() {
        let case = case("ethernet10", 100, &Wish { processors: Some(9), ..Wish::default() });
        assert_eq!((case.processors_used(), case.machine.multitasking), (9, true));
        assert_eq!(case.places[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
        let shares = "ranks share processors in turns: up to 12 on one (processor 0)";
        assert_eq!(case.notes.last().map(String::as_str), Some(shares));
    }

    #[test]
    fn a_map_outside_of_the_processors_is_refused() {
        let wish = Wish { processors: Some(2), mapping: Mapping::List(vec![0, 5]), ..Wish::default() };
        let error = Case::new(MachineModel::load("ethernet10", &[]).unwrap(), 2, &wish).unwrap_err();
        assert!(error.to_string().contains("rank 1 on processor 5"), "{error}");
    }
}
