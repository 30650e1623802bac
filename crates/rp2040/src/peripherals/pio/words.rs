//! How soon a machine can move a word through its FIFO: not before so many bits have gone through a shift register as make a word,
//! and these go as fast as the quickest way of its program from one OUT or IN to the next allows.

use super::decoded::Decoded;
use super::reach::{moves_flags, places_from, successors};
use super::registers::{ADDR, Config, RXF0, SM_STRIDE, SM0, TXF0};
use super::state_machine::{Stall, StateMachine};
use super::{Io, MACHINES, NEVER, Pio};
use crate::lines::Dreq;
use units::{PS_PER_S, Picoseconds};

/// More ticks than any way without a loop takes.
const FAR: u64 = 32 * 32;

/// The bits that one instruction moves at the most, and the fewest ticks from one such instruction to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pace {
    bits: u64,
    ticks: u64,
}

/// The pace of a program, as long as no register is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPace {
    /// A word may move at any time.
    Unknown,
    /// Words move by autopull and autopush alone; nothing where none does.
    Shifts { out: Option<ShiftPace>, into: Option<ShiftPace> },
}

/// The pace of a shift register that moves words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShiftPace {
    threshold: u64,
    pace: Pace,
}

impl ShiftPace {
    /// The fewest ticks from the next instruction to the one with which a word is complete.
    fn ticks_left(&self, shifted: u8) -> u64 {
        let bits = self.threshold.saturating_sub(shifted.into());
        bits.div_ceil(self.pace.bits).saturating_sub(1) * self.pace.ticks
    }
}

impl ShiftPace {
    /// The fewest ticks from one word to the next.
    fn ticks_of_word(&self) -> u64 {
        self.threshold.div_ceil(self.pace.bits) * self.pace.ticks
    }
}

impl WordPace {
    /// The pace of the program of a machine from where it stands.
    pub(super) fn of(machine: &StateMachine, program: &[u16; 32]) -> Self {
        const OUT: u16 = 3;
        const IN: u16 = 2;
        let config = &machine.config;
        let Some(places) = places_from(machine.pc, program, config).filter(|_| !machine.executes_written())
        else {
            return Self::Unknown;
        };
        let reached = |place: &usize| places >> place & 1 == 1;
        // PUSH and PULL move words themselves, and OUT ISR says how many bits the ISR holds.
        let moves = |word: u16| word >> 13 == 4 || is_out_isr(word);
        if (0..32).filter(reached).any(|place| moves(program[place])) {
            return Self::Unknown;
        }
        let shift = |opcode, is_automatic: bool, threshold: u8| {
            let pace = is_automatic.then(|| pace(opcode, places, program, config))?;
            Some(ShiftPace { threshold: threshold.into(), pace: pace? })
        };
        Self::Shifts {
            out: shift(OUT, config.autopull, config.pull_threshold),
            into: shift(IN, config.autopush, config.push_threshold),
        }
    }
}

fn is_out_isr(word: u16) -> bool {
    word >> 13 == 3 && word >> 5 & 7 == 6
}

/// The places that have a bit in a mask.
fn places_of(mut mask: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let place = (mask != 0).then(|| mask.trailing_zeros() as u8)?;
        mask &= mask - 1;
        Some(place)
    })
}

/// The pace of all instructions with an opcode at some places.
fn pace(opcode: u16, places: u32, program: &[u16; 32], config: &Config) -> Option<Pace> {
    let word = |place: u8| program[usize::from(place)];
    let has = |place: u8| word(place) >> 13 == opcode;
    let far = ticks_to(has, places, program, config);
    let own = || places_of(places).filter(|&place| has(place));
    let bits = own().map(|place| u64::from(super::execute::bit_count(word(place) as u8 & 0x1f))).max()?;
    let ticks = own().map(|place| ticks_from(place, &far, program, config)).min()?;
    Some(Pace { bits, ticks: ticks.min(FAR) })
}

/// The fewest ticks from each of some places to the first instruction of a kind.
fn ticks_to(has: impl Fn(u8) -> bool, places: u32, program: &[u16; 32], config: &Config) -> [u64; 32] {
    let mut far = [FAR; 32];
    for place in places_of(places).filter(|&place| has(place)) {
        far[usize::from(place)] = 0;
    }
    loop {
        let before = far;
        for place in places_of(places).filter(|&place| !has(place)) {
            far[usize::from(place)] = ticks_from(place, &far, program, config).min(FAR);
        }
        if far == before {
            return far;
        }
    }
}

/// The fewest ticks of the instruction at a place and those that follow up to one of a kind, to which it is so far from each place.
fn ticks_from(place: u8, far: &[u64; 32], program: &[u16; 32], config: &Config) -> u64 {
    let word = program[usize::from(place)];
    let next = successors(word, config.following(place)).unwrap_or(u32::MAX);
    let nearest = places_of(next).map(|to| far[usize::from(to)]).min();
    1 + u64::from(config.delay(word)) + nearest.unwrap_or(FAR)
}

/// The fewest ticks from each place to an instruction that may raise or clear a flag.
pub(super) fn ticks_to_flag(program: &[u16; 32], config: &Config) -> [u64; 32] {
    let has = |place: u8| {
        let word = program[usize::from(place)];
        moves_flags(word) || successors(word, config.following(place)).is_none()
    };
    ticks_to(has, u32::MAX, program, config)
}

/// The fewest ticks from each place to an instruction that may move a word.
pub(super) fn ticks_to_word(program: &[u16; 32], config: &Config) -> [u64; 32] {
    const SHIFTS_AND_WORDS: std::ops::RangeInclusive<u16> = 2..=4;
    let has = |place: u8| {
        let word = program[usize::from(place)];
        SHIFTS_AND_WORDS.contains(&(word >> 13)) || successors(word, config.following(place)).is_none()
    };
    ticks_to(has, u32::MAX, program, config)
}

impl Pio {
    /// When a word can move through a FIFO at the earliest, if nobody writes to a register.
    pub(crate) fn next_word(&self) -> Picoseconds {
        let (mut due, mut word, mut may_wake) = (NEVER, NEVER, false);
        for (machine, decoded) in self.machines.iter().zip(&self.decoded) {
            if machine.due == NEVER {
                may_wake |= machine.enabled && machine.stall != Some(Stall::Fifo);
                continue;
            }
            due = due.min(machine.due);
            word = word.min(decoded.as_ref().map_or(machine.due, |decoded| machine.next_word(decoded)));
        }
        // One that waits for a flag or a pin may be woken by another, and move a word at once.
        let first = if may_wake { due } else { word };
        self.edges.time_of(first).filter(|_| first != NEVER).unwrap_or(Picoseconds::new(i64::MAX))
    }
}

impl Pio {
    /// Finds out what the programs of the machines do, which the pace of their words is taken from.
    pub(crate) fn decode(&mut self) {
        for (machine, decoded) in self.machines.iter().zip(&mut self.decoded) {
            if machine.enabled && decoded.is_none() {
                *decoded = Some(self.spare[usize::from(machine.index)].decode(&self.program, machine));
            }
        }
    }

    /// When the DMA makes the last of the remaining transfers of a request at the earliest; nothing where it needs no further word
    /// of a machine, or the machine is another block's.
    pub(crate) fn end_of_sequence(&self, treq: u8, remaining: u32) -> Option<Picoseconds> {
        let own = usize::from(treq.checked_sub(self.block.dreq_tx0)?);
        let machine = self.machines.get(own % MACHINES).filter(|_| own < 2 * MACHINES)?;
        let decoded = self.decoded[own % MACHINES].as_ref()?;
        let at_once = match own < MACHINES {
            true => machine.config.transmit_depth - machine.transmit.level(),
            false => machine.receive.level(),
        };
        let words = u64::from(remaining.checked_sub(at_once.into())?.checked_sub(1)?);
        let pace = match decoded.word_pace() {
            WordPace::Shifts { out, .. } if own < MACHINES => out,
            WordPace::Shifts { into, .. } => into,
            WordPace::Unknown => {
                let looped = decoded.known_loop_at(machine.pc);
                let inside = looped.and_then(|looped| looped.ticks_of_words(machine, words, own < MACHINES));
                let ticks = inside.or_else(|| machine.ticks_to_word(decoded, &self.program))?;
                return self.edges.time_of(machine.divider.after(machine.delay + ticks));
            }
        };
        let ticks = words * pace.as_ref()?.ticks_of_word();
        let (next, cycles) = (self.next_word(), machine.divider.after(ticks) - machine.divider.after(0));
        let period = PS_PER_S as u64 / self.edges.hz().max(1);
        next.ps().checked_add_unsigned(cycles.saturating_sub(1) * period).map(Picoseconds::new)
    }

    /// Whether an access at a time finds no cycle that is a picosecond ahead.
    pub(crate) fn is_apart(&self, at: Picoseconds) -> bool {
        self.edges.apart_at(at).is_some()
    }

    /// Whether a machine goes on up to and including a time without asking its FIFOs for anything, and an access then would find
    /// no cycle that is a picosecond ahead.
    pub(crate) fn leaves_fifos_alone(&self, n: usize, at: Picoseconds) -> bool {
        let Some(cycle) = self.edges.apart_at(at) else { return false };
        let machine = &self.machines[n];
        if let Some(next) = machine.next_unforeseen() {
            return next > cycle && !self.lines_stale;
        }
        let has_bits = !machine.config.autopull || machine.osr_count < machine.config.pull_threshold;
        machine.stall.is_none() && has_bits && !self.lines_stale && self.next_word() > at
    }

    /// Whether no word moves up to and including a time, unless the system moves it, and an access then would find no cycle that is
    /// a picosecond ahead.
    pub(crate) fn moves_no_word(&self, at: Picoseconds) -> bool {
        !self.lines_stale && self.is_apart(at) && self.next_word() > at
    }

    /// Whether no machine raises or clears a flag up to and including a time, and an access then would find no cycle that is a
    /// picosecond ahead.
    pub(crate) fn leaves_flags_alone(&self, at: Picoseconds) -> bool {
        let last = self.edges.cycle_at(at);
        let mut machines = self.machines.iter().zip(&self.decoded);
        let leaves_alone = |(machine, decoded): (&StateMachine, &Option<Box<Decoded>>)| {
            let next = || decoded.as_ref().map_or(0, |decoded| machine.next_flag(decoded, &self.program));
            machine.is_at_rest() || next() > last
        };
        self.is_apart(at) && machines.all(leaves_alone)
    }

    /// What a register at an offset shows of where a machine stands, if that is a loop that is known and nobody leads the block on
    /// before.
    pub(crate) fn shows_place(&self, offset: u32, at: Picoseconds) -> Option<u32> {
        let n = offset.checked_sub(SM0 + ADDR).filter(|from| from % SM_STRIDE == 0)? / SM_STRIDE;
        let machine = self.machines.get(n as usize)?;
        let goes_on = machine.enabled && !machine.executes_written() && machine.is_between_instructions();
        let looped = self.decoded[n as usize].as_ref()?.known_loop_at(machine.pc).filter(|_| goes_on)?;
        let ticks = machine.divider.ticks_through(self.edges.cycle_at(at));
        looped.place_after(machine, ticks).map(u32::from)
    }

    /// The machine whose FIFO takes a word at an offset, if nothing follows from that before the machine asks for it.
    pub(crate) fn takes_word(&self, offset: u32, at: Picoseconds) -> Option<usize> {
        let n = fifo(offset, TXF0)?;
        (self.leaves_fifos_alone(n, at) && !self.machines[n].transmit.is_full()).then_some(n)
    }

    /// The machine whose FIFO gives a word at an offset, if nothing follows from that before the machine brings another.
    pub(crate) fn gives_word(&self, offset: u32, at: Picoseconds) -> Option<usize> {
        let n = fifo(offset, RXF0)?;
        (self.leaves_fifos_alone(n, at) && !self.machines[n].receive.is_empty()).then_some(n)
    }

    /// The DMA brings a word to a machine that leaves its FIFOs alone.
    pub(crate) fn be_handed(&mut self, n: usize, word: u32, io: &mut Io) {
        let machine = &mut self.machines[n];
        let took = machine.transmit.push(word);
        debug_assert!(took, "it asked for a word");
        let has_room = !machine.transmit.is_full();
        io.lines.set_dreq(self.dreq(n), has_room);
    }

    /// The DMA takes a word from a machine that leaves its FIFOs alone.
    pub(crate) fn hand_over(&mut self, n: usize, io: &mut Io) -> u32 {
        let machine = &mut self.machines[n];
        let word = machine.receive.pop().unwrap_or_default();
        let has_more = !machine.receive.is_empty();
        io.lines.set_dreq(self.dreq(n + MACHINES), has_more);
        word
    }

    pub(super) fn dreq(&self, n: usize) -> Dreq {
        Dreq(self.block.dreq_tx0 + n as u8)
    }
}

/// Whose FIFO is at an offset, where those of the machines begin.
fn fifo(offset: u32, first: u32) -> Option<usize> {
    let n = offset.checked_sub(first)? as usize / 4;
    (n < MACHINES).then_some(n)
}

impl StateMachine {
    /// The ticks before which the machine moves no word, where its next instruction is the program's; nothing where one may move at once.
    pub(super) fn ticks_to_word(&self, decoded: &Decoded, program: &[u16; 32]) -> Option<u64> {
        let ticks = decoded.ticks_to_word(self.pc, program);
        let refills = self.config.autopull && self.osr_count >= self.config.pull_threshold;
        let goes_on = self.enabled && !self.executes_written() && self.is_between_instructions();
        (ticks != 0 && !refills && goes_on).then_some(ticks)
    }

    /// The cycle before which the machine raises and clears no flag: that of the quickest way of the program to such an instruction,
    /// and in a loop that is known not before its rounds end.
    fn next_flag(&self, decoded: &Decoded, program: &[u16; 32]) -> u64 {
        if !self.enabled || self.executes_written() || !self.is_between_instructions() {
            return 0;
        }
        let inside = decoded.known_loop_at(self.pc).map_or(0, |looped| looped.ticks_inside(self));
        self.divider.after(self.delay + inside.max(decoded.ticks_to_flag(self.pc, program)))
    }

    /// The cycle before which no word moves. In a loop that is known that is when its rounds say; elsewhere the pace of the whole
    /// program says it.
    pub(super) fn next_word(&self, decoded: &Decoded) -> u64 {
        if let Some(next) = self.next_unforeseen() {
            return next;
        }
        // An empty OSR is filled by whatever instruction comes next.
        let refills = self.wants_refill();
        if !self.enabled || self.executes_written() || !self.is_between_instructions() || refills {
            return self.due;
        }
        let alone = decoded.known_loop_at(self.pc).and_then(|looped| looped.ticks_alone(self));
        let ticks = match (decoded.word_pace(), alone) {
            (WordPace::Unknown, None) => return self.due,
            (WordPace::Unknown, Some(alone)) => Some(alone),
            (WordPace::Shifts { out, into }, alone) => {
                let out = out.map(|out| out.ticks_left(self.osr_count));
                let into = into.map(|into| into.ticks_left(self.isr_count));
                let first = out.into_iter().chain(into).min();
                first.map(|ticks| ticks.max(alone.unwrap_or(0)))
            }
        };
        ticks.map_or(NEVER, |ticks| self.divider.after(self.delay + ticks))
    }
}
