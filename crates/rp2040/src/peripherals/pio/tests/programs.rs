//! Programs of RP2040 datasheet 3.5 and 3.6, with the edges that their descriptions promise.

use super::*;
use crate::lines::{Dreq, Irq};

/// Datasheet 3.5.2: high for two cycles, low for two.
#[test]
fn a_square_wave_has_a_period_of_four_cycles() {
    let mut bench = Bench::with(&[set(PINDIRS, 1), d(set(PINS, 1), 1), set(PINS, 0), jmp(ALWAYS, 1)]);
    bench.write(PINCTRL, set_pins(3, 1));
    bench.start();
    bench.run(14);
    let expected = [
        (2, 3, true),
        (4, 3, false),
        (6, 3, true),
        (8, 3, false),
        (10, 3, true),
        (12, 3, false),
        (14, 3, true),
    ];
    assert_eq!(bench.edges(), expected);
}

#[test]
fn wrapping_costs_no_cycle() {
    let mut bench = Bench::with(&[set(PINDIRS, 1), set(PINS, 1), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.write(EXECCTRL, wrap(1, 2));
    bench.start();
    bench.run(6);
    let expected = [(2, 0, true), (3, 0, false), (4, 0, true), (5, 0, false), (6, 0, true)];
    assert_eq!(bench.edges(), expected);
}

/// Datasheet figure 47: a divisor of 2.5. The sum of fractions lengthens the period after the one in which it wraps.
#[test]
fn a_divisor_of_two_and_a_half_gives_periods_of_two_and_three_cycles() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(CLKDIV, 2 << 16 | 0x80 << 8);
    bench.exec(set(PINDIRS, 1));
    bench.start();
    bench.run(20);
    let times: Vec<i64> = bench.edges().iter().map(|edge| edge.0).collect();
    assert_eq!(times, [1, 3, 5, 8, 10, 13, 15, 18, 20]);
}

#[test]
fn at_133_mhz_a_divided_wave_is_on_the_exact_edges_of_the_clock() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    bench.io.clocks.sys_hz = 133_000_000;
    bench.write(PINCTRL, set_pins(0, 1));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(CLKDIV, 7 << 16);
    bench.exec(set(PINDIRS, 1));
    bench.run_ps(-(bench.io.now.ps() % 1_000_000) + 1_000_000);
    bench.read(CTRL);
    let start = bench.io.now.ps();
    bench.start();
    bench.run_ps(10_000_000);
    let edges = bench.io.pins.take_edges();
    assert!(edges.len() > 150);
    let first = (edges[0].at.ps() - start) as u128 * 133_000_000 / 1_000_000_000_000;
    for (edge, n) in edges.iter().zip(0u128..) {
        let cycle = first + 7 * n;
        let lowest = (cycle * 1_000_000_000_000 / 133_000_000) as i64;
        assert!(
            (edge.at.ps()
                - start
                - lowest
                - (edges[0].at.ps() - start - (first * 1_000_000_000_000 / 133_000_000) as i64))
                .abs()
                <= 1
        );
    }
}

/// Datasheet 3.6.2: 10 cycles a bit; a one is high for 7, a zero for 2.
#[test]
fn ws2812_bits_have_their_widths() {
    let (side0, side1) = (0, 1 << 4);
    let mut bench = Bench::with(&[
        d(out(X, 1), side0 | 2),
        d(jmp(NOT_X, 3), side1 | 1),
        d(jmp(ALWAYS, 0), side1 | 4),
        d(nop(), side0 | 4),
    ]);
    bench.write(PINCTRL, side_pins(2, 1) | set_pins(2, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(EXECCTRL, wrap(0, 3));
    bench.write(SHIFTCTRL, AUTOPULL | pull_at(24));
    bench.write(TXF0, 0xa5_00ff << 8);
    bench.write(TXF0, 0x00_0001 << 8);
    bench.start();
    bench.run(520);
    let edges = bench.edges();
    assert_eq!(edges.len(), 2 * 48);
    let mut colours = [0u32; 2];
    for (pair, n) in edges.chunks(2).zip(0..) {
        // The first OUT waits one cycle for its word; every later word is there in time.
        assert_eq!(pair[0], (1 + 1 + 3 + 10 * n, 2, true));
        let width = pair[1].0 - pair[0].0;
        assert!(width == 7 || width == 2, "{width}");
        colours[n as usize / 24] = colours[n as usize / 24] << 1 | u32::from(width == 7);
    }
    assert_eq!(colours, [0xa5_00ff, 0x00_0001]);
}

/// Datasheet 3.6.3: 8 cycles a bit, start bit, 8 bits from the lowest, a stop bit of at least 8 cycles.
fn uart_transmitter() -> Bench {
    let (low, high) = (0b10 << 3, 0b11 << 3);
    let mut bench =
        Bench::with(&[d(pull(BLOCK), high | 7), d(set(X, 7), low | 7), out(PINS, 1), d(jmp(X_DEC, 2), 6)]);
    bench.write(PINCTRL, side_pins(0, 2) | out_pins(0, 1) | set_pins(0, 1));
    bench.write(EXECCTRL, wrap(0, 3) | 1 << 30);
    bench.exec(set(PINS, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(SHIFTCTRL, OUT_RIGHT | 1 << 30);
    bench
}

#[test]
fn a_uart_frame_has_its_bits_at_eight_cycles_each() {
    let mut bench = uart_transmitter();
    bench.write(CLKDIV, 3 << 16);
    bench.start();
    bench.run(300);
    bench.write(TXF0, 0x53);
    let sent = bench.cycle();
    bench.run(400);
    let edges = bench.edges();
    let start = edges[0].0;
    assert!(start > sent && start <= sent + 3 * 9, "PULL and its delay, then the start bit");
    let level = |cycle: i64| edges.iter().rev().find(|edge| edge.0 <= cycle).is_none_or(|edge| edge.2);
    let bits: Vec<bool> = (0..10).map(|n| level(start + 24 * n + 12)).collect();
    let expected = [false, true, true, false, false, true, false, true, false, true];
    assert_eq!(bits, expected);
    assert!(edges.iter().all(|edge| (edge.0 - start) % 24 == 0));
}

#[test]
fn a_uart_transmitter_that_has_nothing_to_send_sleeps() {
    let mut bench = uart_transmitter();
    bench.start();
    assert!(bench.run(1_000_000) <= 2);
    assert_eq!(bench.read(FDEBUG), 1 << 24);
    bench.write(FDEBUG, 1 << 24);
    bench.run(1);
    assert_eq!(bench.read(FDEBUG), 1 << 24, "it still stalls");
    bench.write(TXF0, 0x00);
    bench.run(200);
    bench.write(FDEBUG, 1 << 24);
    assert_eq!(bench.edges().len(), 2);
}

/// Datasheet 3.6.4: start bit, samples in the middle of each bit, framing error as IRQ flag 4 + machine.
fn uart_receiver() -> Bench {
    let mut bench = Bench::with(&[
        wait(0, 1, 0),
        d(set(X, 7), 10),
        in_(PINS, 1),
        d(jmp(X_DEC, 2), 6),
        jmp(PIN, 8),
        irq(4 | REL),
        wait(1, 1, 0),
        jmp(ALWAYS, 0),
        push(BLOCK),
    ]);
    bench.write(PINCTRL, in_pins(5));
    bench.write(EXECCTRL, wrap(0, 8) | 5 << 24);
    bench.write(SHIFTCTRL, IN_RIGHT | 1 << 31);
    bench.write(CLKDIV, 10 << 16);
    bench.drive(5, true);
    bench.run(10);
    bench
}

fn send_bits(bench: &mut Bench, bits: impl IntoIterator<Item = bool>) {
    for bit in bits {
        bench.drive(5, bit);
        bench.run(80);
    }
}

fn frame(byte: u8, stop: bool) -> impl Iterator<Item = bool> {
    (0..10).map(move |n| match n {
        0 => false,
        9 => stop,
        n => byte >> (n - 1) & 1 == 1,
    })
}

#[test]
fn a_uart_receiver_puts_each_byte_into_the_high_bits_of_a_word() {
    let mut bench = uart_receiver();
    bench.start();
    bench.run(7);
    for byte in [0x00, 0xff, 0xa5, 0x5a, 0x31] {
        send_bits(&mut bench, frame(byte, true));
    }
    bench.run(80);
    let received: Vec<u32> = (0..5).map(|_| bench.read(RXF0)).collect();
    assert_eq!(received, [0, 0xff00_0000, 0xa500_0000, 0x5a00_0000, 0x3100_0000]);
    assert_eq!(bench.read(IRQ), 0);
}

#[test]
fn a_break_raises_the_framing_flag_of_the_machine() {
    let mut bench = uart_receiver();
    bench.start();
    send_bits(&mut bench, frame(0, false));
    bench.run(800);
    assert_eq!(bench.read(IRQ), 1 << 4);
    assert_eq!(bench.read(FSTAT) >> 8 & 1, 1, "nothing was received");
    assert_eq!(bench.run(100_000), 0, "it sleeps until the line rises");
    bench.drive(5, true);
    bench.run(200);
    send_bits(&mut bench, frame(0x42, true));
    bench.run(80);
    assert_eq!(bench.read(RXF0), 0x4200_0000);
}

/// Datasheet 3.6.1: CPHA = 0, four cycles a bit, MISO taken on the rising edge of SCK.
#[test]
fn spi_sends_and_receives_eight_bits_in_32_cycles() {
    let (sck0, sck1) = (0, 1 << 4);
    let mut bench = Bench::with(&[d(out(PINS, 1), sck0 | 1), d(in_(PINS, 1), sck1 | 1)]);
    bench.write(PINCTRL, out_pins(7, 1) | side_pins(6, 1) | set_pins(6, 2) | in_pins(8));
    bench.exec(set(PINS, 0));
    bench.exec(set(PINDIRS, 3));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(SHIFTCTRL, AUTOPUSH | AUTOPULL | push_at(8) | pull_at(8));
    bench.start();
    bench.run(50);
    bench.write(TXF0, 0xc6 << 24);
    let mut received = 0x35u8;
    // The device puts its next bit on MISO at every falling edge of SCK, long before it is taken.
    bench.drive(8, received & 0x80 != 0);
    let mut rises = Vec::new();
    for _ in 0..60 {
        bench.run(1);
        for (cycle, pin, level) in bench.edges() {
            if pin == 6 && level {
                rises.push((cycle, bench.io.pins.levels() >> 7 & 1));
            }
            if pin == 6 && !level {
                received <<= 1;
                bench.drive(8, received & 0x80 != 0);
            }
        }
    }
    let bits: u32 = rises.iter().fold(0, |bits, rise| bits << 1 | rise.1);
    assert_eq!((rises.len(), bits), (8, 0xc6));
    assert!(rises.windows(2).all(|pair| pair[1].0 - pair[0].0 == 4));
    // MISO is four cycles old when it is taken: the bit that stood before the last falling edge.
    assert_eq!(bench.read(RXF0), 0x35 >> 1);
}

#[test]
fn spi_without_synchroniser_takes_miso_as_it_is_at_the_rising_edge() {
    let (sck0, sck1) = (0, 1 << 4);
    let mut bench = Bench::with(&[d(out(PINS, 1), sck0 | 1), d(in_(PINS, 1), sck1 | 1)]);
    bench.write(PINCTRL, out_pins(7, 1) | side_pins(6, 1) | set_pins(6, 2) | in_pins(7));
    bench.exec(set(PINDIRS, 3));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(SHIFTCTRL, AUTOPUSH | AUTOPULL | push_at(8) | pull_at(8));
    bench.write(BYPASS, 1 << 7);
    bench.start();
    for byte in [0xc6u32, 0x01, 0xff] {
        bench.write(TXF0, byte << 24);
        bench.run(40);
        assert_eq!(bench.read(RXF0), byte, "MOSI looped to MISO");
    }
}

/// Datasheet 3.5.4: figure 43.
#[test]
fn manual_pull_sends_four_bits_at_four_cycles_each_and_stalls_with_the_clock_high() {
    let (opt0, opt1) = (0b10 << 3, 0b11 << 3);
    let mut bench = Bench::with(&[
        set(X, 2),
        d(pull(BLOCK), opt1 | 1),
        d(out(PINS, 1), opt0 | 1),
        d(jmp(X_DEC, 2), opt1 | 1),
        d(out(PINS, 1), opt0),
    ]);
    bench.write(PINCTRL, out_pins(0, 1) | side_pins(1, 2) | set_pins(0, 2));
    bench.exec(set(PINDIRS, 3));
    bench.write(EXECCTRL, wrap(0, 4) | 1 << 30);
    bench.write(SHIFTCTRL, OUT_RIGHT);
    bench.write(TXF0, 0b0101);
    bench.write(TXF0, 0b1010);
    bench.start();
    bench.run(60);
    let clock: Vec<(i64, bool)> =
        bench.edges().into_iter().filter(|e| e.1 == 1).map(|e| (e.0, e.2)).collect();
    let expected = [
        (2, true),
        (4, false),
        (6, true),
        (8, false),
        (10, true),
        (12, false),
        (14, true),
        (16, false),
        (18, true),
        (20, false),
        (22, true),
        (24, false),
        (26, true),
        (28, false),
        (30, true),
        (32, false),
        (34, true),
    ];
    assert_eq!(clock, expected);
}

/// Datasheet 3.5.4: figure 44. One word for every two cycles through both registers.
#[test]
fn auto_push_and_pull_move_a_word_in_two_cycles() {
    let mut bench = Bench::with(&[out(X, 32), in_(X, 32)]);
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(SHIFTCTRL, AUTOPUSH | AUTOPULL | IN_RIGHT | OUT_RIGHT);
    bench.start();
    bench.run(20);
    assert_eq!(bench.read(FDEBUG), 1 << 24);
    for n in 0..4 {
        bench.write(TXF0, 100 + n);
    }
    let levels: Vec<u32> = (0..10)
        .map(|_| {
            bench.run(1);
            bench.read(FLEVEL) & 0xff
        })
        .collect();
    // Refill; OUT and refill; IN; OUT and refill; IN; ... the transmit level is the low digit.
    assert_eq!(levels, [0x03, 0x02, 0x12, 0x11, 0x21, 0x20, 0x30, 0x30, 0x40, 0x40]);
    assert_eq!((0..4).map(|_| bench.read(RXF0)).collect::<Vec<_>>(), [100, 101, 102, 103]);
}

#[test]
fn a_full_receive_fifo_stalls_the_loop_and_loses_nothing() {
    let mut bench = Bench::with(&[out(X, 32), in_(X, 32)]);
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(SHIFTCTRL, AUTOPUSH | AUTOPULL | IN_RIGHT | OUT_RIGHT);
    bench.start();
    for n in 0..10 {
        bench.write(TXF0, n);
        bench.run(4);
    }
    assert_eq!(bench.read(FLEVEL) & 0xff, 0x44);
    assert_eq!(bench.read(FDEBUG) & 0x0101_0001, 1 << 24 | 1, "it stalled on both sides");
    assert_eq!(bench.read(FDEBUG) >> 16 & 1, 0);
    let received: Vec<u32> = (0..10)
        .map(|_| {
            bench.run(4);
            bench.read(RXF0)
        })
        .collect();
    assert_eq!(received, (0..10).collect::<Vec<_>>());
    assert_eq!(bench.run(1_000), 0);
}

/// The bit of an I2C controller (datasheet 3.6.6): SCL by its output enable, with clock stretching; SDA the same way.
#[test]
fn an_i2c_bit_waits_for_a_stretched_clock() {
    let (scl_low, scl_free) = (1 << 4, 0);
    let mut bench = Bench::with(&[
        d(out(PINDIRS, 1), scl_low | 3),
        d(nop(), scl_free | 2),
        d(wait(1, 1, 1), scl_free | 4),
        d(in_(PINS, 1), scl_low | 7),
    ]);
    bench.write(PINCTRL, out_pins(10, 1) | side_pins(11, 1) | in_pins(10) | set_pins(10, 2));
    bench.write(EXECCTRL, wrap(0, 3) | 1 << 29);
    bench.write(SHIFTCTRL, AUTOPULL | pull_at(8) | AUTOPUSH | push_at(8));
    for pin in [10, 11] {
        bench.io.pins.set_pad(
            bench.io.now,
            pin,
            crate::pins::Pad { pull_up: true, pull_down: false, input_enable: true, output_disable: false },
        );
    }
    bench.settle_pins();
    bench.run(10);
    bench.write(TXF0, !0x96 << 24);
    bench.start();
    bench.run(5);
    assert_eq!(bench.io.pins.levels() >> 11 & 1, 0, "the clock is low first");
    // A device holds the first clock for 300 cycles.
    bench.io.pins.drive_outside(bench.io.now, 11, Some(false));
    bench.settle_pins();
    bench.run(295);
    assert_eq!(bench.run(1), 0, "the machine sleeps while the clock is stretched");
    bench.io.pins.drive_outside(bench.io.now, 11, None);
    bench.settle_pins();
    let released = bench.cycle();
    bench.run(400);
    let falls: Vec<i64> =
        bench.edges().iter().filter(|e| e.1 == 11 && !e.2 && e.0 > released).map(|e| e.0).collect();
    // Seen four cycles later, five cycles of that, then the low clock.
    assert_eq!(falls[0], released + 4 + 5);
    let periods: Vec<i64> = falls.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Low for 8 + 4 cycles, freed, seen at the latest when the wait begins, high for 3 + 5 + 1.
    assert!(periods.iter().all(|&period| period == 21), "{periods:?}");
    assert_eq!(bench.read(RXF0), 0x96);
    assert_eq!(bench.io.lines.irq() >> Irq::PIO0_0.0 & 1, 0);
    assert_eq!(bench.io.lines.dreq() >> (Dreq::PIO0_TX0.0 + 4) & 1, 0);
}
