//! I2C0 and I2C1 on one bus under any writes to their registers, while somebody else pulls at SDA and SCL now and then. Either may
//! be controller or target. FIFOs hold what they can at most, a kept state is repeated, and after a reset both are as new:
//! the bus is free, and a byte gets from one to the other.

use units::Picoseconds;

use super::bench::Bench;
use super::input::Input;

const I2C: [u32; 2] = [0x4004_4000, 0x4004_8000];
const RESETS: u32 = 1 << 3 | 1 << 4;
/// SDA and SCL of I2C0, then of I2C1; wired together.
const PINS: [u8; 4] = [4, 5, 6, 7];
const FUNCTION: u32 = 3;
/// RP2040 datasheet 4.3.17: from IC_CON to IC_CLR_RESTART_DET.
const LAST_REGISTER: u32 = 0xA8;
const CON: u32 = 0x00;
const TAR: u32 = 0x04;
const SAR: u32 = 0x08;
const DATA_CMD: u32 = 0x10;
const FS_HCNT: u32 = 0x1C;
const FS_LCNT: u32 = 0x20;
const ENABLE: u32 = 0x6C;
const TXFLR: u32 = 0x74;
const RXFLR: u32 = 0x78;
const DEPTH: u32 = 16;
const TARGET: u32 = 0x17;

/// The first byte says which of the two is which, then things happen.
pub fn i2c_target(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut bus = Bus::new(input.byte());
    while !input.is_over() {
        bus.happening(&mut input);
        bus.check_fifos();
    }
    bus.check_reset();
    Ok(())
}

struct Bus {
    bench: Bench,
    registers: Vec<u32>,
}

impl Bus {
    fn new(choice: u8) -> Self {
        let mut bench = Bench::new();
        for pin in PINS {
            bench.give_pin(pin, FUNCTION);
        }
        bench.chip.wire_pins(PINS[0], PINS[2]);
        bench.chip.wire_pins(PINS[1], PINS[3]);
        bench.chip.record_pins(1 << PINS[0] | 1 << PINS[1]);
        let registers = I2C.iter().flat_map(|base| (0..=LAST_REGISTER).step_by(4).map(move |at| base + at));
        let mut bus = Self { bench, registers: registers.collect() };
        if choice & 2 == 0 {
            bus.set_up(usize::from(choice & 1));
        }
        bus
    }

    /// One as controller and the other as target, fast, with the least times.
    fn set_up(&mut self, controller: usize) {
        for (port, con) in [(controller, 0x165), (1 - controller, 0x104)] {
            self.write(port, ENABLE, 0);
            for (offset, value) in [(CON, con), (TAR, TARGET), (SAR, TARGET), (FS_HCNT, 20), (FS_LCNT, 30)] {
                self.write(port, offset, value);
            }
            self.write(port, ENABLE, 1);
        }
    }

    fn write(&mut self, port: usize, offset: u32, value: u32) {
        self.bench.store(I2C[port] + offset, value);
    }

    fn read(&mut self, port: usize, offset: u32) -> u32 {
        self.bench.load(I2C[port] + offset)
    }

    fn happening(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        let port = usize::from(what & 1);
        match what {
            0x00..=0x5F => {
                let command = u32::from(input.word()) & 0xFFF;
                self.write(port, DATA_CMD, command);
            }
            0x60..=0x7F => {
                let offset = 4 * (u32::from(input.byte()) % (LAST_REGISTER / 4 + 1));
                let value = if what & 2 == 0 { u32::from(input.byte()) } else { input.long() };
                self.write(port, offset, value);
            }
            0x80..=0x9F => {
                self.read(port, DATA_CMD);
            }
            0xA0..=0xAF => {
                let offset = 4 * (u32::from(input.byte()) % (LAST_REGISTER / 4 + 1));
                self.read(port, offset);
            }
            0xB0..=0xD7 => {
                self.bench.wait(Picoseconds::from_ns(1 << ((what - 0xB0) % 20)));
            }
            0xD8..=0xE7 => {
                let level = [None, None, Some(false), Some(true)][usize::from(what >> 1 & 3)];
                self.bench.chip.drive_pin(PINS[port], level);
            }
            0xE8..=0xEB => self.bench.reset([1 << 3, 1 << 4, RESETS, 0][usize::from(what & 3)]),
            0xEC..=0xEF => self.set_up(port),
            0xF0..=0xF7 => {
                let registers = self.registers.clone();
                self.bench.repeats(Picoseconds::from_ns(50_000), &registers);
            }
            _ => self.check_edges(),
        }
    }

    fn check_edges(&mut self) {
        let edges = self.bench.chip.take_edges();
        assert!(edges.is_sorted_by_key(|edge| edge.at), "edges come in their order");
    }

    fn check_fifos(&mut self) {
        let levels = I2C.iter().flat_map(|base| [base + TXFLR, base + RXFLR]);
        let shows = self.bench.shows(levels);
        assert!(shows[..4].iter().all(|&level| level <= DEPTH), "{shows:x?}");
    }

    fn check_reset(&mut self) {
        for pin in [PINS[0], PINS[1]] {
            self.bench.chip.drive_pin(pin, None);
        }
        self.bench.reset(RESETS);
        self.bench.wait(Picoseconds::from_ns(1_000));
        let levels = self.bench.chip.pins().levels();
        assert_eq!(levels >> PINS[0] & 3, 3, "both lines are free");
        self.set_up(0);
        self.write(0, DATA_CMD, 0x2A5);
        self.bench.wait(Picoseconds::from_ns(10_000_000));
        let received = (self.read(1, RXFLR), self.read(1, DATA_CMD) & 0xFF);
        assert_eq!(received, (1, 0xA5), "a byte reaches the target");
    }
}
