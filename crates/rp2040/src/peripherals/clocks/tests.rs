//! The clock tree through its registers. PLL settings are those of RP2040 datasheet 2.18.2.

mod pins;
mod resets;
mod ring;
mod sources;
mod tree;

use mcu::{Outside, Reaction};
use proptest::prelude::*;

use super::*;
use crate::lines::Irq;
use crate::pins::{Function, Overrides, Pad};

const CTRL: u32 = 0x00;
const XOSC_STATUS: u32 = 0x04;
const XOSC_STARTUP: u32 = 0x0c;
const STABLE: u32 = 1 << 31;
const ENABLE: u32 = 0xfab << 12 | 0xaa0;

const PLL_CS: u32 = 0x0;
const PLL_PWR: u32 = 0x4;
const PLL_FBDIV: u32 = 0x8;
const PLL_PRIM: u32 = 0xc;
const LOCK: u32 = 1 << 31;

const GPOUT0_CTRL: u32 = 0x00;
const REF_CTRL: u32 = 0x30;
const REF_SELECTED: u32 = 0x38;
const SYS_CTRL: u32 = 0x3c;
const SYS_DIV: u32 = 0x40;
const SYS_SELECTED: u32 = 0x44;
const PERI_CTRL: u32 = 0x48;
const USB_CTRL: u32 = 0x54;
const RTC_CTRL: u32 = 0x6c;
const RTC_DIV: u32 = 0x70;
const RESUS_CTRL: u32 = 0x78;
const FC0_INTERVAL: u32 = 0x90;
const FC0_SRC: u32 = 0x94;
const FC0_STATUS: u32 = 0x98;
const INTE: u32 = 0xbc;
const CLOCK_ENABLE: u32 = 1 << 11;
const SRC_AUX: u32 = 1;

struct Bench {
    tree: ClockTree,
    io: Io,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self { tree: ClockTree::new(12_000_000, 1), io: Io::default() };
        bench.tree.update(&mut bench.io);
        bench
    }

    fn read(&mut self, block: ClockBlock, offset: u32) -> u32 {
        self.tree.read(block, offset, &mut self.io)
    }

    fn write(&mut self, block: ClockBlock, offset: u32, value: u32) {
        self.tree.write(block, offset, value, &mut self.io);
    }

    fn clocks(&mut self, offset: u32, value: u32) {
        self.write(ClockBlock::Clocks, offset, value);
    }

    fn advance_ns(&mut self, ns: i64) {
        let end = self.io.now + Picoseconds::from_ns(ns);
        for _ in 0..10_000 {
            let Some(at) = self.io.due(Source::Clocks).filter(|&at| at <= end) else { break };
            self.io.now = at;
            self.io.cancel(Source::Clocks);
            self.tree.wake(&mut self.io);
        }
        self.io.now = end;
    }

    fn select(&mut self, pin: u8, function: Function) {
        self.io.pins.set_control(self.io.now, pin, function as u8, Overrides::default());
        self.tree.update(&mut self.io);
    }

    fn start_crystal(&mut self) {
        self.write(ClockBlock::Xosc, XOSC_STARTUP, 47);
        self.write(ClockBlock::Xosc, CTRL, ENABLE);
        self.advance_ns(1_100_000);
    }

    /// Powers a PLL up in the order of the datasheet's programmer's model.
    fn start_pll(&mut self, block: ClockBlock, refdiv: u32, fbdiv: u32, postdivs: (u32, u32)) {
        self.write(block, PLL_CS, refdiv);
        self.write(block, PLL_FBDIV, fbdiv);
        self.write(block, PLL_PWR, 0b1100);
        self.advance_ns(1_000_000);
        assert_eq!(self.read(block, PLL_CS) & LOCK, LOCK);
        self.write(block, PLL_PRIM, postdivs.0 << 16 | postdivs.1 << 12);
        self.write(block, PLL_PWR, 0b0100);
    }
}
