//! Function 1: a window of 32 KB into the chip's address space, and the registers that set it. Behind it are memory, cores and
//! what the drivers of boards read and write there; what else is written stays there and does nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use crate::bluetooth::Bluetooth;
use crate::clock::Clocks;
use crate::memory::{Memory, RAM_BYTES};

/// Of 17 bits of address, those of the function's own registers.
const OWN_REGISTERS: u32 = 0x1_0000;
const WINDOW_MASK: u32 = 0x7fff;
const CHIP_COMMON: u32 = 0x1800_0000;
/// The low half of ChipCommon's first word on a CYW43439.
const CHIP_ID: u32 = 43439;
const GPIO_OUT: u32 = CHIP_COMMON + 0x64;
const GPIO_OUT_ENABLE: u32 = CHIP_COMMON + 0x68;
const SDIO_STATUS: u32 = 0x1800_2020;
/// Wrappers of the processor and of its memory.
const WRAPPERS: [u32; 2] = [0x1810_3000, 0x1810_4000];
const IO_CONTROL: u32 = 0x408;
const RESET_CONTROL: u32 = 0x800;
const CLOCK: u32 = 1;
const FORCE_CLOCK: u32 = 1 << 1;
const HALT: u32 = 1 << 5;
const IN_RESET: u32 = 1;

/// What a write brought about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consequence {
    None,
    /// The processor was released, or was stopped.
    Runs(bool),
    /// A frame that is being read is given up.
    Abort,
}

/// The backplane.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Backplane {
    pub(crate) memory: Memory,
    pub(crate) clocks: Clocks,
    pub(crate) bluetooth: Bluetooth,
    window: u32,
    own: BTreeMap<u32, u8>,
    words: BTreeMap<u32, u32>,
    control: [u32; 2],
    reset: [u32; 2],
    runs: bool,
}

impl Backplane {
    /// As it is when power comes.
    pub(crate) fn powered() -> Self {
        Self { reset: [IN_RESET; 2], ..Self::default() }
    }

    /// The chip's own outputs: levels of those pins that are outputs.
    pub(crate) fn gpio(&self) -> u32 {
        let word = |address| self.words.get(&address).copied().unwrap_or(0);
        word(GPIO_OUT) & word(GPIO_OUT_ENABLE)
    }

    /// The firmware moves its outputs by the same registers.
    pub(crate) fn set_gpio(&mut self, mask: u32, values: u32) {
        *self.words.entry(GPIO_OUT_ENABLE).or_default() |= mask;
        let out = self.words.entry(GPIO_OUT).or_default();
        *out = *out & !mask | values & mask;
    }

    /// Four bytes from an address of the function on.
    pub(crate) fn read(&self, at: Picoseconds, address: u32) -> u32 {
        if address >= OWN_REGISTERS {
            let bytes = [0, 1, 2, 3].map(|n| self.own_register(at, address + n));
            return u32::from_le_bytes(bytes);
        }
        let address = self.window | address & WINDOW_MASK;
        let (low, high) = (self.word(at, address & !3), self.word(at, (address & !3).wrapping_add(4)));
        ((u64::from(high) << 32 | u64::from(low)) >> (8 * (address & 3))) as u32
    }

    pub(crate) fn write(&mut self, at: Picoseconds, address: u32, bytes: u32, value: u32) -> Consequence {
        if address >= OWN_REGISTERS {
            let written = (0..bytes).zip(value.to_le_bytes());
            let all = written.map(|(n, byte)| self.set_own_register(at, address + n, byte));
            return all.fold(Consequence::None, |all, one| if one == Consequence::None { all } else { one });
        }
        let address = self.window | address & WINDOW_MASK;
        if address < RAM_BYTES {
            self.memory.write(address, bytes, value);
            return Consequence::None;
        }
        let shift = 8 * (address & 3);
        let mask = ((1u64 << (8 * bytes)) - 1) as u32;
        let word = address & !3;
        let before = if word == SDIO_STATUS { 0 } else { self.word(at, word) };
        self.set_word(at, word, before & !(mask << shift) | (value & mask) << shift)
    }

    fn own_register(&self, at: Picoseconds, address: u32) -> u8 {
        match address {
            0x1_000a => (self.window >> 8) as u8,
            0x1_000b => (self.window >> 16) as u8,
            0x1_000c => (self.window >> 24) as u8,
            0x1_000e => self.clocks.register(at),
            0x1_001f => self.clocks.sleep_register(),
            _ => self.own.get(&address).copied().unwrap_or(0),
        }
    }

    fn set_own_register(&mut self, at: Picoseconds, address: u32, byte: u8) -> Consequence {
        let value = u32::from(byte);
        match address {
            0x1_000a => self.window = self.window & !0xff00 | value << 8 & 0x8000,
            0x1_000b => self.window = self.window & !0xff_0000 | value << 16,
            0x1_000c => self.window = self.window & !0xff00_0000 | value << 24,
            0x1_000d if value & 1 != 0 => return Consequence::Abort,
            0x1_000e => self.clocks.ask(at, byte),
            0x1_001f => self.clocks.keep_on(at, byte),
            _ => drop(self.own.insert(address, byte)),
        }
        Consequence::None
    }

    fn word(&self, at: Picoseconds, address: u32) -> u32 {
        if let Some((core, register)) = wrapper(address) {
            return match register {
                IO_CONTROL => self.control[core],
                RESET_CONTROL => self.reset[core],
                _ => 0,
            };
        }
        match address {
            0..RAM_BYTES => self.memory.word(address),
            CHIP_COMMON => CHIP_ID,
            _ => self
                .bluetooth
                .word(at, address)
                .unwrap_or_else(|| self.words.get(&address).copied().unwrap_or(0)),
        }
    }

    fn set_word(&mut self, at: Picoseconds, address: u32, value: u32) -> Consequence {
        if let Some((core, register)) = wrapper(address) {
            match register {
                IO_CONTROL => self.control[core] = value,
                RESET_CONTROL => self.reset[core] = value & IN_RESET,
                _ => {}
            }
            return self.look_at_processor();
        }
        if address == SDIO_STATUS {
            // What is set is cleared.
            *self.words.entry(address).or_default() &= !value;
        } else if !self.bluetooth.set_word(at, address, value) {
            self.words.insert(address, value);
        }
        Consequence::None
    }

    fn look_at_processor(&mut self) -> Consequence {
        let runs = self.reset[0] & IN_RESET == 0 && self.control[0] & (CLOCK | FORCE_CLOCK | HALT) == CLOCK;
        match std::mem::replace(&mut self.runs, runs) != runs {
            true => Consequence::Runs(runs),
            false => Consequence::None,
        }
    }
}

fn wrapper(address: u32) -> Option<(usize, u32)> {
    let core = WRAPPERS.iter().position(|base| address & !0xfff == *base)?;
    Some((core, address & 0xfff))
}
