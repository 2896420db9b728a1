//! `panto extrapolate` of real programs: traces of a few ranks become the trace of many, call by
//! call and message by message.

use std::process::Command;

use panto_testkit::jobs::mpis::{self, Mpi};
use serde_json::Value;

use crate::{PANTO, Scene};

/// Programs with regular communication, and what they are traced with.
const PROGRAMS: [(&str, &str, [u32; 3]); 8] = [
    ("stencil", "-n 96 -i 20 --no-check", [4, 9, 16]),
    ("halo3d", "-n 24 -i 5", [4, 8, 16]),
    ("wavefront", "-n 16 -b 4", [4, 8, 16]),
    ("transpose", "-n 96 -i 2", [4, 8, 16]),
    ("transpose", "-n 96 -i 2 --messages", [4, 8, 16]),
    ("cg", "-n 4096 -i 5", [4, 8, 16]),
    ("mergesort", "-n 4099", [4, 8, 16]),
    ("summa", "gemm -n 96 -b 8", [4, 8, 16]),
];

/// The ranks of the run that is extrapolated.
const MANY: u32 = 32;

fn trace(scene: &Scene, mpi: &Mpi, program: &str, words: &str, ranks: u32) -> String {
    let app = mpi.app(program).expect("it is there");
    let name = format!("{program}.{ranks}.panto");
    scene.trace_on(mpi, ranks as usize, &app).words(words).run().succeeds();
    std::fs::rename(scene.file(), scene.path(&name)).expect("it was written");
    name
}

fn panto(scene: &Scene, line: &str) -> String {
    let output = Command::new(PANTO).current_dir(scene.path("")).args(line.split_whitespace()).output();
    let output = output.expect("it is built");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn is_extrapolated(mpi: &Mpi, (program, words, from): (&str, &str, [u32; 3])) {
    if mpi.app(program).is_none() {
        return;
    }
    let scene = Scene::new();
    let few = from.map(|ranks| trace(&scene, mpi, program, words, ranks)).join(" ");
    let many = trace(&scene, mpi, program, words, MANY);
    let json = panto(&scene, &format!("extrapolate {few} --check {many} --format json"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let check = &json["check"];
    let case = format!("{program} {words} on {}", mpi.name);
    assert_eq!((&check["same_calls"], &check["same_messages"]), (&true.into(), &true.into()), "{case}");
}

/// Which worker gets which piece depends on time: the sums over all workers are compared.
#[test]
fn a_master_and_its_workers_on_mpich() {
    let mpi = &mpis::MPICH;
    if mpi.app("virtual_time").is_none() {
        return;
    }
    let scene = Scene::new();
    let workers = |ranks| trace(&scene, mpi, "virtual_time", "workers -n 60", ranks);
    let few = [4, 8, 16].map(workers).join(" ");
    let check = workers(MANY);
    let json = panto(&scene, &format!("extrapolate {few} --check {check} --format json"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let assumed = json["assumed"].to_string();
    assert!(assumed.contains("MPI_ANY_SOURCE") && assumed.contains("in turn"), "{assumed}");
    assert_eq!(json["check"]["different_functions"], serde_json::json!([]), "{}", json["check"]);
}

#[test]
fn of_mpich() {
    for program in PROGRAMS {
        is_extrapolated(&mpis::MPICH, program);
    }
}

#[test]
fn of_open_mpi() {
    for program in PROGRAMS {
        is_extrapolated(&mpis::OPEN_MPI, program);
    }
}
