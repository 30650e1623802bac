//! The flash functions on the flash chip, as the SDK calls them.

use crate::flash::command;
use crate::rom::function::RomFunction as R;
use crate::rom::test_context::Bench;

const BLOCK: [u32; 2] = [65536, 0xd8];
const BUFFER: u32 = 0x2000_1000;

fn milliseconds(bench: &Bench, cycles: u64) -> f64 {
    cycles as f64 * 1e3 / bench.io.clocks.sys_hz as f64
}

/// SSI_BAUDR, which the byte times are taken from.
fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.put(0x1800_0014, &[6, 0, 0, 0]);
    bench
}

#[test]
fn erasing_sectors_and_blocks_takes_the_chips_time() {
    let mut bench = bench();
    bench.flash.load(0, &[0; 0x40000]).expect("fits");
    let cycles = bench.run(R::FlashRangeErase, &[0xf000, 0x1000 + 0x10000 + 0x2000, BLOCK[0], BLOCK[1]]);
    // A sector, a 64 kB block, two sectors.
    let wanted = 3.0 * 45.0 + 150.0;
    assert!((milliseconds(&bench, cycles) - wanted).abs() < 0.1, "{}", milliseconds(&bench, cycles));
    let bytes = bench.flash.to_bytes();
    assert!(bytes[0xf000..0x22000].iter().all(|&byte| byte == 0xff));
    assert_eq!((bytes[0xefff], bytes[0x22000]), (0, 0));
}

#[test]
fn programming_takes_pages_and_can_only_clear_bits() {
    let mut bench = bench();
    let data: Vec<u8> = (0..512u32).map(|at| at as u8).collect();
    bench.put(BUFFER, &data);
    bench.flash.load(0x8000 + 256, &[0x0f; 256]).expect("fits");
    let cycles = bench.run(R::FlashRangeProgram, &[0x8000, BUFFER, 512]);
    assert_eq!(&bench.flash.to_bytes()[0x8000..0x8100], &data[..256]);
    assert!(
        bench.flash.to_bytes()[0x8100..0x8200]
            .iter()
            .zip(&data[256..])
            .all(|(&got, &sent)| got == sent & 0x0f)
    );
    // Each page: 0.4 ms in the chip and 261 bytes at 48 cycles.
    let wanted = 2.0 * (0.4 + 261.0 * 48.0 / 125e3);
    assert!((milliseconds(&bench, cycles) - wanted).abs() < 0.02, "{}", milliseconds(&bench, cycles));
}

#[test]
fn a_chip_that_still_reads_in_place_takes_no_erase_before_xip_is_left() {
    let mut bench = bench();
    bench.flash.load(0, &[0; 4096]).expect("fits");
    let now = bench.io.now;
    bench.flash.select(now);
    bench.flash.exchange(now, command::FAST_READ_QUAD_IO);
    for nibble in [0, 0, 0, 0, 0, 0, 0xa, 0] {
        bench.flash.clock(now, nibble);
    }
    bench.flash.deselect(now);
    assert_eq!(bench.flash.continuous_read(), Some(command::FAST_READ_QUAD_IO));
    bench.run(R::FlashRangeErase, &[0, 4096, BLOCK[0], BLOCK[1]]);
    assert_eq!(bench.flash.to_bytes()[0], 0);
    bench.run(R::ConnectInternalFlash, &[]);
    bench.run(R::FlashExitXip, &[]);
    assert_eq!(bench.flash.continuous_read(), None);
    bench.run(R::FlashRangeErase, &[0, 4096, BLOCK[0], BLOCK[1]]);
    assert_eq!(bench.flash.to_bytes()[0], 0xff);
}

#[test]
fn leaving_xip_sets_the_ssi_up_for_commands_and_reading_in_place_for_command_03() {
    let mut bench = bench();
    bench.run(R::FlashExitXip, &[]);
    for write in [(0x1800_0014, 6), (0x1800_0000, 7 << 16), (0x1800_0010, 1), (0x1800_0008, 1)] {
        assert!(bench.words_written.contains(&write), "{write:x?}");
    }
    bench.run(R::FlashEnterCmdXip, &[]);
    for write in [(0x1800_0000, 31 << 16 | 3 << 8), (0x1800_00f4, 0x0300_0218)] {
        assert!(bench.words_written.contains(&write), "{write:x?}");
    }
}

#[test]
fn flushing_empties_the_cache_and_frees_the_select_line() {
    let mut bench = bench();
    bench.run(R::FlashFlushCache, &[]);
    assert_eq!(bench.words_written, [(0x1400_0004, 1), (0x1400_2000, 1), (0x4001_800c, 0)]);
}

#[test]
fn erasing_and_programming_nothing_does_nothing() {
    let mut bench = bench();
    bench.run(R::FlashRangeErase, &[0, 0, BLOCK[0], BLOCK[1]]);
    bench.run(R::FlashRangeProgram, &[0, BUFFER, 0]);
    assert_eq!(bench.flash.generation(), 0);
}

#[test]
fn odd_arguments_end() {
    let mut bench = bench();
    bench.run(R::FlashRangeErase, &[0xffff_ff00, 1, 0, 0xd8]);
    bench.run(R::FlashRangeErase, &[5, 4097, 1, 0x99]);
    bench.run(R::FlashRangeProgram, &[0xffff_ff00, 0xefff_ffff, 4096]);
    assert!(bench.faulted, "the data lay nowhere");
}
