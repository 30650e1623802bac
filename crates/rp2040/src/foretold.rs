//! Levels at pins that are known ahead because what stands outside foretold them ([`mcu::Foretold`]), and how far they have come.

use mcu::Foretold;
use units::Picoseconds;

use crate::pins::Pins;

/// Levels that the chip carries out by itself.
#[derive(Debug, Clone)]
pub(crate) struct ForetoldCourse {
    foretold: Foretold,
    /// The first step that has not come yet.
    next: usize,
    /// Tells it from those before.
    number: u64,
}

impl ForetoldCourse {
    /// The beginning of what was foretold as number `number`.
    pub(crate) fn new(foretold: Foretold, number: u64) -> Self {
        Self { foretold, next: 0, number }
    }

    /// What was foretold.
    #[inline]
    pub(crate) fn foretold(&self) -> &Foretold {
        &self.foretold
    }

    /// The first step that is still to come at the pins.
    #[inline]
    pub(crate) fn next(&self) -> usize {
        self.next
    }

    /// Its number.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// When the pins change next; nothing once all has come.
    #[inline]
    pub(crate) fn next_change(&self) -> Option<Picoseconds> {
        self.foretold.at(self.foretold.next_change(self.next)?)
    }

    /// When the last change up to and including a time comes, that has not come yet.
    pub(crate) fn last_until(&self, until: Picoseconds) -> Option<Picoseconds> {
        let end = self.foretold.first_after(until).max(self.next);
        let last = self.foretold.last_changes(self.next..end, 1);
        if last == end { None } else { self.foretold.at(last) }
    }

    /// Lets everything come up to and including a time. Of many changes the pins remember the last ones and that they changed.
    pub(crate) fn carry_out(&mut self, until: Picoseconds, pins: &mut Pins) {
        let end = self.foretold.first_after(until).max(self.next);
        pins.drive_outside_in_row(&self.foretold, self.next..end);
        self.next = end;
    }
}
