//! Core 0 at work, function by function: an observer for the time of the messages that are explained.

use mcu::image::Symbols;
use mcu::{Observer, Step};
use sim::Cause;
use units::Picoseconds;

use attribution::{Interval, Rank};
use record::run_folder::{Stage, Subject};

/// Stretches that are kept by function; later ones are the processor's, whatever it was in. As many interrupts are kept.
const MOST_STRETCHES: usize = 4 << 20;
const NAMELESS: usize = usize::MAX;

/// A time in one function.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: Picoseconds,
    end: Picoseconds,
    function: usize,
}

/// Follows core 0.
#[derive(Debug)]
pub(super) struct Follower {
    symbols: Symbols,
    /// The addresses of the present function.
    range: (u32, u32),
    current: Option<(Picoseconds, usize)>,
    stretches: Vec<Stretch>,
    /// Since when interrupts are handled, and the first of them.
    handling: Option<(Picoseconds, u8)>,
    handled: Vec<(Picoseconds, Picoseconds, u8)>,
}

impl Follower {
    pub(super) fn new(symbols: Symbols) -> Self {
        Self {
            symbols,
            range: (0, 0),
            current: None,
            stretches: Vec::new(),
            handling: None,
            handled: Vec::new(),
        }
    }

    /// Nothing is followed from here until the next instruction.
    pub(super) fn pause(&mut self, now: Picoseconds) {
        self.leave(now);
        self.current = None;
        self.end_handling(now);
    }

    /// From when to when interrupts were handled without a return to the program, and the exception that began it.
    pub(super) fn handled(&self) -> &[(Picoseconds, Picoseconds, u8)] {
        &self.handled
    }

    fn end_handling(&mut self, now: Picoseconds) {
        if let Some((since, exception)) = self.handling.take()
            && self.handled.len() < MOST_STRETCHES
        {
            self.handled.push((since, now, exception));
        }
    }

    fn note_exception(&mut self, step: &Step) {
        match (self.handling, step.exception) {
            (None, 1..) => self.handling = Some((step.at, step.exception)),
            (Some(_), 0) => self.end_handling(step.at),
            _ => {}
        }
    }

    fn leave(&mut self, now: Picoseconds) {
        let Some((start, function)) = self.current.filter(|(start, _)| now > *start) else { return };
        if self.stretches.len() < MOST_STRETCHES {
            self.stretches.push(Stretch { start, end: now, function });
            return;
        }
        match self.stretches.last_mut() {
            Some(last) if last.function == NAMELESS && last.end == start => last.end = now,
            _ => self.stretches.push(Stretch { start, end: now, function: NAMELESS }),
        }
    }

    fn look_up(&mut self, pc: u32) -> usize {
        let functions = self.symbols.functions();
        let place = functions.partition_point(|function| function.address <= pc);
        let next = functions.get(place).map_or(u32::MAX, |function| function.address);
        let found = place.checked_sub(1).filter(|&place| {
            let function = &functions[place];
            pc < function.address.saturating_add(function.size.max(2))
        });
        self.range = match found {
            Some(place) => {
                let function = &functions[place];
                (function.address, function.address.saturating_add(function.size.max(2)).min(next))
            }
            None => (pc, pc + 1),
        };
        found.unwrap_or(NAMELESS)
    }

    /// The stretches as intervals.
    pub(super) fn intervals(&self) -> Vec<Interval> {
        let of = |subject| Stage::of_board(Cause::Cpu, subject);
        let named = |name: &String| of(Some(Subject::Function(as_written(name).into())));
        let stages: Vec<Stage> = self.symbols.functions().iter().map(|found| named(&found.name)).collect();
        let interval = |stretch: &Stretch| Interval {
            start: stretch.start,
            end: stretch.end,
            rank: Rank::Processor,
            stage: stages.get(stretch.function).cloned().unwrap_or_else(|| of(None)),
            bytes: 0,
        };
        self.stretches.iter().map(interval).collect()
    }
}

impl Observer for Follower {
    fn instruction(&mut self, step: Step) {
        if step.core != 0 {
            return;
        }
        self.note_exception(&step);
        if self.current.is_some() && (self.range.0..self.range.1).contains(&step.pc) {
            return;
        }
        let function = self.look_up(step.pc);
        if self.current.is_some_and(|(_, current)| current == function) {
            return;
        }
        self.leave(step.at);
        self.current = Some((step.at, function));
    }
}

/// The name as the source has it, without what GCC adds to the variants of a function that it makes.
fn as_written(name: &str) -> &str {
    const VARIANTS: [&str; 4] = [".constprop.", ".isra.", ".part.", ".lto_priv."];
    let end = VARIANTS.iter().filter_map(|variant| name.find(variant)).min();
    &name[..end.unwrap_or(name.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_that_the_compiler_made_has_the_name_of_its_function() {
        assert_eq!(as_written("spi_exchange.constprop.0"), "spi_exchange");
        assert_eq!(as_written("f.part.0.constprop.1"), "f");
        assert_eq!(as_written("tcp_output"), "tcp_output");
    }
}
