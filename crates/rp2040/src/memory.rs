//! SRAM, and which of it holds code that was decoded.
//!
//! The 264 KiB of SRAM are six banks: four of 64 KiB, striped word by word, and two of 4 KiB (RP2040 datasheet 2.6.2).

/// First address of SRAM as a striped whole.
pub(crate) const SRAM_BASE: u32 = 0x2000_0000;
/// Bytes of SRAM.
pub(crate) const SRAM_BYTES: u32 = 264 * 1024;
/// First address of the banks 0 to 3 one after the other, not striped.
pub(crate) const SRAM_BANKS_BASE: u32 = 0x2100_0000;
/// Bytes of the four striped banks.
const STRIPED_BYTES: u32 = 256 * 1024;
/// Bytes of one striped bank.
const BANK_BYTES: u32 = 64 * 1024;
/// Bytes of memory that share one mark "code was decoded here".
const CODE_PAGE_BITS: u32 = 7;
pub(crate) const CODE_PAGE_BYTES: usize = 1 << CODE_PAGE_BITS;
/// Bytes of memory that share one of the finer marks, by which a core that runs alone tells code from data beside it.
pub(crate) const CODE_LINE_BITS: u32 = 6;
/// After so many stores near decoded code the page is taken for data: what was decoded there is forgotten. A stack that lies
/// where the boot code ran would be slow for ever.
const STORES_OF_DATA: u8 = 64;
/// Bytes of the longest instruction.
const INSTRUCTION_BYTES: u32 = 4;
const WORDS: usize = SRAM_BYTES as usize / 4;
const HALVES: usize = SRAM_BYTES as usize / 2;

/// The bank that serves an offset in SRAM.
#[inline]
pub(crate) fn bank(offset: u32) -> u32 {
    if offset < STRIPED_BYTES { offset >> 2 & 3 } else { 4 + ((offset - STRIPED_BYTES) >> 12) }
}

/// Whether an address is in the striped banks, in the window that shows them as a whole.
#[inline]
pub(crate) fn is_striped(address: u32) -> bool {
    address.wrapping_sub(SRAM_BASE) < STRIPED_BYTES
}

/// Where an address of the window that is not striped lies in SRAM; nothing outside the window.
pub(crate) fn unstriped_offset(address: u32) -> Option<u32> {
    let offset = address.wrapping_sub(SRAM_BANKS_BASE);
    (offset < STRIPED_BYTES).then(|| {
        let (bank, within) = (offset / BANK_BYTES, offset % BANK_BYTES);
        (within >> 2) << 4 | bank << 2 | within & 3
    })
}

/// SRAM.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sram {
    #[serde(with = "sim::state::boxed_array")]
    bytes: Box<[u8; SRAM_BYTES as usize]>,
    /// Which pages hold decoded code: the cores stop after a store to one of these that took the long way.
    code_pages: Box<[bool]>,
    /// Stores to each of these pages since it was marked, up to `STORES_OF_DATA`.
    stores_near_code: Box<[u8]>,
    /// Which lines hold decoded code: a store to one of these takes the long way.
    #[serde(with = "sim::state::boxed_array")]
    code_lines: Box<[bool; (SRAM_BYTES >> CODE_LINE_BITS) as usize]>,
}

impl Default for Sram {
    fn default() -> Self {
        Self {
            bytes: Box::new([0; SRAM_BYTES as usize]),
            code_pages: vec![false; (SRAM_BYTES >> CODE_PAGE_BITS) as usize].into(),
            stores_near_code: vec![0; (SRAM_BYTES >> CODE_PAGE_BITS) as usize].into(),
            code_lines: Box::new([false; (SRAM_BYTES >> CODE_LINE_BITS) as usize]),
        }
    }
}

impl Sram {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// The aligned word at an address of the striped window. A rotation tests alignment and range at once.
    #[inline(always)]
    pub(crate) fn load_word(&self, address: u32) -> Option<u32> {
        let index = address.wrapping_sub(SRAM_BASE).rotate_right(2) as usize;
        self.bytes.as_chunks::<4>().0.get(index).map(|&bytes| u32::from_le_bytes(bytes))
    }

    #[inline(always)]
    pub(crate) fn load_half(&self, address: u32) -> Option<u32> {
        let index = address.wrapping_sub(SRAM_BASE).rotate_right(1) as usize;
        self.bytes.as_chunks::<2>().0.get(index).map(|&bytes| u32::from(u16::from_le_bytes(bytes)))
    }

    #[inline(always)]
    pub(crate) fn load_byte(&self, address: u32) -> Option<u32> {
        let index = address.wrapping_sub(SRAM_BASE) as usize;
        self.bytes.get(index).map(|&byte| u32::from(byte))
    }

    /// Bytes one behind the other from an address of the striped window on; false where some of them are outside.
    #[inline]
    pub(crate) fn load_piece(&self, address: u32, bytes: &mut [u8]) -> bool {
        let from = address.wrapping_sub(SRAM_BASE) as usize;
        let found = self.bytes.get(from..).and_then(|rest| rest.get(..bytes.len()));
        found.map(|found| bytes.copy_from_slice(found)).is_some()
    }

    /// Whether decoded code is near the word.
    #[inline(always)]
    fn near_code(&self, word: usize) -> bool {
        self.code_lines.get(word >> (CODE_LINE_BITS - 2)) != Some(&false)
    }

    /// Whether the page of an address holds decoded code, so that a store by the long way would be told. Outside, it does.
    #[inline(always)]
    pub(crate) fn is_near_code(&self, address: u32) -> bool {
        self.code_pages.get((address.wrapping_sub(SRAM_BASE) >> CODE_PAGE_BITS) as usize) != Some(&false)
    }

    /// Stores an aligned word; false when the address is not aligned, not in the striped window, or near decoded code.
    #[inline(always)]
    pub(crate) fn store_word(&mut self, address: u32, value: u32) -> bool {
        let index = address.wrapping_sub(SRAM_BASE).rotate_right(2) as usize;
        let stores = index < WORDS && !self.near_code(index);
        if stores {
            self.bytes.as_chunks_mut::<4>().0[index] = value.to_le_bytes();
        }
        stores
    }

    #[inline(always)]
    pub(crate) fn store_half(&mut self, address: u32, value: u32) -> bool {
        let index = address.wrapping_sub(SRAM_BASE).rotate_right(1) as usize;
        let stores = index < HALVES && !self.near_code(index / 2);
        if stores {
            self.bytes.as_chunks_mut::<2>().0[index] = (value as u16).to_le_bytes();
        }
        stores
    }

    #[inline(always)]
    pub(crate) fn store_byte(&mut self, address: u32, value: u32) -> bool {
        let index = address.wrapping_sub(SRAM_BASE) as usize;
        let stores = index < SRAM_BYTES as usize && !self.near_code(index / 4);
        if stores {
            self.bytes[index] = value as u8;
        }
        stores
    }

    /// Aligned words one behind the other; nothing where one of them is outside the striped window.
    #[inline(always)]
    pub(crate) fn words(&self, address: u32, words: usize) -> Option<&[[u8; 4]]> {
        let first = address.wrapping_sub(SRAM_BASE).rotate_right(2) as usize;
        self.bytes.as_chunks::<4>().0.get(first..first.wrapping_add(words))
    }

    /// The same to be stored, shorter than a line; nothing where one is outside the striped window or near
    /// decoded code.
    #[inline(always)]
    pub(crate) fn words_mut(&mut self, address: u32, words: usize) -> Option<&mut [[u8; 4]]> {
        let first = address.wrapping_sub(SRAM_BASE).rotate_right(2) as usize;
        let end = first.wrapping_add(words);
        if self.near_code(first) || self.near_code(end.wrapping_sub(1)) {
            return None;
        }
        self.bytes.as_chunks_mut::<4>().0.get_mut(first..end)
    }

    /// Moves aligned words one after the other, from an address that moves on by a step to another; all of them are in the striped
    /// window, and no decoded code is near where they go.
    pub(crate) fn move_words(
        &mut self,
        (read, read_step): (u32, u32),
        (write, write_step): (u32, u32),
        words: u32,
    ) {
        let memory = self.bytes.as_chunks_mut::<4>().0;
        let index = |address: u32| (address.wrapping_sub(SRAM_BASE) / 4) as usize;
        if (read_step, write_step) == (0, 0) {
            memory[index(write)] = memory[index(read)];
            return;
        }
        for number in 0..words {
            memory[index(write + number * write_step)] = memory[index(read + number * read_step)];
        }
    }

    /// Stores bytes at an offset; true when code was decoded near them.
    pub(crate) fn store(&mut self, offset: u32, bytes: &[u8]) -> bool {
        let Some(place) = self.bytes.get_mut(offset as usize..).and_then(|rest| rest.get_mut(..bytes.len()))
        else {
            return false;
        };
        place.copy_from_slice(bytes);
        let page = (offset >> CODE_PAGE_BITS) as usize;
        if self.code_pages[page] {
            self.stores_near_code[page] = self.stores_near_code[page].saturating_add(1);
        }
        self.code_pages[page]
    }

    /// The page around an offset, if it turned out to hold data: it has no mark any more, and whoever decoded it is to forget
    /// that.
    pub(crate) fn take_page_of_data(&mut self, offset: u32) -> Option<std::ops::Range<usize>> {
        let page = (offset >> CODE_PAGE_BITS) as usize;
        self.stores_near_code.get(page).filter(|&&stores| stores >= STORES_OF_DATA)?;
        let bytes = page << CODE_PAGE_BITS..(page + 1) << CODE_PAGE_BITS;
        (self.code_pages[page], self.stores_near_code[page]) = (false, 0);
        self.code_lines[bytes.start >> CODE_LINE_BITS..bytes.end >> CODE_LINE_BITS].fill(false);
        Some(bytes)
    }

    /// The lines, each with its bytes where it holds decoded code.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let lines = self.bytes.chunks(1 << CODE_LINE_BITS).zip(self.code_lines.iter());
        lines.map(|(bytes, &marked)| marked.then_some(bytes))
    }

    /// An instruction was decoded at `offset`: from now on stores near it are told.
    pub(crate) fn mark_code(&mut self, offset: u32) {
        let page = (offset >> CODE_PAGE_BITS) as usize;
        // Its second half may lie in the next page.
        for page in self.code_pages.iter_mut().skip(page).take(2) {
            *page = true;
        }
        for byte in [offset, offset + INSTRUCTION_BYTES - 1] {
            if let Some(line) = self.code_lines.get_mut((byte >> CODE_LINE_BITS) as usize) {
                *line = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_that_is_not_striped_shows_one_bank_after_the_other() {
        assert_eq!(unstriped_offset(0x2100_0000), Some(0));
        assert_eq!(unstriped_offset(0x2100_0004), Some(16));
        assert_eq!(unstriped_offset(0x2101_0000), Some(4));
        assert_eq!(unstriped_offset(0x2103_ffff), Some(0x3_ffff));
        assert_eq!(unstriped_offset(0x2104_0000), None);
        assert_eq!(bank(unstriped_offset(0x2102_1234).unwrap()), 2);
    }

    #[test]
    fn words_halfwords_and_bytes_meet_only_where_they_are_aligned_and_in_range() {
        let mut sram = Sram::default();
        assert!(sram.store_word(0x2004_1ffc, 0x1122_3344));
        assert_eq!(sram.load_half(0x2004_1ffe), Some(0x1122));
        assert_eq!(sram.load_byte(0x2004_1fff), Some(0x11));
        for address in [0x2004_2000, 0x2000_0001, 0x2000_0002, 0x1fff_fffc] {
            assert_eq!(sram.load_word(address), None, "{address:#x}");
        }
        assert!(!sram.store_half(0x2000_0001, 1) && !sram.store_byte(0x2004_2000, 1));
    }

    #[test]
    fn a_core_alone_stores_beside_code_but_not_onto_it() {
        let mut sram = Sram::default();
        // The first half of a 32-bit instruction in one line, the second one in the next.
        sram.mark_code(0x7e);
        let stores =
            [0x00, 0x3c, 0x40, 0x7c, 0x80, 0xbc, 0xc0].map(|offset| sram.store_word(SRAM_BASE + offset, 1));
        assert_eq!(stores, [true, true, false, false, false, false, true]);
        assert!(
            sram.words_mut(SRAM_BASE + 0x30, 4).is_some() && sram.words_mut(SRAM_BASE + 0x34, 4).is_none()
        );
        assert!(
            sram.words_mut(SRAM_BASE + 0xb8, 4).is_none()
                && sram.words_mut(SRAM_BASE + SRAM_BYTES - 8, 3).is_none()
        );
        // By the long way the whole page counts.
        assert!(sram.store(0xc0, &[0]));
    }

    #[test]
    fn a_page_that_is_stored_to_again_and_again_holds_no_code_any_more() {
        let mut sram = Sram::default();
        sram.mark_code(0x80);
        sram.mark_code(0x104);
        for _ in 1..STORES_OF_DATA {
            assert!(sram.store(0xfc, &[1; 4]));
            assert_eq!(sram.take_page_of_data(0xfc), None);
        }
        assert!(sram.store(0xfc, &[1; 4]));
        assert_eq!(sram.take_page_of_data(0xfc), Some(0x80..0x100));
        assert!(sram.store_word(SRAM_BASE + 0x80, 1) && !sram.store(0xfc, &[1; 4]));
        assert!(!sram.store_word(SRAM_BASE + 0x104, 1), "the next page is code as before");
        // Once more code, it counts from the start.
        sram.mark_code(0x80);
        assert!(sram.store(0xfc, &[1; 4]) && sram.take_page_of_data(0xfc).is_none());
    }
}
