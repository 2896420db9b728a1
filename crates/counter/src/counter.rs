//! An event of the kernel's performance monitoring, counted for one thread.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};
use std::os::fd::FromRawFd;

use perf_event_open_sys::bindings::{
    PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_SW_TASK_CLOCK, PERF_FLAG_FD_CLOEXEC, PERF_TYPE_HARDWARE,
    PERF_TYPE_SOFTWARE, perf_event_attr,
};
use perf_event_open_sys::perf_event_open;

use crate::refusal::Refusal;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Instructions retired, by the processor's hardware counter.
    Instructions,
    /// Nanoseconds that the thread ran, by the kernel's software event, which every machine has:
    /// for tests where there are no hardware counters.
    TaskClock,
}

impl Event {
    /// Returns its name, as `perf list` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::TaskClock => "task-clock",
        }
    }

    /// Returns the event of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Instructions, Self::TaskClock].into_iter().find(|event| event.name() == name)
    }

    fn attributes(self) -> perf_event_attr {
        let (kind, config) = match self {
            Self::Instructions => (PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
            Self::TaskClock => (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK),
        };
        let mut attributes = perf_event_attr {
            type_: kind,
            size: size_of::<perf_event_attr>() as u32,
            config: config.into(),
            ..Default::default()
        };
        // User mode alone may be counted without privileges (perf_event_paranoid of 2).
        attributes.set_exclude_kernel(1);
        attributes.set_exclude_hv(1);
        // Never multiplexed: a counter that is not always on the processor fails instead of
        // counting a part.
        attributes.set_pinned(1);
        attributes
    }
}

/// Iterations of the loop that a new counter must notice.
const TRIAL: u32 = 10_000;

/// A counter of one event of the thread that opened it. Its file is closed when it is dropped or
/// the program executes another.
#[derive(Debug)]
pub struct Counter(File);

impl Counter {
    /// Begins to count an event of the calling thread, and makes sure that it is counted: some
    /// virtual machines offer counters that stand still.
    pub fn open(event: Event) -> Result<Self, Refusal> {
        let counter = Self::open_untried(event).map_err(|error| Refusal::of(&error))?;
        let before = counter.read().ok_or(Refusal::InUse)?;
        (0..TRIAL).for_each(|number| {
            black_box(number);
        });
        match counter.read() {
            Some(after) if after > before => Ok(counter),
            Some(_) => Err(Refusal::StandsStill),
            None => Err(Refusal::InUse),
        }
    }

    fn open_untried(event: Event) -> io::Result<Self> {
        const THIS_THREAD: libc::pid_t = 0;
        const ANY_CORE: libc::c_int = -1;
        const NO_GROUP: libc::c_int = -1;
        let mut attributes = event.attributes();
        let flags = PERF_FLAG_FD_CLOEXEC.into();
        // SAFETY: the attributes are complete, and a counter changes nothing in the thread.
        let file = unsafe { perf_event_open(&raw mut attributes, THIS_THREAD, ANY_CORE, NO_GROUP, flags) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just opened this file, and nothing else has it.
        Ok(Self(unsafe { File::from_raw_fd(file) }))
    }

    /// Returns the count; none if the event is no longer counted, because another user of the
    /// processor's counters has precedence.
    pub fn read(&self) -> Option<u64> {
        let mut count = [0; size_of::<u64>()];
        // A counter that lost its place is at the end of its file.
        let length = (&self.0).read(&mut count).ok()?;
        (length == count.len()).then(|| u64::from_ne_bytes(count))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::block::tests::{software_counter, work};

    #[test]
    fn the_count_grows_with_work() {
        let Some(counter) = software_counter() else { return };
        let counts: Vec<u64> = (0..5)
            .map(|_| {
                work();
                counter.read().expect("software events are always counted")
            })
            .collect();
        assert!(counts.is_sorted_by(|one, next| one < next), "{counts:?}");
    }

    /// Another thread may read the counter; what it does itself is not counted.
    #[test]
    fn it_counts_for_the_thread_that_opened_it() {
        let (to_reader, counters) = mpsc::channel();
        let (to_owner, done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Some(counter) = software_counter() {
                    let _ = to_reader.send(counter);
                }
                drop(to_reader);
                // Blocked, and so not running, until the other thread has worked.
                let _ = done.recv();
            });
            let Ok(counter) = counters.recv() else { return };
            let own = software_counter().expect("the other thread has one");
            let before = own.read().expect("it is counted");
            let mut last = None;
            // The thread runs on for a moment until it blocks.
            let is_still = (0..1_000).any(|_| {
                work();
                let count = counter.read();
                count == std::mem::replace(&mut last, count)
            });
            assert!(is_still, "the count of a blocked thread grows");
            assert!(own.read().expect("it is counted") > before);
            drop(to_owner);
        });
    }

    #[test]
    fn hardware_counts_or_says_why_not() {
        match Counter::open(Event::Instructions) {
            Ok(counter) => {
                let before = counter.read().expect("it was counted a moment ago");
                work();
                // An iteration is an instruction at least.
                assert!(counter.read().expect("as above") >= before + u64::from(TRIAL));
            }
            Err(refusal) => assert!(!matches!(refusal, Refusal::Other(_)), "unexplained: {refusal}"),
        }
    }

    #[test]
    fn events_have_names() {
        for event in [Event::Instructions, Event::TaskClock] {
            assert_eq!(Event::from_name(event.name()), Some(event));
        }
        assert_eq!(Event::from_name("cpu"), None);
    }
}
