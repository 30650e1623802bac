//! Which looks at registers may be those of short loops, whose turns a core leaves out by itself without stopping
//! (`cortexm::short_spin`): it is worth a try at a place in the code as long as it succeeds there now and then.

use units::Picoseconds;

use crate::bus::spin_loop::ROUNDED;
use crate::bus::{Bus, Steady};

/// Places that are known at once.
const PLACES: usize = 16;
/// So many looks in a row are tried in vain at a place, and so many are left alone then.
const TRIES: u8 = 4;
const LOOKS_LEFT_ALONE: u8 = 64;

/// An instruction that looks, and how many tries in a row were in vain.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    pc: u32,
    in_vain: u8,
    /// Whether a loop was found here.
    is_loop: bool,
}

/// Nothing of this is state of the chip: whoever forgets it leaves out fewer turns, and sees the same.
#[derive(Debug, Clone, Default)]
pub(super) struct ShortLoops {
    places: [Place; PLACES],
    /// Where the last look was that is worth a try, and what it was at; and whether the core has not tried yet.
    tried: Option<(usize, u32)>,
    is_new: bool,
}

impl ShortLoops {
    /// A core looks at a register; gives whether a loop was found at that place.
    #[inline]
    pub(super) fn look(&mut self, pc: u32, address: u32) -> bool {
        let number = pc as usize / 2 % PLACES;
        let place = &mut self.places[number];
        if place.pc != pc {
            *place = Place { pc, ..Place::default() };
        }
        self.is_new = place.in_vain < TRIES;
        self.tried = self.is_new.then_some((number, address));
        place.in_vain = (place.in_vain + 1) % LOOKS_LEFT_ALONE;
        place.is_loop && place.in_vain < TRIES
    }

    /// Whether the last load was a look that is worth a try; once for each.
    #[inline(always)]
    pub(super) fn take_look(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// The place of the last look, if that was one at this address.
    fn tried_at(&mut self, address: u32) -> Option<&mut Place> {
        let (number, tried) = self.tried?;
        (tried == address).then(|| &mut self.places[number])
    }
}

impl Bus {
    /// How many turns of so many cycles a core may leave out behind a look, each of which ends with the same look: none of them
    /// comes up to the next event, or to where the core stops.
    pub(super) fn unseen_turns(&mut self, address: u32, cycle: u64, turn_cycles: u64) -> u64 {
        let Some(until) = self.steady_until(address) else { return 0 };
        let Some(place) = self.spin.short_loops.tried_at(address) else { return 0 };
        (place.in_vain, place.is_loop) = (0, true);
        let until = self.clock.cycle_at(until - ROUNDED).min(self.limit);
        let turns = until.saturating_sub(cycle + 1) / turn_cycles;
        if turns != 0 {
            self.spin.end();
        }
        turns
    }

    /// Up to when a register shows the same, and nothing happens that anybody would notice; nothing where flows may go on meanwhile.
    fn steady_until(&self, address: u32) -> Option<Picoseconds> {
        if self.attention || self.is_observed() {
            return None;
        }
        match self.steady(address)? {
            (Steady::UntilEvent, until) => Some(until.min(self.io.next_noticed())),
            _ => None,
        }
    }
}
