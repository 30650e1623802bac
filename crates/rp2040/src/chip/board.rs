//! What somebody does at a board besides typing: holding its BOOTSEL button, using the disk that it offers on USB, watching
//! what its keyboard or mouse sends, and waiting for its last output when its cores have stopped.

use units::Picoseconds;

use crate::chip::Rp2040;
use crate::peripherals::usb::{HidReport, Sectors};
use mcu::Sleep;
use mcu::Stop;

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
    /// A watchdog that bites meanwhile does so when the cores go on.
    pub fn run_without_cores(&mut self, end: Picoseconds) -> Stop {
        self.catch_up();
        let stop = loop {
            if let Some(stop) = self.bus.stopped.take().or_else(|| self.pass_time(end)) {
                break stop;
            }
            if self.bus.reset.is_some() {
                break Stop::Time;
            }
        };
        let cycle = self.bus.cycle_now();
        for core in self.cores.iter_mut().filter(|core| core.sleep == Sleep::Awake) {
            core.idle_cycles += cycle.saturating_sub(core.cycle);
            core.cycle = core.cycle.max(cycle);
        }
        stop
    }

    /// Whether a UART still has bytes to send.
    pub fn is_sending(&self) -> bool {
        self.bus.blocks.uart.iter().any(|uart| uart.is_sending(&self.bus.io))
    }

    /// Blocks take the time from their surroundings, which may be behind the cores between two runs.
    fn catch_up(&mut self) {
        self.bus.io.now = self.bus.io.now.max(self.now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Setup;
    use mcu::Console;

    fn chip() -> Rp2040 {
        Rp2040::new(&Setup::default()).expect("the default setup is valid")
    }

    fn write(chip: &mut Rp2040, address: u32, value: u32) {
        chip.write_memory(address, &value.to_le_bytes()).expect("there is a register");
    }

    #[test]
    fn a_uart_sends_what_its_fifo_holds_after_the_cores_have_stopped() {
        let mut chip = chip();
        // RESETS.RESET, CLK_PERI_CTRL.ENABLE, then UART0: IBRD, LCR_H (8 bits, FIFO), CR, and two bytes for DR.
        let registers = [
            (0x4000_f000, 1 << 22),
            (0x4000_8048, 1 << 11),
            (0x4003_4024, 4),
            (0x4003_402c, 0x70),
            (0x4003_4030, 0x301),
            (0x4003_4000, u32::from(b'o')),
            (0x4003_4000, u32::from(b'k')),
        ];
        for (address, value) in registers {
            write(&mut chip, address, value);
        }
        let end = chip.now() + Picoseconds::from_ns(2_000_000);
        assert_eq!(chip.run_without_cores(end), Stop::Asleep, "then nothing is left to do");
        let text: Vec<u8> = chip.take_console(Console::Uart0).into_iter().map(|(_, byte)| byte).collect();
        assert_eq!(text, b"ok");
    }

    #[test]
    fn firmware_reads_the_bootsel_button_at_the_flash_select_pin() {
        const SS_CTRL: u32 = 0x4001_800c;
        const OUTPUT_OFF: u32 = 2 << 12;
        const GPIO_HI_IN: u32 = 0xd000_0008;
        let mut chip = chip();
        write(&mut chip, 0x4000_f000, 1 << 22);
        write(&mut chip, SS_CTRL, OUTPUT_OFF);
        for held in [false, true, false] {
            chip.hold_bootsel(held);
            let inputs = chip.read_word(GPIO_HI_IN).expect("there is a register");
            assert_eq!(inputs & 2 == 0, held);
        }
    }
}
