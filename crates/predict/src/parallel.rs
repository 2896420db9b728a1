//! Runs independent pieces of work on several threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Runs `work` for the indices `0..count` on `threads` threads; free threads take the next index.
/// The calling thread passes each result to `done` as it completes. No work is started once `stop`
/// is set or `done` fails.
pub fn run<T: Send, E>(
    count: usize,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        let (work, next) = (&work, &next);
        let worker = |sender: mpsc::Sender<(usize, T)>| {
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send((index, work(index))).is_err() {
                        return;
                    }
                }
            }
        };
        let workers: Vec<_> =
            (0..threads.clamp(1, count.max(1))).map(|_| scope.spawn(worker(sender.clone()))).collect();
        drop(sender);
        let outcome = results.iter().try_for_each(|(index, result)| done(index, result));
        // Workers that still have a result fail to send it, and end.
        drop(results);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
    })
}

/// Returns the results of `work` for the indices `0..count`, in order.
pub fn map<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let keep = |index: usize, result| -> Result<(), std::convert::Infallible> {
        results[index] = Some(result);
        Ok(())
    };
    match run(count, threads, &AtomicBool::new(false), work, keep) {
        Ok(()) => results.into_iter().flatten().collect(),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_runs_once() {
        for threads in [0, 1, 3, 100] {
            assert_eq!(map(50, threads, |index| index * index), (0..50).map(|n| n * n).collect::<Vec<_>>());
        }
        assert!(map(0, 2, |index| index).is_empty());
    }

    #[test]
    fn an_error_or_the_flag_stops_it() {
        let stop = AtomicBool::new(false);
        let mut count = 0;
        let end = run(
            1_000_000,
            2,
            &stop,
            |index| index,
            |_, _| {
                count += 1;
                if count == 3 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((end, count), (Err("enough"), 3));
        let begun = AtomicUsize::new(0);
        let work = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
        };
        run(1_000_000, 2, &stop, work, |_, ()| Ok::<(), ()>(())).unwrap();
        assert!(begun.into_inner() <= 2);
    }
}
