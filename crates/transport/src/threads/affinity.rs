//! CPU affinity: which cores a thread may run on.

use crate::error::{Error, Result};
use crate::placement::parse_cpu_list;

/// Returns the cores that this process may use.
pub fn cores() -> Vec<usize> {
    let cores = allowed(&current());
    if !cores.is_empty() {
        return cores;
    }
    // The kernel refused, for instance because it has more cores than a `cpu_set_t` has bits.
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

/// Returns the cores in the order in which ranks are pinned to them: hardware threads that share a
/// core with an earlier one come last.
pub(super) fn in_pinning_order(cores: &[usize]) -> Vec<usize> {
    let siblings = |core: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
        parse_cpu_list(&std::fs::read_to_string(path).ok()?)
    };
    siblings_last(cores, siblings)
}

fn siblings_last(cores: &[usize], siblings: impl Fn(usize) -> Option<Vec<usize>>) -> Vec<usize> {
    let mut order = cores.to_vec();
    let earlier = |core: usize| {
        let sharing = siblings(core).unwrap_or_default();
        cores.iter().take_while(|&&other| other != core).filter(|other| sharing.contains(other)).count()
    };
    order.sort_by_cached_key(|&core| earlier(core));
    order
}

/// Pins the calling thread to the n-th of these cores, round robin.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_threads_of_one_core_come_last() {
        // Cores 0 and 4 are one, and so are 1 and 5.
        let pairs = |core: usize| Some(vec![core % 4, core % 4 + 4]);
        assert_eq!(siblings_last(&[0, 1, 4, 5], pairs), [0, 1, 4, 5]);
        // Neighbours share a core.
        let neighbours = |core: usize| Some(vec![core / 2 * 2, core / 2 * 2 + 1]);
        assert_eq!(siblings_last(&[0, 1, 2, 3], neighbours), [0, 2, 1, 3]);
        assert_eq!(siblings_last(&[3, 1], |_| None), [3, 1]);
    }
}
