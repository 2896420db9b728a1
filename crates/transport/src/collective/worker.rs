//! A worker thread that computes for a rank while the rank's own thread makes progress on messages
//! (S2).
//!
//! An endpoint belongs to its rank's thread, and an MPI library need not support more
//! (`MPI_THREAD_SINGLE`). So it is the computation that moves to another thread, not the
//! communication.
//!
//! The job stays on the stack of the rank that waits for it; only its address crosses to the
//! worker. The state is `IDLE -> READY -> DONE -> IDLE`, or `SHUTDOWN`. `READY` and `DONE` are
//! stored with release and loaded with acquire, so each side sees what the other wrote before.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::threads;

/// A thread that computes for a rank.
pub struct WorkerThread {
    handoff: Arc<Handoff>,
    thread: Option<JoinHandle<()>>,
    /// Whether waiting threads yield their core instead of spinning.
    yields: bool,
}

/// The state that rank and worker share.
struct Handoff {
    state: AtomicU32,
    job: Mutex<Option<Job>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A job on the stack of the rank that waits for it.
struct Job {
    work: *mut (),
    run: unsafe fn(*mut ()),
}

// SAFETY: the closure is `Send`. Only the worker uses it until it is done, while the rank waits
// (`PendingJob`).
unsafe impl Send for Job {}

const IDLE: u32 = 0;
const READY: u32 = 1;
const DONE: u32 = 2;
const SHUTDOWN: u32 = 3;

/// How long the worker spins for the next job before it parks: longer than the time between two
/// samples.
const SPIN_TIME: Duration = Duration::from_millis(2);

impl WorkerThread {
    /// Starts a worker thread. `yields` should be set where ranks outnumber cores.
    pub fn new(yields: bool) -> Result<Self> {
        let handoff =
            Arc::new(Handoff { state: AtomicU32::new(IDLE), job: Mutex::new(None), panic: Mutex::new(None) });
        let shared = Arc::clone(&handoff);
        let thread = std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                // The thread inherits the affinity of a pinned rank, and would share its one core.
                threads::reset_affinity();
                shared.serve(yields);
            })
            .map_err(|error| Error::Start(format!("cannot start a worker thread: {error}")))?;
        Ok(Self { handoff, thread: Some(thread), yields })
    }

    /// Runs `work` on the worker while calling `progress` repeatedly, until it returns `true`
    /// (nothing left to do). Returns when the work is done. A panic of the work continues here.
    pub fn overlap<F: FnOnce() + Send>(
        &mut self,
        work: F,
        mut progress: impl FnMut() -> Result<bool>,
    ) -> Result<()> {
        let mut work = Some(work);
        let pending = PendingJob::new(self, &mut work);
        let (mut idle, mut outcome) = (false, Ok(()));
        while !pending.is_done() {
            if !idle {
                match progress() {
                    Ok(complete) => idle = complete,
                    Err(error) => (idle, outcome) = (true, Err(error)),
                }
            }
            pause(self.yields);
        }
        drop(pending);
        if let Some(panic) = lock(&self.handoff.panic).take() {
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

impl Drop for WorkerThread {
    fn drop(&mut self) {
        self.handoff.state.store(SHUTDOWN, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // Its panics were caught, and passed on.
            let _ = thread.join();
        }
    }
}

/// A job that the worker is running. Dropping this blocks until the job is done, also while
/// unwinding: the job lies on this stack.
struct PendingJob<'h> {
    worker: &'h WorkerThread,
}

impl<'h> PendingJob<'h> {
    fn new<F: FnOnce() + Send>(worker: &'h WorkerThread, work: &mut Option<F>) -> Self {
        *lock(&worker.handoff.job) = Some(Job { work: std::ptr::from_mut(work).cast(), run: run::<F> });
        worker.handoff.state.store(READY, Ordering::Release);
        worker.wake();
        Self { worker }
    }

    fn is_done(&self) -> bool {
        self.worker.handoff.state.load(Ordering::Acquire) == DONE
    }
}

impl Drop for PendingJob<'_> {
    fn drop(&mut self) {
        while !self.is_done() {
            pause(self.worker.yields);
        }
        self.worker.handoff.state.store(IDLE, Ordering::Relaxed);
    }
}

/// Runs the closure.
///
/// # Safety
/// `work` must point to an `Option<F>` that nothing else uses until this returns.
unsafe fn run<F: FnOnce()>(work: *mut ()) {
    // SAFETY: the caller promises that this is an `Option<F>`, exclusively for this call.
    let work = unsafe { &mut *work.cast::<Option<F>>() };
    if let Some(work) = work.take() {
        work();
    }
}

impl Handoff {
    fn serve(&self, yields: bool) {
        let mut last = Instant::now();
        loop {
            match self.state.load(Ordering::Acquire) {
                SHUTDOWN => return,
                READY => {
                    self.work();
                    last = Instant::now();
                }
                _ if last.elapsed() < SPIN_TIME => pause(yields),
                _ => std::thread::park(),
            }
        }
    }

    fn work(&self) {
        if let Some(job) = lock(&self.job).take() {
            // SAFETY: `PendingJob` keeps the closure at its address, unused by the rank, until the
            // state is `DONE`.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (job.run)(job.work) }));
            *lock(&self.panic) = outcome.err();
        }
        self.state.store(DONE, Ordering::Release);
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
    fn work_overlaps_with_progress() {
        let mut worker = WorkerThread::new(true).unwrap();
        for round in 1..100 {
            let (mut sum, mut polls) = (0_u64, 0);
            let here = std::thread::current().id();
            worker
                .overlap(
                    || {
                        assert_ne!(std::thread::current().id(), here);
                        sum = (0..round * 1000).sum();
                    },
                    || {
                        polls += 1;
                        Ok(polls > 5)
                    },
                )
                .unwrap();
            assert_eq!(sum, round * 1000 * (round * 1000 - 1) / 2);
        }
    }

    #[test]
    fn errors_and_panics_are_returned_when_the_work_is_done() {
        let mut worker = WorkerThread::new(true).unwrap();
        let mut done = false;
        let outcome = worker.overlap(|| done = true, || Err(Error::NoRequest));
        assert!(done && matches!(outcome, Ok(()) | Err(Error::NoRequest)));
        let panic = catch_unwind(AssertUnwindSafe(|| {
            worker.overlap(|| resume_unwind(Box::new("the work's own")), || Ok(false))
        }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"the work's own"));
        // A panic on the rank's side waits for the job on its stack.
        let mut numbers = vec![0; 1000];
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let numbers = &mut numbers;
            worker.overlap(
                move || numbers.fill(7),
                || -> Result<bool> { resume_unwind(Box::new("the rank's own")) },
            )
        }));
        // The job may have been done before `progress` was called.
        assert!(panic.is_err() || numbers[999] == 7);
        assert_eq!(numbers, vec![7; 1000]);
    }
}
