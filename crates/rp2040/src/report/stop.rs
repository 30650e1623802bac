//! Why a run stopped, in a sentence, with what each core was doing.

use crate::chip::Rp2040;
use crate::report::place::{Place, halfwords};
use crate::report::registers::{Registers, reader};
use crate::report::{Backtrace, FaultReport};
use crate::rom::RomFunction;
use cortexm::{Branch, Core, PC};
use mcu::image::Symbols;
use mcu::{DebugEvent, Fault, FaultKind, Sleep, Stop, udf_number};

/// So many equal branches one after another are a loop.
const LOOP_BRANCHES: usize = 32;
const BKPT_0: u16 = 0xbe00;
/// A branch to the instruction before it.
const BRANCH_BACK: u16 = 0xe7fd;
const WFE: u16 = 0xbf20;
const WFI: u16 = 0xbf30;

/// Why a run stopped, in a sentence without the time.
pub fn describe_stop(chip: &Rp2040, symbols: &Symbols, stop: Stop) -> String {
    match stop {
        Stop::Asleep if chip.sys_hz() == 0 => describe_stopped_clock(chip).unwrap_or_default(),
        Stop::Time => format!("the time is over: {}", describe_cores(chip, symbols)),
        Stop::Asleep => {
            format!("every core sleeps and nothing can wake it ({})", describe_cores(chip, symbols))
        }
        Stop::Fault(fault) => fault_sentence(&FaultReport::of(chip, symbols, fault), chip, fault),
        Stop::LockedUp(fault) => locked_up(&FaultReport::of(chip, symbols, fault), chip, fault),
        Stop::Debug(core, event) => debug_event(chip, symbols, core, event),
        Stop::Ended(0) => "the image ended itself (semihosting exit)".to_owned(),
        Stop::Ended(code) => format!("the image ended itself with code {code} (semihosting exit)"),
        Stop::BootLoader => boot_loader(chip, symbols),
        Stop::Console => "something came from a console".to_owned(),
        Stop::Pin => "a watched pin changed its level".to_owned(),
        Stop::AwaitsLine => "it waits for what the other board sends".to_owned(),
    }
}

/// The status of an image that ended itself with `BKPT #0` in a loop, which is R0: what `_exit(status)` of the Pico SDK, and
/// its start-up code after `main`, come down to.
pub fn end_status(chip: &Rp2040, fault: Fault) -> Option<u32> {
    let (first, second) = halfwords(&reader(chip), fault.pc)?;
    let loops = first == BKPT_0 && second == BRANCH_BACK;
    let kept = chip.at_fault().filter(|kept| kept.fault == fault)?;
    (loops && fault.kind == FaultKind::Bkpt { number: 0 }).then(|| kept.core.registers()[0])
}

fn fault_sentence(report: &FaultReport, chip: &Rp2040, fault: Fault) -> String {
    let instruction = match fault.kind {
        FaultKind::Bkpt { number } => Some(format!("BKPT #{number}")),
        // How a panic of Rust and a trap of a compiler end.
        FaultKind::Undefined { code } => udf_number(code).map(|number| format!("UDF #{number}")),
        _ => None,
    };
    let Some(instruction) = instruction else { return report.what.clone() };
    let calls = |part: &str| calls(&report.backtrace, part);
    let ends = end_status(chip, fault).is_some();
    let reason = match &report.place.function {
        None if ends => "the image ended itself: its main returned, or it panicked or called exit",
        None => return report.what.clone(),
        _ if calls("panic") => "the image panicked",
        _ if calls("assert") => "an assertion of the image failed",
        _ if calls("abort") => "the image aborted",
        _ if calls("hard_fault") || calls("HardFault") => "the image's HardFault handler gave up",
        Some((name, _)) if name == "_exit" => "the image's main returned, or called exit",
        _ if ends => "the image ended itself",
        _ => return report.what.clone(),
    };
    format!("{reason} ({instruction} at {}, core {})", report.place, report.core)
}

/// Whether a function with such a name is active.
fn calls(backtrace: &Backtrace, part: &str) -> bool {
    backtrace.frames.iter().any(|frame| {
        let inlined = frame.place.lines.iter().filter_map(|line| line.function.as_deref());
        let mut names = inlined.chain(frame.place.function.as_ref().map(|(name, _)| name.as_str()));
        names.any(|name| name.contains(part))
    })
}

fn locked_up(report: &FaultReport, chip: &Rp2040, fault: Fault) -> String {
    let no_handler = chip.at_fault().is_some_and(|kept| kept.fault == fault && kept.no_handler.is_some());
    let why = match report.notes.last() {
        Some(note) if no_handler => note.as_str(),
        _ => "that was while it handled a fault or NMI already",
    };
    format!("{}; {why}, so that core {} is locked up", report.what, fault.core)
}

fn debug_event(chip: &Rp2040, symbols: &Symbols, core: usize, event: DebugEvent) -> String {
    let here = Place::of(chip.core(core).registers()[PC], symbols);
    match event {
        DebugEvent::Breakpoint(_) => format!("core {core} stands at the breakpoint at {here}"),
        DebugEvent::Bkpt(number) => format!("core {core} executed BKPT #{number} at {here}"),
        DebugEvent::Watchpoint { address, write } => {
            let did = if write { "wrote to" } else { "read" };
            format!("core {core} {did} the watched address {address:#010x}, and stands at {here}")
        }
    }
}

fn boot_loader(chip: &Rp2040, symbols: &Symbols) -> String {
    let asked = (0..2).find(|&core| {
        let pc = chip.core(core).registers()[PC];
        let code = halfwords(&reader(chip), pc).map_or(0, |(first, _)| first);
        chip.rom().function_at(pc, code) == Some(RomFunction::ResetUsbBoot)
    });
    match asked {
        Some(core) => {
            let link = chip.core(core).registers()[cortexm::LR];
            let caller = Place::of_return(link & !1, symbols);
            format!("the image asked for the USB boot loader (core {core}, called from {caller})")
        }
        None => {
            "the boot ROM found no second stage in flash after a reset, and went to its USB boot loader; \
                 or the image asked for that"
                .to_owned()
        }
    }
}

/// What the cores are doing, in half a sentence each.
pub fn describe_cores(chip: &Rp2040, symbols: &Symbols) -> String {
    format!("{}, {}", core_sentence(chip, symbols, 0), core_sentence(chip, symbols, 1))
}

/// Why clk_sys stands, in half a sentence.
pub fn describe_stopped_clock(chip: &Rp2040) -> Option<String> {
    if chip.sys_hz() > 0 {
        return None;
    }
    let clocks = chip.clock_tree();
    let source = clocks.source_of_clk_sys();
    Some(match (clocks.is_dormant(), source) {
        (true, _) => "the chip is dormant until a pin wakes its oscillator".to_owned(),
        (false, "no clock") => "clk_sys stands still, because it is given no source".to_owned(),
        (false, _) => format!("clk_sys stands still, because {source}, its source, has no clock"),
    })
}

/// Which core is caught in an instruction that branches to itself, and where, in half a sentence.
pub fn describe_hang(chip: &Rp2040, symbols: &Symbols) -> Option<String> {
    let core = (0..2).find(|&id| chip.core(id).sleep() == Sleep::Awake && hangs(chip, id))?;
    Some(core_sentence(chip, symbols, core))
}

/// Whether a core branches to itself where nothing will take it away from there: outside of handlers an interrupt may, as in the
/// idle tasks of operating systems.
fn hangs(chip: &Rp2040, id: usize) -> bool {
    let core = chip.core(id);
    let waits = Registers::of(core).exception() == 0 && chip.may_be_interrupted(id);
    !waits && loop_of(core).is_some_and(|last| last.from == last.to)
}

/// What a core is doing.
fn core_sentence(chip: &Rp2040, symbols: &Symbols, id: usize) -> String {
    let core = chip.core(id);
    let pc = core.registers()[PC];
    match core.sleep() {
        Sleep::Awake => format!("core {id} {}", activity(chip, symbols, id)),
        Sleep::Interrupt => format!("core {id} in {}", asleep(chip, symbols, pc, "WFI", WFI)),
        Sleep::Event => format!("core {id} in {}", asleep(chip, symbols, pc, "WFE", WFE)),
        Sleep::Launch => format!("core {id} not launched"),
        Sleep::Off => match chip.at_fault().filter(|kept| kept.core.id == id) {
            Some(kept) => {
                format!("core {id} locked up after a fault at {}", Place::of(kept.fault.pc, symbols))
            }
            None => format!("core {id} switched off"),
        },
    }
}

/// The instruction before the program counter is the one that sleeps, unless the core sleeps between two exceptions.
fn asleep(chip: &Rp2040, symbols: &Symbols, pc: u32, name: &str, code: u16) -> String {
    let at = pc.wrapping_sub(2);
    match halfwords(&reader(chip), at) {
        Some((first, _)) if first == code => format!("{name} at {}", Place::of(at, symbols)),
        _ => format!("sleep on exit from an exception, at {}", Place::of(pc, symbols)),
    }
}

/// Where a core that is awake runs, or in which loop it is caught.
fn activity(chip: &Rp2040, symbols: &Symbols, id: usize) -> String {
    let core = chip.core(id);
    let registers = Registers::of(core);
    let place = Place::of(registers.pc(), symbols);
    let handler = match registers.exception() {
        0 => String::new(),
        _ => format!(", in {}", registers.mode()),
    };
    match loop_of(core) {
        Some(last) if last.from == last.to && !hangs(chip, id) => {
            format!("waits for interrupts at {place}: it branches to itself until one comes")
        }
        Some(last) if last.from == last.to => {
            format!("hangs at {place}{handler}: it branches to itself for ever")
        }
        Some(last) => {
            let loop_start = Place::of(last.to, symbols);
            format!("is in a loop of {} bytes at {loop_start}{handler}", last.from - last.to + 2)
        }
        None => format!("runs in {place}{handler}"),
    }
}

/// The branch that a core took every time lately, if it stands between its ends.
fn loop_of(core: &Core) -> Option<Branch> {
    let last = core.branches.backwards().next()?;
    let same = core.branches.backwards().filter(|branch| *branch == last).count();
    let within = (last.to..=last.from).contains(&core.registers()[PC]);
    (within && same == LOOP_BRANCHES).then_some(last)
}
