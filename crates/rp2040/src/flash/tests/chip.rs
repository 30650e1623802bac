//! The flash chip on the wire, one byte after the other.

use units::Picoseconds;

use crate::flash::chip::{DEFAULT_UNIQUE_ID, FlashChip, FlashError, MAXIMUM_BYTES};

fn at_us(us: i64) -> Picoseconds {
    Picoseconds::from_ns(us * 1000)
}

fn ask<const N: usize>(chip: &mut FlashChip, now: Picoseconds, send: &[u8]) -> [u8; N] {
    let mut answer = [0; N];
    chip.command(now, send, &mut answer);
    answer
}

fn tell(chip: &mut FlashChip, now: Picoseconds, send: &[u8]) {
    chip.command(now, send, &mut []);
}

fn small() -> FlashChip {
    FlashChip::new(65536 * 2).expect("a size of the family")
}

#[test]
fn identities_are_those_of_a_w25q16jv() {
    let mut chip = FlashChip::default();
    let now = Picoseconds::ZERO;
    assert_eq!(ask(&mut chip, now, &[0x9f]), [0xef, 0x40, 0x15]);
    assert_eq!(ask(&mut chip, now, &[0x90, 0, 0, 0]), [0xef, 0x14, 0xef]);
    assert_eq!(ask(&mut chip, now, &[0x90, 0, 0, 1]), [0x14, 0xef]);
    assert_eq!(ask(&mut chip, now, &[0xab, 0, 0, 0]), [0x14]);
    // flash_get_unique_id of the SDK sends 4Bh with 12 further bytes and takes the last eight.
    let answer: [u8; 12] = ask(&mut chip, now, &[0x4b]);
    assert_eq!(answer[4..], DEFAULT_UNIQUE_ID);
    let mut large = FlashChip::new(MAXIMUM_BYTES).expect("16 MB");
    assert_eq!(ask(&mut large, now, &[0x9f]), [0xef, 0x40, 0x18]);
}

#[test]
fn sizes_that_no_chip_has_are_refused() {
    for size in [0, 1000, 3 << 20, 32 << 20, usize::MAX] {
        assert_eq!(FlashChip::new(size).err(), Some(FlashError::Size(size)));
    }
    assert!(small().load(65536 * 2 - 1, &[0, 0]).is_err());
    assert!(small().load(usize::MAX, &[0]).is_err());
}

#[test]
fn every_read_command_gives_the_same_bytes() {
    let mut chip = small();
    let bytes: Vec<u8> = (0..=255).collect();
    chip.load(0x1_0200, &bytes).expect("fits");
    let now = Picoseconds::ZERO;
    assert_eq!(ask(&mut chip, now, &[0x03, 1, 2, 0x10]), [0x10, 0x11, 0x12]);
    assert_eq!(ask(&mut chip, now, &[0x0b, 1, 2, 0x10, 0]), [0x10, 0x11]);
    // On more lines: the opcode on one, the rest in groups of bits.
    for (opcode, address_lines, mode_bits, dummies, data_lines) in
        [(0x3b, 1, 0, 8, 2), (0x6b, 1, 0, 8, 4), (0xbb, 2, 8, 0, 2), (0xeb, 4, 8, 4, 4)]
    {
        chip.select(now);
        chip.exchange(now, opcode);
        let bits = 24 + mode_bits;
        let control = 0x0001_0210u32 << mode_bits;
        for left in (0..bits / address_lines).rev() {
            chip.clock(now, (control >> (left * address_lines)) as u8 & ((1 << address_lines) - 1));
        }
        (0..dummies).for_each(|_| assert_eq!(chip.clock(now, 0), 0));
        let word =
            (0..16 / data_lines).fold(0u32, |word, _| word << data_lines | u32::from(chip.clock(now, 0)));
        assert_eq!(word, 0x1011, "{opcode:02x}");
        chip.deselect(now);
    }
}

#[test]
fn reading_wraps_at_the_end_of_the_chip() {
    let mut chip = small();
    chip.load(0x1_ffff, &[0x5a]).expect("fits");
    chip.load(0, &[0xa5]).expect("fits");
    assert_eq!(ask(&mut chip, Picoseconds::ZERO, &[0x03, 1, 0xff, 0xff]), [0x5a, 0xa5]);
}

#[test]
fn programming_needs_the_write_enable_latch_and_clears_it() {
    let mut chip = small();
    tell(&mut chip, at_us(0), &[0x02, 0, 0, 0, 0x00]);
    assert_eq!(chip.to_bytes()[0], 0xff);
    tell(&mut chip, at_us(0), &[0x06]);
    assert_eq!(ask(&mut chip, at_us(0), &[0x05]), [0x02]);
    tell(&mut chip, at_us(0), &[0x02, 0, 0, 0, 0x00]);
    assert_eq!(chip.to_bytes()[0], 0);
    assert_eq!(ask(&mut chip, at_us(399), &[0x05]), [0x01], "busy, latch clear");
    assert_eq!(ask(&mut chip, at_us(400), &[0x05]), [0x00]);
    tell(&mut chip, at_us(400), &[0x06]);
    tell(&mut chip, at_us(400), &[0x04]);
    assert_eq!(ask(&mut chip, at_us(400), &[0x05]), [0x00]);
}

#[test]
fn a_page_program_wraps_inside_its_page_and_keeps_the_last_256_bytes() {
    let mut chip = small();
    tell(&mut chip, at_us(0), &[0x06]);
    let mut send = vec![0x02, 0, 0x12, 0xfe];
    send.extend([1, 2, 3]);
    tell(&mut chip, at_us(0), &send);
    assert_eq!(chip.to_bytes()[0x12fe..0x1300], [1, 2]);
    assert_eq!(chip.to_bytes()[0x1200], 3);
    assert_eq!(chip.to_bytes()[0x1300], 0xff);
    tell(&mut chip, at_us(1000), &[0x06]);
    let mut send = vec![0x02, 0, 0x20, 0];
    send.extend((0..300u32).map(|at| at as u8));
    tell(&mut chip, at_us(1000), &send);
    assert_eq!(chip.to_bytes()[0x2000], 0, "byte 256 came to the place of byte 0");
    assert_eq!(chip.to_bytes()[0x20ff], 0xff);
}

#[test]
fn a_command_that_breaks_off_inside_a_byte_is_not_carried_out() {
    let mut chip = small();
    chip.load(0, &[0; 4096]).expect("fits");
    let now = Picoseconds::ZERO;
    tell(&mut chip, now, &[0x06]);
    chip.select(now);
    for byte in [0x20, 0, 0, 0] {
        chip.exchange(now, byte);
    }
    chip.clock(now, 0);
    chip.deselect(now);
    assert_eq!(chip.to_bytes()[0], 0);
    tell(&mut chip, now, &[0x20, 0, 0]);
    assert_eq!(chip.to_bytes()[0], 0);
    tell(&mut chip, now, &[0x20, 0, 0, 0]);
    assert_eq!(chip.to_bytes()[0], 0xff);
}

#[test]
fn erases_take_their_unit_and_their_typical_time() {
    for (command, start, end, ms) in [
        (&[0x20, 0, 0x9f, 0xff][..], 0x9000, 0xa000, 45),
        (&[0x52, 0, 0x9f, 0xff], 0x8000, 0x1_0000, 120),
        (&[0xd8, 1, 0x9f, 0xff], 0x1_0000, 0x2_0000, 150),
        (&[0xc7], 0, 0x2_0000, 5000),
        (&[0x60], 0, 0x2_0000, 5000),
    ] {
        let mut chip = small();
        chip.load(0, &[0; 65536 * 2]).expect("fits");
        tell(&mut chip, at_us(0), &[0x06]);
        tell(&mut chip, at_us(0), command);
        for (at, &byte) in chip.to_bytes().iter().enumerate() {
            assert_eq!(byte == 0xff, (start..end).contains(&at), "{command:x?} at {at:x}");
        }
        assert!(chip.is_busy(at_us(ms * 1000 - 1)) && !chip.is_busy(at_us(ms * 1000)));
    }
}

#[test]
fn a_busy_chip_answers_nothing_but_its_status() {
    let mut chip = small();
    tell(&mut chip, at_us(0), &[0x06]);
    tell(&mut chip, at_us(0), &[0x20, 0, 0, 0]);
    assert_eq!(ask(&mut chip, at_us(10), &[0x9f]), [0, 0, 0]);
    assert_eq!(ask(&mut chip, at_us(10), &[0x05]), [0x01]);
    assert_eq!(ask(&mut chip, at_us(10), &[0x35]), [0x02]);
    assert_eq!(chip.take_note(), None);
}

#[test]
fn quad_commands_need_qe_which_command_01_or_31_sets() {
    for command in [&[0x01, 0, 0x02][..], &[0x31, 0x02]] {
        let mut chip = small();
        chip.set_quad_enabled(false);
        tell(&mut chip, at_us(0), command);
        assert!(!chip.quad_enabled(), "not without the latch");
        tell(&mut chip, at_us(0), &[0x06]);
        tell(&mut chip, at_us(0), command);
        assert!(chip.quad_enabled());
        assert!(chip.is_busy(at_us(9_999)) && !chip.is_busy(at_us(10_000)));
        // After 50h the bits change at once.
        tell(&mut chip, at_us(10_000), &[0x50]);
        tell(&mut chip, at_us(10_000), &[0x01, 0, 0]);
        assert!(!chip.quad_enabled() && !chip.is_busy(at_us(10_000)));
    }
}

#[test]
fn deep_power_down_ends_with_release_only() {
    let mut chip = small();
    let now = Picoseconds::ZERO;
    tell(&mut chip, now, &[0xb9]);
    assert_eq!(ask(&mut chip, now, &[0x9f]), [0, 0, 0]);
    tell(&mut chip, now, &[0xab]);
    assert_eq!(ask(&mut chip, now, &[0x9f]), [0xef, 0x40, 0x11]);
}

#[test]
fn a_reset_needs_its_two_commands_in_a_row() {
    let mut chip = small();
    tell(&mut chip, at_us(0), &[0x06]);
    tell(&mut chip, at_us(0), &[0x66]);
    tell(&mut chip, at_us(0), &[0x06]);
    tell(&mut chip, at_us(0), &[0x99]);
    assert_eq!(ask(&mut chip, at_us(0), &[0x05]), [0x02]);
    tell(&mut chip, at_us(0), &[0x66]);
    tell(&mut chip, at_us(0), &[0x99]);
    assert_eq!(ask(&mut chip, at_us(30), &[0x05]), [0x00]);
}

#[test]
fn sfdp_leads_to_a_table_with_the_size() {
    let mut chip = FlashChip::default();
    let now = Picoseconds::ZERO;
    let header: [u8; 16] = ask(&mut chip, now, &[0x5a, 0, 0, 0, 0]);
    assert_eq!(&header[..4], b"SFDP");
    assert_eq!((header[8], header[11]), (0, 9));
    let table = header[12];
    let words: [u8; 36] = ask(&mut chip, now, &[0x5a, 0, 0, table, 0]);
    let size_bits = u32::from_le_bytes([words[4], words[5], words[6], words[7]]);
    assert_eq!(size_bits + 1, 2 * 1024 * 1024 * 8);
    assert_eq!(words[1], 0x20, "erases 4 kB with 20h");
    assert_eq!(words[9], 0xeb);
    assert_eq!(words[28..32], [12, 0x20, 15, 0x52]);
}

#[test]
fn commands_that_are_not_there_are_noted_by_what_they_would_do() {
    let mut chip = small();
    tell(&mut chip, Picoseconds::ZERO, &[0x75]);
    assert!(chip.take_note().is_some_and(|note| note.contains("suspend")));
    tell(&mut chip, Picoseconds::ZERO, &[0xff]);
    assert_eq!(chip.take_note(), None, "FFh only ends a continuous read");
}

#[test]
fn a_snapshot_shares_the_contents_until_one_side_writes() {
    let mut chip = small();
    let before = chip.clone();
    assert_eq!(chip.differences(&before).count(), 0);
    let generation = chip.generation();
    tell(&mut chip, at_us(0), &[0x06]);
    tell(&mut chip, at_us(0), &[0x02, 0, 1, 0, 7]);
    assert_eq!((before.to_bytes()[0x100], chip.to_bytes()[0x100]), (0xff, 7));
    assert!(chip.differences(&before).eq([(); 1].map(|()| 0..4096)));
    assert!(chip.generation() > generation);
    assert!(matches!(chip.take_changes().as_slice(), [std::ops::Range { start: 0x100, end: 0x200 }]));
    assert!(chip.take_changes().is_empty());
}

#[test]
fn many_changes_are_told_in_few_ranges_that_cover_them() {
    let mut chip = small();
    for page in (0..200).step_by(2) {
        tell(&mut chip, at_us(page * 1000), &[0x06]);
        let [_, _, _, _, _, high, middle, low] = (page * 256).to_be_bytes();
        tell(&mut chip, at_us(page * 1000), &[0x02, high, middle, low, 0]);
    }
    let changes = chip.take_changes();
    assert!(changes.len() <= 33);
    for page in (0..200u32).step_by(2) {
        assert!(changes.iter().any(|change| change.contains(&(page * 256))));
    }
}
