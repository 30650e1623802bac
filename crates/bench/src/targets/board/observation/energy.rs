//! What a row's messages take of the board's supply: the energy from the first message that counts to the last traced one,
//! which is as many whole messages with the time between them.

use board::{Board, BoardEnergy};
use record::Samples;
use units::Picoseconds;

use crate::suite::Quantity;

/// Of a bulk transfer so many bytes count as a message.
const BYTES: f64 = 1e3;

/// The energy of a board at times between which it is to be told.
#[derive(Debug, Default)]
pub(super) struct Meter {
    marks: Vec<(Picoseconds, BoardEnergy)>,
}

/// What the messages of a time took.
#[derive(Debug, Clone)]
pub(crate) struct Metered {
    pub(crate) energy: BoardEnergy,
    pub(crate) time: Picoseconds,
    /// Of a bulk transfer kilobytes.
    pub(crate) messages: f64,
}

impl Meter {
    /// Reads the energy of a board at a message's beginning, or at the end of the last one.
    pub(super) fn read(&mut self, at: Picoseconds, board: &mut Board) {
        self.marks.push((at, board.energy()));
    }

    /// From the first reading to the last one at a message's beginning; where that is the first one, to the end. Nothing
    /// where no message begins meanwhile.
    pub(super) fn told(mut self, samples: &Samples, quantity: Quantity) -> Option<Metered> {
        let end = self.marks.pop()?;
        let (from, first) = self.marks.first().cloned()?;
        let last = self.marks.pop().filter(|(at, _)| *at > from);
        let (to, energy) = last.unwrap_or(end);
        let meanwhile = samples.answered().filter(|sample| sample.trigger >= from && sample.trigger < to);
        let messages = match quantity {
            Quantity::Bulk => meanwhile.map(|sample| sample.payload_bytes() as f64 / BYTES).sum(),
            _ => meanwhile.count() as f64,
        };
        (messages > 0.0).then(|| Metered { energy: energy.since(&first).told(), time: to - from, messages })
    }
}
