//! Ping-pong between two boards over serial lines, heard on these: each number that the first board sends, a line of text of
//! its own, and the number that the second one answers. A message lasts from the answer before to its own answer; the first
//! one from its start bit.

use ::traffic::Sample;
use board::{Crossing, Side};
use units::Picoseconds;

use super::dialogue::Dialogue;
use super::rounds::next_number;

/// Longer is no number of 64 bits.
const MOST_DIGITS: usize = 20;
const END: u8 = b'\n';

/// All rounds so far.
#[derive(Debug, Clone, Default)]
pub(super) struct SerialRounds {
    /// What each board has sent of its line of text, the first one's until it is answered.
    said: Dialogue,
}

impl SerialRounds {
    pub(super) fn samples(&self) -> &[Sample] {
        self.said.samples()
    }

    /// Why nothing was answered rightly.
    pub(super) fn why_none(&self) -> String {
        match self.said.samples().iter().find_map(|sample| sample.error.clone()) {
            Some(error) => error,
            None if self.said.begun.is_some() => {
                "the peer answered nothing; look whether both UARTs have one rate, and whether the lines are at their pins".to_owned()
            }
            None => "the board sent nothing on its lines".to_owned(),
        }
    }

    /// Hears a character.
    pub(super) fn hear(&mut self, crossing: &Crossing) {
        let Some(&byte) = crossing.frame.bytes.first() else { return };
        match crossing.from {
            Side::First => self.ask(crossing.frame.start, byte),
            Side::Second => self.answer(crossing.frame.end, byte),
        }
    }

    fn ask(&mut self, start: Picoseconds, byte: u8) {
        if self.said.asked.last() == Some(&END) {
            // It did not wait any longer.
            self.said.complete(
                start,
                None,
                Some("the peer did not answer before the board sent again".to_owned()),
            );
        }
        self.said.begun.get_or_insert(start);
        self.said.asked.push(byte);
        self.said.asked.truncate(MOST_DIGITS + 1);
    }

    fn answer(&mut self, end: Picoseconds, byte: u8) {
        self.said.first_byte.get_or_insert(end);
        self.said.answered.push(byte);
        self.said.answered.truncate(MOST_DIGITS + 1);
        if byte != END && self.said.answered.len() <= MOST_DIGITS {
            return;
        }
        let [asked, answered] = [&self.said.asked, &self.said.answered].map(|text| text.trim_ascii_end());
        let error = match next_number(asked) {
            Some(expected) if expected.as_bytes() == answered => None,
            Some(expected) => Some(format!(
                "the peer answered {:?} with {:?}, where {expected} is right",
                String::from_utf8_lossy(asked),
                String::from_utf8_lossy(answered)
            )),
            None if asked.is_empty() => Some("the peer sent something before it was asked".to_owned()),
            None => Some(format!("the board sent {:?}, which is no number", String::from_utf8_lossy(asked))),
        };
        self.said.complete(end, None, error);
    }
}

#[cfg(test)]
mod tests {
    use lan::WireFrame;

    use super::*;

    fn us(us: i64) -> Picoseconds {
        Picoseconds::new(us * units::PS_PER_US)
    }

    /// Characters of 10 us each, from a time on.
    fn say(rounds: &mut SerialRounds, from: Side, at_us: i64, text: &str) {
        for (place, byte) in (0..).zip(text.bytes()) {
            let (start, end) = (us(at_us + 10 * place), us(at_us + 10 * place + 10));
            rounds.hear(&Crossing { from, frame: WireFrame { start, end, bytes: vec![byte] } });
        }
    }

    fn told(rounds: &SerialRounds) -> Vec<(i64, i64, Option<&str>)> {
        let us = |time: Picoseconds| time.ps() / units::PS_PER_US;
        let samples = rounds.samples().iter();
        samples.map(|one| (us(one.trigger), us(one.done.unwrap()), one.error.as_deref())).collect()
    }

    #[test]
    fn a_message_lasts_from_the_answer_before_to_its_own() {
        let mut rounds = SerialRounds::default();
        assert!(rounds.why_none().contains("sent nothing"));
        say(&mut rounds, Side::First, 100, "9\n");
        assert!(rounds.why_none().contains("one rate"));
        say(&mut rounds, Side::Second, 150, "10\n");
        say(&mut rounds, Side::First, 200, "10\n");
        say(&mut rounds, Side::Second, 300, "11\n");
        assert_eq!(told(&rounds), [(100, 180, None), (180, 330, None)]);
        assert_eq!((rounds.samples()[1].request_bytes, rounds.samples()[1].response_bytes), (3, 3));
    }

    #[test]
    fn a_wrong_answer_and_a_missing_one_are_errors() {
        let mut rounds = SerialRounds::default();
        say(&mut rounds, Side::First, 0, "1\n");
        say(&mut rounds, Side::Second, 50, "3\n");
        say(&mut rounds, Side::First, 100, "1\n");
        say(&mut rounds, Side::First, 500, "1\n");
        let errors: Vec<&str> = told(&rounds).iter().map(|one| one.2.unwrap()).collect();
        assert_eq!(errors[0], "the peer answered \"1\" with \"3\", where 2 is right");
        assert!(errors[1].contains("before the board sent again"), "{errors:?}");
    }
}
