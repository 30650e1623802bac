//! Registers after reset, and the bits and times of a frame.

use super::*;

#[test]
fn the_registers_have_their_values_after_reset() {
    let (mut uart, mut io) = (Uart::new(0), Io::default());
    let expected =
        [(UARTFR, 0x90), (UARTCR, 0x300), (UARTIFLS, 0x12), (UARTRIS, 0), (UARTLCR_H, 0), (UARTDMACR, 0)];
    for (offset, value) in expected {
        assert_eq!(uart.read(offset, &mut io), value, "register {offset:#x}");
    }
    let ids: Vec<u32> = (0..8).map(|i| uart.read(UARTPERIPHID0 + 4 * i, &mut io)).collect();
    assert_eq!(ids, [0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1]);
    assert_eq!(io.unknown_accesses().count(), 0);
}

#[test]
fn a_byte_at_115200_baud_takes_ten_bits_of_the_divider_in_the_datasheet() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    let start = bench.io.now;
    bench.send(b"ab");
    assert_eq!(bench.read(UARTFR) & FR_BUSY, FR_BUSY);
    bench.run();
    // A bit has 16 * 67.8125 = 1085 cycles of 8 ns: 8.68 us, that is 115,207.37 baud.
    let frame = Picoseconds::new(10 * 8_680_000);
    let expected = vec![(start + frame, 1, b'a'), (start + frame + frame, 1, b'b')];
    assert_eq!(*bench.terminal.bytes.lock().unwrap(), expected);
    assert_eq!(bench.read(UARTFR), FR_TXFE | FR_RXFE);
    let sent = bench.uart.take_sent();
    assert_eq!(sent, vec![(start + frame, b'a'), (start + frame + frame, b'b')]);
    assert!(bench.uart.take_sent().is_empty());
}

#[test]
fn back_to_back_frames_at_a_rate_of_no_whole_picoseconds_never_drift() {
    let (hz, divider) = (133_000_000u128, 72 * 64 + 10);
    let mut bench = Bench::with(hz as u64, 72, 10, EIGHT_BITS | LCR_FEN);
    let start = bench.io.now.ps();
    for byte in 0..200 {
        if byte >= 30 {
            bench.step();
        }
        bench.send(&[byte]);
    }
    bench.run();
    for (n, &(at, _, byte)) in bench.terminal.bytes.lock().unwrap().iter().enumerate() {
        let bits = 10 * (n as u128 + 1);
        let expected = start + (bits * divider * 1_000_000_000_000 / (4 * hz)) as i64;
        assert_eq!((at.ps(), byte), (expected, n as u8));
    }
}

#[test]
fn the_frame_has_the_bits_that_the_line_control_asks_for() {
    let cases = [
        (0, 7),
        (1 << 5, 8),
        (EIGHT_BITS, 10),
        (EIGHT_BITS | LCR_PEN, 11),
        (EIGHT_BITS | LCR_STP2, 11),
        (EIGHT_BITS | LCR_PEN | LCR_STP2, 12),
    ];
    for (lcr_h, bits) in cases {
        let mut bench = Bench::new(lcr_h);
        let start = bench.io.now;
        bench.send(&[0xff]);
        bench.run();
        assert_eq!((bench.io.now - start).ps(), bits * 8_680_000, "LCR_H {lcr_h:#x}");
    }
}

#[test]
fn a_short_word_sends_only_its_bits() {
    let mut bench = Bench::new(2 << 5);
    bench.send(&[0xc1]);
    bench.run();
    assert_eq!(bench.heard(), [0x41], "seven bits");
}

#[test]
fn a_new_divider_counts_only_after_the_line_control_is_written() {
    let mut bench = Bench::new(EIGHT_BITS);
    bench.write(UARTIBRD, 6);
    bench.write(UARTFBRD, 0);
    let start = bench.io.now;
    bench.send(&[1]);
    bench.run();
    assert_eq!((bench.io.now - start).ps(), 86_800_000);
    bench.write(UARTLCR_H, EIGHT_BITS);
    let start = bench.io.now;
    bench.send(&[1]);
    bench.run();
    assert_eq!((bench.io.now - start).ps(), 10 * 16 * 6 * 8_000);
}
