//! Peripherals whose clock PRR0 or PRR1 stops (datasheets, "Power Reduction Register"): what they do is frozen, and their registers can
//! be neither read nor written. With the clock they go on as before.
//!
//! Taken to be so: such a register reads 0, and interrupts that were pending stay so.
//!
//! Left out: edges of a byte or frame that is under way are where they would have been without the stop.

use std::collections::BTreeMap;

use super::unknown::Ignored;
use super::{Io, Slot};
use crate::chips::power::Module;
use crate::chips::registers::Register;

/// PRRn, and who is stopped.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Power {
    registers: [u8; 2],
    /// Since which cycle each stands still.
    stopped: BTreeMap<Module, u64>,
}

impl Power {
    pub(super) fn read(&self, number: u8) -> u8 {
        self.registers[usize::from(number)]
    }

    pub(super) fn stops(&self, module: Module) -> bool {
        self.stopped.contains_key(&module)
    }

    /// Whether what is due at a slot waits for its clock.
    pub(super) fn stops_slot(&self, slot: Slot) -> bool {
        match slot {
            _ if self.stopped.is_empty() => false,
            Slot::Adc => self.stops(Module::Adc),
            Slot::Spi => self.stops(Module::Spi),
            Slot::Twi => self.stops(Module::Twi),
            Slot::Timer(number) => self.stops(Module::Timer(number)),
            Slot::Usart(number) => self.stops(Module::Usart(number)),
            Slot::Eeprom | Slot::Watchdog | Slot::ProgramMemory | Slot::Lines | Slot::UsartWire(_) => false,
        }
    }

    fn stops_register(&self, register: Register) -> bool {
        match register {
            _ if self.stopped.is_empty() => false,
            Register::Adc(_) => self.stops(Module::Adc),
            Register::Spi(_) => self.stops(Module::Spi),
            Register::Twi(_) => self.stops(Module::Twi),
            Register::Timer(number, _) | Register::TimerFlags(number) | Register::TimerMask(number) => {
                self.stops(Module::Timer(number))
            }
            Register::Usart(number, _) => self.stops(Module::Usart(number)),
            _ => false,
        }
    }
}

impl Io {
    /// Whether a register is out of reach, which a run tells once.
    #[inline]
    pub(super) fn is_out_of_reach(&mut self, register: Register, address: u16, write: bool) -> bool {
        let stopped = self.devices.power.stops_register(register);
        if stopped {
            self.note(address, write, Ignored::Stopped);
        }
        stopped
    }

    /// Writes PRRn in a cycle.
    pub(super) fn write_power(&mut self, number: u8, value: u8, cycle: u64) {
        let modules = self.part.power[usize::from(number)];
        let place = &mut self.devices.power.registers[usize::from(number)];
        let before = std::mem::take(place);
        for (bit, module) in modules.into_iter().enumerate() {
            let Some(module) = module else { continue };
            let stops = value >> bit & 1 == 1;
            self.devices.power.registers[usize::from(number)] |= u8::from(stops) << bit;
            if stops != (before >> bit & 1 == 1) {
                self.switch_clock(module, stops, cycle + 1);
            }
        }
    }

    fn switch_clock(&mut self, module: Module, stops: bool, cycle: u64) {
        let power = &mut self.devices.power;
        let since = if stops { power.stopped.insert(module, cycle) } else { power.stopped.remove(&module) };
        let stood_still = cycle - since.unwrap_or(cycle);
        let devices = &mut self.devices;
        match module {
            Module::Adc => {
                devices.adc.stand_still(stood_still);
                self.refresh(Slot::Adc);
                self.trigger_may_have_changed(cycle);
            }
            Module::Spi => {
                devices.spi.stand_still(stood_still);
                self.refresh(Slot::Spi);
                // SS may be low by now.
                self.pins_may_have_changed(cycle);
            }
            Module::Twi => {
                devices.twi.stand_still(stood_still);
                self.refresh(Slot::Twi);
            }
            Module::Timer(number) => {
                devices.timers[usize::from(number)].switch_clock(stops, cycle);
                self.refresh(Slot::Timer(number));
                self.trigger_may_have_changed(cycle);
                self.show_timer(number, cycle);
            }
            Module::Usart(number) => {
                devices.usarts[usize::from(number)].switch_clock(stops, stood_still, cycle);
                self.refresh(Slot::Usart(number));
                self.receptions_changed(cycle);
            }
        }
    }
}
