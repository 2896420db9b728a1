//! Whichever process is killed, a trace of whole blocks remains, or the files to combine into one.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use panto_trace::Trace;

use crate::job::{Running, signal, until};
use crate::mpis::Mpi;
use crate::{Scene, USUAL, calls, said, says, simulates};

pub const LIMIT: Duration = Duration::from_secs(120);

/// The name of the program that exchanges messages until it is killed.
pub const ENDLESS: &str = "long_run";

/// Runs a check on both MPIs of the system, with a program that never ends.
pub fn everywhere(check: impl Fn(&Mpi, &Path)) {
    for mpi in USUAL {
        if let Some(app) = mpi.app(ENDLESS) {
            check(&mpi, &app);
        }
    }
}

/// Waits until each rank has written some calls.
pub fn until_recorded(scene: &Scene, running: &mut Running, ranks: usize) {
    until("each rank has written calls", LIMIT, || {
        running.must_run();
        Trace::open(&scene.ranks()).is_ok_and(|trace| {
            let calls = calls(&trace);
            calls.len() == ranks && calls.iter().all(|calls| *calls > 0)
        })
    });
}

/// Asserts that the trace has calls of all ranks, and that all of them are readable.
pub fn is_sound(trace: &Trace, ranks: usize) {
    assert_eq!(trace.ranks().len(), ranks);
    for rank in trace.ranks() {
        let mut events = rank.events();
        let mut count = 0;
        while events.next().expect("sound").is_some() {
            count += 1;
        }
        assert!(count > 0 && count == rank.events_count(), "rank {}", rank.rank());
    }
}

#[test]
fn a_rank() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 3, app).start();
        until_recorded(&scene, &mut running, 3);
        signal(running.processes(ENDLESS)[1], "-KILL");
        let ended = running.end(LIMIT);
        assert!(ended.code > Some(0), "{}: {ended:#?}", mpi.name);
        says(&ended, &["app.panto: 3 ranks, "]);
        is_sound(&scene.written(), 3);
        scene.is_tidy();
        simulates(&scene.file());
    });
}

/// The trace of a program that hangs shows the calls that led there.
#[test]
fn ranks_that_hang() {
    for mpi in USUAL {
        let Some(app) = mpi.app("stuck") else { continue };
        let scene = Scene::new();
        let mut running = scene.trace_on(&mpi, 2, &app).start();
        let exchanges = 100;
        until("each rank has written what it did", LIMIT, || {
            running.must_run();
            let recorded = Trace::open(&scene.ranks()).map(|trace| calls(&trace)).unwrap_or_default();
            recorded.len() == 2 && recorded.iter().all(|calls| *calls >= exchanges)
        });
        signal(running.launcher(), "-TERM");
        running.end(LIMIT);
        is_sound(&scene.written(), 2);
    }
}

#[test]
fn the_launcher() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 3, app).start();
        until_recorded(&scene, &mut running, 3);
        for pid in children(running.launcher()) {
            signal(pid, "-KILL");
        }
        let ended = running.end(LIMIT);
        assert_eq!(ended.code, Some(137), "{}: {ended:#?}", mpi.name);
        says(&ended, &["app.panto: 3 ranks, "]);
        is_sound(&scene.written(), 3);
        scene.is_tidy();
    });
}

/// Ctrl-C reaches the launcher and Panto, which are in one process group.
#[test]
fn everything_by_ctrl_c() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 3, app).in_a_group().start();
        until_recorded(&scene, &mut running, 3);
        interrupt_group(running.launcher());
        let ended = running.end(LIMIT);
        assert!(ended.code > Some(0), "{}: {ended:#?}", mpi.name);
        says(&ended, &["app.panto: 3 ranks, "]);
        is_sound(&scene.written(), 3);
        scene.is_tidy();
    });
}

/// A batch system sends SIGTERM to Panto alone, which forwards it to the program.
#[test]
fn panto_by_a_polite_signal() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 3, app).start();
        until_recorded(&scene, &mut running, 3);
        signal(running.launcher(), "-TERM");
        let ended = running.end(LIMIT);
        says(&ended, &["app.panto: 3 ranks, "]);
        until("no rank is left", LIMIT, || running.processes(ENDLESS).is_empty());
        is_sound(&scene.written(), 3);
        scene.is_tidy();
    });
}

/// When Panto itself is killed, the ranks' files remain and can be combined.
#[test]
fn panto_by_force() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 3, app).start();
        until_recorded(&scene, &mut running, 3);
        let mine = children(running.launcher());
        signal(running.launcher(), "-KILL");
        for pid in mine {
            signal(pid, "-KILL");
        }
        let ended = running.end(LIMIT);
        assert_eq!(ended.signal, Some(9), "{}: {ended:#?}", mpi.name);
        drop(running);
        simulates(&scene.ranks());
        scene.combine();
        is_sound(&scene.written(), 3);
    });
}

/// Each rank has its own `panto`, and one program is killed: the launcher ends the others,
/// sometimes before they can combine. Then the error names the folder of the files.
#[test]
fn a_rank_below_its_own_panto() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_in(mpi, 3, app).start();
        until_recorded(&scene, &mut running, 3);
        signal(running.processes(ENDLESS)[1], "-KILL");
        let ended = running.end(LIMIT);
        assert!(ended.code != Some(0), "{}: {ended:#?}", mpi.name);
        until("all are gone", LIMIT, || running.processes("panto").is_empty());
        if scene.file().exists() {
            is_sound(&scene.written(), 3);
        } else {
            assert!(said(&ended).iter().any(|line| line.contains("panto trace combine")), "{ended:#?}");
            is_sound(&Trace::open(&scene.ranks()).expect("a trace"), 3);
        }
    });
}

/// Returns the child processes of a process.
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("it runs").flatten();
    let lists = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Sends SIGINT to a process group, as a terminal does at Ctrl-C.
fn interrupt_group(group: u32) {
    let status = Command::new("kill").args(["-INT", "--", &format!("-{group}")]).status();
    assert!(status.expect("kill is there").success());
}
