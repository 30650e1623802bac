//! Interrupts, FIFOs and requests to the DMA.

use super::*;

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
