//! Two boards at the ends of one wire, in lockstep. Between turns each gets what the other put on the wire: frames of
//! Ethernet with the time at which their last bit arrives, in turns that are shorter than the shortest frame, or the levels
//! of serial lines.

use mcu::Stop;
use sim::{Lockstep, Owner, Passive, Ran, Taken, Turn, Wire};
use units::Picoseconds;

use super::run::{Course, Ended, RunUntil};
use super::serial::{SerialLine, SerialWire};
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

    pub(super) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A frame from one board to the other, or a character on a serial line, from its start bit to its last stop bit.
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
    step: Lockstep<Board, Between, 2>,
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
        let wire = Between::Ethernet(EthernetWire::between(&mut boards)?);
        Ok(Self { step: Lockstep::new(boards, wire, turn), ended_by: None })
    }

    /// Joins two boards that have not run yet by serial lines, and by nothing else. The length of turns changes nothing.
    ///
    /// # Errors
    /// When a line cannot be between pins like that.
    pub fn on_lines(
        first: Board,
        second: Board,
        lines: &[SerialLine],
        turn: Option<Picoseconds>,
    ) -> Result<Self, BoardError> {
        let mut boards = [first, second];
        let wire = Between::Serial(SerialWire::between(&mut boards.each_mut(), lines)?);
        Ok(Self { step: Lockstep::new(boards, wire, turn), ended_by: None })
    }

    /// The virtual time up to which both have run.
    pub fn now(&self) -> Picoseconds {
        self.step.now()
    }

    /// One of the boards.
    pub fn board(&mut self, side: Side) -> &mut Board {
        &mut self.step.owners[side as usize]
    }

    /// Both boards, the first one first.
    pub fn boards(&mut self) -> &mut [Board; 2] {
        &mut self.step.owners
    }

    /// The frames or characters that went over the wire since the last call, in the order of their first bits.
    pub fn take_crossed(&mut self) -> Vec<Crossing> {
        let now = self.now();
        match &mut self.step.wire {
            Between::Ethernet(wire) => std::mem::take(&mut wire.crossed),
            Between::Serial(wire) => wire.take_crossed(now),
        }
    }

    /// What a user should know of what a board received.
    pub fn notes(&self, side: Side) -> Vec<String> {
        match &self.step.wire {
            Between::Ethernet(_) => Vec::new(),
            Between::Serial(wire) => wire.notes(side, &self.step.owners[side as usize]),
        }
    }

    /// Runs both to a time, or until one of them faults or ends, nothing will ever happen again, or somebody stops it.
    ///
    /// # Errors
    /// When turns are so long that a frame comes too late.
    pub fn run(&mut self, end: Picoseconds, control: &Control) -> Result<Ended, BoardError> {
        while self.now() < end {
            if control.is_stopped() {
                return Ok(Ended::Interrupted);
            }
            match self.step.turn(end, control)? {
                Turn::Taken => {}
                Turn::Idle => return Ok(Ended::Chip(Stop::Asleep)),
                Turn::Ended { owner, ended } => {
                    self.ended_by = Some(Side::BOTH[owner]);
                    return Ok(ended);
                }
            }
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
}

/// A board owns its time: its chip executes code.
impl Owner<Control> for Board {
    type Ended = Ended;

    fn now(&self) -> Picoseconds {
        Self::now(self)
    }

    fn next_event(&mut self) -> Option<Picoseconds> {
        let never = Picoseconds::new(i64::MAX);
        let chips = self.parts().lan().and_then(|lan| lan.next_event()).unwrap_or(never);
        let arrival = self.parts().next_arrival().unwrap_or(never);
        Some(chips.min(arrival).min(self.chip.next_moment())).filter(|&at| at < never)
    }

    fn run_until(&mut self, end: Picoseconds, control: &Control) -> Ran<Ended> {
        match self.run_course(&mut Course::new(&RunUntil::time(end)), control, &mut ()) {
            Ended::Chip(Stop::Time | Stop::Asleep) => Ran::Through,
            Ended::Chip(Stop::AwaitsLine) => Ran::Waits,
            ended => Ran::Ended(ended),
        }
    }
}

/// What is between two boards.
#[derive(Debug)]
enum Between {
    Ethernet(EthernetWire),
    Serial(SerialWire),
}

impl Wire<Board> for Between {
    type Error = BoardError;

    fn look_ahead(&self) -> Picoseconds {
        match self {
            Self::Ethernet(wire) => wire.look_ahead(),
            Self::Serial(wire) => wire.look_ahead(),
        }
    }

    fn exchange(&mut self, boards: &mut [Board], taken: Taken<'_>) -> Result<(), BoardError> {
        match self {
            Self::Ethernet(wire) => wire.exchange(boards, taken),
            Self::Serial(wire) => wire.exchange(boards, taken),
        }
    }
}

/// The cable between the chips of two boards.
#[derive(Debug)]
struct EthernetWire {
    shortest_frame: Picoseconds,
    crossed: Vec<Crossing>,
}

impl EthernetWire {
    /// Takes the cables of both out of their networks.
    fn between(boards: &mut [Board; 2]) -> Result<Self, BoardError> {
        let mut shortest_frame = Picoseconds::new(i64::MAX);
        for board in boards {
            let name = board.file.name.clone();
            let lan = board.parts().lan();
            let lan =
                lan.ok_or_else(|| BoardError::Refused(format!("board {name} has no chip with Ethernet")))?;
            lan.open_wire().map_err(|error| BoardError::Refused(format!("board {name}: {error}")))?;
            shortest_frame = shortest_frame.min(lan.shortest_frame());
        }
        Ok(Self { shortest_frame, crossed: Vec::new() })
    }

    fn hand_over(&self, board: &mut Board, frame: WireFrame, turn: Picoseconds) -> Result<(), BoardError> {
        let (now, shortest) = (board.now(), self.shortest_frame);
        if frame.end < now {
            let name = board.file.name.clone();
            return Err(BoardError::Late { board: name, at: frame.end, now, turn, shortest });
        }
        board.parts().lan().expect("both boards have a chip").expect(frame);
        Ok(())
    }
}

impl Wire<Board> for EthernetWire {
    type Error = BoardError;

    fn look_ahead(&self) -> Picoseconds {
        Picoseconds::new(self.shortest_frame.ps() / 8 * TURN_IN_EIGHTHS)
    }

    fn exchange(&mut self, boards: &mut [Board], Taken { turn, .. }: Taken<'_>) -> Result<(), BoardError> {
        let before = self.crossed.len();
        for from in Side::BOTH {
            while let Some(frame) = boards[from as usize].parts().lan().and_then(|lan| lan.take_outgoing()) {
                self.hand_over(&mut boards[from.other() as usize], frame.clone(), turn)?;
                self.crossed.push(Crossing { from, frame });
            }
        }
        self.crossed[before..].sort_by_key(|crossing| crossing.frame.start);
        Ok(())
    }
}
