//! The DMA controller against the datasheet (RP2040 datasheet 2.5), through its registers and the bus's side of it.

mod batches;
mod chains;
mod channels;
mod endings;
mod hostile;
mod pacing;
mod sniffer;
mod timing;

use units::Picoseconds;

use super::schedule::LATENCY_CYCLES;
use super::{BusError, Dma, Transfer};
use crate::io::Io;
use crate::lines::Dreq;
use crate::peripherals::{Peripheral, Source};

const EN: u32 = 1;
const HIGH: u32 = 2;
const HALF: u32 = 1 << 2;
const WORD: u32 = 2 << 2;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
const RING_WRITE: u32 = 1 << 10;
const UNPACED: u32 = 0x3f << 15;
const QUIET: u32 = 1 << 21;
const BSWAP: u32 = 1 << 22;
const SNIFF: u32 = 1 << 23;
const BUSY: u32 = 1 << 24;
const COPY: u32 = EN | INCR_READ | INCR_WRITE | UNPACED;

const READ: u32 = 0x0;
const WRITE: u32 = 0x4;
const COUNT: u32 = 0x8;
const CTRL_TRIG: u32 = 0xc;
const AL1_CTRL: u32 = 0x10;
const AL1_COUNT_TRIG: u32 = 0x1c;
const AL2_WRITE_TRIG: u32 = 0x2c;
const AL3_COUNT: u32 = 0x38;
const AL3_READ_TRIG: u32 = 0x3c;
const INTR: u32 = 0x400;
const INTE0: u32 = 0x404;
const INTF0: u32 = 0x408;
const INTS0: u32 = 0x40c;
const INTE1: u32 = 0x414;
const INTS1: u32 = 0x41c;
const TIMER0: u32 = 0x420;
const MULTI_CHAN_TRIGGER: u32 = 0x430;
const SNIFF_CTRL: u32 = 0x434;
const SNIFF_DATA: u32 = 0x438;
const CHAN_ABORT: u32 = 0x444;
const N_CHANNELS: u32 = 0x448;
const DBG_CTDREQ: u32 = 0x800;
const DBG_TCR: u32 = 0x804;

const DMA_BASE: u32 = 0x5000_0000;
/// A FIFO that asks with a request; each write fills it by one.
const FIFO: u32 = 0x4003_c008;
const FAULTY: u32 = 0x7000_0000;
const CYCLE_PS: i64 = 8_000;

fn chain_to(channel: u32) -> u32 {
    channel << 11
}

fn treq(request: u8) -> u32 {
    u32::from(request) << 15
}

fn ring(bits: u32) -> u32 {
    bits << 6
}

fn channel(index: u32) -> u32 {
    index * 0x40
}

/// The controller with 4 KiB of memory at 0 and a FIFO, moved by hand as the bus does.
#[derive(Debug)]
struct Machine {
    dma: Dma,
    io: Io,
    memory: Vec<u8>,
    fifo: Vec<u32>,
    fifo_room: usize,
    fifo_request: Dreq,
    moves: Vec<(i64, Transfer)>,
}

impl Machine {
    fn new() -> Self {
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        Self {
            dma: Dma::new(),
            io,
            memory: (0..4096u32).map(|i| (i * 7 + (i >> 8)) as u8).collect(),
            fifo: Vec::new(),
            fifo_room: 0,
            fifo_request: Dreq::SPI0_TX,
            moves: Vec::new(),
        }
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.dma.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        let value = self.dma.read(offset, &mut self.io);
        assert_eq!(value, self.dma.peek(offset, &self.io));
        value
    }

    fn set_up(&mut self, index: u32, read: u32, write: u32, count: u32, control: u32) {
        let base = channel(index);
        self.write(base + READ, read);
        self.write(base + WRITE, write);
        self.write(base + COUNT, count);
        // Alias 1 does not start it. Without a chain a channel names itself.
        let own = if control >> 11 & 0xf == 0 && index != 0 { chain_to(index) } else { 0 };
        self.write(base + AL1_CTRL, control | own);
    }

    fn start(&mut self, index: u32, read: u32, write: u32, count: u32, control: u32) {
        self.set_up(index, read, write, count, control);
        self.write(MULTI_CHAN_TRIGGER, 1 << index);
    }

    fn load(&self, address: u32, bytes: u8) -> Option<u32> {
        let at = address as usize;
        let bytes = self.memory.get(at..at + usize::from(bytes))?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn store(&mut self, address: u32, bytes: u8, value: u32) -> Option<()> {
        let at = address as usize;
        let bytes = usize::from(bytes);
        if address == FIFO {
            self.fifo.push(value);
            self.fifo_room = self.fifo_room.saturating_sub(1);
            self.io.lines.set_dreq(self.fifo_request, self.fifo_room > 0);
        } else if address & 0xffff_f000 == DMA_BASE {
            self.dma.write(address & 0xfff, value, &mut self.io);
        } else {
            self.memory.get_mut(at..at + bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        Some(())
    }

    /// One transfer, or nothing when none was due after all.
    fn step(&mut self) -> bool {
        let Some(at) = self.io.due(Source::Dma) else { return false };
        self.io.now = at;
        self.io.cancel(Source::Dma);
        let Some(transfer) = self.dma.next_transfer(&mut self.io) else { return true };
        self.moves.push((at.ps() / CYCLE_PS, transfer));
        let (value, error) = match self.load(transfer.read_address, transfer.bytes) {
            None => (0, Some(BusError::Read)),
            Some(value) => {
                let value = transfer.written(value);
                let stored = self.store(transfer.write_address, transfer.bytes, value);
                (value, stored.is_none().then_some(BusError::Write))
            }
        };
        self.dma.transferred(transfer.channel, value, error, &mut self.io);
        true
    }

    fn run(&mut self) {
        for _ in 0..10_000 {
            if !self.step() {
                return;
            }
        }
        panic!("the DMA never came to rest");
    }

    fn run_for(&mut self, cycles: i64) {
        let end = Picoseconds::new(self.io.now.ps() + cycles * CYCLE_PS);
        while self.io.due(Source::Dma).is_some_and(|at| at <= end) {
            self.step();
        }
        self.io.now = end;
    }

    fn give_room(&mut self, room: usize) {
        self.fifo_room += room;
        self.io.lines.set_dreq(self.fifo_request, self.fifo_room > 0);
        self.dma.requests_changed(&mut self.io);
    }

    fn channels(&self) -> Vec<usize> {
        self.moves.iter().map(|(_, transfer)| transfer.channel).collect()
    }

    fn cycles(&self) -> Vec<i64> {
        self.moves.iter().map(|&(cycle, _)| cycle).collect()
    }

    fn is_busy(&mut self, index: u32) -> bool {
        self.read(channel(index) + AL1_CTRL) & BUSY != 0
    }
}
