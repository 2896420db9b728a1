//! Speeds of processors relative to the computer on which the program was traced (P13).

use std::path::Path;

use panto_machine::{Processor, Speed as MachineSpeed};
use panto_sim::ComputeScale;
use panto_units::Time;

use crate::error::{Error, SpeedError};
use crate::sample::Figure;

/// Speeds relative to the traced computer.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Speeds {
    /// As the machine says.
    #[default]
    Machine,
    /// One speed for all processors.
    Same(Speed),
    /// One speed per processor; further processors have the last one.
    Each(Vec<Speed>),
}

/// Where the speed of processors comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeedOrigin {
    /// The command line or the model states it.
    Stated,
    /// An element of a DAXPY takes these times on the traced computer and on the machine.
    Daxpy {
        /// On the traced computer.
        traced: Time,
        /// On the machine.
        machine: Time,
    },
    /// The machine's DAXPY is known and that of the traced computer is not.
    Unknown,
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
            Self::Machine => &[],
            Self::Same(speed) => std::slice::from_ref(speed),
            Self::Each(speeds) => speeds,
        }
    }

    /// Returns the speeds that are given by an interval.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |(nth, speed): (usize, &Speed)| {
            let (low, high) = speed.between?;
            let key = match self {
                Self::Machine | Self::Same(_) => "speed".to_owned(),
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
            Self::Machine => &mut [],
            Self::Same(speed) => std::slice::from_mut(speed),
            Self::Each(speeds) => speeds,
        };
        let uncertain = all.iter_mut().filter(|speed| speed.between.is_some());
        for (speed, value) in uncertain.zip(values) {
            speed.factor = *value;
        }
        speeds
    }

    /// Fails if a speed on a machine is out of range; `daxpy` is the traced computer's.
    pub fn check(&self, processor: &Processor, daxpy: Option<Time>) -> Result<(), Error> {
        let machine = self.machine(processor, daxpy);
        let speeds = self.as_slice().iter().map(|speed| speed.factor * machine);
        match speeds.into_iter().find(|speed| !(LEAST..=MOST).contains(speed)) {
            None => Ok(()),
            Some(speed) => Err(SpeedError::OutOfRange { speed, least: LEAST, most: MOST }.into()),
        }
    }

    /// Returns the speed of each rank on a machine; a single element if all are equal. `daxpy` is
    /// the traced computer's.
    pub fn compute_scales(
        &self,
        processor: &Processor,
        daxpy: Option<Time>,
        places: &[u32],
    ) -> Vec<ComputeScale> {
        let machine = self.machine(processor, daxpy);
        let scale = |factor: f64| {
            ComputeScale::from_speed((factor * machine).clamp(LEAST, MOST)).unwrap_or(ComputeScale::ONE)
        };
        match self {
            Self::Machine => vec![scale(1.0)],
            Self::Same(speed) => vec![scale(speed.factor)],
            Self::Each(speeds) => {
                let of = |place: &u32| speeds[(*place as usize).min(speeds.len() - 1)];
                places.iter().map(|place| scale(of(place).factor)).collect()
            }
        }
    }

    /// Returns where the speed on a machine comes from; `daxpy` is the traced computer's.
    pub fn origin(&self, processor: &Processor, daxpy: Option<Time>) -> SpeedOrigin {
        match (self, processor.speed, daxpy) {
            (Self::Machine, MachineSpeed::Daxpy, Some(traced)) => {
                SpeedOrigin::Daxpy { traced, machine: processor.daxpy }
            }
            (Self::Machine, MachineSpeed::Daxpy, None) => SpeedOrigin::Unknown,
            _ => SpeedOrigin::Stated,
        }
    }

    /// Returns the speed of the machine by itself. Given speeds replace one that is found by
    /// comparing processors, and are multiplied with one that the model states.
    fn machine(&self, processor: &Processor, daxpy: Option<Time>) -> f64 {
        match (self, processor.speed) {
            (Self::Same(_) | Self::Each(_), MachineSpeed::Daxpy) => 1.0,
            _ => processor.speed_against(daxpy),
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
    use super::*;

    fn stated(factor: f64) -> Processor {
        Processor { speed: MachineSpeed::Factor(factor), ..Processor::default() }
    }

    fn seconds(speeds: &Speeds, processor: &Processor, daxpy: Option<u64>, places: &[u32]) -> Vec<f64> {
        let second = Time::from_nanos(1_000_000_000);
        let scales = speeds.compute_scales(processor, daxpy.map(Time::from_picos), places);
        scales.iter().map(|scale| scale.apply(second).as_secs()).collect()
    }

    #[test]
    fn an_old_processor_is_as_slow_as_its_daxpy() {
        let old =
            Processor { speed: MachineSpeed::Daxpy, daxpy: Time::from_nanos(200), ..Processor::default() };
        let of = |speeds: &Speeds, daxpy| seconds(speeds, &old, daxpy, &[0]);
        assert_eq!(of(&Speeds::Machine, Some(400)), [500.0]);
        assert_eq!(of(&Speeds::Machine, None), [1.0], "the traced computer's speed is not known");
        assert_eq!(of(&Speeds::parse("0.5").unwrap(), Some(400)), [2.0], "a given speed replaces it");
        let free = Processor { daxpy: Time::ZERO, ..old };
        assert!(seconds(&Speeds::Machine, &free, Some(400), &[0])[0] < 1e-6);
        assert_eq!(seconds(&Speeds::Machine, &stated(4.0), Some(400), &[0]), [0.25]);
    }

    #[test]
    fn each_processor_has_its_speed() {
        let of = |text, machine, places: &[u32]| {
            seconds(&Speeds::parse(text).unwrap(), &stated(machine), None, places)
        };
        assert_eq!(of("1,2,0.5", 1.0, &[2, 0, 1, 9]), [2.0, 1.0, 0.5, 2.0]);
        assert_eq!(of("2", 2.0, &[0, 1]), [0.25]);
    }

    #[test]
    fn intervals_are_figures_to_draw() {
        let speeds = Speeds::parse("1,2..8,0.5..0.5").unwrap();
        let figures = speeds.figures();
        let keys: Vec<(&str, f64, f64)> =
            figures.iter().map(|figure| (figure.key.as_str(), figure.low, figure.high)).collect();
        assert_eq!(keys, [("speed of processor 1", 2.0, 8.0), ("speed of processor 2", 0.5, 0.5)]);
        let times = |speeds: &Speeds| seconds(speeds, &stated(1.0), None, &[0, 1, 2]);
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
