//! Detects where the calling thread runs.

use std::path::Path;

use super::topology::Topology;
use super::{HostIdentity, Placement};

impl Placement {
    /// Returns the placement of the calling thread, with node 0.
    pub fn current() -> Self {
        let cores = cores();
        let topology =
            Topology(&|path| std::fs::read_to_string(Path::new("/sys/devices/system").join(path)).ok());
        Self {
            host: line("/proc/sys/kernel/hostname").unwrap_or_else(|| "unknown".into()),
            node: 0,
            numa: topology.numa(&cores),
            cache: topology.cache(&cores),
            cores,
            pid: std::process::id(),
            identity: HostIdentity::current(),
        }
    }
}

impl HostIdentity {
    fn current() -> Self {
        Self {
            boot: line("/proc/sys/kernel/random/boot_id").unwrap_or_default(),
            clock: namespace("/proc/self/ns/time"),
            processes: namespace("/proc/self/ns/pid"),
        }
    }
}

/// Returns the content of a file of one line.
fn line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the inode number in a link such as `pid:[4026531836]`.
fn namespace(path: &str) -> Option<u64> {
    let link = std::fs::read_link(path).ok()?;
    let (_, number) = link.to_str()?.split_once(":[")?;
    number.strip_suffix(']')?.parse().ok()
}

/// One word of the system's CPU set.
type Word = libc::c_ulong;

/// Returns the cores on which the calling thread may run, in ascending order; none if the system
/// does not report them.
fn cores() -> Vec<usize> {
    // The kernel rejects sets that are smaller than its own. Kernels are built for up to 8192
    // cores; this goes far beyond.
    const SMALLEST: usize = 1024 / Word::BITS as usize;
    let sizes = std::iter::successors(Some(SMALLEST), |size| Some(size * 2)).take(8);
    sizes.into_iter().find_map(affinity).map(|set| members(&set)).unwrap_or_default()
}

/// Returns the CPU set of the calling thread, if it fits into `words` words.
fn affinity(words: usize) -> Option<Vec<Word>> {
    let mut set: Vec<Word> = vec![0; words];
    // SAFETY: the kernel writes at most the given number of bytes, and a CPU set is an array of
    // such words.
    let code = unsafe { libc::sched_getaffinity(0, size_of_val(set.as_slice()), set.as_mut_ptr().cast()) };
    (code == 0).then_some(set)
}

fn members(set: &[Word]) -> Vec<usize> {
    let bits = Word::BITS as usize;
    (0..set.len() * bits).filter(|core| set[core / bits] >> (core % bits) & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::super::cpu_list;
    use super::*;

    #[test]
    fn placement_agrees_with_the_system() {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        let place = Placement::current();
        assert_eq!(Some(&place.cores), cpu_list::parse(allowed).as_ref());
        assert_eq!((place.pid, place.node), (std::process::id(), 0));
        assert_eq!(place.host, line("/proc/sys/kernel/hostname").unwrap());
        assert!(place.shares_processes(&Placement::current()));
        assert!(place.identity.clock.is_some() || !Path::new("/proc/self/ns/time").exists());
    }

    #[test]
    fn a_bound_thread_knows_its_core() {
        let all = cores();
        let last = *all.last().unwrap();
        let bound = std::thread::spawn(move || {
            let mut set: Vec<Word> = vec![0; last / Word::BITS as usize + 1];
            set[last / Word::BITS as usize] = 1 << (last % Word::BITS as usize);
            // SAFETY: the kernel reads the given number of bytes; only this thread is bound.
            let code =
                unsafe { libc::sched_setaffinity(0, size_of_val(set.as_slice()), set.as_ptr().cast()) };
            assert_eq!(code, 0, "{}", std::io::Error::last_os_error());
            Placement::current().cores
        });
        assert_eq!(bound.join().unwrap(), [last]);
        assert_eq!(cores(), all);
    }

    #[test]
    fn large_cpu_sets_are_read() {
        let mut set: Vec<Word> = vec![0; 128];
        set[0] = 0b101;
        set[127] = 1 << (Word::BITS - 1);
        assert_eq!(members(&set), [0, 2, 128 * Word::BITS as usize - 1]);
    }
}
