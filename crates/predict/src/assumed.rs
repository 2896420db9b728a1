//! How much of a predicted time rests on figures of the machine that no document has.
//!
//! The program is simulated a second time on a machine whose assumed times are zero and whose
//! assumed rates are unlimited. What the first run takes longer is what the assumed figures
//! contribute, with everything that they delay. It is an upper bound of the error that they can
//! cause by being too large; a figure that is too small by a factor adds that factor of it.

use panto_machine::Model;
use panto_units::{Time, percent, time};

/// The assumed figures of a machine, and the time without their cost.
#[derive(Debug, Clone, PartialEq)]
pub struct AssumedFigures {
    /// The keys of the assumed times and rates.
    pub keys: Vec<String>,
    /// The keys of other assumed figures, such as a topology or an eager limit, which have no cost
    /// that could be removed.
    pub structure: Vec<String>,
    /// The predicted time if assumed times and rates cost nothing.
    pub time_without: Time,
}

impl AssumedFigures {
    /// Finds the assumed figures of a model; `time` predicts the time with these overrides of it.
    /// Returns `None` if no figure is assumed.
    pub fn find<E>(
        model: &Model,
        time: impl FnOnce(&[String]) -> Result<Time, E>,
    ) -> Result<Option<Self>, E> {
        let (keys, sets): (Vec<String>, Vec<String>) = model.free_of_assumed().into_iter().unzip();
        let is_other = |key: &String| !keys.contains(key);
        let assumed = model.figures().into_iter().filter(|figure| figure.assumed);
        let structure: Vec<String> = assumed.map(|figure| figure.key).filter(is_other).collect();
        if keys.is_empty() && structure.is_empty() {
            return Ok(None);
        }
        let time_without = time(&sets)?;
        Ok(Some(Self { keys, structure, time_without }))
    }

    /// Returns the share of a predicted time that rests on assumed times and rates.
    pub fn share(&self, predicted: Time) -> f64 {
        if predicted == Time::ZERO {
            return 0.0;
        }
        (1.0 - self.time_without.as_secs() / predicted.as_secs()).max(0.0)
    }

    /// Returns the figures and their share of a predicted time as a sentence.
    pub fn describe(&self, predicted: Time) -> String {
        let structure = match self.structure.len() {
            0 => String::new(),
            _ => format!("; assumed without a cost of their own: {}", self.structure.join(", ")),
        };
        if self.keys.is_empty() {
            return format!("no time rests on assumed figures of the machine{structure}");
        }
        format!(
            "{} of the time rests on assumed figures of the machine: {} ({} if they cost nothing){structure}",
            percent(100.0 * self.share(predicted)),
            self.keys.join(", "),
            time(self.time_without.as_secs())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "assumed = [\"network.hop\", \"network.topology\"]
[network]
topology = \"star\"
processors = 4
switching = \"flow\"
hop = \"1us\"
link = \"1GB/s\"
";

    #[test]
    fn the_share_is_what_the_figures_add() {
        let model = Model::parse(MODEL, "m.toml", &[]).unwrap();
        let found = AssumedFigures::find(&model, |sets| {
            assert_eq!(sets, ["network.hop=0us"]);
            Ok::<_, ()>(Time::from_nanos(75))
        });
        let found = found.unwrap().unwrap();
        let whole = Time::from_nanos(100);
        assert!((found.share(whole) - 0.25).abs() < 1e-12);
        assert_eq!(
            found.describe(whole),
            "25.0% of the time rests on assumed figures of the machine: network.hop (75.0ns if they cost \
             nothing); assumed without a cost of their own: network.topology"
        );
        assert!(found.share(Time::ZERO).abs() < 1e-12);
    }

    #[test]
    fn a_model_without_assumed_figures_is_not_simulated_again() {
        let exact = MODEL.replacen("assumed = [\"network.hop\", \"network.topology\"]", "", 1);
        let model = Model::parse(&exact, "m.toml", &[]).unwrap();
        assert_eq!(AssumedFigures::find(&model, |_| Err("simulated")), Ok(None));
    }
}
