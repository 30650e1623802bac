//! How the cores go on: each continues, makes a step or is held, as GDB asks, in slices of virtual time; and what GDB is
//! told when they stop.
//!
//! A step is one instruction of the code that is stepped. Exceptions that come before it run to their end first, so that
//! stepping through code does not end up in every interrupt's handler; breakpoints there are obeyed all the same.

use std::ops::Range;

use gdbstub::common::{Signal, Tid};
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::target::ext::base::multithread::{
    MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use mcu::Stop;
use mcu::{DebugEvent, Fault, Sleep};
use units::{PS_PER_MS, Picoseconds};

use super::target::{Debugged, thread};

/// How much virtual time passes between two looks at the connection.
const SLICE: Picoseconds = Picoseconds::new(PS_PER_MS);

/// What a core is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Action {
    Continue,
    /// Steps until it is outside this range.
    Step(Range<u32>),
    Hold,
}

/// Where a core is in its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    pc: u32,
    exception: u32,
}

/// What GDB asked of a core, and where that stopped before.
#[derive(Debug, Clone, Default)]
struct CorePlan {
    asked: Option<Action>,
    action: Option<Action>,
    /// Where the instruction is that ends the step.
    goal: Option<Place>,
    /// The breakpoint or trap that it was last reported at.
    stood_at: Option<u32>,
}

/// What GDB asked of every core.
#[derive(Debug)]
pub(super) struct Plan {
    cores: Vec<CorePlan>,
    locked: bool,
}

impl Plan {
    /// Nothing yet, for so many cores.
    pub(super) fn of(cores: usize) -> Self {
        Self { cores: vec![CorePlan::default(); cores], locked: false }
    }

    /// The cores are somewhere else now.
    pub(super) fn forget_stops(&mut self) {
        for core in &mut self.cores {
            core.stood_at = None;
        }
    }

    fn is_held(&self, core: usize) -> bool {
        self.cores[core].action == Some(Action::Hold)
    }

    fn steps(&self) -> bool {
        self.cores.iter().any(|core| core.goal.is_some())
    }
}

/// Why the cores stopped.
#[derive(Debug)]
pub(super) struct Report {
    /// For GDB.
    pub(super) reason: MultiThreadStopReason<u32>,
    /// For its user.
    pub(super) sentence: Option<String>,
    /// What the chip said.
    pub(super) stop: Option<Stop>,
}

impl Report {
    fn signal(core: usize, signal: Signal) -> Self {
        let reason = MultiThreadStopReason::SignalWithThread { tid: thread(core), signal };
        Self { reason, sentence: None, stop: None }
    }
}

impl Debugged<'_> {
    fn ask(&mut self, thread: Tid, action: Action) {
        if let Some(core) = self.core_of(thread) {
            self.plan.cores[core].asked = Some(action);
        }
    }

    /// Lets every core do what it is to do for a slice of time; what came up.
    pub(super) fn run_slice(&mut self) -> Option<Report> {
        let end = self.chip.now() + SLICE;
        let held: Vec<(usize, Sleep)> = (0..self.cores())
            .filter(|&core| self.plan.is_held(core))
            .map(|core| (core, self.chip.hold_core(core)))
            .collect();
        let report = if self.plan.steps() {
            self.run_steps(end)
        } else {
            let stop = self.chip.run_until(end);
            self.report(stop)
        };
        for (core, before) in held {
            self.chip.release_core(core, before);
        }
        report
    }

    /// Goes from instruction to instruction until a step is done.
    fn run_steps(&mut self, end: Picoseconds) -> Option<Report> {
        while self.chip.now() < end {
            let before: Vec<(Place, u64)> =
                (0..self.cores()).map(|core| (self.place(core), self.chip.core(core).instructions)).collect();
            let soon = self.chip.now() + Picoseconds::new(1);
            let stop = self.chip.run_until(self.chip.next_moment().max(soon).min(end));
            let stepped = (0..self.cores()).find(|&core| {
                let (place, instructions) = before[core];
                let executed = self.chip.core(core).instructions != instructions;
                executed && self.plan.cores[core].goal == Some(place)
            });
            let report = self.report(stop);
            if report.is_some() {
                return report;
            }
            if let Some(core) = stepped.filter(|&core| self.is_done(core)) {
                return Some(Report::signal(core, Signal::SIGTRAP));
            }
        }
        None
    }

    /// Whether a core that executed its instruction has left its range; if not, the next one is to be executed.
    fn is_done(&mut self, core: usize) -> bool {
        let place = self.place(core);
        let goes_on =
            matches!(&self.plan.cores[core].action, Some(Action::Step(range)) if range.contains(&place.pc));
        self.plan.cores[core].goal = goes_on.then_some(place);
        !goes_on
    }

    fn place(&self, core: usize) -> Place {
        let core = self.chip.core(core);
        Place { pc: core.pc, exception: core.exception }
    }

    /// What GDB is told of a stop, if anything.
    fn report(&mut self, stop: Stop) -> Option<Report> {
        let report = match stop {
            Stop::Time | Stop::Console | Stop::Pin | Stop::AwaitsLine => return None,
            Stop::Debug(core, event) => self.report_event(core, event),
            Stop::Fault(fault) => told(&fault, ""),
            Stop::LockedUp(fault) => told(&fault, "; while it handled a fault, and so it is locked up"),
            Stop::Ended(code) => {
                let status = u8::try_from(code).unwrap_or(1);
                Report { reason: MultiThreadStopReason::Exited(status), sentence: None, stop: None }
            }
            Stop::Asleep => {
                let cores = if self.cores() == 1 { "the core sleeps" } else { "both cores sleep" };
                let sentence = format!("{cores}, and nothing is to come that would wake one");
                Report { sentence: Some(sentence), ..Report::signal(0, Signal::SIGSTOP) }
            }
            Stop::BootLoader => {
                let sentence = "the image asked the boot ROM for its USB boot loader".to_owned();
                Report { sentence: Some(sentence), ..Report::signal(0, Signal::SIGSTOP) }
            }
        };
        Some(Report { stop: Some(stop), ..report })
    }

    fn report_event(&mut self, core: usize, event: DebugEvent) -> Report {
        let tid = thread(core);
        match event {
            DebugEvent::Breakpoint(address) => {
                self.plan.cores[core].stood_at = Some(address);
                let software = self.marks.is_software(address);
                let reason = match software {
                    true => MultiThreadStopReason::SwBreak(tid),
                    false => MultiThreadStopReason::HwBreak(tid),
                };
                Report { reason, sentence: None, stop: None }
            }
            DebugEvent::Bkpt(number) => {
                self.plan.cores[core].stood_at = Some(self.place(core).pc);
                let sentence = format!("core {core} executed BKPT #{number}");
                Report { sentence: Some(sentence), ..Report::signal(core, Signal::SIGTRAP) }
            }
            DebugEvent::Watchpoint { address, write } => match self.marks.watched(address, write) {
                Some((kind, addr)) => Report {
                    reason: MultiThreadStopReason::Watch { tid, kind, addr },
                    sentence: None,
                    stop: None,
                },
                None => Report::signal(core, Signal::SIGTRAP),
            },
        }
    }

    /// What a stop that GDB asked for is told as.
    pub(super) fn interrupted(&self) -> MultiThreadStopReason<u32> {
        let awake = (0..self.cores()).find(|&core| self.chip.core(core).sleep == Sleep::Awake);
        Report::signal(awake.unwrap_or_default(), Signal::SIGINT).reason
    }

    /// A core that was reported at a breakpoint goes on from it; one at a trap, behind it.
    fn leave_stop(&mut self, core: usize) {
        let pc = self.place(core).pc;
        if self.plan.cores[core].stood_at.take() == Some(pc) {
            self.chip.leave_stop(core);
        }
    }
}

fn told(fault: &Fault, more: &str) -> Report {
    let sentence = format!("core {} faulted at {:#010x}: {}{more}", fault.core, fault.pc, fault.kind);
    Report { sentence: Some(sentence), ..Report::signal(usize::from(fault.core), Signal::SIGSEGV) }
}

impl MultiThreadResume for Debugged<'_> {
    fn resume(&mut self) -> Result<(), Self::Error> {
        let default = if self.plan.locked { Action::Hold } else { Action::Continue };
        self.runs_unasked = false;
        for core in 0..self.cores() {
            let action = self.plan.cores[core].asked.take().unwrap_or_else(|| default.clone());
            if action != Action::Hold {
                self.leave_stop(core);
            }
            self.plan.cores[core].goal = matches!(action, Action::Step(_)).then(|| self.place(core));
            self.plan.cores[core].action = Some(action);
        }
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Self::Error> {
        for core in &mut self.plan.cores {
            core.asked = None;
        }
        self.plan.locked = false;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, thread: Tid, _: Option<Signal>) -> Result<(), Self::Error> {
        self.ask(thread, Action::Continue);
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadSingleStep for Debugged<'_> {
    fn set_resume_action_step(&mut self, thread: Tid, _: Option<Signal>) -> Result<(), Self::Error> {
        self.ask(thread, Action::Step(0..0));
        Ok(())
    }
}

impl MultiThreadRangeStepping for Debugged<'_> {
    fn set_resume_action_range_step(&mut self, thread: Tid, start: u32, end: u32) -> Result<(), Self::Error> {
        self.ask(thread, Action::Step(start..end));
        Ok(())
    }
}

impl MultiThreadSchedulerLocking for Debugged<'_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Self::Error> {
        self.plan.locked = true;
        Ok(())
    }
}
