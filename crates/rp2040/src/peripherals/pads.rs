//! The electrical side of the pins (RP2040 datasheet 2.19.6.3 and 2.19.6.4): PADS_BANK0 for the GPIOs and PADS_QSPI
//! for the flash. Pulls, input enable and output disable act; voltage, drive strength, slew rate and Schmitt trigger
//! keep what is written.

use super::Peripheral;
use crate::io::Io;
use crate::pins::{PIN_COUNT, Pad};

const VOLTAGE_SELECT: u32 = 0x00;
const PAD0: u32 = 0x04;
const PAD_BITS: u32 = 0xff;
const PAD_PDE: u32 = 1 << 2;
const PAD_PUE: u32 = 1 << 3;
const PAD_IE: u32 = 1 << 6;
const PAD_OD: u32 = 1 << 7;
/// Input on, 4 mA, pull-down, Schmitt trigger.
const GPIO_RESET: u32 = 0x56;
/// The debug pins have their output off and a pull-up.
const SWCLK_RESET: u32 = 0xda;
const SWD_RESET: u32 = 0x5a;
const SWCLK: usize = PIN_COUNT as usize;
const BANK0_PADS: usize = PIN_COUNT as usize + 2;

fn decoded(register: u32) -> Pad {
    Pad {
        pull_up: register & PAD_PUE != 0,
        pull_down: register & PAD_PDE != 0,
        input_enable: register & PAD_IE != 0,
        output_disable: register & PAD_OD != 0,
    }
}

/// Which pad a register belongs to; nothing for VOLTAGE_SELECT and beyond the end.
fn pad_of(offset: u32, pads: usize) -> Option<usize> {
    let pad = (offset.checked_sub(PAD0)? / 4) as usize;
    (pad < pads).then_some(pad)
}

/// PADS_BANK0: 30 GPIOs, SWCLK and SWD.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct PadsBank0 {
    voltage: u32,
    pads: [u32; BANK0_PADS],
}

impl Default for PadsBank0 {
    fn default() -> Self {
        Self::new()
    }
}

impl PadsBank0 {
    /// The state after reset.
    pub fn new() -> Self {
        let mut pads = [GPIO_RESET; BANK0_PADS];
        pads[SWCLK] = SWCLK_RESET;
        pads[SWCLK + 1] = SWD_RESET;
        Self { voltage: 0, pads }
    }

    /// Back to the state after reset, with the pins that hang on it.
    pub fn reset(&mut self, io: &mut Io) {
        *self = Self::new();
        for pin in 0..PIN_COUNT as u8 {
            io.pins.set_pad(io.now, pin, decoded(GPIO_RESET));
        }
    }
}

impl Peripheral for PadsBank0 {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset != VOLTAGE_SELECT && pad_of(offset, BANK0_PADS).is_none() {
            io.unknown("PADS_BANK0", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        pad_of(offset, BANK0_PADS)
            .map_or(if offset == VOLTAGE_SELECT { self.voltage } else { 0 }, |n| self.pads[n])
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match pad_of(offset, BANK0_PADS) {
            Some(pad) => {
                self.pads[pad] = value & PAD_BITS;
                if pad < SWCLK {
                    io.pins.set_pad(io.now, pad as u8, decoded(value));
                }
            }
            None if offset == VOLTAGE_SELECT => self.voltage = value & 1,
            None => io.unknown("PADS_BANK0", "no such register", true),
        }
    }
}

const QSPI_PADS: usize = 6;
/// SCLK, SD0 to SD3 and SS, in the order of the registers.
const QSPI_RESET: [u32; QSPI_PADS] = [0x56, 0x52, 0x52, 0x52, 0x52, 0x5a];
/// Where SCLK, SS and SD0 to SD3, the order of every other block, lie among the registers.
const QSPI_ORDER: [usize; QSPI_PADS] = [0, 5, 1, 2, 3, 4];

/// PADS_QSPI.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct PadsQspi {
    voltage: u32,
    pads: [u32; QSPI_PADS],
}

impl Default for PadsQspi {
    fn default() -> Self {
        Self::new()
    }
}

impl PadsQspi {
    /// The state after reset.
    pub fn new() -> Self {
        Self { voltage: 0, pads: QSPI_RESET }
    }

    /// The pads in the order SCLK, SS, SD0 to SD3; the bus hands them to
    /// [`crate::peripherals::io_bank0::IoQspi::set_pads`] after each write.
    pub fn pads(&self) -> [Pad; 6] {
        QSPI_ORDER.map(|n| decoded(self.pads[n]))
    }
}

impl Peripheral for PadsQspi {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset != VOLTAGE_SELECT && pad_of(offset, QSPI_PADS).is_none() {
            io.unknown("PADS_QSPI", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        pad_of(offset, QSPI_PADS)
            .map_or(if offset == VOLTAGE_SELECT { self.voltage } else { 0 }, |n| self.pads[n])
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match pad_of(offset, QSPI_PADS) {
            Some(pad) => self.pads[pad] = value & PAD_BITS,
            None if offset == VOLTAGE_SELECT => self.voltage = value & 1,
            None => io.unknown("PADS_QSPI", "no such register", true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GPIO7: u32 = PAD0 + 4 * 7;

    #[test]
    fn pulls_move_a_pin_that_nothing_drives() {
        let (mut pads, mut io) = (PadsBank0::new(), Io::default());
        assert_eq!(pads.read(GPIO7, &mut io), 0x56);
        pads.write(GPIO7, PAD_IE | PAD_PUE, &mut io);
        assert_eq!(io.pins.inputs(), 1 << 7);
        pads.write(GPIO7, PAD_IE, &mut io);
        assert_eq!(io.pins.inputs(), 1 << 7, "it floats where it was");
        pads.write(GPIO7, PAD_IE | PAD_PDE, &mut io);
        assert_eq!(io.pins.inputs(), 0);
    }

    #[test]
    fn a_pad_without_input_enable_reads_low() {
        let (mut pads, mut io) = (PadsBank0::new(), Io::default());
        pads.write(GPIO7, PAD_PUE, &mut io);
        assert_eq!((io.pins.levels(), io.pins.inputs()), (1 << 7, 0));
    }

    #[test]
    fn the_debug_pads_have_their_own_values_after_reset() {
        let (mut pads, mut io) = (PadsBank0::new(), Io::default());
        assert_eq!((pads.read(0x7c, &mut io), pads.read(0x80, &mut io)), (0xda, 0x5a));
        pads.write(0x7c, 0x11, &mut io);
        assert_eq!(pads.read(0x7c, &mut io), 0x11);
        pads.reset(&mut io);
        assert_eq!(pads.read(0x7c, &mut io), 0xda);
    }

    #[test]
    fn chip_select_of_the_flash_is_pulled_up() {
        let (mut pads, mut io) = (PadsQspi::new(), Io::default());
        let up = pads.pads().map(|pad| pad.pull_up);
        assert_eq!(up, [false, true, false, false, false, false]);
        pads.write(0x18, PAD_PDE, &mut io);
        assert!(pads.pads()[1].pull_down);
    }

    proptest! {
        #[test]
        fn random_traffic_never_panics(writes in prop::collection::vec((0u32..1024, any::<u32>()), 1..50)) {
            let (mut bank0, mut qspi, mut io) = (PadsBank0::new(), PadsQspi::new(), Io::default());
            for (word, value) in writes {
                for block in [&mut bank0 as &mut dyn Peripheral, &mut qspi] {
                    block.write(word * 4, value, &mut io);
                    block.read(word * 4, &mut io);
                }
                let _ = qspi.pads();
            }
        }
    }
}
