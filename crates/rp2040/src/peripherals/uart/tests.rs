//! The UART by its registers. Times and levels are those of RP2040 datasheet 4.2.

mod fifos;
mod frames;
mod levels;
mod lines;
mod properties;

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
