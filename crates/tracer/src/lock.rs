//! The lock of the rank.
//!
//! It is taken in every call, nearly always by the only thread that calls MPI, and held for some
//! nanoseconds. An atomic exchange takes it and a plain store releases it, where the system's mutex
//! needs a second exchange to learn whether a thread sleeps. A thread that finds it taken spins,
//! then yields, then sleeps between attempts: a holder that takes so long is writing a block of
//! events.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A value that one thread at a time may use.
pub struct Lock<T> {
    is_held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a `Guard` only, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The lock, held as long as this lives.
pub struct Guard<'a, T>(&'a Lock<T>);

/// Attempts of a waiting thread before it yields the core.
const LOOKS: u32 = 100;
/// Attempts with a yield before it sleeps between attempts.
const TURNS: u32 = 100;
const PAUSE: Duration = Duration::from_micros(100);

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self { is_held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_take(&self) -> Option<Guard<'_, T>> {
        (!self.is_held.swap(true, Ordering::Acquire)).then(|| Guard(self))
    }

    /// Takes the lock as soon as it is free.
    #[inline]
    pub fn take(&self) -> Guard<'_, T> {
        self.try_take().unwrap_or_else(|| self.wait())
    }

    #[cold]
    fn wait(&self) -> Guard<'_, T> {
        let mut looks = 0_u32;
        loop {
            looks = looks.saturating_add(1);
            if looks < LOOKS {
                std::hint::spin_loop();
            } else if looks < LOOKS + TURNS {
                std::thread::yield_now();
            } else {
                std::thread::sleep(PAUSE);
            }
            if !self.is_held.load(Ordering::Relaxed)
                && let Some(held) = self.try_take()
            {
                return held;
            }
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this guard holds the lock, so there is no other reference.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard holds the lock, so there is no other reference.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.is_held.store(false, Ordering::Release);
    }
}
