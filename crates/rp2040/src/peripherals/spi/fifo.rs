//! The FIFOs of the SPI: 8 words of 16 bits (RP2040 datasheet 4.4.2.4).

/// How many words fit.
pub(super) const DEPTH: usize = 8;

/// A ring of eight words.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Fifo {
    words: [u16; DEPTH],
    first: u8,
    len: u8,
}

impl Fifo {
    #[inline]
    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len() == DEPTH
    }

    /// Appends a word; says whether there was room.
    #[inline]
    pub(super) fn push(&mut self, word: u16) -> bool {
        if self.is_full() {
            return false;
        }
        self.words[usize::from(self.first + self.len) % DEPTH] = word;
        self.len += 1;
        true
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u16> {
        let word = self.front()?;
        self.first = (self.first + 1) % DEPTH as u8;
        self.len -= 1;
        Some(word)
    }

    #[inline]
    pub(super) fn front(&self) -> Option<u16> {
        (!self.is_empty()).then(|| self.words[usize::from(self.first)])
    }

    /// Takes a word out of a full FIFO and puts one in.
    #[inline]
    pub(super) fn exchange(&mut self, word: u16) -> u16 {
        let place = &mut self.words[usize::from(self.first) % DEPTH];
        self.first = (self.first + 1) % DEPTH as u8;
        std::mem::replace(place, word)
    }
}
