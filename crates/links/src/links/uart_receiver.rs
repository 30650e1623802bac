//! The receiving half of the UART's DMA mode: characters fall into a ring, and the firmware hears of them when half
//! of the ring is full or when the line has been idle for one character. Which of the two a message ends on follows
//! from its length and its place in the ring. Characters that overrun the ring are left out: the link refuses
//! firmware that is slower than the line.

use units::Picoseconds;

use crate::budget::Budget;
use crate::stage::{Cause, Load, Part, Passage, Stage, Visit};

/// What the receiver's time is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct DmaTiming {
    /// One character on the wire, with the gap after it.
    pub(super) character: Picoseconds,
    /// The idle line after which the receiver reports.
    pub(super) idle_frame: Picoseconds,
    /// From an interrupt to done, without the characters themselves.
    pub(super) report: Picoseconds,
    /// Copying and parsing one character.
    pub(super) per_byte: Picoseconds,
}

/// A ring that DMA fills, read at its half, at its end and when the line falls idle.
#[derive(Debug)]
pub(super) struct DmaRing {
    ring_bytes: u32,
    timing: DmaTiming,
    /// Where the next character goes.
    position: u32,
}

/// What happens after the last character of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Report {
    /// Until the receiver hears of the last characters.
    wait: Picoseconds,
    /// From then to done.
    work: Picoseconds,
}

const IDLE: usize = 0;
const FIRMWARE: usize = 1;

impl DmaRing {
    /// An empty ring.
    pub(super) fn new(ring_bytes: u32, timing: DmaTiming) -> Self {
        Self { ring_bytes, timing, position: 0 }
    }

    /// The report of a message that ends just before `end`.
    fn report(&self, end: u32, message_bytes: u32) -> Report {
        let half = self.ring_bytes / 2;
        let timing = &self.timing;
        let copying = |bytes: u32| Picoseconds::new(timing.per_byte.ps() * i64::from(bytes));
        let beyond_half = end % half;
        if beyond_half == 0 {
            let work = copying(message_bytes.min(half)) + timing.report;
            if work <= timing.idle_frame {
                return Report { wait: Picoseconds::ZERO, work };
            }
            // The idle interrupt comes before the main loop has seen the message, and finds nothing to copy.
            let busy = copying(message_bytes.min(half)).max(timing.idle_frame);
            return Report { wait: timing.idle_frame, work: busy - timing.idle_frame + timing.report };
        }
        let last = message_bytes.min(beyond_half);
        // The interrupt of the half before may still be copying.
        let before = copying((message_bytes - last).min(half));
        let since_half = Picoseconds::new(timing.character.ps() * i64::from(last)) + timing.idle_frame;
        let backlog = (before - since_half).max(Picoseconds::ZERO);
        Report { wait: timing.idle_frame, work: backlog + copying(last) + timing.report }
    }
}

impl Stage for DmaRing {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("idle line that ends a message", Cause::Protocol),
            Part::new("firmware, last character to done", Cause::Cpu),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let bytes = visit.load.frame_bytes;
        if visit.stays == 0 {
            self.position = (self.position + bytes % self.ring_bytes) % self.ring_bytes;
        }
        let report = self.report(self.position, bytes);
        if visit.stays == 0 && report.wait > Picoseconds::ZERO {
            return Passage::Stay { part: IDLE, until: visit.now + report.wait };
        }
        Passage::Leave { part: FIRMWARE, at: visit.now + report.work }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let bytes = load.frame_bytes;
        let share = 1.0 / f64::from(self.ring_bytes);
        // Messages of one length come round to the same places, evenly over what their length lets them reach.
        for message in 1..=self.ring_bytes {
            let end = (u64::from(message) * u64::from(bytes) % u64::from(self.ring_bytes)) as u32;
            let report = self.report(end, bytes);
            budget.add_weighted(IDLE, report.wait, share);
            budget.add_weighted(FIRMWARE, report.work, share);
        }
    }
}
