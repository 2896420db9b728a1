//! Why an event is not counted, and what can be done about it.

use std::fmt;
use std::io;

/// The kernel's setting of who may count: from 3 on, a patch of several distributions, only
/// privileged users; up to 2 (the default of Linux), everyone in user mode.
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

/// The highest value of that setting with which everyone may count in user mode.
const MOST_PARANOID: i32 = 2;

/// Why an event is not counted. The codes are those of `perf_event_open(2)`.
#[derive(Debug)]
pub enum Refusal {
    /// The kernel has no driver for the processor's counters, or the virtual machine does not have
    /// them.
    NoHardware,
    /// The user may not count; the value of `kernel.perf_event_paranoid`, if it can be read.
    Forbidden(Option<i32>),
    /// The kernel was built without performance events, or a container hides them.
    NoSystemCall,
    /// The process or the system has too many open files.
    OpenFiles,
    /// Others use all counters of the processor.
    InUse,
    /// There is a counter, but it does not count.
    StandsStill,
    /// The kernel's reason is another.
    Other(String),
}

impl Refusal {
    pub(crate) fn of(error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENODEV | libc::ENXIO | libc::EOPNOTSUPP) => Self::NoHardware,
            Some(libc::EACCES | libc::EPERM) => Self::Forbidden(paranoid()),
            Some(libc::ENOSYS) => Self::NoSystemCall,
            Some(libc::EMFILE | libc::ENFILE) => Self::OpenFiles,
            Some(libc::EBUSY | libc::ENOSPC) => Self::InUse,
            _ => Self::Other(error.to_string()),
        }
    }

    /// Returns what the user can do to have the event counted, if anything.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NoHardware | Self::StandsStill | Self::Other(_) => None,
            Self::Forbidden(Some(value)) if *value > MOST_PARANOID => Some("set it to 2 or less"),
            Self::Forbidden(_) | Self::NoSystemCall => {
                Some("allow the system call perf_event_open (in Docker: --cap-add PERFMON)")
            }
            Self::OpenFiles => Some("raise the limit (ulimit -n)"),
            Self::InUse => Some("end other profilers"),
        }
    }
}

/// The reason alone, without the remedy.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHardware => {
                f.write_str("this kernel offers no hardware counters (often so in virtual machines)")
            }
            Self::Forbidden(Some(value)) if *value > MOST_PARANOID => {
                write!(f, "kernel.perf_event_paranoid is {value}")
            }
            Self::Forbidden(_) => f.write_str("a container or a security policy forbids it"),
            Self::NoSystemCall => f.write_str("this kernel or container has no performance events"),
            Self::OpenFiles => f.write_str("too many open files"),
            Self::InUse => f.write_str("the processor's counters are in use"),
            Self::StandsStill => f.write_str("the counter stands still (so in some virtual machines)"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Refusal {}

fn paranoid() -> Option<i32> {
    std::fs::read_to_string(PARANOID).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: i32) -> Refusal {
        Refusal::of(&io::Error::from_raw_os_error(code))
    }

    #[test]
    fn codes_have_reasons() {
        assert!(matches!(of(libc::ENOENT), Refusal::NoHardware));
        assert!(matches!(of(libc::EACCES), Refusal::Forbidden(_)));
        assert!(matches!(of(libc::ENOSYS), Refusal::NoSystemCall));
        assert!(matches!(of(libc::EMFILE), Refusal::OpenFiles));
        assert!(matches!(of(libc::EBUSY), Refusal::InUse));
        assert!(of(libc::EINVAL).to_string().contains("Invalid argument"));
    }

    #[test]
    fn the_setting_is_blamed_only_where_it_forbids() {
        let text = |value| {
            let refusal = Refusal::Forbidden(value);
            format!("{refusal}; {}", refusal.remedy().unwrap_or_default())
        };
        assert_eq!(text(Some(3)), "kernel.perf_event_paranoid is 3; set it to 2 or less");
        for value in [Some(2), Some(-1), None] {
            assert!(text(value).starts_with("a container or a security policy forbids it; allow"));
        }
    }
}
