//! Faults: the core is kept as it was, for a report, and enters the image's handler.

use units::Picoseconds;

use crate::chip::Rp2040;
use cortexm::{Core, Exit};
use mcu::Stop;
use mcu::{Fault, FaultKind, Sleep};

/// A core as it was at a fault, before it entered the handler.
#[derive(Debug, Clone)]
pub(crate) struct AtFault {
    pub(crate) fault: Fault,
    pub(crate) core: Core,
    pub(crate) vector_table: u32,
    /// Why the handler of HardFault could not be entered, if that is so.
    pub(crate) no_handler: Option<FaultKind>,
}

impl Rp2040 {
    pub(super) fn handle_fault(&mut self, id: usize, fault: Fault) -> Option<Stop> {
        let vector_table = self.vector_table(id);
        let core = self.cores[id].clone();
        let limit = self.bus.run_free(id);
        let entered = self.cores[id].enter_hard_fault(&mut self.bus);
        self.bus.may_run_to[id] = limit;
        let no_handler = match entered {
            Err(Exit::Fault(Fault { kind, .. })) => Some(kind),
            _ => None,
        };
        let at_fault = AtFault { fault, core, vector_table, no_handler };
        match &mut self.at_fault {
            Some(kept) => **kept = at_fault,
            None => self.at_fault = Some(Box::new(at_fault)),
        }
        if entered.is_err() {
            self.cores[id].sleep = Sleep::Off;
            return Some(Stop::LockedUp(fault));
        }
        self.stop_at_faults.then_some(Stop::Fault(fault))
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
