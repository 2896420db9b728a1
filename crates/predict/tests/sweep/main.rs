//! Sweeps over a synthetic trace, compared with single predictions.

use panto_testkit::stencil;
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use panto_predict::Prediction;
use panto_predict::sweep::{Axis, Outcome, Parameter, Row, Sweep, Variant, product};
use panto_sim::replay::{self, Options};
use panto_trace::Trace;

const RANKS: usize = 16;

fn trace(folder: &Path) -> Trace {
    Trace::open(&stencil::write(folder, 4, 20)).unwrap()
}

fn axes() -> Vec<Axis> {
    vec![
        Axis::parse(Parameter::Machine, "infiniband,ethernet10g").unwrap(),
        Axis::figure("link.latency=1us,5us").unwrap(),
        Axis::parse(Parameter::Processors, "5,16").unwrap(),
        Axis::parse(Parameter::Rules, "mpich,puppet").unwrap(),
        Axis::parse(Parameter::Sharing, "none,endpoints,links").unwrap(),
    ]
}

fn sweep(trace: &Trace, variants: Vec<Variant>) -> Sweep<'_> {
    Sweep::new(trace, Options::default(), 7, variants, 2).unwrap()
}

fn rows(sweep: &Sweep<'_>, which: &[usize], threads: usize) -> Vec<Row> {
    let programs = sweep.programs(which, threads).unwrap();
    let mut rows: Vec<(usize, Row)> = Vec::new();
    let keep = |index: usize, outcome: Outcome| {
        rows.push((index, sweep.row(index, outcome)));
        Ok::<(), Infallible>(())
    };
    sweep.run(&programs, which, threads, &AtomicBool::new(false), keep).unwrap();
    rows.sort_by_key(|(index, _)| *index);
    assert_eq!(rows.iter().map(|(index, _)| *index).collect::<Vec<_>>(), which);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns the indices of all settings.
fn all(sweep: &Sweep<'_>) -> Vec<usize> {
    (0..sweep.len()).collect()
}

#[test]
fn rows_equal_single_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let variants = product(&axes()).unwrap();
    assert_eq!(variants.len(), 48);
    let sweep = sweep(&trace, variants.clone());
    for (row, variant) in rows(&sweep, &all(&sweep), 2).into_iter().zip(variants) {
        let case = variant.case(RANKS).unwrap();
        let replay = replay::program(&trace, &case.machine, &Options::default()).unwrap();
        let prediction = Prediction::new(&replay.program, &case, None, 1).unwrap();
        let figures = row.outcome.unwrap();
        let spent = prediction.spent();
        let ended: f64 = prediction.ends.iter().map(|end| end.as_secs()).sum();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        assert_eq!(figures.time.to_bits(), prediction.time().as_secs().to_bits(), "{}", variant.in_words());
        assert_eq!(figures.processors, prediction.processors.len());
        assert!(close(figures.speedup, prediction.scaled_speedup()), "{}", variant.in_words());
        assert!(close(figures.utilisation, prediction.mean_utilisation()), "{}", variant.in_words());
        assert!(close(figures.waiting, spent.waited.as_secs() / ended), "{}", variant.in_words());
    }
}

#[test]
fn the_number_of_threads_does_not_change_rows() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let sweep = sweep(&trace, product(&axes()).unwrap());
    let one = rows(&sweep, &all(&sweep), 1);
    assert_eq!(rows(&sweep, &all(&sweep), 3), one);
    assert_eq!(rows(&sweep, &[0, 3], 4), [one[0].clone(), one[3].clone()]);
}

#[test]
fn a_setting_on_several_threads_equals_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let trace = Trace::open(&stencil::write(folder.path(), 46, 3)).unwrap();
    let machines = Axis::parse(Parameter::Machine, "infiniband,ethernet10g").unwrap();
    let network = Axis::parse(Parameter::Sharing, "none,endpoints").unwrap();
    let sweep = sweep(&trace, product(&[machines, network]).unwrap());
    assert_eq!(rows(&sweep, &[0, 1, 2, 3], 4), rows(&sweep, &[0, 1, 2, 3], 1));
}

#[test]
fn an_invalid_setting_has_its_error_in_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let axes = [
        Axis::parse(Parameter::Machine, "infiniband,no-such-machine").unwrap(),
        Axis::parse(Parameter::Processors, "2").unwrap(),
        Axis::parse(Parameter::Map, "wrap,[0,5]").unwrap(),
    ];
    let sweep = sweep(&trace, product(&axes).unwrap());
    let rows = rows(&sweep, &all(&sweep), 2);
    let error = |row: Row| row.outcome.err().map(|error| error.to_string());
    let errors: Vec<Option<String>> = rows.into_iter().map(error).collect();
    assert_eq!(errors[0], None);
    assert!(errors[1].as_ref().unwrap().contains("rank 1 on processor 5"), "{errors:?}");
    assert!(errors[2].as_ref().unwrap().contains("no-such-machine"), "{errors:?}");
}

#[test]
fn a_sweep_without_a_valid_setting_fails() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let wrong = product(&[Axis::single(Parameter::Machine, "infinibrand")]).unwrap();
    let error = Sweep::new(&trace, Options::default(), 0, wrong, 1).unwrap_err().to_string();
    assert!(error.contains("infinibrand"), "{error}");
}

#[test]
fn keys_depend_on_settings_models_and_traces() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let model = folder.path().join("my.toml");
    let keys = |trace: &Trace, options: Options, seed: u64, text: &str| -> Vec<String> {
        std::fs::write(&model, text).unwrap();
        let axes = [
            Axis::single(Parameter::Machine, model.to_str().unwrap()),
            Axis::figure("link.latency=1us,5us").unwrap(),
            Axis { parameter: Parameter::Noise, values: vec!["none".into(), "random:1ms,1us".into()] },
        ];
        let sweep = Sweep::new(trace, options, seed, product(&axes).unwrap(), 1).unwrap();
        all(&sweep).into_iter().map(|index| sweep.key(index).to_owned()).collect()
    };
    let base = "base = \"infiniband\"\n";
    let first = keys(&trace, Options::default(), 1, base);
    assert_eq!(keys(&trace, Options::default(), 1, base), first);
    // A comment does not change keys, a parameter does; a seed changes those with noise only.
    assert_eq!(keys(&trace, Options::default(), 1, &format!("# mine\n{base}")), first);
    assert_ne!(keys(&trace, Options::default(), 1, &format!("{base}network.local = \"9us\"\n"))[0], first[0]);
    let other = keys(&trace, Options::default(), 2, base);
    assert_eq!((other[0] == first[0], other[1] == first[1]), (true, false));
    assert_ne!(keys(&trace, Options { lenient: true, ..Options::default() }, 1, base)[0], first[0]);
    let folder = tempfile::tempdir().unwrap();
    let longer = Trace::open(&stencil::write(folder.path(), 4, 21)).unwrap();
    assert_ne!(keys(&longer, Options::default(), 1, base)[0], first[0]);
}

#[test]
fn the_flag_stops_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let sweep = sweep(&trace, product(&axes()).unwrap());
    let (which, stop) = (all(&sweep), AtomicBool::new(false));
    let programs = sweep.programs(&which, 1).unwrap();
    let mut done = 0;
    let keep = |_, _: Outcome| {
        done += 1;
        stop.store(true, Ordering::Relaxed);
        Ok::<(), Infallible>(())
    };
    sweep.run(&programs, &which, 1, &stop, keep).unwrap();
    assert!((1..which.len()).contains(&done), "{done}");
}
