//! An AVR as a debugger has it, by the addresses that GDB and ELFs use: flash at 0, the data space at 0x800000.

use mcu::{Debugger, MemoryError, Observer, SetupError, Sleep, Stop, Watchpoint};

use crate::chip::Avr;
use crate::peripherals::system;

impl Debugger for Avr {
    fn read_memory(&self, address: u32, length: usize) -> Result<Vec<u8>, MemoryError> {
        Avr::read_memory(self, address, length)
    }

    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        Avr::write_memory(self, address, bytes)
    }

    fn register(&self, _: usize, number: usize) -> u32 {
        Avr::register(self, number)
    }

    fn set_register(&mut self, _: usize, number: usize, value: u32) {
        Avr::set_register(self, number, value);
    }

    fn set_program_counter(&mut self, _: usize, address: u32) {
        Avr::set_program_counter(self, address);
    }

    fn flash_bytes(&self) -> u32 {
        self.part.flash_bytes
    }

    fn set_debugger(&mut self, attached: bool) {
        Avr::set_debugger(self, attached);
    }

    fn set_breakpoints(&mut self, addresses: Vec<u32>) {
        Avr::set_breakpoints(self, &addresses);
    }

    fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        Avr::set_watchpoints(self, watchpoints);
    }

    fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        Avr::observe(self, observer)
    }

    fn step(&mut self, _: usize) -> Stop {
        Avr::step(self)
    }

    fn leave_stop(&mut self, _: usize) {
        Avr::leave_stop(self);
    }

    fn hold_core(&mut self, _: usize) -> Sleep {
        self.hold()
    }

    fn release_core(&mut self, _: usize, _: Sleep) {
        self.release();
    }

    fn reset_now(&mut self) -> Result<(), SetupError> {
        self.reset(system::EXTERNAL);
        Ok(())
    }

    fn reset_to_flash(&mut self) -> Result<(), SetupError> {
        self.find_start();
        self.reset(system::EXTERNAL);
        Ok(())
    }
}
