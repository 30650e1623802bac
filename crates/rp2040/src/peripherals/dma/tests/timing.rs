//! Who has the next cycle, and how long a copy takes.

use super::*;

#[test]
fn several_channels_start_together_and_take_turns() {
    let mut m = Machine::new();
    for index in [1, 4, 9] {
        m.set_up(index, 0x100, 0x200 + index * 0x40, 3, COPY);
    }
    m.write(MULTI_CHAN_TRIGGER, 1 << 1 | 1 << 4 | 1 << 9);
    m.run();
    assert_eq!(m.channels(), [1, 4, 9, 1, 4, 9, 1, 4, 9]);
    assert_eq!(m.cycles(), Vec::from_iter(LATENCY_CYCLES as i64..LATENCY_CYCLES as i64 + 9));
}

#[test]
fn in_a_round_all_channels_of_high_priority_come_before_a_single_low_one() {
    let mut m = Machine::new();
    for (index, priority) in [(0, HIGH), (1, 0), (2, HIGH), (3, 0)] {
        m.set_up(index, 0x100, 0x200, 3, COPY | priority | chain_to(index));
    }
    m.write(MULTI_CHAN_TRIGGER, 0xf);
    m.run();
    assert_eq!(m.channels(), [0, 2, 1, 0, 2, 3, 0, 2, 1, 3, 1, 3]);
}

#[test]
fn a_memory_copy_moves_a_word_in_every_cycle() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x800, 256, COPY | WORD);
    m.run();
    assert_eq!(m.memory[0x800..0xc00], m.memory[0x100..0x500]);
    assert_eq!(m.cycles(), Vec::from_iter(LATENCY_CYCLES as i64..LATENCY_CYCLES as i64 + 256));
}

#[test]
fn at_a_frequency_of_no_whole_period_a_long_copy_does_not_drift() {
    let mut m = Machine::new();
    m.io.clocks.sys_hz = 133_000_000;
    m.start(0, 0x100, 0x104, 5000, EN | UNPACED);
    m.step();
    let first = m.io.now;
    m.run();
    let expected = crate::frequencies::duration(133_000_000, 4999).expect("it is short");
    assert_eq!(m.io.now - first, expected);
}

#[test]
fn a_slow_target_holds_the_port() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 3, COPY);
    let mut cycles = Vec::new();
    while let Some(at) = m.io.due(Source::Dma) {
        m.io.now = at;
        m.io.cancel(Source::Dma);
        let transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
        cycles.push(at.ps() / CYCLE_PS);
        m.dma.wait(3);
        m.dma.wait(1);
        m.dma.transferred(transfer.channel, 0, None, &mut m.io);
    }
    let start = LATENCY_CYCLES as i64;
    assert_eq!(cycles, [start, start + 4, start + 8]);
}

#[test]
fn slow_accesses_at_a_frequency_of_no_whole_period_do_not_drift() {
    let mut m = Machine::new();
    m.io.clocks.sys_hz = 133_000_000;
    m.start(0, 0x100, 0x200, 1001, COPY);
    let first = m.io.due(Source::Dma).expect("it started");
    while let Some(at) = m.io.due(Source::Dma) {
        m.io.now = at;
        m.io.cancel(Source::Dma);
        let transfer = m.dma.next_transfer(&mut m.io).expect("it is due");
        m.dma.wait(4);
        m.dma.transferred(transfer.channel, 0, None, &mut m.io);
    }
    assert_eq!(Some(m.io.now - first), crate::frequencies::duration(133_000_000, 5 * 1000));
}
