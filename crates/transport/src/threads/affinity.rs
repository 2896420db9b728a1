//! CPU affinity: which cores a thread may run on.

use crate::error::{Error, Result};

/// Returns the cores that this process may use.
pub fn cores() -> Vec<usize> {
    let cores = allowed(&current());
    if !cores.is_empty() {
        return cores;
    }
    // The kernel refused, for instance because it has more cores than a `cpu_set_t` has bits.
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

/// Pins the calling thread to the n-th core that the process may use, round robin.
pub(super) fn pin(n: usize, cores: &[usize]) -> Result<()> {
    let Some(&core) = cores.get(n % cores.len().max(1)) else {
        return Err(Error::Start("this system does not report the usable cores; run without --pin".into()));
    };
    apply(&set_of(&[core]), &format!("core {core}"))
}

/// Allows the calling thread to run on all of these cores again, and on no others: the kernel would
/// also accept cores beyond those that `taskset` or `mpirun` gave to the process.
pub(super) fn release(cores: &[usize]) {
    // On failure the thread stays pinned, which is slower but not wrong.
    let _ = apply(&set_of(cores), "all cores");
}

/// Resets the calling thread's affinity to that of the process, so that it does not inherit the one
/// core of the pinned thread that started it.
pub(crate) fn reset_affinity() {
    let cores = allowed(&of_process());
    if !cores.is_empty() {
        release(&cores);
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Error, Result};

    pub(super) type Set = libc::cpu_set_t;

    pub(super) fn empty() -> Set {
        // SAFETY: a `cpu_set_t` is an array of integers; all zeros is the empty set.
        unsafe { std::mem::zeroed() }
    }

    pub(super) fn current() -> Set {
        of(0)
    }

    /// Returns the affinity of the process's first thread, which is not pinned where ranks are
    /// threads.
    pub(super) fn of_process() -> Set {
        of(std::process::id() as libc::pid_t)
    }

    fn of(thread: libc::pid_t) -> Set {
        let mut set = empty();
        // SAFETY: the size is that of `set`, which the kernel writes to.
        let code = unsafe { libc::sched_getaffinity(thread, size_of::<Set>(), &raw mut set) };
        if code == 0 { set } else { empty() }
    }

    pub(super) fn apply(set: &Set, what: &str) -> Result<()> {
        // SAFETY: the size is that of `set`, which the kernel only reads.
        if unsafe { libc::sched_setaffinity(0, size_of::<Set>(), set) } == 0 {
            return Ok(());
        }
        let why = std::io::Error::last_os_error();
        Err(Error::Start(format!("cannot pin a rank to {what}: {why}; run without --pin")))
    }

    pub(super) fn allowed(set: &Set) -> Vec<usize> {
        // SAFETY: `core` is below `CPU_SETSIZE`, the number of bits in the set.
        (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, set) }).collect()
    }

    pub(super) fn set_of(cores: &[usize]) -> Set {
        let mut set = empty();
        for &core in cores {
            // SAFETY: `core` came out of `allowed`, so it is below `CPU_SETSIZE`.
            unsafe { libc::CPU_SET(core, &mut set) };
        }
        set
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Error, Result};

    pub(super) struct Set;
    pub(super) fn current() -> Set {
        Set
    }
    pub(super) fn of_process() -> Set {
        Set
    }
    pub(super) fn apply(_: &Set, what: &str) -> Result<()> {
        Err(Error::Start(format!("ranks cannot be pinned to {what} on this system; run without --pin")))
    }
    pub(super) fn allowed(_: &Set) -> Vec<usize> {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
    }
    pub(super) fn set_of(_: &[usize]) -> Set {
        Set
    }
}

use system::{allowed, apply, current, of_process, set_of};
