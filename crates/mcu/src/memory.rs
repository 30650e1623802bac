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
pub(crate) const CODE_PAGE_BITS: u32 = 7;

/// The bank that serves an offset in SRAM.
#[inline]
pub(crate) fn bank(offset: u32) -> u32 {
    if offset < STRIPED_BYTES { offset >> 2 & 3 } else { 4 + ((offset - STRIPED_BYTES) >> 12) }
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
#[derive(Debug, Clone)]
pub(crate) struct Sram {
    bytes: Box<[u8]>,
    /// Which pages hold decoded code: a store to one of these takes the long way.
    code_pages: Box<[bool]>,
}

impl Default for Sram {
    fn default() -> Self {
        Self {
            bytes: vec![0; SRAM_BYTES as usize].into(),
            code_pages: vec![false; (SRAM_BYTES >> CODE_PAGE_BITS) as usize].into(),
        }
    }
}

impl Sram {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
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

    /// Stores an aligned word; false when the address is not aligned, not in the striped window, or near decoded code.
    #[inline(always)]
    pub(crate) fn store_word(&mut self, address: u32, value: u32) -> bool {
        let offset = address.wrapping_sub(SRAM_BASE);
        match self.bytes.as_chunks_mut::<4>().0.get_mut(offset.rotate_right(2) as usize) {
            Some(bytes) if !self.code_pages[(offset >> CODE_PAGE_BITS) as usize] => {
                *bytes = value.to_le_bytes();
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    pub(crate) fn store_half(&mut self, address: u32, value: u32) -> bool {
        let offset = address.wrapping_sub(SRAM_BASE);
        match self.bytes.as_chunks_mut::<2>().0.get_mut(offset.rotate_right(1) as usize) {
            Some(bytes) if !self.code_pages[(offset >> CODE_PAGE_BITS) as usize] => {
                *bytes = (value as u16).to_le_bytes();
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    pub(crate) fn store_byte(&mut self, address: u32, value: u32) -> bool {
        let offset = address.wrapping_sub(SRAM_BASE);
        match self.bytes.get_mut(offset as usize) {
            Some(byte) if !self.code_pages[(offset >> CODE_PAGE_BITS) as usize] => {
                *byte = value as u8;
                true
            }
            _ => false,
        }
    }

    /// A row of aligned words; nothing where one of them is outside the striped window.
    #[inline(always)]
    pub(crate) fn row(&self, address: u32, words: usize) -> Option<&[[u8; 4]]> {
        let first = address.wrapping_sub(SRAM_BASE).rotate_right(2) as usize;
        self.bytes.as_chunks::<4>().0.get(first..first.wrapping_add(words))
    }

    /// A row of aligned words to be stored; nothing where one is outside the striped window or near decoded code.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, address: u32, words: usize) -> Option<&mut [[u8; 4]]> {
        let offset = address.wrapping_sub(SRAM_BASE);
        let first = offset.rotate_right(2) as usize;
        let row = self.bytes.as_chunks_mut::<4>().0.get_mut(first..first.wrapping_add(words))?;
        let page = |offset: u32| self.code_pages.get((offset >> CODE_PAGE_BITS) as usize).copied();
        let near_code = page(offset) != Some(false) || page(offset + 4 * words as u32 - 4) != Some(false);
        (!near_code).then_some(row)
    }

    /// Stores bytes at an offset; true when code was decoded near them.
    pub(crate) fn store(&mut self, offset: u32, bytes: &[u8]) -> bool {
        let Some(place) = self.bytes.get_mut(offset as usize..).and_then(|rest| rest.get_mut(..bytes.len()))
        else {
            return false;
        };
        place.copy_from_slice(bytes);
        self.code_pages[(offset >> CODE_PAGE_BITS) as usize]
    }

    /// The stretches that share a mark, each with its bytes where it has the mark.
    pub(crate) fn code_pages(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let pages = self.bytes.chunks(1 << CODE_PAGE_BITS).zip(&self.code_pages);
        pages.map(|(bytes, &marked)| marked.then_some(bytes))
    }

    /// An instruction was decoded at `offset`: from now on stores near it are told.
    pub(crate) fn mark_code(&mut self, offset: u32) {
        let page = (offset >> CODE_PAGE_BITS) as usize;
        self.code_pages[page] = true;
        // The second half of a 32-bit instruction may lie in the next page.
        if let Some(next) = self.code_pages.get_mut(page + 1) {
            *next = true;
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
}
