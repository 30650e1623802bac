//! The RP2040 as a board has it: [`mcu::Mcu`] on top of what the chip offers, and its line in a table of microcontrollers. It
//! only translates; nothing here runs for every instruction.

mod debugger;
mod reports;
mod state;
mod usb;

pub(crate) use debugger::GDB;

use mcu::image::Image;
use mcu::{
    Console, CoreState, Counts, Edge, Facts, Lines, Mcu, McuKind, Outgoing, Outside, Pins, Samples,
    SetupError, Stop, StopAt, UnknownAccess, UsbPort, Waits, Waker,
};
use units::Picoseconds;

use crate::chip::{BusCounts, Rp2040, Setup};
use crate::facts::{BOOTSEL, FACTS};

/// The exception number of interrupt line 0, and how many lines the NVIC has.
const FIRST_INTERRUPT: usize = 16;
const INTERRUPT_LINES: u8 = 32;
/// The number of the exception in XPSR.
const EXCEPTION_MASK: u32 = 0x3f;

/// The RP2040 in a table of microcontrollers.
pub static KIND: McuKind = McuKind { facts: &FACTS, build };

fn build(setup: &mcu::Setup) -> Result<Box<dyn Mcu>, SetupError> {
    let mcu::Setup { crystal_hz, flash_bytes, rom, usb_connected, seed } = setup.clone();
    let setup = Setup { crystal_hz, flash_bytes, rom, usb_connected, seed, ..Setup::default() };
    Ok(Box::new(Rp2040::new(&setup)?))
}

impl From<crate::chip::SetupError> for SetupError {
    fn from(error: crate::chip::SetupError) -> Self {
        Self(error.to_string())
    }
}

impl Mcu for Rp2040 {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn load(&mut self, image: &Image) -> Result<(), SetupError> {
        Ok(Rp2040::load(self, image)?)
    }

    fn run_until(&mut self, end: Picoseconds) -> Stop {
        Rp2040::run_until(self, end)
    }

    fn run_sampled(&mut self, end: Picoseconds, samples: &mut dyn Samples) -> Stop {
        Rp2040::run_sampled(self, end, samples)
    }

    fn run_without_cores(&mut self, end: Picoseconds) -> Stop {
        Rp2040::run_without_cores(self, end)
    }

    fn stop_at(&mut self, what: StopAt) {
        Rp2040::stop_at(self, what);
    }

    fn stop_at_faults(&mut self, stop: bool) {
        Rp2040::stop_at_faults(self, stop);
    }

    fn now(&self) -> Picoseconds {
        Rp2040::now(self)
    }

    fn next_moment(&self) -> Picoseconds {
        Rp2040::next_moment(self)
    }

    fn clock_hz(&self) -> u64 {
        self.sys_hz()
    }

    /// SPI blocks divide clk_peri (RP2040 datasheet 4.4), and where none is on, SPI is made of PIO, which divides clk_sys (3.5.5).
    fn fastest_sck_hz(&self) -> u64 {
        self.spi_input_hz().unwrap_or(self.sys_hz()) / FACTS.least_spi_divider
    }

    fn cycles(&self) -> u64 {
        Rp2040::cycles(self)
    }

    fn counts(&self) -> Counts {
        let counts = Rp2040::counts(self);
        Counts {
            cycles: counts.cycles,
            instructions: counts.instructions.into(),
            idle_cycles: counts.idle_cycles.into(),
            exceptions: counts.exceptions.into(),
            resets: counts.resets,
            flash_wait_cycles: self.bus_counts().xip_stall_cycles,
            states: self.supply_states(),
        }
    }

    fn memory_counts(&self) -> Vec<(&'static str, u64)> {
        let BusCounts { xip_accesses, xip_misses, dma_transfers, bank_wait_cycles, .. } = self.bus_counts();
        vec![
            ("xip_accesses", xip_accesses),
            ("xip_misses", xip_misses),
            ("dma_transfers", dma_transfers),
            ("bank_wait_cycles", bank_wait_cycles),
        ]
    }

    fn interrupts(&self) -> Vec<(u8, u64)> {
        let taken = |line: u8| {
            let exception = FIRST_INTERRUPT + usize::from(line);
            [0, 1].map(|core| Rp2040::core(self, core).exceptions_of(exception)).iter().sum()
        };
        (0..INTERRUPT_LINES).map(|line| (line, taken(line))).collect()
    }

    fn core(&self, core: usize) -> CoreState {
        let core = Rp2040::core(self, core);
        CoreState {
            sleep: core.sleep(),
            pc: core.registers()[cortexm::PC],
            exception: core.xpsr() & EXCEPTION_MASK,
            instructions: core.instructions(),
        }
    }

    fn take_console(&mut self, console: Console) -> Vec<(Picoseconds, u8)> {
        Rp2040::take_console(self, console)
    }

    fn send_console(&mut self, console: Console, bytes: &[u8]) {
        Rp2040::send_console(self, console, bytes);
    }

    fn is_sending(&self) -> bool {
        Rp2040::is_sending(self)
    }

    fn usb(&self) -> Option<&dyn UsbPort> {
        Some(self)
    }

    fn usb_mut(&mut self) -> Option<&mut dyn UsbPort> {
        Some(self)
    }

    fn hold_button(&mut self, name: &str, held: bool) {
        if name == BOOTSEL {
            self.hold_bootsel(held);
        }
    }

    fn record_waits(&mut self, on: bool) {
        Rp2040::record_waits(self, on);
    }

    fn take_waits(&mut self) -> Waits {
        Rp2040::take_waits(self)
    }

    fn waker(&self, exception: u8) -> Waker {
        crate::facts::waker(exception)
    }

    fn unknown_accesses(&self) -> Vec<UnknownAccess> {
        Rp2040::unknown_accesses(self)
    }
}

impl Pins for Rp2040 {
    fn connect(&mut self, outside: Box<dyn Outside>) {
        Rp2040::connect(self, outside);
    }

    fn outside(&mut self) -> &mut dyn Outside {
        Rp2040::outside(self)
    }

    fn levels(&self) -> u32 {
        self.pins().levels()
    }

    fn driven(&self) -> u32 {
        self.pins().driven()
    }

    fn drive_pin(&mut self, pin: u8, level: Option<bool>) {
        Rp2040::drive_pin(self, pin, level);
    }

    fn pull_pin(&mut self, pin: u8, level: bool) {
        Rp2040::pull_pin(self, pin, level);
    }

    fn give_clock(&mut self, pin: u8, rise: Picoseconds, hz: u64) {
        Rp2040::give_clock(self, pin, rise, hz);
    }

    fn wire_pins(&mut self, pin: u8, other: u8) {
        Rp2040::wire_pins(self, pin, other);
    }

    fn record_pins(&mut self, mask: u32) {
        Rp2040::record_pins(self, mask);
    }

    fn take_edges(&mut self) -> Vec<Edge> {
        Rp2040::take_edges(self)
    }
}

impl Lines for Rp2040 {
    fn begin_line(&mut self, pin: u8) {
        Rp2040::begin_line(self, pin);
    }

    fn begin_wire(&mut self, pin: u8) {
        Rp2040::begin_wire(self, pin);
    }

    fn end_line(&mut self, pin: u8) -> bool {
        Rp2040::end_line(self, pin)
    }

    fn take_lines(&mut self) -> Outgoing {
        Rp2040::take_lines(self)
    }

    fn line_known_to(&mut self, pin: u8, ran_to: Picoseconds) -> Picoseconds {
        Rp2040::line_known_to(self, pin, ran_to)
    }

    fn hear_line(&mut self, pin: u8, edges: &[Edge], known_to: Picoseconds) -> Result<(), Picoseconds> {
        Rp2040::hear_line(self, pin, edges, known_to)
    }

    fn received_character(&self, pin: u8) -> Option<Picoseconds> {
        Rp2040::received_character(self, pin)
    }

    fn unheard_characters(&self, pin: u8) -> u64 {
        Rp2040::unheard_characters(self, pin)
    }
}
