//! The power-on state machine (RP2040 datasheet 2.13): software can hold core 1 in reset with it and reset the single-cycle
//! block, and says what a watchdog restart powers down.
//!
//! Left out: powering down anything else by software; such a request shows in DONE and is reported.

use super::Peripheral;
use crate::io::Io;

const FRCE_ON: u32 = 0x0;
const FRCE_OFF: u32 = 0x4;
const WDSEL: u32 = 0x8;
const DONE: u32 = 0xc;

/// The bits of its registers, in the order in which the machine starts the blocks.
#[allow(missing_docs)]
pub mod stage {
    pub const ROSC: u32 = 1 << 0;
    pub const XOSC: u32 = 1 << 1;
    pub const CLOCKS: u32 = 1 << 2;
    pub const RESETS: u32 = 1 << 3;
    pub const BUSFABRIC: u32 = 1 << 4;
    pub const ROM: u32 = 1 << 5;
    pub const SRAM0: u32 = 1 << 6;
    pub const SRAM5: u32 = 1 << 11;
    pub const XIP: u32 = 1 << 12;
    pub const VREG_AND_CHIP_RESET: u32 = 1 << 13;
    pub const SIO: u32 = 1 << 14;
    pub const PROC0: u32 = 1 << 15;
    pub const PROC1: u32 = 1 << 16;
}

/// Every stage.
pub const ALL_STAGES: u32 = 0x0001_ffff;

/// The power-on state machine.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Psm {
    forced_on: u32,
    forced_off: u32,
    watchdog_select: u32,
    proc1: Option<bool>,
    /// The single-cycle block went down, and nobody was told yet.
    #[serde(skip)]
    sio_fell: bool,
}

impl Default for Psm {
    fn default() -> Self {
        Self::new()
    }
}

impl Psm {
    /// The state after power-on: everything is up.
    pub fn new() -> Self {
        Self { forced_on: 0, forced_off: 0, watchdog_select: 0, proc1: None, sio_fell: false }
    }

    /// Takes a change of core 1's power: off holds it in reset, on lets it start from its reset vector.
    pub fn take_proc1(&mut self) -> Option<bool> {
        self.proc1.take()
    }

    /// Takes that the single-cycle block went down: it comes up again as after reset.
    pub fn take_sio_fell(&mut self) -> bool {
        std::mem::take(&mut self.sio_fell)
    }

    /// What a watchdog restart powers down (see [`stage`]): as each stage waits for the one before, that is the lowest
    /// selected stage and all after it.
    pub fn watchdog_stages(&self) -> u32 {
        match self.watchdog_select {
            0 => 0,
            selected => ALL_STAGES & !((1 << selected.trailing_zeros()) - 1),
        }
    }

    /// A stage is up when it is not forced off and the stage before it is up, or when it is forced on.
    fn done(&self) -> u32 {
        let mut before = true;
        (0..17).fold(0, |done, n| {
            before = before && self.forced_off >> n & 1 == 0 || self.forced_on >> n & 1 == 1;
            done | u32::from(before) << n
        })
    }

    fn set(&mut self, offset: u32, value: u32, io: &mut Io) {
        let before = self.done();
        if offset == FRCE_ON {
            self.forced_on = value;
        } else {
            self.forced_off = value;
        }
        let after = self.done();
        if (before ^ after) & stage::PROC1 != 0 {
            self.proc1 = Some(after & stage::PROC1 != 0);
        }
        let fell = before & !after;
        self.sio_fell |= fell & stage::SIO != 0;
        if fell & !(stage::PROC1 | stage::SIO) != 0 {
            io.unknown("PSM", "FRCE_OFF of anything but SIO and core 1", true);
        }
    }
}

impl Peripheral for Psm {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > DONE {
            io.unknown("PSM", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            FRCE_ON => self.forced_on,
            FRCE_OFF => self.forced_off,
            WDSEL => self.watchdog_select,
            DONE => self.done(),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            FRCE_ON | FRCE_OFF => self.set(offset, value & ALL_STAGES, io),
            WDSEL => self.watchdog_select = value & ALL_STAGES,
            DONE => {}
            _ => io.unknown("PSM", "no such register", true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn core_1_is_held_and_let_go() {
        let (mut psm, mut io) = (Psm::new(), Io::default());
        assert_eq!(psm.read(DONE, &mut io), ALL_STAGES);
        psm.write(FRCE_OFF, stage::PROC1, &mut io);
        assert_eq!(psm.read(FRCE_OFF, &mut io), stage::PROC1);
        assert_eq!(psm.read(DONE, &mut io), ALL_STAGES & !stage::PROC1);
        assert_eq!((psm.take_proc1(), psm.take_proc1()), (Some(false), None));
        psm.write(FRCE_OFF, 0, &mut io);
        assert_eq!(psm.take_proc1(), Some(true));
        assert_eq!(io.unknown_accesses().count(), 0);
    }

    #[test]
    fn a_stage_that_is_off_takes_those_after_it_with_it() {
        let (mut psm, mut io) = (Psm::new(), Io::default());
        psm.write(FRCE_OFF, stage::XIP, &mut io);
        assert_eq!(psm.read(DONE, &mut io), stage::XIP - 1);
        assert_eq!(io.unknown_accesses().count(), 1, "only SIO and core 1 can be powered down here");
        psm.write(FRCE_ON, stage::SIO, &mut io);
        assert_eq!(psm.read(DONE, &mut io), (stage::XIP - 1) | stage::SIO | stage::PROC0 | stage::PROC1);
    }

    #[test]
    fn a_watchdog_restart_powers_down_from_the_first_selected_stage_on() {
        let (mut psm, mut io) = (Psm::new(), Io::default());
        assert_eq!(psm.watchdog_stages(), 0);
        psm.write(WDSEL, ALL_STAGES & !(stage::ROSC | stage::XOSC), &mut io);
        assert_eq!(psm.watchdog_stages(), ALL_STAGES & !(stage::ROSC | stage::XOSC));
    }

    #[test]
    fn the_single_cycle_block_is_reset_while_core_0_is_forced_on() {
        // What Embassy's start does: the order is SIO, core 0, core 1, so that core 0 has to be forced on.
        let (mut psm, mut io) = (Psm::new(), Io::default());
        psm.write(FRCE_ON, stage::PROC0, &mut io);
        assert!(!psm.take_sio_fell());
        psm.write(FRCE_OFF, stage::SIO | stage::PROC1, &mut io);
        assert_eq!(psm.read(DONE, &mut io), ALL_STAGES & !(stage::SIO | stage::PROC1));
        assert_eq!((psm.take_sio_fell(), psm.take_sio_fell()), (true, false));
        psm.write(FRCE_OFF, 0, &mut io);
        psm.write(FRCE_ON, 0, &mut io);
        assert_eq!((psm.read(DONE, &mut io), psm.take_sio_fell()), (ALL_STAGES, false));
        assert_eq!(io.unknown_accesses().count(), 0);
    }

    proptest! {
        #[test]
        fn random_traffic_never_panics(writes in prop::collection::vec((0u32..8, any::<u32>()), 1..50)) {
            let (mut psm, mut io) = (Psm::new(), Io::default());
            for (word, value) in writes {
                psm.write(word * 4, value, &mut io);
                psm.read(word * 4, &mut io);
                let _ = (psm.take_proc1(), psm.watchdog_stages());
            }
        }
    }
}
