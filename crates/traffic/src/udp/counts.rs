//! What became of datagrams and their answers.

use crate::Counter;

/// Counts of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Datagrams that were sent.
    pub sent: u64,
    /// Datagrams with a right answer in time.
    pub answered: u64,
    /// Datagrams whose time-out passed without an answer, also if one came later.
    pub timed_out: u64,
    /// Answers after their datagram's time-out.
    pub late: u64,
    /// Answers in time with other bytes than expected.
    pub wrong: u64,
    /// Answers to a datagram that had one already.
    pub duplicates: u64,
    /// First answers that came after that of a later datagram.
    pub out_of_order: u64,
    /// Answers to no datagram that is remembered, and what came from elsewhere.
    pub strangers: u64,
}

impl Counts {
    /// Those that the samples do not tell by themselves.
    pub(super) fn counters(&self) -> Vec<Counter> {
        let Self { timed_out, late, wrong, duplicates, out_of_order, strangers, .. } = *self;
        let of_datagrams = [("timed_out", timed_out), ("late", late), ("wrong", wrong)];
        let of_answers =
            [("duplicates", duplicates), ("out_of_order", out_of_order), ("strangers", strangers)];
        let of_datagrams = of_datagrams.map(|(name, value)| Counter { name, value, unit: "datagrams" });
        let of_answers = of_answers.map(|(name, value)| Counter { name, value, unit: "answers" });
        of_datagrams.into_iter().chain(of_answers).collect()
    }
}
