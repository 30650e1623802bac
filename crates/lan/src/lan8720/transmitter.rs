//! What a PHY takes at TXD and TX_EN: the levels at each rising edge of REF_CLK, while TX_EN is high, are the di-bits of a frame. At
//! 10 Mbit/s a di-bit stands for ten edges, of which any one may take it (RMII specification 1.2): here one in ten does. The receiver
//! at the other end of the cable is done here as well: what it would not take for a frame is none.

use ethernet::Speed;
use units::Picoseconds;

use super::check_sequence;
use super::rmii::{Clock, dibits_of};

/// TX_EN, above TXD1 and TXD0.
pub const TX_EN: u8 = 4;
/// Levels stand that long before and after a rising edge (LAN8720A datasheet 1.4, Table 5.10; the RMII specification has 4 and 2 ns
/// for the sender's other end).
const SETUP: Picoseconds = Picoseconds::from_ns(4);
const HOLD: Picoseconds = Picoseconds::new(1500);
/// From the pins to the wire: of the DP83848 as well (T2.24.4). The silence between frames (IEEE 802.3 clause 4).
const DELAY_BITS: i64 = 11;
const GAP_BITS: i64 = 96;
/// With its check sequence (IEEE 802.3 clauses 3 and 4), and with a VLAN tag.
const SHORTEST_BYTES: usize = 64;
const LONGEST_BYTES: usize = 1522;
/// A MAC that never ends is cut off.
const MOST_DIBITS: usize = 4 * 4096;

/// Why a receiver takes no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No preamble of di-bits 01 that 11 ends.
    Preamble,
    /// No whole number of bytes.
    Alignment,
    /// Shorter than 64 bytes.
    Short,
    /// Longer than 1522 bytes.
    Long,
    /// A wrong check sequence, as after an underrun too.
    CheckSequence,
    /// Less than 96 bits behind the frame before.
    Gap,
    /// Levels changed too near to a rising edge of REF_CLK.
    Edges,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Preamble,
        Self::Alignment,
        Self::Short,
        Self::Long,
        Self::CheckSequence,
        Self::Gap,
        Self::Edges,
    ];

    /// What a user should know.
    pub fn sentence(self, speed: Speed) -> &'static str {
        match self {
            Self::Preamble => "A frame was sent to the PHY without a preamble and its delimiter, and is lost",
            Self::Alignment => "A frame was sent to the PHY that is no whole number of bytes, and is lost",
            Self::Short => "A frame of fewer than 64 bytes was sent to the PHY, and is lost",
            Self::Long => "A frame of more than 1522 bytes was sent to the PHY, and is lost",
            Self::CheckSequence => {
                "A frame was sent to the PHY with a wrong check sequence, as after an underrun, and is lost"
            }
            Self::Gap if speed == Speed::Mbps10 => {
                "A frame was sent to the PHY less than 9.6 us after the one before, and is lost"
            }
            Self::Gap => "A frame was sent to the PHY less than 960 ns after the one before, and is lost",
            Self::Edges => {
                "TXD or TX_EN changed within 4 ns before or 1.5 ns after a rising edge of REF_CLK, and a frame is lost"
            }
        }
    }
}

/// A frame that left, without its check sequence, and when its first bit was on the wire; or why there is none.
pub type Sent = Result<(Picoseconds, Vec<u8>), Fault>;

/// The pins.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Transmitter {
    levels: u8,
    /// When they became so.
    since: Picoseconds,
    dibits: Vec<u8>,
    /// The edge that took the first of them.
    start: Picoseconds,
    is_unsure: bool,
    /// When the frame before had ended.
    ended: Option<Picoseconds>,
}

/// Di-bits that come one after the other.
#[derive(Debug, Clone, Copy)]
pub struct EvenDibits<'a> {
    /// When the first one comes, and how far all are apart.
    pub start: Picoseconds,
    /// See `start`.
    pub step: Picoseconds,
    /// The first one is in the lowest place of the first word.
    pub words: &'a [u32],
    /// Those that come at another time than that: their numbers, and when they come.
    pub early: &'a [(usize, Picoseconds)],
}

impl EvenDibits<'_> {
    /// The di-bit with which they end, or that was before where there is none, and how many come before it stands.
    fn standing(&self, before: u8) -> (u8, usize) {
        const ALL: u32 = 0x5555_5555;
        let Some(&last) = self.words.last() else { return (before, 0) };
        let standing = last >> 30;
        let others = self.words.iter().map(|word| word ^ (standing * ALL));
        let other = others.enumerate().rfind(|(_, other)| *other != 0);
        let place =
            |(number, other): (usize, u32)| 16 * number + (31 - other.leading_zeros() as usize) / 2 + 1;
        (standing as u8, other.map_or(0, place))
    }

    fn at(&self, number: usize) -> Picoseconds {
        let early = self.early.iter().find(|(early, _)| *early == number).map(|&(_, at)| at);
        early.unwrap_or(self.start + Picoseconds::new(self.step.ps() * number as i64))
    }
}

impl Transmitter {
    /// Whether no frame is under way.
    pub fn is_idle(&self) -> bool {
        self.levels & TX_EN == 0
    }

    /// The pins get other levels: what was sent, where a frame ends with that.
    pub fn changed(&mut self, clock: Option<Clock>, at: Picoseconds, levels: u8) -> Option<Sent> {
        let before = std::mem::replace(&mut self.levels, levels);
        let since = std::mem::replace(&mut self.since, at);
        let clock = clock?;
        let last = clock.last_edge(at);
        if before & TX_EN != 0 {
            self.take(clock, (clock.last_edge(since) + 1, last), before & 3);
        }
        let ends = before & TX_EN != 0 && levels & TX_EN == 0;
        // An edge that sees TX_EN neither high nor low may be taken for either.
        if (before | levels) & TX_EN != 0 && is_near_edge(clock, at, last) {
            self.is_unsure = true;
        }
        ends.then(|| self.end(clock, last))
    }

    /// The same of di-bits that come evenly while TX_EN stands; false, before any is taken, where not each edge takes one of them.
    pub fn take_evenly(&mut self, clock: Option<Clock>, row: &EvenDibits<'_>) -> bool {
        let Some(clock) = clock.filter(|clock| clock.dibit() == row.step && self.levels & TX_EN != 0) else {
            return false;
        };
        let last = clock.last_edge(row.start);
        let is_sure = |number: usize, at| {
            let edge = last + number as i64;
            clock.last_edge(at) == edge && !is_near_edge(clock, at, edge)
        };
        if !is_sure(0, row.start) || !row.early.iter().all(|&(number, at)| is_sure(number, at)) {
            return false;
        }
        // Those at the end that are alike stand until the pins change once more.
        let before = self.levels & 3;
        let (standing, taken) = row.standing(before);
        if taken == 0 && standing == before {
            return true;
        }
        self.take(clock, (clock.last_edge(self.since) + 1, last), before);
        if self.dibits.is_empty() && taken > 0 {
            self.start = clock.edge(last + 1);
        }
        let end = MOST_DIBITS.min(self.dibits.len() + taken);
        for byte in row.words.iter().flat_map(|word| word.to_le_bytes()) {
            self.dibits.extend_from_slice(&dibits_of(byte));
        }
        self.dibits.truncate(end);
        self.levels = TX_EN | standing;
        self.since = row.at(taken);
        true
    }

    /// The edges behind one change and up to the next.
    fn take(&mut self, clock: Clock, (first, last): (i64, i64), dibit: u8) {
        let count = last + 1 - first;
        if self.dibits.is_empty() && count > 0 {
            self.start = clock.edge(first);
        }
        let room = MOST_DIBITS - self.dibits.len();
        self.dibits.extend(std::iter::repeat_n(dibit, room.min(usize::try_from(count).unwrap_or(0))));
    }

    /// TX_EN has fallen behind an edge.
    fn end(&mut self, clock: Clock, last: i64) -> Sent {
        let dibits = std::mem::take(&mut self.dibits);
        let is_unsure = std::mem::take(&mut self.is_unsure);
        let before = self.ended.replace(clock.edge(last + 1));
        if is_unsure {
            return Err(Fault::Edges);
        }
        let frame = frame_of(&dibits)?;
        if before.is_some_and(|before| self.start - before < clock.bits(GAP_BITS)) {
            return Err(Fault::Gap);
        }
        Ok((self.start + clock.bits(DELAY_BITS), frame))
    }
}

/// Whether a change is too near to the edge before it, which is the `last`, or to the one behind it.
fn is_near_edge(clock: Clock, at: Picoseconds, last: i64) -> bool {
    at - clock.edge(last) < HOLD || clock.edge(last + 1) - at < SETUP
}

fn frame_of(dibits: &[u8]) -> Result<Vec<u8>, Fault> {
    let preamble = dibits.iter().take_while(|&&dibit| dibit == 0b01).count();
    // A receiver needs no more of it than tells where the delimiter is.
    if preamble < 3 || dibits.get(preamble) != Some(&0b11) {
        return Err(Fault::Preamble);
    }
    let bytes = &dibits[preamble + 1..];
    if !bytes.len().is_multiple_of(4) {
        return Err(Fault::Alignment);
    }
    let of = |four: &[u8]| four.iter().rev().fold(0, |byte, dibit| byte << 2 | dibit);
    let mut frame: Vec<u8> = bytes.chunks(4).map(of).collect();
    match frame.len() {
        ..SHORTEST_BYTES => return Err(Fault::Short),
        LONGEST_BYTES.. if frame.len() > LONGEST_BYTES => return Err(Fault::Long),
        _ if !check_sequence::is_right(&frame) => return Err(Fault::CheckSequence),
        _ => {}
    }
    frame.truncate(frame.len() - 4);
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use testing::Random;

    use super::super::rmii::dibits;
    use super::*;

    const CLOCK: Clock = Clock::at_100(Picoseconds::ZERO);
    /// Levels change this long behind an edge.
    const PHASE: Picoseconds = Picoseconds::from_ns(10);

    fn whole(bytes: usize) -> Vec<u8> {
        let mut frame: Vec<u8> = (0..bytes - 4).map(|n| (n * 7) as u8).collect();
        frame.extend(check_sequence::of(&frame).to_le_bytes());
        frame
    }

    /// Sends a row of di-bits from an edge on.
    fn send(transmitter: &mut Transmitter, from: i64, dibits: &[u8], phase: Picoseconds) -> Sent {
        let at = |n: usize| CLOCK.edge(from + n as i64) + phase;
        let mut last = 0;
        for (n, dibit) in dibits.iter().enumerate() {
            if dibit | TX_EN != last {
                last = dibit | TX_EN;
                assert_eq!(transmitter.changed(Some(CLOCK), at(n), last), None);
            }
        }
        transmitter.changed(Some(CLOCK), at(dibits.len()), 0).expect("the frame ends")
    }

    fn sent(frame: &[u8]) -> Sent {
        send(&mut Transmitter::default(), 50, &dibits(frame).collect::<Vec<_>>(), PHASE)
    }

    #[test]
    fn a_frame_is_taken_with_the_edge_of_its_first_dibit() {
        let frame = whole(64);
        // The pins change at 1010 ns, the edge at 1020 takes them, and the wire has them 110 ns later.
        assert_eq!(sent(&frame), Ok((Picoseconds::from_ns(1130), frame[..60].to_vec())));
    }

    #[test]
    fn what_is_no_frame_is_told_by_its_cause() {
        let frame = whole(64);
        let mut flipped = frame.clone();
        flipped[20] ^= 1;
        assert_eq!(sent(&flipped), Err(Fault::CheckSequence));
        assert_eq!(sent(&whole(63)), Err(Fault::Short));
        assert_eq!(sent(&whole(1523)), Err(Fault::Long));
        assert!(sent(&whole(1522)).is_ok());
        let row: Vec<u8> = dibits(&frame).collect();
        let cut = |row: &[u8]| send(&mut Transmitter::default(), 50, row, PHASE);
        assert_eq!(cut(&row[..row.len() - 1]), Err(Fault::Alignment));
        assert_eq!(cut(&row[32..]), Err(Fault::Preamble));
    }

    #[test]
    fn a_gap_of_48_periods_is_enough_and_one_of_47_is_not() {
        for (gap, is_enough) in [(48, true), (47, false)] {
            let row: Vec<u8> = dibits(&whole(64)).collect();
            let mut transmitter = Transmitter::default();
            assert!(send(&mut transmitter, 50, &row, PHASE).is_ok());
            let next = send(&mut transmitter, 50 + row.len() as i64 + gap, &row, PHASE);
            assert_eq!(next.is_ok(), is_enough, "{gap} periods: {next:?}");
        }
    }

    #[test]
    fn levels_stand_4_ns_before_and_1_5_ns_after_an_edge() {
        let row: Vec<u8> = dibits(&whole(64)).collect();
        for (phase_ps, is_right) in [(0, false), (1400, false), (1500, true), (16_000, true), (16_100, false)]
        {
            let phase = Picoseconds::new(phase_ps);
            let sent = send(&mut Transmitter::default(), 50, &row, phase);
            assert_eq!(sent.is_ok(), is_right, "{phase_ps} ps: {sent:?}");
            assert!(phase < CLOCK.dibit());
        }
    }

    #[test]
    fn at_10_mbit_per_s_a_dibit_lasts_ten_periods_and_is_taken_once_wherever_it_begins() {
        let slow = CLOCK.at(Speed::Mbps10);
        let frame = whole(64);
        let row: Vec<u8> = dibits(&frame).collect();
        let send = |transmitter: &mut Transmitter, from_ns: i64, dibit_ns: i64| {
            let at = |n: usize| Picoseconds::from_ns(from_ns + dibit_ns * n as i64);
            for (n, dibit) in row.iter().enumerate() {
                transmitter.changed(Some(slow), at(n), dibit | TX_EN);
            }
            transmitter.changed(Some(slow), at(row.len()), 0).expect("the frame ends")
        };
        for from_ns in (1_010..1_200).step_by(20) {
            // Edges that count are 200 ns apart, and 11 bits are 1.1 us.
            let start = Picoseconds::from_ns(1_200 + 1_100);
            let sent = send(&mut Transmitter::default(), from_ns, 200);
            assert_eq!(sent, Ok((start, frame[..60].to_vec())), "from {from_ns} ns");
        }
        assert!(send(&mut Transmitter::default(), 1_010, 197).is_err(), "a slow clock that is not of 10 MHz");
        let mut transmitter = Transmitter::default();
        let length_ns = 200 * row.len() as i64;
        assert!(send(&mut transmitter, 1_010, 200).is_ok());
        assert_eq!(send(&mut transmitter, 1_010 + length_ns + 9_400, 200), Err(Fault::Gap));
        assert!(send(&mut transmitter, 1_010 + 2 * length_ns + 19_000, 200).is_ok());
    }

    /// Words with runs of one di-bit, and all of one.
    fn words(random: &mut Random) -> Vec<u32> {
        let word = |random: &mut Random| match random.below(4) {
            0 => 0x5555_5555 * random.below(4),
            1 => (random.any() as u32) << random.below(32),
            2 => (random.any() as u32) >> random.below(32),
            _ => random.any() as u32,
        };
        (0..1 + random.below(4)).map(|_| word(random)).collect()
    }

    #[test]
    fn dibits_that_come_evenly_are_taken_as_one_by_one() {
        let mut random = Random::new(3);
        let mut taken = 0;
        for round in 0..4000 {
            let mut one_by_one = Transmitter::default();
            let begins = Picoseconds::from_ns(1000 + i64::from(random.below(100)));
            one_by_one.changed(Some(CLOCK), begins, TX_EN | random.below(4) as u8);
            let mut start = begins + Picoseconds::new(20_000 * i64::from(random.below(3)));
            let mut evenly = one_by_one.clone();
            for _ in 0..1 + random.below(3) {
                let (words, phase) = (words(&mut random), i64::from(random.below(20_000)));
                start = start + Picoseconds::new(phase);
                let early = [(random.below(64) as usize, Picoseconds::new(start.ps()))];
                let early =
                    early.map(|(number, at)| (number, at + Picoseconds::new(20_000 * number as i64 - 1)));
                let early = if random.one_in(3) { &early[..] } else { &[] };
                let row = EvenDibits { start, step: CLOCK.dibit(), words: &words, early };
                let dibits: Vec<u8> =
                    words.iter().flat_map(|word| word.to_le_bytes()).flat_map(dibits_of).collect();
                let changes = |transmitter: &mut Transmitter| {
                    for (number, dibit) in dibits.iter().enumerate() {
                        if transmitter.levels != TX_EN | dibit {
                            assert_eq!(transmitter.changed(Some(CLOCK), row.at(number), TX_EN | dibit), None);
                        }
                    }
                };
                changes(&mut one_by_one);
                match evenly.take_evenly(Some(CLOCK), &row) {
                    true => taken += 1,
                    false => changes(&mut evenly),
                }
                let [state, expected] =
                    [&evenly, &one_by_one].map(|one| postcard::to_stdvec(one).expect("a state"));
                assert_eq!(state, expected, "round {round}: {row:?}");
                start = start + Picoseconds::new(20_000 * dibits.len() as i64);
            }
        }
        assert!(taken > 3000, "{taken} rows");
    }

    #[test]
    fn a_mac_that_stalls_sends_a_dibit_again_and_the_check_sequence_shows_it() {
        let mut row: Vec<u8> = dibits(&whole(64)).collect();
        let stalled = row[100];
        (0..4).for_each(|_| row.insert(100, stalled));
        assert_eq!(send(&mut Transmitter::default(), 50, &row, PHASE), Err(Fault::CheckSequence));
    }
}
