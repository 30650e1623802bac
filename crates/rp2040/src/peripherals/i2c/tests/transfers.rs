//! Registers after reset, and transfers with their times.

use super::*;

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
