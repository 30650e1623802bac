//! What is refused, and with which sentence.

use super::*;

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
