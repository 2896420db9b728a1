//! The parameters of a sweep, and a setting of them.

use panto_machine::Model;
use panto_sim::Sharing;

use crate::case::{Case, CaseOptions, Traced};
use crate::error::{Error, SweepError};
use crate::mapping::Mapping;
use crate::noise::Disturbance;
use crate::speeds::Speeds;

/// A parameter that a sweep varies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// A built-in machine or a model file.
    Machine,
    /// A parameter of the model, as `--set` names it.
    Figure(String),
    /// The number of processors.
    Processors,
    /// The mapping of ranks to processors.
    Map,
    /// The speed of processors.
    Speed,
    /// The rules that choose algorithms of collectives.
    Rules,
    /// What messages share.
    Sharing,
    /// The noise of the operating system.
    Noise,
}

impl Parameter {
    /// Returns the name, as in headings and JSON.
    pub fn name(&self) -> &str {
        match self {
            Self::Machine => "machine",
            Self::Figure(key) => key,
            Self::Processors => "processors",
            Self::Map => "map",
            Self::Speed => "speed",
            Self::Rules => "rules",
            Self::Sharing => "sharing",
            Self::Noise => "noise",
        }
    }
}

impl From<&str> for Parameter {
    /// Returns the parameter with a [`name`](Self::name).
    fn from(name: &str) -> Self {
        let plain = [
            Self::Machine,
            Self::Processors,
            Self::Map,
            Self::Speed,
            Self::Rules,
            Self::Sharing,
            Self::Noise,
        ];
        plain.into_iter().find(|one| one.name() == name).unwrap_or_else(|| Self::Figure(name.to_owned()))
    }
}

/// The value of [`Parameter::Noise`] for no noise.
pub const NO_NOISE: &str = "none";

/// One setting of a sweep: values of some parameters; the others have their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Variant {
    choices: Vec<(Parameter, String)>,
}

impl Variant {
    /// Returns a setting with these values.
    pub fn new(choices: impl IntoIterator<Item = (Parameter, String)>) -> Self {
        Self { choices: choices.into_iter().collect() }
    }

    /// Returns the parameters and values, in the order of the axes.
    pub fn choices(&self) -> &[(Parameter, String)] {
        &self.choices
    }

    /// Returns the value of a parameter.
    pub fn get(&self, parameter: &Parameter) -> Option<&str> {
        self.choices.iter().find(|(known, _)| known == parameter).map(|(_, value)| value.as_str())
    }

    /// Returns both settings together; fails if both have the same parameter.
    pub fn joined(&self, other: &Self) -> Result<Self, Error> {
        if let Some((parameter, _)) =
            other.choices.iter().find(|(parameter, _)| self.get(parameter).is_some())
        {
            return Err(SweepError::Repeated(parameter.name().to_owned()).into());
        }
        Ok(Self::new(self.choices.iter().chain(&other.choices).cloned()))
    }

    /// Returns the setting as text: `machine infiniband, link.latency 2us`.
    pub fn in_words(&self) -> String {
        let words: Vec<String> =
            self.choices.iter().map(|(parameter, value)| format!("{} {value}", parameter.name())).collect();
        words.join(", ")
    }

    /// Returns the machine, made ready for a program.
    pub fn case(&self, traced: impl Into<Traced>) -> Result<Case, Error> {
        Case::new(self.model()?, traced, &self.options()?)
    }

    /// Returns the model with the values of this setting.
    pub(super) fn model(&self) -> Result<Model, Error> {
        let name = self.get(&Parameter::Machine).ok_or(SweepError::NoMachine)?;
        Ok(Model::load(name, &self.overrides())?)
    }

    /// Returns the setting with further values of model parameters, written `KEY=VALUE`.
    pub(super) fn with(&self, sets: &[String]) -> Self {
        let split = |set: &String| {
            let (key, value) = set.split_once('=')?;
            Some((Parameter::Figure(key.to_owned()), value.to_owned()))
        };
        Self::new(self.choices.iter().cloned().chain(sets.iter().filter_map(split)))
    }

    fn overrides(&self) -> Vec<String> {
        let set = |(parameter, value): &(Parameter, String)| match parameter {
            Parameter::Figure(key) => Some(format!("{key}={value}")),
            Parameter::Rules => Some(format!("collectives.rules={value}")),
            _ => None,
        };
        self.choices.iter().filter_map(set).collect()
    }

    fn options(&self) -> Result<CaseOptions, Error> {
        let get = |parameter| self.get(&parameter);
        Ok(CaseOptions {
            processors: get(Parameter::Processors).map(processors).transpose()?,
            mapping: get(Parameter::Map).map(Mapping::parse).transpose()?.unwrap_or_default(),
            speeds: get(Parameter::Speed).map(Speeds::parse).transpose()?.unwrap_or_default().certain()?,
            sharing: get(Parameter::Sharing).map(sharing).transpose()?,
        })
    }

    /// Returns the noise, if any.
    pub fn noise(&self, seed: u64) -> Result<Option<Disturbance>, Error> {
        let noise = self.get(&Parameter::Noise).filter(|value| *value != NO_NOISE);
        noise.map(|text| Disturbance::parse(text, seed)).transpose()
    }
}

fn processors(text: &str) -> Result<usize, Error> {
    text.parse().map_err(|_| SweepError::Processors(text.to_owned()).into())
}

fn sharing(text: &str) -> Result<Sharing, Error> {
    text.parse().map_err(|error| SweepError::Sharing(error).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(choices: &[(Parameter, &str)]) -> Variant {
        Variant::new(choices.iter().map(|(parameter, value)| (parameter.clone(), (*value).to_owned())))
    }

    #[test]
    fn a_setting_makes_a_case() {
        let latency = Parameter::Figure("link.latency".into());
        let variant = variant(&[
            (Parameter::Machine, "infiniband"),
            (latency, "7us"),
            (Parameter::Processors, "2"),
            (Parameter::Map, "block"),
            (Parameter::Rules, "puppet"),
            (Parameter::Sharing, "links"),
        ]);
        let case = variant.case(4).unwrap();
        assert_eq!((case.places.as_slice(), case.sharing), ([0, 0, 1, 1].as_slice(), Sharing::Links));
        assert_eq!(case.machine.collectives.rules.to_string(), "puppet");
        assert!(variant.in_words().starts_with("machine infiniband, link.latency 7us, processors 2"));
    }

    #[test]
    fn messages_share_endpoints_by_default() {
        assert_eq!(
            variant(&[(Parameter::Machine, "infiniband")]).case(2).unwrap().sharing,
            Sharing::Endpoints
        );
    }

    #[test]
    fn errors_name_the_problem() {
        for (parameter, value, says) in [
            (Parameter::Processors, "many", "not a number of processors"),
            (Parameter::Sharing, "some", "none, endpoints or links"),
            (Parameter::Map, "0,x", "expected `wrap`"),
            (Parameter::Figure("link.latncy".into()), "1us", "link.latncy"),
        ] {
            let error =
                variant(&[(Parameter::Machine, "infiniband"), (parameter, value)]).case(2).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
        let error = Variant::default().case(2).unwrap_err().to_string();
        assert!(error.contains("--machine"), "{error}");
        assert!(variant(&[(Parameter::Noise, "loud")]).noise(0).is_err());
        assert_eq!(variant(&[(Parameter::Noise, NO_NOISE)]).noise(0).unwrap(), None);
    }

    #[test]
    fn a_parameter_has_one_value() {
        let (a, b) = (variant(&[(Parameter::Map, "wrap")]), variant(&[(Parameter::Map, "block")]));
        assert!(a.joined(&b).unwrap_err().to_string().contains("`map` is given twice"));
        assert_eq!(a.joined(&Variant::default()).unwrap(), a);
    }
}
