//! A WIZnet chip whose clock and data are on pins: bits come at rises and are answered after falls, edge by edge or as pulses in a
//! row, and eight of them make a byte for the chip.

use ::wiznet::Chip;
use lan::ChipId;
use mcu::{Answer, ClockPulses, ClockWords, DataLine, Said};
use units::{Hertz, Picoseconds};

use super::super::Around;
use super::Seat;

const BYTE_BITS: u32 = 8;

/// A byte on its way over pins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bits {
    count: u32,
    sent: u8,
    answer: u8,
    /// The rising edge of the last bit since chip select fell: from the first one on the chip drives MISO.
    risen: Option<Picoseconds>,
}

/// A byte that came, and SCK of its last bit.
struct Byte {
    sent: u8,
    clock_hz: u64,
}

impl Bits {
    /// Whether any came since chip select fell: then the chip drives MISO.
    pub(super) fn have_begun(&self) -> bool {
        self.risen.is_some()
    }

    /// The bits that are left of the byte.
    fn left(&self) -> u32 {
        BYTE_BITS - self.count
    }

    /// Takes bits of one byte, the first in the highest bit, the last two of which came at these rises.
    fn take(
        &mut self,
        (bits, count): (u32, u32),
        [before, last]: [Option<Picoseconds>; 2],
        answer: u8,
    ) -> Option<Byte> {
        let sent = u32::from(self.sent) << count | bits >> (u32::BITS - count);
        *self = Self { count: self.count + count, sent: sent as u8, answer, risen: last };
        if self.left() != 0 {
            return None;
        }
        self.count = 0;
        let period = last.zip(before).map_or(Picoseconds::ZERO, |(last, before)| last - before);
        Some(Byte { sent: self.sent, clock_hz: clock_hz(period) })
    }
}

impl Seat {
    pub(super) fn clock_rises(&mut self, at: Picoseconds, chip: ChipId, around: &mut Around<'_>) {
        let Some(mosi) = self.mosi else { return };
        let level = u32::from(!around.is_low(mosi));
        let answer = self.answer(chip, around);
        self.take((level << 31, 1), [self.bits.risen, Some(at)], (chip, answer), around);
    }

    /// The chip puts its next bit on MISO.
    pub(super) fn clock_falls(&mut self, chip: ChipId, around: &mut Around<'_>) {
        let Some(pin) = self.miso.filter(|_| self.bits.have_begun()) else { return };
        around.drive(pin, Some(self.ahead_now(chip, around) >> 31 == 1));
    }

    /// Pulses in a row. Those are left to edges after whose rise others may have to hear of what the chip did.
    pub(super) fn clock_pulses(&mut self, pulses: &ClockPulses<'_>, around: &mut Around<'_>) -> Answer {
        let (Some(chip), Some(mosi), Some(miso)) = (self.chip, self.mosi, self.miso) else {
            return Answer::default();
        };
        if !self.selected {
            return Answer { count: pulses.count, said: None };
        }
        let answers_all = !pulses.falls_first || self.bits.have_begun();
        if self.clock != Some(pulses.clock) || pulses.may_drive >> miso & 1 == 0 || !answers_all {
            return Answer::default();
        }
        let sent = pulses.levels_of(mosi);
        let (mut taken, mut levels, mut end) = (0, 0, Picoseconds::ZERO);
        while taken < pulses.count {
            let count = self.quiet_bits(pulses.count - taken, chip, around);
            if count == 0 {
                break;
            }
            let answer = self.answer(chip, around);
            let ahead = self.ahead(answer);
            let last = taken + count - 1;
            let before = if count > 1 { Some(pulses.rise(last - 1)) } else { self.bits.risen };
            let [rise, fall] = (pulses.times)(last);
            end = rise.max(fall);
            self.take((sent << taken, count), [before, Some(rise)], (chip, answer), around);
            let said = match pulses.falls_first {
                true => ahead,
                false => ahead << 1 | self.ahead_now(chip, around) >> 31 << (u32::BITS - count),
            };
            levels |= (said & u32::MAX << (u32::BITS - count)) >> taken;
            taken += count;
        }
        if taken == 0 {
            return Answer::default();
        }
        around.advance(end);
        let line = DataLine { pin: miso, levels };
        Answer { count: taken, said: Some(Said { line, at_rise: false, is_pulled: false }) }
    }

    /// Words of whole bytes that only move to the chip's memories or from them, before anything else happens on the network.
    pub(super) fn clock_words(
        &mut self,
        words: &ClockWords<'_>,
        answers: &mut [u32],
        around: &mut Around<'_>,
    ) -> usize {
        let Some(chip) = self.chip.filter(|_| self.takes_words(words)) else { return 0 };
        let inside = around.device(chip).map_or(0, Chip::bytes_inside);
        let each = (words.count / BYTE_BITS) as usize;
        let last_edges = |word: usize| (words.times)(word, words.count - 1);
        let end_of = |word: usize| last_edges(word).into_iter().max();
        let most = (inside / each).min(words.sent.len()).min(answers.len());
        let taken = match around.next_on_network() {
            Some(next) => first_false(most, |word| end_of(word) < Some(next)),
            None => most,
        };
        let Some(last) = taken.checked_sub(1) else { return 0 };
        let bytes_of = |word: &u32| word.to_be_bytes().into_iter().take(each);
        let mut bytes: Vec<u8> = words.sent[..taken].iter().flat_map(bytes_of).collect();
        let before = (words.times)(last, words.count - 2)[0];
        let [rise, fall] = last_edges(last);
        let clock_hz = clock_hz(rise - before);
        around.advance(rise);
        around.with_device(chip, |chip| chip.pass_inside(rise, &mut bytes, clock_hz));
        around.advance(rise.max(fall));
        let said = bytes.iter().copied().chain([around.device(chip).map_or(0, Chip::next_answer)]);
        put_on_miso(said, words, &mut answers[..taken]);
        self.clocked_hz = Some(clock_hz);
        let (sent, answer) = (bytes_of(&words.sent[last]).next_back().unwrap_or(0), bytes[bytes.len() - 1]);
        self.bits = Bits { count: 0, sent, answer, risen: Some(rise) };
        taken
    }

    /// Whether words go on with whole bytes on these pins.
    fn takes_words(&self, words: &ClockWords<'_>) -> bool {
        let DataLine { pin, .. } = words.said.line;
        let is_own =
            self.clock == Some(words.clock) && self.mosi == Some(words.sent_pin) && self.miso == Some(pin);
        let is_driven = words.may_drive >> pin & 1 == 1 && !words.said.at_rise && !words.said.is_pulled;
        let is_whole =
            self.bits.count == 0 && self.bits.have_begun() && words.count.is_multiple_of(BYTE_BITS);
        self.selected && is_own && is_driven && is_whole
    }

    /// How many of so many bits belong to the byte under way and do nothing of which others hear.
    fn quiet_bits(&self, count: u32, chip: ChipId, around: &Around<'_>) -> u32 {
        let left = self.bits.left();
        let completes = count >= left;
        let stays_inside = || around.device(chip).is_some_and(Chip::next_byte_stays_inside);
        if completes && !stays_inside() { left - 1 } else { count.min(left) }
    }

    /// Bits of one byte come, against which this answer stands, the last two of them at these rises.
    fn take(
        &mut self,
        bits: (u32, u32),
        rises: [Option<Picoseconds>; 2],
        (chip, answer): (ChipId, u8),
        around: &mut Around<'_>,
    ) {
        let Some(Byte { sent, clock_hz }) = self.bits.take(bits, rises, answer) else { return };
        self.clocked_hz = Some(clock_hz);
        let Some(at) = rises[1] else { return };
        around.advance(at);
        around.with_device(chip, |chip| chip.spi_byte(at, sent, clock_hz));
    }

    /// What is left of an answer to put on MISO in the byte under way, the present bit in the highest.
    fn ahead(&self, answer: u8) -> u32 {
        u32::from(answer) << (self.bits.count + u32::BITS - BYTE_BITS)
    }

    fn ahead_now(&self, chip: ChipId, around: &Around<'_>) -> u32 {
        self.ahead(self.answer(chip, around))
    }

    /// The byte that stands on MISO while the one under way comes.
    fn answer(&self, chip: ChipId, around: &Around<'_>) -> u8 {
        match self.bits.count {
            0 => around.device(chip).map_or(0, Chip::next_answer),
            _ => self.bits.answer,
        }
    }
}

fn clock_hz(period: Picoseconds) -> u64 {
    u64::try_from(units::PS_PER_S / period.ps().max(1)).map_or(0, |hz| Hertz::new(hz).map_or(0, Hertz::hz))
}

/// The levels of MISO in words in which these bytes are said, and one behind them.
fn put_on_miso(mut said: impl Iterator<Item = u8>, words: &ClockWords<'_>, answers: &mut [u32]) {
    let mut next = said.next().unwrap_or_default();
    for answer in answers {
        let mut bits = 0;
        for _ in 0..words.count / BYTE_BITS {
            bits = bits << BYTE_BITS | u32::from(next);
            next = said.next().unwrap_or_default();
        }
        // After the last pulse of a word that falls in the end, the first bit of the next one stands there.
        let first = if words.falls_first { bits } else { bits << 1 | u32::from(next >> 7) };
        *answer = first << (u32::BITS - words.count);
    }
}

/// The first of so many numbers that is no more before something which comes behind those that are.
fn first_false(most: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
