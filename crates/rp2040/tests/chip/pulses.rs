//! Whoever hears a clock that a PIO block gives may be told of its pulses in a row, and late; nobody can tell. A chip with a slave
//! on two wires that takes pulses is held against one with the same slave that takes edges alone: programs of several drivers
//! move words both ways, brought by the DMA or by a core, which waits, looks, aborts and is interrupted at random.

use mcu::{Answer, ClockPulses, DataLine, Outside, Patience, Reaction, Said};
use rp2040::chip::Rp2040;
use units::Picoseconds;

use crate::pio::{DMA, GPIO_IN, IO_BANK0, PIO, WORDS};
use crate::told_in_rows::{self, InRows, chip_of};
use testing::Random;

const RECEIVED: u32 = 0x2002_8000;
const PADS_BANK0: u32 = 0x4001_c000;
const TRANSFERS: usize = 14;
const DMA_ABORT: u32 = DMA + 0x444;
const FSTAT: u32 = PIO[0] + 4;
const FDEBUG: u32 = PIO[0] + 8;
const INSTR: u32 = 0xd8;
const CPUID: u32 = 0xd000_0000;
const SPINLOCK: u32 = 0xd000_0104;
const TIMERAWL: u32 = 0x4005_4028;
const GPIO_OUT_XOR: u32 = 0xd000_001c;
const GPIO_OE_SET: u32 = 0xd000_0024;

/// A slave with one line for both directions. The first word of a transfer says how many words it takes after that and how
/// many it gives then, and whether it gives bits at rises.
#[derive(Debug, Clone)]
struct Slave {
    takes_pulses: bool,
    clock: u8,
    data: u8,
    /// A transfer begins when this rises.
    select: u8,
    takes: u32,
    gives: u32,
    at_rise: bool,
    shift: u32,
    bits: u32,
    /// What it says.
    words: Random,
    pulled: Option<bool>,
    /// The words that it took, and the times at which they were there or were begun.
    log: Vec<(i64, u32)>,
    pulses: u64,
}

impl Slave {
    fn new(takes_pulses: bool, driver: &Driver) -> Self {
        let [clock, data, select] = [driver.clock, driver.data, driver.select].map(|pin| pin as u8);
        Self {
            takes_pulses,
            clock,
            data,
            select,
            takes: 1,
            gives: 0,
            at_rise: false,
            shift: 0,
            bits: 0,
            words: Random::new(5),
            pulled: None,
            log: Vec::new(),
            pulses: 0,
        }
    }

    fn takes(&self) -> bool {
        self.takes != 0
    }

    fn take(&mut self, at: Picoseconds, level: u32) {
        self.shift = self.shift << 1 | level;
        self.bits += 1;
        if self.bits < 32 {
            return;
        }
        self.log.push((at.ps(), self.shift));
        self.bits = 0;
        self.takes -= 1;
        if self.gives == 0 && self.takes == 0 {
            // The header, whose words may be wrong after an abort.
            (self.takes, self.gives, self.at_rise) =
                (self.shift & 7, 1 + (self.shift >> 3 & 7), self.shift >> 6 & 1 == 1);
            if self.takes == 0 && self.shift >> 7 & 1 == 0 {
                (self.takes, self.gives) = (1, 0);
            }
        }
    }

    fn give(&mut self, at: Picoseconds) -> bool {
        if self.bits == 0 {
            (self.shift, self.bits) = (self.words.any() as u32, 32);
            self.log.push((at.ps(), !self.shift));
        }
        let level = self.shift >> 31 == 1;
        self.shift <<= 1;
        self.bits -= 1;
        if self.bits == 0 {
            self.gives -= 1;
            if self.gives == 0 {
                self.takes = 1;
            }
        }
        level
    }
}

impl Outside for Slave {
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        if changed & levels & 1 << self.select != 0 {
            (self.takes, self.gives, self.bits) = (1, 0, 0);
        }
        if changed >> self.clock & 1 == 0 {
            return;
        }
        let rises = levels >> self.clock & 1 == 1;
        let before = self.pulled;
        if self.takes() {
            if rises {
                self.take(at, levels >> self.data & 1);
            }
            self.pulled = Some(self.pulled.unwrap_or(false));
        } else if rises == self.at_rise {
            self.pulled = Some(self.give(at));
        }
        if self.pulled != before {
            reactions.push(Reaction::Pull { pin: self.data, level: self.pulled });
        }
    }

    fn listens_to(&self) -> u32 {
        1 << self.clock | 1 << self.select
    }

    fn patience(&self) -> Patience {
        match self.takes_pulses {
            true => Patience { heard: 1 << self.clock, moved: 1 << self.data },
            false => Patience::default(),
        }
    }

    fn pulses(&mut self, pulses: &ClockPulses<'_>, _: &mut Vec<Reaction>) -> Answer {
        let sent = pulses.sent.filter(|line| line.pin == self.data).map(|line| line.levels);
        let is_left = sent.is_some() || pulses.may_pull >> self.data & 1 == 1;
        let fits = pulses.clock == self.clock && !pulses.falls_first && is_left && self.pulled.is_some();
        let mut answer = Answer::default();
        if !fits || self.takes() != sent.is_some() {
            return answer;
        }
        let (at_rise, mut levels) = (self.at_rise, 0);
        while answer.count < pulses.count {
            // At the ends of what it takes and gives it wants to see the edges.
            let last = self.bits == if self.takes() { 31 } else { 1 };
            let ends = self.takes + self.gives <= 1 || self.takes == 1;
            if last && ends || self.takes() != sent.is_some() {
                break;
            }
            let number = answer.count;
            match sent {
                Some(sent) => self.take(pulses.rise(number), sent >> (31 - number) & 1),
                None => {
                    let at = if at_rise { pulses.rise(number) } else { pulses.fall(number) };
                    let level = self.give(at);
                    self.pulled = Some(level);
                    levels |= u32::from(level) << (31 - number);
                }
            }
            answer.count += 1;
        }
        self.pulses += u64::from(answer.count);
        let line = DataLine { pin: self.data, levels };
        answer.said =
            (sent.is_none() && answer.count != 0).then_some(Said { line, at_rise, is_pulled: true });
        answer
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

impl InRows for Slave {
    type State = (u32, u32, Option<bool>);

    fn log(&self) -> &[(i64, u32)] {
        &self.log
    }

    fn pulses(&self) -> u64 {
        self.pulses
    }

    fn state(&self) -> Self::State {
        (self.bits, self.shift, self.pulled)
    }
}

/// One machine and its two pins.
struct Driver {
    machine: u32,
    clock: u32,
    data: u32,
    select: u32,
    program: &'static [u32],
    /// The last instruction of OUT's loop, and that of IN's.
    ends: [u32; 2],
    /// The program takes the counts of its loops out of its FIFO.
    counts: bool,
}

/// Side-set of one pin.
const HIGH: u32 = 1 << 12;
/// Out and in with the clock low and high, both loops of two instructions; the second program gives a pulse between, and the
/// third one idles a cycle in each half. The fourth one takes both counts out of its FIFO, whole words in one instruction each.
const PROGRAMS: [&[u32]; 4] = [
    &[0x6001, 0x0040 | HIGH, 0xe080, 0x4001 | HIGH, 0x0083, 0xa042],
    &[0x6001, 0x0040 | HIGH, 0xe080, 0xa042 | HIGH, 0x4001, 0x0084 | HIGH],
    &[0x6101, 0x0140 | HIGH, 0xe080, 0x4101 | HIGH, 0x0183, 0xa042],
    &[0x6020, 0x6040, 0xe081, 0x6001, 0x0043 | HIGH, 0xe080, 0x4001 | HIGH, 0x0086],
];

impl Driver {
    fn at(&self, register: u32) -> u32 {
        PIO[0] + register + 0x18 * self.machine
    }

    fn pinctrl(&self, set_base: u32) -> u32 {
        1 << 29 | 1 << 26 | 1 << 20 | self.data << 15 | self.clock << 10 | set_base << 5 | self.data
    }

    fn set_up(&self, random: &mut Random, table: &mut Vec<[u32; 3]>) {
        let mut write = |address, value| table.push([0, address, value]);
        for pin in [self.clock, self.data] {
            write(IO_BANK0 + 8 * pin + 4, 6);
            write(PADS_BANK0 + 4 + 4 * pin, random.of(&[0x56, 0x52, 0x5a]));
        }
        write(IO_BANK0 + 8 * self.select + 4, 5);
        write(GPIO_OE_SET, 1 << self.select);
        for (&word, n) in self.program.iter().zip(0..) {
            write(PIO[0] + 0x48 + 4 * n, word);
        }
        write(self.at(0xdc), self.pinctrl(self.clock));
        write(self.at(INSTR), 0xe081);
        write(self.at(0xdc), self.pinctrl(self.data));
        write(PIO[0] + 0x38, if random.one_in(3) { 0 } else { 1 << self.data });
    }

    /// So many words out, the header among them, and so many in.
    fn transfer(&self, random: &mut Random, table: &mut Vec<[u32; 3]>) {
        let (takes, gives) = (random.below(8), random.below(9));
        let header = takes | gives.saturating_sub(1) << 3 | random.below(2) << 6 | u32::from(gives != 0) << 7;
        let sends = 1 + takes;
        let shift = random.below(8) << 18 & 0b11 << 18 | 0b11 << 16;
        let order = shift >> 19 & 1;
        let header = if order == 1 { header.reverse_bits() } else { header };
        let mut write = |address, value| table.push([0, address, value]);
        write(PIO[0], 0);
        write(GPIO_OUT_XOR, 1 << self.select);
        write(GPIO_OUT_XOR, 1 << self.select);
        let divider = random.of(&[1 << 16, 2 << 16, 2 << 16, 3 << 16, 0x280 << 8, 5 << 16]);
        write(self.at(0xc8), divider);
        let end = self.ends[usize::from(gives != 0)];
        write(self.at(0xcc), end << 12);
        // Whoever joins a FIFO empties both.
        write(self.at(0xd0), shift ^ 1 << 30);
        write(self.at(0xd0), shift);
        write(self.at(INSTR), 0xe081);
        write(PIO[0], 1 << (4 + self.machine) | 1 << (8 + self.machine));
        for (value, instruction) in [(32 * sends - 1, 0x6020), (32 * gives.max(1) - 1, 0x6040)] {
            write(self.transmit(), value);
            if !self.counts {
                write(self.at(INSTR), instruction);
            }
        }
        write(self.at(INSTR), 0x0000);
        write(FDEBUG, u32::MAX);
        match random.below(2) {
            0 => self.move_by_dma((header, sends, gives), random, table),
            _ => self.move_by_core((header, sends, gives), random, table),
        }
    }

    fn transmit(&self) -> u32 {
        PIO[0] + 0x10 + 4 * self.machine
    }

    fn receive(&self) -> u32 {
        PIO[0] + 0x20 + 4 * self.machine
    }

    fn move_by_dma(
        &self,
        (header, sends, gives): (u32, u32, u32),
        random: &mut Random,
        table: &mut Vec<[u32; 3]>,
    ) {
        let from = WORDS + 4 * random.below(100);
        let control =
            |channel: u32| 1 | 2 << 2 | channel << 11 | u32::from(random_quiet(from, channel)) << 21;
        let received = RECEIVED + 0x100 * random.below(16);
        let mut write = |address, value| table.push([0, address, value]);
        write(from, header);
        for value in [(0x40, self.receive()), (0x44, received), (0x48, gives)] {
            write(DMA + value.0, value.1);
        }
        if gives != 0 {
            write(DMA + 0x4c, control(1) | 1 << 5 | (4 + self.machine) << 15);
        }
        for value in [(0, from), (4, self.transmit()), (8, sends)] {
            write(DMA + value.0, value.1);
        }
        write(DMA + 0xc, control(0) | 1 << 4 | self.machine << 15);
        write(DMA + 0x404, random.of(&[0, 0, 0, 1, 3]));
        write(PIO[0], 1 << self.machine);
        self.follow(random, gives != 0, table);
    }

    /// A core waits for room before each word that it brings, and for each word that it takes. It is often late: the machine
    /// stands still then, with nothing to send or with a FIFO that is full.
    fn move_by_core(
        &self,
        (header, sends, gives): (u32, u32, u32),
        random: &mut Random,
        table: &mut Vec<[u32; 3]>,
    ) {
        let (transmit_full, receive_empty) = (1 << (16 + self.machine), 1 << (8 + self.machine));
        table.extend([[0, DMA_ABORT, 3], [0, PIO[0], 1 << self.machine]]);
        for word in 0..sends {
            self.dawdle(random, table);
            let value = if word == 0 { header } else { random.any() as u32 };
            table.extend([[5, FSTAT, transmit_full], [0, self.transmit(), value]]);
        }
        for _ in 0..gives {
            self.dawdle(random, table);
            table.extend([[5, FSTAT, receive_empty], [1, self.receive(), 0]]);
        }
        if random.one_in(2) {
            table.push([4, FDEBUG, 1 << (24 + self.machine)]);
        }
    }

    /// Lets some words move meanwhile, or none.
    fn dawdle(&self, random: &mut Random, table: &mut Vec<[u32; 3]>) {
        match random.below(8) {
            0 => table.push([2, 0, 1 + random.below(4000)]),
            1 => table.push([2, 0, 1 + random.below(100)]),
            2 => table.push(self.look(random)),
            _ => {}
        }
    }

    /// What a core does meanwhile.
    fn follow(&self, random: &mut Random, receives: bool, table: &mut Vec<[u32; 3]>) {
        for _ in 0..random.below(4) {
            let action = match random.below(12) {
                0..=3 => [2, 0, 1 + random.below(400)],
                4 => [0, DMA_ABORT, 1 + random.below(3)],
                5 => [1, DMA + random.of(&[8, 0x48, 0x400]), 0],
                _ => self.look(random),
            };
            table.push(action);
        }
        match random.below(4) {
            0 => table.push([2, 0, 200 + random.below(6000)]),
            _ if receives => table.push([5, DMA + 0x4c, 1 << 24]),
            1 => table.push([5, DMA + 0xc, 1 << 24]),
            _ => table.push([4, FDEBUG, 1 << (24 + self.machine)]),
        }
    }

    /// Looks at something that shows what the machine does, or asks for an interrupt of its pin.
    fn look(&self, random: &mut Random) -> [u32; 3] {
        let (word, place) = (4 * (self.data / 8), 4 * (self.data % 8));
        match random.below(8) {
            0 => [1, GPIO_IN, 0],
            1 => [1, PIO[0] + random.of(&[4, 0xc, 0x3c, 0x128]), 0],
            2 | 6 => [1, self.at(0xd4), 0],
            7 => [1, random.of(&[CPUID, SPINLOCK, TIMERAWL, DMA + 0xc, DMA + 0x48]), 0],
            3 => [1, IO_BANK0 + 0xf0 + word, 0],
            4 => [0, IO_BANK0 + 0xf0 + word, u32::MAX],
            _ => [0, IO_BANK0 + 0x100 + word, random.of(&[0, 4, 8]) << place],
        }
    }
}

/// Whether a channel is to raise no interrupt.
fn random_quiet(from: u32, channel: u32) -> bool {
    from >> (2 + channel) & 1 == 1
}

fn driver(seed: u64) -> Driver {
    let mut random = Random::new(seed ^ 0xd21);
    let clock = random.below(28);
    let data = (clock + 1 + random.below(5)) % 29;
    let select = (clock + 9 + random.below(5)) % 29;
    let program = random.below(PROGRAMS.len() as u32) as usize;
    Driver {
        machine: random.below(4),
        clock,
        data,
        select,
        program: PROGRAMS[program],
        ends: [[1, 4], [1, 5], [1, 4], [4, 7]][program],
        counts: program == 3,
    }
}

fn chip(seed: u64, takes_pulses: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let driver = driver(seed);
    let mut table = Vec::new();
    driver.set_up(&mut random, &mut table);
    for _ in 0..TRANSFERS {
        driver.transfer(&mut random, &mut table);
    }
    table.push([9, 0, 0]);
    let mut chip = chip_of(seed, &table);
    if seed.is_multiple_of(2) {
        chip.record_pins(1 << driver.clock | 1 << driver.data);
    }
    chip.connect(Box::new(Slave::new(takes_pulses, &driver)));
    chip
}

fn check_all(seeds: std::ops::Range<u64>) {
    let told = told_in_rows::check_all::<Slave>(seeds, chip);
    // Most bits are told as pulses.
    assert!(told.pulses > 16 * told.words, "{told:?}");
}

#[test]
fn a_slave_that_is_told_of_pulses_does_what_one_does_that_is_told_of_edges() {
    check_all(0..24);
}

#[test]
fn a_core_that_waits_for_a_flag_is_interrupted_when_a_sequence_ends_meanwhile() {
    told_in_rows::check::<Slave>(676, chip);
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_slaves_that_are_told_of_pulses_do_what_others_do() {
    check_all(100..4000);
}
