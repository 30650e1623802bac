//! A source that another thread can watch and stop: the same interface on both sides.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::change::{CaptureInfo, Change, ChangeSource};
use crate::error::CaptureError;

/// What the other thread holds.
#[derive(Debug, Default)]
pub struct Watch {
    stop: AtomicBool,
    time_ps: AtomicI64,
}

impl Watch {
    /// Ends the source with an error at its next batch.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How far into the capture the source has come.
    pub fn time_ps(&self) -> i64 {
        self.time_ps.load(Ordering::Relaxed)
    }
}

/// A source under watch.
pub struct Watched {
    path: PathBuf,
    inner: Box<dyn ChangeSource>,
    watch: Arc<Watch>,
}

impl Watched {
    /// Puts `inner`, which reads `path`, under `watch`.
    pub fn new(path: &Path, inner: Box<dyn ChangeSource>, watch: Arc<Watch>) -> Self {
        Self { path: path.to_owned(), inner, watch }
    }
}

impl ChangeSource for Watched {
    fn info(&self) -> &CaptureInfo {
        self.inner.info()
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        if self.is_stopped() {
            let source = io::Error::new(io::ErrorKind::Interrupted, "stopped before its end");
            return Err(CaptureError::Io { path: self.path.clone(), action: "read", source });
        }
        self.inner.next_batch(batch)?;
        if let Some(last) = batch.last() {
            self.watch.time_ps.store(last.time_ps, Ordering::Relaxed);
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.inner.end_ps()
    }

    fn is_stopped(&self) -> bool {
        self.watch.stop.load(Ordering::Relaxed)
    }
}
