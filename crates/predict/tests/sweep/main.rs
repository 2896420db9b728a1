//! Sweeps over a written trace, held to single predictions.

#[path = "../support/stencil.rs"]
mod stencil;

use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use panto_predict::Prediction;
use panto_predict::sweep::{Axis, Knob, Outcome, Row, Sweep, Variant, product};
use panto_sim::observe::Unseen;
use panto_sim::replay::{self, Options};
use panto_trace::Trace;

const RANKS: usize = 16;

fn trace(folder: &Path) -> Trace {
    Trace::open(&stencil::write(folder, 4, 20)).unwrap()
}

fn axes() -> Vec<Axis> {
    vec![
        Axis::parse(Knob::Machine, "infiniband,ethernet10g").unwrap(),
        Axis::figure("link.latency=1us,5us").unwrap(),
        Axis::parse(Knob::Processors, "5,16").unwrap(),
        Axis::parse(Knob::Rules, "mpich,puppet").unwrap(),
        Axis::parse(Knob::Network, "fast,traffic").unwrap(),
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

/// All settings.
fn all(sweep: &Sweep<'_>) -> Vec<usize> {
    (0..sweep.len()).collect()
}

#[test]
fn rows_are_what_single_predictions_are() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let variants = product(&axes()).unwrap();
    assert_eq!(variants.len(), 32);
    let sweep = sweep(&trace, variants.clone());
    for (row, variant) in rows(&sweep, &all(&sweep), 2).into_iter().zip(variants) {
        let case = variant.case(RANKS).unwrap();
        let replay = replay::program(&trace, &case.machine, &Options::default()).unwrap();
        let prediction = Prediction::new(&replay.program, &case, None, &mut Unseen).unwrap();
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
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let sweep = sweep(&trace, product(&axes()).unwrap());
    let one = rows(&sweep, &all(&sweep), 1);
    assert_eq!(rows(&sweep, &all(&sweep), 3), one);
    assert_eq!(rows(&sweep, &[0, 3], 4), [one[0].clone(), one[3].clone()]);
}

#[test]
fn a_setting_with_many_ranks_is_spread_over_threads_and_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let trace = Trace::open(&stencil::write(folder.path(), 46, 3)).unwrap();
    let machines = Axis::parse(Knob::Machine, "infiniband,ethernet10g").unwrap();
    let network = Axis::parse(Knob::Network, "fast").unwrap();
    let sweep = sweep(&trace, product(&[machines, network]).unwrap());
    assert_eq!(rows(&sweep, &[0, 1], 4), rows(&sweep, &[0, 1], 1));
}

#[test]
fn a_setting_that_cannot_be_is_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let axes = [
        Axis::parse(Knob::Machine, "infiniband,no-such-machine").unwrap(),
        Axis::parse(Knob::Processors, "2").unwrap(),
        Axis::parse(Knob::Map, "wrap,[0,5]").unwrap(),
    ];
    let sweep = sweep(&trace, product(&axes).unwrap());
    let rows = rows(&sweep, &all(&sweep), 2);
    let errors: Vec<Option<String>> = rows.into_iter().map(|row| row.outcome.err()).collect();
    assert_eq!(errors[0], None);
    assert!(errors[1].as_ref().unwrap().contains("rank 1 on processor 5"), "{errors:?}");
    assert!(errors[2].as_ref().unwrap().contains("no-such-machine"), "{errors:?}");
}

#[test]
fn if_no_setting_can_be_the_command_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let wrong = product(&[Axis::single(Knob::Machine, "infinibrand")]).unwrap();
    let error = Sweep::new(&trace, Options::default(), 0, wrong, 1).unwrap_err().to_string();
    assert!(error.contains("infinibrand"), "{error}");
}

#[test]
fn keys_tell_settings_models_and_traces_apart() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace(folder.path());
    let model = folder.path().join("my.toml");
    let keys = |trace: &Trace, options: Options, seed: u64, text: &str| -> Vec<String> {
        std::fs::write(&model, text).unwrap();
        let axes = [
            Axis::single(Knob::Machine, model.to_str().unwrap()),
            Axis::figure("link.latency=1us,5us").unwrap(),
            Axis { knob: Knob::Noise, values: vec!["none".into(), "random:1ms,1us".into()] },
        ];
        let sweep = Sweep::new(trace, options, seed, product(&axes).unwrap(), 1).unwrap();
        all(&sweep).into_iter().map(|index| sweep.key(index).to_owned()).collect()
    };
    let base = "base = \"infiniband\"\n";
    let first = keys(&trace, Options::default(), 1, base);
    assert_eq!(keys(&trace, Options::default(), 1, base), first);
    // A comment changes nothing, a figure does; a seed concerns noise alone.
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
fn it_stops_when_it_is_told_to() {
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
