//! I2C on bare pins: software that moves SDA and SCL itself (as MicroPython does for transfers of up to two bytes) reaches the
//! devices of the port whose pins it uses. The chip's own controllers speak in bytes and do not come here.
//!
//! Leaves out addresses of 10 bits and clock stretching.

use mcu::{Facts, Outside, Reaction};
use units::Picoseconds;

/// What the wires are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Until a start, nobody here is meant.
    Idle,
    /// Bits come from the controller: an address, or data.
    Receiving { address: bool },
    /// The device holds SDA low for a clock; then it sends, or receives on.
    Acknowledging { sends: bool },
    /// Bits of a byte go to the controller.
    Sending,
    /// The controller says whether it wants another byte.
    AwaitingAcknowledge { acknowledged: bool },
}

/// A pair of pins on which a port's devices listen.
#[derive(Debug, Clone)]
pub(super) struct I2cWires {
    port: u8,
    sda: u8,
    phase: Phase,
    byte: u8,
    bits: u8,
}

impl I2cWires {
    /// Every pair of pins that a port may have.
    pub(super) fn of_port(facts: &Facts, port: u8) -> Vec<Self> {
        let pairs = (0..facts.gpio_count).filter(|&sda| (facts.i2c_data)(sda) == Some(port & 1));
        pairs.map(|sda| Self { port, sda, phase: Phase::Idle, byte: 0, bits: 0 }).collect()
    }

    /// The pins at which it listens, a bit each.
    pub(super) fn pins(&self) -> u32 {
        0b11 << self.sda
    }

    /// Pins changed their level; `devices` hears what that means.
    pub(super) fn changed(
        &mut self,
        at: Picoseconds,
        changed: u32,
        levels: u32,
        devices: &mut dyn Outside,
        reactions: &mut Vec<Reaction>,
    ) {
        let (sda, scl) = (levels >> self.sda & 1 == 1, levels >> (self.sda + 1) & 1 == 1);
        match changed >> self.sda & 0b11 {
            0b01 if scl => self.condition(at, !sda, devices, reactions),
            0b10 if scl => self.clock_rises(sda),
            0b10 => self.clock_falls(at, devices, reactions),
            _ => {}
        }
    }

    /// SDA moves while SCL is high: a start, or a stop.
    fn condition(
        &mut self,
        at: Picoseconds,
        start: bool,
        devices: &mut dyn Outside,
        reactions: &mut Vec<Reaction>,
    ) {
        if start {
            self.receive(true);
        } else if self.phase != Phase::Idle {
            self.phase = Phase::Idle;
            self.hold(false, reactions);
            devices.i2c_stop(at, self.port);
        }
    }

    fn clock_rises(&mut self, sda: bool) {
        match &mut self.phase {
            Phase::Receiving { .. } => {
                self.byte = self.byte << 1 | u8::from(sda);
                self.bits += 1;
            }
            Phase::Sending => self.bits += 1,
            Phase::AwaitingAcknowledge { acknowledged } => *acknowledged = !sda,
            Phase::Idle | Phase::Acknowledging { .. } => {}
        }
    }

    fn clock_falls(&mut self, at: Picoseconds, devices: &mut dyn Outside, reactions: &mut Vec<Reaction>) {
        match self.phase {
            Phase::Receiving { address } if self.bits == 8 => {
                let sends = address && self.byte & 1 == 1;
                let heard = if address {
                    devices.i2c_start(at, self.port, u16::from(self.byte >> 1), sends)
                } else {
                    devices.i2c_write(at, self.port, self.byte)
                };
                self.phase = if heard { Phase::Acknowledging { sends } } else { Phase::Idle };
                self.hold(heard, reactions);
            }
            Phase::Acknowledging { sends: false } => {
                self.hold(false, reactions);
                self.receive(false);
            }
            Phase::Acknowledging { sends: true } | Phase::AwaitingAcknowledge { acknowledged: true } => {
                self.byte = devices.i2c_read(at, self.port);
                self.bits = 0;
                self.phase = Phase::Sending;
                self.show_bit(reactions);
            }
            Phase::Sending if self.bits == 8 => {
                self.hold(false, reactions);
                self.phase = Phase::AwaitingAcknowledge { acknowledged: false };
            }
            Phase::Sending => self.show_bit(reactions),
            Phase::AwaitingAcknowledge { acknowledged: false } => self.phase = Phase::Idle,
            Phase::Idle | Phase::Receiving { .. } => {}
        }
    }

    fn receive(&mut self, address: bool) {
        (self.byte, self.bits) = (0, 0);
        self.phase = Phase::Receiving { address };
    }

    fn show_bit(&self, reactions: &mut Vec<Reaction>) {
        self.hold(self.byte >> (7 - self.bits) & 1 == 0, reactions);
    }

    /// Holds SDA low, or lets go of it: then the pull-up wins.
    fn hold(&self, low: bool, reactions: &mut Vec<Reaction>) {
        reactions.push(Reaction::Pin { pin: self.sda, level: low.then_some(false) });
    }
}

#[cfg(test)]
mod tests {
    use crate::mcus::MCUS;
    use mcu::Outside;

    use super::super::Parts;
    use super::super::eeprom::Eeprom;
    use super::*;

    const SDA: u8 = 6;
    const SCL: u8 = 7;
    const ADDRESS: u8 = 0x50;

    /// A controller in software on GP6 and GP7, with pull-ups.
    struct Wires {
        parts: Parts,
        /// What this end and the other one let go of.
        released: [bool; 2],
        scl: bool,
        levels: u32,
        now: Picoseconds,
    }

    impl Wires {
        fn new() -> Self {
            let mut parts = Parts::around(MCUS[0].facts);
            let eeprom = Eeprom::new(ADDRESS, 256, 16, Picoseconds::ZERO);
            parts.connect_i2c(1, Box::new(eeprom));
            Self { parts, released: [true; 2], scl: true, levels: u32::MAX, now: Picoseconds::ZERO }
        }

        fn settle(&mut self) {
            loop {
                let sda = self.released[0] && self.released[1];
                let levels = !(1 << SDA | 1 << SCL) | u32::from(sda) << SDA | u32::from(self.scl) << SCL;
                let changed = levels ^ self.levels;
                if changed == 0 {
                    return;
                }
                self.levels = levels;
                self.now = self.now + Picoseconds::from_ns(2500);
                let mut reactions = Vec::new();
                self.parts.pins_changed(self.now, changed, levels, &mut reactions);
                for reaction in reactions {
                    assert!(matches!(reaction, Reaction::Pin { pin: SDA, level: None | Some(false) }));
                    self.released[1] = reaction == Reaction::Pin { pin: SDA, level: None };
                }
            }
        }

        fn sda(&mut self, released: bool) -> bool {
            self.released[0] = released;
            self.settle();
            self.levels >> SDA & 1 == 1
        }

        fn clock(&mut self, high: bool) {
            self.scl = high;
            self.settle();
        }

        fn start(&mut self) {
            self.sda(true);
            self.clock(true);
            self.sda(false);
            self.clock(false);
        }

        fn stop(&mut self) {
            self.sda(false);
            self.clock(true);
            self.sda(true);
        }

        fn bit(&mut self, bit: bool) -> bool {
            self.sda(bit);
            self.clock(true);
            let seen = self.levels >> SDA & 1 == 1;
            self.clock(false);
            seen
        }

        /// Whether it was acknowledged.
        fn write(&mut self, byte: u8) -> bool {
            for bit in (0..8).rev() {
                self.bit(byte >> bit & 1 == 1);
            }
            !self.bit(true)
        }

        fn read(&mut self, another: bool) -> u8 {
            let byte = (0..8).fold(0, |byte, _| byte << 1 | u8::from(self.bit(true)));
            self.bit(!another);
            byte
        }
    }

    #[test]
    fn bytes_that_software_clocks_into_an_eeprom_come_out_again() {
        let mut wires = Wires::new();
        wires.start();
        assert!(wires.write(ADDRESS << 1));
        assert!([0x20, 0xa5, 0x00, 0x7e].into_iter().all(|byte| wires.write(byte)));
        wires.stop();
        wires.start();
        assert!(wires.write(ADDRESS << 1) && wires.write(0x20));
        wires.start();
        assert!(wires.write(ADDRESS << 1 | 1));
        assert_eq!([wires.read(true), wires.read(true), wires.read(false)], [0xa5, 0x00, 0x7e]);
        wires.stop();
        assert_eq!(wires.released, [true; 2]);
    }

    #[test]
    fn only_the_address_of_a_device_is_acknowledged() {
        let mut wires = Wires::new();
        let found: Vec<u8> = (8..0x78)
            .filter(|&address| {
                wires.start();
                let there = wires.write(address << 1);
                wires.stop();
                there
            })
            .collect();
        assert_eq!(found, [ADDRESS]);
    }

    #[test]
    fn pins_of_the_other_port_are_not_listened_to() {
        assert_eq!(
            I2cWires::of_port(MCUS[0].facts, 0).iter().map(|wires| wires.sda).collect::<Vec<_>>(),
            [0, 4, 8, 12, 16, 20, 24, 28]
        );
        assert_eq!(
            I2cWires::of_port(MCUS[0].facts, 1).iter().map(|wires| wires.sda).collect::<Vec<_>>(),
            [2, 6, 10, 14, 18, 22, 26]
        );
    }
}
