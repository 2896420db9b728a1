//! A thread beside a rank, that computes while the rank's own thread looks after its messages (S2).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::threads;

/// A thread that does work for a rank. An endpoint belongs to the thread of its rank, and an MPI library need not allow more
/// (`MPI_THREAD_SINGLE`): so it is the work that moves, not the messages.
pub struct Helper {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
    /// Shall whoever waits let others have the core?
    yields: bool,
}

/// Where work is handed over.
struct Desk {
    turn: AtomicU32,
    job: Mutex<Option<Job>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Work that lives on the stack of the rank that waits for it.
struct Job {
    work: *mut (),
    run: unsafe fn(*mut ()),
}

// SAFETY: the work is `Send`; only the helper uses it until it is done, while the rank waits.
unsafe impl Send for Job {}

const IDLE: u32 = 0;
const WORK: u32 = 1;
const DONE: u32 = 2;
const OVER: u32 = 3;

/// How long the helper looks for the next work before it sleeps. Longer than what lies between two samples.
const ATTENTION: Duration = Duration::from_millis(2);

impl Helper {
    /// Starts one. Where ranks outnumber cores, nobody should wait by spinning.
    pub fn new(yields: bool) -> Result<Self> {
        let desk =
            Arc::new(Desk { turn: AtomicU32::new(IDLE), job: Mutex::new(None), panic: Mutex::new(None) });
        let theirs = Arc::clone(&desk);
        let thread = std::thread::Builder::new()
            .name("helper".into())
            .spawn(move || {
                // It inherits the one core of a pinned rank, and would take turns with it.
                threads::leave_the_ranks_core();
                theirs.serve(yields);
            })
            .map_err(|error| Error::Start(format!("cannot start a helper thread: {error}")))?;
        Ok(Self { desk, thread: Some(thread), yields })
    }

    /// Lets the helper do `work`, and meanwhile does something else again and again: `meanwhile` says whether there is nothing left
    /// to do. Returns when the work is done; a panic of it comes out here.
    pub fn beside<F: FnOnce() + Send>(
        &mut self,
        work: F,
        mut meanwhile: impl FnMut() -> Result<bool>,
    ) -> Result<()> {
        let mut work = Some(work);
        let handed = Handed::new(self, &mut work);
        let (mut idle, mut outcome) = (false, Ok(()));
        while !handed.is_done() {
            if !idle {
                match meanwhile() {
                    Ok(complete) => idle = complete,
                    Err(error) => (idle, outcome) = (true, Err(error)),
                }
            }
            pause(self.yields);
        }
        drop(handed);
        if let Some(panic) = lock(&self.desk.panic).take() {
            resume_unwind(panic);
        }
        outcome
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.desk.turn.store(OVER, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // Its panics were caught, and handed on.
            let _ = thread.join();
        }
    }
}

/// Work in the hands of the helper. The stack on which it lies is not left before it is done, not even by a panic.
struct Handed<'h> {
    helper: &'h Helper,
}

impl<'h> Handed<'h> {
    fn new<F: FnOnce() + Send>(helper: &'h Helper, work: &mut Option<F>) -> Self {
        *lock(&helper.desk.job) = Some(Job { work: std::ptr::from_mut(work).cast(), run: run::<F> });
        helper.desk.turn.store(WORK, Ordering::Release);
        helper.wake();
        Self { helper }
    }

    fn is_done(&self) -> bool {
        self.helper.desk.turn.load(Ordering::Acquire) == DONE
    }
}

impl Drop for Handed<'_> {
    fn drop(&mut self) {
        while !self.is_done() {
            pause(self.helper.yields);
        }
        self.helper.desk.turn.store(IDLE, Ordering::Relaxed);
    }
}

/// # Safety
/// `work` must point to an `Option<F>` that nobody else uses meanwhile.
unsafe fn run<F: FnOnce()>(work: *mut ()) {
    // SAFETY: the caller.
    let work = unsafe { &mut *work.cast::<Option<F>>() };
    if let Some(work) = work.take() {
        work();
    }
}

impl Desk {
    fn serve(&self, yields: bool) {
        let mut last = Instant::now();
        loop {
            match self.turn.load(Ordering::Acquire) {
                OVER => return,
                WORK => {
                    self.work();
                    last = Instant::now();
                }
                _ if last.elapsed() < ATTENTION => pause(yields),
                _ => std::thread::park(),
            }
        }
    }

    fn work(&self) {
        if let Some(job) = lock(&self.job).take() {
            // SAFETY: the rank that handed it over keeps it in its place until the turn says that it is done.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (job.run)(job.work) }));
            *lock(&self.panic) = outcome.err();
        }
        self.turn.store(DONE, Ordering::Release);
    }
}

fn pause(yields: bool) {
    if yields { std::thread::yield_now() } else { std::hint::spin_loop() }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_and_messages_go_on_side_by_side() {
        let mut helper = Helper::new(true).unwrap();
        for round in 1..100 {
            let (mut sum, mut looks) = (0_u64, 0);
            let here = std::thread::current().id();
            helper
                .beside(
                    || {
                        assert_ne!(std::thread::current().id(), here);
                        sum = (0..round * 1000).sum();
                    },
                    || {
                        looks += 1;
                        Ok(looks > 5)
                    },
                )
                .unwrap();
            assert_eq!(sum, round * 1000 * (round * 1000 - 1) / 2);
        }
    }

    #[test]
    fn errors_and_panics_come_out_when_the_work_is_done() {
        let mut helper = Helper::new(true).unwrap();
        let mut done = false;
        let outcome = helper.beside(|| done = true, || Err(Error::NothingToWaitFor));
        assert!(done && matches!(outcome, Ok(()) | Err(Error::NothingToWaitFor)));
        let panic = catch_unwind(AssertUnwindSafe(|| {
            helper.beside(|| resume_unwind(Box::new("the work's own")), || Ok(false))
        }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"the work's own"));
        // The rank's own panic waits for the work that lies on its stack.
        let mut numbers = vec![0; 1000];
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let numbers = &mut numbers;
            helper.beside(
                move || numbers.fill(7),
                || -> Result<bool> { resume_unwind(Box::new("the rank's own")) },
            )
        }));
        // The work may have been done before anybody looked.
        assert!(panic.is_err() || numbers[999] == 7);
        assert_eq!(numbers, vec![7; 1000]);
    }
}
