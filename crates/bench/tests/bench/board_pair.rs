//! Two boards at the ends of one wire, with the firmware's own images. Skips where those are not built.

#[path = "../../../board/tests/board/built/mod.rs"]
mod built;

use std::path::Path;

use bench::rows::{Measure, measure_row};
use bench::suite::Suite;
use bench::targets::{ImagePlaces, ready_rows};
use board::{Board, BoardPair, Console, Ended, Side};
use built::board;
use lan::{NetworkSetup, WireFrame};
use record::Control;
use units::Picoseconds;

const SERVER_ADDRESS: &str = "192.168.1.1";

fn us(us: i64) -> Picoseconds {
    Picoseconds::new(us * units::PS_PER_US)
}

/// The client and the server.
fn players(transport: &str, rounds: &str) -> Option<[Board; 2]> {
    let client = board(&format!("pingpong_client-{transport}.elf"), &[("rounds", rounds)], 1)?;
    let server = [("address", SERVER_ADDRESS), ("mac_last", "1")];
    Some([client, board(&format!("pingpong_server-{transport}.elf"), &server, 2)?])
}

fn pair(transport: &str, rounds: &str, turn: Option<Picoseconds>) -> Option<BoardPair> {
    let [client, server] = players(transport, rounds)?;
    Some(BoardPair::new(client, server, turn).unwrap())
}

/// Runs until the client has printed its report, and gives that with all that crossed the wire: who sent it, and the frame.
fn played(mut pair: BoardPair, client: Side) -> (String, Vec<(bool, WireFrame)>) {
    let control = Control::default();
    for second in 1..=10 {
        let ended = pair.run(Picoseconds::new(second * units::PS_PER_S), &control).unwrap();
        assert!(matches!(ended, Ended::Chip(_)), "{ended:?}");
        let told = String::from_utf8_lossy(pair.board(client).console(Console::Uart0)).into_owned();
        if told.contains("done") {
            let crossed = pair.take_crossed().into_iter();
            return (told, crossed.map(|one| (one.from == client, one.frame)).collect());
        }
    }
    panic!("no report: {}", String::from_utf8_lossy(pair.board(client).console(Console::Uart0)));
}

#[test]
fn two_boards_play_a_thousand_rounds() {
    for transport in ["hardware", "lwip_raw"] {
        let Some(pair) = pair(transport, "1000", None) else { return };
        let (told, crossed) = played(pair, Side::First);
        assert!(told.contains("messages 1000\n") && told.contains("errors 0\n"), "{told}");
        assert!(told.contains("last number 2000\n"), "{told}");
        assert!(crossed.len() > 2000);
    }
}

#[test]
fn neither_the_length_of_turns_nor_who_goes_first_changes_anything() {
    for transport in ["hardware", "lwip_raw"] {
        let Some(first) = pair(transport, "100", None) else { return };
        let expected = played(first, Side::First);
        for turn in [us(1), us(5)] {
            let found = played(pair(transport, "100", Some(turn)).unwrap(), Side::First);
            assert!(found == expected, "{transport} in turns of {turn}");
        }
        let [client, server] = players(transport, "100").unwrap();
        let other_way = played(BoardPair::new(server, client, None).unwrap(), Side::Second);
        assert!(other_way == expected, "{transport} with the server first");
    }
}

#[test]
fn turns_that_are_longer_than_the_shortest_frame_are_an_error() {
    let Some(mut pair) = pair("hardware", "100", Some(us(50))) else { return };
    let error = pair.run(Picoseconds::new(4 * units::PS_PER_S), &Control::default()).unwrap_err().to_string();
    assert!(error.starts_with("a frame reaches board w5500-evb-pico at "), "{error}");
    assert!(
        error.contains("turns of 50 us") && error.contains("shortest frame is on the wire for 5.76 us"),
        "{error}"
    );
}

/// A board on either side of the PC, and both boards on one wire.
fn rows(transport: &str) -> String {
    let image =
        |side: &str| format!("firmware = 'pingpong_{side}-{transport}.elf'\nskip = 1\nsamples = 400\n");
    let (client, server) = (image("client"), image("server"));
    format!(
        "[boards.client]\n{client}\
         [boards.server]\n{server}traffic = ['pingpong to=board:5000 rounds=401']\n\
         [boards.two]\n{client}peer = {{ firmware = 'pingpong_server-{transport}.elf', \
         settings = {{ address = '{SERVER_ADDRESS}', mac_last = 1 }} }}\n"
    )
}

/// What a round of two boards should take, from rows with a PC alone, and what it takes.
fn expected_and_found_us(transport: &str) -> Option<(f64, f64)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/firmware/w5500-evb-pico");
    if !folder.is_dir() {
        testing::leave_out("the firmware is not built (make firmware)");
        return None;
    }
    let suite = Suite::parse(Path::new("suites/pair.toml"), rows(transport)).unwrap();
    let images = ImagePlaces { named: Some(folder), packaged: None };
    let ready = ready_rows(&suite, &images).unwrap();
    let measure = Measure { seed: 1, intervals: false, findings: false, spans_of_first: 0 };
    let rounds_us = ready.iter().map(|row| {
        let result = measure_row(row, measure, &Control::default()).unwrap().expect("nobody stops it");
        assert_eq!(result.problem, None, "{}", row.row.name);
        1e6 / result.figure.expect("it was measured").value
    });
    let rounds_us: Vec<f64> = rounds_us.collect();
    // Short frames: one cable of 100 Mbit/s and the PC's of 1 Gbit/s each way, or one wire (IEEE 802.3: 72 bytes).
    let (to_pc_us, wire_us) = (5.76 + 0.576, 5.76);
    let with_pc_us = NetworkSetup::default().pc_time().ps() as f64 / units::PS_PER_US as f64 + 2.0 * to_pc_us;
    let turns_us = rounds_us[0] - with_pc_us + rounds_us[1] - with_pc_us;
    Some((turns_us + 2.0 * wire_us, rounds_us[2]))
}

#[test]
fn a_round_of_two_boards_is_the_turns_that_rows_with_the_pc_show_and_two_frames() {
    for transport in ["hardware", "lwip_raw"] {
        let Some((expected, found)) = expected_and_found_us(transport) else { return };
        let error = found / expected - 1.0;
        // Measured: +0.01 % and -0.03 %.
        assert!(error.abs() < 0.002, "{transport}: {found} us against {expected} us");
    }
}
