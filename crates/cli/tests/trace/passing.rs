//! The program's own output and exit code pass through.

use std::fs;
use std::process::{Command, Stdio};

use crate::job::Job;
use crate::{PANTO, Scene, USUAL, mpis, on, said, says};

#[test]
fn a_traced_program_prints_what_it_prints_otherwise() {
    for mpi in mpis::ALL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let (plain, traced) = (on(&mpi, 3, &app).run(), scene.trace_on(&mpi, 3, &app).run());
        assert_eq!(traced.succeeds(), plain.succeeds(), "{}", mpi.name);
        assert_eq!(said(&traced).len(), 1, "{}: {traced:#?}", mpi.name);
        says(&traced, &["app.panto: 3 ranks, ", " events, ", "`panto info "]);
        let own: Vec<&str> = traced.stderr.lines().filter(|line| !line.starts_with("panto: ")).collect();
        assert_eq!(own, plain.stderr.lines().collect::<Vec<_>>(), "{}", mpi.name);
        assert!(scene.written().is_complete(), "{}", mpi.name);
        scene.is_tidy();
    }
}

/// The trace of an earlier run remains unless it is to be replaced, and the note names the new one.
#[test]
fn a_repeated_trace_has_a_name_of_its_own() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("hello") else { return };
    let scene = Scene::new();
    let run = |options: &str| {
        let mut command = Command::new(PANTO);
        command.arg("trace").args(options.split_whitespace()).arg("--").args(mpi.launch_words(1)).arg(&app);
        command.current_dir(scene.folder.path()).envs(mpis::ENVIRONMENT);
        let ended = Job::new(command).run();
        ended.succeeds();
        ended
    };
    says(&run(""), &["wrote hello.panto: "]);
    let first = fs::read(scene.path("hello.panto")).expect("a trace");
    let second = run("");
    says(&second, &["hello.panto exists", "will be hello-2.panto", "--force"]);
    says(&second, &["wrote hello-2.panto: "]);
    assert_eq!(fs::read(scene.path("hello.panto")).expect("still there"), first);
    says(&run("--force"), &["wrote hello.panto: "]);
    assert!(!scene.path("hello-3.panto").exists());
}

/// A rank that exits without `MPI_Finalize`, and one that aborts the job. If several ranks exit
/// like that, MPICH's launcher returns the code of one, or of the signal it sent to another.
#[test]
fn exit_codes_pass_through_the_launcher() {
    for mpi in USUAL {
        for (name, ranks) in [("early_exit", 1), ("abort", 2)] {
            let Some(app) = mpi.app(name) else { continue };
            let scene = Scene::new();
            let (plain, traced) = (on(&mpi, ranks, &app).run(), scene.trace_on(&mpi, ranks, &app).run());
            assert!(plain.code != Some(0), "{}: {plain:#?}", mpi.name);
            assert_eq!(traced.code, plain.code, "{} on {}: {traced:#?}", app.display(), mpi.name);
            // A rank that is killed by the other may have written nothing yet.
            assert!(crate::calls(&scene.written()).iter().any(|calls| *calls > 0), "{traced:#?}");
            scene.is_tidy();
        }
    }
}

/// A program that ends by `_exit` has written all its calls, even in its first milliseconds. The
/// end of a child of `vfork`, which shares its memory, is not its own.
#[test]
fn nothing_is_lost_by_an_exit_at_once() {
    for mpi in USUAL {
        let Some(app) = mpi.app("early_exit") else { continue };
        let (usual, at_once) = (Scene::new(), Scene::new());
        let ended = usual.trace_on(&mpi, 1, &app).run();
        let ended_at_once = at_once.trace_on(&mpi, 1, &app).arg("--at-once").run();
        assert_eq!(ended_at_once.code, ended.code, "{}: {ended_at_once:#?}", mpi.name);
        assert_eq!(crate::calls(&at_once.written()), crate::calls(&usual.written()), "{}", mpi.name);
        says(&ended_at_once, &["recording ended early on rank 0: the program ended without MPI_Finalize"]);
    }
}

/// A program that ends by `MPI_Abort` with code 0 succeeds, inside the launcher and outside of it:
/// the calls until then are in the trace.
#[test]
fn an_abort_with_code_0_is_a_success() {
    for mpi in USUAL {
        let Some(app) = mpi.app("abort") else { continue };
        let codes = ["-c", "0"];
        let (outer, inner) = (Scene::new(), Scene::new());
        let job = codes.into_iter().fold(outer.trace_on(&mpi, 3, &app), Job::arg);
        let ended = job.run();
        assert_eq!(ended.code, Some(0), "{}: {ended:#?}", mpi.name);
        says(&ended, &["recording ended early on rank 2: MPI_Abort"]);
        outer.is_tidy();
        let ended = codes.into_iter().fold(inner.trace_in(&mpi, 3, &app), Job::arg).run();
        assert_eq!(ended.code, Some(0), "{}: {ended:#?}", mpi.name);
    }
}

#[test]
fn exit_codes_and_signals_pass_without_a_launcher() {
    let scene = Scene::new();
    for (script, code) in [("exit 7", 7), ("exit 0", 2), ("kill -9 $$", 137), ("kill -TERM $$", 143)] {
        let ended = scene.trace("").words("sh -c").arg(script).run();
        assert_eq!(ended.code, Some(code), "{script}: {ended:#?}");
        scene.is_tidy();
    }
}

/// Standard input and output pass through as bytes, not as text.
#[test]
fn input_and_output_are_the_programs() {
    let scene = Scene::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    fs::write(scene.path("input"), &bytes).expect("writable");
    let input = fs::File::open(scene.path("input")).expect("written");
    let mut command = Command::new(PANTO);
    command.args(["trace", "-o"]).arg(scene.file()).args(["--", "cat"]);
    let output = command.stdin(input).stderr(Stdio::null()).output().expect("it starts");
    assert_eq!(output.stdout, bytes);
}

/// Libraries in the user's `LD_PRELOAD` stay, after the tracer's.
#[test]
fn libraries_that_are_preloaded_already_stay_so() {
    let scene = Scene::new();
    let job = scene.trace("").env("LD_PRELOAD", "/no/such/library.so");
    let ended = job.words("sh -c").arg("echo $LD_PRELOAD").run();
    assert!(ended.stdout.trim_end().ends_with(".so:/no/such/library.so"), "{ended:#?}");
}

/// Open MPI refuses to run with both its own list of variables and `-x`.
#[test]
fn options_of_the_launcher_still_work() {
    let mpi = mpis::OPEN_MPI;
    let Some(app) = mpi.app("hello") else { return };
    let scene = Scene::new();
    let mut words = mpi.launch_words(2);
    words.splice(1..1, ["-x", "HOME"].map(Into::into));
    words.into_iter().fold(scene.trace(""), Job::arg).arg(&app).run().succeeds();
    assert!(scene.written().is_complete());
}
