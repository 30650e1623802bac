//! A slave with a line for each direction, which can be told of pulses in a row.

use mcu::{Answer, ClockPulses, ClockWords, DataLine, Outside, Patience, Reaction, Said};
use testing::Random;
use units::Picoseconds;

use crate::told_in_rows::InRows;

/// A slave of words of eight bits. It samples at rises, and what it says depends on what it heard.
#[derive(Debug, Clone)]
pub(super) struct Slave {
    pub(super) takes_pulses: bool,
    pub(super) pins: Pins,
    /// It speaks at rises, and not at falls.
    pub(super) at_rise: bool,
    /// It pulls its line, and does not drive it.
    pub(super) pulls: bool,
    pub(super) shift: u32,
    pub(super) bits: u32,
    pub(super) answer: u32,
    /// A rise came since a frame began: from then on it speaks.
    pub(super) has_begun: bool,
    pub(super) interrupt: bool,
    /// It interrupts after one in 128 words, and not in 8.
    pub(super) seldom_interrupts: bool,
    pub(super) words: Random,
    /// Where it leaves pulses to edges without a reason, if it has any whims.
    pub(super) whims: Option<Random>,
    /// Of the times of all edges of the clock.
    pub(super) times: i64,
    /// The words that it took, and when.
    pub(super) log: Vec<(i64, u32)>,
    pub(super) pulses: u64,
    /// The words whose pulses it was told of at once, as they are where the DMA brings and takes one after the other.
    pub(super) whole_words: u64,
    /// Those of eight bits that it took in words of which it was told many at once.
    pub(super) many_words: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Pins {
    pub(super) clock: u32,
    pub(super) mosi: u32,
    pub(super) miso: u32,
    /// A frame begins when this rises.
    pub(super) select: u32,
    pub(super) interrupt: u32,
}

impl Slave {
    fn note_time(&mut self, at: Picoseconds) {
        self.times = self.times.rotate_left(7) ^ at.ps();
    }

    fn rises(&mut self, at: Picoseconds, level: u32) -> bool {
        self.shift = self.shift << 1 & 0xff | level;
        (self.bits, self.has_begun) = (self.bits + 1, true);
        if self.bits < 8 {
            return false;
        }
        self.log.push((at.ps(), self.shift));
        self.bits = 0;
        self.answer = self.words.any() as u32 ^ self.shift;
        self.asks(self.shift)
    }

    /// Whether a word moves the interrupt.
    fn asks(&self, word: u32) -> bool {
        word & if self.seldom_interrupts { 0x7f } else { 7 } == 0
    }

    /// The same of any rise in a word.
    fn would_interrupt_in(&self, sent: u32, count: u32) -> bool {
        let (mut shift, mut bits) = (self.shift, self.bits);
        (0..count).any(|pulse| {
            shift = shift << 1 & 0xff | sent >> (31 - pulse) & 1;
            bits = (bits + 1) % 8;
            bits == 0 && self.asks(shift)
        })
    }

    /// Both edges of a pulse come; gives what stands on its line then.
    fn pulse(&mut self, [rise, fall]: [Picoseconds; 2], falls_first: bool, sent: u32) -> u32 {
        let mut level = 0;
        for rises in if falls_first { [false, true] } else { [true, false] } {
            let at = if rises { rise } else { fall };
            self.note_time(at);
            if rises {
                self.rises(at, sent);
            }
            if rises == self.at_rise {
                level = u32::from(self.level());
            }
        }
        level
    }

    fn level(&self) -> bool {
        self.answer >> (7 - self.bits) & 1 == 1
    }

    fn speak(&self, reactions: &mut Vec<Reaction>) {
        let (pin, level) = (self.pins.miso as u8, Some(self.level()));
        reactions.push(if self.pulls { Reaction::Pull { pin, level } } else { Reaction::Pin { pin, level } });
    }

    /// Whether the next rise moves the interrupt, which is to be seen as an edge.
    fn would_interrupt(&self, level: u32) -> bool {
        self.bits == 7 && self.asks(self.shift << 1 & 0xff | level)
    }
}

impl Outside for Slave {
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        if (changed & levels) >> self.pins.select & 1 == 1 {
            (self.bits, self.has_begun) = (0, false);
            let (pin, level) = (self.pins.miso as u8, None);
            reactions.extend([Reaction::Pull { pin, level }, Reaction::Pin { pin, level }]);
        }
        if changed >> self.pins.clock & 1 == 0 {
            return;
        }
        self.note_time(at);
        let rises = levels >> self.pins.clock & 1 == 1;
        if rises && self.rises(at, levels >> self.pins.mosi & 1) {
            self.interrupt = !self.interrupt;
            reactions.push(Reaction::Pin { pin: self.pins.interrupt as u8, level: Some(self.interrupt) });
        }
        if self.has_begun && rises == self.at_rise {
            self.speak(reactions);
        }
    }

    fn listens_to(&self) -> u32 {
        1 << self.pins.clock | 1 << self.pins.select
    }

    fn patience(&self) -> Patience {
        match self.takes_pulses {
            true => Patience {
                heard: 1 << self.pins.clock,
                moved: 1 << self.pins.miso | 1 << self.pins.interrupt,
            },
            false => Patience::default(),
        }
    }

    fn pulses(&mut self, pulses: &ClockPulses<'_>, _: &mut Vec<Reaction>) -> Answer {
        let may_speak = if self.pulls { pulses.may_pull } else { pulses.may_drive };
        let speaks_in_all = self.has_begun || self.at_rise || !pulses.falls_first;
        if u32::from(pulses.clock) != self.pins.clock
            || may_speak >> self.pins.miso & 1 == 0
            || !speaks_in_all
            || self.whims.as_mut().is_some_and(|whims| whims.one_in(16))
        {
            return Answer::default();
        }
        let count = pulses.count;
        let fewer = self.whims.as_mut().and_then(|whims| whims.one_in(8).then(|| 1 + whims.below(count)));
        let most = fewer.unwrap_or(count);
        let sent = pulses.levels_of(self.pins.mosi as u8);
        let (mut count, mut levels) = (0, 0);
        while count < most && !self.would_interrupt(sent >> (31 - count) & 1) {
            let times = [pulses.rise(count), pulses.fall(count)];
            levels |= self.pulse(times, pulses.falls_first, sent >> (31 - count) & 1) << (31 - count);
            count += 1;
        }
        self.pulses += u64::from(count);
        self.whole_words += if pulses.count.is_multiple_of(8) { u64::from(count / 8) } else { 0 };
        let line = DataLine { pin: self.pins.miso as u8, levels };
        let said = Said { line, at_rise: self.at_rise, is_pulled: self.pulls };
        Answer { count, said: (count != 0).then_some(said) }
    }

    fn words(&mut self, words: &ClockWords<'_>, answers: &mut [u32], _: &mut Vec<Reaction>) -> usize {
        let may_speak = if self.pulls { words.may_pull } else { words.may_drive };
        let Said { line, at_rise, is_pulled } = words.said;
        assert_eq!((at_rise, is_pulled), (self.at_rise, self.pulls));
        assert_eq!([line.pin, words.sent_pin].map(u32::from), [self.pins.miso, self.pins.mosi]);
        assert!(u32::from(words.clock) == self.pins.clock && may_speak >> self.pins.miso & 1 == 1);
        let count = words.sent.len() as u32;
        let most = self.whims.as_mut().map_or(count, |whims| whims.below(count + 1));
        let mut taken = 0;
        while taken < most as usize && !self.would_interrupt_in(words.sent[taken], words.count) {
            answers[taken] = (0..words.count).fold(0, |levels, pulse| {
                let times = (words.times)(taken, pulse);
                let sent = words.sent[taken] >> (31 - pulse) & 1;
                levels | self.pulse(times, words.falls_first, sent) << (31 - pulse)
            });
            taken += 1;
        }
        self.pulses += taken as u64 * u64::from(words.count);
        self.many_words += taken as u64 * u64::from(words.count / 8);
        taken
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

impl InRows for Slave {
    type State = (u32, u32, u32, bool, bool, i64);

    fn log(&self) -> &[(i64, u32)] {
        &self.log
    }

    fn pulses(&self) -> u64 {
        self.pulses
    }

    fn whole_words(&self) -> u64 {
        self.whole_words
    }

    fn many_words(&self) -> u64 {
        self.many_words
    }

    fn state(&self) -> Self::State {
        (self.bits, self.shift, self.answer, self.has_begun, self.interrupt, self.times)
    }
}
