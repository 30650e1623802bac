//! Reads through the XIP window as the SSI makes them: what one costs, why the chip would not answer it, and the state in which
//! both leave the second stage of booting.

use units::Picoseconds;

use super::registers::{TMOD_EEPROM_READ, TMOD_RX_ONLY};
use super::{Engine, Ssi};
use crate::flash::frame::FrameFormat;
use crate::io::Io;

/// Cycles of clk_sys that a read through the XIP window takes beyond its clocks on the wire: cache check, handing over
/// to the SSI, select line, handing back. No datasheet figure. Fitted on 50 cycles for a load that misses with EBh at
/// divider 2 (about 400 ns at 125 MHz, oberon-rtk.org, example CodeLoading), of which 40 are on the wire and 2 are the
/// load's own.
pub const XIP_OVERHEAD_CYCLES: u32 = 8;

/// What a read of 32 bits through the XIP window costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XipTiming {
    /// Clocks of SCK from the select line's fall to its rise.
    pub sck_clocks: u32,
    /// The same in cycles of clk_sys.
    pub wire_cycles: u32,
    /// Cycles of clk_sys that the master which wants the word waits: [`Self::wire_cycles`] and
    /// [`XIP_OVERHEAD_CYCLES`].
    pub miss_cycles_32bit: u32,
}

impl Ssi {
    /// Brings controller and chip into the state in which the usual second stage leaves them (quad reads without
    /// opcode at half of clk_sys), for images that bring no second stage.
    pub fn start_xip(&mut self, io: &mut Io) {
        const QUAD_32_BITS_READ: u32 = 2 << 21 | 31 << 16 | TMOD_EEPROM_READ << 8;
        const ADDRESS_AND_MODE_4_WAITS: u32 = 8 << 2 | 4 << 11;
        self.reset(io);
        self.chip.set_quad_enabled(true);
        let enter = FrameFormat::of(QUAD_32_BITS_READ, ADDRESS_AND_MODE_4_WAITS | 2 << 8 | 1);
        self.chip.select(io.now);
        enter.send_control(&mut self.chip, io.now, 0xeb, 0xa0);
        enter.receive_data(&mut self.chip, io.now);
        self.chip.deselect(io.now);
        self.ctrlr0 = QUAD_32_BITS_READ;
        self.spi_ctrlr0 = 0xa0 << 24 | ADDRESS_AND_MODE_4_WAITS | 2;
        (self.ser, self.baudr, self.rx_sample_dly, self.enabled) = (1, 2, 1, true);
        self.update(io);
    }

    /// What a read through the XIP window costs with the registers as they are.
    pub fn xip_timing(&self) -> XipTiming {
        let format = FrameFormat { data_bits: 32, ..self.format() };
        let sck_clocks = format.control_clocks() + format.data_clocks();
        let wire_cycles = sck_clocks * self.divider().max(2);
        XipTiming { sck_clocks, wire_cycles, miss_cycles_32bit: wire_cycles + XIP_OVERHEAD_CYCLES }
    }

    /// Why a read through the XIP window would not get what the chip holds at that offset; nothing when it would. The
    /// answer is kept until registers or chip change, so that it may be asked for on every miss.
    #[inline]
    pub fn xip_problem(&mut self, now: Picoseconds) -> Option<&'static str> {
        match self.xip_check {
            Some(outcome) => outcome,
            None => self.check_xip(now),
        }
    }

    #[cold]
    fn check_xip(&mut self, now: Picoseconds) -> Option<&'static str> {
        let outcome = self.find_xip_problem(now);
        // A busy chip becomes ready without anyone telling the controller.
        self.xip_check = (!self.chip.is_busy(now)).then_some(outcome);
        outcome
    }

    fn find_xip_problem(&self, now: Picoseconds) -> Option<&'static str> {
        let format = self.format();
        if !self.enabled || self.ser & 1 == 0 || self.divider() == 0 {
            return Some("flash was read while the SSI was off (SSIENR, SER or BAUDR is 0)");
        }
        if self.engine != Engine::Idle || self.cs_override.is_some() {
            return Some(
                "flash was read while a command was under way or its select line forced (IO_QSPI OUTOVER)",
            );
        }
        if self.chip.is_busy(now) {
            return Some("flash was read while it was erasing or programming");
        }
        if format.data_bits != 32 || self.ctrlr0 >> 8 & 3 < TMOD_RX_ONLY {
            return Some("flash was read while the SSI was set up for commands, not for XIP (CTRLR0)");
        }
        if format.reads_in_place(&self.chip, now) {
            None
        } else if self.chip.is_powered_down() {
            Some("flash was read while it was powered down")
        } else {
            Some(
                "flash was read with a frame that it does not take in its state (SPI_CTRLR0, continuous read, QE)",
            )
        }
    }
}
