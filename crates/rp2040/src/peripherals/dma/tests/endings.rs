//! What ends or pauses a channel before its count is done, and channels that have nothing to do.

use super::*;

#[test]
fn an_abort_ends_a_channel_without_interrupt_or_chain() {
    let mut m = Machine::new();
    m.set_up(1, 0x100, 0x200, 4, COPY);
    m.start(0, 0x100, FIFO, 6, EN | treq(m.fifo_request.0) | chain_to(1));
    m.write(CHAN_ABORT, 1);
    assert_eq!(m.read(CHAN_ABORT), 0);
    assert!(!m.is_busy(0));
    assert_eq!(m.read(COUNT), 0);
    m.give_room(8);
    m.run();
    assert_eq!((m.moves.len(), m.read(INTR)), (0, 0));
    m.write(MULTI_CHAN_TRIGGER, 1);
    m.run();
    assert_eq!(m.fifo.len(), 6, "it can be started again");
}

#[test]
fn clearing_the_enable_pauses_a_channel_that_stays_busy() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 4, COPY);
    m.step();
    m.write(AL1_CTRL, COPY & !EN);
    m.run();
    assert_eq!(m.moves.len(), 1);
    assert!(m.is_busy(0));
    m.write(AL1_CTRL, COPY);
    m.run();
    assert_eq!(m.moves.len(), 4);
}

#[test]
fn a_bus_error_halts_the_channel_and_raises_its_interrupt_even_when_quiet() {
    for (read, write, flag) in [(FAULTY, 0x200, 1 << 30), (0x100, FAULTY, 1 << 29)] {
        let mut m = Machine::new();
        m.start(0, read, write, 4, COPY | QUIET);
        m.run();
        assert_eq!(m.moves.len(), 1);
        let control = m.read(AL1_CTRL);
        assert_eq!(control & 0xe100_0000, 1 << 31 | flag);
        assert_eq!(m.read(INTR), 1);
        m.write(AL1_CTRL, COPY | flag);
        assert_eq!(m.read(AL1_CTRL) >> 29, 0);
    }
}

#[test]
fn a_count_of_zero_completes_without_a_transfer() {
    let mut m = Machine::new();
    m.set_up(1, 0x100, 0x200, 1, COPY);
    m.start(0, 0x100, 0x200, 0, COPY | chain_to(1));
    m.run();
    assert_eq!(m.channels(), [1]);
    assert_eq!(m.read(INTR), 3);
}

#[test]
fn two_empty_channels_that_chain_to_each_other_let_time_pass() {
    let mut m = Machine::new();
    m.set_up(1, 0x100, 0x200, 0, COPY | chain_to(0));
    m.write(channel(1) + AL1_CTRL, COPY);
    m.start(0, 0x100, 0x200, 0, COPY | chain_to(1));
    for _ in 0..100 {
        let before = m.io.now;
        assert!(m.step());
        assert!(m.io.now > before);
    }
}
