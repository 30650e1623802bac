//! Registers of a channel in their aliases, its triggers, its count, and how its addresses move.

use super::*;

#[test]
fn the_four_registers_appear_in_every_alias_in_its_order() {
    let mut m = Machine::new();
    for index in [0, 5, 11] {
        let control = INCR_READ | WORD | chain_to(index);
        m.set_up(index, 0x100, 0x200, 7, control);
        let orders = [
            [0x100, 0x200, 0, control],
            [control, 0x100, 0x200, 0],
            [control, 0, 0x100, 0x200],
            [control, 0x200, 0, 0x100],
        ];
        for (alias, order) in (0u32..).zip(orders) {
            for (place, expected) in (0u32..).zip(order) {
                assert_eq!(m.read(channel(index) + alias * 0x10 + place * 4), expected);
            }
        }
        assert_eq!(m.read(channel(index) + DBG_TCR), 7);
    }
}

#[test]
fn every_register_is_a_trigger_in_one_of_the_aliases() {
    for (trigger, value) in
        [(CTRL_TRIG, COPY), (AL1_COUNT_TRIG, 4), (AL2_WRITE_TRIG, 0x200), (AL3_READ_TRIG, 0x100)]
    {
        let mut m = Machine::new();
        m.set_up(0, 0x100, 0x200, 4, COPY);
        m.run();
        assert_eq!(m.moves, [], "it starts before offset {trigger:#x} was written");
        m.write(trigger, value);
        assert!(m.is_busy(0));
        m.run();
        assert_eq!(m.memory[0x200..0x204], m.memory[0x100..0x104]);
        assert!(!m.is_busy(0));
    }
}

#[test]
fn writing_zero_to_a_trigger_does_not_start_the_channel() {
    let mut m = Machine::new();
    m.set_up(0, 0x100, 0x200, 4, COPY);
    for trigger in [AL1_COUNT_TRIG, AL2_WRITE_TRIG, AL3_READ_TRIG] {
        m.write(trigger, 0);
        assert!(!m.is_busy(0));
    }
    assert_eq!(m.read(INTR), 0);
}

#[test]
fn a_trigger_of_a_disabled_channel_is_ignored_but_the_enable_just_written_counts() {
    let mut m = Machine::new();
    m.set_up(0, 0x100, 0x200, 4, COPY & !EN);
    m.write(AL1_COUNT_TRIG, 4);
    assert!(!m.is_busy(0));
    m.write(CTRL_TRIG, COPY);
    assert!(m.is_busy(0));
    m.run();
    m.write(CTRL_TRIG, COPY & !EN);
    assert!(!m.is_busy(0));
}

#[test]
fn the_count_is_live_and_reloads_at_the_next_start() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 3, COPY);
    assert_eq!(m.read(COUNT), 3);
    m.step();
    assert_eq!((m.read(COUNT), m.read(READ), m.read(WRITE)), (2, 0x101, 0x201));
    m.write(COUNT, 9);
    assert_eq!((m.read(COUNT), m.read(DBG_TCR)), (2, 9));
    m.run();
    assert_eq!(m.read(COUNT), 0);
    m.write(MULTI_CHAN_TRIGGER, 1);
    assert_eq!(m.read(COUNT), 9);
    m.run();
    assert_eq!(m.moves.len(), 12);
}

#[test]
fn a_trigger_of_a_busy_channel_has_no_effect() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 4, COPY);
    m.step();
    m.write(MULTI_CHAN_TRIGGER, 1);
    m.write(AL1_COUNT_TRIG, 100);
    m.run();
    assert_eq!(m.moves.len(), 4);
}

#[test]
fn addresses_move_by_the_size_of_a_transfer_or_stand() {
    for (size, bytes) in [(0, 1), (HALF, 2), (WORD, 4)] {
        for (flags, read, write) in [(0, 0, 0), (INCR_READ, 3, 0), (INCR_WRITE, 0, 3)] {
            let mut m = Machine::new();
            m.start(0, 0x100, 0x200, 3, EN | UNPACED | size | flags);
            m.run();
            assert!(m.moves.iter().all(|(_, transfer)| transfer.bytes == bytes));
            let bytes = u32::from(bytes);
            assert_eq!((m.read(READ), m.read(WRITE)), (0x100 + read * bytes, 0x200 + write * bytes));
        }
    }
}

#[test]
fn a_ring_wraps_only_the_low_bits_of_the_chosen_address() {
    let mut m = Machine::new();
    m.start(0, 0x10c, 0x200, 4, COPY | WORD | ring(4));
    m.run();
    let reads: Vec<u32> = m.moves.iter().map(|(_, transfer)| transfer.read_address).collect();
    assert_eq!(reads, [0x10c, 0x100, 0x104, 0x108]);
    assert_eq!(m.read(WRITE), 0x210);
    m.moves.clear();
    m.start(0, 0x100, 0x20e, 3, COPY | HALF | ring(1) | RING_WRITE);
    m.run();
    let writes: Vec<u32> = m.moves.iter().map(|(_, transfer)| transfer.write_address).collect();
    assert_eq!(writes, [0x20e, 0x20e, 0x20e]);
    m.start(0, 0, 0xfff, 2, COPY | ring(15) | RING_WRITE);
    m.run();
    assert_eq!(m.read(WRITE), 0x1000);
}

#[test]
fn a_byte_swap_reverses_halfwords_and_words() {
    let mut m = Machine::new();
    for (size, expected) in [(0, 0x1122_3344), (HALF, 0x2211_4433), (WORD, 0x4433_2211)] {
        m.memory[0x100..0x104].copy_from_slice(&0x1122_3344u32.to_le_bytes());
        let transfers = 4 >> (size >> 2);
        m.start(0, 0x100, 0x200, transfers, COPY | size | BSWAP);
        m.run();
        assert_eq!(m.load(0x200, 4), Some(expected));
    }
}
