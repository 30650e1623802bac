//! The simple rule behind published figures: a start is trigger high after both low, its end is the first
//! later row with done high, whatever triggers lie between. A lost message hides in it as one trigger period
//! of extra latency, and a doubled trigger edge counts twice.

use super::outcome::{DoneOutcome, Pairing, TriggerOutcome};

#[derive(Debug, Default)]
pub(super) struct Published {
    /// Starts that wait for the next row with done high.
    waiting: Vec<usize>,
    triggered: bool,
}

impl Published {
    pub(super) fn trigger(&mut self, pairing: &mut Pairing, trigger_ps: i64, done_was_high: bool) {
        self.triggered = true;
        if done_was_high {
            pairing.add_trigger(trigger_ps, TriggerOutcome::Overlapped);
        } else {
            self.waiting.push(pairing.add_trigger(trigger_ps, TriggerOutcome::Missed));
        }
    }

    pub(super) fn done(&mut self, pairing: &mut Pairing, done_ps: i64) {
        if self.waiting.is_empty() {
            let outcome = if self.triggered { DoneOutcome::Duplicate } else { DoneOutcome::Spurious };
            pairing.add_unpaired(done_ps, outcome, None);
        }
        for index in self.waiting.drain(..) {
            pairing.complete(index, done_ps);
        }
    }
}
