//! Which function drives each GPIO, and interrupts from pins (RP2040 datasheet 2.19.6.1). The bus calls
//! [`IoBank0::inputs_changed`] whenever an input moved. The six pins of the flash are a bank of their own: [`IoQspi`].
//!
//! Both cores have their own interrupt of the same number: the line is high when either has, and
//! [`IoBank0::irq_levels`] says which. Interrupts see a pin behind INOVER. Left out: JTAG on FUNCSEL 0 and the
//! external USB PHY on FUNCSEL 8.

mod control;
mod interrupts;
mod qspi;
#[cfg(test)]
mod tests;

use self::control::{CTRL_BITS, CTRL_RESET, Status, funcsel, overridden, overrides};
use self::interrupts::{DORMANT_WAKE, PinInterrupts};
pub use self::qspi::IoQspi;
use super::{Peripheral, Source};
use crate::io::Io;
use crate::lines::Irq;
use crate::pins::{ALL_PINS, Function, PIN_COUNT};

const CTRL29: u32 = 0xec;
const INTR0: u32 = 0xf0;
const INTR3: u32 = 0xfc;
const PROC0_INTE0: u32 = 0x100;
const DORMANT_WAKE_INTS3: u32 = 0x18c;
const LAST: u32 = DORMANT_WAKE_INTS3;
/// INTE, INTF and INTS of a destination, four registers each.
const DESTINATION_BYTES: u32 = 0x30;
/// Cycles of clk_sys from a pin to the interrupt line: the two of the input synchroniser (RP2040 datasheet 3.5.6.3), and one
/// in which an edge is noted. A board takes about 180 ns from an edge to the store of a handler that needs 20 cycles for it.
const INTERRUPT_CYCLES: u64 = 3;
/// The edges in each pin's nibble.
const EDGES: u32 = 0xcccc_cccc;

/// The GPIOs' functions and interrupts.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct IoBank0 {
    ctrl: [u32; PIN_COUNT as usize],
    /// Pins whose IRQOVER inverts, and pins that it holds low and high.
    inverted: u32,
    held_low: u32,
    held_high: u32,
    /// Pins whose change was taken in here already, before the bus reports it.
    seen: u32,
    interrupts: PinInterrupts,
    levels: [bool; 2],
}

impl Default for IoBank0 {
    fn default() -> Self {
        Self::new()
    }
}

impl IoBank0 {
    /// The state after reset: no pin has a function.
    pub fn new() -> Self {
        Self {
            ctrl: [CTRL_RESET; PIN_COUNT as usize],
            inverted: 0,
            held_low: 0,
            held_high: 0,
            seen: 0,
            interrupts: PinInterrupts::new(PIN_COUNT),
            levels: [false; 2],
        }
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if offset >= INTR0 && offset <= INTR3 { EDGES } else { 0 }
    }

    /// The bus calls this when the inputs of these pins changed, be it there and back; those that are known to have changed
    /// more than once are `pulsed`.
    #[inline]
    pub fn inputs_changed(&mut self, changed: u32, pulsed: u32, io: &mut Io) {
        let signal = self.signal(io);
        let held = self.held_low | self.held_high | std::mem::take(&mut self.seen);
        self.interrupts.set_signal(signal, changed & !held);
        if pulsed != 0 {
            self.interrupts.note_pulses(pulsed & !held);
        }
        let rises = self.pending().into_iter().zip(self.levels).any(|(pending, before)| pending && !before);
        if !rises {
            self.update_irq(io);
        } else if io.due(Source::IoBank0).is_none() {
            io.wake_after(Source::IoBank0, io.clocks.sys_hz, INTERRUPT_CYCLES);
        }
    }

    /// Whether core 0 and core 1 have the interrupt.
    pub fn irq_levels(&self) -> [bool; 2] {
        self.levels
    }

    /// The pins whose interrupt is switched on for anybody.
    pub(crate) fn listens_to(&self) -> u32 {
        self.interrupts.listens_to()
    }

    /// Whether a pin wakes the chip from dormant mode.
    pub fn wakes_dormant(&self) -> bool {
        self.interrupts.is_pending(DORMANT_WAKE)
    }

    /// Back to the state after reset, with the pins and interrupts that hang on it.
    pub fn reset(&mut self, io: &mut Io) {
        let (levels, before) = (self.levels, io.pins.inputs());
        *self = Self { levels, ..Self::new() };
        for pin in 0..PIN_COUNT as u8 {
            io.pins.set_control(io.now, pin, funcsel(CTRL_RESET), overrides(CTRL_RESET));
        }
        self.seen = before ^ io.pins.inputs();
        // Levels are there from the start; they are no edges.
        self.interrupts.set_signal(self.signal(io), 0);
        self.interrupts.clear_all();
        io.cancel(Source::IoBank0);
        self.update_irq(io);
    }

    #[inline]
    fn signal(&self, io: &Io) -> u32 {
        (io.pins.inputs() ^ self.inverted) & !self.held_low & ALL_PINS | self.held_high
    }

    #[inline]
    fn pending(&self) -> [bool; 2] {
        [self.interrupts.is_pending(0), self.interrupts.is_pending(1)]
    }

    /// Sets the line, and moves it when one core's interrupt changed behind the other's.
    #[inline]
    fn update_irq(&mut self, io: &mut Io) {
        let levels = self.pending();
        if levels != self.levels {
            self.levels = levels;
            io.lines.set_irq(Irq::IO_BANK0, false);
            io.lines.set_irq(Irq::IO_BANK0, levels[0] || levels[1]);
        }
    }

    fn set_ctrl(&mut self, pin: usize, value: u32, io: &mut Io) {
        self.ctrl[pin] = value & CTRL_BITS;
        let bit = 1 << pin;
        let over = overrides(value);
        for (mask, code) in [(&mut self.inverted, 1), (&mut self.held_low, 2), (&mut self.held_high, 3)] {
            *mask = if over.interrupt == code { *mask | bit } else { *mask & !bit };
        }
        let before = io.pins.inputs();
        io.pins.set_control(io.now, pin as u8, funcsel(value), over);
        self.interrupts.set_signal(self.signal(io), 0);
        self.seen |= before ^ io.pins.inputs();
    }

    fn status(&self, pin: usize, io: &Io) -> u32 {
        let over = overrides(self.ctrl[pin]);
        let bit = |mask: u32| mask >> pin & 1 == 1;
        let (out, enable) = function(funcsel(self.ctrl[pin])).map_or((0, 0), |f| io.pins.driven_by(f));
        let input = bit(io.pins.inputs());
        let from_pad = match over.input {
            0 => input,
            1 => !input,
            _ => bit(io.pins.levels()),
        };
        let status = Status {
            out_from_peripheral: bit(out),
            out_to_pad: overridden(over.output, bit(out)),
            enable_from_peripheral: bit(enable),
            enable_to_pad: overridden(over.enable, bit(enable)),
            in_from_pad: from_pad,
            in_to_peripheral: input,
            irq_from_pad: input,
            irq_to_processor: bit(self.interrupts.signal()),
        };
        status.bits()
    }
}

fn function(funcsel: u8) -> Option<Function> {
    const ALL: [Function; 9] = [
        Function::Spi,
        Function::Uart,
        Function::I2c,
        Function::Pwm,
        Function::Sio,
        Function::Pio0,
        Function::Pio1,
        Function::Clock,
        Function::Usb,
    ];
    ALL.into_iter().find(|&f| f as u8 == funcsel)
}

impl Peripheral for IoBank0 {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > LAST {
            io.unknown("IO_BANK0", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        let register = offset >> 2 & 3;
        match offset {
            0..=CTRL29 => {
                let pin = (offset / 8) as usize;
                if offset & 4 == 0 { self.status(pin, io) } else { self.ctrl[pin] }
            }
            INTR0..=INTR3 => self.interrupts.intr(register),
            PROC0_INTE0..=LAST => {
                let place = offset - PROC0_INTE0;
                let destination = (place / DESTINATION_BYTES) as usize;
                match (place % DESTINATION_BYTES) >> 4 {
                    0 => self.interrupts.inte(destination, register),
                    1 => self.interrupts.intf(destination, register),
                    _ => self.interrupts.ints(destination, register),
                }
            }
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        let register = offset >> 2 & 3;
        match offset {
            0..=CTRL29 if offset & 4 == 0 => {}
            0..=CTRL29 => self.set_ctrl((offset / 8) as usize, value, io),
            INTR0..=INTR3 => self.interrupts.clear(register, value),
            PROC0_INTE0..=LAST => {
                let place = offset - PROC0_INTE0;
                let destination = (place / DESTINATION_BYTES) as usize;
                match (place % DESTINATION_BYTES) >> 4 {
                    0 => self.interrupts.enable(destination, register, value),
                    1 => self.interrupts.force(destination, register, value),
                    _ => {}
                }
            }
            _ => io.unknown("IO_BANK0", "no such register", true),
        }
        self.update_irq(io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.update_irq(io);
    }
}
