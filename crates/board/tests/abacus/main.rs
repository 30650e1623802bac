//! A second microcontroller, which no crate outside of these tests knows, on a board: it is named in a board file, runs,
//! drives parts, is recorded, traced, debugged, copied and saved through the same interface as any other.

mod chip;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use board::gdb::GdbServer;
use board::{Board, BoardFile, BoardOptions, Console, Ended, RunUntil};
use mcu::image::{Image, LoadOptions};
use mcu::{Edge, McuKind, Stop};
use record::Control;
use units::{PS_PER_US, Picoseconds};

use chip::{Images, KIND, LED, PC};

static MCUS: [&McuKind; 2] = [&rp2040::KIND, &KIND];

const FILE: &str = "mcu = 'abacus'
[pins]
Bead = 1
Hold = 2
[chips.Bead]
kind = 'led'
pin = 'Bead'
[chips.Hold]
kind = 'button'
pin = 'Hold'
pull = 'up'
pressed_level = 'low'
";

fn us(us: i64) -> Picoseconds {
    Picoseconds::new(us * PS_PER_US)
}

fn file(text: &str) -> Result<BoardFile, String> {
    BoardFile::parse_for(&MCUS, Path::new("abacus.toml"), text).map_err(|error| error.to_string())
}

fn image(period_us: u32) -> Image {
    Image::load(&Arc::new(period_us.to_le_bytes().to_vec()), "beads.bin", &Images, &LoadOptions::default())
        .unwrap()
}

/// A board that moves a bead every 100 us.
fn board() -> Board {
    let mut board = Board::new(file(FILE).unwrap(), BoardOptions::default()).unwrap();
    board.load_image(image(100)).unwrap();
    board
}

fn run_to(board: &mut Board, end: Picoseconds) -> Ended {
    board.run(&RunUntil::time(end), &Control::default(), &mut ())
}

fn text(board: &Board) -> String {
    String::from_utf8(board.console(Console::Uart0).to_vec()).unwrap()
}

#[test]
fn a_board_file_names_it_and_has_its_limits() {
    assert_eq!(file(FILE).unwrap().crystal_hz, 1_000_000);
    for (text, refusal) in [
        ("mcu = 'abakus'\n", "1: mcu is \"abakus\", but it is one of rp2040, abacus; the nearest is abacus"),
        ("", "1: mcu is missing: write mcu = \"rp2040\" or mcu = \"abacus\""),
        ("mcu = 'abacus'\n[pins]\nLED = 8\n", "3: pins.LED is 8, but it takes a whole number from 0 to 7"),
        (
            "mcu = 'abacus'\ncrystal = '3 MHz'\n",
            "2: crystal is 3 MHz, but the Abacus's oscillator takes 1 MHz to 2 MHz",
        ),
        ("mcu = 'abacus'\nflash = '8 B'\n", "2: flash is 8 B, but it takes a power of two from 16 B to 16 B"),
    ] {
        let message = file(text).unwrap_err();
        assert!(message.starts_with(&format!("abacus.toml:{refusal}")), "{message}");
    }
}

#[test]
fn it_runs_and_its_pins_are_recorded() {
    let mut board = board();
    board.record();
    assert_eq!(run_to(&mut board, us(450)), Ended::Chip(Stop::Time));
    let edge = |(n, level): (i64, bool)| Edge { at: us(100 * n), pin: LED, level };
    assert_eq!(board.edges(), [(1, true), (2, false), (3, true), (4, false)].map(edge));
    assert_eq!(text(&board), "bead 1\nbead 2\nbead 3\nbead 4\n");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beads.vcd");
    board.write_vcd(&path).unwrap();
    let dump = std::fs::read_to_string(path).unwrap();
    assert!(dump.contains("Bead") && dump.contains("Hold"), "{dump}");
}

#[test]
fn a_run_ends_at_a_text_or_at_a_level_and_is_reported() {
    let mut board = board();
    let until = RunUntil { text: Some(b"bead 3".to_vec()), ..RunUntil::time(us(10_000)) };
    assert_eq!(board.run(&until, &Control::default(), &mut ()), Ended::Text(Console::Uart0));
    assert_eq!(board.now(), us(300));
    let until = RunUntil { pin: Some((LED, false)), ..RunUntil::time(us(10_000)) };
    let ended = board.run(&until, &Control::default(), &mut ());
    assert_eq!((ended, board.now()), (Ended::Pin, us(400)));
    let report = board.outcome(&until, ended);
    assert_eq!((report.cores.len(), report.cores[0].instructions, report.cycles), (1, 4, 400));
    assert_eq!((report.interrupts[0].name, report.interrupts[0].count), ("BEAD", 4));
    assert_eq!((report.bus["beads"], report.bus["spi0_frames"]), (4, 0));
    assert_eq!(board.function_name(PC), "(rods)");
}

#[test]
fn parts_reach_its_inputs() {
    let mut board = board();
    run_to(&mut board, us(250));
    board.press("Hold", true).unwrap();
    run_to(&mut board, us(950));
    assert_eq!(text(&board), "bead 1\nbead 2\n");
    board.press("Hold", false).unwrap();
    run_to(&mut board, us(1050));
    assert_eq!(text(&board), "bead 1\nbead 2\nbead 3\n");
    let refused = board.press("BOOTSEL", true).unwrap_err().to_string();
    assert_eq!(refused, "board abacus has no button or switch BOOTSEL; it has Hold");
}

#[test]
fn a_snapshot_is_gone_back_to_and_branched_from() {
    let mut board = board();
    run_to(&mut board, us(250));
    let snapshot = board.snapshot().unwrap();
    run_to(&mut board, us(950));
    let went_on = text(&board);
    let mut branch = snapshot.to_board();
    run_to(&mut branch, us(950));
    board.restore(&snapshot);
    assert_eq!((board.now(), text(&board)), (us(250), "bead 1\nbead 2\n".to_owned()));
    run_to(&mut board, us(950));
    assert_eq!([text(&branch), text(&board)], [went_on.clone(), went_on]);
}

#[test]
fn it_is_saved_in_a_file_and_goes_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let mut before = board();
    run_to(&mut before, us(250));
    before.save(&path).unwrap();
    let mut after = Board::new(file(FILE).unwrap(), BoardOptions::default()).unwrap();
    after.resume(&path).unwrap();
    run_to(&mut after, us(450));
    assert_eq!(text(&after), "bead 3\nbead 4\n");
}

#[test]
fn an_image_for_another_chip_is_refused() {
    let words = [0x2004_2000, 0x1000_0009, 0xe7fe_e7fe].map(u32::to_le_bytes).concat();
    let other = rp2040::load_image(&words, "loop.bin", &LoadOptions::default()).unwrap();
    let refused = board().load_image(other).unwrap_err().to_string();
    assert_eq!(refused, "loop.bin is for the RP2040, but board abacus has an Abacus; build it for that");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loop.bin");
    std::fs::write(&path, words).unwrap();
    let refused = board().load(&path, None).unwrap_err().to_string();
    assert!(refused.ends_with("an abacus takes four bytes"), "{refused}");
}

#[test]
fn its_registers_have_their_own_names() {
    let mut board = board();
    board.set_register(0, "beads", 41).unwrap();
    run_to(&mut board, us(150));
    assert_eq!(board.registers(0).unwrap(), [("beads", 42), ("pc", PC)]);
    for (refused, sentence) in [
        (board.set_register(0, "pc", 1), "there is no register pc to set; there are beads"),
        (board.set_register(1, "beads", 1), "there is no core 1; there is core 0 alone"),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), sentence);
    }
}

#[test]
fn a_trace_and_a_profile_know_its_one_core() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let mut board = board();
    board.trace(&path).unwrap();
    run_to(&mut board, us(450));
    board.end_trace().unwrap();
    let trace = std::fs::read_to_string(path).unwrap();
    assert!(trace.contains("\"core 0\"") && !trace.contains("\"core 1\""), "{trace}");
    assert!(board.end_profile().is_some());
}

#[test]
fn gdb_gets_its_registers_and_its_description() {
    let server = GdbServer::bind(":0").unwrap();
    let (address, control) = (server.address(), Arc::new(Control::default()));
    let inner = Arc::clone(&control);
    let thread = std::thread::spawn(move || {
        let mut board = board();
        board.set_register(0, "beads", 0x0102).unwrap();
        board.serve_gdb(&server, &inner, &mut ()).unwrap()
    });
    let mut stream = TcpStream::connect(address).unwrap();
    let mut ask = |body: &str| {
        let sum = body.bytes().fold(0u8, u8::wrapping_add);
        stream.write_all(format!("${body}#{sum:02x}").as_bytes()).unwrap();
        let mut answer = String::new();
        while !answer.contains('#') {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).unwrap();
            answer.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        stream.write_all(b"+").unwrap();
        answer
    };
    let supported = ask("qSupported:multiprocess+");
    assert!(supported.contains("qXfer:features:read+"), "{supported}");
    let description = ask("qXfer:features:read:target.xml:0,ffb");
    assert!(description.contains("<architecture>abacus</architecture>"), "{description}");
    assert!(ask("g").contains("$02010d0c0b0a#"), "two bytes and four, the lowest first");
    assert!(ask("p0").contains("$0201#"));
    control.stop();
    assert_eq!(thread.join().unwrap(), Ended::Interrupted);
}
