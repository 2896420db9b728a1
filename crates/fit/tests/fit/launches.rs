//! Intervals cover the differences between launches.

use panto_fit::{FitOptions, Fitted, Launch, fit_launches};
use panto_machine::Machine;
use panto_random::SplitMix64;
use panto_results::{Manifest, Record};

use crate::support::{CALIBRATION, Noise, manifest, measure, noisy, quick};

const MACHINE: &str = "sp2";
const RANKS: usize = 4;

/// Returns a calibration for each factor: all times of the launch are multiplied by it, with little
/// noise within the launch.
fn launches(factors: &[f64]) -> Vec<Vec<Record>> {
    let clean = measure(&Machine::load(MACHINE, &[]).unwrap(), &CALIBRATION, RANKS, quick);
    let launch = |(seed, factor): (u64, &f64)| {
        let mut records =
            noisy(&clean, &Noise { rng: SplitMix64::new(seed), relative: 0.002, outliers: 0.0 });
        for nanos in records.iter_mut().flat_map(|record| &mut record.samples_ns) {
            *nanos *= factor;
        }
        records
    };
    (1..).zip(factors).map(launch).collect()
}

fn fitted(launches: &[Vec<Record>], manifest: &Manifest) -> Fitted {
    let launches: Vec<Launch<'_>> = launches.iter().map(|records| Launch { manifest, records }).collect();
    fit_launches(&launches, &FitOptions::default()).unwrap()
}

/// Returns the half-width of a parameter's interval relative to its value.
fn relative_margin(fitted: &Fitted, key: &str) -> f64 {
    let found = fitted.parameters.iter().find(|parameter| parameter.key == key);
    let parameter = found.unwrap_or_else(|| panic!("no {key} in {:?}", fitted.parameters));
    parameter.interval.map_or(0.0, |(low, high)| (high - low) / 2.0 / parameter.value)
}

#[test]
fn intervals_cover_the_spread_between_launches() {
    let manifest = manifest(&Machine::load(MACHINE, &[]).unwrap(), RANKS);
    let apart = fitted(&launches(&[0.94, 0.97, 1.0, 1.03, 1.06]), &manifest);
    let alike = fitted(&launches(&[1.0; 5]), &manifest);
    for key in ["network.link.latency", "network.link.per-byte", "processor.daxpy", "t_0"] {
        let (wide, narrow) = (relative_margin(&apart, key), relative_margin(&alike, key));
        assert!((0.05..0.09).contains(&wide), "{key} is off by {wide}");
        assert!(narrow < 0.02, "{key} is off by {narrow}");
    }
    let says = |fitted: &Fitted, words: &str| fitted.notes.iter().any(|note| note.contains(words));
    assert!(says(&apart, "over 5 launches"), "{:?}", apart.notes);
    // The intervals are in the model file, where the simulator samples them.
    let model = Machine::parse(&apart.model, "mine.toml");
    assert!(model.is_ok() && apart.model.contains("\"network.link.latency\" = "), "{}", apart.model);
    assert_eq!(fitted(&launches(&[0.94, 0.97, 1.0, 1.03, 1.06]), &manifest), apart, "the same again");
}

/// Two launches do not show how launches differ, and files of other kernels do not count as
/// launches.
#[test]
fn few_launches_have_intervals_over_points() {
    let manifest = manifest(&Machine::load(MACHINE, &[]).unwrap(), RANKS);
    let mut few = launches(&[0.97, 1.03]);
    let rates = few[0].iter().filter(|record| record.kernel == "calibrate/rates").cloned().collect();
    few.push(rates);
    let fitted = fitted(&few, &manifest);
    assert!(fitted.notes.iter().any(|note| note.contains("bootstrapped over points")), "{:?}", fitted.notes);
}
