//! Loops that go the same way whatever the data: their jumps count, or ask whether bits are left, and their instructions shift and
//! set levels. How often such a loop is gone through is known before it is, and so is when each pin moves.

use super::decoded::{Action, Condition, Step};
use super::registers::{Config, mask};
use super::state_machine::{FULL_COUNT, StateMachine};

/// Instructions in the longest loop that is looked at.
const MOST_STEPS: usize = 8;

/// Further ahead nobody looks: a word has no more bits.
const MOST_ROUNDS_AHEAD: u64 = 32;
/// No transfer between two flags is looked at further ahead.
const MOST_ROUNDS_AHEAD_OF_FLAGS: u64 = 1 << 20;

/// What counts the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    X,
    Y,
}

/// A shift of some bits in each round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) bits: u8,
    /// The tick within a round.
    pub(super) tick: u64,
    /// Whether it is the last instruction of a round.
    pub(super) is_last: bool,
    /// Whether they go to pins or come from there.
    pub(super) at_pins: bool,
}

/// What an instruction of a loop does to levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Move {
    /// The tick within a round.
    pub(super) tick: u64,
    /// It shifts out, and writes the bits to these pins.
    pub(super) shifts_out: bool,
    pub(super) data_mask: u32,
    /// The levels of these pins are written then.
    pub(super) mask: u32,
    pub(super) levels: u32,
}

/// A loop, from the instruction at which it was found.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    moves: [Move; MOST_STEPS],
    count: usize,
    pub(super) ticks: u64,
    /// The tick of the last instruction of a round, and the delay that it asks for.
    pub(super) last_tick: u64,
    pub(super) last_delay: u64,
    counter: Option<Counter>,
    /// A jump asks whether bits are left, before or behind the OUT of its round.
    asks_osr: Option<bool>,
    /// The tick within a round in which a jump asks whether a pin is high.
    asks_pin: Option<u64>,
    pub(super) out: Option<Shift>,
    pub(super) into: Option<Shift>,
    /// What SET or OUT writes last in a round.
    pub(super) written: Option<Written>,
    /// Where a machine stands behind each instruction, and the tick of that within a round.
    places: Vec<(u64, u8)>,
}

/// What a machine wrote last, for OUT_STICKY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Set(u32),
    Out,
}

impl Loop {
    fn empty() -> Self {
        Self {
            moves: [Move::default(); MOST_STEPS],
            count: 0,
            ticks: 0,
            last_tick: 0,
            last_delay: 0,
            counter: None,
            asks_osr: None,
            asks_pin: None,
            out: None,
            into: None,
            written: None,
            places: Vec::new(),
        }
    }

    /// The loop that comes back to a place, if its way does not depend on data.
    pub(super) fn from(start: u8, steps: &[Step; 32], config: &Config) -> Option<Self> {
        let mut all = Self::empty();
        let mut place = start;
        loop {
            let step = &steps[usize::from(place) % 32];
            let jumps = all.add(step, config)?;
            place = if jumps { step.target } else { step.next };
            all.places.push((all.last_tick, place));
            if place == start {
                return Some(all);
            }
        }
    }

    /// Adds an instruction; nothing where it makes the way depend on data. Gives whether it jumps.
    fn add(&mut self, step: &Step, config: &Config) -> Option<bool> {
        let tick = self.ticks;
        let mut one = Move { tick, mask: step.side_mask, levels: step.side, ..Move::default() };
        let mut jumps = false;
        match step.action {
            Action::Jump(condition) => {
                self.jump(condition)?;
                jumps = true;
            }
            Action::OutPins => {
                self.out = self.another(self.out, step.bits, true)?;
                (one.shifts_out, one.data_mask) = (true, config.out_mask);
                self.written = Some(Written::Out);
            }
            Action::OutNull => {
                self.out = self.another(self.out, step.bits, false)?;
                one.shifts_out = true;
            }
            Action::InPins => self.into = self.another(self.into, step.bits, true)?,
            Action::InNull => self.into = self.another(self.into, step.bits, false)?,
            Action::SetPins => {
                let own = config.set_mask & !step.side_mask;
                (one.mask, one.levels) = (one.mask | own, one.levels | step.levels & own);
                self.written = Some(Written::Set(step.levels));
            }
            Action::Nothing => {}
            _ => return None,
        }
        if one.mask != 0 || one.shifts_out {
            *self.moves.get_mut(self.count)? = one;
            self.count += 1;
        }
        (self.last_tick, self.last_delay) = (tick, step.delay.into());
        self.ticks += 1 + u64::from(step.delay);
        for shift in [&mut self.out, &mut self.into].into_iter().flatten() {
            shift.is_last = shift.tick == tick;
        }
        (self.ticks <= 32 * MOST_STEPS as u64).then_some(jumps)
    }

    /// A jump is taken in every round but the last.
    fn jump(&mut self, condition: Condition) -> Option<()> {
        let counter = match condition {
            Condition::Always => return Some(()),
            Condition::OsrNotEmpty if self.asks_osr.is_none() => {
                self.asks_osr = Some(self.out.is_none());
                return Some(());
            }
            Condition::PinIsHigh if self.asks_pin.is_none() => {
                self.asks_pin = Some(self.ticks);
                return Some(());
            }
            Condition::XCounts => Counter::X,
            Condition::YCounts => Counter::Y,
            _ => return None,
        };
        self.counter.is_none().then(|| self.counter = Some(counter))
    }

    /// The only shift of its kind in a loop.
    fn another(&self, before: Option<Shift>, bits: u8, at_pins: bool) -> Option<Option<Shift>> {
        let shift = Shift { bits, tick: self.ticks, is_last: true, at_pins };
        before.is_none().then_some(Some(shift))
    }

    /// The places that it comes by.
    pub(super) fn places(&self) -> impl Iterator<Item = u8> + '_ {
        self.places.iter().map(|&(_, place)| place)
    }

    pub(super) fn moves(&self) -> &[Move] {
        &self.moves[..self.count]
    }

    /// The pins that it moves by the same levels in each round, and those to which it brings data.
    pub(super) fn pins(&self) -> (u32, u32) {
        let moves = self.moves().iter();
        moves.fold((0, 0), |(fixed, data), one| (fixed | one.mask, data | one.data_mask & !one.mask))
    }

    /// The pins that go up and down in each round.
    pub(super) fn pulses(&self) -> u32 {
        let (mut high, mut low) = (0, 0);
        for one in self.moves() {
            (high, low) = (high | one.mask & one.levels, low | one.mask & !one.levels);
        }
        high & low
    }

    /// How many rounds a machine goes through from where it stands before anything else happens but that, with the last
    /// instruction, a word moves; at most `most`.
    pub(super) fn rounds(&self, machine: &StateMachine, most: u64) -> u64 {
        let config = &machine.config;
        let out_threshold = if config.autopull { Some(config.pull_threshold) } else { None };
        let out = shifted_rounds(self.out, machine.osr_count, out_threshold, true);
        let room = !machine.receive.is_full();
        let in_threshold = if config.autopush { Some(config.push_threshold) } else { None };
        let into = shifted_rounds(self.into, machine.isr_count, in_threshold, room);
        most.min(self.rounds_inside(machine)).min(out).min(into)
    }

    /// The rounds that the counter of a machine allows.
    pub(super) fn counted(&self, machine: &StateMachine) -> u64 {
        match self.counter {
            None => u64::MAX,
            Some(Counter::X) => machine.x.into(),
            Some(Counter::Y) => machine.y.into(),
        }
    }

    /// The ticks in which a machine that stands at the beginning of a round stays in the loop at least, whatever words move.
    pub(super) fn ticks_inside(&self, machine: &StateMachine) -> u64 {
        self.rounds_inside(machine).min(MOST_ROUNDS_AHEAD_OF_FLAGS) * self.ticks
    }

    /// The rounds that all its jumps allow.
    pub(super) fn rounds_inside(&self, machine: &StateMachine) -> u64 {
        self.counted(machine).min(self.asked_rounds(machine)).min(self.sure_rounds(machine))
    }

    /// The rounds in which a jump is sure to find its pin high.
    fn sure_rounds(&self, machine: &StateMachine) -> u64 {
        let Some(tick) = self.asks_pin else { return u64::MAX };
        let ticks = machine.divider.ticks_through(machine.sure_jumps_until);
        ticks.checked_sub(machine.delay + tick + 1).map_or(0, |behind| behind / self.ticks + 1)
    }

    /// The pins that it reads: those of IN and of a jump.
    pub(super) fn reads(&self, config: &Config) -> u32 {
        let into = self.into.filter(|into| into.at_pins);
        let into = into.map_or(0, |into| mask(into.bits).rotate_left(config.in_base.into()));
        let asked = if self.asks_pin.is_some() { 1 << config.jmp_pin } else { 0 };
        into | asked
    }

    /// The pins that get another level in it than they have.
    pub(super) fn moves_from(&self, levels: u32) -> u32 {
        self.moves().iter().fold(0, |pins, one| pins | one.data_mask | one.mask & (one.levels ^ levels))
    }

    /// Whether it moves any of these pins.
    pub(super) fn moves_any(&self, pins: u32) -> bool {
        let (fixed, data) = self.pins();
        (fixed | data) & pins != 0
    }

    /// The OUT of each round, where nothing else moves words or ends the loop.
    pub(super) fn only_out(&self) -> Option<Shift> {
        let goes_on = self.counter.is_none() && self.asks_osr.is_none() && self.asks_pin.is_none();
        self.out.filter(|_| goes_on && self.into.is_none())
    }

    /// The OUT of each round and the IN behind it, if there is one, where nothing follows on these.
    pub(super) fn shifts_at_end(&self) -> Option<(Shift, Option<Shift>)> {
        let out = self.out.filter(|_| self.asks_osr.is_none())?;
        self.into.unwrap_or(out).is_last.then_some((out, self.into))
    }

    /// The ticks that pass from where a machine stands, at the beginning of a round, before a word moves or anything else happens
    /// but these rounds; nothing where the next one is no such round.
    pub(super) fn ticks_alone(&self, machine: &StateMachine) -> Option<u64> {
        let rounds = self.rounds(machine, MOST_ROUNDS_AHEAD).checked_sub(1)?;
        Some(rounds * self.ticks + self.last_tick)
    }

    /// The fewest ticks from where a machine stands, at the beginning of a round, until it has asked for so many words (`out`), or given
    /// them, and one more, or has left the loop; nothing where it shifts none.
    pub(super) fn ticks_of_words(&self, machine: &StateMachine, words: u64, out: bool) -> Option<u64> {
        let (shift, threshold) = match out {
            true => (self.out.filter(|_| machine.config.autopull)?, machine.config.pull_threshold),
            false => (self.into.filter(|_| machine.config.autopush)?, machine.config.push_threshold),
        };
        let of_word = u64::from(threshold.div_ceil(shift.bits)) * self.ticks;
        let all = self.ticks_alone(machine)?.saturating_add(words.saturating_mul(of_word));
        Some(all.min(self.ticks_inside(machine)))
    }

    /// Where a machine that stands at the beginning of a round is after so many ticks, if these are of rounds that are known.
    pub(super) fn place_after(&self, machine: &StateMachine, ticks: u64) -> Option<u8> {
        let Some(last) = ticks.checked_sub(machine.delay + 1) else { return Some(machine.pc) };
        if last / self.ticks >= self.rounds(machine, MOST_ROUNDS_AHEAD) {
            return None;
        }
        let within = last % self.ticks;
        self.places.iter().rev().find(|(tick, _)| *tick <= within).map(|&(_, place)| place)
    }

    /// The rounds up to the first in which no bit is left where a jump asks for one.
    fn asked_rounds(&self, machine: &StateMachine) -> u64 {
        let Some(is_before) = self.asks_osr else { return u64::MAX };
        let left = u64::from(machine.config.pull_threshold.saturating_sub(machine.osr_count));
        match self.out {
            _ if left == 0 => 0,
            None => u64::MAX,
            Some(out) if is_before => left.div_ceil(out.bits.into()),
            Some(out) => (left - 1) / u64::from(out.bits),
        }
    }

    /// What rounds leave of a machine's counters.
    pub(super) fn count_down(&self, machine: &mut StateMachine, rounds: u32) {
        match self.counter {
            None => {}
            Some(Counter::X) => machine.x -= rounds,
            Some(Counter::Y) => machine.y -= rounds,
        }
    }
}

/// The rounds before a shift moves a word through a FIFO, with the one in which it does where that is their last instruction.
fn shifted_rounds(shift: Option<Shift>, count: u8, threshold: Option<u8>, moves_word: bool) -> u64 {
    let Some(threshold) = threshold else { return u64::MAX };
    let left = threshold.saturating_sub(count);
    match shift {
        None => u64::MAX,
        _ if left == 0 => 0,
        Some(shift) if shift.is_last && moves_word && left % shift.bits == 0 => u64::from(left / shift.bits),
        Some(shift) => u64::from((left - 1) / shift.bits),
    }
}

/// The count of a shift register after some rounds.
pub(super) fn counted(count: u8, shift: Option<Shift>, rounds: u32) -> u8 {
    let bits = shift.map_or(0, |shift| u32::from(shift.bits).saturating_mul(rounds));
    (u32::from(count).saturating_add(bits)).min(FULL_COUNT.into()) as u8
}
