//! Wires between pins of two boards: edges arrive by the delay later, to the picosecond, whoever runs first. Skips where the
//! images are not built.

use std::path::Path;

use board::parts::Pulses;
use board::{
    Board, BoardOptions, LEAST_WIRE_DELAY, PinWire, PinWires, RunUntil, SerialLine, Side, WIRE_DELAY,
    find_board,
};
use mcu::Edge;
use record::Control;
use units::{PS_PER_MS, PS_PER_US, Picoseconds};

const TRIGGER: u8 = 2;
const DONE: u8 = 3;
const GENERATOR: u8 = 10;
/// Both boards have booted: before, an instruction takes microseconds.
const BEGIN: Picoseconds = Picoseconds::new(30 * PS_PER_MS);
const END: Picoseconds = Picoseconds::new(38 * PS_PER_MS);

/// A board that answers at its pins; nothing where its image is not built.
fn board() -> Option<Board> {
    let image =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/firmware/pico/trigger_reply-gpio.elf");
    if !image.is_file() {
        eprintln!("skipped: {} is not built", image.display());
        return None;
    }
    let mut board = Board::new(find_board("pico").unwrap(), BoardOptions::default()).unwrap();
    board.load(&image, None).unwrap();
    board.chip_mut().record_pins(1 << TRIGGER | 1 << DONE | 1 << GENERATOR);
    Some(board)
}

/// One whose pin 10 has pulses, which the other board answers.
fn generator() -> Option<Board> {
    let mut board = board()?;
    let period = (Picoseconds::new(70 * PS_PER_US), Picoseconds::new(13 * PS_PER_US));
    board.connect_pulses(Pulses::new(GENERATOR, BEGIN, period, 5));
    Some(board)
}

fn wire(from: Side, pin: u8, to: u8, delay: Picoseconds) -> PinWire {
    PinWire { from, pin, to, delay }
}

/// The edges at both boards' pins; those of the generator first, whichever board that is.
fn seen(delay: Picoseconds, generator_is: Side, pieces: i64) -> Option<[Vec<Edge>; 2]> {
    let (mut generator, mut target) = (generator()?, board()?);
    let target_is = if generator_is == Side::First { Side::Second } else { Side::First };
    let wires = [wire(generator_is, GENERATOR, TRIGGER, delay), wire(target_is, DONE, DONE - 1, delay)];
    let (first, second) = if generator_is == Side::First {
        (&mut generator, &mut target)
    } else {
        (&mut target, &mut generator)
    };
    let mut joined = PinWires::between([first, second], &wires, &[]).unwrap();
    for piece in 1..=pieces {
        let end = Picoseconds::new(END.ps() / pieces * piece);
        joined.run([first, second], end, &Control::default()).unwrap();
    }
    let edges = [&mut generator, &mut target].map(|board| {
        let mut edges = board.chip_mut().take_edges();
        edges.extend(board.edges().iter().copied());
        edges.retain(|edge| edge.at < Picoseconds::new(END.ps() - PS_PER_MS));
        edges
    });
    Some(edges)
}

fn times(edges: &[Edge], pin: u8) -> Vec<(Picoseconds, bool)> {
    edges.iter().filter(|edge| edge.pin == pin).map(|edge| (edge.at, edge.level)).collect()
}

#[test]
fn an_edge_arrives_by_the_delay_later_to_the_picosecond_and_so_does_the_answer() {
    for delay in [WIRE_DELAY, LEAST_WIRE_DELAY, Picoseconds::new(7 * PS_PER_US)] {
        let Some([generator, target]) = seen(delay, Side::First, 1) else { return };
        let later = |edges: Vec<(Picoseconds, bool)>| -> Vec<_> {
            edges.into_iter().map(|(at, level)| (at + delay, level)).collect()
        };
        let pulses = times(&generator, GENERATOR);
        assert!(pulses.len() > 150, "{} edges", pulses.len());
        assert_eq!(times(&target, TRIGGER), later(pulses));
        let answers = later(times(&target, DONE));
        assert!(answers.len() > 150);
        assert_eq!(times(&generator, DONE - 1), answers);
    }
}

#[test]
fn neither_who_goes_first_nor_how_often_the_run_is_cut_changes_anything() {
    let Some(expected) = seen(WIRE_DELAY, Side::First, 1) else { return };
    assert_eq!(seen(WIRE_DELAY, Side::Second, 1).unwrap(), expected);
    assert_eq!(seen(WIRE_DELAY, Side::First, 40).unwrap(), expected);
}

#[test]
fn an_edge_for_a_board_that_has_run_ahead_is_an_error() {
    let (Some(mut sender), Some(mut receiver)) = (generator(), generator()) else { return };
    let wires = [wire(Side::First, GENERATOR, TRIGGER, WIRE_DELAY)];
    let mut joined = PinWires::between([&mut sender, &mut receiver], &wires, &[]).unwrap();
    receiver.run(&RunUntil::time(Picoseconds::new(35 * PS_PER_MS)), &Control::default(), &mut ());
    let late = joined.run([&mut sender, &mut receiver], END, &Control::default()).unwrap_err().to_string();
    assert!(late.starts_with("an edge reaches GP2 of board pico at "), "{late}");
}

#[test]
fn wires_that_cannot_be_are_refused() {
    let new = || Board::new(find_board("pico").unwrap(), BoardOptions::default()).unwrap();
    let both = |delay| wire(Side::First, 2, 3, delay);
    let short = Picoseconds::new(LEAST_WIRE_DELAY.ps() - 1);
    for (wires, part) in [
        (vec![], "there is none"),
        (vec![wire(Side::First, 30, 3, WIRE_DELAY)], "GP30 is no pin of board pico"),
        (vec![wire(Side::First, 25, 3, WIRE_DELAY)], "GP25 is a pin of LED on board pico"),
        (vec![both(short)], "is the least"),
        (vec![both(WIRE_DELAY), wire(Side::First, 4, 3, WIRE_DELAY)], "GP3 has a wire already"),
        (vec![both(WIRE_DELAY), wire(Side::Second, 3, 2, WIRE_DELAY)], "a wire has one"),
    ] {
        let error = PinWires::between([&mut new(), &mut new()], &wires, &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let line = SerialLine { from: Side::First, pin: 2, to: 1 };
    let (beside, taken) = (wire(Side::First, 2, 3, WIRE_DELAY), wire(Side::First, 4, 1, WIRE_DELAY));
    for (wire, part) in [(beside, "GP2 has a serial line as well"), (taken, "GP1 has a serial line as well")]
    {
        let error = PinWires::between([&mut new(), &mut new()], &[wire], &[line]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
