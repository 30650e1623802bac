//! Inputs of parts that nothing drives: a resistor gives their level, so that the first edge of the firmware is one.

use std::sync::{Arc, Mutex};

use board::parts::{Pulses, SpiDevice, SpiFrame};
use board::{Board, BoardOptions};
use lan::ChipId;
use units::{PS_PER_MS, Picoseconds};

const PULSES: u8 = 2;
const CSN: u8 = 17;
const RSTN: u8 = 20;
const INTN: u8 = 21;
const LINK_UP_MS: i64 = 2_500;

fn board(name: &str) -> Board {
    let mut board = Board::open(name, BoardOptions::default()).unwrap();
    // Time stands still where nothing ever happens: a pulse every millisecond lets it pass.
    let millisecond = Picoseconds::new(PS_PER_MS);
    board.connect_pulses(Pulses::new(PULSES, millisecond, (millisecond, Picoseconds::new(1)), 1));
    // RESETS: IO_BANK0 and PADS_BANK0 are let go.
    poke(&mut board, 0x4000_f000, 1 << 5 | 1 << 8);
    board
}

fn poke(board: &mut Board, address: u32, value: u32) {
    board.chip_mut().write_memory(address, &value.to_le_bytes()).unwrap();
}

/// What firmware does to an output: the level first, then the output, then the function.
fn drive(board: &mut Board, pin: u8, level: bool) {
    poke(board, if level { 0xd000_0014 } else { 0xd000_0018 }, 1 << pin);
    poke(board, 0xd000_0024, 1 << pin);
    poke(board, 0x4001_4004 + 8 * u32::from(pin), 5);
}

fn run_to(board: &mut Board, ms: i64) {
    board.chip_mut().run_without_cores(Picoseconds::new(ms * PS_PER_MS));
}

fn wiznet(board: &mut Board) -> ChipId {
    board.parts().lan().unwrap().devices_of().next().unwrap()
}

fn has_link(board: &mut Board) -> bool {
    let id = wiznet(board);
    board.parts().lan().unwrap().device(id).unwrap().link().is_some()
}

/// One byte of the W5500's common registers, written or read past the board.
fn gateway(board: &mut Board, write: Option<u8>) -> u8 {
    const GAR: [u8; 2] = [0, 1];
    let (id, at) = (wiznet(board), board.now());
    let answer = board.parts().lan().unwrap().with_device(id, |chip| {
        chip.select(at, true);
        for byte in [GAR[0], GAR[1], if write.is_some() { 4 } else { 0 }] {
            chip.spi_byte(at, byte, 1_000_000);
        }
        let answer = chip.spi_byte(at, write.unwrap_or(0), 1_000_000);
        chip.select(at, false);
        answer
    });
    answer.unwrap()
}

#[test]
fn the_first_pulse_on_reset_resets_the_chip_and_its_link() {
    let mut board = board("w5500-evb-pico");
    run_to(&mut board, 3_000);
    assert!(has_link(&mut board), "it counts from power-up as long as nobody resets");
    gateway(&mut board, Some(192));
    assert_eq!(gateway(&mut board, None), 192);
    drive(&mut board, RSTN, false);
    assert!(!has_link(&mut board));
    run_to(&mut board, 3_001);
    drive(&mut board, RSTN, true);
    run_to(&mut board, 3_010);
    assert_eq!(gateway(&mut board, None), 0, "the registers are as after power-up");
    run_to(&mut board, 3_001 + LINK_UP_MS - 1);
    assert!(!has_link(&mut board), "the link counts from the end of the reset");
    run_to(&mut board, 3_001 + LINK_UP_MS + 1);
    assert!(has_link(&mut board));
}

#[test]
fn a_chip_that_is_held_in_reset_from_the_start_has_no_link() {
    let mut board = board("w5500-evb-pico");
    drive(&mut board, RSTN, false);
    run_to(&mut board, 5_000);
    assert!(!has_link(&mut board));
}

#[test]
fn reset_and_chip_select_are_high_until_they_are_driven_and_again_after_that() {
    let mut board = board("w5500-evb-pico");
    let levels = |board: &Board| [CSN, RSTN].map(|pin| board.levels() >> pin & 1);
    assert_eq!(levels(&board), [1, 1]);
    [CSN, RSTN].into_iter().for_each(|pin| drive(&mut board, pin, false));
    assert_eq!(levels(&board), [0, 0]);
    poke(&mut board, 0xd000_0028, 1 << CSN | 1 << RSTN);
    assert_eq!(levels(&board), [1, 1]);
}

/// Boards with a chip on their SPI, and its chip select and reset.
const CHIPS: [(&str, u8, u8); 6] = [
    ("w5500-evb-pico", 17, 20),
    ("w5100s-evb-pico", 17, 20),
    ("w6100-evb-pico", 17, 20),
    ("w55rp20-evb-pico", 20, 25),
    ("pico-w5200", 17, 20),
    ("pico-w5100", 17, 20),
];

#[test]
fn each_chip_takes_the_first_edge_of_its_reset_for_one_whichever_it_is() {
    for (name, _, reset) in CHIPS {
        for first_high in [false, true] {
            let mut board = board(name);
            run_to(&mut board, 6_000);
            assert!(has_link(&mut board), "{name}");
            if first_high {
                drive(&mut board, reset, true);
                assert!(has_link(&mut board), "{name}: it was high before");
            }
            drive(&mut board, reset, false);
            assert!(!has_link(&mut board), "{name}: reset drops the link");
            drive(&mut board, reset, true);
            run_to(&mut board, 12_000);
            assert!(has_link(&mut board), "{name}");
        }
    }
}

/// PADS_BANK0 of a pin: pull-up, pull-down, input enable (RP2040 datasheet 2.19.6.3).
const PULL_UP: u32 = 1 << 3;
const PULL_DOWN: u32 = 1 << 2;
const INPUT_ENABLE: u32 = 1 << 6;

/// A part on pin 5, and what the pin is while nobody drives it: with the pad's pull-down, which is what it has after reset,
/// and with its pull-up.
const PARTS: [(&str, u8, u8); 9] = [
    ("kind = \"led\"\npin = 5", 0, 1),
    ("kind = \"button\"\npin = 5", 0, 1),
    ("kind = \"button\"\npin = 5\npull = \"up\"", 1, 1),
    ("kind = \"button\"\npin = 5\npull = \"down\"", 0, 0),
    ("kind = \"button\"\npin = 5\npull = \"up\"\npressed = true", 0, 0),
    ("kind = \"switch\"\npin = 5\nlevel = \"low\"", 0, 0),
    ("kind = \"switch\"\npin = 5\nlevel = \"high\"", 1, 1),
    ("kind = \"spi-loopback\"\nspi = 0\nselect = 5", 1, 1),
    ("kind = \"ideal-mac\"\ninterrupt = 5", 1, 1),
];

#[test]
fn every_part_gives_its_pin_the_level_that_its_resistor_or_its_output_does() {
    const PIN: u8 = 5;
    let folder = tempfile::tempdir().unwrap();
    for (number, (part, pulled_down, pulled_up)) in PARTS.into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.toml"));
        std::fs::write(&file, format!("title = \"parts\"\nmcu = \"rp2040\"\n[chips.part]\n{part}\n"))
            .unwrap();
        for (pull, expected) in [(PULL_DOWN, pulled_down), (PULL_UP, pulled_up)] {
            let mut board = board(file.to_str().unwrap());
            let level = |board: &Board| (board.levels() >> PIN & 1) as u8;
            poke(&mut board, 0x4001_c004 + 4 * u32::from(PIN), INPUT_ENABLE | pull);
            assert_eq!(level(&board), expected, "{part}");
            // Let go of again, the pin is as before, whichever level it had.
            for driven in [false, true] {
                drive(&mut board, PIN, driven);
                poke(&mut board, 0xd000_0028, 1 << PIN);
                assert_eq!(level(&board), expected, "{part}, after it was driven {driven}");
            }
        }
    }
}

#[test]
fn chip_select_and_reset_of_each_chip_are_high_against_the_pads_pull_down() {
    for (name, select, reset) in CHIPS {
        let board = board(name);
        assert_eq!([select, reset].map(|pin| board.levels() >> pin & 1), [1, 1], "{name}");
    }
}

#[test]
fn a_chip_on_no_bus_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no-bus.toml");
    std::fs::write(&file, "mcu = \"rp2040\"\n[chips.x]\nkind = \"w5500\"\nclock = 1\nmosi = 2\n").unwrap();
    let error = Board::open(file.to_str().unwrap(), BoardOptions::default()).unwrap_err().to_string();
    let says = "chips.x.spi is missing, and so is one of clock, mosi and miso: give spi, or all of these";
    assert!(error.contains(says), "{error}");
}

#[test]
fn the_chip_of_a_w55rp20_is_reached_by_pins_of_no_spi() {
    const SCLK: u8 = 21;
    const MISO: u8 = 22;
    const MOSI: u8 = 23;
    let mut board = board("w55rp20-evb-pico");
    run_to(&mut board, 200);
    [SCLK, MOSI].into_iter().for_each(|pin| drive(&mut board, pin, false));
    drive(&mut board, 20, true);
    drive(&mut board, 20, false);
    let mut answer = 0u32;
    // VERSIONR, read: address 0x0039, common registers (W5500 datasheet 2.2, 4.1).
    for bit in [0x00u8, 0x39, 0x00, 0].iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)) {
        drive(&mut board, MOSI, bit == 1);
        drive(&mut board, SCLK, true);
        answer = answer << 1 | board.levels() >> MISO & 1;
        drive(&mut board, SCLK, false);
    }
    drive(&mut board, 20, true);
    assert_eq!(answer & 0xff, 4, "the version of a W5500");
}

#[test]
fn interrupt_outputs_are_driven_from_the_start() {
    for name in ["w5500-evb-pico", "ideal-mac"] {
        assert_eq!(board(name).levels() >> INTN & 1, 1, "{name}");
    }
}

/// Keeps when it was selected.
#[derive(Debug, Default)]
struct Selections(Arc<Mutex<Vec<bool>>>);

impl SpiDevice for Selections {
    fn frame(&mut self, _: Picoseconds, _: &SpiFrame) -> u16 {
        0
    }

    fn selected(&mut self, _: Picoseconds, selected: bool) {
        self.0.lock().unwrap().push(selected);
    }

    fn snapshot(&self) -> Option<Box<dyn SpiDevice>> {
        None
    }
}

#[test]
fn the_first_fall_of_chip_select_selects_a_device() {
    let mut board = board("pico");
    let device = Selections::default();
    let seen = Arc::clone(&device.0);
    board.connect_spi(0, Some(CSN), Box::new(device)).unwrap();
    seen.lock().unwrap().clear();
    drive(&mut board, CSN, false);
    drive(&mut board, CSN, true);
    assert_eq!(*seen.lock().unwrap(), [true, false]);
}
