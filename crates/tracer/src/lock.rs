//! The lock on the rank. It is taken in every call, nearly always by the only thread that calls, and held for some nanoseconds: one exchange
//! takes it and a plain store gives it back, where the system's own needs another exchange to see whether a thread sleeps.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What one thread at a time may use.
pub struct Lock<T> {
    is_held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a `Held` only, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The lock, as long as this lives.
pub struct Held<'a, T>(&'a Lock<T>);

/// So often a thread looks again at once, ...
const LOOKS: u32 = 100;
/// ... then so often after others had the core, and then now and then: a block is being written.
const TURNS: u32 = 100;
const PAUSE: Duration = Duration::from_micros(100);

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self { is_held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Takes it, if nobody holds it.
    #[inline]
    pub fn try_take(&self) -> Option<Held<'_, T>> {
        (!self.is_held.swap(true, Ordering::Acquire)).then(|| Held(self))
    }

    /// Takes it as soon as nobody holds it.
    #[inline]
    pub fn take(&self) -> Held<'_, T> {
        self.try_take().unwrap_or_else(|| self.wait())
    }

    #[cold]
    fn wait(&self) -> Held<'_, T> {
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

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this is the only one that holds the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.is_held.store(false, Ordering::Release);
    }
}
