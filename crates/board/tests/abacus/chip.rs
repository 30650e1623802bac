//! A microcontroller that exists in these tests alone: one core that moves a bead at a time. Its image is the time between two
//! beads in microseconds, four bytes at the start of its flash. It toggles GPIO 1, prints a line on its UART, and rests while
//! GPIO 2 is low.

use std::any::Any;

use mcu::image::{Boot, ChipImages, ElfHead, Image, Memory, MemoryKind, RawBinary, Segment, Symbols};
use mcu::{
    CodeMemory, Console, CoreState, Counts, Debugger, Edge, Facts, Fault, FaultReport, GdbFacts, Lines, Mcu,
    McuKind, MemoryError, Observer, Outside, Pins, Reaction, Register, RegisterRole, Reports, Setup,
    SetupError, Sleep, State, Step, Stop, StopAt, UnknownAccess, UsbPort, Waits, Waker, Watchpoint,
};
use units::{PS_PER_US, Picoseconds};

pub(crate) const LED: u8 = 1;
pub(crate) const REST: u8 = 2;
/// It has one instruction, which is always next.
pub(crate) const PC: u32 = 0x0a0b_0c0d;
const CLOCK_HZ: u64 = 1_000_000;
const FLASH_BYTES: u32 = 16;

static MEMORIES: [Memory; 1] =
    [Memory { name: "rods", kind: MemoryKind::Flash, start: 0, bytes: FLASH_BYTES, takes_uf2: false }];

static FACTS: Facts = Facts {
    name: "abacus",
    title: "Abacus",
    cores: 1,
    gpio_count: 8,
    pin_name: |gpio| format!("GP{gpio}"),
    adc_gpios: 7..=7,
    crystal_hz: 1_000_000..=2_000_000,
    usual_crystal_hz: CLOCK_HZ,
    flash_bytes: FLASH_BYTES as u64..=FLASH_BYTES as u64,
    usual_flash_bytes: FLASH_BYTES,
    rom_bytes: 0,
    buttons: &[],
    interrupts: &["BEAD"],
    spi_ports: 0,
    spi_receives: |_| None,
    spi_transmits: |_| None,
    spi_clocks: |_| None,
    joins_boards: false,
    clock_name: "clk",
    least_spi_divider: 2,
    dma_channels: 0,
    uart_transmits: |_| None,
    uart_receives: |_| None,
    i2c_ports: 0,
    i2c_data: |_| None,
    clock_outputs: &[],
    clock_inputs: &[],
    has_usb: false,
    has_board_window: false,
    exception: |number| format!("exception {number}"),
    code_memory: |_| CodeMemory { name: "rods", is_one: true },
    gdb: GdbFacts {
        description: "<target><architecture>abacus</architecture></target>",
        registers: &[
            Register { name: "beads", bytes: 2, role: RegisterRole::General },
            Register { name: "pc", bytes: 4, role: RegisterRole::Status },
        ],
        pc: 1,
        regions: &[],
        flash_start: 0,
        sector_bytes: FLASH_BYTES,
    },
    images: &Images,
};

pub(crate) static KIND: McuKind = McuKind { facts: &FACTS, build: |setup| Ok(Box::new(Abacus::new(setup))) };

#[derive(Debug)]
pub(crate) struct Images;

impl ChipImages for Images {
    fn chip(&self) -> &'static str {
        FACTS.title
    }

    fn memories(&self) -> &'static [Memory] {
        &MEMORIES
    }

    fn check_machine(&self, _: &ElfHead) -> Result<(), String> {
        Err("an abacus runs no ELF".to_owned())
    }

    fn place_raw_binary(&self, bytes: &[u8], _: RawBinary) -> Result<(u32, Option<u32>), String> {
        if bytes.len() == 4 { Ok((0, None)) } else { Err("an abacus takes four bytes".to_owned()) }
    }

    fn boot(&self, _: &[Segment], _: Option<u32>) -> Result<Boot, String> {
        Ok(Boot::Flash)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Rods {
    now: Picoseconds,
    /// Between two beads; none without an image.
    period: Option<Picoseconds>,
    next: Picoseconds,
    beads: u32,
    led: bool,
}

#[derive(Debug)]
pub(crate) struct Abacus {
    rods: Rods,
    outside: Box<dyn Outside>,
    /// What the outside drives, and the levels of that.
    driven: (u32, u32),
    pulled_up: u32,
    recorded: u32,
    edges: Vec<Edge>,
    printed: Vec<(Picoseconds, u8)>,
    stop_at: StopAt,
    observer: Option<Box<dyn Observer>>,
}

impl Abacus {
    fn new(_: &Setup) -> Self {
        Self {
            rods: Rods::default(),
            outside: Box::new(mcu::Unconnected),
            driven: (0, 0),
            pulled_up: 0,
            recorded: 0,
            edges: Vec::new(),
            printed: Vec::new(),
            stop_at: StopAt::default(),
            observer: None,
        }
    }

    fn react(&mut self, reactions: Vec<Reaction>) {
        for reaction in reactions {
            if let Reaction::Pin { pin, level } = reaction {
                self.drive_pin(pin, level);
            }
        }
    }

    /// Moves a bead, unless it rests.
    fn move_bead(&mut self) -> Option<Stop> {
        self.rods.next = self.rods.next + self.rods.period.unwrap_or(Picoseconds::ZERO);
        if self.levels() >> REST & 1 == 0 {
            return None;
        }
        let at = self.rods.now;
        if let Some(observer) = &mut self.observer {
            let cycle = self.rods.beads.into();
            observer.instruction(Step {
                core: 0,
                pc: PC,
                cycle,
                at,
                idle_cycles: 0,
                sp: 0,
                lr: 0,
                exception: 0,
            });
        }
        self.rods.beads += 1;
        self.rods.led = !self.rods.led;
        let changed = 1 << LED;
        if self.recorded & changed != 0 {
            self.edges.push(Edge { at, pin: LED, level: self.rods.led });
        }
        self.printed.extend(format!("bead {}\n", self.rods.beads).bytes().map(|byte| (at, byte)));
        let mut reactions = Vec::new();
        let levels = self.levels();
        self.outside.pins_changed(at, changed, levels, &mut reactions);
        self.react(reactions);
        if self.stop_at.pins & changed != 0 {
            return Some(Stop::Pin);
        }
        self.stop_at.console.then_some(Stop::Console)
    }

    /// When the next bead is due, or the outside does something.
    fn next(&self) -> Option<Picoseconds> {
        self.rods.period.map(|_| self.rods.next).into_iter().chain(self.outside.next_event()).min()
    }
}

impl Lines for Abacus {}

impl Mcu for Abacus {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn load(&mut self, image: &Image) -> Result<(), SetupError> {
        let bytes = image.read(0, 4).and_then(|bytes| bytes.try_into().ok());
        let us = bytes.map(u32::from_le_bytes).filter(|us| *us > 0);
        let us = us.ok_or_else(|| SetupError("an abacus cannot move a bead in no time".to_owned()))?;
        let period = Picoseconds::new(i64::from(us) * PS_PER_US);
        (self.rods.period, self.rods.next) = (Some(period), self.rods.now + period);
        Ok(())
    }

    fn run_until(&mut self, end: Picoseconds) -> Stop {
        loop {
            let Some(next) = self.next() else { return Stop::Asleep };
            self.rods.now = next.min(end).max(self.rods.now);
            if next > end {
                return Stop::Time;
            }
            let mut reactions = Vec::new();
            self.outside.advance(self.rods.now, &mut reactions);
            self.react(reactions);
            if self.rods.period.is_some()
                && self.rods.next == next
                && let Some(stop) = self.move_bead()
            {
                return stop;
            }
        }
    }

    fn run_without_cores(&mut self, end: Picoseconds) -> Stop {
        self.rods.now = end;
        Stop::Time
    }

    fn stop_at(&mut self, what: StopAt) {
        self.stop_at = what;
    }

    fn stop_at_faults(&mut self, _: bool) {}

    fn now(&self) -> Picoseconds {
        self.rods.now
    }

    fn next_moment(&self) -> Picoseconds {
        self.next().unwrap_or(Picoseconds::new(i64::MAX))
    }

    fn clock_hz(&self) -> u64 {
        CLOCK_HZ
    }

    fn cycles(&self) -> u64 {
        (self.rods.now.ps() / PS_PER_US) as u64
    }

    fn counts(&self) -> Counts {
        let beads = u64::from(self.rods.beads);
        Counts {
            cycles: Mcu::cycles(self),
            instructions: vec![beads],
            idle_cycles: vec![0],
            exceptions: vec![0],
            resets: 0,
            flash_wait_cycles: 0,
            states: Vec::new(),
        }
    }

    fn memory_counts(&self) -> Vec<(&'static str, u64)> {
        vec![("beads", self.rods.beads.into())]
    }

    fn interrupts(&self) -> Vec<(u8, u64)> {
        vec![(0, self.rods.beads.into())]
    }

    fn core(&self, _: usize) -> CoreState {
        CoreState { sleep: Sleep::Awake, pc: PC, exception: 0, instructions: self.rods.beads.into() }
    }

    fn take_console(&mut self, console: Console) -> Vec<(Picoseconds, u8)> {
        if console == Console::Uart0 { std::mem::take(&mut self.printed) } else { Vec::new() }
    }

    fn send_console(&mut self, _: Console, _: &[u8]) {}

    fn is_sending(&self) -> bool {
        false
    }

    fn usb(&self) -> Option<&dyn UsbPort> {
        None
    }

    fn usb_mut(&mut self) -> Option<&mut dyn UsbPort> {
        None
    }

    fn hold_button(&mut self, _: &str, _: bool) {}

    fn record_waits(&mut self, _: bool) {}

    fn take_waits(&mut self) -> Waits {
        Waits::default()
    }

    fn waker(&self, _: u8) -> Waker {
        Waker::Other(None)
    }

    fn unknown_accesses(&self) -> Vec<UnknownAccess> {
        Vec::new()
    }
}

impl Pins for Abacus {
    fn connect(&mut self, outside: Box<dyn Outside>) {
        self.outside = outside;
    }

    fn outside(&mut self) -> &mut dyn Outside {
        &mut *self.outside
    }

    fn levels(&self) -> u32 {
        let (driven, levels) = self.driven;
        self.pulled_up & !driven | levels & driven | u32::from(self.rods.led) << LED
    }

    fn driven(&self) -> u32 {
        1 << LED
    }

    fn drive_pin(&mut self, pin: u8, level: Option<bool>) {
        let (driven, levels) = (self.driven.0 & !(1 << pin), self.driven.1 & !(1 << pin));
        self.driven =
            (driven | u32::from(level.is_some()) << pin, levels | u32::from(level == Some(true)) << pin);
    }

    fn pull_pin(&mut self, pin: u8, level: bool) {
        self.pulled_up |= u32::from(level) << pin;
    }

    fn wire_pins(&mut self, _: u8, _: u8) {}

    fn record_pins(&mut self, mask: u32) {
        self.recorded = mask;
    }

    fn take_edges(&mut self) -> Vec<Edge> {
        std::mem::take(&mut self.edges)
    }
}

impl Debugger for Abacus {
    fn read_memory(&self, address: u32, _: usize) -> Result<Vec<u8>, MemoryError> {
        Err(MemoryError(address))
    }

    fn write_memory(&mut self, address: u32, _: &[u8]) -> Result<(), MemoryError> {
        Err(MemoryError(address))
    }

    fn register(&self, _: usize, number: usize) -> u32 {
        if number == 0 { self.rods.beads } else { PC }
    }

    fn set_register(&mut self, _: usize, number: usize, value: u32) {
        if number == 0 {
            self.rods.beads = value;
        }
    }

    fn set_program_counter(&mut self, _: usize, _: u32) {}

    fn flash_bytes(&self) -> u32 {
        FLASH_BYTES
    }

    fn set_debugger(&mut self, _: bool) {}

    fn set_breakpoints(&mut self, _: Vec<u32>) {}

    fn set_watchpoints(&mut self, _: Vec<Watchpoint>) {}

    fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        std::mem::replace(&mut self.observer, observer)
    }

    fn step(&mut self, _: usize) -> Stop {
        self.rods.now = self.rods.next;
        self.move_bead().unwrap_or(Stop::Time)
    }

    fn leave_stop(&mut self, _: usize) {}

    fn hold_core(&mut self, _: usize) -> Sleep {
        Sleep::Awake
    }

    fn release_core(&mut self, _: usize, _: Sleep) {}

    fn reset_now(&mut self) -> Result<(), SetupError> {
        Ok(())
    }

    fn reset_to_flash(&mut self) -> Result<(), SetupError> {
        Ok(())
    }
}

impl Reports for Abacus {
    fn fault(&self) -> Option<Fault> {
        None
    }

    fn fault_report(&self, _: &Symbols, _: Fault) -> FaultReport {
        FaultReport { at: self.rods.now, text: "a rod broke".to_owned() }
    }

    fn describe_stop(&self, _: &Symbols, stop: Stop) -> String {
        format!("{stop:?}")
    }

    fn describe_cores(&self, _: &Symbols) -> String {
        format!("{} beads have moved", self.rods.beads)
    }

    fn describe_hang(&self, _: &Symbols) -> Option<String> {
        None
    }

    fn end_status(&self, _: Fault) -> Option<u32> {
        None
    }
}

impl State for Abacus {
    fn copy(&self) -> Option<Box<dyn Mcu>> {
        Some(Box::new(Self {
            rods: self.rods.clone(),
            outside: self.outside.snapshot()?,
            edges: self.edges.clone(),
            printed: self.printed.clone(),
            observer: None,
            ..*self
        }))
    }

    fn state(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.rods).unwrap()
    }

    fn read_state<'a>(&self, bytes: &'a [u8]) -> Option<(Box<dyn Any>, &'a [u8])> {
        let (rods, rest) = postcard::take_from_bytes::<Rods>(bytes).ok()?;
        Some((Box::new(rods), rest))
    }

    fn take_state(&mut self, state: Box<dyn Any>) {
        self.rods = *state.downcast().unwrap();
    }
}
