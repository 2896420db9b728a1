//! `cargo xtask apps`: the MPI programs of `apps/` (P17), built for each MPI that is installed.

mod build;
mod mpis;
mod programs;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::failure::{Failure, Result};
use crate::shell;
use mpis::Mpi;
use programs::{Language, Program};
use table::Row;

pub fn help() -> String {
    let names: Vec<&str> = mpis::ALL.iter().map(|mpi| mpi.name).collect();
    format!(
        "cargo xtask apps\n\
         Builds the MPI programs of apps/ for each installed MPI into target/apps/MPI, where MPI is one of\n  {}.\n\
         What is newer than its sources is left alone. apps/README.md says what the programs do.\n",
        names.join(", ")
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    match arguments.first() {
        None => ensure(),
        Some(word) => {
            Err(Failure::usage(format!("unknown argument `{word}`; see `cargo xtask apps --help`")))
        }
    }
}

/// Builds what is out of date, and prints the programs of each MPI.
pub fn ensure() -> Result<()> {
    let apps = shell::root().join("apps");
    build(&programs::objects(&apps)?)?;
    print!("{}", table::text(&build(&programs::find(&apps)?)?));
    Ok(())
}

/// Builds the programs for each MPI.
fn build(programs: &[Program]) -> Result<Vec<Row>> {
    let (jobs, rows): (Vec<_>, Vec<_>) = mpis::ALL.iter().map(|mpi| plan(mpi, programs)).unzip();
    build::run(&jobs.concat())?;
    Ok(rows)
}

/// Returns the environment variable that tells tests where the programs are.
pub fn variables() -> [(&'static str, OsString); 1] {
    [("PANTO_TEST_APPS", folder().into_os_string())]
}

/// Returns the folder of the programs: always in the repository, so that plain `cargo test` finds
/// it.
fn folder() -> PathBuf {
    shell::root().join("target/apps")
}

/// Returns the jobs for an MPI, and its row of the table.
fn plan(mpi: &Mpi, programs: &[Program]) -> (Vec<build::Job>, Row) {
    let flags = shell::root().join("xtask/src/apps/build.rs");
    let folder = folder().join(mpi.name);
    let mut row = Row { mpi: mpi.name, built: 0, fresh: 0, notes: Vec::new() };
    let mut jobs = Vec::new();
    for language in Language::ALL {
        let mine = programs.iter().filter(|program| program.language == language);
        match mpi.compiler(language) {
            Ok(compiler) => {
                jobs.extend(mine.map(|program| build::Job::new(&compiler, program, &folder, &flags)));
            }
            Err(reason) => row.notes.push((language, reason)),
        }
    }
    let all = jobs.len();
    jobs.retain(|job| !job.is_fresh());
    row.built = jobs.len();
    row.fresh = all - jobs.len();
    (jobs, row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_arguments_are_named() {
        let failure = run(&["--fast".to_owned()]).unwrap_err();
        assert!(matches!(failure, Failure::Usage(_)) && failure.to_string().contains("`--fast`"));
    }

    #[test]
    fn an_mpi_without_compilers_gets_a_row_with_the_reasons() {
        let absent = Mpi { name: "absent", compilers: mpis::Compilers::None("it has none") };
        let (jobs, row) = plan(&absent, &programs::find(&shell::root().join("apps")).unwrap());
        assert!(jobs.is_empty());
        assert_eq!(row.notes.len(), Language::ALL.len());
        assert!(row.notes.iter().all(|(_, reason)| reason == "it has none"));
    }
}
