//! Words that a row shifts out to pins of which somebody outside hears later: where all bits come evenly they are told as words, and only
//! the last ones are gone through change by change, for those who look at pins as they were of late.

use mcu::LevelWords;
use units::Picoseconds;

use super::burst::{TOLD, Untold};
use super::divider::Divider;
use super::loops::Loop;
use super::registers::mask;
use super::rounds::Rounds;
use super::row::Word;
use super::state_machine::FULL_COUNT;
use super::{ALL_PINS, Io, Pio};

/// Words after which those who hear of them later do.
const MOST_WORDS: usize = 64;
const WORD_BITS: u32 = u32::BITS;

/// A word that was passed and does not show at the pins yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct PassedWord {
    rounds: Rounds,
    divider: Divider,
    bits: u32,
}

/// How a loop brings words to pins, where all of their bits come evenly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evenly {
    pin: u8,
    bits: u8,
    /// The tick within a round, and how far two rounds are apart.
    tick: u64,
    cycles: u64,
    step: Picoseconds,
}

/// What words do to the pins that get their bits.
#[derive(Debug, Default)]
struct Moves {
    /// The pins that change, and those that do so more than once, from the first on.
    changed: u32,
    pulsed: u32,
    /// The step of the last change.
    last: Option<u32>,
}

impl Evenly {
    /// When the first bits of a word come.
    fn start(&self, word: &PassedWord) -> u64 {
        word.divider.after(word.rounds.first_tick + self.tick)
    }

    fn steps_in_word(&self) -> u32 {
        WORD_BITS / u32::from(self.bits)
    }

    /// Bit by bit what a word changes, behind levels of the pins.
    fn changes(&self, word: u32, before: u32) -> u32 {
        word ^ (word << self.bits | before & mask(self.bits))
    }

    /// The levels behind a word.
    fn last(&self, word: u32) -> u32 {
        word >> (WORD_BITS - u32::from(self.bits))
    }

    fn moves(&self, words: &[u32], mut before: u32) -> Moves {
        let mut moves = Moves::default();
        let mut times = [0; 16];
        // The places of the first pin.
        let places = u32::MAX / mask(self.bits);
        for (number, &word) in words.iter().enumerate() {
            let changes = self.changes(word, before);
            before = self.last(word);
            if changes != 0 {
                let step = (WORD_BITS - 1 - changes.leading_zeros()) / u32::from(self.bits);
                moves.last = Some(number as u32 * self.steps_in_word() + step);
                (0..self.bits)
                    .for_each(|pin| times[usize::from(pin)] += (changes >> pin & places).count_ones());
            }
        }
        for (pin, times) in times.into_iter().enumerate() {
            moves.changed |= u32::from(times > 0) << pin;
            moves.pulsed |= u32::from(times > 1) << pin;
        }
        moves
    }
}

impl Pio {
    /// How a machine's loop brings its words to pins of which somebody hears later, and that show what it writes.
    pub(super) fn evenly(&self, n: usize, looped: &Loop, untold: &Untold) -> Option<Evenly> {
        let (machine, config) = (&self.machines[n], &self.machines[n].config);
        let out = looped.out.filter(|out| out.at_pins && out.bits.is_power_of_two() && out.bits <= 16)?;
        let (_, data) = looped.pins();
        let is_data = data == mask(out.bits) << config.out_base;
        let stands = looped.moves().iter().all(|one| untold.levels() & one.mask == one.levels & one.mask);
        let is_whole = config.out_right && config.pull_threshold == FULL_COUNT;
        let is_heard = data & untold.visible() & self.heard.pins == data;
        if !(is_data && stands && is_whole && is_heard) {
            return None;
        }
        let cycles = machine.divider.even_cycles(machine.delay + out.tick, looped.ticks)?;
        let step = self.edges.even_step(cycles)?;
        Some(Evenly { pin: config.out_base, bits: out.bits, tick: out.tick, cycles, step })
    }

    /// A machine passes a word, before it goes on behind it.
    pub(super) fn pass_levels(
        &mut self,
        n: usize,
        (looped, word): (&Loop, &Word),
        (untold, evenly): (&mut Untold, Option<&Evenly>),
        io: &mut Io,
    ) {
        let (divider, bits) = (self.machines[n].divider, self.machines[n].osr);
        let passed = PassedWord { rounds: word.rounds, divider, bits };
        if let Some(evenly) = evenly.filter(|evenly| self.follows(&passed, evenly)) {
            self.row.passed.push(passed);
            if self.row.passed.len() == MOST_WORDS {
                self.end_levels(n, looped, (untold, Some(evenly)), io);
            }
        } else {
            self.end_levels(n, looped, (untold, evenly), io);
            self.move_pins(n, looped, &word.rounds, (divider, bits), untold, io);
        }
    }

    /// Whether a word comes as evenly as those before it, and right behind them.
    fn follows(&self, word: &PassedWord, evenly: &Evenly) -> bool {
        let behind = |last| evenly.start(last) + u64::from(evenly.steps_in_word()) * evenly.cycles;
        let is_next = self.row.passed.last().is_none_or(|last| behind(last) == evenly.start(word));
        is_next && word.rounds.count == evenly.steps_in_word()
    }

    /// Leads to the pins what the words did that were passed; what they did last is told with what comes then.
    pub(super) fn end_levels(
        &mut self,
        n: usize,
        looped: &Loop,
        (untold, evenly): (&mut Untold, Option<&Evenly>),
        io: &mut Io,
    ) {
        let Some(evenly) = evenly else { return };
        let mut passed = std::mem::take(&mut self.row.passed);
        // Who looks at pins as they were of late remembers so many changes.
        let mut changes = 0;
        let mut told = passed.len();
        while told > 0 && changes < TOLD {
            told -= 1;
            let bits = passed[told].bits;
            changes += (evenly.changes(bits, bits).count_ones() / u32::from(evenly.bits)) as usize;
        }
        if told > 0 {
            self.tell_levels(&passed[..told], (untold, evenly), io);
        }
        for word in &passed[told..] {
            self.move_pins(n, looped, &word.rounds, (word.divider, word.bits), untold, io);
        }
        passed.clear();
        self.row.passed = passed;
    }

    fn tell_levels(&mut self, passed: &[PassedWord], (untold, evenly): (&mut Untold, &Evenly), io: &mut Io) {
        let Some(first) = passed.first().map(|word| evenly.start(word)) else { return };
        self.tell(untold, first, io);
        let mut words = std::mem::take(&mut self.row.words);
        words.extend(passed.iter().map(|word| word.bits));
        let before = io.pins.levels();
        let moves = evenly.moves(&words, before >> evenly.pin);
        if let Some(last) = moves.last {
            let (start, step) = (self.edges.time_of(first).unwrap_or(io.now), evenly.step);
            let early = self.steps_met(first, evenly, words.len());
            let (pin, bits) = (evenly.pin, evenly.bits);
            let told = LevelWords { before, start, step, pin, bits, words: &words, early: &early };
            io.outside.levels_in_words(&told, &mut io.reactions);
            let levels = untold.levels() & !told.mask() | told.last() & told.mask();
            self.show(levels, first + u64::from(last) * evenly.cycles, (&moves, evenly.pin), io);
            untold.start_at(levels);
        }
        words.clear();
        self.row.words = words;
    }

    /// The steps of words from a cycle on that were carried out before their edge, and when.
    fn steps_met(&self, first: u64, evenly: &Evenly, words: usize) -> Vec<(usize, Picoseconds)> {
        let steps = words * evenly.steps_in_word() as usize;
        let step_of = |&(cycle, at): &(u64, Picoseconds)| {
            let behind = cycle.checked_sub(first).filter(|behind| behind.is_multiple_of(evenly.cycles))?;
            let step = (behind / evenly.cycles) as usize;
            (step < steps).then_some((step, at))
        };
        self.met.iter().filter_map(step_of).collect()
    }

    /// Leads to the pins what outside knows: their levels since a cycle.
    fn show(&mut self, levels: u32, cycle: u64, (moves, pin): (&Moves, u8), io: &mut Io) {
        let heard = std::mem::take(&mut self.heard);
        let before = io.pins.inputs_changed();
        self.observe_ahead(cycle, io);
        self.drive_at(levels & ALL_PINS, self.enables, cycle, io);
        let (changed, pulsed) = (moves.changed << pin, moves.pulsed << pin);
        io.pins.note_changes(changed, before & changed | pulsed);
        self.heard = heard;
        io.pins.take_changed_of(heard.pins);
    }
}
