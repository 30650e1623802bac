//! PWM: eight slices that count at clk_sys and compare (RP2040 datasheet 4.5). Nothing is stepped: the block is woken
//! when an output changes or a counter wraps, and computes a counter when somebody asks for it.
//!
//! Left out: the synchroniser of the B inputs, so an edge there counts in the cycle that it comes in. Where the datasheet
//! is silent: the divider of a slice starts anew when the slice is enabled, and a counter that stands above TOP wraps with
//! its next count.

mod slice;
#[cfg(test)]
mod tests;
mod unnoticed;

use slice::{Mode, NEVER, Slice};
use units::Picoseconds;

use crate::Io;
use crate::lines::{Dreq, Irq};
use crate::peripherals::pio::edges::ClockEdges;
use crate::peripherals::{Peripheral, Source};
use crate::pins::{ALL_PINS, Function};

const SLICES: usize = 8;
const SLICE_STRIDE: u32 = 0x14;
const SLICES_END: u32 = SLICES as u32 * SLICE_STRIDE;
const CSR: u32 = 0x00;
const DIV: u32 = 0x04;
const CTR: u32 = 0x08;
const CC: u32 = 0x0c;
const TOP: u32 = 0x10;
const EN: u32 = 0xa0;
const INTR: u32 = 0xa4;
const INTE: u32 = 0xa8;
const INTF: u32 = 0xac;
const INTS: u32 = 0xb0;
/// Cycles are counted from here.
const FIRST_CYCLE: u64 = 16;

/// The PWM block.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Pwm {
    slices: [Slice; SLICES],
    wrapped: u32,
    enabled_interrupts: u32,
    forced_interrupts: u32,
    edges: ClockEdges,
    /// The cycle that it asked to be woken at.
    armed: u64,
    /// Before its first access the block drives nothing.
    started: bool,
}

impl Default for Pwm {
    fn default() -> Self {
        Self::new()
    }
}

impl Pwm {
    /// The block after reset.
    pub fn new() -> Self {
        Self {
            slices: [Slice::new(); SLICES],
            wrapped: 0,
            enabled_interrupts: 0,
            forced_interrupts: 0,
            edges: ClockEdges::new(0, FIRST_CYCLE, Picoseconds::ZERO),
            armed: NEVER,
            started: false,
        }
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if offset == INTR { 0xff } else { 0 }
    }

    /// Puts the block back into the state after reset, and with it what it drives.
    pub fn reset(&mut self, io: &mut Io) {
        io.pins.drive(io.now, Function::Pwm, ALL_PINS, 0, 0);
        io.lines.set_irq(Irq::PWM_WRAP, false);
        io.cancel(Source::Pwm);
        *self = Self::new();
    }

    /// Pin inputs changed, just now: slices that count or gate by their B input look at it.
    pub fn inputs_changed(&mut self, changed: u32, io: &mut Io) {
        if changed == 0 || !self.listens() {
            return;
        }
        let now = self.catch_up(io);
        self.look_at_inputs(now, io);
        self.finish(now, io);
    }

    /// Whether a slice counts or waits for what its input does.
    pub(crate) fn listens(&self) -> bool {
        self.slices.iter().any(|slice| slice.mode() != Mode::Free)
    }

    /// clk_sys got another frequency, just now.
    pub fn clocks_changed(&mut self, io: &mut Io) {
        if self.started {
            let now = self.catch_up(io);
            self.finish(now, io);
        }
    }

    /// Does everything up to and including the present cycle, and gives its number.
    fn catch_up(&mut self, io: &mut Io) -> u64 {
        if !self.started {
            self.started = true;
            self.edges = ClockEdges::new(io.clocks.sys_hz, FIRST_CYCLE, io.now);
            self.drive(io.now, io);
        }
        let now = self.edges.cycle_at(io.now);
        // Every pass handles a later cycle than the one before, so this ends.
        loop {
            let next = self.next_event();
            if next > now || next == NEVER {
                break;
            }
            self.run_events(next, io);
        }
        if io.clocks.sys_hz != self.edges.hz() {
            self.edges.retime(io.clocks.sys_hz, io.now);
            self.armed = NEVER;
        }
        self.edges.follow(now);
        now
    }

    fn next_event(&self) -> u64 {
        self.slices.iter().map(|slice| slice.event).min().unwrap_or(NEVER)
    }

    fn run_events(&mut self, cycle: u64, io: &mut Io) {
        for n in 0..SLICES {
            if self.slices[n].event == cycle {
                let wrapped = self.slices[n].advance(cycle);
                self.note_wrap(n, wrapped, io);
                self.slices[n].reschedule();
            }
        }
        let at = self.edges.time_of(cycle).unwrap_or(io.now).min(io.now);
        self.drive(at, io);
    }

    fn note_wrap(&mut self, n: usize, wrapped: bool, io: &mut Io) {
        if wrapped {
            self.wrapped |= 1 << n;
            io.lines.pulse_dreq(Dreq(Dreq::PWM_WRAP0.0 + n as u8));
            self.update_interrupt(io);
        }
    }

    fn update_interrupt(&self, io: &mut Io) {
        io.lines.set_irq(Irq::PWM_WRAP, self.interrupts() != 0);
    }

    fn interrupts(&self) -> u32 {
        self.wrapped & self.enabled_interrupts | self.forced_interrupts
    }

    /// GPIO 2n and 2n + 1, and again 16 higher, are the outputs A and B of slice n (RP2040 datasheet 4.5.2).
    fn drive(&self, at: Picoseconds, io: &mut Io) {
        let (mut levels, mut enables) = (0, 0);
        for (slice, n) in self.slices.iter().zip(0..) {
            levels |= slice.outputs() << (2 * n);
            enables |= if slice.mode() == Mode::Free { 0b11 } else { 0b01 } << (2 * n);
        }
        let on_pins = |outputs: u32| (outputs | outputs << 16) & ALL_PINS;
        io.pins.drive(at, Function::Pwm, ALL_PINS, on_pins(levels), on_pins(enables));
    }

    fn look_at_inputs(&mut self, now: u64, io: &mut Io) {
        let high = io.pins.inputs() & io.pins.selected(Function::Pwm);
        let high = high | high >> 16;
        for n in 0..SLICES {
            if self.slices[n].mode() == Mode::Free {
                continue;
            }
            let before = self.slices[n].advance(now);
            let after = self.slices[n].set_input(high >> (2 * n + 1) & 1 == 1);
            self.note_wrap(n, before || after, io);
            self.slices[n].reschedule();
        }
        self.drive(io.now, io);
    }

    fn write_slice(&mut self, n: usize, register: u32, value: u32, now: u64, io: &mut Io) {
        let slice = &mut self.slices[n];
        let before = slice.advance(now);
        let after = match register {
            CSR => slice.write_csr(value),
            DIV => {
                slice.write_div(value);
                false
            }
            CTR => {
                slice.write_counter(value);
                false
            }
            CC => {
                slice.write_cc(value);
                false
            }
            _ => {
                slice.write_top(value);
                false
            }
        };
        self.note_wrap(n, before || after, io);
        if register == CSR && self.slices[n].mode() != Mode::Free {
            self.look_at_inputs(now, io);
        }
    }

    fn finish(&mut self, now: u64, io: &mut Io) {
        let next = self.next_event();
        if next == self.armed {
            return;
        }
        self.armed = next;
        match self.edges.time_of(next.max(now)).filter(|_| next != NEVER) {
            Some(at) => io.wake_at(Source::Pwm, at),
            None => io.cancel(Source::Pwm),
        }
    }
}

impl Peripheral for Pwm {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let now = self.catch_up(io);
        self.finish(now, io);
        if offset > INTS {
            io.unknown("PWM", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            0..SLICES_END => {
                let slice = &self.slices[(offset / SLICE_STRIDE) as usize];
                match offset % SLICE_STRIDE {
                    CSR => slice.csr,
                    DIV => slice.div,
                    CTR => {
                        let mut slice = *slice;
                        slice.advance(self.edges.cycle_at(io.now));
                        slice.counter()
                    }
                    CC => slice.cc,
                    TOP => slice.top,
                    _ => 0,
                }
            }
            EN => self.slices.iter().rev().fold(0, |all, slice| all << 1 | u32::from(slice.is_enabled())),
            INTR => self.wrapped,
            INTE => self.enabled_interrupts,
            INTF => self.forced_interrupts,
            INTS => self.interrupts(),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        let now = self.catch_up(io);
        match offset {
            0..SLICES_END => {
                let n = (offset / SLICE_STRIDE) as usize;
                self.write_slice(n, offset % SLICE_STRIDE, value, now, io);
                self.slices[n].reschedule();
            }
            EN => {
                for n in 0..SLICES {
                    let wrapped = self.slices[n].advance(now);
                    self.note_wrap(n, wrapped, io);
                    self.slices[n].enable(value >> n & 1 == 1);
                    self.slices[n].reschedule();
                }
            }
            INTR => self.wrapped &= !value,
            INTE => self.enabled_interrupts = value & 0xff,
            INTF => self.forced_interrupts = value & 0xff,
            INTS => {}
            _ => io.unknown("PWM", "no such register", true),
        }
        self.update_interrupt(io);
        self.drive(io.now, io);
        self.finish(now, io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.armed = NEVER;
        let now = self.catch_up(io);
        self.finish(now, io);
    }
}
