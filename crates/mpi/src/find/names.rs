//! File names of MPI libraries.

use std::path::{Path, PathBuf};

/// Libraries that work under the same launchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// MPICH, Intel MPI, Cray MPI, MVAPICH.
    Mpich,
    /// Open MPI.
    OpenMpi,
}

/// The name of MPICH and its derivatives since 2014 (<https://www.mpich.org/abi>), and Debian's.
const MPICH: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];

/// The names of Cray's libraries, one for each compiler. They differ in what does not matter here,
/// such as Fortran modules.
const CRAY: [&str; 9] = [
    "libmpi_gnu_123.so.12",
    "libmpi_gnu_112.so.12",
    "libmpi_gnu_103.so.12",
    "libmpi_gnu_91.so.12",
    "libmpi_cray.so.12",
    "libmpi_intel.so.12",
    "libmpi_amd.so.12",
    "libmpi_aocc.so.12",
    "libmpi_nvidia.so.12",
];

/// The name since Open MPI 3.
const OPEN_MPI: [&str; 1] = ["libmpi.so.40"];

/// Names of either family: of the standard ABI, and of future versions.
const EITHER: [&str; 3] = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so"];

impl Family {
    pub(super) const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// Returns the names that the family has on most systems, the likeliest first.
    fn common_names(self) -> &'static [&'static str] {
        match self {
            Self::Mpich => &MPICH,
            Self::OpenMpi => &OPEN_MPI,
        }
    }

    /// Returns all names of the family.
    fn names(self) -> impl Iterator<Item = &'static str> {
        let more: &[&str] = if self == Self::Mpich { &CRAY } else { &[] };
        self.common_names().iter().chain(more).copied()
    }

    /// Returns the family of a file, if its name tells: `libmpi.so` may be a link to a name with a
    /// version.
    fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        Self::ALL.into_iter().find(|family| family.names().any(|known| name.starts_with(known)))
    }
}

/// Returns the path of a file without links, if the file exists.
pub(super) type Files<'a> = &'a dyn Fn(&Path) -> Option<PathBuf>;

/// Returns the libraries of these families in a folder, the preferred first. One with a name of
/// either family counts to the family of those beside it: `libmpi_abi.so` of MPICH does not work
/// under Open MPI's launcher.
pub(super) fn in_folder(folder: &Path, families: &[Family], files: Files<'_>) -> Vec<PathBuf> {
    let there = |name: &str| Some(folder.join(name)).filter(|path| files(path).is_some());
    let own = |families: &[Family]| -> Vec<PathBuf> {
        families.iter().flat_map(|family| family.names()).filter_map(&there).collect()
    };
    let mut found = own(families);
    if !found.is_empty() || own(&Family::ALL).is_empty() {
        let fits = |path: &PathBuf| {
            files(path).and_then(|real| Family::of(&real)).is_none_or(|family| families.contains(&family))
        };
        found.extend(EITHER.into_iter().filter_map(&there).filter(fits));
    }
    found
}

/// Returns the bare names of these families, for the system's search. Cray's are left out, because
/// their folders are known.
pub(super) fn bare(families: &[Family]) -> impl Iterator<Item = &'static str> {
    families.iter().flat_map(|family| family.common_names()).chain(&EITHER).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the libraries among files of `/lib`, some of which are links to others.
    fn found(files: &[(&str, &str)], families: &[Family]) -> Vec<String> {
        let real = |path: &Path| {
            let name = path.strip_prefix("/lib").ok()?.to_str()?;
            let (_, target) = files.iter().find(|(file, _)| *file == name)?;
            Some(Path::new("/lib").join(target))
        };
        let found = in_folder(Path::new("/lib"), families, &real);
        found.iter().map(|path| path.file_name().unwrap().to_str().unwrap().into()).collect()
    }

    #[test]
    fn native_libraries_come_first() {
        let files = [("libmpi_abi.so.1", "libmpi_abi.so.1"), ("libmpi.so.12", "libmpi.so.12.5.2")];
        assert_eq!(found(&files, &[Family::Mpich]), ["libmpi.so.12", "libmpi_abi.so.1"]);
    }

    #[test]
    fn a_folder_of_the_other_family_has_nothing() {
        let files = [("libmpi_abi.so.1", "libmpi_abi.so.1"), ("libmpi.so.12", "libmpi.so.12")];
        assert!(found(&files, &[Family::OpenMpi]).is_empty());
        assert_eq!(
            found(&files[..1], &[Family::OpenMpi]),
            ["libmpi_abi.so.1"],
            "alone it may be of either family"
        );
    }

    #[test]
    fn a_link_to_the_other_family_is_not_followed() {
        let both = [
            ("libmpich.so.12", "libmpich.so.12.2.2"),
            ("libmpi.so.40", "libmpi.so.40.30.4"),
            ("libmpi.so", "libmpi.so.40.30.4"),
        ];
        assert_eq!(found(&both, &[Family::Mpich]), ["libmpich.so.12"]);
        assert_eq!(found(&both, &[Family::OpenMpi]), ["libmpi.so.40", "libmpi.so"]);
        let unknown = [("libmpi.so", "libmpi.so.99.1")];
        assert_eq!(found(&unknown, &[Family::OpenMpi]), ["libmpi.so"]);
    }

    #[test]
    fn bare_names_are_few() {
        let names: Vec<_> = bare(&[Family::Mpich]).collect();
        assert_eq!(
            names,
            ["libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so"]
        );
    }
}
