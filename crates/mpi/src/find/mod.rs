//! Which libraries to try, in which order, and why.
//!
//! A rank must load the MPI of the launcher that started it: with another one, each rank would be a
//! job of its own. Libraries that work under the same launchers are a *family* (MPICH's, to which
//! Intel, Cray and MVAPICH belong, and Open MPI's), so the variables that the launcher set
//! determine the names to look for, and its place the installation.

mod folders;
mod launchers;
mod names;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::launch::{Launch, Launcher};
use launchers::Executable;
use names::{Family, Files};

/// The variable that names the library to load.
pub const VARIABLE: &str = "PANTO_MPI";

/// A library to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its path, or a bare name for the system's search.
    pub file: PathBuf,
    /// Why it is a candidate.
    pub why: String,
}

/// Returns the libraries that may be the launcher's, or, where no launcher started this process,
/// that of the `mpirun` that a user would call; the likeliest first. If `PANTO_MPI` names one, it
/// is the only one.
pub fn candidates(launch: Option<&Launch>) -> Vec<Candidate> {
    let search = Search {
        launcher: launch.map(|launch| launch.launcher),
        variable: &|name| std::env::var_os(name),
        ancestors: &launchers::ancestors(),
        files: &|path| path.is_file().then(|| path.canonicalize().ok()).flatten(),
    };
    search.candidates()
}

/// What the order of candidates depends on.
struct Search<'a> {
    launcher: Option<Launcher>,
    variable: &'a dyn Fn(&str) -> Option<OsString>,
    ancestors: &'a [PathBuf],
    files: Files<'a>,
}

/// A folder to search.
struct Source {
    folder: PathBuf,
    families: Vec<Family>,
    why: String,
}

impl Search<'_> {
    fn candidates(&self) -> Vec<Candidate> {
        if let Some(file) = self.variable(VARIABLE) {
            return vec![Candidate { file: file.into(), why: format!("{VARIABLE} names it") }];
        }
        let mut seen = HashSet::new();
        let mut candidates = Vec::new();
        for source in self.sources() {
            let found = names::in_folder(&source.folder, &source.families, self.files);
            let new =
                found.into_iter().filter(|file| (self.files)(file).is_some_and(|real| seen.insert(real)));
            candidates.extend(new.map(|file| Candidate { file, why: source.why.clone() }));
        }
        candidates.extend(names::bare(&self.families()).map(|name| Candidate {
            file: name.into(),
            why: "by its name, where the system looks for libraries".into(),
        }));
        candidates
    }

    /// Returns a variable; an empty one counts as unset.
    fn variable(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// Returns the families that the launcher can start, the likelier first.
    fn families(&self) -> Vec<Family> {
        let is_set = |name| self.variable(name).is_some();
        match self.launcher {
            Some(Launcher::OpenMpi) => vec![Family::OpenMpi],
            Some(Launcher::Hydra | Launcher::Mvapich) => vec![Family::Mpich],
            Some(Launcher::Pals) => vec![Family::Mpich, Family::OpenMpi],
            // These launchers offer several interfaces; Open MPI supports only PMIx since version
            // 5, MPICH supports PMI by default.
            Some(Launcher::Slurm | Launcher::Flux | Launcher::Pmix) | None => {
                let is_pmi = is_set("PMI_RANK") || is_set("PALS_RANKID");
                if is_pmi && !is_set("PMIX_RANK") {
                    vec![Family::Mpich, Family::OpenMpi]
                } else {
                    vec![Family::OpenMpi, Family::Mpich]
                }
            }
        }
    }

    /// Returns the folders to search, in order: what the environment names, then what is installed
    /// beside launchers, then what modules name.
    fn sources(&self) -> Vec<Source> {
        let mut sources = self.search_path("LD_LIBRARY_PATH");
        for launcher in self.ancestors.iter().filter_map(|path| Executable::new(path)) {
            let why = format!("beside {}, which started this process", launcher.path.display());
            sources.extend(self.beside(&launcher, &why));
        }
        for launcher in ["mpirun", "mpiexec"].into_iter().filter_map(|name| self.on_path(name)) {
            let why = format!("beside {}, the first on PATH", launcher.path.display());
            sources.extend(self.beside(&launcher, &why));
        }
        sources.extend(self.homes());
        sources.extend(self.search_path("CRAY_LD_LIBRARY_PATH"));
        sources.push(self.source(folders::CRAY.into(), "where Cray's systems keep libraries"));
        sources
    }

    fn source(&self, folder: PathBuf, why: &str) -> Source {
        Source { folder, families: self.families(), why: why.into() }
    }

    /// Returns the folders of a variable like `LD_LIBRARY_PATH`.
    fn search_path(&self, name: &str) -> Vec<Source> {
        let Some(value) = self.variable(name) else { return Vec::new() };
        let folders = std::env::split_paths(&value).filter(|folder| folder.is_absolute());
        folders.map(|folder| self.source(folder, &format!("in a folder of {name}"))).collect()
    }

    /// Returns the folders around a launcher, if it can be the one: a job may be started by a
    /// launcher inside another's job.
    fn beside(&self, launcher: &Executable, why: &str) -> Vec<Source> {
        let mut families = self.families();
        families.retain(|family| launcher.family.is_none_or(|own| own == *family));
        if families.is_empty() {
            return Vec::new();
        }
        let folders = launcher.prefix().map(folders::below).unwrap_or_default().into_iter();
        folders.map(|folder| Source { folder, families: families.clone(), why: why.into() }).collect()
    }

    /// Returns the launcher that a shell would run by this name.
    fn on_path(&self, name: &str) -> Option<Executable> {
        let path = self.variable("PATH")?;
        let real = std::env::split_paths(&path).find_map(|folder| (self.files)(&folder.join(name)))?;
        // A link to an executable of another name still tells where the installation is.
        Some(Executable::new(&real).unwrap_or(Executable { path: real, family: None }))
    }

    fn homes(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for (name, who) in folders::HOMES {
            let Some(home) = self.variable(name) else { continue };
            let home = Path::new(&home);
            let why = format!("where {name} points, which {who} set");
            let all = folders::below(home).into_iter().chain([home.to_owned()]);
            sources.extend(all.map(|folder| self.source(folder, &why)));
        }
        sources
    }
}

#[cfg(test)]
mod tests;
