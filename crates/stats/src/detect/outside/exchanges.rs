//! Exchanges in time order, with what several detectors ask of them.

use crate::quantile::quantile_of;

/// A message that was answered: when it was sent, when the connection that it opened was open, and its answer's first and last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// When the request was sent, or its connection asked for.
    pub trigger_ps: i64,
    /// When the connection that it opened was open.
    pub connect_ps: Option<i64>,
    /// The first byte of the answer.
    pub first_byte_ps: Option<i64>,
    /// The whole answer.
    pub done_ps: i64,
}

impl Exchange {
    /// From the start, or from the open connection, to the last byte.
    fn answer_ps(&self) -> f64 {
        (self.done_ps - self.connect_ps.unwrap_or(self.trigger_ps).max(self.trigger_ps)) as f64
    }
}

/// More messages tell nothing new of a shape, and cost time.
const MOST: usize = 4096;

/// The answered messages of a run.
#[derive(Debug, Clone)]
pub struct Exchanges {
    pub(super) all: Vec<Exchange>,
    /// From request to answer, without the opening, in the order of the messages.
    pub(super) answers_ps: Vec<f64>,
    /// What a message takes at least, where that is known: the way to the peer and back, and this computer.
    pub(super) way_ps: Option<f64>,
}

impl Exchanges {
    /// Of messages in any order. `floor_ps` is what this computer takes by itself, where that was measured.
    ///
    /// A connection is opened by the peer's network stack, which asks no program: the quickest opening is the way there and back.
    pub fn new(mut all: Vec<Exchange>, floor_ps: Option<f64>) -> Self {
        all.sort_by_key(|exchange| exchange.trigger_ps);
        all.truncate(MOST);
        let answers_ps = all.iter().map(Exchange::answer_ps).collect();
        let openings =
            all.iter().filter_map(|exchange| exchange.connect_ps.map(|open| open - exchange.trigger_ps));
        // Of a connection that was open before its message, as that of a first message may be, nothing is told.
        let quickest = openings.filter(|opening| *opening > 0).min().map(|ps| ps as f64);
        Self { all, answers_ps, way_ps: quickest.or(floor_ps) }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn answer_ps(&self, p: f64) -> f64 {
        quantile_of(&self.answers_ps, p)
    }

    /// When each request was sent.
    pub(super) fn asked_ps(&self) -> Vec<f64> {
        self.all
            .iter()
            .zip(&self.answers_ps)
            .map(|(exchange, answer)| exchange.done_ps as f64 - answer)
            .collect()
    }

    /// From each answer to the next request; below 0 where several are under way.
    pub(super) fn pauses_ps(&self) -> Vec<f64> {
        let asked = self.asked_ps();
        self.all
            .iter()
            .zip(asked.iter().skip(1))
            .map(|(exchange, next)| next - exchange.done_ps as f64)
            .collect()
    }

    /// The time of all messages.
    pub(super) fn total_ps(&self) -> f64 {
        self.all.iter().map(|exchange| (exchange.done_ps - exchange.trigger_ps) as f64).sum()
    }

    /// Whether requests wait for the answer before, and nothing else is under way.
    pub(super) fn is_one_at_a_time(&self) -> bool {
        self.all.windows(2).filter(|pair| pair[1].trigger_ps < pair[0].done_ps).count() * 50 <= self.len()
    }
}

/// The distances of neighbours.
pub(super) fn differences(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] - pair[0]).collect()
}
