//! The six pins of the flash (RP2040 datasheet 2.19.6.2): SCLK, SS and SD0 to SD3. Firmware overrides chip select here
//! to speak to the flash by hand, and lets go of it to read the BOOTSEL button.
//!
//! While the flash interface drives the pins they are shown at rest: SCLK low, SS high, the data pins not driven.

use super::control::{CTRL_BITS, CTRL_RESET, Status, funcsel, overridden, overrides};
use super::interrupts::{DORMANT_WAKE, PinInterrupts};
use crate::io::Io;
use crate::lines::Irq;
use crate::peripherals::Peripheral;
use crate::pins::Pad;

const PINS: usize = 6;
const SS: usize = 1;
const CTRL_SD3: u32 = 0x2c;
const INTR: u32 = 0x30;
const PROC0_INTE: u32 = 0x34;
const LAST: u32 = 0x54;
/// INTE, INTF and INTS of a destination.
const DESTINATION_BYTES: u32 = 0xc;
const FUNCSEL_XIP: u8 = 0;
const FUNCSEL_SIO: u8 = 5;
/// What the flash interface drives while no transfer goes on.
const XIP_LEVELS: u32 = 0b00_0010;
const XIP_ENABLES: u32 = 0b00_0011;
/// The pulls after reset: SS up, SCLK down, none on the data pins (RP2040 datasheet 2.19.6.4).
const PADS_RESET: [(bool, bool); PINS] =
    [(false, true), (true, false), (false, false), (false, false), (false, false), (false, false)];

/// The flash pins' functions and interrupts.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct IoQspi {
    ctrl: [u32; PINS],
    pads: [Pad; PINS],
    software_levels: u32,
    software_enables: u32,
    bootsel_pressed: bool,
    inputs: u32,
    interrupts: PinInterrupts,
    levels: [bool; 2],
}

impl Default for IoQspi {
    fn default() -> Self {
        Self::new()
    }
}

impl IoQspi {
    /// The state after reset.
    pub fn new() -> Self {
        let pads = PADS_RESET.map(|(pull_up, pull_down)| Pad {
            pull_up,
            pull_down,
            input_enable: true,
            output_disable: false,
        });
        let mut bank = Self {
            ctrl: [CTRL_RESET; PINS],
            pads,
            software_levels: 0,
            software_enables: 0,
            bootsel_pressed: false,
            inputs: 0,
            interrupts: PinInterrupts::new(PINS as u32),
            levels: [false; 2],
        };
        bank.settle();
        bank.interrupts.clear_all();
        bank
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if offset == INTR { 0x00cc_cccc } else { 0 }
    }

    /// The level that software forces on the flash's chip select; nothing while the flash interface has it.
    pub fn ss_override(&self) -> Option<bool> {
        let over = overrides(self.ctrl[SS]);
        match over.output {
            2 => Some(false),
            3 => Some(true),
            _ if funcsel(self.ctrl[SS]) == FUNCSEL_SIO => Some(self.inputs >> SS & 1 == 1),
            _ => None,
        }
    }

    /// The levels at the pins' inputs, which GPIO_HI_IN of the single-cycle block shows.
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// Takes what the single-cycle block drives at the pins (GPIO_HI_OUT and GPIO_HI_OE).
    pub fn set_software_outputs(&mut self, levels: u32, enables: u32, io: &mut Io) {
        (self.software_levels, self.software_enables) = (levels, enables);
        self.update(io);
    }

    /// Takes the pads' settings, in the order SCLK, SS, SD0 to SD3.
    pub fn set_pads(&mut self, pads: [Pad; 6], io: &mut Io) {
        self.pads = pads;
        self.update(io);
    }

    /// Presses or lets go of the BOOTSEL button, which pulls SS low through a resistor.
    pub fn set_bootsel(&mut self, pressed: bool, io: &mut Io) {
        self.bootsel_pressed = pressed;
        self.update(io);
    }

    /// Whether core 0 and core 1 have the interrupt.
    pub fn irq_levels(&self) -> [bool; 2] {
        self.levels
    }

    /// Whether a pin wakes the chip from dormant mode.
    pub fn wakes_dormant(&self) -> bool {
        self.interrupts.is_pending(DORMANT_WAKE)
    }

    /// Back to the state after reset; what stands around it stays.
    pub fn reset(&mut self, io: &mut Io) {
        let mut after = Self {
            pads: self.pads,
            software_levels: self.software_levels,
            software_enables: self.software_enables,
            bootsel_pressed: self.bootsel_pressed,
            levels: self.levels,
            ..Self::new()
        };
        after.settle();
        after.interrupts.clear_all();
        *self = after;
        self.update(io);
    }

    /// Level and output enable that the pin's function wants.
    fn wanted(&self, pin: usize) -> (bool, bool) {
        let (levels, enables) = match funcsel(self.ctrl[pin]) {
            FUNCSEL_XIP => (XIP_LEVELS, XIP_ENABLES),
            FUNCSEL_SIO => (self.software_levels, self.software_enables),
            _ => (0, 0),
        };
        (levels >> pin & 1 == 1, enables >> pin & 1 == 1)
    }

    fn pad_level(&self, pin: usize) -> bool {
        let (over, pad) = (overrides(self.ctrl[pin]), self.pads[pin]);
        let (level, enable) = self.wanted(pin);
        if overridden(over.enable, enable) && !pad.output_disable {
            return overridden(over.output, level);
        }
        pad.pull_up && !pad.pull_down && !(pin == SS && self.bootsel_pressed)
    }

    fn settle(&mut self) {
        let (mut inputs, mut signal) = (0, 0);
        for pin in 0..PINS {
            let over = overrides(self.ctrl[pin]);
            let input = overridden(over.input, self.pads[pin].input_enable && self.pad_level(pin));
            inputs |= u32::from(input) << pin;
            signal |= u32::from(overridden(over.interrupt, input)) << pin;
        }
        self.inputs = inputs;
        self.interrupts.set_signal(signal, 0);
    }

    fn update(&mut self, io: &mut Io) {
        self.settle();
        let levels = [self.interrupts.is_pending(0), self.interrupts.is_pending(1)];
        if levels != self.levels {
            self.levels = levels;
            io.lines.set_irq(Irq::IO_QSPI, false);
            io.lines.set_irq(Irq::IO_QSPI, levels[0] || levels[1]);
        }
    }

    fn status(&self, pin: usize) -> u32 {
        let (over, pad) = (overrides(self.ctrl[pin]), self.pads[pin]);
        let (level, enable) = self.wanted(pin);
        let status = Status {
            out_from_peripheral: level,
            out_to_pad: overridden(over.output, level),
            enable_from_peripheral: enable,
            enable_to_pad: overridden(over.enable, enable),
            in_from_pad: pad.input_enable && self.pad_level(pin),
            in_to_peripheral: self.inputs >> pin & 1 == 1,
            irq_from_pad: self.inputs >> pin & 1 == 1,
            irq_to_processor: self.interrupts.signal() >> pin & 1 == 1,
        };
        status.bits()
    }
}

impl Peripheral for IoQspi {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > LAST {
            io.unknown("IO_QSPI", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            0..=CTRL_SD3 => {
                let pin = (offset / 8) as usize;
                if offset & 4 == 0 { self.status(pin) } else { self.ctrl[pin] }
            }
            INTR => self.interrupts.intr(0),
            PROC0_INTE..=LAST => {
                let place = offset - PROC0_INTE;
                let destination = (place / DESTINATION_BYTES) as usize;
                match place % DESTINATION_BYTES / 4 {
                    0 => self.interrupts.inte(destination, 0),
                    1 => self.interrupts.intf(destination, 0),
                    _ => self.interrupts.ints(destination, 0),
                }
            }
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            0..=CTRL_SD3 if offset & 4 == 0 => {}
            0..=CTRL_SD3 => self.ctrl[(offset / 8) as usize] = value & CTRL_BITS,
            INTR => self.interrupts.clear(0, value),
            PROC0_INTE..=LAST => {
                let place = offset - PROC0_INTE;
                let destination = (place / DESTINATION_BYTES) as usize;
                match place % DESTINATION_BYTES / 4 {
                    0 => self.interrupts.enable(destination, 0, value),
                    1 => self.interrupts.force(destination, 0, value),
                    _ => {}
                }
            }
            _ => io.unknown("IO_QSPI", "no such register", true),
        }
        self.update(io);
    }
}
