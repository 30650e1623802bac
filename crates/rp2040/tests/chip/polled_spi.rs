//! A driver that clocks SPI by a PIO program, and asks the block's flags and FIFOs without a pause: the edges may be told late to a
//! device that drives its own data line and an interrupt, now and later. Nobody can tell: a chip with a device that has patience is
//! held against one whose device has none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcu::{Outside, Patience, Reaction};
use rp2040::chip::Rp2040;
use testing::Random;
use units::Picoseconds;

use crate::bench::*;
use crate::pio::{GPIO_IN, IO_BANK0, PIO, TABLE, WORDS, edges, pio_registers, table_driven};
use crate::waiting::{same, same_list, same_registers};

const TRANSFERS: usize = 20;
const FSTAT: u32 = PIO[0] + 4;
const IRQ: u32 = PIO[0] + 0x30;
const IRQ_FORCE: u32 = PIO[0] + 0x34;
const BYPASS: u32 = PIO[0] + 0x38;
const GPIO_OUT_XOR: u32 = 0xd000_001c;
const GPIO_OE_SET: u32 = 0xd000_0024;
const TIMERAWL: u32 = 0x4005_4028;
const CLOCK: u32 = 3;
const MOSI: u32 = 4;
const MISO: u32 = 5;
const SELECT: u32 = 6;
const INTERRUPT: u32 = 7;
const OWN_PINS: u32 = 1 << CLOCK | 1 << MOSI | 1 << MISO | 1 << INTERRUPT;

/// Side-set of the clock.
const HIGH: u32 = 1 << 12;
/// Bytes out from 0 on, and in from 6 on. Each way takes the number of its bits, less one, out of the FIFO, and raises flag 0 when it
/// has gone through them.
const PROGRAM: [u32; 10] =
    [0x80a0, 0xa027, 0x6068, 0x6001, 0x0043 | HIGH, 0xc020, 0x6020, 0x4001 | HIGH, 0x0047, 0xc020];
/// Of the way out, and of the way in.
const BEGINNINGS: [u32; 2] = [0, 6];

/// Takes bits at rises, and gives bits at falls. What it takes may move its interrupt, at once or later.
#[derive(Debug, Clone)]
struct Device {
    is_patient: bool,
    is_selected: bool,
    bits: u32,
    taken: u32,
    given: u32,
    words: Random,
    interrupt: bool,
    later: Option<Picoseconds>,
    log: Vec<(i64, u32)>,
    told: u64,
    /// How often it was asked when it does something of its own accord: after every change that is told at once.
    asked: Arc<AtomicU64>,
}

impl Device {
    fn new(is_patient: bool) -> Self {
        Self {
            is_patient,
            is_selected: false,
            bits: 0,
            taken: 0,
            given: 0,
            words: Random::new(11),
            interrupt: false,
            later: None,
            log: Vec::new(),
            told: 0,
            asked: Arc::default(),
        }
    }

    fn byte(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        self.log.push((at.ps(), self.taken & 0xff));
        self.given = self.words.any() as u32;
        match self.taken & 7 {
            1 => self.move_interrupt(reactions),
            2 if self.later.is_none() => {
                self.later = Some(at + Picoseconds::from_ns(i64::from(self.taken & 0xff) * 16));
                reactions.push(Reaction::Rescheduled);
            }
            _ => {}
        }
    }

    fn move_interrupt(&mut self, reactions: &mut Vec<Reaction>) {
        self.interrupt = !self.interrupt;
        reactions.push(Reaction::Pin { pin: INTERRUPT as u8, level: Some(self.interrupt) });
    }
}

impl Outside for Device {
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        self.told += 1;
        if changed >> SELECT & 1 == 1 {
            self.is_selected = levels >> SELECT & 1 == 1;
            self.bits = 0;
            reactions.push(Reaction::Pin { pin: MISO as u8, level: None });
        }
        if changed >> CLOCK & 1 == 0 || !self.is_selected {
            return;
        }
        if levels >> CLOCK & 1 == 1 {
            self.taken = self.taken << 1 | levels >> MOSI & 1;
            self.bits += 1;
            if self.bits.is_multiple_of(8) {
                self.byte(at, reactions);
            }
        } else {
            let level = self.given >> (31 - self.bits % 8) & 1 == 1;
            reactions.push(Reaction::Pin { pin: MISO as u8, level: Some(level) });
        }
    }

    fn listens_to(&self) -> u32 {
        1 << CLOCK | 1 << SELECT
    }

    fn patience(&self) -> Patience {
        match self.is_patient {
            true => Patience { heard: 1 << CLOCK, moved: 1 << MISO | 1 << INTERRUPT },
            false => Patience::default(),
        }
    }

    fn next_event(&self) -> Option<Picoseconds> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.later
    }

    fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        if self.later.is_some_and(|later| later <= at) {
            self.later = None;
            self.log.push((at.ps(), u32::MAX));
            self.move_interrupt(reactions);
        }
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

/// What the core does in a run, by the machine that it uses.
struct Driver {
    machine: u32,
    /// It does nothing but transfers at one speed, and looks at nothing else meanwhile.
    is_calm: bool,
    table: Vec<[u32; 3]>,
}

impl Driver {
    fn write(&mut self, address: u32, value: u32) {
        self.table.push([0, address, value]);
    }

    fn own(&self, register: u32) -> u32 {
        PIO[0] + register + 0x18 * self.machine
    }

    fn set_up(&mut self, random: &mut Random) {
        for pin in [CLOCK, MOSI] {
            self.write(IO_BANK0 + 8 * pin + 4, 6);
        }
        self.write(IO_BANK0 + 8 * SELECT + 4, 5);
        self.write(GPIO_OE_SET, 1 << SELECT);
        for (word, n) in PROGRAM.into_iter().zip(0..) {
            self.write(PIO[0] + 0x48 + 4 * n, word);
        }
        for pin in [CLOCK, MOSI] {
            let pins = 1 << 29 | 1 << 26 | 1 << 20 | MISO << 15 | CLOCK << 10 | pin << 5 | MOSI;
            self.write(self.own(0xdc), pins);
            self.write(self.own(0xd8), 0xe081);
        }
        self.write(BYPASS, if random.one_in(2) { 1 << MISO } else { 0 });
        // Who asks for interrupts of the device's pin hears of each edge in time.
        if random.one_in(4) && !self.is_calm {
            self.write(IO_BANK0 + 0x100, 0xc << (4 * INTERRUPT));
        }
    }

    fn transfer(&mut self, random: &mut Random) {
        let divider = random.of(&[1 << 16, 2 << 16, 3 << 16, 0x280 << 8, 10 << 16]);
        self.write(self.own(0xc8), if self.is_calm { 10 << 16 } else { divider });
        self.write(GPIO_OUT_XOR, 1 << SELECT);
        let (out, into) = (1 + random.below(14), random.below(12));
        self.begin(0, out);
        for _ in 0..out {
            self.dawdle(random);
            self.table.push([5, FSTAT, 1 << (16 + self.machine)]);
            let byte = random.any() as u32;
            self.write(PIO[0] + 0x10 + 4 * self.machine, byte);
        }
        self.end(random);
        if into != 0 {
            self.begin(1, into);
            for _ in 0..into {
                self.dawdle(random);
                self.table.push([5, FSTAT, 1 << (8 + self.machine)]);
                self.table.push([1, PIO[0] + 0x20 + 4 * self.machine, 0]);
            }
            self.end(random);
        }
        self.write(GPIO_OUT_XOR, 1 << SELECT);
    }

    fn begin(&mut self, way: usize, bytes: u32) {
        let threshold = [8 << 25, 0][way];
        self.write(self.own(0xcc), BEGINNINGS[way] << 7 | [5, 9][way] << 12);
        self.write(self.own(0xd0), 1 << 30 | 1 << 31);
        self.write(self.own(0xd0), 0b11 << 16 | 8 << 20 | threshold | [1 << 30, 0][way]);
        self.write(PIO[0], 1 << (4 + self.machine) | 1 << (8 + self.machine));
        self.write(self.own(0xd8), BEGINNINGS[way]);
        self.write(PIO[0] + 0x10 + 4 * self.machine, 8 * bytes - 1);
        self.write(PIO[0], 1 << self.machine);
    }

    /// Waits until all bits have gone.
    fn end(&mut self, random: &mut Random) {
        self.dawdle(random);
        self.table.push([4, IRQ, 1]);
        self.dawdle(random);
        self.write(PIO[0], 0);
        self.write(IRQ, 1);
    }

    fn dawdle(&mut self, random: &mut Random) {
        match random.below(12) {
            _ if self.is_calm => {}
            0 => self.table.push([2, 0, 1 + random.below(2000)]),
            1 => self.table.push([2, 0, 1 + random.below(60)]),
            2 => {
                let looks = [IRQ, FSTAT, PIO[0] + 0xc, GPIO_IN, IO_BANK0 + 0xf0, TIMERAWL, self.own(0xd4)];
                self.table.push([1, random.of(&looks), 0]);
            }
            3 => self.write(IRQ_FORCE, 1 << (1 + random.below(7))),
            _ => {}
        }
    }
}

fn chip(seed: u64, is_calm: bool, is_patient: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut driver = Driver { machine: random.below(4), is_calm, table: Vec::new() };
    driver.set_up(&mut random);
    for _ in 0..TRANSFERS {
        driver.transfer(&mut random);
    }
    driver.table.push([9, 0, 0]);
    let mut chip = chip_with(table_driven(in_ram(), if seed % 4 < 2 { 125 } else { 133 }));
    let bytes: Vec<u8> = driver.table.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.write_memory(WORDS, &Random::new(seed).bytes(1024)).expect("SRAM");
    if seed.is_multiple_of(2) {
        chip.record_pins(OWN_PINS);
    }
    chip.connect(Box::new(Device::new(is_patient)));
    chip
}

fn device(chip: &mut Rp2040) -> Device {
    let outside: &dyn std::any::Any = chip.outside();
    outside.downcast_ref::<Device>().expect("it is the device").clone()
}

/// How often each device was told of changes and asked for its plans: the patient one first.
fn check(seed: u64, is_calm: bool) -> [(u64, u64); 2] {
    let (mut quick, mut slow) = (chip(seed, is_calm, true), chip(seed, is_calm, false));
    let mut pieces = Random::new(seed);
    let mut end = us(20);
    for _ in 0..8 {
        end = end + Picoseconds::new(i64::from(pieces.below(150_000_000)));
        quick.run_until(end);
        slow.run_until(end);
        let how = format!("seed {seed}");
        same_list(&edges(&mut quick), &edges(&mut slow), &format!("{how}: edges"));
        let (one, other) = (device(&mut quick), device(&mut slow));
        same_list(&one.log, &other.log, &format!("{how}: bytes"));
        assert_eq!((one.bits, one.taken, one.interrupt), (other.bits, other.taken, other.interrupt), "{how}");
        same(&quick, &slow, &how);
        let interrupts = (0xf0..0x10c).map(|at| IO_BANK0 + at);
        same_registers(&mut quick, &mut slow, pio_registers().chain(interrupts), &how);
    }
    [quick, slow].map(|mut chip| {
        let device = device(&mut chip);
        (device.told, device.asked.load(Ordering::Relaxed))
    })
}

#[test]
fn a_device_that_hears_late_of_a_polled_spi_does_what_one_does_that_hears_at_once() {
    for seed in 0..24 {
        check(seed, false);
    }
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_devices_that_hear_late_of_a_polled_spi_do_what_others_do() {
    for seed in 100..2000 {
        check(seed, false);
    }
}

#[test]
fn edges_that_are_told_late_are_no_events_of_the_chip() {
    let [(told, asked), (told_at_once, asked_at_once)] = check(1, true);
    assert!(told_at_once > 1000 && asked_at_once >= told_at_once, "{asked_at_once} of {told_at_once}");
    assert!(told > 1000 && asked < told / 4, "{asked} of {told}");
}
