//! An AVR as a board has it: [`mcu::Mcu`] on top of what the chip offers. It only translates; nothing here runs for every
//! instruction.

mod debugger;
mod state;

use mcu::image::{Image, Symbols};
use mcu::{
    Console, CoreState, Counts, Edge, Facts, Fault, FaultReport, Lines, Mcu, Outgoing, Outside, Pins,
    Reports, SetupError, Stop, StopAt, UnknownAccess, UsbPort, Waits, Waker,
};
use units::Picoseconds;

use crate::chip::{Avr, RESET};
use crate::clock_hint;
use crate::facts::facts_of;
use crate::report;

/// The USART of a console.
fn usart(console: Console) -> Option<usize> {
    match console {
        Console::Uart0 => Some(0),
        Console::Uart1 => Some(1),
        Console::Usb | Console::Rtt => None,
    }
}

impl Lines for Avr {
    fn begin_line(&mut self, pin: u8) {
        self.io.begin_line(pin, false, self.state.core.cycle);
    }

    fn begin_wire(&mut self, pin: u8) {
        self.io.begin_line(pin, true, self.state.core.cycle);
    }

    fn end_line(&mut self, pin: u8) -> bool {
        self.io.end_line(pin, self.state.now)
    }

    fn take_lines(&mut self) -> Outgoing {
        self.io.take_lines()
    }

    fn line_known_to(&mut self, pin: u8, ran_to: Picoseconds) -> Picoseconds {
        self.io.line_known_to(pin, self.state.now.max(ran_to))
    }

    fn hear_line(&mut self, pin: u8, edges: &[Edge], known_to: Picoseconds) -> Result<(), Picoseconds> {
        self.io.hear_line(pin, edges, known_to, self.state.now)
    }

    fn received_character(&self, pin: u8) -> Option<Picoseconds> {
        self.io.received_character(pin)
    }
}

impl Mcu for Avr {
    fn facts(&self) -> &'static Facts {
        facts_of(self.part)
    }

    fn load(&mut self, image: &Image) -> Result<(), SetupError> {
        self.load_image(image)
    }

    fn run_until(&mut self, end: Picoseconds) -> Stop {
        Avr::run_until(self, end)
    }

    fn run_without_cores(&mut self, end: Picoseconds) -> Stop {
        self.run_without_core(end)
    }

    fn stop_at(&mut self, what: StopAt) {
        Avr::stop_at(self, what);
    }

    /// An AVR has no handler of faults that could go on.
    fn stop_at_faults(&mut self, _: bool) {}

    fn now(&self) -> Picoseconds {
        Avr::now(self)
    }

    fn next_moment(&self) -> Picoseconds {
        Avr::next_moment(self)
    }

    fn clock_hz(&self) -> u64 {
        self.io.devices.clock.hz()
    }

    fn cycles(&self) -> u64 {
        self.state.core.cycle
    }

    fn counts(&self) -> Counts {
        Counts {
            cycles: self.state.core.cycle,
            instructions: vec![self.state.core.instructions],
            idle_cycles: vec![self.state.idle_cycles],
            exceptions: vec![self.state.taken.iter().sum()],
            resets: self.state.resets,
            flash_wait_cycles: 0,
            states: self.supply_states(),
        }
    }

    fn memory_counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Line 0 is vector 1: vector 0 is the reset.
    fn interrupts(&self) -> Vec<(u8, u64)> {
        (0..).zip(self.state.taken[1..].iter().copied()).collect()
    }

    fn core(&self, _: usize) -> CoreState {
        CoreState {
            sleep: self.sleep(),
            pc: self.state.core.pc << 1,
            exception: self.state.handlers.last().copied().unwrap_or(0).into(),
            instructions: self.state.core.instructions,
        }
    }

    fn take_console(&mut self, console: Console) -> Vec<(Picoseconds, u8)> {
        let printed = usart(console).and_then(|usart| self.io.devices.printed.get_mut(usart));
        printed.map(std::mem::take).unwrap_or_default()
    }

    fn send_console(&mut self, console: Console, bytes: &[u8]) {
        if let Some(number) = usart(console) {
            self.type_at(number, bytes);
        }
    }

    fn is_sending(&self) -> bool {
        Avr::is_sending(self)
    }

    fn usb(&self) -> Option<&dyn UsbPort> {
        None
    }

    fn usb_mut(&mut self) -> Option<&mut dyn UsbPort> {
        None
    }

    fn hold_button(&mut self, name: &str, held: bool) {
        if name == RESET {
            self.hold_reset(held);
        }
    }

    fn record_waits(&mut self, on: bool) {
        Avr::record_waits(self, on);
    }

    fn take_waits(&mut self) -> Waits {
        Avr::take_waits(self)
    }

    fn waker(&self, exception: u8) -> Waker {
        Avr::waker(self, exception)
    }

    fn unknown_accesses(&self) -> Vec<UnknownAccess> {
        Avr::unknown_accesses(self)
    }
}

impl Pins for Avr {
    fn connect(&mut self, outside: Box<dyn Outside>) {
        Avr::connect(self, outside);
    }

    fn outside(&mut self) -> &mut dyn Outside {
        &mut *self.io.outside
    }

    fn levels(&self) -> u32 {
        self.io.devices.pins.levels()
    }

    fn driven(&self) -> u32 {
        self.io.devices.pins.driven()
    }

    fn drive_pin(&mut self, pin: u8, level: Option<bool>) {
        self.io.devices.pins.drive_outside(pin, level);
        self.pins_may_have_changed();
    }

    fn pull_pin(&mut self, pin: u8, level: bool) {
        self.io.devices.pins.pull(pin, level);
        self.pins_may_have_changed();
    }

    fn wire_pins(&mut self, pin: u8, other: u8) {
        self.io.devices.pins.wire(pin, other);
        self.pins_may_have_changed();
    }

    fn record_pins(&mut self, mask: u32) {
        self.io.devices.pins.record(mask);
    }

    fn take_edges(&mut self) -> Vec<Edge> {
        Avr::take_edges(self)
    }
}

impl Reports for Avr {
    fn fault(&self) -> Option<Fault> {
        self.fault
    }

    fn fault_report(&self, symbols: &Symbols, fault: Fault) -> FaultReport {
        report::fault_report(self, symbols, fault)
    }

    fn describe_stop(&self, symbols: &Symbols, stop: Stop) -> String {
        report::describe_stop(self, symbols, stop)
    }

    fn describe_cores(&self, symbols: &Symbols) -> String {
        report::describe_core(self, symbols)
    }

    fn wakes_from_outside(&self) -> Vec<String> {
        report::wakes_from_outside(self)
    }

    fn notes(&self) -> Vec<String> {
        clock_hint::notes(self)
    }

    fn describe_hang(&self, symbols: &Symbols) -> Option<String> {
        report::describe_hang(self, symbols)
    }

    fn end_status(&self, _: Fault) -> Option<u32> {
        None
    }
}
