//! The SSI, the serial controller between the chip and its flash: a DW_apb_ssi at 0x18000000 (RP2040 datasheet 4.10).
//!
//! It does two things. Through its FIFOs software exchanges commands with the flash chip, frame by frame, each taking its
//! clocks times BAUDR: that is here, and its registers are in `registers`. And it fetches words for the XIP window
//! (`window`): what one costs is [`Ssi::xip_timing`], and [`Ssi::xip_problem`] says why the chip would not answer such a
//! read, found by sending the very frame to a copy of the chip. A read that the real chip would answer with rubbish still
//! gets the contents here, and the problem is for the user to read. Left out: Microwire and the other frame formats of other makers, DDR, slave select toggling, sample delay.

mod registers;
mod window;

use units::Picoseconds;

use self::registers::{
    DMACR_RDMAE, DMACR_TDMAE, INT_RXF, INT_RXO, INT_TXE, SPI_CTRLR0_RESET, TMOD_EEPROM_READ, TMOD_RX_ONLY,
    TMOD_TX_ONLY,
};
use super::chip::FlashChip;
use super::fifo::Fifo;
use super::frame::{FrameFormat, exchange};
use crate::frequencies;
use crate::io::Io;
use crate::lines::{Dreq, Irq};
use crate::peripherals::Source;

pub use self::window::{XIP_OVERHEAD_CYCLES, XipTiming};

const BLOCK: &str = "SSI";

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
    /// The step under way is over: the next one begins, or the next transfer.
    fn step(&mut self, io: &mut Io) {
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
