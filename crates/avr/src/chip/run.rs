//! The run of the chip: instructions up to whatever is due next, interrupts between them, and sleeps.

use mcu::{DebugEvent, Fault, FaultKind, Slept, Step, Stop, Waker};
use units::Picoseconds;

use super::{Asleep, Avr, DATA};
use crate::chips::sources;
use crate::core::Halt;
use crate::peripherals::NEVER;
use crate::peripherals::system::{self, SleepMode};

/// What a wake-up takes besides the entry of the handler (ATmega328P datasheet, "Interrupt Response Time").
const WAKE_CYCLES: u64 = 4;
/// The start-up of a crystal oscillator from power-down, with the fuses of Arduino's boards (datasheet, "Low Power Crystal
/// Oscillator", CKSEL0 = 1, SUT = 11), and that from standby.
const CRYSTAL_STARTS_CYCLES: u64 = 16 << 10;
const STANDBY_CYCLES: u64 = 6;
/// Handlers within handlers that are known; the outermost are forgotten first.
const MOST_HANDLERS: usize = 64;

impl Avr {
    /// Runs until a time, or until something comes up before.
    pub(crate) fn run_until(&mut self, end: Picoseconds) -> Stop {
        let last = self.io.devices.clock.cycle_at(end);
        self.io.plan_lines();
        // An edge of a wire may have been announced since the last run.
        self.io.outside_is_rescheduled(self.state.core.cycle);
        let stop = loop {
            if let Some(stop) = self.run_some(last) {
                break stop;
            }
        };
        let reached = self.io.time(self.state.core.cycle);
        self.state.now = self.state.now.max(if stop == Stop::Time { end.max(reached) } else { reached });
        stop
    }

    /// One go: to the next event, or to the end.
    fn run_some(&mut self, last: u64) -> Option<Stop> {
        let cycle = self.state.core.cycle;
        self.io.advance(cycle);
        self.state.core.cycle += std::mem::take(&mut self.io.devices.stall);
        if std::mem::take(&mut self.io.devices.resets) {
            self.reset(system::WATCHDOG);
        }
        if std::mem::take(&mut self.io.stopped_by_console) {
            return Some(Stop::Console);
        }
        if std::mem::take(&mut self.io.lines.awaits) {
            return Some(Stop::AwaitsLine);
        }
        if std::mem::take(&mut self.io.stopped_by_pin) {
            return Some(Stop::Pin);
        }
        let cycle = self.state.core.cycle;
        if cycle >= last {
            return Some(Stop::Time);
        }
        if self.is_held || self.state.is_in_reset {
            // Something may have fallen due while a write of the EEPROM halted the core.
            self.state.core.cycle = self.io.next().clamp(cycle, last);
            self.state.idle_cycles += self.state.core.cycle - cycle;
            return None;
        }
        if let Some(asleep) = self.state.asleep {
            return self.sleep_on(asleep, last);
        }
        if self.may_interrupt() && self.enter_handler() {
            return None;
        }
        self.execute(last)
    }

    fn may_interrupt(&self) -> bool {
        let core = &self.state.core;
        core.interrupts_are_enabled() && !core.holds_off && self.io.devices.pending != 0
    }

    fn enter_handler(&mut self) -> bool {
        let Some(vector) = self.io.first_pending() else { return false };
        let (target, source) = (self.vector(vector), self.io.source(vector));
        self.note_wait_for_room(source);
        let code = std::mem::take(&mut self.io.devices.program.code);
        let mut memories = Self::memories(&code, &mut self.state.ram);
        self.state.core.interrupt(&mut memories, &mut self.io, target);
        self.io.devices.program.code = code;
        self.enter(vector);
        self.state.taken[usize::from(vector)] += 1;
        self.io.acknowledge(source, self.state.core.cycle);
        true
    }

    /// Arduino's `HardwareSerial` waits in a loop for its handler to take a byte out of a buffer in RAM. Nothing but the interrupt
    /// tells that this is a wait for the USART.
    fn note_wait_for_room(&mut self, source: u8) {
        let is_told = self.io.at_uart.is_some() && self.state.handlers.is_empty();
        let takes_more = sources::as_usart(source).is_some_and(|(_, which)| which == sources::EMPTY);
        if !(is_told && takes_more) {
            return;
        }
        let code = std::mem::take(&mut self.io.devices.program.code);
        let waits = self.state.core.goes_round(&mut Self::memories(&code, &mut self.state.ram));
        self.io.devices.program.code = code;
        let (from, to) = (self.io.accessed, self.io.time(self.state.core.cycle));
        if let Some(all) = self.io.at_uart.as_mut().filter(|_| waits && from < to) {
            all.push((from, to));
        }
    }

    /// A handler is active. Some never end by RETI, as those of a kernel that switches to another stack.
    fn enter(&mut self, vector: u8) {
        let handlers = &mut self.state.handlers;
        if handlers.len() == MOST_HANDLERS {
            handlers.remove(0);
        }
        handlers.push(vector);
    }

    /// Instructions up to whatever comes next.
    fn execute(&mut self, last: u64) -> Option<Stop> {
        let core = &mut self.state.core;
        let single = core.holds_off || self.observer.is_some();
        let until = if single { core.cycle + 1 } else { self.io.next().min(last) };
        core.holds_off = false;
        self.tell_observer();
        self.update_heap();
        let core = &mut self.state.core;
        self.io.limit = until;
        // The code is lent to the core while it runs: SPM, which changes it, ends the run first.
        let code = std::mem::take(&mut self.io.devices.program.code);
        let mut memories = Self::memories(&code, &mut self.state.ram);
        if self.watch.is_active() {
            core.run::<true>(&mut memories, &mut self.io, &self.watch, until);
        } else {
            core.run::<false>(&mut memories, &mut self.io, &self.watch, until);
        }
        self.watch.passed = None;
        self.io.devices.program.take_back(code);
        if std::mem::take(&mut self.state.core.returned) {
            self.state.handlers.pop();
        }
        let halt = self.state.core.halt.take()?;
        self.halt(halt)
    }

    fn tell_observer(&mut self) {
        let Some(observer) = &mut self.observer else { return };
        let core = &self.state.core;
        observer.instruction(Step {
            core: 0,
            pc: core.pc << 1,
            cycle: core.cycle,
            at: self.io.time(core.cycle),
            idle_cycles: self.state.idle_cycles,
            sp: core.sp.into(),
            lr: core.link,
            exception: self.state.handlers.last().copied().unwrap_or(0),
        });
    }

    /// Why the core halted, as a reason to come back; nothing where it goes on.
    fn halt(&mut self, halt: Halt) -> Option<Stop> {
        let pc = self.state.core.pc << 1;
        let kind = match halt {
            Halt::Sleep => {
                if self.io.devices.system.may_sleep() {
                    let mode = self.io.devices.system.sleep_mode();
                    self.state.asleep = Some(Asleep { mode, since: self.state.core.cycle });
                    self.io.fall_asleep(mode, self.state.core.cycle);
                }
                return None;
            }
            Halt::Break if self.has_debugger => return Some(Stop::Debug(0, DebugEvent::Bkpt(0))),
            // Without a debugger it does nothing.
            Halt::Break => {
                self.skip_word();
                return None;
            }
            Halt::Breakpoint => return Some(Stop::Debug(0, DebugEvent::Breakpoint(pc))),
            Halt::Watchpoint { address, write } => {
                let address = DATA + u32::from(address);
                return Some(Stop::Debug(0, DebugEvent::Watchpoint { address, write }));
            }
            Halt::Undefined(code) => FaultKind::NoInstruction { code },
            Halt::Erased => FaultKind::Erased,
            Halt::OutsideRam(address) => {
                FaultKind::Unmapped { address: DATA + u32::from(address), write: true }
            }
            Halt::StackOverflow => FaultKind::StackOverflow { sp: self.state.core.sp.into() },
        };
        let fault = Fault { kind, pc: self.state.core.halted_at << 1, core: 0 };
        self.fault = Some(fault);
        Some(Stop::Fault(fault))
    }

    fn skip_word(&mut self) {
        self.state.core.pc += 1;
        self.state.core.cycle += 1;
    }

    /// Sleeps to the next event, or wakes.
    fn sleep_on(&mut self, asleep: Asleep, last: u64) -> Option<Stop> {
        let cycle = self.state.core.cycle;
        let waking = self.waking(asleep.mode);
        if waking != 0 && self.state.core.interrupts_are_enabled() {
            self.wake(asleep, waking.trailing_zeros() as u8);
            return None;
        }
        let wakes = self.state.core.interrupts_are_enabled();
        let next = self.io.next_while_asleep(asleep.mode, wakes);
        if next == NEVER {
            return Some(Stop::Asleep);
        }
        let to = next.min(last).max(cycle);
        if asleep.mode.stops_peripherals() {
            self.io.stand_still(asleep.mode, to - cycle);
        }
        self.state.core.cycle = to;
        self.state.idle_cycles += to - cycle;
        None
    }

    /// Pending interrupts that end a sleep ("Active Clock Domains and Wake-up Sources").
    fn waking(&self, mode: SleepMode) -> u64 {
        let pending = self.io.devices.pending;
        if mode == SleepMode::Idle {
            return pending;
        }
        let wakes = |vector: u8| match self.io.source(vector) {
            0..=sources::WATCHDOG | sources::TWI => true,
            sources::ADC | sources::EEPROM | sources::SPM => mode == SleepMode::AdcNoiseReduction,
            _ => false,
        };
        (1..=self.part.order.len() as u8)
            .filter(|vector| wakes(*vector))
            .fold(0, |all, vector| all | pending & 1 << vector)
    }

    fn wake(&mut self, asleep: Asleep, vector: u8) {
        let starts = match asleep.mode {
            SleepMode::PowerDown => CRYSTAL_STARTS_CYCLES,
            SleepMode::Standby => STANDBY_CYCLES,
            SleepMode::Idle | SleepMode::AdcNoiseReduction => 0,
        };
        if asleep.mode.stops_peripherals() {
            self.io.stand_still(asleep.mode, starts);
        }
        self.state.core.cycle += starts;
        self.state.idle_cycles += starts;
        self.end_sleep();
        self.state.core.cycle += WAKE_CYCLES;
        let woken_by = Some(self.waker(vector));
        self.io.at_clock.iter_mut().for_each(mcu::ClockWaits::act);
        if let Some(sleeps) = &mut self.sleeps {
            let clock = &self.io.devices.clock;
            let (from, to) = (clock.time(asleep.since), clock.time(self.state.core.cycle));
            sleeps.push(Slept { core: 0, from, to, woken_by });
        }
    }

    pub(crate) fn waker(&self, vector: u8) -> Waker {
        match self.io.source(vector) {
            0..sources::WATCHDOG => Waker::Pin,
            sources::WATCHDOG => Waker::Timer,
            source if sources::as_timer(source).is_some() => Waker::Timer,
            _ => Waker::Other(self.part.vectors.get(usize::from(vector) - 1).copied()),
        }
    }

    /// Lets time pass for all but the core.
    pub(crate) fn run_without_core(&mut self, end: Picoseconds) -> Stop {
        let held = std::mem::replace(&mut self.is_held, true);
        let stop = self.run_until(end);
        self.is_held = held;
        stop
    }

    /// The next time at which the core ends an instruction, or something wakes it.
    pub(crate) fn next_moment(&self) -> Picoseconds {
        let cycle = self.state.core.cycle;
        let asleep = self.state.asleep.is_some() || self.is_held || self.state.is_in_reset;
        let next = if asleep { self.io.next().max(cycle) } else { cycle + 1 };
        if next == NEVER { Picoseconds::new(i64::MAX) } else { self.io.time(next) }
    }

    /// Executes one instruction, or sleeps to the next event.
    pub(crate) fn step(&mut self) -> Stop {
        let before = self.state.core.instructions;
        loop {
            let limit = match self.state.asleep {
                Some(_) => self.io.next(),
                None => self.state.core.cycle + 1,
            };
            if limit == NEVER {
                return Stop::Asleep;
            }
            let stop = self.run_some(limit);
            self.state.now = self.state.now.max(self.io.time(self.state.core.cycle));
            match stop {
                Some(Stop::Time) | None if self.state.core.instructions > before => return Stop::Time,
                Some(Stop::Time) | None => {}
                Some(stop) => return stop,
            }
        }
    }
}
