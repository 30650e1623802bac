//! Pins move as in pulses of which somebody outside was told: the last rounds change by change, and those before in their sum.

use mcu::{Edge, Said};
use units::Picoseconds;

use super::clocked::{Shape, Told, bit};
use super::inputs::KEPT;
use super::loops::Loop;
use super::{ALL_PINS, Io, Pio};

/// Rounds that are gone through edge by edge: as many as there are changes that anybody remembers, two in each at least.
pub(super) const ROUNDS_AT_END: u32 = KEPT.div_ceil(2) as u32;
const _: () = assert!(2 * ROUNDS_AT_END as usize >= KEPT && KEPT >= crate::pins::CHANGES_KEPT);

impl Told {
    /// Whether somebody keeps the edges of a pin that moves.
    pub(super) fn is_recorded(&self, io: &Io) -> bool {
        io.pins.recorded() & (self.shape.clock_mask() | self.shape.out_mask() | self.said_mask()) != 0
    }

    /// Whether what was said in other pulses was said on the same line in the same way, so that the same pins move.
    #[inline]
    pub(super) fn moves_as(&self, other: Option<Said>) -> bool {
        let way = |said: Said| (said.line.pin, said.at_rise, said.is_pulled);
        self.said.map(way) == other.map(way)
    }
}

impl Pio {
    /// Moves all lines. All but the last rounds are done at once.
    pub(super) fn move_in_pulses(&mut self, looped: &Loop, told: &Told, io: &mut Io) {
        let Told { shape, times, .. } = told;
        let skipped = told.count.saturating_sub(ROUNDS_AT_END);
        if skipped != 0 {
            self.skip_pulses(looped, told, skipped, io);
        }
        let heard = std::mem::take(&mut self.heard);
        for round in skipped..told.count {
            for one in looped.moves() {
                let cycle = times.cycle(round, one.tick);
                self.move_told(told, told.levels_after(one, round, self.levels), cycle, io);
                if let Some((pin, level)) = told.said_at(round, one.tick) {
                    self.answer(told, (pin, level), cycle, io);
                }
            }
        }
        io.pins.take_changed_of(shape.clock_mask());
        self.heard = heard;
    }

    /// Moves all lines in the first rounds, of which nobody remembers but that they moved.
    pub(super) fn skip_pulses(&mut self, looped: &Loop, told: &Told, rounds: u32, io: &mut Io) {
        if told.is_recorded(io) {
            self.keep_edges(looped, told, rounds, io);
        }
        let mut skipped = self.skip_from_here(told, io);
        skipped.add(told, rounds);
        self.move_skipped(&skipped, told, io);
    }

    /// Keeps the edges of the first rounds.
    fn keep_edges(&self, looped: &Loop, told: &Told, rounds: u32, io: &mut Io) {
        let own = told.shape.clock_mask() | told.shape.out_mask();
        let mut levels = self.levels & own | io.pins.levels() & told.said_mask();
        for round in 0..rounds {
            for one in looped.moves() {
                let at = told.times.at(&self.edges, round, one.tick);
                let next = told.levels_after(one, round, levels) & own | levels & !own;
                // Of one instant the lower pin comes first, and what is answered last.
                keep_moved(at, levels, next, io);
                levels = next;
                if let Some((pin, level)) = told.said_at(round, one.tick) {
                    let next = levels & !(1 << pin) | u32::from(level) << pin;
                    keep_moved(at, levels, next, io);
                    levels = next;
                }
            }
        }
    }

    /// The pins get the levels that they have behind a cycle of pulses that were told.
    fn move_told(&mut self, told: &Told, levels: u32, cycle: u64, io: &mut Io) {
        let levels = levels & ALL_PINS;
        let changed = levels ^ self.levels;
        let at = told.times.time_of(&self.edges, cycle);
        io.now = io.now.max(at);
        if changed != 0 {
            self.drive_changed(at, (levels, self.enables), changed, cycle, io);
        }
    }

    /// Somebody outside moves a pin in answer to the edge of a cycle.
    fn answer(&mut self, told: &Told, (pin, level): (u8, bool), cycle: u64, io: &mut Io) {
        let at = told.times.time_of(&self.edges, cycle);
        io.now = io.now.max(at);
        match told.said {
            Some(Said { is_pulled: false, .. }) => io.pins.drive_outside(at, pin, Some(level)),
            _ => io.pins.pull_outside(at, pin, Some(level)),
        }
        if !self.looks_away {
            self.observe(cycle, io);
        }
    }

    /// Moves the pins to where they are behind pulses that were skipped, and notes what they did until then.
    pub(super) fn move_skipped(&mut self, skipped: &Skipped, told: &Told, io: &mut Io) {
        let (heard, recorded) = (std::mem::take(&mut self.heard), io.pins.recorded());
        io.pins.record(0);
        let before = io.pins.inputs_changed();
        if let Some((pin, _)) = told.shape.out {
            let levels = self.levels & !(1 << pin) | skipped.written << pin;
            self.move_told(told, levels, skipped.last, io);
        }
        if let Some(said) = told.said {
            self.answer(told, (said.line.pin, skipped.said == 1), skipped.last, io);
        }
        io.pins.note_changes(skipped.changed, before & skipped.changed | skipped.pulsed);
        io.pins.record(recorded);
        self.heard = heard;
    }

    /// Nothing was skipped yet of pulses like these.
    pub(super) fn skip_from_here(&self, told: &Told, io: &Io) -> Skipped {
        let said = told.said.map_or(0, |said| io.pins.inputs() >> said.line.pin & 1);
        Skipped { changed: 0, pulsed: 0, written: told.shape.sent_of(self.levels), said, last: 0 }
    }
}

/// Pulses of which nobody remembers but what the pins did in all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skipped {
    /// The pins that moved, and those that did so more than once.
    changed: u32,
    pulsed: u32,
    /// What OUT wrote last, what was said last, and the last cycle.
    written: u32,
    said: u32,
    last: u64,
}

impl Skipped {
    /// The first rounds of some pulses are skipped as well.
    pub(super) fn add(&mut self, told: &Told, rounds: u32) {
        let Told { shape, times, .. } = told;
        self.last = times.cycle(rounds - 1, shape.rise.max(shape.fall));
        self.add_levels(shape, (told.written, told.said), rounds);
    }

    /// The last cycle is later by the cycles of further pulses.
    pub(super) fn put_off(&mut self, cycles: u64) {
        self.last += cycles;
    }

    /// Further pulses in which this is written and that is said: the time of the last one is not told here.
    #[inline]
    pub(super) fn add_levels(&mut self, shape: &Shape, (written, said): (u32, Option<Said>), rounds: u32) {
        (self.changed, self.pulsed) = (self.changed | shape.clock_mask(), self.pulsed | shape.clock_mask());
        let moves = |bits: u32, from: u32| (bits ^ (from << 31 | bits >> 1)) & (u32::MAX << (32 - rounds));
        if shape.out.is_some() {
            self.note(shape.out_mask(), moves(written, self.written));
            self.written = bit(written, rounds - 1);
        }
        if let Some(said) = said {
            self.note(1 << said.line.pin, moves(said.line.levels, self.said));
            self.said = bit(said.line.levels, rounds - 1);
        }
    }

    /// A pin moved as often as a bit is set.
    #[inline]
    fn note(&mut self, pin: u32, moves: u32) {
        if moves != 0 {
            let is_one = moves & (moves - 1) == 0;
            self.pulsed |= if is_one { pin & self.changed } else { pin };
            self.changed |= pin;
        }
    }
}

/// Keeps the edges of the pins whose levels are others from a time on.
fn keep_moved(at: Picoseconds, before: u32, after: u32, io: &mut Io) {
    let mut moved = before ^ after;
    let pins = std::iter::from_fn(|| {
        let pin = (moved != 0).then(|| moved.trailing_zeros() as u8)?;
        moved &= moved - 1;
        Some(pin)
    });
    io.pins.add_edges(pins.map(|pin| Edge { at, pin, level: after >> pin & 1 == 1 }));
}
