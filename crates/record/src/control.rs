//! Long work that can be watched and stopped from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Samples;

/// Stops work from another thread, and tells it how far the work is.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    done: AtomicU64,
    watched: AtomicBool,
    ready: AtomicBool,
    seen: Mutex<Vec<Seen>>,
}

/// Messages of a row that is under way.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The row's name.
    pub row: String,
    /// The unit of its figure, which says what its messages are.
    pub unit: &'static str,
    /// Those that came since the last time.
    pub samples: Samples,
}

impl Control {
    /// Asks the work to end soon; what is finished is kept.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Counts what was done: files, messages.
    pub fn advance(&self, count: u64) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Says that a board can call or be asked: the sockets of a row stand.
    pub fn say_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    /// Whether it was said.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    /// Asks for messages as they come, which [`Self::take_seen`] gives.
    pub fn watch(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    /// Whether somebody takes messages as they come.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Shows messages to whoever watches.
    pub fn show(&self, seen: Seen) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    }

    /// What was shown since the last call.
    pub fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How much was done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}
