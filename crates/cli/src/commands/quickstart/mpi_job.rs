//! Traces a real MPI job, if a launcher is installed: `panto perform` of the example program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use panto_report::present::MpiPrediction;
use panto_trace::{RankTrace, Trace};
use rustix::process::{Pid, Signal, kill_process};

use super::predict;
use crate::failure::Failure;

/// Time after which the job is stopped; it takes a second or two.
const TIMEOUT: Duration = Duration::from_secs(20);
const RANKS: usize = 2;

/// Returns the launchers in PATH, in the order of the shell; links to the same program count once.
pub fn launchers() -> Vec<PathBuf> {
    let places: Vec<PathBuf> = std::env::var_os("PATH")
        .iter()
        .flat_map(|path| std::env::split_paths(path).collect::<Vec<_>>())
        .collect();
    let is_there = |name: &str| places.iter().map(|place| place.join(name)).find(|path| path.is_file());
    let mut programs = BTreeSet::new();
    let found = ["mpirun", "mpiexec", "mpiexec.mpich", "mpiexec.hydra"].into_iter().filter_map(is_there);
    found.filter(|path| programs.insert(path.canonicalize().unwrap_or_else(|_| path.clone()))).collect()
}

/// Returns why a launcher is skipped, in a line; for Open MPI's refusal to run as root with a
/// remedy.
pub fn skip_reason(failure: &Failure) -> String {
    let text = failure.to_string();
    if text.contains(" as root") { format!("{text} {AS_ROOT}") } else { text }
}

const AS_ROOT: &str =
    "Run it as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1.";

/// Traces an MPI job of two processes, and predicts it on the machines.
pub fn trace(
    launcher: &Path,
    program: &Path,
    trace: &Path,
    machines: &[predict::MachineRef<'_>],
) -> Result<MpiPrediction, Failure> {
    run(launcher, program, trace)?;
    let mut times = Vec::new();
    for machine in machines {
        let (case, replay) = predict::open(machine.model, trace, RANKS)?;
        let prediction = predict::predict(&case, &replay, None, machine.name)?;
        times.push((machine.name.to_owned(), prediction.time().as_secs()));
    }
    let calls = Trace::open(trace)?.ranks().iter().map(RankTrace::events_count).sum();
    Ok(MpiPrediction { launcher: launcher.to_owned(), times, calls })
}

/// Runs `panto trace -- mpirun -n 2 panto perform program`.
fn run(launcher: &Path, program: &Path, trace: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Run(format!("{}: {error}", launcher.display()));
    let panto = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(&panto);
    command
        .args(["trace", "--force", "-o"])
        .arg(trace)
        .arg("--")
        .arg(launcher)
        .args(["-n", &RANKS.to_string()]);
    command.arg(&panto).arg("perform").arg(program).args([
        "--on",
        "mpi",
        "--computation",
        "busy",
        "--format",
        "json",
    ]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let deadline = Instant::now() + TIMEOUT;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if Instant::now() > deadline {
            // On SIGTERM, `panto trace` ends the job as well.
            let _ = Pid::from_raw(child.id() as i32).map(|pid| kill_process(pid, Signal::TERM));
            let _ = child.wait();
            return Err(Failure::Run(format!(
                "{} did not finish within {}s",
                launcher.display(),
                TIMEOUT.as_secs()
            )));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if status.success() && trace.exists() {
        return Ok(());
    }
    let mut stderr = String::new();
    if let Some(mut errors) = child.stderr.take() {
        let _ = std::io::Read::read_to_string(&mut errors, &mut stderr);
    }
    let line = stderr.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
    Err(Failure::Run(format!("{} failed: {}", launcher.display(), line.unwrap_or("no error message"))))
}
