//! Compiles programs, in parallel on all cores.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::programs::{Kind, Language, Program};
use crate::failure::{Failure, Result};
use crate::shell;

/// Strict flags with one exception: constants such as `MPI_STATUSES_IGNORE` and `MPI_UNWEIGHTED`
/// are small numbers taken as addresses of arrays, and gcc warns that no array fits there.
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

/// Flags for Fortran, without `-Wextra`, which warns of every unused constant of `mpif.h`.
const FORTRAN_FLAGS: &[&str] = &["-O2", "-g", "-Wall", "-Werror"];

/// One file to build.
#[derive(Clone)]
pub struct Job {
    compiler: PathBuf,
    arguments: Vec<String>,
    inputs: Vec<PathBuf>,
    output: PathBuf,
}

impl Job {
    /// Creates a job; `folder` is that of the MPI, and `flags` the file that defines the flags,
    /// which counts as a source.
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

    /// Returns whether the output exists and is newer than all its sources.
    pub fn is_fresh(&self) -> bool {
        let Some(made) = modified(&self.output) else { return false };
        self.inputs.iter().all(|input| modified(input).is_some_and(|time| time < made))
    }

    /// Compiles to a temporary file and renames it, so that an incomplete program is never visible.
    fn run(&self) -> Result<()> {
        let mut part = self.output.clone().into_os_string();
        part.push(format!(".{}", std::process::id()));
        let mut command = Command::new(&self.compiler);
        // Module files that the Fortran compiler writes are not kept.
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

    fn failed(&self, output_text: &str) -> Failure {
        let Self { compiler, output, .. } = self;
        Failure::failed(format!(
            "{} cannot compile {}:\n{output_text}",
            compiler.display(),
            shell::shown(output)
        ))
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

/// Runs all jobs on all cores; returns the first failure.
pub fn run(jobs: &[Job]) -> Result<()> {
    let next = AtomicUsize::new(0);
    let first = Mutex::new(None);
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = job.run() {
                next.store(jobs.len(), Ordering::Relaxed);
                first.lock().expect("no worker panics while it holds the lock").get_or_insert(failure);
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    first.into_inner().expect("no worker panicked while it held the lock").map_or(Ok(()), Err)
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
    fn a_build_is_fresh_until_a_source_changes() {
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
    fn compiler_errors_are_reported_and_no_file_remains() {
        let scratch = Scratch::new("apps-error").unwrap();
        let job = job(scratch.path(), "int main(void) { int unused; return 0; }\n");
        let failure = run(std::slice::from_ref(&job)).unwrap_err().to_string();
        assert!(failure.contains("cannot compile") && failure.contains("unused"), "{failure}");
        assert_eq!(fs::read_dir(scratch.path().join("out")).unwrap().count(), 0);
    }

    #[test]
    fn one_failure_fails_all() {
        let scratch = Scratch::new("apps-all").unwrap();
        fs::create_dir(scratch.path().join("other")).unwrap();
        let right = job(scratch.path(), "int main(void) { return 0; }\n");
        let wrong = job(&scratch.path().join("other"), "this is no C\n");
        assert!(run(&[right, wrong]).is_err());
    }
}
