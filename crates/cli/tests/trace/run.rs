//! `panto run`: programs inside a simulated machine, on real MPIs.

use std::process::Command;

use crate::job::{Job, JobOutput, signal};
use crate::killed::{ENDLESS, LIMIT, until_recorded};
use crate::{PANTO, Scene, USUAL, calls, mpis};
use panto_testkit::jobs::mpis::Mpi;

/// A machine whose times are known: a message takes a microsecond and a nanosecond per byte, and
/// nothing else takes time.
const PLAIN: &str = r#"name = "plain"

[network]
topology = "complete"
processors = 16
switching = "packet"

[network.link]
latency = "1us"
per-byte = "1ns"

[send]
standard = "eager"
limit = "64KiB"
"#;

impl Scene {
    /// Returns `panto run` of a program of `apps/` on `ranks` ranks of a machine.
    fn run(&self, mpi: &Mpi, ranks: usize, options: &str, app: &str) -> Option<Job> {
        let (app, arguments) = app.split_once(' ').unwrap_or((app, ""));
        let app = mpi.app(app)?;
        std::fs::write(self.path("plain.toml"), PLAIN).expect("a file");
        let mut command = Command::new(PANTO);
        command.current_dir(self.folder.path()).envs(mpis::ENVIRONMENT);
        command.arg("run").args(options.split_whitespace()).arg("--");
        let job = mpi.launch_words(ranks).into_iter().fold(Job::new(command), Job::arg).arg(app);
        Some(job.words(arguments))
    }
}

fn contains(ended: &JobOutput, text: &str) {
    assert!(ended.stdout.contains(text) || ended.stderr.contains(text), "no `{text}` in {ended:#?}");
}

/// On 2 ranks: a message of 100 bytes takes 1,100 ns, whatever the form of its calls.
#[test]
fn the_program_prints_the_times_of_the_machine() {
    for mpi in mpis::ALL {
        let scene = Scene::new();
        let options = "-m plain.toml --computation none --sharing none";
        let Some(job) = scene.run(&mpi, 2, options, "virtual_time -b 100") else { continue };
        let ended = job.run();
        ended.succeeds();
        contains(&ended, "ping-pong 1100.000 ns, ring 1100.000 ns, halo 1100.000 ns");
        contains(&ended, "virtual_time.panto on plain: 2 ranks on 2 processors");
    }
}

/// Sleeping takes no real time, and all clocks agree on how long it was. The computation of such a
/// run contains it once.
#[test]
fn the_clocks_of_the_system_are_in_virtual_time() {
    let lines = [
        "sleep: 2000000 us by MPI, 2000000 us by clock_gettime, 2000000 us by gettimeofday",
        "usleep: 2500 us by MPI, 2500 us by clock_gettime, 2500 us by gettimeofday",
        "nanosleep: 1500 us by MPI, 1500 us by clock_gettime, 1500 us by gettimeofday",
        "clock_nanosleep: 250 us by MPI, 250 us by clock_gettime, 250 us by gettimeofday",
        "until: 3600000000 us by MPI, 3600000000 us by clock_gettime, 3600000000 us by gettimeofday",
    ];
    for mpi in mpis::ALL {
        let scene = Scene::new();
        for options in
            ["--computation none -o run.panto", "--computation run.panto", "--speed 0.5 --computation none"]
        {
            let options = format!("-m plain.toml {options}");
            let Some(job) = scene.run(&mpi, 2, &options, "system_clocks --long") else { break };
            let ended = job.run();
            ended.succeeds();
            for line in lines {
                contains(&ended, line);
            }
        }
        let options = "-m plain.toml --computation none --clocks mpi";
        let Some(job) = scene.run(&mpi, 2, options, "system_clocks") else { continue };
        let ended = job.run();
        ended.succeeds();
        contains(&ended, "nanosleep: 0 us by MPI");
    }
}

/// The report of a command that prints JSON, perhaps after the output of a program.
fn report(output: &str) -> serde_json::Value {
    let json = output.find('{').map_or("", |start| &output[start..]);
    serde_json::from_str(json).expect("a report")
}

/// Returns the report of `panto simulate` for the scene's trace.
fn simulated(scene: &Scene, machine: &str) -> serde_json::Value {
    let mut command = Command::new(PANTO);
    command.arg("simulate").arg(scene.file()).args(["-m", machine, "--format", "json"]);
    let ended = Job::new(command).run();
    ended.succeeds();
    report(&ended.stdout)
}

/// The trace of another run gives the computation: both commands then simulate the same calls.
#[test]
fn a_recorded_program_takes_as_long_as_its_simulation() {
    for mpi in USUAL {
        for app in
            ["stencil", "mergesort", "transpose", "wavefront", "types", "onesided", "neighbours", "files"]
        {
            takes_as_long_as_its_simulation(&mpi, app);
        }
    }
}

/// Threads that call one after the other share the clock of their rank.
#[test]
fn threads_that_call_in_turn_take_as_long_as_their_simulation() {
    for mpi in USUAL {
        takes_as_long_as_its_simulation(&mpi, "turns");
    }
}

fn takes_as_long_as_its_simulation(mpi: &Mpi, app: &str) {
    let scene = Scene::new();
    let Some(program) = mpi.app(app) else { return };
    scene.trace_on(mpi, 4, &program).run().succeeds();
    let options = "-m infiniband --computation app.panto -o run.panto --format json";
    let Some(job) = scene.run(mpi, 4, options, app) else { return };
    let ended = job.run();
    ended.succeeds();
    let simulated = simulated(&scene, "infiniband");
    assert_eq!(report(&ended.stdout)["time_s"], simulated["time_s"], "{app} on {}", mpi.name);
}

/// The tracer keeps the time of a DAXPY, by which `simulate` and `run` know how much slower an old
/// machine computes.
#[test]
fn an_old_machine_computes_as_slowly_as_its_daxpy() {
    let (scene, mpi) = (Scene::new(), mpis::MPICH);
    let Some(program) = mpi.app("wavefront") else { return };
    scene.trace_on(&mpi, 2, &program).run().succeeds();
    let mut info = Command::new(PANTO);
    info.arg("info").arg(scene.file());
    let info = Job::new(info).run();
    assert!(info.stdout.contains("for an element of a DAXPY in the cache"), "{}", info.stdout);
    let simulated = simulated(&scene, "ipsc860");
    let slow = "times as fast as on the traced computer: an element of a DAXPY takes ";
    let first = simulated["assumed"][0].as_str().expect("text");
    assert!(first.starts_with("computation is 0.0") && first.contains(slow), "{first}");
    let options = "-m ipsc860 --computation app.panto --format json";
    let Some(job) = scene.run(&mpi, 2, options, "wavefront") else { return };
    let ended = job.run();
    ended.succeeds();
    assert_eq!(report(&ended.stdout)["time_s"], simulated["time_s"]);
}

/// The input of hpcc: a problem of order 200 on 2 x 2 ranks. It reads the first words of lines 3 to
/// 31, as HPL does, and after the separator those of its transposition.
const HPCC_INPUT: &str = "-\n-\nHPL.out\n8\n1\n200\n1\n80\n0\n1\n2\n2\n16.0\n1\n2\n1\n4\n1\n2\n1\n1\n1\n1\n1\n1\n2\n64\n0\n0\n1\n8\n-\n0\n1200\n0\n40\n";

/// The HPC Challenge benchmarks measure the machine that they are in: the same latency and
/// bandwidth as a ping-pong of our own.
#[test]
fn hpcc_measures_the_machine() {
    if !std::path::Path::new("/usr/bin/hpcc").exists() {
        return eprintln!("skipped: hpcc is not installed");
    }
    let mpi = mpis::OPEN_MPI;
    let scene = Scene::new();
    let options = "-m infiniband --computation none";
    let own = |bytes: u32| -> Option<f64> {
        let app = format!("virtual_time -b {bytes}");
        let ended = scene.run(&mpi, 2, options, &app)?.run();
        ended.succeeds();
        let (_, rest) = ended.stdout.split_once("ping-pong ")?;
        rest.split_once(" ns")?.0.parse().ok()
    };
    let Some((latency, long)) = own(8).zip(own(2_000_000)) else { return };
    std::fs::write(scene.path("hpccinf.txt"), HPCC_INPUT).expect("a file");
    let mut command = Command::new(PANTO);
    command.current_dir(scene.folder.path()).envs(mpis::ENVIRONMENT);
    command.arg("run").args(options.split_whitespace()).arg("--");
    mpi.launch_words(4).into_iter().fold(Job::new(command), Job::arg).arg("/usr/bin/hpcc").run().succeeds();
    let output = std::fs::read_to_string(scene.path("hpccoutf.txt")).expect("hpcc's output");
    let figure = |name: &str| -> f64 {
        let line = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_else(|| panic!("no {name} in {output}")).parse().expect("a number")
    };
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
    assert!(near(figure("MaxPingPongLatency_usec"), latency / 1e3), "{latency} ns: {output}");
    assert!(near(figure("MinPingPongBandwidth_GBytes"), 2e6 / long), "{long} ns: {output}");
}

/// Workers on processors of speeds 1, 2 and 4 (and the manager's) share the work in that ratio.
#[test]
fn work_is_divided_by_the_speeds_of_processors() {
    for mpi in USUAL {
        let scene = Scene::new();
        let options = "-m infiniband --speed 1,1,2,4";
        let Some(job) = scene.run(&mpi, 4, options, "virtual_time workers -n 140") else { continue };
        let ended = job.run();
        ended.succeeds();
        let done: Vec<f64> = ended
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("worker "))
            .map(|line| line[3..].parse().expect("a number"))
            .collect();
        assert!((done.iter().sum::<f64>() - 140.0).abs() < 0.5, "{ended:#?}");
        // 20, 40 and 80, but for the noise of measured computation.
        let near = |done: f64, expected: f64| (done / expected - 1.0).abs() < 0.3;
        assert!(near(done[0], 20.0) && near(done[1], 40.0) && near(done[2], 80.0), "{}: {done:?}", mpi.name);
        // The run is no repetition of another one.
        contains(&ended, "times as fast as on this computer");
        assert!(!ended.stdout.contains("traced"), "{}", ended.stdout);
    }
}

#[test]
fn requests_complete_in_the_order_of_virtual_time() {
    for mpi in USUAL {
        let scene = Scene::new();
        let Some(job) = scene.run(&mpi, 4, "-m ethernet10", "virtual_time completions") else { continue };
        let ended = job.run();
        ended.succeeds();
        contains(&ended, "first: rank 3");
    }
}

/// Large sends before any receive: a deadlock on the machine, whatever the real MPI does.
#[test]
fn a_deadlock_of_the_machine_is_named() {
    for mpi in USUAL {
        let scene = Scene::new();
        let options = "-m plain.toml --set send.standard=synchronous -o run.panto";
        let Some(job) = scene.run(&mpi, 3, options, "virtual_time deadlock -b 100") else { continue };
        let ended = job.run();
        assert_eq!(ended.code, Some(1), "{}: {ended:#?}", mpi.name);
        contains(&ended, "deadlock: rank 0 waits in call ");
        contains(&ended, "for rank 1 to receive");
        let eager =
            scene.run(&mpi, 3, "-m plain.toml --force", "virtual_time deadlock -b 100").expect("it is there");
        eager.run().succeeds();
    }
}

#[test]
fn what_cannot_run_is_refused_by_its_name() {
    for mpi in USUAL {
        let scene = Scene::new();
        let Some(job) = scene.run(&mpi, 2, "-m infiniband", "turns --overlap") else { continue };
        let ended = job.run();
        assert_eq!(ended.code, Some(1), "{}: {ended:#?}", mpi.name);
        contains(&ended, "MPI_Recv: another thread calls MPI while this call waits for other ranks");
    }
}

#[test]
fn a_program_that_fails_keeps_its_exit_code() {
    for mpi in USUAL {
        let scene = Scene::new();
        let Some(job) = scene.run(&mpi, 1, "-m infiniband -o run.panto", "early_exit") else { continue };
        let ended = job.run();
        assert_eq!(ended.code, Some(3), "{}: {ended:#?}", mpi.name);
        let trace = panto_trace::Trace::open(&scene.path("run.panto")).expect("a trace");
        assert!(calls(&trace)[0] > 0);
    }
}

#[test]
fn an_abort_is_no_deadlock() {
    for mpi in USUAL {
        let scene = Scene::new();
        let Some(job) = scene.run(&mpi, 3, "-m infiniband", "abort") else { continue };
        let ended = job.run();
        assert_eq!(ended.code, Some(5), "{}: {ended:#?}", mpi.name);
        contains(&ended, "no report: the program ended before all ranks had called MPI_Finalize");
        assert!(!ended.stderr.contains("deadlock"), "{ended:#?}");
    }
}

/// What happened until a rank was killed is in the timeline.
#[test]
fn the_timeline_of_a_run_that_is_killed() {
    for mpi in USUAL {
        let scene = Scene::new();
        let options = "-m infiniband -o app.panto --timeline run.ptl";
        let Some(job) = scene.run(&mpi, 3, options, ENDLESS) else { continue };
        let mut running = job.start();
        until_recorded(&scene, &mut running, 3);
        signal(running.processes(ENDLESS)[1], "-KILL");
        let ended = running.end(LIMIT);
        assert!(ended.code > Some(0), "{}: {ended:#?}", mpi.name);
        contains(&ended, "so that every receive has its send");
        let timeline = std::fs::metadata(scene.path("run.ptl")).expect("a timeline");
        assert!(timeline.len() > 1_000, "{} bytes", timeline.len());
    }
}

/// Wildcards, probes and tests: programs that check their own results.
#[test]
fn programs_that_depend_on_order_run_to_their_end() {
    for mpi in USUAL {
        for app in [
            "wildcards -n 20",
            "virtual_time overlap",
            "completions",
            "polls",
            "cholesky_fanout",
            "neighbours",
            "modes --whole",
            "communicators",
        ] {
            let scene = Scene::new();
            let Some(job) = scene.run(&mpi, 4, "-m infiniband", app) else { continue };
            job.run().succeeds();
        }
    }
}
