//! One measured message, whatever was measured, and many of them in columns: a run may have millions, and most say no more
//! than when they began and ended.

use units::Picoseconds;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was answered, and rightly: its done edge came.
    Paired,
    /// Nothing completed it, or something wrong did.
    Missed,
    /// Its trigger came too soon after the one before to be one.
    Glitch,
    /// The done channel was busy when it began, so that its end could not be seen.
    Overlapped,
}

impl Outcome {
    /// The outcome's name in run folders, tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paired => "paired",
            Self::Missed => "missed",
            Self::Glitch => "glitch",
            Self::Overlapped => "overlapped",
        }
    }
}

/// What else is known of a message that a client or a server exchanged; times count from the run's start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// Bytes of the application's own content.
    pub payload_bytes: u64,
    /// Bytes sent for this message.
    pub request_bytes: u64,
    /// Bytes received for this message.
    pub response_bytes: u64,
    /// Counts connections from 0; nothing where there are none.
    pub connection: Option<u32>,
    /// When the request was handed over to be sent, where somebody tells: of an open loop later than the trigger.
    pub sent: Option<Picoseconds>,
    /// When the connection that this message opened was open.
    pub connect: Option<Picoseconds>,
    /// When the first byte of the answer arrived.
    pub first_byte: Option<Picoseconds>,
    /// The answer's status, where the protocol has one.
    pub status: Option<u16>,
    /// The client's or the server's own word for how it ended, such as `wrong`.
    pub answer: Option<&'static str>,
    /// What went wrong; nothing where nothing did, or where the word for it says all.
    pub error: Option<String>,
}

/// One measured message; times count from the run's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Counts messages from 0.
    pub index: u64,
    /// The start.
    pub trigger: Picoseconds,
    /// The end; there is one exactly where it is paired.
    pub done: Option<Picoseconds>,
    /// What became of it.
    pub outcome: Outcome,
    /// What a client or a server knows of it.
    pub exchange: Option<&'a Exchange>,
}

impl Sample<'_> {
    /// A message that has just begun; unless more is heard, it is missed.
    pub fn begun(index: u64, trigger: Picoseconds) -> Self {
        Self { index, trigger, done: None, outcome: Outcome::Missed, exchange: None }
    }

    /// A message whose end is known, or that was lost.
    pub fn known(index: u64, trigger: Picoseconds, done: Option<Picoseconds>) -> Self {
        let outcome = if done.is_some() { Outcome::Paired } else { Outcome::Missed };
        Self { done, outcome, ..Self::begun(index, trigger) }
    }

    /// From trigger to done.
    pub fn latency(&self) -> Option<Picoseconds> {
        self.done.map(|done| done - self.trigger)
    }

    /// Bytes of the application's own content, where somebody knows them.
    pub fn payload_bytes(&self) -> u64 {
        self.exchange.map_or(0, |exchange| exchange.payload_bytes)
    }
}

/// Stands for no done; no run is so long (±106 days).
const NO_DONE: i64 = i64::MIN;

/// Messages in the order of their indices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    trigger_ps: Vec<i64>,
    done_ps: Vec<i64>,
    outcomes: Vec<Outcome>,
    /// Empty where indices are places.
    indices: Vec<u64>,
    /// Empty, or one for each message.
    exchanges: Vec<Exchange>,
}

impl Samples {
    /// Of times that are known already: when each was triggered, and when it was done or nothing.
    pub fn of_times(messages: impl IntoIterator<Item = (i64, Option<i64>)>) -> Self {
        let mut samples = Self::default();
        for (trigger, done) in messages {
            let index = samples.len() as u64;
            samples.push(Sample::known(index, Picoseconds::new(trigger), done.map(Picoseconds::new)));
        }
        samples
    }

    /// None yet, with room for so many.
    pub fn with_room(count: usize) -> Self {
        Self {
            trigger_ps: Vec::with_capacity(count),
            done_ps: Vec::with_capacity(count),
            outcomes: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    /// Adds a message of which no more is known.
    pub fn push(&mut self, sample: Sample<'_>) {
        debug_assert!(self.exchanges.is_empty(), "either all messages are exchanges or none is");
        self.push_core(sample);
    }

    /// Adds a message with all that a client or a server knows of it.
    pub fn push_exchange(&mut self, sample: Sample<'_>, exchange: Exchange) {
        debug_assert_eq!(self.exchanges.len(), self.len(), "either all messages are exchanges or none is");
        self.push_core(sample);
        self.exchanges.push(exchange);
    }

    fn push_core(&mut self, sample: Sample<'_>) {
        let place = self.len() as u64;
        if self.indices.is_empty() && sample.index != place {
            self.indices = (0..place).collect();
        }
        if !self.indices.is_empty() || sample.index != place {
            self.indices.push(sample.index);
        }
        self.trigger_ps.push(sample.trigger.ps());
        self.done_ps.push(sample.done.map_or(NO_DONE, Picoseconds::ps));
        self.outcomes.push(sample.outcome);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.trigger_ps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.trigger_ps.is_empty()
    }

    /// The message at a place.
    pub fn get(&self, place: usize) -> Sample<'_> {
        let done = self.done_ps[place];
        Sample {
            index: self.indices.get(place).copied().unwrap_or(place as u64),
            trigger: Picoseconds::new(self.trigger_ps[place]),
            done: (done != NO_DONE).then(|| Picoseconds::new(done)),
            outcome: self.outcomes[place],
            exchange: self.exchanges.get(place),
        }
    }

    /// All, in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Sample<'_>> + ExactSizeIterator + Clone {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Those that were answered rightly.
    pub fn answered(&self) -> impl DoubleEndedIterator<Item = Sample<'_>> + Clone {
        self.iter().filter(|sample| sample.outcome == Outcome::Paired && sample.done.is_some())
    }

    /// The message of an index, where there is one.
    pub fn by_index(&self, index: u64) -> Option<Sample<'_>> {
        let place = match self.indices.is_empty() {
            true => usize::try_from(index).ok().filter(|place| *place < self.len())?,
            false => self.indices.binary_search(&index).ok()?,
        };
        Some(self.get(place))
    }

    /// When each was triggered.
    pub fn trigger_times_ps(&self) -> &[i64] {
        &self.trigger_ps
    }

    /// The latencies of those that were answered, in their order.
    pub fn latencies_ps(&self) -> Vec<i64> {
        let mut latencies = Vec::with_capacity(self.len());
        latencies.extend(self.answered().filter_map(|sample| sample.latency()).map(Picoseconds::ps));
        latencies
    }

    /// How many had an outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes.iter().filter(|one| **one == outcome).count() as u64
    }

    /// A copy without the first `from`.
    #[must_use]
    pub fn since(&self, from: usize) -> Self {
        let from = from.min(self.len());
        let indices = match self.indices.is_empty() {
            true => (from as u64..self.len() as u64).collect(),
            false => self.indices[from..].to_vec(),
        };
        Self {
            trigger_ps: self.trigger_ps[from..].to_vec(),
            done_ps: self.done_ps[from..].to_vec(),
            outcomes: self.outcomes[from..].to_vec(),
            indices,
            exchanges: self.exchanges.get(from..).map(<[Exchange]>::to_vec).unwrap_or_default(),
        }
    }

    /// Those that count: without the first `skip`, and no more than `most`.
    pub fn counting(self, skip: u64, most: Option<u64>) -> Self {
        if skip == 0 && most.is_none_or(|most| self.len() as u64 <= most) {
            return self;
        }
        let place = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let from = place(skip).min(self.len());
        let to = most.map_or(self.len(), |most| from.saturating_add(place(most)).min(self.len()));
        let indices = match self.indices.is_empty() {
            true if from == 0 => Vec::new(),
            true => (from as u64..to as u64).collect(),
            false => self.indices[from..to].to_vec(),
        };
        Self {
            trigger_ps: self.trigger_ps[from..to].to_vec(),
            done_ps: self.done_ps[from..to].to_vec(),
            outcomes: self.outcomes[from..to].to_vec(),
            indices,
            exchanges: self.exchanges.get(from..to).map(<[Exchange]>::to_vec).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Samples {
        Samples::of_times([(100, Some(103)), (110, None), (120, Some(150))])
    }

    #[test]
    fn what_was_pushed_comes_back() {
        let samples = three();
        assert_eq!(samples.latencies_ps(), [3, 30]);
        assert_eq!((samples.count(Outcome::Paired), samples.count(Outcome::Missed)), (2, 1));
        assert_eq!(samples.get(1), Sample::begun(1, Picoseconds::new(110)));
        assert_eq!(samples.iter().map(|sample| sample.index).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn messages_that_count_keep_their_indices() {
        let counting = three().counting(1, Some(1));
        assert_eq!(counting.iter().map(|sample| sample.index).collect::<Vec<_>>(), [1]);
        assert_eq!(counting.by_index(1).map(|sample| sample.trigger.ps()), Some(110));
        assert_eq!(counting.by_index(0), None);
        assert_eq!(three().counting(9, None).len(), 0);
    }

    #[test]
    fn what_came_since_keeps_its_indices() {
        let since = three().since(1);
        assert_eq!(since.iter().map(|sample| sample.index).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((since.latencies_ps(), three().since(9).len()), (vec![30], 0));
    }

    #[test]
    fn an_exchange_is_found_with_its_message() {
        let mut samples = Samples::default();
        let exchange = Exchange { payload_bytes: 12, status: Some(404), ..Exchange::default() };
        samples.push_exchange(Sample::known(5, Picoseconds::ZERO, None), exchange.clone());
        assert_eq!(samples.by_index(5).unwrap().exchange, Some(&exchange));
        assert_eq!(samples.get(0).payload_bytes(), 12);
    }
}
