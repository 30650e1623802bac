//! The bus: what the two cores share, and how it is reached (RP2040 datasheet 2.1). A core's loads and stores are in `access`,
//! the register blocks by address in `block` and `blocks`, and what follows from an access, to interrupts, pins and the DMA,
//! in `consequences`.

mod access;
mod aside;
pub(crate) mod block;
mod block_resets;
mod blocks;
mod consequences;
mod cores;
mod dma;
mod fed_block;
mod fed_pio;
mod flash;
mod flow;
mod in_step;
mod intake;
mod many_beside;
mod many_words;
mod memory_map;
mod outside;
mod patience;
mod registers;
mod resets;
mod rom;
mod rows;
mod sampling;
mod short_loops;
mod spin_loop;
mod typing;
mod unnoticed;

use cortexm::{Ppb, Watch};
use mcu::{Stop, StopAt};
use units::Picoseconds;

use crate::chip::{Setup, SetupError};
use crate::contention::Contention;
use crate::cycle_clock::CycleClock;
use crate::flash::{FlashChip, Ssi, XipCache};
use crate::frequencies::Frequencies;
use crate::io::Io;
use crate::memory::Sram;
use crate::rom::{HoldingPen, Rom};
use crate::waits::Waits;
use flow::Flow;
use sampling::Sampling;
use spin_loop::Spin;
use unnoticed::PioOutlook;

pub(crate) use blocks::Blocks;
pub(crate) use cortexm::Size;
pub(crate) use dma::is_sram;
pub(crate) use rom::RomCall;
pub(crate) use spin_loop::{Looks, ROUNDED, Steady};
use std::collections::VecDeque;

pub(crate) const ROM_BYTES: u32 = 16 * 1024;
pub(crate) const FLASH_BASE: u32 = 0x1000_0000;

/// Everything that the two cores share.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Bus {
    pub(crate) io: Io,
    pub(crate) clock: CycleClock,
    /// The frequencies that everything was told of.
    pub(crate) clocks_seen: Frequencies,
    pub(crate) ppb: [Ppb; 2],
    /// The event registers of the cores (WFE, SEV).
    pub(crate) events: [bool; 2],
    pub(crate) sram: Sram,
    #[serde(skip)]
    pub(crate) rom: Rom,
    pub(crate) ssi: Ssi,
    pub(crate) xip: XipCache,
    pub(crate) blocks: Blocks,
    /// Core 1 in the boot ROM, waiting to be launched.
    pub(crate) pen: HoldingPen,
    /// Offsets of words in SRAM that were written where code had been decoded.
    #[serde(skip)]
    pub(crate) stale_sram: Vec<u32>,
    /// Something changed that the cores must not run past.
    pub(crate) attention: bool,
    #[serde(skip)]
    pub(crate) watch: Watch,
    /// More than one bus master is at work on the memory.
    #[serde(skip)]
    shares_memory: bool,
    /// Who used which bank of it of late, while that is so.
    #[serde(skip)]
    contention: Contention,
    /// What is typed at each UART and has not arrived yet.
    pub(crate) typed: [VecDeque<u8>; 2],
    /// Of each core: the cycle up to which it may access what is not memory, because the other one has come that far.
    pub(crate) may_run_to: [u64; 2],
    /// What ends the run.
    #[serde(skip)]
    pub(crate) stopped: Option<Stop>,
    #[serde(skip)]
    pub(crate) stop_at: StopAt,
    /// Why the chip is to be reset.
    pub(crate) reset: Option<ResetCause>,
    /// Core 1 is to be held in reset (false) or let go (true).
    pub(crate) proc1: Option<bool>,
    /// Accesses to flash that the performance counters know of.
    xip_counted: u64,
    /// Transfers that the DMA made.
    pub(crate) dma_transfers: u64,
    /// Cycles that the cores waited for the flash.
    pub(crate) xip_stall_cycles: u64,
    /// What the cores wait for, where somebody wants to know.
    #[serde(skip)]
    pub(crate) waits: Option<Box<Waits>>,
    /// Cycles that a bus master waited for a bank of SRAM.
    pub(crate) bank_wait_cycles: u64,
    /// When the cores stop by themselves; an event before that must be looked at.
    pub(crate) horizon: Picoseconds,
    /// The cycle of the horizon or of the other core's turn, up to which a core executes.
    pub(crate) limit: u64,
    /// Whether the horizon moved since the limit was found out.
    pub(crate) has_moved: bool,
    /// The end of the run, and the cycle of the other core's turn, up to which the horizon may move.
    #[serde(skip)]
    farthest: Option<(Picoseconds, u64)>,
    /// Whoever lets things happen here asks behind them how far a core may run.
    #[serde(skip)]
    pub(crate) asks_anew: bool,
    /// What is known to flow until the next event or write that is none of its own.
    #[serde(skip)]
    pub(crate) flow: Option<Flow>,
    /// What the cores looked at of late.
    #[serde(skip)]
    pub(crate) spin: Spin,
    /// Whether anybody notices what the PIO blocks do, where that is known.
    #[serde(skip)]
    pio_outlook: Option<PioOutlook>,
    /// A block that is led on later although it may raise an interrupt in a while.
    #[serde(skip)]
    sampling: Option<Sampling>,
    /// A core looks at how full FIFOs of PIO blocks are: whoever leads these on stops behind each word.
    #[serde(skip)]
    heeds_words: bool,
    /// No core uses the cache of the flash meanwhile: words from there may be moved when their turn comes.
    #[serde(skip)]
    flash_is_free: bool,
    /// The last access that left blocks behind, to which they are led at the end of a run at the latest.
    #[serde(skip)]
    looked_until: Picoseconds,
}

/// What resets the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum ResetCause {
    /// The watchdog, which keeps its scratch registers.
    Watchdog,
    /// The boot ROM or a debugger: the whole chip.
    Software,
    /// A core with AIRCR.SYSRESETREQ, or the watchdog where it is to reset no more: these cores, a bit each.
    Cores(u8),
}

impl Bus {
    /// The bus of a chip that was never switched on.
    pub(crate) fn new(setup: &Setup) -> Result<Self, SetupError> {
        let mut flash = FlashChip::new(setup.flash_bytes as usize)
            .map_err(|_| SetupError::FlashSize(setup.flash_bytes))?;
        flash.set_unique_id(setup.unique_id.to_be_bytes());
        let rom = match &setup.rom {
            None => Rom::new(),
            Some(bytes) => Rom::from_bytes(bytes).map_err(|error| SetupError::Rom(error.to_string()))?,
        };
        Ok(Self {
            io: Io::default(),
            clock: CycleClock::new(crate::frequencies::ROSC_HZ),
            clocks_seen: Frequencies::default(),
            ppb: Default::default(),
            events: [false; 2],
            sram: Sram::default(),
            rom,
            ssi: Ssi::new(flash),
            xip: XipCache::default(),
            blocks: Blocks::new(setup.crystal_hz, setup.seed),
            pen: HoldingPen::new(),
            stale_sram: Vec::new(),
            attention: false,
            watch: Watch::default(),
            shares_memory: false,
            contention: Contention::default(),
            typed: Default::default(),
            may_run_to: [u64::MAX; 2],
            stopped: None,
            stop_at: StopAt::default(),
            reset: None,
            proc1: None,
            xip_counted: 0,
            xip_stall_cycles: 0,
            waits: None,
            dma_transfers: 0,
            bank_wait_cycles: 0,
            horizon: Picoseconds::ZERO,
            limit: 0,
            has_moved: false,
            farthest: None,
            asks_anew: false,
            flow: None,
            spin: Spin::default(),
            pio_outlook: None,
            sampling: None,
            heeds_words: false,
            flash_is_free: false,
            looked_until: Picoseconds::ZERO,
        })
    }

    /// A copy for a snapshot; nothing when what stands outside cannot be copied.
    pub(crate) fn snapshot(&self) -> Option<Self> {
        Some(self.copy_with(self.io.snapshot()?))
    }

    /// A copy with nothing outside.
    pub(crate) fn copy_alone(&self) -> Self {
        self.copy_with(self.io.copy_alone())
    }

    fn copy_with(&self, io: Io) -> Self {
        Self {
            io,
            clock: self.clock,
            clocks_seen: self.clocks_seen,
            ppb: self.ppb.clone(),
            events: self.events,
            sram: self.sram.clone(),
            rom: self.rom.clone(),
            ssi: self.ssi.clone(),
            xip: self.xip.clone(),
            blocks: self.blocks.clone(),
            pen: self.pen,
            stale_sram: Vec::new(),
            attention: self.attention,
            watch: self.watch.snapshot(),
            shares_memory: self.shares_memory,
            contention: self.contention.clone(),
            typed: self.typed.clone(),
            may_run_to: self.may_run_to,
            stopped: self.stopped,
            stop_at: self.stop_at,
            reset: self.reset,
            proc1: self.proc1,
            xip_counted: self.xip_counted,
            xip_stall_cycles: self.xip_stall_cycles,
            waits: None,
            dma_transfers: self.dma_transfers,
            bank_wait_cycles: self.bank_wait_cycles,
            horizon: self.horizon,
            limit: self.limit,
            has_moved: self.has_moved,
            farthest: None,
            asks_anew: false,
            flow: None,
            spin: Spin::default(),
            pio_outlook: None,
            sampling: None,
            heeds_words: false,
            flash_is_free: false,
            looked_until: Picoseconds::ZERO,
        }
    }
}
