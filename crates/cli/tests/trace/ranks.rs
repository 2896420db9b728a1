//! Panto starts the launcher or the launcher starts Panto, with any number of ranks.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::process::Command;

use crate::job::Job;
use crate::{CROWDED, PANTO, Scene, USUAL, calls, mpis, said, says};

/// Ranks that share one core evict each other's cache, so a hint suggests `--token`.
#[test]
fn ranks_that_share_a_core_are_told_of_tokens() {
    let core = first_core();
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        for (options, is_reported) in [("", true), ("--token", false)] {
            let scene = Scene::new();
            let mut command = Command::new("taskset");
            // Open MPI would bind two ranks to a core each, whatever the affinity of its launcher.
            command.args(["-c", &core]).arg(PANTO).env("OMPI_MCA_hwloc_base_binding_policy", "none");
            let job = scene.trace_by(command, options);
            let ended = mpi.launch_words(2).into_iter().fold(job, Job::arg).arg(&app).run();
            ended.succeeds();
            let hint = ended.stderr.lines().find(|line| line.contains(CROWDED));
            assert_eq!(hint.is_some(), is_reported, "{}: {ended:#?}", mpi.name);
            let is_right =
                |hint: &str| hint.starts_with("panto: 2 ranks shared 1 core of ") && hint.contains("--token");
            assert!(hint.is_none_or(is_right), "{}: {ended:#?}", mpi.name);
        }
    }
}

/// Returns the first core that this process may use.
fn first_core() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    list.trim().split([',', '-']).next().expect("a core").to_owned()
}

#[test]
fn each_rank_may_have_a_panto_of_its_own() {
    for mpi in mpis::ALL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let ended = scene.trace_in(&mpi, 4, &app).run();
        ended.succeeds();
        assert_eq!(said(&ended).len(), 1, "{}: {ended:#?}", mpi.name);
        says(&ended, &["app.panto: 4 ranks, "]);
        assert!(scene.written().is_complete(), "{}", mpi.name);
        scene.is_tidy();
    }
}

/// Both ways of starting record the same calls.
#[test]
fn it_does_not_matter_who_starts_whom() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let (outer, inner) = (Scene::new(), Scene::new());
        outer.trace_on(&mpi, 3, &app).run().succeeds();
        inner.trace_in(&mpi, 3, &app).run().succeeds();
        assert_eq!(calls(&outer.written()), calls(&inner.written()), "{}", mpi.name);
    }
}

#[test]
fn among_many_one_refuses_for_all() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        fs::write(scene.file(), "precious").expect("writable");
        let ended = scene.trace_in(&mpi, 3, &app).run();
        assert!(ended.code != Some(0), "{}: {ended:#?}", mpi.name);
        says(&ended, &["app.panto exists"]);
        assert_eq!(fs::read(scene.file()).expect("still there"), b"precious");
    }
}

/// Files of an earlier, killed run with the same names are replaced.
#[test]
fn an_earlier_run_that_was_cut_off_is_replaced() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        fs::create_dir(scene.ranks()).expect("writable");
        for name in ["0.rank", "1.rank", "7.rank", "0.done", "1.done", "combine.lock"] {
            fs::write(scene.ranks().join(name), "old").expect("writable");
        }
        let ended = scene.trace_in(&mpi, 2, &app).run();
        ended.succeeds();
        says(&ended, &["replacing the files of an earlier run"]);
        assert!(scene.written().is_complete(), "{}: {ended:#?}", mpi.name);
        scene.is_tidy();
    }
}

/// Another user who can write beside the trace must not choose what the program loads.
#[test]
fn a_planted_folder_is_refused() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        fs::create_dir(scene.ranks()).expect("writable");
        fs::set_permissions(scene.ranks(), fs::Permissions::from_mode(0o777)).expect("ours");
        let ended = scene.trace_in(&mpi, 2, &app).run();
        assert!(ended.code > Some(0), "{}: {ended:#?}", mpi.name);
        says(&ended, &["app.panto.ranks exists and can be written by every user", "load code"]);
        assert!(!scene.file().exists(), "{}", mpi.name);
    }
}

/// A library of the right name and length that a program would load is not trusted.
#[test]
fn a_planted_library_is_replaced() {
    let scene = Scene::new();
    let ended = scene.trace("").words("sh -c").arg("stat -c '%n %s' \"$LD_PRELOAD\"").run();
    let (library, length) = ended.stdout.trim().rsplit_once(' ').unwrap_or_else(|| panic!("{ended:#?}"));
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        fs::DirBuilder::new().mode(0o700).create(scene.ranks()).expect("writable");
        fs::write(library, vec![0; length.parse().expect("a number")]).expect("writable");
        scene.trace_in(&mpi, 2, &app).run().succeeds();
        assert!(scene.written().is_complete(), "{}", mpi.name);
        fs::remove_file(scene.file()).expect("written");
    }
}

/// In a folder that every user can write, the library is loaded from a private one.
#[test]
fn a_folder_that_others_can_write_holds_no_library() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        fs::set_permissions(scene.folder.path(), fs::Permissions::from_mode(0o777)).expect("ours");
        let ended = scene.trace_on(&mpi, 2, &app).run();
        ended.succeeds();
        says(&ended, &["can be written by every user", "the tracer is in "]);
        assert!(scene.written().is_complete(), "{}", mpi.name);
        scene.is_tidy();
    }
}

#[test]
fn one_process_reports_that_no_rank_called_mpi() {
    for mpi in USUAL {
        let Some(app) = mpi.app("sequential") else { continue };
        let scene = Scene::new();
        let ended = scene.trace_in(&mpi, 3, &app).run();
        assert!(ended.code != Some(0), "{}: {ended:#?}", mpi.name);
        says(&ended, &["no rank called MPI_Init"]);
        scene.is_tidy();
    }
}

#[test]
fn sixty_four_ranks() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let ended = scene.trace_on(&mpi, 64, &app).run();
        ended.succeeds();
        let trace = scene.written();
        assert!(trace.is_complete() && trace.size() == 64, "{}: {ended:#?}", mpi.name);
    }
}

#[test]
fn the_ranks_own_files_can_be_kept() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let words = mpi.launch_words(2);
        words.into_iter().fold(scene.trace("--keep"), Job::arg).arg(&app).run().succeeds();
        let mut kept: Vec<_> =
            fs::read_dir(scene.ranks()).expect("kept").flatten().map(|entry| entry.file_name()).collect();
        kept.sort();
        assert_eq!(kept, ["0.rank", "1.rank"], "{}", mpi.name);
        let whole = panto_trace::Trace::open(&scene.ranks()).expect("a trace");
        assert_eq!(calls(&whole), calls(&scene.written()), "{}", mpi.name);
    }
}

/// A script starts two programs, the second with more ranks: their files must not be combined.
#[test]
fn one_program_at_a_time() {
    for mpi in USUAL {
        let Some(app) = mpi.app("hello") else { continue };
        let scene = Scene::new();
        let program = |ranks| {
            let words = mpi.launch_words(ranks);
            let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            format!("{} {}", words.join(" "), app.display())
        };
        let script = format!("{} && {}", program(2), program(3));
        let ended = scene.trace("").words("sh -c").arg(script).run();
        assert_eq!(ended.succeeds(), "hello: 2 ranks\nhello: 3 ranks\n", "{}", mpi.name);
        says(&ended, &["several MPI programs"]);
        assert!(scene.written().size() == 2 && scene.written().is_complete(), "{}: {ended:#?}", mpi.name);
        scene.is_tidy();
    }
}
