//! The frequencies of the clock tree, as the clock registers set them now (RP2040 datasheet 2.15). A stopped clock has
//! 0 Hz. The registers are in `peripherals/clocks.rs`; peripherals read their clock here.

use units::{Hertz, Picoseconds};

/// Hertz of every clock that something on the chip runs on; 0 is a stopped clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Frequencies {
    /// The crystal, as the board has it.
    pub crystal_hz: u64,
    /// Cores, bus, memories, DMA, PIO.
    pub sys_hz: u64,
    /// Watchdog tick and TIMER.
    pub ref_hz: u64,
    /// UART and SPI.
    pub peri_hz: u64,
    /// USB.
    pub usb_hz: u64,
    /// ADC.
    pub adc_hz: u64,
    /// RTC.
    pub rtc_hz: u64,
}

/// What the ring oscillator gives after reset: nominally 6.5 MHz (RP2040 datasheet 2.17).
pub const ROSC_HZ: u64 = 6_500_000;

impl Default for Frequencies {
    /// After reset everything that runs at all runs on the ring oscillator.
    fn default() -> Self {
        Self {
            crystal_hz: 12_000_000,
            sys_hz: ROSC_HZ,
            ref_hz: ROSC_HZ,
            peri_hz: 0,
            usb_hz: 0,
            adc_hz: 0,
            rtc_hz: 0,
        }
    }
}

/// How long `cycles` of a clock take; nothing when the clock is stopped or the time beyond reach.
///
/// ```
/// use units::Picoseconds;
/// assert_eq!(rp2040::frequencies::duration(125_000_000, 3), Some(Picoseconds::from_ns(24)));
/// assert_eq!(rp2040::frequencies::duration(0, 3), None);
/// ```
pub fn duration(hz: u64, cycles: u64) -> Option<Picoseconds> {
    Hertz::new(hz)?.try_edge(cycles)
}
