//! Independent pieces of work on several threads, with their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use crate::error::Result;

/// Chunks of a slice per thread: a core that other processes slow down takes fewer of them.
const CHUNKS_PER_THREAD: usize = 16;

/// Returns the number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns `work(0)` to `work(count - 1)`, computed on up to `threads` threads.
pub fn map<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results = Vec::with_capacity(count);
    let collect = |result| {
        results.push(result);
        Ok(())
    };
    // Collecting cannot fail.
    let _ = for_each(threads, count, work, collect);
    results
}

/// Computes `work(0)` to `work(count - 1)` on up to `threads` threads and passes the results to
/// `each` in this order, on the calling thread. Stops at the first error of `each`.
///
/// Each thread takes the next piece when it has finished one, so that long pieces and slow cores do
/// not hold up the others. Results that are early wait in memory.
pub fn for_each<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let threads = threads.min(count);
    if threads <= 1 {
        return (0..count).try_for_each(|piece| each(work(piece)));
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let (sender, work, next) = (sender.clone(), &work, &next);
            scope.spawn(move || {
                loop {
                    // Relaxed: the counter only distributes numbers; results pass the channel.
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= count || sender.send((piece, work(piece))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut early, mut expected) = (BTreeMap::new(), 0);
        for (piece, result) in results {
            early.insert(piece, result);
            while let Some(result) = early.remove(&expected) {
                each(result)?;
                expected += 1;
            }
        }
        Ok(())
    })
}

/// Applies `change` to all items, on up to `threads` threads.
pub fn for_each_mut<T: Send>(threads: usize, items: &mut [T], change: impl Fn(&mut T) + Sync) {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter_mut().for_each(change);
    }
    let chunks = Mutex::new(items.chunks_mut(items.len().div_ceil(threads * CHUNKS_PER_THREAD)));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some(chunk) = next() {
                    chunk.iter_mut().for_each(&change);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        for threads in 0..5 {
            for count in [0, 1, 2, 100] {
                let squares: Vec<usize> = (0..count).map(|number| number * number).collect();
                assert_eq!(map(threads, count, |number| number * number), squares);
            }
        }
    }

    #[test]
    fn all_items_are_changed() {
        for (threads, count) in [(1, 5), (2, 0), (2, 1), (3, 100)] {
            let mut items: Vec<usize> = (0..count).collect();
            for_each_mut(threads, &mut items, |item| *item *= 2);
            assert!(items.iter().enumerate().all(|(place, item)| *item == 2 * place));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let mut seen = Vec::new();
        let each = |number: usize| {
            seen.push(number);
            if number == 3 { Err(Error::Usage("full".into())) } else { Ok(()) }
        };
        assert!(for_each(2, 1_000, |number| number, each).is_err());
        assert_eq!(seen, [0, 1, 2, 3]);
    }
}
