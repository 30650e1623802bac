//! The SSI, driven as second stages and the SDK drive it.

use proptest::prelude::*;

use crate::flash::chip::{DEFAULT_UNIQUE_ID, FlashChip};
use crate::flash::ssi::{Ssi, XIP_OVERHEAD_CYCLES};
use crate::io::Io;
use crate::peripherals::{Peripheral, Source};

const CTRLR0: u32 = 0x00;
const CTRLR1: u32 = 0x04;
const SSIENR: u32 = 0x08;
const SER: u32 = 0x10;
const BAUDR: u32 = 0x14;
const TXFLR: u32 = 0x20;
const RXFLR: u32 = 0x24;
const SR: u32 = 0x28;
const IMR: u32 = 0x2c;
const RISR: u32 = 0x34;
const RXUICR: u32 = 0x40;
const DMACR: u32 = 0x4c;
const DR0: u32 = 0x60;
const SPI_CTRLR0: u32 = 0xf4;

const SR_BUSY: u32 = 1;
const SR_TFE: u32 = 4;
const SR_RFNE: u32 = 8;
const COMMANDS: u32 = 7 << 16;
const QUAD_READ: u32 = 2 << 21 | 31 << 16 | 3 << 8;
const DUAL_READ: u32 = 1 << 21 | 31 << 16 | 3 << 8;
const SERIAL_READ: u32 = 31 << 16 | 3 << 8;

struct Bench {
    ssi: Ssi,
    io: Io,
}

impl Bench {
    fn new() -> Self {
        let mut chip = FlashChip::new(1 << 20).expect("1 MB");
        let bytes: Vec<u8> = (0..4096u32).map(|at| (at ^ at >> 8) as u8).collect();
        chip.load(0, &bytes).expect("fits");
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        Self { ssi: Ssi::new(chip), io }
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.ssi.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.ssi.read(offset, &mut self.io)
    }

    fn writes(&mut self, writes: &[(u32, u32)]) {
        for &(offset, value) in writes {
            self.write(offset, value);
        }
    }

    /// Lets the time pass until nothing is under way.
    fn settle(&mut self) {
        while let Some(at) = self.io.due(Source::Ssi) {
            self.io.now = at;
            self.io.cancel(Source::Ssi);
            self.ssi.wake(Source::Ssi, &mut self.io);
        }
    }

    fn wait_ready(&mut self) {
        self.settle();
        assert_eq!(self.read(SR) & (SR_BUSY | SR_TFE), SR_TFE);
    }

    /// The state in which the boot ROM leaves the controller.
    fn for_commands(&mut self, divider: u32) {
        self.writes(&[(SSIENR, 0), (BAUDR, divider), (CTRLR0, COMMANDS), (SER, 1), (SSIENR, 1)]);
    }

    /// Bytes both ways with the select line held low by its override, as the SDK's flash_do_cmd does.
    fn exchange(&mut self, send: &[u8]) -> Vec<u8> {
        self.ssi.set_cs_override(self.io.now, Some(false));
        let mut answer = Vec::new();
        for &byte in send {
            self.write(DR0, u32::from(byte));
            self.settle();
            answer.push(self.read(DR0) as u8);
        }
        self.ssi.set_cs_override(self.io.now, Some(true));
        self.ssi.set_cs_override(self.io.now, None);
        answer
    }

    /// A status register as boot2 reads it: two bytes into the FIFO, select line by hardware.
    fn status(&mut self, command: u32) -> u32 {
        self.writes(&[(DR0, command), (DR0, command)]);
        self.wait_ready();
        self.read(DR0);
        self.read(DR0)
    }

    /// The second stage for the W25Q080 family.
    fn boot2_w25q080(&mut self) {
        self.for_commands(2);
        if self.status(0x35) != 2 {
            self.write(DR0, 0x06);
            self.wait_ready();
            self.read(DR0);
            self.writes(&[(DR0, 0x01), (DR0, 0), (DR0, 2)]);
            self.wait_ready();
            for _ in 0..3 {
                self.read(DR0);
            }
            while self.status(0x05) & 1 != 0 {}
        }
        self.writes(&[(SSIENR, 0), (CTRLR0, QUAD_READ), (CTRLR1, 0)]);
        self.writes(&[(SPI_CTRLR0, 8 << 2 | 4 << 11 | 2 << 8 | 1), (SSIENR, 1), (DR0, 0xeb), (DR0, 0xa0)]);
        self.wait_ready();
        self.writes(&[(SSIENR, 0), (SPI_CTRLR0, 0xa0 << 24 | 8 << 2 | 4 << 11 | 2), (SSIENR, 1)]);
    }
}

#[test]
fn the_usual_second_stage_makes_a_miss_of_20_clocks() {
    for quad_enabled in [true, false] {
        let mut bench = Bench::new();
        bench.ssi.flash_mut().set_quad_enabled(quad_enabled);
        bench.boot2_w25q080();
        let timing = bench.ssi.xip_timing();
        // 320 ns at 125 MHz.
        assert_eq!((timing.sck_clocks, timing.wire_cycles), (20, 40));
        assert_eq!(timing.miss_cycles_32bit, 40 + XIP_OVERHEAD_CYCLES);
        assert_eq!(bench.ssi.xip_problem(bench.io.now), None);
    }
}

#[test]
fn the_generic_second_stage_makes_a_miss_of_64_clocks() {
    let mut bench = Bench::new();
    bench.writes(&[(SSIENR, 0), (BAUDR, 4), (SER, 1), (CTRLR0, SERIAL_READ)]);
    bench.writes(&[(SPI_CTRLR0, 3 << 24 | 6 << 2 | 2 << 8), (SSIENR, 1)]);
    let timing = bench.ssi.xip_timing();
    assert_eq!((timing.sck_clocks, timing.wire_cycles), (64, 256));
    assert_eq!(bench.ssi.xip_problem(bench.io.now), None);
}

#[test]
fn the_dual_second_stage_makes_a_miss_of_32_clocks() {
    let mut bench = Bench::new();
    bench.writes(&[(SSIENR, 0), (BAUDR, 4), (SER, 1), (CTRLR0, DUAL_READ)]);
    // 28 bits of address and mode; the other four mode bits fall into the wait clocks.
    bench.writes(&[(SPI_CTRLR0, 7 << 2 | 2 << 11 | 2 << 8 | 1), (SSIENR, 1), (DR0, 0xbb), (DR0, 0x2)]);
    bench.settle();
    assert_ne!(bench.read(SR) & SR_RFNE, 0);
    bench.writes(&[(SSIENR, 0), (SPI_CTRLR0, 0x20 << 24 | 7 << 2 | 2 << 11 | 2), (SSIENR, 1)]);
    let timing = bench.ssi.xip_timing();
    assert_eq!((timing.sck_clocks, timing.wire_cycles), (32, 128));
    assert_eq!(bench.ssi.xip_problem(bench.io.now), None);
}

#[test]
fn an_image_without_a_second_stage_can_be_given_the_usual_state() {
    let mut bench = Bench::new();
    bench.ssi.start_xip(&mut bench.io);
    assert_eq!(bench.ssi.xip_timing().wire_cycles, 40);
    assert_eq!(bench.ssi.xip_problem(bench.io.now), None);
}

#[test]
fn reads_in_place_that_the_chip_would_not_answer_are_told() {
    let mut bench = Bench::new();
    assert!(bench.ssi.xip_problem(bench.io.now).is_some_and(|text| text.contains("off")));
    bench.for_commands(2);
    assert!(bench.ssi.xip_problem(bench.io.now).is_some_and(|text| text.contains("CTRLR0")));
    // The end of the usual second stage without its beginning: the chip does not read continuously.
    bench.writes(&[
        (SSIENR, 0),
        (CTRLR0, QUAD_READ),
        (SPI_CTRLR0, 0xa0 << 24 | 8 << 2 | 4 << 11 | 2),
        (SSIENR, 1),
    ]);
    assert!(bench.ssi.xip_problem(bench.io.now).is_some_and(|text| text.contains("continuous read")));
    bench.boot2_w25q080();
    assert_eq!(bench.ssi.xip_problem(bench.io.now), None);
    bench.ssi.set_cs_override(bench.io.now, Some(true));
    assert!(bench.ssi.xip_problem(bench.io.now).is_some_and(|text| text.contains("OUTOVER")));
}

#[test]
fn reads_while_the_chip_erases_are_told_until_it_is_done() {
    let mut bench = Bench::new();
    bench.writes(&[(SSIENR, 0), (BAUDR, 4), (SER, 1), (CTRLR0, SERIAL_READ)]);
    bench.writes(&[(SPI_CTRLR0, 3 << 24 | 6 << 2 | 2 << 8), (SSIENR, 1)]);
    let now = bench.io.now;
    bench.ssi.flash_mut().command(now, &[0x06], &mut []);
    bench.ssi.flash_mut().command(now, &[0x20, 0, 0, 0], &mut []);
    assert!(bench.ssi.xip_problem(now).is_some_and(|text| text.contains("erasing")));
    let done = bench.ssi.flash().busy_until();
    assert_eq!(bench.ssi.xip_problem(done), None);
}

#[test]
fn the_unique_identity_comes_through_the_fifos() {
    let mut bench = Bench::new();
    bench.for_commands(6);
    let answer = bench.exchange(&[0x4b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(answer[5..], DEFAULT_UNIQUE_ID);
    assert_eq!(bench.exchange(&[0x9f, 0, 0, 0])[1..], [0xef, 0x40, 0x14]);
}

#[test]
fn a_file_systems_erase_and_program_over_the_fifos_change_the_contents() {
    let mut bench = Bench::new();
    bench.for_commands(6);
    for command in [&[0x06][..], &[0x20, 0, 0x10, 0]] {
        bench.exchange(command);
    }
    assert_eq!(bench.exchange(&[0x05, 0])[1], 1);
    bench.io.now = bench.ssi.flash().busy_until();
    assert_eq!(bench.exchange(&[0x05, 0])[1], 0);
    bench.exchange(&[0x06]);
    let mut page = vec![0x02, 0, 0x10, 0];
    page.extend((0..256u32).map(|at| !at as u8));
    bench.exchange(&page);
    bench.io.now = bench.ssi.flash().busy_until();
    assert_eq!(bench.exchange(&[0x03, 0, 0x10, 1, 0, 0])[4..], [0xfe, 0xfd]);
    assert_eq!(bench.ssi.flash().to_bytes()[0x10ff], 0);
}

#[test]
fn a_byte_takes_eight_clocks_of_the_divider_and_bytes_follow_without_a_gap() {
    let mut bench = Bench::new();
    bench.for_commands(6);
    let start = bench.io.now;
    for _ in 0..16 {
        bench.write(DR0, 0);
    }
    assert_eq!(bench.read(TXFLR), 15, "one is in the shift register");
    bench.settle();
    assert_eq!((bench.io.now - start).ps(), 16 * 8 * 6 * 8000);
    assert_eq!(bench.read(RXFLR), 16);
}

#[test]
fn frames_at_133_mhz_stay_on_the_clocks_edges() {
    let mut bench = Bench::new();
    bench.io.clocks.sys_hz = 133_000_000;
    bench.for_commands(2);
    for _ in 0..14 {
        bench.write(DR0, 0);
    }
    bench.settle();
    assert_eq!(bench.io.now.ps(), 14 * 8 * 2 * 1_000_000_000_000 / 133_000_000);
}

#[test]
fn the_select_line_rises_when_the_fifo_runs_empty() {
    let mut bench = Bench::new();
    bench.for_commands(2);
    bench.write(DR0, 0x9f);
    bench.settle();
    bench.write(DR0, 0);
    bench.settle();
    assert_eq!((bench.read(DR0), bench.read(DR0)), (0, 0), "the second byte was a new command");
}

#[test]
fn a_full_receive_fifo_loses_the_next_byte() {
    let mut bench = Bench::new();
    bench.for_commands(2);
    for _ in 0..17 {
        bench.write(DR0, 0);
        bench.settle();
    }
    assert_eq!(bench.read(RXFLR), 16);
    assert_ne!(bench.read(RISR) & 1 << 3, 0);
}

#[test]
fn reading_an_empty_fifo_is_noted_and_cleared_by_its_register() {
    let mut bench = Bench::new();
    bench.for_commands(2);
    assert_eq!(bench.read(DR0), 0);
    bench.write(IMR, 1 << 2);
    assert_eq!(bench.io.lines.irq() >> 6 & 1, 1);
    bench.read(RXUICR);
    assert_eq!(bench.io.lines.irq() >> 6 & 1, 0);
}

#[test]
fn eeprom_reads_take_as_many_frames_as_ctrlr1_says() {
    let mut bench = Bench::new();
    bench.writes(&[(BAUDR, 2), (SER, 1), (CTRLR0, 7 << 16 | 3 << 8), (CTRLR1, 4), (SSIENR, 1)]);
    bench.writes(&[(DR0, 0x03), (DR0, 0), (DR0, 0), (DR0, 0x10)]);
    bench.settle();
    let bytes: Vec<u32> = (0..bench.read(RXFLR)).map(|_| bench.read(DR0)).collect();
    assert_eq!(bytes, [0x10, 0x11, 0x12, 0x13, 0x14]);
}

#[test]
fn settings_do_not_change_while_the_controller_is_on() {
    let mut bench = Bench::new();
    bench.for_commands(6);
    bench.writes(&[(BAUDR, 2), (CTRLR0, 0), (SPI_CTRLR0, 0)]);
    assert_eq!((bench.read(BAUDR), bench.read(CTRLR0), bench.read(SPI_CTRLR0)), (6, COMMANDS, 0x0300_0000));
}

#[test]
fn nothing_moves_without_a_selected_device_or_a_clock() {
    for (register, value) in [(SER, 0), (BAUDR, 0)] {
        let mut bench = Bench::new();
        bench.for_commands(2);
        bench.writes(&[(SSIENR, 0), (register, value), (SSIENR, 1), (DR0, 0x9f)]);
        bench.settle();
        assert_eq!(bench.read(TXFLR), 1);
    }
}

#[test]
fn dma_is_asked_while_there_is_room_or_data() {
    let mut bench = Bench::new();
    bench.for_commands(2);
    let requests = |bench: &Bench| bench.io.lines.dreq() >> 38 & 3;
    bench.write(DMACR, 3);
    assert_eq!(requests(&bench), 1);
    bench.writes(&[(DR0, 0), (DR0, 0)]);
    assert_eq!(requests(&bench), 0, "above the watermark of 0");
    bench.settle();
    assert_eq!(requests(&bench), 3);
    bench.read(DR0);
    bench.read(DR0);
    assert_eq!(requests(&bench), 1);
}

#[test]
fn unknown_flash_commands_and_registers_are_reported() {
    let mut bench = Bench::new();
    bench.for_commands(2);
    bench.write(DR0, 0x75);
    bench.settle();
    bench.write(0xfc, 0);
    assert_eq!(bench.io.unknown_accesses().count(), 1, "both at the same address here");
}

#[test]
fn reset_stops_the_controller_and_leaves_the_chip() {
    let mut bench = Bench::new();
    bench.boot2_w25q080();
    bench.ssi.reset(&mut bench.io);
    assert_eq!((bench.read(SSIENR), bench.read(BAUDR)), (0, 0));
    assert_eq!(bench.ssi.flash().continuous_read(), Some(0xeb));
}

proptest! {
    /// Whatever is written, nothing panics and every transfer ends.
    #[test]
    fn any_writes_end(writes in prop::collection::vec((0u32..64, any::<u32>()), 1..200)) {
        let mut bench = Bench::new();
        for (register, value) in writes {
            // Short frames keep the test short.
            let value = if register == 1 { value & 7 } else { value };
            bench.write(register * 4, value);
            if value & 3 == 0 {
                bench.settle();
                bench.read(register * 4);
            }
            bench.ssi.xip_timing();
            bench.ssi.xip_problem(bench.io.now);
        }
        bench.settle();
    }
}
