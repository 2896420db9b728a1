//! The launcher that started this process, by environment variables.

use std::fmt;

/// A program that starts the ranks of MPI jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Launcher {
    /// Open MPI's `mpirun`, or one that sets its variables.
    OpenMpi,
    /// Hydra: the `mpiexec` of MPICH, Intel MPI and MVAPICH; or another launcher with `PMI`.
    Hydra,
    /// MVAPICH's `mpirun_rsh`.
    Mvapich,
    /// Cray's `mpiexec`.
    Pals,
    /// `flux run`.
    Flux,
    /// `srun`.
    Slurm,
    /// A launcher with `PMIx` that sets nothing else, such as `prterun`.
    Pmix,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OpenMpi => "Open MPI's mpirun",
            Self::Hydra => "Hydra (mpiexec of MPICH and its kin)",
            Self::Mvapich => "MVAPICH's mpirun_rsh",
            Self::Pals => "Cray PALS",
            Self::Flux => "Flux",
            Self::Slurm => "Slurm's srun",
            Self::Pmix => "a PMIx launcher",
        })
    }
}

/// How this process was started as a rank of an MPI job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The launcher.
    pub launcher: Launcher,
    /// The rank, where the launcher sets it.
    pub rank: Option<usize>,
    /// The number of ranks, where the launcher sets it.
    pub size: Option<usize>,
}

/// How a launcher is recognised.
struct Sign {
    launcher: Launcher,
    /// The variable that must be set.
    marker: &'static str,
    rank: &'static str,
    size: &'static str,
}

/// `PMIx` launchers do not set the number of ranks.
const NO_SIZE: &str = "";

/// Launchers that take precedence over Slurm: those that reach other hosts through `srun` leave its
/// variables, too, and these count hosts, not ranks.
const BEFORE_SLURM: [Sign; 5] = [
    sign(Launcher::OpenMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    sign(Launcher::Mvapich, "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    sign(Launcher::Flux, "FLUX_TASK_RANK", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
    sign(Launcher::Hydra, "MPI_LOCALRANKID", "PMI_RANK", "PMI_SIZE"),
    sign(Launcher::Pmix, "PRTE_LAUNCHED", "PMIX_RANK", NO_SIZE),
];

/// Variables that Slurm sets, too, according to its `--mpi` option.
const AFTER_SLURM: [Sign; 3] = [
    sign(Launcher::Pals, "PALS_RANKID", "PALS_RANKID", "PMI_SIZE"),
    sign(Launcher::Hydra, "PMI_RANK", "PMI_RANK", "PMI_SIZE"),
    sign(Launcher::Pmix, "PMIX_RANK", "PMIX_RANK", NO_SIZE),
];

/// Variables with the number of a rank among those of its host.
const LOCAL_RANKS: [&str; 6] = [
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "FLUX_TASK_LOCAL_ID",
    "MPI_LOCALRANKID",
    "PALS_LOCAL_RANKID",
    "SLURM_LOCALID",
];

/// Returns the number of this process among the ranks of its host, where the launcher sets it.
pub fn local_rank() -> Option<usize> {
    let value = LOCAL_RANKS.iter().find_map(|name| std::env::var(name).ok())?;
    value.trim().parse().ok()
}

const fn sign(launcher: Launcher, marker: &'static str, rank: &'static str, size: &'static str) -> Sign {
    Sign { launcher, marker, rank, size }
}

/// The step that is the shell of `salloc`: `SLURM_INTERACTIVE_STEP` of `slurm.h`.
const INTERACTIVE_STEP: u32 = 0xffff_fffa;

impl Launch {
    /// Returns what this process's environment says; none if no launcher started it.
    pub fn from_environment() -> Option<Self> {
        Self::from_variables(&|name| std::env::var(name).ok())
    }

    /// Returns what these variables say. A value that should be a number and is not is ignored.
    pub fn from_variables(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let variables = Variables(variable);
        let first_of = |signs: &[Sign]| signs.iter().find_map(|sign| variables.launch(sign));
        first_of(&BEFORE_SLURM)
            .or_else(|| if variables.is_slurm_step() { variables.slurm() } else { first_of(&AFTER_SLURM) })
    }
}

struct Variables<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.0(name)?.trim().parse().ok()
    }

    fn launch(&self, sign: &Sign) -> Option<Launch> {
        self.0(sign.marker)?;
        let rank = self.number(sign.rank)?;
        Some(Launch { launcher: sign.launcher, rank: Some(rank), size: self.number(sign.size) })
    }

    /// Returns whether this is a step of Slurm. Scripts of `sbatch` and shells of `salloc` have
    /// `SLURM_PROCID` and `SLURM_NTASKS`, too; only `srun` sets the number of tasks of the step.
    fn is_slurm_step(&self) -> bool {
        self.number::<usize>("SLURM_STEP_NUM_TASKS").is_some()
    }

    /// Returns the launch of a Slurm step. A step of one task is as likely a shell (`srun --pty
    /// bash`) as a job, unless it has the means to start MPI.
    fn slurm(&self) -> Option<Launch> {
        let rank = self.number("SLURM_PROCID")?;
        let tasks = self.number("SLURM_STEP_NUM_TASKS")?;
        let step: Option<i64> = self.number("SLURM_STEP_ID");
        let is_shell = step.is_some_and(|step| step as u32 == INTERACTIVE_STEP);
        let is_equipped = AFTER_SLURM.iter().any(|sign| self.0(sign.marker).is_some());
        let is_job = !is_shell && (tasks > 1 || is_equipped);
        is_job.then_some(Launch { launcher: Launcher::Slurm, rank: Some(rank), size: Some(tasks) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the launch of `NAME=VALUE` words.
    fn launch(words: &str) -> Option<Launch> {
        let named = |name: &str| {
            words
                .split_whitespace()
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(String::from))
        };
        Launch::from_variables(&named)
    }

    fn by(launcher: Launcher, rank: usize, size: impl Into<Option<usize>>) -> Launch {
        Launch { launcher, rank: Some(rank), size: size.into() }
    }

    #[test]
    fn launchers_are_known_by_what_they_set() {
        assert_eq!(launch("HOME=/root PATH=/usr/bin"), None);
        let open = "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1 PRTE_LAUNCHED=1";
        assert_eq!(launch(open), Some(by(Launcher::OpenMpi, 1, 4)));
        let hydra = "MPI_LOCALNRANKS=2 MPI_LOCALRANKID=1 PMI_FD=8 PMI_RANK=3 PMI_SIZE=4";
        assert_eq!(launch(hydra), Some(by(Launcher::Hydra, 3, 4)));
        assert_eq!(launch("PMIX_RANK=2 PRTE_LAUNCHED=1"), Some(by(Launcher::Pmix, 2, None)));
        assert_eq!(launch("MV2_COMM_WORLD_RANK=0 MV2_COMM_WORLD_SIZE=2"), Some(by(Launcher::Mvapich, 0, 2)));
        assert_eq!(
            launch("PALS_RANKID=5 PALS_NODEID=1 PMI_RANK=5 PMI_SIZE=8"),
            Some(by(Launcher::Pals, 5, 8))
        );
        let flux = "FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2 PMI_RANK=1 PMI_SIZE=2 PALS_RANKID=1";
        assert_eq!(launch(flux), Some(by(Launcher::Flux, 1, 2)));
        assert_eq!(launch("PMI_RANK=1 PMI_SIZE=2"), Some(by(Launcher::Hydra, 1, 2)));
        assert_eq!(launch("PMIX_RANK=1"), Some(by(Launcher::Pmix, 1, None)));
    }

    #[test]
    fn a_step_of_slurm_is_a_job() {
        let step = "SLURM_JOB_ID=7 SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_ID=0";
        assert_eq!(launch(step), Some(by(Launcher::Slurm, 3, 4)));
        assert_eq!(launch(&format!("{step} PMIX_RANK=3")), Some(by(Launcher::Slurm, 3, 4)));
        assert_eq!(launch(&format!("{step} PMI_RANK=3 PMI_SIZE=4")), Some(by(Launcher::Slurm, 3, 4)));
        assert_eq!(launch(&format!("{step} PALS_RANKID=3")), Some(by(Launcher::Slurm, 3, 4)));
        let one = "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_ID=2";
        assert_eq!(launch(&format!("{one} PMI_RANK=0 PMI_SIZE=1")), Some(by(Launcher::Slurm, 0, 1)));
    }

    #[test]
    fn a_shell_or_script_of_slurm_is_none() {
        assert_eq!(launch("SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_TASK_PID=99"), None);
        assert_eq!(launch("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_ID=0"), None);
        for step in ["4294967290", "-6"] {
            let salloc = format!("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_ID={step} PMIX_RANK=0");
            assert_eq!(launch(&salloc), None, "{step}");
        }
    }

    #[test]
    fn launchers_that_work_through_slurm_stand_above_it() {
        let daemons = "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_ID=0";
        let hydra = format!("{daemons} MPI_LOCALRANKID=0 PMI_RANK=6 PMI_SIZE=8");
        assert_eq!(launch(&hydra), Some(by(Launcher::Hydra, 6, 8)));
        let prte = format!("{daemons} PRTE_LAUNCHED=1 PMIX_RANK=6");
        assert_eq!(launch(&prte), Some(by(Launcher::Pmix, 6, None)));
        let open = format!("{daemons} OMPI_COMM_WORLD_RANK=6 OMPI_COMM_WORLD_SIZE=8");
        assert_eq!(launch(&open), Some(by(Launcher::OpenMpi, 6, 8)));
    }

    #[test]
    fn what_is_no_number_is_not_there() {
        for value in ["", "abc", "-1", "1.5", "99999999999999999999999"] {
            for name in ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "PALS_RANKID", "FLUX_TASK_RANK"] {
                assert_eq!(launch(&format!("{name}={value}")), None, "{name}={value}");
            }
            assert_eq!(launch(&format!("PMI_RANK=1 PMI_SIZE={value}")), Some(by(Launcher::Hydra, 1, None)));
            assert_eq!(launch(&format!("SLURM_PROCID={value} SLURM_STEP_NUM_TASKS=2")), None);
            assert_eq!(launch(&format!("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS={value}")), None);
        }
    }
}
