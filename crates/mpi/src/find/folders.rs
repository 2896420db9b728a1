//! The folders of an MPI installation that may have its library.

use std::path::{Path, PathBuf};

/// Returns Debian's name of the folders of an architecture.
fn multiarch() -> String {
    let architecture = match std::env::consts::ARCH {
        "powerpc64" => "powerpc64le",
        other => other,
    };
    format!("{architecture}-linux-gnu")
}

/// Returns the folders below an installation that may have its library.
pub(super) fn below(prefix: &Path) -> Vec<PathBuf> {
    let debian = format!("lib/{}", multiarch());
    let mut folders: Vec<PathBuf> = ["lib", "lib64"].map(Into::into).into();
    folders.push((&debian).into());
    // Debian and Fedora keep several MPIs here.
    for system in [debian.as_str(), "lib64"] {
        folders.extend(["openmpi", "mpich"].map(|name| PathBuf::from(format!("{system}/{name}/lib"))));
    }
    // Older Intel MPIs; Cray's library under the name of MPICH's.
    folders.extend(["lib/release", "intel64/lib/release", "intel64/lib", "lib-abi-mpich"].map(Into::into));
    folders.into_iter().map(|folder| prefix.join(folder)).collect()
}

/// Variables that name the folder of an MPI, and which software sets them.
pub(super) const HOMES: [(&str, &str); 11] = [
    ("I_MPI_ROOT", "Intel's setvars.sh"),
    ("CRAY_MPICH_DIR", "Cray's modules"),
    ("MPI_HOME", "modules"),
    ("MPI_LIB", "Fedora's modules"),
    ("MPI_ROOT", "modules"),
    ("MPI_DIR", "OpenHPC's modules"),
    ("EBROOTOPENMPI", "EasyBuild's modules"),
    ("EBROOTMPICH", "EasyBuild's modules"),
    ("EBROOTMVAPICH2", "EasyBuild's modules"),
    ("EBROOTIMPI", "EasyBuild's modules"),
    ("OPAL_PREFIX", "those who move an Open MPI"),
];

/// The folder in which Cray's systems keep the libraries of all modules.
pub(super) const CRAY: &str = "/opt/cray/pe/lib64";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_lie_below_the_prefix() {
        let folders = below(Path::new("/opt/mpi"));
        assert_eq!(folders[..2], [PathBuf::from("/opt/mpi/lib"), "/opt/mpi/lib64".into()]);
        assert!(folders.iter().all(|folder| folder.starts_with("/opt/mpi")));
    }
}
