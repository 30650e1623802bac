//! The requests that are under way, each in a lane of its own. What is asked for at every event takes no longer with a thousand
//! lanes than with a few: which lane a connection belongs to, which wakes next, which is free, and whether all are over.

use std::collections::{BTreeMap, BTreeSet};

use units::Picoseconds;

use super::response::ResponseReader;
use crate::{Connection, Sample};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Begins a request at the time of the next wake.
    Resting,
    /// Begins a request when one is due.
    Free,
    Opening,
    Waiting,
    Over,
}

/// One request at a time.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    state: State,
    wake_at: Option<Picoseconds>,
    connection: Option<Connection>,
    pub(super) sample: Option<Sample>,
    /// A connection that was used before may end just as the next request leaves; that one is asked again on a new connection.
    pub(super) reused: bool,
    pub(super) reader: ResponseReader,
}

#[derive(Debug, Clone)]
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    of_connections: BTreeMap<Connection, usize>,
    wakes: BTreeSet<(Picoseconds, usize)>,
    free: Vec<usize>,
    over: usize,
}

impl Lanes {
    /// Lanes that all begin at the first wake.
    pub(super) fn new(count: usize, reader: ResponseReader) -> Self {
        let lane =
            Lane { state: State::Free, wake_at: None, connection: None, sample: None, reused: false, reader };
        let mut lanes = Self {
            lanes: vec![lane; count],
            of_connections: BTreeMap::new(),
            wakes: BTreeSet::new(),
            free: Vec::with_capacity(count),
            over: 0,
        };
        for number in 0..count {
            lanes.set(number, State::Resting, Some(Picoseconds::ZERO));
        }
        lanes
    }

    pub(super) fn len(&self) -> usize {
        self.lanes.len()
    }

    pub(super) fn all_over(&self) -> bool {
        self.over == self.lanes.len()
    }

    pub(super) fn get(&self, number: usize) -> &Lane {
        &self.lanes[number]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut Lane {
        &mut self.lanes[number]
    }

    pub(super) fn state(&self, number: usize) -> State {
        self.lanes[number].state
    }

    /// The lane that became free last, whose connection is the likeliest to be still open.
    pub(super) fn free(&self) -> Option<usize> {
        self.free.last().copied()
    }

    /// Lets a lane go on with another state and another time to wake.
    pub(super) fn set(&mut self, number: usize, state: State, wake_at: Option<Picoseconds>) {
        let lane = &mut self.lanes[number];
        if lane.wake_at != wake_at {
            if let Some(at) = lane.wake_at {
                self.wakes.remove(&(at, number));
            }
            if let Some(at) = wake_at {
                self.wakes.insert((at, number));
            }
            lane.wake_at = wake_at;
        }
        let before = std::mem::replace(&mut lane.state, state);
        if before == state {
            return;
        }
        match before {
            State::Free if self.free() == Some(number) => drop(self.free.pop()),
            State::Free => self.free.retain(|&free| free != number),
            State::Over => self.over -= 1,
            _ => {}
        }
        match state {
            State::Free => self.free.push(number),
            State::Over => self.over += 1,
            _ => {}
        }
    }

    /// Lets a lane go on with another state and the same time to wake.
    pub(super) fn set_state(&mut self, number: usize, state: State) {
        self.set(number, state, self.lanes[number].wake_at);
    }

    pub(super) fn of(&self, connection: Connection) -> Option<usize> {
        self.of_connections.get(&connection).copied()
    }

    pub(super) fn connection(&self, number: usize) -> Option<Connection> {
        self.lanes[number].connection
    }

    pub(super) fn connect(&mut self, number: usize, connection: Connection) {
        self.lanes[number].connection = Some(connection);
        self.of_connections.insert(connection, number);
    }

    /// Whatever comes on the lane's connection from now on is nobody's.
    pub(super) fn disconnect(&mut self, number: usize) -> Option<Connection> {
        let connection = self.lanes[number].connection.take()?;
        self.of_connections.remove(&connection);
        Some(connection)
    }

    pub(super) fn next_wake(&self) -> Option<Picoseconds> {
        self.wakes.first().map(|(at, _)| *at)
    }

    /// Those whose time has come, in their own order.
    pub(super) fn due(&self, now: Picoseconds) -> Vec<usize> {
        let due = self.wakes.iter().take_while(|(at, _)| *at <= now);
        let mut due: Vec<usize> = due.map(|(_, number)| *number).collect();
        due.sort_unstable();
        due
    }

    /// Whether a lane that was due still is.
    pub(super) fn is_due(&self, number: usize, now: Picoseconds) -> bool {
        self.lanes[number].wake_at.is_some_and(|at| at <= now)
    }
}
