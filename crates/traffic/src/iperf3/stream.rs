//! One connection of a test: sends blocks whenever there is room, or counts what comes.

use std::collections::VecDeque;

use bytes::Bytes;
use units::Picoseconds;

use crate::bulk::{Direction, Transfer};
use crate::meter::Meter;
use crate::{Action, Connection};

#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) connection: Connection,
    pub(super) sends: bool,
    pub(super) meter: Meter,
    /// Connected, or known by its cookie.
    pub(super) is_open: bool,
}

impl Stream {
    pub(super) fn new(connection: Connection, sends: bool, interval: Option<Picoseconds>) -> Self {
        Self { connection, sends, meter: Meter::new(interval), is_open: false }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.meter.whole().map_or(0, |whole| whole.bytes)
    }

    /// Bytes and time, as results have them.
    pub(super) fn result(&self) -> (u64, Picoseconds) {
        let time = self.meter.whole().map_or(Picoseconds::ZERO, |whole| whole.end - whole.start);
        (self.bytes(), time)
    }

    pub(super) fn start(&mut self, now: Picoseconds, block_bytes: usize, actions: &mut VecDeque<Action>) {
        self.meter.start(now);
        if self.sends {
            actions.push_back(Action::WantRoom(self.connection, block_bytes));
        }
    }

    /// Sends a block, or what is left of the amount.
    pub(super) fn send(
        &mut self,
        now: Picoseconds,
        block: &Bytes,
        left: Option<u64>,
        actions: &mut VecDeque<Action>,
    ) {
        let count = left.map_or(block.len(), |left| left.min(block.len() as u64) as usize);
        if !self.sends || count == 0 {
            return;
        }
        self.meter.count(now, count as u64);
        actions.push_back(Action::SendBlock(self.connection, block.slice(..count)));
        actions.push_back(Action::WantRoom(self.connection, block.len()));
    }

    pub(super) fn transfer(&self, error: Option<&str>) -> Transfer {
        let passed = Direction {
            whole: self.meter.whole(),
            intervals: self.meter.intervals().to_vec(),
            ..Direction::default()
        };
        let (sent, received) =
            if self.sends { (passed, Direction::default()) } else { (Direction::default(), passed) };
        Transfer { sent, received, error: error.map(str::to_owned) }
    }
}
