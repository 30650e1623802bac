//! The end of an image: its last output still comes out of the chip after the cores have stopped, and it may have given a
//! status.

use mcu::Stop;
use units::{PS_PER_MS, Picoseconds};

use super::run::{Course, Ended, Listener};
use super::{Board, Console};

/// How long output may take to come out: 32 bytes of a UART's FIFO at 4800 baud.
const MOST_MS: i64 = 70;
/// A PC asks a USB port for data in every frame of 1 ms: after two it has what was ready.
const USB_FRAMES: i64 = 2;

impl Board {
    /// Lets out what UARTs and USB hold when the cores have stopped for good; the awaited text may be among it.
    pub(super) fn let_output_out(
        &mut self,
        ended: Ended,
        course: &mut Course<'_>,
        listener: &mut dyn Listener,
    ) -> Ended {
        let Ended::Chip(Stop::Fault(_) | Stop::LockedUp(_) | Stop::Ended(_) | Stop::BootLoader) = ended
        else {
            return ended;
        };
        let frames = if self.usb_console_is_there() { USB_FRAMES } else { 0 };
        let mut found: Option<Console> = None;
        for passed_ms in 0..MOST_MS {
            if passed_ms >= frames && !self.chip.is_sending() {
                break;
            }
            self.chip.run_without_cores(self.now() + Picoseconds::new(PS_PER_MS));
            found = found.or(self.collect(course, listener));
        }
        match (found, ended) {
            (Some(console), Ended::Chip(stop)) if self.end_status(stop) == Some(0) => Ended::Text(console),
            _ => ended,
        }
    }

    /// The status of an image that ended itself.
    pub(super) fn status_of(&self, ended: Ended) -> Option<u32> {
        match ended {
            Ended::Chip(stop) => self.end_status(stop),
            _ => None,
        }
    }

    /// The same where the chip came back.
    pub(super) fn end_status(&self, stop: Stop) -> Option<u32> {
        match stop {
            Stop::Ended(status) => Some(status),
            Stop::Fault(fault) | Stop::LockedUp(fault) => self.chip.end_status(fault),
            _ => None,
        }
    }
}
