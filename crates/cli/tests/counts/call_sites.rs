//! Call sites of C, Fortran and Python programs: in the trace, in the summary, and in measured and
//! predicted timelines.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use panto_trace::Trace;

use crate::mpis::{self, Mpi};
use crate::scene::Scene;
use crate::{COUNTED, PANTO};

/// Returns the places from which a rank calls, by function.
fn places(trace: &Trace, rank: usize) -> BTreeMap<String, Vec<String>> {
    let (mut found, known) = (BTreeMap::<String, Vec<String>>::new(), trace.places());
    let mut events = trace.ranks()[rank].events();
    while let Some(event) = events.next().expect("sound") {
        let place = event.site().map(|site| known.name(site));
        let list = found.entry(event.name().to_owned()).or_default();
        list.extend(place.filter(|place| !list.contains(place)));
    }
    found
}

/// Returns the places in a source file where a text is, as the debug information has them.
fn lines(file: &str, text: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/small").join(file);
    let source = std::fs::read_to_string(path).expect("it is there");
    let lines = (1..).zip(source.lines()).filter(|(_, line)| line.contains(text));
    lines.map(|(number, _)| format!("({file}:{number})")).collect()
}

/// Returns whether the places are those lines, each in some function.
fn are(places: &[String], lines: &[String]) -> bool {
    places.len() == lines.len() && places.iter().zip(lines).all(|(place, line)| place.ends_with(line))
}

fn panto(line: &str, folder: &Path) -> String {
    let output = Command::new(PANTO).current_dir(folder).args(line.split_whitespace()).output();
    let output = output.expect("it is built");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn c_has_call_sites_in_all_that_shows_calls() {
    for mpi in COUNTED {
        let Some(app) = mpi.app("regions") else { continue };
        let scene = Scene::new();
        scene.trace("--stamps --call-sites", &mpi, 2, &app).run().succeeds();
        let found = places(&scene.traced(), 1);
        let exchange = format!("exchange {}", lines("regions.c", "MPI_Sendrecv")[0]);
        let main = format!("main {}", lines("regions.c", "MPI_Barrier")[0]);
        assert_eq!(found["MPI_Sendrecv"], std::slice::from_ref(&exchange), "{}", mpi.name);
        assert_eq!(found["MPI_Barrier"], std::slice::from_ref(&main), "{}", mpi.name);
        let folder = scene.path("");
        let has = |text: &str| {
            let row = |place: &str, function: &str| {
                text.lines().any(|line| line.contains(place) && line.contains(function))
            };
            assert!(row(&exchange, "MPI_Sendrecv") && row(&main, "MPI_Barrier"), "{}: {text}", mpi.name);
        };
        has(&panto("info app.panto", &folder));
        panto("export app.panto -o measured.ptl", &folder);
        panto("simulate app.panto --machine infiniband --timeline predicted.ptl", &folder);
        has(&panto("compare app.panto predicted.ptl --all", &folder));
        let waits = panto("info measured.ptl", &folder);
        assert!(waits.contains(&exchange), "{}: {waits}", mpi.name);
    }
}

#[test]
fn fortran_calls_are_those_of_the_program_and_not_of_its_bindings() {
    for mpi in COUNTED {
        for name in ["ring_mpif", "ring_mpi", "ring_f08"] {
            let Some(app) = mpi.app(name) else { continue };
            let scene = Scene::new();
            scene.trace("--call-sites", &mpi, 2, &app).run().succeeds();
            let found = places(&scene.traced(), 0);
            for function in ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Send", "MPI_Bcast", "MPI_Barrier"]
            {
                let expected = lines("ring_body.inc", &format!("call {function}("));
                assert!(are(&found[function], &expected), "{name} on {}: {found:?}", mpi.name);
            }
        }
    }
}

#[test]
fn python_calls_are_those_of_its_module() {
    let mpi: Mpi = mpis::MPICH_5;
    let python = mpis::install_dir().join("mpi4py/bin/python");
    let Some(app) = mpi.app("hello").filter(|_| python.is_file()) else {
        eprintln!("skipped: mpi4py is not installed; `cargo xtask test --only needs` installs it");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/small/ring.py");
    let scene = Scene::new();
    let job = scene.trace("--call-sites", &mpi, 2, &python).arg(script);
    job.env("MPI4PY_LIBMPI", crate::python::library_of(&app)).run().succeeds();
    let found = places(&scene.traced(), 0);
    let is_known = |place: &String| !place.contains("libmpi");
    assert!(found.values().flatten().count() > 3, "{found:?}");
    assert!(found.values().flatten().all(is_known), "{found:?}");
}

/// Without the option a trace is one that earlier versions of Panto read.
#[test]
fn call_sites_are_off_unless_asked_for() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("hello") else { return };
    let scene = Scene::new();
    scene.trace("", &mpi, 1, &app).run().succeeds();
    assert!(!scene.traced().has_call_sites());
    let bytes = std::fs::read(scene.path("app.panto")).expect("it was written");
    assert_eq!(bytes[8], 1, "the version of the format");
}
