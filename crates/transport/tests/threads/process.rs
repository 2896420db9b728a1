//! Resources that ranks use: cores, CPU time and memory.

use std::fs::read_to_string;
use std::time::Duration;

use panto_transport::threads::{Pin, Threads, cores};
use panto_transport::{Error, Result, Selector, SendMode, Transport, World};

use super::barrier;

/// Returns the cores that the calling thread may run on, in the kernel's format.
pub(super) fn allowed_cores() -> String {
    let status = read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    line.trim().to_owned()
}

#[test]
fn pinned_ranks_stay_on_their_core() {
    let world = Threads { pin: Pin::Always, ..Threads::default() };
    let (cores, ranks) = (cores(), 5);
    let pinned = world.run(ranks, |t| barrier(t).map(|()| allowed_cores())).unwrap();
    let expected: Vec<_> = (0..ranks).map(|rank| cores[rank % cores.len()].to_string()).collect();
    assert_eq!(pinned, expected);
    let free = Threads::default().run(1, |_| Ok::<_, Error>(allowed_cores())).unwrap();
    assert_eq!(free, [allowed_cores()]);
}

/// Returns the CPU time of the calling thread in nanoseconds. Other tests run in this process.
fn own_cpu_time() -> u64 {
    let stat = read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// Ranks that wait for 200 ms must not consume CPU time, neither many of them nor with a core each.
#[test]
fn blocked_ranks_sleep() {
    for ranks in [2, 17] {
        let burnt = Threads::default().run(ranks, blocked).unwrap();
        let total: u64 = burnt.iter().sum();
        assert!(total < 100_000_000, "{ranks} ranks burnt {total} ns in 200 ms: {burnt:?}");
    }
}

fn blocked(t: &impl Transport) -> Result<u64> {
    if t.rank() == 0 {
        std::thread::sleep(Duration::from_millis(200));
        (1..t.size()).try_for_each(|to| t.send(SendMode::Standard, &[1], to, 1))?;
        return Ok(0);
    }
    let before = own_cpu_time();
    t.receive(&mut [0], Selector::new(0, 1))?;
    Ok(own_cpu_time() - before)
}

fn resident_bytes() -> usize {
    let statm = read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Messages that were not received are freed with their world, in the ring and in the overflow map.
#[test]
fn unreceived_messages_are_freed() {
    let before = resident_bytes();
    for _ in 0..40 {
        Threads::default().run(2, leave_messages).unwrap();
    }
    let grown = resident_bytes().saturating_sub(before);
    // A leak would be 800 MB; other tests of this process use about 10 MB.
    assert!(grown < 400 << 20, "{grown} bytes more than before");
}

fn leave_messages(t: &impl Transport) -> Result<()> {
    let other = 1 - t.rank();
    let data = vec![1; 50_000];
    (0..100).try_for_each(|_| t.send(SendMode::Buffered, &data, other, 1))?;
    t.send(SendMode::Buffered, &[], other, 2)?;
    t.receive(&mut [], Selector::new(other, 2))?;
    (0..100).try_for_each(|_| t.send(SendMode::Buffered, &data, other, 1))
}
