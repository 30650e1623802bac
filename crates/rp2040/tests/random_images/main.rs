//! Random images on the whole chip: it neither panics, nor hangs, nor grows without bound, whatever an image does
//! (`testing::random_cases`).

#[path = "../support/asm.rs"]
mod asm;
mod images;
mod random;

use images::{KINDS, Kind, Made, Place};
use mcu::Sleep;
use mcu::image::{Image, LoadOptions, RawBinary};
use mcu::{Console, Stop};
use random::Registers;
use rp2040::chip::{Rp2040, Setup};
use testing::{Random, Restless};
use units::{PS_PER_S, Picoseconds};

/// An image gets this much of the chip's time at the most, and this many instructions.
const MOST_SLICES: u32 = 40;
const CASE_INSTRUCTIONS: u64 = 200_000;
/// How far instructions of one case may last beyond the ends of its slices in all.
const MOST_BEYOND_PS: i64 = 10 * PS_PER_S;

#[test]
fn random_images_neither_panic_nor_hang_nor_grow() {
    testing::random_cases(&KINDS, run_case);
}

/// One image, from its start until it has had its share; the instructions that it executed.
fn run_case(kind: Kind, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let mut chip = chip(&mut random);
    let made = images::make(kind, &mut random);
    let image = load(&made, kind);
    let mut instructions = 0;
    let mut beyond_ps = 0;
    if chip.load(&image).is_err() {
        return 1;
    }
    let (slices, divisor) = if kind == Kind::Blocks { (400, 20) } else { (MOST_SLICES, 1) };
    for _ in 0..slices {
        let before = chip.now();
        let end = Picoseconds::new(before.ps() + slice_ps(&mut random) / divisor);
        let stop = chip.run_until(end);
        assert!(chip.now() >= before, "time goes back from {before} to {} after {stop:?}", chip.now());
        let [first, second] = chip.counts().instructions;
        instructions = first + second;
        // With a clock that stands nearly still one instruction takes seconds, in which an ADC samples millions of times.
        beyond_ps += (chip.now().ps() - end.ps()).max(0);
        if instructions > CASE_INSTRUCTIONS || beyond_ps > MOST_BEYOND_PS {
            break;
        }
        match stop {
            Stop::Time => {}
            Stop::Asleep | Stop::LockedUp(_) | Stop::Ended(_) | Stop::BootLoader => {
                if random.one_in(2) || chip.load(&image).is_err() {
                    break;
                }
            }
            stop => panic!("nobody asked for {stop:?}"),
        }
        match kind {
            Kind::Blocks => poke_a_block(&mut chip, &mut random),
            _ => disturb(&mut chip, &mut random),
        }
    }
    for console in [Console::Uart0, Console::Uart1, Console::Usb] {
        chip.take_console(console);
    }
    instructions.max(1)
}

/// From a microsecond to some milliseconds.
fn slice_ps(random: &mut Random) -> i64 {
    i64::from(1 + random.below(1000)) * random.of(&[1_000_000, 1_000_000, 10_000_000])
}

fn chip(random: &mut Random) -> Rp2040 {
    let setup = Setup {
        flash_bytes: 1 << 16,
        usb_connected: !random.one_in(4),
        seed: random.any(),
        ..Setup::default()
    };
    let mut chip = Rp2040::new(&setup).expect("a chip");
    chip.stop_at_faults(false);
    if random.one_in(2) {
        chip.connect(Box::new(Restless::new(random.any(), 30)));
    }
    if random.one_in(4) {
        chip.record_pins(random.any() as u32);
    }
    chip
}

fn load(made: &Made, kind: Kind) -> Image {
    let raw_binary = match made.place {
        Place::Flash => RawBinary::Flash,
        Place::Ram => RawBinary::Ram,
    };
    rp2040::load_image(&made.bytes, "random", &LoadOptions { raw_binary })
        .unwrap_or_else(|error| panic!("{kind:?}: {error}"))
}

/// One block gets random values in random registers, often the same few, and some registers are read.
fn poke_a_block(chip: &mut Rp2040, random: &mut Random) {
    let block = match random.below(10) {
        0 => 0xd000_0000,
        1 => random.of(&[0x1400_0000, 0x1800_0000, 0x5010_0000, 0xe000_e000]),
        _ => random.register() & !0x3fff,
    };
    let registers = 4 << random.below(8);
    for _ in 0..random.below(60) {
        let address = block + 4 * random.below(registers) + random.of(&[0, 0, 0, 0x1000, 0x2000, 0x3000]);
        let _ = chip.write_memory(address, &random.value().to_le_bytes());
        if random.one_in(8) {
            let _ = chip.read_word(address);
        }
    }
    // What holds everything else up, mostly mended.
    if !random.one_in(8) {
        for (address, value) in
            [(0x4000_f000, u32::MAX), (0x4000_8048, 1 << 11), (0x4000_803c, 0), (0x4000_8030, 0)]
        {
            let _ = chip.write_memory(address, &u32::to_le_bytes(value));
        }
    }
}

/// What the surroundings and a debugger may do between two runs.
fn disturb(chip: &mut Rp2040, random: &mut Random) {
    match random.below(12) {
        0 => {
            let pin = random.below(30) as u8;
            chip.drive_pin(pin, random.of(&[None, Some(false), Some(true)]));
        }
        1 => {
            let bytes = random.bytes(random.clone().below(40) as usize);
            chip.send_console(random.of(&[Console::Uart0, Console::Uart1, Console::Usb]), &bytes);
        }
        2..=4 => {
            for _ in 0..random.below(40) {
                let address = if random.one_in(4) { random.address() } else { random.register() };
                let _ = chip.write_memory(address & !3, &random.value().to_le_bytes());
            }
        }
        5 => drop(chip.read_memory(random.address(), 64)),
        6 => {
            let snapshot = chip.snapshot().expect("everything outside can be copied");
            chip.run_until(Picoseconds::new(chip.now().ps() + 1_000_000));
            chip.restore(&snapshot);
        }
        7 => chip.core_mut(0).set_register(random.below(16) as usize, random.value()),
        // With a clock that stands nearly still an instruction takes seconds, in which much happens outside.
        8 if chip.core(0).sleep() == Sleep::Awake && chip.sys_hz() > 1_000_000 => drop(chip.step(0)),
        9 => drop(chip.take_edges()),
        _ => {}
    }
}
