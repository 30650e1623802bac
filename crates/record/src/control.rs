//! Long work that can be watched and stopped from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Stops work from another thread, and tells it how far the work is.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    done: AtomicU64,
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

    /// How much was done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}
