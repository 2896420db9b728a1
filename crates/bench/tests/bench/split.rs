//! A world whose ranks are processes: each runs the whole program with its own world, and joins the
//! others in jobs.
//!
//! Here the processes are threads that exchange messages of the threads transport. Processes that
//! diverge are detected at once: each step carries its name, and a process that waits indefinitely
//! is reported as a deadlock.

use std::cell::Cell;
use std::fmt::Display;
use std::thread::ThreadId;

use panto_transport::threads::{Endpoint, Threads};
use panto_transport::{Error, Selector, SendMode, Tag, Transport, World};

use crate::faulty::Faulty;

/// The tag of the first process's announcements.
const ANNOUNCEMENT: Tag = 20_000;

/// The world of one process.
pub struct Split<'a> {
    endpoint: &'a Endpoint,
    /// The number of steps that this process has taken together with the others.
    steps: Cell<u64>,
    thread: ThreadId,
}

// SAFETY: the unshareable fields are accessed only through `own`, which panics on any thread but
// the one that created them.
unsafe impl Sync for Split<'_> {}

impl<'a> Split<'a> {
    fn own(&self) -> (&'a Endpoint, &Cell<u64>) {
        assert_eq!(std::thread::current().id(), self.thread, "a process stays on its thread");
        (self.endpoint, &self.steps)
    }

    /// Returns the index of this process.
    pub fn process(&self) -> usize {
        self.own().0.rank()
    }

    /// Returns the first process's announcement of this step; fails if that process is at another
    /// step.
    fn step(&self, what: &str, words: &[u8]) -> Result<Vec<u8>, Error> {
        let (endpoint, steps) = self.own();
        steps.set(steps.get() + 1);
        let step = format!("step {}, {what}: ", steps.get()).into_bytes();
        if endpoint.rank() == 0 {
            let message = [&step, words].concat();
            (1..endpoint.size())
                .try_for_each(|process| endpoint.send(SendMode::Standard, &message, process, ANNOUNCEMENT))?;
            return Ok(words.to_vec());
        }
        let want = Selector::new(0, ANNOUNCEMENT);
        let mut message = vec![0; endpoint.probe(want)?.len];
        endpoint.receive(&mut message, want)?;
        let announced = message.strip_prefix(step.as_slice()).map(<[u8]>::to_vec);
        announced.ok_or_else(|| {
            let [step, message] = [&step, &message].map(|text| String::from_utf8_lossy(text).into_owned());
            endpoint.abort(&format!("this process is at {step}the first one at {message}"))
        })
    }
}

impl<'a> World for Split<'a> {
    type Endpoint = Faulty<'a, Endpoint>;

    fn max_ranks(&self) -> usize {
        self.own().0.size()
    }

    fn is_first(&self) -> bool {
        self.process() == 0
    }

    fn broadcast(&self, words: Vec<u8>) -> Result<Vec<u8>, Error> {
        self.step("announce", &words)
    }

    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Self::Endpoint) -> Result<R, E> + Sync,
    {
        self.step(&format!("run {ranks}"), &[])?;
        let (endpoint, _) = self.own();
        if endpoint.rank() >= ranks {
            return Ok(Vec::new());
        }
        body(&Faulty { ranks: Some(ranks), ..Faulty::new(endpoint) }).map(|result| vec![result])
    }
}

/// Runs the whole program in each of `count` processes, and returns the result of each.
pub fn processes<R: Send>(count: usize, program: impl Fn(&Split<'_>) -> R + Sync) -> Vec<R> {
    let outcome = Threads::default().run(count, |endpoint| {
        let thread = std::thread::current().id();
        Ok::<_, Error>(program(&Split { endpoint, steps: Cell::new(0), thread }))
    });
    outcome.unwrap_or_else(|error| panic!("the processes diverged: {error}"))
}
