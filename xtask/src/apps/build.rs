//! Compiling, as much at once as there are cores.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::programs::{Kind, Language, Program};
use crate::failure::{Failure, Result};
use crate::shell;

/// Strict, but for one thing: constants such as `MPI_STATUSES_IGNORE` and `MPI_UNWEIGHTED` are small numbers taken as addresses of
/// arrays, and gcc warns that no array fits there.
const C_FLAGS: &[&str] = &[
    "-std=c11",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-stringop-overflow",
    "-Wno-stringop-overread",
    "-pthread",
];

/// Not with `-Wextra`: that warns of each constant of `mpif.h` that is not used.
const FORTRAN_FLAGS: &[&str] = &["-O2", "-g", "-Wall", "-Werror"];

/// One file to make.
#[derive(Clone)]
pub struct Job {
    compiler: PathBuf,
    arguments: Vec<String>,
    inputs: Vec<PathBuf>,
    output: PathBuf,
}

impl Job {
    /// `folder` is that of the MPI; `flags` is the file that names the flags, which count like a source.
    pub fn new(compiler: &Path, program: &Program, folder: &Path, flags: &Path) -> Self {
        let objects = program.objects.iter().map(|object| folder.join(object));
        let parts: Vec<PathBuf> = program.sources.iter().cloned().chain(objects).collect();
        let mut arguments = options(program);
        arguments.extend(parts.iter().map(|path| path.display().to_string()));
        if program.kind != Kind::Object {
            arguments.push("-lm".to_owned());
        }
        let others = program.included.iter().cloned().chain([compiler.to_path_buf(), flags.to_path_buf()]);
        let inputs = parts.into_iter().chain(others).collect();
        Self { compiler: compiler.to_path_buf(), arguments, inputs, output: folder.join(&program.output) }
    }

    /// Is what it makes there, and newer than all that it is made of?
    pub fn is_fresh(&self) -> bool {
        let Some(made) = modified(&self.output) else { return false };
        self.inputs.iter().all(|input| modified(input).is_some_and(|time| time < made))
    }

    /// Compiles beside the place and moves there, so that nobody ever sees half a program.
    fn run(&self) -> Result<()> {
        let mut part = self.output.clone().into_os_string();
        part.push(format!(".{}", std::process::id()));
        let mut command = Command::new(&self.compiler);
        // Fortran writes modules, and there are none to keep.
        let folder = self.output.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        command.args(&self.arguments).arg("-o").arg(&part).current_dir(folder);
        let output = command
            .output()
            .map_err(|error| Failure::failed(format!("cannot start {}: {error}", self.compiler.display())))?;
        if !output.status.success() {
            return Err(self.failed(&String::from_utf8_lossy(&output.stderr)));
        }
        fs::rename(&part, &self.output).map_err(|error| unwritable(&self.output, &error))
    }

    fn failed(&self, said: &str) -> Failure {
        let Self { compiler, output, .. } = self;
        Failure::failed(format!("{} cannot make {}:\n{said}", compiler.display(), shell::shown(output)))
    }
}

fn options(program: &Program) -> Vec<String> {
    let language = match program.language {
        Language::C => C_FLAGS,
        Language::Fortran => FORTRAN_FLAGS,
    };
    let linked: &[&str] = match program.kind {
        Kind::Object => &["-c"],
        Kind::Mpi => &[],
        Kind::Alone => &["-Wl,--as-needed"],
        Kind::Library => &["-shared", "-fPIC"],
    };
    language.iter().chain(linked).map(ToString::to_string).collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|about| about.modified()).ok()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot write {}: {error}", shell::shown(path)))
}

/// Runs them all on all cores; fails with the first that fails.
pub fn run(jobs: &[Job]) -> Result<()> {
    let next = AtomicUsize::new(0);
    let first = Mutex::new(None);
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = job.run() {
                next.store(jobs.len(), Ordering::Relaxed);
                first.lock().expect("nobody panics with it").get_or_insert(failure);
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    first.into_inner().expect("nobody panicked with it").map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn job(folder: &Path, text: &str) -> Job {
        let source = folder.join("one.c");
        fs::write(&source, text).unwrap();
        let program = Program {
            output: "one".into(),
            language: Language::C,
            sources: vec![source.clone()],
            objects: Vec::new(),
            included: Vec::new(),
            kind: Kind::Mpi,
        };
        Job::new(Path::new("/usr/bin/gcc"), &program, &folder.join("out"), &source)
    }

    #[test]
    fn what_was_built_is_fresh_until_a_source_changes() {
        let scratch = Scratch::new("apps-fresh").unwrap();
        let job = job(scratch.path(), "int main(void) { return 0; }\n");
        assert!(!job.is_fresh());
        run(std::slice::from_ref(&job)).unwrap();
        assert!(job.is_fresh());
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        fs::File::options().write(true).open(&job.inputs[0]).unwrap().set_modified(later).unwrap();
        assert!(!job.is_fresh());
    }

    #[test]
    fn what_the_compiler_says_is_passed_on_and_nothing_stays_behind() {
        let scratch = Scratch::new("apps-error").unwrap();
        let job = job(scratch.path(), "int main(void) { int unused; return 0; }\n");
        let failure = run(std::slice::from_ref(&job)).unwrap_err().to_string();
        assert!(failure.contains("cannot make") && failure.contains("unused"), "{failure}");
        assert_eq!(fs::read_dir(scratch.path().join("out")).unwrap().count(), 0);
    }

    #[test]
    fn one_that_fails_fails_all() {
        let scratch = Scratch::new("apps-all").unwrap();
        fs::create_dir(scratch.path().join("other")).unwrap();
        let right = job(scratch.path(), "int main(void) { return 0; }\n");
        let wrong = job(&scratch.path().join("other"), "this is no C\n");
        assert!(run(&[right, wrong]).is_err());
    }
}
