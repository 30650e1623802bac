//! Runs of a block that nobody notices before they end. Many cycles are done in one go, and a program that came back to where it
//! was, with all that it knows as it was, is led through the same again without executing it.

use super::inputs::Inputs;
use super::reach::{Heard, Reach};
use super::state_machine::{Stall, StateMachine};
use super::{ALL_PINS, Io, MACHINES, NEVER, Pio};
use mcu::Edge;
use units::Picoseconds;

/// A shorter run is not searched for a period.
const SHORTEST_SEARCHED_CYCLES: u64 = 256;
/// The cycles at the end of a run that are executed in any case, so that synchronisers have seen what they would have.
const EXECUTED_AT_END_CYCLES: u64 = 8;
/// As long as this a machine has to be alone for its instructions to be executed in a row: fewer cycles are done as quickly by themselves.
const FEWEST_CYCLES_ALONE: u64 = 4;
/// Cycles with something to do in the longest period that is found.
const LONGEST_PERIOD_STEPS: u32 = 1 << 11;

impl Pio {
    /// Does everything up to and including `until`, and tells outside what happens at the pins of `heard`. Ends behind the cycle in
    /// which a flag of FDEBUG rises or something outside comes to be done, and where somebody waits for words or flags, in which one
    /// moved.
    pub(crate) fn run_unnoticed(
        &mut self,
        until: Picoseconds,
        reach: &Reach,
        heard: Heard,
        heeds_fifos: bool,
        io: &mut Io,
    ) {
        if io.clocks.sys_hz != self.edges.hz() {
            return;
        }
        let joined = self.join(io);
        self.go_unnoticed((reach, heard), io);
        (self.debug_rose, self.flags_moved) = (false, false);
        let last = self.edges.last_at(until);
        let reached = self.run_to(last, heeds_fifos, io).or(joined);
        self.go_noticed();
        if let Some(cycle) = reached {
            self.finish(cycle, io);
        }
    }

    /// What the machines may do from here on is known, and who hears of it.
    pub(super) fn go_unnoticed(&mut self, (reach, heard): (&Reach, Heard), io: &Io) {
        (self.looks_away, self.may_move, self.heard) = (!reach.looks_at_pins, reach.pins, heard);
        self.nets_moved = io.pins.wired_with(reach.pins);
    }

    /// It is so no longer.
    pub(super) fn go_noticed(&mut self) {
        (self.looks_away, self.heard, self.nets_moved) = (false, Heard::default(), ALL_PINS);
    }

    /// Gives the last cycle in which something was done.
    fn run_to(&mut self, last: u64, heeds_fifos: bool, io: &mut Io) -> Option<u64> {
        let mut search = Search::default();
        let mut reached = None;
        loop {
            let next = self.next_due();
            if next > last || next == NEVER {
                break;
            }
            let searches = !heeds_fifos
                && self.heard.pins == 0
                && self.ahead.is_none()
                && last - next > SHORTEST_SEARCHED_CYCLES
                && self.machines.iter().all(|machine| machine.foreseen.is_empty())
                && search.goes_on();
            if searches && let Some(period) = search.period(self, next, io) {
                self.repeat(&period, (last - EXECUTED_AT_END_CYCLES - next) / period.cycles, next, io);
                continue;
            }
            if !searches && let Some((alone, last)) = self.goes_alone(last) {
                reached = Some(self.run_alone(alone, last, heeds_fifos, io));
            } else {
                let last = if searches { next } else { last };
                reached = Some(self.run_together(last, heeds_fifos, io));
            }
            if self.is_disturbed(heeds_fifos, io) {
                break;
            }
        }
        reached
    }

    /// The cycles of several machines up to and including `last`, as long as none of them falls still, wakes up or goes on alone; gives the
    /// last cycle. The first is due.
    fn run_together(&mut self, last: u64, heeds_fifos: bool, io: &mut Io) -> u64 {
        let stand = |machines: &[StateMachine; MACHINES]| machines.each_ref().map(|one| one.due == NEVER);
        let before = stand(&self.machines);
        loop {
            let next = self.next_due();
            io.now = io.now.max(self.edges.time_of(next).unwrap_or(io.now));
            self.run_cycle(next, io);
            let stays = stand(&self.machines) == before && self.goes_alone(last).is_none();
            let goes_on = self.next_due() <= last && stays;
            if !goes_on || self.is_disturbed(heeds_fifos, io) {
                return next;
            }
        }
    }

    /// Whether somebody may have to hear of what happened before anything else does.
    #[inline]
    pub(super) fn is_disturbed(&self, heeds_fifos: bool, io: &Io) -> bool {
        heeds_fifos && self.lines_stale
            || self.heeds_flags && self.flags_moved
            || self.debug_rose
            || !io.reactions.is_empty()
    }

    /// Whether somebody waits for a change of its flags from here on: no run goes on behind one.
    pub(crate) fn heed_flags(&mut self, heeds: bool) {
        self.heeds_flags = heeds;
    }

    /// Whether a flag of FDEBUG rose in the last run.
    pub(crate) fn take_debug_rose(&mut self) -> bool {
        std::mem::take(&mut self.debug_rose)
    }

    /// Whether no other machine has anything to do.
    #[inline]
    pub(crate) fn may_work_alone(&self, n: usize) -> bool {
        self.machines.iter().all(|one| one.due == NEVER || usize::from(one.index) == n)
    }

    /// The only machine that has anything to do before somebody writes to a register.
    pub(super) fn works_alone(&self) -> Option<usize> {
        let alone = self.machines.iter().position(|machine| machine.due != NEVER)?;
        let idle = |other: &StateMachine| other.due == NEVER && self.stays_idle(other);
        self.others(alone).all(idle).then_some(alone)
    }

    /// The machine that is due next, where no other one has anything to do for some cycles, and up to when at the most that is so.
    #[inline]
    pub(super) fn goes_alone(&self, last: u64) -> Option<(usize, u64)> {
        let alone = self.machines.iter().min_by_key(|machine| machine.due)?;
        let n = usize::from(alone.index);
        let before = self.others(n).map(|other| other.due).min()?;
        let is_alone = before == NEVER || before - alone.due >= FEWEST_CYCLES_ALONE;
        let idle = is_alone && self.others(n).all(|other| self.stays_idle(other));
        idle.then(|| (n, last.min(before - 1)))
    }

    pub(super) fn others(&self, alone: usize) -> impl Iterator<Item = &StateMachine> {
        self.machines.iter().filter(move |other| usize::from(other.index) != alone)
    }

    /// Whether a machine does nothing before it is due, whatever another one does: one that waits for a pin may be woken by those that
    /// move it.
    #[inline]
    fn stays_idle(&self, other: &StateMachine) -> bool {
        let sees_nothing = match other.stall {
            Some(Stall::Pins(pins)) => self.looks_away || pins & self.nets_moved == 0,
            _ => true,
        };
        sees_nothing && !(other.config.out_sticky && other.enabled)
    }

    /// As many cycles of one machine as nobody else has anything to do with; gives the last one. The first is due.
    fn run_alone(&mut self, alone: usize, last: u64, heeds_fifos: bool, io: &mut Io) -> u64 {
        let mut reached = 0;
        while self.machines[alone].due <= last {
            let flags = self.flags;
            reached = match self.burst(alone, last, heeds_fifos, io) {
                Some(cycle) => cycle,
                None => {
                    let cycle = self.machines[alone].due;
                    io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
                    self.run_cycle(cycle, io);
                    cycle
                }
            };
            if flags != self.flags || self.is_disturbed(heeds_fifos, io) {
                break;
            }
        }
        io.now = io.now.max(self.edges.time_of(reached).unwrap_or(io.now));
        reached
    }

    /// Goes through a period, which ends at cycle `end`, some times more.
    fn repeat(&mut self, period: &Period, times: u64, end: u64, io: &mut Io) {
        let cycles = period.cycles * times;
        for machine in &mut self.machines {
            machine.put_off(cycles);
        }
        self.inputs.put_off(cycles);
        if !period.edges.is_empty() {
            for start in (0..times).map(|turn| end + turn * period.cycles) {
                let at = |cycle| self.edges.time_of(cycle).unwrap_or(io.now);
                let edges = period.edges.iter().map(|&(after, edge)| Edge { at: at(start + after), ..edge });
                io.pins.add_edges(edges);
            }
        }
    }
}

/// What happens again and again.
struct Period {
    cycles: u64,
    /// The edges that are kept, each with the cycles from the beginning.
    edges: Vec<(u64, Edge)>,
}

/// All that the future of a block depends on, as long as nothing comes from outside.
struct Moment {
    cycle: u64,
    machines: [StateMachine; MACHINES],
    inputs: Inputs,
    flags: u8,
    debug: u32,
    driven: (u32, u32),
    /// How many edges had been kept.
    edges: usize,
}

impl Moment {
    fn of(pio: &Pio, cycle: u64, io: &Io) -> Self {
        Self {
            cycle,
            machines: pio.machines.clone(),
            inputs: pio.inputs.clone(),
            flags: pio.flags,
            debug: pio.debug,
            driven: (pio.levels, pio.enables),
            edges: io.pins.edges().len(),
        }
    }

    /// Whether a block is where it was then.
    fn comes_again(&self, pio: &Pio, cycle: u64) -> bool {
        let passed = cycle - self.cycle;
        let mut both = self.machines.iter().zip(&pio.machines);
        both.clone().all(|(before, now)| before.pc == now.pc && before.x == now.x && before.y == now.y)
            && (self.flags, self.debug, self.driven) == (pio.flags, pio.debug, (pio.levels, pio.enables))
            && both.all(|(before, now)| before.comes_again(now, passed))
            && self.inputs.show_the_same(self.cycle, &pio.inputs, cycle)
    }
}

/// Looks for a period: a moment is held against those that follow, and is replaced by later ones after longer and longer times.
#[derive(Default)]
struct Search {
    from: Option<Box<Moment>>,
    steps: u32,
    most: u32,
}

impl Search {
    #[inline]
    fn goes_on(&self) -> bool {
        self.most <= LONGEST_PERIOD_STEPS
    }

    /// The period that ends before `cycle`, in which something is due.
    #[inline]
    fn period(&mut self, pio: &Pio, cycle: u64, io: &Io) -> Option<Period> {
        self.steps += 1;
        if let Some(from) = &self.from
            && from.comes_again(pio, cycle)
        {
            let kept = &io.pins.edges()[from.edges..];
            let since = |edge: &Edge| pio.edges.cycle_at(edge.at).saturating_sub(from.cycle);
            let edges = kept.iter().map(|edge| (since(edge), *edge)).collect();
            self.most = u32::MAX;
            return Some(Period { cycles: cycle - from.cycle, edges });
        }
        if self.steps > self.most {
            self.from = Some(Box::new(Moment::of(pio, cycle, io)));
            (self.steps, self.most) = (0, self.most.max(8) * 2);
        }
        None
    }
}
