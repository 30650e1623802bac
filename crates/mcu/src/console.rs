//! The consoles of a chip: its UARTs, the serial port that its USB device offers, and what a debug probe reads in its RAM.

/// Where text comes out and goes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Console {
    /// UART0.
    Uart0,
    /// UART1.
    Uart1,
    /// The first USB serial port (CDC ACM).
    Usb,
    /// RTT (SEGGER's Real Time Transfer): buffers in RAM, which a debug probe reads. No chip has it of its own.
    Rtt,
}
