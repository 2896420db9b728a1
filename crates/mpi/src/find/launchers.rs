//! Executables of launchers: an MPI's library is installed beside its `mpiexec`.

use std::path::{Path, PathBuf};

use super::names::Family;

/// A launcher's executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Executable {
    pub(super) path: PathBuf,
    /// The family to which it belongs, if its name tells.
    pub(super) family: Option<Family>,
}

/// Names of executables that are installed with their MPI. (`srun`, `slurmstepd` and `flux-shell`
/// come without one.)
const NAMES: [(&str, Option<Family>); 17] = [
    ("mpiexec", None),
    ("mpirun", None),
    ("mpiexec.hydra", Some(Family::Mpich)),
    ("mpiexec.gforker", Some(Family::Mpich)),
    ("mpiexec.mpich", Some(Family::Mpich)),
    ("mpirun.mpich", Some(Family::Mpich)),
    ("hydra_pmi_proxy", Some(Family::Mpich)),
    ("hydra_bstrap_proxy", Some(Family::Mpich)),
    ("mpirun_rsh", Some(Family::Mpich)),
    ("mpispawn", Some(Family::Mpich)),
    ("mpiexec.openmpi", Some(Family::OpenMpi)),
    ("mpirun.openmpi", Some(Family::OpenMpi)),
    ("orterun", Some(Family::OpenMpi)),
    ("orted", Some(Family::OpenMpi)),
    ("prterun", Some(Family::OpenMpi)),
    ("prte", Some(Family::OpenMpi)),
    ("prted", Some(Family::OpenMpi)),
];

impl Executable {
    /// Returns the launcher of this path, without links, if its name is that of one.
    pub(super) fn new(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (_, family) = NAMES.iter().find(|(known, _)| *known == name)?;
        Some(Self { path: path.into(), family: *family })
    }

    /// Returns the folder of the installation: the one above the nearest `bin`, because Intel has
    /// `bin/legacy/mpiexec.hydra`.
    pub(super) fn prefix(&self) -> Option<&Path> {
        let folder = self.path.parent()?;
        let bin = folder.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "bin"));
        bin.unwrap_or(folder).parent()
    }
}

/// Returns the executables of the ancestor processes, the nearest first. The list ends at a process
/// that cannot be examined: one of another user, or outside of a container.
pub(super) fn ancestors() -> Vec<PathBuf> {
    // The most ancestors, deeper than any chain of launchers and scripts; processes may change
    // meanwhile.
    const DEEPEST: usize = 64;
    let first = Some(std::os::unix::process::parent_id());
    let processes =
        std::iter::successors(first, |&process| parent(process)).take_while(|&process| process > 1);
    processes
        .take(DEEPEST)
        .filter_map(|process| std::fs::read_link(format!("/proc/{process}/exe")).ok())
        .collect()
}

fn parent(process: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_names() {
        let family = |path: &str| Executable::new(Path::new(path)).map(|launcher| launcher.family);
        assert_eq!(family("/opt/mpich/bin/hydra_pmi_proxy"), Some(Some(Family::Mpich)));
        assert_eq!(family("/usr/bin/orterun"), Some(Some(Family::OpenMpi)));
        assert_eq!(family("/opt/some/bin/mpiexec"), Some(None));
        assert_eq!(family("/usr/bin/srun"), None);
        assert_eq!(family("/"), None);
    }

    #[test]
    fn an_mpi_lies_above_bin() {
        let prefix = |path: &str| Executable::new(Path::new(path)).unwrap().prefix().map(Path::to_owned);
        assert_eq!(prefix("/opt/mpi/bin/mpiexec"), Some("/opt/mpi".into()));
        assert_eq!(prefix("/opt/mpi/bin/legacy/mpiexec.hydra"), Some("/opt/mpi".into()));
        assert_eq!(prefix("/opt/mpi/bin64/mpiexec"), Some("/opt/mpi".into()));
        assert_eq!(prefix("/bin/mpiexec"), Some("/".into()));
        assert_eq!(prefix("/mpiexec"), None);
        assert_eq!(prefix("mpiexec"), None);
    }

    #[test]
    fn this_process_has_a_parent() {
        let parent =
            std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).unwrap();
        assert_eq!(ancestors().first(), Some(&parent));
    }
}
