//! Wires between pins of two boards, each from a pin whose level it takes to a pin that it drives.
//!
//! A wire has a delay, and that is what keeps boards in step: a turn takes half of the shortest, so that an edge of one turn
//! arrives after the next has begun, and the other half is room for the instruction that a board is at when its turn ends. So
//! every edge arrives exactly so much later as the delay says, whoever runs first. An edge that would come too late is an
//! error, never a wrong time. That is so for a board that is still booting, whose ROM is one step of milliseconds. A wire without a delay would make turns of single cycles, as a pin may be read in any.
//!
//! A UART does not look at its pin bit by bit: to one leads a serial line in place of a wire, which has no delay.
//!
//! Left out: what the receiving board drives does not come back, and a pin that two drive is seen at the receiver alone.

use std::borrow::BorrowMut;

use mcu::{Edge, Stop};
use record::Control;
use sim::{Lockstep, Taken, Turn, Wire};
use units::{PS_PER_US, Picoseconds};

use super::pair::Side;
use super::run::Ended;
use super::serial::{SerialLine, SerialWire, refuse_alone};
use super::{Board, BoardError};

/// The delay of a wire where nobody says another. Half of it is room for an instruction that waits for flash, which takes 8
/// bytes in a microsecond where nobody has set it up for more.
pub const WIRE_DELAY: Picoseconds = Picoseconds::new(2 * PS_PER_US);
/// Half of a shorter one would be less than an instruction takes while a board starts its clocks.
pub const LEAST_WIRE_DELAY: Picoseconds = Picoseconds::new(PS_PER_US);

/// A wire from a pin of one board to a pin of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinWire {
    /// Whose the first pin is; the second one is the other board's.
    pub from: Side,
    /// The pin whose level it takes.
    pub pin: u8,
    /// The pin that it drives.
    pub to: u8,
    /// How long an edge is on the way.
    pub delay: Picoseconds,
}

/// All wires between two boards, and the serial lines beside them.
#[derive(Debug)]
pub struct PinWires {
    wires: Vec<PinWire>,
    lines: SerialWire,
    /// The time up to which both boards have run. One that sleeps for good stands where it fell asleep.
    now: Picoseconds,
}

impl PinWires {
    /// Puts wires and serial lines between boards.
    ///
    /// # Errors
    /// When one of them cannot be between pins like that.
    pub fn between(
        boards: [&mut Board; 2],
        wires: &[PinWire],
        lines: &[SerialLine],
    ) -> Result<Self, BoardError> {
        if wires.is_empty() && lines.is_empty() {
            return Err(BoardError::Refused(
                "two boards are joined by one wire at least, and there is none".into(),
            ));
        }
        for (place, wire) in wires.iter().enumerate() {
            check(boards.each_ref().map(|board| &**board), wire, &wires[..place])?;
            check_beside(wire, lines)?;
        }
        let now = boards.iter().map(|board| board.now()).max().unwrap_or_default();
        let [first, second] = boards;
        let lines = SerialWire::between(&mut [&mut *first, &mut *second], lines)?;
        for wire in wires {
            let from = if wire.from == Side::First { &mut *first } else { &mut *second };
            from.chip.begin_wire(wire.pin);
        }
        Ok(Self { wires: wires.to_vec(), lines, now })
    }

    /// Runs both boards to a time, or until one of them faults or ends, nothing will ever happen again, or somebody stops it.
    /// Gives how that was for each: the time is over for the one while the other ends both.
    ///
    /// # Errors
    /// When an edge comes too late.
    pub fn run(
        &mut self,
        boards: [&mut Board; 2],
        end: Picoseconds,
        control: &Control,
    ) -> Result<[Ended; 2], BoardError> {
        let mut step = Lockstep::new(boards, &mut *self, None);
        let mut ends = [Ended::Chip(Stop::Time); 2];
        while step.now() < end && ends == [Ended::Chip(Stop::Time); 2] {
            if control.is_stopped() {
                ends = [Ended::Interrupted; 2];
                break;
            }
            match step.turn(end, control)? {
                Turn::Taken => {}
                Turn::Idle => ends = [Ended::Chip(Stop::Asleep); 2],
                Turn::Ended { owner, ended } => ends[owner] = ended,
            }
        }
        let now = step.now();
        self.now = self.now.max(now);
        Ok(ends)
    }

    /// What a user should know of what a board received.
    pub fn notes(&self, side: Side, board: &Board) -> Vec<String> {
        self.lines.notes(side, board)
    }

    /// The virtual time up to which both have run.
    pub fn now(&self) -> Picoseconds {
        self.now
    }
}

fn check(boards: [&Board; 2], wire: &PinWire, before: &[PinWire]) -> Result<(), BoardError> {
    let refused = |pin: u8, message: String| {
        Err(BoardError::Refused(format!("a wire from GP{} to GP{}: GP{pin} {message}", wire.pin, wire.to)))
    };
    let sides = [(wire.from, wire.pin), (wire.from.other(), wire.to)];
    for (board, pin) in sides.map(|(side, pin)| (boards[side as usize].file(), pin)) {
        if pin >= board.mcu.facts.gpio_count {
            return refused(pin, format!("is no pin of board {}", board.name));
        }
        if let Err(message) = refuse_alone(board) {
            return refused(pin, message);
        }
        if let Some(part) = board.parts.iter().find(|part| part.pins().any(|(_, used)| used == pin)) {
            return refused(
                pin,
                format!("is a pin of {} on board {}; take a free one", part.name, board.name),
            );
        }
    }
    if wire.delay < LEAST_WIRE_DELAY {
        let message = format!("is {} away, and {LEAST_WIRE_DELAY} is the least", wire.delay);
        return refused(wire.to, message);
    }
    if before.iter().any(|other| other.from == wire.from && other.to == wire.to) {
        return refused(wire.to, "has a wire already, and one drives it alone".to_owned());
    }
    let ends = |other: &PinWire| other.from != wire.from && (other.to == wire.pin || other.pin == wire.to);
    if before.iter().any(ends) {
        return refused(wire.pin, "would have wires in both directions; a wire has one".to_owned());
    }
    Ok(())
}

/// That no serial line has an end where a wire has one.
fn check_beside(wire: &PinWire, lines: &[SerialLine]) -> Result<(), BoardError> {
    let pins = |line: &SerialLine| [(line.from, line.pin), (line.from.other(), line.to)];
    for end in [(wire.from, wire.pin), (wire.from.other(), wire.to)] {
        if lines.iter().any(|line| pins(line).contains(&end)) {
            let message = format!(
                "a wire from GP{} to GP{}: GP{} has a serial line as well; take one of both",
                wire.pin, wire.to, end.1
            );
            return Err(BoardError::Refused(message));
        }
    }
    Ok(())
}

impl<B: BorrowMut<Board>> Wire<B> for PinWires {
    type Error = BoardError;

    fn look_ahead(&self) -> Picoseconds {
        let shortest = self.wires.iter().map(|wire| wire.delay).min();
        shortest
            .map_or_else(|| Wire::<Board>::look_ahead(&self.lines), |delay| Picoseconds::new(delay.ps() / 2))
    }

    fn exchange(&mut self, boards: &mut [B], taken: Taken<'_>) -> Result<(), BoardError> {
        for from in Side::BOTH {
            let outgoing = boards[from as usize].borrow_mut().chip.take_lines();
            let edges = outgoing.edges;
            self.lines.hand_over(boards, from, &edges, taken.ran_to[from as usize])?;
            for character in &outgoing.characters {
                self.lines.compare(boards, from, character);
            }
            for edge in edges {
                for wire in self.wires.iter().filter(|wire| wire.from == from && wire.pin == edge.pin) {
                    hand_over(boards[from.other() as usize].borrow_mut(), wire, edge)?;
                }
            }
        }
        Ok(())
    }
}

fn hand_over(board: &mut Board, wire: &PinWire, edge: Edge) -> Result<(), BoardError> {
    let (at, now, delay) = (edge.at + wire.delay, board.now(), wire.delay);
    if at < now {
        let board = board.file.name.clone();
        return Err(BoardError::LateEdge { board, pin: wire.to, at, now, delay });
    }
    board.parts().expect_edge(Edge { at, pin: wire.to, level: edge.level });
    Ok(())
}
