//! Requests and timers that pace a channel.

use super::*;

#[test]
fn a_request_that_stands_as_a_level_paces_the_channel() {
    let mut m = Machine::new();
    m.start(0, 0x100, FIFO, 6, EN | INCR_READ | treq(m.fifo_request.0));
    m.run_for(100);
    assert_eq!(m.moves, [], "it waits without an appointment");
    assert_eq!(m.io.due(Source::Dma), None);
    m.give_room(4);
    m.run_for(100);
    let from = 100 + LATENCY_CYCLES as i64;
    assert_eq!(m.cycles(), [from, from + 1, from + 2, from + 3]);
    assert_eq!(m.io.due(Source::Dma), None);
    assert!(m.is_busy(0));
    m.give_room(8);
    m.run();
    assert_eq!(m.fifo.len(), 6);
    assert!(!m.is_busy(0));
    assert_eq!(m.fifo_room, 6);
}

#[test]
fn a_request_that_stands_at_the_trigger_is_seen() {
    let mut m = Machine::new();
    m.give_room(2);
    m.start(0, 0x100, FIFO, 2, EN | treq(m.fifo_request.0));
    assert_eq!(m.read(DBG_CTDREQ), 1);
    m.run();
    assert_eq!(m.fifo.len(), 2);
}

#[test]
fn a_request_that_falls_before_the_transfer_is_not_served() {
    let mut m = Machine::new();
    m.give_room(1);
    m.start(0, 0x100, FIFO, 2, EN | treq(m.fifo_request.0));
    m.io.lines.set_dreq(m.fifo_request, false);
    m.run();
    assert_eq!(m.moves, []);
    m.give_room(1);
    m.run();
    assert_eq!(m.fifo.len(), 2);
}

#[test]
fn a_request_of_somebody_else_starts_nothing() {
    let mut m = Machine::new();
    m.start(0, 0x100, FIFO, 2, EN | treq(Dreq::SPI1_TX.0));
    m.give_room(4);
    assert_eq!(m.io.due(Source::Dma), None);
}

#[test]
fn every_pulse_of_a_request_is_one_transfer_and_pulses_add_up_to_63() {
    let mut m = Machine::new();
    let request = Dreq::PWM_WRAP0;
    m.start(0, 0x100, 0x200, 100, COPY | treq(request.0) & !UNPACED | treq(request.0));
    m.write(channel(0) + AL1_CTRL, EN | INCR_READ | INCR_WRITE | treq(request.0));
    m.run();
    m.moves.clear();
    for expected in 1..=3 {
        m.io.lines.pulse_dreq(request);
        m.dma.requests_changed(&mut m.io);
        m.run();
        assert_eq!(m.moves.len(), expected);
    }
    for _ in 0..70 {
        m.io.lines.pulse_dreq(request);
        m.dma.requests_changed(&mut m.io);
    }
    assert_eq!(m.read(DBG_CTDREQ), 63);
    m.write(DBG_CTDREQ, 0);
    assert_eq!(m.read(DBG_CTDREQ), 0);
    m.run();
    assert_eq!(m.moves.len(), 3, "writing CTDREQ clears the counter");
}

#[test]
fn a_timer_paces_x_transfers_in_y_cycles() {
    let mut m = Machine::new();
    m.write(TIMER0, 2 << 16 | 25);
    assert_eq!(m.read(TIMER0), 2 << 16 | 25);
    m.start(0, 0x100, 0x200, 8, EN | INCR_READ | INCR_WRITE | treq(0x3b));
    m.run();
    assert_eq!(m.cycles(), [13, 25, 38, 50, 63, 75, 88, 100]);
    assert_eq!(m.io.due(Source::Dma), None, "an unused timer costs nothing");
}

#[test]
fn a_timer_at_full_rate_is_a_permanent_request_and_one_of_zero_never_asks() {
    let mut m = Machine::new();
    m.start(0, 0x100, 0x200, 4, EN | treq(0x3e));
    assert_eq!(m.io.due(Source::Dma), None);
    m.write(TIMER0 + 12, 5 << 16 | 5);
    m.run();
    assert_eq!(m.cycles(), Vec::from_iter(LATENCY_CYCLES as i64..LATENCY_CYCLES as i64 + 4));
}

#[test]
fn two_timers_pace_two_channels_each_at_its_own_rate() {
    let mut m = Machine::new();
    m.write(TIMER0, 1 << 16 | 10);
    m.write(TIMER0 + 4, 1 << 16 | 30);
    m.start(0, 0x100, 0x200, 30, EN | treq(0x3b));
    m.start(1, 0x100, 0x200, 30, EN | treq(0x3c));
    m.run_for(301);
    let count = |m: &Machine, index| m.channels().iter().filter(|&&channel| channel == index).count();
    assert_eq!((count(&m, 0), count(&m, 1)), (30, 10));
}
