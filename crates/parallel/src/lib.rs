//! Independent pieces of work on several threads.
//!
//! A piece is a number below a count. Each thread takes the next one when it has finished one, so
//! that long pieces and slow cores do not hold up the others (self-scheduling). Threads live as
//! long as a call: pieces are expected to take longer than starting a thread. With one thread, or
//! one piece, all work is done by the caller.
//!
//! A panic of a piece is passed on to the caller, with its message, when all threads have ended.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Chunks of a slice per thread: a core that other processes slow down takes fewer of them.
const CHUNKS_PER_THREAD: usize = 16;

/// Returns the number of cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` for the numbers below `count` on up to `threads` threads. The calling thread passes
/// each result with its number to `done` as soon as it is there. No piece is started once `stop` is
/// set or `done` has failed.
pub fn run<T: Send, E>(
    count: usize,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.min(count);
    if threads <= 1 {
        let mut pieces = (0..count).take_while(|_| !stop.load(Ordering::Relaxed));
        return pieces.try_for_each(|piece| done(piece, work(piece)));
    }
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        let (work, next) = (&work, &next);
        let worker = |sender: mpsc::Sender<(usize, T)>| {
            move || {
                while !stop.load(Ordering::Relaxed) {
                    // Relaxed: the counter only distributes numbers; results pass the channel.
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= count || sender.send((piece, work(piece))).is_err() {
                        return;
                    }
                }
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker(sender.clone()))).collect();
        drop(sender);
        let outcome = results.iter().try_for_each(|(piece, result)| done(piece, result));
        // Workers that still have a result fail to send it, and end.
        drop(results);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
    })
}

/// Runs `work` for the numbers below `count` on up to `threads` threads, and passes the results to
/// `each` in the order of numbers, on the calling thread, up to the first error of `each`. Results
/// that are early wait in memory.
pub fn for_each<T: Send, E>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let (mut early, mut expected) = (BTreeMap::new(), 0);
    run(count, threads, &AtomicBool::new(false), work, |piece, result| {
        early.insert(piece, result);
        while let Some(result) = early.remove(&expected) {
            expected += 1;
            each(result)?;
        }
        Ok(())
    })
}

/// Returns the results of `work` for the numbers below `count`, in their order, computed on up to
/// `threads` threads.
pub fn map<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results = Vec::with_capacity(count);
    let collected = for_each(count, threads, work, |result| -> Result<(), Infallible> {
        results.push(result);
        Ok(())
    });
    match collected {
        Ok(()) => results,
        Err(never) => match never {},
    }
}

/// Applies `change` to all items, on up to `threads` threads.
pub fn for_each_mut<T: Send>(items: &mut [T], threads: usize, change: impl Fn(&mut T) + Sync) {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter_mut().for_each(change);
    }
    let pieces = items.len().div_ceil(threads * CHUNKS_PER_THREAD);
    let count = items.len().div_ceil(pieces);
    // Chunks are taken in any order; each piece of work takes one.
    let chunks = Mutex::new(items.chunks_mut(pieces));
    map(count, threads, |_| {
        let chunk = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        chunk.into_iter().flatten().for_each(&change);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        for threads in [0, 1, 2, 3, 100] {
            for count in [0, 1, 2, 50] {
                let squares: Vec<usize> = (0..count).map(|number| number * number).collect();
                assert_eq!(map(count, threads, |number| number * number), squares);
            }
        }
    }

    #[test]
    fn all_items_are_changed_once() {
        for (threads, count) in [(1, 5), (2, 0), (2, 1), (3, 100), (2, 33), (7, 1000)] {
            let mut items: Vec<usize> = (0..count).collect();
            for_each_mut(&mut items, threads, |item| *item = 2 * *item + 1);
            assert!(items.iter().enumerate().all(|(place, item)| *item == 2 * place + 1));
        }
    }

    #[test]
    fn an_error_or_the_flag_stops_it() {
        let mut seen = Vec::new();
        let each = |number: usize| {
            seen.push(number);
            if number == 3 { Err("enough") } else { Ok(()) }
        };
        assert_eq!(for_each(1_000_000, 2, |number| number, each), Err("enough"));
        assert_eq!(seen, [0, 1, 2, 3]);
        for threads in [1, 2] {
            let (stop, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
            let work = |_| {
                begun.fetch_add(1, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            };
            assert_eq!(run(1_000_000, threads, &stop, work, |_, ()| Ok::<(), ()>(())), Ok(()));
            assert!(begun.into_inner() <= threads);
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        for threads in [1, 3] {
            let caught = std::panic::catch_unwind(|| {
                map(10, threads, |number| assert!(number != 5, "piece {number}"));
            });
            let message = caught.expect_err("a panic");
            assert_eq!(message.downcast_ref::<String>().map(String::as_str), Some("piece 5"));
        }
    }
}
