//! The chip as a whole: two cores and the bus between them and everything else. An image is loaded, the chip is reset, and
//! it runs in virtual time until something comes up ([`Stop`]).

mod board;
mod console;
mod debug;
mod decoded;
mod fault;
mod line;
mod memory_loop;
mod run;
mod snapshot;
mod spin_loop;
mod start;
mod supply;

use cortexm::Core;
use mcu::image::Boot;
use mcu::{Edge, Fault, Outside, Sleep, StopAt, UnknownAccess};
use units::Picoseconds;

use crate::bus::Bus;
use crate::peripherals::clocks::ClockTree;
use crate::peripherals::spi::Spi;
use crate::pins::Pins;
use decoded::Decoded;

pub(crate) use fault::AtFault;
pub use snapshot::{Snapshot, State};
pub use start::{Setup, SetupError};

/// An RP2040 with its flash chip and its crystal.
#[derive(Debug)]
pub struct Rp2040 {
    cores: [Core; 2],
    bus: Bus,
    code: Decoded,
    boot: Boot,
    /// The core at its last fault.
    at_fault: Option<Box<AtFault>>,
    stop_at_faults: bool,
    resets: u32,
    asleep: supply::AllAsleep,
    /// The last iteration of a core that waits.
    iteration: Option<spin_loop::Iteration>,
    /// The loop in which a core stood when it had to stop.
    memory_loop: memory_loop::MemoryLoop,
}

/// What was counted since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Cycles of clk_sys, awake and asleep.
    pub cycles: u64,
    /// Of each core: instructions executed.
    pub instructions: [u64; 2],
    /// Of each core: cycles asleep (a core that was never started sleeps all the time).
    pub idle_cycles: [u64; 2],
    /// Of each core: exceptions entered, interrupts among them.
    pub exceptions: [u64; 2],
    /// Resets by watchdog or software.
    pub resets: u32,
}

/// What passed over the buses since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusCounts {
    /// Accesses to the flash's cache (RP2040 datasheet 2.6.3.2).
    pub xip_accesses: u64,
    /// Those that had to wait for the flash.
    pub xip_misses: u64,
    /// Cycles that the cores waited for it.
    pub xip_stall_cycles: u64,
    /// Transfers of the DMA, each a read and a write.
    pub dma_transfers: u64,
    /// Cycles that a core or the DMA waited for a bank of SRAM; counted while both cores are awake.
    pub bank_wait_cycles: u64,
}

impl Rp2040 {
    /// The virtual time.
    pub fn now(&self) -> Picoseconds {
        if self.bus.stands_still() {
            return self.bus.io.now;
        }
        let awake = self.cores.iter().filter(|core| core.sleep == Sleep::Awake);
        let reached = awake.map(|core| core.cycle).min();
        // A core that sleeps reached the cycle at which it fell asleep, maybe after the last event.
        let asleep =
            || self.bus.io.now.max(self.bus.clock.time_of(self.cores[0].cycle.max(self.cores[1].cycle)));
        reached.map_or_else(asleep, |cycle| self.bus.clock.time_of(cycle))
    }

    pub(crate) fn clock_tree(&self) -> &ClockTree {
        &self.bus.blocks.clocks
    }

    /// The frequency of clk_sys now; 0 where it stands.
    pub fn sys_hz(&self) -> u64 {
        self.bus.io.clocks.sys_hz
    }

    /// Cycles of clk_sys since the start, awake and asleep.
    pub fn cycles(&self) -> u64 {
        self.bus.clock.cycle_at(self.now())
    }

    /// The clock that SPI blocks divide, where one of them is on.
    pub fn spi_input_hz(&self) -> Option<u64> {
        self.bus.blocks.spi.iter().any(Spi::is_on).then_some(self.bus.io.clocks.peri_hz)
    }

    /// What was counted since the start.
    pub fn counts(&self) -> Counts {
        let cycles = self.cycles();
        let idle = |core: &Core| {
            let asleep = core.sleep != Sleep::Awake;
            core.idle_cycles() + if asleep { cycles.saturating_sub(core.cycle) } else { 0 }
        };
        Counts {
            cycles,
            instructions: self.cores.each_ref().map(Core::instructions),
            idle_cycles: self.cores.each_ref().map(idle),
            exceptions: self.cores.each_ref().map(Core::exceptions),
            resets: self.resets,
        }
    }

    /// What passed over the buses since the start.
    pub fn bus_counts(&self) -> BusCounts {
        let (xip_accesses, xip_hits) = self.bus.xip.statistics();
        BusCounts {
            xip_accesses,
            xip_misses: xip_accesses - xip_hits,
            xip_stall_cycles: self.bus.xip_stall_cycles,
            dma_transfers: self.bus.dma_transfers,
            bank_wait_cycles: self.bus.bank_wait_cycles,
        }
    }

    /// A core.
    pub fn core(&self, id: usize) -> &Core {
        &self.cores[id]
    }

    /// The last fault, unless the image's handler has made it good.
    pub fn fault(&self) -> Option<Fault> {
        self.at_fault.as_ref().filter(|_| !self.is_answered()).map(|at_fault| at_fault.fault)
    }

    /// Whether a run comes back when the image faults (as it does after the start), or the image's own handler goes on.
    pub fn stop_at_faults(&mut self, stop: bool) {
        self.stop_at_faults = stop;
    }

    /// What a run comes back for besides its end.
    pub fn stop_at(&mut self, what: StopAt) {
        self.bus.stop_at = what;
    }

    /// Connects what stands around the chip.
    pub fn connect(&mut self, outside: Box<dyn Outside>) {
        self.bus.io.outside = outside;
        self.bus.outside_changed();
    }

    /// What stands around the chip.
    pub fn outside(&mut self) -> &mut dyn Outside {
        &mut *self.bus.io.outside
    }

    /// The pins.
    pub fn pins(&self) -> &Pins {
        &self.bus.io.pins
    }

    /// Drives a pin from outside, or lets go of it.
    pub fn drive_pin(&mut self, pin: u8, level: Option<bool>) {
        let now = self.now();
        self.bus.drive_pin(now, pin, level);
    }

    /// Puts a resistor at a pin: it gives the level while nobody drives.
    pub fn pull_pin(&mut self, pin: u8, level: bool) {
        let now = self.now();
        self.bus.pull_pin(now, pin, level);
    }

    /// An oscillator outside drives a pin from here on, by a rising edge and its frequency.
    pub fn give_clock(&mut self, pin: u8, rise: Picoseconds, hz: u64) {
        let now = self.now();
        self.bus.give_clock(now, pin, rise, hz);
    }

    /// Wires two pins together: from here on they are one net.
    pub fn wire_pins(&mut self, pin: u8, other: u8) {
        let now = self.now();
        self.bus.wire_pins(now, pin, other);
    }

    /// Keeps every edge of these pins from here on.
    pub fn record_pins(&mut self, mask: u32) {
        self.bus.io.pins.record(mask);
    }

    /// Takes the edges that were kept since the last call.
    pub fn take_edges(&mut self) -> Vec<Edge> {
        self.bus.io.pins.take_edges()
    }

    /// Keeps what the cores wait for from here on, or does so no longer.
    pub fn record_waits(&mut self, on: bool) {
        self.bus.waits = on.then(Box::default);
    }

    /// Takes what the cores waited for since the last call.
    pub fn take_waits(&mut self) -> mcu::Waits {
        self.bus.waits.as_mut().map_or_else(Default::default, |waits| waits.take())
    }

    /// Accesses so far to something that is not modelled, each once.
    pub fn unknown_accesses(&self) -> Vec<UnknownAccess> {
        self.bus.io.unknown_accesses().cloned().collect()
    }
}
