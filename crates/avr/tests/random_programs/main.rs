//! Random programs on each of the chips: they neither panic, nor hang, nor grow without bound, whatever a program does
//! (`testing::random_cases`). A copy goes on as the chip that it was made of, and a state that is taken back is the same state.

mod programs;

use std::sync::Arc;

use mcu::image::{Image, LoadOptions};
use mcu::{Console, Mcu, McuKind, Setup, Stop};
use programs::{KINDS, Kind};
use testing::{Random, Restless};
use units::{PS_PER_S, Picoseconds};

const CHIPS: [&McuKind; 3] = [&avr::ATMEGA328P, &avr::ATMEGA1284P, &avr::ATMEGA2560];
/// A program gets this much of the chip's time at the most, and this many instructions.
const MOST_SLICES: u32 = 40;
const CASE_INSTRUCTIONS: u64 = 100_000;
/// How far instructions of one case may last beyond the ends of its slices in all.
const MOST_BEYOND_PS: i64 = 10 * PS_PER_S;
/// What a state may have beside that of the chip at its start, such as what is typed at it, and edges of pins that oscillate at
/// the next instant.
const MOST_GROWTH_BYTES: usize = 8 << 10;
/// What it has of each address at which there is nothing, once that was looked for.
const UNKNOWN_BYTES: usize = 8;
/// The data space, as a debugger has it, and its registers.
const DATA: u32 = 0x80_0000;
const REGISTERS: u32 = 0x200;
/// GDB's numbers.
const SREG: usize = 32;
const SP: usize = 33;
const PC: usize = 34;

#[test]
fn random_programs_neither_panic_nor_hang_nor_grow() {
    testing::random_cases(&KINDS, run_case);
}

/// One program, from its start until it has had its share; the instructions that it executed.
fn run_case(kind: Kind, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let part = random.of(&CHIPS);
    let mut chip = chip(part, &mut random);
    let file = Arc::new(programs::make(kind, part.facts.usual_flash_bytes, &mut random));
    // Noise may look as if it were for another chip.
    let Ok(image) = Image::load(&file, "random.hex", part.facts.images, &LoadOptions::default()) else {
        return 1;
    };
    chip.load(&image).expect("it fits");
    let most_bytes = chip.state().len() + MOST_GROWTH_BYTES;
    let mut beyond_ps = 0;
    let mut earlier = 0;
    for _ in 0..MOST_SLICES {
        let before = chip.now();
        let end = Picoseconds::new(before.ps() + slice_ps(&mut random));
        let stop = chip.run_until(end);
        assert!(chip.now() >= before, "time goes back from {before} to {} after {stop:?}", chip.now());
        let instructions = earlier + chip.counts().instructions[0];
        beyond_ps += (chip.now().ps() - end.ps()).max(0);
        if instructions > CASE_INSTRUCTIONS || beyond_ps > MOST_BEYOND_PS {
            break;
        }
        match stop {
            Stop::Time => {}
            Stop::Fault(fault) => {
                assert!(!chip.fault_report(image.symbols(), fault).text.is_empty());
                go_on(&mut *chip, &mut random);
            }
            Stop::Asleep if random.one_in(2) => {
                earlier += chip.counts().instructions[0];
                chip = start_anew(part, &image, &mut random);
            }
            Stop::Asleep => chip.reset_now().expect("a reset starts what is there"),
            stop => panic!("nobody asked for {stop:?}"),
        }
        disturb(&mut chip, &mut random);
        check_size(&mut *chip, most_bytes);
    }
    (earlier + chip.counts().instructions[0]).max(1)
}

/// From some nanoseconds to a millisecond.
fn slice_ps(random: &mut Random) -> i64 {
    i64::from(1 + random.below(1000)) * random.of(&[20_000, 100_000, 1_000_000])
}

fn chip(part: &McuKind, random: &mut Random) -> Box<dyn Mcu> {
    let facts = part.facts;
    let crystal_hz = random.of(&[*facts.crystal_hz.start(), facts.usual_crystal_hz, *facts.crystal_hz.end()]);
    let flash_bytes = facts.usual_flash_bytes;
    let setup = Setup { crystal_hz, flash_bytes, rom: None, usb_connected: false, seed: random.any() };
    let mut chip = (part.build)(&setup).expect("a chip");
    if random.one_in(2) {
        chip.connect(Box::new(Restless::new(random.any(), facts.gpio_count)));
    }
    if random.one_in(4) {
        chip.record_pins(random.any() as u32);
    }
    if random.one_in(4) {
        chip.record_waits(true);
    }
    chip
}

fn start_anew(part: &McuKind, image: &Image, random: &mut Random) -> Box<dyn Mcu> {
    let mut chip = chip(part, random);
    chip.load(image).expect("it fits");
    chip
}

/// Behind a fault: a stack in RAM, and another place in the program.
fn go_on(chip: &mut dyn Mcu, random: &mut Random) {
    if random.one_in(4) {
        return chip.reset_now().expect("a reset starts what is there");
    }
    chip.set_register(0, SP, 0x200 + random.below(0x600));
    chip.set_program_counter(0, 2 * random.below(programs::WORDS as u32));
}

/// What the surroundings and a debugger may do between two runs.
fn disturb(chip: &mut Box<dyn Mcu>, random: &mut Random) {
    let pin = random.below(chip.facts().gpio_count.into()) as u8;
    match random.below(14) {
        0 | 1 => chip.drive_pin(pin, random.of(&[None, Some(false), Some(true)])),
        2 => chip.pull_pin(pin, random.one_in(2)),
        3 if random.one_in(4) => chip.wire_pins(pin, random.below(chip.facts().gpio_count.into()) as u8),
        4 | 5 => {
            let count = random.below(40) as usize;
            chip.send_console(
                random.of(&[Console::Uart0, Console::Uart1, Console::Usb]),
                &random.bytes(count),
            );
        }
        6..=8 => poke(&mut **chip, random),
        9 => drop(chip.read_memory(DATA + random.below(0x1_2000), 64)),
        10 => check_copy(&mut **chip, random),
        11 => check_state(&mut **chip),
        12 => {
            let register = random.of(&[0, 16, 26, 28, 30, 31, SREG, SP, PC]);
            chip.set_register(0, register, random.any() as u32);
        }
        _ => take_all(&mut **chip),
    }
}

fn poke(chip: &mut dyn Mcu, random: &mut Random) {
    for _ in 0..random.below(40) {
        let address = DATA + 0x20 + random.below(REGISTERS);
        // The watchdog and the clock's divider would hold most of the rest up.
        if matches!(address - DATA, 0x60 | 0x61) && !random.one_in(8) {
            continue;
        }
        let _ = chip.write_memory(address, &[programs::value(random)]);
    }
    if random.one_in(8) {
        chip.hold_button("RESET", random.one_in(4));
    }
}

/// A copy does what the chip does.
fn check_copy(chip: &mut dyn Mcu, random: &mut Random) {
    let mut copy = chip.copy().expect("everything outside can be copied");
    let end = Picoseconds::new(chip.now().ps() + slice_ps(random) / 100);
    let stops = [chip.run_until(end), copy.run_until(end)];
    assert_eq!(stops[0], stops[1]);
    assert_eq!((chip.now(), chip.counts()), (copy.now(), copy.counts()));
    assert_eq!((chip.levels(), chip.driven()), (copy.levels(), copy.driven()));
    let (a, b) = (chip.state(), copy.state());
    if a != b {
        let at: Vec<_> = a
            .iter()
            .zip(&b)
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .take(20)
            .map(|(n, (a, b))| (n, *a, *b))
            .collect();
        panic!("{} {} {at:?}", a.len(), b.len());
    }
}

/// A state that is taken back is the same state.
fn check_state(chip: &mut dyn Mcu) {
    let kept = chip.state();
    let (state, behind) = chip.read_state(&kept).expect("a kept state can be read");
    assert!(behind.is_empty());
    chip.take_state(state);
    assert_eq!(chip.state(), kept);
}

fn take_all(chip: &mut dyn Mcu) {
    for console in [Console::Uart0, Console::Uart1, Console::Usb] {
        chip.take_console(console);
    }
    chip.take_edges();
    chip.take_waits();
    chip.unknown_accesses();
}

/// What is kept of a chip is what it has; what waits to be taken is taken first.
fn check_size(chip: &mut dyn Mcu, most_bytes: usize) {
    take_all(chip);
    let most_bytes = most_bytes + UNKNOWN_BYTES * chip.unknown_accesses().len();
    let bytes = chip.state().len();
    assert!(bytes < most_bytes, "{bytes} bytes of state, and {most_bytes} at the most");
}
