//! What a body holds, looked at as it comes and never kept: its length, its CRC-32, and whether a text stands in it.

use crc32fast::Hasher;

/// The content of one body so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pub(super) bytes: u64,
    crc: Hasher,
    search: Option<Search>,
}

/// A text that is looked for in pieces of a stream (Knuth, Morris, Pratt 1977).
#[derive(Debug, Clone)]
struct Search {
    text: Vec<u8>,
    /// For each length of a match, the length of its longest proper prefix that it ends with as well.
    fallback: Vec<usize>,
    matched: usize,
}

impl Content {
    /// Of a body that is to be searched, unless the text is empty.
    pub(super) fn searched_for(text: &str) -> Self {
        Self { search: (!text.is_empty()).then(|| Search::new(text.as_bytes())), ..Self::default() }
    }

    /// The same for the next body.
    pub(super) fn restart(&mut self) {
        self.bytes = 0;
        self.crc.reset();
        if let Some(search) = &mut self.search {
            search.matched = 0;
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.crc.update(bytes);
        if let Some(search) = &mut self.search {
            search.take(bytes);
        }
    }

    pub(super) fn crc32(&self) -> u32 {
        self.crc.clone().finalize()
    }

    /// Whether the text stands in it; true where none is looked for.
    pub(super) fn holds_the_text(&self) -> bool {
        self.search.as_ref().is_none_or(Search::is_found)
    }
}

impl Search {
    fn new(text: &[u8]) -> Self {
        let mut search = Self { text: text.to_vec(), fallback: vec![0], matched: 0 };
        for &byte in text.iter().skip(1) {
            search.matched = search.after(byte);
            search.fallback.push(search.matched);
        }
        search.matched = 0;
        search
    }

    fn is_found(&self) -> bool {
        self.matched == self.text.len()
    }

    /// How much of the text the stream ends with after one more byte; only as long as it is not found.
    fn after(&self, byte: u8) -> usize {
        let mut matched = self.matched;
        while matched > 0 && self.text[matched] != byte {
            matched = self.fallback[matched - 1];
        }
        matched + usize::from(self.text[matched] == byte)
    }

    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.is_found() {
                return;
            }
            self.matched = self.after(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::pieces;

    proptest! {
        #[test]
        fn a_text_is_found_where_it_stands_however_the_stream_is_cut(
            text in "[ab]{1,6}", body in "[ab]{0,40}", cuts in proptest::collection::vec(any::<usize>(), 0..6),
        ) {
            let mut content = Content::searched_for(&text);
            for _ in 0..2 {
                content.restart();
                for piece in pieces(body.as_bytes(), &cuts) {
                    content.take(piece);
                }
                prop_assert_eq!(content.holds_the_text(), body.contains(&text));
                prop_assert_eq!(content.bytes, body.len() as u64);
                prop_assert_eq!(content.crc32(), crc32fast::hash(body.as_bytes()));
            }
        }
    }
}
