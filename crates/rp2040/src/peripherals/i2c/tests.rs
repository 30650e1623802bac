//! The I2C by its registers, driven as the Pico SDK drives it. Times are those of RP2040 datasheet 4.3.14.

mod at_pins;

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use units::Picoseconds;

use super::*;
use crate::pins::{Function, Overrides};
use mcu::Outside;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Start(u16, bool),
    Write(u8),
    Read,
    Stop,
}

/// A device at 0x3c and at 0x23c that takes bytes until 0xee and answers 1, 2, 3, and so on.
#[derive(Debug, Clone, Default)]
struct Device {
    said: Arc<Mutex<Vec<(Picoseconds, Said)>>>,
    next: u8,
}

impl Device {
    fn note(&self, at: Picoseconds, said: Said) {
        self.said.lock().unwrap().push((at, said));
    }
}

impl Outside for Device {
    fn i2c_start(&mut self, at: Picoseconds, port: u8, address: u16, read: bool) -> bool {
        assert_eq!(port, 0);
        self.note(at, Said::Start(address, read));
        address == 0x3c || address == 0x23c
    }

    fn i2c_write(&mut self, at: Picoseconds, _: u8, byte: u8) -> bool {
        self.note(at, Said::Write(byte));
        byte != 0xee
    }

    fn i2c_read(&mut self, at: Picoseconds, _: u8) -> u8 {
        self.note(at, Said::Read);
        self.next = self.next.wrapping_add(1);
        self.next
    }

    fn i2c_stop(&mut self, at: Picoseconds, _: u8) {
        self.note(at, Said::Stop);
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

struct Bench {
    i2c: I2c,
    io: Io,
    device: Device,
}

const STOP: u32 = CMD_STOP as u32;
const RESTART: u32 = CMD_RESTART as u32;
const READ: u32 = CMD_READ as u32;
/// What the counters of [`Bench::new`] give, in cycles: low 750 + 1, high 500 + 46 + 7.
const LOW: i64 = 751;
const HIGH: i64 = 553;
const BYTE: i64 = 9 * (LOW + HIGH);

impl Bench {
    /// As the Pico SDK sets 100 kHz at 125 MHz.
    fn new() -> Self {
        let device = Device::default();
        let mut io = Io::default();
        io.outside = Box::new(device.clone());
        io.clocks.sys_hz = 125_000_000;
        io.now = Picoseconds::from_ns(1_000);
        let mut bench = Self { i2c: I2c::new(0), io, device };
        bench.write(IC_CON, 0x165);
        bench.write(IC_FS_SCL_HCNT, 500);
        bench.write(IC_FS_SCL_LCNT, 750);
        bench.write(IC_FS_SPKLEN, 46);
        bench.write(IC_INTR_MASK, 0);
        bench.target(0x3c);
        bench
    }

    /// The same with a recorder at SDA (GPIO 4) and SCL (GPIO 5).
    fn recorded() -> Self {
        let mut bench = Self::new();
        for pin in 4..6 {
            bench.io.pins.set_control(bench.io.now, pin, Function::I2c as u8, Overrides::default());
        }
        bench.io.pins.record(1 << 4 | 1 << 5);
        bench
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.i2c.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.i2c.read(offset, &mut self.io)
    }

    fn target(&mut self, address: u32) {
        self.write(IC_ENABLE, 0);
        self.write(IC_TAR, address);
        self.write(IC_ENABLE, 1);
    }

    fn command(&mut self, commands: &[u32]) {
        for &command in commands {
            self.write(IC_DATA_CMD, command);
        }
    }

    fn step(&mut self) -> bool {
        let Some(at) = self.io.due(Source::I2c0) else { return false };
        self.io.now = at;
        self.io.cancel(Source::I2c0);
        self.i2c.wake(Source::I2c0, &mut self.io);
        true
    }

    /// Goes through what is named.
    fn steps<const N: usize>(&mut self, named: [&str; N]) {
        named.into_iter().for_each(|step| assert!(self.step(), "no {step}"));
    }

    fn run(&mut self) {
        for _ in 0..10_000 {
            if !self.step() {
                return;
            }
        }
        panic!("the I2C goes on for ever");
    }

    fn raw(&mut self, interrupt: u32) -> bool {
        self.read(IC_RAW_INTR_STAT) & interrupt != 0
    }

    fn said(&self) -> Vec<Said> {
        self.device.said.lock().unwrap().iter().map(|&(_, said)| said).collect()
    }

    /// Times of what was said, in cycles of 8 ns from `start`.
    fn cycles(&self, start: Picoseconds) -> Vec<i64> {
        self.device.said.lock().unwrap().iter().map(|&(at, _)| (at - start).ps() / 8_000).collect()
    }
}

#[test]
fn the_registers_have_their_values_after_reset() {
    let (mut i2c, mut io) = (I2c::new(1), Io::default());
    let expected = [
        (IC_CON, 0x65),
        (IC_TAR, 0x55),
        (IC_SAR, 0x55),
        (IC_SS_SCL_HCNT, 0x28),
        (IC_SS_SCL_LCNT, 0x2f),
        (IC_FS_SCL_HCNT, 0x06),
        (IC_FS_SCL_LCNT, 0x0d),
        (IC_INTR_STAT, 0),
        (IC_INTR_MASK, 0x8ff),
        (IC_RAW_INTR_STAT, 0),
        (IC_ENABLE, 0),
        (IC_STATUS, 0x6),
        (IC_SDA_HOLD, 1),
        (IC_SDA_SETUP, 0x64),
        (IC_ACK_GENERAL_CALL, 1),
        (IC_FS_SPKLEN, 7),
        (IC_COMP_PARAM_1, 0),
        (IC_COMP_VERSION, 0x3230_312a),
        (IC_COMP_TYPE, 0x4457_0140),
    ];
    for (offset, value) in expected {
        assert_eq!(i2c.read(offset, &mut io), value, "register {offset:#x}");
    }
    assert_eq!(io.unknown_accesses().count(), 0);
}

#[test]
fn a_write_takes_the_time_of_its_start_bytes_and_stop() {
    let mut bench = Bench::new();
    let start = bench.io.now;
    bench.command(&[0x11, 0x22 | STOP]);
    bench.run();
    let expected = [Said::Start(0x3c, false), Said::Write(0x11), Said::Write(0x22), Said::Stop];
    assert_eq!(bench.said(), expected);
    let address = HIGH + BYTE;
    assert_eq!(
        bench.cycles(start),
        [address, address + BYTE, address + 2 * BYTE, address + 2 * BYTE + LOW + HIGH]
    );
    // 10.432 us of SCL period: 95.86 kHz where the SDK was asked for 100.
    assert_eq!((LOW + HIGH) * 8, 10_432);
}

#[test]
fn byte_times_of_no_whole_picoseconds_do_not_drift() {
    let mut bench = Bench::new();
    bench.io.clocks.sys_hz = 133_000_000;
    let start = bench.io.now;
    bench.command(&[1; 16]);
    bench.step();
    bench.command(&[2 | STOP]);
    bench.run();
    let cycles = i128::from(HIGH + BYTE + 17 * BYTE + LOW + HIGH);
    let (stop, _) = *bench.device.said.lock().unwrap().last().unwrap();
    assert_eq!(i128::from((stop - start).ps()), cycles * 1_000_000_000_000 / 133_000_000);
}

#[test]
fn the_standard_counters_count_at_standard_speed() {
    let mut bench = Bench::new();
    bench.write(IC_ENABLE, 0);
    bench.write(IC_CON, 0x163);
    bench.write(IC_SS_SCL_HCNT, 93);
    bench.write(IC_SS_SCL_LCNT, 99);
    bench.write(IC_FS_SPKLEN, 10);
    bench.write(IC_ENABLE, 1);
    let start = bench.io.now;
    bench.command(&[0]);
    bench.step();
    assert_eq!(bench.cycles(start), [110 + 9 * (100 + 110)]);
}

#[test]
fn a_register_read_repeats_the_start_and_refuses_the_last_byte() {
    let mut bench = Bench::new();
    // The SDK writes without stop, disables, enables, and begins the read with a restart.
    bench.command(&[0x07]);
    bench.run();
    assert_eq!(bench.read(IC_STATUS) & 0x21, 0x21, "the bus is held");
    bench.target(0x3c);
    bench.command(&[READ | RESTART, READ, READ | STOP]);
    bench.run();
    let expected = [
        Said::Start(0x3c, false),
        Said::Write(7),
        Said::Start(0x3c, true),
        Said::Read,
        Said::Read,
        Said::Read,
        Said::Stop,
    ];
    assert_eq!(bench.said(), expected);
    assert_eq!(bench.read(IC_RXFLR), 3);
    assert_eq!([bench.read(IC_DATA_CMD), bench.read(IC_DATA_CMD), bench.read(IC_DATA_CMD)], [0x801, 2, 3]);
    assert_eq!(bench.read(IC_STATUS), 0x6);
}

#[test]
fn a_change_of_direction_repeats_the_start_by_itself() {
    let mut bench = Bench::new();
    let start = bench.io.now;
    bench.command(&[0x07, READ | STOP]);
    bench.run();
    assert_eq!(bench.said()[2], Said::Start(0x3c, true));
    let address = HIGH + BYTE;
    assert_eq!(bench.cycles(start)[2], address + BYTE + LOW + 2 * HIGH + BYTE);
}

#[test]
fn without_restart_a_stop_and_a_start_take_its_place() {
    let mut bench = Bench::new();
    bench.write(IC_ENABLE, 0);
    bench.write(IC_CON, 0x165 & !CON_RESTART_EN);
    bench.write(IC_ENABLE, 1);
    bench.command(&[0x07, READ | STOP]);
    bench.run();
    let said = bench.said();
    assert_eq!(said[2..4], [Said::Stop, Said::Start(0x3c, true)]);
}

#[test]
fn an_address_that_nobody_acknowledges_aborts_with_a_stop() {
    let mut bench = Bench::new();
    bench.target(0x3d);
    bench.command(&[1, 2, 3 | STOP]);
    bench.step();
    assert!(bench.raw(INT_TX_ABRT) && bench.raw(INT_TX_EMPTY) && !bench.raw(INT_STOP_DET));
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), ABRT_7B_ADDR_NOACK | 2 << TX_FLUSH_CNT_SHIFT);
    bench.command(&[4]);
    assert_eq!(bench.read(IC_TXFLR), 0, "the FIFO is held empty");
    bench.run();
    assert!(bench.raw(INT_STOP_DET));
    assert_eq!(bench.said(), [Said::Start(0x3d, false), Said::Stop]);
    bench.read(IC_CLR_TX_ABRT);
    assert!(!bench.raw(INT_TX_ABRT));
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), 0);
    bench.target(0x3c);
    bench.command(&[5 | STOP]);
    bench.run();
    assert_eq!(bench.said()[2..], [Said::Start(0x3c, false), Said::Write(5), Said::Stop]);
}

#[test]
fn a_byte_that_is_not_acknowledged_aborts_the_rest() {
    let mut bench = Bench::new();
    bench.command(&[0xee, 1, 2 | STOP]);
    bench.run();
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), ABRT_TXDATA_NOACK | 2 << TX_FLUSH_CNT_SHIFT);
    assert_eq!(bench.said(), [Said::Start(0x3c, false), Said::Write(0xee), Said::Stop]);
}

#[test]
fn the_transmit_empty_interrupt_waits_for_the_byte_when_it_is_told_to() {
    for (con, early) in [(0x65, true), (0x165, false)] {
        let mut bench = Bench::new();
        bench.write(IC_ENABLE, 0);
        assert!(!bench.raw(INT_TX_EMPTY), "never while disabled");
        bench.write(IC_CON, con);
        bench.write(IC_ENABLE, 1);
        assert!(bench.raw(INT_TX_EMPTY));
        bench.command(&[1]);
        assert_eq!(bench.raw(INT_TX_EMPTY), early);
        bench.step();
        assert_eq!(bench.raw(INT_TX_EMPTY), early);
        bench.step();
        assert!(bench.raw(INT_TX_EMPTY));
    }
}

#[test]
fn interrupts_follow_their_mask_and_thresholds() {
    let mut bench = Bench::new();
    bench.write(IC_RX_TL, 1);
    bench.write(IC_INTR_MASK, INT_RX_FULL);
    bench.command(&[READ, READ | STOP]);
    bench.steps(["address", "byte", "acknowledgement"]);
    assert_eq!(bench.io.lines.irq(), 0);
    bench.steps(["byte"]);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::I2C0.0);
    assert_eq!(bench.read(IC_INTR_STAT), INT_RX_FULL);
    bench.read(IC_DATA_CMD);
    assert_eq!(bench.io.lines.irq(), 0);
    bench.run();
    assert!(bench.raw(INT_START_DET) && bench.raw(INT_STOP_DET) && bench.raw(INT_ACTIVITY));
    bench.read(IC_CLR_INTR);
    assert!(!bench.raw(INT_START_DET | INT_STOP_DET | INT_ACTIVITY));
}

#[test]
fn full_and_empty_fifos_say_so() {
    let mut bench = Bench::new();
    bench.command(&[0; 17]);
    assert_eq!((bench.read(IC_TXFLR), bench.read(IC_STATUS) & 2), (16, 0), "one is on the bus");
    assert!(!bench.raw(INT_TX_OVER));
    bench.command(&[0]);
    assert!(bench.raw(INT_TX_OVER));
    bench.read(IC_CLR_TX_OVER);
    assert!(!bench.raw(INT_TX_OVER));
    assert_eq!(bench.read(IC_DATA_CMD), 0);
    assert!(bench.raw(INT_RX_UNDER));
    bench.read(IC_CLR_RX_UNDER);
    assert!(!bench.raw(INT_RX_UNDER));
}

#[test]
fn a_full_receive_fifo_loses_a_byte_or_holds_the_bus() {
    for (con, over) in [(0x165, true), (0x365, false)] {
        let mut bench = Bench::new();
        bench.write(IC_ENABLE, 0);
        bench.write(IC_CON, con);
        bench.write(IC_ENABLE, 1);
        bench.command(&[READ; 16]);
        bench.step();
        bench.command(&[READ | STOP]);
        bench.run();
        assert_eq!(bench.raw(INT_RX_OVER), over);
        assert_eq!(bench.read(IC_STATUS) & 0x10, 0x10, "full");
        for _ in 0..16 {
            bench.read(IC_DATA_CMD);
        }
        bench.run();
        assert_eq!(bench.read(IC_RXFLR), u32::from(!over));
        assert_eq!(bench.said().last(), Some(&Said::Stop));
    }
}

#[test]
fn data_requests_follow_their_levels() {
    let mut bench = Bench::new();
    let (tx, rx) = (1 << Dreq::I2C0_TX.0, 1 << Dreq::I2C0_RX.0);
    bench.write(IC_DMA_CR, 3);
    bench.write(IC_DMA_TDLR, 1);
    assert_eq!(bench.io.lines.dreq(), tx);
    bench.command(&[READ, READ, READ | STOP]);
    assert_eq!(bench.io.lines.dreq(), 0, "two wait");
    bench.steps(["address", "byte", "acknowledgement"]);
    assert_eq!(bench.io.lines.dreq(), tx | rx);
}

#[test]
fn a_disabled_block_ends_its_byte_with_a_stop() {
    let mut bench = Bench::new();
    bench.command(&[1, 2, 3]);
    bench.step();
    bench.write(IC_ENABLE, 0);
    assert_eq!((bench.read(IC_ENABLE_STATUS), bench.read(IC_TXFLR)), (1, 0));
    bench.run();
    assert_eq!(bench.said(), [Said::Start(0x3c, false), Said::Write(1), Said::Stop]);
    assert_eq!(bench.read(IC_ENABLE_STATUS), 0);
}

#[test]
fn an_abort_by_the_user_ends_the_transfer_and_clears_itself() {
    let mut bench = Bench::new();
    bench.command(&[1, 2, 3]);
    bench.write(IC_ENABLE, 3);
    assert_eq!(bench.read(IC_ENABLE), 3);
    bench.run();
    assert_eq!(bench.read(IC_ENABLE), 1);
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), ABRT_USER_ABRT | 2 << TX_FLUSH_CNT_SHIFT);
    assert_eq!(bench.said(), [Said::Start(0x3c, false), Said::Stop]);
}

#[test]
fn a_ten_bit_address_takes_two_bytes_and_three_to_read() {
    for (command, bytes, starts) in [(0x55 | STOP, 2, 0), (READ | STOP, 3, 1)] {
        let mut bench = Bench::new();
        bench.write(IC_ENABLE, 0);
        bench.write(IC_CON, 0x165 | CON_10BITADDR_MASTER);
        bench.target(0x23c);
        let start = bench.io.now;
        bench.command(&[command]);
        bench.step();
        assert_eq!(bench.said(), [Said::Start(0x23c, starts == 1)]);
        assert_eq!(bench.cycles(start), [HIGH + bytes * BYTE + starts * (LOW + 2 * HIGH)]);
    }
}

#[test]
fn settings_are_locked_while_the_block_is_on() {
    let mut bench = Bench::new();
    bench.write(IC_TAR, 0x11);
    bench.write(IC_FS_SCL_HCNT, 11);
    assert_eq!((bench.read(IC_TAR), bench.read(IC_FS_SCL_HCNT)), (0x3c, 500));
    bench.write(IC_ENABLE, 0);
    bench.write(IC_FS_SCL_HCNT, 1);
    bench.write(IC_FS_SCL_LCNT, 1);
    assert_eq!((bench.read(IC_FS_SCL_HCNT), bench.read(IC_FS_SCL_LCNT)), (6, 8));
}

#[test]
fn the_start_byte_and_unknown_registers_are_reported() {
    let mut bench = Bench::new();
    bench.target(TAR_SPECIAL | TAR_GC_OR_START | 0x3c);
    bench.io.address = 0x4004_4010;
    bench.command(&[1 | STOP]);
    bench.io.address = 0x4004_4024;
    bench.read(0x24);
    let details: Vec<&str> = bench.io.unknown_accesses().map(|unknown| unknown.detail).collect();
    assert_eq!(details.len(), 2);
    assert!(details.iter().any(|detail| detail.contains("start byte")));
}

#[test]
fn a_block_that_is_neither_controller_nor_target_aborts_what_it_is_told() {
    let mut bench = Bench::new();
    bench.write(IC_ENABLE, 0);
    bench.write(IC_CON, CON_SLAVE_DISABLE);
    bench.write(IC_ENABLE, 1);
    bench.command(&[1]);
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE) & ABRT_MASTER_DIS, ABRT_MASTER_DIS);
}

#[test]
fn a_general_call_speaks_to_address_zero_and_cannot_read() {
    let mut bench = Bench::new();
    bench.target(TAR_SPECIAL | 0x3c);
    bench.command(&[6 | STOP]);
    bench.run();
    assert_eq!(bench.said()[0], Said::Start(0, false));
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), ABRT_GCALL_NOACK);
    bench.read(IC_CLR_TX_ABRT);
    bench.command(&[READ | STOP]);
    bench.run();
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), ABRT_GCALL_READ);
    assert_eq!(bench.said().len(), 2, "nothing was sent");
}

proptest! {
    #[test]
    fn random_register_traffic_neither_panics_nor_loops(
        traffic in prop::collection::vec((0u32..66, any::<bool>(), any::<u32>(), 0u8..4, any::<bool>()), 1..300),
        hz in prop::sample::select(vec![0u64, 1, 48_000_000, 125_000_000, 133_000_000]),
    ) {
        let mut bench = Bench::new();
        bench.io.clocks.sys_hz = hz;
        bench.io.pins.record(u32::MAX);
        bench.io.pins.set_control(bench.io.now, 4, Function::I2c as u8, Overrides::default());
        for (register, write, value, wakes, data) in traffic {
            let offset = if data { IC_DATA_CMD } else { register * 4 };
            let peeked = bench.i2c.peek(offset, &bench.io);
            if write {
                bench.write(offset, value);
            } else {
                prop_assert_eq!(bench.read(offset), peeked);
            }
            for _ in 0..wakes {
                bench.step();
            }
        }
        bench.run();
    }

    #[test]
    fn every_transfer_of_an_acknowledging_device_is_carried_out_in_order(
        bytes in prop::collection::vec(0u8..0xee, 1..40),
    ) {
        let mut bench = Bench::new();
        for (n, &byte) in bytes.iter().enumerate() {
            while bench.read(IC_STATUS) & 2 == 0 {
                prop_assert!(bench.step());
            }
            let stop = if n + 1 == bytes.len() { STOP } else { 0 };
            bench.command(&[u32::from(byte) | stop]);
        }
        bench.run();
        let mut expected = vec![Said::Start(0x3c, false)];
        expected.extend(bytes.iter().map(|&byte| Said::Write(byte)));
        expected.push(Said::Stop);
        prop_assert_eq!(bench.said(), expected);
    }
}
