//! What a row is run on: a board with the PC at the other end of its network, or two boards on one wire.

use record::{Control, Samples};
use traffic::Results;
use units::Picoseconds;
use wiznet::Access;

use super::super::exchanges;
use super::edges::Edges;
use super::prepare::{ReadyBoard, ReadyBoards, ReadyTrigger};
use super::rounds::Rounds;
use super::serial_rounds::SerialRounds;
use board::parts::Pulses;
use board::{Board, BoardError, BoardOptions, BoardPair, BoardRun, Crossing, Ended, RunUntil, Side};
use lan::{Deed, TracedFrame, TrafficResults};

/// What a peer is called.
const PEER: &str = "peer";
/// The kind of a peer: that of the PC's server in whose place it stands.
const ANSWERS: &str = "pingpong-server";
/// The same on a serial line.
const ANSWERS_SERIAL: &str = "serial-pingpong";
/// The kind of one that raises a pin.
const RAISES: &str = "one-way";

/// A row's boards at some time.
pub(super) enum Rig {
    /// A board and the PC.
    WithPc(Box<Board>),
    /// Two boards.
    WithPeer(Box<Peers>),
}

/// Two boards, and what was heard of them.
pub(super) struct Peers {
    pair: BoardPair,
    messages: Messages,
    /// Whether serial lines are between them.
    by_lines: bool,
    /// Whether frames are kept.
    traces: bool,
    crossed: Vec<Crossing>,
}

/// How messages between two boards are told.
enum Messages {
    /// By numbers on the wire.
    Rounds(Rounds),
    /// By numbers on serial lines.
    Serial(SerialRounds),
    /// By edges on pins.
    Edges(Edges),
}

impl Messages {
    fn samples(&self) -> Vec<traffic::Sample> {
        match self {
            Self::Rounds(rounds) => rounds.samples().to_vec(),
            Self::Serial(rounds) => rounds.samples().to_vec(),
            Self::Edges(edges) => edges.samples(),
        }
    }
}

/// What passed since somebody asked last.
#[derive(Default)]
pub(super) struct Passed {
    pub(super) frames: Vec<TracedFrame>,
    /// Characters on serial lines.
    pub(super) characters: Vec<Crossing>,
    /// The accesses of each board's chips, where they are followed.
    pub(super) accesses: Vec<Vec<Access>>,
    /// What each board's radio was busy with, likewise.
    pub(super) deeds: Vec<Vec<Deed>>,
}

impl Rig {
    /// The boards of a row, with their images and their network, at the beginning of time.
    pub(super) fn of(ready: &ReadyBoards, seed: u64) -> Result<Self, BoardError> {
        let dut = loaded(&ready.dut, ready, seed)?;
        let Some(peer) = &ready.peer else { return Ok(Self::WithPc(Box::new(dut))) };
        // Two chips with one seed would choose the same numbers.
        let peer = loaded(peer, ready, seed.wrapping_add(1))?;
        let by_lines = !ready.lines.is_empty();
        let mut pair = match by_lines {
            true => BoardPair::on_lines(dut, peer, &ready.lines, None)?,
            false => BoardPair::new(dut, peer, None)?,
        };
        let messages = match &ready.trigger {
            Some(trigger) => Messages::Edges(edges(&mut pair, trigger, seed)),
            None if by_lines => Messages::Serial(SerialRounds::default()),
            None => Messages::Rounds(Rounds::default()),
        };
        Ok(Self::WithPeer(Box::new(Peers { pair, messages, by_lines, traces: false, crossed: Vec::new() })))
    }

    /// The virtual time.
    pub(super) fn now(&self) -> Picoseconds {
        match self {
            Self::WithPc(board) => board.now(),
            Self::WithPeer(peers) => peers.pair.now(),
        }
    }

    /// Runs to a time, unless something ends it before.
    pub(super) fn run(&mut self, end: Picoseconds, control: &Control) -> Result<Ended, BoardError> {
        match self {
            Self::WithPc(board) => Ok(board.run(&RunUntil::time(end), control, &mut ())),
            Self::WithPeer(peers) => peers.run(end, control),
        }
    }

    /// Whether every client of the PC has done what it was made for.
    pub(super) fn is_done(&mut self) -> bool {
        match self {
            Self::WithPc(board) => board.has_clients() && board.clients_are_done(),
            Self::WithPeer(_) => false,
        }
    }

    /// The boards, the measured one first.
    pub(super) fn boards(&mut self) -> &mut [Board] {
        match self {
            Self::WithPc(board) => std::slice::from_mut(board),
            Self::WithPeer(peers) => peers.pair.boards(),
        }
    }

    /// What is to be said of each board's run, which ended like this.
    pub(super) fn outcomes(&mut self, ended: Ended) -> Vec<BoardRun> {
        let endings = match self {
            Self::WithPc(_) => vec![ended],
            Self::WithPeer(peers) => Side::BOTH.map(|side| peers.pair.ended(side, ended)).to_vec(),
        };
        let boards = self.boards().iter_mut().zip(endings);
        let outcomes = boards.map(|(board, ended)| board.outcome(&RunUntil::time(board.now()), ended));
        let mut outcomes: Vec<BoardRun> = outcomes.collect();
        if let Self::WithPeer(peers) = self {
            for (side, outcome) in Side::BOTH.into_iter().zip(&mut outcomes) {
                outcome.notes.extend(peers.pair.notes(side));
            }
        }
        outcomes
    }

    /// Keeps the frames from here on, for [`Self::take_passed`].
    pub(super) fn trace_frames(&mut self) {
        match self {
            Self::WithPc(board) => {
                board.parts().lan().expect("a row's board has a chip").trace_frames();
            }
            Self::WithPeer(peers) => peers.traces = true,
        }
    }

    /// What passed since the last call.
    pub(super) fn take_passed(&mut self) -> Passed {
        let mut passed = Passed::default();
        for board in self.boards() {
            let trace = board.parts().lan().map(|lan| lan.take_trace()).unwrap_or_default();
            passed.frames.extend(trace.frames);
            passed.accesses.push(trace.accesses);
            passed.deeds.push(trace.deeds);
        }
        if let Self::WithPeer(peers) = self {
            let crossed = std::mem::take(&mut peers.crossed);
            match peers.by_lines {
                true => passed.characters = crossed,
                false => passed.frames.extend(crossed.iter().flat_map(at_both_ends)),
            }
        }
        passed
    }

    /// Whose messages are taken; nothing where nobody's are.
    pub(super) fn traffic(&mut self, ready: &ReadyBoards) -> Option<TrafficResults> {
        match self {
            Self::WithPc(board) => with_pc(board, ready).0,
            Self::WithPeer(peers) => Some(peers.told()),
        }
    }

    /// All messages so far.
    pub(super) fn samples(&mut self, ready: &ReadyBoards) -> Samples {
        exchanges::recorded(match self {
            Self::WithPc(board) => with_pc(board, ready).1,
            Self::WithPeer(peers) => peers.messages.samples(),
        })
    }
}

impl Peers {
    fn run(&mut self, end: Picoseconds, control: &Control) -> Result<Ended, BoardError> {
        let ended = self.pair.run(end, control);
        for crossing in self.pair.take_crossed() {
            match &mut self.messages {
                Messages::Rounds(rounds) => rounds.hear(&crossing),
                Messages::Serial(rounds) => rounds.hear(&crossing),
                Messages::Edges(_) => {}
            }
            if self.traces {
                self.crossed.push(crossing);
            }
        }
        if let Messages::Edges(edges) = &mut self.messages {
            edges.take(self.pair.boards());
        }
        ended
    }

    /// The peer as one of the PC's servers.
    fn told(&self) -> TrafficResults {
        let (kind, summary) = match &self.messages {
            Messages::Rounds(rounds) => (ANSWERS, rounds.why_none()),
            Messages::Serial(rounds) => (ANSWERS_SERIAL, rounds.why_none()),
            Messages::Edges(edges) => (RAISES, edges.why_none()),
        };
        TrafficResults {
            name: PEER.to_owned(),
            kind: kind.to_owned(),
            is_client: false,
            waits_for: None,
            is_done: false,
            results: Results { summary, ..Results::default() },
        }
    }
}

fn loaded(ready: &ReadyBoard, row: &ReadyBoards, seed: u64) -> Result<Board, BoardError> {
    let network = row.network.clone();
    let mut board =
        Board::new(ready.board.clone(), BoardOptions { seed, network, ..BoardOptions::default() })?;
    board.load_image(ready.image.clone())?;
    Ok(board)
}

/// Pulses on the board's pin, and both pins watched.
fn edges(pair: &mut BoardPair, trigger: &ReadyTrigger, seed: u64) -> Edges {
    let [dut, peer] = pair.boards();
    dut.connect_pulses(Pulses::new(trigger.pin, trigger.from, (trigger.period, trigger.by), seed));
    Edges::watch([(dut, trigger.pin), (peer, trigger.done)], trigger.payload_bytes.unwrap_or(0))
}

fn with_pc(board: &mut Board, ready: &ReadyBoards) -> (Option<TrafficResults>, Vec<traffic::Sample>) {
    let Some(lan) = board.parts().lan() else { return (None, Vec::new()) };
    let all = lan.results();
    let chosen = match &ready.of {
        Some(name) => all.into_iter().find(|one| one.name == *name),
        None => {
            // Of several with as much work the first.
            let busy = all.into_iter().map(|one| (lan.work(&one.name).len(), one)).rev();
            busy.filter(|(work, _)| *work > 0).max_by_key(|(work, _)| *work).map(|(_, one)| one)
        }
    };
    let samples = chosen.as_ref().map(|one| lan.work(&one.name)).unwrap_or_default();
    (chosen, samples)
}

/// On a wire without length a frame is seen at both ends at once.
fn at_both_ends(crossing: &Crossing) -> [TracedFrame; 2] {
    let from_board = crossing.from == Side::First;
    let frame = &crossing.frame;
    let seen = |at_board| TracedFrame {
        from_board,
        at_board,
        start: frame.start,
        end: frame.end,
        over_air: false,
        pc_over_air: false,
        at_last_air: None,
        kept: None,
        bytes: frame.bytes.clone(),
    };
    // First where it begins.
    [seen(from_board), seen(!from_board)]
}
