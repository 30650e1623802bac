//! Words that a loop shifts out one after the other, while somebody brings them: each is done in one go, up to and including the OUT
//! that takes the next one. The pins follow later, and what they do in all words but the last is told in its sum.

use units::Picoseconds;

use super::burst::{TOLD, Untold};
use super::clocked::{Shape, Told};
use super::decoded::Decoded;
use super::divider::Divider;
use super::loops::Loop;
use super::reach::Reach;
use super::rounds::{Rounds, written_first};
use super::state_machine::StateMachine;
use super::{Io, Pio};

/// Rounds of the shortest word, whose changes are all that anybody remembers.
const FEWEST_ROUNDS: u32 = TOLD as u32 + 1;

/// A machine on its way from word to word. It stands at the beginning of its loop.
pub(crate) struct Row {
    n: usize,
    decoded: Box<Decoded>,
    pins: Pins,
    /// The last cycle in which something was done.
    reached: Option<u64>,
}

/// What was done and does not show at the pins yet.
enum Pins {
    /// Nobody hears of them before the end: levels that are told, and the word before.
    Unheard(Untold, Option<(Rounds, Divider, u32)>),
    /// They are told as the pulses of a clock: those of the word before.
    Clock(Shape, Option<Told>),
}

impl Pio {
    /// Sets out on a row of words of machine `n`, of which one is complete up to and including `until`; nothing where it is not in a
    /// loop for that. Whoever gets one has to end it before anything else happens to the block.
    pub(crate) fn begin_row(
        &mut self,
        n: usize,
        (reach, heard): (&Reach, u32),
        until: Picoseconds,
        io: &Io,
    ) -> Option<Row> {
        let machine = &self.machines[n];
        let looped = self.decoded[n].as_ref()?.known_loop_at(machine.pc)?;
        let (_, cycle) = next_word(machine, looped)?;
        let goes_on = machine.is_between_instructions() && !machine.wants_refill() && !self.lines_stale;
        if !goes_on || io.clocks.sys_hz != self.edges.hz() || self.edges.time_of(cycle)? > until {
            return None;
        }
        (self.looks_away, self.may_move, self.heard) = (!reach.looks_at_pins, reach.pins, heard);
        let pins = if self.works_alone() == Some(n) { self.pins_of_row(n, looped, io) } else { None };
        match pins.and_then(|pins| Some((pins, self.decoded[n].take()?))) {
            Some((pins, decoded)) => Some(Row { n, decoded, pins, reached: None }),
            None => {
                (self.looks_away, self.heard) = (false, 0);
                None
            }
        }
    }

    fn pins_of_row(&self, n: usize, looped: &Loop, io: &Io) -> Option<Pins> {
        let untold = self.begin_burst(n, io)?;
        let bits = looped.out.map_or(1, |out| u32::from(out.bits));
        if u32::from(self.machines[n].config.pull_threshold) / bits < FEWEST_ROUNDS {
            return None;
        }
        match self.shape_of(n, looped, &untold, io) {
            Some(shape) => Some(Pins::Clock(shape, None)),
            None => untold.tells_sums_of(looped).then_some(Pins::Unheard(untold, None)),
        }
    }

    /// When the row takes its next word; nothing where it ends before.
    pub(crate) fn next_of_row(&self, row: &Row) -> Option<Picoseconds> {
        let machine = &self.machines[row.n];
        let (_, cycle) = next_word(machine, row.decoded.known_loop_at(machine.pc)?)?;
        self.edges.time_of(cycle)
    }

    /// Goes on up to and including the instruction that takes the next word; false when the row ended before.
    pub(crate) fn pass_word(&mut self, row: &mut Row, io: &mut Io) -> bool {
        let n = row.n;
        let machine = &self.machines[n];
        let Some(looped) = row.decoded.known_loop_at(machine.pc) else { return false };
        let Some((mut rounds, cycle)) = next_word(machine, looped) else { return false };
        if machine.transmit.is_empty() {
            return false;
        }
        let asked = rounds.count;
        match &mut row.pins {
            Pins::Unheard(untold, before) => {
                if let Some((rounds, _, osr)) = before.replace((rounds, machine.divider, machine.osr)) {
                    untold.skip(looped, written_first(osr, machine.config.out_right), rounds.count);
                }
            }
            Pins::Clock(shape, before) => {
                let level = before.as_ref().map_or(shape.sent_of(self.levels), Told::last_written);
                let told = self.tell_pulses(n, looped, (shape, level), &rounds, io);
                let Some(told) = told else { return false };
                rounds.count = told.count;
                let is_long = told.is_long();
                match before.replace(told) {
                    Some(before) if is_long => self.skip_pulses(looped, &before, before.count, io),
                    Some(before) => self.move_in_pulses(looped, &before, io),
                    None => {}
                }
            }
        }
        let reached = self.end_rounds(n, looped, &rounds, 0);
        row.reached = Some(reached);
        debug_assert!(rounds.count < asked || reached == cycle);
        io.now = io.now.max(self.edges.time_of(reached).unwrap_or(io.now));
        if rounds.count == asked {
            self.lines_stale = false;
            io.lines.set_dreq(self.dreq(n), true);
        }
        rounds.count == asked
    }

    /// Ends a row: the pins have moved, and it is known what comes next. Gives whether the machine has gone on.
    pub(crate) fn end_row(&mut self, row: Row, io: &mut Io) -> bool {
        let Row { n, decoded, pins, reached } = row;
        if let (Some(reached), Some(looped)) = (reached, decoded.known_loop_at(self.machines[n].pc)) {
            match pins {
                Pins::Unheard(mut untold, word) => {
                    if let Some((rounds, divider, osr)) = word {
                        self.move_pins(n, looped, &rounds, (divider, osr), &mut untold, io);
                    }
                    self.tell(&mut untold, reached, io);
                }
                Pins::Clock(_, Some(told)) => self.move_in_pulses(looped, &told, io),
                Pins::Clock(_, None) => {}
            }
        }
        self.decoded[n] = Some(decoded);
        (self.looks_away, self.heard) = (false, 0);
        if let Some(reached) = reached {
            io.now = io.now.max(self.edges.time_of(reached).unwrap_or(io.now));
            self.machines[n].reschedule();
            self.finish(reached, io);
        }
        reached.is_some()
    }
}

/// The rounds that are left of a machine's word, if the loop goes through all of them, and the cycle of the OUT that takes the next
/// word.
fn next_word(machine: &StateMachine, looped: &Loop) -> Option<(Rounds, u64)> {
    let bits = looped.out_at_end()?.bits;
    let left = machine.config.pull_threshold.checked_sub(machine.osr_count).filter(|&left| left != 0)?;
    let count = u32::from(left / bits);
    let is_whole = machine.config.autopull && left % bits == 0 && looped.counted(machine) >= u64::from(count);
    let rounds = Rounds { count, first_tick: machine.delay };
    let last = u64::from(count).checked_sub(1)? * looped.ticks + looped.last_tick;
    is_whole.then(|| (rounds, machine.divider.after(rounds.first_tick + last)))
}
