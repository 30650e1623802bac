//! The radio of a Pico W, told of the clock's pulses in a row, does what it does when it is told of every edge. A board on which
//! somebody else listens to all pins is held against one on which nobody does: PIO and DMA move commands and data both ways in
//! every order of words, and somebody looks, aborts, or takes the power in the middle.

use board::parts::{PinDevice, Pulses};
use board::{Board, BoardOptions};
use cyw43::{Command, Function, WordOrder};
use mcu::Reaction;
use units::{PS_PER_MS, PS_PER_US, Picoseconds};

const POWER: u32 = 23;
const DATA: u32 = 24;
const SELECT: u32 = 25;
const CLOCK: u32 = 29;
const PULSES: u8 = 2;

const PIO: u32 = 0x5020_0000;
const DMA: u32 = 0x5000_0000;
const IO_BANK0: u32 = 0x4001_4000;
const GPIO_SET: u32 = 0xd000_0014;
const GPIO_CLEAR: u32 = 0xd000_0018;
const GPIO_OE_SET: u32 = 0xd000_0024;
const SENT: u32 = 0x2000_1000;
const RECEIVED: u32 = 0x2000_2000;
const HIGH: u32 = 1 << 12;
/// A loop that shifts out, then one that shifts in: with a pulse between them and bits taken while the clock is low, or without
/// and taken while it is high.
const PROGRAMS: [[u32; 6]; 2] = [
    [0x6001, 0x0040 | HIGH, 0xe080, 0xa042 | HIGH, 0x4001, 0x0084 | HIGH],
    [0x6001, 0x0040 | HIGH, 0xe080, 0x4001 | HIGH, 0x0083, 0xa042],
];

/// Listens to every pin, and does nothing.
#[derive(Debug, Clone)]
struct Attentive;

impl PinDevice for Attentive {
    fn changed(&mut self, _: Picoseconds, _: u32, _: u32, _: &mut Vec<Reaction>) {}

    fn snapshot(&self) -> Option<Box<dyn PinDevice>> {
        Some(Box::new(self.clone()))
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u32) -> u32 {
        (self.next() >> 33) as u32 % end
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

/// Both boards, to which the same is done.
struct Boards([Board; 2]);

impl Boards {
    fn new(records: bool) -> Self {
        Self([false, true].map(|attentive| {
            let mut board = Board::open("pico-w", BoardOptions::default()).unwrap();
            // Time stands still where nothing ever happens: a pulse every millisecond lets it pass.
            let millisecond = Picoseconds::new(PS_PER_MS);
            board.connect_pulses(Pulses::new(PULSES, millisecond, (millisecond, Picoseconds::new(1)), 1));
            if attentive {
                board.parts().connect_pins(Box::new(Attentive));
            }
            board.chip_mut().record_pins(if records { 1 << DATA | 1 << CLOCK } else { 0 });
            board
        }))
    }

    fn poke(&mut self, address: u32, value: u32) {
        for board in &mut self.0 {
            board.chip_mut().write_memory(address, &value.to_le_bytes()).unwrap();
        }
    }

    fn run(&mut self, ps: i64) {
        for board in &mut self.0 {
            let end = board.now() + Picoseconds::new(ps);
            board.chip_mut().run_without_cores(end);
        }
    }

    /// What can be seen is the same.
    fn same(&mut self, how: &str) {
        let seen = self.0.each_mut().map(|board| {
            let mut edges: Vec<_> = board.chip_mut().take_edges();
            edges.sort_unstable_by_key(|edge| (edge.at, edge.pin));
            let chip = board.chip();
            let registers = |from: u32, bytes: usize| chip.read_memory(from, bytes).unwrap();
            let pio = [registers(PIO, 0x10), registers(PIO + 0x30, 0x114)];
            let dma = [registers(DMA, 0x40), registers(DMA + 0x40, 0x40), registers(DMA + 0x400, 0x10)];
            let pins = registers(IO_BANK0 + 0xf0, 16);
            (chip.now(), chip.levels(), pio, dma, pins, edges, registers(RECEIVED, 256))
        });
        assert_eq!(seen[0], seen[1], "{how}");
    }
}

/// How the boards speak to the radio now.
struct Host {
    boards: Boards,
    random: Random,
    order: WordOrder,
    machine: u32,
    program: usize,
}

impl Host {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let boards = Boards::new(random.below(2) == 0);
        let (machine, program) = (random.below(4), random.below(2) as usize);
        let mut host = Self { boards, random, order: WordOrder::default(), machine, program };
        // RESETS: everything is let go.
        host.poke(0x4000_f000, 0x01ff_ffff);
        for pin in [POWER, SELECT] {
            host.poke(GPIO_SET, 1 << pin);
            host.poke(GPIO_OE_SET, 1 << pin);
            host.poke(IO_BANK0 + 8 * pin + 4, 5);
        }
        for pin in [DATA, CLOCK] {
            host.poke(IO_BANK0 + 8 * pin + 4, 6);
        }
        for (n, word) in (0..).zip(PROGRAMS[program]) {
            host.poke(PIO + 0x48 + 4 * n, word);
        }
        host.poke(host.at(0xdc), host.pins(CLOCK));
        host.execute(0xe081);
        host.poke(host.at(0xdc), host.pins(DATA));
        host.poke(PIO + 0x38, 1 << DATA);
        host
    }

    fn poke(&mut self, address: u32, value: u32) {
        self.boards.poke(address, value);
        self.boards.run(PS_PER_US);
    }

    fn at(&self, register: u32) -> u32 {
        PIO + register + 0x18 * self.machine
    }

    fn pins(&self, set_base: u32) -> u32 {
        1 << 29 | 1 << 26 | 1 << 20 | DATA << 15 | CLOCK << 10 | set_base << 5 | DATA
    }

    fn execute(&mut self, instruction: u32) {
        self.poke(self.at(0xd8), instruction);
    }

    /// A command with its data, and what comes back; whether nobody disturbed it.
    fn transfer(&mut self, command: &Command, written: &[u32], reads: u32, how: &str) -> bool {
        let shift = self.random.below(4) << 18 | 0b11 << 16;
        let sends_low_first = shift >> 19 & 1 == 1;
        let words: Vec<u32> = std::iter::once(command.word())
            .chain(written.iter().copied())
            .map(|word| self.order.swap(word))
            .collect();
        for (n, word) in (0..).zip(&words) {
            self.boards.poke(SENT + 4 * n, if sends_low_first { word.reverse_bits() } else { *word });
        }
        self.poke(GPIO_CLEAR, 1 << SELECT);
        let divider = self.random.of(&[1 << 16, 2 << 16, 3 << 16, 0x280 << 8]);
        self.poke(self.at(0xc8), divider);
        let end = if reads == 0 { 1 } else { [5, 4][self.program] };
        self.poke(self.at(0xcc), end << 12);
        self.poke(self.at(0xd0), shift ^ 1 << 30);
        self.poke(self.at(0xd0), shift);
        self.execute(0xe081);
        self.poke(PIO, 1 << (4 + self.machine) | 1 << (8 + self.machine));
        for (value, instruction) in [(32 * words.len() as u32 - 1, 0x6020), ((32 * reads).max(1) - 1, 0x6040)]
        {
            self.poke(PIO + 0x10 + 4 * self.machine, value);
            self.execute(instruction);
        }
        self.execute(0);
        self.start_dma(words.len() as u32, reads);
        self.poke(PIO, 1 << self.machine);
        let whole = self.disturb(how);
        // Long enough at 6.5 MHz and the slowest divider.
        self.boards.run((words.len() as i64 + i64::from(reads) + 2) * 40 * PS_PER_US);
        self.poke(PIO, 0);
        self.poke(GPIO_SET, 1 << SELECT);
        whole
    }

    fn start_dma(&mut self, sends: u32, reads: u32) {
        let fifo = 4 * self.machine;
        for (n, value) in (0..).zip([PIO + 0x20 + fifo, RECEIVED, reads]) {
            self.boards.poke(DMA + 0x40 + 4 * n, value);
        }
        if reads != 0 {
            self.boards.poke(DMA + 0x4c, 1 | 2 << 2 | 1 << 5 | 1 << 11 | (4 + self.machine) << 15);
        }
        for (n, value) in (0..).zip([SENT, PIO + 0x10 + fifo, sends]) {
            self.boards.poke(DMA + 4 * n, value);
        }
        self.boards.poke(DMA + 0xc, 1 | 2 << 2 | 1 << 4 | self.machine << 15);
    }

    /// What somebody does in the middle of a transfer; false where that is the end of it.
    fn disturb(&mut self, how: &str) -> bool {
        let until = i64::from(self.random.below(120_000)) * 1_000;
        match self.random.below(12) {
            0 | 1 => {
                self.boards.run(until);
                self.boards.same(how);
                true
            }
            2 => {
                self.boards.run(until);
                self.poke(DMA + 0x444, 3);
                false
            }
            3 => {
                self.boards.run(until);
                self.poke(GPIO_CLEAR, 1 << POWER);
                self.poke(GPIO_SET, 1 << POWER);
                self.order = WordOrder::default();
                false
            }
            4 => {
                self.boards.run(until);
                self.poke(PIO, 0);
                false
            }
            _ => true,
        }
    }
}

fn backplane(address: u32, bytes: u32, is_write: bool) -> Command {
    Command { is_write, increments: true, function: Function::Backplane, address, bytes }
}

/// Sets how the bus speaks; the low byte has the order of words and the edge at which the chip does.
fn set_bus(host: &mut Host, how: &str) {
    let (bits, order) = host.random.of(&[
        (0b00, WordOrder::Halves),
        (0b11, WordOrder::LowFirst),
        (0b01, WordOrder::HighFirst),
    ]);
    let value = bits | host.random.below(2) << 4 | 4 << 8 | host.random.of(&[0, 2]) << 16;
    let command = Command { is_write: true, increments: true, function: Function::Bus, address: 0, bytes: 4 };
    if host.transfer(&command, &[value], 0, how) {
        host.order = order;
    }
}

fn check(seed: u64) {
    let how = format!("seed {seed}");
    let mut host = Host::new(seed);
    for turn in 0..14 {
        if turn % 5 == 0 {
            set_bus(&mut host, &how);
        }
        let (words, address) = (1 + host.random.below(16), 4 * host.random.below(1000));
        let data: Vec<u32> = (0..words).map(|_| host.random.next() as u32).collect();
        host.transfer(&backplane(address, 4 * words, true), &data, 0, &how);
        host.boards.same(&how);
        // A word of delay comes first.
        host.transfer(&backplane(address, 4 * words, false), &[], words + 1, &how);
        host.boards.same(&how);
    }
}

#[test]
fn a_radio_that_is_told_of_pulses_does_what_one_does_that_is_told_of_edges() {
    for seed in 0..12 {
        check(seed);
    }
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_radios_that_are_told_of_pulses_do_what_others_do() {
    for seed in 100..900 {
        check(seed);
    }
}
