//! Exports in any style, and damaged ones.

use super::*;

/// How a file writes its rows.
#[derive(Debug, Clone)]
struct Style {
    date: bool,
    digits: usize,
    offset_minutes: i64,
    crlf: bool,
    last_line_ends: bool,
    channels: usize,
}

fn styles() -> impl Strategy<Value = Style> {
    let offsets = prop_oneof![Just(0_i64), -1_439_i64..1_440];
    let ends = (any::<bool>(), any::<bool>(), any::<bool>());
    (ends, 0_usize..=12, offsets, 1_usize..=12).prop_map(|(ends, digits, offset_minutes, channels)| Style {
        date: ends.0,
        digits,
        offset_minutes,
        crlf: ends.1,
        last_line_ends: ends.2,
        channels,
    })
}

impl Style {
    /// The file of the changes, whose times are rounded down to the digits that the style has.
    fn write(&self, zero_ps: i128, changes: &[(i64, u64)]) -> String {
        let line_end = if self.crlf { "\r\n" } else { "\n" };
        let labels: String = (0..self.channels).map(|n| format!(",Channel {n}")).collect();
        let rows: Vec<String> =
            changes.iter().map(|(ps, levels)| self.row(zero_ps + i128::from(*ps), *levels)).collect();
        let end = if self.last_line_ends { line_end } else { "" };
        format!("Time [s]{labels}{line_end}{}{end}", rows.join(line_end))
    }

    fn row(&self, ps: i128, levels: u64) -> String {
        let levels: String = (0..self.channels).map(|n| format!(",{}", levels >> n & 1)).collect();
        let point = if self.digits == 0 { "" } else { "." };
        let fraction = |ps: i128| format!("{:012}", ps % 1_000_000_000_000)[..self.digits].to_owned();
        if !self.date {
            let sign = if ps < 0 { "-" } else { "" };
            let ps = ps.abs();
            return format!("{sign}{}{point}{}{levels}", ps / 1_000_000_000_000, fraction(ps));
        }
        let local = civil::rfc3339(ps + i128::from(self.offset_minutes) * 60_000_000_000_000).unwrap();
        let offset = match self.offset_minutes {
            0 if self.crlf => "Z".to_owned(),
            minutes => {
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        };
        format!("{}{point}{}{offset}{levels}", &local[..19], fraction(ps))
    }

    fn step_ps(&self) -> i64 {
        10_i64.pow(12 - self.digits as u32)
    }
}

/// Times in ascending steps of the style with levels that differ from row to row.
fn spaced(style: &Style, gaps: &[(i64, u64)]) -> Vec<(i64, u64)> {
    let (mut steps, mut levels) = (0, 0);
    let mask = (1 << style.channels) - 1;
    let mut changes = vec![(0, 0)];
    for (gap, toggles) in gaps {
        steps += gap;
        let toggles = toggles & mask;
        if toggles != 0 {
            levels ^= toggles;
            changes.push((steps * style.step_ps(), levels));
        }
    }
    changes
}

/// What the careful path alone makes of a file without a header: the oracle of the fast path.
fn read_carefully(rows: &[u8], channels: usize) -> (Vec<(i64, u64)>, bool) {
    let mut changes: Vec<(i64, u64)> = Vec::new();
    let (mut origin_ps, mut last_ps, mut blank) = (None, 0, false);
    for line in rows.split_inclusive(|byte| *byte == b'\n') {
        let row = next_line(line).row;
        if row.is_empty() {
            blank = true;
            continue;
        }
        let Ok(row) = row::parse(row, channels) else { return (changes, false) };
        let origin = *origin_ps.get_or_insert(row.time);
        let Ok(time_ps) = i64::try_from(row.time.ps - origin.ps) else { return (changes, false) };
        if blank || time_ps < last_ps || row.time.absolute != origin.absolute {
            return (changes, false);
        }
        last_ps = time_ps;
        if changes.last().is_none_or(|(_, levels)| *levels != row.column_levels) {
            changes.push((time_ps, row.column_levels));
        }
    }
    (changes, true)
}

proptest! {
    #[test]
    fn changes_written_in_any_style_read_back_the_same(
        style in styles(),
        zero_steps in -1_000_000_000_i64..1_000_000_000,
        gaps in prop::collection::vec((0_i64..100_000, any::<u64>()), 0..200),
        portion in 1_usize..5_000,
    ) {
        let start_ps = if style.date { 1_700_000_000_000_000_000_000_i128 } else { 0 };
        let zero_ps = start_ps + i128::from(zero_steps % 1_000_000) * i128::from(style.step_ps());
        // Widely spaced steps would leave the range.
        let gaps: Vec<(i64, u64)> = gaps.iter().map(|(gap, t)| (if style.digits < 4 { gap % 50 } else { *gap }, *t)).collect();
        let changes = spaced(&style, &gaps);
        let text = style.write(zero_ps, &changes);
        let (_, result) = drain(open(input(text, portion), &OpenOptions::default()).unwrap());
        let capture = result.unwrap();
        prop_assert_eq!(capture.end_ps, changes[changes.len() - 1].0);
        prop_assert_eq!(capture.changes, changes);
        prop_assert_eq!(capture.info.start, style.date.then(|| civil::rfc3339(zero_ps).unwrap()));
    }

    #[test]
    fn the_fast_path_takes_exactly_what_the_careful_path_takes(
        style in styles(),
        gaps in prop::collection::vec((0_i64..100_000, any::<u64>()), 1..40),
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"0123456789,.-+:TZeX\n\r".to_vec())],
    ) {
        let gaps: Vec<(i64, u64)> = gaps.iter().map(|(gap, t)| (if style.digits < 4 { gap % 50 } else { *gap }, *t)).collect();
        let text = style.write(1_700_000_000_000_000_000_000, &spaced(&style, &gaps));
        let header_end = text.find('\n').unwrap() + 1;
        let (header, rows) = text.as_bytes().split_at(header_end);
        let mut rows = rows.to_vec();
        let at = at.index(rows.len());
        rows[at] = byte;
        let (expected, whole) = read_carefully(&rows, style.channels);
        match open(input([header, &rows].concat(), usize::MAX), &OpenOptions::default()) {
            Ok(source) => {
                let (changes, result) = drain(source);
                prop_assert_eq!(changes, expected);
                prop_assert_eq!(result.is_ok(), whole);
            }
            Err(_) => prop_assert!(expected.len() <= 1 && !whole),
        }
    }

    #[test]
    fn a_cut_off_file_gives_the_changes_before_the_cut_and_at_worst_an_error(
        style in styles(),
        gaps in prop::collection::vec((0_i64..1_000, any::<u64>()), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let gaps: Vec<(i64, u64)> = gaps.iter().map(|(gap, t)| (gap % 50, *t)).collect();
        let changes = spaced(&style, &gaps);
        let text = style.write(1_700_000_000_000_000_000_000, &changes);
        let cut = cut.index(text.len());
        if let Ok(source) = open(input(&text.as_bytes()[..cut], 100), &OpenOptions::default()) {
            let (read, result) = drain(source);
            prop_assert_eq!(&changes[..read.len()], &read[..]);
            if let Err(error) = result {
                prop_assert!(error.ends_with("the file ends in the middle of a row; export it again"), "{}", error);
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        rows in "[0-9,.eE+:TZX\r\n-]{0,200}",
        portion in 1_usize..50,
    ) {
        for text in [bytes.clone(), [HEADER.as_bytes(), &bytes].concat(), format!("{HEADER}{rows}").into_bytes()] {
            if let Ok(source) = open(input(text, portion), &OpenOptions::default()) {
                let _ = drain(source);
            }
        }
    }
}
