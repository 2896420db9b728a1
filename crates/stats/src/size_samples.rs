//! Samples by size and launch, and their bootstrap resamples.

use crate::error::{Error, require_times};
use crate::medians::Medians;
use crate::summary::median_in_place;
use panto_random::SplitMix64;

/// The samples of one size, by launch.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeSamples<'a> {
    /// Size.
    pub x: f64,
    /// Samples of each launch. The same index is the same launch at every size; empty where a
    /// launch has none.
    pub launches: Vec<&'a [f64]>,
}

impl<'a> SizeSamples<'a> {
    /// Returns the samples of a single launch.
    pub fn once(x: f64, samples: &'a [f64]) -> Self {
        Self { x, launches: vec![samples] }
    }

    /// Returns the size and the median of all samples.
    pub fn point(&self) -> Result<(f64, f64), Error> {
        self.launches
            .iter()
            .filter(|launch| !launch.is_empty())
            .try_for_each(|launch| require_times(launch))?;
        let mut all = self.launches.concat();
        if all.is_empty() {
            return Err(Error::Empty);
        }
        Ok((self.x, median_in_place(&mut all)))
    }
}

/// Merges equal sizes, launch by launch. Sizes ascend.
pub(crate) fn by_size(measured: &[SizeSamples]) -> Vec<(f64, Vec<Vec<f64>>)> {
    let mut sorted: Vec<&SizeSamples> = measured.iter().collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x));
    sorted.chunk_by(|a, b| a.x >= b.x).map(|same| (same[0].x, pooled(same))).collect()
}

fn pooled(same: &[&SizeSamples]) -> Vec<Vec<f64>> {
    let launches = same.iter().map(|m| m.launches.len()).max().unwrap_or(0);
    let of = |launch: usize| same.iter().filter_map(move |m| m.launches.get(launch));
    (0..launches).map(|launch| of(launch).flat_map(|samples| samples.iter().copied()).collect()).collect()
}

/// Resamples the medians of all sizes: over launches if there are several, else over samples.
///
/// A launch is drawn for all sizes at once, since what makes it slow (memory layout, placement)
/// affects every size.
pub(crate) enum Resampler {
    Launches { count: usize, sizes: Vec<PooledSamples> },
    Samples(Vec<Medians>),
}

/// All samples of one size in ascending order, each with its launch.
pub(crate) struct PooledSamples {
    samples: Vec<(f64, u32)>,
    median: f64,
}

impl Resampler {
    /// Takes the launches of each size, none without a sample. O(n log n) for n samples.
    pub(crate) fn new(sizes: &[Vec<Vec<f64>>]) -> Result<Self, Error> {
        let several = |launches: &Vec<Vec<f64>>| launches.iter().filter(|l| !l.is_empty()).count() > 1;
        if sizes.iter().any(several) {
            let count = sizes.iter().map(Vec::len).max().unwrap_or(0);
            Ok(Self::Launches {
                count,
                sizes: sizes.iter().map(|launches| PooledSamples::new(launches)).collect(),
            })
        } else {
            let medians: Result<Vec<Medians>, Error> =
                sizes.iter().map(|l| Medians::of(&l.concat())).collect();
            Ok(Self::Samples(medians?))
        }
    }

    /// Draws one median for each size. O(1) per size over samples, O(samples) over launches.
    pub(crate) fn draw(&self, rng: &mut SplitMix64, times: &mut Vec<f64>) {
        times.clear();
        match self {
            Self::Samples(sizes) => {
                let mut buffer = Vec::new();
                times.extend(sizes.iter().map(|medians| medians.draw(rng, &mut buffer)));
            }
            Self::Launches { count, sizes } => {
                let mut drawn = vec![0_u64; *count];
                (0..*count).for_each(|_| drawn[rng.index(*count)] += 1);
                times.extend(sizes.iter().map(|mixed| mixed.median_of(&drawn)));
            }
        }
    }
}

impl PooledSamples {
    fn new(launches: &[Vec<f64>]) -> Self {
        let labelled = launches.iter().zip(0_u32..).flat_map(|(l, label)| l.iter().map(move |v| (*v, label)));
        let mut samples: Vec<(f64, u32)> = labelled.collect();
        samples.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut mixed = Self { samples, median: f64::NAN };
        mixed.median = mixed.median_of(&vec![1; launches.len()]);
        mixed
    }

    /// Returns the median with each launch counted `times` times; the median of all if no drawn
    /// launch has a sample.
    fn median_of(&self, times: &[u64]) -> f64 {
        let total: u64 = self.samples.iter().map(|(_, launch)| times[*launch as usize]).sum();
        if total == 0 {
            return self.median;
        }
        let (lower, upper) = ((total - 1) / 2, total / 2);
        let mut before = 0;
        let mut low = f64::NAN;
        for (value, launch) in &self.samples {
            before += times[*launch as usize];
            if before > lower && low.is_nan() {
                low = *value;
            }
            if before > upper {
                return f64::midpoint(low, *value);
            }
        }
        self.median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sizes_are_pooled_launch_by_launch() {
        let (a, b, c) = ([1.0], [2.0, 3.0], [4.0]);
        let measured = [
            SizeSamples { x: 8.0, launches: vec![&c] },
            SizeSamples { x: 0.0, launches: vec![&a, &b] },
            SizeSamples { x: 0.0, launches: vec![&b] },
        ];
        let pooled = by_size(&measured);
        assert_eq!(pooled[0], (0.0, vec![vec![1.0, 2.0, 3.0], vec![2.0, 3.0]]));
        assert_eq!(pooled[1], (8.0, vec![vec![4.0]]));
        assert_eq!(measured[1].point(), Ok((0.0, 2.0)));
        assert_eq!(SizeSamples { x: 1.0, launches: vec![] }.point(), Err(Error::Empty));
        assert!(matches!(SizeSamples::once(1.0, &[-1.0]).point(), Err(Error::Negative { .. })));
    }

    #[test]
    fn a_drawn_launch_counts_as_often_as_it_was_drawn() {
        let mixed = PooledSamples::new(&[vec![1.0, 5.0], vec![2.0, 3.0, 9.0], vec![]]);
        let naive = |times: &[u64]| {
            let launches: [&[f64]; 3] = [&[1.0, 5.0], &[2.0, 3.0, 9.0], &[]];
            let mut all: Vec<f64> =
                launches.iter().zip(times).flat_map(|(l, n)| l.repeat(*n as usize)).collect();
            median_in_place(&mut all)
        };
        for times in [[1, 1, 1], [2, 0, 1], [0, 3, 0], [1, 2, 0], [2, 1, 0]] {
            assert!((mixed.median_of(&times) - naive(&times)).abs() < 1e-12, "{times:?}");
        }
        assert!((mixed.median_of(&[0, 0, 3]) - 3.0).abs() < 1e-12);
    }
}
