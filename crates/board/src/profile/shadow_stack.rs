//! The shadow call stack of a core: follows calls, returns, tail calls and exceptions from one instruction to the next,
//! without looking at the instructions themselves. A call sets the link register to the address behind it; a return goes to
//! an address that a call left there; a jump into another function without either is a tail call, which takes the place of
//! its caller. Exceptions are told by the number of the one that is active.
//!
//! A switch to another thread's stack makes the stack of thread mode begin anew: threads are not told apart.

use mcu::Step;
use units::Picoseconds;

use super::functions::{FunctionId, Functions};
use super::tree::{CallTree, NodeId};

/// Deeper calls count for the deepest frame.
const MOST_FRAMES: usize = 512;
/// How many frames up a return or a jump is looked for.
const SEARCHED_FRAMES: usize = 64;
/// What is kept between two calls of [`ShadowStack::take_events`].
const MOST_EVENTS: usize = 2_000_000;
/// The link register of a handler (ARMv6-M Architecture Reference Manual B1.5.8).
const EXC_RETURN: u32 = 0xffff_fff0;
/// No address.
const NOWHERE: u32 = u32::MAX;

/// What happens to a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceKind {
    /// A function begins.
    Begin,
    /// A handler of this exception begins.
    Handler(u8),
    /// The innermost slice ends.
    End,
    /// The core was asleep since then.
    AsleepSince(Picoseconds),
}

/// A function begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceEvent {
    /// When.
    pub at: Picoseconds,
    /// What.
    pub kind: SliceKind,
    pub(super) function: FunctionId,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    node: NodeId,
    function: FunctionId,
    /// The addresses of the function, where they are known.
    start: u32,
    end: u32,
    /// Where it returns to.
    return_address: u32,
    /// The stack pointer when it began.
    sp: u32,
    /// The exception whose handler it is, 0 for others.
    exception: u8,
}

/// The call stack of a core.
#[derive(Debug)]
pub(super) struct ShadowStack {
    root: NodeId,
    frames: Vec<Frame>,
    last: Option<Step>,
    asleep_cycles: u64,
    events: Option<Vec<SliceEvent>>,
}

impl ShadowStack {
    pub(super) fn new(root: NodeId, slices: bool) -> Self {
        Self { root, frames: Vec::new(), last: None, asleep_cycles: 0, events: slices.then(Vec::new) }
    }

    pub(super) fn asleep_cycles(&self) -> u64 {
        self.asleep_cycles
    }

    pub(super) fn take_events(&mut self) -> Vec<SliceEvent> {
        self.events.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// An instruction begins.
    pub(super) fn step(&mut self, step: &Step, functions: &mut Functions, tree: &mut CallTree) {
        let Some(last) = self.last.replace(*step) else {
            self.push(step, NOWHERE, 0, functions, tree);
            return;
        };
        self.spend(&last, step, tree);
        if step.exception != last.exception {
            self.change_exception(&last, step, functions, tree);
        } else if !self.stays(&last, step) {
            self.jump(&last, step, functions, tree);
        }
    }

    /// Whether an instruction plainly goes on in the function of the one before.
    fn stays(&self, last: &Step, step: &Step) -> bool {
        let Some(top) = self.frames.last() else { return false };
        let forward = step.pc.wrapping_sub(last.pc);
        let within = step.pc > top.start && step.pc < top.end;
        let follows = top.start == top.end && (forward == 2 || forward == 4);
        forward == 0 || (within || follows) && step.pc != top.return_address
    }

    /// The cycles of the instruction before, without those asleep.
    fn spend(&mut self, last: &Step, step: &Step, tree: &mut CallTree) {
        let cycles = step.cycle.saturating_sub(last.cycle);
        let asleep = step.idle_cycles.saturating_sub(last.idle_cycles).min(cycles);
        let node = self.frames.last().map_or(self.root, |top| top.node);
        tree.spend(node, cycles - asleep);
        if asleep > 0 {
            self.asleep_cycles += asleep;
            let function = self.frames.last().map_or(FunctionId(u32::MAX), |top| top.function);
            self.tell(step.at, SliceKind::AsleepSince(last.at), function);
        }
    }

    fn jump(&mut self, last: &Step, step: &Step, functions: &mut Functions, tree: &mut CallTree) {
        let link = step.lr & !1;
        let called = link == last.pc.wrapping_add(4) || link == last.pc.wrapping_add(2);
        if called && step.pc != link {
            self.push(step, link, 0, functions, tree);
        } else if self.returns_to(step) {
            self.resume(step, functions, tree);
        } else if self.restarts_handler(step) {
            let exception = step.exception;
            self.pop(step);
            self.push(step, NOWHERE, exception, functions, tree);
        } else if !self.is_within(step.pc, functions) {
            self.go_elsewhere(step, functions, tree);
        }
    }

    /// Pops the frames that a return leaves; true when there was such a return.
    fn returns_to(&mut self, step: &Step) -> bool {
        let returning = |frame: &Frame| frame.return_address == step.pc && step.sp >= frame.sp;
        let searched =
            self.frames.iter().rev().take(SEARCHED_FRAMES).take_while(|frame| frame.exception == 0);
        let Some(up) = searched.into_iter().position(returning) else { return false };
        for _ in 0..=up {
            self.pop(step);
        }
        true
    }

    /// After a return the caller goes on; where the stack does not know it (it was cut), it begins there.
    fn resume(&mut self, step: &Step, functions: &mut Functions, tree: &mut CallTree) {
        if !self.is_within(step.pc, functions) {
            self.go_elsewhere(step, functions, tree);
        }
    }

    /// A handler that ends while its own exception is pending again begins anew without unstacking.
    fn restarts_handler(&self, step: &Step) -> bool {
        let top = self.frames.last();
        step.lr >= EXC_RETURN
            && top.is_some_and(|top| top.exception != 0 && step.pc == top.start && step.sp == top.sp)
    }

    /// Whether the innermost function goes on at an address.
    fn is_within(&self, pc: u32, functions: &mut Functions) -> bool {
        let Some(top) = self.frames.last() else { return false };
        let known = functions.at(pc);
        match known {
            Some(place) => place.function == top.function,
            // Without symbols only calls and returns tell one function from another.
            None => top.start == top.end,
        }
    }

    /// A jump into another function: back into one that is still open, or a tail call.
    fn go_elsewhere(&mut self, step: &Step, functions: &mut Functions, tree: &mut CallTree) {
        let place = functions.at(step.pc);
        if let Some(place) = place.filter(|place| !place.is_entry) {
            let searched = self.frames.iter().rev().take(SEARCHED_FRAMES);
            let open = searched.take_while(|frame| frame.exception == 0 || frame.function == place.function);
            if let Some(up) = open.into_iter().position(|frame| frame.function == place.function) {
                for _ in 0..up {
                    self.pop(step);
                }
                return;
            }
        }
        match self.pop(step) {
            Some(frame) => {
                self.push(step, frame.return_address, frame.exception, functions, tree);
                if let Some(top) = self.frames.last_mut() {
                    top.sp = frame.sp;
                }
            }
            None => self.push(step, NOWHERE, 0, functions, tree),
        }
    }

    fn change_exception(&mut self, last: &Step, step: &Step, functions: &mut Functions, tree: &mut CallTree) {
        let active = |frame: &Frame| frame.exception != 0;
        let is_open = self.frames.iter().any(|frame| frame.exception == step.exception);
        if step.exception == 0 {
            // Back to thread mode: every handler has ended.
            let first = self.frames.iter().position(active).unwrap_or(self.frames.len());
            self.pop_to(first, step);
            self.continue_after(step, functions, tree);
        } else if is_open {
            let of_it = self.frames.iter().rposition(|frame| frame.exception == step.exception);
            let after = of_it.map_or(0, |place| place + 1);
            let next =
                self.frames[after..].iter().position(active).map_or(self.frames.len(), |up| after + up);
            self.pop_to(next, step);
            self.continue_after(step, functions, tree);
        } else {
            let ending = self.frames.iter().rposition(active).filter(|_| last.exception != 0);
            // Tail-chained: the next handler begins where the one before had begun.
            if let Some(place) = ending.filter(|&place| self.frames[place].sp == step.sp) {
                self.pop_to(place, step);
            }
            self.push(step, NOWHERE, step.exception, functions, tree);
        }
    }

    /// What was interrupted goes on, or, after a switch of threads, something else does.
    fn continue_after(&mut self, step: &Step, functions: &mut Functions, tree: &mut CallTree) {
        if self.is_within(step.pc, functions) || self.returns_to(step) && self.is_within(step.pc, functions) {
            return;
        }
        // The first instruction after the handler may already be in a function that was about to be called.
        let thread = self.frames.iter().rposition(|frame| frame.exception != 0).map_or(0, |place| place + 1);
        let place = functions.at(step.pc);
        let open = self.frames[thread..]
            .iter()
            .rposition(|frame| place.is_some_and(|p| p.function == frame.function));
        match open {
            Some(up) => self.pop_to(thread + up + 1, step),
            None if place.is_some_and(|place| place.is_entry) => {
                self.push(step, step.lr & !1, 0, functions, tree);
            }
            None => {
                self.pop_to(thread, step);
                self.push(step, NOWHERE, 0, functions, tree);
            }
        }
    }

    fn push(
        &mut self,
        step: &Step,
        return_address: u32,
        exception: u8,
        functions: &mut Functions,
        tree: &mut CallTree,
    ) {
        if self.frames.len() >= MOST_FRAMES {
            return;
        }
        let (function, start, end) = match functions.at(step.pc) {
            Some(place) => (place.function, place.start, place.end),
            None => (functions.unnamed(step.pc), step.pc, step.pc),
        };
        let parent = self.frames.last().map_or(self.root, |top| top.node);
        let node = tree.child(parent, function);
        tree.call(node);
        self.frames.push(Frame { node, function, start, end, return_address, sp: step.sp, exception });
        let kind = if exception == 0 { SliceKind::Begin } else { SliceKind::Handler(exception) };
        self.tell(step.at, kind, function);
    }

    fn pop(&mut self, step: &Step) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.tell(step.at, SliceKind::End, frame.function);
        Some(frame)
    }

    fn pop_to(&mut self, length: usize, step: &Step) {
        while self.frames.len() > length {
            self.pop(step);
        }
    }

    fn tell(&mut self, at: Picoseconds, kind: SliceKind, function: FunctionId) {
        if let Some(events) = self.events.as_mut().filter(|events| events.len() < MOST_EVENTS) {
            events.push(SliceEvent { at, kind, function });
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
