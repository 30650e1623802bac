//! The cells of the flash chip: bytes that programming can only clear bit by bit and erasing sets again. Copies share
//! them until one side changes something, so that a snapshot costs nothing.

use std::ops::Range;
use std::sync::Arc;

use super::chip::FlashError;

/// A byte after an erase.
pub(super) const ERASED: u8 = 0xff;
/// Changed ranges that are kept apart before they are reported as one.
const CHANGES: usize = 32;

/// The cells, and what changed.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    bytes: Arc<[u8]>,
    generation: u64,
    changes: Vec<Range<u32>>,
}

impl Cells {
    pub(super) fn new(size_bytes: usize) -> Self {
        Self { bytes: vec![ERASED; size_bytes].into(), generation: 0, changes: Vec::new() }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn take_changes(&mut self) -> Vec<Range<u32>> {
        std::mem::take(&mut self.changes)
    }

    pub(super) fn load(&mut self, offset: usize, bytes: &[u8]) -> Result<(), FlashError> {
        let size = self.bytes.len();
        let end = offset.checked_add(bytes.len()).filter(|&end| end <= size);
        let end = end.ok_or(FlashError::TooLong { offset, bytes: bytes.len(), size })?;
        self.change(offset..end).copy_from_slice(bytes);
        Ok(())
    }

    pub(super) fn program(&mut self, offset: usize, bytes: &[u8]) {
        for (cell, &byte) in self.change(offset..offset + bytes.len()).iter_mut().zip(bytes) {
            *cell &= byte;
        }
    }

    pub(super) fn erase(&mut self, offset: usize, count: usize) {
        self.change(offset..offset + count).fill(ERASED);
    }

    fn change(&mut self, range: Range<usize>) -> &mut [u8] {
        self.generation += 1;
        self.note(range.start as u32..range.end as u32);
        &mut Arc::make_mut(&mut self.bytes)[range]
    }

    fn note(&mut self, range: Range<u32>) {
        match self.changes.last_mut() {
            Some(last) if last.end == range.start || *last == range => last.end = range.end,
            _ => self.changes.push(range),
        }
        if self.changes.len() > CHANGES {
            let start = self.changes.iter().map(|change| change.start).min().unwrap_or(0);
            let end = self.changes.iter().map(|change| change.end).max().unwrap_or(0);
            self.changes = vec![Range { start, end }];
        }
    }
}
