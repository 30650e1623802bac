//! Instructions that the system writes to SMx_INSTR of a state machine.

use super::cycle::Cycle;
use super::state_machine::{Outcome, StateMachine};

/// How long after a written instruction took a word FSTAT and FLEVEL show it: an access that follows the write at once does
/// not see it yet. This is inferred. The SDK's `pio_sm_drain_tx_fifo` writes an OUT until FSTAT shows no words. By datasheet
/// 3.5.4.2 the last OUT leaves a word in the OSR, unless FSTAT is late and one OUT more is written; the SDK's users
/// rely on an OSR that is empty.
const SHOWN_LATE_CYCLES: u64 = 2;

impl StateMachine {
    /// The system wrote an instruction to INSTR; it executes in the next cycle, whatever the divider.
    pub(super) fn force(&mut self, instruction: u16, cycle: u64) {
        self.settle(cycle);
        self.stop_counting();
        if self.exec_stalled {
            (self.latch, self.exec_stalled, self.stall) = (None, false, None);
            (self.in_shifted, self.begun) = (false, false);
        }
        self.forced = Some((cycle + 1, instruction));
        self.reschedule();
    }

    /// The cycle in which a written instruction executes that has not yet.
    pub(super) fn forced_at(&self) -> Option<u64> {
        self.forced.map(|(cycle, _)| cycle)
    }

    /// Whether an instruction is under way, or still to be seen, that is not the program's.
    pub(super) fn executes_written(&self) -> bool {
        self.forced.is_some() || self.shown_late_at.is_some() || self.latch.is_some()
    }

    /// The words to transmit as FSTAT and FLEVEL show them.
    pub(super) fn transmit_level_shown(&self) -> u8 {
        let late = u8::from(self.shown_late_at.is_some());
        (self.transmit.level() + late).min(self.config.transmit_depth)
    }

    /// FSTAT and FLEVEL show from this cycle on what a written instruction took. Gives whether anything else is due in it.
    pub(super) fn show_late(&mut self, cycle: &mut Cycle<'_>) -> bool {
        self.shown_late_at = None;
        cycle.fifo_moved = true;
        self.reschedule();
        self.due == cycle.number
    }

    /// A written instruction takes the place of the program's in this cycle; its delay is ignored (RP2040 datasheet
    /// 3.5.7).
    pub(super) fn step_forced(&mut self, cycle: &mut Cycle<'_>) {
        let Some((_, instruction)) = self.forced.take() else { return };
        let interrupted = (self.irq_waiting, self.in_shifted, self.begun);
        let before = self.transmit.level();
        (self.irq_waiting, self.in_shifted, self.begun) = (false, false, false);
        let outcome = self.execute(instruction, cycle);
        if let Outcome::Stalled(_) = outcome {
            (self.latch, self.exec_stalled, self.begun) = (Some(instruction), true, true);
        } else {
            (self.irq_waiting, self.in_shifted, self.begun) = interrupted;
        }
        match outcome {
            Outcome::Jump(target) => (self.pc, self.in_shifted, self.begun) = (target, false, false),
            Outcome::Execute(next) => (self.latch, self.in_shifted, self.begun) = (Some(next), false, false),
            Outcome::Next | Outcome::Stalled(_) => {}
        }
        if self.transmit.level() < before {
            self.shown_late_at = Some(cycle.number + SHOWN_LATE_CYCLES);
        }
        (self.stall, self.look_again) = (None, cycle.number + 1);
        self.pass_tick_of(cycle.number);
    }
}
