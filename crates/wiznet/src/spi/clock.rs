//! Which SPI clocks the datasheets allow.

use crate::Model;

/// What a datasheet says of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClockVerdict {
    /// Within what is guaranteed.
    Guaranteed,
    /// Above what is guaranteed and below what is called possible.
    AboveGuaranteed(&'static str),
    /// Above everything that is told.
    AboveLimit(&'static str),
}

/// W5500 datasheet (80 MHz in theory, 33.3 MHz guaranteed); the W5200's datasheet promises 80 MHz,
/// and its maker the same 33.3 MHz (Linux, devicetree binding `wiznet,w5x00`); W5100: 14 MHz, same binding, 70 ns a cycle in
/// its datasheet; W5100S datasheet
pub(crate) fn judge_clock(model: Model, clock_hz: u64) -> ClockVerdict {
    const GUARANTEED_HZ: u64 = 33_300_000 + 100_000;
    const POSSIBLE_HZ: u64 = 80_000_000;
    const W5100_HZ: u64 = 14_300_000;
    const W5100S_HZ: u64 = 70_000_000;
    match model {
        Model::W5100 if clock_hz > W5100_HZ => {
            ClockVerdict::AboveLimit("the W5100 is specified for SPI clocks up to 14.3 MHz")
        }
        Model::W5100S if clock_hz > W5100S_HZ => {
            ClockVerdict::AboveLimit("the W5100S is specified for SPI clocks up to 70 MHz")
        }
        Model::W5200 | Model::W5500 if clock_hz > POSSIBLE_HZ => {
            ClockVerdict::AboveLimit("the W5200 and W5500 are specified for SPI clocks up to 80 MHz")
        }
        Model::W5200 | Model::W5500 if clock_hz > GUARANTEED_HZ => {
            ClockVerdict::AboveGuaranteed("the W5200 and W5500 are guaranteed up to 33.3 MHz only")
        }
        _ => ClockVerdict::Guaranteed,
    }
}
