//! Breakpoints, watchpoints and observers of the cores. While nobody looks, a core runs without asking.

use mcu::{DebugEvent, Observer, Step, Watchpoint};

/// What is looked at.
#[derive(Debug, Default)]
pub struct Watch {
    breakpoints: Vec<u32>,
    watchpoints: Vec<Watchpoint>,
    debugger: bool,
    observer: Option<Box<dyn Observer>>,
    /// The breakpoint that each core may pass once, because it stopped there before.
    passing: [Option<u32>; 2],
    /// The bus wants to see every access to memory: it counts them, or more than one master is at work.
    every_access: bool,
    /// What the instruction of each core that runs or has just run accessed.
    hits: [Option<DebugEvent>; 2],
    on: bool,
    for_memory: bool,
}

impl Watch {
    /// A copy for a snapshot: the same breakpoints, but nobody observes.
    pub fn snapshot(&self) -> Self {
        let mut copy = Self {
            breakpoints: self.breakpoints.clone(),
            watchpoints: self.watchpoints.clone(),
            debugger: self.debugger,
            every_access: self.every_access,
            ..Self::default()
        };
        copy.decide();
        copy
    }

    /// Whether anything is looked at.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether that is all because every access to memory is to be seen.
    #[inline(always)]
    pub fn is_for_memory(&self) -> bool {
        self.for_memory
    }

    /// Whether a debugger takes BKPT.
    pub fn debugger(&self) -> bool {
        self.debugger
    }

    /// With a debugger BKPT stops a core; without one it is a fault.
    pub fn set_debugger(&mut self, attached: bool) {
        self.debugger = attached;
    }

    /// Where the cores stop before they execute.
    pub fn set_breakpoints(&mut self, mut addresses: Vec<u32>) {
        addresses.sort_unstable();
        self.breakpoints = addresses;
        self.decide();
    }

    /// Which accesses stop a core.
    pub fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.watchpoints = watchpoints;
        self.decide();
    }

    /// Lets somebody look at every instruction; gives back who did before.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        let before = std::mem::replace(&mut self.observer, observer);
        self.decide();
        before
    }

    /// Whether the bus wants to see every access to memory, which then takes the long way.
    pub fn see_every_access(&mut self, on: bool) {
        self.every_access = on;
        self.decide();
    }

    fn decide(&mut self) {
        let watched = !self.breakpoints.is_empty() || !self.watchpoints.is_empty() || self.observer.is_some();
        self.on = watched || self.every_access;
        self.for_memory = self.every_access && !watched;
    }

    /// Lets a core pass the breakpoint that it stands at.
    #[inline]
    pub fn pass(&mut self, core: usize, pc: u32) {
        self.passing[core] = Some(pc);
    }

    /// An instruction is about to be executed; what stops the core instead.
    #[inline]
    pub fn before(&mut self, core: usize, pc: u32) -> Option<DebugEvent> {
        if let Some(hit) = self.take_hit(core) {
            return Some(hit);
        }
        let passed = self.passing[core].take() == Some(pc);
        (!passed && self.breakpoints.binary_search(&pc).is_ok()).then_some(DebugEvent::Breakpoint(pc))
    }

    /// Whether somebody looks at every instruction.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// An instruction begins.
    #[inline]
    pub fn observe(&mut self, step: Step) {
        if let Some(observer) = &mut self.observer {
            observer.instruction(step);
        }
    }

    /// Memory is accessed; a watchpoint stops the core after the instruction.
    #[inline]
    pub fn access(&mut self, core: usize, address: u32, bytes: u32, write: bool) {
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
    #[inline]
    pub fn forget_hits(&mut self) {
        self.hits = [None; 2];
    }

    /// A watchpoint was hit by the instruction that ended just now.
    #[inline]
    pub fn take_hit(&mut self, core: usize) -> Option<DebugEvent> {
        self.hits[core].take()
    }
}
