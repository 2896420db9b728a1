//! A switch with cables to hosts of this machine, which takes as long as one of that speed would.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::thread::JoinHandle;
use std::time::Instant;

use super::tap;
use super::wires::Wires;

/// Longer than any frame of an Ethernet.
const FRAME: usize = 2048;
/// Above programs, which may keep all cores busy while they wait for messages.
const PRIORITY: libc::c_int = 10;

/// A switch. When it is dropped, hosts lose their `eth0`.
pub struct Switch {
    thread: Option<JoinHandle<()>>,
    /// Dropped to stop it.
    alive: Option<PipeWriter>,
}

impl Switch {
    /// Gives each of these hosts (a process in its network) an `eth0` with a cable of so many bytes a second, each way.
    pub fn new(hosts: &[u32], rate: u64) -> io::Result<Self> {
        let cables: Vec<File> = hosts.iter().map(|&host| tap::eth0(host)).collect::<io::Result<_>>()?;
        let (stop, alive) = io::pipe()?;
        let thread = std::thread::Builder::new().name("switch".into()).spawn(move || {
            hurry();
            run(&cables, &stop, Wires::new(cables.len(), rate));
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

/// Lets this thread run before all others. Without the right to that, frames are late when all cores are busy.
fn hurry() {
    let wanted = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: it concerns this thread alone (0), and the parameters outlive the call.
    let answer = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const wanted) };
    if answer != 0 {
        eprintln!("warning: the switch has no priority ({})", io::Error::last_os_error());
    }
}

fn run(cables: &[File], stop: &PipeReader, mut wires: Wires) {
    let start = Instant::now();
    let now = || start.elapsed().as_nanos() as u64;
    let mut buffer = [0; FRAME];
    loop {
        // A host that takes no more frames loses them, as it would any.
        wires.arrived(now(), |host, frame| {
            let _ = (&cables[host]).write(frame);
        });
        let mut is_idle = true;
        for (host, mut cable) in cables.iter().enumerate() {
            while let Ok(length) = cable.read(&mut buffer) {
                wires.send(now(), host, &buffer[..length]);
                is_idle = false;
            }
        }
        if is_idle && wait(cables, stop, wires.next().map(|at| at.saturating_sub(now()))) {
            return;
        }
    }
}

/// Waits for a frame, or so many nanoseconds. Is it time to stop?
fn wait(cables: &[File], stop: &PipeReader, nanoseconds: Option<u64>) -> bool {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut entries: Vec<libc::pollfd> =
        cables.iter().map(AsRawFd::as_raw_fd).chain([stop.as_raw_fd()]).map(entry).collect();
    let limit = nanoseconds.map(|nanoseconds| libc::timespec {
        tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
        tv_nsec: (nanoseconds % 1_000_000_000).cast_signed(),
    });
    let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the entries are as many as is said, their files are open, and both they and the limit outlive the call.
    unsafe {
        libc::ppoll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, limit, std::ptr::null());
    }
    entries.last().is_some_and(|entry| entry.revents != 0)
}
