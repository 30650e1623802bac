//! The shadow stack on made-up instructions, without symbols: what is called, returned from, and interrupted.

use mcu::image::Symbols;

use super::super::functions::Functions;
use super::super::tree::CallTree;
use super::*;

const MAIN: u32 = 0x1000_0100;
const ONE: u32 = 0x1000_0200;
const TWO: u32 = 0x1000_0300;
const HANDLER: u32 = 0x1000_0400;
const EXC_RETURN_THREAD: u32 = 0xffff_fff9;

struct Run {
    stack: ShadowStack,
    functions: Functions,
    tree: CallTree,
    now: Step,
}

impl Run {
    fn new() -> Self {
        let mut tree = CallTree::default();
        let stack = ShadowStack::new(tree.core(0), true);
        let now = Step {
            core: 0,
            pc: MAIN,
            cycle: 0,
            at: Picoseconds::ZERO,
            idle_cycles: 0,
            sp: 0x2004_0000,
            lr: 0xffff_ffff,
            exception: 0,
        };
        let mut run = Self {
            stack,
            functions: Functions::of(Symbols::default(), crate::mcus::MCUS[0].facts),
            tree,
            now,
        };
        run.tell();
        run
    }

    fn tell(&mut self) {
        self.stack.step(&self.now, &mut self.functions, &mut self.tree);
    }

    /// The next instruction, after some cycles.
    fn go(&mut self, pc: u32, cycles: u64) {
        (self.now.pc, self.now.cycle) = (pc, self.now.cycle + cycles);
        self.tell();
    }

    fn call(&mut self, pc: u32) {
        self.now.lr = (self.now.pc + 4) | 1;
        self.go(pc, 3);
    }

    fn push(&mut self, bytes: u32) {
        self.now.sp -= bytes;
        let next = self.now.pc + 2;
        self.go(next, 1);
    }

    fn return_to(&mut self, pc: u32, bytes: u32) {
        self.now.sp += bytes;
        self.go(pc, 3);
    }

    fn interrupt(&mut self, exception: u8) {
        (self.now.exception, self.now.lr) = (exception, EXC_RETURN_THREAD);
        self.now.sp -= 32;
        self.go(HANDLER + u32::from(exception) * 0x100, 15);
    }

    fn end_interrupt(&mut self, pc: u32, lr: u32) {
        (self.now.exception, self.now.lr) = (0, lr);
        self.now.sp += 32;
        self.go(pc, 13);
    }

    fn depth(&self) -> usize {
        self.stack.frames.len()
    }

    fn figures(mut self) -> Vec<(String, u64, u64, u64)> {
        self.tree.name_functions(|function| self.functions.name(function));
        let totals = self.tree.totals().into_values();
        totals.map(|f| (f.name, f.self_cycles, f.inclusive_cycles, f.calls)).collect()
    }
}

fn name(entry: u32) -> String {
    format!("(flash {entry:#010x})")
}

#[test]
fn cycles_belong_to_the_function_whose_instruction_took_them() {
    let mut run = Run::new();
    run.call(ONE);
    run.push(8);
    run.call(TWO);
    run.go(TWO + 2, 1);
    run.return_to(ONE + 6, 0);
    run.return_to(MAIN + 4, 8);
    run.go(MAIN + 6, 1);
    assert_eq!(run.depth(), 1);
    assert_eq!(
        run.figures(),
        [(name(MAIN), 4, 15, 1), (name(ONE), 7, 11, 1), (name(TWO), 4, 4, 1)],
        "main 3 for its call and 1; ONE 1 to push, 3 to call, 3 to return; TWO 1 and 3"
    );
}

#[test]
fn a_recursion_counts_its_cycles_once() {
    let mut run = Run::new();
    run.call(ONE);
    run.push(8);
    run.call(ONE);
    run.push(8);
    run.return_to(ONE + 6, 8);
    run.return_to(MAIN + 4, 8);
    run.go(MAIN + 6, 1);
    assert_eq!(run.depth(), 1);
    assert_eq!(run.figures(), [(name(MAIN), 4, 15, 1), (name(ONE), 11, 11, 2)]);
}

#[test]
fn a_return_over_several_frames_leaves_them_all() {
    let mut run = Run::new();
    run.call(ONE);
    run.push(8);
    run.call(TWO);
    run.push(16);
    run.return_to(MAIN + 4, 24);
    assert_eq!(run.depth(), 1);
}

#[test]
fn a_loop_back_to_a_call_is_no_return() {
    let mut run = Run::new();
    for _ in 0..3 {
        run.call(ONE);
        run.return_to(MAIN + 4, 0);
        run.go(MAIN, 2);
        assert_eq!(run.depth(), 1);
    }
    assert_eq!(run.figures()[1], (name(ONE), 9, 9, 3));
}

#[test]
fn a_handler_stands_on_what_it_interrupts_and_goes() {
    let mut run = Run::new();
    run.call(ONE);
    let lr = run.now.lr;
    run.interrupt(16);
    run.push(8);
    run.now.sp += 8;
    run.end_interrupt(ONE + 2, lr);
    assert_eq!(run.depth(), 2);
    run.return_to(MAIN + 4, 0);
    assert_eq!(run.depth(), 1);
}

#[test]
fn a_chained_handler_takes_the_place_of_the_one_before() {
    let mut run = Run::new();
    run.interrupt(16);
    run.push(8);
    run.now.sp += 8;
    (run.now.exception, run.now.lr) = (20, EXC_RETURN_THREAD);
    run.go(HANDLER + 20 * 0x100, 9);
    assert_eq!(run.depth(), 2);
    run.end_interrupt(MAIN + 2, 0xffff_ffff);
    assert_eq!(run.depth(), 1);
}

#[test]
fn a_nested_handler_goes_back_to_the_outer_one() {
    let mut run = Run::new();
    run.interrupt(16);
    run.push(8);
    run.interrupt(20);
    assert_eq!(run.depth(), 3);
    (run.now.exception, run.now.sp) = (16, run.now.sp + 32);
    run.go(HANDLER + 16 * 0x100 + 4, 13);
    assert_eq!(run.depth(), 2);
    run.now.sp += 8;
    run.end_interrupt(MAIN + 2, 0xffff_ffff);
    assert_eq!(run.depth(), 1);
}

#[test]
fn time_asleep_belongs_to_nobody() {
    let mut run = Run::new();
    run.now.idle_cycles = 900;
    run.go(MAIN + 2, 1000);
    assert_eq!(run.stack.asleep_cycles(), 900);
    let told: Vec<SliceKind> = run.stack.take_events().into_iter().map(|event| event.kind).collect();
    assert_eq!(told, [SliceKind::Begin, SliceKind::AsleepSince(Picoseconds::ZERO)]);
    assert_eq!(run.figures(), [(name(MAIN), 100, 100, 1)]);
}

#[test]
fn calls_without_end_are_bounded() {
    let mut run = Run::new();
    for turn in 0..2000 {
        run.call(ONE + turn * 8);
        run.push(8);
    }
    assert_eq!(run.depth(), MOST_FRAMES);
}
