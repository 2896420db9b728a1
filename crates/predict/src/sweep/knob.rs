//! What a sweep varies.

use panto_machine::Model as MachineModel;
use panto_sim::Model;

use crate::case::{Case, Wish};
use crate::error::Error;
use crate::mapping::Mapping;
use crate::noise::Disturbance;
use crate::speeds::Speeds;

/// Something that a sweep varies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Knob {
    /// A built-in machine or a model file.
    Machine,
    /// A figure of the model, as `--set` names it.
    Figure(String),
    /// How many processors.
    Processors,
    /// Which rank runs where.
    Map,
    /// How fast processors compute.
    Speed,
    /// What chooses the algorithms of collectives.
    Rules,
    /// What messages do that meet.
    Network,
    /// What disturbs computation.
    Noise,
}

impl Knob {
    /// As columns are called.
    pub fn name(&self) -> &str {
        match self {
            Self::Machine => "machine",
            Self::Figure(key) => key,
            Self::Processors => "processors",
            Self::Map => "map",
            Self::Speed => "speed",
            Self::Rules => "rules",
            Self::Network => "network",
            Self::Noise => "noise",
        }
    }
}

/// No noise, as an axis says it.
pub const QUIET: &str = "none";

/// One setting of a sweep: a value for some knobs; the others are as they are by default.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Variant {
    choices: Vec<(Knob, String)>,
}

impl Variant {
    /// These values.
    pub fn new(choices: impl IntoIterator<Item = (Knob, String)>) -> Self {
        Self { choices: choices.into_iter().collect() }
    }

    /// What was chosen, in the order of the axes.
    pub fn choices(&self) -> &[(Knob, String)] {
        &self.choices
    }

    /// What was chosen for a knob.
    pub fn get(&self, knob: &Knob) -> Option<&str> {
        self.choices.iter().find(|(known, _)| known == knob).map(|(_, value)| value.as_str())
    }

    /// Both together; an error if both choose the same knob.
    pub fn joined(&self, other: &Self) -> Result<Self, Error> {
        if let Some((knob, _)) = other.choices.iter().find(|(knob, _)| self.get(knob).is_some()) {
            return Err(Error::new(format!("`{}` is given twice: say it in one place", knob.name())));
        }
        Ok(Self::new(self.choices.iter().chain(&other.choices).cloned()))
    }

    /// In a line: `machine infiniband, link.latency 2us`.
    pub fn in_words(&self) -> String {
        let words: Vec<String> =
            self.choices.iter().map(|(knob, value)| format!("{} {value}", knob.name())).collect();
        words.join(", ")
    }

    /// The machine, made ready for so many ranks.
    pub fn case(&self, ranks: usize) -> Result<Case, Error> {
        let name = self.get(&Knob::Machine).ok_or_else(|| {
            Error::new("no machine is named; give one or several: --machine infiniband,my.toml")
        })?;
        Case::new(MachineModel::load(name, &self.overrides())?, ranks, &self.wish()?)
    }

    fn overrides(&self) -> Vec<String> {
        let set = |(knob, value): &(Knob, String)| match knob {
            Knob::Figure(key) => Some(format!("{key}={value}")),
            Knob::Rules => Some(format!("collectives.rules={value}")),
            _ => None,
        };
        self.choices.iter().filter_map(set).collect()
    }

    fn wish(&self) -> Result<Wish, Error> {
        let get = |knob| self.get(&knob);
        Ok(Wish {
            processors: get(Knob::Processors).map(processors).transpose()?,
            mapping: get(Knob::Map).map(Mapping::parse).transpose()?.unwrap_or_default(),
            speeds: get(Knob::Speed).map(Speeds::parse).transpose()?.unwrap_or_default().certain()?,
            network: get(Knob::Network).map(network).transpose()?,
        })
    }

    /// What disturbs computation, if anything.
    pub fn noise(&self, seed: u64) -> Result<Option<Disturbance>, Error> {
        let loud = self.get(&Knob::Noise).filter(|noise| *noise != QUIET);
        loud.map(|noise| Disturbance::parse(noise, seed)).transpose()
    }
}

fn processors(text: &str) -> Result<usize, Error> {
    text.parse().map_err(|_| Error::new(format!("`{text}` is not a number of processors such as 16")))
}

fn network(text: &str) -> Result<Model, Error> {
    match text {
        "fast" => Ok(Model::Fast),
        "traffic" => Ok(Model::Traffic),
        _ => Err(Error::new(format!("the network `{text}` is neither `fast` nor `traffic`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(choices: &[(Knob, &str)]) -> Variant {
        Variant::new(choices.iter().map(|(knob, value)| (knob.clone(), (*value).to_owned())))
    }

    #[test]
    fn choices_make_a_case() {
        let latency = Knob::Figure("link.latency".into());
        let variant = variant(&[
            (Knob::Machine, "infiniband"),
            (latency, "7us"),
            (Knob::Processors, "2"),
            (Knob::Map, "block"),
            (Knob::Rules, "puppet"),
            (Knob::Network, "traffic"),
        ]);
        let case = variant.case(4).unwrap();
        assert_eq!((case.places.as_slice(), case.network), ([0, 0, 1, 1].as_slice(), Model::Traffic));
        assert_eq!(case.machine.collectives.rules.to_string(), "puppet");
        assert!(variant.in_words().starts_with("machine infiniband, link.latency 7us, processors 2"));
    }

    #[test]
    fn messages_do_not_meet_unless_somebody_asks() {
        assert_eq!(variant(&[(Knob::Machine, "infiniband")]).case(2).unwrap().network, Model::Fast);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (knob, value, says) in [
            (Knob::Processors, "many", "not a number of processors"),
            (Knob::Network, "slow", "neither `fast` nor `traffic`"),
            (Knob::Map, "0,x", "neither `wrap`"),
            (Knob::Figure("link.latncy".into()), "1us", "link.latncy"),
        ] {
            let error = variant(&[(Knob::Machine, "infiniband"), (knob, value)]).case(2).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
        let error = Variant::default().case(2).unwrap_err().to_string();
        assert!(error.contains("--machine"), "{error}");
        assert!(variant(&[(Knob::Noise, "loud")]).noise(0).is_err());
        assert_eq!(variant(&[(Knob::Noise, QUIET)]).noise(0).unwrap(), None);
    }

    #[test]
    fn a_knob_has_one_value() {
        let (a, b) = (variant(&[(Knob::Map, "wrap")]), variant(&[(Knob::Map, "block")]));
        assert!(a.joined(&b).unwrap_err().to_string().contains("`map` is given twice"));
        assert_eq!(a.joined(&Variant::default()).unwrap(), a);
    }
}
