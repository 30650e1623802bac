//! The consoles of a chip: its UARTs, and the serial port that its USB device offers.

/// Where text comes out and goes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Console {
    /// UART0.
    Uart0,
    /// UART1.
    Uart1,
    /// The first USB serial port (CDC ACM).
    Usb,
}
