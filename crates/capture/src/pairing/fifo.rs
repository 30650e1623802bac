//! The fifo rule, for links whose latency exceeds the trigger interval: completions come in the order of
//! their triggers. A lost message shifts all that follow, unless a longest latency is given.

use std::collections::VecDeque;

use super::outcome::{DoneOutcome, Pairing, TriggerOutcome};
use super::pairer::MAX_OUTSTANDING;

#[derive(Debug)]
pub(super) struct Fifo {
    min_latency_ps: i64,
    max_latency_ps: Option<i64>,
    outstanding: VecDeque<(usize, i64)>,
}

impl Fifo {
    pub(super) fn new(min_latency_ps: i64, max_latency_ps: Option<i64>) -> Self {
        Self { min_latency_ps, max_latency_ps, outstanding: VecDeque::new() }
    }

    pub(super) fn trigger(&mut self, pairing: &mut Pairing, trigger_ps: i64) {
        if self.outstanding.len() == MAX_OUTSTANDING {
            self.outstanding.pop_front();
        }
        let index = pairing.add_trigger(trigger_ps, TriggerOutcome::Missed);
        self.outstanding.push_back((index, trigger_ps));
    }

    pub(super) fn done(&mut self, pairing: &mut Pairing, done_ps: i64) {
        if let Some(max_latency_ps) = self.max_latency_ps {
            while self
                .outstanding
                .front()
                .is_some_and(|(_, trigger_ps)| done_ps - trigger_ps > max_latency_ps)
            {
                self.outstanding.pop_front();
            }
        }
        match self.outstanding.front().copied() {
            Some((index, trigger_ps)) if done_ps - trigger_ps >= self.min_latency_ps => {
                self.outstanding.pop_front();
                pairing.complete(index, done_ps);
            }
            _ => pairing.add_unpaired(done_ps, DoneOutcome::Spurious, None),
        }
    }
}
