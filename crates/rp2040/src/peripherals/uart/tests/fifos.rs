//! FIFOs, interrupts and requests to the DMA.

use super::*;

#[test]
fn the_transmit_fifo_takes_32_bytes_beside_the_one_on_the_line() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    let bytes: Vec<u8> = (0..33).collect();
    for &byte in &bytes {
        assert_eq!(bench.read(UARTFR) & FR_TXFF, 0);
        bench.send(&[byte]);
    }
    assert_eq!(bench.read(UARTFR) & FR_TXFF, FR_TXFF);
    bench.send(&[99]);
    bench.run();
    assert_eq!(bench.heard(), bytes);
}

#[test]
fn without_fifos_one_byte_waits_behind_the_one_on_the_line() {
    let mut bench = Bench::new(EIGHT_BITS);
    bench.send(&[1]);
    assert_eq!(bench.read(UARTFR) & (FR_TXFF | FR_TXFE), FR_TXFE);
    bench.send(&[2]);
    assert_eq!(bench.read(UARTFR) & (FR_TXFF | FR_TXFE), FR_TXFF);
    bench.receive(&[7]);
    assert_eq!(bench.read(UARTFR) & FR_RXFF, FR_RXFF);
    assert_eq!(bench.read(UARTRIS) & INT_RX, INT_RX);
}

#[test]
fn the_transmit_interrupt_comes_with_the_passage_through_the_level() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTIFLS, 0);
    bench.write(UARTIMSC, INT_TX);
    assert!(!bench.irq(), "an empty FIFO alone raises nothing");
    bench.send(&[0; 5]);
    bench.step();
    assert_eq!(bench.read(UARTRIS) & INT_TX, 0, "never above four");
    bench.send(&[0; 2]);
    bench.step();
    assert!(bench.irq(), "five became four");
    bench.send(&[0]);
    assert!(!bench.irq(), "written above the level again");
    bench.step();
    assert!(bench.irq());
    bench.write(UARTICR, INT_TX);
    assert!(!bench.irq());
    bench.step();
    assert!(!bench.irq(), "below the level there is no further passage");
}

#[test]
fn without_fifos_the_transmit_interrupt_comes_when_the_holding_register_empties() {
    let mut bench = Bench::new(EIGHT_BITS);
    bench.write(UARTIMSC, INT_TX);
    bench.send(&[1]);
    assert!(bench.irq());
    bench.send(&[2]);
    assert!(!bench.irq());
    bench.step();
    assert!(bench.irq());
}

#[test]
fn the_receive_interrupt_follows_the_level() {
    for (setting, level) in [(0, 4), (1, 8), (2, 16), (3, 24), (4, 28)] {
        let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
        bench.write(UARTIFLS, setting << 3);
        bench.write(UARTIMSC, INT_RX);
        bench.receive(&vec![0; level - 1]);
        assert!(!bench.irq());
        bench.receive(&[0]);
        assert!(bench.irq(), "RXIFLSEL {setting}");
        bench.read(UARTDR);
        assert!(!bench.irq());
    }
}

#[test]
fn the_receive_timeout_strikes_after_32_bits_of_silence() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTIMSC, INT_RT);
    bench.receive(b"x");
    let start = bench.io.now;
    assert_eq!(bench.io.due(Source::Uart1Receive), Some(start + Picoseconds::new(32 * 8_680_000)));
    bench.io.now = start + Picoseconds::from_ns(1_000);
    bench.receive(b"y");
    bench.run();
    assert_eq!((bench.io.now - start).ps(), 32 * 8_680_000 + 1_000_000);
    assert!(bench.irq());
    bench.read(UARTDR);
    assert!(bench.irq(), "a byte is left");
    bench.read(UARTDR);
    assert!(!bench.irq());
    bench.receive(b"z");
    bench.read(UARTDR);
    assert_eq!(bench.io.due(Source::Uart1Receive), None);
}

#[test]
fn a_full_receive_fifo_loses_the_next_byte_and_marks_the_overrun() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTIMSC, INT_OE);
    bench.receive(&(0..32).collect::<Vec<u8>>());
    assert_eq!(bench.read(UARTFR) & FR_RXFF, FR_RXFF);
    assert!(!bench.irq());
    bench.receive(&[99]);
    assert!(bench.irq());
    assert_eq!(bench.read(UARTRSR), RSR_OE);
    assert_eq!(bench.read(UARTDR), 0, "what was there before has no mark");
    bench.write(UARTRSR, 0);
    assert_eq!(bench.read(UARTRSR), 0);
    bench.receive(&[32, 100]);
    let rest: Vec<u32> = (0..32).map(|_| bench.read(UARTDR)).collect();
    let expected: Vec<u32> = (1..32).chain([DR_OE | 32]).collect();
    assert_eq!(rest, expected, "the first word behind those that were lost has it");
    bench.receive(&[33, 34]);
    assert_eq!([bench.read(UARTDR), bench.read(UARTDR)], [DR_OE | 33, 34], "100 was lost too");
}

#[test]
fn bytes_are_lost_while_the_receiver_is_off() {
    for cr in [0, CR_UARTEN | CR_TXE, CR_TXE | CR_RXE] {
        let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
        bench.write(UARTCR, cr);
        bench.receive(b"lost");
        assert_eq!(bench.read(UARTFR) & FR_RXFE, FR_RXFE);
        assert_eq!(bench.read(UARTDR), 0);
    }
}

#[test]
fn a_disabled_uart_ends_its_frame_and_keeps_the_rest() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.send(b"abc");
    bench.write(UARTCR, CR_TXE | CR_RXE);
    bench.run();
    assert_eq!(bench.heard(), b"a");
    assert_eq!(bench.read(UARTFR) & (FR_BUSY | FR_TXFE), FR_BUSY);
    bench.write(UARTCR, ON);
    bench.run();
    assert_eq!(bench.heard(), b"abc");
}

#[test]
fn a_reset_keeps_what_had_left_the_chip() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.send(b"ab");
    bench.run();
    bench.uart.reset(&mut bench.io);
    assert_eq!(bench.uart.take_sent().len(), 2);
    assert_eq!(bench.read(UARTCR), 0x300);
}

#[test]
fn loopback_receives_what_was_sent() {
    let mut bench = Bench::new(EIGHT_BITS | LCR_FEN);
    bench.write(UARTCR, ON | CR_LBE);
    bench.receive(b"?");
    bench.send(b"hi");
    bench.run();
    assert_eq!([bench.read(UARTDR), bench.read(UARTDR)], [u32::from(b'h'), u32::from(b'i')]);
}

#[test]
fn data_requests_follow_the_fifos_of_an_enabled_uart() {
    let mut bench = Bench::new(EIGHT_BITS);
    let (tx, rx) = (1 << Dreq::UART1_TX.0, 1 << Dreq::UART1_RX.0);
    bench.write(UARTDMACR, DMACR_RXDMAE | DMACR_TXDMAE);
    assert_eq!(bench.io.lines.dreq(), tx);
    bench.send(&[1, 2]);
    assert_eq!(bench.io.lines.dreq(), 0);
    bench.receive(&[3]);
    assert_eq!(bench.io.lines.dreq(), rx);
    bench.step();
    assert_eq!(bench.io.lines.dreq(), tx | rx);
    bench.write(UARTCR, 0);
    assert_eq!(bench.io.lines.dreq(), 0);
}
