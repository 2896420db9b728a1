//! The environment of a traced program: the dynamic linker's variable, the tracer's, and what makes
//! Open MPI's launcher pass both to other hosts.

use std::ffi::{OsStr, OsString};

use crate::preload::Preload;
use crate::program;
use crate::target::Target;

/// The environment variable of the dynamic linker.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// The variable with the list of variables that Open MPI's launcher passes to other hosts.
const OPEN_MPI_LIST: &str = "OMPI_MCA_mca_base_env_list";

/// What the tracer records.
#[derive(Debug, Clone, Copy)]
pub struct TracerOptions {
    /// The clock that measures computation.
    pub clock: Clock,
    /// Whether the wall-clock time of each call is recorded as well.
    pub stamps: bool,
    /// Whether the place in the program of each call is recorded.
    pub call_sites: bool,
    /// Whether only one rank at a time computes on each core.
    pub token: bool,
}

/// The clock that measures computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// CPU time of the rank; correct even if ranks share cores.
    Cpu,
    /// Wall-clock time; for one rank per core.
    Wall,
    /// Instructions retired, at the rate that they have in CPU time.
    Instructions,
}

impl TracerOptions {
    fn variables(self) -> Vec<(&'static str, OsString)> {
        let yes_or_no = |yes: bool| OsString::from(if yes { "1" } else { "0" });
        let clock = match self.clock {
            Clock::Cpu => "cpu",
            Clock::Wall => "wall",
            Clock::Instructions => "instructions",
        };
        vec![
            ("PANTO_TRACE_CLOCK", clock.into()),
            ("PANTO_TRACE_STAMPS", yes_or_no(self.stamps)),
            ("PANTO_TRACE_CALL_SITES", yes_or_no(self.call_sites)),
            ("PANTO_TRACE_TOKEN", yes_or_no(self.token)),
        ]
    }
}

/// Returns the variables to set for a command, beside those of this process.
pub fn variables(
    words: &[OsString],
    options: TracerOptions,
    target: &Target,
    preload: &Preload,
) -> Vec<(&'static str, OsString)> {
    let mut variables = options.variables();
    variables
        .push((PRELOAD, before_others(preload.path().as_os_str(), std::env::var_os(PRELOAD).as_deref())));
    variables.push(("PANTO_TRACE_DIR", target.ranks().as_os_str().to_owned()));
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let list = passed_variables(words, &names, std::env::var_os(OPEN_MPI_LIST));
    variables.extend(list.map(|list| (OPEN_MPI_LIST, list)));
    variables
}

/// Returns a list of libraries to preload: this one before those that are already preloaded.
fn before_others(library: &OsStr, present: Option<&OsStr>) -> OsString {
    let mut value = library.to_owned();
    if let Some(present) = present.filter(|present| !present.is_empty()) {
        value.push(":");
        value.push(present);
    }
    value
}

/// Returns the list of variables that Open MPI's launcher passes to other hosts, with those of the
/// tracer added. The launcher refuses to run with such a list and `-x` on its command line; `None`
/// if that is the case or cannot be determined.
fn passed_variables(words: &[OsString], names: &[&str], present: Option<OsString>) -> Option<OsString> {
    let is_visible = words.first().is_some_and(|word| program::is_launcher(word));
    if !is_visible || words.iter().any(|word| word == "-x" || word == "--x") {
        return None;
    }
    let mut list = present.filter(|list| !list.is_empty()).unwrap_or_default();
    for name in names {
        if !list.is_empty() {
            list.push(";");
        }
        list.push(name);
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(line: &str, present: Option<&str>) -> Option<OsString> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        passed_variables(&words, &["A", "B"], present.map(OsString::from))
    }

    #[test]
    fn variables_are_passed_unless_the_launcher_has_x() {
        assert_eq!(list("mpirun -n 2 ./app", None), Some("A;B".into()));
        assert_eq!(list("mpirun -n 2 ./app", Some("HOME;X=1")), Some("HOME;X=1;A;B".into()));
        assert_eq!(list("mpirun -x HOME -n 2 ./app", None), None);
        assert_eq!(list("./script.sh", None), None);
    }

    #[test]
    fn other_libraries_stay_preloaded() {
        let value =
            |present: Option<&str>| before_others(OsStr::new("/ranks/it.so"), present.map(OsStr::new));
        assert_eq!(value(None), "/ranks/it.so");
        assert_eq!(value(Some("")), "/ranks/it.so");
        assert_eq!(value(Some("/a.so b.so")), "/ranks/it.so:/a.so b.so");
    }
}
