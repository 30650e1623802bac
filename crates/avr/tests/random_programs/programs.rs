//! Programs made at random: noise, valid code on random registers, and code that writes to the registers of peripherals. All but
//! the noise have handlers for each interrupt, and begin anew behind their end.

use testing::Random;

/// The words of a program.
pub(crate) const WORDS: usize = 0x800;
const VECTORS: usize = 57;
const NOP: u16 = 0x0000;
const SEI: u16 = 0x9478;
const RETI: u16 = 0x9518;
const JMP: u16 = 0x940c;

/// The kinds of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Noise,
    /// Noise behind vectors that jump into it.
    NoiseBehindVectors,
    Code,
    Pokes,
    Mixed,
    /// A handler never returns: it begins the program anew.
    HandlersThatStay,
}

pub(crate) const KINDS: [Kind; 6] =
    [Kind::Noise, Kind::NoiseBehindVectors, Kind::Code, Kind::Pokes, Kind::Mixed, Kind::HandlersThatStay];

/// A program as a file of Intel HEX.
pub(crate) fn make(kind: Kind, flash_bytes: u32, random: &mut Random) -> Vec<u8> {
    let words = match kind {
        Kind::Noise => noise(WORDS, random),
        Kind::NoiseBehindVectors => [vectors(random), noise(WORDS - 2 * VECTORS, random)].concat(),
        Kind::Code => program(random, false, code),
        Kind::Pokes => program(random, false, poke),
        Kind::Mixed => program(random, false, mixed),
        Kind::HandlersThatStay => program(random, true, poke),
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut text = rows(0, &bytes);
    if random.one_in(4) {
        // A boot loader's section, which code may call and SPM may run in.
        let start = flash_bytes - 0x200;
        let [high, low] = ((start >> 16) as u16).to_be_bytes();
        let section: Vec<u8> = noise(0x100, random).iter().flat_map(|word| word.to_le_bytes()).collect();
        text += &record(0, 4, &[high, low]);
        text += &rows(start as u16, &section);
    }
    (text + ":00000001FF\n").into_bytes()
}

/// A byte as registers get them: any, one bit, a small one, all but one bit.
pub(crate) fn value(random: &mut Random) -> u8 {
    match random.below(5) {
        0 => random.any() as u8,
        1 => 1 << random.below(8),
        2 => random.below(8) as u8,
        3 => !(1 << random.below(8)),
        _ => random.of(&[0, 0xff, 0x80, 0x7f]),
    }
}

fn rows(start: u16, bytes: &[u8]) -> String {
    let addresses = (u32::from(start)..).step_by(16);
    addresses.zip(bytes.chunks(16)).map(|(at, row)| record(at as u16, 0, row)).collect()
}

fn record(address: u16, kind: u8, bytes: &[u8]) -> String {
    let [high, low] = address.to_be_bytes();
    let mut all = [&[bytes.len() as u8, high, low, kind], bytes].concat();
    all.push(all.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte)));
    format!(":{}\n", all.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
}

fn noise(count: usize, random: &mut Random) -> Vec<u16> {
    (0..count).map(|_| random.any() as u16).collect()
}

fn vectors(random: &mut Random) -> Vec<u16> {
    let place =
        |random: &mut Random| 2 * VECTORS as u16 + random.below(WORDS as u32 - 2 * VECTORS as u32) as u16;
    (0..VECTORS).flat_map(|_| [JMP, place(random)]).collect()
}

/// Vectors, a handler, and a body between a stack and a jump back to it.
fn program(random: &mut Random, handlers_stay: bool, body: fn(&mut Vec<u16>, &mut Random)) -> Vec<u16> {
    let handler = 2 * VECTORS as u16;
    let main = handler + 2;
    let target = if handlers_stay { main } else { handler };
    let mut words = vec![JMP, main];
    words.extend([JMP, target].repeat(VECTORS - 1));
    words.extend([RETI, NOP]);
    // The stack at 0x08ff or below.
    words.extend([ldi(16, 0xff - random.below(0x40) as u8), out(0x3d, 16), ldi(16, 8), out(0x3e, 16)]);
    if !random.one_in(4) {
        words.push(SEI);
    }
    while words.len() < WORDS - 8 {
        body(&mut words, random);
        if random.one_in(16) {
            break;
        }
    }
    words.extend([JMP, main]);
    words
}

fn ldi(register: u16, value: u8) -> u16 {
    let value = u16::from(value);
    0xe000 | (value & 0xf0) << 4 | (register - 16) << 4 | value & 0xf
}

fn out(address: u16, register: u16) -> u16 {
    0xb800 | (address & 0x30) << 5 | register << 4 | address & 0xf
}

/// A register of a peripheral gets a value, or is read.
fn poke(words: &mut Vec<u16>, random: &mut Random) {
    let register = 16 + random.below(8) as u16;
    let address = 0x20 + random.below(0x120) as u16;
    words.push(ldi(register, value(random)));
    match random.below(6) {
        0 => words.extend([0x9000 | register << 4, address]),
        1 => words.push(out(random.below(0x3d) as u16, register)),
        2 => words.push(0x9a00 | random.below(0x100) as u16),
        // SLEEP, WDR, SPM, SEI.
        3 if random.one_in(8) => words.push(random.of(&[0x9588, 0x95a8, 0x95e8, SEI])),
        _ => words.extend([0x9200 | register << 4, address]),
    }
}

/// An instruction of any kind; those that go elsewhere go over one or two words.
fn code(words: &mut Vec<u16>, random: &mut Random) {
    let any = random.any() as u16;
    let register = any >> 4 & 0x1f;
    match random.below(16) {
        // Registers with registers, and with numbers.
        0..=3 => words.push(any & 0x2fff | 0x0400),
        4 | 5 => words.push(0x3000 | any & 0x4fff),
        // Loads and stores through pointers, which are set now and then.
        6 => words.extend([
            ldi(26 + 2 * (any % 3), value(random)),
            ldi(27 + 2 * (any % 3), random.below(10) as u8),
        ]),
        7 => words.push(0x8000 | any & 0x2fff),
        8 => words
            .push(0x9000 | register << 4 | any & 0x0200 | random.of(&[1, 2, 4, 5, 6, 7, 9, 10, 12, 13, 14])),
        9 => words.push(0x900f | any & 0x03f0),
        10 => words.push(0xb000 | any & 0x0fff),
        // Branches and skips over what follows.
        11 => words.extend([0xf000 | any & 0x0407 | random.of(&[0, 1]) << 3, NOP, NOP]),
        12 => words.push(0xfc00 | any & 0x03f7),
        // One register; bits of SREG; multiplications; words.
        13 => words.push(0x9400 | register << 4 | random.of(&[0, 1, 2, 3, 5, 6, 7, 8, 10])),
        14 => words.push(random.of(&[0x9600, 0x9700, 0x9c00]) | any & 0xff),
        _ => special(words, random),
    }
}

fn special(words: &mut Vec<u16>, random: &mut Random) {
    let here = words.len() as u16;
    match random.below(8) {
        0 => words.push(random.of(&[0x9588, 0x95a8, 0x95c8, 0x95d8, 0x95e8, 0x95f8, 0x9598])),
        // Calls of what follows, whose address stays on the stack.
        1 => words.push(0xd000),
        2 => words.extend([0x940e, here + 2]),
        // Calls and jumps through Z to what follows.
        3 => {
            let target = here + 4;
            words.extend([
                ldi(30, target as u8),
                ldi(31, (target >> 8) as u8),
                random.of(&[0x9409, 0x9509]),
                NOP,
            ]);
        }
        4 => words.push(random.of(&[0x9508, RETI])),
        5 => words.extend([0x9200 | 16 << 4, random.any() as u16]),
        6 => words.push(random.any() as u16),
        _ => words.push(0xb800 | random.any() as u16 & 0x07ff),
    }
}

fn mixed(words: &mut Vec<u16>, random: &mut Random) {
    if random.one_in(3) { poke(words, random) } else { code(words, random) }
}
