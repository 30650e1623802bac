//! The calendar of the RTC: every fourth year is a leap year, unless that is forbidden (RP2040 datasheet 4.8.5.2).

const DAY_SECONDS: u64 = 24 * 60 * 60;
const YEARS: u32 = 1 << 12;
const MONTH_DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// A date, a day of the week, a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct DateTime {
    year: u32,
    month: u32,
    day: u32,
    weekday: u32,
    second_of_day: u64,
}

impl Default for DateTime {
    fn default() -> Self {
        Self { year: 0, month: 1, day: 1, weekday: 0, second_of_day: 0 }
    }
}

impl DateTime {
    /// The time that SETUP_0 and SETUP_1 say, with each field brought into its range.
    pub(super) fn from_registers(date: u32, time: u32, leap_years: bool) -> Self {
        let (year, month) = (date >> 12 & (YEARS - 1), (date >> 8 & 0xf).clamp(1, 12));
        let longest = month_days(year, month, leap_years);
        let field = |low: u32, bits: u32, most: u32| u64::from((time >> low & bits).min(most));
        Self {
            year,
            month,
            day: (date & 0x1f).clamp(1, longest),
            weekday: (time >> 24 & 7).min(6),
            second_of_day: field(16, 0x1f, 23) * 3600 + field(8, 0x3f, 59) * 60 + field(0, 0x3f, 59),
        }
    }

    /// YEAR, MONTH and DAY as the registers have them.
    pub(super) fn date_register(&self) -> u32 {
        self.year << 12 | self.month << 8 | self.day
    }

    /// DOTW, HOUR, MIN and SEC as the registers have them.
    pub(super) fn time_register(&self) -> u32 {
        let second = self.second_of_day as u32;
        self.weekday << 24 | (second / 3600) << 16 | (second / 60 % 60) << 8 | (second % 60)
    }

    /// Lets seconds pass.
    pub(super) fn advance(&mut self, seconds: u64, leap_years: bool) {
        let seconds = self.second_of_day.saturating_add(seconds);
        self.second_of_day = seconds % DAY_SECONDS;
        let mut days = seconds / DAY_SECONDS;
        if days == 0 {
            return;
        }
        // One day by itself first: a 29 February may stand there that no longer counts.
        self.next_day(leap_years);
        days -= 1;
        let (cycle_years, cycle_days) = if leap_years { (4, 1461) } else { (1, 365) };
        let cycles = days / cycle_days;
        self.year =
            ((u64::from(self.year) + cycles % u64::from(YEARS) * cycle_years) % u64::from(YEARS)) as u32;
        self.weekday = ((u64::from(self.weekday) + cycles % 7 * cycle_days) % 7) as u32;
        for _ in 0..days % cycle_days {
            self.next_day(leap_years);
        }
    }

    fn next_day(&mut self, leap_years: bool) {
        self.weekday = (self.weekday + 1) % 7;
        self.day += 1;
        if self.day > month_days(self.year, self.month, leap_years) {
            (self.day, self.month) = (1, self.month + 1);
        }
        if self.month > 12 {
            (self.month, self.year) = (1, (self.year + 1) % YEARS);
        }
    }
}

fn month_days(year: u32, month: u32, leap_years: bool) -> u32 {
    let leap_day = month == 2 && leap_years && year.is_multiple_of(4);
    MONTH_DAYS.get(month as usize - 1).copied().unwrap_or(31) + u32::from(leap_day)
}
