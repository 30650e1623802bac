//! A core with its memory, for the tests of the ROM's functions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::call::{Flags, Outcome, RomCallContext, call};
use super::function::RomFunction;
use super::image::Rom;
use crate::flash::FlashChip;
use crate::io::Io;

/// What every bench begins with: building it takes longer than most tests.
static PARTS: LazyLock<(Rom, FlashChip)> = LazyLock::new(Default::default);

/// Bytes at addresses, ROM at 0, nothing at 0xf0000000 and above.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) rom: Rom,
    pub(super) regs: [u32; 13],
    pub(super) flags: Flags,
    pub(super) bytes: BTreeMap<u32, u8>,
    pub(super) words_written: Vec<(u32, u32)>,
    pub(super) flash: FlashChip,
    pub(super) io: Io,
    pub(super) faulted: bool,
}

impl Bench {
    pub(super) fn new() -> Self {
        let (rom, flash) = PARTS.clone();
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        Self {
            rom,
            regs: [0; 13],
            flags: Flags::default(),
            bytes: BTreeMap::new(),
            words_written: Vec::new(),
            flash,
            io,
            faulted: false,
        }
    }

    /// Calls a function, lets the time pass, until it is done; the cycles in all.
    pub(super) fn run(&mut self, function: RomFunction, arguments: &[u32]) -> u64 {
        self.regs[..arguments.len()].copy_from_slice(arguments);
        if matches!(
            function,
            RomFunction::MemoryCopy
                | RomFunction::MemoryCopyWords
                | RomFunction::MemorySet
                | RomFunction::MemorySetWords
        ) {
            self.regs[3] = self.regs[0];
        }
        let mut all = 0;
        loop {
            let (cycles, done) = match call(function, self) {
                Outcome::Done { cycles } => (cycles, true),
                Outcome::Again { cycles } => (cycles, false),
                other => panic!("{function:?} gave {other:?}"),
            };
            all += u64::from(cycles);
            let time = crate::frequencies::duration(self.io.clocks.sys_hz, u64::from(cycles));
            self.io.now = self.io.now + time.expect("the clock runs");
            if done {
                return all;
            }
        }
    }

    pub(super) fn put(&mut self, address: u32, bytes: &[u8]) {
        for (at, &byte) in bytes.iter().enumerate() {
            self.bytes.insert(address + at as u32, byte);
        }
    }

    pub(super) fn get(&self, address: u32, count: u32) -> Vec<u8> {
        (0..count).map(|at| self.byte(address + at)).collect()
    }

    fn byte(&self, address: u32) -> u8 {
        let rom = self.rom.bytes().get(address as usize).copied();
        self.bytes.get(&address).copied().or(rom).unwrap_or(0)
    }

    fn check(&mut self, address: u32, size: u32) {
        self.faulted |= address >= 0xf000_0000 || !address.is_multiple_of(size);
    }
}

impl RomCallContext for Bench {
    fn reg(&self, number: usize) -> u32 {
        self.regs[number]
    }

    fn set_reg(&mut self, number: usize, value: u32) {
        self.regs[number] = value;
    }

    fn set_flags(&mut self, flags: Flags) {
        self.flags = flags;
    }

    fn read8(&mut self, address: u32) -> u8 {
        self.check(address, 1);
        self.byte(address)
    }

    fn read16(&mut self, address: u32) -> u16 {
        self.check(address, 2);
        u16::from_le_bytes([self.byte(address), self.byte(address.wrapping_add(1))])
    }

    fn read32(&mut self, address: u32) -> u32 {
        self.check(address, 4);
        u32::from_le_bytes([0, 1, 2, 3].map(|at| self.byte(address.wrapping_add(at))))
    }

    fn write8(&mut self, address: u32, value: u8) {
        self.check(address, 1);
        self.bytes.insert(address, value);
    }

    fn write16(&mut self, address: u32, value: u16) {
        self.check(address, 2);
        self.put(address, &value.to_le_bytes());
    }

    fn write32(&mut self, address: u32, value: u32) {
        self.check(address, 4);
        self.words_written.push((address, value));
        self.put(address, &value.to_le_bytes());
    }

    fn faulted(&self) -> bool {
        self.faulted
    }

    fn flash(&mut self) -> &mut FlashChip {
        &mut self.flash
    }

    fn io(&mut self) -> &mut Io {
        &mut self.io
    }
}
