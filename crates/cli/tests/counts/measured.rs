//! Measured timelines of real programs: every message of the program is there, with both ends, and
//! none arrives before it was sent.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use panto_timeline::{ALL_TIME, StateKind, Timeline};

use crate::PANTO;
use crate::mpis::{self, Mpi};
use crate::scene::Scene;

/// Programs with messages of all kinds: blocking and not, persistent, matched by probes and
/// wildcards, in communicators of their own, between languages.
const PROGRAMS: [&str; 8] =
    ["stencil", "cholesky_fanout", "communicators", "completions", "modes", "polls", "wildcards", "ring_mpi"];

/// Messages by sender, receiver and bytes.
type Messages = BTreeMap<(u32, u32, u64), u64>;

/// Returns the point-to-point messages of a timeline.
fn messages(timeline: &Timeline) -> Messages {
    let mut all = Messages::new();
    for message in timeline.messages(&ALL_TIME) {
        let message = message.expect("sound");
        assert!(message.sent <= message.received, "{message:?}");
        if message.kind == 0 {
            *all.entry((message.from, message.to, message.bytes)).or_default() += 1;
        }
    }
    all
}

fn panto(line: &str, folder: &Path) -> String {
    let output = Command::new(PANTO).current_dir(folder).args(line.split_whitespace()).output();
    let output = output.expect("it is built");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {text}");
    text
}

/// The simulator matches messages by code of its own.
fn has_the_messages_of_a_prediction(mpi: &Mpi, program: &str) {
    let Some(app) = mpi.app(program) else { return };
    let scene = Scene::new();
    scene.trace("--stamps", mpi, 4, &app).run().succeeds();
    let folder = scene.path("");
    let notes = panto("export app.panto -o measured.ptl", &folder);
    for doubt in ["before they were sent", "not drawn", "without their messages"] {
        assert!(!notes.contains(doubt), "{program} on {}: {notes}", mpi.name);
    }
    panto("simulate app.panto --machine infiniband --timeline predicted.ptl", &folder);
    let [measured, predicted] = ["measured.ptl", "predicted.ptl"]
        .map(|file| Timeline::open(&scene.path(file)).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(messages(&measured), messages(&predicted), "{program} on {}", mpi.name);
    assert_eq!(measured.about().fact("run"), Some("measured"));
}

#[test]
fn on_mpich() {
    for program in PROGRAMS {
        has_the_messages_of_a_prediction(&mpis::MPICH, program);
    }
}

#[test]
fn on_open_mpi() {
    for program in PROGRAMS {
        has_the_messages_of_a_prediction(&mpis::OPEN_MPI, program);
    }
}

/// Errors of rounding do not add up: ranks of one host share its clock.
#[test]
fn clocks_of_ranks_agree_in_a_long_run() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("stencil") else { return };
    let scene = Scene::new();
    scene.trace("--stamps", &mpi, 2, &app).words("-i 20000").run().succeeds();
    let notes = panto("export app.panto -o measured.ptl", &scene.path(""));
    assert!(!notes.contains("before they were sent"), "{notes}");
}

/// States of a rank cover its time from the end of `MPI_Init` to `MPI_Finalize`.
#[test]
fn states_follow_each_other_without_gaps() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("compute") else { return };
    let scene = Scene::new();
    scene.trace("--stamps", &mpi, 2, &app).words("-w 1 -b 10").run().succeeds();
    panto("export app.panto -o measured.ptl", &scene.path(""));
    let timeline = Timeline::open(&scene.path("measured.ptl")).expect("a timeline");
    for rank in 0..2 {
        let states: Vec<_> = timeline.states(rank, &ALL_TIME).map(|state| state.expect("sound")).collect();
        assert!(states.windows(2).all(|pair| pair[0].to == pair[1].from), "{states:?}");
        let is_block = |state: &&panto_timeline::State| {
            state.kind == StateKind::Compute && state.length().as_secs() >= 0.001
        };
        assert!(states.iter().filter(is_block).count() >= 10, "{states:?}");
    }
}
