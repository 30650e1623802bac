//! Two boards joined by serial lines, with the agents of one-way measurements. Skips where the images are not built.

use board::parts::Pulses;
use board::{Board, BoardOptions, BoardPair, Console, Crossing, Ended, SerialLine, Side, find_board};
use mcu::Edge;
use record::Control;
use units::{PS_PER_MS, PS_PER_US, Picoseconds};

const TRIGGER: u8 = 2;
const DONE: u8 = 3;
const BYTES: usize = 12;
/// Pulses begin when both agents are there.
const FIRST: Picoseconds = Picoseconds::new(2700 * PS_PER_MS);
const PERIOD: Picoseconds = Picoseconds::new(7 * PS_PER_MS);
const END: Picoseconds = Picoseconds::new(2740 * PS_PER_MS);

fn line(from: Side, pin: u8, to: u8) -> SerialLine {
    SerialLine { from, pin, to }
}

/// UART1 both ways.
fn both_ways() -> [SerialLine; 2] {
    [line(Side::First, 4, 5), line(Side::Second, 4, 5)]
}

/// An agent whose trigger pin is pulsed; nothing where it is not built.
fn agent(role: &str, baud: &str, seed: u64) -> Option<Board> {
    let settings = [("transport", "uart"), ("role", role), ("uart_baud", baud)];
    let mut board = crate::built::board("oneway-hardware.elf", &settings, seed)?;
    board.connect_pulses(Pulses::new(TRIGGER, FIRST, (PERIOD, Picoseconds::new(PS_PER_MS)), seed));
    board.chip_mut().record_pins(1 << TRIGGER | 1 << DONE);
    Some(board)
}

/// All that was seen: who sent which character when, and the edges of both boards' pins.
#[derive(Debug, PartialEq)]
struct Seen {
    crossed: Vec<Crossing>,
    edges: [Vec<Edge>; 2],
    said: [String; 2],
}

impl Seen {
    /// The characters of one board.
    fn sent(&self, from: Side) -> Vec<&Crossing> {
        self.crossed.iter().filter(|one| one.from == from).collect()
    }

    fn rises(&self, side: Side, pin: u8) -> Vec<Picoseconds> {
        let edges = self.edges[side as usize].iter();
        edges.filter(|edge| edge.pin == pin && edge.level).map(|edge| edge.at).collect()
    }

    /// With the boards the other way round.
    fn reversed(mut self) -> Self {
        self.edges.reverse();
        self.said.reverse();
        for one in &mut self.crossed {
            one.from = if one.from == Side::First { Side::Second } else { Side::First };
        }
        self.crossed.sort_by_key(|one| (one.frame.start, one.from as u8));
        self
    }
}

fn seen(mut pair: BoardPair, end: Picoseconds) -> Seen {
    let ended = pair.run(end, &Control::default()).unwrap();
    assert!(matches!(ended, Ended::Chip(_)), "{ended:?}");
    let crossed = pair.take_crossed();
    let edges = Side::BOTH.map(|side| {
        let mut edges = pair.board(side).chip_mut().take_edges();
        edges.sort_by_key(|edge| (edge.at, edge.pin));
        edges.retain(|edge| edge.at < end);
        edges
    });
    let said =
        Side::BOTH.map(|side| String::from_utf8_lossy(pair.board(side).console(Console::Uart0)).into_owned());
    Seen { crossed, edges, said }
}

/// A sender and a receiver at these rates.
fn one_way(bauds: [&str; 2], lines: &[SerialLine], turn: Option<Picoseconds>) -> Option<BoardPair> {
    let [sender, receiver] = [agent("sender", bauds[0], 1)?, agent("receiver", bauds[1], 2)?];
    Some(BoardPair::on_lines(sender, receiver, lines, turn).unwrap())
}

fn us(time: Picoseconds) -> f64 {
    time.ps() as f64 / PS_PER_US as f64
}

#[test]
fn a_message_takes_ten_bits_for_each_byte_and_little_more() {
    for baud in ["9600", "115200", "921600"] {
        let rate: f64 = baud.parse().unwrap();
        let Some(pair) = one_way([baud; 2], &both_ways()[..1], None) else { return };
        let seen = seen(pair, END + Picoseconds::new(20 * PS_PER_MS));
        let line_us = BYTES as f64 * 10e6 / rate;
        let (triggers, dones) = (seen.rises(Side::First, TRIGGER), seen.rises(Side::Second, DONE));
        assert!(triggers.len() >= 3 && dones.len() >= 3, "{baud}: {triggers:?} and {dones:?}");
        // The first message finds caches empty, and at 9600 baud the others wait for it.
        let latencies = triggers.iter().zip(&dones).map(|(trigger, done)| us(*done - *trigger));
        let firmware_us = latencies.fold(f64::INFINITY, f64::min) - line_us;
        assert!((0.0..60.0).contains(&firmware_us), "{baud}: {firmware_us} us beside {line_us} us");
        let sent = seen.sent(Side::First);
        let on_line_us = us(sent[BYTES - 1].frame.end - sent[0].frame.start);
        assert!((on_line_us / line_us - 1.0).abs() < 0.002, "{baud}: {on_line_us} us, not {line_us} us");
        println!("{baud}: {line_us:.2} us on the line, {firmware_us:.2} us of firmware");
    }
}

#[test]
fn neither_the_length_of_turns_nor_who_goes_first_changes_anything() {
    // Both send, and the second one's console is heard by the first one as well.
    let lines = [line(Side::First, 4, 5), line(Side::Second, 4, 5), line(Side::Second, 0, 1)];
    let turned = lines.map(|one| SerialLine {
        from: if one.from == Side::First { Side::Second } else { Side::First },
        ..one
    });
    let agents = || Some([agent("sender", "921600", 1)?, agent("sender", "921600", 2)?]);
    let Some([first, second]) = agents() else { return };
    let expected = seen(BoardPair::on_lines(first, second, &lines, None).unwrap(), END);
    let sent = [Side::First, Side::Second].map(|side| expected.sent(side).len());
    assert!(sent[0] >= 4 * BYTES && sent[1] > sent[0], "{sent:?}");
    for turn_us in [3, 50, 20_000] {
        let [first, second] = agents().unwrap();
        let turn = Some(Picoseconds::new(turn_us * PS_PER_US));
        let found = seen(BoardPair::on_lines(first, second, &lines, turn).unwrap(), END);
        assert!(found == expected, "in turns of {turn_us} us");
    }
    let [first, second] = agents().unwrap();
    let other_way = seen(BoardPair::on_lines(second, first, &turned, None).unwrap(), END);
    assert!(other_way.reversed() == expected, "with the other one first");
}

#[test]
fn what_runs_in_pieces_sees_the_same() {
    let Some(whole) = one_way(["115200"; 2], &both_ways(), None) else { return };
    let expected = seen(whole, END);
    let mut pieces = one_way(["115200"; 2], &both_ways(), None).unwrap();
    let mut crossed = Vec::new();
    while pieces.now() < END {
        let end = (pieces.now() + Picoseconds::new(333 * PS_PER_US)).min(END);
        pieces.run(end, &Control::default()).unwrap();
        crossed.extend(pieces.take_crossed());
    }
    let mut found = seen(pieces, END);
    found.crossed = crossed;
    assert!(found == expected);
}

#[test]
fn rates_that_differ_are_garbage_at_the_receiver() {
    for bauds in [["115200", "57600"], ["115200", "230400"], ["9600", "921600"], ["921600", "9600"]] {
        let Some(pair) = one_way(bauds, &both_ways(), None) else { return };
        let seen = seen(pair, END);
        assert!(seen.sent(Side::First).len() > BYTES, "{bauds:?}");
        assert_eq!(seen.rises(Side::Second, DONE), [], "{bauds:?}");
    }
    // 2 % beside each other they still understand each other.
    let Some(pair) = one_way(["115200", "117504"], &both_ways(), None) else { return };
    assert!(seen(pair, END).rises(Side::Second, DONE).len() >= 4);
}

#[test]
fn lines_that_cannot_be_are_refused() {
    let board = |name: &str| Board::new(find_board(name).unwrap(), BoardOptions::default()).unwrap();
    let refused = |lines: &[SerialLine]| {
        let pair = BoardPair::on_lines(board("w5500-evb-pico"), board("pico"), lines, None);
        pair.map(|_| ()).unwrap_err().to_string()
    };
    let (first, second) = (Side::First, Side::Second);
    let cases = [
        (vec![line(first, 17, 5)], "GP17 is a pin of W5500 on board w5500-evb-pico; take a free one"),
        (vec![line(first, 4, 25)], "GP25 is a pin of LED on board pico; take a free one"),
        (
            vec![line(first, 4, 6)],
            "GP6 is no receiving pin of a UART, at which alone a serial line ends; the nearest is GP5",
        ),
        (
            vec![line(first, 4, 5), line(first, 8, 9)],
            "GP9 receives for a UART at which a line ends already, at GP5",
        ),
        (
            vec![line(first, 4, 5), line(second, 5, 1)],
            "GP5 receives another line; take the UART's transmitting pin",
        ),
        (
            vec![line(first, 5, 1), line(second, 4, 5)],
            "GP5 drives another line; take the UART's receiving pin",
        ),
    ];
    for (lines, expected) in cases {
        let error = refused(&lines);
        assert!(error.contains(expected), "{error}");
    }
}
