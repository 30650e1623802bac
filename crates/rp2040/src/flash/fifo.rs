//! A FIFO of 16 words, as the SSI has one for each direction (RP2040 datasheet 4.10.5).

/// Words that fit in.
pub(super) const DEPTH: usize = 16;

/// The FIFO.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Fifo {
    words: [u32; DEPTH],
    first: usize,
    len: usize,
}

impl Fifo {
    /// How many words are in it.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether no further word fits in.
    pub(super) fn is_full(&self) -> bool {
        self.len == DEPTH
    }

    /// Puts a word in; false and lost when it is full.
    pub(super) fn push(&mut self, word: u32) -> bool {
        if self.is_full() {
            return false;
        }
        self.words[(self.first + self.len) % DEPTH] = word;
        self.len += 1;
        true
    }

    /// The word that has been in it longest, which stays.
    pub(super) fn front(&self) -> Option<u32> {
        (self.len > 0).then(|| self.words[self.first])
    }

    /// Takes out the word that has been in it longest.
    pub(super) fn pop(&mut self) -> Option<u32> {
        let word = self.front()?;
        self.first = (self.first + 1) % DEPTH;
        self.len -= 1;
        Some(word)
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}
