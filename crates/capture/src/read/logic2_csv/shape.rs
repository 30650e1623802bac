//! The fast path: most rows of an export have the bytes of the row before, but for some digits. A [`Shape`]
//! learned from one row checks eight bytes of the next ones at a time, all of them, and reads the digits in
//! parallel. It takes rows only as long as they fit in every byte; what does not is left to the careful path,
//! which accepts or refuses it.

use super::time::{Digits, KEPT_DIGITS, fraction_unit_ps};
use super::{Progress, Selection};
use crate::change::Change;

const WORD_BYTES: usize = 8;
const MAX_WORDS: usize = 24;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const PS_PER_S: i64 = 1_000_000_000_000;
/// Bytes of a level with the comma before it.
const LEVEL_BYTES: usize = 2;
const LEVELS_A_WORD: usize = WORD_BYTES / LEVEL_BYTES;

// A byte fits when its difference (exclusive or) from the pattern's byte is at most a limit: adding 0x7F minus
// that limit then leaves the high bit clear.
const SAME: u8 = 0x7F;
const DIGIT: u8 = 0x7F - 9;
const TENS_OF_SECONDS: u8 = 0x7F - 5;
const LEVEL: u8 = 0x7F - 1;

/// Where the changing bytes of a row stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    row_bytes: usize,
    seconds_at: Option<usize>,
    fraction_at: usize,
    fraction_digits: usize,
    /// Of the comma before the first level.
    levels_at: usize,
    channels: usize,
}

impl Layout {
    /// `2023-11-08T01:54:37.572612000+00:00,0,1` with a line feed: the commonest of all, compiled separately.
    const DATE_TWO_CHANNELS: Self = Self {
        row_bytes: 40,
        seconds_at: Some(17),
        fraction_at: 20,
        fraction_digits: 9,
        levels_at: 35,
        channels: 2,
    };
}

/// What the next rows must look like.
pub(super) struct Shape {
    layout: Layout,
    /// The row's words with zeros for the digits; the last one may overlap the one before.
    pattern: [u64; MAX_WORDS],
    slack: [u64; MAX_WORDS],
    base_ps: i64,
    /// What the last kept digit of the fraction counts.
    unit_ps: i64,
    negative: bool,
}

impl Shape {
    /// Learns from a row (with its line end) that was read carefully; nothing when the row is too short, too
    /// long or too irregular. `origin_ps` is the time of the first row.
    pub(super) fn learn(
        row: &[u8],
        digits: &Digits,
        origin_ps: i128,
        levels_at: usize,
        channels: usize,
    ) -> Option<Self> {
        // The seconds and the fraction, below 100 s, must not overflow when they are added to the base.
        const MARGIN_PS: i64 = 100 * PS_PER_S;
        let base_ps = i64::try_from(digits.base_ps - origin_ps).ok()?;
        base_ps.checked_add(MARGIN_PS)?;
        base_ps.checked_sub(MARGIN_PS)?;
        if !(WORD_BYTES..=MAX_WORDS * WORD_BYTES).contains(&row.len()) {
            return None;
        }
        let mut pattern = [0; MAX_WORDS * WORD_BYTES];
        let mut slack = [SAME; MAX_WORDS * WORD_BYTES];
        pattern[..row.len()].copy_from_slice(row);
        let mut vary = |at: usize, limit: u8| (pattern[at], slack[at]) = (b'0', limit);
        if let Some(at) = digits.seconds_at {
            vary(at, TENS_OF_SECONDS);
            vary(at + 1, DIGIT);
        }
        (digits.fraction_at..digits.fraction_at + digits.fraction_digits).for_each(|at| vary(at, DIGIT));
        (0..channels).for_each(|channel| vary(levels_at + channel * LEVEL_BYTES + 1, LEVEL));
        let layout = Layout {
            row_bytes: row.len(),
            seconds_at: digits.seconds_at,
            fraction_at: digits.fraction_at,
            fraction_digits: digits.fraction_digits,
            levels_at,
            channels,
        };
        let (pattern, slack) = (words(&pattern, row.len()), words(&slack, row.len()));
        let unit_ps = fraction_unit_ps(digits.fraction_digits);
        Some(Self { layout, pattern, slack, base_ps, unit_ps, negative: digits.negative })
    }

    /// Reads rows until one does not fit or `limit` rows are read; returns how many were.
    pub(super) fn scan(
        &self,
        rows: &[u8],
        limit: usize,
        selection: &Selection,
        progress: &mut Progress,
        batch: &mut Vec<Change>,
    ) -> usize {
        if self.layout == Layout::DATE_TWO_CHANNELS {
            self.scan_layout(Layout::DATE_TWO_CHANNELS, rows, limit, selection, progress, batch)
        } else {
            self.scan_layout(self.layout, rows, limit, selection, progress, batch)
        }
    }

    /// The bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.layout.row_bytes
    }

    #[inline(always)]
    fn scan_layout(
        &self,
        layout: Layout,
        rows: &[u8],
        limit: usize,
        selection: &Selection,
        progress: &mut Progress,
        batch: &mut Vec<Change>,
    ) -> usize {
        let Progress { mut time_ps, mut levels } = *progress;
        let mut count = 0;
        for row in rows.chunks_exact(layout.row_bytes).take(limit) {
            if !self.fits(layout, row) {
                break;
            }
            let row_ps = self.row_ps(layout, row);
            if row_ps < time_ps {
                break;
            }
            time_ps = row_ps;
            count += 1;
            let row_levels = selection.levels(column_levels(layout, row));
            if row_levels != levels {
                levels = row_levels;
                batch.push(Change { time_ps, levels });
            }
        }
        *progress = Progress { time_ps, levels };
        count
    }

    #[inline(always)]
    fn fits(&self, layout: Layout, row: &[u8]) -> bool {
        let mut misfit = 0;
        let whole_words = layout.row_bytes / WORD_BYTES;
        let expected = self.pattern.iter().zip(&self.slack);
        for (bytes, (pattern, slack)) in row.chunks_exact(WORD_BYTES).zip(expected) {
            let difference = word(bytes, 0) ^ pattern;
            misfit |= difference | difference.wrapping_add(*slack);
        }
        if !layout.row_bytes.is_multiple_of(WORD_BYTES) {
            let difference = word(row, layout.row_bytes - WORD_BYTES) ^ self.pattern[whole_words];
            misfit |= difference | difference.wrapping_add(self.slack[whole_words]);
        }
        misfit & HIGH_BITS == 0
    }

    /// The time of a row that fits.
    #[inline(always)]
    fn row_ps(&self, layout: Layout, row: &[u8]) -> i64 {
        let kept = layout.fraction_digits.min(KEPT_DIGITS);
        let (mut value, single_from) = if kept >= WORD_BYTES {
            (eight_digits(word(row, layout.fraction_at)), WORD_BYTES)
        } else {
            (0, 0)
        };
        for byte in &row[layout.fraction_at + single_from..layout.fraction_at + kept] {
            value = value * 10 + i64::from(byte & 0x0F);
        }
        let mut offset_ps = value * self.unit_ps;
        if let Some(at) = layout.seconds_at {
            let seconds = i64::from(row[at] & 0x0F) * 10 + i64::from(row[at + 1] & 0x0F);
            offset_ps += seconds * PS_PER_S;
        }
        if self.negative { self.base_ps - offset_ps } else { self.base_ps + offset_ps }
    }
}

/// The levels of a row that fits: bit i is column i.
#[inline(always)]
fn column_levels(layout: Layout, row: &[u8]) -> u64 {
    // The levels are the lowest bits of every second byte; the product moves those of a word side by side.
    const LEVEL_BITS: u64 = 0x0100_0100_0100_0100;
    const GATHER: u64 = 1 << 48 | 1 << 33 | 1 << 18 | 1 << 3;
    let mut levels = 0;
    let mut channel = 0;
    while channel + LEVELS_A_WORD <= layout.channels {
        let bits = (word(row, layout.levels_at + channel * LEVEL_BYTES) & LEVEL_BITS) >> 8;
        levels |= (bits.wrapping_mul(GATHER) >> 48 & 0xF) << channel;
        channel += LEVELS_A_WORD;
    }
    while channel < layout.channels {
        levels |= u64::from(row[layout.levels_at + channel * LEVEL_BYTES + 1] & 1) << channel;
        channel += 1;
    }
    levels
}

/// Eight ASCII digits, the first in the lowest byte, as a number: neighbours are joined to pairs, pairs to
/// fours and fours to the whole.
#[inline(always)]
fn eight_digits(ascii: u64) -> i64 {
    let digits = ascii & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    ((fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF) as i64
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes[at..at + WORD_BYTES].try_into().expect("a slice of eight bytes is eight bytes long");
    u64::from_le_bytes(bytes)
}

/// The words of a row of `row_bytes`; if they do not come out even, the last one ends with the row.
fn words(bytes: &[u8], row_bytes: usize) -> [u64; MAX_WORDS] {
    let mut words = [0; MAX_WORDS];
    for (index, slot) in words.iter_mut().enumerate().take(row_bytes.div_ceil(WORD_BYTES)) {
        *slot = word(bytes, (index * WORD_BYTES).min(row_bytes - WORD_BYTES));
    }
    words
}
