//! The chip: core, memories and peripherals with their clock ([`Avr`]), how an image gets into it, and how it starts.

mod debug;
mod load;
mod run;
mod supply;

pub(crate) use debug::PC_NUMBER;

use mcu::{Edge, Fault, Observer, Outside, Setup, SetupError, Slept, StopAt, UnknownAccess};
use units::Picoseconds;

use crate::chips::Part;
use crate::core::{Core, Layout, Memories, Watch};
use crate::image::fuses;
use crate::io::{Ignored, Io};
use crate::peripherals::system::{self, SleepMode};

/// Where GDB and ELFs for AVR have the data space and the EEPROM (binutils, `elf/avr.h`; both are only a convention).
pub(crate) const DATA: u32 = 0x80_0000;
pub(crate) const EEPROM: u32 = 0x81_0000;

/// The button of every board: RESET is a pin of its own.
pub(crate) const RESET: &str = "RESET";

/// A chip with its crystal.
#[derive(Debug)]
pub(crate) struct Avr {
    pub(crate) part: &'static Part,
    pub(crate) state: State,
    pub(crate) io: Io,
    pub(crate) watch: Watch,
    observer: Option<Box<dyn Observer>>,
    has_debugger: bool,
    /// A debugger holds the core.
    is_held: bool,
    /// The last fault.
    pub(crate) fault: Option<Fault>,
    /// Sleeps, where they are kept.
    sleeps: Option<Vec<Slept>>,
    /// As the image states it.
    high_fuse: Option<u8>,
    /// Where the image has `__brkval`, and what lies below its heap.
    heap: Option<load::Heap>,
}

/// What a copy has beside the peripherals.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct State {
    pub(crate) core: Core,
    pub(crate) ram: Vec<u8>,
    pub(crate) now: Picoseconds,
    pub(crate) asleep: Option<Asleep>,
    /// The handlers that are active, as their vectors, the innermost last.
    pub(crate) handlers: Vec<u8>,
    /// How often each vector was taken.
    pub(crate) taken: Vec<u64>,
    pub(crate) idle_cycles: u64,
    /// Sleeps that have ended, by their modes.
    pub(crate) slept: [supply::Slumber; 4],
    pub(crate) resets: u32,
    /// RESET is held low.
    pub(crate) is_in_reset: bool,
    /// The word that a reset starts at.
    pub(crate) start: u32,
}

/// A core that sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Asleep {
    pub(crate) mode: SleepMode,
    pub(crate) since: u64,
}

impl Avr {
    pub(crate) fn new(part: &'static Part, setup: &Setup) -> Result<Self, SetupError> {
        if setup.rom.is_some() {
            let message = format!("the {} has no boot ROM; leave that of another chip away", part.title);
            return Err(SetupError(message));
        }
        let layout = Layout {
            ram_start: part.ram_start,
            long_pc: part.long_pc,
            has_rampz: part.flash_bytes > 64 << 10,
        };
        let state = State {
            core: Core::new(layout),
            ram: vec![0; part.ram_bytes.into()],
            now: Picoseconds::ZERO,
            asleep: None,
            handlers: Vec::new(),
            taken: vec![0; part.order.len() + 1],
            idle_cycles: 0,
            slept: Default::default(),
            resets: 0,
            is_in_reset: false,
            start: 0,
        };
        let mut avr = Self {
            part,
            state,
            io: Io::new(part, setup.crystal_hz),
            watch: Watch::default(),
            observer: None,
            has_debugger: false,
            is_held: false,
            fault: None,
            sleeps: None,
            high_fuse: None,
            heap: None,
        };
        avr.start_core();
        Ok(avr)
    }

    /// The core as a reset leaves it; registers and RAM keep what is in them.
    pub(crate) fn start_core(&mut self) {
        self.end_sleep();
        let State { core, handlers, start, .. } = &mut self.state;
        (core.pc, core.sreg, core.halt, core.holds_off) = (*start, 0, None, false);
        (core.rampz, core.eind) = (0, 0);
        core.sp = self.part.ram_end();
        handlers.clear();
    }

    /// Resets all of it, with the cause as a bit of MCUSR.
    pub(crate) fn reset(&mut self, cause: u8) {
        let cycle = self.state.core.cycle;
        self.io.reset(cycle, cause);
        self.start_core();
        self.state.resets += u32::from(cause == system::WATCHDOG);
    }

    pub(crate) fn hold_reset(&mut self, held: bool) {
        if held && !self.state.is_in_reset {
            self.reset(system::EXTERNAL);
        }
        self.state.is_in_reset = held;
    }

    /// The first word of the boot section: the one of the fuses, where the image states them. Else that of the smallest size which
    /// holds the start, or of the largest.
    pub(crate) fn boot_section(&self) -> u32 {
        if let Some(fuse) = self.high_fuse {
            return fuses::boot_section(self.part, fuse) / 2;
        }
        let flash = self.part.flash_bytes;
        let starts = self.part.boot_bytes.map(|bytes| (flash - bytes) / 2);
        starts.into_iter().find(|start| *start == self.state.start).unwrap_or(starts[3])
    }

    /// The word of a vector's handler.
    pub(crate) fn vector(&self, vector: u8) -> u32 {
        let in_boot_section = self.io.devices.system.vectors_are_in_boot_section();
        let base = if in_boot_section { self.boot_section() } else { 0 };
        base + u32::from(vector) * self.part.vector_words()
    }

    pub(crate) fn memories<'a>(code: &'a [crate::core::Instruction], ram: &'a mut [u8]) -> Memories<'a> {
        Memories { code, ram }
    }

    pub(crate) fn now(&self) -> Picoseconds {
        self.state.now
    }

    pub(crate) fn connect(&mut self, outside: Box<dyn Outside>) {
        self.io.outside = outside;
        self.io.outside_is_rescheduled(self.state.core.cycle);
    }

    /// After pins were driven or pulled from outside.
    pub(crate) fn pins_may_have_changed(&mut self) {
        self.io.pins_may_have_changed(self.state.core.cycle);
    }

    pub(crate) fn stop_at(&mut self, what: StopAt) {
        self.io.stops = what;
        (self.io.stopped_by_pin, self.io.stopped_by_console) = (false, false);
    }

    /// Types at a USART.
    pub(crate) fn type_at(&mut self, number: usize, bytes: &[u8]) {
        let cycle = self.state.core.cycle;
        if let Some(usart) = self.io.devices.usarts.get_mut(number) {
            usart.type_bytes(bytes, cycle);
            self.io.refresh(crate::io::Slot::Usart(number as u8));
        }
    }

    /// Whether a state is one of such a chip.
    pub(crate) fn fits(&self, state: &State, devices: &crate::io::Devices) -> bool {
        state.ram.len() == self.state.ram.len()
            && state.taken.len() == self.state.taken.len()
            && devices.program.bytes.len() == self.io.devices.program.bytes.len()
    }

    pub(crate) fn take_edges(&mut self) -> Vec<Edge> {
        let to = self.state.now;
        self.io.devices.pins.take_edges(to)
    }

    pub(crate) fn record_waits(&mut self, on: bool) {
        self.sleeps = on.then(Vec::new);
        self.io.full_uart = on.then(Vec::new);
        self.io.at_uart = on.then(Vec::new);
        self.io.at_clock = on.then(mcu::ClockWaits::default);
    }

    pub(crate) fn take_waits(&mut self) -> mcu::Waits {
        mcu::Waits {
            sleeps: self.sleeps.as_mut().map(std::mem::take).unwrap_or_default(),
            full_uart: self.io.full_uart.as_mut().map(std::mem::take).unwrap_or_default(),
            at_uart: self.io.at_uart.as_mut().map(std::mem::take).unwrap_or_default(),
            at_clock: self.io.at_clock.as_mut().map(mcu::ClockWaits::take).unwrap_or_default(),
        }
    }

    pub(crate) fn is_sending(&self) -> bool {
        self.io.devices.usarts.iter().any(|usart| usart.is_sending() && usart.has_clock())
    }

    pub(crate) fn unknown_accesses(&self) -> Vec<UnknownAccess> {
        let access = |(&(address, write), &(pc, why)): (&(u16, bool), &(u32, Ignored))| UnknownAccess {
            block: if address < self.part.ram_start { "I/O" } else { "RAM" },
            detail: why.detail(),
            address: DATA + u32::from(address),
            write,
            pc: pc << 1,
            core: 0,
            ignored: true,
        };
        self.io.devices.unknown.iter().map(access).collect()
    }

    /// A copy in the same state, with what stands around it.
    pub(crate) fn branch(&self) -> Option<Self> {
        let mut io = Io::new(self.part, 1);
        io.devices = self.io.devices.clone();
        io.outside = self.io.outside.snapshot()?;
        io.stops = self.io.stops;
        io.full_uart = self.io.full_uart.clone();
        (io.at_uart, io.accessed) = (self.io.at_uart.clone(), self.io.accessed);
        io.at_clock = self.io.at_clock.clone();
        io.outside_is_rescheduled(self.state.core.cycle);
        Some(Self {
            part: self.part,
            state: self.state.clone(),
            io,
            watch: self.watch.clone(),
            observer: None,
            has_debugger: false,
            is_held: false,
            fault: self.fault,
            sleeps: self.sleeps.clone(),
            high_fuse: self.high_fuse,
            heap: self.heap,
        })
    }

    /// Goes on in another state of the same chip.
    pub(crate) fn take(&mut self, state: State, devices: crate::io::Devices) {
        self.state = state;
        self.io.devices = devices;
        self.io.devices.program.decode_all();
        self.io.outside_is_rescheduled(self.state.core.cycle);
        self.fault = None;
    }

    pub(crate) fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        std::mem::replace(&mut self.observer, observer)
    }

    pub(crate) fn set_debugger(&mut self, attached: bool) {
        self.has_debugger = attached;
    }

    /// Whether the core stands before a jump to itself.
    pub(crate) fn hangs(&self) -> bool {
        let core = &self.state.core;
        let instruction = self.io.devices.program.code[core.pc as usize % self.io.devices.program.code.len()];
        matches!(instruction, crate::core::Instruction::Rjmp { k: -1 })
            || instruction == (crate::core::Instruction::Jmp { k: core.pc })
    }
}
