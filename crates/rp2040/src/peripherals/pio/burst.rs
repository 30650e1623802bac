//! Bursts: instructions of one machine in a row, while nobody looks at the pins that it moves. Of these only the last few changes
//! can be told apart afterwards, so that no other is led to the pins.

use mcu::LevelRow;
use units::Picoseconds;

use super::cycle::Cycle;
use super::decoded::Decoded;
use super::level_words::PassedWord;
use super::reach::{Heard, looks_at_pins};
use super::state_machine::StateMachine;
use super::{ALL_PINS, Io, NEVER, Pio};

/// As many changes as `Pins` remembers, and one for all that were before.
pub(super) const TOLD: usize = crate::pins::CHANGES_KEPT + 1;
/// Places for them; a power of two.
const PLACES: usize = 8;
const _: () = assert!(TOLD <= PLACES && TOLD >= super::inputs::KEPT);

/// How the changes of levels are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// Their sum and the last few of them.
    InSum,
    /// Each of them, in a row.
    InRow,
    /// Each before the next: somebody keeps every edge, or answers.
    AtOnce,
}

/// Room for levels that are told in a row: by their cycles, and by their times.
#[derive(Debug, Clone, Default)]
pub(super) struct RowOfLevels {
    changes: Vec<(u64, u32)>,
    told: Vec<(Picoseconds, u32)>,
    /// The same for whole words, and their bits.
    pub(super) passed: Vec<PassedWord>,
    pub(super) words: Vec<u32>,
}

/// What a machine does to levels before anybody is told.
#[derive(Debug, Clone)]
pub(super) struct Untold {
    levels: u32,
    /// The pins whose level shows at their pads.
    visible: u32,
    telling: Telling,
    /// The cycles of all changes that show, and the levels after each, where these are told in a row.
    row: Vec<(u64, u32)>,
    /// The cycles of the last changes that show, and the levels after each.
    changes: [(u64, u32); PLACES],
    count: usize,
    /// The pins that changed, and those that did so more than once.
    changed: u32,
    pulsed: u32,
}

impl Untold {
    fn new(levels: u32, visible: u32, telling: Telling) -> Self {
        Self {
            levels,
            visible,
            telling,
            row: Vec::new(),
            changes: [(0, 0); PLACES],
            count: 0,
            changed: 0,
            pulsed: 0,
        }
    }

    #[inline(always)]
    pub(super) fn levels(&self) -> u32 {
        self.levels
    }

    #[inline(always)]
    pub(super) fn visible(&self) -> u32 {
        self.visible
    }

    /// Whether everything up to these levels was told.
    pub(super) fn is_told(&self, levels: u32) -> bool {
        self.count == 0 && self.levels == levels
    }

    /// Levels that were told otherwise.
    pub(super) fn start_at(&mut self, levels: u32) {
        self.levels = levels;
    }

    #[inline]
    pub(super) fn move_to(&mut self, levels: u32, cycle: u64) {
        let moved = (levels ^ self.levels) & self.visible;
        self.levels = levels;
        if moved != 0 {
            self.changes[self.count % PLACES] = (cycle, levels);
            self.count += 1;
            self.pulsed |= self.changed & moved;
            self.changed |= moved;
            if self.telling == Telling::InRow {
                self.row.push((cycle, levels));
            }
        }
    }

    /// Whether each change is told before the next.
    pub(super) fn is_told_at_once(&self) -> bool {
        self.telling == Telling::AtOnce
    }

    /// Whether somebody hears of every change, later.
    pub(super) fn is_told_in_row(&self) -> bool {
        self.telling == Telling::InRow
    }

    /// So many changes wait for that.
    pub(super) fn changes_in_row(&self) -> usize {
        self.row.len()
    }

    /// Whether nobody hears of every change.
    pub(super) fn is_told_in_sum(&self) -> bool {
        self.telling == Telling::InSum
    }

    /// Some pins changed more than once, and others so many times; the last few changes are still to come.
    pub(super) fn change_often(&mut self, pulsed: u32, others: u32, times: u32) {
        let (pulsed, others) = (pulsed & self.visible, if times == 0 { 0 } else { others & self.visible });
        self.pulsed |= pulsed | if times > 1 { others } else { self.changed & others };
        self.changed |= pulsed | others;
    }

    /// Whether what happened is to be told before anything else does.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.telling == Telling::AtOnce && self.count != 0
    }

    /// The last changes, the oldest first.
    fn last(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        (self.count.saturating_sub(TOLD)..self.count).map(|n| self.changes[n % PLACES])
    }

    fn forget(&mut self) {
        (self.count, self.changed, self.pulsed) = (0, 0, 0);
    }
}

impl Pio {
    /// Executes instructions of a machine that works alone, up to and including cycle `last` and as long as they can be executed in
    /// a row. Ends behind the cycle in which a word moved if `heeds_fifos`. Gives the last cycle; nothing when there was none.
    pub(super) fn burst(&mut self, n: usize, last: u64, heeds_fifos: bool, io: &mut Io) -> Option<u64> {
        let mut untold = self.begin_burst(n, io)?;
        self.give_room(&mut untold);
        let mut decoded = self.take_decoded(n);
        let reached = self.burst_untold(n, &mut decoded, &mut untold, (last, heeds_fifos), io);
        if let Some(reached) = reached {
            self.tell(&mut untold, reached, io);
            self.machines[n].reschedule();
        }
        self.decoded[n] = Some(decoded);
        self.take_room_back(untold);
        reached
    }

    /// A machine's program, which is to be put back.
    pub(super) fn take_decoded(&mut self, n: usize) -> Box<Decoded> {
        let decoded = self.decoded[n].take();
        decoded.unwrap_or_else(|| self.spare[n].decode(&self.program, &self.machines[n]))
    }

    /// Room for the changes that are told in a row.
    pub(super) fn give_room(&mut self, untold: &mut Untold) {
        untold.row = std::mem::take(&mut self.row.changes);
    }

    /// All of them have been told.
    pub(super) fn take_room_back(&mut self, untold: Untold) {
        self.row.changes = untold.row;
    }

    /// The same, where the last changes are not told yet, and the machine's next cycle is not found out.
    pub(super) fn burst_untold(
        &mut self,
        n: usize,
        decoded: &mut Decoded,
        untold: &mut Untold,
        (last, heeds_fifos): (u64, bool),
        io: &mut Io,
    ) -> Option<u64> {
        let mut reached = None;
        while !self.is_disturbed(heeds_fifos, io) {
            if let Some(looped) = decoded.loop_at(self.machines[n].pc)
                && let Some(cycle) = self
                    .pass_foreseen(n, looped, last, untold)
                    .or_else(|| self.run_rounds(n, looped, last, untold, io))
            {
                reached = Some(cycle);
                continue;
            }
            let pins = if decoded.looks_at_pins { self.steady_pins(n, untold) } else { None };
            if let Some((cycle, goes_on)) = self.machines[n].go_quickly(decoded, last, pins, untold) {
                reached = Some(cycle);
                if untold.is_due() {
                    self.tell(untold, cycle, io);
                } else if goes_on {
                    let pins = pins.filter(|_| untold.is_told(self.levels));
                    let counted = self.machines[n].count_rounds(decoded, last, (pins, untold.levels()));
                    reached = counted.or(reached);
                }
                continue;
            }
            let Some(due) = self.machines[n].next_of_burst().filter(|&due| due <= last) else { break };
            reached = Some(due);
            if !self.step_of_burst(n, due, untold, io) {
                break;
            }
        }
        reached
    }

    /// What instructions of a machine see at the pins from the next one on, as long as it moves none; nothing where that is not settled.
    fn steady_pins(&self, n: usize, untold: &Untold) -> Option<u32> {
        let machine = &self.machines[n];
        let is_known = self.ahead.is_none() && untold.is_told(self.levels);
        let is_settled = || self.inputs.are_settled(machine.divider.after(machine.delay), u32::MAX);
        (is_known && is_settled()).then(|| self.inputs.newest())
    }

    /// One instruction of the machine in cycle `due`; false when others may have to do with what it did.
    fn step_of_burst(&mut self, n: usize, due: u64, untold: &mut Untold, io: &mut Io) -> bool {
        // The history of the inputs takes changes in their order.
        if looks_at_pins(self.machines[n].next_instruction(&self.program)) {
            self.tell(untold, due, io);
            self.observe_ahead(due, io);
        }
        let machine = &mut self.machines[n];
        let mut cycle = Cycle::new(due, &self.program, &self.inputs, self.flags);
        machine.step_of_burst(&mut cycle);
        let debug = cycle.debug << machine.index;
        self.debug_rose |= debug & !self.debug != 0;
        self.debug |= debug;
        self.lines_stale |= cycle.fifo_moved;
        let (levels, enables) = cycle.writes.after((untold.levels, self.enables));
        let flags = self.flags & !cycle.flags_cleared | cycle.flags_set;
        let turns = enables & ALL_PINS != self.enables;
        if turns {
            self.tell(untold, due, io);
            self.drive_at(levels, enables, due, io);
            untold.levels = self.levels;
        } else {
            untold.move_to(levels & ALL_PINS, due);
        }
        if untold.is_due() {
            self.tell(untold, due, io);
        }
        if flags != self.flags {
            self.set_flags(flags, due);
            return false;
        }
        !turns
    }

    /// Nothing where a pin is not moved as easily as that, or a machine is about something else than its program.
    pub(super) fn begin_burst(&self, n: usize, io: &Io) -> Option<Untold> {
        let pins = self.may_move & ALL_PINS;
        let visible = io.pins.plain_of(self.block.function) & self.enables;
        let plain = pins & !io.pins.plain() == 0 && self.machines[n].may_burst();
        let telling = if visible & io.pins.recorded() & pins != 0 {
            Telling::AtOnce
        } else if visible & self.heard.pins & pins == 0 {
            Telling::InSum
        } else if self.heard.in_rows {
            Telling::InRow
        } else {
            Telling::AtOnce
        };
        plain.then(|| Untold::new(self.levels, visible, telling))
    }

    /// Leads to the pins what was not told yet, after the edge of `cycle` at the latest.
    pub(super) fn tell(&mut self, untold: &mut Untold, cycle: u64, io: &mut Io) {
        if untold.count != 0 {
            let heard = self.heard;
            if untold.telling == Telling::InRow {
                self.tell_row(untold, io);
                self.heard = Heard::default();
            }
            let before = io.pins.inputs_changed();
            let enables = self.enables;
            for (cycle, levels) in untold.last() {
                self.observe_ahead(cycle, io);
                self.drive_at(levels, enables, cycle, io);
            }
            io.pins.note_changes(untold.changed, before & untold.changed | untold.pulsed);
            // Of these outside knows already.
            self.heard = heard;
            io.pins.take_changed_of(heard.pins);
            untold.forget();
        }
        // The rest shows at no pad.
        if untold.levels != self.levels {
            self.drive_at(untold.levels, self.enables, cycle, io);
        }
    }

    /// Tells outside of the changes of pins that it hears.
    fn tell_row(&mut self, untold: &mut Untold, io: &mut Io) {
        let own = untold.visible & self.heard.pins;
        let before = io.pins.levels();
        let mut last = before & own;
        let mut told = std::mem::take(&mut self.row.told);
        // Both are in the order of their cycles.
        let mut met = self.met.iter().peekable();
        let mut time_of = |cycle: u64| {
            while met.next_if(|(early, _)| *early < cycle).is_some() {}
            let early = met.peek().filter(|(early, _)| *early == cycle).map(|&&(_, at)| at);
            early.or_else(|| self.edges.time_of(cycle)).unwrap_or(io.now)
        };
        let heard = untold.row.drain(..).filter_map(|(cycle, levels)| {
            let is_other = std::mem::replace(&mut last, levels & own) != levels & own;
            is_other.then(|| (time_of(cycle), before & !own | levels & own))
        });
        told.extend(heard);
        if !told.is_empty() {
            io.outside.pins_changed_in_row(&LevelRow { before, levels: &told }, &mut io.reactions);
        }
        told.clear();
        self.row.told = told;
    }

    pub(super) fn drive_at(&mut self, levels: u32, enables: u32, cycle: u64, io: &mut Io) {
        io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
        self.drive(levels & ALL_PINS, enables & ALL_PINS, cycle, io);
    }
}

impl StateMachine {
    /// Whether its next instructions are those of the program, or of an instruction that these executed.
    pub(super) fn may_burst(&self) -> bool {
        self.enabled
            && !self.exec_stalled
            && !self.config.out_sticky
            && self.forced.is_none()
            && self.shown_late_at.is_none()
    }

    /// The cycle of the next instruction, where nothing else is to come before.
    #[inline]
    fn next_of_burst(&self) -> Option<u64> {
        let goes_on = self.stall.is_none() && (self.delay == 0 || !self.wants_refill());
        goes_on.then(|| self.divider.after(self.delay))
    }

    /// The instruction that comes next.
    fn next_instruction(&self, program: &[u16; 32]) -> u16 {
        self.latch.unwrap_or_else(|| program[usize::from(self.pc)])
    }

    /// Whether the next instruction is the program's, and has not begun.
    #[inline]
    pub(super) fn is_between_instructions(&self) -> bool {
        let waits = self.begun || self.in_shifted || self.irq_waiting || self.latch.is_some();
        !waits && self.stall.is_none() && (self.delay == 0 || !self.wants_refill())
    }

    /// Instructions were executed on the quick way, in so many ticks; the last one asks for a delay.
    pub(super) fn end_quickly(&mut self, ticks: u64, delay: u64) {
        self.divider.skip(ticks);
        self.delay = delay;
        (self.counting, self.look_again) = (None, NEVER);
    }

    /// Executes the next instruction of a burst, without finding out when another one is due.
    #[inline]
    fn step_of_burst(&mut self, cycle: &mut Cycle<'_>) {
        self.divider.skip(std::mem::take(&mut self.delay));
        self.divider.tick();
        self.step_program(cycle);
    }
}
