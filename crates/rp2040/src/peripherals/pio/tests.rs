//! A block on a bench: clk_sys at 125 MHz, pins that record their edges, and an assembler that knows the encoding of RP2040
//! datasheet 3.4.1 (and nothing of `execute.rs`).

mod block;
mod counting;
mod datasheet;
mod differential;
mod instructions;
mod programs;
mod rows;
mod shifting;
mod skipping;
mod unnoticed;
mod written;

use units::Picoseconds;

use super::Pio;
use mcu::Edge;

use crate::Io;
use crate::peripherals::{Peripheral, Source};
use crate::pins::{Function, Overrides};

const CYCLE_PS: i64 = 8_000;

const CTRL: u32 = 0x00;
const FSTAT: u32 = 0x04;
const FDEBUG: u32 = 0x08;
const FLEVEL: u32 = 0x0c;
const TXF0: u32 = 0x10;
const RXF0: u32 = 0x20;
const IRQ: u32 = 0x30;
const IRQ_FORCE: u32 = 0x34;
const BYPASS: u32 = 0x38;
const CLKDIV: u32 = 0xc8;
const EXECCTRL: u32 = 0xcc;
const SHIFTCTRL: u32 = 0xd0;
const ADDR: u32 = 0xd4;
const INSTR: u32 = 0xd8;
const PINCTRL: u32 = 0xdc;
const MACHINE: u32 = 0x18;

/// EXECCTRL: wrap from `top` to `bottom`.
fn wrap(bottom: u32, top: u32) -> u32 {
    top << 12 | bottom << 7
}

// PINCTRL fields.
fn out_pins(base: u32, count: u32) -> u32 {
    base | count << 20
}
fn set_pins(base: u32, count: u32) -> u32 {
    base << 5 | count << 26
}
fn side_pins(base: u32, bits: u32) -> u32 {
    base << 10 | bits << 29
}
fn in_pins(base: u32) -> u32 {
    base << 15
}

const AUTOPUSH: u32 = 1 << 16;
const AUTOPULL: u32 = 1 << 17;
const IN_RIGHT: u32 = 1 << 18;
const OUT_RIGHT: u32 = 1 << 19;
fn push_at(bits: u32) -> u32 {
    (bits & 31) << 20
}
fn pull_at(bits: u32) -> u32 {
    (bits & 31) << 25
}

// Instructions; the delay/side-set field is added with `d`.
const ALWAYS: u16 = 0;
const NOT_X: u16 = 1;
const X_DEC: u16 = 2;
const NOT_Y: u16 = 3;
const Y_DEC: u16 = 4;
const X_NE_Y: u16 = 5;
const PIN: u16 = 6;
const NOT_OSRE: u16 = 7;
const PINS: u16 = 0;
const X: u16 = 1;
const Y: u16 = 2;
const NULL: u16 = 3;
const PINDIRS: u16 = 4;
const EXEC: u16 = 4;
const PC: u16 = 5;
const STATUS: u16 = 5;
const ISR: u16 = 6;
const OSR: u16 = 7;
const OUT_EXEC: u16 = 7;

fn jmp(condition: u16, target: u16) -> u16 {
    condition << 5 | target
}
fn wait(level: u16, source: u16, index: u16) -> u16 {
    0x2000 | level << 7 | source << 5 | index
}
fn in_(source: u16, bits: u16) -> u16 {
    0x4000 | source << 5 | bits & 31
}
fn out(destination: u16, bits: u16) -> u16 {
    0x6000 | destination << 5 | bits & 31
}
const IF: u16 = 1 << 6;
const BLOCK: u16 = 1 << 5;
fn push(flags: u16) -> u16 {
    0x8000 | flags
}
fn pull(flags: u16) -> u16 {
    0x8080 | flags
}
fn mov(destination: u16, source: u16) -> u16 {
    0xa000 | destination << 5 | source
}
const INVERTED: u16 = 1 << 3;
const REVERSED: u16 = 2 << 3;
const WAITING: u16 = 1 << 5;
const CLEAR: u16 = 1 << 6;
const REL: u16 = 1 << 4;
fn irq(index: u16) -> u16 {
    0xc000 | index
}
fn set(destination: u16, data: u16) -> u16 {
    0xe000 | destination << 5 | data
}
fn nop() -> u16 {
    mov(Y, Y)
}
/// Delay and side-set.
fn d(instruction: u16, field: u16) -> u16 {
    instruction | field << 8
}

struct Bench {
    pio: Pio,
    io: Io,
    origin: Picoseconds,
}

impl Bench {
    fn new() -> Self {
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        io.now = Picoseconds::from_ns(1_000);
        for pin in 0..30 {
            io.pins.set_control(io.now, pin, Function::Pio0 as u8, Overrides::default());
        }
        io.pins.record(crate::pins::ALL_PINS);
        let mut bench = Self { pio: Pio::new(0), io, origin: Picoseconds::ZERO };
        bench.read(CTRL);
        bench
    }

    fn with(program: &[u16]) -> Self {
        let mut bench = Self::new();
        bench.load(program);
        bench
    }

    fn load(&mut self, program: &[u16]) {
        for (&word, n) in program.iter().zip(0..) {
            self.write(0x48 + 4 * n, u32::from(word));
        }
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.pio.write(offset, value, &mut self.io);
        self.settle_pins();
    }

    fn read(&mut self, offset: u32) -> u32 {
        let value = self.pio.read(offset, &mut self.io);
        self.settle_pins();
        value
    }

    fn settle_pins(&mut self) {
        let changed = self.io.pins.take_inputs_changed();
        if changed != 0 {
            self.pio.inputs_changed(changed, &mut self.io);
        }
    }

    /// Executes an instruction at once, as firmware does before it starts a machine.
    fn exec(&mut self, instruction: u16) {
        self.write(INSTR, u32::from(instruction));
        self.run(1);
    }

    /// Starts machine 0 with its divider; its first instruction executes at cycle 1 of the bench.
    fn start(&mut self) {
        self.start_many(1);
    }

    fn start_many(&mut self, machines: u32) {
        self.io.pins.take_edges();
        self.origin = self.io.now;
        self.write(CTRL, machines | machines << 8);
    }

    /// Lets some cycles pass.
    fn run(&mut self, cycles: i64) -> usize {
        self.run_ps(cycles * CYCLE_PS)
    }

    fn run_ps(&mut self, ps: i64) -> usize {
        let end = self.io.now + Picoseconds::new(ps);
        let mut wakes = 0;
        while let Some(at) = self.io.due(Source::Pio0).filter(|&at| at <= end) {
            self.io.now = at;
            self.io.cancel(Source::Pio0);
            self.pio.wake(Source::Pio0, &mut self.io);
            self.settle_pins();
            wakes += 1;
        }
        self.io.now = end;
        wakes
    }

    /// The bench's cycle, from the start on.
    fn cycle(&self) -> i64 {
        (self.io.now - self.origin).ps() / CYCLE_PS
    }

    fn run_to(&mut self, cycle: i64) {
        self.run(cycle - self.cycle());
    }

    fn drive(&mut self, pin: u8, level: bool) {
        self.io.pins.drive_outside(self.io.now, pin, Some(level));
        self.settle_pins();
    }

    /// Edges since the start: cycle, pin, level.
    fn edges(&mut self) -> Vec<(i64, u8, bool)> {
        let origin = self.origin;
        self.io
            .pins
            .take_edges()
            .into_iter()
            .map(|Edge { at, pin, level }| {
                let ps = (at - origin).ps();
                assert_eq!(ps % CYCLE_PS, 0, "an edge lies between two cycles");
                (ps / CYCLE_PS, pin, level)
            })
            .collect()
    }

    /// What a program of one machine leaves in X, taken out through the FIFO.
    fn x(&mut self) -> u32 {
        self.scratch(X)
    }

    fn scratch(&mut self, register: u16) -> u32 {
        self.write(CTRL, 0);
        self.write(SHIFTCTRL, IN_RIGHT | OUT_RIGHT | 1 << 31);
        self.write(SHIFTCTRL, IN_RIGHT | OUT_RIGHT);
        self.exec(mov(ISR, register));
        self.exec(push(0));
        self.read(RXF0)
    }
}
