//! How fast processors compute, compared with where the program was traced (P13).

use std::path::Path;

use panto_sim::Pace;

use crate::error::Error;

/// How many times faster than where it was traced.
#[derive(Debug, Clone, PartialEq)]
pub enum Speeds {
    /// All processors the same.
    Same(f64),
    /// One for each processor, from the first on; what follows is as the last.
    Each(Vec<f64>),
}

/// What can be simulated.
const LEAST: f64 = 1e-8;
const MOST: f64 = 1e8;

impl Default for Speeds {
    fn default() -> Self {
        Self::Same(1.0)
    }
}

impl Speeds {
    /// From the words of the command line: `2.3`, a list such as `1,1,0.5`, or a file with one number for each processor.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if Path::new(text).is_file() {
            let words =
                std::fs::read_to_string(text).map_err(|error| Error::read(Path::new(text), &error))?;
            let lines = words.lines().filter(|line| !line.trim_start().starts_with('#'));
            return Self::from_words(lines.flat_map(|line| line.split([',', ' ', '\t'])), text);
        }
        Self::from_words(text.split(','), text)
    }

    fn from_words<'a>(words: impl Iterator<Item = &'a str>, text: &str) -> Result<Self, Error> {
        let words = words.map(str::trim).filter(|word| !word.is_empty());
        let speeds = words.map(|word| speed(word, text)).collect::<Result<Vec<f64>, Error>>()?;
        match speeds.as_slice() {
            [] => Err(Error::new(format!("no speed in `{text}`: give a number such as 2.3"))),
            [one] => Ok(Self::Same(*one)),
            _ => Ok(Self::Each(speeds)),
        }
    }

    /// Can they be, on processors that are `machine` times faster already?
    pub fn check(&self, machine: f64) -> Result<(), Error> {
        let speeds = match self {
            Self::Same(speed) => std::slice::from_ref(speed),
            Self::Each(speeds) => speeds,
        };
        match speeds.iter().map(|speed| speed * machine).find(|speed| !(LEAST..=MOST).contains(speed)) {
            None => Ok(()),
            Some(speed) => Err(Error::new(format!(
                "a processor that is {speed} times as fast as where the program was traced: --speed times processor.speed of \
                 the model must be from {LEAST:e} to {MOST:e}"
            ))),
        }
    }

    /// The pace of each rank: one for all if it is the same; on processors that are `machine` times faster already.
    pub fn paces(&self, machine: f64, places: &[u32]) -> Vec<Pace> {
        let pace = |speed: f64| Pace::faster((speed * machine).clamp(LEAST, MOST)).unwrap_or(Pace::SAME);
        match self {
            Self::Same(speed) => vec![pace(*speed)],
            Self::Each(speeds) => {
                let of = |place: &u32| speeds[(*place as usize).min(speeds.len() - 1)];
                places.iter().map(|place| pace(of(place))).collect()
            }
        }
    }
}

fn speed(word: &str, text: &str) -> Result<f64, Error> {
    let speed = word.parse().ok().filter(|speed: &f64| *speed >= 1e-6 && *speed <= 1e6);
    speed.ok_or_else(|| {
        Error::new(format!(
            "the speed `{word}` in `{text}` is no number from 0.000001 to 1000000: 2 computes twice as fast as where \
             the program was traced"
        ))
    })
}

#[cfg(test)]
mod tests {
    use panto_units::Time;

    use super::*;

    #[test]
    fn processors_have_speeds() {
        let second = Time::from_nanos(1_000_000_000);
        let paces = Speeds::parse("1,2,0.5").unwrap().paces(1.0, &[2, 0, 1, 9]);
        let times: Vec<f64> = paces.iter().map(|pace| pace.of(second).as_secs()).collect();
        assert_eq!(times, [2.0, 1.0, 0.5, 2.0]);
        assert_eq!(
            Speeds::parse("2").unwrap().paces(2.0, &[0, 1])[0].of(second),
            Time::from_nanos(250_000_000)
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for text in ["0", "-1", "fast", "", "1,,x", "nan", "inf"] {
            assert!(Speeds::parse(text).is_err(), "{text}");
        }
    }
}
