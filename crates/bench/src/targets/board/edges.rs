//! One-way messages, as a logic analyser at both boards has them: a rising edge on the trigger pin of one begins a message, a
//! rising edge on the done pin of the other ends it. Edges are paired as those of captures are.

use ::capture::Change;
use ::capture::pairing::{Pairer, Rule, Settings, Trigger, TriggerOutcome};
use ::traffic::{Outcome, Sample};
use mcu::Edge;
use units::Picoseconds;

use board::Board;

/// Edges that are kept: a day of fast messages has more.
const MOST_EDGES: usize = 1 << 22;
/// Channels of the pairing.
const TRIGGER: u64 = 1;
const DONE: u64 = 2;
/// Of the generator's pulses none is a glitch.
const NO_GLITCH: i64 = 0;

/// The pins, and what was seen of them so far.
#[derive(Debug, Clone)]
pub(super) struct Edges {
    trigger_pin: u8,
    done_pin: u8,
    /// What a message carries, as far as that is known.
    payload_bytes: u64,
    changes: Vec<Change>,
}

impl Edges {
    /// Watches a pin of each board from here on.
    pub(super) fn watch(boards: [(&mut Board, u8); 2], payload_bytes: u64) -> Self {
        let [trigger_pin, done_pin] = boards.map(|(board, pin)| {
            board.chip_mut().record_pins(1 << pin);
            pin
        });
        let low = Change { time_ps: 0, levels: 0 };
        Self { trigger_pin, done_pin, payload_bytes, changes: vec![low] }
    }

    /// Takes the edges since the last call.
    pub(super) fn take(&mut self, boards: &mut [Board; 2]) {
        let channels = [(self.trigger_pin, TRIGGER), (self.done_pin, DONE)];
        let mut edges: Vec<(Edge, u64)> = Vec::new();
        for (board, (pin, channel)) in boards.iter_mut().zip(channels) {
            let own = board.chip_mut().take_edges().into_iter().filter(|edge| edge.pin == pin);
            edges.extend(own.map(|edge| (edge, channel)));
        }
        edges.sort_by_key(|(edge, _)| edge.at);
        let mut levels = self.changes.last().map_or(0, |last| last.levels);
        let room = MOST_EDGES.saturating_sub(self.changes.len());
        for (edge, channel) in edges.into_iter().take(room) {
            levels = if edge.level { levels | channel } else { levels & !channel };
            self.changes.push(Change { time_ps: edge.at.ps(), levels });
        }
    }

    /// The messages so far, without one that may still arrive.
    pub(super) fn samples(&self) -> Vec<Sample> {
        let mut pairer = Pairer::new(Settings {
            rule: Rule::Strict,
            glitch_ps: Some(NO_GLITCH),
            min_latency_ps: 0,
            max_latency_ps: None,
        });
        pairer.push(&self.changes);
        let pairing = pairer.finish();
        let last = pairing.len().checked_sub(1);
        let triggers = pairing.triggers().enumerate();
        let decided = triggers.filter(|(index, one)| one.done_ps.is_some() || Some(*index) != last);
        decided.map(|(index, one)| self.sample(index as u64, &one)).collect()
    }

    fn sample(&self, index: u64, trigger: &Trigger) -> Sample {
        let Self { done_pin, payload_bytes, .. } = *self;
        let error = match trigger.outcome {
            TriggerOutcome::Paired => None,
            TriggerOutcome::Overlapped => Some(format!(
                "the peer's GP{done_pin} was high from the message before; give trigger.period a longer time"
            )),
            _ => Some(format!("the peer's GP{done_pin} did not rise before the next message")),
        };
        Sample {
            payload_bytes,
            done: trigger.done_ps.map(Picoseconds::new),
            outcome: if error.is_none() { Outcome::Ok } else { Outcome::TimedOut },
            error,
            ..Sample::begun(index, Picoseconds::new(trigger.trigger_ps))
        }
    }

    /// Why no message arrived.
    pub(super) fn why_none(&self) -> String {
        let rose = |channel: u64| {
            self.changes.windows(2).any(|pair| pair[1].levels & !pair[0].levels & channel != 0)
        };
        match (rose(TRIGGER), rose(DONE)) {
            (false, _) => "the row ended before the first edge on the trigger pin; give an earlier trigger.from, or a longer \
                           limit"
                .to_owned(),
            (true, false) => format!(
                "GP{} of the board rose, and GP{} of the peer never did; look whether these are the pins of the images and \
                 whether both speak the same transport",
                self.trigger_pin, self.done_pin
            ),
            (true, true) => self
                .samples()
                .into_iter()
                .find_map(|one| one.error)
                .unwrap_or_else(|| format!("GP{} of the peer rose only before messages", self.done_pin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(changes: &[(i64, u64)]) -> Edges {
        let low = (0, 0);
        let all = std::iter::once(&low).chain(changes);
        let changes = all.map(|&(time_ps, levels)| Change { time_ps, levels }).collect();
        Edges { trigger_pin: 2, done_pin: 3, payload_bytes: 12, changes }
    }

    #[test]
    fn a_message_lasts_from_trigger_to_done_and_one_without_is_missed() {
        let rounds =
            [(100, 1), (110, 0), (130, 2), (140, 0), (200, 1), (210, 0), (300, 1), (310, 0), (350, 2)];
        let seen = edges(&rounds);
        let found: Vec<(i64, Option<i64>, Outcome)> = seen
            .samples()
            .iter()
            .map(|one| (one.trigger.ps(), one.done.map(Picoseconds::ps), one.outcome))
            .collect();
        let missed = (200, None, Outcome::TimedOut);
        assert_eq!(found, [(100, Some(130), Outcome::Ok), missed, (300, Some(350), Outcome::Ok)]);
        assert_eq!(seen.samples()[0].payload_bytes, 12);
        assert_eq!(
            seen.samples()[1].error.as_deref(),
            Some("the peer's GP3 did not rise before the next message")
        );
    }

    #[test]
    fn a_message_that_comes_while_done_is_high_has_no_end_of_its_own() {
        let seen = edges(&[
            (100, 1),
            (110, 0),
            (130, 2),
            (200, 3),
            (205, 1),
            (210, 3),
            (300, 2),
            (310, 0),
            (400, 1),
        ]);
        let error = seen.samples()[1].error.clone().unwrap();
        assert!(error.contains("was high from the message before"), "{error}");
    }

    #[test]
    fn the_last_message_counts_once_it_has_arrived() {
        let mut seen = edges(&[(100, 1), (110, 0), (130, 2), (140, 0), (200, 1), (210, 0)]);
        assert_eq!(seen.samples().len(), 1);
        seen.changes.push(Change { time_ps: 230, levels: DONE });
        assert_eq!(seen.samples().len(), 2);
    }

    #[test]
    fn silence_says_how_far_it_came() {
        assert!(edges(&[]).why_none().contains("before the first edge"));
        assert!(edges(&[(1, 1)]).why_none().contains("GP3 of the peer never did"));
        assert!(edges(&[(1, 2), (2, 3)]).why_none().contains("only before messages"));
    }
}
