//! One of the two FIFOs of a state machine: four words deep, eight when it has joined the other's storage, none when
//! the other took its own (RP2040 datasheet 3.5.3). Its ring has as many places as it is deep, which a read of the empty
//! FIFO shows: the oldest of the last words that were in it.

const WORDS: usize = 8;

/// A FIFO of none, four or eight words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Fifo {
    words: [u32; WORDS],
    head: u8,
    level: u8,
    depth: u8,
}

impl Fifo {
    /// An empty FIFO of `depth` words.
    pub(super) fn new(depth: u8) -> Self {
        Self { words: [0; WORDS], head: 0, level: 0, depth }
    }

    /// The place `after` the next word that is read, in a ring of a power of two.
    #[inline]
    fn place(&self, after: u8) -> u8 {
        (self.head + after) & self.depth.saturating_sub(1)
    }

    /// How many words it holds.
    pub(super) fn level(&self) -> u8 {
        self.level
    }

    /// Whether it holds nothing.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.level == 0
    }

    /// Whether it has no room.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.level == self.depth
    }

    /// Whether it has room for one word and no more.
    #[inline]
    pub(super) fn lacks_one(&self) -> bool {
        self.level + 1 == self.depth
    }

    /// Adds a word; false when there is no room.
    #[inline]
    pub(super) fn push(&mut self, word: u32) -> bool {
        if self.is_full() {
            return false;
        }
        self.words[usize::from(self.place(self.level))] = word;
        self.level += 1;
        true
    }

    /// Takes the oldest word.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let word = self.front();
        self.head = self.place(1);
        self.level -= 1;
        Some(word)
    }

    /// Words pass, each of which is taken before the next one comes: it is as empty as it was, and holds the last ones as stale.
    pub(super) fn pass(&mut self, words: &[u32]) {
        debug_assert!(self.is_empty(), "a word waits");
        let places = usize::from(self.depth.max(1));
        let from = words.len().saturating_sub(places);
        let first = usize::from(self.head) + from;
        for (&word, place) in words[from..].iter().zip(first..) {
            self.words[place % places] = word;
        }
        self.head = ((usize::from(self.head) + words.len()) % places) as u8;
    }

    /// What lies where the next word is read: the oldest word, or a stale one when there is none.
    pub(super) fn front(&self) -> u32 {
        self.words[usize::from(self.head)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_in_their_order_across_the_end_of_the_storage() {
        let mut fifo = Fifo::new(4);
        for n in 0..20 {
            assert!(fifo.push(n) && fifo.push(n + 100));
            assert_eq!((fifo.pop(), fifo.pop(), fifo.pop()), (Some(n), Some(n + 100), None));
        }
    }

    #[test]
    fn words_that_pass_leave_what_those_do_that_are_taken_one_by_one() {
        for (count, depth) in (0..20).flat_map(|count| [(count, 4), (count, 8)]) {
            let words: Vec<u32> = (1..=count).collect();
            let (mut passed, mut taken) = (Fifo::new(depth), Fifo::new(depth));
            for fifo in [&mut passed, &mut taken] {
                assert!(fifo.push(77) && fifo.pop() == Some(77));
            }
            passed.pass(&words);
            for &word in &words {
                assert!(taken.push(word) && taken.pop() == Some(word));
            }
            assert_eq!(passed, taken);
        }
    }

    #[test]
    fn a_fifo_without_storage_is_both_full_and_empty() {
        let mut fifo = Fifo::new(0);
        assert!(fifo.is_full() && fifo.is_empty() && !fifo.push(1));
    }
}
