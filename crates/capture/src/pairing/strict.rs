//! The strict rule: a completion is the first done edge after its trigger and before the next trigger.
//!
//! When a trigger saw none and two done edges follow the next trigger, the first of them is the late one of
//! the trigger before. One alone pairs with the nearer trigger, unless it comes sooner than any completion can.

use super::outcome::{DoneOutcome, Pairing, TriggerOutcome};

#[derive(Debug)]
pub(super) struct Strict {
    min_latency_ps: i64,
    window: Option<Window>,
    /// The trigger before the window's, as long as it lacks its completion.
    missing: Option<usize>,
}

/// The time from a trigger to the next.
#[derive(Debug)]
struct Window {
    index: usize,
    trigger_ps: i64,
    /// The done edge that completes the trigger, unless one more shows that it was a late one.
    candidate_ps: Option<i64>,
    /// The trigger came while done was high: no done edge of this window can complete it.
    overlapped: bool,
}

impl Strict {
    pub(super) fn new(min_latency_ps: i64) -> Self {
        Self { min_latency_ps, window: None, missing: None }
    }

    pub(super) fn trigger(&mut self, pairing: &mut Pairing, trigger_ps: i64, done_was_high: bool) {
        self.close(pairing);
        let outcome = if done_was_high { TriggerOutcome::Overlapped } else { TriggerOutcome::Missed };
        let index = pairing.add_trigger(trigger_ps, outcome);
        self.window = Some(Window { index, trigger_ps, candidate_ps: None, overlapped: done_was_high });
    }

    pub(super) fn done(&mut self, pairing: &mut Pairing, done_ps: i64) {
        let Some(window) = &mut self.window else {
            pairing.add_unpaired(done_ps, DoneOutcome::Spurious, None);
            return;
        };
        let too_soon = done_ps - window.trigger_ps < self.min_latency_ps;
        if too_soon || window.overlapped {
            match self.missing.take() {
                Some(trigger) => pairing.add_unpaired(done_ps, DoneOutcome::Late, Some(trigger)),
                None => pairing.add_unpaired(done_ps, DoneOutcome::Spurious, None),
            }
        } else if let Some(first_ps) = window.candidate_ps {
            match self.missing.take() {
                Some(trigger) => {
                    pairing.add_unpaired(first_ps, DoneOutcome::Late, Some(trigger));
                    window.candidate_ps = Some(done_ps);
                }
                None => pairing.add_unpaired(done_ps, DoneOutcome::Duplicate, None),
            }
        } else {
            window.candidate_ps = Some(done_ps);
        }
    }

    pub(super) fn finish(mut self, pairing: &mut Pairing) {
        self.close(pairing);
    }

    fn close(&mut self, pairing: &mut Pairing) {
        let Some(window) = self.window.take() else { return };
        self.missing = None;
        match window.candidate_ps {
            Some(done_ps) => pairing.complete(window.index, done_ps),
            None if !window.overlapped => self.missing = Some(window.index),
            None => {}
        }
    }
}
