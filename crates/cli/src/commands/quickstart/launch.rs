//! A real MPI program, where there is an MPI: Panto itself, which carries the program's messages out over it, is traced.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use panto_trace::{RankTrace, Trace};
use rustix::process::{Pid, Signal, kill_process};

use super::predict;
use crate::failure::Failure;

/// What came of it.
pub struct Launched {
    /// The launcher.
    pub launcher: PathBuf,
    /// Seconds for each machine, by name.
    pub seconds: Vec<(String, f64)>,
    /// Calls that were recorded, on all ranks together.
    pub calls: u64,
}

/// It takes a second or two; a launcher that waits for something is not waited for.
const PATIENCE: Duration = Duration::from_secs(20);
const RANKS: usize = 2;

/// The launchers of this machine, the one that the shell would start first. Names of one and the same program count once.
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

/// Why a launcher is left out, in a line. Open MPI starts nothing for root, and that is root's to change.
pub fn refusal(failure: &Failure) -> String {
    let text = failure.to_string();
    if text.contains(" as root") { format!("{text} {AS_ROOT}") } else { text }
}

const AS_ROOT: &str =
    "Run it as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1.";

/// Traces two processes of an MPI job, and predicts them.
pub fn trace(
    launcher: &Path,
    program: &Path,
    trace: &Path,
    machines: &[predict::Wanted],
) -> Result<Launched, Failure> {
    run(launcher, program, trace)?;
    let mut seconds = Vec::new();
    for machine in machines {
        let (case, replay) = predict::open(machine.load, trace, RANKS)?;
        let prediction = predict::predict(&case, &replay, None, machine.name)?;
        seconds.push((machine.name.to_owned(), prediction.time().as_secs()));
    }
    let calls = Trace::open(trace)?.ranks().iter().map(RankTrace::events_count).sum();
    Ok(Launched { launcher: launcher.to_owned(), seconds, calls })
}

/// `panto trace -- mpirun -n 2 panto perform program`.
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
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if Instant::now() > deadline {
            // Asked to end, it ends the job as well.
            let _ = Pid::from_raw(child.id() as i32).map(|pid| kill_process(pid, Signal::TERM));
            let _ = child.wait();
            return Err(Failure::Run(format!(
                "{} did not end within {}s",
                launcher.display(),
                PATIENCE.as_secs()
            )));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if status.success() && trace.exists() {
        return Ok(());
    }
    let mut said = String::new();
    if let Some(mut errors) = child.stderr.take() {
        let _ = std::io::Read::read_to_string(&mut errors, &mut said);
    }
    let line = said.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
    Err(Failure::Run(format!("{} failed: {}", launcher.display(), line.unwrap_or("without a word"))))
}
