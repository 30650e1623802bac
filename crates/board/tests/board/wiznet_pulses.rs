//! A WIZnet chip whose clock and data are on pins: where it is told of the clock's pulses in rows, it says the same at the same times
//! as one that is told of every edge, and so does its interrupt.

use board::{Board, BoardOptions};
use mcu::{Answer, ClockPulses, ClockWords, DataLine, Outside, Reaction, Said};
use testing::Random;
use units::{PS_PER_MS, PS_PER_US, Picoseconds};

const CSN: u8 = 20;
const SCLK: u8 = 21;
const MISO: u8 = 22;
const MOSI: u8 = 23;
const INTN: u8 = 24;
const RSTN: u8 = 25;

/// Half a period of the clock.
const HALF_PS: i64 = 40_000;

/// The chip of a board, and what drives its pins.
struct Wires {
    board: Board,
    /// Rows are told where the chip takes them, as long as random numbers want; nothing where every edge is told.
    rows: Option<Random>,
    at: i64,
    levels: u32,
    miso: Option<bool>,
    /// What its outputs did, and when.
    log: Vec<(i64, u8, Option<bool>)>,
    in_rows: u64,
    pulses: u64,
    /// Words that were told many at once.
    in_words: u64,
}

impl Wires {
    /// A board whose link is up.
    fn new(rows: Option<Random>) -> Self {
        let board = Board::open("w55rp20-evb-pico", BoardOptions::default()).unwrap();
        let (levels, miso, log) = (0, None, Vec::new());
        let mut wires = Self { board, rows, at: 0, levels, miso, log, in_rows: 0, pulses: 0, in_words: 0 };
        wires.set(CSN, true);
        wires.set(RSTN, true);
        wires.pass(3_000 * PS_PER_MS);
        wires
    }

    /// Time passes, and what happens of its own accord does.
    fn pass(&mut self, ps: i64) {
        let end = Picoseconds::new(self.at + ps);
        while let Some(next) = self.board.parts().next_event().filter(|&next| next <= end) {
            self.at = self.at.max(next.ps());
            let mut reactions = Vec::new();
            self.board.parts().advance(next, &mut reactions);
            self.carry_out(&reactions);
        }
        self.at = end.ps();
    }

    fn set(&mut self, pin: u8, level: bool) {
        if (self.levels >> pin & 1 == 1) == level {
            return;
        }
        self.levels ^= 1 << pin;
        let mut reactions = Vec::new();
        self.board.parts().pins_changed(Picoseconds::new(self.at), 1 << pin, self.levels, &mut reactions);
        self.carry_out(&reactions);
    }

    fn carry_out(&mut self, reactions: &[Reaction]) {
        for reaction in reactions {
            if let &Reaction::Pin { pin, level } = reaction {
                self.moves(self.at, pin, level);
            }
        }
    }

    fn moves(&mut self, at: i64, pin: u8, level: Option<bool>) {
        if pin == MISO && std::mem::replace(&mut self.miso, level) == level {
            return;
        }
        assert!(pin == MISO || pin == INTN);
        self.log.push((at, pin, level));
    }

    /// Bits go over the wires, the first in the highest bit, with a clock that idles low (SPI mode 0) or high (mode 3); gives what
    /// stood on MISO at their rises.
    fn bits(&mut self, mut bits: u32, mut count: u32, idles_high: bool) -> u32 {
        let mut received = 0;
        self.pulses += u64::from(count);
        while count != 0 {
            // No row goes past anything that happens of its own accord.
            let next = self.board.parts().next_event().map_or(i64::MAX, Picoseconds::ps);
            let quiet = ((next - self.at).max(0) / (2 * HALF_PS)).min(i64::from(count)) as u32;
            let own = match &mut self.rows {
                Some(random) if quiet != 0 => 1 + random.below(quiet),
                _ => 0,
            };
            let taken = if own == 0 { 0 } else { self.row(bits, own, idles_high, &mut received) };
            bits = bits.checked_shl(taken).unwrap_or(0);
            count -= taken;
            if taken < own || own == 0 {
                received = received << 1 | self.pulse(bits >> 31 == 1, idles_high);
                (bits, count) = (bits << 1, count - 1);
            }
        }
        received
    }

    /// Tells of a row; gives how many pulses the chip took.
    fn row(&mut self, bits: u32, count: u32, idles_high: bool, received: &mut u32) -> u32 {
        let start = self.at;
        let first = |n: u32| start + i64::from(2 * n) * HALF_PS;
        let times = |n: u32| {
            let [one, other] = [first(n), first(n) + HALF_PS].map(Picoseconds::new);
            if idles_high { [other, one] } else { [one, other] }
        };
        let pulses = ClockPulses {
            clock: SCLK,
            falls_first: idles_high,
            count,
            sent: Some(DataLine { pin: MOSI, levels: bits }),
            levels: self.levels,
            may_drive: 1 << MISO,
            may_pull: 0,
            times: &times,
        };
        let mut reactions = Vec::new();
        let answer = self.board.parts().pulses(&pulses, &mut reactions);
        let is_late = |reaction: &Reaction| matches!(reaction, Reaction::Pin { .. });
        assert!(!reactions.iter().any(is_late), "a pin other than MISO moved in a row");
        self.follow(answer, &times, idles_high, received);
        answer.count
    }

    /// MISO moves as was said in pulses that began now.
    fn follow(
        &mut self,
        Answer { count, said }: Answer,
        times: &dyn Fn(u32) -> [Picoseconds; 2],
        idles_high: bool,
        received: &mut u32,
    ) {
        for n in 0..count {
            let mut rise = |wires: &Self| *received = *received << 1 | u32::from(wires.miso == Some(true));
            if !idles_high {
                rise(self);
            }
            if let Some(said) = said {
                assert_eq!((said.line.pin, said.at_rise, said.is_pulled), (MISO, false, false));
                let level = said.line.levels >> (31 - n) & 1 == 1;
                self.moves(times(n)[1].ps(), MISO, Some(level));
            }
            if idles_high {
                rise(self);
            }
        }
        self.in_rows += u64::from(count);
        self.at += i64::from(2 * count) * HALF_PS;
    }

    /// Tells of many words of eight bits; gives what stood on MISO in those that the chip took.
    fn many(&mut self, words: &[u32], idles_high: bool) -> Vec<u32> {
        if self.miso.is_none() || words.is_empty() {
            return Vec::new();
        }
        let start = self.at;
        let times = |word: usize, n: u32| {
            let first = start + i64::from(16 * word as u32 + 2 * n) * HALF_PS;
            let [one, other] = [first, first + HALF_PS].map(Picoseconds::new);
            if idles_high { [other, one] } else { [one, other] }
        };
        let sent: Vec<u32> = words.iter().map(|word| word << 24).collect();
        let said = Said { line: DataLine { pin: MISO, levels: 0 }, at_rise: false, is_pulled: false };
        let told = ClockWords {
            clock: SCLK,
            falls_first: idles_high,
            count: 8,
            sent_pin: MOSI,
            sent: &sent,
            said,
            levels: self.levels,
            may_drive: 1 << MISO,
            may_pull: 0,
            times: &times,
        };
        let (mut reactions, mut answers) = (Vec::new(), vec![0; words.len()]);
        let taken = self.board.parts().words(&told, &mut answers, &mut reactions);
        assert!(!reactions.iter().any(|reaction| matches!(reaction, Reaction::Pin { .. })));
        self.in_words += taken as u64;
        let answers = answers[..taken].iter().enumerate();
        let taken = answers.map(|(word, &levels)| {
            let said = Said { line: DataLine { pin: MISO, levels }, ..said };
            let mut received = 0;
            self.pulses += 8;
            self.follow(
                Answer { count: 8, said: Some(said) },
                &|n| times(word, n),
                idles_high,
                &mut received,
            );
            received
        });
        taken.collect()
    }

    /// One pulse as edges.
    fn pulse(&mut self, level: bool, idles_high: bool) -> u32 {
        self.set(MOSI, level);
        let mut seen = 0;
        for rises in [!idles_high, idles_high] {
            if rises {
                seen = u32::from(self.miso == Some(true));
            }
            self.set(SCLK, rises);
            self.pass(HALF_PS);
        }
        seen
    }

    /// A frame of a W5500: header, and data that are written or read.
    fn frame(&mut self, block: u8, address: u16, write: bool, data: &[u8], idles_high: bool) -> Vec<u32> {
        self.set(SCLK, idles_high);
        self.set(CSN, false);
        let [high, low] = address.to_be_bytes();
        let mut words = vec![u32::from_be_bytes([high, low, block << 3 | u8::from(write) << 2, 0]) >> 8];
        words.extend(data.iter().map(|&byte| u32::from(byte)));
        let mut received = Vec::new();
        while let Some(&word) = words.get(received.len()) {
            let bits = if received.is_empty() { 24 } else { 8 };
            received.push(self.bits(word << (32 - bits), bits, idles_high));
            if self.rows.as_mut().is_some_and(|random| random.one_in(2)) {
                received.extend(self.many(&words[received.len()..], idles_high));
            }
        }
        self.set(CSN, true);
        received
    }
}

const COMMON: u8 = 0;
const SOCKET: u8 = 1;
const SENDING: u8 = 2;

/// Sets an address, and opens socket 0 for UDP to all, with its interrupt.
const SETTINGS: [(u8, u16, &[u8]); 7] = [
    (COMMON, 0x0001, &[192, 168, 1, 1, 255, 255, 255, 0, 2, 0, 0, 0, 0, 9, 192, 168, 1, 9]),
    (COMMON, 0x0018, &[1]),
    (SOCKET, 0x0000, &[2]),
    (SOCKET, 0x0004, &[0, 7]),
    (SOCKET, 0x0001, &[1]),
    (SOCKET, 0x000c, &[255, 255, 255, 255, 0, 9]),
    (SOCKET, 0x002c, &[0xff]),
];

/// What a driver does: sends datagrams, reads registers and buffers, and takes interrupts back.
fn talk(wires: &mut Wires, seed: u64) -> Vec<Vec<u32>> {
    let mut random = Random::new(seed);
    let mut received = Vec::new();
    for (block, address, data) in SETTINGS {
        received.push(wires.frame(block, address, true, data, random.one_in(2)));
    }
    let mut sent = 0u16;
    for _ in 0..60 {
        let idles_high = random.one_in(2);
        let mut frame = |wires: &mut Wires, block, address, write, data: &[u8]| {
            received.push(wires.frame(block, address, write, data, idles_high));
        };
        match random.below(6) {
            0 => {
                let length = 1 + random.below(30) as usize;
                frame(wires, SENDING, sent, true, &random.bytes(length));
                sent = sent.wrapping_add(length as u16);
                frame(wires, SOCKET, 0x0024, true, &sent.to_be_bytes());
                frame(wires, SOCKET, 0x0001, true, &[0x20]);
            }
            1 => frame(wires, SOCKET, 0x0002, true, &[0x1f]),
            2 => frame(wires, SENDING, random.below(2048) as u16, false, &[0; 20]),
            3 => frame(wires, COMMON, random.below(0x3a) as u16, false, &[0; 6]),
            _ => frame(wires, SOCKET, random.below(0x30) as u16, false, &[0; 4]),
        }
        wires.pass(i64::from(random.below(200)) * PS_PER_US);
    }
    received
}

#[test]
fn rows_of_pulses_do_what_as_many_edges_do() {
    for seed in 0..12 {
        let (mut quick, mut slow) = (Wires::new(Some(Random::new(seed))), Wires::new(None));
        assert_eq!(talk(&mut quick, seed), talk(&mut slow, seed), "seed {seed}");
        let first = quick.log.iter().zip(&slow.log).position(|(one, other)| one != other);
        assert_eq!((first, quick.log.len()), (None, slow.log.len()), "seed {seed}");
        let interrupts = slow.log.iter().filter(|(_, pin, _)| *pin == INTN).count();
        assert!(interrupts > 4, "{interrupts} interrupts came and went");
        assert_eq!(quick.at, slow.at);
        // Only what registers are told may be seen elsewhere, and the first fall of a clock that idles high finds MISO free.
        assert!(10 * quick.in_rows > 9 * quick.pulses, "{} of {}", quick.in_rows, quick.pulses);
        assert!(32 * quick.in_words > quick.pulses, "{} words of {} pulses", quick.in_words, quick.pulses);
    }
}
