//! Channels that start others, null triggers, and interrupts.

use super::*;

#[test]
fn a_channel_that_completes_triggers_the_one_it_chains_to() {
    let mut m = Machine::new();
    m.set_up(7, 0x300, 0x400, 2, COPY);
    m.start(3, 0x100, 0x200, 2, COPY | chain_to(7));
    m.run();
    assert_eq!(m.channels(), [3, 3, 7, 7]);
    assert_eq!(m.read(INTR), 1 << 3 | 1 << 7);
}

#[test]
fn a_chain_to_a_disabled_or_missing_channel_ends_there() {
    for target in [7, 12, 15] {
        let mut m = Machine::new();
        m.set_up(7, 0x300, 0x400, 2, COPY & !EN);
        m.start(3, 0x100, 0x200, 2, COPY | chain_to(target));
        m.run();
        assert_eq!(m.channels(), [3, 3]);
    }
}

#[test]
fn after_reset_every_channel_chains_to_channel_0() {
    let mut m = Machine::new();
    m.set_up(0, 0x100, 0x200, 3, COPY);
    m.write(channel(1) + COUNT, 1);
    m.write(channel(1) + CTRL_TRIG, EN | UNPACED);
    m.run();
    assert_eq!(m.channels(), [1, 0, 0, 0]);
}

#[test]
fn control_blocks_gather_buffers_until_a_null_trigger() {
    // The datasheet's example 2.5.6.2: (count, read address) pairs into alias 3 of the data channel.
    let mut m = Machine::new();
    let blocks = [3, 0x800, 1, 0x810, 5, 0x820, 0, 0];
    for (at, word) in (0x100..).step_by(4).zip(blocks) {
        m.store(at, 4, word).expect("it is memory");
    }
    let data = EN | INCR_READ | INCR_WRITE | UNPACED | QUIET | chain_to(1);
    m.set_up(0, 0, 0x200, 0, data);
    let control = EN | INCR_READ | INCR_WRITE | WORD | UNPACED | ring(3) | RING_WRITE | chain_to(1);
    m.write(INTE0, 1);
    m.start(1, 0x100, DMA_BASE + AL3_COUNT, 2, control);
    m.run();
    let expected = [&m.memory[0x800..0x803], &m.memory[0x810..0x811], &m.memory[0x820..0x825]].concat();
    assert_eq!(m.memory[0x200..0x209], expected);
    assert_eq!(m.read(INTS0), 1, "a quiet channel asks for an interrupt at the null trigger alone");
    assert_eq!(m.io.lines.irq(), 1 << 11);
}

#[test]
fn a_quiet_channel_raises_its_interrupt_at_a_null_trigger_only() {
    let mut m = Machine::new();
    m.start(2, 0x100, 0x200, 2, COPY | QUIET);
    m.run();
    assert_eq!(m.read(INTR), 0);
    m.write(channel(2) + AL3_READ_TRIG, 0);
    assert_eq!(m.read(INTR), 1 << 2);
    m.write(INTR, 1 << 2);
    m.write(channel(2) + CTRL_TRIG, 0);
    assert_eq!(m.read(INTR), 1 << 2);
}

#[test]
fn interrupts_are_masked_forced_and_cleared_for_each_line() {
    let mut m = Machine::new();
    m.write(INTE0, 1 << 4);
    m.write(INTE1, 1 << 5);
    m.start(4, 0x100, 0x200, 1, COPY);
    m.run();
    assert_eq!((m.read(INTR), m.read(INTS0), m.read(INTS1)), (1 << 4, 1 << 4, 0));
    assert_eq!(m.io.lines.irq(), 1 << 11);
    m.write(INTS0, 1 << 4);
    assert_eq!((m.read(INTR), m.io.lines.irq()), (0, 0));
    m.start(5, 0x100, 0x200, 1, COPY);
    m.run();
    assert_eq!(m.io.lines.irq(), 1 << 12);
    m.write(INTS1, 1 << 5);
    m.write(INTF0, 1 << 9);
    assert_eq!((m.read(INTR), m.read(INTS0), m.io.lines.irq()), (0, 1 << 9, 1 << 11));
    m.write(INTF0, 0);
    assert_eq!(m.io.lines.irq(), 0);
}
