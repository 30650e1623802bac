//! Blocks that are switched off, aborted or set up in unusual ways.

use super::*;

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
