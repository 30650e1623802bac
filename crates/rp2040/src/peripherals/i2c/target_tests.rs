//! One I2C as the controller of the other as target: SDA and SCL of both are wired together and pulled up, and every edge is
//! recorded. The times of the bits are those of RP2040 datasheet 4.3.14, counted at the pins.

use proptest::prelude::*;
use units::Picoseconds;

use super::*;
use crate::pins::{Function, Overrides, Pad};
use mcu::Edge;

const STOP: u32 = CMD_STOP as u32;
const READ: u32 = CMD_READ as u32;
const FIRST: u32 = CMD_FIRST_DATA_BYTE as u32;
/// SDA and SCL of I2C0, which is the controller, and of I2C1, which is the target.
const PINS: [u8; 4] = [4, 5, 6, 7];
/// In cycles of 8 ns: low 750 + 1, high 500 + 46 + 7, and the target's time from SDA to SCL after it held the clock.
const LOW: i64 = 751;
const HIGH: i64 = 553;
const SETUP: i64 = 100;

struct Bus {
    i2c: [I2c; 2],
    io: Io,
}

impl Bus {
    /// Both as the Pico SDK sets 100 kHz at 125 MHz; I2C1 as target at 0x17.
    fn new() -> Self {
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        io.now = Picoseconds::from_ns(1_000);
        for pin in PINS {
            let pad = Pad { pull_up: true, pull_down: false, ..Pad::default() };
            io.pins.set_pad(io.now, pin, pad);
            io.pins.set_control(io.now, pin, Function::I2c as u8, Overrides::default());
        }
        io.pins.wire(io.now, PINS[0], PINS[2]);
        io.pins.wire(io.now, PINS[1], PINS[3]);
        io.pins.record(1 << PINS[0] | 1 << PINS[1]);
        let mut bus = Self { i2c: [I2c::new(0), I2c::new(1)], io };
        for port in 0..2 {
            for (offset, value) in [
                (IC_CON, 0x165),
                (IC_FS_SCL_HCNT, 500),
                (IC_FS_SCL_LCNT, 750),
                (IC_FS_SPKLEN, 46),
                (IC_TX_TL, 0),
            ] {
                bus.write(port, offset, value);
            }
        }
        bus.set(1, IC_CON, 0x104);
        bus.set(1, IC_SAR, 0x17);
        bus.set(0, IC_TAR, 0x17);
        bus
    }

    /// A register that is locked while the block is on.
    fn set(&mut self, port: usize, offset: u32, value: u32) {
        self.write(port, IC_ENABLE, 0);
        self.write(port, offset, value);
        self.write(port, IC_ENABLE, 1);
    }

    fn write(&mut self, port: usize, offset: u32, value: u32) {
        self.i2c[port].write(offset, value, &mut self.io);
        self.settle();
    }

    fn read(&mut self, port: usize, offset: u32) -> u32 {
        let value = self.i2c[port].read(offset, &mut self.io);
        self.settle();
        value
    }

    fn command(&mut self, commands: &[u32]) {
        for &command in commands {
            self.write(0, IC_DATA_CMD, command);
        }
    }

    fn settle(&mut self) {
        for _ in 0..64 {
            let inputs = self.io.pins.take_inputs_changed();
            if inputs == 0 {
                return;
            }
            for i2c in &mut self.i2c {
                i2c.inputs_changed(inputs, &mut self.io);
            }
        }
        panic!("the lines go up and down for ever");
    }

    fn step(&mut self) -> bool {
        let Some((at, source)) = self.io.take_due(Picoseconds::new(i64::MAX)) else { return false };
        self.io.now = at;
        let port = usize::from(matches!(source, Source::I2c1 | Source::I2c1Target));
        self.i2c[port].wake(source, &mut self.io);
        self.settle();
        true
    }

    /// Runs until nothing is left to happen.
    fn run(&mut self) {
        for _ in 0..100_000 {
            if !self.step() {
                return;
            }
        }
        panic!("the I2C goes on for ever");
    }

    fn raises(&mut self, port: usize, interrupts: u32) -> bool {
        self.read(port, IC_RAW_INTR_STAT) & interrupts == interrupts
    }

    fn received(&mut self, port: usize) -> Vec<u32> {
        (0..self.read(port, IC_RXFLR)).map(|_| self.read(port, IC_DATA_CMD)).collect()
    }

    /// Answers read requests with 1, 2, 3 and so on, some cycles after each, until nothing happens.
    fn serve(&mut self, after_cycles: i64) -> u32 {
        let mut requests = 0;
        loop {
            self.run();
            if !self.raises(1, INT_RD_REQ) {
                return requests;
            }
            requests += 1;
            self.read(1, IC_CLR_RD_REQ);
            self.io.now = self.io.now + Picoseconds::new(after_cycles * 8_000);
            self.write(1, IC_DATA_CMD, requests);
        }
    }
}

/// Edges of SCL in cycles since the first start.
fn clock_edges(edges: &[Edge]) -> Vec<(i64, bool)> {
    let start = edges[0].at;
    let clock = edges.iter().filter(|edge| edge.pin == PINS[1]);
    clock.map(|edge| ((edge.at - start).ps() / 8_000, edge.level)).collect()
}

#[test]
fn bytes_written_to_a_target_arrive_with_the_first_marked() {
    let mut bus = Bus::new();
    bus.command(&[0x11, 0x22, 0x33 | STOP]);
    bus.run();
    assert!(bus.raises(1, INT_START_DET | INT_STOP_DET | INT_ACTIVITY | INT_RX_FULL));
    assert!(!bus.raises(1, INT_RD_REQ) && !bus.raises(0, INT_TX_ABRT));
    assert_eq!(bus.received(1), [FIRST | 0x11, 0x22, 0x33]);
    assert_eq!([bus.read(0, IC_STATUS), bus.read(1, IC_STATUS)], [0x6, 0x6]);
}

#[test]
fn the_bits_at_the_pins_have_the_times_of_the_counters() {
    let mut bus = Bus::new();
    bus.command(&[0x5a | STOP]);
    bus.run();
    let edges = bus.io.pins.take_edges();
    let clock = clock_edges(&edges);
    // Start, nine bits of address and nine of data, and the stop, whose clock stays high.
    let expected = (0..19).flat_map(|bit| {
        let fall = HIGH + bit * (LOW + HIGH);
        [(fall, false), (fall + LOW, true)]
    });
    assert_eq!(clock, expected.collect::<Vec<_>>());
    let stop = edges.last().unwrap();
    assert_eq!((stop.pin, stop.level), (PINS[0], true));
    assert_eq!((stop.at - edges[0].at).ps() / 8_000, HIGH + 19 * (LOW + HIGH));
}

#[test]
fn a_read_waits_with_the_clock_low_until_software_answers() {
    let mut bus = Bus::new();
    bus.command(&[READ, READ | STOP]);
    assert_eq!(bus.serve(5_000), 2);
    assert_eq!(bus.received(0), [FIRST | 1, 2]);
    assert!(bus.raises(1, INT_RX_DONE | INT_STOP_DET), "the last byte was not acknowledged");
    assert!(!bus.raises(0, INT_TX_ABRT) && !bus.raises(1, INT_TX_ABRT));
    let clock = clock_edges(&bus.io.pins.take_edges());
    let longest = clock.windows(2).filter(|pair| !pair[0].1).map(|pair| pair[1].0 - pair[0].0).max();
    // The controller's low period was over when software began to wait.
    assert_eq!(longest, Some(LOW + 5_000 + SETUP));
}

#[test]
fn words_that_wait_in_the_fifo_go_out_without_another_request() {
    let mut bus = Bus::new();
    bus.command(&[READ, READ, READ | STOP]);
    bus.run();
    assert!(bus.raises(1, INT_RD_REQ));
    bus.read(1, IC_CLR_RD_REQ);
    for word in [7, 8, 9] {
        bus.write(1, IC_DATA_CMD, word);
    }
    bus.run();
    assert!(!bus.raises(1, INT_RD_REQ));
    assert_eq!(bus.received(0), [FIRST | 7, 8, 9]);
}

#[test]
fn what_was_left_to_send_is_flushed_by_the_next_request() {
    let mut bus = Bus::new();
    bus.write(1, IC_DATA_CMD, 0x99);
    assert_eq!(bus.read(1, IC_TXFLR), 1, "a target's word waits");
    bus.command(&[READ | STOP]);
    bus.run();
    assert!(bus.raises(1, INT_RD_REQ | INT_TX_ABRT));
    let abort = bus.read(1, IC_TX_ABRT_SOURCE);
    assert_eq!(abort, ABRT_SLVFLUSH_TXFIFO | 1 << TX_FLUSH_CNT_SHIFT);
    bus.write(1, IC_DATA_CMD, 0x11);
    assert_eq!(bus.read(1, IC_TXFLR), 0, "the FIFO is held empty until IC_CLR_TX_ABRT is read");
    bus.read(1, IC_CLR_TX_ABRT);
    bus.write(1, IC_DATA_CMD, 0x12);
    bus.run();
    assert_eq!(bus.received(0), [FIRST | 0x12]);
}

#[test]
fn a_target_that_is_told_to_read_aborts() {
    let mut bus = Bus::new();
    bus.command(&[READ | STOP]);
    bus.run();
    bus.write(1, IC_DATA_CMD, READ);
    bus.run();
    assert_eq!(bus.read(1, IC_TX_ABRT_SOURCE) & 0xffff, ABRT_SLVRD_INTX);
    assert_eq!(bus.received(0), [FIRST | 0xff], "nobody holds SDA low");
}

#[test]
fn an_address_of_nobody_is_not_acknowledged() {
    let mut bus = Bus::new();
    bus.set(0, IC_TAR, 0x18);
    bus.command(&[1, 2 | STOP]);
    bus.run();
    assert_eq!(bus.read(0, IC_TX_ABRT_SOURCE), ABRT_7B_ADDR_NOACK | 1 << TX_FLUSH_CNT_SHIFT);
    assert_eq!(bus.read(1, IC_RXFLR), 0);
    assert!(bus.raises(1, INT_STOP_DET), "any stop is told");
    bus.read(1, IC_CLR_INTR);
    bus.set(1, IC_CON, 0x184);
    bus.read(0, IC_CLR_INTR);
    bus.command(&[1 | STOP]);
    bus.run();
    assert!(!bus.raises(1, INT_STOP_DET), "with STOP_DET_IFADDRESSED only its own");
}

#[test]
fn a_register_read_repeats_the_start_for_the_target_too() {
    let mut bus = Bus::new();
    bus.command(&[0x40, READ | STOP]);
    assert_eq!(bus.serve(10), 1);
    assert_eq!(bus.received(1), [FIRST | 0x40]);
    assert_eq!(bus.received(0), [FIRST | 1]);
    assert!(bus.raises(1, INT_RESTART_DET));
}

#[test]
fn a_general_call_is_acknowledged_and_told_where_that_is_on() {
    for acknowledges in [true, false] {
        let mut bus = Bus::new();
        bus.write(1, IC_ACK_GENERAL_CALL, u32::from(acknowledges));
        bus.set(0, IC_TAR, TAR_SPECIAL);
        bus.command(&[0x06 | STOP]);
        bus.run();
        assert_eq!(bus.raises(1, INT_GEN_CALL), acknowledges);
        let expected: &[u32] = if acknowledges { &[FIRST | 6] } else { &[] };
        assert_eq!(bus.received(1), expected);
        assert_eq!(bus.read(0, IC_TX_ABRT_SOURCE), if acknowledges { 0 } else { ABRT_GCALL_NOACK });
    }
}

#[test]
fn a_full_target_loses_bytes_or_holds_the_clock() {
    for (con, over) in [(0x104, true), (0x304, false)] {
        let mut bus = Bus::new();
        bus.set(1, IC_CON, con);
        for byte in 0..20 {
            bus.command(&[byte | if byte == 19 { STOP } else { 0 }]);
            while bus.read(0, IC_STATUS) & 2 == 0 && bus.step() {}
        }
        bus.run();
        assert_eq!(bus.raises(1, INT_RX_OVER), over);
        assert_eq!(bus.read(0, IC_STATUS) & 0x20 != 0, !over, "the clock is held");
        let mut bytes = Vec::new();
        while bus.read(1, IC_RXFLR) > 0 {
            bytes.push(bus.read(1, IC_DATA_CMD) & 0xff);
            bus.run();
        }
        assert_eq!(bytes, (0..if over { 16 } else { 20 }).collect::<Vec<_>>());
        assert!(!bus.raises(0, INT_TX_ABRT));
    }
}

#[test]
fn a_target_may_refuse_data() {
    let mut bus = Bus::new();
    bus.write(1, IC_SLV_DATA_NACK_ONLY, 1);
    bus.command(&[1, 2 | STOP]);
    bus.run();
    assert_eq!(bus.read(0, IC_TX_ABRT_SOURCE) & 0xffff, ABRT_TXDATA_NOACK);
    assert_eq!(bus.read(1, IC_RXFLR), 0);
}

#[test]
fn a_target_with_ten_bits_is_written_and_read() {
    let mut bus = Bus::new();
    bus.set(1, IC_CON, 0x104 | CON_10BITADDR_SLAVE);
    bus.set(1, IC_SAR, 0x2a5);
    bus.set(0, IC_CON, 0x165 | CON_10BITADDR_MASTER);
    bus.set(0, IC_TAR, 0x2a5);
    bus.command(&[0x77 | STOP]);
    bus.run();
    assert_eq!(bus.received(1), [FIRST | 0x77]);
    bus.command(&[READ | STOP]);
    assert_eq!(bus.serve(10), 1);
    assert_eq!(bus.received(0), [FIRST | 1]);
    bus.set(0, IC_TAR, 0x2a6);
    bus.command(&[1 | STOP]);
    bus.run();
    assert_eq!(bus.read(0, IC_TX_ABRT_SOURCE), ABRT_10ADDR2_NOACK);
}

#[test]
fn a_target_that_is_switched_off_lets_go_and_says_what_was_lost() {
    let mut bus = Bus::new();
    bus.command(&[READ | STOP]);
    bus.run();
    assert_eq!(bus.read(1, IC_STATUS) & 0x40, 0x40, "it holds the clock");
    bus.write(1, IC_ENABLE, 0);
    assert_eq!(bus.read(1, IC_ENABLE_STATUS), ENABLE_STATUS_SLV_DISABLED_WHILE_BUSY);
    bus.run();
    assert_eq!(bus.received(0), [FIRST | 0xff]);
    assert!(bus.i2c[0].is_bus_free(&bus.io));
}

#[test]
fn of_two_controllers_the_one_with_the_lower_address_keeps_the_bus() {
    let mut bus = Bus::new();
    bus.set(1, IC_CON, 0x165);
    bus.set(1, IC_TAR, 0x16);
    bus.set(0, IC_TAR, 0x17);
    // Both begin at one instant: nobody settles between them.
    bus.i2c[0].write(IC_DATA_CMD, STOP, &mut bus.io);
    bus.i2c[1].write(IC_DATA_CMD, STOP, &mut bus.io);
    bus.run();
    assert_eq!(bus.read(0, IC_TX_ABRT_SOURCE) & 0xffff, ABRT_ARB_LOST);
    assert_eq!(bus.read(1, IC_TX_ABRT_SOURCE) & 0xffff, ABRT_7B_ADDR_NOACK, "nobody is at 0x16");
    assert!(bus.i2c[0].is_bus_free(&bus.io));
}

#[test]
fn a_controller_waits_until_another_has_stopped() {
    let mut bus = Bus::new();
    bus.set(1, IC_CON, 0x165);
    bus.set(1, IC_TAR, 0x16);
    bus.command(&[1 | STOP]);
    for _ in 0..10 {
        bus.step();
    }
    bus.write(1, IC_DATA_CMD, STOP);
    bus.run();
    for port in 0..2 {
        assert_eq!(bus.read(port, IC_TX_ABRT_SOURCE) & 0xffff, ABRT_7B_ADDR_NOACK);
    }
    let edges = bus.io.pins.take_edges();
    let starts = edges.iter().filter(|edge| edge.pin == PINS[0] && !edge.level).count();
    assert!(starts >= 2, "both had their turn");
}

proptest! {
    #[test]
    fn whatever_is_written_and_read_arrives(
        transfers in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 1..15)), 1..8),
        wait in 1i64..3000,
    ) {
        let mut bus = Bus::new();
        for (reads, bytes) in transfers {
            let last = bytes.len() - 1;
            let stop = |n: usize| if n == last { STOP } else { 0 };
            for (n, &byte) in bytes.iter().enumerate() {
                bus.command(&[if reads { READ } else { u32::from(byte) } | stop(n)]);
            }
            if reads {
                prop_assert_eq!(bus.serve(wait), bytes.len() as u32);
                let expected: Vec<u32> = (1..=bytes.len() as u32).collect();
                let received: Vec<u32> = bus.received(0).iter().map(|word| word & 0xff).collect();
                prop_assert_eq!(received, expected);
            } else {
                bus.run();
                let received: Vec<u32> = bus.received(1).iter().map(|word| word & 0xff).collect();
                prop_assert_eq!(received, bytes.into_iter().map(u32::from).collect::<Vec<_>>());
            }
            prop_assert!(!bus.raises(0, INT_TX_ABRT));
        }
    }

    #[test]
    fn random_registers_of_both_neither_panic_nor_loop(
        traffic in prop::collection::vec((0usize..2, 0u32..45, any::<bool>(), any::<u32>(), 0u8..6, any::<bool>()), 1..200),
        hz in prop::sample::select(vec![0u64, 1, 48_000_000, 125_000_000]),
    ) {
        let mut bus = Bus::new();
        bus.io.clocks.sys_hz = hz;
        for (port, register, write, value, wakes, data) in traffic {
            let offset = if data { IC_DATA_CMD } else { register * 4 };
            if write {
                bus.write(port, offset, value);
            } else {
                bus.read(port, offset);
            }
            for _ in 0..wakes {
                bus.step();
            }
        }
        bus.run();
    }
}
