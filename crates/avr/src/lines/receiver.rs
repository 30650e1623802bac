//! The receiver of a USART on a line from another board: what it makes of a frame ([`LineEnd`]), as the ATmega328P's datasheet has it
//! ("Asynchronous Data Recovery"). Left out: the majority of three samples.

use mcu::{Edge, LineEnd, Next};
use units::{PS_PER_S, Picoseconds};

use crate::peripherals::usart::Shape;

/// An instruction and the entry of a handler may take so many cycles, which the chip must not be ahead of its line.
const MARGIN_CYCLES: u64 = 10;

/// How characters are received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reception {
    pub(crate) shape: Shape,
    pub(crate) hz: u64,
}

impl Reception {
    fn time_of(&self, cycles: u64) -> Picoseconds {
        let ps = u128::from(cycles) * PS_PER_S as u128 / u128::from(self.hz);
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX / 4))
    }
}

impl mcu::Reception for Reception {
    fn half_bits(&self, count: u32) -> Picoseconds {
        self.time_of(u64::from(count) * self.shape.bit_cycles / 2)
    }

    fn bits_before_stop(&self) -> u32 {
        self.shape.bits_before_stop() as u32
    }

    fn margin(&self) -> Picoseconds {
        self.time_of(MARGIN_CYCLES)
    }
}

/// What can be said of the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is there.
    Character {
        /// When its stop bit is sampled.
        sampled: Picoseconds,
        /// When its stop bit is over.
        whole: Picoseconds,
        byte: u8,
        /// As UCSRnA has them.
        errors: u8,
    },
    /// The chip may run up to this time; then more of the line has to be known.
    Unknown(Picoseconds),
    /// The receiver is off.
    Nothing,
}

/// The end of a line.
#[derive(Debug)]
pub(crate) struct Receiver(LineEnd<Reception>);

impl Receiver {
    /// The end of a line that was idle until now.
    pub(crate) fn new(at: Picoseconds, reception: Option<Reception>) -> Self {
        Self(LineEnd::new(at, reception))
    }

    /// Characters that begin from now on are received like that.
    pub(crate) fn set(&mut self, at: Picoseconds, reception: Option<Reception>) {
        self.0.set(at, reception);
    }

    /// More is known of the line.
    pub(crate) fn hear(&mut self, edges: &[Edge], known_to: Picoseconds) {
        self.0.hear(edges, known_to);
    }

    /// A character was received, whose stop bit was sampled then.
    pub(crate) fn take(&mut self, sampled: Picoseconds) {
        self.0.take(sampled);
    }

    /// What comes next on the line.
    pub(crate) fn look(&self) -> Seen {
        match self.0.look() {
            Next::Frame(frame) => character(&frame),
            Next::Unknown(at) => Seen::Unknown(at),
            Next::Nothing => Seen::Nothing,
        }
    }
}

fn character(frame: &mcu::Frame<Reception>) -> Seen {
    let (word, errors) = frame.reception.shape.received(frame.bits);
    Seen::Character { sampled: frame.sampled, whole: frame.whole, byte: word as u8, errors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peripherals::usart::{FRAME_ERROR, PARITY_ERROR};

    /// 8 data bits, even parity, 16 cycles a bit at 16 MHz: a bit is a microsecond.
    const RECEPTION: Reception = Reception {
        shape: Shape { bit_cycles: 16, data_bits: 8, parity: Some(false), stop_bits: 1 },
        hz: 16_000_000,
    };

    fn us(count: i64) -> Picoseconds {
        Picoseconds::new(count * 1_000_000)
    }

    /// The changes of level of a frame's bits from a time on, the first lowest.
    fn edges(from_us: i64, bits: u16, count: i64) -> Vec<Edge> {
        let level = |bit: i64| bit < 0 || bits >> bit & 1 == 1;
        let changes = (0..count).filter(|&bit| level(bit) != level(bit - 1));
        changes.map(|bit| Edge { at: us(from_us + bit), pin: 0, level: level(bit) }).collect()
    }

    fn heard(bits: u16) -> Seen {
        let mut receiver = Receiver::new(us(0), Some(RECEPTION));
        receiver.hear(&edges(5, bits, 11), us(16));
        receiver.look()
    }

    #[test]
    fn a_character_is_whole_when_its_stop_bit_is_over() {
        // Stop, parity, 0x35 and start: it has four ones, so that an even parity bit is 0.
        let seen = heard(0b100_0110_1010);
        assert_eq!(
            seen,
            Seen::Character { sampled: Picoseconds::new(15_500_000), whole: us(16), byte: 0x35, errors: 0 }
        );
    }

    #[test]
    fn a_wrong_parity_and_a_low_stop_bit_are_told() {
        let errors = |bits| match heard(bits) {
            Seen::Character { errors, .. } => errors,
            seen => panic!("{seen:?}"),
        };
        assert_eq!(errors(0b110_0110_1010), PARITY_ERROR);
        assert_eq!(errors(0b000_0110_1010), FRAME_ERROR);
    }

    #[test]
    fn a_glitch_is_no_start_bit() {
        let mut receiver = Receiver::new(us(0), Some(RECEPTION));
        let glitch = [(us(5), false), (us(5) + Picoseconds::new(400_000), true)];
        receiver.hear(&glitch.map(|(at, level)| Edge { at, pin: 0, level }), us(40));
        assert!(matches!(receiver.look(), Seen::Unknown(at) if at > us(40)));
    }

    #[test]
    fn an_idle_line_is_needed_again_before_a_character_could_show() {
        let mut receiver = Receiver::new(us(0), Some(RECEPTION));
        receiver.hear(&[], us(100));
        let Seen::Unknown(at) = receiver.look() else { panic!("nothing is under way") };
        assert!(at > us(100) && at < us(110), "{at}");
        receiver.set(us(100), None);
        receiver.hear(&[], us(200));
        assert_eq!(receiver.look(), Seen::Nothing);
    }
}
