//! Finds the program that a command line starts, after its launcher.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs that start the ranks of a job. Distributions add suffixes: `mpirun.openmpi`,
/// `mpiexec.hydra`, `mpirun_rsh`.
const LAUNCHERS: [&str; 10] =
    ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun", "ibrun", "flux"];

/// Extensions of scripts, which are removed from the name of the trace.
const SCRIPTS: [&str; 2] = ["py", "sh"];

/// Returns whether a word is the name or path of an MPI launcher.
pub(crate) fn is_launcher(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    LAUNCHERS.iter().any(|launcher| {
        name.strip_prefix(launcher)
            .is_some_and(|suffix| suffix.is_empty() || suffix.starts_with(['.', '_', '-']))
    })
}

/// Returns the program that a command starts: the first executable after the launcher. Words with a
/// slash take precedence over words that happen to be names of commands.
pub(crate) fn find(words: &[OsString]) -> Option<PathBuf> {
    let (first, rest) = words.split_first()?;
    if !is_launcher(first) {
        return resolve(first);
    }
    let is_path = |word: &&OsString| word.as_bytes().contains(&b'/');
    let paths = rest.iter().filter(is_path).find_map(|word| resolve(word));
    paths.or_else(|| rest.iter().find_map(|word| resolve(word)))
}

/// Returns the default file name of the trace of a command.
pub fn trace_name(words: &[OsString]) -> PathBuf {
    let path = find(words).or_else(|| words.first().map(PathBuf::from)).unwrap_or_default();
    let path = script(words, &path).unwrap_or(path);
    let is_script = path.extension().is_some_and(|end| SCRIPTS.iter().any(|script| end == *script));
    let name = if is_script { path.file_stem() } else { path.file_name() };
    let mut name = name.unwrap_or(OsStr::new("trace")).to_owned();
    name.push(".panto");
    PathBuf::from(name)
}

/// Returns the name if no file has it, or else the first of `app-2.panto`, `app-3.panto` and so on
/// that no file has.
pub fn unused_name(name: PathBuf) -> PathBuf {
    if !name.exists() {
        return name;
    }
    let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let end = name.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    let mut names = (2_u64..).map(|number| name.with_file_name(format!("{stem}-{number}{end}")));
    names.find(|name| !name.exists()).unwrap_or(name)
}

/// Returns the script of a Python interpreter, after which the trace is named.
fn script(words: &[OsString], interpreter: &Path) -> Option<PathBuf> {
    let name = interpreter.file_name()?.to_str()?;
    if !name.starts_with("python") {
        return None;
    }
    words.iter().map(PathBuf::from).find(|word| word.extension().is_some_and(|end| end == "py"))
}

/// Returns the executable that a word refers to, as a shell resolves it.
fn resolve(word: &OsStr) -> Option<PathBuf> {
    if word.is_empty() || word.as_bytes().starts_with(b"-") {
        return None;
    }
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|path| is_executable(path));
    }
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|directory| directory.join(word)).find(|path| is_executable(path))
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
    fn launchers_are_recognised_with_suffixes() {
        for name in ["mpirun", "/opt/bin/mpiexec", "mpirun.openmpi", "mpiexec.hydra", "mpirun_rsh", "srun"] {
            assert!(is_launcher(OsStr::new(name)), "{name}");
        }
        for name in ["./app", "mpirunner", "strun", ""] {
            assert!(!is_launcher(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_program_follows_the_launcher() {
        let found = |line: &str| find(&words(line));
        assert_eq!(found("/bin/ls -l"), Some("/bin/ls".into()));
        assert_eq!(found("mpirun -n 4 -host test /bin/ls /bin/cat"), Some("/bin/ls".into()));
        assert_eq!(found("mpirun -wdir /tmp -hostfile /etc/passwd /bin/ls"), Some("/bin/ls".into()));
        assert!(found("srun -n 4 ls -l").is_some_and(|path| path.ends_with("ls")));
        assert_eq!(found("mpirun -n 4 ./nowhere/app"), None);
        assert_eq!(found("/etc/passwd"), None);
    }

    #[test]
    fn names_in_use_are_numbered() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["app.panto", "app-2.panto", "app-3.panto"] {
            assert_eq!(unused_name(path("app.panto")), path(name));
            std::fs::write(path(name), "").unwrap();
        }
        assert_eq!(unused_name(path("app.panto")), path("app-4.panto"));
    }

    #[test]
    fn the_trace_is_named_after_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("solver.py");
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
