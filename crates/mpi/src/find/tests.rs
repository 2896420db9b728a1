//! The order of candidates on systems that are described here.

use super::*;

/// A system: its variables, the ancestors of this process and its files. A file is `path` or, if it
/// is a link, `path -> target`.
#[derive(Default)]
struct System<'a> {
    launcher: Option<Launcher>,
    variables: &'a [(&'a str, &'a str)],
    ancestors: &'a [&'a str],
    files: &'a [&'a str],
}

impl System<'_> {
    fn candidates(&self) -> Vec<Candidate> {
        let ancestors: Vec<PathBuf> = self.ancestors.iter().map(PathBuf::from).collect();
        let search = Search {
            launcher: self.launcher,
            variable: &|name| {
                self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            },
            ancestors: &ancestors,
            files: &|path| self.real(path),
        };
        search.candidates()
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        self.files.iter().find_map(|file| {
            let (file, target) = file.split_once(" -> ").unwrap_or((file, file));
            (Path::new(file) == path).then(|| target.into())
        })
    }

    /// Returns the candidates with a path, without the bare names.
    fn paths(&self) -> Vec<String> {
        let paths =
            self.candidates().into_iter().map(|candidate| candidate.file.to_str().unwrap().to_owned());
        paths.filter(|path| path.starts_with('/')).collect()
    }

    fn bare(&self) -> Vec<String> {
        let paths =
            self.candidates().into_iter().map(|candidate| candidate.file.to_str().unwrap().to_owned());
        paths.filter(|path| !path.starts_with('/')).collect()
    }
}

/// Debian with both, of which Open MPI is the default.
#[cfg(target_arch = "x86_64")]
const DEBIAN: [&str; 11] = [
    "/usr/bin/mpirun -> /usr/bin/orterun",
    "/usr/bin/mpiexec -> /usr/bin/orterun",
    "/usr/bin/orterun",
    "/usr/bin/mpiexec.hydra",
    "/usr/lib/x86_64-linux-gnu/libmpi.so -> /usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4",
    "/usr/lib/x86_64-linux-gnu/libmpi.so.40 -> /usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4",
    "/usr/lib/x86_64-linux-gnu/openmpi/lib/libmpi.so -> /usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4",
    "/lib/x86_64-linux-gnu/libmpi.so.40 -> /usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4",
    "/usr/lib/x86_64-linux-gnu/libmpich.so.12 -> /usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2",
    "/lib/x86_64-linux-gnu/libmpich.so.12 -> /usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2",
    "/usr/lib/x86_64-linux-gnu/libmpich.so -> /usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2",
];

const VENV: [&str; 4] =
    ["/venv/bin/mpiexec", "/venv/lib/libmpi.so.12", "/venv/lib/libmpi_abi.so.1", "/venv/lib/libmpi.so"];

#[test]
fn the_variable_is_the_only_one() {
    let system = System {
        variables: &[("PANTO_MPI", "/x/libmpi.so"), ("LD_LIBRARY_PATH", "/venv/lib")],
        files: &VENV,
        ..System::default()
    };
    let only = Candidate { file: "/x/libmpi.so".into(), why: "PANTO_MPI names it".into() };
    assert_eq!(system.candidates(), [only]);
    let empty = System { variables: &[("PANTO_MPI", "")], ..System::default() };
    assert!(empty.candidates().len() > 1, "an empty variable is not set");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn debian_has_both_in_one_folder() {
    let open = System {
        launcher: Some(Launcher::OpenMpi),
        variables: &[("PATH", "/usr/bin")],
        ancestors: &["/usr/bin/dash", "/usr/bin/orterun", "/usr/bin/bash"],
        files: &DEBIAN,
    };
    assert_eq!(open.paths(), ["/usr/lib/x86_64-linux-gnu/libmpi.so.40"]);
    assert_eq!(open.candidates()[0].why, "beside /usr/bin/orterun, which started this process");
    let hydra = System {
        launcher: Some(Launcher::Hydra),
        ancestors: &["/usr/bin/hydra_pmi_proxy", "/usr/bin/mpiexec.hydra"],
        ..open
    };
    assert_eq!(hydra.paths(), ["/usr/lib/x86_64-linux-gnu/libmpich.so.12"]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn an_mpi_in_a_virtual_environment_is_found_before_the_systems() {
    let files: Vec<&str> = DEBIAN.into_iter().chain(VENV).collect();
    let system = System {
        launcher: Some(Launcher::Hydra),
        variables: &[("PATH", "/usr/bin")],
        ancestors: &["/venv/bin/hydra_pmi_proxy", "/venv/bin/mpiexec"],
        files: &files,
    };
    assert_eq!(
        system.paths(),
        ["/venv/lib/libmpi.so.12", "/venv/lib/libmpi_abi.so.1", "/venv/lib/libmpi.so"]
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn slurm_leaves_it_to_the_search_path_and_then_to_mpirun() {
    let files: Vec<&str> = DEBIAN.into_iter().chain(VENV).collect();
    let with_path = |path| System {
        launcher: Some(Launcher::Slurm),
        variables: path,
        ancestors: &["/usr/sbin/slurmstepd"],
        files: &files,
    };
    let system = with_path(&[("PATH", "/nowhere:/usr/bin")]);
    assert_eq!(system.paths(), ["/usr/lib/x86_64-linux-gnu/libmpi.so.40"]);
    assert_eq!(system.candidates()[0].why, "beside /usr/bin/orterun, the first on PATH");
    let system = with_path(&[("PATH", "/usr/bin"), ("LD_LIBRARY_PATH", "/nowhere:/venv/lib:")]);
    assert_eq!(system.paths()[0], "/venv/lib/libmpi.so.12");
    assert_eq!(system.candidates()[0].why, "in a folder of LD_LIBRARY_PATH");
}

#[test]
fn a_search_path_of_the_other_family_is_no_use() {
    let system = System {
        launcher: Some(Launcher::OpenMpi),
        variables: &[("LD_LIBRARY_PATH", "/venv/lib")],
        ancestors: &["/opt/openmpi/bin/prterun"],
        files: &["/venv/lib/libmpi.so.12", "/venv/lib/libmpi_abi.so.1", "/opt/openmpi/lib/libmpi.so.40"],
    };
    assert_eq!(system.paths(), ["/opt/openmpi/lib/libmpi.so.40"]);
}

#[test]
fn a_job_inside_of_another_launchers_job_has_its_own() {
    let system = System {
        launcher: Some(Launcher::Hydra),
        variables: &[],
        ancestors: &["/opt/mpich/bin/mpiexec", "/opt/openmpi/bin/orted"],
        files: &["/opt/openmpi/lib/libmpi.so", "/opt/mpich/lib64/libmpi.so.12"],
    };
    assert_eq!(system.paths(), ["/opt/mpich/lib64/libmpi.so.12"]);
}

#[test]
fn modules_name_folders() {
    let files = ["/opt/intel/mpi/2021.5/lib/release/libmpi.so.12", "/cray/mpich/lib/libmpi_gnu_91.so.12"];
    let homes =
        |variables| System { launcher: Some(Launcher::Slurm), variables, files: &files, ..System::default() };
    let intel = homes(&[("I_MPI_ROOT", "/opt/intel/mpi/2021.5")]);
    assert_eq!(intel.paths(), [files[0]]);
    assert_eq!(intel.candidates()[0].why, "where I_MPI_ROOT points, which Intel's setvars.sh set");
    assert_eq!(homes(&[("CRAY_MPICH_DIR", "/cray/mpich")]).paths(), [files[1]]);
    assert_eq!(homes(&[("CRAY_LD_LIBRARY_PATH", "/x:/cray/mpich/lib")]).paths(), [files[1]]);
    assert_eq!(homes(&[("MPI_LIB", "/cray/mpich/lib")]).paths(), [files[1]]);
}

#[test]
fn the_system_is_asked_for_the_likelier_family_first() {
    let by = |launcher, variables| System { launcher, variables, ..System::default() }.bare();
    let either = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so"];
    let mpich = ["libmpi.so.12", "libmpich.so.12"];
    let open = ["libmpi.so.40"];
    assert_eq!(by(Some(Launcher::OpenMpi), &[]), [&open[..], &either].concat());
    assert_eq!(by(Some(Launcher::Hydra), &[]), [&mpich[..], &either].concat());
    assert_eq!(by(Some(Launcher::Pals), &[]), [&mpich[..], &open, &either].concat());
    assert_eq!(by(Some(Launcher::Pmix), &[("PMIX_RANK", "0")]), [&open[..], &mpich, &either].concat());
    assert_eq!(by(Some(Launcher::Slurm), &[("PMI_RANK", "0")]), [&mpich[..], &open, &either].concat());
    assert_eq!(by(None, &[]), [&open[..], &mpich, &either].concat());
}
