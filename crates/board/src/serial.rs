//! Serial lines between two boards: each joins a pin of one to the receiving pin of a UART of the other. Boards exchange the
//! changes of level on their lines, with the times at which these happen. A line has no length, and still boards need not be
//! kept in step by the cycle: a UART shows nothing of a character before its stop bit, and the chip stops by itself where it
//! would have to know more ([`Stop::AwaitsLine`](mcu::Stop::AwaitsLine)). So the look-ahead comes from the receivers,
//! whatever rates they have.

use std::borrow::{Borrow, BorrowMut};

use mcu::{Character, Edge, Facts};
use sim::{Taken, Wire};
use units::{PS_PER_MS, Picoseconds};

use super::pair::{Crossing, Side};
use super::{Board, BoardError, BoardFile};
use lan::WireFrame;

/// Boards with lines stop by themselves; this only bounds how much is exchanged at a time.
const LONGEST_TURN: Picoseconds = Picoseconds::new(PS_PER_MS);

/// A line from a pin of one board to a pin of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SerialLine {
    /// Whose the first pin is; the second one is the other board's.
    pub from: Side,
    /// The pin that drives it.
    pub pin: u8,
    /// The receiving pin of a UART.
    pub to: u8,
}

/// Which end of a line something is wrong with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The pin that drives it.
    From,
    /// The pin that receives it.
    To,
}

impl SerialLine {
    /// What is wrong with it between these boards, beside the lines that are there already.
    ///
    /// # Errors
    /// The end, and a sentence that goes on after its pin's name.
    pub fn check(&self, boards: [&BoardFile; 2], before: &[Self]) -> Result<(), (LineEnd, String)> {
        let [from, to] = [self.from, self.from.other()].map(|side| boards[side as usize]);
        for (end, board, pin) in [(LineEnd::From, from, self.pin), (LineEnd::To, to, self.to)] {
            if let Some(part) = board.parts.iter().find(|part| part.pins().any(|(_, used)| used == pin)) {
                let message = format!("is a pin of {} on board {}; take a free one", part.name, board.name);
                return Err((end, message));
            }
        }
        for (end, board) in [(LineEnd::From, from), (LineEnd::To, to)] {
            refuse_alone(board).map_err(|message| (end, message))?;
        }
        let receivers = to.mcu.facts;
        if (receivers.uart_receives)(self.to).is_none() {
            let near = nearest_receiver(receivers, self.to);
            let near = near.map_or_else(String::new, |pin| format!("; the nearest is GP{pin}"));
            let message = format!("is no receiving pin of a UART, at which alone a serial line ends{near}");
            return Err((LineEnd::To, message));
        }
        self.check_ends(receivers, before)
    }

    /// That nothing is at its ends yet.
    fn check_ends(&self, receivers: &Facts, before: &[Self]) -> Result<(), (LineEnd, String)> {
        let port = |line: &Self| (receivers.uart_receives)(line.to);
        if let Some(line) = before.iter().find(|line| line.from == self.from && port(line) == port(self)) {
            let message = format!(
                "receives for a UART at which a line ends already, at GP{}; join the other UART, or leave one out",
                line.to
            );
            return Err((LineEnd::To, message));
        }
        for line in before {
            if line.from != self.from && line.to == self.pin {
                return Err((
                    LineEnd::From,
                    "receives another line; take the UART's transmitting pin".to_owned(),
                ));
            }
            if line.from != self.from && line.pin == self.to {
                return Err((LineEnd::To, "drives another line; take the UART's receiving pin".to_owned()));
            }
        }
        Ok(())
    }
}

/// Why a board's microcontroller cannot be joined to another board, in words that go on after a pin's name.
pub(super) fn refuse_alone(board: &BoardFile) -> Result<(), String> {
    let facts = board.mcu.facts;
    if facts.joins_boards {
        return Ok(());
    }
    Err(format!(
        "is of an {}, from which nothing is joined to another board yet; take a board with another microcontroller than {} has",
        facts.title, board.name
    ))
}

/// Nothing on a chip without UARTs.
fn nearest_receiver(facts: &Facts, pin: u8) -> Option<u8> {
    let receivers = (0..facts.gpio_count).filter(|&other| (facts.uart_receives)(other).is_some());
    receivers.min_by_key(|other| other.abs_diff(pin))
}

/// All lines between two boards.
#[derive(Debug)]
pub(super) struct SerialWire {
    lines: Vec<SerialLine>,
    /// The characters that went over them and were not taken yet.
    crossed: Vec<Crossing>,
    /// Of each line, how long a character was as it was sent and as it is received, where they did not fit.
    mismatches: Vec<Option<[Picoseconds; 2]>>,
}

/// A stop bit or a parity bit more is no other rate.
const MOST_OFF: f64 = 0.15;

impl SerialWire {
    /// Puts lines between boards; they are idle so far.
    pub(super) fn between(boards: &mut [&mut Board; 2], lines: &[SerialLine]) -> Result<Self, BoardError> {
        for (place, line) in lines.iter().enumerate() {
            let files = boards.each_ref().map(|board| &board.file);
            line.check(files, &lines[..place]).map_err(|(end, message)| {
                let pin = if end == LineEnd::From { line.pin } else { line.to };
                BoardError::Refused(format!(
                    "a serial line from GP{} to GP{}: GP{pin} {message}",
                    line.pin, line.to
                ))
            })?;
            boards[line.from as usize].chip.begin_line(line.pin);
            boards[line.from.other() as usize].chip.end_line(line.to);
        }
        Ok(Self { lines: lines.to_vec(), crossed: Vec::new(), mismatches: vec![None; lines.len()] })
    }

    /// The characters that began before a time, in the order of their start bits.
    pub(super) fn take_crossed(&mut self, before: Picoseconds) -> Vec<Crossing> {
        self.crossed.sort_by_key(|crossing| (crossing.frame.start, crossing.from as u8));
        let known = self.crossed.partition_point(|crossing| crossing.frame.start < before);
        self.crossed.drain(..known).collect()
    }

    /// What a user should know of what a board received.
    pub(super) fn notes(&self, side: Side, board: &Board) -> Vec<String> {
        let to_it = || self.lines.iter().zip(&self.mismatches).filter(|(line, _)| line.from != side);
        let unheard = to_it().map(|(line, _)| (line.to, board.chip.unheard_characters(line.to)));
        let unheard = unheard
            .filter(|(_, count)| *count > 0)
            .map(|(pin, count)| {
                format!(
                    "{count} characters reached GP{pin} while the firmware used it for something else than its UART; a \
                     serial line brings characters to a UART only"
                )
            });
        let mismatched = to_it().filter_map(|(line, mismatch)| Some((line.to, (*mismatch)?)));
        let mismatched = mismatched.map(|(pin, [sent, received])| {
            format!(
                "a character to {} takes {sent} as it is sent and {received} as it is received: set both UARTs to one rate, and \
                 build each image for the clock of its board",
                board.file.pin_name(pin)
            )
        });
        unheard.chain(mismatched).collect()
    }

    /// Keeps the first character of a line whose receiver expects another length.
    pub(super) fn compare<B: Borrow<Board>>(&mut self, boards: &[B], from: Side, character: &Character) {
        let receiver = &boards[from.other() as usize].borrow().chip;
        let lines = self.lines.iter().zip(&mut self.mismatches);
        for (line, mismatch) in lines.filter(|(line, _)| (line.from, line.pin) == (from, character.pin)) {
            let Some(received) = receiver.received_character(line.to) else { continue };
            let sent = character.end - character.start;
            let off = sent.ps() as f64 / received.ps() as f64;
            if mismatch.is_none() && !(1.0 - MOST_OFF..=1.0 + MOST_OFF).contains(&off) {
                *mismatch = Some([sent, received]);
            }
        }
    }

    /// Tells the receivers what one board put on its lines, which has run to a time.
    pub(super) fn hand_over<B: BorrowMut<Board>>(
        &self,
        boards: &mut [B],
        from: Side,
        edges: &[Edge],
        ran_to: Picoseconds,
    ) -> Result<(), BoardError> {
        for line in self.lines.iter().filter(|line| line.from == from) {
            let known_to = boards[from as usize].borrow_mut().chip.line_known_to(line.pin, ran_to);
            let edges: Vec<_> = edges.iter().copied().filter(|edge| edge.pin == line.pin).collect();
            let receiver = boards[from.other() as usize].borrow_mut();
            receiver.chip.hear_line(line.to, &edges, known_to).map_err(|at| BoardError::LateCharacter {
                board: receiver.file.name.clone(),
                at,
                now: receiver.chip.now(),
            })?;
        }
        Ok(())
    }
}

impl Wire<Board> for SerialWire {
    type Error = BoardError;

    fn look_ahead(&self) -> Picoseconds {
        LONGEST_TURN
    }

    fn exchange(&mut self, boards: &mut [Board], taken: Taken<'_>) -> Result<(), BoardError> {
        for from in Side::BOTH {
            let outgoing = boards[from as usize].chip.take_lines();
            self.hand_over(boards, from, &outgoing.edges, taken.ran_to[from as usize])?;
            outgoing.characters.iter().for_each(|character| self.compare(boards, from, character));
            self.crossed.extend(outgoing.characters.into_iter().map(|one| Crossing {
                from,
                frame: WireFrame { start: one.start, end: one.end, bytes: vec![one.byte] },
            }));
        }
        Ok(())
    }
}
