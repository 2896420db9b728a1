//! A world whose ranks are processes: each runs the whole program, has a world of its own, and joins the others in jobs.
//!
//! Here the processes are threads, and what passes between them are messages of the threads transport. Processes that go
//! different ways are noticed at once: each step says which one it is, and a wait for ever is a deadlock that is reported.

use std::cell::Cell;
use std::fmt::Display;
use std::thread::ThreadId;

use panto_transport::threads::{Endpoint, Threads};
use panto_transport::{Error, Mode, Tag, Transport, Want, World};

use crate::flawed::Flawed;

/// What the first process says to the others.
const WORDS: Tag = 20_000;

/// The world as one of the processes sees it.
pub struct Split<'a> {
    endpoint: &'a Endpoint,
    /// Steps that this process has taken together with the others.
    steps: Cell<u64>,
    thread: ThreadId,
}

// SAFETY: what cannot be shared is reached through `own` alone, which refuses any other thread than that which made it.
unsafe impl Sync for Split<'_> {}

impl<'a> Split<'a> {
    fn own(&self) -> (&'a Endpoint, &Cell<u64>) {
        assert_eq!(std::thread::current().id(), self.thread, "a process stays on its thread");
        (self.endpoint, &self.steps)
    }

    /// Which process this is.
    pub fn process(&self) -> usize {
        self.own().0.rank()
    }

    /// What the first process says at this step; an error if it is at another one.
    fn step(&self, what: &str, words: &[u8]) -> Result<Vec<u8>, Error> {
        let (endpoint, steps) = self.own();
        steps.set(steps.get() + 1);
        let step = format!("step {}, {what}: ", steps.get()).into_bytes();
        if endpoint.rank() == 0 {
            let said = [&step, words].concat();
            (1..endpoint.size())
                .try_for_each(|process| endpoint.send(Mode::Standard, &said, process, WORDS))?;
            return Ok(words.to_vec());
        }
        let want = Want::new(0, WORDS);
        let mut said = vec![0; endpoint.probe(want)?.len];
        endpoint.receive(&mut said, want)?;
        let heard = said.strip_prefix(step.as_slice()).map(<[u8]>::to_vec);
        heard.ok_or_else(|| {
            let [step, said] = [&step, &said].map(|text| String::from_utf8_lossy(text).into_owned());
            endpoint.abort(&format!("this process is at {step}the first one at {said}"))
        })
    }
}

impl<'a> World for Split<'a> {
    type Endpoint = Flawed<'a, Endpoint>;

    fn most_ranks(&self) -> usize {
        self.own().0.size()
    }

    fn is_first(&self) -> bool {
        self.process() == 0
    }

    fn announce(&self, words: Vec<u8>) -> Result<Vec<u8>, Error> {
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
        body(&Flawed { ranks: Some(ranks), ..Flawed::new(endpoint) }).map(|result| vec![result])
    }
}

/// Runs the whole program in each of so many processes, and answers what it answered in each.
pub fn processes<R: Send>(count: usize, program: impl Fn(&Split<'_>) -> R + Sync) -> Vec<R> {
    let outcome = Threads::default().run(count, |endpoint| {
        let thread = std::thread::current().id();
        Ok::<_, Error>(program(&Split { endpoint, steps: Cell::new(0), thread }))
    });
    outcome.unwrap_or_else(|error| panic!("the processes went different ways: {error}"))
}
