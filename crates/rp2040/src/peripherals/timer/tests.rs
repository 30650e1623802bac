//! The timer through its registers.

use proptest::prelude::*;
use units::Picoseconds;

use super::*;

struct Bench {
    timer: Timer,
    io: Io,
    raised_at: Vec<Picoseconds>,
}

impl Bench {
    /// Ticking each microsecond.
    fn new() -> Self {
        let mut bench = Self { timer: Timer::new(), io: Io::default(), raised_at: Vec::new() };
        bench.io.clocks.ref_hz = 12_000_000;
        bench.timer.set_tick(Some(12), &mut bench.io);
        bench
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.timer.read(offset, &mut self.io)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.timer.write(offset, value, &mut self.io);
    }

    fn advance_us(&mut self, us: i64) {
        let end = self.io.now + Picoseconds::new(us * 1_000_000);
        while let Some(at) = self.io.due(Source::Timer).filter(|&at| at <= end) {
            self.io.now = at;
            self.io.cancel(Source::Timer);
            let before = self.timer.raised;
            self.timer.wake(Source::Timer, &mut self.io);
            if self.timer.raised != before {
                self.raised_at.push(at);
            }
        }
        self.io.now = end;
    }

    fn set_count(&mut self, count: u64) {
        self.write(TIMELW, count as u32);
        self.write(TIMEHW, (count >> 32) as u32);
    }
}

#[test]
fn without_a_tick_time_stands_still() {
    let mut bench = Bench::new();
    bench.timer.set_tick(None, &mut bench.io);
    bench.advance_us(1_000_000);
    assert_eq!(bench.read(TIMERAWL), 0);
}

#[test]
fn it_counts_microseconds() {
    let mut bench = Bench::new();
    bench.advance_us(123_456_789);
    assert_eq!(bench.read(TIMERAWL), 123_456_789);
    assert_eq!(bench.read(TIMERAWH), 0);
}

#[test]
fn reading_the_low_half_holds_the_high_half() {
    let mut bench = Bench::new();
    bench.set_count(0x5_ffff_ffff);
    assert_eq!(bench.read(TIMELR), 0xffff_ffff);
    bench.advance_us(1);
    assert_eq!(bench.read(TIMEHR), 5, "latched with TIMELR");
    assert_eq!(bench.read(TIMERAWH), 6, "raw is as it is");
    assert_eq!(bench.read(TIMELR), 0);
    assert_eq!(bench.read(TIMEHR), 6);
}

#[test]
fn a_written_low_half_waits_for_the_high_half() {
    let mut bench = Bench::new();
    bench.advance_us(10);
    bench.write(TIMELW, 500);
    assert_eq!(bench.read(TIMERAWL), 10);
    bench.write(TIMEHW, 1);
    assert_eq!((bench.read(TIMERAWH), bench.read(TIMERAWL)), (1, 500));
}

#[test]
fn an_alarm_comes_at_its_microsecond_and_disarms_itself() {
    let mut bench = Bench::new();
    bench.write(INTE, 0b0100);
    bench.write(ALARM0 + 8, 1000);
    assert_eq!(bench.read(ARMED), 0b0100);
    bench.advance_us(999);
    assert_eq!((bench.read(INTR), bench.io.lines.irq()), (0, 0));
    bench.advance_us(1);
    assert_eq!((bench.read(INTR), bench.read(INTS), bench.read(ARMED)), (0b0100, 0b0100, 0));
    assert_eq!(bench.io.lines.irq(), 1 << Irq::TIMER_2.0);
    assert_eq!(bench.raised_at, [Picoseconds::from_ns(1_000_000)]);
    bench.write(INTR, 0b0100);
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn an_alarm_in_the_past_waits_for_the_count_to_come_round() {
    let mut bench = Bench::new();
    bench.advance_us(1000);
    bench.write(ALARM0, 999);
    bench.advance_us((1 << 32) - 2);
    assert_eq!(bench.read(INTR), 0);
    bench.advance_us(1);
    assert_eq!(bench.read(INTR), 1);
    assert_eq!((bench.read(TIMERAWH), bench.read(TIMERAWL)), (1, 999));
}

#[test]
fn alarms_come_in_their_order_whatever_order_they_were_set_in() {
    let mut bench = Bench::new();
    for (alarm, at) in [(0, 300), (1, 100), (2, 200), (3, 100)] {
        bench.write(ALARM0 + 4 * alarm, at);
    }
    bench.advance_us(1000);
    let us = |n: i64| Picoseconds::new(n * 1_000_000);
    assert_eq!(bench.raised_at, [us(100), us(200), us(300)]);
    assert_eq!(bench.read(INTR), 0b1111);
}

#[test]
fn a_disarmed_alarm_does_not_come() {
    let mut bench = Bench::new();
    bench.write(ALARM0, 50);
    bench.write(ALARM0 + 4, 60);
    bench.write(ARMED, 0b01);
    bench.advance_us(100);
    assert_eq!(bench.read(INTR), 0b10);
}

#[test]
fn time_stops_in_a_pause_and_alarms_wait() {
    let mut bench = Bench::new();
    bench.write(ALARM0, 50);
    bench.advance_us(40);
    bench.write(PAUSE, 1);
    bench.advance_us(1000);
    assert_eq!((bench.read(TIMERAWL), bench.read(INTR)), (40, 0));
    bench.write(PAUSE, 0);
    bench.advance_us(9);
    assert_eq!(bench.read(INTR), 0);
    bench.advance_us(1);
    assert_eq!(bench.read(INTR), 1);
}

#[test]
fn an_interrupt_can_be_forced_without_an_alarm() {
    let mut bench = Bench::new();
    bench.write(INTF, 0b1000);
    assert_eq!((bench.read(INTR), bench.read(INTS)), (0, 0b1000));
    assert_eq!(bench.io.lines.irq(), 1 << Irq::TIMER_3.0);
}

#[test]
fn edges_of_a_tick_that_is_no_whole_number_of_picoseconds_do_not_drift() {
    let mut bench = Bench::new();
    bench.io.clocks.ref_hz = 6_500_000;
    bench.timer.set_tick(Some(7), &mut bench.io);
    bench.write(ALARM0, 13_000_001);
    bench.advance_us(20_000_000);
    // 13,000,001 ticks of 7 cycles: 14 s and 14/13 µs.
    assert_eq!(bench.raised_at, [Picoseconds::new(14_000_001_076_923)]);
}

#[test]
fn a_change_of_the_reference_keeps_the_count() {
    let mut bench = Bench::new();
    bench.advance_us(100);
    bench.io.clocks.ref_hz = 6_000_000;
    bench.timer.set_tick(Some(12), &mut bench.io);
    bench.advance_us(100);
    assert_eq!(bench.read(TIMERAWL), 150);
}

#[test]
fn a_reset_starts_from_zero_and_goes_on_ticking() {
    let mut bench = Bench::new();
    bench.write(INTE, 1);
    bench.write(ALARM0, 10);
    bench.advance_us(100);
    bench.timer.reset(&mut bench.io);
    assert_eq!((bench.read(TIMERAWL), bench.read(INTR), bench.io.lines.irq()), (0, 0, 0));
    bench.advance_us(5);
    assert_eq!(bench.read(TIMERAWL), 5);
}

proptest! {
    #[test]
    fn an_alarm_comes_within_one_round(start: u64, alarm: u32) {
        let mut bench = Bench::new();
        bench.set_count(start);
        bench.write(ALARM0, alarm);
        bench.advance_us(1 << 32);
        prop_assert_eq!(bench.read(INTR), 1);
    }

    #[test]
    fn random_traffic_never_panics(
        steps in prop::collection::vec((0u32..20, any::<bool>(), any::<u32>(), 0i64..200_000_000), 1..200),
    ) {
        let mut bench = Bench::new();
        for (word, write, value, us) in steps {
            bench.advance_us(us);
            let peeked = bench.timer.peek(word * 4, &bench.io);
            if write { bench.write(word * 4, value) } else { prop_assert_eq!(bench.read(word * 4), peeked); }
        }
    }
}
