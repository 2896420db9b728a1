//! `panto tune`: the library's algorithms are measured, and the files that it writes are those that
//! the library reads.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use panto_mpi::SelectionTrees;
use panto_tune::open_mpi::Number;
use panto_tune::{SizeChoice, Summary, Timing, TunedCollective, Tuning, mpich, open_mpi};
use serde_json::Value;

use crate::job::Job;
use crate::mpis::{self, Mpi};
use crate::{PANTO, alone, on};

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("written");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns a tuning that chooses an algorithm of allreduce on two ranks, from 64 B on.
fn chosen(algorithm: &str) -> Tuning {
    let time = |nanos| Timing { median_ns: nanos, low_ns: nanos, high_ns: nanos };
    let size = |bytes, chosen: Option<&str>| {
        let chosen = chosen.map(|name| (name.to_owned(), time(1.0)));
        SizeChoice { bytes, default: time(2.0), chosen, candidates: 3 }
    };
    let sizes = vec![size(8, None), size(64, Some(algorithm))];
    Tuning { ranks: 2, collectives: vec![TunedCollective { name: "allreduce".into(), sizes }] }
}

/// A job that measures allreduce by the library's own choice.
fn own_choice(mpi: &Mpi, output: &Path) -> Job {
    let line = "bench scenario/only --collective allreduce --sizes 8,1K --impl library:default --from 2 -t 500ms --force -o";
    mpi.job(2).words(line).arg(output)
}

/// Every algorithm that can be selected is measured, and the directory has the result.
#[test]
fn the_algorithms_of_each_library_are_measured() {
    for (mpi, algorithms) in [
        (mpis::MPICH, ["recursive_doubling", "reduce_scatter_allgather"]),
        (mpis::MPICH_5, ["recursive_doubling", "ring"]),
        (mpis::OPEN_MPI, ["ring", "segmented_ring:8192"]),
    ] {
        if !mpi.is_installed() {
            continue;
        }
        let folder = tempfile::tempdir().expect("a directory");
        let tuned = folder.path().join("tuned");
        let line = format!("tune --collective allreduce,reduce --sizes 64,32K -t 2s -o {}", tuned.display());
        let job = on(&mpi, 2, &line);
        let text = job.succeeds();
        assert!(text.contains("allreduce on 2 ranks of") && text.contains(" sizes "), "{text}");
        let measured = lines(&tuned.join("measured.jsonl"));
        for name in ["default"].into_iter().chain(algorithms) {
            let name = format!("library:{name}");
            let has = measured.iter().any(|line| line["params"]["implementation"] == *name);
            assert!(has, "{}: no {name}: {measured:#?}", mpi.name);
        }
        let summary = document(&tuned.join("tuning.json"));
        assert_eq!(summary["ranks"], 2);
        let is_changed = text.contains("environment.sh");
        assert_eq!(tuned.join("environment.sh").exists(), is_changed, "{text}");
        // What was measured is not replaced by accident.
        let again = on(&mpi, 2, &line);
        assert!(again.stderr.contains("--force"), "{}", again.stderr);
    }
}

fn document(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("written")).expect("JSON")
}

/// MPICH reads the trees: with an algorithm that it has it runs, and with another it refuses.
#[test]
fn mpich_reads_its_selection_trees() {
    for mpi in [mpis::MPICH, mpis::MPICH_5].iter().filter(|mpi| mpi.is_installed()) {
        let folder = tempfile::tempdir().expect("a directory");
        let output = folder.path().join("run.jsonl");
        own_choice(mpi, &output).run().succeeds();
        let library = PathBuf::from(lines(&output)[0]["mpi"]["path"].as_str().expect("a path"));
        let trees = SelectionTrees::read(&library).expect("MPICH has trees");
        let job = |algorithm: &str| {
            let (tuning, scope) = (chosen(algorithm), mpich::Scope::Ranks);
            let general = mpich::general(&trees.general, &tuning, scope).expect("it has allreduce");
            let file = folder.path().join("mpich.json");
            std::fs::write(&file, general).expect("written");
            let mut job = own_choice(mpi, &output).env("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", &file);
            let shared = trees.shared_memory.as_deref();
            if let Some(shared) = shared.and_then(|tree| mpich::shared_memory(tree, &tuning, scope)) {
                let file = folder.path().join("shared.json");
                std::fs::write(&file, shared).expect("written");
                job = job.env("MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE", &file);
            }
            job.run()
        };
        job("recursive_doubling").succeeds();
        assert_ne!(job("no_such_algorithm").code, Some(0), "{}", mpi.name);
    }
}

/// Open MPI reads the rules: with an algorithm that it has it runs, and with another it fails at
/// the sizes of the rule.
#[test]
fn open_mpi_reads_its_rules() {
    let mpi = mpis::OPEN_MPI;
    if !mpi.is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let output = folder.path().join("run.jsonl");
    let absent = |algorithm: i32| {
        let rules = open_mpi::rules(&chosen("x"), &|_, _| Some(Number { algorithm, segment: 0 }));
        let file = folder.path().join("openmpi.rules");
        std::fs::write(&file, rules).expect("written");
        own_choice(&mpi, &output).env("OMPI_MCA_coll_tuned_dynamic_rules_filename", &file).run().succeeds();
        let is_absent = |line: &&Value| line["absent"].is_string() && line["provisional"] != true;
        let lines = lines(&output);
        lines
            .iter()
            .filter(is_absent)
            .filter_map(|line| line["params"]["bytes"].as_u64())
            .collect::<Vec<u64>>()
    };
    assert_eq!(absent(4), Vec::<u64>::new());
    assert_eq!(absent(99), [1024]);
}

/// Runs `panto` with the words of a line and a launcher of two ranks behind them.
fn with_launcher(mpi: &Mpi, line: &str) -> Output {
    let mut command = Command::new(PANTO);
    command.args(line.split_whitespace()).arg("--").args(mpi.launch_words(2)).envs(mpis::ENVIRONMENT);
    command.output().expect("the binary starts")
}

/// With a launcher after `--`, jobs are started.
#[test]
fn a_launcher_is_started() {
    let mpi = mpis::MPICH;
    if !mpi.is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let tuned = folder.path().join("tuned");
    let line = format!("tune --collective allreduce --sizes 64,512 -t 2s -o {}", tuned.display());
    let output = with_launcher(&mpi, &line);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{text}");
    assert!(text.contains("allreduce on 2 ranks of MPICH"), "{text}");
    assert_eq!(text.contains("check: 7 launches"), text.contains("environment.sh"), "{text}");
    let output = alone("tune");
    assert!(String::from_utf8_lossy(&output.stderr).contains("panto tune -- mpirun -n 4"));
}

/// The check starts jobs with and without the files: one that the library refuses fails the job
/// with it, and not the one without.
#[test]
fn a_tuning_is_checked_with_and_without_its_files() {
    let mpi = mpis::OPEN_MPI;
    if !mpi.is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let checked = |algorithm: i32| {
        let rules = open_mpi::rules(&chosen("x"), &|_, _| Some(Number { algorithm, segment: 0 }));
        let file = folder.path().join("openmpi.rules");
        std::fs::write(&file, rules).expect("written");
        let variable = "OMPI_MCA_coll_tuned_dynamic_rules_filename";
        let summary = Summary {
            library: "Open MPI".into(),
            is_simulated: false,
            nodes: 1,
            environment: [(variable.to_owned(), file.display().to_string())].into(),
            tuning: chosen("x"),
        };
        let json = serde_json::to_string(&summary).expect("JSON");
        std::fs::write(folder.path().join("tuning.json"), json).expect("written");
        with_launcher(&mpi, &format!("tune -t 1s --check {}", folder.path().display()))
    };
    let output = checked(4);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{text}");
    assert!(text.contains("check: 7 launches") && text.contains(" of 1 tuned sizes"), "{text}");
    let has_times = |name: &str| {
        let lines = lines(&folder.path().join(name));
        lines.iter().filter(|line| line["samples_ns"].as_array().is_some_and(|it| !it.is_empty())).count()
            >= 7
    };
    assert!(has_times("check-default.jsonl") && has_times("check-tuned.jsonl"));
    // The tuned jobs have no times with an algorithm that does not exist, and the others have.
    checked(99);
    assert!(has_times("check-default.jsonl") && !has_times("check-tuned.jsonl"));
}

/// A machine that is not there is tuned by simulation. The rules are those of a model, and faster.
#[test]
fn a_simulated_machine_is_tuned() {
    let folder = tempfile::tempdir().expect("a directory");
    let tuned = folder.path().join("tuned");
    let line =
        format!("tune --on infiniband -n 16 --collective allreduce --sizes 8,512 -o {}", tuned.display());
    let output = alone(&line);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("recursive-doubling") && text.contains("exact"), "{text}");
    let rules = std::fs::read_to_string(tuned.join("openmpi.rules")).expect("written");
    assert!(
        rules.starts_with("1 # collectives\n2 # allreduce\n") && rules.contains(" 3 0 0 # recursive"),
        "{rules}"
    );
    let time = |options: &str| {
        let line = format!(
            "bench scenario/only --on infiniband -n 16 --from 16 --collective allreduce --sizes 512 {options}"
        );
        let output = alone(&format!("{line} --format json"));
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        value["points"][0]["summary"]["median_ns"].as_f64().expect("a time")
    };
    let rules = format!("--set collectives.rules={}", tuned.join("panto.rules").display());
    assert!(time(&rules) < 0.95 * time(""), "{text}");
    // A simulation cannot be checked by real jobs.
    let output = alone(&format!("tune --check {} -- mpirun -n 2", tuned.display()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("without the machine"));
}
