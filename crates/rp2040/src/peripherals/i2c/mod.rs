//! I2C0 and I2C1: the DW_apb_i2c (RP2040 datasheet 4.3) as controller and as target.
//!
//! A target is at the pins (`target.rs`). A controller is there too where somebody else may be on the bus (`signals.rs`): a wire
//! leads from its pins to others, or to another board. Else addresses and bytes take the time that the SCL counters give and
//! are spoken with the outside when their acknowledgement ends; the levels of SDA and SCL stay released then, and a recorder
//! of the pins gets their edges all the same.
//!
//! Left out, and reported when firmware asks for it: the start byte. Left out without a report: the lines' rise times, the spike
//! filter, and clock stretching by devices that are spoken with in bytes.

mod controller;
pub(crate) mod open_drain;
mod registers;
mod scl;
mod signals;
mod target;
#[cfg(test)]
mod target_tests;
#[cfg(test)]
mod tests;
mod wires;

use std::collections::VecDeque;

use self::controller::Bus;
use self::open_drain::OpenDrain;
use self::registers::*;
use self::target::Target;
use super::{Peripheral, Source};
use crate::io::Io;
use crate::lines::{Dreq, Irq};

/// Words in each FIFO.
const DEPTH: usize = 16;
const BLOCK: [&str; 2] = ["I2C0", "I2C1"];
const SOURCE: [Source; 2] = [Source::I2c0, Source::I2c1];
const TARGET_SOURCE: [Source; 2] = [Source::I2c0Target, Source::I2c1Target];
const IRQ: [Irq; 2] = [Irq::I2C0, Irq::I2C1];
const TX_DREQ: [Dreq; 2] = [Dreq::I2C0_TX, Dreq::I2C1_TX];
const RX_DREQ: [Dreq; 2] = [Dreq::I2C0_RX, Dreq::I2C1_RX];

/// One of the two I2Cs.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct I2c {
    port: u8,
    con: u32,
    tar: u32,
    sar: u32,
    ss_hcnt: u32,
    ss_lcnt: u32,
    fs_hcnt: u32,
    fs_lcnt: u32,
    fs_spklen: u32,
    intr_mask: u32,
    /// The interrupts that stand until they are cleared.
    sticky: u32,
    rx_tl: u32,
    tx_tl: u32,
    enable: u32,
    sda_hold: u32,
    abort_source: u32,
    slv_data_nack_only: u32,
    dma_cr: u32,
    dma_tdlr: u32,
    dma_rdlr: u32,
    sda_setup: u32,
    ack_general_call: u32,
    tx: VecDeque<u16>,
    rx: VecDeque<u16>,
    bus: Bus,
    lines: OpenDrain,
    target: Target,
    /// What IC_ENABLE_STATUS says of the last time that the block was switched off.
    disabled: u32,
}

impl I2c {
    /// I2C0 or I2C1 after reset.
    pub fn new(port: u8) -> Self {
        Self {
            port: port & 1,
            con: 0x65,
            tar: 0x55,
            sar: 0x55,
            ss_hcnt: 0x28,
            ss_lcnt: 0x2f,
            fs_hcnt: 0x06,
            fs_lcnt: 0x0d,
            fs_spklen: 7,
            intr_mask: 0x8ff,
            sticky: 0,
            rx_tl: 0,
            tx_tl: 0,
            enable: 0,
            sda_hold: 1,
            abort_source: 0,
            slv_data_nack_only: 0,
            dma_cr: 0,
            dma_tdlr: 0,
            dma_rdlr: 0,
            sda_setup: 0x64,
            ack_general_call: 1,
            tx: VecDeque::new(),
            rx: VecDeque::new(),
            bus: Bus::default(),
            lines: OpenDrain::default(),
            target: Target::default(),
            disabled: 0,
        }
    }

    fn index(&self) -> usize {
        usize::from(self.port)
    }

    fn is_enabled(&self) -> bool {
        self.enable & ENABLE_ENABLE != 0
    }

    /// IC_RAW_INTR_STAT.
    fn raw_interrupts(&self) -> u32 {
        let few = self.is_enabled() && self.tx.len() <= self.tx_tl as usize;
        let done = self.con & CON_TX_EMPTY_CTRL == 0 || !self.bus.has_command();
        self.sticky
            | (if few && done { INT_TX_EMPTY } else { 0 })
            | (if self.rx.len() > self.rx_tl as usize { INT_RX_FULL } else { 0 })
    }

    fn status(&self) -> u32 {
        let (controller, target) = (u32::from(self.bus.is_active()), u32::from(self.target.is_active()));
        controller
            | target
            | u32::from(self.tx.len() < DEPTH) << 1
            | u32::from(self.tx.is_empty()) << 2
            | u32::from(!self.rx.is_empty()) << 3
            | u32::from(self.rx.len() >= DEPTH) << 4
            | controller << 5
            | target << 6
    }

    /// IC_ENABLE_STATUS: a disabled block is still on until the byte under way and its stop are over.
    fn enable_status(&self) -> u32 {
        u32::from(self.is_enabled() || self.bus.step != controller::Step::Rest) | self.disabled
    }

    /// Puts the levels of interrupt and data requests on their lines.
    pub(crate) fn apply_lines(&self, io: &mut Io) {
        let port = self.index();
        let tx = self.dma_cr & DMA_CR_TDMAE != 0 && self.tx.len() <= self.dma_tdlr as usize;
        let rx = self.dma_cr & DMA_CR_RDMAE != 0 && self.rx.len() > self.dma_rdlr as usize;
        io.lines.set_dreq(TX_DREQ[port], tx && self.is_enabled() && self.tx.len() < DEPTH);
        io.lines.set_dreq(RX_DREQ[port], rx);
        io.lines.set_irq(IRQ[port], self.raw_interrupts() & self.intr_mask != 0);
    }

    fn write_data(&mut self, value: u32) {
        // The FIFO is held empty while the block is off and after an abort.
        if !self.is_enabled() || self.sticky & INT_TX_ABRT != 0 {
            return;
        }
        if self.tx.len() < DEPTH {
            self.tx.push_back(value as u16 & 0x7ff);
        } else {
            self.sticky |= INT_TX_OVER;
        }
    }

    fn read_data(&mut self) -> u32 {
        if let Some(word) = self.rx.pop_front() {
            return u32::from(word);
        }
        if self.is_enabled() {
            self.sticky |= INT_RX_UNDER;
        }
        0
    }

    fn write_enable(&mut self, value: u32, io: &mut Io) {
        // ABORT clears itself and cannot be taken back.
        let abort = (self.enable | value) & ENABLE_ABORT & if self.bus.is_active() { u32::MAX } else { 0 };
        let was_enabled = self.is_enabled();
        self.enable = value & (ENABLE_ENABLE | ENABLE_TX_CMD_BLOCK) | abort;
        if !self.is_enabled() {
            if was_enabled {
                self.disable_target(io);
            }
            self.tx.clear();
            self.rx.clear();
            self.sticky &= !(INT_RX_UNDER | INT_RX_OVER | INT_TX_OVER | INT_ACTIVITY);
        } else if !was_enabled {
            self.disabled = 0;
            self.begin_to_listen(io);
        }
    }

    /// Reading one of the CLR registers clears this.
    fn clear(&mut self, interrupts: u32) {
        let held = if self.bus.is_active() || self.target.is_active() { INT_ACTIVITY } else { 0 };
        self.sticky &= !(interrupts & !held);
        if interrupts & INT_TX_ABRT != 0 {
            self.abort_source = 0;
        }
    }

    /// Registers that are locked while the block is on; one of them only while its target is at work.
    fn write_setting(&mut self, offset: u32, value: u32) {
        if self.is_enabled() && (offset != IC_SLV_DATA_NACK_ONLY || self.target.is_active()) {
            return;
        }
        match offset {
            IC_CON => self.con = value & 0x3ff,
            IC_TAR => self.tar = value & 0xfff,
            IC_SAR => self.sar = value & 0x3ff,
            // The least counts that the hardware takes (RP2040 datasheet 4.3.14.1).
            IC_SS_SCL_HCNT => self.ss_hcnt = (value & 0xffff).max(6),
            IC_SS_SCL_LCNT => self.ss_lcnt = (value & 0xffff).max(8),
            IC_FS_SCL_HCNT => self.fs_hcnt = (value & 0xffff).max(6),
            IC_FS_SCL_LCNT => self.fs_lcnt = (value & 0xffff).max(8),
            IC_FS_SPKLEN => self.fs_spklen = (value & 0xff).max(1),
            IC_SDA_HOLD => self.sda_hold = value & 0xff_ffff,
            IC_SLV_DATA_NACK_ONLY => self.slv_data_nack_only = value & 1,
            IC_SDA_SETUP => self.sda_setup = value & 0xff,
            _ => {}
        }
    }
}

/// What reading a CLR register clears.
fn cleared_by(offset: u32) -> Option<u32> {
    Some(match offset {
        IC_CLR_INTR => {
            INT_RX_UNDER
                | INT_RX_OVER
                | INT_TX_OVER
                | INT_RD_REQ
                | INT_TX_ABRT
                | INT_RX_DONE
                | INT_ACTIVITY
                | INT_STOP_DET
                | INT_START_DET
                | INT_GEN_CALL
        }
        IC_CLR_RX_UNDER => INT_RX_UNDER,
        IC_CLR_RX_OVER => INT_RX_OVER,
        IC_CLR_TX_OVER => INT_TX_OVER,
        IC_CLR_RD_REQ => INT_RD_REQ,
        IC_CLR_TX_ABRT => INT_TX_ABRT,
        IC_CLR_RX_DONE => INT_RX_DONE,
        IC_CLR_ACTIVITY => INT_ACTIVITY,
        IC_CLR_STOP_DET => INT_STOP_DET,
        IC_CLR_START_DET => INT_START_DET,
        IC_CLR_GEN_CALL => INT_GEN_CALL,
        IC_CLR_RESTART_DET => INT_RESTART_DET,
        _ => return None,
    })
}

impl Peripheral for I2c {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let value = match offset {
            IC_DATA_CMD => {
                let value = self.read_data();
                // A read command or a target's byte may have waited for room.
                self.serve_target(io);
                self.proceed(io);
                value
            }
            IC_CON..=IC_SAR
            | IC_SS_SCL_HCNT..=IC_FS_SCL_LCNT
            | IC_INTR_STAT..=IC_FS_SPKLEN
            | IC_CLR_RESTART_DET
            | IC_COMP_PARAM_1..=IC_COMP_TYPE => {
                let value = self.peek(offset, io);
                if let Some(interrupts) = cleared_by(offset) {
                    self.clear(interrupts);
                }
                value
            }
            _ => {
                io.unknown(BLOCK[self.index()], "no such register", false);
                0
            }
        };
        self.apply_lines(io);
        value
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            IC_CON => self.con,
            IC_TAR => self.tar,
            IC_SAR => self.sar,
            IC_DATA_CMD => self.rx.front().copied().map_or(0, u32::from),
            IC_SS_SCL_HCNT => self.ss_hcnt,
            IC_SS_SCL_LCNT => self.ss_lcnt,
            IC_FS_SCL_HCNT => self.fs_hcnt,
            IC_FS_SCL_LCNT => self.fs_lcnt,
            IC_INTR_STAT => self.raw_interrupts() & self.intr_mask,
            IC_INTR_MASK => self.intr_mask,
            IC_RAW_INTR_STAT => self.raw_interrupts(),
            IC_RX_TL => self.rx_tl,
            IC_TX_TL => self.tx_tl,
            IC_ENABLE => self.enable,
            IC_STATUS => self.status(),
            IC_TXFLR => self.tx.len() as u32,
            IC_RXFLR => self.rx.len() as u32,
            IC_SDA_HOLD => self.sda_hold,
            IC_TX_ABRT_SOURCE => self.abort_source,
            IC_SLV_DATA_NACK_ONLY => self.slv_data_nack_only,
            IC_DMA_CR => self.dma_cr,
            IC_DMA_TDLR => self.dma_tdlr,
            IC_DMA_RDLR => self.dma_rdlr,
            IC_SDA_SETUP => self.sda_setup,
            IC_ACK_GENERAL_CALL => self.ack_general_call,
            IC_ENABLE_STATUS => self.enable_status(),
            IC_FS_SPKLEN => self.fs_spklen,
            IC_COMP_VERSION => COMP_VERSION,
            IC_COMP_TYPE => COMP_TYPE,
            _ => cleared_by(offset).map_or(0, |interrupts| u32::from(self.sticky & interrupts != 0)),
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            IC_DATA_CMD => {
                self.write_data(value);
                self.serve_target(io);
            }
            IC_CON | IC_TAR | IC_SAR | IC_SS_SCL_HCNT..=IC_FS_SCL_LCNT => self.write_setting(offset, value),
            IC_FS_SPKLEN | IC_SDA_HOLD | IC_SLV_DATA_NACK_ONLY | IC_SDA_SETUP => {
                self.write_setting(offset, value);
            }
            IC_INTR_MASK => self.intr_mask = value & 0x1fff,
            IC_RX_TL => self.rx_tl = (value & 0xff).min(DEPTH as u32),
            IC_TX_TL => self.tx_tl = (value & 0xff).min(DEPTH as u32),
            IC_ENABLE => self.write_enable(value, io),
            IC_DMA_CR => self.dma_cr = value & 3,
            IC_DMA_TDLR => self.dma_tdlr = value & 0xf,
            IC_DMA_RDLR => self.dma_rdlr = value & 0xf,
            IC_ACK_GENERAL_CALL => self.ack_general_call = value & 1,
            IC_INTR_STAT..=IC_ENABLE_STATUS | IC_CLR_RESTART_DET | IC_COMP_PARAM_1..=IC_COMP_TYPE => {}
            _ => io.unknown(BLOCK[self.index()], "no such register", true),
        }
        self.proceed(io);
        self.apply_lines(io);
    }

    fn wake(&mut self, source: Source, io: &mut Io) {
        if source == TARGET_SOURCE[self.index()] {
            self.target_wakes(io);
        } else if self.bus.on_pins && self.bus.step != controller::Step::Rest {
            self.end_phase(io);
        } else {
            self.end_step(io);
        }
        self.apply_lines(io);
    }
}
