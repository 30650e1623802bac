//! Pulses of the clock in a row, which do to the chip what as many rises and falls do. Those that need more care are left to
//! these: the last bit of a command, after which the line may change hands, and the ends of what the chip says.

use units::Picoseconds;

use crate::command::Command;
use crate::gspi::{Behind, Gspi, Phase, WORD_BITS};

/// What pulses of the clock brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Response {
    /// How many of them were taken. The next one is to come as edges.
    pub count: u32,
    /// What the chip puts on the line after the rise or the fall of each, the first in the highest bit; nothing where it does
    /// not speak.
    pub levels: Option<u32>,
    /// Whether it speaks at rises.
    pub at_rise: bool,
}

/// The first bits of a word as its lowest ones.
fn first(word: u32, bits: u32) -> u32 {
    word.checked_shr(WORD_BITS - bits).unwrap_or(0)
}

impl Gspi {
    /// The clock, which is low, pulses up to 32 times, each time at `times`: a rise and a fall. The host drives the line to
    /// `sent` at the rises, the first in the highest bit, or leaves it to the chip.
    pub(crate) fn pulses(
        &mut self,
        count: u32,
        sent: Option<u32>,
        times: &dyn Fn(u32) -> [Picoseconds; 2],
        behind: &mut impl Behind,
    ) -> Response {
        let all = Response { count, ..Response::default() };
        if !self.is_selected() {
            return all;
        }
        match (self.phase, sent) {
            (Phase::Over, _) if self.out().is_none() => all,
            (Phase::Command, Some(bits)) => {
                let taken = count.min(WORD_BITS - 1 - self.bits);
                self.take_first(bits, taken);
                Response { count: taken, ..all }
            }
            (Phase::Write(_), Some(bits)) => {
                Response { count: self.take_bits(count, bits, times, behind), ..all }
            }
            (Phase::Read(_) | Phase::Status { .. }, None) => self.put_bits(count, times, behind),
            _ => Response::default(),
        }
    }

    fn take_first(&mut self, bits: u32, count: u32) {
        self.shift = self.shift.checked_shl(count).unwrap_or(0) | first(bits, count);
        self.bits += count;
    }

    fn take_bits(
        &mut self,
        count: u32,
        bits: u32,
        times: &dyn Fn(u32) -> [Picoseconds; 2],
        behind: &mut impl Behind,
    ) -> u32 {
        let mut taken = 0;
        while taken < count {
            let own = (count - taken).min(WORD_BITS - self.bits);
            let completes = self.bits + own == WORD_BITS;
            if completes && self.is_followed_by_status(behind) {
                // The chip takes the line over at the end of the last bit.
                self.take_first(bits << taken, own - 1);
                return taken + own - 1;
            }
            self.take_first(bits.checked_shl(taken).unwrap_or(0), own);
            taken += own;
            if completes {
                self.word_is_complete(times(taken - 1)[0], behind);
                if !matches!(self.phase, Phase::Write(_)) {
                    // What comes now is nobody's.
                    return count;
                }
            }
        }
        taken
    }

    fn is_followed_by_status(&self, behind: &impl Behind) -> bool {
        let is_last = |command: &Command| matches!(self.phase, Phase::Write(moved) if moved + 4 >= command.bytes);
        behind.appends_status() && self.command.as_ref().is_some_and(is_last)
    }

    fn put_bits(
        &mut self,
        count: u32,
        times: &dyn Fn(u32) -> [Picoseconds; 2],
        behind: &mut impl Behind,
    ) -> Response {
        let at_rise = behind.is_high_speed();
        let (mut put, mut levels) = (0, 0);
        while put < count {
            if self.bits == 0 {
                let at = times(put)[usize::from(!at_rise)];
                if self.has_said_all(behind) || !self.take_up_word(at, behind) {
                    break;
                }
            }
            let own = (count - put).min(self.bits);
            levels |= first(self.shift, own) << (WORD_BITS - own) >> put;
            self.put_first(own);
            put += own;
        }
        Response { count: put, levels: (put != 0).then_some(levels), at_rise }
    }
}
