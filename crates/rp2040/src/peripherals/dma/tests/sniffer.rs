//! The sniffer, by published check values and sums of the chip.

use super::*;

fn sniffed(data: &[u8], size: u32, sniff: u32, seed: u32, control: u32) -> u32 {
    let mut m = Machine::new();
    m.memory[..data.len()].copy_from_slice(data);
    m.write(SNIFF_CTRL, 3 << 1 | 1 | sniff);
    assert_eq!(m.read(SNIFF_CTRL), 3 << 1 | 1 | sniff);
    m.write(SNIFF_DATA, seed);
    let count = (data.len() >> (size >> 2)) as u32;
    m.start(3, 0, 0x800, count, COPY | size | SNIFF | control);
    m.run();
    m.read(SNIFF_DATA)
}

pub(super) const CRC32: u32 = 0 << 5;
const CRC32R: u32 = 1 << 5;
const CRC16: u32 = 2 << 5;
const CRC16R: u32 = 3 << 5;
const PARITY: u32 = 0xe << 5;
const SUM: u32 = 0xf << 5;
const SNIFF_BSWAP: u32 = 1 << 9;
const OUT_REV: u32 = 1 << 10;
const OUT_INV: u32 = 1 << 11;
const CHECK: &[u8] = b"123456789";

#[test]
fn the_sniffer_gives_the_check_values_of_the_catalogue_of_crcs() {
    // CRC-32/ISO-HDLC, CRC-32/BZIP2, CRC-16/IBM-3740, CRC-16/XMODEM, and CRC-16/KERMIT (its reflected kin).
    assert_eq!(sniffed(CHECK, 0, CRC32R | OUT_REV | OUT_INV, u32::MAX, 0), 0xcbf4_3926);
    assert_eq!(sniffed(CHECK, 0, CRC32 | OUT_INV, u32::MAX, 0), 0xfc89_1918);
    assert_eq!(sniffed(CHECK, 0, CRC16, 0xffff, 0), 0x29b1);
    assert_eq!(sniffed(CHECK, 0, CRC16, 0, 0), 0x31c3);
    assert_eq!((sniffed(CHECK, 0, CRC16R, 0, 0) as u16).reverse_bits(), 0x2189);
}

#[test]
fn the_sniffer_gives_what_the_chip_gave_for_words() {
    // Read from a chip: raspberrypi/pico-sdk issue 576, inverted there in software.
    let data = [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4];
    assert_eq!(sniffed(&data, WORD, CRC32, u32::MAX, 0), !0x4c81_1132);
    assert_eq!(sniffed(&data, WORD, CRC32R, u32::MAX, 0), !0x4dab_62d9);
    assert_eq!(sniffed(&[1; 8], WORD, CRC32, u32::MAX, 0), !0xdb45_70d3);
    assert_eq!(sniffed(&[0; 4], WORD, CRC32, u32::MAX, 0), !0x38fb_2284);
}

#[test]
fn words_and_halfwords_give_the_crc_of_their_bytes_in_memory_and_byte_swaps_cancel() {
    let data = &CHECK[..8];
    for calculation in [CRC32, CRC32R, CRC16, CRC16R] {
        let bytes = sniffed(data, 0, calculation, 1, 0);
        for size in [HALF, WORD] {
            assert_eq!(sniffed(data, size, calculation, 1, 0), bytes);
            assert_eq!(sniffed(data, size, calculation | SNIFF_BSWAP, 1, BSWAP), bytes);
            assert_ne!(sniffed(data, size, calculation | SNIFF_BSWAP, 1, 0), bytes);
            assert_ne!(sniffed(data, size, calculation, 1, BSWAP), bytes);
        }
    }
}

#[test]
fn the_sniffer_sums_and_reduces_to_parity() {
    assert_eq!(sniffed(CHECK, 0, SUM, 10, 0), 10 + CHECK.iter().map(|&byte| u32::from(byte)).sum::<u32>());
    assert_eq!(sniffed(&[0xff; 8], WORD, SUM, 5, 0), 3);
    assert_eq!(sniffed(&[1, 0, 3, 0], HALF, PARITY, 0, 0), 1);
    assert_eq!(sniffed(&[1, 0, 7, 0], HALF, PARITY, 0, 0), 0);
}

#[test]
fn the_sniffer_looks_only_at_its_channel_and_only_when_both_enable_it() {
    for (index, sniff, control) in [(2, 1, SNIFF), (3, 0, SNIFF), (3, 1, 0)] {
        let mut m = Machine::new();
        m.write(SNIFF_CTRL, 3 << 1 | sniff | SUM);
        m.start(index, 0x100, 0x200, 4, COPY | control);
        m.run();
        assert_eq!(m.read(SNIFF_DATA), 0);
    }
}
