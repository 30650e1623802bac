//! Random numbers of TLS that are the same in every run: rustls asks a provider that lives for ever, so that the numbers of a
//! connection are lent to this thread for as long as the connection is at work.

use std::cell::RefCell;

use sha2::{Digest, Sha256};

thread_local! {
    static LENT: RefCell<Option<Random>> = const { RefCell::new(None) };
}

/// Blocks of SHA-256 over a key and a counter.
#[derive(Debug, Clone)]
pub(super) struct Random {
    key: [u8; 32],
    blocks: u64,
}

impl Random {
    /// The numbers of a name under a seed.
    pub(super) fn named(seed: u64, name: &str) -> Self {
        Self {
            key: Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize().into(),
            blocks: 0,
        }
    }

    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        for piece in bytes.chunks_mut(32) {
            let block =
                Sha256::new().chain_update(self.key).chain_update(self.blocks.to_le_bytes()).finalize();
            self.blocks += 1;
            piece.copy_from_slice(&block[..piece.len()]);
        }
    }

    /// Lends the numbers to whatever `work` calls.
    pub(super) fn lent<T>(&mut self, work: impl FnOnce() -> T) -> T {
        LENT.with_borrow_mut(|lent| *lent = Some(self.clone()));
        let result = work();
        if let Some(used) = LENT.take() {
            *self = used;
        }
        result
    }
}

/// Fills bytes with the numbers of the connection that is at work; false where none is.
pub(super) fn fill_from_lent(bytes: &mut [u8]) -> bool {
    LENT.with_borrow_mut(|lent| lent.as_mut().map(|random| random.fill(bytes)).is_some())
}
