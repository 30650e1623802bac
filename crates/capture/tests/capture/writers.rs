//! What the writers write: exact texts, the way back through the readers, sigrok-cli as a second reader, and
//! what is left when writing fails.

use std::path::Path;

use crate::support::{Capture, Given, SigrokCli, drain, read, read_file};
use capture::write::{Existing, convert, write_logic2_csv, write_vcd};
use capture::{CaptureError, Change};
use proptest::prelude::*;

type Writer = fn(&mut dyn capture::ChangeSource, &Path, &mut dyn std::io::Write) -> Result<(), CaptureError>;

fn written(writer: Writer, mut source: Given) -> String {
    let mut out = Vec::new();
    writer(&mut source, Path::new("out"), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_dump_has_the_coarsest_unit_that_is_exact() {
    let text = written(write_vcd, Given::new(2, &[(0, 0b10), (30_000, 0b11), (50_000, 0b01)], 90_000));
    let expected = "$version Airwire $end\n$timescale 10 ns $end\n$scope module capture $end\n\
                    $var wire 1 ! D0 $end\n$var wire 1 \" D1 $end\n$upscope $end\n$enddefinitions $end\n\
                    #0\n$dumpvars\n0!\n1\"\n$end\n#3\n1!\n#5\n0\"\n#9\n";
    assert_eq!(text, expected);
    for (end_ps, scale) in [
        (7, "1 ps"),
        (1_200, "100 ps"),
        (5_000_000_000_000, "1 s"),
        (40_000_000_000_000_000, "100 s"),
        (0, "1 ns"),
    ] {
        let text = written(write_vcd, Given::new(1, &[(0, 0)], end_ps));
        assert!(text.contains(&format!("$timescale {scale} $end")), "{text}");
    }
}

#[test]
fn labels_become_names_without_white_space_each_once() {
    let mut source = Given::new(4, &[(0, 0b1001)], 0);
    for (channel, label) in source.info.channels.iter_mut().zip(["Channel 0", "Channel_0", "", "$end µ"]) {
        channel.label = label.to_owned();
    }
    let capture = read(written(write_vcd, source), &[]).unwrap();
    assert_eq!(capture.labels(), ["Channel_0", "Channel_0_1", "channel_2", "_end__"]);
    assert_eq!(capture.changes, [(0, 0b1001)]);
}

#[test]
fn a_label_of_any_length_becomes_a_name_that_can_be_read() {
    let mut source = Given::new(2, &[(0, 0b10)], 0);
    for channel in &mut source.info.channels {
        channel.label = "long".repeat(1_000);
    }
    let capture = read(written(write_vcd, source), &[]).unwrap();
    assert_eq!(capture.labels(), ["long".repeat(64), "long".repeat(64) + "_1"]);
}

#[test]
fn seconds_are_written_with_every_picosecond_and_the_end_has_a_row() {
    let text =
        written(write_logic2_csv, Given::new(2, &[(0, 0b10), (1_000_000_000_001, 0b11)], 2_500_000_000_000));
    assert_eq!(text, "Time [s],D0,D1\n0.000000000000,0,1\n1.000000000001,1,1\n2.500000000000,1,1\n");
}

#[test]
fn dates_are_written_where_the_start_is_known_and_times_are_whole_nanoseconds() {
    let mut source = Given::new(1, &[(0, 0), (2_000, 1)], 2_000);
    source.info.start = Some("2023-12-31T23:59:59.999999999Z".to_owned());
    let expected =
        "Time [s],D0\n2023-12-31T23:59:59.999999999+00:00,0\n2024-01-01T00:00:00.000000001+00:00,1\n";
    assert_eq!(written(write_logic2_csv, source), expected);
    let mut source = Given::new(1, &[(0, 0), (2_001, 1)], 2_001);
    source.info.start = Some("2023-12-31T23:59:59.999999999Z".to_owned());
    assert_eq!(written(write_logic2_csv, source), "Time [s],D0\n0.000000000000,0\n0.000000002001,1\n");
}

#[test]
fn labels_with_commas_and_quotes_come_back() {
    let mut source = Given::new(2, &[(0, 0b10)], 5);
    source.info.channels[0].label = "a,\"b\"".to_owned();
    let capture = read(written(write_logic2_csv, source), &[]).unwrap();
    assert_eq!(capture.labels(), ["a,\"b\"", "D1"]);
}

#[test]
fn a_label_stays_on_the_line_of_the_header() {
    let mut source = Given::new(2, &[(0, 0b10)], 5);
    source.info.channels[0].label = "W\r<".to_owned();
    source.info.channels[1].label = "two\nlines".to_owned();
    let capture = read(written(write_logic2_csv, source), &[]).unwrap();
    assert_eq!(capture.labels(), ["W <", "two lines"]);
}

/// Ascending times with differing neighbours, as the contract of a source has them.
fn any_changes(step_ps: i64) -> impl Strategy<Value = (Vec<(i64, u64)>, i64)> {
    let steps = prop::collection::vec((1_i64..5_000_000, 1_u64..64), 0..200);
    (0_u64..64, steps, 0_i64..1_000_000).prop_map(move |(first, steps, rest)| {
        let mut changes = vec![(0, first)];
        for (step, difference) in steps {
            let (time, levels) = changes[changes.len() - 1];
            changes.push((time + step * step_ps, levels ^ difference));
        }
        let end = changes[changes.len() - 1].0 + rest * step_ps;
        (changes, end)
    })
}

proptest! {
    #[test]
    fn any_capture_comes_back_from_a_dump(
        (changes, end_ps) in prop::sample::select(vec![1, 7, 10_000, 1_000_000]).prop_flat_map(any_changes),
    ) {
        let capture = read(written(write_vcd, Given::new(6, &changes, end_ps)), &[]).unwrap();
        prop_assert_eq!((capture.changes, capture.end_ps), (changes, end_ps));
    }

    #[test]
    fn any_capture_comes_back_from_a_table_of_seconds((changes, end_ps) in any_changes(3)) {
        let capture = read(written(write_logic2_csv, Given::new(6, &changes, end_ps)), &[]).unwrap();
        prop_assert_eq!((capture.changes, capture.end_ps), (changes, end_ps));
    }

    #[test]
    fn any_capture_comes_back_from_a_table_of_dates((changes, end_ps) in any_changes(1_000)) {
        let mut source = Given::new(6, &changes, end_ps);
        let start = "2024-02-28T23:59:59.987654321Z";
        source.info.start = Some(start.to_owned());
        let capture = read(written(write_logic2_csv, source), &[]).unwrap();
        prop_assert_eq!(capture.info.start.as_deref(), Some(start));
        prop_assert_eq!((capture.changes, capture.end_ps), (changes, end_ps));
    }
}

#[test]
fn all_64_channels_come_back() {
    let changes = [(0, 0x8000_0000_0000_0001), (1_000, u64::MAX), (2_000, 0)];
    for writer in [write_vcd as Writer, write_logic2_csv] {
        let capture = read(written(writer, Given::new(64, &changes, 3_000)), &[]).unwrap();
        assert_eq!((capture.changes.as_slice(), capture.end_ps), (changes.as_slice(), 3_000));
    }
}

#[test]
fn sigrok_reads_our_dumps_with_the_same_edges() {
    let Some(sigrok) = SigrokCli::find() else { return };
    let changes = [(0, 0b01), (3_000_000, 0b11), (4_000_000, 0b00), (700_000_000, 0b10)];
    let text = written(write_vcd, Given::new(2, &changes, 1_000_000_000));
    std::fs::write(sigrok.path("ours.vcd"), text).unwrap();
    sigrok.run(&["-I", "vcd", "-i", "ours.vcd", "-o", "theirs.sr"]);
    let theirs = read_file(&sigrok.path("theirs.sr")).unwrap();
    assert_eq!(theirs.labels(), ["D0", "D1"]);
    assert_eq!(theirs.info.sample_rate.unwrap().hz(), 1_000_000);
    assert_eq!(theirs.changes, changes);
}

#[test]
fn files_are_converted_by_the_ending_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.vcd", "a.csv", "a.VCD.gz", "a.csv.xz", "a.vcd.zst"] {
        let path = folder.path().join(name);
        convert(&mut Given::new(1, &[(0, 0), (10, 1)], 20), &path, Existing::Keep).unwrap();
        let Capture { changes, end_ps, .. } = read_file(&path).unwrap();
        assert_eq!((changes, end_ps), (vec![(0, 0), (10, 1)], 20), "{name}");
    }
    let message = |name| {
        convert(&mut Given::new(1, &[(0, 0)], 0), &folder.path().join(name), Existing::Keep)
            .unwrap_err()
            .to_string()
    };
    for name in ["a.sal", "a", "a.gz", ".."] {
        assert!(message(name).contains("captures are written as .vcd or .csv"), "{name}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 5, "nothing else is left");
}

#[test]
fn a_file_that_exists_is_kept_unless_it_may_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "precious").unwrap();
    let error = convert(&mut Given::new(1, &[(0, 0)], 0), &path, Existing::Keep).unwrap_err();
    assert!(error.to_string().ends_with("say that it may be replaced"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    convert(&mut Given::new(1, &[(0, 0)], 0), &path, Existing::Replace).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "Time [s],D0\n0.000000000000,0\n");
}

/// A source that fails after its first changes.
struct Failing(Given);

impl capture::ChangeSource for Failing {
    fn info(&self) -> &capture::CaptureInfo {
        self.0.info()
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        self.0.next_batch(batch)?;
        match batch.is_empty() {
            true => Err(CaptureError::Format { path: "in".into(), place: None, what: "broken".to_owned() }),
            false => Ok(()),
        }
    }

    fn end_ps(&self) -> i64 {
        0
    }
}

#[test]
fn a_source_that_fails_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = Failing(Given::new(1, &[(0, 0), (1, 1)], 1));
    let error = convert(&mut source, &folder.path().join("a.vcd"), Existing::Keep).unwrap_err();
    assert_eq!(error.to_string(), "in: broken");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// A source that is stopped when all of it was read: the file is still to be written then.
struct Stopped(Given);

impl capture::ChangeSource for Stopped {
    fn info(&self) -> &capture::CaptureInfo {
        self.0.info()
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        self.0.next_batch(batch)
    }

    fn end_ps(&self) -> i64 {
        self.0.end_ps()
    }

    fn is_stopped(&self) -> bool {
        true
    }
}

#[test]
fn a_source_that_is_stopped_while_the_file_is_written_leaves_none() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.vcd", "a.csv.xz"] {
        let mut source = Stopped(Given::new(1, &[(0, 0), (1, 1)], 1));
        convert(&mut source, &folder.path().join(name), Existing::Keep).unwrap_err();
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn a_device_that_is_full_is_reported_with_the_path() {
    let Ok(mut full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        testing::leave_out("there is no /dev/full");
        return;
    };
    let mut source = Given::new(1, &[(0, 0)], 0);
    let error = write_vcd(&mut source, Path::new("/dev/full"), &mut full).unwrap_err().to_string();
    assert!(error.starts_with("/dev/full: cannot write it: No space left on device"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_converted_file_has_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (ours, plain) = (folder.path().join("a.csv"), folder.path().join("plain"));
    convert(&mut Given::new(1, &[(0, 0)], 0), &ours, Existing::Keep).unwrap();
    std::fs::write(&plain, "").unwrap();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}

#[test]
fn real_captures_come_back_from_a_dump_and_from_a_table() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    let folder = tempfile::tempdir().unwrap();
    for name in ["hc-05/57600-12B.csv", "hc-05/460800-1024B.sal", "gpio_tests/rpi-node.csv"] {
        let path = captures.join(name);
        if !path.exists() {
            eprintln!("skipped: {name} is not there");
            continue;
        }
        let original = read_file(&path).unwrap();
        for ending in ["vcd", "csv", "csv.zst"] {
            let copy = folder.path().join(format!("copy.{ending}"));
            let mut source = capture::open(&path, &capture::OpenOptions::default()).unwrap();
            convert(source.as_mut(), &copy, Existing::Replace).unwrap();
            let copied = drain(capture::open(&copy, &capture::OpenOptions::default()).unwrap()).unwrap();
            assert!(original.changes == copied.changes, "{name} as {ending}");
            assert_eq!(original.end_ps, copied.end_ps, "{name} as {ending}");
            if ending != "vcd" && path.extension().is_some_and(|extension| extension == "csv") {
                assert_eq!(original.info.start, copied.info.start);
            }
        }
    }
}
