//! Runs other programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Failure, Result};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), Path::to_path_buf)
}

/// Returns the cargo that runs this chore, with arguments split at spaces.
pub fn cargo(arguments: &str) -> Command {
    let mut command = incremental_cargo(arguments);
    // Most builds here are from scratch; incremental state would cost more than it saves.
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// Returns the same cargo for what is repeated between edits. It shares its files with the
/// commands that a developer types.
pub fn incremental_cargo(arguments: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments.split_whitespace()).current_dir(root());
    command
}

/// Runs a command with inherited output.
pub fn stream(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::failed(format!("`{}` ended with {status}", line(command))))
    }
}

/// Runs a command and returns its standard output; standard error is inherited.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(Failure::failed(format!("`{}` ended with {}", line(command), output.status)));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::failed(format!("`{}` printed invalid UTF-8", line(command))))
}

/// Returns whether a command succeeds, without showing its output.
pub fn works(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns whether a program of this name is on the path.
pub fn on_path(name: &str) -> bool {
    find(name).is_some()
}

/// Returns the program of this name on the path.
pub fn find(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Returns a path relative to the root of the repository.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns the command line, with the program's file name only.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot start `{}`: {error}; is it installed?", line(command)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_as_typed() {
        assert!(line(&cargo("fmt --all --check")).ends_with("fmt --all --check"));
    }

    #[test]
    fn a_failing_command_is_named() {
        let failure = stream(&mut Command::new("no-such-program")).unwrap_err();
        assert!(failure.to_string().contains("no-such-program"));
    }

    #[test]
    fn the_root_is_found() {
        assert!(root().join("xtask").is_dir());
    }
}
