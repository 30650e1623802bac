//! Levels at the pins, and what the console keeps.

use super::*;

#[test]
fn the_pin_idles_high_and_a_break_pulls_it_low_after_the_frame() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.io.pins.set_control(bench.io.now, 4, Function::Uart as u8, Overrides::default());
    assert_eq!(bench.io.pins.levels() & 1 << 4, 1 << 4);
    bench.send(b"xy");
    bench.write(UARTLCR_H, EIGHT_BITS | LCR_FEN | LCR_BRK);
    assert_eq!(bench.io.pins.levels() & 1 << 4, 1 << 4, "the frame under way is sent first");
    bench.run();
    assert_eq!(bench.io.pins.levels() & 1 << 4, 0);
    assert_eq!(bench.heard(), b"x");
    bench.write(UARTLCR_H, EIGHT_BITS | LCR_FEN);
    assert_eq!(bench.io.pins.levels() & 1 << 4, 1 << 4);
    bench.run();
    assert_eq!(bench.heard(), b"xy");
}

#[test]
fn recorded_pins_show_start_data_parity_and_stop() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN | LCR_PEN | LCR_EPS);
    bench.io.pins.set_control(bench.io.now, 8, Function::Uart as u8, Overrides::default());
    bench.io.pins.record(1 << 8);
    let start = bench.io.now;
    bench.send(&[0x07]);
    bench.run();
    // Low for the start, three ones, five zeros, a one for even parity, which runs into the stop.
    let edges: Vec<(i64, bool)> = bench
        .io
        .pins
        .take_edges()
        .iter()
        .map(|edge| ((edge.at - start).ps() / 8_680_000, edge.level))
        .collect();
    assert_eq!(edges, [(0, false), (1, true), (4, false), (9, true)]);
}

#[test]
fn flow_control_and_unknown_registers_are_reported() {
    let mut bench = Bench::new(EIGHT_BITS);
    bench.io.address = 0x4003_8030;
    bench.write(UARTCR, ON | CR_RTSEN | CR_CTSEN);
    bench.io.address = 0x4003_8050;
    bench.write(0x50, 1);
    let details: Vec<&str> = bench.io.unknown_accesses().map(|unknown| unknown.detail).collect();
    assert_eq!(details.len(), 2);
    assert!(details[0].contains("flow control") && details[1] == "no such register");
}

#[test]
fn of_an_untaken_console_the_last_bytes_are_kept() {
    let mut bench = Bench::with(125_000_000, 1, 0, EIGHT_BITS);
    for n in 0..CONSOLE_BYTES + 10 {
        bench.send(&[n as u8]);
        bench.step();
    }
    let sent = bench.uart.take_sent();
    assert_eq!((sent.len(), sent[0].1), (CONSOLE_BYTES, 10));
}
