//! What looks over a core's shoulder: breakpoints and watchpoints, cycle counts for a profile, clashes on memory banks.
//! While nothing looks, the core runs without asking.

use std::any::Any;

use units::Picoseconds;

use crate::core::DebugEvent;

/// An address range that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watchpoint {
    /// Its first byte.
    pub address: u32,
    /// Its length.
    pub bytes: u32,
    /// Whether reads stop the core.
    pub reads: bool,
    /// Whether writes stop the core.
    pub writes: bool,
}

/// An instruction that begins, with what tells a call from a branch and a handler from a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The core.
    pub core: u8,
    /// The instruction.
    pub pc: u32,
    /// The cycle at which it began.
    pub cycle: u64,
    /// The time at which it began.
    pub at: Picoseconds,
    /// The cycles that the core was asleep so far.
    pub idle_cycles: u64,
    /// The stack pointer.
    pub sp: u32,
    /// The link register.
    pub lr: u32,
    /// The number of the exception that is handled, 0 in thread mode.
    pub exception: u8,
}

/// Receives every instruction as it begins. Whoever set one finds it again by its type.
pub trait Observer: Any + std::fmt::Debug + Send {
    /// An instruction begins.
    fn instruction(&mut self, step: Step);
}

/// What is looked at.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    breakpoints: Vec<u32>,
    watchpoints: Vec<Watchpoint>,
    debugger: bool,
    observer: Option<Box<dyn Observer>>,
    /// The breakpoint that each core may pass once, because it stopped there before.
    passing: [Option<u32>; 2],
    /// The cycle at which each bank was last used, and by whom: more than one bus master is at work.
    pub(crate) contention: Option<Contention>,
    /// Performance counters count accesses to memory.
    counting: bool,
    /// What the instruction of each core that runs or has just run accessed.
    hits: [Option<DebugEvent>; 2],
    on: bool,
}

/// Cycles for which it is remembered who used a bank: cores run ahead of each other by less.
const REMEMBERED_CYCLES: usize = 64;

/// Who used which bank of SRAM in the last cycles.
#[derive(Debug, Clone)]
pub(crate) struct Contention {
    used: Box<[[(u64, u8); 6]; REMEMBERED_CYCLES]>,
}

impl Default for Contention {
    fn default() -> Self {
        Self { used: Box::new([[(u64::MAX, 0); 6]; REMEMBERED_CYCLES]) }
    }
}

impl Contention {
    /// A master uses a bank at a cycle; gives the cycles that it waits because another one used it just then.
    #[inline]
    pub(crate) fn use_bank(&mut self, bank: u32, master: u8, cycle: u64) -> u64 {
        let place = |cycle: u64| cycle as usize % REMEMBERED_CYCLES;
        let used = &mut self.used[place(cycle)][bank as usize % 6];
        if used.0 == cycle && used.1 != master {
            self.used[place(cycle + 1)][bank as usize % 6] = (cycle + 1, master);
            return 1;
        }
        *used = (cycle, master);
        0
    }
}

impl Watch {
    /// A copy for a snapshot: the same breakpoints, but nobody observes.
    pub(crate) fn snapshot(&self) -> Self {
        let mut copy = Self {
            breakpoints: self.breakpoints.clone(),
            watchpoints: self.watchpoints.clone(),
            debugger: self.debugger,
            contention: self.contention.clone(),
            counting: self.counting,
            ..Self::default()
        };
        copy.decide();
        copy
    }

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    pub(crate) fn debugger(&self) -> bool {
        self.debugger
    }

    pub(crate) fn set_debugger(&mut self, attached: bool) {
        self.debugger = attached;
    }

    pub(crate) fn set_breakpoints(&mut self, mut addresses: Vec<u32>) {
        addresses.sort_unstable();
        self.breakpoints = addresses;
        self.decide();
    }

    pub(crate) fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.watchpoints = watchpoints;
        self.decide();
    }

    pub(crate) fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        let before = std::mem::replace(&mut self.observer, observer);
        self.decide();
        before
    }

    pub(crate) fn set_contention(&mut self, on: bool) {
        if on != self.contention.is_some() {
            self.contention = on.then(Contention::default);
            self.decide();
        }
    }

    /// Whether accesses to memory are counted, which needs every one of them.
    pub(crate) fn set_counting(&mut self, on: bool) {
        self.counting = on;
        self.decide();
    }

    fn decide(&mut self) {
        self.on = !self.breakpoints.is_empty()
            || !self.watchpoints.is_empty()
            || self.observer.is_some()
            || self.counting
            || self.contention.is_some();
    }

    /// Lets a core pass the breakpoint that it stands at.
    pub(crate) fn pass(&mut self, core: usize, pc: u32) {
        self.passing[core] = Some(pc);
    }

    /// An instruction is about to be executed; what stops the core instead.
    pub(crate) fn before(&mut self, core: usize, pc: u32) -> Option<DebugEvent> {
        if let Some(hit) = self.take_hit(core) {
            return Some(hit);
        }
        let passed = self.passing[core].take() == Some(pc);
        (!passed && self.breakpoints.binary_search(&pc).is_ok()).then_some(DebugEvent::Breakpoint(pc))
    }

    /// Who looks at every instruction.
    #[inline]
    pub(crate) fn observer(&mut self) -> Option<&mut dyn Observer> {
        self.observer.as_deref_mut()
    }

    /// Memory is accessed; a watchpoint stops the core after the instruction.
    pub(crate) fn access(&mut self, core: usize, address: u32, bytes: u32, write: bool) {
        let watched = self.watchpoints.iter().any(|watch| {
            let meant = if write { watch.writes } else { watch.reads };
            let behind = address.wrapping_sub(watch.address) < watch.bytes;
            meant && (behind || watch.address.wrapping_sub(address) < bytes)
        });
        if watched {
            self.hits[core] = Some(DebugEvent::Watchpoint { address, write });
        }
    }

    /// What was accessed stops nobody: it was no instruction of the image.
    pub(crate) fn forget_hits(&mut self) {
        self.hits = [None; 2];
    }

    /// A watchpoint was hit by the instruction that ended just now.
    pub(crate) fn take_hit(&mut self, core: usize) -> Option<DebugEvent> {
        self.hits[core].take()
    }
}
