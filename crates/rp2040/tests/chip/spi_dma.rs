//! A serial port that two channels of the DMA feed and empty, while a core looks on. What the core sees follows from the length of a
//! frame: 8 bits and a gap of one and a half SCK at SPH = 0, of half an SCK at SPH = 1 (RP2040 datasheet 4.4.3.10 to 4.4.3.13, and
//! `pace.rs`), thus 19 and 17 cycles of clk_sys at SCK = clk_sys / 2. Nothing here depends on how the chip hurries through frames
//! that nobody looks at, but that a run in which it may not (accesses are counted) is the same.

use std::any::Any;

use mcu::Stop;
use mcu::Watchpoint;
use mcu::outside::{Outside, Reaction, SpiFrame};
use rp2040::chip::{Counts, Rp2040};
use units::Picoseconds;

use crate::asm::{Asm, If, RAM, SIO};
use crate::bench::*;

pub(crate) const LR: u8 = 14;
pub(crate) const SPI: u32 = 0x4003_c000;
pub(crate) const DMA: u32 = 0x5000_0000;
pub(crate) const MULTI_CHAN_TRIGGER: u32 = DMA + 0x430;
const CHAN_ABORT: u32 = DMA + 0x444;
const DMA_IRQ_0: usize = 11;
const PIN: u32 = 25;
/// What is sent, where it is received, and what the core saw.
pub(crate) const SOURCE: u32 = RAM + 0x4000;
pub(crate) const TARGET: u32 = RAM + 0x8000;
const SEEN: u32 = RAM + 0xc000;
pub(crate) const BYTES: u32 = 2000;
/// Cycles of clk_sys, which is 125 MHz here.
const CYCLE: i64 = 8000;
const FRAME_CYCLES: u32 = 19;
const FRAME_CYCLES_SPH: u32 = 17;
const SPH: u32 = 1 << 7;
/// Memory may show a transfer this many cycles late (512 ns).
const PATIENCE_CYCLES: u32 = 64;

pub(crate) const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
pub(crate) const SPI0_TX: u32 = 16;
const SPI0_RX: u32 = 17;

pub(crate) fn channel(index: u32) -> u32 {
    DMA + 0x40 * index
}

/// CHx_CTRL of a channel that chains to `chain_to`, which is itself where it does not.
pub(crate) fn control(request: u32, increment: u32, chain_to: u32) -> u32 {
    1 | increment | request << 15 | chain_to << 11
}

/// A program that has set clk_sys and clk_peri to 125 MHz and calls "set up".
pub(crate) fn at_125_mhz(asm: Asm) -> Asm {
    at_mhz(125, asm)
}

/// The same for another frequency, which the PLL gets from 12 MHz: FBDIV is that number, the dividers behind it are 6 and 2.
pub(crate) fn at_mhz(mhz: u32, mut asm: Asm) -> Asm {
    const XOSC: u32 = 0x4002_4000;
    const PLL: u32 = 0x4002_8000;
    const CLEAR: u32 = 0x3000;
    const CLOCKS: u32 = 0x4000_8000;
    asm.bl("clocks").bl("set up").b("main").pool();
    asm.label("clocks").poke(RESETS_CLEAR, u32::MAX).poke(XOSC + 0xc, 1).poke(XOSC, 0xfa_baa0);
    asm.wait(255, "crystal").poke(CLOCKS + 0x30, 2).wait(20, "reference");
    asm.poke(PLL + 8, mhz).poke(PLL + CLEAR + 4, 0x21).wait(255, "lock");
    asm.poke(PLL + 0xc, 6 << 16 | 2 << 12).poke(PLL + CLEAR + 4, 8);
    asm.poke(CLOCKS + 0x3c, 1).wait(20, "system").poke(CLOCKS + 0x48, 1 << 11).bx(LR).pool();
    asm
}

/// The subroutine that sets the port to loop back and channels 0 and 1 to feed and empty it, byte by byte.
pub(crate) fn set_up(asm: &mut Asm, cr0: u32) {
    asm.label("set up").poke(SPI + 0x10, 2).poke(SPI, cr0).poke(SPI + 0x24, 3).poke(SPI + 4, 3);
    asm.poke(channel(0), SOURCE).poke(channel(0) + 4, SPI + 8).poke(channel(0) + 8, BYTES);
    asm.poke(channel(1), SPI + 8).poke(channel(1) + 4, TARGET).poke(channel(1) + 8, BYTES);
    asm.poke(channel(0) + 0x10, control(SPI0_TX, INCR_READ, 0));
    asm.poke(channel(1) + 0x10, control(SPI0_RX, INCR_WRITE, 1)).bx(LR).pool();
}

/// A program that starts both channels, waits about 300 cycles and does what it is told.
fn while_it_runs(cr0: u32, look: impl FnOnce(&mut Asm)) -> Asm {
    let mut asm = at_125_mhz(in_ram());
    set_up(&mut asm, cr0);
    asm.label("main").poke(MULTI_CHAN_TRIGGER, 3).constant(5, SEEN).wait(100, "run in");
    look(&mut asm);
    asm.stop().pool();
    asm
}

/// What byte number `index` is, never 0.
fn pattern(index: u32) -> u8 {
    (index % 251) as u8 + 1
}

fn with_pattern(asm: Asm) -> Rp2040 {
    let mut chip = chip_with(asm);
    let bytes: Vec<u8> = (0..BYTES).map(pattern).collect();
    chip.write_memory(SOURCE, &bytes).expect("SRAM");
    chip
}

fn ended(asm: Asm) -> Rp2040 {
    let mut chip = with_pattern(asm);
    run(&mut chip, 2000);
    chip
}

/// The words that the core saw.
fn seen(chip: &Rp2040, count: u32) -> Vec<u32> {
    (0..count).map(|n| word(chip, SEEN + 4 * n)).collect()
}

fn received(chip: &Rp2040) -> Vec<u8> {
    chip.read_memory(TARGET, BYTES as usize).expect("SRAM")
}

/// STMIA R5!, of R0 and more registers (a bit each).
fn note(asm: &mut Asm, registers: u16) {
    asm.op(0xc500 | registers);
}

#[test]
fn the_count_falls_by_one_in_every_frame_whoever_looks() {
    for (cr0, frame) in [(7, FRAME_CYCLES), (7 | SPH, FRAME_CYCLES_SPH)] {
        const LOOKS: u32 = 150;
        // LDR from the AHB and STM of one register take 2 cycles each.
        let asm = while_it_runs(cr0, |asm| {
            asm.constant(4, channel(1));
            for _ in 0..LOOKS {
                asm.ldr(0, 4, 8);
                note(asm, 1);
            }
        });
        let seen = seen(&ended(asm), LOOKS);
        let fits =
            |phase: u32| (0..).zip(&seen).all(|(look, &left)| left == seen[0] - (4 * look + phase) / frame);
        assert!((0..frame).any(fits), "{frame} cycles: {seen:?}");
        assert!(seen[0] > BYTES - 40 && seen[0] < BYTES - 5);
    }
}

#[test]
fn a_core_that_reads_the_count_finds_all_that_it_counts_in_memory() {
    const LOOKS: u32 = 90;
    let asm = while_it_runs(7, |asm| {
        asm.constant(4, channel(1)).constant(6, TARGET + BYTES - 1);
        for _ in 0..LOOKS {
            // SUBS R1, R6, R0: where the byte is that came last.
            asm.ldr(0, 4, 8).op(0x1a31).ldrb(2, 1, 0).ldrb(3, 1, 2);
            note(asm, 0b1101);
        }
    });
    let seen = seen(&ended(asm), 3 * LOOKS);
    for look in seen.chunks(3) {
        let last = BYTES - look[0] - 1;
        assert_eq!((look[1], look[2]), (pattern(last).into(), 0), "at byte {last}");
    }
    assert!(seen[0] - seen[3 * LOOKS as usize - 3] > 40, "it went on meanwhile");
}

#[test]
fn a_core_that_only_reads_memory_sees_a_byte_neither_early_nor_more_than_512_ns_late() {
    const LOOKS: u32 = 200;
    for ahead in [9, 17, 26] {
        let asm = while_it_runs(7, |asm| {
            asm.constant(4, channel(1)).constant(6, TARGET + BYTES + ahead).ldr(0, 4, 8).op(0x1a34);
            note(asm, 1);
            for _ in 0..LOOKS {
                // LDRB and STM take 2 cycles each.
                asm.ldrb(0, 4, 0);
                note(asm, 1);
            }
        });
        let seen = seen(&ended(asm), LOOKS + 1);
        let index = BYTES - seen[0] + ahead;
        let first = seen[1..].iter().position(|&byte| byte != 0).expect("it comes") as u32;
        assert!(seen[1 + first as usize..].iter().all(|&byte| byte == u32::from(pattern(index))));
        // The count said which byte comes next; up to a frame of the wait for it was over. Four cycles lie before the first look.
        let cycles = 4 * first + 4;
        let (early, late) = (ahead * FRAME_CYCLES, (ahead + 1) * FRAME_CYCLES + PATIENCE_CYCLES + 4);
        assert!((early..=late).contains(&cycles), "{ahead} ahead: {cycles} cycles");
    }
}

#[test]
fn the_fifos_stay_full_and_empty_but_for_the_dmas_latency() {
    const LOOKS: u32 = 190;
    const TFE: u32 = 1;
    const TNF: u32 = 2;
    const RNE: u32 = 4;
    const RFF: u32 = 8;
    const BSY: u32 = 16;
    let asm = while_it_runs(7, |asm| {
        asm.constant(4, SPI);
        for _ in 0..LOOKS {
            asm.ldr(0, 4, 0xc);
            note(asm, 1);
        }
    });
    let seen = seen(&ended(asm), LOOKS);
    assert!(seen.iter().all(|status| status & (TFE | RFF | BSY) == BSY), "{seen:x?}");
    for flag in [TNF, RNE] {
        // 4 cycles of latency, and 4 more for the transfer that is second, of 19.
        let set = seen.iter().filter(|&status| status & flag != 0).count() as u32;
        assert!((LOOKS * 3 / 19..=LOOKS * 9 / 19).contains(&set), "flag {flag}: {set} of {LOOKS}");
    }
}

#[test]
fn the_port_is_busy_for_as_long_as_its_frames_take() {
    let asm = while_it_runs(7, |asm| {
        asm.constant(4, SPI).label("busy").ldr(0, 4, 0xc).movs(1, 16).op(0x4208).b_if(If::NotEqual, "busy");
        asm.label("over");
    });
    let over = asm.place("over");
    let mut chip = with_pattern(asm);
    chip.connect(Box::new(Listener::default()));
    chip.set_breakpoints(vec![over]);
    let Stop::Debug(0, _) = run(&mut chip, 2000) else { panic!("it is busy for ever") };
    let end = chip.now();
    let (last, _) = *listener(&mut chip).heard.last().expect("frames");
    // Half an SCK after the last bit; a round of the loop has 9 cycles.
    let cycles = (end - last).ps() / CYCLE;
    assert!((1..=12).contains(&cycles), "{cycles}");
    assert_eq!(received(&chip), (0..BYTES).map(pattern).collect::<Vec<_>>());
    assert_eq!((word(&chip, channel(1) + 8), word(&chip, SPI + 0xc)), (0, 3));
}

#[test]
fn after_an_abort_what_had_been_sent_is_received_and_no_more() {
    for rounds in [40, 41, 42, 43, 200] {
        let asm = while_it_runs(7, |asm| {
            asm.wait(rounds, "more").poke(CHAN_ABORT, 1);
        });
        let chip = ended(asm);
        let sent = word(&chip, channel(0)) - SOURCE;
        assert!(sent > 20 && sent < 100, "{sent}");
        assert_eq!(BYTES - word(&chip, channel(1) + 8), sent);
        let expected = (0..BYTES).map(|index| if index < sent { pattern(index) } else { 0 });
        assert_eq!(received(&chip), expected.collect::<Vec<_>>());
        assert_eq!(word(&chip, SPI + 0xc), 3, "both FIFOs empty, not busy");
    }
}

#[test]
fn a_watchpoint_on_the_buffer_stops_a_core_and_not_the_dma() {
    let mut asm = while_it_runs(7, |asm| {
        asm.wait(250, "later").constant(4, TARGET + 30).label("look").ldrb(0, 4, 0);
        note(asm, 1);
    });
    asm.pool();
    let look = asm.place("look");
    let mut chip = with_pattern(asm);
    chip.set_watchpoints(vec![Watchpoint { address: TARGET, bytes: BYTES, reads: true, writes: true }]);
    let Stop::Debug(0, _) = run(&mut chip, 2000) else { panic!("nothing stopped the core") };
    assert_eq!(pc(&chip), look + 2);
    let left = word(&chip, channel(1) + 8);
    let expected = (0..BYTES).map(|index| if index < BYTES - left { pattern(index) } else { 0 });
    assert_eq!(received(&chip), expected.collect::<Vec<_>>(), "memory is what the count says");
    run(&mut chip, 2000);
    assert_eq!(seen(&chip, 1), [u32::from(pattern(30))]);
}

#[test]
fn a_core_that_sleeps_meanwhile_is_woken_when_the_last_byte_has_come() {
    let asm = while_it_runs(7, |asm| {
        asm.poke(DMA + 0x404, 0b10).poke(ISER, 1 << DMA_IRQ_0).mask_interrupts().wfi().label("woken");
    });
    let woken = asm.place("woken");
    let mut chip = with_pattern(asm);
    chip.connect(Box::new(Listener::default()));
    chip.set_breakpoints(vec![woken]);
    let Stop::Debug(0, _) = run(&mut chip, 2000) else { panic!("nothing woke the core") };
    let end = chip.now();
    let heard = &listener(&mut chip).heard;
    // 4 cycles of latency, and 4 more if the other channel's transfer came first, though there is none left.
    let cycles = (end - heard[BYTES as usize - 1].0).ps() / CYCLE;
    assert!((3..=9).contains(&cycles), "{cycles}");
    let frames = i64::from((BYTES - 1) * FRAME_CYCLES) * CYCLE;
    assert_eq!((heard[BYTES as usize - 1].0 - heard[0].0).ps(), frames);
    assert_eq!(received(&chip), (0..BYTES).map(pattern).collect::<Vec<_>>());
}

/// Two pairs of channels that chain to each other send `block` bytes each again and again; the end of each block that is received
/// toggles a pin, 16 times.
fn blocks(block: u32) -> Asm {
    let mut asm = at_125_mhz(in_ram());
    asm.label("set up").poke(SPI + 0x10, 2).poke(SPI, 7).poke(SPI + 0x24, 3).poke(SPI + 4, 3);
    asm.poke(0x4001_4000 + 4 + 8 * PIN, 5).poke(SIO + 0x24, 1 << PIN);
    asm.poke(DMA + 0x404, 0b1010)
        .poke(ISER, 1 << DMA_IRQ_0)
        .push(0, true)
        .bl("feed")
        .bl("empty")
        .pop(0, true)
        .pool();
    // Rings of 1024 bytes, of the read and of the write address.
    let ring = 10 << 6;
    for (label, first, request, more) in
        [("feed", 0, SPI0_TX, INCR_READ | ring), ("empty", 1, SPI0_RX, INCR_WRITE | ring | 1 << 10)]
    {
        asm.label(label);
        for index in [first, first + 2] {
            let (from, to) = if first == 0 { (SOURCE, SPI + 8) } else { (SPI + 8, TARGET) };
            asm.poke(channel(index), from).poke(channel(index) + 4, to).poke(channel(index) + 8, block);
            asm.poke(channel(index) + 0x10, control(request, more, index ^ 2));
        }
        asm.bx(LR).pool();
    }
    asm.label("main").poke(MULTI_CHAN_TRIGGER, 3).label("idle").b("idle").pool();
    asm.handler(IRQ0 + DMA_IRQ_0, "block").constant(0, DMA + 0x40c).ldr(1, 0, 0).str(1, 0, 0);
    asm.poke(SIO + 0x1c, 1 << PIN).constant(0, kept(0)).ldr(1, 0, 0).adds(1, 1).str(1, 0, 0);
    asm.bx(LR).pool();
    asm
}

#[test]
fn blocks_end_as_far_apart_as_their_frames_take() {
    for block in [40, 256, 1000] {
        let mut chip = with_pattern(blocks(block));
        chip.record_pins(1 << PIN);
        run(&mut chip, 4000);
        let edges: Vec<i64> = chip.take_edges().iter().map(|edge| edge.at.ps()).collect();
        assert!(edges.len() > 10, "{}", edges.len());
        // The core is in one of two instructions, or a handler's end, when the interrupt comes.
        let slack = 8 * CYCLE;
        for (count, at) in (0..).zip(&edges[1..]) {
            let expected = edges[1] + count * i64::from(block * FRAME_CYCLES) * CYCLE;
            assert!((at - expected).abs() <= slack, "block {count} of {block}: {at}, not {expected}");
        }
    }
}

/// What stands outside: hears when frames come, and lets a pin go up at one of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listener {
    pub(crate) heard: Vec<(Picoseconds, SpiFrame)>,
    pub(crate) react_to: usize,
}

impl Outside for Listener {
    fn spi_frame(&mut self, at: Picoseconds, frame: SpiFrame, reactions: &mut Vec<Reaction>) -> u16 {
        self.heard.push((at, frame));
        if self.heard.len() == self.react_to {
            reactions.push(Reaction::Pin { pin: 9, level: Some(true) });
        }
        0
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

fn listener(chip: &mut Rp2040) -> &mut Listener {
    (chip.outside() as &mut dyn Any).downcast_mut().expect("a listener")
}

#[test]
fn the_outside_hears_every_frame_at_its_time_and_its_answer_to_one_comes_at_once() {
    for react_to in [100, 101, 102, 103, BYTES as usize] {
        let mut chip = with_pattern(while_it_runs(7, |_| ()));
        chip.connect(Box::new(Listener { react_to, ..Listener::default() }));
        chip.record_pins(1 << 9);
        run(&mut chip, 2000);
        let listener = listener(&mut chip).clone();
        let (first, _) = listener.heard[0];
        for (index, (at, frame)) in (0..).zip(&listener.heard) {
            let frames = i64::from(index * FRAME_CYCLES) * CYCLE;
            assert_eq!((at.ps() - first.ps(), frame.sent), (frames, pattern(index).into()));
            assert_eq!(at.ps() - frame.start.ps(), 16 * CYCLE);
        }
        assert_eq!(listener.heard.len(), BYTES as usize);
        let reacted = listener.heard[react_to - 1].0;
        assert_eq!(chip.take_edges().iter().map(|edge| edge.at).collect::<Vec<_>>(), [reacted]);
    }
}

/// Everything that can be seen of a run but for the pins.
fn state(chip: &Rp2040) -> (Picoseconds, Counts, [u32; 16], Vec<u8>, Vec<u32>) {
    let registers = (0..4).flat_map(|index| (0..4).map(move |n| channel(index) + 4 * n));
    let registers = registers.chain([SPI + 0xc, SPI + 0x18]).map(|address| word(chip, address)).collect();
    let memory = chip.read_memory(RAM, 264 * 1024).expect("SRAM");
    (chip.now(), chip.counts(), chip.core(0).registers(), memory, registers)
}

/// Lets the performance counters count, with which every event is one of its own, and gives the port its pins.
fn observed(chip: &mut Rp2040, is_counted: bool) {
    const PERFSEL0: u32 = 0x4003_000c;
    const IO_BANK0: u32 = 0x4001_4000;
    run(chip, 100);
    let mut write = |address: u32, value: u32| {
        chip.write_memory(address, &value.to_le_bytes()).expect("there is a register");
    };
    for pin in [16, 18, 19] {
        write(IO_BANK0 + 8 * pin + 4, 1);
    }
    if is_counted {
        write(PERFSEL0, 0);
    }
    chip.record_pins(u32::MAX);
}

fn edges(chip: &mut Rp2040) -> Vec<(i64, u8, bool)> {
    let mut edges: Vec<_> =
        chip.take_edges().iter().map(|edge| (edge.at.ps(), edge.pin, edge.level)).collect();
    edges.sort_unstable();
    edges
}

#[test]
fn a_run_whose_events_come_one_by_one_and_one_from_a_snapshot_are_the_same_run() {
    for block in [40, 256, 999] {
        let (mut quick, mut slow) = (with_pattern(blocks(block)), with_pattern(blocks(block)));
        observed(&mut quick, false);
        observed(&mut slow, true);
        for end in [700_003, 700_500, 701_111, 733_333, 900_000, 1_400_000] {
            quick.run_until(Picoseconds::from_ns(end));
            slow.run_until(Picoseconds::from_ns(end));
            assert!(state(&quick) == state(&slow), "blocks of {block} at {end} ns");
            let mut branch = quick.snapshot().expect("nothing stands outside").to_chip();
            branch.run_until(Picoseconds::from_ns(end + 50_000));
            quick.run_until(Picoseconds::from_ns(end + 50_000));
            assert!(state(&branch) == state(&quick), "blocks of {block}, a snapshot at {end} ns");
            slow.run_until(Picoseconds::from_ns(end + 50_000));
            let (one, other) = (edges(&mut quick), edges(&mut slow));
            assert!(one == other, "blocks of {block} at {end} ns: edges");
            assert!(end < 1_000_000 || one.len() > 1000, "{} edges", one.len());
        }
        assert!(word(&quick, kept(0)) > 2, "blocks were received");
    }
}
