//! The small blocks that say what chip this is and hold its odd switches: SYSINFO (RP2040 datasheet 2.20), SYSCFG
//! (2.21), TBMAN (2.22) and VREG_AND_CHIP_RESET (2.10). The chip is an RP2040 B2.
//!
//! Left out: the core's voltage has no effect, memories do not power down, and the debug ports cannot be driven by
//! software; a request for one of the latter two is reported.

use super::Peripheral;
use crate::io::Io;

/// SYSINFO.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct SysInfo;

const CHIP_ID: u32 = 0x00;
const PLATFORM: u32 = 0x04;
/// Where datasheet and register headers of different dates place it.
const GITREF: [u32; 2] = [0x10, 0x40];
/// Revision 2 (B2), part 2, manufacturer 0x927 (RP2040 datasheet 2.20.2).
const CHIP_ID_B2: u32 = 0x2000_2927;
const SYSINFO_PLATFORM_ASIC: u32 = 1 << 1;

impl Peripheral for SysInfo {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        match offset {
            CHIP_ID | PLATFORM => {}
            _ if GITREF.contains(&offset) => {
                io.unknown("SYSINFO", "GITREF_RP2040 (the revision of the chip's source)", false);
            }
            _ => io.unknown("SYSINFO", "no such register", false),
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            CHIP_ID => CHIP_ID_B2,
            PLATFORM => SYSINFO_PLATFORM_ASIC,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, _value: u32, io: &mut Io) {
        if !matches!(offset, CHIP_ID | PLATFORM) && !GITREF.contains(&offset) {
            io.unknown("SYSINFO", "no such register", true);
        }
    }
}

const PROC0_NMI_MASK: u32 = 0x00;
const PROC1_NMI_MASK: u32 = 0x04;
const PROC_CONFIG: u32 = 0x08;
const DBGFORCE: u32 = 0x14;
const MEMPOWERDOWN: u32 = 0x18;
const SYSCFG_REGISTERS: usize = 7;
/// What can be written of each register.
const SYSCFG_WRITABLE: [u32; SYSCFG_REGISTERS] =
    [u32::MAX, u32::MAX, 0xff00_0000, 0x3fff_ffff, 0x3f, 0xee, 0xff];
const DBGFORCE_ATTACH: u32 = 1 << 7 | 1 << 3;

/// SYSCFG.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct SysCfg {
    registers: [u32; SYSCFG_REGISTERS],
}

impl Default for SysCfg {
    fn default() -> Self {
        Self::new()
    }
}

impl SysCfg {
    /// The state after reset.
    pub fn new() -> Self {
        let mut registers = [0; SYSCFG_REGISTERS];
        registers[(PROC_CONFIG / 4) as usize] = 0x1000_0000;
        registers[(DBGFORCE / 4) as usize] = 0x66;
        Self { registers }
    }

    /// The interrupt lines that are routed to a core's NMI.
    pub fn nmi_mask(&self, core: usize) -> u32 {
        self.registers[if core == 0 { PROC0_NMI_MASK } else { PROC1_NMI_MASK } as usize / 4]
    }
}

impl Peripheral for SysCfg {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > MEMPOWERDOWN {
            io.unknown("SYSCFG", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        self.registers.get((offset / 4) as usize).copied().unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        let n = (offset / 4) as usize;
        let Some(register) = self.registers.get_mut(n) else {
            return io.unknown("SYSCFG", "no such register", true);
        };
        *register = value & SYSCFG_WRITABLE[n];
        match offset {
            MEMPOWERDOWN if *register != 0 => {
                io.unknown("SYSCFG", "MEMPOWERDOWN (memories keep their content)", true);
            }
            DBGFORCE if *register & DBGFORCE_ATTACH != 0 => {
                io.unknown("SYSCFG", "DBGFORCE (debug ports driven by software)", true);
            }
            _ => {}
        }
    }
}

/// TBMAN.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Tbman;

const TBMAN_PLATFORM: u32 = 0x0;
const TBMAN_PLATFORM_ASIC: u32 = 1 << 0;

impl Peripheral for Tbman {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset != TBMAN_PLATFORM {
            io.unknown("TBMAN", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        if offset == TBMAN_PLATFORM { TBMAN_PLATFORM_ASIC } else { 0 }
    }

    fn write(&mut self, offset: u32, _value: u32, io: &mut Io) {
        if offset != TBMAN_PLATFORM {
            io.unknown("TBMAN", "no such register", true);
        }
    }
}

const VREG: u32 = 0x0;
const BOD: u32 = 0x4;
const CHIP_RESET: u32 = 0x8;
const VREG_WRITABLE: u32 = 0xf3;
/// The output is in regulation.
const VREG_ROK: u32 = 1 << 12;
const BOD_WRITABLE: u32 = 0xf1;
const PSM_RESTART_FLAG: u32 = 1 << 24;

/// What reset the chip last, with its bit in CHIP_RESET.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ChipReset {
    /// Power-on, or brown-out.
    PowerOn = 1 << 8,
    /// The RUN pin.
    RunPin = 1 << 16,
    /// A debugger restarted the power-on state machine.
    PsmRestart = 1 << 20,
}

/// VREG_AND_CHIP_RESET.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct VregAndChipReset {
    vreg: u32,
    bod: u32,
    cause: ChipReset,
    restart_flag: bool,
}

impl VregAndChipReset {
    /// The state after a reset of the whole chip.
    pub fn new(cause: ChipReset) -> Self {
        Self { vreg: 0xb1, bod: 0x91, cause, restart_flag: cause == ChipReset::PsmRestart }
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if offset == CHIP_RESET { PSM_RESTART_FLAG } else { 0 }
    }
}

impl Peripheral for VregAndChipReset {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > CHIP_RESET {
            io.unknown("VREG_AND_CHIP_RESET", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            VREG => self.vreg | VREG_ROK,
            BOD => self.bod,
            CHIP_RESET => self.cause as u32 | (u32::from(self.restart_flag) * PSM_RESTART_FLAG),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            VREG => self.vreg = value & VREG_WRITABLE,
            BOD => self.bod = value & BOD_WRITABLE,
            CHIP_RESET => self.restart_flag &= value & PSM_RESTART_FLAG == 0,
            _ => io.unknown("VREG_AND_CHIP_RESET", "no such register", true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_chip_says_that_it_is_an_rp2040_b2() {
        let mut io = Io::default();
        let id = SysInfo.read(CHIP_ID, &mut io);
        assert_eq!((id >> 28, id >> 12 & 0xffff, id & 0xfff), (2, 2, 0x927));
        assert_eq!(SysInfo.read(PLATFORM, &mut io), 0b10);
        assert_eq!(Tbman.read(TBMAN_PLATFORM, &mut io), 0b01);
    }

    #[test]
    fn each_core_has_its_own_mask_of_nmis() {
        let (mut syscfg, mut io) = (SysCfg::new(), Io::default());
        syscfg.write(PROC0_NMI_MASK, 0b0110, &mut io);
        syscfg.write(PROC1_NMI_MASK, 1 << 25, &mut io);
        assert_eq!((syscfg.nmi_mask(0), syscfg.nmi_mask(1)), (0b0110, 1 << 25));
    }

    #[test]
    fn the_voltage_can_be_set_and_is_in_regulation() {
        let (mut vreg, mut io) = (VregAndChipReset::new(ChipReset::PowerOn), Io::default());
        assert_eq!(vreg.read(VREG, &mut io), 0x10b1);
        vreg.write(VREG, 0xf1, &mut io);
        assert_eq!(vreg.read(VREG, &mut io), 0x10f1);
        assert_eq!(vreg.read(BOD, &mut io), 0x91);
    }

    #[test]
    fn the_cause_of_a_chip_reset_stays_and_the_restart_flag_can_be_cleared() {
        let mut io = Io::default();
        assert_eq!(VregAndChipReset::new(ChipReset::PowerOn).read(CHIP_RESET, &mut io), 1 << 8);
        let mut vreg = VregAndChipReset::new(ChipReset::PsmRestart);
        assert_eq!(vreg.read(CHIP_RESET, &mut io), 1 << 24 | 1 << 20);
        vreg.write(CHIP_RESET, PSM_RESTART_FLAG, &mut io);
        assert_eq!(vreg.read(CHIP_RESET, &mut io), 1 << 20);
    }

    #[test]
    fn what_does_nothing_here_is_reported() {
        let (mut syscfg, mut io) = (SysCfg::new(), Io::default());
        syscfg.write(MEMPOWERDOWN, 1, &mut io);
        assert_eq!(io.unknown_accesses().count(), 1);
    }

    proptest! {
        #[test]
        fn random_traffic_never_panics(writes in prop::collection::vec((0u32..20, any::<u32>()), 1..50)) {
            let (mut syscfg, mut vreg, mut io) =
                (SysCfg::new(), VregAndChipReset::new(ChipReset::RunPin), Io::default());
            for (word, value) in writes {
                for block in [&mut syscfg as &mut dyn Peripheral, &mut vreg, &mut SysInfo, &mut Tbman] {
                    block.write(word * 4, value, &mut io);
                    block.read(word * 4, &mut io);
                }
            }
        }
    }
}
