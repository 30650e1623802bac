//! What a broken driver or a disturbed bus may do on SPI.

use proptest::prelude::Strategy;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use wiznet::Model;

use crate::driver::{Driver, MODELS, TCP, UDP, command, ms, quiet, sn, status};

/// All registers that do not count by themselves.
fn registers(driver: &mut Driver) -> Vec<Vec<u8>> {
    if driver.model == Model::W6100 {
        let common = [(0x2000, 0x16), (0x2100, 0x40), (0x3000, 0x20), (0x4000, 0x0220)];
        let of_sockets = (0..8).map(|n| (4 * n + 1, 0x0000, 0x0230));
        let places = common.map(|(from, bytes)| (0, from, bytes)).into_iter().chain(of_sockets);
        return places.map(|(block, from, bytes)| driver.read((block, from), bytes)).collect();
    }
    let mut all = vec![driver.read_common(0, 0x60)];
    all.extend((0..driver.sockets()).map(|n| driver.read_socket(n, 0, 0x38)));
    all
}

fn header_bytes(model: Model) -> usize {
    if model == Model::W5200 { 4 } else { 3 }
}

/// A header that says: write two bytes at an address of the common registers.
fn write_header(model: Model, address: u16) -> Vec<u8> {
    let [high, low] = address.to_be_bytes();
    match model {
        Model::W6100 => {
            let [high, low] = testing::w6100::common_address(address, true).to_be_bytes();
            vec![high, low, 0b100]
        }
        Model::W5500 => vec![high, low, 0b100],
        Model::W5200 => vec![high, low, 0x80, 2],
        Model::W5100 | Model::W5100S => vec![0xF0, high, low],
    }
}

#[test]
fn a_frame_that_ends_in_its_header_changes_nothing() {
    const GAR: u16 = 1;
    for model in MODELS {
        let mut driver = Driver::new(model);
        let before = registers(&mut driver);
        let header = write_header(model, GAR);
        for length in 0..=header.len() {
            driver.frame(&header[..length]);
        }
        assert_eq!(registers(&mut driver), before, "{model:?}");
        driver.frame(&[&header[..], &[77]].concat());
        assert_eq!(driver.read_common(GAR, 1), [77], "{model:?}: with data the same frame writes");
    }
}

#[test]
fn bytes_behind_the_end_of_a_frame_are_not_taken() {
    const GAR: u16 = 1;
    for (model, taken) in [(Model::W5100, 1), (Model::W5200, 2)] {
        let mut driver = Driver::new(model);
        driver.write_common(GAR, &[1, 2, 3, 4]);
        driver.frame(&[&write_header(model, GAR)[..], &[9; 4]].concat());
        let mut expected = [1, 2, 3, 4];
        expected[..taken].fill(9);
        assert_eq!(driver.read_common(GAR, 4), expected, "{model:?}");
    }
}

#[test]
fn an_operation_code_that_is_none_is_ignored() {
    for model in [Model::W5100, Model::W5100S] {
        let mut driver = Driver::new(model);
        let before = registers(&mut driver);
        for code in (0..=255).filter(|code| ![0xF0, 0x0F].contains(code)) {
            let answer = driver.frame(&[code, 0, 1, 0xA5]);
            assert_eq!(answer[3], 0, "{model:?}, 0x{code:02X}");
        }
        assert_eq!(registers(&mut driver), before, "{model:?}");
    }
}

#[test]
fn after_noise_on_spi_a_reset_makes_the_chip_as_new() {
    for model in MODELS {
        let mut fresh = Driver::new(model);
        reset(&mut fresh);
        let expected = registers(&mut fresh);
        let mut driver = Driver::new(model);
        let mut runner = TestRunner::deterministic();
        let frames = proptest::collection::vec(proptest::num::u8::ANY, 0..300);
        for _ in 0..2_000 {
            let frame = frames.new_tree(&mut runner).expect("noise can be made").current();
            driver.frame(&frame);
        }
        driver.wait(ms(1_000));
        reset(&mut driver);
        assert_eq!(registers(&mut driver), expected, "{model:?}");
    }
}

fn reset(driver: &mut Driver) {
    driver.spi.set_reset(false);
    driver.wait(ms(1));
    driver.spi.set_reset(true);
    driver.wait(ms(300));
}

/// Where an address space has neither registers nor memories: (block, from, to).
fn empty_places(model: Model) -> Vec<(u8, u16, u16)> {
    match model {
        Model::W5500 => {
            let blocks = (1..8).map(|n| (4 * n, 0, 0x100));
            blocks.chain([(0, 0x3A, 0x7FFF), (1, 0x30, 0x7FFF)]).collect()
        }
        Model::W6100 => {
            let blocks = (1..8).map(|n| (4 * n, 0, 0x100));
            blocks.chain([(0, 0x0005, 0x2000), (0, 0x4210, 0x7FFF), (1, 0x0230, 0x7FFF)]).collect()
        }
        Model::W5200 => vec![(0, 0x0037, 0x4000), (0, 0x4800, 0x8000)],
        Model::W5100 => vec![(0, 0x0030, 0x0400), (0, 0x0800, 0x4000), (0, 0x8000, 0xFFFF)],
        Model::W5100S => vec![(0, 0x0089, 0x0400), (0, 0x0800, 0x4000), (0, 0x8000, 0xFFFF)],
    }
}

#[test]
fn addresses_without_register_or_memory_read_zero_and_take_nothing() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let before = registers(&mut driver);
        for (block, from, to) in empty_places(model) {
            let bytes = usize::from(to - from);
            driver.write((block, from), &vec![0xA5; bytes]);
            let read = driver.read((block, from), bytes);
            assert!(read.iter().all(|&byte| byte == 0), "{model:?}: block {block} from 0x{from:04X}");
        }
        assert_eq!(registers(&mut driver), before, "{model:?}");
    }
}

#[test]
fn a_read_past_the_end_of_everything_disturbs_nothing() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        driver.open(1, UDP, 4000);
        let before = registers(&mut driver);
        let blocks = if matches!(model, Model::W5500 | Model::W6100) { 32 } else { 1 };
        for block in 0..blocks {
            let mut frame = match model {
                Model::W5500 | Model::W6100 => vec![0xFF, 0xF0, block << 3],
                Model::W5200 => vec![0xFF, 0xF0, 0x7F, 0xFF],
                Model::W5100 | Model::W5100S => vec![0x0F, 0xFF, 0xF0],
            };
            frame.resize(header_bytes(model) + 70_000, 0xA5);
            driver.frame(&frame);
        }
        assert_eq!(registers(&mut driver), before, "{model:?}");
    }
}

#[test]
fn a_command_that_is_none_or_does_not_fit_is_taken_and_does_nothing() {
    const COMMANDS: [u8; 6] = [command::OPEN, command::CLOSE, command::SEND, 0x21, command::RECV, 0x00];
    for model in MODELS {
        let mut driver = Driver::new(model);
        driver.open(1, UDP, 4000);
        let before = registers(&mut driver);
        for code in (0..=255).filter(|code| !COMMANDS.contains(code)) {
            driver.command(1, code);
            assert_eq!((driver.status(1), driver.u8(1, sn::IR)), (status::UDP, 0), "{model:?}, 0x{code:02X}");
        }
        assert_eq!(registers(&mut driver), before, "{model:?}");
    }
}

#[test]
fn a_socket_mode_that_is_none_leaves_the_socket_closed() {
    for model in MODELS {
        let mut driver = Driver::on(model, &quiet());
        for n in 0..driver.sockets() {
            for mode in 0..16 {
                driver.write_socket(n, sn::MR, &[mode]);
                driver.command(n, command::OPEN);
                let expected = match (model, mode) {
                    (_, TCP) | (Model::W6100, 0x09 | 0x0D) => status::INIT,
                    (_, UDP) | (Model::W6100, 0x0A | 0x0E) => status::UDP,
                    (_, 3) => 0x32,
                    (Model::W6100, 0x0B) => 0x33,
                    (Model::W6100, 7) if n == 0 => 0x42,
                    (Model::W5100 | Model::W5100S | Model::W5200 | Model::W5500, 4) if n == 0 => 0x42,
                    _ => status::CLOSED,
                };
                assert_eq!(driver.status(n), expected, "{model:?}: mode {mode} of socket {n}");
                driver.command(n, command::CLOSE);
                assert_eq!(driver.status(n), status::CLOSED);
            }
        }
    }
}
