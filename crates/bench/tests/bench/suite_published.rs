//! What a suite may say of published figures of links: each belongs to one row, and everything else is refused.

use std::path::Path;

use bench::rows::{Measure, SuiteFolder, run_into};
use bench::suite::Suite;
use bench::targets::{ImagePlaces, ready_rows};
use record::Control;

/// Two settings that vary and two payloads: eight rows.
const SWEEP: &str =
    "payloads = [12, 1024]\nsamples = 20\n[links.uart]\nbaud = [9600, 115200]\nreceive = ['poll', 'irq']\n";

fn parse(text: &str) -> Result<Suite, String> {
    Suite::parse(Path::new("suites/field.toml"), text.to_owned()).map_err(|error| error.to_string())
}

fn with(figures: &str) -> Result<Suite, String> {
    parse(&format!("{SWEEP}published = {figures}\n"))
}

fn medians(suite: &Suite) -> Vec<(&str, i64)> {
    let published = suite.rows.iter().filter_map(|row| Some((row, row.published.as_ref()?)));
    published.map(|(row, published)| (row.name.as_str(), published.median_ps().unwrap())).collect()
}

#[test]
fn a_figure_belongs_to_the_row_with_its_payload_and_settings() {
    let suite = with(
        "[{ payload = 1024, baud = 115_200, receive = 'irq', median = '88.9 ms', source = 'a', note = 'b' },\n\
         { payload = 12, baud = 9600, receive = 'poll', median = '12500 us', source = 'c' }]",
    )
    .unwrap();
    assert_eq!(
        medians(&suite),
        [
            ("uart baud=9600 receive=poll/12B", 12_500_000_000),
            ("uart baud=115200 receive=irq/1024B", 88_900_000_000)
        ]
    );
    let published = suite.rows.iter().find_map(|row| row.published.clone().filter(|one| one.note.is_some()));
    let published = published.expect("one of them has a note");
    assert_eq!((published.source.as_str(), published.note.as_deref()), ("a", Some("b")));
}

#[test]
fn what_does_not_vary_need_not_be_said_and_a_value_may_be_written_in_any_unit() {
    let one = "{ median = '41 ms', source = 'a' }";
    let suite = parse(&format!("payloads = [12]\n[links.lora]\npublished = [{one}]\n")).unwrap();
    assert_eq!(medians(&suite), [("lora/12B", 41_000_000_000)]);
    let other = "{ bandwidth = '0.25 MHz', median = '21 ms', source = 'a' }";
    let text =
        format!("payloads = [12]\n[links.lora]\nbandwidth = ['250 kHz', 125000]\npublished = [{other}]\n");
    assert_eq!(medians(&parse(&text).unwrap()), [("lora bandwidth=250 kHz/12B", 21_000_000_000)]);
}

#[test]
fn a_list_of_tables_may_be_written_out() {
    let text = "payloads = [12]\n[links.lora]\n[[links.lora.published]]\nmedian = '41 ms'\nsource = 'a'\n";
    assert_eq!(medians(&parse(text).unwrap()).len(), 1);
}

#[test]
fn every_error_names_file_line_and_field_and_what_to_do() {
    let full = "payload = 12, baud = 9600, receive = 'poll'";
    for (figures, expected) in [
        (
            "[]",
            "suites/field.toml:6: links.uart.published is an empty list, but it takes a list of tables: [{ payload",
        ),
        ("'1 ms'", "links.uart.published is \"1 ms\", but it takes a list of tables"),
        ("[3]", "links.uart.published[0] is 3, but it takes a table: [{ payload = 12"),
        (
            "[{ payload = 64, median = '1 ms', source = 'a' }]",
            "links.uart.published[0].payload is 64, but no row of this entry has that; give one of 12, 1024",
        ),
        (
            "[{ baud = 57600, median = '1 ms', source = 'a' }]",
            "links.uart.published[0].baud is 57600, but no row of this entry has that; give one of 9600, 115200",
        ),
        (
            "[{ build = 'debug', median = '1 ms', source = 'a' }]",
            "links.uart.published[0].build is debug, but no row of this entry has that; give one of release",
        ),
        (
            "[{ receive = 'pol', median = '1 ms', source = 'a' }]",
            "links.uart.published[0].receive is \"pol\", but it takes one of poll, irq, dma",
        ),
        (
            "[{ baud = [9600, 115200], median = '1 ms', source = 'a' }]",
            "links.uart.published[0].baud is a list, but a figure belongs to one row; give one value",
        ),
        (
            "[{ payload = 0, median = '1 ms', source = 'a' }]",
            "links.uart.published[0].payload is 0, but it takes a whole number from 1 to",
        ),
        (
            "[{ bauds = 9600, median = '1 ms', source = 'a' }]",
            "links.uart.published[0].bauds: there is no such field; the nearest is baud",
        ),
        (
            "[{ payload = 12, receive = 'poll', median = '1 ms', source = 'a' }]",
            "links.uart.published[0]: rows uart baud=9600 receive=poll/12B and uart baud=115200 receive=poll/12B are both \
             meant; name baud as well",
        ),
        (
            "[{ baud = 9600, median = '1 ms', source = 'a' }]",
            "rows uart baud=9600 receive=poll/12B and uart baud=9600 receive=poll/1024B are both meant; name payload as well",
        ),
        (
            &format!(
                "[{{ {full}, median = '1 ms', source = 'a' }},\n{{ {full}, median = '2 ms', source = 'a' }}]"
            ),
            "suites/field.toml:7: links.uart.published[1]: row uart baud=9600 receive=poll/12B has a published median on \
             line 6; keep one of both",
        ),
        (
            &format!("[{{ {full}, source = 'a' }}]"),
            "links.uart.published[0]: median is missing; a figure has median and source",
        ),
        (&format!("[{{ {full}, median = '1 ms' }}]"), "links.uart.published[0]: source is missing"),
        (
            &format!("[{{ {full}, median = 1.05, source = 'a' }}]"),
            "links.uart.published[0].median is 1.05, but it takes a text in quotes",
        ),
        (
            &format!("[{{ {full}, median = '1.05', source = 'a' }}]"),
            "links.uart.published[0].median: `1.05` has no unit; the known units are ps, ns, us, ms and s",
        ),
        (
            &format!("[{{ {full}, median = '1.05 min', source = 'a' }}]"),
            "links.uart.published[0].median: `1.05 min` has the unit `min`",
        ),
        (
            &format!("[{{ {full}, median = '0 ms', source = 'a' }}]"),
            "links.uart.published[0].median is 0 ms, but every message takes time",
        ),
        (
            &format!("[{{ {full}, median = '-1 ms', source = 'a' }}]"),
            "links.uart.published[0].median is -1 ms, but every message takes time",
        ),
        (
            &format!("[{{ {full}, median = '1 ms', source = 5 }}]"),
            "links.uart.published[0].source is 5, but it takes a text",
        ),
        (
            &format!("[{{ {full}, median = '1 ms', source = 'a', note = [] }}]"),
            "links.uart.published[0].note is an empty list, but it takes a text",
        ),
    ] {
        let message = with(figures).expect_err(figures);
        assert!(message.contains(expected), "{figures} gave {message}");
        assert!(
            message.starts_with("suites/field.toml:") && !message.contains('\n'),
            "one sentence: {message}"
        );
    }
}

#[test]
fn the_manifest_of_a_run_keeps_what_was_published_and_says_where_nothing_was() {
    let suite =
        with("[{ payload = 12, baud = 9600, receive = 'irq', median = '12.5 ms', source = 'a' }]").unwrap();
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("run");
    let folder = SuiteFolder::create(&out, &suite, false).unwrap();
    let measure = Measure { seed: 1, intervals: false, findings: false, spans_of_first: 0 };
    let ready = ready_rows(&suite, &ImagePlaces::default()).unwrap();
    let done = run_into(folder, &ready, measure, &Control::default(), &serde_json::json!({}), &mut |_, _| ());
    assert_eq!((done.failure, done.rows.len()), (None, 8));
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap();
    for row in manifest["rows"].as_array().unwrap() {
        let expected = match row["run"].as_str().unwrap() {
            "uart baud=9600 receive=irq/12B" => {
                serde_json::json!({"median_ps": 12_500_000_000_i64, "source": "a", "note": null})
            }
            _ => serde_json::Value::Null,
        };
        assert_eq!(row["published"], expected, "{}", row["run"]);
    }
}
