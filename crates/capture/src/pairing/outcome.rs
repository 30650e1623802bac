//! What became of every edge: the result of pairing.

/// What became of a trigger edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerOutcome {
    /// A done edge completed it.
    Paired,
    /// No done edge of its own came before the next trigger (or the end of the capture).
    Missed,
    /// It came too soon after the trigger before it to be one: contact bounce or a doubled edge.
    Glitch,
    /// The done channel was high when it came, so that its own completion could not be seen to begin.
    Overlapped,
}

impl TriggerOutcome {
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

/// What became of a done edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoneOutcome {
    /// It completed a trigger.
    Paired,
    /// It belongs to the trigger before the one that it follows.
    Late,
    /// It followed a completion with no trigger between.
    Duplicate,
    /// No trigger can have caused it.
    Spurious,
}

impl DoneOutcome {
    /// The outcome's name in run folders, tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paired => "paired",
            Self::Late => "late",
            Self::Duplicate => "duplicate",
            Self::Spurious => "spurious",
        }
    }
}

/// A trigger edge and its completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger {
    /// When the trigger edge came.
    pub trigger_ps: i64,
    /// When the done edge came that completed it; `Some` exactly when it is paired.
    pub done_ps: Option<i64>,
    /// What became of it.
    pub outcome: TriggerOutcome,
}

/// A done edge that completed no trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnpairedDone {
    /// When the done edge came.
    pub done_ps: i64,
    /// Late, duplicate or spurious.
    pub outcome: DoneOutcome,
    /// The trigger whose completion it would have been, where it is late.
    pub trigger_index: Option<usize>,
}

/// How many edges had which outcome. Every trigger edge is counted in one of the first four, every done edge
/// in `paired` (once per done edge under the strict and fifo rules), `late`, `duplicate` or `spurious`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the fields bear the names of the outcomes")]
pub struct Outcomes {
    pub paired: u64,
    pub missed: u64,
    pub glitch: u64,
    pub overlapped: u64,
    pub late: u64,
    pub duplicate: u64,
    pub spurious: u64,
}

impl Outcomes {
    /// All trigger edges.
    pub const fn triggers(&self) -> u64 {
        self.paired + self.missed + self.glitch + self.overlapped
    }

    /// Names and counts in the order in which tables show them.
    pub const fn by_name(&self) -> [(&'static str, u64); 7] {
        [
            ("paired", self.paired),
            ("missed", self.missed),
            ("glitch", self.glitch),
            ("overlapped", self.overlapped),
            ("late", self.late),
            ("duplicate", self.duplicate),
            ("spurious", self.spurious),
        ]
    }
}

/// The triggers of a capture with their completions, and the done edges that completed nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairing {
    pub(super) trigger_ps: Vec<i64>,
    pub(super) done_ps: Vec<i64>,
    pub(super) outcomes: Vec<TriggerOutcome>,
    pub(super) unpaired_dones: Vec<UnpairedDone>,
    /// Triggers closer than this to the one before were taken for glitches.
    pub glitch_ps: i64,
}

/// Stands in `done_ps` where there is none; no capture reaches it (±106 days).
const NO_DONE: i64 = i64::MIN;

impl Pairing {
    /// The pairing of messages whose fate is known, such as those of a model: when each was triggered, in ascending
    /// time, and when it was done, or nothing where it was lost.
    pub fn of_messages(messages: impl IntoIterator<Item = (i64, Option<i64>)>) -> Self {
        let mut pairing = Self::default();
        for (trigger_ps, done_ps) in messages {
            let outcome = if done_ps.is_some() { TriggerOutcome::Paired } else { TriggerOutcome::Missed };
            pairing.trigger_ps.push(trigger_ps);
            pairing.done_ps.push(done_ps.unwrap_or(NO_DONE));
            pairing.outcomes.push(outcome);
        }
        pairing
    }

    /// The number of trigger edges.
    pub fn len(&self) -> usize {
        self.trigger_ps.len()
    }

    /// Whether the capture had no trigger edge at all.
    pub fn is_empty(&self) -> bool {
        self.trigger_ps.is_empty()
    }

    /// Every trigger edge in ascending time.
    pub fn triggers(&self) -> impl ExactSizeIterator<Item = Trigger> + '_ {
        (0..self.len()).map(|i| self.trigger(i))
    }

    /// The trigger edge at `index`.
    pub fn trigger(&self, index: usize) -> Trigger {
        let done_ps = self.done_ps[index];
        Trigger {
            trigger_ps: self.trigger_ps[index],
            done_ps: (done_ps != NO_DONE).then_some(done_ps),
            outcome: self.outcomes[index],
        }
    }

    /// Done edges that completed no trigger, in ascending time.
    pub fn unpaired_dones(&self) -> &[UnpairedDone] {
        &self.unpaired_dones
    }

    /// The times of all trigger edges.
    pub fn trigger_times_ps(&self) -> &[i64] {
        &self.trigger_ps
    }

    /// Latencies of the paired triggers, in trigger order.
    pub fn latencies_ps(&self) -> Vec<i64> {
        let mut latencies = Vec::with_capacity(self.len());
        let paired = self.trigger_ps.iter().zip(&self.done_ps).filter(|(_, done)| **done != NO_DONE);
        latencies.extend(paired.map(|(trigger, done)| done - trigger));
        latencies
    }

    /// The counts of all outcomes.
    pub fn outcomes(&self) -> Outcomes {
        let mut counts = Outcomes::default();
        for outcome in &self.outcomes {
            match outcome {
                TriggerOutcome::Paired => counts.paired += 1,
                TriggerOutcome::Missed => counts.missed += 1,
                TriggerOutcome::Glitch => counts.glitch += 1,
                TriggerOutcome::Overlapped => counts.overlapped += 1,
            }
        }
        for done in &self.unpaired_dones {
            match done.outcome {
                DoneOutcome::Paired => {}
                DoneOutcome::Late => counts.late += 1,
                DoneOutcome::Duplicate => counts.duplicate += 1,
                DoneOutcome::Spurious => counts.spurious += 1,
            }
        }
        counts
    }

    /// Adds a trigger edge whose completion, if any, comes later; gives its index.
    pub(super) fn add_trigger(&mut self, trigger_ps: i64, outcome: TriggerOutcome) -> usize {
        self.trigger_ps.push(trigger_ps);
        self.done_ps.push(NO_DONE);
        self.outcomes.push(outcome);
        self.trigger_ps.len() - 1
    }

    pub(super) fn complete(&mut self, index: usize, done_ps: i64) {
        self.done_ps[index] = done_ps;
        self.outcomes[index] = TriggerOutcome::Paired;
    }

    pub(super) fn add_unpaired(&mut self, done_ps: i64, outcome: DoneOutcome, trigger_index: Option<usize>) {
        self.unpaired_dones.push(UnpairedDone { done_ps, outcome, trigger_index });
    }

    pub(super) fn sort_unpaired(&mut self) {
        self.unpaired_dones.sort_by_key(|done| done.done_ps);
    }
}
