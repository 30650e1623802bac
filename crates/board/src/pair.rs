//! Two boards at the ends of one wire. They take turns in virtual time, and between turns each gets the frames that the other
//! put on the wire, with the time at which their last bit arrives. A turn is shorter than the shortest frame: what one board
//! does in it reaches the other after it, so that the length of turns and who goes first change nothing.

use mcu::Stop;
use units::Picoseconds;

use super::run::{Ended, RunUntil};
use super::{Board, BoardError};
use lan::WireFrame;
use record::Control;

/// Of the shortest frame's time a turn takes seven eighths: a board ends a turn with the instruction that it is at.
const TURN_IN_EIGHTHS: i64 = 7;

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first board.
    First,
    /// The second one.
    Second,
}

impl Side {
    /// Both, in their order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A frame from one board to the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    /// Who sent it.
    pub from: Side,
    /// The frame.
    pub frame: WireFrame,
}

/// Two boards on one wire.
#[derive(Debug)]
pub struct BoardPair {
    boards: [Board; 2],
    now: Picoseconds,
    turn: Picoseconds,
    shortest_frame: Picoseconds,
    crossed: Vec<Crossing>,
    /// Whose fault or end was the pair's.
    ended_by: Option<Side>,
}

impl BoardPair {
    /// Takes the cables of two boards that have not run yet out of their networks and joins them. Turns are as long as they may
    /// be, unless `turn` says otherwise.
    ///
    /// # Errors
    /// When a board has no chip with Ethernet, or several.
    pub fn new(first: Board, second: Board, turn: Option<Picoseconds>) -> Result<Self, BoardError> {
        let mut boards = [first, second];
        let mut shortest_frame = Picoseconds::new(i64::MAX);
        for board in &mut boards {
            let name = board.file.name.clone();
            let lan = board.parts().lan();
            let lan =
                lan.ok_or_else(|| BoardError::Refused(format!("board {name} has no chip with Ethernet")))?;
            lan.open_wire().map_err(|error| BoardError::Refused(format!("board {name}: {error}")))?;
            shortest_frame = shortest_frame.min(lan.shortest_frame());
        }
        let turn = turn.unwrap_or(Picoseconds::new(shortest_frame.ps() / 8 * TURN_IN_EIGHTHS));
        Ok(Self { boards, now: Picoseconds::ZERO, turn, shortest_frame, crossed: Vec::new(), ended_by: None })
    }

    /// The virtual time up to which both have run.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// One of the boards.
    pub fn board(&mut self, side: Side) -> &mut Board {
        &mut self.boards[side as usize]
    }

    /// Both boards, the first one first.
    pub fn boards(&mut self) -> &mut [Board; 2] {
        &mut self.boards
    }

    /// The frames that went over the wire since the last call, in the order of their first bits.
    pub fn take_crossed(&mut self) -> Vec<Crossing> {
        std::mem::take(&mut self.crossed)
    }

    /// Runs both to a time, or until one of them faults or ends, nothing will ever happen again, or somebody stops it.
    ///
    /// # Errors
    /// When turns are so long that a frame comes too late.
    pub fn run(&mut self, end: Picoseconds, control: &Control) -> Result<Ended, BoardError> {
        while self.now < end {
            if control.is_stopped() {
                return Ok(Ended::Interrupted);
            }
            let Some(due) = self.next_moment() else { return Ok(Ended::Chip(Stop::Asleep)) };
            let until = due.max(self.now).min(end);
            let until = (until + self.turn).min(end);
            for side in Side::BOTH {
                match self.board(side).run(&RunUntil::time(until), control, &mut ()) {
                    Ended::Chip(Stop::Time | Stop::Asleep) => {}
                    ended => {
                        self.ended_by = Some(side);
                        return Ok(ended);
                    }
                }
            }
            self.now = until;
            self.exchange()?;
        }
        Ok(Ended::Chip(Stop::Time))
    }

    /// How the run of one board ended, where that of both ended like this.
    pub fn ended(&self, side: Side, ended: Ended) -> Ended {
        match self.ended_by {
            Some(by) if by != side => Ended::Chip(Stop::Time),
            _ => ended,
        }
    }

    /// When either board does something next; before, neither can send.
    fn next_moment(&mut self) -> Option<Picoseconds> {
        let never = Picoseconds::new(i64::MAX);
        let of_one = |board: &mut Board| {
            let chips = board.parts().lan().and_then(|lan| lan.next_event());
            chips.unwrap_or(never).min(board.chip.next_moment())
        };
        self.boards.iter_mut().map(of_one).min().filter(|&at| at < never)
    }

    /// Hands over what either board put on the wire.
    fn exchange(&mut self) -> Result<(), BoardError> {
        let before = self.crossed.len();
        for from in Side::BOTH {
            while let Some(frame) = self.board(from).parts().lan().and_then(|lan| lan.take_outgoing()) {
                self.hand_over(from.other(), frame.clone())?;
                self.crossed.push(Crossing { from, frame });
            }
        }
        self.crossed[before..].sort_by_key(|crossing| crossing.frame.start);
        Ok(())
    }

    fn hand_over(&mut self, to: Side, frame: WireFrame) -> Result<(), BoardError> {
        let (turn, shortest) = (self.turn, self.shortest_frame);
        let board = self.board(to);
        let now = board.now();
        if frame.end < now {
            let name = board.file.name.clone();
            return Err(BoardError::Late { board: name, at: frame.end, now, turn, shortest });
        }
        board.parts().lan().expect("both boards have a chip").expect(frame);
        Ok(())
    }
}
