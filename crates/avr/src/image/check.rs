//! What tells an image for one AVR from one for another: the machine in an ELF, the vectors in a raw binary, and the end of RAM
//! that start-up code loads into the stack pointer.

use mcu::image::{ElfHead, MemoryKind, Segment};

use crate::chips::{PARTS, Part};
use crate::core::{Instruction, decode};

/// The machine number of AVR (ELF, "Machine Numbers": EM_AVR).
const AVR: u16 = 83;
/// Machines that users meet, by number and name.
const MACHINES: [(u16, &str); 6] = [
    (40, "Arm"),
    (62, "x86-64"),
    (3, "x86"),
    (183, "AArch64"),
    (243, "RISC-V"),
    (94, "Xtensa (such as an ESP32 or ESP8266)"),
];
/// The addresses of SPH and SPL in I/O.
const SPH: u8 = 0x3e;
const SPL: u8 = 0x3d;
/// The ends of RAM of other chips that Arduino's and their relatives' boards have (avr-libc 2.0.0, RAMEND in `avr/iom*.h`).
const OTHERS: [(u16, &str); 8] = [
    (0x02ff, "ATmega48"),
    (0x045f, "ATmega8"),
    (0x04ff, "ATmega88 or ATmega168"),
    (0x085f, "ATmega16 or ATmega32"),
    (0x0aff, "ATmega32U4"),
    (0x10ff, "ATmega644, ATmega64 or ATmega128"),
    (0x40ff, "ATmega1284P"),
    (0x21ff, "ATmega1280 or ATmega2560"),
];

/// Why an ELF is for another machine.
pub(super) fn machine(part: &Part, head: &ElfHead) -> Result<(), String> {
    if head.machine == AVR && head.is_32_bit && head.is_little_endian {
        return Ok(());
    }
    let known = MACHINES.iter().find(|(number, _)| *number == head.machine);
    let name = known.map_or_else(|| format!("machine number {}", head.machine), |(_, name)| (*name).into());
    Err(format!(
        "it is an ELF for {name}, not for the {title}. Build it with avr-gcc -mmcu={}",
        part.name,
        title = part.title
    ))
}

/// Why segments are for another AVR.
pub(super) fn stack(part: &Part, segments: &[Segment]) -> Result<(), String> {
    let in_flash = segments.iter().filter(|segment| segment.memory().kind == MemoryKind::Flash);
    let Some(end) = in_flash.filter_map(|segment| first_stack(&segment.bytes)).next() else { return Ok(()) };
    if end == part.ram_end() {
        return Ok(());
    }
    let own = PARTS.iter().find(|other| other.ram_end() == end).map(|other| other.title);
    let other = own.or_else(|| OTHERS.iter().find(|(ram_end, _)| *ram_end == end).map(|(_, name)| *name));
    // A program may put its first stack elsewhere in the RAM that there is.
    if other.is_none() && end <= part.ram_end() {
        return Ok(());
    }
    let other = other.unwrap_or("AVR that is not known here");
    Err(format!(
        "it is for the {other}, not for the {title}: its start-up code puts the stack at {end:#06x}, but the {title}'s RAM \
         ends at {:#06x}. Build it with -mmcu={}",
        part.ram_end(),
        part.name,
        title = part.title
    ))
}

/// The stack pointer that start-up code sets first: two LDI and two OUT, in whichever order a compiler writes them.
fn first_stack(code: &[u8]) -> Option<u16> {
    let mut loaded = [None::<u8>; 32];
    let mut halves = [None::<u8>; 2];
    let words: Vec<u16> = code.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        match decode(word, words.get(at + 1).copied().unwrap_or(0)) {
            Instruction::Ldi { d, k } => loaded[usize::from(d)] = Some(k),
            Instruction::Out { a: SPH, r } => halves[1] = loaded[usize::from(r)],
            Instruction::Out { a: SPL, r } => halves[0] = loaded[usize::from(r)],
            // Start-up code is no loop, and what comes before it says nothing.
            Instruction::Jmp { .. } | Instruction::Rjmp { .. } | Instruction::Ret => {
                loaded = [None; 32];
            }
            _ => {}
        }
        if let [Some(low), Some(high)] = halves {
            return Some(u16::from_le_bytes([low, high]));
        }
        at += Instruction::words_of(word) as usize;
    }
    None
}

/// Why a raw binary is no program for an AVR: it does not begin with the vectors of one.
pub(super) fn vectors(part: &Part, bytes: &[u8]) -> Result<(), String> {
    let is_jump = |vector: usize| {
        let place = bytes.get(4 * vector..4 * vector + 4)?;
        let words = [u16::from_le_bytes([place[0], place[1]]), u16::from_le_bytes([place[2], place[3]])];
        Some(matches!(decode(words[0], words[1]), Instruction::Jmp { .. } | Instruction::Rjmp { .. }))
    };
    if (0..=part.order.len()).all(|vector| is_jump(vector) == Some(true)) {
        return Ok(());
    }
    Err(format!(
        "it is no image for the {}: no ELF, no Intel HEX, and as a raw binary it does not begin with {} vectors. Give an .elf \
         or .hex",
        part.title,
        part.order.len() + 1
    ))
}
