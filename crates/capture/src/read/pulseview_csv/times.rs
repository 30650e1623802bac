//! What the rows of a PulseView export say of time, which differs by the version of libsigrok:
//!
//! - no time column: each row is one sample;
//! - up to 0.5.2 row n has (n + 1) times the sample period *cut to a whole unit*, so that 24 MHz comes out as
//!   steps of 41 ns; with the sample rate known, the sample number is recovered and the time is exact;
//! - later versions cut each time, n / rate, to a whole unit;
//! - other programs with the same layout write decimal fractions of a stated unit, taken as they are.

use units::{Hertz, PS_PER_S};

use crate::read::clock::{SampleClock, TOO_LATE};

const DIGITS_MAX: usize = 18;
const CUT_PERIOD: &str = "its times count in a sample period that was cut to a whole unit, and no sample rate says what it \
                          was before; export with the header (without `header=false`)";

/// A unit of the time column, as 10 to the power of minus `exponent` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    exponent: u32,
}

impl Unit {
    /// The unit that a label such as `nanoseconds`, `Time(s)` or `Time [ms]` states.
    pub(super) fn from_label(label: &str) -> Option<Self> {
        let name = match label.strip_prefix("Time") {
            Some(rest) => rest.trim().strip_prefix(['(', '['])?.strip_suffix([')', ']'])?,
            None => label,
        };
        let exponent = match name.trim() {
            "seconds" | "s" => 0,
            "milliseconds" | "ms" => 3,
            "microseconds" | "us" | "µs" => 6,
            "nanoseconds" | "ns" => 9,
            "picoseconds" | "ps" => 12,
            _ => return None,
        };
        Some(Self { exponent })
    }

    /// The unit that libsigrok uses for a sample rate where it does not name it.
    pub(super) fn from_rate(rate: Hertz) -> Option<Self> {
        [0, 3, 6, 9, 12]
            .into_iter()
            .find(|exponent| 10_u64.pow(*exponent) >= rate.hz())
            .map(|exponent| Self { exponent })
    }

    fn per_second(self) -> u64 {
        10_u64.pow(self.exponent)
    }

    /// Whether libsigrok can have cut a sample period to this: it takes the coarsest unit in which one is not below 1.
    fn may_be_a_cut_period(self, ps: i64) -> bool {
        const UNITS_MAX: i64 = 1000;
        let unit_ps = PS_PER_S / self.per_second().cast_signed();
        ps % unit_ps == 0 && (1..UNITS_MAX).contains(&(ps / unit_ps))
    }
}

/// How to get from rows to picoseconds since the first row.
#[derive(Debug, Clone)]
pub(super) enum Times {
    /// Row n is sample n.
    Counted { clock: SampleClock, rows: u64 },
    /// Each row gives a time in whole units, from which its sample number follows.
    Sampled { clock: SampleClock, rate: Hertz, unit: Unit, rule: Rule, sample: u64 },
    /// Each row gives its time and there is no sample rate. Times under a label as libsigrok's may be multiples of a cut period,
    /// which the first two rows show.
    Stated { unit: Unit, first_ps: Option<i64>, time_ps: i64, may_be_cut: bool },
}

/// How a version of libsigrok computed a time from a sample number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Known from the first row's time only.
    Unknown,
    /// A multiple of the cut period, counted from 1.
    CutPeriod,
    /// The cut product, counted from 0.
    CutProduct,
}

impl Times {
    /// Takes the next row's time field (nothing without a time column).
    pub(super) fn row(&mut self, field: Option<&[u8]>) -> Result<(), String> {
        match self {
            Self::Counted { rows, .. } => *rows += 1,
            Self::Sampled { rate, unit, rule, sample, .. } => {
                let field = field.unwrap_or_default();
                let time = whole(field).ok_or_else(|| not_a_time(field))?;
                let period = unit.per_second() / rate.hz();
                let first = *rule == Rule::Unknown;
                if first {
                    *rule = if period > 0 && time == period { Rule::CutPeriod } else { Rule::CutProduct };
                }
                let number = sample_number(time, *rate, *unit, *rule).ok_or_else(|| {
                    format!("no sample at {rate} has the time {time}; export the capture again")
                })?;
                if !first && number <= *sample {
                    return Err(goes_back(field));
                }
                *sample = number;
                if first && number != 0 {
                    return Err(format!(
                        "the first sample has the time {time}, not 0; export all of the capture"
                    ));
                }
            }
            Self::Stated { unit, first_ps, time_ps, may_be_cut } => {
                let field = field.unwrap_or_default();
                let ps = decimal_ps(field, *unit).ok_or_else(|| not_a_time(field))?;
                let is_second = first_ps.is_some();
                let first = *first_ps.get_or_insert(ps);
                if is_second
                    && std::mem::take(may_be_cut)
                    && unit.may_be_a_cut_period(first)
                    && ps % first == 0
                {
                    return Err(CUT_PERIOD.to_owned());
                }
                let elapsed = ps - first;
                if elapsed < *time_ps {
                    return Err(goes_back(field));
                }
                *time_ps = elapsed;
            }
        }
        Ok(())
    }

    /// The time of the last row.
    pub(super) fn now_ps(&self) -> Result<i64, String> {
        match self {
            Self::Counted { clock, rows } => clock.time_ps(rows.saturating_sub(1)),
            Self::Sampled { clock, sample, .. } => clock.time_ps(*sample),
            Self::Stated { time_ps, .. } => Some(*time_ps),
        }
        .ok_or_else(|| TOO_LATE.to_owned())
    }

    /// The end of the capture: a sample lasts until the next would come.
    pub(super) fn end_ps(&self) -> Result<i64, String> {
        match self {
            Self::Counted { clock, rows } => clock.time_ps(*rows),
            Self::Sampled { clock, sample, .. } => clock.time_ps(sample.saturating_add(1)),
            Self::Stated { time_ps, .. } => Some(*time_ps),
        }
        .ok_or_else(|| TOO_LATE.to_owned())
    }
}

/// The sample that libsigrok gave this time by this rule; nothing when there is none.
fn sample_number(time: u64, rate: Hertz, unit: Unit, rule: Rule) -> Option<u64> {
    let (per_second, hz) = (unit.per_second(), rate.hz());
    if rule == Rule::CutPeriod {
        let period = per_second.checked_div(hz).filter(|period| *period > 0)?;
        return time.is_multiple_of(period).then(|| time / period).and_then(|number| number.checked_sub(1));
    }
    // Floating point may have cut one unit too much.
    const SLACK_UNITS: u128 = 1;
    let number = (u128::from(time) * u128::from(hz)).div_ceil(u128::from(per_second));
    let exact = number * u128::from(per_second) / u128::from(hz);
    (exact.abs_diff(u128::from(time)) <= SLACK_UNITS)
        .then_some(number)
        .and_then(|number| number.try_into().ok())
}

fn whole(field: &[u8]) -> Option<u64> {
    let in_range = !field.is_empty() && field.len() <= DIGITS_MAX;
    (in_range && field.iter().all(u8::is_ascii_digit))
        .then(|| field.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
}

/// A decimal number of units in picoseconds; digits below a picosecond are cut.
fn decimal_ps(field: &[u8], unit: Unit) -> Option<i64> {
    let point = field.iter().position(|byte| *byte == b'.');
    let (units, fraction) = match point {
        Some(at) => (&field[..at], &field[at + 1..]),
        None => (field, &field[..0]),
    };
    let unit_ps = PS_PER_S / i64::try_from(unit.per_second()).ok()?;
    let mut ps = i64::try_from(whole(units)?).ok()?.checked_mul(unit_ps)?;
    let mut digit_ps = unit_ps;
    for digit in fraction {
        if !digit.is_ascii_digit() {
            return None;
        }
        digit_ps /= 10;
        ps = ps.checked_add(i64::from(digit - b'0') * digit_ps)?;
    }
    Some(ps)
}

fn not_a_time(field: &[u8]) -> String {
    format!("`{}` is no time; export the capture again", shown(field))
}

fn goes_back(field: &[u8]) -> String {
    format!("the time {} does not come after that of the row before; export the capture again", shown(field))
}

/// As much of a field as a message should have.
pub(super) fn shown(field: &[u8]) -> String {
    const SHOWN_BYTES: usize = 32;
    String::from_utf8_lossy(&field[..field.len().min(SHOWN_BYTES)]).into_owned()
}
