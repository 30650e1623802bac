//! The block on a bench, with clk_rtc at 46,875 Hz as the SDK sets it.

use super::*;
use proptest::prelude::*;

struct Bench {
    rtc: Rtc,
    io: Io,
}

fn date(year: u32, month: u32, day: u32) -> u32 {
    year << 12 | month << 8 | day
}

fn time(weekday: u32, hour: u32, minute: u32, second: u32) -> u32 {
    weekday << 24 | hour << 16 | minute << 8 | second
}

impl Bench {
    fn at(date: u32, time: u32) -> Self {
        let mut io = Io::default();
        io.clocks.rtc_hz = 46_875;
        let mut bench = Self { rtc: Rtc::new(), io };
        bench.write(CLKDIV_M1, 46_874);
        bench.write(SETUP_0, date);
        bench.write(SETUP_1, time);
        bench.write(CTRL, CTRL_LOAD);
        bench.write(CTRL, CTRL_ENABLE);
        bench
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.rtc.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.rtc.read(offset, &mut self.io)
    }

    fn run_ms(&mut self, ms: i64) -> usize {
        let end = self.io.now + Picoseconds::from_ns(ms * 1_000_000);
        let mut wakes = 0;
        while let Some(at) = self.io.due(Source::Rtc).filter(|&at| at <= end) {
            self.io.now = at;
            self.io.cancel(Source::Rtc);
            self.rtc.wake(Source::Rtc, &mut self.io);
            wakes += 1;
        }
        self.io.now = end;
        wakes
    }

    fn now(&mut self) -> (u32, u32) {
        let time = self.read(RTC_0);
        (self.read(RTC_1), time)
    }
}

#[test]
fn a_second_has_as_many_cycles_as_the_divider_says() {
    let mut bench = Bench::at(date(2024, 5, 6), time(1, 12, 34, 56));
    bench.run_ms(999);
    assert_eq!(bench.now(), (date(2024, 5, 6), time(1, 12, 34, 56)));
    bench.run_ms(1);
    assert_eq!(bench.now(), (date(2024, 5, 6), time(1, 12, 34, 57)));
    assert_eq!(bench.run_ms(3_600_000), 0, "without an alarm it sleeps");
    assert_eq!(bench.now(), (date(2024, 5, 6), time(1, 13, 34, 57)));
    assert_eq!(bench.read(CTRL), CTRL_ENABLE | CTRL_ACTIVE);
}

#[test]
fn new_year_moves_every_field() {
    let mut bench = Bench::at(date(2023, 12, 31), time(6, 23, 59, 59));
    bench.run_ms(1_000);
    assert_eq!(bench.now(), (date(2024, 1, 1), time(0, 0, 0, 0)));
}

#[test]
fn every_fourth_year_has_a_29_february_unless_forbidden() {
    for (year, forbid, expected) in [
        (2024, 0, date(2024, 2, 29)),
        (2023, 0, date(2023, 3, 1)),
        // The chip does not know that 2100 is none; firmware has to forbid it.
        (2100, 0, date(2100, 2, 29)),
        (2100, CTRL_FORCE_NOTLEAPYEAR, date(2100, 3, 1)),
    ] {
        let mut bench = Bench::at(date(year, 2, 28), time(3, 23, 59, 59));
        bench.write(CTRL, CTRL_ENABLE | forbid);
        bench.run_ms(1_000);
        assert_eq!(bench.now(), (expected, time(4, 0, 0, 0)));
    }
}

#[test]
fn reading_the_time_holds_the_date_that_goes_with_it() {
    let mut bench = Bench::at(date(2024, 1, 31), time(3, 23, 59, 59));
    assert_eq!(bench.read(RTC_0), time(3, 23, 59, 59));
    bench.run_ms(1_500);
    assert_eq!(bench.read(RTC_1), date(2024, 1, 31));
    assert_eq!(bench.now(), (date(2024, 2, 1), time(4, 0, 0, 0)));
}

#[test]
fn an_alarm_interrupts_in_its_second_and_while_it_lasts() {
    let mut bench = Bench::at(date(2024, 5, 6), time(1, 12, 0, 0));
    bench.write(INTE, 1);
    bench.write(IRQ_SETUP_1, time(0, 0, 0, 10) | 1 << 28);
    bench.write(IRQ_SETUP_0, MATCH_ENA);
    assert_eq!(bench.read(IRQ_SETUP_0), MATCH_ENA | MATCH_ACTIVE);
    assert_eq!(bench.run_ms(9_999), 9);
    assert_eq!(bench.io.lines.irq(), 0);
    bench.run_ms(1);
    assert_eq!((bench.io.lines.irq(), bench.read(INTR), bench.read(INTS)), (1 << Irq::RTC.0, 1, 1));
    bench.run_ms(1_000);
    assert_eq!(bench.io.lines.irq(), 0);
    bench.run_ms(59_000);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::RTC.0, "it repeats every minute");
    bench.write(IRQ_SETUP_0, 0);
    assert_eq!((bench.io.lines.irq(), bench.io.due(Source::Rtc)), (0, None));
    bench.write(INTF, 1);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::RTC.0);
}

#[test]
fn an_alarm_compares_only_the_fields_that_count() {
    let present = (date(2024, 5, 6), time(1, 12, 34, 56));
    for (date_alarm, time_alarm, expected) in [
        (date(2024, 5, 6) | 0b111 << 24, time(1, 12, 34, 56) | 0b1111 << 28, 1),
        (date(2024, 5, 7) | 0b110 << 24, time(1, 12, 34, 56) | 0b1111 << 28, 1),
        (date(2024, 5, 7) | 0b001 << 24, 0, 0),
        (date(2024, 6, 6) | 0b010 << 24, 0, 0),
        (date(2025, 5, 6) | 0b100 << 24, 0, 0),
        (0, time(2, 0, 0, 0) | 1 << 31, 0),
        (0, time(0, 12, 0, 0) | 1 << 30, 1),
        (0, time(0, 0, 33, 0) | 1 << 29, 0),
    ] {
        let mut bench = Bench::at(present.0, present.1);
        bench.write(IRQ_SETUP_1, time_alarm);
        bench.write(IRQ_SETUP_0, date_alarm | MATCH_ENA);
        assert_eq!(bench.read(INTR), expected, "{date_alarm:#x} {time_alarm:#x}");
        assert_eq!(bench.io.lines.irq(), 0, "not enabled");
    }
}

#[test]
fn a_disabled_clock_stands() {
    let mut bench = Bench::at(date(2024, 5, 6), time(1, 12, 0, 0));
    bench.run_ms(700);
    bench.write(CTRL, 0);
    bench.run_ms(10_000);
    bench.write(CTRL, CTRL_ENABLE);
    bench.run_ms(999);
    assert_eq!(bench.now().1, time(1, 12, 0, 0));
    bench.io.clocks.rtc_hz = 0;
    bench.rtc.clocks_changed(&mut bench.io);
    bench.run_ms(100_000);
    assert_eq!(bench.now().1, time(1, 12, 0, 0));
}

/// Days since 1 January of year 0, by the rule that every fourth year has 366 days.
fn day_number(date: u32) -> u64 {
    let (year, month, day) = (u64::from(date >> 12), date >> 8 & 0xf, u64::from(date & 0x1f));
    let starts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_day = u64::from(year % 4 == 0 && month > 2);
    year * 365 + year.div_ceil(4) + starts[month as usize - 1] + leap_day + day - 1
}

proptest! {
    #[test]
    fn days_are_counted_one_by_one(
        year in 0u32..4000, month in 1u32..=12, day in 1u32..=28, weekday in 0u32..7, days in 0i64..200_000,
    ) {
        let mut bench = Bench::at(date(year, month, day), time(weekday, 1, 2, 3));
        // A fast clock, as the longest virtual time is 106 days: a day for each second.
        bench.io.clocks.rtc_hz = 86_400;
        bench.write(CLKDIV_M1, 0);
        bench.run_ms(days * 1_000);
        let (after, clock) = bench.now();
        let expected = day_number(date(year, month, day)) + days as u64;
        prop_assert_eq!(day_number(after), expected % (1461 * 1024));
        prop_assert_eq!(clock, time((weekday + (days % 7) as u32) % 7, 1, 2, 3));
    }

    #[test]
    fn no_write_makes_the_block_panic(
        writes in prop::collection::vec((0u32..14, any::<u32>(), 0i64..100_000), 1..60), hz in 0u64..200_000_000,
    ) {
        let mut bench = Bench::at(0, 0);
        for (register, value, ms) in writes {
            bench.write(4 * register, value);
            bench.read(4 * register);
            // A fast clock is watched for a moment only, since an alarm wakes it every cycle.
            bench.io.clocks.rtc_hz = if value & 3 == 0 { hz } else { 46_875 };
            bench.run_ms(if value & 3 == 0 { 0 } else { ms.min(3_000) });
        }
    }
}
