//! Regions that programs name, in C, Fortran and Python: seen in the trace, in the measured and the
//! predicted timeline, and in the summary.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use panto_timeline::{ALL_TIME, StateKind, Timeline};
use panto_trace::Trace;

use crate::mpis::{self, Mpi};
use crate::scene::{Scene, plain, printed};
use crate::{COUNTED, PANTO};

/// Returns the names of the events of a rank, without those of the beginning and the end.
fn names(trace: &Trace, rank: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut events = trace.ranks()[rank].events();
    while let Some(event) = events.next().expect("sound") {
        names.push(event.name().to_owned());
    }
    let inner =
        names.iter().filter(|name| !["MPI_Init", "MPI_Finalize", "MPI_Init_thread"].contains(&&name[..]));
    inner.cloned().collect()
}

/// Returns the computation of a rank in milliseconds, rounded down, by region.
fn computation(timeline: &Timeline, rank: u32) -> BTreeMap<String, u64> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for state in timeline.states(rank, &ALL_TIME) {
        let state = state.expect("sound");
        if let (StateKind::Compute, Some(region)) = (state.kind, state.call) {
            let name = timeline.about().calls[region as usize].clone();
            *sums.entry(name).or_default() += state.length().as_secs();
        }
    }
    sums.into_iter().map(|(name, seconds)| (name, (seconds * 1e3) as u64)).filter(|(_, ms)| *ms > 0).collect()
}

fn panto(line: &str, folder: &Path) -> String {
    let output = Command::new(PANTO).current_dir(folder).args(line.split_whitespace()).output();
    let output = output.expect("it is built");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn regions_are_in_traces_timelines_and_profiles() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("regions") else { continue };
        let scene = Scene::new();
        let ended = scene.trace("--stamps", &mpi, 2, &app).run();
        ended.succeeds();
        assert_eq!(printed(&ended), printed(&plain(&mpi, 2, &app).run()), "{}", mpi.name);
        let step = ["begin step", "begin exchange", "MPI_Sendrecv", "end exchange", "end step"];
        let tail = ["begin tail", "MPI_Barrier", "end tail"];
        assert_eq!(
            names(&scene.traced(), 1),
            [step, step, step].concat().into_iter().chain(tail).collect::<Vec<_>>()
        );
        let folder = scene.path("");
        panto("export app.panto -o measured.ptl", &folder);
        panto("simulate app.panto --machine infiniband --timeline predicted.ptl", &folder);
        for file in ["measured.ptl", "predicted.ptl"] {
            let timeline = Timeline::open(&scene.path(file)).expect("a timeline");
            let computed = computation(&timeline, 1);
            assert!(
                computed["step"] >= 6 && computed["exchange"] >= 3,
                "{file} on {}: {computed:?}",
                mpi.name
            );
            assert_eq!(computed.len(), 2, "{file}: {computed:?}");
        }
        let info = panto("info app.panto", &folder);
        let row =
            |name: &str| info.lines().find(|line| line.trim_start().starts_with(name)).map(str::to_owned);
        let step = row("step ").unwrap_or_else(|| panic!("{info}"));
        // Three on each of two ranks.
        assert_eq!(step.split_whitespace().nth(1), Some("6"), "{info}");
        assert!(row("step > exchange ").is_some() && row("tail ").is_some(), "{info}");
    }
}

#[test]
fn fortran_has_regions() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("regions_f90") else { continue };
        let scene = Scene::new();
        let ended = scene.trace("", &mpi, 2, &app).run();
        ended.succeeds();
        assert_eq!(printed(&ended), printed(&plain(&mpi, 2, &app).run()), "{}", mpi.name);
        assert_eq!(names(&scene.traced(), 0), ["begin solve", "MPI_Barrier", "end solve"], "{}", mpi.name);
    }
}

#[test]
fn python_has_regions() {
    let mpi: Mpi = mpis::MPICH_5;
    let python = mpis::install_dir().join("mpi4py/bin/python");
    let Some(app) = mpi.app("hello").filter(|_| python.is_file()) else {
        eprintln!("skipped: mpi4py is not installed; `cargo xtask test --only needs` installs it");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scene = Scene::new();
    let library = crate::python::library_of(&app);
    let job = scene.trace("", &mpi, 2, &python).arg(root.join("apps/small/regions.py"));
    job.arg(root.join("python/src")).env("MPI4PY_LIBMPI", library).run().succeeds();
    let names = names(&scene.traced(), 1);
    let place = names.iter().position(|name| name == "begin solve").expect("a region");
    assert_eq!(names[place..place + 3], ["begin solve", "MPI_Barrier", "end solve"], "{names:?}");
}
