//! The programs to build: each source file in `apps/`, `apps/small/` and `apps/alone/` is one.
//! Shared objects in `apps/common/` are compiled once for each MPI.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::shell;

/// The language of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Fortran,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::C, Self::Fortran];

    pub fn name(self) -> &'static str {
        self.choose("C", "Fortran")
    }

    pub fn choose<T>(self, c: T, fortran: T) -> T {
        match self {
            Self::C => c,
            Self::Fortran => fortran,
        }
    }

    /// Returns the language of a source file; `None` for other files.
    fn of(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)? {
            "c" => Some(Self::C),
            "f90" => Some(Self::Fortran),
            _ => None,
        }
    }
}

/// A file to build: a program, the counting library, or a shared object file.
#[derive(Debug)]
pub struct Program {
    /// The output, relative to the MPI's folder.
    pub output: PathBuf,
    pub language: Language,
    pub sources: Vec<PathBuf>,
    /// Object files to link, relative to the MPI's folder.
    pub objects: Vec<PathBuf>,
    /// Files that the sources include.
    pub included: Vec<PathBuf>,
    pub kind: Kind,
}

/// How a file is compiled and linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Object,
    Mpi,
    /// A program that does not link MPI.
    Alone,
    Library,
}

/// Returns the object files that all C programs share.
pub fn objects(apps: &Path) -> Result<Vec<Program>> {
    let common = files(&apps.join("common"))?;
    let object = |source: &PathBuf| Program {
        output: Path::new("common").join(source.file_stem().unwrap_or_default()).with_extension("o"),
        language: Language::C,
        sources: vec![source.clone()],
        objects: Vec::new(),
        included: included(&common),
        kind: Kind::Object,
    };
    Ok(of_language(&common, Language::C).iter().map(object).collect())
}

/// Returns all programs of `apps/`, and the library.
pub fn find(apps: &Path) -> Result<Vec<Program>> {
    let objects: Vec<PathBuf> = objects(apps)?.into_iter().map(|object| object.output).collect();
    let small = files(&apps.join("small"))?;
    let headers = [included(&files(&apps.join("common"))?), included(&small)].concat();
    let mut programs = Vec::new();
    for path in files(apps)?.into_iter().chain(small) {
        programs.extend(program(path, &objects, &headers, Kind::Mpi));
    }
    for path in files(&apps.join("alone"))? {
        programs.extend(program(path, &[], &[], Kind::Alone));
    }
    programs.push(library(&files(&apps.join("count"))?));
    Ok(programs)
}

fn program(path: PathBuf, objects: &[PathBuf], included: &[PathBuf], kind: Kind) -> Option<Program> {
    let language = Language::of(&path)?;
    Some(Program {
        output: path.file_stem()?.into(),
        language,
        sources: vec![path],
        objects: language.choose(objects, &[]).to_vec(),
        included: included.to_vec(),
        kind,
    })
}

fn library(count: &[PathBuf]) -> Program {
    Program {
        output: "libcount.so".into(),
        language: Language::C,
        sources: of_language(count, Language::C),
        objects: Vec::new(),
        included: included(count),
        kind: Kind::Library,
    }
}

fn included(files: &[PathBuf]) -> Vec<PathBuf> {
    let is = |path: &&PathBuf| path.extension().is_some_and(|end| end == "h" || end == "inc");
    files.iter().filter(is).cloned().collect()
}

fn of_language(files: &[PathBuf], language: Language) -> Vec<PathBuf> {
    files.iter().filter(|path| Language::of(path) == Some(language)).cloned().collect()
}

/// Returns the files of a folder by name, not recursively.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Failure::failed(format!("cannot read {}: {error}", shell::shown(folder)));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Vec<Program> {
        find(&shell::root().join("apps")).unwrap()
    }

    #[test]
    fn programs_are_found_in_all_folders() {
        let outputs: Vec<PathBuf> = found().into_iter().map(|program| program.output).collect();
        for name in ["mergesort", "hello", "ring_f08", "sequential", "libcount.so"] {
            assert!(outputs.iter().any(|output| output == Path::new(name)), "no {name} among {outputs:?}");
        }
        assert!(!outputs.iter().any(|output| output == Path::new("common")));
    }

    #[test]
    fn no_two_programs_have_the_same_name() {
        let mut outputs: Vec<PathBuf> = found().into_iter().map(|program| program.output).collect();
        let all = outputs.len();
        outputs.sort();
        outputs.dedup();
        assert_eq!(outputs.len(), all);
    }

    #[test]
    fn programs_for_mpi_share_what_is_compiled_once() {
        let common = Path::new("common/common.o");
        assert!(objects(&shell::root().join("apps")).unwrap().iter().any(|object| object.output == common));
        for program in found() {
            let shares = program.language == Language::C && program.kind == Kind::Mpi;
            assert_eq!(program.objects.contains(&common.to_path_buf()), shares, "{program:?}");
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        assert!(find(Path::new("/no/such/apps")).unwrap_err().to_string().contains("/no/such/apps"));
    }
}
