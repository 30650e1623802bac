//! The single-cycle block between the two cores (RP2040 datasheet 2.3.1): pins driven by software, mailboxes,
//! spinlocks, and for each core a divider and two interpolators. Every access takes one cycle of a core, so this is
//! the hottest block of all.
//!
//! Of two cores that write in one cycle the bus decides who comes first.

mod divider;
mod fifo;
mod interpolator;
#[cfg(test)]
mod tests;

use self::divider::{DIV_CSR, DIV_UDIVIDEND, Divider};
use self::fifo::Mailboxes;
use self::interpolator::{Interpolator, Speciality};
use units::Picoseconds;

use crate::io::Io;
use crate::pins::{ALL_PINS, Function};

const CPUID: u32 = 0x00;
const GPIO_IN: u32 = 0x04;
const GPIO_HI_IN: u32 = 0x08;
const GPIO_OUT: u32 = 0x10;
const GPIO_OUT_SET: u32 = 0x14;
const GPIO_OUT_CLR: u32 = 0x18;
const GPIO_OUT_XOR: u32 = 0x1c;
const GPIO_OE: u32 = 0x20;
const GPIO_OE_SET: u32 = 0x24;
const GPIO_OE_CLR: u32 = 0x28;
const GPIO_OE_XOR: u32 = 0x2c;
const GPIO_HI_OUT: u32 = 0x30;
const GPIO_HI_OUT_XOR: u32 = 0x3c;
const GPIO_HI_OE: u32 = 0x40;
const GPIO_HI_OE_XOR: u32 = 0x4c;
const FIFO_ST: u32 = 0x50;
const FIFO_WR: u32 = 0x54;
const FIFO_RD: u32 = 0x58;
const SPINLOCK_ST: u32 = 0x5c;
const INTERP0: u32 = 0x80;
const INTERP_LAST: u32 = 0xfc;
const SPINLOCK0: u32 = 0x100;
const SPINLOCK31: u32 = 0x17c;
const PS_PER_S: u64 = 1_000_000_000_000;
/// SCLK, SS and SD0 to SD3.
const QSPI_PINS: u32 = 0x3f;

/// The single-cycle block.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Sio {
    out: u32,
    enable: u32,
    high_out: u32,
    high_enable: u32,
    high_inputs: u32,
    mailboxes: Mailboxes,
    spinlocks: u32,
    dividers: [Divider; 2],
    interpolators: [[Interpolator; 2]; 2],
    /// A cycle of clk_sys, at this frequency.
    cycle_ps: i64,
    sys_hz: u64,
}

impl Default for Sio {
    fn default() -> Self {
        Self::new()
    }
}

impl Sio {
    /// The state after reset.
    pub fn new() -> Self {
        let pair = [Interpolator::new(Speciality::Blend), Interpolator::new(Speciality::Clamp)];
        Self {
            out: 0,
            enable: 0,
            high_out: 0,
            high_enable: 0,
            high_inputs: 0,
            mailboxes: Mailboxes::default(),
            spinlocks: 0,
            dividers: [Divider::default(), Divider::default()],
            interpolators: [pair.clone(), pair],
            cycle_ps: 0,
            sys_hz: 0,
        }
    }

    /// Reads a register as a core does, with the effects that reading has.
    #[inline]
    pub fn read(&mut self, core: usize, offset: u32, io: &mut Io) -> u32 {
        let core = core & 1;
        match offset {
            GPIO_IN => self.synchronised_inputs(io),
            DIV_UDIVIDEND..=DIV_CSR => self.dividers[core].read(offset, io),
            FIFO_RD => self.mailboxes.read(core, io),
            INTERP0..=INTERP_LAST => self.interpolators[core][interpolator(offset)].read(offset >> 2 & 15),
            SPINLOCK0..=SPINLOCK31 => self.claim(offset),
            _ => {
                if !exists(offset) {
                    io.unknown("SIO", "no such register", false);
                }
                self.peek(core, offset, io)
            }
        }
    }

    /// The pins behind the two flip-flops of their synchronisers (RP2040 datasheet 2.3.1.2): a load ends a cycle after the
    /// second one has taken the level.
    #[inline]
    fn synchronised_inputs(&mut self, io: &Io) -> u32 {
        if io.clocks.sys_hz != self.sys_hz {
            self.sys_hz = io.clocks.sys_hz;
            self.cycle_ps = (PS_PER_S / self.sys_hz.max(1)) as i64;
        }
        io.pins.inputs_before(io.now - io.ahead - Picoseconds::new(2 * self.cycle_ps))
    }

    /// Whether a load shows the levels that the pins have now.
    pub(crate) fn shows_present_inputs(&self, io: &Io) -> bool {
        let delay = Picoseconds::new(2 * self.cycle_ps);
        io.clocks.sys_hz == self.sys_hz
            && io.pins.inputs_before(io.now - io.ahead - delay) == io.pins.inputs()
    }

    /// What a core would read, without the effects of reading.
    pub fn peek(&self, core: usize, offset: u32, io: &Io) -> u32 {
        let core = core & 1;
        match offset {
            CPUID => core as u32,
            GPIO_IN => io.pins.inputs(),
            GPIO_HI_IN => self.high_inputs,
            GPIO_OUT..=GPIO_OUT_XOR => self.out,
            GPIO_OE..=GPIO_OE_XOR => self.enable,
            GPIO_HI_OUT..=GPIO_HI_OUT_XOR => self.high_out,
            GPIO_HI_OE..=GPIO_HI_OE_XOR => self.high_enable,
            FIFO_ST => self.mailboxes.status(core),
            FIFO_RD => self.mailboxes.peek(core),
            SPINLOCK_ST => self.spinlocks,
            DIV_UDIVIDEND..=DIV_CSR => self.dividers[core].peek(offset, io),
            INTERP0..=INTERP_LAST => self.interpolators[core][interpolator(offset)].peek(offset >> 2 & 15),
            SPINLOCK0..=SPINLOCK31 => spinlock(offset) & !self.spinlocks,
            _ => 0,
        }
    }

    /// Writes a register as a core does.
    #[inline]
    pub fn write(&mut self, core: usize, offset: u32, value: u32, io: &mut Io) {
        let core = core & 1;
        match offset {
            GPIO_OUT..=GPIO_OUT_XOR => self.set_out(altered(self.out, offset, value) & ALL_PINS, io),
            GPIO_OE..=GPIO_OE_XOR => self.set_enable(altered(self.enable, offset, value) & ALL_PINS, io),
            DIV_UDIVIDEND..=DIV_CSR => self.dividers[core].write(offset, value, io),
            GPIO_HI_OUT..=GPIO_HI_OUT_XOR => {
                self.high_out = altered(self.high_out, offset, value) & QSPI_PINS;
            }
            GPIO_HI_OE..=GPIO_HI_OE_XOR => {
                self.high_enable = altered(self.high_enable, offset, value) & QSPI_PINS;
            }
            FIFO_ST => self.mailboxes.clear(core, io),
            FIFO_WR => self.mailboxes.write(core, value, io),
            INTERP0..=INTERP_LAST => {
                self.interpolators[core][interpolator(offset)].write(offset >> 2 & 15, value);
            }
            SPINLOCK0..=SPINLOCK31 => self.spinlocks &= !spinlock(offset),
            _ if !exists(offset) => io.unknown("SIO", "no such register", true),
            _ => {}
        }
    }

    /// Levels and output enables that software sets for the QSPI pins (SCLK, SS, SD0 to SD3): the bus hands them to
    /// [`crate::peripherals::io_bank0::IoQspi`] when they changed.
    pub fn high_outputs(&self) -> (u32, u32) {
        (self.high_out, self.high_enable)
    }

    /// The levels that GPIO_HI_IN shows, as [`crate::peripherals::io_bank0::IoQspi`] has them.
    pub fn set_high_inputs(&mut self, levels: u32) {
        self.high_inputs = levels & QSPI_PINS;
    }

    /// Back to the state after reset, with the pins and interrupts that hang on it.
    pub fn reset(&mut self, io: &mut Io) {
        self.set_out(0, io);
        self.set_enable(0, io);
        let high_inputs = self.high_inputs;
        *self = Self { high_inputs, ..Self::new() };
        for core in 0..2 {
            self.mailboxes.clear(core, io);
        }
    }

    #[inline]
    fn set_out(&mut self, out: u32, io: &mut Io) {
        let changed = out ^ self.out;
        self.out = out;
        if changed != 0 {
            io.pins.drive(io.now, Function::Sio, changed, out, self.enable);
        }
    }

    #[inline]
    fn set_enable(&mut self, enable: u32, io: &mut Io) {
        let changed = enable ^ self.enable;
        self.enable = enable;
        if changed != 0 {
            io.pins.drive(io.now, Function::Sio, changed, self.out, enable);
        }
    }

    /// Reading a spinlock claims it: its bit when it was free, else zero.
    fn claim(&mut self, offset: u32) -> u32 {
        let bit = spinlock(offset);
        let free = bit & !self.spinlocks;
        self.spinlocks |= bit;
        free
    }
}

/// The value of a register after a write to it or to its SET, CLR or XOR neighbour, which lie in this order.
#[inline]
fn altered(before: u32, offset: u32, value: u32) -> u32 {
    match offset & 0xc {
        0x0 => value,
        0x4 => before | value,
        0x8 => before & !value,
        _ => before ^ value,
    }
}

fn interpolator(offset: u32) -> usize {
    (offset >> 6 & 1) as usize
}

fn spinlock(offset: u32) -> u32 {
    1 << (offset >> 2 & 31)
}

fn exists(offset: u32) -> bool {
    !matches!(offset, 0x0c | 0x7c) && offset <= SPINLOCK31
}

const _: () = assert!(GPIO_OUT_SET == GPIO_OUT + 4 && GPIO_OUT_CLR == GPIO_OUT + 8);
const _: () = assert!(GPIO_OE_SET == GPIO_OE + 4 && GPIO_OE_CLR == GPIO_OE + 8);
