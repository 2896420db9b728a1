//! A software switch that connects hosts of this machine with the timing of a real Ethernet switch
//! of a given rate.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::thread::JoinHandle;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::ethernet::Ethernet;
use super::tap;

/// Size of a receive buffer in bytes, larger than any Ethernet frame.
const FRAME: usize = 2048;
/// Real-time priority, above programs that may busy-wait on all cores.
const PRIORITY: libc::c_int = 10;

/// A running switch. Dropping it removes the hosts' `eth0`.
pub struct Switch {
    thread: Option<JoinHandle<()>>,
    /// Dropped to stop the thread.
    alive: Option<PipeWriter>,
}

impl Switch {
    /// Gives each host (a process id in its network namespace) an `eth0` with a full-duplex link of
    /// `rate` bytes per second.
    pub fn new(hosts: &[u32], rate: u64) -> io::Result<Self> {
        let links: Vec<File> = hosts.iter().map(|&host| tap::eth0(host)).collect::<io::Result<_>>()?;
        let (stop, alive) = io::pipe()?;
        let thread = std::thread::Builder::new().name("switch".into()).spawn(move || {
            raise_priority();
            run(&links, &stop, Ethernet::new(links.len(), rate));
        })?;
        Ok(Self { thread: Some(thread), alive: Some(alive) })
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Raises the priority of this thread. Without permission, frames are late when all cores are busy.
fn raise_priority() {
    let wanted = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: 0 is the calling thread, so no other thread is affected, and `wanted` is a valid
    // `sched_param` that outlives the call.
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const wanted) };
    if result != 0 {
        eprintln!("warning: the switch runs without real-time priority ({})", io::Error::last_os_error());
    }
}

fn run(links: &[File], stop: &PipeReader, mut ethernet: Ethernet) {
    let start = Instant::now();
    let now = || start.elapsed().as_nanos() as u64;
    let mut buffer = [0; FRAME];
    loop {
        // A full interface drops frames, as a real one does.
        ethernet.arrived(now(), |host, frame| {
            let _ = (&links[host]).write(frame);
        });
        let mut is_idle = true;
        for (host, mut link) in links.iter().enumerate() {
            while let Ok(length) = link.read(&mut buffer) {
                ethernet.send(now(), host, &buffer[..length]);
                is_idle = false;
            }
        }
        if is_idle && wait(links, stop, ethernet.next().map(|at| at.saturating_sub(now()))) {
            return;
        }
    }
}

/// Waits for a frame, at most for `nanoseconds`. Returns whether to stop.
fn wait(links: &[File], stop: &PipeReader, nanoseconds: Option<u64>) -> bool {
    let entry = |file| PollFd::from_borrowed_fd(file, PollFlags::IN);
    let mut entries: Vec<PollFd<'_>> =
        links.iter().map(AsFd::as_fd).chain([stop.as_fd()]).map(entry).collect();
    let limit = nanoseconds.map(|nanoseconds| Timespec {
        tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
        tv_nsec: (nanoseconds % 1_000_000_000).cast_signed(),
    });
    // An interrupted wait is a short one.
    let _ = poll(&mut entries, limit.as_ref());
    entries.last().is_some_and(|entry| !entry.revents().is_empty())
}
