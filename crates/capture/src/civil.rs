//! The proleptic Gregorian calendar in UTC: seconds since 1970 and back, and RFC 3339. Shared by the two
//! readers of Saleae's files; knows no time zones and no leap seconds.

const SECONDS_A_DAY: i64 = 86_400;
const MONTHS_A_YEAR: i64 = 12;
/// Days in 400 years, after which the calendar repeats itself.
const DAYS_AN_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01; years are counted from March so that the leap day comes last.
const EPOCH_FROM_MARCH_0000: i64 = 719_468;

/// The seconds that RFC 3339 can name: 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
const FIRST_SECOND: i64 = -62_167_219_200;
const LAST_SECOND: i64 = 253_402_300_799;
const PS_PER_S: i128 = 1_000_000_000_000;
const PS_PER_NS: i128 = 1_000;

/// The number of days in a month (1 to 12).
pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date that exists.
pub(crate) fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let (march_year, months_since_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (march_year.div_euclid(400), march_year.rem_euclid(400));
    let day_of_year = (153 * months_since_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_AN_ERA + day_of_era - EPOCH_FROM_MARCH_0000
}

/// Year, month and day of a number of days since 1970-01-01.
fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_FROM_MARCH_0000;
    let (era, day_of_era) = (days.div_euclid(DAYS_AN_ERA), days.rem_euclid(DAYS_AN_ERA));
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / (DAYS_AN_ERA - 1);
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (year_of_era * 365 + year_of_era / 4 - year_of_era / 100);
    let months_since_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months_since_march + 2) / 5 + 1;
    let month = (months_since_march + 2) % MONTHS_A_YEAR + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// Picoseconds since 1970 as `2023-11-08T01:54:37.572612000Z`, cut to nanoseconds; nothing outside of the
/// years 0 to 9999.
pub(crate) fn rfc3339(ps: i128) -> Option<String> {
    let seconds = i64::try_from(ps.div_euclid(PS_PER_S)).ok()?;
    if !(FIRST_SECOND..=LAST_SECOND).contains(&seconds) {
        return None;
    }
    let nanoseconds = ps.rem_euclid(PS_PER_S) / PS_PER_NS;
    let (year, month, day) = date_from_days(seconds.div_euclid(SECONDS_A_DAY));
    let second_of_day = seconds.rem_euclid(SECONDS_A_DAY);
    let (hour, minute, second) = (second_of_day / 3_600, second_of_day / 60 % 60, second_of_day % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanoseconds:09}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970_across_leap_years_and_centuries() {
        // Counts from the Unix command `date -u -d DATE +%s`, divided by 86 400.
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2023, 11, 8), 19_669),
            ((2100, 3, 1), 47_541),
            ((9999, 12, 31), 2_932_896),
            ((1, 1, 1), -719_162),
        ] {
            assert_eq!(days_from_date(date.0, date.1, date.2), days, "{date:?}");
            assert_eq!(date_from_days(days), date);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut expected = (1600, 1, 1);
        for days in days_from_date(1600, 1, 1)..days_from_date(2401, 1, 1) {
            assert_eq!(date_from_days(days), expected);
            assert_eq!(days_from_date(expected.0, expected.1, expected.2), days);
            let (year, month, day) = expected;
            expected = if day < days_in_month(year, month) {
                (year, month, day + 1)
            } else if month < 12 {
                (year, month + 1, 1)
            } else {
                (year + 1, 1, 1)
            };
        }
    }

    #[test]
    fn a_time_prints_with_nine_digits_of_a_second() {
        let ps = |seconds: i64, ns: i64| i128::from(seconds) * PS_PER_S + i128::from(ns) * PS_PER_NS;
        for (ps, text) in [
            (ps(1_699_408_477, 572_612_000) + 999, Some("2023-11-08T01:54:37.572612000Z")),
            (ps(-1, 5), Some("1969-12-31T23:59:59.000000005Z")),
            (ps(FIRST_SECOND, 0), Some("0000-01-01T00:00:00.000000000Z")),
            (ps(LAST_SECOND, 999_999_999), Some("9999-12-31T23:59:59.999999999Z")),
            (ps(FIRST_SECOND, -1), None),
            (ps(LAST_SECOND + 1, 0), None),
        ] {
            assert_eq!(rfc3339(ps).as_deref(), text);
        }
    }
}
