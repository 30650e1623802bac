//! Making a chip, loading an image into it, and starting it.

use crate::bus::{Bus, ResetCause, RomCall, Size};
use crate::chip::Rp2040;
use crate::chip::decoded::Decoded;
use crate::chip::memory_loop::MemoryLoop;
use crate::chip::supply::AllAsleep;
use crate::rom::{self, HoldingPen, PenState};
use cortexm::Core;
use mcu::Sleep;
use mcu::image::{Boot, Image};

/// Where the vector table of an image without second stage is.
const FLASH_VECTORS: u32 = 0x1000_0000;

/// What a chip is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The crystal at XIN.
    pub crystal_hz: u64,
    /// The flash chip: a power of two from 64 KiB to 16 MiB.
    pub flash_bytes: u32,
    /// The unique number of the flash chip.
    pub unique_id: u64,
    /// The genuine boot ROM in place of our own.
    pub rom: Option<Vec<u8>>,
    /// Whether a PC is plugged into the USB port.
    pub usb_connected: bool,
    /// Where random numbers start (the ring oscillator's random bit).
    pub seed: u64,
}

impl Default for Setup {
    /// A Raspberry Pi Pico with a PC on its USB port.
    fn default() -> Self {
        Self {
            crystal_hz: 12_000_000,
            flash_bytes: 2 << 20,
            unique_id: 0xe660_a4a7_1234_5678,
            rom: None,
            usb_connected: true,
            seed: 1,
        }
    }
}

/// A chip that cannot be made or started like that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The flash size.
    #[error(
        "a flash of {0} bytes is none that the boot ROM knows; give a power of two from 65536 to 16777216"
    )]
    FlashSize(u32),
    /// The boot ROM.
    #[error("{0}")]
    Rom(String),
    /// An image with bytes where no memory is.
    #[error("{image} has bytes for {address:#010x}, where this chip has no memory; build it for the RP2040")]
    NoMemory {
        /// Its name.
        image: String,
        /// Where.
        address: u32,
    },
    /// The image does not fit.
    #[error(
        "{image} needs {needed} bytes of flash, and the board has {there}; take a board with a larger flash"
    )]
    ImageTooLarge {
        /// Its name.
        image: String,
        /// Bytes up to its end.
        needed: u32,
        /// Bytes of the flash.
        there: u32,
    },
}

impl Rp2040 {
    /// A chip with an erased flash.
    ///
    /// # Errors
    /// When the setup is none that could be built.
    pub fn new(setup: &Setup) -> Result<Self, SetupError> {
        let mut chip = Self {
            cores: [Core::new(0), Core::new(1)],
            bus: Bus::new(setup)?,
            code: Decoded::default(),
            boot: Boot::Flash,
            at_fault: None,
            stop_at_faults: true,
            resets: 0,
            asleep: AllAsleep::default(),
            iteration: None,
            memory_loop: MemoryLoop::default(),
        };
        if !setup.usb_connected {
            chip.bus.blocks.usb.disconnect(&mut chip.bus.io);
        }
        chip.bus.blocks.clocks.update(&mut chip.bus.io);
        chip.start_cores();
        Ok(chip)
    }

    /// Puts an image into flash and RAM, and starts it.
    ///
    /// # Errors
    /// When the flash is too small, or the boot ROM would not start it.
    pub fn load(&mut self, image: &Image) -> Result<(), SetupError> {
        let there = self.bus.ssi.flash().size_bytes();
        let needed = image.flash_bytes();
        if needed > there {
            return Err(SetupError::ImageTooLarge { image: image.name().to_owned(), needed, there });
        }
        for segment in image.segments() {
            self.bus
                .poke_shared(segment.address, &segment.bytes)
                .map_err(|address| SetupError::NoMemory { image: image.name().to_owned(), address })?;
        }
        self.code = Decoded::default();
        self.bus.stale_sram.clear();
        self.boot = image.boot();
        // Core 1 greets core 0 each time it comes to the ROM; of these words only the last one was sent at power-on.
        self.bus.blocks.sio.reset(&mut self.bus.io);
        self.start_cores();
        self.boot()
    }

    /// Both cores as after reset.
    fn start_cores(&mut self) {
        self.bus.reset = None;
        self.start_core(0);
        self.start_core(1);
    }

    /// A core as after reset, in the boot ROM. Core 1 waits there to be launched, and tells core 0 so.
    fn start_core(&mut self, core: usize) {
        self.bus.reset_private(core);
        if core == 1 {
            self.bus.pen = HoldingPen::new();
        }
        if self.bus.rom.is_genuine() {
            let stack = self.bus.peek(0, Size::Word).unwrap_or(0);
            let entry = self.bus.peek(4, Size::Word).unwrap_or(0);
            self.cores[core].restart(entry, stack);
            return;
        }
        self.cores[core].restart(0, 0);
        self.cores[core].sleep = if core == 0 { Sleep::Off } else { Sleep::Launch };
        if core == 1 {
            self.bus.step_pen();
        }
    }

    /// From reset to the first instruction that is not the boot ROM's own.
    fn boot(&mut self) -> Result<(), SetupError> {
        // The ROM's accesses are one step, and wait for no turn of a core 1 that goes on meanwhile.
        self.bus.run_free(0);
        if self.bus.rom.is_genuine() && self.boot == Boot::Flash {
            return Ok(());
        }
        let (entry, stack, link) = match self.boot {
            Boot::Flash => {
                let cycle = self.cores[0].cycle;
                let mut call = RomCall { core: &mut self.cores[0], bus: &mut self.bus, cycle, fault: None };
                let rom = call.bus.rom.clone();
                let entry = rom::boot(&rom, &mut call).map_err(|error| SetupError::Rom(error.to_string()))?;
                let end = call.cycle;
                self.cores[0].cycle = end + u64::from(entry.cycles);
                (entry.program_counter, entry.stack_pointer, entry.link_register)
            }
            Boot::FlashVectors => {
                self.bus.ssi.start_xip(&mut self.bus.io);
                self.bus.flash_settings_changed();
                self.bus.ppb[0].set_vector_table(FLASH_VECTORS);
                let stack = self.bus.peek(FLASH_VECTORS, Size::Word).unwrap_or(0);
                let entry = self.bus.peek(FLASH_VECTORS + 4, Size::Word).unwrap_or(0);
                (entry, stack, u32::MAX)
            }
            Boot::Ram { entry, stack_pointer } => (entry, stack_pointer, u32::MAX),
        };
        self.cores[0].restart(entry, stack);
        self.cores[0].set_register(cortexm::LR, link);
        self.cores[0].sleep = Sleep::Awake;
        Ok(())
    }

    /// Carries out a reset that the image asked for; what stops the run if it cannot start again.
    pub(super) fn reset(&mut self, cause: ResetCause) -> Result<(), SetupError> {
        self.resets += 1;
        let cores = match cause {
            ResetCause::Cores(cores) => cores,
            ResetCause::Watchdog | ResetCause::Software => {
                self.bus.reset_blocks(cause);
                0b11
            }
        };
        let cycle = self.bus.cycle_now();
        self.end_of_sleep(cycle);
        self.bus.reset = None;
        for core in [0, 1].into_iter().filter(|core| cores >> core & 1 == 1) {
            self.cores[core].cycle = self.cores[core].cycle.max(cycle);
            self.start_core(core);
        }
        if cores & 1 == 1 { self.boot() } else { Ok(()) }
    }

    /// Core 1 sleeps in the boot ROM: it may be launched now.
    pub(super) fn launch(&mut self) {
        let state = self.bus.step_pen();
        if let PenState::Launched { vector_table, stack_pointer, entry, cycles } = state {
            let cycle = self.bus.cycle_now();
            self.end_of_sleep(cycle);
            let core = &mut self.cores[1];
            core.idle_cycles += cycle.saturating_sub(core.cycle);
            core.cycle = core.cycle.max(cycle) + u64::from(cycles);
            core.restart(entry, stack_pointer);
            core.set_register(cortexm::LR, self.bus.rom.dead_address() | 1);
            self.bus.ppb[1].set_vector_table(vector_table);
        }
    }

    /// Core 1 is held in reset, or let go, by the power-on state machine.
    pub(super) fn power_core1(&mut self, on: bool) {
        self.bus.reset_private(1);
        self.bus.pen = HoldingPen::new();
        let core = &mut self.cores[1];
        core.restart(0, 0);
        core.sleep = if on { Sleep::Launch } else { Sleep::Off };
        if on {
            self.launch();
        }
    }
}
