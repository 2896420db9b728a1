//! Work spread over threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does so many pieces of work on so many threads, whoever is free the next; what comes of each is handed over on the calling thread, as it
/// ends. Nothing new is begun once `stop` is set, or when handing over fails.
pub fn spread<T: Send, E>(
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
        // Whoever has something to hand over still finds out that nobody listens, and ends.
        drop(results);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
    })
}

/// The same, all of it, in order.
pub fn all<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let keep = |index: usize, result| -> Result<(), std::convert::Infallible> {
        results[index] = Some(result);
        Ok(())
    };
    match spread(count, threads, &AtomicBool::new(false), work, keep) {
        Ok(()) => results.into_iter().flatten().collect(),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once() {
        for threads in [0, 1, 3, 100] {
            assert_eq!(all(50, threads, |index| index * index), (0..50).map(|n| n * n).collect::<Vec<_>>());
        }
        assert!(all(0, 2, |index| index).is_empty());
    }

    #[test]
    fn it_ends_when_it_should() {
        let stop = AtomicBool::new(false);
        let mut count = 0;
        let end = spread(
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
        spread(1_000_000, 2, &stop, work, |_, ()| Ok::<(), ()>(())).unwrap();
        assert!(begun.into_inner() <= 2);
    }
}
