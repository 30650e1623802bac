//! Instructions in the manual's notation, for reports.

use super::instruction::{Instruction, Pointer, Step, X, Y};

/// An instruction at the address of a byte; targets are addresses of bytes, as `avr-objdump` shows them.
pub fn disassemble(address: u32, instruction: Instruction) -> String {
    use Instruction as Op;
    let after = address + 2;
    let relative = |k: i32| format!("{:#x}", after.wrapping_add_signed(2 * k));
    match instruction {
        Op::Brbc { b, k } => format!("{} {}", BRANCHES_CLEAR[usize::from(b & 7)], relative(k.into())),
        Op::Brbs { b, k } => format!("{} {}", BRANCHES_SET[usize::from(b & 7)], relative(k.into())),
        Op::Bset { b } => format!("se{}", FLAGS[usize::from(b & 7)]),
        Op::Bclr { b } => format!("cl{}", FLAGS[usize::from(b & 7)]),
        Op::Jmp { k } => format!("jmp {:#x}", 2 * k),
        Op::Call { k } => format!("call {:#x}", 2 * k),
        Op::Rjmp { k } => format!("rjmp {}", relative(k.into())),
        Op::Rcall { k } => format!("rcall {}", relative(k.into())),
        Op::Ld { d, pointer } => format!("ld r{d}, {}", by(pointer)),
        Op::St { r, pointer } => format!("st {}, r{r}", by(pointer)),
        Op::Ldd { d, base, q } => format!("ldd r{d}, {}+{q}", name(base)),
        Op::Std { r, base, q } => format!("std {}+{q}, r{r}", name(base)),
        Op::Lds { d, k } => format!("lds r{d}, {k:#06x}"),
        Op::Sts { k, r } => format!("sts {k:#06x}, r{r}"),
        Op::Lpm { d, increment } => format!("lpm r{d}, {}", program(increment)),
        Op::Elpm { d, increment } => format!("elpm r{d}, {}", program(increment)),
        Op::Spm { increment } => format!("spm {}", program(increment)),
        Op::In { d, a } => format!("in r{d}, {a:#04x}"),
        Op::Out { a, r } => format!("out {a:#04x}, r{r}"),
        Op::Sbi { a, b } => format!("sbi {a:#04x}, {b}"),
        Op::Cbi { a, b } => format!("cbi {a:#04x}, {b}"),
        Op::Sbic { a, b } => format!("sbic {a:#04x}, {b}"),
        Op::Sbis { a, b } => format!("sbis {a:#04x}, {b}"),
        Op::Sbrc { r, b } => format!("sbrc r{r}, {b}"),
        Op::Sbrs { r, b } => format!("sbrs r{r}, {b}"),
        Op::Bld { d, b } => format!("bld r{d}, {b}"),
        Op::Bst { d, b } => format!("bst r{d}, {b}"),
        Op::Push { r } => format!("push r{r}"),
        Op::Undefined { word } => format!(".word {word:#06x}"),
        Op::Erased => ".word 0xffff".to_owned(),
        other => of_registers(other),
    }
}

/// Those that stand with their registers and constants in the order of their fields.
fn of_registers(instruction: Instruction) -> String {
    let text = format!("{instruction:?}").to_lowercase();
    let (mnemonic, fields) = text.split_once(" { ").unwrap_or((&text, ""));
    let value = |field: &str| {
        let (name, value) = field.split_once(": ").unwrap_or(("", field));
        let value = value.trim_end_matches([' ', '}']);
        if matches!(name.trim(), "d" | "r") { format!("r{value}") } else { value.to_owned() }
    };
    let operands: Vec<String> = fields.split(", ").filter(|field| !field.is_empty()).map(value).collect();
    format!("{mnemonic} {}", operands.join(", ")).trim_end().to_owned()
}

const FLAGS: [&str; 8] = ["c", "z", "n", "v", "s", "h", "t", "i"];
const BRANCHES_SET: [&str; 8] = ["brcs", "breq", "brmi", "brvs", "brlt", "brhs", "brts", "brie"];
const BRANCHES_CLEAR: [&str; 8] = ["brcc", "brne", "brpl", "brvc", "brge", "brhc", "brtc", "brid"];

fn name(base: u8) -> &'static str {
    match base {
        X => "X",
        Y => "Y",
        _ => "Z",
    }
}

fn by(pointer: Pointer) -> String {
    let name = name(pointer.base);
    match pointer.step {
        Step::Stays => name.to_owned(),
        Step::Up => format!("{name}+"),
        Step::Down => format!("-{name}"),
    }
}

fn program(increment: bool) -> &'static str {
    if increment { "Z+" } else { "Z" }
}
