//! Registers that nothing is known of, and any traffic.

use proptest::prelude::*;

use super::*;

#[test]
fn unknown_registers_and_reserved_values_are_reported_once() {
    let mut m = Machine::new();
    for (address, write) in
        [(0x410, false), (0x300, true), (0x808, false), (SNIFF_CTRL, true), (CTRL_TRIG, true)]
    {
        m.io.address = DMA_BASE + address;
        if write {
            m.write(address, 0x8c);
        } else {
            assert_eq!(m.read(address), 0);
        }
    }
    assert_eq!(m.io.unknown_accesses().count(), 5);
    assert_eq!(m.read(N_CHANNELS), 12);
}

#[test]
fn a_stopped_clock_moves_nothing() {
    let mut m = Machine::new();
    m.io.clocks.sys_hz = 0;
    m.start(0, 0x100, 0x200, 4, COPY);
    m.give_room(1);
    assert_eq!(m.io.due(Source::Dma), None);
    assert_eq!(m.dma.next_transfer(&mut m.io), None);
}

fn traffic() -> impl Strategy<Value = Vec<(u32, u32, u8)>> {
    let register = prop_oneof![
        4 => (0u32..0xc0).prop_map(|word| word * 4),
        2 => (0x100u32..0x113).prop_map(|word| word * 4),
        1 => (0x200u32..0x2c0).prop_map(|word| word * 4),
        1 => (0u32..0x400).prop_map(|word| word * 4),
    ];
    let value = prop_oneof![
        any::<u32>(),
        (0u32..16),
        (0u32..0x1000),
        (any::<u32>().prop_map(|bits| bits & 0x0003_ffff | COPY)),
        Just(FIFO),
        (0u32..0xb00).prop_map(|offset| DMA_BASE + (offset & !3)),
    ];
    prop::collection::vec((register, value, any::<u8>()), 1..120)
}

proptest! {
    #[test]
    fn any_traffic_on_the_registers_keeps_the_controller_whole(traffic in traffic()) {
        let mut m = Machine::new();
        m.io.clocks.usb_hz = 48_000_000;
        for (offset, value, then) in traffic {
            m.write(offset, value);
            m.read(offset);
            if then & 1 != 0 {
                m.io.lines.pulse_dreq(Dreq(then >> 2));
                m.dma.requests_changed(&mut m.io);
            }
            if then & 2 != 0 {
                m.give_room(usize::from(then >> 4));
            }
            for _ in 0..then >> 3 {
                let before = m.moves.len();
                let at = m.io.due(Source::Dma);
                m.step();
                let after = m.io.due(Source::Dma);
                let moved = m.moves.len() > before;
                prop_assert!(!moved || after.is_none_or(|after| Some(after) > at), "two moves in one cycle");
            }
        }
        // What is ready is under way, and whoever is ready has an appointment.
        for index in 0..12u32 {
            if m.dma.ready >> index & 1 != 0 {
                prop_assert!(m.is_busy(index));
                prop_assert!(m.io.due(Source::Dma).is_some());
            }
        }
    }
}
