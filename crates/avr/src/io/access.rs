//! What the core reads and writes: each register to its peripheral.

use super::unknown::Ignored;
use super::{Devices, Io, SLOTS, Slot};
use crate::chips::power::Module;
use crate::chips::registers::Register;
use crate::core::Bus;
use crate::peripherals::system::SleepMode;
use crate::pins::bit;

/// The register that stands for SPM where that is ignored.
const SPMCSR: u16 = 0x57;
/// EXCLK and AS2 of ASSR: timer 2 counts a crystal or a clock of its own.
const ASYNCHRONOUS: u8 = 1 << 6 | 1 << 5;

impl Io {
    /// The register at an address, where the chip has it.
    #[inline]
    fn register(&self, address: u16) -> Option<Register> {
        self.registers.get(usize::from(address))?.map(|(register, _)| register)
    }

    /// Keeps what the core waits for, where somebody wants to know: the register that it reads, or nothing where it writes. A timer's
    /// count and flags are what a clock is made of.
    fn note_access(&mut self, register: Option<Register>, cycle: u64) {
        let Some(waits) = &mut self.at_clock else { return };
        let clock = &self.devices.clock;
        self.accessed = clock.time(cycle);
        match register {
            Some(Register::Timer(..) | Register::TimerFlags(_)) => waits.look(self.accessed, clock.hz()),
            _ => waits.act(),
        }
    }

    /// Reads a register in a cycle.
    pub(crate) fn read_register(&mut self, address: u16, cycle: u64) -> u8 {
        let Some(register) = self.register(address) else {
            self.note_unknown(address, false);
            return 0;
        };
        if self.is_out_of_reach(register, address, false) {
            return 0;
        }
        self.note_access(Some(register), cycle);
        let devices = &mut self.devices;
        match register {
            Register::Port(port, which) => devices.pins.read(self.part, port, which, cycle),
            Register::TimerFlags(number) => devices.timers[usize::from(number)].flags(cycle),
            Register::TimerMask(number) => devices.timers[usize::from(number)].enabled(),
            Register::Timer(number, register) => devices.timers[usize::from(number)].read(register, cycle),
            Register::Pcifr => devices.external.change_flags,
            Register::Eifr => devices.external.flags,
            Register::Eimsk => devices.external.enabled,
            Register::Pcicr => devices.external.change_enabled,
            Register::Eicr(number) => devices.external.control[usize::from(number)],
            Register::Pcmsk(number) => devices.external.masks[usize::from(number)],
            Register::Eeprom(register) => devices.eeprom.read(register, cycle),
            Register::Spi(register) => {
                let value = devices.spi.read(register);
                self.refresh(Slot::Spi);
                value
            }
            Register::Usart(number, register) => self.read_usart(number, register, cycle),
            Register::Adc(register) => devices.adc.read(register),
            Register::Twi(register) => devices.twi.read(register),
            Register::Wdtcsr => devices.watchdog.read(cycle),
            Register::Spmcsr => devices.program.read_control(cycle),
            Register::Smcr => devices.system.read_sleep(),
            Register::Mcusr => devices.system.reset_flags,
            Register::Mcucr => devices.system.read_control(),
            Register::Clkpr => devices.system.read_prescaler(),
            Register::Prr(number) => devices.power.read(number),
            Register::Plain => devices.system.read_plain(address),
            Register::Gtccr | Register::Assr => 0,
        }
    }

    fn read_usart(&mut self, number: u8, register: u8, cycle: u64) -> u8 {
        let usart = &mut self.devices.usarts[usize::from(number)];
        let value = usart.read(register);
        match register {
            0 if usart.is_full() => {
                let at = self.time(cycle);
                self.full_uart.iter_mut().for_each(|full| full.push(at));
            }
            6 => self.refresh(Slot::Usart(number)),
            _ => {}
        }
        value
    }

    /// Writes a register in a cycle; the effect is there from the next one on.
    pub(crate) fn write_register(&mut self, address: u16, value: u8, cycle: u64) {
        let Some(Some((register, bits))) = self.registers.get(usize::from(address)).copied() else {
            return self.note_unknown(address, true);
        };
        let value = value & bits;
        if self.is_out_of_reach(register, address, true) {
            return;
        }
        self.note_access(None, cycle);
        let devices = &mut self.devices;
        match register {
            Register::Port(port, which) => {
                devices.pins.write(self.part, port, which, value);
                self.pins_may_have_changed(cycle + 1);
            }
            Register::TimerFlags(number) => {
                devices.timers[usize::from(number)].clear_flags(value, cycle);
                self.refresh(Slot::Timer(number));
                self.trigger_may_have_changed(cycle + 1);
            }
            Register::TimerMask(number) => {
                devices.timers[usize::from(number)].enable(value, cycle);
                self.refresh(Slot::Timer(number));
            }
            Register::Timer(number, register) => {
                devices.timers[usize::from(number)].write(register, value, cycle);
                self.refresh(Slot::Timer(number));
                self.trigger_may_have_changed(cycle + 1);
                self.show_timer(number, cycle + 1);
            }
            Register::Spi(register) => self.write_spi(register, value, cycle),
            Register::Usart(number, register) => self.write_usart(number, register, value, cycle),
            Register::Eeprom(register) => {
                let clock = devices.clock;
                devices.stall += devices.eeprom.write(register, value, cycle, |us| clock.cycles_of(us));
                self.refresh(Slot::Eeprom);
            }
            Register::Adc(register) => {
                devices.adc.write(register, value, cycle);
                self.refresh(Slot::Adc);
                self.select_trigger(cycle + 1);
            }
            Register::Twi(register) => {
                devices.twi.write(register, value, cycle);
                self.refresh(Slot::Twi);
            }
            other => self.write_system(other, address, value, cycle),
        }
    }

    fn write_system(&mut self, register: Register, address: u16, value: u8, cycle: u64) {
        let devices = &mut self.devices;
        match register {
            Register::Pcifr => devices.external.change_flags &= !value,
            Register::Eifr => {
                devices.external.flags &= !value;
                self.trigger_may_have_changed(cycle + 1);
            }
            Register::Eimsk => devices.external.enabled = value,
            Register::Pcicr => devices.external.change_enabled = value,
            Register::Eicr(number) => devices.external.control[usize::from(number)] = value,
            Register::Pcmsk(number) => devices.external.masks[usize::from(number)] = value,
            Register::Wdtcsr => {
                let (hz, kept) = (
                    devices.clock.hz(),
                    devices.system.reset_flags & crate::peripherals::system::WATCHDOG != 0,
                );
                devices.watchdog.write(value, cycle, hz, kept);
                return self.refresh(Slot::Watchdog);
            }
            Register::Spmcsr => {
                devices.program.write_control(value, cycle);
                return self.refresh(Slot::ProgramMemory);
            }
            Register::Smcr => devices.system.write_sleep(value),
            // A flag goes when zero is written to it.
            Register::Mcusr => devices.system.reset_flags &= value,
            Register::Mcucr => {
                devices.system.write_control(value, cycle);
                let off = devices.system.pull_ups_are_off();
                devices.pins.switch_pull_ups_off(off);
                return self.pins_may_have_changed(cycle + 1);
            }
            Register::Clkpr => {
                if let Some(division) = devices.system.write_prescaler(value, cycle) {
                    devices.clock.divide(cycle + 1, division);
                    self.outside_is_rescheduled(cycle + 1);
                    self.receptions_changed(cycle + 1);
                }
                return;
            }
            Register::Prr(number) => return self.write_power(number, value, cycle),
            Register::Gtccr => return self.reset_prescalers(value, cycle),
            // Timer 2 goes on with the core's clock: a run tells so.
            Register::Assr if value & ASYNCHRONOUS != 0 => return self.note_unknown(address, true),
            Register::Plain => {
                devices.pins.switch_inputs_off(self.part, address, value);
                devices.system.write_plain(address, value);
            }
            _ => return,
        }
        self.refresh_external();
    }

    /// GTCCR: PSRASY is timer 2's, PSRSYNC the others'.
    fn reset_prescalers(&mut self, value: u8, cycle: u64) {
        for number in 0..self.devices.timers.len() as u8 {
            let flag = if number == 2 { 1 << 1 } else { 1 };
            if value & flag != 0 {
                self.devices.timers[usize::from(number)].reset_prescaler(cycle + 1);
                self.refresh(Slot::Timer(number));
            }
        }
        self.trigger_may_have_changed(cycle + 1);
    }

    fn write_spi(&mut self, register: u8, value: u8, cycle: u64) {
        let begun = self.devices.spi.write(register, value, cycle);
        if register == 0 {
            // Before its pins are its own, so that they do not move where the bus is lost at once.
            if !self.spi_may_lose_its_bus() {
                self.give_spi_its_pins();
            }
            self.pins_may_have_changed(cycle + 1);
        }
        if let Some(byte) = begun {
            self.show_spi(byte);
        }
        self.refresh(Slot::Spi);
    }

    /// As controller MISO is an input, SCK and MOSI are the SPI's where they are outputs. As device SCK, MOSI and SS are inputs ("SPI
    /// Pin Overrides").
    pub(super) fn give_spi_its_pins(&mut self) {
        let [sck, mosi, miso, select] = self.part.spi.map(bit);
        let Devices { spi, pins, .. } = &mut self.devices;
        let is_controller = spi.is_controller();
        let is_device = spi.is_enabled() && !is_controller;
        let rest = if spi.mode() & 2 != 0 { sck } else { 0 };
        pins.give(sck | mosi, is_controller.then_some(rest));
        pins.make(miso, is_controller.then_some(false));
        pins.make(sck | mosi | select, is_device.then_some(false));
    }

    /// TXD is the USART's while it transmits: high at rest, and in a frame its bits say.
    pub(super) fn give_usart_its_txd(&mut self, number: u8) {
        let place = usize::from(number);
        let txd = bit(self.part.usarts[place][1]);
        let Devices { usarts, usart_wires, pins, .. } = &mut self.devices;
        let is_its_own = usarts[place].holds_txd();
        if !usart_wires[place].is_sending() {
            pins.give(txd, is_its_own.then_some(txd));
        }
        pins.make(txd, is_its_own.then_some(true));
    }

    fn write_usart(&mut self, number: u8, register: u8, value: u8, cycle: u64) {
        let usart = &mut self.devices.usarts[usize::from(number)];
        let begun = usart.write(register, value, cycle);
        if register == 1 {
            let receives = usart.receives();
            let rxd = bit(self.part.usarts[usize::from(number)][0]);
            self.devices.pins.make(rxd, receives.then_some(false));
            self.give_usart_its_txd(number);
            self.pins_may_have_changed(cycle + 1);
        }
        if let Some(frame) = begun {
            self.show_frame(number, frame);
        } else if register != 6 {
            self.receptions_changed(cycle + 1);
        }
        self.refresh(Slot::Usart(number));
    }

    /// Whether the core has to look up before its next instruction.
    fn wants_a_look(&self, before: u64) -> bool {
        let devices = &self.devices;
        devices.pending & !before != 0
            || self.next() < self.limit
            || devices.stall > 0
            || devices.resets
            || self.stopped_by_pin
            || self.stopped_by_console
    }

    /// A register without the effects that reading it has.
    pub(crate) fn peek(&self, address: u16, cycle: u64) -> u8 {
        let mut copy = Self {
            part: self.part,
            devices: self.devices.clone(),
            outside: Box::new(mcu::Unconnected),
            lines: crate::lines::Lines::default(),
            outside_due: crate::peripherals::NEVER,
            reactions: Vec::new(),
            full_uart: None,
            at_uart: None,
            at_clock: None,
            registers: self.registers.clone(),
            ..*self
        };
        copy.read_register(address, cycle)
    }

    /// The core falls asleep.
    pub(crate) fn fall_asleep(&mut self, mode: SleepMode, cycle: u64) {
        if !mode.stops_adc() && !self.devices.power.stops(Module::Adc) {
            self.devices.adc.fall_asleep(cycle);
            self.refresh(Slot::Adc);
        }
    }

    /// Time in which the clocks that a sleep stops stood still.
    pub(crate) fn stand_still(&mut self, mode: SleepMode, cycles: u64) {
        if mode.stops_peripherals() {
            self.devices.timers.iter_mut().for_each(|timer| timer.stand_still(cycles));
        }
        if mode.stops_adc() && !self.devices.power.stops(Module::Adc) {
            self.devices.adc.stand_still(cycles);
        }
        SLOTS.into_iter().for_each(|slot| self.refresh(slot));
    }
}

impl Bus for Io {
    #[inline]
    fn accessed_from(&mut self, pc: u32) {
        self.pc = pc;
    }

    fn read(&mut self, address: u16, cycle: u64) -> u8 {
        self.advance(cycle);
        self.read_register(address, cycle)
    }

    fn write(&mut self, address: u16, value: u8, cycle: u64) -> bool {
        self.advance(cycle);
        let before = self.devices.pending;
        self.write_register(address, value, cycle);
        self.wants_a_look(before)
    }

    fn write_bit(&mut self, address: u16, bit: u8, set: bool, cycle: u64) -> bool {
        self.advance(cycle);
        let before = self.devices.pending;
        let value = match self.register(address) {
            // Writing one toggles, or clears a flag: the other bits are left alone.
            Some(Register::Port(_, 0) | Register::TimerFlags(_) | Register::Pcifr | Register::Eifr) => {
                u8::from(set) << bit
            }
            _ => self.read_register(address, cycle) & !(1 << bit) | u8::from(set) << bit,
        };
        self.write_register(address, value, cycle);
        self.wants_a_look(before)
    }

    fn outside_ram(&mut self, address: u16) {
        self.note_unknown(address, false);
    }

    fn program(&mut self, address: u32, cycle: u64) -> u8 {
        self.devices.program.load(self.part, address, cycle)
    }

    fn store_program(&mut self, address: u32, word: u16, cycle: u64) -> bool {
        // SPM is disabled outside of the boot loader section (ATmega328P datasheet, "Boot Loader Support").
        if self.pc << 1 < self.devices.program.boot_section {
            self.note(SPMCSR, true, Ignored::OutsideBootSection);
            return false;
        }
        let clock = self.devices.clock;
        self.devices.program.store(self.part, (address, word), cycle, |us| clock.cycles_of(us));
        self.refresh(Slot::ProgramMemory);
        true
    }

    fn restart_watchdog(&mut self, cycle: u64) {
        let hz = self.devices.clock.hz();
        self.devices.watchdog.restart(cycle, hz);
        self.refresh(Slot::Watchdog);
    }
}
