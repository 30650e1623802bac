//! Snapshots: the whole state of the chip, to go back to or to branch from. Decoded instructions are no state: going back
//! keeps those whose memory is the same, and another chip decodes anew.

use crate::bus::Bus;
use crate::chip::Rp2040;
use crate::chip::decoded::Decoded;
use crate::chip::memory_loop::MemoryLoop;
use crate::chip::supply::AllAsleep;
use cortexm::Core;
use mcu::image::Boot;

/// A state of the chip. It can be gone back to any number of times.
#[derive(Debug)]
pub struct Snapshot(Rp2040);

impl Rp2040 {
    /// Keeps the state; nothing when something connected to the chip cannot be copied.
    pub fn snapshot(&self) -> Option<Snapshot> {
        self.copy(self.code.without_tables()).map(Snapshot)
    }

    /// Goes back to a state.
    ///
    /// # Panics
    /// Never: what could be copied once can be copied again.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let kept = &snapshot.0;
        self.code.forget_stale(&mut self.bus);
        let code = std::mem::take(&mut self.code).move_to(&self.bus, &kept.bus, &kept.code);
        *self = kept.copy(code).expect("a snapshot can be copied");
    }

    /// Another chip in the same state; nothing when something connected to the chip cannot be copied.
    pub(crate) fn branch(&self) -> Option<Self> {
        self.copy(self.code.without_tables())
    }

    fn copy(&self, code: Decoded) -> Option<Self> {
        Some(Self {
            cores: self.cores.clone(),
            bus: self.bus.snapshot()?,
            at_fault: self.at_fault.clone(),
            code,
            ..*self
        })
    }
}

/// The chip's own state, to be kept in a file: all but what stands around it, the boot ROM, and whatever a debugger set.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct State {
    cores: [Core; 2],
    bus: Bus,
    boot: Boot,
    resets: u32,
    asleep: AllAsleep,
}

impl Rp2040 {
    /// The state, to be kept in a file.
    pub fn state(&self) -> State {
        State {
            cores: self.cores.clone(),
            bus: self.bus.copy_alone(),
            boot: self.boot,
            resets: self.resets,
            asleep: self.asleep,
        }
    }

    /// Goes on in a state of a chip with the same boot ROM, with what stands around this one.
    pub fn take_state(&mut self, state: State) {
        let State { cores, mut bus, boot, resets, asleep } = state;
        bus.rom = self.bus.rom.clone();
        bus.stop_at = self.bus.stop_at;
        bus.io.pins.find_plain();
        std::mem::swap(&mut bus.io.outside, &mut self.bus.io.outside);
        *self = Self {
            cores,
            bus,
            code: Decoded::default(),
            boot,
            at_fault: None,
            stop_at_faults: self.stop_at_faults,
            resets,
            asleep,
            iteration: None,
            memory_loop: MemoryLoop::default(),
        };
        self.bus.decide_watch();
        self.bus.outside_changed();
    }
}

impl Snapshot {
    /// Another chip in this state: a run can branch here.
    ///
    /// # Panics
    /// Never: what could be copied once can be copied again.
    pub fn to_chip(&self) -> Rp2040 {
        self.0.copy(self.0.code.without_tables()).expect("a snapshot can be copied")
    }
}
