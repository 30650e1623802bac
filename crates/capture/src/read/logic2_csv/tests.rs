//! Behaviour of the Logic 2 CSV reader, mostly through [`open`].

use std::io::{self, Cursor, Read};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::change::{Channel, ChannelSelector};

const HEADER: &str = "Time [s],Channel 0,Channel 1\n";

/// A reader that hands out its bytes in portions of a given size.
struct Portions {
    bytes: Cursor<Vec<u8>>,
    portion: usize,
}

impl Read for Portions {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.portion);
        self.bytes.read(&mut buffer[..count])
    }
}

#[derive(Debug, PartialEq)]
struct Capture {
    info: CaptureInfo,
    changes: Vec<(i64, u64)>,
    end_ps: i64,
}

fn input(text: impl Into<Vec<u8>>, portion: usize) -> Input {
    let portions = Portions { bytes: Cursor::new(text.into()), portion };
    Input::new(Path::new("capture.csv"), Box::new(portions))
}

fn drain(mut source: Box<dyn ChangeSource>) -> (Vec<(i64, u64)>, Result<Capture, String>) {
    let (mut changes, mut batch) = (Vec::new(), Vec::new());
    loop {
        if let Err(error) = source.next_batch(&mut batch) {
            return (changes, Err(error.to_string()));
        }
        if batch.is_empty() {
            let capture =
                Capture { info: source.info().clone(), changes: changes.clone(), end_ps: source.end_ps() };
            return (changes, Ok(capture));
        }
        changes.extend(batch.iter().map(|change| (change.time_ps, change.levels)));
    }
}

fn read_selected(text: &str, channels: &[&str]) -> Result<Capture, String> {
    let channels = channels.iter().map(|name| name.parse::<ChannelSelector>().unwrap()).collect();
    let source =
        open(input(text, usize::MAX), &OpenOptions { channels }).map_err(|error| error.to_string())?;
    drain(source).1
}

fn read(text: &str) -> Result<Capture, String> {
    read_selected(text, &[])
}

fn changes(text: &str) -> Vec<(i64, u64)> {
    read(text).unwrap_or_else(|error| panic!("{error} in {text:?}")).changes
}

/// Changes of a file with one channel that toggles at each of these times.
fn toggles_at(times: &[&str]) -> Vec<i64> {
    let rows: String = times.iter().enumerate().map(|(row, time)| format!("{time},{}\n", row % 2)).collect();
    changes(&format!("Time [s],Channel 0\n{rows}")).into_iter().map(|(time_ps, _)| time_ps).collect()
}

#[test]
fn the_first_row_gives_the_levels_at_the_start_and_the_last_one_the_end() {
    let capture = read(
        "Time [s],Channel 0,Channel 1\n\
         2023-11-08T01:54:37.572612000+00:00,0,1\n\
         2023-11-08T01:54:37.572612500+00:00,1,1\n\
         2023-11-08T01:54:37.572612500+00:00,1,1\n\
         2023-11-08T01:54:38.000000000+00:00,1,0\n\
         2023-11-08T01:54:40.000000001+00:00,1,0\n",
    )
    .unwrap();
    assert_eq!(capture.changes, [(0, 0b10), (500_000, 0b11), (427_388_000_000, 0b01)]);
    assert_eq!(capture.end_ps, 2_427_388_001_000);
    assert_eq!(capture.info.start.as_deref(), Some("2023-11-08T01:54:37.572612000Z"));
    assert_eq!(capture.info.format, "Saleae Logic 2 CSV");
    assert_eq!(capture.info.sample_rate, None);
}

#[test]
fn relative_times_have_no_start_and_count_from_the_first_row() {
    let capture =
        read("Time [s],Channel 0,Channel 1\n-0.001234560,0,0\n0.000000000,1,0\n0.000000010,1,1").unwrap();
    assert_eq!(capture.changes, [(0, 0), (1_234_560_000, 1), (1_234_570_000, 3)]);
    assert_eq!((capture.info.start, capture.end_ps), (None, 1_234_570_000));
}

#[test]
fn dates_roll_over_days_months_leap_days_and_years() {
    for (before, after, apart_s) in [
        ("2023-11-08T23:59:59Z", "2023-11-09T00:00:00Z", 1),
        ("2023-02-28T23:59:00Z", "2023-03-01T00:00:00Z", 60),
        ("2024-02-28T23:59:00Z", "2024-02-29T00:00:00Z", 60),
        ("2023-12-31T23:59:59.0Z", "2024-01-01T00:00:59.0Z", 60),
        ("1999-12-31T00:00:00Z", "2000-03-01T00:00:00Z", 61 * 86_400),
        ("2023-11-08T01:00:00+02:00", "2023-11-07T23:00:01Z", 1),
        ("2023-11-07T20:30:00-02:30", "2023-11-08T04:30:07+05:30", 7),
    ] {
        assert_eq!(toggles_at(&[before, after]), [0, apart_s * 1_000_000_000_000], "{before} {after}");
    }
}

#[test]
fn the_start_is_given_in_utc() {
    let capture = read("Time [s],Channel 0\n2024-01-01T00:30:00.25+01:00,0\n").unwrap();
    assert_eq!(capture.info.start.as_deref(), Some("2023-12-31T23:30:00.250000000Z"));
}

#[test]
fn up_to_twelve_digits_of_a_second_are_kept_and_the_rest_is_cut() {
    assert_eq!(
        toggles_at(&["0", "0.5", "1.000000000001", "1.0000000000029999"]),
        [0, 500_000_000_000, 1_000_000_000_001, 1_000_000_000_002]
    );
    assert_eq!(toggles_at(&["-0.0000000000029", "-0.000000000001", "0.0"]), [0, 1, 2]);
    let dates =
        ["2023-11-08T01:54:37.1Z", "2023-11-08T01:54:37.123456789012Z", "2023-11-08T01:54:37.1234567890139Z"];
    assert_eq!(toggles_at(&dates), [0, 23_456_789_012, 23_456_789_013]);
}

#[test]
fn exponents_are_read_exactly() {
    let times = ["0E0", "1.5e-05", "1.5e-5", "2.000000000001E-05", "123456789e-9", "0.00012345e+4", "12e0"];
    assert_eq!(
        toggles_at(&times),
        [0, 15_000_000, 15_000_000, 20_000_000, 123_456_789_000, 1_234_500_000_000, 12_000_000_000_000]
    );
    assert_eq!(
        toggles_at(&["-1e-3", "-1e-99", "1e-99", "0e99"]),
        [0, 1_000_000_000, 1_000_000_000, 1_000_000_000]
    );
}

#[test]
fn labels_may_be_quoted_and_give_the_channel_numbers_that_they_name() {
    let text = "\u{feff}\"Time [s]\",Channel 7,\"MOSI, \"\"A\"\"\nline 2\",\"\",Channel x\r\n0.0,0,1,0,1\r\n1.0,1,1,1,0\r\n";
    let capture = read(text).unwrap();
    let channels: Vec<(u32, &str)> =
        capture.info.channels.iter().map(|c| (c.index, c.label.as_str())).collect();
    assert_eq!(channels, [(7, "Channel 7"), (1, "MOSI, \"A\"\nline 2"), (2, ""), (3, "Channel x")]);
    assert_eq!(capture.changes, [(0, 0b1010), (1_000_000_000_000, 0b0111)]);
}

#[test]
fn selected_channels_become_bits_in_the_order_of_the_selection_and_others_change_nothing() {
    let text = "Time [s],Channel 0,Channel 1,done\n\
                0.000,0,1,0\n0.001,1,1,0\n0.002,1,0,0\n0.003,1,0,1\n0.004,0,0,1\n0.005,0,0,1\n";
    let ms = 1_000_000_000;
    let done_then_0 = read_selected(text, &["done", "0"]).unwrap();
    assert_eq!(done_then_0.changes, [(0, 0), (ms, 0b10), (3 * ms, 0b11), (4 * ms, 0b01)]);
    assert_eq!(done_then_0.info.channels[0], Channel { index: 2, label: "done".to_owned() });
    assert_eq!(done_then_0.end_ps, 5 * ms);
    assert_eq!(read_selected(text, &["Channel 1"]).unwrap().changes, [(0, 1), (2 * ms, 0)]);
    assert_eq!(
        read_selected(text, &["3"]).unwrap_err(),
        "capture.csv: there is no channel 3; it has 0 (Channel 0), 1 (Channel 1), 2 (done). Name one of them"
    );
}

#[test]
fn sixty_four_channels_are_read_and_sixty_five_are_refused() {
    let labels = |count: usize| (0..count).map(|n| format!(",Channel {n}")).collect::<String>();
    let levels = |bits: u64| (0..64).map(|n| format!(",{}", bits >> n & 1)).collect::<String>();
    let rows = [0x8000_0000_0000_0001, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xaaaa_5555_aaaa_5555];
    let mut text = format!("Time [s]{}\n", labels(64));
    (0..).zip(rows).for_each(|(row, bits)| text += &format!("0.00{row}{}\n", levels(bits)));
    let read_back: Vec<u64> = changes(&text).into_iter().map(|(_, levels)| levels).collect();
    assert_eq!(read_back, rows);
    let refused = read(&format!("Time [s]{}\n0.0", labels(65))).unwrap_err();
    assert_eq!(refused, "capture.csv:1: the header names 65 channels; export between 1 and 64");
}

#[test]
fn what_breaks_the_format_is_refused_with_its_line() {
    let iso = "2023-11-08T01:54:37.572612000+00:00";
    for (rows, message) in [
        ("", ": it has a header but no rows; export it again"),
        ("\n", ": it has a header but no rows; export it again"),
        ("0.0,0,0\n0.1,1\n", ":3: this row has 2 columns, but the header has 3; export it again"),
        ("0.0,0,0\n0.1,1,0,1\n", ":3: this row has 4 columns, but the header has 3; export it again"),
        ("0.0,0,0\n0.1\n", ":3: this row has 1 columns, but the header has 3; export it again"),
        (
            "0.0,0,0\n0.1,1,0\n0.2,1,2\n",
            ":4: `2` in channel column 2 is no level, which is 0 or 1; export digital channels only",
        ),
        ("0.0,\"0\",0\n", ":2: `\\\"0\\\"` in channel column 1 is no level, which is 0 or 1; write it bare"),
        ("0.0,0, 1\n", ":2: ` 1` in channel column 2 is no level, which is 0 or 1; write it bare"),
        (
            "0.0,0,0.25\n",
            ":2: `0.25` in channel column 2 is no level, which is 0 or 1; export digital channels only",
        ),
        ("0.0,0,\n", ":2: `` in channel column 2 is no level, which is 0 or 1; export digital channels only"),
        (
            "0.0,X,0\n",
            ":2: channel column 1 has no data here (X); export a time range in which all channels were on",
        ),
        (
            "0.0,0,0\n0.2,1,0\n0.1,1,1\n",
            ":4: time goes backwards from 0.2 s to 0.1 s after the first row; export the file again",
        ),
        (
            "0.5,0,0\n0.4,1,0\n",
            ":3: time goes backwards from 0 s to -0.1 s after the first row; export the file again",
        ),
        (
            "0.0,0,0\n\n0.1,1,1\n",
            ":3: an empty line stands between the rows; remove it, or export the file again",
        ),
        ("0.0,0,0\n0.1,1", ":3: the file ends in the middle of a row; export it again"),
        ("0.0,0,0\n0.1,1,", ":3: the file ends in the middle of a row; export it again"),
        ("0.", ":2: the file ends in the middle of a row; export it again"),
        (" 0.0,0,0\n", ":2: the time ` 0.0` is neither an ISO 8601 time nor a number of seconds"),
        ("0x1,0,0\n", ":2: the time `0x1` is neither an ISO 8601 time nor a number of seconds"),
        (".5,0,0\n", ":2: the time `.5` is neither an ISO 8601 time nor a number of seconds"),
        ("5.,0,0\n", ":2: the time `5.` is neither an ISO 8601 time nor a number of seconds"),
        ("1e,0,0\n", ":2: the time `1e` is neither an ISO 8601 time nor a number of seconds"),
        ("nan,0,0\n", ":2: the time `nan` is neither an ISO 8601 time nor a number of seconds"),
        ("1e300,0,0\n", ":2: the time `1e300` is too large for a capture"),
        ("99999999999999999999,0,0\n", ":2: the time `99999999999999999999` is too large for a capture"),
        ("0,0,0\n9999999,0,0\n", ":3: the time `9999999` lies more than 106 days from the first row"),
        (
            "0.0,0,0\n2023-11-08T01:54:37Z,0,0\n",
            ":3: the first row has another kind of time: dates and seconds do not mix",
        ),
        ("2023-02-29T01:54:37Z,0,0\n", ":2: the date in `2023-02-29T01:54:37Z` does not exist"),
        ("2023-00-09T01:54:37Z,0,0\n", ":2: the date in `2023-00-09T01:54:37Z` does not exist"),
        ("2023-11-31T01:54:37Z,0,0\n", ":2: the date in `2023-11-31T01:54:37Z` does not exist"),
        ("2023-11-08T24:00:00Z,0,0\n", ":2: the time of day in `2023-11-08T24:00:00Z` does not exist"),
        ("2023-11-08T01:60:00Z,0,0\n", ":2: the time of day in `2023-11-08T01:60:00Z` does not exist"),
        (
            "2016-12-31T23:59:60Z,0,0\n",
            ":2: the time `2016-12-31T23:59:60Z` is a leap second, which no analyser records",
        ),
        ("0000-01-01T00:00:00+01:00,0,0\n", ":2: the first row lies outside of the years 0 to 9999 in UTC"),
        (
            "2023-11-08T01:54:37,0,0\n",
            ":2: the time `2023-11-08T01:54:37` is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
        ),
        (
            "2023-11-08 01:54:37Z,0,0\n",
            ":2: the time `2023-11-08 01:54:37Z` is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
        ),
        (
            "2023-11-08T01:54:37.Z,0,0\n",
            ":2: the time `2023-11-08T01:54:37.Z` is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
        ),
        (
            "2023-11-08T01:54:37+24:00,0,0\n",
            ":2: the time `2023-11-08T01:54:37+24:00` is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
        ),
        (
            "2023-11-08T01:5a:37Z,0,0\n",
            ":2: the time `2023-11-08T01:5a:37Z` is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
        ),
        (
            &format!("{iso},0,0\n{iso},1,0\n2023-11-08T01:54:37.572611999+00:00,1,1\n"),
            ":4: time goes backwards from 0 s to -0.000000001 s after the first row; export the file again",
        ),
        (
            &format!("{iso},0,0\n{iso},1,0\n2023-11-08T01:54:60.000000000+00:00,1,1\n"),
            ":4: the time `2023-11-08T01:54:60.000000000+00:00` is a leap second, which no analyser records",
        ),
        (
            &format!("{iso},0,0\n{iso},1,0\n2023-11-08T01:54:37.57261200:+00:00,1,1\n"),
            ":4: the time `2023-11-08T01:54:37.57261200:+00:00` is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
        ),
    ] {
        let error = read(&format!("{HEADER}{rows}")).map(|capture| capture.changes).unwrap_err();
        assert_eq!(error, format!("capture.csv{message}"), "{rows:?}");
    }
}

#[test]
fn a_bad_header_is_refused() {
    for (text, message) in [
        ("", "capture.csv:1: the header does not begin with `Time [s]` and a comma; export it again"),
        (
            "Time [ms],a\n",
            "capture.csv:1: the header does not begin with `Time [s]` and a comma; export it again",
        ),
        (
            "Time [s];a;b\n0,0;0;1\n",
            "capture.csv:1: its columns are parted by semicolons; save it with commas, or export it again",
        ),
        (
            "Time [s]\ta\n0.0\t0\n",
            "capture.csv:1: its columns are parted by tabs; save it with commas, or export it again",
        ),
        (
            "Time [s],a\r0.0,0\r0.1,1\r",
            "capture.csv:1: its lines end in carriage returns alone; save it with line feeds",
        ),
        ("Time [s]\n0.0\n", "capture.csv:1: the header names 0 channels; export between 1 and 64"),
        (
            "Time [s],\"a\n0.0,1\n",
            "capture.csv:1: in column 2 the quote before `a` is not closed; close it, or export it again",
        ),
    ] {
        assert_eq!(read(text).unwrap_err(), message, "{text:?}");
    }
    let endless = format!("Time [s],\"{}\"", "a\n".repeat(BUFFER_BYTES));
    let open = "capture.csv:1: in column 2 the quote before `a` is not closed; close it, or export it again";
    assert_eq!(read(&endless).unwrap_err(), open);
    let endless = format!("Time [s],{}", "a".repeat(BUFFER_BYTES));
    assert_eq!(read(&endless).unwrap_err(), "capture.csv:1: the header takes more than 262144 bytes");
    let endless = format!("{HEADER}{}", "0".repeat(2 * BUFFER_BYTES));
    assert_eq!(read(&endless).unwrap_err(), "capture.csv:2: this row takes more than 262144 bytes");
}

#[test]
fn only_the_header_tells_the_format() {
    for head in ["Time [s],a", "\"Time [s]\",a", "\u{feff}Time [s]", "\u{feff}\"Time [s]\",\"b\""] {
        assert!(looks_like(head.as_bytes()), "{head}");
    }
    for head in ["", "Time[s],a", "time [s],a", " Time [s]", "name,type,start_time", "\u{feff}"] {
        assert!(!looks_like(head.as_bytes()), "{head}");
    }
}

#[test]
fn rows_before_an_error_are_given_and_the_error_stays() {
    let rows: String = (0..20_000).map(|row| format!("0.{row:05},{},0\n", row % 2)).collect();
    let source = open(input(format!("{HEADER}{rows}0.2,1\n"), 1000), &OpenOptions::default()).unwrap();
    let (changes, result) = drain(source);
    assert_eq!(changes.len(), 20_000);
    assert_eq!(
        result.unwrap_err(),
        "capture.csv:20002: this row has 2 columns, but the header has 3; export it again"
    );
}

#[test]
fn a_file_that_cannot_be_read_on_says_so() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let begun = Cursor::new(b"Time [s],a\n0.0,0\n".to_vec()).chain(Broken);
    let source = open(Input::new(Path::new("x.csv"), Box::new(begun)), &OpenOptions::default()).unwrap();
    let (changes, result) = drain(source);
    assert_eq!(changes, [(0, 0)]);
    assert_eq!(result.unwrap_err(), "x.csv: cannot read it: the cable is out");
}

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
