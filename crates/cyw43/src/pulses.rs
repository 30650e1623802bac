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
        let response = match (self.phase, sent) {
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
        };
        if let Some(last) = response.count.checked_sub(1) {
            let [rise, fall] = times(last);
            self.end_pulse(rise, fall);
        }
        response
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
        let is_last =
            |command: &Command| matches!(self.phase, Phase::Write(moved) if moved + 4 >= command.bytes);
        behind.appends_status() && self.command.as_ref().is_some_and(is_last)
    }

    fn put_bits(
        &mut self,
        count: u32,
        times: &dyn Fn(u32) -> [Picoseconds; 2],
        behind: &mut impl Behind,
    ) -> Response {
        let at_rise = self.speaks_at_rise(behind);
        // All of them are as long as the first, which may be another length than that of the pulse before.
        let count = if self.goes_on_with(times(0)) { count } else { count.min(1) };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::command::Function;
    use crate::word_order::WordOrder;

    /// Everything that was asked for and said, each with its time.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    struct Log {
        high_speed: bool,
        delay: u32,
        status: bool,
        order: WordOrder,
        events: Vec<(i64, &'static str, u32, u32)>,
    }

    impl Behind for Log {
        fn order(&self) -> WordOrder {
            self.order
        }
        fn is_high_speed(&self) -> bool {
            self.high_speed
        }
        fn delay_bytes(&self, _: Function) -> u32 {
            self.delay
        }
        fn appends_status(&self) -> bool {
            self.status
        }
        fn status(&self) -> u32 {
            0x1234_5678 ^ self.events.len() as u32
        }
        fn write(&mut self, at: Picoseconds, _: &Command, offset: u32, bytes: u32, value: u32) {
            self.events.push((at.ps(), "write", offset << 8 | bytes, value));
        }
        fn read(&mut self, at: Picoseconds, _: &Command, offset: u32) -> u32 {
            self.events.push((at.ps(), "read", offset, 0));
            offset.wrapping_mul(0x9e37_79b9) ^ self.events.len() as u32
        }
        fn end(&mut self, at: Picoseconds, _: &Command, bytes: u32) {
            self.events.push((at.ps(), "end", bytes, 0));
        }
    }

    /// Pulses from a time on, of half a period each.
    fn times(from: i64, half_ps: i64) -> impl Fn(u32) -> [Picoseconds; 2] {
        move |n| [0, 1].map(|half| Picoseconds::new(from + (2 * i64::from(n) + half) * half_ps))
    }

    /// One pulse as edges; the level after each.
    fn edges(
        gspi: &mut Gspi,
        log: &mut Log,
        [rise, fall]: [Picoseconds; 2],
        level: bool,
    ) -> [Option<bool>; 2] {
        gspi.clock_rises(rise, level, log);
        let risen = gspi.out();
        gspi.clock_falls(fall, log);
        [risen, gspi.out()]
    }

    /// The bits that a host sends before it lets go of the line: a command, and what it writes.
    fn sent(command: &Command, order: WordOrder, written: &[u32]) -> Vec<bool> {
        let words = std::iter::once(order.swap(command.word())).chain(written.iter().copied());
        words.flat_map(|word| (0..32).map(move |bit| word >> (31 - bit) & 1 == 1)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn pulses_do_what_as_many_edges_do(
            word: u32, bytes in 1u32..90, high_speed: bool, delay in 0u32..9, status: bool, order in 0u8..3,
            written in prop::collection::vec(any::<u32>(), 0..26), more in 0u32..90,
            rows in prop::collection::vec((1u32..33, prop_oneof![Just(16_000i64), Just(10_000), Just(40_000)]), 200),
        ) {
            let order = [WordOrder::Halves, WordOrder::LowFirst, WordOrder::HighFirst][usize::from(order)];
            let command = Command { bytes, ..Command::of(word) };
            let log = Log { high_speed, delay, status, order, events: Vec::new() };
            let written = if command.is_write { &written[..] } else { &[] };
            let (mut told, mut edged) = ((Gspi::default(), log.clone()), (Gspi::default(), log));
            for (gspi, log) in [&mut told, &mut edged] {
                gspi.select(Picoseconds::ZERO, true, log);
            }
            let bits = sent(&command, order, written);
            let all = bits.len() + 8 * (bytes + more) as usize;
            let (mut at, mut rows, mut from) = (0, rows.into_iter().cycle(), 0);
            while at < all {
                let (row, half_ps) = rows.next().unwrap();
                let row = (row as usize).min(if at < bits.len() { bits.len() } else { all } - at);
                let times = times(from, half_ps);
                let levels: Vec<bool> = (at..at + row).map(|n| bits.get(n).copied().unwrap_or(false)).collect();
                let packed = levels.iter().zip(0..).fold(0, |all, (&level, n)| all | u32::from(level) << (31 - n));
                let host = (at < bits.len()).then_some(packed);
                let response = told.0.pulses(row as u32, host, &times, &mut told.1);
                prop_assert!(response.count as usize <= row);
                for (n, &level) in levels.iter().enumerate().take(response.count as usize) {
                    let before = edged.0.out();
                    let after = edges(&mut edged.0, &mut edged.1, times(n as u32), level);
                    match response.levels {
                        Some(said) => {
                            let said = Some(said >> (31 - n) & 1 == 1);
                            prop_assert_eq!(after, if response.at_rise { [said, said] } else { [before, said] });
                        }
                        None => prop_assert_eq!(after, [before, before]),
                    }
                }
                at += response.count as usize;
                if (response.count as usize) < row {
                    let level = levels[response.count as usize];
                    for (gspi, log) in [&mut told, &mut edged] {
                        edges(gspi, log, times(response.count), level);
                    }
                    at += 1;
                }
                from = times(row as u32)[0].ps();
                prop_assert_eq!(format!("{:?}", &told), format!("{:?}", &edged));
            }
            for (gspi, log) in [&mut told, &mut edged] {
                gspi.select(Picoseconds::new(from), false, log);
            }
            prop_assert_eq!(told.1, edged.1);
        }
    }
}
