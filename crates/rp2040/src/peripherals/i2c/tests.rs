//! The I2C by its registers, driven as the Pico SDK drives it. Times are those of RP2040 datasheet 4.3.14.

mod at_pins;
mod interrupts;
mod properties;
mod settings;
mod transfers;

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use units::Picoseconds;

use super::*;
use crate::pins::{Function, Overrides};
use mcu::Outside;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Start(u16, bool),
    Write(u8),
    Read,
    Stop,
}

/// A device at 0x3c and at 0x23c that takes bytes until 0xee and answers 1, 2, 3, and so on.
#[derive(Debug, Clone, Default)]
struct Device {
    said: Arc<Mutex<Vec<(Picoseconds, Said)>>>,
    next: u8,
}

impl Device {
    fn note(&self, at: Picoseconds, said: Said) {
        self.said.lock().unwrap().push((at, said));
    }
}

impl Outside for Device {
    fn i2c_start(&mut self, at: Picoseconds, port: u8, address: u16, read: bool) -> bool {
        assert_eq!(port, 0);
        self.note(at, Said::Start(address, read));
        address == 0x3c || address == 0x23c
    }

    fn i2c_write(&mut self, at: Picoseconds, _: u8, byte: u8) -> bool {
        self.note(at, Said::Write(byte));
        byte != 0xee
    }

    fn i2c_read(&mut self, at: Picoseconds, _: u8) -> u8 {
        self.note(at, Said::Read);
        self.next = self.next.wrapping_add(1);
        self.next
    }

    fn i2c_stop(&mut self, at: Picoseconds, _: u8) {
        self.note(at, Said::Stop);
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

struct Bench {
    i2c: I2c,
    io: Io,
    device: Device,
}

const STOP: u32 = CMD_STOP as u32;
const RESTART: u32 = CMD_RESTART as u32;
const READ: u32 = CMD_READ as u32;
/// What the counters of [`Bench::new`] give, in cycles: low 750 + 1, high 500 + 46 + 7.
const LOW: i64 = 751;
const HIGH: i64 = 553;
const BYTE: i64 = 9 * (LOW + HIGH);

impl Bench {
    /// As the Pico SDK sets 100 kHz at 125 MHz.
    fn new() -> Self {
        let device = Device::default();
        let mut io = Io::default();
        io.outside = Box::new(device.clone());
        io.clocks.sys_hz = 125_000_000;
        io.now = Picoseconds::from_ns(1_000);
        let mut bench = Self { i2c: I2c::new(0), io, device };
        bench.write(IC_CON, 0x165);
        bench.write(IC_FS_SCL_HCNT, 500);
        bench.write(IC_FS_SCL_LCNT, 750);
        bench.write(IC_FS_SPKLEN, 46);
        bench.write(IC_INTR_MASK, 0);
        bench.target(0x3c);
        bench
    }

    /// The same with a recorder at SDA (GPIO 4) and SCL (GPIO 5).
    fn recorded() -> Self {
        let mut bench = Self::new();
        for pin in 4..6 {
            bench.io.pins.set_control(bench.io.now, pin, Function::I2c as u8, Overrides::default());
        }
        bench.io.pins.record(1 << 4 | 1 << 5);
        bench
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.i2c.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.i2c.read(offset, &mut self.io)
    }

    fn target(&mut self, address: u32) {
        self.write(IC_ENABLE, 0);
        self.write(IC_TAR, address);
        self.write(IC_ENABLE, 1);
    }

    fn command(&mut self, commands: &[u32]) {
        for &command in commands {
            self.write(IC_DATA_CMD, command);
        }
    }

    fn step(&mut self) -> bool {
        let Some(at) = self.io.due(Source::I2c0) else { return false };
        self.io.now = at;
        self.io.cancel(Source::I2c0);
        self.i2c.wake(Source::I2c0, &mut self.io);
        true
    }

    /// Goes through what is named.
    fn steps<const N: usize>(&mut self, named: [&str; N]) {
        named.into_iter().for_each(|step| assert!(self.step(), "no {step}"));
    }

    fn run(&mut self) {
        for _ in 0..10_000 {
            if !self.step() {
                return;
            }
        }
        panic!("the I2C goes on for ever");
    }

    fn raw(&mut self, interrupt: u32) -> bool {
        self.read(IC_RAW_INTR_STAT) & interrupt != 0
    }

    fn said(&self) -> Vec<Said> {
        self.device.said.lock().unwrap().iter().map(|&(_, said)| said).collect()
    }

    /// Times of what was said, in cycles of 8 ns from `start`.
    fn cycles(&self, start: Picoseconds) -> Vec<i64> {
        self.device.said.lock().unwrap().iter().map(|&(at, _)| (at - start).ps() / 8_000).collect()
    }
}
