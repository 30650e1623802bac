//! PIO blocks that nobody listens to run in one go where others do it event by event; nobody can tell. A chip around which
//! somebody listens to every pin is held against one around which nobody does, with random programs of all machines, and a core
//! that writes, reads, waits and is interrupted at random.

use mcu::{Outside, Reaction};
use rp2040::chip::Rp2040;
use units::Picoseconds;

use crate::asm::{Asm, If};
use crate::bench::*;
use crate::spi_dma::at_mhz;
use crate::waiting::same;
use testing::Random;

pub(crate) const PIO: [u32; 2] = [0x5020_0000, 0x5030_0000];
pub(crate) const DMA: u32 = 0x5000_0000;
pub(crate) const IO_BANK0: u32 = 0x4001_4000;
const TIMERAWL: u32 = 0x4005_4028;
pub(crate) const GPIO_IN: u32 = 0xd000_0004;
const GPIO_OUT_XOR: u32 = 0xd000_001c;
const PWM: u32 = 0x4005_0000;
const PWM_IRQ_WRAP: usize = 4;
const PIO0_IRQ_0: usize = 7;
const DMA_IRQ_0: usize = 11;
const IO_IRQ_BANK0: usize = 13;
/// What the core is to do, three words each, where it keeps what it reads, and what the DMA brings.
pub(crate) const TABLE: u32 = 0x2000_8000;
pub(crate) const SEEN: u32 = 0x2001_8000;
pub(crate) const WORDS: u32 = 0x2002_0000;
const ACTIONS: usize = 160;

/// Listens to every pin, and does nothing.
#[derive(Debug, Clone)]
pub(crate) struct Attentive;

impl Outside for Attentive {
    fn pins_changed(&mut self, _: Picoseconds, _: u32, _: u32, _: &mut Vec<Reaction>) {}

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

/// A core that does what the table says: 0 writes, 1 reads and keeps, 2 counts down, 4 waits until a register has any bit of a
/// mask and 5 until it has none, 7 waits until one of two registers shows something else, and keeps what and when.
pub(crate) fn table_driven(code: Asm, mhz: u32) -> Asm {
    let mut asm = at_mhz(mhz, code);
    asm.label("set up").bx(14).label("main").poke(ICPR, u32::MAX);
    asm.poke(ISER, 1 << PWM_IRQ_WRAP | 1 << PIO0_IRQ_0 | 1 << DMA_IRQ_0 | 1 << IO_IRQ_BANK0);
    asm.constant(4, TABLE).constant(5, SEEN);
    asm.label("next").ldr(0, 4, 0).ldr(1, 4, 4).ldr(2, 4, 8).adds(4, 12);
    asm.op(0x2800).b_if(If::Equal, "write").op(0x2801).b_if(If::Equal, "read").op(0x2802);
    asm.b_if(If::Equal, "count").op(0x2804).b_if(If::Equal, "wait set").op(0x2805);
    asm.b_if(If::Equal, "wait clear").op(0x2806).b_if(If::Equal, "sleep").op(0x2807);
    asm.b_if(If::Equal, "wait change").label("end").b("end").pool();
    // WFI.
    asm.label("sleep").op(0xbf30).b("next");
    asm.label("write").str(2, 1, 0).b("next");
    asm.label("read").ldr(3, 1, 0).str(3, 5, 0).adds(5, 4).b("next");
    asm.label("count").subs(2, 1).b_if(If::NotEqual, "count").b("next");
    // TST R3, R2.
    asm.label("wait set").ldr(3, 1, 0).op(0x4213).b_if(If::Equal, "wait set").b("next");
    asm.label("wait clear").ldr(3, 1, 0).op(0x4213).b_if(If::NotEqual, "wait clear").b("next");
    // CMP R7, R3 and CMP R7, R6.
    asm.label("wait change").ldr(3, 1, 0).ldr(6, 2, 0);
    asm.label("turn").ldr(7, 1, 0).op(0x429f).b_if(If::NotEqual, "changed");
    asm.ldr(7, 2, 0).op(0x42b7).b_if(If::Equal, "turn");
    asm.label("changed")
        .str(7, 5, 0)
        .constant(7, TIMERAWL)
        .ldr(7, 7, 0)
        .str(7, 5, 4)
        .adds(5, 8)
        .b("next")
        .pool();
    // A tick ends that wait: it alters R3 on the stack.
    asm.handler(15, "tick").ldr_sp(0, 12).adds(0, 1).str_sp(0, 12).bx(14);
    asm.handler(IRQ0 + DMA_IRQ_0, "moved").count(kept(2), 1).poke(DMA + 0x40c, 0xffff).bx(14).pool();
    asm.handler(IRQ0 + PIO0_IRQ_0, "flags").count(kept(0), 1).poke(PIO[0] + 0x30, 0xff).bx(14);
    // Slices that wrap all the time must not keep the core from everything else.
    asm.handler(IRQ0 + PWM_IRQ_WRAP, "wraps")
        .count(kept(3), 1)
        .poke(PWM + 0xac, 0)
        .poke(PWM + 0xa8, 0)
        .bx(14)
        .pool();
    asm.handler(IRQ0 + IO_IRQ_BANK0, "pins").count(kept(1), 1).poke(IO_BANK0 + 0xf0, u32::MAX).bx(14).pool();
    asm
}

/// An instruction that mostly goes on.
fn instruction(random: &mut Random, lively: bool) -> u32 {
    let word = random.any() as u32 & 0xffff;
    if !lively || random.one_in(8) {
        return word;
    }
    match random.of(&[0, 2, 3, 5, 7, 7]) {
        0 => word & 0x1fe7,
        opcode => word & 0x1fff | opcode << 13,
    }
}

pub(crate) fn program(random: &mut Random, block: u32, table: &mut Vec<[u32; 3]>) {
    let lively = !random.one_in(4);
    let mut write = |address, value| table.push([0, address, value]);
    for n in 0..32 {
        write(block + 0x48 + 4 * n, instruction(random, lively));
    }
    for machine in 0..4 {
        let at = block + 0xc8 + 0x18 * machine;
        let exec = random.any() as u32 & 0xe03f_ffff;
        let exec = if lively { exec & !(0x1f << 12 | 0x1f << 7) | random.below(8) << 12 } else { exec };
        write(at, random.of(&[1 << 16, 4 << 16, 3 << 16 | 0x55 << 8, 0x180 << 8]));
        write(at + 4, exec);
        write(at + 8, random.any() as u32 & !(0b11 << 30) & !(random.below(4) << 16));
        write(at + 0x14, random.any() as u32 & !(0x1c << 15 | 0x1c << 10 | 0x1c << 5 | 0x3c << 20 | 0x1c));
    }
    // One block of two is often at rest, and machines are.
    write(block, (random.any() & random.any()) as u32 & 0xf | if random.one_in(3) { 0 } else { 1 });
}

pub(crate) fn action(random: &mut Random) -> [u32; 3] {
    let block = random.of(&PIO);
    let machine = random.below(4);
    let value = random.any() as u32;
    match random.below(20) {
        0..=3 => [2, 0, 1 + random.below(3000)],
        4 => [2, 0, 1 + random.below(20)],
        5 | 6 => [0, block + 0x10 + 4 * machine, value],
        7 => [1, block + 0x20 + 4 * machine, 0],
        8 => [1, block + random.of(&[4, 8, 0xc, 0x30, 0xd4, 0x3c, 0x128]), 0],
        9 => [0, block + random.of(&[0x30, 0x34]), value & 0xff],
        10 => [1, GPIO_IN, 0],
        11 => [1, IO_BANK0 + 0xf0, 0],
        12 => [1, TIMERAWL, 0],
        13 => [0, IO_BANK0 + 0x100, if random.one_in(2) { 0xc << (4 * random.below(6)) } else { 0 }],
        14 => [0, PIO[0] + 0x12c, if random.one_in(2) { value & 0xf00 } else { 0 }],
        15 => [0, block, value & 0x0000_0fff & !(0xf << 4)],
        16 => [0, block + 0xd8 + 0x18 * machine, value & 0xffff],
        17 => [0, GPIO_OUT_XOR, value & 0x3f],
        18 => [0, block + 0x30, 0xff],
        _ => {
            // A channel feeds a machine: 0x3000_0000 words, or a few.
            let at = DMA + 0x40 * random.below(2);
            let words = random.of(&[5, 300, 0x3000_0000]);
            [3, at, words << 2 | random.below(4)]
        }
    }
}

fn table(seed: u64) -> Vec<[u32; 3]> {
    let mut random = Random::new(seed);
    let mut table = Vec::new();
    for pin in 0..6 {
        table.push([0, IO_BANK0 + 8 * pin + 4, random.of(&[6, 6, 7, 5])]);
    }
    table.push([0, 0xd000_0024, 0x3f]);
    for block in PIO {
        program(&mut random, block, &mut table);
    }
    for _ in 0..ACTIONS {
        match action(&mut random) {
            [3, at, words] => {
                let machine = words & 3;
                let control = 1 | 2 << 2 | 1 << 4 | 10 << 6 | machine << 15 | (at >> 6 & 0xf) << 11;
                let target = PIO[0] + 0x10 + 4 * machine;
                table.extend([[0, at, WORDS], [0, at + 4, target], [0, at + 8, words >> 2]]);
                table.push([0, at + 0xc, control]);
            }
            other => table.push(other),
        }
    }
    table.push([9, 0, 0]);
    table
}

fn chip(seed: u64, attentive: bool) -> Rp2040 {
    let mut chip = chip_with(table_driven(in_ram(), 125));
    let bytes: Vec<u8> = table(seed).as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.write_memory(WORDS, &Random::new(seed).bytes(1024)).expect("SRAM");
    chip.record_pins(0x3f);
    if attentive {
        chip.connect(Box::new(Attentive));
    }
    chip
}

pub(crate) fn edges(chip: &mut Rp2040) -> Vec<(i64, u8, bool)> {
    let mut edges: Vec<_> =
        chip.take_edges().iter().map(|edge| (edge.at.ps(), edge.pin, edge.level)).collect();
    edges.sort_unstable();
    edges
}

/// The registers of PIO0 but for its FIFOs, of which a look at one takes a word.
pub(crate) fn pio_registers() -> impl Iterator<Item = u32> {
    (0..0x144).filter(|register| !(0x10..0x30).contains(register)).map(|at| PIO[0] + at)
}

fn check(seed: u64) {
    let (mut quick, mut slow) = (chip(seed, false), chip(seed, true));
    let mut pieces = Random::new(seed);
    let mut end = Picoseconds::ZERO;
    for _ in 0..6 {
        end = end + us(300) + Picoseconds::new(i64::from(pieces.below(400_000_000)));
        quick.run_until(end);
        slow.run_until(end);
        same(&quick, &slow, &format!("seed {seed}"));
        let (one, other) = (edges(&mut quick), edges(&mut slow));
        let first = one.iter().zip(&other).position(|(one, other)| one != other);
        assert_eq!((first, one.len()), (None, other.len()), "seed {seed}: edges");
        for block in PIO {
            for register in (0..0x144).step_by(4).filter(|register| !(0x20..0x30).contains(register)) {
                let at = block + register;
                assert_eq!(quick.read_word(at), slow.read_word(at), "seed {seed}: {at:#x}");
            }
        }
    }
}

#[test]
fn blocks_that_nobody_listens_to_do_what_others_do() {
    for seed in 0..10 {
        check(seed);
    }
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_blocks_that_nobody_listens_to_do_what_others_do() {
    for seed in 100..1000 {
        check(seed);
    }
}

/// Keeps when a pin changed.
#[derive(Debug, Clone, Default)]
struct Listener {
    changes: Vec<Picoseconds>,
}

impl Outside for Listener {
    fn pins_changed(&mut self, at: Picoseconds, _: u32, _: u32, _: &mut Vec<Reaction>) {
        self.changes.push(at);
    }

    fn listens_to(&self) -> u32 {
        1
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

#[test]
fn every_edge_is_told_while_an_instruction_that_wakes_the_other_core_waits_for_the_flash() {
    let mut asm = in_flash();
    asm.poke(RESETS_CLEAR, u32::MAX).poke(IO_BANK0 + 4, 6);
    // The pin is set and cleared, four cycles each.
    for (at, value) in [
        (0x48, 0xe001),
        (0x4c, 0xe000),
        (0xc8, 4 << 16),
        (0xcc, 1 << 12),
        (0xdc, 1 << 26),
        (0xd8, 0xe081),
        (0, 1),
    ] {
        asm.poke(PIO[0] + at, value);
    }
    // Each in a line of the cache of its own, none of which was read before.
    asm.b("wake").pool().label("wake");
    for _ in 0..100 {
        asm.sev().nops(7);
    }
    asm.label("end").b("end");
    let mut chip = chip_with(asm);
    chip.connect(Box::new(Listener::default()));
    run(&mut chip, 1000);
    let outside: &dyn std::any::Any = chip.outside();
    let changes = &outside.downcast_ref::<Listener>().expect("it is the listener").changes;
    let distances: std::collections::BTreeSet<i64> =
        changes[1..].windows(2).map(|two| (two[1] - two[0]).ps()).collect();
    assert!(changes.len() > 500, "{}", changes.len());
    assert!(distances.len() <= 2, "four cycles each, to the picosecond: {distances:?}");
}
