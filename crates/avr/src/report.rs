//! What a user reads when an image fails or a run stops: sentences with the place, and a report of a fault with registers, the
//! calls that led there, and the last jumps.

use mcu::image::Symbols;
use mcu::{DebugEvent, Fault, FaultKind, FaultReport, Sleep, Stop};

use crate::chip::{Avr, DATA};
use crate::core::disassemble;

/// So many frames and jumps of a report are shown.
const FRAMES: usize = 12;
const JUMPS: usize = 8;
/// The stack is searched so far for return addresses.
const SEARCHED_BYTES: u16 = 512;

/// An address of code with its names: `main+0x1c (main.c:42)`, or the address alone.
fn place(symbols: &Symbols, address: u32) -> String {
    let name = match symbols.function_at(address) {
        Some((name, 0)) => name.to_owned(),
        Some((name, offset)) => format!("{name}+{offset:#x}"),
        None => return format!("{address:#06x}"),
    };
    match symbols.lines_at(address).first() {
        Some(line) => {
            let file = line.file.rsplit(['/', '\\']).next().unwrap_or(&line.file);
            format!("{name} ({file}:{})", line.line)
        }
        None => name,
    }
}

fn sentence(avr: &Avr, symbols: &Symbols, fault: Fault) -> String {
    let came_from = avr.state.core.last_jumps().next().filter(|jump| jump.to << 1 == fault.pc);
    let from = match (fault.kind, came_from) {
        (FaultKind::Erased | FaultKind::NoInstruction { .. }, Some(jump)) => {
            format!(", after a jump from {}", place(symbols, jump.from << 1))
        }
        _ => String::new(),
    };
    format!("core 0 faulted: {}, at {}{from}", fault.kind, place(symbols, fault.pc))
}

/// The report of a fault; its first line is what happened.
pub(crate) fn fault_report(avr: &Avr, symbols: &Symbols, fault: Fault) -> FaultReport {
    let core = &avr.state.core;
    let at = avr.io.time(core.cycle);
    let mut lines = vec![sentence(avr, symbols, fault)];
    if core.sp < avr.part.ram_start || core.sp > avr.part.ram_end() {
        lines.push(format!("note: the stack pointer {:#06x} is outside RAM", core.sp));
    }
    let erased = avr.io.devices.eeprom.erased_reads;
    if erased > 0 {
        lines.push(format!(
            "note: it has read {erased} bytes of EEPROM that nothing was written to; an image may bring them, at 0x810000"
        ));
    }
    let handler = avr.state.handlers.last().map(|vector| avr.part.vectors[usize::from(*vector) - 1]);
    let context = handler.map_or_else(|| "the program".to_owned(), |name| format!("the handler of {name}"));
    lines.push(format!("at {at}, cycle {}, in {context}", core.cycle));
    let code = &avr.io.devices.program.code;
    let instruction = code[(fault.pc >> 1) as usize % code.len()];
    lines.push(format!("pc    {:#06x}  {}", fault.pc, disassemble(fault.pc, instruction)));
    for row in 0..4 {
        let registers = (0..8).map(|column| {
            let number = 8 * row + column;
            format!("r{number:<2} {:02x}", core.r[number])
        });
        lines.push(registers.collect::<Vec<_>>().join("  "));
    }
    lines.push(format!("sreg  {:#04x} ({})   sp {:#06x}", core.sreg, flags(core.sreg), core.sp));
    lines.extend(backtrace(avr, symbols));
    lines.push("last jumps:".to_owned());
    let jumps = core.last_jumps().filter(|jump| (jump.from, jump.to) != (0, 0)).take(JUMPS);
    lines.extend(
        jumps.map(|jump| format!("  {} to {}", place(symbols, jump.from << 1), place(symbols, jump.to << 1))),
    );
    FaultReport { at, text: lines.join("\n") }
}

fn flags(sreg: u8) -> String {
    let letters = "CZNVSHTI".chars().enumerate();
    let on: String = letters.filter(|(bit, _)| sreg >> bit & 1 == 1).map(|(_, letter)| letter).collect();
    if on.is_empty() { "no flag set".to_owned() } else { on }
}

/// What on the stack is an address behind a call: frames are not marked on an AVR, so that each is a guess.
fn backtrace(avr: &Avr, symbols: &Symbols) -> Vec<String> {
    let core = &avr.state.core;
    let width = core.return_bytes();
    let byte =
        |address: u16| avr.state.ram.get(usize::from(address.wrapping_sub(avr.part.ram_start))).copied();
    let mut lines = vec!["backtrace, from what on the stack follows a call:".to_owned()];
    let mut at = core.sp.wrapping_add(1);
    let end = core.sp.saturating_add(SEARCHED_BYTES);
    while at < end && lines.len() <= FRAMES {
        let word = (0..width).try_fold(0u32, |word, offset| Some(word << 8 | u32::from(byte(at + offset)?)));
        let Some(word) = word else { break };
        if follows_call(avr, word) {
            lines.push(format!("  {:#06x}  {}", word << 1, place(symbols, word << 1)));
            at += width;
        } else {
            at += 1;
        }
    }
    lines
}

fn follows_call(avr: &Avr, word: u32) -> bool {
    use crate::core::Instruction as Op;
    let code = &avr.io.devices.program.code;
    let before = |words: u32| word.checked_sub(words).and_then(|word| code.get(word as usize)).copied();
    matches!(before(2), Some(Op::Call { .. }))
        || matches!(before(1), Some(Op::Rcall { .. } | Op::Icall | Op::Eicall))
}

/// Why a run stopped, without the time.
pub(crate) fn describe_stop(avr: &Avr, symbols: &Symbols, stop: Stop) -> String {
    match stop {
        Stop::Time => format!("the time is over: {}", describe_core(avr, symbols)),
        Stop::Asleep => {
            format!("the core sleeps and nothing can wake it ({})", describe_core(avr, symbols))
        }
        Stop::Fault(fault) | Stop::LockedUp(fault) => sentence(avr, symbols, fault),
        Stop::Debug(_, DebugEvent::Breakpoint(address)) => {
            format!("core 0 stands at a breakpoint, {}", place(symbols, address))
        }
        Stop::Debug(_, DebugEvent::Bkpt(_)) => {
            format!("core 0 executed BREAK at {}", place(symbols, avr.state.core.pc << 1))
        }
        Stop::Debug(_, DebugEvent::Watchpoint { address, write }) => {
            let what = if write { "wrote" } else { "read" };
            let by = place(symbols, avr.state.core.halted_at << 1);
            format!("core 0 {what} {:#06x}, which is watched, at {by}", address.wrapping_sub(DATA))
        }
        Stop::Ended(code) => format!("the image ended itself with code {code}"),
        Stop::BootLoader => "the image asked for a boot loader".to_owned(),
        Stop::Console => "something came from a console".to_owned(),
        Stop::Pin => "a watched pin changed its level".to_owned(),
        Stop::AwaitsLine => "it waits for what the other board sends".to_owned(),
    }
}

/// What the core is doing, in half a sentence.
pub(crate) fn describe_core(avr: &Avr, symbols: &Symbols) -> String {
    let at = place(symbols, avr.state.core.pc << 1);
    match avr.sleep() {
        Sleep::Interrupt if !avr.state.core.interrupts_are_enabled() => {
            format!("core 0 sleeps before {at} with interrupts disabled")
        }
        Sleep::Interrupt => format!("core 0 sleeps before {at}"),
        Sleep::Off if avr.state.is_in_reset => "core 0 is held in reset".to_owned(),
        Sleep::Off => format!("core 0 is held at {at}"),
        _ if avr.hangs() => format!("core 0 hangs at {at}: it jumps to itself for ever"),
        _ => format!("core 0 runs in {at}"),
    }
}

/// Where the core is caught in a jump to itself that no interrupt ends.
pub(crate) fn describe_hang(avr: &Avr, symbols: &Symbols) -> Option<String> {
    let hangs = avr.hangs() && !avr.state.core.interrupts_are_enabled();
    hangs.then(|| format!("core 0 jumps to itself for ever at {}", place(symbols, avr.state.core.pc << 1)))
}

/// What could come from outside and wake a core that sleeps.
pub(crate) fn wakes_from_outside(avr: &Avr) -> Vec<String> {
    if !avr.state.core.interrupts_are_enabled() || avr.state.asleep.is_none() {
        return Vec::new();
    }
    let usarts = avr.io.devices.usarts.iter().enumerate().filter(|(_, usart)| usart.wakes_by_receiving());
    let mut wakes: Vec<String> = usarts.map(|(port, _)| format!("uart{port} receives")).collect();
    let external = &avr.io.devices.external;
    if external.enabled != 0 || external.change_enabled != 0 {
        wakes.push("a pin changes".to_owned());
    }
    wakes
}
