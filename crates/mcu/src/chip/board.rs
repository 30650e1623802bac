//! What somebody does at a board besides typing: holding its BOOTSEL button, using the disk that it offers on USB, watching
//! what its keyboard or mouse sends, and waiting for its last output when its cores have stopped.

use units::Picoseconds;

use crate::chip::Rp2040;
use crate::chip::run::Stop;
use crate::core::Sleep;
use crate::peripherals::usb::{HidReport, Sectors};

impl Rp2040 {
    /// Holds the BOOTSEL button or lets go of it. Firmware sees it when it takes chip select from the flash and reads the
    /// pin; a reset does not look at it.
    pub fn hold_bootsel(&mut self, held: bool) {
        self.catch_up();
        self.bus.blocks.io_qspi.set_bootsel(held, &mut self.bus.io);
        self.bus.flash_pins_changed();
        self.bus.settle();
    }

    /// Asks the device's disk for sectors (256 at the most); false when it has none. They come out of
    /// [`Rp2040::take_disk`] when the device has given them.
    pub fn read_disk(&mut self, first: u32, sectors: u16) -> bool {
        self.catch_up();
        let asked = self.bus.blocks.usb.read_sectors(first, sectors, &mut self.bus.io);
        self.bus.settle();
        asked
    }

    /// Writes sectors (256 at the most) to the device's disk; false when it has none. The confirmation comes out of
    /// [`Rp2040::take_disk`].
    pub fn write_disk(&mut self, first: u32, data: &[u8]) -> bool {
        self.catch_up();
        let asked = self.bus.blocks.usb.write_sectors(first, data, &mut self.bus.io);
        self.bus.settle();
        asked
    }

    /// Takes the sectors that came since the last call, and the confirmations of those that were written.
    pub fn take_disk(&mut self) -> Vec<Sectors> {
        self.bus.blocks.usb.take_sectors()
    }

    /// Takes the reports of the device's keyboards and mice since the last call.
    pub fn take_hid_reports(&mut self) -> Vec<HidReport> {
        self.bus.blocks.usb.hid_reports()
    }

    /// Lets time pass for everything but the cores, as it does on a board whose cores have locked up: a UART goes on to send
    /// what its FIFO holds, and DMA and PIO go on.
    pub fn run_without_cores(&mut self, end: Picoseconds) -> Stop {
        self.catch_up();
        let sleep = self.cores.each_ref().map(|core| core.sleep);
        for core in &mut self.cores {
            core.sleep = Sleep::Off;
        }
        let stop = self.run_until(end);
        let cycle = self.bus.cycle_now();
        for (core, sleep) in self.cores.iter_mut().zip(sleep) {
            core.sleep = sleep;
            if sleep == Sleep::Awake {
                core.idle_cycles += cycle.saturating_sub(core.cycle);
                core.cycle = core.cycle.max(cycle);
            }
        }
        stop
    }

    /// Blocks take the time from their surroundings, which may be behind the cores between two runs.
    fn catch_up(&mut self) {
        self.bus.io.now = self.bus.io.now.max(self.now());
    }
}
