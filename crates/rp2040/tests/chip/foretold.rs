//! A chip may carry out by itself what those outside foretold of the levels at its pins; nobody can tell. A chip around which somebody
//! foretells frames, and hears late what the chip sends, is held against one whose surroundings drive every level and hear of every
//! edge: programs that read frames and send some, the DMA that moves and copies, interrupts, and a core that looks and waits at random.

use std::collections::VecDeque;

use mcu::{Foretold, LevelWords, Outside, Patience, Reaction};
use rp2040::chip::Rp2040;
use testing::Random;
use units::Picoseconds;

use crate::pio::{DMA, GPIO_IN, IO_BANK0, PIO, WORDS};
use crate::told_in_rows::{self, InRows, ToldInRows, chip_at, chip_of};

const PADS_BANK0: u32 = 0x4001_c000;
const RING: u32 = 0x2002_8000;
const COPIED: u32 = 0x2002_9000;
/// The first pin of a frame that comes in, and of one that goes out; the third of each says that there is one.
const IN: u32 = 6;
const OUT: u32 = 10;
/// A pin that has to do with neither.
const BESIDE: u32 = 14;
/// What is noted of it, beside the levels.
const SOMETHING_BESIDE: u32 = 1 << 31;
/// Each of its edges interrupts.
const INTERRUPTS_BESIDE: [u32; 3] = [0, IO_BANK0 + 0x104, 0xc << 24];
const RECEIVER: u32 = 0;
const SENDER: u32 = 1;
/// What is sent is heard of within this time.
const HEARD_LATE: Picoseconds = Picoseconds::from_ns(5_000);
const FRAMES: usize = 120;
const ACTIONS: usize = 260;

/// A frame that comes in: when, how long each level lasts, and the levels.
#[derive(Debug, Clone)]
struct Frame {
    start: Picoseconds,
    step: Picoseconds,
    levels: Vec<u8>,
}

/// What stands at the other end of both lines.
#[derive(Debug, Clone)]
struct Line {
    may_be_taken: bool,
    frames: Vec<Frame>,
    /// The frame that comes next, the step of it that does, and when it has gone by if the chip took it.
    next: usize,
    step: usize,
    ends: Option<Picoseconds>,
    driven: u8,
    /// What happens beside the frames, of which the next comes first.
    beside: VecDeque<(Picoseconds, Option<bool>)>,
    /// When it heard of a level that was sent last, since the frame before.
    heard: Option<Picoseconds>,
    taken: u64,
    /// Words of levels that it was told of at once, and how many levels of them came early.
    words: u64,
    early: u64,
    /// What was sent: when each level came.
    sent: Vec<(i64, u32)>,
    levels: u32,
}

impl Line {
    fn new(may_be_taken: bool, frame: fn(Picoseconds, &mut Random) -> Frame, random: &mut Random) -> Self {
        let mut at = Picoseconds::from_ns(60_000);
        let frames = (0..FRAMES).map(|_| {
            let frame = frame(at, random);
            at = frame.start + Picoseconds::new(frame.step.ps() * frame.levels.len() as i64);
            frame
        });
        let frames = frames.collect();
        let mut at = 0;
        let beside = (0..random.of(&[0, 300, 2000])).map(|_| {
            at += i64::from(random.below(15_000_000));
            (Picoseconds::new(at), random.one_in(3).then(|| random.one_in(2)))
        });
        let beside = beside.collect();
        Self {
            may_be_taken,
            frames,
            next: 0,
            step: 0,
            ends: None,
            driven: 0,
            beside,
            heard: None,
            taken: 0,
            words: 0,
            early: 0,
            sent: Vec::new(),
            levels: 0,
        }
    }

    fn due(&self) -> Option<Picoseconds> {
        let frame = self.frames.get(self.next)?;
        Some(frame.start + Picoseconds::new(frame.step.ps() * self.step as i64))
    }
}

/// As a PHY gives it: a carrier, 01 again and again, 11, and what the frame says. Now and then the carrier flickers.
fn frame(after: Picoseconds, random: &mut Random) -> Frame {
    let step = random.of(&[20_000, 20_000, 20_000, 16_000, 24_000, 40_000, 50_001]);
    frame_of(after, step, 160, random)
}

/// A long one, of which each level lasts for whole cycles of 125 MHz.
fn even_frame(after: Picoseconds, random: &mut Random) -> Frame {
    let step = random.of(&[16_000, 24_000, 40_000]);
    frame_of(after, step, 1000, random)
}

fn frame_of(after: Picoseconds, step: u32, most_bytes: u32, random: &mut Random) -> Frame {
    let gap = random.of(&[100_000, 960_000, 1_500_000, 6_000_000]) + random.below(50_000);
    let silent = random.below(12) as usize;
    let mut levels = vec![4; silent];
    levels.extend(vec![4 | 1; 3 + random.below(30) as usize]);
    levels.push(4 | 3);
    let rest = 4 * random.below(most_bytes);
    levels.extend((0..rest).map(|_| 4 | random.below(4) as u8));
    if random.one_in(5) {
        let place = random.below(levels.len() as u32) as usize;
        let end = levels.len().min(place + 1 + random.below(4) as usize);
        levels[place..end].iter_mut().for_each(|level| *level &= 3);
    }
    levels.push(0);
    Frame { start: after + Picoseconds::new(i64::from(gap)), step: Picoseconds::new(i64::from(step)), levels }
}

/// Between two of them the chip sends more than once.
fn seldom_frame(after: Picoseconds, random: &mut Random) -> Frame {
    even_frame(after + Picoseconds::from_ns(i64::from(random.below(200_000))), random)
}

impl Outside for Line {
    fn pins_changed(&mut self, at: Picoseconds, _: u32, levels: u32, _: &mut Vec<Reaction>) {
        let levels = levels >> OUT & 7;
        self.heard = Some(at);
        if levels != self.levels {
            self.levels = levels;
            self.sent.push((at.ps(), levels));
        }
    }

    fn levels_in_words(&mut self, words: &LevelWords<'_>, reactions: &mut Vec<Reaction>) {
        self.words += words.words.len() as u64;
        self.early += words.early.len() as u64;
        words.changes().for_each(|(at, levels)| self.pins_changed(at, words.mask(), levels, reactions));
    }

    fn listens_to(&self) -> u32 {
        7 << OUT
    }

    fn patience(&self) -> Patience {
        Patience { heard: if self.may_be_taken { 3 << OUT } else { 0 }, moved: 0 }
    }

    fn take_foretold(&mut self) -> Option<Foretold> {
        if !self.may_be_taken || self.step != 0 || self.ends.is_some() {
            return None;
        }
        let frame = self.frames.get(self.next)?;
        // Some frames are not foretold, so that their levels come as they do in the other chip, and some only while the chip sends.
        let is_foretold = match self.next % 5 {
            4 => false,
            3 => self.heard.is_some_and(|heard| heard + HEARD_LATE <= frame.start),
            _ => true,
        };
        if !is_foretold {
            return None;
        }
        let pins = (IN as u8, 3);
        let foretold = Foretold::new(pins, (frame.start, frame.step), frame.levels.iter().copied());
        self.taken += frame.levels.len() as u64;
        self.ends = Some(foretold.end());
        Some(foretold)
    }

    fn next_event(&self) -> Option<Picoseconds> {
        let of_frames = self.ends.or_else(|| self.due());
        of_frames.into_iter().chain(self.beside.front().map(|&(at, _)| at)).min()
    }

    fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        while self.beside.front().is_some_and(|(due, _)| *due <= at)
            && let Some((_, level)) = self.beside.pop_front()
        {
            // It has heard of all that came before.
            self.sent.push((at.ps(), SOMETHING_BESIDE | self.levels));
            reactions.push(match level {
                Some(level) => Reaction::Pin { pin: BESIDE as u8, level: Some(level) },
                None => Reaction::Rescheduled,
            });
        }
        if self.ends.is_some_and(|ends| ends <= at) {
            (self.ends, self.next, self.heard) = (None, self.next + 1, None);
        }
        while self.ends.is_none() && self.due().is_some_and(|due| due <= at) {
            let levels = &self.frames[self.next].levels;
            let (level, is_last) = (levels[self.step], self.step + 1 == levels.len());
            let changed = std::mem::replace(&mut self.driven, level) ^ level;
            for n in (0..3).filter(|n| changed >> n & 1 == 1) {
                reactions.push(Reaction::Pin { pin: IN as u8 + n, level: Some(level >> n & 1 == 1) });
            }
            self.step += 1;
            if is_last {
                (self.step, self.next, self.heard) = (0, self.next + 1, None);
            }
        }
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

impl InRows for Line {
    type State = u32;

    fn log(&self) -> &[(i64, u32)] {
        &self.sent
    }

    fn pulses(&self) -> u64 {
        self.taken
    }

    fn whole_words(&self) -> u64 {
        self.words
    }

    /// Of such words no more is counted than the levels that came early.
    fn many_words(&self) -> u64 {
        self.early
    }

    fn state(&self) -> Self::State {
        self.levels
    }
}

/// Programs that read: the place where each begins, and its words. All raise flag 0 when a frame has ended: with a byte for four
/// levels, with each level twice as long, two pins at a time by a jump that comes first, and one pin by a loop that counts as well.
const READERS: [(u32, &[u32]); 4] = [
    (1, &[0xc000, 0xa0c3, 0x20a2, 0x21a1, 0x4002, 0x00c4]),
    (1, &[0xc000, 0xa0c3, 0x20a2, 0x20a1, 0x4102, 0x01c4]),
    (1, &[0xc000, 0xa0c3, 0x20a2, 0x00c5, 0x0001, 0x4003, 0x00c5]),
    (1, &[0xc000, 0xe03f, 0x20a2, 0x4001, 0x00c3]),
];
/// One that sends, from place 16 on: how many levels, less one, and then they; it waits a while behind each frame.
const SENDER_FROM: u32 = 16;
const ENABLE: u32 = 1 << 12;
const SENDS: [u32; 8] =
    [0x80a0, 0x6020, 0xe301 | ENABLE, 0xe203 | ENABLE, 0x6002 | ENABLE, 0x0054 | ENABLE, 0xef00, 0xaf42];

/// Dividers of the machines, of which every second tick of some is a whole number of cycles behind the last.
const DIVIDERS: [u32; 5] = [1 << 16, 0x140 << 8, 0x140 << 8, 2 << 16, 0x155 << 8];
const EVEN_DIVIDERS: [u32; 4] = [1 << 16, 0x180 << 8, 2 << 16, 3 << 16];

fn set_up(dividers: &[u32], random: &mut Random, table: &mut Vec<[u32; 3]>) {
    let mut write = |address, value| table.push([0, address, value]);
    for pin in [IN, IN + 1, IN + 2, OUT, OUT + 1, OUT + 2] {
        write(IO_BANK0 + 8 * pin + 4, 6);
    }
    let (begin, reader) = random.of(&READERS);
    for (place, &word) in (0..).zip(reader) {
        write(PIO[0] + 0x48 + 4 * place, word);
    }
    for (place, word) in (SENDER_FROM..).zip(SENDS) {
        write(PIO[0] + 0x48 + 4 * place, word);
    }
    let at = |machine: u32, register: u32| PIO[0] + 0x18 * machine + register;
    write(at(RECEIVER, 0xc8), random.of(dividers));
    write(at(RECEIVER, 0xcc), (reader.len() as u32 - 1) << 12 | (IN + 2) << 24);
    let push_at = random.of(&[8, 8, 8, 0, 16, 6]);
    write(at(RECEIVER, 0xd0), 1 << 31 | random.below(2) << 18 | 1 << 16 | push_at << 20);
    write(at(RECEIVER, 0xdc), IN << 15);
    write(at(RECEIVER, 0xd8), begin);
    let last = SENDER_FROM + SENDS.len() as u32 - 1;
    write(at(SENDER, 0xc8), random.of(dividers));
    write(at(SENDER, 0xcc), last << 12 | SENDER_FROM << 7);
    write(at(SENDER, 0xd0), 1 << 30 | 1 << 19 | 1 << 17);
    write(at(SENDER, 0xdc), 3 << 26 | OUT << 5);
    write(at(SENDER, 0xd8), 0xe000);
    write(at(SENDER, 0xd8), 0xe087);
    write(at(SENDER, 0xdc), 1 << 29 | 2 << 26 | 2 << 20 | (OUT + 2) << 10 | OUT << 5 | OUT);
    write(at(SENDER, 0xd8), SENDER_FROM);
    write(PIO[0] + 0x38, random.of(&[0, 0, 7 << IN, 4 << IN]));
    write(PIO[0] + 0x12c, random.of(&[0x100, 0x100, 0x100, 0, 0x101]));
    receive(random, table);
    table.push([0, PIO[0], 1 << RECEIVER | 1 << SENDER]);
}

/// Has the DMA take what is read: for long, or a few words, after which it interrupts.
fn receive(random: &mut Random, table: &mut Vec<[u32; 3]>) {
    let size = random.of(&[0, 0, 2]);
    let from = PIO[0] + 0x20 + 4 * RECEIVER + if size == 0 { 3 } else { 0 };
    let count = random.of(&[0x4000_0000, 0x4000_0000, 300, 40]);
    let control = 1 | 1 << 1 | size << 2 | 1 << 5 | 10 << 6 | 1 << 10 | (4 + RECEIVER) << 15;
    table.extend([[0, DMA, from], [0, DMA + 4, RING], [0, DMA + 8, count], [0, DMA + 0xc, control]]);
}

fn send(random: &mut Random, table: &mut Vec<[u32; 3]>) {
    let words = 1 + random.below(40);
    let levels = 16 * (words - 1) + 1 + random.below(16);
    let from = WORDS + 4 * random.below(64);
    let control = 1 | random.below(2) << 1 | 2 << 2 | 1 << 4 | 2 << 11 | SENDER << 15;
    // What the DMA reads late must not be written meanwhile.
    table.extend([[5, DMA + 0x8c, 1 << 24], [5, DMA + 0xcc, 1 << 24], [0, from, levels - 1]]);
    table.push([0, DMA + 0x80, from]);
    table.extend([[0, DMA + 0x84, PIO[0] + 0x10 + 4 * SENDER], [0, DMA + 0x88, 1 + words]]);
    table.push([0, DMA + 0x8c, control]);
}

/// Bytes or words, with the sniffer or without, after which nobody interrupts; the core waits for them, or does not.
fn copy(random: &mut Random, table: &mut Vec<[u32; 3]>) {
    let control = 1 | random.of(&[0, 0, 2]) << 2 | 0b11 << 4 | 3 << 11 | 0x3f << 15 | random.below(2) << 23;
    table.push([0, DMA + 0xc0, random.of(&[RING, WORDS])]);
    table.extend([[0, DMA + 0xc4, COPIED], [0, DMA + 0xc8, 1 + random.below(400)]]);
    table.push([0, DMA + 0xcc, control | u32::from(random.one_in(4)) << 21]);
    if !random.one_in(4) {
        table.push([5, DMA + random.of(&[0xcc, 0xd0]), 1 << 24]);
    } else {
        table.extend([[1, DMA + 0x438, 0], [random.below(2), DMA + 0x438, 0x1234_5678]]);
    }
}

fn action(random: &mut Random, table: &mut Vec<[u32; 3]>) {
    let pad = PADS_BANK0 + 4 + 4 * (IN + random.below(3));
    let one = match random.below(46) {
        0..=9 => [2, 0, 1 + random.below(1200)],
        10 | 11 => [2, 0, 1 + random.below(30)],
        12..=16 => return send(random, table),
        17..=22 => return copy(random, table),
        23 => [1, GPIO_IN, 0],
        24 => [1, PIO[0] + random.of(&[4, 0xc, 0x3c, 0xd4, 0xec, 0x128, 0x30]), 0],
        25 => [1, DMA + random.of(&[4, 8, 0xc, 0x88, 0xc8, 0x400]), 0],
        26 => [0, DMA + 0x404, random.of(&[0, 4, 4, 5, 7])],
        27 => [0, DMA + 0x434, 1 | 3 << 1 | 1 << 5],
        28 => [0, IO_BANK0 + 0x100, random.of(&[0, 0, 0xc << 24])],
        29 => [0, pad, random.of(&[0x52, 0x56, 0x56, 0x12])],
        30 => [0, DMA + 0x444, random.of(&[4, 8, 1])],
        31 => return receive(random, table),
        32 => [0, PIO[0] + 0x34, 1],
        33 => [4, PIO[0] + 0x30, 1],
        34 => [0, PIO[0] + 0x12c, random.of(&[0x100, 0, 0x101])],
        35 => [1, PIO[0] + 0x20, 0],
        // Of the channel that copies: without a trigger, whether it is idle or not, and what the sniffer has.
        36 => [0, DMA + random.of(&[0xc0, 0xc4, 0xc8, 0xd4, 0xe8, 0xf4]), COPIED + 4 * random.below(64)],
        37 => [0, DMA + 0x438, random.any() as u32],
        38 => [0, DMA + 0x2000 + random.of(&[0xc4, 0x438]), 4 << random.below(6)],
        39 => [1, DMA + random.of(&[0xc0, 0xc4, 0xc8, 0xd0, 0x438]), 0],
        // The carrier as it is, or the other way round, which a program may wait for.
        40 => [0, IO_BANK0 + 8 * (IN + 2) + 4, 6 | random.of(&[0, 0, 1, 3]) << 16],
        _ => [1, 0x4005_4028, 0],
    };
    // A flag is waited for while nobody clears it first.
    if one[0] == 4 {
        table.push([0, PIO[0] + 0x12c, 0]);
    }
    table.push(one);
}

fn chip(seed: u64, may_be_taken: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut table = Vec::new();
    set_up(&DIVIDERS, &mut random, &mut table);
    while table.len() < ACTIONS {
        action(&mut random, &mut table);
    }
    let mut chip = chip_that_does(seed, table);
    if seed.is_multiple_of(4) {
        chip.record_pins(7 << OUT | if seed.is_multiple_of(8) { 7 << IN } else { 0 });
    }
    chip.connect(Box::new(Line::new(may_be_taken, frame, &mut random)));
    chip
}

fn even_table(random: &mut Random) -> Vec<[u32; 3]> {
    let mut table = Vec::new();
    set_up(&EVEN_DIVIDERS, random, &mut table);
    table.push(INTERRUPTS_BESIDE);
    table
}

/// One at 125 MHz whose words come evenly, and that mostly waits.
fn even_chip(seed: u64, may_be_taken: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut table = even_table(&mut random);
    while table.len() < ACTIONS {
        table.push([2, 0, 1 + random.below(1500)]);
        if random.one_in(2) {
            action(&mut random, &mut table);
        }
    }
    let mut chip = chip_that_does(4 * seed + 1, table);
    chip.connect(Box::new(Line::new(may_be_taken, even_frame, &mut random)));
    chip
}

/// One that sends most of the time, at 125 MHz, or at 150 MHz, where cycles do not take whole picoseconds, but three of them do.
fn sending_chip(seed: u64, may_be_taken: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut table = even_table(&mut random);
    table.push([0, DMA + 0x444, random.of(&[0, 4, 8])]);
    while table.len() < ACTIONS {
        // A copy beside it makes the words come later, by some cycles.
        if random.one_in(3) {
            copy(&mut random, &mut table);
        }
        send(&mut random, &mut table);
        if random.one_in(4) {
            action(&mut random, &mut table);
        }
        table.push([2, 0, 1 + random.below(500)]);
    }
    table.push([9, 0, 0]);
    let mut chip = chip_at(if seed.is_multiple_of(2) { 125 } else { 150 }, 8 * seed, &table);
    chip.connect(Box::new(Line::new(may_be_taken, seldom_frame, &mut random)));
    chip
}

/// One at 125 MHz whose words come evenly while the DMA copies at length, from elsewhere or from the same ring.
fn copying_chip(seed: u64, may_be_taken: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut table = even_table(&mut random);
    // Which of them has priority.
    table.push([0, DMA + 0x444, random.of(&[0, 4, 8])]);
    while table.len() < ACTIONS {
        let size = random.of(&[0, 0, 0, 1, 2]);
        let from_ring = random.one_in(3);
        let ring = if from_ring { 10 << 6 } else { 0 };
        let control = 1 | random.below(2) << 1 | size << 2 | 0b11 << 4 | ring | 3 << 11 | 0x3f << 15;
        let from = if from_ring { RING + random.below(1024) } else { WORDS };
        table.extend([[5, DMA + 0xcc, 1 << 24], [0, DMA + 0x434, random.of(&[7, 1 | 3 << 1 | 1 << 5])]]);
        table.extend([[0, DMA + 0xc0, from], [0, DMA + 0xc4, COPIED + 4 * random.below(64)]]);
        table.push([0, DMA + 0xc8, 1 + random.below(4000 >> size)]);
        table.push([0, DMA + 0xcc, control | random.below(2) << 23]);
        // A core that looks whether the copy has ended lets it go on undisturbed.
        let counts = [2, 0, 1 + random.below(1000)];
        table.push(random.of(&[counts, [5, DMA + 0xcc, 1 << 24]]));
        if random.one_in(4) {
            send(&mut random, &mut table);
        }
        table.push([1, DMA + random.of(&[0x438, 0xc0, 0xc4, 0xc8, 4, 8]), 0]);
    }
    let mut chip = chip_that_does(4 * seed + 1, table);
    chip.connect(Box::new(Line::new(may_be_taken, even_frame, &mut random)));
    chip
}

fn chip_that_does(seed: u64, mut table: Vec<[u32; 3]>) -> Rp2040 {
    table.push([9, 0, 0]);
    // In RAM: how often a core that goes round in flash has fetched depends on where it stopped, by one.
    chip_of(seed / 4 * 8 + seed % 4, &table)
}

fn check_all(seeds: std::ops::Range<u64>, chip: fn(u64, bool) -> Rp2040) -> ToldInRows {
    let told = told_in_rows::check_all::<Line>(seeds, chip);
    assert!(told.pulses > 0 && told.words > 0, "{told:?}");
    told
}

#[test]
fn a_chip_that_knows_levels_before_they_come_does_what_one_does_that_does_not() {
    check_all(0..24, chip);
    // Pins that come while a machine waits for them and another one sends. Levels that are sent in the cycles in which others come, at
    // whole picoseconds and not. A channel that copies, and of another one only the request is gone.
    for seed in [1370, 149, 3458, 1689] {
        told_in_rows::check::<Line>(seed, chip);
    }
}

#[test]
fn words_that_come_evenly_are_what_they_are_one_by_one() {
    check_all(0..12, even_chip);
}

#[test]
fn words_that_are_sent_evenly_are_what_their_levels_are_one_by_one() {
    let told = check_all(0..32, sending_chip);
    assert!(told.whole_words > 300, "words that were told at once: {told:?}");
    // The DMA brings a word in a cycle in which a level is sent, a picosecond before its edge.
    assert!(told_in_rows::check::<Line>(421, sending_chip).many_words > 0);
}

#[test]
fn words_that_come_beside_a_copy_are_what_they_are_one_by_one() {
    check_all(0..24, copying_chip);
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_chips_that_know_levels_before_they_come_do_what_others_do() {
    check_all(100..4000, chip);
    check_all(100..1000, even_chip);
    check_all(100..1000, copying_chip);
    check_all(100..1500, sending_chip);
}
