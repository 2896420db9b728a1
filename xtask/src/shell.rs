//! Other programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Failure, Result};

/// The root of the repository.
pub fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), Path::to_path_buf)
}

/// The cargo that runs this, with arguments as one would type them.
pub fn cargo(arguments: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments.split_whitespace()).current_dir(root());
    // These build everything, most often for the first time; to keep what the next change could use takes longer than it saves.
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// Runs with the output going where ours goes.
pub fn stream(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::failed(format!("`{}` ended with {status}", line(command))))
    }
}

/// Runs, and answers what was printed. What goes to standard error stays visible.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(Failure::failed(format!("`{}` ended with {}", line(command), output.status)));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::failed(format!("`{}` printed what is no text", line(command))))
}

/// Does it run and succeed? Nothing is shown.
pub fn works(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Is there a program of this name?
pub fn on_path(name: &str) -> bool {
    find(name).is_some()
}

/// The program of this name on the path.
pub fn find(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A path as people would type it at the root of the repository.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The command as one would type it, without the way to cargo.
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
    fn what_fails_is_named() {
        let failure = stream(&mut Command::new("no-such-program")).unwrap_err();
        assert!(failure.to_string().contains("no-such-program"));
    }

    #[test]
    fn the_root_is_found() {
        assert!(root().join("xtask").is_dir());
    }
}
