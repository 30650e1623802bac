//! The TWI as controller (ATmega328P datasheet, "2-wire Serial Interface"): start, address, bytes and stop with their status
//! codes, each in the time of its bits on SCL.
//!
//! Left out: being addressed, arbitration, and the levels of SDA and SCL.

use super::{NEVER, has};

const TWINT: u8 = 1 << 7;
const TWEA: u8 = 6;
const TWSTA: u8 = 5;
const TWSTO: u8 = 4;
const TWWC: u8 = 3;
const TWEN: u8 = 2;
const TWIE: u8 = 0;
/// Bits of a byte with its acknowledge.
const BYTE_BITS: u64 = 9;
/// No state to speak of.
const IDLE: u8 = 0xf8;

/// What goes on on the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Step {
    Start,
    /// The address with its direction.
    Address(u8),
    Write(u8),
    /// Whether another byte is wanted.
    Read(bool),
    Stop,
}

/// The TWI.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Twi {
    rate: u8,
    prescaler: u8,
    status: u8,
    address: [u8; 2],
    data: u8,
    control: u8,
    step: Option<Step>,
    ends: u64,
    is_started: bool,
}

impl Twi {
    pub(crate) fn new() -> Self {
        Self {
            rate: 0,
            prescaler: 0,
            status: IDLE,
            address: [0xfe, 0],
            data: 0xff,
            control: 0,
            step: None,
            ends: NEVER,
            is_started: false,
        }
    }

    /// Time in which its clock stood still.
    pub(crate) fn stand_still(&mut self, cycles: u64) {
        self.ends = self.ends.saturating_add(cycles);
    }

    pub(crate) fn next(&self) -> u64 {
        self.ends
    }

    pub(crate) fn interrupts(&self) -> bool {
        self.control & TWINT != 0 && has(self.control, TWIE)
    }

    fn bit_cycles(&self) -> u64 {
        16 + 2 * u64::from(self.rate) * (1 << (2 * (self.prescaler & 3)))
    }

    /// The step that ends by a cycle.
    pub(crate) fn ending(&self, cycle: u64) -> Option<Step> {
        self.step.filter(|_| self.ends <= cycle)
    }

    /// A step ends: whether the device acknowledged, and what it sent.
    pub(crate) fn end(&mut self, acknowledged: bool, received: u8) {
        let Some(step) = self.step.take() else { return };
        let at = std::mem::replace(&mut self.ends, NEVER);
        self.status = match step {
            Step::Start => {
                if self.is_started {
                    0x10
                } else {
                    0x08
                }
            }
            Step::Address(byte) if byte & 1 == 0 => {
                if acknowledged {
                    0x18
                } else {
                    0x20
                }
            }
            Step::Address(_) => {
                if acknowledged {
                    0x40
                } else {
                    0x48
                }
            }
            Step::Write(_) => {
                if acknowledged {
                    0x28
                } else {
                    0x30
                }
            }
            Step::Read(more) => {
                self.data = received;
                if more { 0x50 } else { 0x58 }
            }
            Step::Stop => {
                self.control &= !(1 << TWSTO);
                self.is_started = false;
                self.status = IDLE;
                // Both at once are a stop and then a start (status codes of the transmitter, datasheet).
                if has(self.control, TWSTA) {
                    (self.step, self.ends) = (Some(Step::Start), at + self.bit_cycles());
                }
                return;
            }
        };
        self.is_started = true;
        self.control |= TWINT;
    }

    pub(crate) fn read(&self, register: u8) -> u8 {
        match register {
            0 => self.rate,
            1 => self.status | self.prescaler,
            2 => self.address[0],
            3 => self.data,
            4 => self.control,
            _ => self.address[1],
        }
    }

    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) {
        match register {
            0 => self.rate = value,
            1 => self.prescaler = value & 3,
            2 => self.address[0] = value,
            3 => self.write_data(value),
            4 => self.control(value, cycle),
            _ => self.address[1] = value,
        }
    }

    /// Only while TWINT is set; else it is a collision.
    fn write_data(&mut self, value: u8) {
        if self.control & TWINT == 0 {
            self.control |= 1 << TWWC;
        } else {
            self.data = value;
            self.control &= !(1 << TWWC);
        }
    }

    /// Writing one to TWINT clears it and begins the next step.
    fn control(&mut self, value: u8, cycle: u64) {
        let kept = if value & TWINT != 0 { 0 } else { TWINT };
        let shown = self.control & (kept | 1 << TWWC);
        self.control = value & !(TWINT | 1 << TWWC) | shown;
        if !has(value, TWEN) {
            (self.step, self.ends, self.is_started, self.status) = (None, NEVER, false, IDLE);
            return;
        }
        if value & TWINT == 0 || self.step.is_some() {
            return;
        }
        let (step, bits) = if has(value, TWSTO) {
            (Step::Stop, 1)
        } else if has(value, TWSTA) {
            (Step::Start, 1)
        } else {
            match self.status {
                0x08 | 0x10 => (Step::Address(self.data), BYTE_BITS),
                0x18 | 0x28 | 0x20 | 0x30 => (Step::Write(self.data), BYTE_BITS),
                0x40 | 0x50 => (Step::Read(has(value, TWEA)), BYTE_BITS),
                _ => return,
            }
        };
        self.step = Some(step);
        self.ends = cycle + 1 + bits * self.bit_cycles();
    }
}
