//! Which program a command line starts, behind its launcher.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs that start the ranks of a job. Distributions add endings: `mpirun.openmpi`, `mpiexec.hydra`, `mpirun_rsh`.
const LAUNCHERS: [&str; 10] =
    ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun", "ibrun", "flux"];

/// Scripts' names end with what runs them; that says nothing about the program.
const SCRIPTS: [&str; 2] = ["py", "sh"];

/// Does this word start the launcher of an MPI?
pub fn is_launcher(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    LAUNCHERS.iter().any(|launcher| {
        name.strip_prefix(launcher)
            .is_some_and(|ending| ending.is_empty() || ending.starts_with(['.', '_', '-']))
    })
}

/// The program that the words start: the first that can be executed, behind the launcher and its options. A path is more likely to be
/// meant than a word that happens to be the name of a command.
pub fn find(words: &[OsString]) -> Option<PathBuf> {
    let (first, rest) = words.split_first()?;
    if !is_launcher(first) {
        return resolve(first);
    }
    let is_path = |word: &&OsString| word.as_bytes().contains(&b'/');
    let paths = rest.iter().filter(is_path).find_map(|word| resolve(word));
    paths.or_else(|| rest.iter().find_map(|word| resolve(word)))
}

/// What a trace of this command is called if nobody says.
pub fn trace_name(words: &[OsString]) -> PathBuf {
    let path = find(words).or_else(|| words.first().map(PathBuf::from)).unwrap_or_default();
    let path = script(words, &path).unwrap_or(path);
    let is_script = path.extension().is_some_and(|end| SCRIPTS.iter().any(|script| end == *script));
    let name = if is_script { path.file_stem() } else { path.file_name() };
    let mut name = name.unwrap_or(OsStr::new("trace")).to_owned();
    name.push(".panto");
    PathBuf::from(name)
}

/// The script that an interpreter is given: every program in Python would have one name.
fn script(words: &[OsString], interpreter: &Path) -> Option<PathBuf> {
    let name = interpreter.file_name()?.to_str()?;
    if !name.starts_with("python") {
        return None;
    }
    words.iter().map(PathBuf::from).find(|word| word.extension().is_some_and(|end| end == "py"))
}

/// The file that a word starts, as a shell finds it.
fn resolve(word: &OsStr) -> Option<PathBuf> {
    if word.is_empty() || word.as_bytes().starts_with(b"-") {
        return None;
    }
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|path| is_executable(path));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(word)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn launchers_are_known_with_their_endings() {
        for name in ["mpirun", "/opt/bin/mpiexec", "mpirun.openmpi", "mpiexec.hydra", "mpirun_rsh", "srun"] {
            assert!(is_launcher(OsStr::new(name)), "{name}");
        }
        for name in ["./app", "mpirunner", "strun", ""] {
            assert!(!is_launcher(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_program_stands_behind_the_launcher() {
        let found = |line: &str| find(&words(line));
        assert_eq!(found("/bin/ls -l"), Some("/bin/ls".into()));
        assert_eq!(found("mpirun -n 4 -host test /bin/ls /bin/cat"), Some("/bin/ls".into()));
        assert_eq!(found("mpirun -wdir /tmp -hostfile /etc/passwd /bin/ls"), Some("/bin/ls".into()));
        assert!(found("srun -n 4 ls -l").is_some_and(|path| path.ends_with("ls")));
        assert_eq!(found("mpirun -n 4 ./nowhere/app"), None);
        assert_eq!(found("/etc/passwd"), None);
    }

    #[test]
    fn the_trace_is_named_after_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("solver.py");
        std::fs::write(&script, "").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(trace_name(&words("mpirun -n 16 /bin/ls --its options")), Path::new("ls.panto"));
        assert_eq!(
            trace_name(&words(&format!("srun python3 {}", script.display()))),
            Path::new("solver.panto")
        );
        assert_eq!(trace_name(&words("./not/there.out")), Path::new("there.out.panto"));
    }
}
