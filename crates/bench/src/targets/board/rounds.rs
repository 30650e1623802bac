//! Ping-pong between two boards, heard on the wire: each number that the first board sends, and what the second one answers.
//! A message lasts from the answer before to its own answer, as with a PC; the first one from the first bit of its number.

use ::traffic::Sample;
use units::Picoseconds;

use board::{Crossing, Side};
use lan::segment::{ACK, SYN, segment_of};

use super::dialogue::Dialogue;

/// Longer is no number of 64 bits, nor the answer to one.
const MOST_DIGITS: usize = 20;

/// One direction of the connection.
#[derive(Debug, Clone, Copy, Default)]
struct Stream {
    /// Ports and next sequence number, once the connection was opened.
    open: Option<([u8; 4], u32)>,
}

impl Stream {
    /// The bytes of a segment that were not heard before.
    fn new_bytes<'a>(&mut self, ports: [u8; 4], sequence: u32, payload: &'a [u8]) -> &'a [u8] {
        let Some((_, next)) = self.open.as_mut().filter(|(known, _)| *known == ports) else { return &[] };
        // Sequence numbers wrap (RFC 9293, 3.4). Nothing is lost on the wire, so that nothing comes too early.
        let heard = next.wrapping_sub(sequence) as usize;
        let new = payload.get(heard..).unwrap_or_default();
        *next = next.wrapping_add(new.len() as u32);
        new
    }
}

/// All rounds so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounds {
    /// What the first board sends, and the second one.
    streams: [Stream; 2],
    connections: u32,
    said: Dialogue,
}

impl Rounds {
    pub(super) fn samples(&self) -> &[Sample] {
        self.said.samples()
    }

    /// Why nothing was answered rightly.
    pub(super) fn why_none(&self) -> String {
        match self.said.samples().iter().find_map(|sample| sample.error.clone()) {
            Some(error) => error,
            None if !self.said.asked.is_empty() => "the peer answered nothing".to_owned(),
            None if self.connections > 0 => "the board called, but sent the peer no number".to_owned(),
            None => "the board did not call the peer".to_owned(),
        }
    }

    /// Hears a frame.
    pub(super) fn hear(&mut self, crossing: &Crossing) {
        let Some(segment) = segment_of(&crossing.frame.bytes) else { return };
        let stream = &mut self.streams[crossing.from as usize];
        if segment.flags & SYN != 0 {
            stream.open = Some((segment.ports, segment.sequence.wrapping_add(1)));
            if segment.flags & ACK == 0 && crossing.from == Side::First {
                self.connect();
            }
            return;
        }
        let new = stream.new_bytes(segment.ports, segment.sequence, segment.payload).to_vec();
        if new.is_empty() {
            return;
        }
        match crossing.from {
            Side::First => {
                self.said.begun.get_or_insert(crossing.frame.start);
                self.said.asked.extend(new);
                self.said.asked.truncate(MOST_DIGITS + 1);
            }
            Side::Second => self.answer(crossing.frame.end, &new),
        }
    }

    /// The first board opens a connection: what was under way on the one before gets no answer.
    fn connect(&mut self) {
        self.connections += 1;
        self.said.begun = None;
        self.said.asked.clear();
        self.said.answered.clear();
    }

    fn answer(&mut self, now: Picoseconds, bytes: &[u8]) {
        self.said.first_byte.get_or_insert(now);
        self.said.answered.extend(bytes);
        let expected = next_number(&self.said.asked);
        match expected {
            Some(expected) if expected.as_bytes() == self.said.answered => self.complete(now, None),
            Some(expected) if expected.as_bytes().starts_with(&self.said.answered) => {}
            Some(expected) => {
                let (asked, found) = (shown(&self.said.asked), shown(&self.said.answered));
                let error = format!("the peer answered {asked} with {found}, where {expected} is right");
                self.complete(now, Some(error));
            }
            None => {
                let error = match self.said.asked.is_empty() {
                    true => format!("the peer sent {} before it was asked", shown(&self.said.answered)),
                    false => format!("the board sent {}, which is no number", shown(&self.said.asked)),
                };
                self.complete(now, Some(error));
            }
        }
    }

    fn complete(&mut self, now: Picoseconds, error: Option<String>) {
        self.said.complete(now, self.connections.checked_sub(1), error);
    }
}

/// What a number is to be answered with.
pub(super) fn next_number(text: &[u8]) -> Option<String> {
    let number: u64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    number.checked_add(1).map(|next| next.to_string())
}

/// Bytes in a sentence.
fn shown(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).chars().take(MOST_DIGITS).collect();
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use ::traffic::Outcome;
    use lan::WireFrame;

    use super::*;

    const CLIENT: [u8; 4] = [0xc3, 0x50, 0x13, 0x88];
    const SERVER: [u8; 4] = [0x13, 0x88, 0xc3, 0x50];

    fn us(us: i64) -> Picoseconds {
        Picoseconds::new(us * units::PS_PER_US)
    }

    /// A segment whose first bit is on the wire at a microsecond, and whose last is there 6 us later.
    fn segment(at_us: i64, from: Side, flags: u8, sequence: u32, payload: &[u8]) -> Crossing {
        let mut bytes = vec![0; 14 + 20 + 20];
        bytes[12] = 0x08;
        bytes[14] = 0x45;
        bytes[16..18].copy_from_slice(&((40 + payload.len()) as u16).to_be_bytes());
        bytes[23] = 6;
        bytes[34..38].copy_from_slice(if from == Side::First { &CLIENT } else { &SERVER });
        bytes[38..42].copy_from_slice(&sequence.to_be_bytes());
        bytes[46] = 5 << 4;
        bytes[47] = flags;
        bytes.extend(payload);
        bytes.resize(bytes.len().max(60), 0);
        Crossing { from, frame: WireFrame { start: us(at_us), end: us(at_us + 6), bytes } }
    }

    fn heard(segments: &[Crossing]) -> Rounds {
        let mut rounds = Rounds::default();
        let opening =
            [segment(0, Side::First, SYN, u32::MAX, b""), segment(10, Side::Second, SYN | ACK, 99, b"")];
        opening.iter().chain(segments).for_each(|one| rounds.hear(one));
        rounds
    }

    fn told(rounds: &Rounds) -> Vec<(i64, i64, Outcome)> {
        let us = |time: Picoseconds| time.ps() / units::PS_PER_US;
        rounds.samples().iter().map(|one| (us(one.trigger), us(one.done.unwrap()), one.outcome)).collect()
    }

    #[test]
    fn a_message_lasts_from_the_answer_before_to_its_own() {
        let rounds = heard(&[
            segment(100, Side::First, ACK, 0, b"1"),
            segment(200, Side::Second, ACK, 100, b"2"),
            segment(250, Side::First, ACK, 1, b""),
            segment(300, Side::First, ACK, 1, b"3"),
            segment(400, Side::Second, ACK, 101, b"4"),
        ]);
        assert_eq!(told(&rounds), [(100, 206, Outcome::Ok), (206, 406, Outcome::Ok)]);
    }

    #[test]
    fn what_comes_again_is_heard_once_and_what_comes_in_pieces_is_put_together() {
        let rounds = heard(&[
            segment(100, Side::First, ACK, 0, b"9"),
            segment(150, Side::First, ACK, 0, b"9"),
            segment(200, Side::Second, ACK, 100, b"1"),
            segment(210, Side::Second, ACK, 100, b"1"),
            segment(220, Side::Second, ACK, 101, b"0"),
        ]);
        assert_eq!(told(&rounds), [(100, 226, Outcome::Ok)]);
        assert_eq!(rounds.samples()[0].first_byte, Some(us(206)));
    }

    #[test]
    fn a_wrong_answer_is_told_with_what_would_be_right() {
        let rounds =
            heard(&[segment(100, Side::First, ACK, 0, b"7"), segment(200, Side::Second, ACK, 100, b"7")]);
        assert_eq!(told(&rounds), [(100, 206, Outcome::Wrong)]);
        assert_eq!(rounds.why_none(), "the peer answered \"7\" with \"7\", where 8 is right");
        let unasked = heard(&[segment(100, Side::Second, ACK, 100, b"220 hello")]);
        assert_eq!(unasked.why_none(), "the peer sent \"220 hello\" before it was asked");
        let words =
            heard(&[segment(1, Side::First, ACK, 0, b"GET"), segment(9, Side::Second, ACK, 100, b"200")]);
        assert_eq!(words.why_none(), "the board sent \"GET\", which is no number");
    }

    #[test]
    fn silence_says_how_far_it_came() {
        assert_eq!(Rounds::default().why_none(), "the board did not call the peer");
        assert_eq!(heard(&[]).why_none(), "the board called, but sent the peer no number");
        assert_eq!(heard(&[segment(100, Side::First, ACK, 0, b"1")]).why_none(), "the peer answered nothing");
    }

    #[test]
    fn a_new_connection_begins_anew_and_other_connections_are_not_heard() {
        let mut rounds = heard(&[segment(100, Side::First, ACK, 0, b"1")]);
        rounds.hear(&segment(500, Side::First, SYN, 999, b""));
        rounds.hear(&segment(510, Side::Second, SYN | ACK, 4999, b""));
        rounds.hear(&segment(600, Side::First, ACK, 1000, b"1"));
        rounds.hear(&segment(700, Side::Second, ACK, 5000, b"2"));
        assert_eq!(told(&rounds), [(600, 706, Outcome::Ok)]);
        assert_eq!(rounds.samples()[0].connection, Some(1));
        let mut other = segment(800, Side::First, ACK, 1001, b"3");
        other.frame.bytes[34] ^= 1;
        rounds.hear(&other);
        assert!(rounds.said.asked.is_empty());
    }
}
