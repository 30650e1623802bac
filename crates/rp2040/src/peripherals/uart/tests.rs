//! The UART by its registers. Times and levels are those of RP2040 datasheet 4.2.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;
use crate::pins::{Function, Overrides};
use mcu::{Outside, Reaction};

const EIGHT_BITS: u32 = 3 << 5;
const ON: u32 = CR_UARTEN | CR_TXE | CR_RXE;

/// Keeps every byte that a UART sends.
#[derive(Debug, Clone, Default)]
struct Terminal {
    bytes: Arc<Mutex<Vec<(Picoseconds, u8, u8)>>>,
}

impl Outside for Terminal {
    fn uart_byte(&mut self, at: Picoseconds, port: u8, byte: u8, _: &mut Vec<Reaction>) {
        self.bytes.lock().unwrap().push((at, port, byte));
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

struct Bench {
    uart: Uart,
    io: Io,
    terminal: Terminal,
}

impl Bench {
    /// UART1 at 125 MHz with the divider 67 + 52/64, which the datasheet computes for 115,200 baud (4.2.7.1).
    fn new(lcr_h: u32) -> Self {
        Self::with(125_000_000, 67, 52, lcr_h)
    }

    fn with(hz: u64, ibrd: u32, fbrd: u32, lcr_h: u32) -> Self {
        let terminal = Terminal::default();
        let mut io = Io::default();
        io.outside = Box::new(terminal.clone());
        io.clocks.peri_hz = hz;
        io.now = Picoseconds::from_ns(500);
        let mut bench = Self { uart: Uart::new(1), io, terminal };
        bench.write(UARTIBRD, ibrd);
        bench.write(UARTFBRD, fbrd);
        bench.write(UARTLCR_H, lcr_h);
        bench.write(UARTCR, ON);
        bench
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.uart.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.uart.read(offset, &mut self.io)
    }

    fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.uart.receive(byte, &mut self.io);
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write(UARTDR, u32::from(byte));
        }
    }

    fn step(&mut self) -> bool {
        let next = [Source::Uart1, Source::Uart1Receive, Source::Uart1Line]
            .into_iter()
            .filter_map(|source| self.io.due(source).map(|at| (at, source)))
            .min_by_key(|&(at, _)| at);
        let Some((at, source)) = next else { return false };
        self.io.now = at;
        self.io.cancel(source);
        self.uart.wake(source, &mut self.io);
        true
    }

    fn run(&mut self) {
        for _ in 0..10_000 {
            if !self.step() {
                return;
            }
        }
        panic!("the UART goes on for ever");
    }

    fn irq(&self) -> bool {
        self.io.lines.irq() == 1 << Irq::UART1.0
    }

    fn heard(&self) -> Vec<u8> {
        self.terminal.bytes.lock().unwrap().iter().map(|&(_, _, byte)| byte).collect()
    }
}

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

#[test]
fn the_transmit_fifo_takes_32_bytes_beside_the_one_on_the_line() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    let bytes: Vec<u8> = (0..33).collect();
    for &byte in &bytes {
        assert_eq!(bench.read(UARTFR) & FR_TXFF, 0);
        bench.send(&[byte]);
    }
    assert_eq!(bench.read(UARTFR) & FR_TXFF, FR_TXFF);
    bench.send(&[99]);
    bench.run();
    assert_eq!(bench.heard(), bytes);
}

#[test]
fn without_fifos_one_byte_waits_behind_the_one_on_the_line() {
    let mut bench = Bench::new(EIGHT_BITS);
    bench.send(&[1]);
    assert_eq!(bench.read(UARTFR) & (FR_TXFF | FR_TXFE), FR_TXFE);
    bench.send(&[2]);
    assert_eq!(bench.read(UARTFR) & (FR_TXFF | FR_TXFE), FR_TXFF);
    bench.receive(&[7]);
    assert_eq!(bench.read(UARTFR) & FR_RXFF, FR_RXFF);
    assert_eq!(bench.read(UARTRIS) & INT_RX, INT_RX);
}

#[test]
fn the_transmit_interrupt_comes_with_the_passage_through_the_level() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTIFLS, 0);
    bench.write(UARTIMSC, INT_TX);
    assert!(!bench.irq(), "an empty FIFO alone raises nothing");
    bench.send(&[0; 5]);
    bench.step();
    assert_eq!(bench.read(UARTRIS) & INT_TX, 0, "never above four");
    bench.send(&[0; 2]);
    bench.step();
    assert!(bench.irq(), "five became four");
    bench.send(&[0]);
    assert!(!bench.irq(), "written above the level again");
    bench.step();
    assert!(bench.irq());
    bench.write(UARTICR, INT_TX);
    assert!(!bench.irq());
    bench.step();
    assert!(!bench.irq(), "below the level there is no further passage");
}

#[test]
fn without_fifos_the_transmit_interrupt_comes_when_the_holding_register_empties() {
    let mut bench = Bench::new(EIGHT_BITS);
    bench.write(UARTIMSC, INT_TX);
    bench.send(&[1]);
    assert!(bench.irq());
    bench.send(&[2]);
    assert!(!bench.irq());
    bench.step();
    assert!(bench.irq());
}

#[test]
fn the_receive_interrupt_follows_the_level() {
    for (setting, level) in [(0, 4), (1, 8), (2, 16), (3, 24), (4, 28)] {
        let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
        bench.write(UARTIFLS, setting << 3);
        bench.write(UARTIMSC, INT_RX);
        bench.receive(&vec![0; level - 1]);
        assert!(!bench.irq());
        bench.receive(&[0]);
        assert!(bench.irq(), "RXIFLSEL {setting}");
        bench.read(UARTDR);
        assert!(!bench.irq());
    }
}

#[test]
fn the_receive_timeout_strikes_after_32_bits_of_silence() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTIMSC, INT_RT);
    bench.receive(b"x");
    let start = bench.io.now;
    assert_eq!(bench.io.due(Source::Uart1Receive), Some(start + Picoseconds::new(32 * 8_680_000)));
    bench.io.now = start + Picoseconds::from_ns(1_000);
    bench.receive(b"y");
    bench.run();
    assert_eq!((bench.io.now - start).ps(), 32 * 8_680_000 + 1_000_000);
    assert!(bench.irq());
    bench.read(UARTDR);
    assert!(bench.irq(), "a byte is left");
    bench.read(UARTDR);
    assert!(!bench.irq());
    bench.receive(b"z");
    bench.read(UARTDR);
    assert_eq!(bench.io.due(Source::Uart1Receive), None);
}

#[test]
fn a_full_receive_fifo_loses_the_next_byte_and_marks_the_overrun() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTIMSC, INT_OE);
    bench.receive(&(0..32).collect::<Vec<u8>>());
    assert_eq!(bench.read(UARTFR) & FR_RXFF, FR_RXFF);
    assert!(!bench.irq());
    bench.receive(&[99]);
    assert!(bench.irq());
    assert_eq!(bench.read(UARTRSR), RSR_OE);
    assert_eq!(bench.read(UARTDR), 0, "what was there before has no mark");
    bench.write(UARTRSR, 0);
    assert_eq!(bench.read(UARTRSR), 0);
    bench.receive(&[32, 100]);
    let rest: Vec<u32> = (0..32).map(|_| bench.read(UARTDR)).collect();
    let expected: Vec<u32> = (1..32).chain([DR_OE | 32]).collect();
    assert_eq!(rest, expected, "the first word behind those that were lost has it");
    bench.receive(&[33, 34]);
    assert_eq!([bench.read(UARTDR), bench.read(UARTDR)], [DR_OE | 33, 34], "100 was lost too");
}

#[test]
fn bytes_are_lost_while_the_receiver_is_off() {
    for cr in [0, CR_UARTEN | CR_TXE, CR_TXE | CR_RXE] {
        let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
        bench.write(UARTCR, cr);
        bench.receive(b"lost");
        assert_eq!(bench.read(UARTFR) & FR_RXFE, FR_RXFE);
        assert_eq!(bench.read(UARTDR), 0);
    }
}

#[test]
fn a_disabled_uart_ends_its_frame_and_keeps_the_rest() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.send(b"abc");
    bench.write(UARTCR, CR_TXE | CR_RXE);
    bench.run();
    assert_eq!(bench.heard(), b"a");
    assert_eq!(bench.read(UARTFR) & (FR_BUSY | FR_TXFE), FR_BUSY);
    bench.write(UARTCR, ON);
    bench.run();
    assert_eq!(bench.heard(), b"abc");
}

#[test]
fn a_reset_keeps_what_had_left_the_chip() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.send(b"ab");
    bench.run();
    bench.uart.reset(&mut bench.io);
    assert_eq!(bench.uart.take_sent().len(), 2);
    assert_eq!(bench.read(UARTCR), 0x300);
}

#[test]
fn loopback_receives_what_was_sent() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTCR, ON | CR_LBE);
    bench.receive(b"?");
    bench.send(b"hi");
    bench.run();
    assert_eq!([bench.read(UARTDR), bench.read(UARTDR)], [u32::from(b'h'), u32::from(b'i')]);
}

#[test]
fn data_requests_follow_the_fifos_of_an_enabled_uart() {
    let mut bench = Bench::new(EIGHT_BITS);
    let (tx, rx) = (1 << Dreq::UART1_TX.0, 1 << Dreq::UART1_RX.0);
    bench.write(UARTDMACR, DMACR_RXDMAE | DMACR_TXDMAE);
    assert_eq!(bench.io.lines.dreq(), tx);
    bench.send(&[1, 2]);
    assert_eq!(bench.io.lines.dreq(), 0);
    bench.receive(&[3]);
    assert_eq!(bench.io.lines.dreq(), rx);
    bench.step();
    assert_eq!(bench.io.lines.dreq(), tx | rx);
    bench.write(UARTCR, 0);
    assert_eq!(bench.io.lines.dreq(), 0);
}

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

/// A line from GPIO 4 of one to GPIO 5 of another.
struct Link {
    sender: Bench,
    receiver: Bench,
}

impl Link {
    fn new(sent: u32, received: u32) -> Self {
        let [mut sender, mut receiver] = [sent, received].map(Bench::new);
        for (bench, pin) in [(&mut sender, 4), (&mut receiver, 5)] {
            bench.io.pins.set_control(bench.io.now, pin, Function::Uart as u8, Overrides::default());
        }
        sender.io.pins.begin_line(sender.io.now, 4);
        receiver.uart.end_line(5, &mut receiver.io);
        Self { sender, receiver }
    }

    /// Lets both come to a time, the receiver once it knows the line up to there.
    fn run(&mut self, us: i64) {
        let until = Picoseconds::from_ns(us * 1000);
        let Self { sender, receiver } = self;
        run_to(sender, until);
        let edges = sender.io.pins.lines().take().edges;
        receiver.uart.hear_line(&edges, until, &mut receiver.io).unwrap();
        run_to(receiver, until);
    }

    fn words(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| (self.receiver.read(UARTFR) & FR_RXFE == 0).then(|| self.receiver.read(UARTDR)))
            .collect()
    }
}

fn run_to(bench: &mut Bench, until: Picoseconds) {
    let due = |bench: &Bench| {
        let sources = [Source::Uart1, Source::Uart1Receive, Source::Uart1Line].into_iter();
        sources.filter_map(|source| bench.io.due(source)).min()
    };
    while due(bench).is_some_and(|at| at <= until) {
        bench.step();
    }
    bench.io.now = until;
}

#[test]
fn a_break_on_a_line_is_one_empty_character_with_its_mark() {
    let mut link = Link::new(EIGHT_BITS | LCR_FEN, EIGHT_BITS | LCR_FEN);
    link.sender.send(b"x");
    link.run(100);
    link.sender.write(UARTLCR_H, EIGHT_BITS | LCR_FEN | LCR_BRK);
    link.run(5000);
    link.sender.write(UARTLCR_H, EIGHT_BITS | LCR_FEN);
    link.run(5100);
    link.sender.send(b"y");
    link.run(5300);
    assert_eq!(link.receiver.read(UARTRIS) & INT_ERRORS, INT_ERRORS & (1 << 7 | 1 << 9));
    assert_eq!(link.words(), [u32::from(b'x'), DR_BE | DR_FE, u32::from(b'y')]);
    assert_eq!(link.receiver.read(UARTRSR), 0, "the word that was read last had no error");
}

#[test]
fn a_line_with_another_parity_or_length_of_words_shows_errors() {
    let even = EIGHT_BITS | LCR_FEN | LCR_PEN | LCR_EPS;
    let mut link = Link::new(even, EIGHT_BITS | LCR_FEN | LCR_PEN);
    link.sender.send(b"ab");
    link.run(1000);
    assert_eq!(link.words(), [DR_PE | u32::from(b'a'), DR_PE | u32::from(b'b')]);
    assert_eq!(link.receiver.read(UARTRSR), DR_PE >> 8);
    let mut link = Link::new(even, EIGHT_BITS | LCR_FEN);
    link.sender.send(&[7, 3]);
    link.run(1000);
    assert_eq!(link.words(), [7, DR_FE | 3], "the parity bit stands where the stop bit should");
}

#[test]
fn a_pin_that_software_moves_is_heard_as_the_bits_that_it_makes() {
    let mut link = Link::new(EIGHT_BITS, EIGHT_BITS);
    let begin = 1_000_000;
    // Start, 1010 0110, stop.
    for (bit, level) in (0..).zip([0, 0, 1, 1, 0, 0, 1, 0, 1, 1]) {
        let pins = &mut link.sender.io.pins;
        let at = Picoseconds::new(begin + bit * 8_680_000);
        pins.drive(at, Function::Sio, 1 << 4, level << 4, 1 << 4);
        pins.set_control(at, 4, Function::Sio as u8, Overrides::default());
    }
    link.run(200);
    assert_eq!(link.words(), [0xa6]);
}

#[test]
fn a_character_for_another_function_of_its_pin_is_counted_and_lost() {
    let mut link = Link::new(EIGHT_BITS, EIGHT_BITS);
    let now = link.receiver.io.now;
    link.receiver.io.pins.set_control(now, 5, Function::Pio0 as u8, Overrides::default());
    link.sender.send(b"a");
    link.run(200);
    assert_eq!((link.words(), link.receiver.uart.unheard_characters()), (vec![], 1));
}

#[test]
fn a_receiver_asks_for_its_line_when_it_must_know_more_and_tells_what_comes_too_late() {
    let mut link = Link::new(EIGHT_BITS, EIGHT_BITS);
    assert!(!link.receiver.io.awaits_line);
    run_to(&mut link.receiver, Picoseconds::from_ns(80_000));
    assert!(link.receiver.io.awaits_line, "8.5 bits are 73.78 us");
    link.sender.send(b"a");
    link.receiver.io.now = Picoseconds::from_ns(87_301);
    let edges = link.sender.io.pins.lines().take().edges;
    let known_to = Picoseconds::from_ns(90_000);
    let error = link.receiver.uart.hear_line(&edges, known_to, &mut link.receiver.io);
    assert_eq!(error, Err(Picoseconds::from_ns(500 + 86_800)));
}

proptest! {
    #[test]
    fn random_register_traffic_neither_panics_nor_loops(
        traffic in prop::collection::vec((0u32..22, any::<bool>(), any::<u32>(), 0u8..4, any::<u8>()), 1..300),
        hz in prop::sample::select(vec![0u64, 1, 48_000_000, 125_000_000, 133_000_000]),
    ) {
        let mut bench = Bench::with(hz, 3, 7, EIGHT_BITS | LCR_FEN);
        bench.io.pins.record(u32::MAX);
        for (register, write, value, wakes, byte) in traffic {
            let offset = register * 4;
            let peeked = bench.uart.peek(offset, &bench.io);
            if write {
                bench.write(offset, value);
            } else {
                prop_assert_eq!(bench.read(offset), peeked);
            }
            bench.receive(&[byte]);
            for _ in 0..wakes {
                bench.step();
            }
        }
        bench.run();
    }

    #[test]
    fn every_byte_is_sent_once_and_in_order(bytes in prop::collection::vec(any::<u8>(), 1..100), fifo: bool) {
        let mut bench = Bench::new(EIGHT_BITS | if fifo { LCR_FEN } else { 0 });
        for &byte in &bytes {
            while bench.read(UARTFR) & FR_TXFF != 0 {
                prop_assert!(bench.step());
            }
            bench.send(&[byte]);
        }
        bench.run();
        prop_assert_eq!(bench.heard(), bytes);
    }
}
