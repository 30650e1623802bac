//! The DMA controller against the datasheet (RP2040 datasheet 2.5), through its registers and the bus's side of it.

use proptest::prelude::*;
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

#[test]
fn the_four_registers_appear_in_every_alias_in_its_order() {
    let mut m = Machine::new();
    for index in [0, 5, 11] {
        let control = INCR_READ | WORD | chain_to(index);
        m.set_up(index, 0x100, 0x200, 7, control);
        let orders = [
            [0x100, 0x200, 0, control],
            [control, 0x100, 0x200, 0],
            [control, 0, 0x100, 0x200],
            [control, 0x200, 0, 0x100],
        ];
        for (alias, order) in (0u32..).zip(orders) {
            for (place, expected) in (0u32..).zip(order) {
                assert_eq!(m.read(channel(index) + alias * 0x10 + place * 4), expected);
            }
        }
        assert_eq!(m.read(channel(index) + DBG_TCR), 7);
    }
}

#[test]
fn every_register_is_a_trigger_in_one_of_the_aliases() {
    for (trigger, value) in
        [(CTRL_TRIG, COPY), (AL1_COUNT_TRIG, 4), (AL2_WRITE_TRIG, 0x200), (AL3_READ_TRIG, 0x100)]
    {
        let mut m = Machine::new();
        m.set_up(0, 0x100, 0x200, 4, COPY);
        m.run();
        assert_eq!(m.moves, [], "it starts before offset {trigger:#x} was written");
        m.write(trigger, value);
        assert!(m.is_busy(0));
        m.run();
        assert_eq!(m.memory[0x200..0x204], m.memory[0x100..0x104]);
        assert!(!m.is_busy(0));
    }
}

#[test]
fn writing_zero_to_a_trigger_does_not_start_the_channel() {
    let mut m = Machine::new();
    m.set_up(0, 0x100, 0x200, 4, COPY);
    for trigger in [AL1_COUNT_TRIG, AL2_WRITE_TRIG, AL3_READ_TRIG] {
        m.write(trigger, 0);
        assert!(!m.is_busy(0));
    }
    assert_eq!(m.read(INTR), 0);
}

#[test]
fn a_trigger_of_a_disabled_channel_is_ignored_but_the_enable_just_written_counts() {
    let mut m = Machine::new();
    m.set_up(0, 0x100, 0x200, 4, COPY & !EN);
    m.write(AL1_COUNT_TRIG, 4);
    assert!(!m.is_busy(0));
    m.write(CTRL_TRIG, COPY);
    assert!(m.is_busy(0));
    m.run();
    m.write(CTRL_TRIG, COPY & !EN);
    assert!(!m.is_busy(0));
}

#[test]
fn the_count_is_live_and_reloads_at_the_next_start() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 3, COPY);
    assert_eq!(m.read(COUNT), 3);
    m.step();
    assert_eq!((m.read(COUNT), m.read(READ), m.read(WRITE)), (2, 0x101, 0x201));
    m.write(COUNT, 9);
    assert_eq!((m.read(COUNT), m.read(DBG_TCR)), (2, 9));
    m.run();
    assert_eq!(m.read(COUNT), 0);
    m.write(MULTI_CHAN_TRIGGER, 1);
    assert_eq!(m.read(COUNT), 9);
    m.run();
    assert_eq!(m.moves.len(), 12);
}

#[test]
fn a_trigger_of_a_busy_channel_has_no_effect() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 4, COPY);
    m.step();
    m.write(MULTI_CHAN_TRIGGER, 1);
    m.write(AL1_COUNT_TRIG, 100);
    m.run();
    assert_eq!(m.moves.len(), 4);
}

#[test]
fn addresses_move_by_the_size_of_a_transfer_or_stand() {
    for (size, bytes) in [(0, 1), (HALF, 2), (WORD, 4)] {
        for (flags, read, write) in [(0, 0, 0), (INCR_READ, 3, 0), (INCR_WRITE, 0, 3)] {
            let mut m = Machine::new();
            m.start(0, 0x100, 0x200, 3, EN | UNPACED | size | flags);
            m.run();
            assert!(m.moves.iter().all(|(_, transfer)| transfer.bytes == bytes));
            let bytes = u32::from(bytes);
            assert_eq!((m.read(READ), m.read(WRITE)), (0x100 + read * bytes, 0x200 + write * bytes));
        }
    }
}

#[test]
fn a_ring_wraps_only_the_low_bits_of_the_chosen_address() {
    let mut m = Machine::new();
    m.start(0, 0x10c, 0x200, 4, COPY | WORD | ring(4));
    m.run();
    let reads: Vec<u32> = m.moves.iter().map(|(_, transfer)| transfer.read_address).collect();
    assert_eq!(reads, [0x10c, 0x100, 0x104, 0x108]);
    assert_eq!(m.read(WRITE), 0x210);
    m.moves.clear();
    m.start(0, 0x100, 0x20e, 3, COPY | HALF | ring(1) | RING_WRITE);
    m.run();
    let writes: Vec<u32> = m.moves.iter().map(|(_, transfer)| transfer.write_address).collect();
    assert_eq!(writes, [0x20e, 0x20e, 0x20e]);
    m.start(0, 0, 0xfff, 2, COPY | ring(15) | RING_WRITE);
    m.run();
    assert_eq!(m.read(WRITE), 0x1000);
}

#[test]
fn a_byte_swap_reverses_halfwords_and_words() {
    let mut m = Machine::new();
    for (size, expected) in [(0, 0x1122_3344), (HALF, 0x2211_4433), (WORD, 0x4433_2211)] {
        m.memory[0x100..0x104].copy_from_slice(&0x1122_3344u32.to_le_bytes());
        let transfers = 4 >> (size >> 2);
        m.start(0, 0x100, 0x200, transfers, COPY | size | BSWAP);
        m.run();
        assert_eq!(m.load(0x200, 4), Some(expected));
    }
}

#[test]
fn a_channel_that_completes_triggers_the_one_it_chains_to() {
    let mut m = Machine::new();
    m.set_up(7, 0x300, 0x400, 2, COPY);
    m.start(3, 0x100, 0x200, 2, COPY | chain_to(7));
    m.run();
    assert_eq!(m.channels(), [3, 3, 7, 7]);
    assert_eq!(m.read(INTR), 1 << 3 | 1 << 7);
}

#[test]
fn a_chain_to_a_disabled_or_missing_channel_ends_there() {
    for target in [7, 12, 15] {
        let mut m = Machine::new();
        m.set_up(7, 0x300, 0x400, 2, COPY & !EN);
        m.start(3, 0x100, 0x200, 2, COPY | chain_to(target));
        m.run();
        assert_eq!(m.channels(), [3, 3]);
    }
}

#[test]
fn after_reset_every_channel_chains_to_channel_0() {
    let mut m = Machine::new();
    m.set_up(0, 0x100, 0x200, 3, COPY);
    m.write(channel(1) + COUNT, 1);
    m.write(channel(1) + CTRL_TRIG, EN | UNPACED);
    m.run();
    assert_eq!(m.channels(), [1, 0, 0, 0]);
}

#[test]
fn control_blocks_gather_buffers_until_a_null_trigger() {
    // The datasheet's example 2.5.6.2: (count, read address) pairs into alias 3 of the data channel.
    let mut m = Machine::new();
    let blocks = [3, 0x800, 1, 0x810, 5, 0x820, 0, 0];
    for (at, word) in (0x100..).step_by(4).zip(blocks) {
        m.store(at, 4, word).expect("it is memory");
    }
    let data = EN | INCR_READ | INCR_WRITE | UNPACED | QUIET | chain_to(1);
    m.set_up(0, 0, 0x200, 0, data);
    let control = EN | INCR_READ | INCR_WRITE | WORD | UNPACED | ring(3) | RING_WRITE | chain_to(1);
    m.write(INTE0, 1);
    m.start(1, 0x100, DMA_BASE + AL3_COUNT, 2, control);
    m.run();
    let expected = [&m.memory[0x800..0x803], &m.memory[0x810..0x811], &m.memory[0x820..0x825]].concat();
    assert_eq!(m.memory[0x200..0x209], expected);
    assert_eq!(m.read(INTS0), 1, "a quiet channel asks for an interrupt at the null trigger alone");
    assert_eq!(m.io.lines.irq(), 1 << 11);
}

#[test]
fn a_quiet_channel_raises_its_interrupt_at_a_null_trigger_only() {
    let mut m = Machine::new();
    m.start(2, 0x100, 0x200, 2, COPY | QUIET);
    m.run();
    assert_eq!(m.read(INTR), 0);
    m.write(channel(2) + AL3_READ_TRIG, 0);
    assert_eq!(m.read(INTR), 1 << 2);
    m.write(INTR, 1 << 2);
    m.write(channel(2) + CTRL_TRIG, 0);
    assert_eq!(m.read(INTR), 1 << 2);
}

#[test]
fn interrupts_are_masked_forced_and_cleared_for_each_line() {
    let mut m = Machine::new();
    m.write(INTE0, 1 << 4);
    m.write(INTE1, 1 << 5);
    m.start(4, 0x100, 0x200, 1, COPY);
    m.run();
    assert_eq!((m.read(INTR), m.read(INTS0), m.read(INTS1)), (1 << 4, 1 << 4, 0));
    assert_eq!(m.io.lines.irq(), 1 << 11);
    m.write(INTS0, 1 << 4);
    assert_eq!((m.read(INTR), m.io.lines.irq()), (0, 0));
    m.start(5, 0x100, 0x200, 1, COPY);
    m.run();
    assert_eq!(m.io.lines.irq(), 1 << 12);
    m.write(INTS1, 1 << 5);
    m.write(INTF0, 1 << 9);
    assert_eq!((m.read(INTR), m.read(INTS0), m.io.lines.irq()), (0, 1 << 9, 1 << 11));
    m.write(INTF0, 0);
    assert_eq!(m.io.lines.irq(), 0);
}

#[test]
fn several_channels_start_together_and_take_turns() {
    let mut m = Machine::new();
    for index in [1, 4, 9] {
        m.set_up(index, 0x100, 0x200 + index * 0x40, 3, COPY);
    }
    m.write(MULTI_CHAN_TRIGGER, 1 << 1 | 1 << 4 | 1 << 9);
    m.run();
    assert_eq!(m.channels(), [1, 4, 9, 1, 4, 9, 1, 4, 9]);
    assert_eq!(m.cycles(), Vec::from_iter(LATENCY_CYCLES as i64..LATENCY_CYCLES as i64 + 9));
}

#[test]
fn in_a_round_all_channels_of_high_priority_come_before_a_single_low_one() {
    let mut m = Machine::new();
    for (index, priority) in [(0, HIGH), (1, 0), (2, HIGH), (3, 0)] {
        m.set_up(index, 0x100, 0x200, 3, COPY | priority | chain_to(index));
    }
    m.write(MULTI_CHAN_TRIGGER, 0xf);
    m.run();
    assert_eq!(m.channels(), [0, 2, 1, 0, 2, 3, 0, 2, 1, 3, 1, 3]);
}

#[test]
fn a_memory_copy_moves_a_word_in_every_cycle() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x800, 256, COPY | WORD);
    m.run();
    assert_eq!(m.memory[0x800..0xc00], m.memory[0x100..0x500]);
    assert_eq!(m.cycles(), Vec::from_iter(LATENCY_CYCLES as i64..LATENCY_CYCLES as i64 + 256));
}

#[test]
fn at_a_frequency_of_no_whole_period_a_long_copy_does_not_drift() {
    let mut m = Machine::new();
    m.io.clocks.sys_hz = 133_000_000;
    m.start(0, 0x100, 0x104, 5000, EN | UNPACED);
    m.step();
    let first = m.io.now;
    m.run();
    let expected = crate::frequencies::duration(133_000_000, 4999).expect("it is short");
    assert_eq!(m.io.now - first, expected);
}

#[test]
fn a_slow_target_holds_the_port() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 3, COPY);
    let mut cycles = Vec::new();
    while let Some(at) = m.io.due(Source::Dma) {
        m.io.now = at;
        m.io.cancel(Source::Dma);
        let transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
        cycles.push(at.ps() / CYCLE_PS);
        m.dma.wait(3);
        m.dma.wait(1);
        m.dma.transferred(transfer.channel, 0, None, &mut m.io);
    }
    let start = LATENCY_CYCLES as i64;
    assert_eq!(cycles, [start, start + 4, start + 8]);
}

#[test]
fn slow_accesses_at_a_frequency_of_no_whole_period_do_not_drift() {
    let mut m = Machine::new();
    m.io.clocks.sys_hz = 133_000_000;
    m.start(0, 0x100, 0x200, 1001, COPY);
    let first = m.io.due(Source::Dma).expect("it started");
    while let Some(at) = m.io.due(Source::Dma) {
        m.io.now = at;
        m.io.cancel(Source::Dma);
        let transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
        m.dma.wait(4);
        m.dma.transferred(transfer.channel, 0, None, &mut m.io);
    }
    assert_eq!(Some(m.io.now - first), crate::frequencies::duration(133_000_000, 5 * 1000));
}

#[test]
fn a_request_that_stands_as_a_level_paces_the_channel() {
    let mut m = Machine::new();
    m.start(0, 0x100, FIFO, 6, EN | INCR_READ | treq(m.fifo_request.0));
    m.run_for(100);
    assert_eq!(m.moves, [], "it waits without an appointment");
    assert_eq!(m.io.due(Source::Dma), None);
    m.give_room(4);
    m.run_for(100);
    let from = 100 + LATENCY_CYCLES as i64;
    assert_eq!(m.cycles(), [from, from + 1, from + 2, from + 3]);
    assert_eq!(m.io.due(Source::Dma), None);
    assert!(m.is_busy(0));
    m.give_room(8);
    m.run();
    assert_eq!(m.fifo.len(), 6);
    assert!(!m.is_busy(0));
    assert_eq!(m.fifo_room, 6);
}

#[test]
fn a_request_that_stands_at_the_trigger_is_seen() {
    let mut m = Machine::new();
    m.give_room(2);
    m.start(0, 0x100, FIFO, 2, EN | treq(m.fifo_request.0));
    assert_eq!(m.read(DBG_CTDREQ), 1);
    m.run();
    assert_eq!(m.fifo.len(), 2);
}

#[test]
fn a_request_that_falls_before_the_transfer_is_not_served() {
    let mut m = Machine::new();
    m.give_room(1);
    m.start(0, 0x100, FIFO, 2, EN | treq(m.fifo_request.0));
    m.io.lines.set_dreq(m.fifo_request, false);
    m.run();
    assert_eq!(m.moves, []);
    m.give_room(1);
    m.run();
    assert_eq!(m.fifo.len(), 2);
}

#[test]
fn a_request_of_somebody_else_starts_nothing() {
    let mut m = Machine::new();
    m.start(0, 0x100, FIFO, 2, EN | treq(Dreq::SPI1_TX.0));
    m.give_room(4);
    assert_eq!(m.io.due(Source::Dma), None);
}

#[test]
fn every_pulse_of_a_request_is_one_transfer_and_pulses_add_up_to_63() {
    let mut m = Machine::new();
    let request = Dreq::PWM_WRAP0;
    m.start(0, 0x100, 0x200, 100, COPY | treq(request.0) & !UNPACED | treq(request.0));
    m.write(channel(0) + AL1_CTRL, EN | INCR_READ | INCR_WRITE | treq(request.0));
    m.run();
    m.moves.clear();
    for expected in 1..=3 {
        m.io.lines.pulse_dreq(request);
        m.dma.requests_changed(&mut m.io);
        m.run();
        assert_eq!(m.moves.len(), expected);
    }
    for _ in 0..70 {
        m.io.lines.pulse_dreq(request);
        m.dma.requests_changed(&mut m.io);
    }
    assert_eq!(m.read(DBG_CTDREQ), 63);
    m.write(DBG_CTDREQ, 0);
    assert_eq!(m.read(DBG_CTDREQ), 0);
    m.run();
    assert_eq!(m.moves.len(), 3, "writing CTDREQ clears the counter");
}

#[test]
fn a_timer_paces_x_transfers_in_y_cycles() {
    let mut m = Machine::new();
    m.write(TIMER0, 2 << 16 | 25);
    assert_eq!(m.read(TIMER0), 2 << 16 | 25);
    m.start(0, 0x100, 0x200, 8, EN | INCR_READ | INCR_WRITE | treq(0x3b));
    m.run();
    assert_eq!(m.cycles(), [13, 25, 38, 50, 63, 75, 88, 100]);
    assert_eq!(m.io.due(Source::Dma), None, "an unused timer costs nothing");
}

#[test]
fn a_timer_at_full_rate_is_a_permanent_request_and_one_of_zero_never_asks() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 4, EN | treq(0x3e));
    assert_eq!(m.io.due(Source::Dma), None);
    m.write(TIMER0 + 12, 5 << 16 | 5);
    m.run();
    assert_eq!(m.cycles(), Vec::from_iter(LATENCY_CYCLES as i64..LATENCY_CYCLES as i64 + 4));
}

#[test]
fn two_timers_pace_two_channels_each_at_its_own_rate() {
    let mut m = Machine::new();
    m.write(TIMER0, 1 << 16 | 10);
    m.write(TIMER0 + 4, 1 << 16 | 30);
    m.start(0, 0x100, 0x200, 30, EN | treq(0x3b));
    m.start(1, 0x100, 0x200, 30, EN | treq(0x3c));
    m.run_for(301);
    let count = |m: &Machine, index| m.channels().iter().filter(|&&channel| channel == index).count();
    assert_eq!((count(&m, 0), count(&m, 1)), (30, 10));
}

#[test]
fn an_abort_ends_a_channel_without_interrupt_or_chain() {
    let mut m = Machine::new();
    m.set_up(1, 0x100, 0x200, 4, COPY);
    m.start(0, 0x100, FIFO, 6, EN | treq(m.fifo_request.0) | chain_to(1));
    m.write(CHAN_ABORT, 1);
    assert_eq!(m.read(CHAN_ABORT), 0);
    assert!(!m.is_busy(0));
    assert_eq!(m.read(COUNT), 0);
    m.give_room(8);
    m.run();
    assert_eq!((m.moves.len(), m.read(INTR)), (0, 0));
    m.write(MULTI_CHAN_TRIGGER, 1);
    m.run();
    assert_eq!(m.fifo.len(), 6, "it can be started again");
}

#[test]
fn clearing_the_enable_pauses_a_channel_that_stays_busy() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 4, COPY);
    m.step();
    m.write(AL1_CTRL, COPY & !EN);
    m.run();
    assert_eq!(m.moves.len(), 1);
    assert!(m.is_busy(0));
    m.write(AL1_CTRL, COPY);
    m.run();
    assert_eq!(m.moves.len(), 4);
}

#[test]
fn a_bus_error_halts_the_channel_and_raises_its_interrupt_even_when_quiet() {
    for (read, write, flag) in [(FAULTY, 0x200, 1 << 30), (0x100, FAULTY, 1 << 29)] {
        let mut m = Machine::new();
        m.start(0, read, write, 4, COPY | QUIET);
        m.run();
        assert_eq!(m.moves.len(), 1);
        let control = m.read(AL1_CTRL);
        assert_eq!(control & 0xe100_0000, 1 << 31 | flag);
        assert_eq!(m.read(INTR), 1);
        m.write(AL1_CTRL, COPY | flag);
        assert_eq!(m.read(AL1_CTRL) >> 29, 0);
    }
}

#[test]
fn a_count_of_zero_completes_without_a_transfer() {
    let mut m = Machine::new();
    m.set_up(1, 0x100, 0x200, 1, COPY);
    m.start(0, 0x100, 0x200, 0, COPY | chain_to(1));
    m.run();
    assert_eq!(m.channels(), [1]);
    assert_eq!(m.read(INTR), 3);
}

#[test]
fn two_empty_channels_that_chain_to_each_other_let_time_pass() {
    let mut m = Machine::new();
    m.set_up(1, 0x100, 0x200, 0, COPY | chain_to(0));
    m.write(channel(1) + AL1_CTRL, COPY);
    m.start(0, 0x100, 0x200, 0, COPY | chain_to(1));
    for _ in 0..100 {
        let before = m.io.now;
        assert!(m.step());
        assert!(m.io.now > before);
    }
}

fn sniffed(data: &[u8], size: u32, sniff: u32, seed: u32, control: u32) -> u32 {
    let mut m = Machine::new();
    m.memory[..data.len()].copy_from_slice(data);
    m.write(SNIFF_CTRL, 3 << 1 | 1 | sniff);
    assert_eq!(m.read(SNIFF_CTRL), 3 << 1 | 1 | sniff);
    m.write(SNIFF_DATA, seed);
    let count = (data.len() >> (size >> 2)) as u32;
    m.start(3, 0, 0x800, count, COPY | size | SNIFF | control);
    m.run();
    m.read(SNIFF_DATA)
}

const CRC32: u32 = 0 << 5;
const CRC32R: u32 = 1 << 5;
const CRC16: u32 = 2 << 5;
const CRC16R: u32 = 3 << 5;
const PARITY: u32 = 0xe << 5;
const SUM: u32 = 0xf << 5;
const SNIFF_BSWAP: u32 = 1 << 9;
const OUT_REV: u32 = 1 << 10;
const OUT_INV: u32 = 1 << 11;
const CHECK: &[u8] = b"123456789";

#[test]
fn the_sniffer_gives_the_check_values_of_the_catalogue_of_crcs() {
    // CRC-32/ISO-HDLC, CRC-32/BZIP2, CRC-16/IBM-3740, CRC-16/XMODEM, and CRC-16/KERMIT (its reflected kin).
    assert_eq!(sniffed(CHECK, 0, CRC32R | OUT_REV | OUT_INV, u32::MAX, 0), 0xcbf4_3926);
    assert_eq!(sniffed(CHECK, 0, CRC32 | OUT_INV, u32::MAX, 0), 0xfc89_1918);
    assert_eq!(sniffed(CHECK, 0, CRC16, 0xffff, 0), 0x29b1);
    assert_eq!(sniffed(CHECK, 0, CRC16, 0, 0), 0x31c3);
    assert_eq!((sniffed(CHECK, 0, CRC16R, 0, 0) as u16).reverse_bits(), 0x2189);
}

#[test]
fn the_sniffer_gives_what_the_chip_gave_for_words() {
    // Read from a chip: raspberrypi/pico-sdk issue 576, inverted there in software.
    let data = [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4];
    assert_eq!(sniffed(&data, WORD, CRC32, u32::MAX, 0), !0x4c81_1132);
    assert_eq!(sniffed(&data, WORD, CRC32R, u32::MAX, 0), !0x4dab_62d9);
    assert_eq!(sniffed(&[1; 8], WORD, CRC32, u32::MAX, 0), !0xdb45_70d3);
    assert_eq!(sniffed(&[0; 4], WORD, CRC32, u32::MAX, 0), !0x38fb_2284);
}

#[test]
fn words_and_halfwords_give_the_crc_of_their_bytes_in_memory_and_byte_swaps_cancel() {
    let data = &CHECK[..8];
    for calculation in [CRC32, CRC32R, CRC16, CRC16R] {
        let bytes = sniffed(data, 0, calculation, 1, 0);
        for size in [HALF, WORD] {
            assert_eq!(sniffed(data, size, calculation, 1, 0), bytes);
            assert_eq!(sniffed(data, size, calculation | SNIFF_BSWAP, 1, BSWAP), bytes);
            assert_ne!(sniffed(data, size, calculation | SNIFF_BSWAP, 1, 0), bytes);
            assert_ne!(sniffed(data, size, calculation, 1, BSWAP), bytes);
        }
    }
}

#[test]
fn the_sniffer_sums_and_reduces_to_parity() {
    assert_eq!(sniffed(CHECK, 0, SUM, 10, 0), 10 + CHECK.iter().map(|&byte| u32::from(byte)).sum::<u32>());
    assert_eq!(sniffed(&[0xff; 8], WORD, SUM, 5, 0), 3);
    assert_eq!(sniffed(&[1, 0, 3, 0], HALF, PARITY, 0, 0), 1);
    assert_eq!(sniffed(&[1, 0, 7, 0], HALF, PARITY, 0, 0), 0);
}

#[test]
fn the_sniffer_looks_only_at_its_channel_and_only_when_both_enable_it() {
    for (index, sniff, control) in [(2, 1, SNIFF), (3, 0, SNIFF), (3, 1, 0)] {
        let mut m = Machine::new();
        m.write(SNIFF_CTRL, 3 << 1 | sniff | SUM);
        m.start(index, 0x100, 0x200, 4, COPY | control);
        m.run();
        assert_eq!(m.read(SNIFF_DATA), 0);
    }
}

#[test]
fn a_batch_moves_the_same_as_single_transfers_in_the_same_time() {
    let run = |batched: bool| {
        let mut m = Machine::new();
        m.io.clocks.sys_hz = 133_000_000;
        m.write(SNIFF_CTRL, 1 | CRC32);
        m.start(0, 0x100, 0x800, 300, COPY | WORD | SNIFF | ring(6));
        let mut events = 0;
        while let Some(at) = m.io.due(Source::Dma) {
            m.io.now = at;
            m.io.cancel(Source::Dma);
            events += 1;
            let mut transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
            let batch = if batched { m.dma.batch() } else { 1 };
            for left in (0..batch).rev() {
                let value = transfer.written(m.load(transfer.read_address, 4).expect("it is memory"));
                m.store(transfer.write_address, 4, value).expect("it is memory");
                if left == 0 {
                    m.dma.transferred(transfer.channel, value, None, &mut m.io);
                } else {
                    transfer = m.dma.next_in_batch(value);
                }
            }
        }
        let registers: Vec<u32> =
            [READ, WRITE, COUNT, CTRL_TRIG, INTR, SNIFF_DATA].map(|at| m.read(at)).into();
        (m.memory, m.io.now, registers, events)
    };
    let (single, batched) = (run(false), run(true));
    assert_eq!((&single.0, single.1, &single.2), (&batched.0, batched.1, &batched.2));
    assert_eq!((single.3, batched.3), (300, 2));
}

#[test]
fn there_is_no_batch_while_another_channel_may_move() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 9, COPY);
    m.start(1, 0x100, FIFO, 9, EN | treq(m.fifo_request.0));
    m.io.now = m.io.due(Source::Dma).expect("it started");
    m.io.cancel(Source::Dma);
    assert!(m.dma.next_transfer(&mut m.io).is_some());
    assert_eq!(m.dma.batch(), 8);
    m.give_room(1);
    assert_eq!(m.dma.batch(), 1);
}

#[test]
fn unknown_registers_and_reserved_values_are_reported_once() {
    let mut m = Machine::new();
    for (address, write) in
        [(0x410, false), (0x300, true), (0x808, false), (SNIFF_CTRL, true), (CTRL_TRIG, true)]
    {
        m.io.address = DMA_BASE + address;
        if write {
            m.write(address, 0x8c);
        } else {
            assert_eq!(m.read(address), 0);
        }
    }
    assert_eq!(m.io.unknown_accesses().count(), 5);
    assert_eq!(m.read(N_CHANNELS), 12);
}

#[test]
fn a_stopped_clock_moves_nothing() {
    let mut m = Machine::new();
    m.io.clocks.sys_hz = 0;
    m.start(0, 0x100, 0x200, 4, COPY);
    m.give_room(1);
    assert_eq!(m.io.due(Source::Dma), None);
    assert_eq!(m.dma.next_transfer(&mut m.io), None);
}

fn traffic() -> impl Strategy<Value = Vec<(u32, u32, u8)>> {
    let register = prop_oneof![
        4 => (0u32..0xc0).prop_map(|word| word * 4),
        2 => (0x100u32..0x113).prop_map(|word| word * 4),
        1 => (0x200u32..0x2c0).prop_map(|word| word * 4),
        1 => (0u32..0x400).prop_map(|word| word * 4),
    ];
    let value = prop_oneof![
        any::<u32>(),
        (0u32..16),
        (0u32..0x1000),
        (any::<u32>().prop_map(|bits| bits & 0x0003_ffff | COPY)),
        Just(FIFO),
        (0u32..0xb00).prop_map(|offset| DMA_BASE + (offset & !3)),
    ];
    prop::collection::vec((register, value, any::<u8>()), 1..120)
}

proptest! {
    #[test]
    fn any_traffic_on_the_registers_keeps_the_controller_whole(traffic in traffic()) {
        let mut m = Machine::new();
        m.io.clocks.usb_hz = 48_000_000;
        for (offset, value, then) in traffic {
            m.write(offset, value);
            m.read(offset);
            if then & 1 != 0 {
                m.io.lines.pulse_dreq(Dreq(then >> 2));
                m.dma.requests_changed(&mut m.io);
            }
            if then & 2 != 0 {
                m.give_room(usize::from(then >> 4));
            }
            for _ in 0..then >> 3 {
                let before = m.moves.len();
                let at = m.io.due(Source::Dma);
                m.step();
                let after = m.io.due(Source::Dma);
                let moved = m.moves.len() > before;
                prop_assert!(!moved || after.is_none_or(|after| Some(after) > at), "two moves in one cycle");
            }
        }
        // What is ready is under way, and whoever is ready has an appointment.
        for index in 0..12u32 {
            if m.dma.ready >> index & 1 != 0 {
                prop_assert!(m.is_busy(index));
                prop_assert!(m.io.due(Source::Dma).is_some());
            }
        }
    }
}

/// What the hot path costs: a transmit and a receive channel that are paced by a level, as with SPI.
/// `cargo test --release -p airwire-rp2040 dma_hot_path -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn dma_hot_path() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, u32::MAX, EN | INCR_READ | ring(8) | treq(16));
    m.start(1, 0x100, 0x200, u32::MAX, EN | INCR_WRITE | ring(8) | RING_WRITE | treq(17));
    const BYTES: u32 = 10_000_000;
    let begin = std::time::Instant::now();
    for _ in 0..BYTES {
        m.io.now = Picoseconds::new(m.io.now.ps() + 400_000);
        m.io.lines.set_dreq(Dreq::SPI0_TX, true);
        m.io.lines.set_dreq(Dreq::SPI0_RX, true);
        m.dma.requests_changed(&mut m.io);
        for dreq in [Dreq::SPI0_TX, Dreq::SPI0_RX] {
            let (at, _) = m.io.take_due(Picoseconds::new(i64::MAX - 1)).expect("it is due");
            m.io.now = at;
            let transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
            m.io.lines.set_dreq(dreq, false);
            m.dma.transferred(transfer.channel, 0, None, &mut m.io);
        }
    }
    let each = begin.elapsed().as_secs_f64() * 1e9 / f64::from(2 * BYTES);
    println!("{each:.2} ns for a transfer, with its appointment");
}

/// What a word costs in a batch.
#[test]
#[ignore = "a measurement"]
fn dma_batch() {
    let mut m = Machine::new();
    m.start(0, 0, 0x800, u32::MAX, COPY | WORD | ring(8));
    m.io.now = m.io.due(Source::Dma).expect("it started");
    m.dma.next_transfer(&mut m.io).expect("it is due");
    const WORDS: u32 = 50_000_000;
    let begin = std::time::Instant::now();
    let mut sum = 0u32;
    for word in 0..WORDS {
        sum = sum.wrapping_add(m.dma.next_in_batch(word).read_address);
    }
    let each = begin.elapsed().as_secs_f64() * 1e9 / f64::from(WORDS);
    println!("{each:.2} ns for a word ({sum})");
}
