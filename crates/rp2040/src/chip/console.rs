//! The consoles of a chip: its two UARTs, and the serial port that its USB device offers.

use mcu::Console;
use units::Picoseconds;

use crate::chip::Rp2040;

impl Rp2040 {
    /// Takes what came out of a console since the last call, each byte with its time.
    pub fn take_console(&mut self, console: Console) -> Vec<(Picoseconds, u8)> {
        let blocks = &mut self.bus.blocks;
        match console {
            Console::Uart0 => blocks.uart[0].take_sent(),
            Console::Uart1 => blocks.uart[1].take_sent(),
            Console::Usb => blocks.usb.take_console(),
            Console::Rtt => Vec::new(),
        }
    }

    /// Types text: at a UART bytes arrive one after another at the rate that it is set to, at USB as the device takes them.
    pub fn send_console(&mut self, console: Console, bytes: &[u8]) {
        let now = self.now();
        self.bus.io.now = self.bus.io.now.max(now);
        let (blocks, io) = (&mut self.bus.blocks, &mut self.bus.io);
        match console {
            Console::Uart0 => self.bus.type_at_uart(0, bytes),
            Console::Uart1 => self.bus.type_at_uart(1, bytes),
            Console::Usb => {
                blocks.usb.console_send(bytes, io);
            }
            Console::Rtt => {}
        }
        self.bus.settle();
    }

    /// The USB controller and the PC at the other end of its cable.
    pub fn usb(&self) -> &crate::peripherals::usb::Usb {
        &self.bus.blocks.usb
    }
}
