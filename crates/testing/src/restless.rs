//! Surroundings that do what they like at any time: pins that answer pins (also for ever), bytes, events.

use mcu::{Outside, Reaction, SpiFrame};
use units::Picoseconds;

use crate::Random;

/// See the head of this file.
#[derive(Debug, Clone)]
pub struct Restless {
    random: Random,
    /// How many pins the chip has.
    pins: u8,
    next: Option<Picoseconds>,
    /// How often a pin still answers a change of another one, or of itself, with its own, at once.
    oscillations: u32,
}

impl Restless {
    /// Around a chip with so many pins.
    pub fn new(seed: u64, pins: u8) -> Self {
        let mut random = Random::new(seed);
        let oscillations = if random.one_in(3) { 100_000 } else { 0 };
        Self { random, pins, next: Some(Picoseconds::ZERO), oscillations }
    }

    fn react(&mut self, reactions: &mut Vec<Reaction>) {
        let reaction = match self.random.below(4) {
            0 => Reaction::UartByte { port: self.random.below(2) as u8, byte: self.random.any() as u8 },
            _ => Reaction::Pin {
                pin: self.random.below(self.pins.into()) as u8,
                level: self.random.of(&[None, Some(false), Some(true)]),
            },
        };
        reactions.push(reaction);
    }
}

impl Outside for Restless {
    fn pins_changed(&mut self, _: Picoseconds, _: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        if self.oscillations > 0 {
            self.oscillations -= 1;
            reactions.push(Reaction::Pin { pin: 3, level: Some(levels >> 3 & 1 == 0) });
        } else if self.random.one_in(3) {
            self.react(reactions);
        }
    }

    fn spi_frame(&mut self, _: Picoseconds, _: SpiFrame, reactions: &mut Vec<Reaction>) -> u16 {
        if self.random.one_in(8) {
            self.react(reactions);
        }
        self.random.any() as u16
    }

    fn uart_byte(&mut self, _: Picoseconds, port: u8, byte: u8, reactions: &mut Vec<Reaction>) {
        reactions.push(Reaction::UartByte { port: port ^ 1, byte });
    }

    fn i2c_start(&mut self, _: Picoseconds, _: u8, _: u16, _: bool) -> bool {
        !self.random.one_in(4)
    }

    fn i2c_write(&mut self, _: Picoseconds, _: u8, _: u8) -> bool {
        !self.random.one_in(8)
    }

    fn i2c_read(&mut self, _: Picoseconds, _: u8) -> u8 {
        self.random.any() as u8
    }

    fn adc_microvolts(&mut self, _: Picoseconds, _: u8) -> Option<i32> {
        (!self.random.one_in(4)).then(|| self.random.any() as i32)
    }

    fn memory_read(&mut self, _: Picoseconds, _: u32, _: u8, reactions: &mut Vec<Reaction>) -> Option<u32> {
        if self.random.one_in(8) {
            self.react(reactions);
        }
        (!self.random.one_in(4)).then(|| self.random.any() as u32)
    }

    fn memory_write(&mut self, _: Picoseconds, _: u32, _: u8, _: u32, reactions: &mut Vec<Reaction>) -> bool {
        if self.random.one_in(8) {
            self.react(reactions);
        }
        !self.random.one_in(4)
    }

    fn memory_peek(&self, address: u32, _: u8) -> Option<u32> {
        Some(address)
    }

    fn next_event(&self) -> Option<Picoseconds> {
        self.next
    }

    fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        let after = i64::from(1 + self.random.below(100_000_000));
        self.next = Some(Picoseconds::new(at.ps() + after));
        self.react(reactions);
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}
