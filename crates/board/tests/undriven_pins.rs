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
    board.connect_spi(0, Some(CSN), Box::new(device));
    seen.lock().unwrap().clear();
    drive(&mut board, CSN, false);
    drive(&mut board, CSN, true);
    assert_eq!(*seen.lock().unwrap(), [true, false]);
}
