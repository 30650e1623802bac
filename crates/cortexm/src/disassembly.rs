//! The disassembler: Thumb code of ARMv6-M in unified syntax, in the words of GNU objdump (ARMv6-M Architecture Reference
//! Manual A5 to A7). It stands apart from the decoder, whose operations no longer tell one encoding from another. What
//! ARMv6-M does not have is shown as its halfword.

#[cfg(test)]
mod tests;

use std::fmt;

use mcu::image::Symbols;

/// An instruction in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Its text, without the target of a branch.
    pub text: String,
    /// 2 or 4.
    pub bytes: u32,
    /// Where a branch goes, or what a load or `add` relative to the program counter means.
    pub target: Option<Target>,
}

/// What an instruction relative to the program counter means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The next instruction, if the branch is taken.
    Branch(u32),
    /// The address of data.
    Data(u32),
}

impl Instruction {
    fn plain(text: String) -> Self {
        Self { text, bytes: 2, target: None }
    }

    fn wide(text: String) -> Self {
        Self { text, bytes: 4, target: None }
    }

    fn branch(mnemonic: &str, target: u32, bytes: u32) -> Self {
        Self { text: mnemonic.to_owned(), bytes, target: Some(Target::Branch(target)) }
    }

    fn relative(text: String, address: u32) -> Self {
        Self { text, bytes: 2, target: Some(Target::Data(address)) }
    }

    /// The text with the target's name.
    pub fn with_names(&self, symbols: &Symbols) -> String {
        let name = |address| match symbols.function_at(address) {
            Some((function, 0)) => format!("{address:#010x} <{function}>"),
            Some((function, offset)) => format!("{address:#010x} <{function}+{offset:#x}>"),
            None => format!("{address:#010x}"),
        };
        match self.target {
            Some(Target::Branch(target)) => format!("{} {}", self.text, name(target)),
            Some(Target::Data(address)) => format!("{} @ {}", self.text, name(address)),
            None => self.text.clone(),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.with_names(&Symbols::default()))
    }
}

const REGISTERS: [&str; 16] =
    ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "sl", "fp", "ip", "sp", "lr", "pc"];
const CONDITIONS: [&str; 14] =
    ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// The instruction at an address. `second` is the halfword behind it, which only 32-bit instructions need.
pub fn disassemble(address: u32, first: u16, second: u16) -> Instruction {
    let code = u32::from(first);
    let text = match code >> 11 {
        0b00000..=0b00010 => shift_immediate(code),
        0b00011 => add_subtract(code),
        0b00100..=0b00111 => immediate8(code),
        0b01000 if code >> 10 == 0b010000 => data_processing(code),
        0b01000 => special_data(code),
        0b01001 => return relative(address, code, |rd, offset| format!("ldr {rd}, [pc, #{offset}]")),
        0b01010 | 0b01011 => load_store_register(code),
        0b01100..=0b10011 => load_store_immediate(code),
        0b10100 => return relative(address, code, |rd, offset| format!("add {rd}, pc, #{offset}")),
        0b10101 => Some(format!("add {}, sp, #{}", low(code, 8), (code & 0xff) << 2)),
        0b10110 | 0b10111 => miscellaneous(code),
        0b11000 | 0b11001 => multiple(code),
        0b11010 | 0b11011 if code >> 8 & 15 < 14 => {
            let mnemonic = format!("b{}.n", CONDITIONS[(code >> 8 & 15) as usize]);
            return Instruction::branch(&mnemonic, branch_target(address, code & 0xff, 8), 2);
        }
        0b11011 if code >> 8 & 15 == 14 => Some(format!("udf #{}", code & 0xff)),
        0b11011 => Some(format!("svc {}", code & 0xff)),
        0b11100 => return Instruction::branch("b.n", branch_target(address, code & 0x7ff, 11), 2),
        _ => return wide(address, code, u32::from(second)),
    };
    Instruction::plain(text.unwrap_or_else(|| unknown(code)))
}

fn unknown(code: u32) -> String {
    format!(".short {code:#06x}")
}

fn low(code: u32, shift: u32) -> &'static str {
    REGISTERS[(code >> shift & 7) as usize]
}

fn sign_extend(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)) as i32 >> (32 - bits)) as u32
}

fn branch_target(address: u32, halfwords: u32, bits: u32) -> u32 {
    address.wrapping_add(4).wrapping_add(sign_extend(halfwords, bits) << 1)
}

fn relative(address: u32, code: u32, text: impl Fn(&str, u32) -> String) -> Instruction {
    let offset = (code & 0xff) << 2;
    let data = (address.wrapping_add(4) & !3).wrapping_add(offset);
    Instruction::relative(text(low(code, 8), offset), data)
}

fn shift_immediate(code: u32) -> Option<String> {
    let (rd, rm, amount) = (low(code, 0), low(code, 3), code >> 6 & 31);
    Some(match (code >> 11, amount) {
        (0, 0) => format!("movs {rd}, {rm}"),
        (0, _) => format!("lsls {rd}, {rm}, #{amount}"),
        (1, _) => format!("lsrs {rd}, {rm}, #{}", if amount == 0 { 32 } else { amount }),
        (_, _) => format!("asrs {rd}, {rm}, #{}", if amount == 0 { 32 } else { amount }),
    })
}

fn add_subtract(code: u32) -> Option<String> {
    let mnemonic = if code >> 9 & 1 == 0 { "adds" } else { "subs" };
    let third = if code >> 10 & 1 == 0 { low(code, 6).to_owned() } else { format!("#{}", code >> 6 & 7) };
    Some(format!("{mnemonic} {}, {}, {third}", low(code, 0), low(code, 3)))
}

fn immediate8(code: u32) -> Option<String> {
    let mnemonic = ["movs", "cmp", "adds", "subs"][(code >> 11 & 3) as usize];
    Some(format!("{mnemonic} {}, #{}", low(code, 8), code & 0xff))
}

fn data_processing(code: u32) -> Option<String> {
    const MNEMONICS: [&str; 16] = [
        "ands", "eors", "lsls", "lsrs", "asrs", "adcs", "sbcs", "rors", "tst", "negs", "cmp", "cmn", "orrs",
        "muls", "bics", "mvns",
    ];
    Some(format!("{} {}, {}", MNEMONICS[(code >> 6 & 15) as usize], low(code, 0), low(code, 3)))
}

fn special_data(code: u32) -> Option<String> {
    let number = (code & 7 | code >> 4 & 8) as usize;
    let source = (code >> 3 & 15) as usize;
    let (rd, rm) = (REGISTERS[number], REGISTERS[source]);
    match (code >> 8 & 3, number, source) {
        (0, 15, 15) | (1, 15, _) | (1, _, 15) | (3, _, 15) => None,
        (0, _, _) => Some(format!("add {rd}, {rm}")),
        (1, _, _) => Some(format!("cmp {rd}, {rm}")),
        // What assemblers for older cores make of `nop`.
        (2, 8, 8) => Some("nop".to_owned()),
        (2, _, _) => Some(format!("mov {rd}, {rm}")),
        _ if code & 0x80 == 0 => Some(format!("bx {rm}")),
        _ => Some(format!("blx {rm}")),
    }
}

fn load_store_register(code: u32) -> Option<String> {
    const MNEMONICS: [&str; 8] = ["str", "strh", "strb", "ldrsb", "ldr", "ldrh", "ldrb", "ldrsh"];
    let mnemonic = MNEMONICS[(code >> 9 & 7) as usize];
    Some(format!("{mnemonic} {}, [{}, {}]", low(code, 0), low(code, 3), low(code, 6)))
}

fn load_store_immediate(code: u32) -> Option<String> {
    let offset = code >> 6 & 31;
    let (mnemonic, scale) = match code >> 11 {
        0b01100 => ("str", 2),
        0b01101 => ("ldr", 2),
        0b01110 => ("strb", 0),
        0b01111 => ("ldrb", 0),
        0b10000 => ("strh", 1),
        0b10001 => ("ldrh", 1),
        relative => {
            let mnemonic = if relative & 1 == 0 { "str" } else { "ldr" };
            return Some(format!("{mnemonic} {}, [sp, #{}]", low(code, 8), (code & 0xff) << 2));
        }
    };
    Some(format!("{mnemonic} {}, [{}, #{}]", low(code, 0), low(code, 3), offset << scale))
}

fn miscellaneous(code: u32) -> Option<String> {
    let two = |mnemonic: &str| Some(format!("{mnemonic} {}, {}", low(code, 0), low(code, 3)));
    match code >> 6 & 0x3f {
        0b000000 | 0b000001 => Some(format!("add sp, #{}", (code & 0x7f) << 2)),
        0b000010 | 0b000011 => Some(format!("sub sp, #{}", (code & 0x7f) << 2)),
        0b001000 => two("sxth"),
        0b001001 => two("sxtb"),
        0b001010 => two("uxth"),
        0b001011 => two("uxtb"),
        0b010000..=0b010111 if code & 0x1ff != 0 => {
            Some(format!("push {}", list(code & 0xff | (code & 0x100) << 6)))
        }
        0b011001 if code & 0x2f == 0x22 => {
            Some(format!("cpsi{} i", if code >> 4 & 1 == 0 { "e" } else { "d" }))
        }
        0b101000 => two("rev"),
        0b101001 => two("rev16"),
        0b101011 => two("revsh"),
        0b110000..=0b110111 if code & 0x1ff != 0 => {
            Some(format!("pop {}", list(code & 0xff | (code & 0x100) << 7)))
        }
        0b111000..=0b111011 => Some(format!("bkpt {:#06x}", code & 0xff)),
        0b111100..=0b111111 => hint(code),
        _ => None,
    }
}

fn hint(code: u32) -> Option<String> {
    match (code & 15, code >> 4 & 15) {
        (0, number @ 0..5) => Some(["nop", "yield", "wfe", "wfi", "sev"][number as usize].to_owned()),
        (0, number) => Some(format!("nop {{{number}}}")),
        _ => None,
    }
}

fn multiple(code: u32) -> Option<String> {
    let (base, registers) = (low(code, 8), code & 0xff);
    let is_load = code >> 11 & 1 == 1;
    let keeps_base = is_load && registers >> (code >> 8 & 7) & 1 == 1;
    let (mnemonic, mark) = (if is_load { "ldmia" } else { "stmia" }, if keeps_base { "" } else { "!" });
    (registers != 0).then(|| format!("{mnemonic} {base}{mark}, {}", list(registers)))
}

fn list(registers: u32) -> String {
    let names: Vec<&str> =
        (0..16).filter(|bit| registers >> bit & 1 == 1).map(|bit| REGISTERS[bit]).collect();
    format!("{{{}}}", names.join(", "))
}

/// The 32-bit instructions (A5.3).
fn wide(address: u32, first: u32, second: u32) -> Instruction {
    if first >> 11 != 0b11110 || second >> 15 == 0 {
        return Instruction::plain(unknown(first));
    }
    let number = second & 0xff;
    match (second >> 12 & 7, first >> 4 & 0x7f) {
        (0b101 | 0b111, _) => Instruction::branch("bl", call_target(address, first, second), 4),
        (0b000 | 0b010, 0b0111000 | 0b0111001) if !matches!(first & 15, 13 | 15) => {
            Instruction::wide(format!("msr {}, {}", special(number), REGISTERS[(first & 15) as usize]))
        }
        (0b000 | 0b010, 0b0111011) if matches!(second >> 4 & 15, 4..=6) => {
            let mnemonic = ["dsb", "dmb", "isb"][(second >> 4 & 15) as usize - 4];
            let option = if second & 15 == 15 { "sy".to_owned() } else { format!("#{}", second & 15) };
            Instruction::wide(format!("{mnemonic} {option}"))
        }
        (0b000 | 0b010, 0b0111110 | 0b0111111) if !matches!(second >> 8 & 15, 13 | 15) => {
            let rd = REGISTERS[(second >> 8 & 15) as usize];
            Instruction::wide(format!("mrs {rd}, {}", special(number)))
        }
        (0b010, 0b1111111) => Instruction::wide(format!("udf.w #{}", (first & 15) << 12 | second & 0xfff)),
        _ => Instruction::wide(format!(".short {first:#06x}, {second:#06x}")),
    }
}

fn call_target(address: u32, first: u32, second: u32) -> u32 {
    let sign = first >> 10 & 1;
    let i1 = !(second >> 13 ^ sign) & 1;
    let i2 = !(second >> 11 ^ sign) & 1;
    let halfwords = sign << 23 | i1 << 22 | i2 << 21 | (first & 0x3ff) << 11 | second & 0x7ff;
    branch_target(address, halfwords, 24)
}

/// The special registers by SYSm (B5.1.1).
fn special(number: u32) -> String {
    let name = match number {
        0 => "APSR",
        1 => "IAPSR",
        2 => "EAPSR",
        3 => "XPSR",
        5 => "IPSR",
        6 => "EPSR",
        7 => "IEPSR",
        8 => "MSP",
        9 => "PSP",
        16 => "PRIMASK",
        20 => "CONTROL",
        _ => return format!("{number}"),
    };
    name.to_owned()
}
