//! A fault report as text.

use std::fmt;

use crate::report::backtrace::{Backtrace, Found, Frame};
use crate::report::history::Executed;
use crate::report::place::{Place, short};
use crate::report::registers::Registers;
use crate::report::{FaultReport, exception_name};

/// More frames than these are in the fields only, so that the text stays on a screen.
const FRAMES_SHOWN: usize = 12;
/// More characters of a function's name are cut.
const NAME_MAX_CHARACTERS: usize = 60;

impl fmt::Display for FaultReport {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self { registers, .. } = self;
        let mut lines = vec![self.what.clone()];
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        let (mode, stack) = (registers.mode(), registers.stack_name());
        lines.push(format!("at {}, cycle {}, in {mode}, on the {stack}", self.at, self.cycle));
        let instruction = self.instruction.as_deref().unwrap_or("no code is there");
        lines.push(format!("pc    {:#010x}  {}: {instruction}", self.place.address, with_lines(&self.place)));
        lines.extend(register_lines(registers));
        lines.extend(backtrace_lines(&self.backtrace));
        lines.extend(instruction_lines(&self.last_instructions));
        formatter.write_str(&lines.join("\n"))
    }
}

fn register_lines(registers: &Registers) -> Vec<String> {
    let register = |number| format!("{:<5} {:#010x}", name(number), registers.r[number]);
    let row = |first: usize| (first..first + 4).map(register).collect::<Vec<_>>().join("   ");
    let mut lines: Vec<String> = (0..16).step_by(4).map(row).collect();
    let Registers { xpsr, main_stack, process_stack, .. } = registers;
    let (flags, mode) = (registers.flags(), registers.mode());
    lines.push(format!(
        "xpsr  {xpsr:#010x} ({flags}, {mode})   msp {main_stack:#010x}   psp {process_stack:#010x}"
    ));
    lines
}

fn name(number: usize) -> String {
    match number {
        13 => "sp".to_owned(),
        14 => "lr".to_owned(),
        15 => "pc".to_owned(),
        _ => format!("r{number}"),
    }
}

fn backtrace_lines(backtrace: &Backtrace) -> Vec<String> {
    let mut lines = vec!["backtrace:".to_owned()];
    let shown = backtrace.frames.iter().take(FRAMES_SHOWN).enumerate();
    lines.extend(shown.map(|(number, frame)| format!("  #{number:<2} {frame}")));
    lines.push(match backtrace.frames.len().saturating_sub(FRAMES_SHOWN) {
        0 => format!("      ({})", backtrace.end),
        more => format!("      ({more} more frames)"),
    });
    lines
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        if let Found::Interrupted(number) = self.found {
            write!(formatter, "<{} interrupted> ", exception_name(number))?;
        }
        write!(formatter, "{:#010x}  {}", self.place.address, with_lines(&self.place))?;
        if self.found == Found::Guessed { formatter.write_str("  (guess)") } else { Ok(()) }
    }
}

fn instruction_lines(instructions: &[Executed]) -> Vec<String> {
    let function = |executed: &Executed| match executed.place.function {
        Some(_) => cut(&executed.place.name()),
        None => String::new(),
    };
    let width = instructions.iter().map(|executed| function(executed).chars().count()).max().unwrap_or(0);
    let mut lines = vec![format!("last {} instructions:", instructions.len())];
    lines.extend(instructions.iter().map(|executed| {
        let then = if executed.then_exception { "  (then an exception)" } else { "" };
        let (address, function) = (executed.place.address, function(executed));
        format!("  {address:#010x}  {function:<width$}  {}{then}", executed.instruction)
    }));
    lines
}

/// The name of a place with all its source lines.
fn with_lines(place: &Place) -> String {
    let name = cut(&place.name());
    match &place.lines[..] {
        [] => name,
        [line] => format!("{name} ({})", short(line)),
        lines => {
            let inlined = lines.iter().map(|line| match &line.function {
                Some(function) => format!("{} at {}", cut(function), short(line)),
                None => short(line),
            });
            format!("{name} ({})", inlined.collect::<Vec<_>>().join(", in "))
        }
    }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME_MAX_CHARACTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}
