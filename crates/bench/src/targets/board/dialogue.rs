//! What two boards say to each other, message by message: what the first one asks, what the second one answers, and the samples
//! that come of it. Which bytes belong to whom is heard on a wire (`rounds.rs`) or on serial lines (`serial_rounds.rs`).

use ::traffic::{Outcome, Sample};
use units::Picoseconds;

/// Samples that are kept: a day of fast ping-pong has more.
const MOST_SAMPLES: usize = 1 << 20;

/// The present message, and all before it.
#[derive(Debug, Clone, Default)]
pub(super) struct Dialogue {
    /// When the present message began.
    pub(super) begun: Option<Picoseconds>,
    pub(super) asked: Vec<u8>,
    pub(super) answered: Vec<u8>,
    pub(super) first_byte: Option<Picoseconds>,
    samples: Vec<Sample>,
}

impl Dialogue {
    pub(super) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The present message is over, and the next one begins: answered rightly, or with an error.
    pub(super) fn complete(&mut self, now: Picoseconds, connection: Option<u32>, error: Option<String>) {
        let begun = self.begun.replace(now).unwrap_or(now);
        let asked = std::mem::take(&mut self.asked).len() as u64;
        let answered = std::mem::take(&mut self.answered).len() as u64;
        let first_byte = self.first_byte.take();
        if self.samples.len() >= MOST_SAMPLES {
            return;
        }
        self.samples.push(Sample {
            payload_bytes: asked,
            request_bytes: asked,
            response_bytes: answered,
            connection,
            first_byte,
            done: Some(now),
            outcome: if error.is_none() { Outcome::Ok } else { Outcome::Wrong },
            error,
            ..Sample::begun(self.samples.len() as u64, begun)
        });
    }
}
