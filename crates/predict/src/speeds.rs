//! Speeds of processors relative to the machine on which the program was traced (P13).

use std::path::Path;

use panto_sim::ComputeScale;

use crate::error::{Error, SpeedError};
use crate::sample::Figure;

/// Speeds relative to the traced machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Speeds {
    /// One speed for all processors.
    Same(Speed),
    /// One speed per processor; further processors have the last one.
    Each(Vec<Speed>),
}

/// The speed of a processor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    factor: f64,
    /// Its 95% interval, if it is uncertain.
    between: Option<(f64, f64)>,
}

/// The lowest speed that can be simulated.
const LEAST: f64 = 1e-8;
/// The highest speed that can be simulated.
const MOST: f64 = 1e8;

impl Default for Speeds {
    fn default() -> Self {
        Self::Same(Speed { factor: 1.0, between: None })
    }
}

impl Speeds {
    /// Parses a number such as `2.3`, an interval such as `1.8..2.2`, a list such as `1,1,0.5`, or
    /// the name of a file with one speed per processor.
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
            [] => Err(SpeedError::Empty(text.to_owned()).into()),
            [one] => Ok(Self::Same(*one)),
            _ => Ok(Self::Each(speeds)),
        }
    }

    /// Returns the speeds, or an error if one is an interval: only sampling can draw from it.
    pub fn certain(self) -> Result<Self, Error> {
        match self.figures().first() {
            None => Ok(self),
            Some(Figure { written, .. }) => Err(SpeedError::Interval(written.clone()).into()),
        }
    }

    fn as_slice(&self) -> &[Speed] {
        match self {
            Self::Same(speed) => std::slice::from_ref(speed),
            Self::Each(speeds) => speeds,
        }
    }

    /// Returns the speeds that are given by an interval.
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

    /// Returns the speeds with these values in place of the intervals, in order.
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

    /// Fails if a speed, times that of the machine model, is out of range.
    pub fn check(&self, machine: f64) -> Result<(), Error> {
        let speeds = self.as_slice().iter().map(|speed| speed.factor * machine);
        match speeds.into_iter().find(|speed| !(LEAST..=MOST).contains(speed)) {
            None => Ok(()),
            Some(speed) => Err(SpeedError::OutOfRange { speed, least: LEAST, most: MOST }.into()),
        }
    }

    /// Returns the speed of each rank, times that of the machine model; a single element if all are
    /// equal.
    pub fn compute_scales(&self, machine: f64, places: &[u32]) -> Vec<ComputeScale> {
        let scale = |speed: Speed| {
            ComputeScale::from_speed((speed.factor * machine).clamp(LEAST, MOST)).unwrap_or(ComputeScale::ONE)
        };
        match self {
            Self::Same(speed) => vec![scale(*speed)],
            Self::Each(speeds) => {
                let of = |place: &u32| speeds[(*place as usize).min(speeds.len() - 1)];
                places.iter().map(|place| scale(of(place))).collect()
            }
        }
    }
}

/// Parses a number or an interval; the speed of an interval is its geometric mean, the median of
/// the log-normal distribution that is drawn from.
fn speed(word: &str, text: &str) -> Result<Speed, Error> {
    match word.split_once("..") {
        None => Ok(Speed { factor: number(word, text)?, between: None }),
        Some((low, high)) => {
            let (low, high) = (number(low, text)?, number(high, text)?);
            if low > high {
                return Err(SpeedError::Reversed { low, high }.into());
            }
            Ok(Speed { factor: (low * high).sqrt(), between: Some((low, high)) })
        }
    }
}

fn number(word: &str, text: &str) -> Result<f64, Error> {
    let number = word.trim().parse().ok().filter(|number: &f64| *number >= 1e-6 && *number <= 1e6);
    number.ok_or_else(|| SpeedError::Number { word: word.to_owned(), text: text.to_owned() }.into())
}

#[cfg(test)]
mod tests {
    use panto_units::Time;

    use super::*;

    #[test]
    fn each_processor_has_its_speed() {
        let second = Time::from_nanos(1_000_000_000);
        let compute_scales = Speeds::parse("1,2,0.5").unwrap().compute_scales(1.0, &[2, 0, 1, 9]);
        let times: Vec<f64> = compute_scales.iter().map(|scale| scale.apply(second).as_secs()).collect();
        assert_eq!(times, [2.0, 1.0, 0.5, 2.0]);
        assert_eq!(
            Speeds::parse("2").unwrap().compute_scales(2.0, &[0, 1])[0].apply(second),
            Time::from_nanos(250_000_000)
        );
    }

    #[test]
    fn intervals_are_figures_to_draw() {
        let speeds = Speeds::parse("1,2..8,0.5..0.5").unwrap();
        let figures = speeds.figures();
        let keys: Vec<(&str, f64, f64)> =
            figures.iter().map(|figure| (figure.key.as_str(), figure.low, figure.high)).collect();
        assert_eq!(keys, [("speed of processor 1", 2.0, 8.0), ("speed of processor 2", 0.5, 0.5)]);
        let second = Time::from_nanos(1_000_000_000);
        let times = |speeds: &Speeds| -> Vec<f64> {
            speeds.compute_scales(1.0, &[0, 1, 2]).iter().map(|scale| scale.apply(second).as_secs()).collect()
        };
        assert_eq!(times(&speeds), [1.0, 0.25, 2.0]);
        assert_eq!(times(&speeds.with(&[8.0, 1.0])), [1.0, 0.125, 1.0]);
    }

    #[test]
    fn invalid_speeds_are_rejected() {
        for text in ["0", "-1", "fast", "", "1,,x", "nan", "inf", "1..", "..2", "2..1", "1..2..3"] {
            assert!(Speeds::parse(text).is_err(), "{text}");
        }
    }
}
