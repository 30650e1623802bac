//! UART0, whose line begins at a pin, and UART1, which hears one, under any writes to their registers and any levels on the line.
//! The chip goes no further than the line is known, characters leave one behind the other, a kept state is repeated, and after a
//! reset a byte that leaves UART0 arrives at UART1.

use mcu::{Edge, Outgoing};
use units::Picoseconds;

use super::bench::Bench;
use super::input::Input;

const UART: [u32; 2] = [0x4003_4000, 0x4003_8000];
const RESETS: u32 = 1 << 22 | 1 << 23;
/// Where UART0 sends and UART1 receives.
const SENDS: u8 = 0;
const RECEIVES: u8 = 5;
const FUNCTION: u32 = 2;
/// RP2040 datasheet 4.2.8.
const DR: u32 = 0x00;
const FR: u32 = 0x18;
const IBRD: u32 = 0x24;
const FBRD: u32 = 0x28;
const LCR_H: u32 = 0x2C;
const CR: u32 = 0x30;
const LAST_REGISTER: u32 = 0x48;
const FR_RXFE: u32 = 1 << 4;
const FR_TXFF: u32 = 1 << 5;
const FR_RXFF: u32 = 1 << 6;
const FR_TXFE: u32 = 1 << 7;
/// What is known of the line runs so far ahead of the chip at the least.
const AHEAD: Picoseconds = Picoseconds::from_ns(100_000);

/// What goes over the line in the end.
const BYTE: u8 = 0xA5;

/// Things happen to both UARTs and to the line.
pub fn serial_line(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut line = Line::new();
    while !input.is_over() {
        line.happening(&mut input);
        line.check_flags();
    }
    line.check_reset();
    Ok(())
}

struct Line {
    bench: Bench,
    /// What is on the line is known up to here, and its level there.
    known_to: Picoseconds,
    level: bool,
    /// The end of the last character that left.
    sent_to: Picoseconds,
    registers: Vec<u32>,
}

impl Line {
    fn new() -> Self {
        let mut bench = Bench::new();
        for pin in [SENDS, RECEIVES] {
            bench.give_pin(pin, FUNCTION);
        }
        bench.chip.begin_line(SENDS);
        assert!(bench.chip.end_line(RECEIVES), "it is a receiving pin");
        let known_to = bench.chip.now();
        let registers = UART.iter().flat_map(|base| (0..=LAST_REGISTER).step_by(4).map(move |at| base + at));
        let registers = registers.filter(|at| at & 0xFF != DR).collect();
        let mut line = Self { bench, known_to, level: true, sent_to: Picoseconds::ZERO, registers };
        line.set_up();
        line
    }

    /// 8 bits, 115200 baud of a clock of 6.5 MHz, which is as good as any other.
    fn set_up(&mut self) {
        for base in UART {
            for (offset, value) in [(CR, 0), (IBRD, 3), (FBRD, 34), (LCR_H, 0x70), (CR, 0x301)] {
                self.store(base + offset, value);
            }
        }
    }

    /// The line is known far enough for whatever comes next.
    fn know(&mut self, to: Picoseconds, edges: &[Edge]) {
        self.known_to = self.known_to.max(to);
        let heard = self.bench.chip.hear_line(RECEIVES, edges, self.known_to);
        assert_eq!(heard, Ok(()), "the chip went on without knowing its line");
    }

    fn store(&mut self, address: u32, value: u32) {
        self.know(self.bench.chip.now() + AHEAD, &[]);
        self.bench.store(address, value);
    }

    fn load(&mut self, address: u32) -> u32 {
        self.know(self.bench.chip.now() + AHEAD, &[]);
        self.bench.load(address)
    }

    fn wait(&mut self, time: Picoseconds) {
        let end = self.bench.chip.now() + time;
        self.know(end + AHEAD, &[]);
        assert!(self.bench.wait(time), "it waits for a line that it knows");
    }

    fn happening(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        let base = UART[usize::from(what & 1)];
        match what {
            0x00..=0x3F => {
                let byte = input.byte();
                self.store(base + DR, u32::from(byte));
            }
            0x40..=0x5F => {
                let offset = 4 * (u32::from(input.byte()) % (LAST_REGISTER / 4 + 1));
                let value = if what & 2 == 0 { u32::from(input.byte()) } else { input.long() };
                self.store(base + offset, value);
            }
            0x60..=0x7F => {
                self.load(base + DR);
            }
            0x80..=0x9F => self.levels(input.take(usize::from(what & 31) + 1)),
            0xA0..=0xC7 => self.wait(Picoseconds::from_ns(1 << ((what - 0xA0) % 22))),
            0xC8..=0xCF => self.take(),
            0xD0..=0xD7 => {
                let console = if what & 1 == 0 { mcu::Console::Uart0 } else { mcu::Console::Uart1 };
                self.bench.chip.send_console(console, input.take(usize::from(what >> 1 & 3) + 1));
            }
            0xD8..=0xDB => self.bench_reset([1 << 22, 1 << 23, RESETS, 0][usize::from(what & 3)]),
            0xDC..=0xDF => self.set_up(),
            0xE0..=0xE7 => {
                let registers = self.registers.clone();
                let time = Picoseconds::from_ns(200_000);
                self.know(self.bench.chip.now() + time + AHEAD, &[]);
                self.bench.repeats(time, &registers);
            }
            0xE8..=0xEF => {
                // Less is known than is asked for: the chip stops by itself where it matters, or goes on.
                let time = Picoseconds::from_ns(i64::from(input.word()) * 100);
                self.bench.wait(time);
            }
            _ => {
                self.load(base + FR);
            }
        }
    }

    fn bench_reset(&mut self, blocks: u32) {
        self.know(self.bench.chip.now() + AHEAD, &[]);
        self.bench.reset(blocks);
    }

    /// The line changes its level, after a time for each byte.
    fn levels(&mut self, times: &[u8]) {
        let mut at = self.known_to.max(self.bench.chip.now());
        let mut edges = Vec::new();
        for &time in times {
            // Bits of 8.68 us and parts of them, and spikes.
            at = at
                + Picoseconds::from_ns(
                    [8_680, 1_000, 83, 100_000][usize::from(time & 3)] * i64::from(time >> 2) + 1,
                );
            self.level = !self.level;
            edges.push(Edge { at, pin: RECEIVES, level: self.level });
        }
        self.know(at, &edges);
    }

    fn take(&mut self) {
        let Outgoing { edges, characters } = self.bench.chip.take_lines();
        assert!(edges.is_sorted_by_key(|edge| edge.at), "{edges:?}");
        assert!(edges.windows(2).all(|pair| pair[0].level != pair[1].level), "{edges:?}");
        for character in characters {
            assert!(character.start >= self.sent_to && character.end > character.start, "{character:?}");
            self.sent_to = character.end;
        }
    }

    fn check_flags(&mut self) {
        for flags in self.bench.shows(UART.iter().map(|base| base + FR)).into_iter().take(2) {
            assert!(flags & (FR_RXFE | FR_RXFF) != FR_RXFE | FR_RXFF, "empty and full: {flags:#x}");
            assert!(flags & (FR_TXFE | FR_TXFF) != FR_TXFE | FR_TXFF, "empty and full: {flags:#x}");
        }
    }

    fn check_reset(&mut self) {
        if !self.level {
            self.levels(&[4]);
        }
        // What was typed waits for a UART that receives, and what is under way for its end: both are over before the reset.
        self.set_up();
        self.wait(Picoseconds::from_ns(500_000_000));
        self.bench_reset(RESETS);
        self.set_up();
        self.take();
        // A slow character that the reset cut off still holds the line.
        let held = self.sent_to - self.bench.chip.now();
        if held > Picoseconds::ZERO {
            self.wait(held);
            self.take();
        }
        // The chip comes to where the line's end is, so that what leaves it now is news there.
        self.bench.wait(self.known_to - self.bench.chip.now());
        self.bench.store(UART[0] + DR, u32::from(BYTE));
        let sent = self.bench.chip.take_lines().edges;
        let heard: Vec<Edge> = sent.iter().map(|edge| Edge { pin: RECEIVES, ..*edge }).collect();
        let last = heard.last().expect("a character has edges").at;
        self.know(last + AHEAD, &heard);
        self.wait(Picoseconds::from_ns(1_000_000));
        let received = (self.load(UART[1] + FR) & FR_RXFE, self.load(UART[1] + DR));
        assert_eq!(received, (0, u32::from(BYTE)), "a byte goes over the line");
    }
}
