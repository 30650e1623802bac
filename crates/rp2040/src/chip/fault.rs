//! Faults: the core is kept as it was, for a report, and enters the image's handler.

use units::{PS_PER_MS, Picoseconds};

use crate::chip::Rp2040;
use cortexm::{Core, Exit};
use mcu::Stop;
use mcu::{Fault, FaultKind, Sleep};

/// How long the image's handler of HardFault has for an escalated SVC. The operating systems that escalate on purpose switch
/// threads in microseconds; a handler that prints or loops does not return at all.
const ANSWER_WITHIN: Picoseconds = Picoseconds::new(10 * PS_PER_MS);

/// A core as it was at a fault, before it entered the handler.
#[derive(Debug, Clone)]
pub(crate) struct AtFault {
    pub(crate) fault: Fault,
    pub(crate) core: Core,
    pub(crate) vector_table: u32,
    /// Why the handler of HardFault could not be entered, if that is so.
    pub(crate) no_handler: Option<FaultKind>,
    /// Until when a run goes on, where the handler may make good what happened and return.
    pub(crate) answer_until: Option<Picoseconds>,
}

/// Whether a handler may return from it as from a call: NuttX switches threads by an SVC with interrupts masked.
fn may_be_answered(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::SvcPriority { .. })
}

impl Rp2040 {
    pub(super) fn handle_fault(&mut self, id: usize, fault: Fault) -> Option<Stop> {
        let vector_table = self.vector_table(id);
        let core = self.cores[id].clone();
        let limit = self.bus.run_free(id);
        let entered = self.cores[id].enter_hard_fault(&mut self.bus, fault.kind);
        self.bus.may_run_to[id] = limit;
        let no_handler = match entered {
            Err(Exit::Fault(Fault { kind, .. })) => Some(kind),
            _ => None,
        };
        let waits = self.stop_at_faults && may_be_answered(fault.kind) && entered.is_ok();
        let answer_until = waits.then(|| self.time_of(core.cycle) + ANSWER_WITHIN);
        let at_fault = AtFault { fault, core, vector_table, no_handler, answer_until };
        match &mut self.at_fault {
            Some(kept) => **kept = at_fault,
            None => self.at_fault = Some(Box::new(at_fault)),
        }
        if entered.is_err() {
            self.cores[id].sleep = Sleep::Off;
            return Some(Stop::LockedUp(fault));
        }
        (self.stop_at_faults && !waits).then_some(Stop::Fault(fault))
    }

    /// Up to when a run may go before somebody looks whether the handler has returned.
    pub(super) fn until_answered(&self, end: Picoseconds) -> Picoseconds {
        let until = self.at_fault.as_ref().and_then(|at_fault| at_fault.answer_until);
        until.map_or(end, |until| until.min(end))
    }

    /// The time of the handler is over: the run ends where it has not returned.
    pub(super) fn look_for_answer(&mut self) -> Option<Stop> {
        let answered = self.is_answered();
        let at_fault = self.at_fault.as_mut()?;
        at_fault.answer_until = None;
        let fault = at_fault.fault;
        (!answered && self.stop_at_faults).then_some(Stop::Fault(fault))
    }

    /// Whether the image's handler has made good the last fault, and returned.
    pub(crate) fn is_answered(&self) -> bool {
        self.at_fault().is_some_and(|kept| {
            may_be_answered(kept.fault.kind)
                && kept.no_handler.is_none()
                && !self.cores[kept.core.id].handles_fault(&self.bus)
        })
    }

    /// The core at its last fault.
    pub(crate) fn at_fault(&self) -> Option<&AtFault> {
        self.at_fault.as_deref()
    }

    /// Where a core's vector table is (VTOR).
    pub(crate) fn vector_table(&self, core: usize) -> u32 {
        self.bus.ppb[core].vector_table()
    }

    /// The interrupts that a core has enabled, a bit each.
    pub(crate) fn enabled_irqs(&self, core: usize) -> u32 {
        self.bus.ppb[core].enabled_irqs()
    }

    /// When a cycle of clk_sys is, counted from the start.
    pub(crate) fn time_of(&self, cycle: u64) -> Picoseconds {
        self.bus.clock.time_of(cycle)
    }

    /// The boot ROM.
    pub(crate) fn rom(&self) -> &crate::rom::Rom {
        &self.bus.rom
    }
}
