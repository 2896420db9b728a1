//! How fast processors compute, compared with where the program was traced (P13).

use std::path::Path;

use panto_sim::Pace;

use crate::error::Error;
use crate::sample::Figure;

/// How many times faster than where it was traced.
#[derive(Debug, Clone, PartialEq)]
pub enum Speeds {
    /// All processors the same.
    Same(Speed),
    /// One for each processor, from the first on; what follows is as the last.
    Each(Vec<Speed>),
}

/// Of a processor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    factor: f64,
    /// Where it is with 95 % certainty, if it is not known better.
    between: Option<(f64, f64)>,
}

/// What can be simulated.
const LEAST: f64 = 1e-8;
const MOST: f64 = 1e8;

impl Default for Speeds {
    fn default() -> Self {
        Self::Same(Speed { factor: 1.0, between: None })
    }
}

impl Speeds {
    /// From the words of the command line: `2.3`, `1.8..2.2` if it is not known better, a list such as `1,1,0.5`, or a file with one for each
    /// processor.
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
        let speeds = words.map(|word| speed(word, text)).collect::<Result<Vec<Speed>, Error>>()?;
        match speeds.as_slice() {
            [] => Err(Error::new(format!("no speed in `{text}`: give a number such as 2.3"))),
            [one] => Ok(Self::Same(*one)),
            _ => Ok(Self::Each(speeds)),
        }
    }

    /// The same if all are known; who does not draw them can do nothing with an interval.
    pub fn certain(self) -> Result<Self, Error> {
        match self.figures().first() {
            None => Ok(self),
            Some(Figure { written, .. }) => Err(Error::new(format!(
                "the speed `{written}` is an interval: `panto simulate --samples 500` draws from it; elsewhere give a number"
            ))),
        }
    }

    fn as_slice(&self) -> &[Speed] {
        match self {
            Self::Same(speed) => std::slice::from_ref(speed),
            Self::Each(speeds) => speeds,
        }
    }

    /// Those that are not known better than by an interval.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |(nth, speed): (usize, &Speed)| {
            let (low, high) = speed.between?;
            let key = match self {
                Self::Same(_) => "speed".to_owned(),
                Self::Each(_) => format!("speed of processor {nth}"),
            };
            Some(Figure { key, written: format!("{low}..{high}"), low, high })
        };
        self.as_slice().iter().enumerate().filter_map(figure).collect()
    }

    /// The same with other values for those, in their order.
    #[must_use]
    pub fn with(&self, values: &[f64]) -> Self {
        let mut speeds = self.clone();
        let all = match &mut speeds {
            Self::Same(speed) => std::slice::from_mut(speed),
            Self::Each(speeds) => speeds,
        };
        let uncertain = all.iter_mut().filter(|speed| speed.between.is_some());
        for (speed, value) in uncertain.zip(values) {
            speed.factor = *value;
        }
        speeds
    }

    /// Can they be, on processors that are `machine` times faster already?
    pub fn check(&self, machine: f64) -> Result<(), Error> {
        let speeds = self.as_slice().iter().map(|speed| speed.factor * machine);
        match speeds.into_iter().find(|speed| !(LEAST..=MOST).contains(speed)) {
            None => Ok(()),
            Some(speed) => Err(Error::new(format!(
                "a processor that is {speed} times as fast as where the program was traced: --speed times processor.speed of \
                 the model must be from {LEAST:e} to {MOST:e}"
            ))),
        }
    }

    /// The pace of each rank: one for all if it is the same; on processors that are `machine` times faster already.
    pub fn paces(&self, machine: f64, places: &[u32]) -> Vec<Pace> {
        let pace =
            |speed: Speed| Pace::faster((speed.factor * machine).clamp(LEAST, MOST)).unwrap_or(Pace::SAME);
        match self {
            Self::Same(speed) => vec![pace(*speed)],
            Self::Each(speeds) => {
                let of = |place: &u32| speeds[(*place as usize).min(speeds.len() - 1)];
                places.iter().map(|place| pace(of(place))).collect()
            }
        }
    }
}

/// A number, or an interval; its middle is that of what is drawn from it.
fn speed(word: &str, text: &str) -> Result<Speed, Error> {
    match word.split_once("..") {
        None => Ok(Speed { factor: number(word, text)?, between: None }),
        Some((low, high)) => {
            let (low, high) = (number(low, text)?, number(high, text)?);
            if low > high {
                return Err(Error::new(format!(
                    "the speed `{word}` in `{text}` begins above its end: try `{high}..{low}`"
                )));
            }
            Ok(Speed { factor: (low * high).sqrt(), between: Some((low, high)) })
        }
    }
}

fn number(word: &str, text: &str) -> Result<f64, Error> {
    let number = word.trim().parse().ok().filter(|number: &f64| *number >= 1e-6 && *number <= 1e6);
    number.ok_or_else(|| {
        Error::new(format!(
            "the speed `{word}` in `{text}` is no number from 0.000001 to 1000000: 2 computes twice as fast as where \
             the program was traced, and 1.8..2.2 about so"
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
    fn what_is_not_known_better_has_figures() {
        let speeds = Speeds::parse("1,2..8,0.5..0.5").unwrap();
        let figures = speeds.figures();
        let keys: Vec<(&str, f64, f64)> =
            figures.iter().map(|figure| (figure.key.as_str(), figure.low, figure.high)).collect();
        assert_eq!(keys, [("speed of processor 1", 2.0, 8.0), ("speed of processor 2", 0.5, 0.5)]);
        let second = Time::from_nanos(1_000_000_000);
        let times = |speeds: &Speeds| -> Vec<f64> {
            speeds.paces(1.0, &[0, 1, 2]).iter().map(|pace| pace.of(second).as_secs()).collect()
        };
        assert_eq!(times(&speeds), [1.0, 0.25, 2.0]);
        assert_eq!(times(&speeds.with(&[8.0, 1.0])), [1.0, 0.125, 1.0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for text in ["0", "-1", "fast", "", "1,,x", "nan", "inf", "1..", "..2", "2..1", "1..2..3"] {
            assert!(Speeds::parse(text).is_err(), "{text}");
        }
    }
}
