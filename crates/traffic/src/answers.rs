//! The messages of a server, for whoever measures a client that is not ours: each from the answer before to its own answer,
//! so that it holds all that the client, the network and the server did in between.

use units::Picoseconds;

use crate::bulk::{Direction, Transfer};
use crate::{Interval, Outcome, Sample};

/// What is kept; later messages are counted by the server alone.
const MOST_SAMPLES: usize = 1 << 20;

/// Answers of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    /// When the last answer was given, or the first client came.
    last: Option<Picoseconds>,
    samples: Vec<Sample>,
}

impl Answers {
    /// A client has come: where nobody was answered before, its first message begins here.
    pub(crate) fn client_came(&mut self, now: Picoseconds) {
        self.last.get_or_insert(now);
    }

    /// An answer to a request of so many bytes is given.
    pub(crate) fn answered(&mut self, now: Picoseconds, request_bytes: usize, answer_bytes: usize) {
        let begun = self.last.replace(now).unwrap_or(now);
        if self.samples.len() >= MOST_SAMPLES {
            return;
        }
        self.samples.push(Sample {
            payload_bytes: request_bytes as u64,
            request_bytes: request_bytes as u64,
            response_bytes: answer_bytes as u64,
            done: Some(now),
            outcome: Outcome::Ok,
            ..Sample::begun(self.samples.len() as u64, begun)
        });
    }

    /// All that was answered.
    pub(crate) fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

/// The intervals of transfers as samples: what passed in the direction in which most did.
pub(crate) fn intervals_as_samples(transfers: &[Transfer]) -> Vec<Sample> {
    let busier = |transfer: &Transfer| -> Direction {
        let (sent, received) = (&transfer.sent, &transfer.received);
        if sent.bytes() > received.bytes() { sent.clone() } else { received.clone() }
    };
    of_intervals(transfers.iter().flat_map(|transfer| busier(transfer).intervals))
}

/// Intervals in which bytes were counted as samples.
pub(crate) fn of_intervals(intervals: impl Iterator<Item = Interval>) -> Vec<Sample> {
    let sample = |(index, Interval { start, end, bytes })| Sample {
        payload_bytes: bytes,
        response_bytes: bytes,
        done: Some(end),
        outcome: Outcome::Ok,
        ..Sample::begun(index, start)
    };
    (0..).zip(intervals).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_lasts_from_the_answer_before_to_its_own() {
        let at = Picoseconds::from_ns;
        let mut answers = Answers::default();
        answers.client_came(at(10));
        answers.answered(at(30), 1, 2);
        answers.client_came(at(35));
        answers.answered(at(50), 1, 2);
        let latencies: Vec<_> = answers.samples().iter().map(Sample::latency).collect();
        assert_eq!(latencies, [Some(at(20)), Some(at(20))]);
        assert_eq!(answers.samples()[1].index, 1);
    }
}
