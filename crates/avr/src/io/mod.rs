//! All that the core reaches beside RAM and registers: the peripherals, the pins, and what stands around the chip. It knows
//! which of them is due next, and which interrupts are pending.

mod access;
mod events;
mod lines;
mod power;
mod unknown;
mod usart_wires;

use std::collections::BTreeMap;

use mcu::{Outside, Reaction, Unconnected};
use units::Picoseconds;

use crate::chips::registers::{Register, register_of};
use crate::chips::{Part, sources};
use crate::clock::Clock;
use crate::lines::Lines;
use crate::peripherals::NEVER;
use crate::peripherals::adc::Adc;
use crate::peripherals::eeprom::Eeprom;
use crate::peripherals::external::External;
use crate::peripherals::program_memory::ProgramMemory;
use crate::peripherals::spi::Spi;
use crate::peripherals::system::{self, SleepMode, System};
use crate::peripherals::timer::Timer;
use crate::peripherals::twi::Twi;
use crate::peripherals::usart::Usart;
use crate::peripherals::watchdog::Watchdog;
use crate::pins::{Pins, bit};
use power::Power;
pub(crate) use unknown::Ignored;
use usart_wires::UsartWires;

/// Who may be due. Those before the others come first in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Timer(u8),
    Spi,
    Usart(u8),
    Eeprom,
    Watchdog,
    Adc,
    Twi,
    ProgramMemory,
    Lines,
    UsartWire(u8),
}

const SLOTS: [Slot; 21] = [
    Slot::Timer(0),
    Slot::Timer(1),
    Slot::Timer(2),
    Slot::Timer(3),
    Slot::Timer(4),
    Slot::Timer(5),
    Slot::Spi,
    Slot::Usart(0),
    Slot::Usart(1),
    Slot::Usart(2),
    Slot::Usart(3),
    Slot::Eeprom,
    Slot::Watchdog,
    Slot::Adc,
    Slot::Twi,
    Slot::ProgramMemory,
    Slot::Lines,
    Slot::UsartWire(0),
    Slot::UsartWire(1),
    Slot::UsartWire(2),
    Slot::UsartWire(3),
];

impl Slot {
    fn place(self) -> usize {
        match self {
            Self::Timer(number) => usize::from(number),
            Self::Spi => 6,
            Self::Usart(number) => 7 + usize::from(number),
            Self::Eeprom => 11,
            Self::Watchdog => 12,
            Self::Adc => 13,
            Self::Twi => 14,
            Self::ProgramMemory => 15,
            Self::Lines => 16,
            Self::UsartWire(number) => 17 + usize::from(number),
        }
    }
}

/// The peripherals: what a state of the chip has of all this.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Devices {
    pub(crate) clock: Clock,
    pub(crate) pins: Pins,
    pub(crate) spi: Spi,
    pub(crate) usarts: Vec<Usart>,
    usart_wires: Vec<UsartWires>,
    pub(crate) timers: Vec<Timer>,
    pub(crate) external: External,
    pub(crate) eeprom: Eeprom,
    pub(crate) watchdog: Watchdog,
    pub(crate) adc: Adc,
    pub(crate) twi: Twi,
    pub(crate) program: ProgramMemory,
    pub(crate) system: System,
    power: Power,
    /// Pending interrupts, a bit for each vector.
    pub(crate) pending: u64,
    due: [u64; SLOTS.len()],
    /// The first of those.
    due_first: u64,
    /// Cycles for which the core is halted.
    pub(crate) stall: u64,
    /// The watchdog wants a reset.
    pub(crate) resets: bool,
    /// What came out of the first two USARTs.
    pub(crate) printed: [Vec<(Picoseconds, u8)>; 2],
    /// Registers that were accessed in vain, with the first instruction that did.
    pub(crate) unknown: BTreeMap<(u16, bool), (u32, Ignored)>,
}

/// The peripherals with what stands around the chip.
#[derive(Debug)]
pub(crate) struct Io {
    pub(crate) part: &'static Part,
    pub(crate) devices: Devices,
    pub(crate) outside: Box<dyn Outside>,
    pub(crate) lines: Lines,
    /// When something happens out there.
    outside_due: u64,
    reactions: Vec<Reaction>,
    /// What is at each address of I/O, with the bits that can be written.
    registers: Box<[Option<(Register, u8)>]>,
    /// The pins of INTn, a bit each.
    external_pins: u32,
    /// The vector of each source, 0 for none.
    vectors: [u8; sources::COUNT],
    /// How far the core runs at present, if nothing comes up.
    pub(crate) limit: u64,
    /// The instruction that runs, for who accesses what is not there.
    pub(crate) pc: u32,
    /// Pins and consoles that end a run, and whether one did.
    pub(crate) stops: mcu::StopAt,
    pub(crate) stopped_by_pin: bool,
    pub(crate) stopped_by_console: bool,
    /// When the core saw that a USART could take no more, where that is kept.
    pub(crate) full_uart: Option<Vec<Picoseconds>>,
    /// From when to when it went round a loop until a USART's interrupt told that it takes more, where that is kept.
    pub(crate) at_uart: Option<Vec<(Picoseconds, Picoseconds)>>,
    /// The last access to a register of I/O, where waits are kept.
    pub(crate) accessed: Picoseconds,
    /// When it did nothing but look at a timer's count, where that is kept.
    pub(crate) at_clock: Option<mcu::ClockWaits>,
}

impl Io {
    pub(crate) fn new(part: &'static Part, crystal_hz: u64) -> Self {
        let mut vectors = [0; sources::COUNT];
        for (vector, source) in (1..).zip(part.order) {
            vectors[usize::from(*source)] = vector;
        }
        let mut io = Self {
            part,
            devices: Devices::new(part, crystal_hz),
            outside: Box::new(Unconnected),
            lines: Lines::default(),
            outside_due: NEVER,
            reactions: Vec::new(),
            registers: (0..part.ram_start).map(|address| register_of(part, address)).collect(),
            external_pins: part.external.iter().fold(0, |pins, gpio| pins | bit(*gpio)),
            vectors,
            limit: 0,
            pc: 0,
            stops: mcu::StopAt::default(),
            stopped_by_pin: false,
            stopped_by_console: false,
            full_uart: None,
            at_uart: None,
            accessed: Picoseconds::ZERO,
            at_clock: None,
        };
        io.refresh_all();
        io
    }

    /// The source of a vector.
    pub(crate) fn source(&self, vector: u8) -> u8 {
        self.part.order[usize::from(vector) - 1]
    }

    /// The pending interrupt that comes first, as its vector.
    pub(crate) fn first_pending(&self) -> Option<u8> {
        (self.devices.pending != 0).then(|| self.devices.pending.trailing_zeros() as u8)
    }

    /// The cycle at which something is due, within the chip or around it.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.devices.due_first.min(self.outside_due)
    }

    /// The same while the core sleeps: where the clock of the peripherals stands still few are due, and where interrupts are
    /// disabled nothing but the watchdog ends the sleep.
    pub(crate) fn next_while_asleep(&self, mode: SleepMode, wakes: bool) -> u64 {
        let due = |slot: Slot| self.devices.due[slot.place()];
        if !wakes {
            return due(Slot::Watchdog);
        }
        if !mode.stops_peripherals() {
            return self.next();
        }
        let adc = if mode.stops_adc() { NEVER } else { due(Slot::Adc) };
        let slots = [Slot::Watchdog, Slot::Eeprom, Slot::ProgramMemory];
        slots.into_iter().map(due).min().unwrap_or(NEVER).min(adc).min(self.outside_due)
    }

    pub(crate) fn time(&self, cycle: u64) -> Picoseconds {
        self.devices.clock.time(cycle)
    }

    /// Takes over what a peripheral wants: when it is due, and its interrupts.
    pub(crate) fn refresh(&mut self, slot: Slot) {
        let devices = &mut self.devices;
        let due = match slot {
            Slot::Timer(number) => {
                let Some(timer) = devices.timers.get(usize::from(number)) else { return };
                for (which, on) in (0..).zip(timer.interrupts()) {
                    pend(&mut devices.pending, self.vectors, sources::timer(number, which), on);
                }
                timer.next()
            }
            Slot::Usart(number) => {
                let Some(usart) = devices.usarts.get(usize::from(number)) else { return };
                for (which, on) in (0..).zip(usart.interrupts()) {
                    pend(&mut devices.pending, self.vectors, sources::usart(number, which), on);
                }
                usart.next()
            }
            Slot::UsartWire(number) => {
                devices.usart_wires.get(usize::from(number)).map_or(NEVER, UsartWires::next)
            }
            Slot::Spi => {
                pend(&mut devices.pending, self.vectors, sources::SPI, devices.spi.interrupts());
                devices.spi.next()
            }
            Slot::Eeprom => {
                pend(&mut devices.pending, self.vectors, sources::EEPROM, devices.eeprom.interrupts());
                devices.eeprom.next()
            }
            Slot::Watchdog => {
                pend(&mut devices.pending, self.vectors, sources::WATCHDOG, devices.watchdog.interrupts());
                devices.watchdog.next()
            }
            Slot::Adc => {
                pend(&mut devices.pending, self.vectors, sources::ADC, devices.adc.interrupts());
                devices.adc.next()
            }
            Slot::Twi => {
                pend(&mut devices.pending, self.vectors, sources::TWI, devices.twi.interrupts());
                devices.twi.next()
            }
            Slot::ProgramMemory => {
                pend(&mut devices.pending, self.vectors, sources::SPM, devices.program.interrupts());
                devices.program.next()
            }
            Slot::Lines => return self.refresh_lines(),
        };
        let due = if devices.power.stops_slot(slot) { NEVER } else { due };
        devices.schedule(slot, due);
    }

    /// The same for the external interrupts, which are never due.
    pub(crate) fn refresh_external(&mut self) {
        let devices = &mut self.devices;
        let pending = devices.external.pending(self.part, devices.pins.levels());
        let changes = devices.external.changes_pending();
        for number in 0..8 {
            let on = pending >> number & 1 == 1;
            pend(&mut devices.pending, self.vectors, sources::INT + number, on);
        }
        for number in 0..4 {
            let on = changes >> number & 1 == 1;
            pend(&mut devices.pending, self.vectors, sources::PCINT + number, on);
        }
    }

    pub(crate) fn refresh_all(&mut self) {
        SLOTS.into_iter().for_each(|slot| self.refresh(slot));
        self.refresh_external();
    }

    /// The handler of a source is entered: its flag goes, where it has one of its own.
    pub(crate) fn acknowledge(&mut self, source: u8, cycle: u64) {
        let devices = &mut self.devices;
        if let Some((number, which)) = sources::as_timer(source) {
            devices.timers[number].acknowledge(which);
            self.refresh(Slot::Timer(number as u8));
            return self.trigger_may_have_changed(cycle);
        }
        if let Some((number, which)) = sources::as_usart(source) {
            if which == sources::SENT {
                devices.usarts[number].acknowledge_sent();
            }
            return self.refresh(Slot::Usart(number as u8));
        }
        match source {
            sources::SPI => devices.spi.acknowledge(),
            sources::ADC => devices.adc.acknowledge(),
            sources::WATCHDOG => devices.watchdog.acknowledge(),
            sources::PCINT..sources::WATCHDOG => {
                devices.external.acknowledge_change(source - sources::PCINT);
            }
            0..sources::PCINT => devices.external.acknowledge(source - sources::INT),
            _ => {}
        }
        self.refresh_all();
        self.trigger_may_have_changed(cycle);
    }

    /// A reset of the peripherals, with its cause as a bit of MCUSR.
    pub(crate) fn reset(&mut self, cycle: u64, cause: u8) {
        let devices = &mut self.devices;
        devices.system.reset(cause);
        devices.power = Power::default();
        devices.clock.divide(cycle, 1);
        devices.pins.reset();
        devices.spi = Spi::default();
        devices.usarts.iter_mut().for_each(Usart::reset);
        devices.usart_wires.fill_with(UsartWires::default);
        for (number, timer) in devices.timers.iter_mut().enumerate() {
            *timer = Timer::new(number, self.part.long_pc);
            timer.reset_prescaler(cycle);
        }
        devices.external = External::default();
        devices.eeprom.reset();
        let hz = devices.clock.hz();
        devices.watchdog.reset(cycle, hz, cause == system::WATCHDOG);
        devices.adc = Adc::new();
        devices.twi = Twi::new();
        devices.program.reset();
        devices.resets = false;
        self.refresh_all();
        self.receptions_changed(cycle);
        self.pins_may_have_changed(cycle);
    }
}

impl Devices {
    fn new(part: &Part, crystal_hz: u64) -> Self {
        Self {
            clock: Clock::new(crystal_hz),
            pins: Pins::new(),
            spi: Spi::default(),
            usarts: part.usarts.iter().map(|_| Usart::new()).collect(),
            usart_wires: part.usarts.iter().map(|_| UsartWires::default()).collect(),
            timers: (0..part.timers.len()).map(|number| Timer::new(number, part.long_pc)).collect(),
            external: External::default(),
            eeprom: Eeprom::new(part.eeprom_bytes),
            watchdog: Watchdog::new(),
            adc: Adc::new(),
            twi: Twi::new(),
            program: ProgramMemory::new(part),
            system: System::powered_on(),
            power: Power::default(),
            pending: 0,
            due: [NEVER; SLOTS.len()],
            due_first: NEVER,
            stall: 0,
            resets: false,
            printed: Default::default(),
            unknown: BTreeMap::new(),
        }
    }

    fn schedule(&mut self, slot: Slot, due: u64) {
        let before = std::mem::replace(&mut self.due[slot.place()], due);
        if due < self.due_first {
            self.due_first = due;
        } else if before == self.due_first {
            self.due_first = self.due.iter().copied().min().unwrap_or(NEVER);
        }
    }
}

#[inline]
fn pend(pending: &mut u64, vectors: [u8; sources::COUNT], source: u8, on: bool) {
    let vector = vectors[usize::from(source)];
    if vector != 0 {
        *pending = *pending & !(1 << vector) | u64::from(on) << vector;
    }
}
