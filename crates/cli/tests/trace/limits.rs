//! Full disks and file-size limits: the program continues, and the events recorded so far are kept.

use std::path::Path;
use std::process::Command;

use panto_trace::{RankTrace, Trace, key};

use crate::job::{Job, JobOutput, signal, until};
use crate::killed::{ENDLESS, LIMIT, everywhere, is_sound, until_recorded};
use crate::mpis::{self, Mpi};
use crate::{PANTO, Scene, USUAL, calls, says};

/// Returns a program with many calls whose times do not repeat: some hundred kilobytes per rank.
fn busy(mpi: &Mpi) -> Option<(std::path::PathBuf, [&'static str; 4])> {
    Some((mpi.app("stencil")?, ["-n", "16", "-i", "20000"]))
}

/// The limit of `ulimit -f`, set while the program runs: before that, MPIs need larger files than
/// the tracer.
#[test]
fn a_limit_to_the_size_of_files() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 2, app).start();
        until_recorded(&scene, &mut running, 2);
        let most = longest(&scene) + 4096;
        let has_stopped = |rank: &RankTrace| rank.metadata().get(key::STOPPED).is_some();
        until("recording has ended on all ranks", LIMIT, || {
            // Repeated, so that no process is missed.
            running.processes(ENDLESS).into_iter().for_each(|pid| limit(pid, most));
            Trace::open(&scene.ranks()).is_ok_and(|trace| trace.ranks().iter().all(has_stopped))
        });
        // The program continues until it is stopped.
        running.must_run();
        signal(running.launcher(), "-TERM");
        let ended = running.end(LIMIT);
        says(&ended, &["recording ended early on ranks 0-1", "File too large"]);
        assert!(calls(&scene.written()).iter().all(|calls| *calls > 0), "{}: {ended:#?}", mpi.name);
        scene.is_tidy();
    });
}

/// The length of the longest of the ranks' files.
fn longest(scene: &Scene) -> u64 {
    let entries = std::fs::read_dir(scene.ranks()).expect("it is there").flatten();
    let ranks = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "rank"));
    ranks.filter_map(|entry| Some(entry.metadata().ok()?.len())).max().expect("ranks")
}

/// Limits the size of the files that a process can write.
fn limit(pid: u32, bytes: u64) {
    let arguments = [format!("--pid={pid}"), format!("--fsize={bytes}")];
    assert!(Command::new("prlimit").args(arguments).status().expect("util-linux has it").success());
}

/// A limit of `ulimit -f` too small for the library is reported before the program runs.
#[test]
fn a_limit_to_the_size_of_all_files() {
    let scene = Scene::new();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 8; exec \"$@\"", "sh", PANTO, "trace", "-o"]).arg(scene.file());
    let ended = Job::new(command).words("-- touch").arg(scene.path("it-ran")).run();
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    says(&ended, &["cannot write", "File too large"]);
    scene.is_tidy();
}

/// Mounts a disk of this many kilobytes as `disk` in the scene's directory, for this command only;
/// `None`, with a note, where mounting is not allowed.
fn on_a_small_disk(scene: &Scene, options: &str, kilobytes: usize, command: &[&Path]) -> Option<JobOutput> {
    let disk = scene.path("disk");
    std::fs::create_dir_all(&disk).expect("writable");
    let mount = |then: &str| {
        format!("mount -t tmpfs -o size={kilobytes}k{options} none {} && {{ {then}; }}", disk.display())
    };
    let unshare = |text: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", text, "sh"]).envs(mpis::ENVIRONMENT);
        command
    };
    let allowed = unshare(&mount("true")).output().is_ok_and(|output| output.status.success());
    if !allowed {
        eprintln!("skipped: a disk cannot be mounted here, which takes the rights of root");
        return None;
    }
    let copy = format!("cp {}/app.panto {}", disk.display(), scene.file().display());
    let run = format!("\"$@\"; code=$?; {copy}; exit $code");
    let job =
        Job::new(unshare(&mount(&run))).arg(PANTO).words("trace -o").arg(disk.join("app.panto")).arg("--");
    Some(command.iter().fold(job, Job::arg).run())
}

/// Returns the size of the library in bytes.
fn library_size(scene: &Scene) -> usize {
    let ended = scene.trace("").words("sh -c").arg("stat -c %s \"$PANTO_TRACE_DIR\"/*.so").run();
    ended.stdout.trim().parse().unwrap_or_else(|_| panic!("{ended:#?}"))
}

/// The disk has room for the library and a block or two of each rank. The library is removed before
/// the trace is combined.
#[test]
fn a_full_disk() {
    for mpi in USUAL {
        let Some((app, options)) = busy(&mpi) else { continue };
        let scene = Scene::new();
        let words = mpi.launch_words(2);
        let words = words.iter().map(Path::new).chain([app.as_path()]).chain(options.map(Path::new));
        let kilobytes = library_size(&scene) / 1024 + 160;
        let Some(ended) = on_a_small_disk(&scene, "", kilobytes, &words.collect::<Vec<_>>()) else { return };
        assert_eq!(ended.code, Some(1), "{}: {ended:#?}", mpi.name);
        says(&ended, &["recording ended early on rank", "No space left on device"]);
        says(&ended, &["the program succeeded, but the trace lacks calls"]);
        assert!(calls(&scene.written()).iter().any(|calls| *calls > 0), "{}: {ended:#?}", mpi.name);
    }
}

/// The disk has room for the library, and for nothing else.
#[test]
fn a_disk_that_is_full_from_the_start() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let words = mpi.launch_words(2);
        let words = words.iter().map(Path::new).chain([app.as_path()]);
        let kilobytes = library_size(&scene).div_ceil(4096) * 4 + 4;
        let Some(ended) = on_a_small_disk(&scene, "", kilobytes, &words.collect::<Vec<_>>()) else { return };
        assert!(ended.code > Some(0), "{}: {ended:#?}", mpi.name);
        assert!(ended.stderr.contains("No space left on device"), "{}: {ended:#?}", mpi.name);
    }
}

/// The ranks' files are within the file-size limit, but the combined trace exceeds it.
#[test]
fn a_trace_that_does_not_fit() {
    everywhere(|mpi, app| {
        let scene = Scene::new();
        let mut running = scene.trace_on(mpi, 2, app).start();
        until_recorded(&scene, &mut running, 2);
        limit(running.launcher(), 512);
        signal(running.launcher(), "-TERM");
        let ended = running.end(LIMIT);
        says(&ended, &["File too large", "panto trace combine"]);
        assert!(!scene.file().exists(), "{}", mpi.name);
        scene.combine();
        is_sound(&scene.written(), 2);
    });
}

/// On a disk mounted without permission to execute, the library is loaded from another one.
#[test]
fn a_disk_without_programs() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let words = mpi.launch_words(2);
        let words = words.iter().map(Path::new).chain([app.as_path()]);
        let Some(ended) = on_a_small_disk(&scene, ",noexec", 65536, &words.collect::<Vec<_>>()) else {
            return;
        };
        ended.succeeds();
        says(&ended, &["is mounted with noexec"]);
        says(&ended, &["app.panto: 2 ranks, "]);
    }
}
