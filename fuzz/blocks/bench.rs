//! A chip whose core does one load or store after the other, as it is told, and counts in a loop while time passes.

use mcu::Stop;
use mcu::image::{LoadOptions, RawBinary};
use rp2040::chip::{Rp2040, Setup};
use units::Picoseconds;

const RAM: u32 = 0x2000_0000;
const LOAD: u32 = RAM + 0xC0;
const STORE: u32 = RAM + 0xC4;
const STACK: u32 = 0x2004_0000;
const RESETS_SET: u32 = 0x4000_E000;
const RESETS_CLEAR: u32 = 0x4000_F000;
const CLK_PERI_CTRL: u32 = 0x4000_8048;
const IO_BANK0: u32 = 0x4001_4000;
const PADS_BANK0: u32 = 0x4001_C004;
/// All blocks but the PLLs, which nobody turns on (RP2040 datasheet 2.14.3).
const BLOCKS: u32 = 0x00FF_CFFF;
/// Stops of one wait at the most: the chip cannot go on more often in no time.
const MOST_STOPS: u32 = 100_000;

pub struct Bench {
    pub chip: Rp2040,
}

impl Bench {
    pub fn new() -> Self {
        let setup = Setup { flash_bytes: 1 << 16, usb_connected: false, ..Setup::default() };
        let mut chip = Rp2040::new(&setup).expect("a chip");
        chip.load(&image()).expect("it fits into RAM");
        let mut bench = Self { chip };
        bench.wait(Picoseconds::from_ns(100_000));
        bench.store(RESETS_CLEAR, BLOCKS);
        bench.store(CLK_PERI_CTRL, 1 << 11);
        bench
    }

    /// Gives a pin to a function (RP2040 datasheet 2.19.2), pulled up.
    pub fn give_pin(&mut self, pin: u8, function: u32) {
        self.store(IO_BANK0 + 8 * u32::from(pin) + 4, function);
        self.store(PADS_BANK0 + 4 * u32::from(pin), 0x4A);
    }

    /// Resets blocks, a bit each (RP2040 datasheet 2.14.3).
    pub fn reset(&mut self, blocks: u32) {
        self.store(RESETS_SET, blocks);
        self.store(RESETS_CLEAR, blocks);
    }

    fn execute(&mut self, at: u32, address: u32, value: u32) {
        let before = self.chip.now();
        self.chip.core_mut(0).set_register(6, address);
        self.chip.core_mut(0).set_register(7, value);
        self.chip.set_program_counter(0, at);
        let stop = self.chip.step(0);
        assert!(matches!(stop, Stop::Time | Stop::AwaitsLine), "{stop:?} at {address:#x}");
        assert!(self.chip.now() >= before, "time goes back from {before}");
    }

    pub fn store(&mut self, address: u32, value: u32) {
        self.execute(STORE, address, value);
    }

    pub fn load(&mut self, address: u32) -> u32 {
        self.execute(LOAD, address, 0);
        self.chip.core(0).registers()[7]
    }

    /// Lets time pass, or as much of it as the chip can know of; whether all did.
    pub fn wait(&mut self, time: Picoseconds) -> bool {
        let end = self.chip.now() + time;
        for _ in 0..MOST_STOPS {
            match self.chip.run_until(end) {
                Stop::AwaitsLine => return false,
                Stop::Time if self.chip.now() >= end => return true,
                Stop::Time => {}
                stop => panic!("nobody asked for {stop:?}"),
            }
        }
        panic!("time stands still at {}", self.chip.now());
    }

    /// What registers and pins show, without a side effect.
    pub fn shows(&self, registers: impl Iterator<Item = u32>) -> Vec<u32> {
        let words = registers.map(|address| self.chip.read_word(address).unwrap_or(0));
        words.chain([self.chip.pins().levels()]).collect()
    }

    /// Time passes twice from here; both times the chip shows the same.
    pub fn repeats(&mut self, time: Picoseconds, registers: &[u32]) {
        let Some(snapshot) = self.chip.snapshot() else { return };
        self.wait(time);
        let first = (self.chip.now(), self.shows(registers.iter().copied()));
        self.chip.restore(&snapshot);
        self.wait(time);
        assert_eq!((self.chip.now(), self.shows(registers.iter().copied())), first, "a state is repeated");
    }
}

/// `ldr r7, [r6]; b .` and `str r7, [r6]; b .` behind a vector table, in RAM.
fn image() -> mcu::image::Image {
    let mut bytes = vec![0; 0xC0];
    bytes[..4].copy_from_slice(&STACK.to_le_bytes());
    for vector in 1..48 {
        bytes[4 * vector..4 * vector + 4].copy_from_slice(&((LOAD + 2) | 1).to_le_bytes());
    }
    for code in [0x6837_u16, 0xE7FE, 0x6037, 0xE7FE] {
        bytes.extend(code.to_le_bytes());
    }
    rp2040::load_image(&bytes, "blocks", &LoadOptions { raw_binary: RawBinary::Ram }).expect("an image")
}
