//! The exact profile of a run: every instruction is looked at as it begins, its cycles go to the function that it belongs
//! to, and a shadow call stack says who called it. From that come a table, a flame graph, and slices for a trace.
//!
//! Time asleep belongs to nobody. What an exception costs to enter counts for the function that it interrupts.

mod flame;
mod functions;
mod shadow_stack;
mod tree;

use std::any::Any;
use std::collections::BTreeMap;

use mcu::image::Symbols;
use mcu::{Observer, Step};
use serde::Serialize;

use super::Board;
use functions::Functions;
use shadow_stack::ShadowStack;

pub use flame::flame_graph;
pub use functions::block_name;
pub use shadow_stack::{SliceEvent, SliceKind};
pub use tree::CallTree;

/// A function in a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionCycles {
    /// Its name, or its first address where it has none.
    pub name: String,
    /// Cycles in itself.
    pub self_cycles: u64,
    /// Cycles in itself and in what it called; a recursion counts once.
    pub inclusive_cycles: u64,
    /// How often it was called or jumped to.
    pub calls: u64,
}

/// A profile.
#[derive(Debug)]
pub struct Profile {
    /// Functions by their own cycles, the most first.
    pub functions: Vec<FunctionCycles>,
    /// Cycles of all functions of all cores.
    pub cycles: u64,
    /// Cycles that the cores that ran at all were asleep.
    pub asleep_cycles: u64,
    /// Who called whom.
    pub tree: CallTree,
}

/// Looks at every instruction.
#[derive(Debug)]
struct Profiler {
    functions: Functions,
    tree: CallTree,
    /// One for each core.
    cores: Vec<ShadowStack>,
}

impl Observer for Profiler {
    fn instruction(&mut self, step: Step) {
        let Self { functions, tree, cores } = self;
        cores[usize::from(step.core)].step(&step, functions, tree);
    }
}

impl Board {
    /// Profiles from here on; with slices for a trace where they are wanted.
    pub fn profile(&mut self, slices: bool) {
        let symbols = self.image.as_ref().map_or_else(Symbols::default, |image| image.symbols().clone());
        let mut tree = CallTree::default();
        let facts = self.chip.facts();
        let cores = (0..facts.cores).map(|core| ShadowStack::new(tree.core(core), slices)).collect();
        let profiler = Profiler { functions: Functions::of(symbols, facts), tree, cores };
        self.chip.observe(Some(Box::new(profiler)));
    }

    /// Takes the slices since the last call, with the names of their functions.
    pub fn take_slices(&mut self) -> Vec<(u8, SliceEvent, String)> {
        let Some(mut profiler) = self.take_profiler() else { return Vec::new() };
        let mut named = Vec::new();
        for (core, stack) in (0..).zip(&mut profiler.cores) {
            for event in stack.take_events() {
                named.push((core, event, profiler.functions.name(event.function)));
            }
        }
        self.chip.observe(Some(profiler));
        named
    }

    /// Ends the profile and gives it; nothing when none was begun.
    pub fn end_profile(&mut self) -> Option<Profile> {
        let profiler = self.take_profiler()?;
        let Profiler { functions, mut tree, cores } = *profiler;
        let asleep_cycles = cores.iter().map(ShadowStack::asleep_cycles).sum();
        tree.name_functions(|function| functions.name(function));
        let by_name = tree.totals();
        let cycles = by_name.values().map(|totals| totals.self_cycles).sum();
        let mut list: Vec<FunctionCycles> = by_name.into_values().collect();
        list.sort_by(|one, other| {
            other.self_cycles.cmp(&one.self_cycles).then_with(|| one.name.cmp(&other.name))
        });
        Some(Profile { functions: list, cycles, asleep_cycles, tree })
    }

    /// The profiler back from the chip. Another observer stays where it is.
    fn take_profiler(&mut self) -> Option<Box<Profiler>> {
        let observer: Box<dyn Any> = self.chip.observe(None)?;
        observer.downcast().ok()
    }
}

type Totals = BTreeMap<String, FunctionCycles>;
