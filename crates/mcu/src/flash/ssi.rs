//! The SSI, the serial controller between the chip and its flash: a DW_apb_ssi at 0x18000000 (RP2040 datasheet 4.10).
//!
//! It does two things. Through its FIFOs software exchanges commands with the flash chip, frame by frame, each taking its
//! clocks times BAUDR. And it fetches words for the XIP window: what one costs is [`Ssi::xip_timing`], and
//! [`Ssi::xip_problem`] says why the chip would not answer such a read, found by sending the very frame to a copy of
//! the chip. A read that the real chip would answer with rubbish still gets the contents here, and the problem is for the
//! user to read. Left out: Microwire and the other frame formats of other makers, DDR, slave select toggling, sample delay.

use units::Picoseconds;

use super::chip::FlashChip;
use super::fifo::{DEPTH, Fifo};
use super::frame::{FrameFormat, exchange};
use super::registers::*;
use crate::frequencies;
use crate::io::Io;
use crate::lines::{Dreq, Irq};
use crate::peripherals::{Peripheral, Source};

const BLOCK: &str = "SSI";

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

/// What the shift logic does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Engine {
    Idle,
    /// One frame both ways on one line; what comes in is kept or not.
    Exchange {
        word: u32,
        keep: bool,
    },
    /// Frames that are only received.
    Receive {
        left: u32,
    },
    /// Instruction, address and wait clocks of a dual or quad transfer.
    Control {
        instruction: u32,
        address: u32,
    },
    /// A data frame to the chip on two or four lines.
    Send {
        word: u32,
    },
}

/// The controller and, behind it, the flash chip.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Ssi {
    chip: FlashChip,
    ctrlr0: u32,
    ctrlr1: u32,
    enabled: bool,
    mwcr: u32,
    ser: u32,
    baudr: u32,
    txftlr: u32,
    rxftlr: u32,
    imr: u32,
    sticky: u32,
    dmacr: u32,
    dmatdlr: u32,
    dmardlr: u32,
    rx_sample_dly: u32,
    spi_ctrlr0: u32,
    txd_drive_edge: u32,
    tx: Fifo,
    rx: Fifo,
    engine: Engine,
    /// Start of the running chain of frames and the cycles of clk_sys since.
    anchor: Picoseconds,
    anchor_cycles: u64,
    cs_override: Option<bool>,
    /// The outcome of the last check of the XIP frame; nothing when registers or chip may have changed since.
    #[serde(skip)]
    xip_check: Option<Option<&'static str>>,
}

impl Ssi {
    /// After reset, in front of this chip.
    pub fn new(chip: FlashChip) -> Self {
        Self {
            chip,
            ctrlr0: 0,
            ctrlr1: 0,
            enabled: false,
            mwcr: 0,
            ser: 0,
            baudr: 0,
            txftlr: 0,
            rxftlr: 0,
            imr: 0,
            sticky: 0,
            dmacr: 0,
            dmatdlr: 0,
            dmardlr: 0,
            rx_sample_dly: 0,
            spi_ctrlr0: SPI_CTRLR0_RESET,
            txd_drive_edge: 0,
            tx: Fifo::default(),
            rx: Fifo::default(),
            engine: Engine::Idle,
            anchor: Picoseconds::ZERO,
            anchor_cycles: 0,
            cs_override: None,
            xip_check: None,
        }
    }

    /// Puts the controller back as after reset; the chip, which is another device, keeps its state, and so does the
    /// override of its select line.
    pub fn reset(&mut self, io: &mut Io) {
        io.cancel(Source::Ssi);
        *self = Self { cs_override: self.cs_override, ..Self::new(self.chip.clone()) };
        self.drive_select(io.now);
        self.update(io);
    }

    /// The flash chip.
    #[inline]
    pub fn flash(&self) -> &FlashChip {
        &self.chip
    }

    /// The flash chip, for whoever sends it commands past the controller.
    pub fn flash_mut(&mut self) -> &mut FlashChip {
        self.xip_check = None;
        &mut self.chip
    }

    /// The output override of pin QSPI_SS (IO_QSPI, GPIO_QSPI_SS_CTRL.OUTOVER): the level that software forces on the
    /// select line, or nothing.
    pub fn set_cs_override(&mut self, now: Picoseconds, level: Option<bool>) {
        self.cs_override = level;
        self.drive_select(now);
    }

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

    fn format(&self) -> FrameFormat {
        FrameFormat::of(self.ctrlr0, self.spi_ctrlr0)
    }

    /// SCKDV: the lowest bit does not exist.
    fn divider(&self) -> u32 {
        self.baudr & 0xfffe
    }

    fn is_standard(&self) -> bool {
        self.ctrlr0 >> 21 & 3 == 0
    }

    fn tmod(&self) -> u32 {
        self.ctrlr0 >> 8 & 3
    }

    fn drive_select(&mut self, now: Picoseconds) {
        let high = self.cs_override.unwrap_or(self.engine == Engine::Idle);
        if high {
            self.chip.deselect(now);
        } else {
            self.chip.select(now);
        }
        self.xip_check = None;
    }

    /// Begins a transfer if one may begin.
    fn start(&mut self, io: &mut Io) {
        if self.engine != Engine::Idle || !self.enabled || self.ser & 1 == 0 || self.divider() == 0 {
            return;
        }
        self.anchor = io.now;
        self.anchor_cycles = 0;
        if let Some(engine) = self.first_step() {
            self.engine = engine;
            self.drive_select(io.now);
            self.schedule(io);
        }
    }

    fn first_step(&mut self) -> Option<Engine> {
        if self.is_standard() {
            let word = self.tx.pop()?;
            return Some(match self.tmod() {
                TMOD_RX_ONLY => Engine::Receive { left: self.ctrlr1 + 1 },
                tmod => Engine::Exchange { word, keep: tmod == 0 },
            });
        }
        let format = self.format();
        if format.control_words() == 0 {
            // With neither instruction nor address the word only starts the transfer.
            self.tx.pop()?;
            return Some(Engine::Control { instruction: 0, address: 0 });
        }
        if self.tx.len() < format.control_words() {
            return None;
        }
        let instruction = if format.instruction_bits > 0 { self.tx.pop()? } else { 0 };
        let address = if format.address_bits > 0 { self.tx.pop()? } else { 0 };
        Some(Engine::Control { instruction, address })
    }

    fn next_step(&mut self) -> Engine {
        let receive = Engine::Receive { left: self.ctrlr1 + 1 };
        match self.engine {
            Engine::Idle => Engine::Idle,
            Engine::Exchange { keep, .. } => match self.tx.pop() {
                Some(word) => Engine::Exchange { word, keep },
                None if self.tmod() == TMOD_EEPROM_READ => receive,
                None => Engine::Idle,
            },
            Engine::Receive { left } if left > 1 => Engine::Receive { left: left - 1 },
            Engine::Receive { .. } => Engine::Idle,
            Engine::Control { .. } if self.tmod() != TMOD_TX_ONLY => receive,
            Engine::Control { .. } | Engine::Send { .. } => {
                self.tx.pop().map_or(Engine::Idle, |word| Engine::Send { word })
            }
        }
    }

    /// Arms the end of the step that has just begun.
    fn schedule(&mut self, io: &mut Io) {
        let format = self.format();
        let clocks = match self.engine {
            Engine::Idle => return io.cancel(Source::Ssi),
            Engine::Exchange { .. } => format.data_bits,
            Engine::Control { .. } => format.control_clocks(),
            Engine::Receive { .. } | Engine::Send { .. } => format.data_clocks(),
        };
        self.anchor_cycles += u64::from(clocks) * u64::from(self.divider());
        match frequencies::duration(io.clocks.sys_hz, self.anchor_cycles) {
            Some(since) => io.wake_at(Source::Ssi, self.anchor + since),
            None => io.cancel(Source::Ssi),
        }
    }

    fn finish_step(&mut self, now: Picoseconds) {
        let format = self.format();
        let received = match self.engine {
            Engine::Idle => None,
            Engine::Exchange { word, keep } => {
                let received = exchange(&mut self.chip, now, word, format.data_bits);
                keep.then_some(received)
            }
            Engine::Receive { .. } => Some(format.receive_data(&mut self.chip, now)),
            Engine::Control { instruction, address } => {
                format.send_control(&mut self.chip, now, instruction, address);
                None
            }
            Engine::Send { word } => {
                format.send_data(&mut self.chip, now, word);
                None
            }
        };
        if received.is_some_and(|word| !self.rx.push(word)) {
            self.sticky |= INT_RXO;
        }
    }

    fn interrupts(&self) -> u32 {
        let empty = if self.tx.len() <= self.txftlr as usize { INT_TXE } else { 0 };
        let full = if self.rx.len() > self.rxftlr as usize { INT_RXF } else { 0 };
        // TX FIFO empty is no event before the controller is on.
        (if self.enabled { empty } else { 0 }) | full | self.sticky
    }

    fn update(&mut self, io: &mut Io) {
        io.lines.set_irq(Irq::XIP, self.interrupts() & self.imr != 0);
        let wants = self.dmacr & DMACR_TDMAE != 0 && self.enabled && self.tx.len() <= self.dmatdlr as usize;
        let has = self.dmacr & DMACR_RDMAE != 0 && self.rx.len() > self.dmardlr as usize;
        io.lines.set_dreq(Dreq::XIP_SSITX, wants && !self.tx.is_full());
        io.lines.set_dreq(Dreq::XIP_SSIRX, has);
        if let Some(note) = self.chip.take_note() {
            io.unknown(BLOCK, note, true);
        }
    }

    fn set_enabled(&mut self, enabled: bool, io: &mut Io) {
        if self.enabled && !enabled {
            self.tx.clear();
            self.rx.clear();
            self.engine = Engine::Idle;
            io.cancel(Source::Ssi);
            self.drive_select(io.now);
        }
        self.enabled = enabled;
    }

    fn status(&self) -> u32 {
        let flag = |condition: bool, bit| if condition { bit } else { 0 };
        flag(self.engine != Engine::Idle, SR_BUSY)
            | flag(!self.tx.is_full(), SR_TFNF)
            | flag(self.tx.is_empty(), SR_TFE)
            | flag(!self.rx.is_empty(), SR_RFNE)
            | flag(self.rx.is_full(), SR_RFF)
    }

    /// The interrupts that reading a clear register clears.
    fn cleared_by(offset: u32) -> u32 {
        match offset {
            TXOICR => INT_TXO,
            RXOICR => INT_RXO,
            RXUICR => INT_RXU,
            ICR => INT_TXO | INT_RXO | INT_RXU,
            _ => 0,
        }
    }

    fn peek_register(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            CTRLR0 => self.ctrlr0,
            CTRLR1 => self.ctrlr1,
            SSIENR => u32::from(self.enabled),
            MWCR => self.mwcr,
            SER => self.ser,
            BAUDR => self.baudr,
            TXFTLR => self.txftlr,
            RXFTLR => self.rxftlr,
            TXFLR => self.tx.len() as u32,
            RXFLR => self.rx.len() as u32,
            SR => self.status(),
            IMR => self.imr,
            ISR => self.interrupts() & self.imr,
            RISR => self.interrupts(),
            TXOICR | RXOICR | RXUICR | ICR => u32::from(self.sticky & Self::cleared_by(offset) != 0),
            MSTICR => 0,
            DMACR => self.dmacr,
            DMATDLR => self.dmatdlr,
            DMARDLR => self.dmardlr,
            IDR => IDENTITY,
            SSI_VERSION_ID => VERSION,
            DR0..=DR_LAST => self.rx.front().unwrap_or(0),
            RX_SAMPLE_DLY => self.rx_sample_dly,
            SPI_CTRLR0 => self.spi_ctrlr0,
            TXD_DRIVE_EDGE => self.txd_drive_edge,
            _ => return None,
        })
    }

    /// Registers that only take a value while the controller is off (RP2040 datasheet 4.10.13).
    fn write_setting(&mut self, offset: u32, value: u32) {
        if self.enabled {
            return;
        }
        match offset {
            CTRLR0 => self.ctrlr0 = value & CTRLR0_BITS,
            CTRLR1 => self.ctrlr1 = value & 0xffff,
            MWCR => self.mwcr = value & 7,
            BAUDR => self.baudr = value & 0xffff,
            RX_SAMPLE_DLY => self.rx_sample_dly = value & 0xff,
            SPI_CTRLR0 => self.spi_ctrlr0 = value & SPI_CTRLR0_BITS,
            _ => self.txd_drive_edge = value & 0xff,
        }
    }
}

impl Peripheral for Ssi {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let Some(value) = self.peek_register(offset) else {
            io.unknown(BLOCK, "no such register", false);
            return 0;
        };
        if (DR0..=DR_LAST).contains(&offset) {
            if self.rx.pop().is_none() {
                self.sticky |= INT_RXU;
            }
        } else {
            self.sticky &= !Self::cleared_by(offset);
        }
        self.update(io);
        value
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        self.peek_register(offset).unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        self.xip_check = None;
        match offset {
            CTRLR0 | CTRLR1 | MWCR | BAUDR | RX_SAMPLE_DLY | SPI_CTRLR0 | TXD_DRIVE_EDGE => {
                self.write_setting(offset, value);
            }
            SSIENR => self.set_enabled(value & 1 != 0, io),
            SER => self.ser = value & 1,
            TXFTLR => self.txftlr = (value & 0xff).min(DEPTH as u32 - 1),
            RXFTLR => self.rxftlr = (value & 0xff).min(DEPTH as u32 - 1),
            IMR => self.imr = value & 0x3f,
            DMACR => self.dmacr = value & 3,
            DMATDLR => self.dmatdlr = (value & 0xff).min(DEPTH as u32 - 1),
            DMARDLR => self.dmardlr = (value & 0xff).min(DEPTH as u32 - 1),
            DR0..=DR_LAST => {
                if self.enabled && !self.tx.push(value) {
                    self.sticky |= INT_TXO;
                }
            }
            TXFLR | RXFLR | SR | ISR | RISR | TXOICR | RXOICR | RXUICR | MSTICR | ICR | IDR
            | SSI_VERSION_ID => {}
            _ => io.unknown(BLOCK, "no such register", true),
        }
        self.start(io);
        self.update(io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.finish_step(io.now);
        self.engine = self.next_step();
        if self.engine == Engine::Idle {
            self.drive_select(io.now);
            self.start(io);
        } else {
            self.schedule(io);
        }
        self.update(io);
    }
}
