//! Bounds of a suite: what may be bounded, what is refused, and what is kept of them with the rows.

use std::path::Path;

use bench::rows::{Measure, ReadyRow, RowEntry, measure_row};
use bench::suite::{RowBound, Suite};
use bench::targets::mock::{Mocks, mocked_rows};
use record::Control;
use serde_json::{Value, json};

const MS: i64 = 1_000_000_000;

fn parse(text: &str) -> Result<Suite, String> {
    Suite::parse(Path::new("suites/gate.toml"), text.to_owned()).map_err(|error| error.to_string())
}

fn entry_of(ready: &ReadyRow) -> RowEntry {
    let measure = Measure { seed: 1, intervals: false, findings: false, spans_of_first: 0 };
    let result = measure_row(ready, measure, &Control::default()).unwrap().unwrap();
    RowEntry::of(&result, &|_| None)
}

/// What a manifest says of the bounds of the only row of a suite, whose messages take what is said.
fn held(text: &str, latencies_ps: &Value) -> Value {
    let suite = parse(text).unwrap();
    let mocks: Mocks = serde_json::from_value(json!({ "others": { "latencies_ps": latencies_ps } })).unwrap();
    let ready = mocked_rows(&suite, &mocks);
    json!(entry_of(&ready[0]))["bounds"].clone()
}

#[test]
fn each_bound_is_kept_with_its_limit_the_figure_and_whether_it_holds() {
    let text = "samples = 1000\npayloads = [12]\n[links.uart.bounds]\nmedian = '<= 1 ms'\np99 = '< 5 ms'\nmax = '<= 10 ms'\nloss = '<= 0.1 %'\n";
    let mut latencies: Vec<Option<i64>> = vec![Some(MS); 1000];
    (latencies[7], latencies[8]) = (Some(10 * MS), None);
    let bound = |quantity: &str, relation: &str, limit: f64, unit: &str, measured: f64, holds: bool| json!({"quantity": quantity, "relation": relation, "limit": limit, "unit": unit, "measured": measured, "holds": holds});
    let expected = json!([
        bound("median", "<=", 1e9, "ps", 1e9, true),
        bound("p99", "<", 5e9, "ps", 1e9, true),
        bound("max", "<=", 1e10, "ps", 1e10, true),
        bound("loss", "<=", 0.001, "1", 0.001, true),
    ]);
    assert_eq!(held(text, &json!(latencies)), expected);
    latencies[9] = None;
    let loss = &held(text, &json!(latencies))[3];
    assert_eq!((loss["measured"].as_f64(), loss["holds"].as_bool()), (Some(0.002), Some(false)));
}

#[test]
fn a_percentile_of_few_messages_is_held_by_its_value() {
    // Type 7: nine tenths of the way from the first of two messages to the second, and half a tenth more.
    let text = "samples = 2\npayloads = [12]\n[links.uart.bounds]\np95 = '<= 1.95 ms'\n";
    let found = &held(text, &json!([MS, 2 * MS]))[0];
    assert_eq!((found["measured"].as_f64(), found["holds"].as_bool()), (Some(1.95e9), Some(true)));
}

#[test]
fn a_figure_that_nobody_could_measure_breaks_its_bound() {
    let text = "samples = 10\npayloads = [12]\n[links.uart.bounds]\np95 = '>= 0 s'\nloss = '<= 100 %'\n";
    let found = held(text, &json!([null]));
    assert_eq!((&found[0]["measured"], &found[0]["holds"]), (&Value::Null, &json!(false)));
    assert_eq!((&found[1]["measured"], &found[1]["holds"]), (&json!(1.0), &json!(true)));
}

#[test]
fn a_row_without_bounds_says_nothing_of_them() {
    let suite = parse("samples = 10\npayloads = [12]\n[links.uart]\n").unwrap();
    let entry = json!(entry_of(&mocked_rows(&suite, &Mocks::default())[0]));
    assert_eq!(entry.get("bounds"), None);
}

#[test]
fn all_rows_of_an_entry_have_its_bounds_and_the_entry_that_is_compared_with_it_has_its_own() {
    let suite = parse(
        "[boards.a]\nsettings = { x = [1, 2] }\nbounds = { messages_per_second = '>= 3000', p95 = '<= 5 ms' }\n\
         [boards.b]\nsame_but = 'a'\nsettings = { x = 3 }\n[boards.c]\nsame_but = 'a'\nsettings = { x = 4 }\nbounds.flash = '<= 64 KiB'\n",
    )
    .unwrap();
    let bounds: Vec<(&str, Vec<&str>)> = suite
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.bounds.iter().map(|bound| bound.name).collect()))
        .collect();
    let own = vec!["messages_per_second", "p95"];
    assert_eq!(bounds, [("a x=1", own.clone()), ("a x=2", own), ("b", vec![]), ("c", vec!["flash"])]);
    assert_eq!(suite.rows[3].bounds[0].bound.limit, 65536.0);
}

#[test]
fn what_cannot_be_held_is_refused_with_its_line_and_field() {
    for (text, expected) in [
        (
            "[links.lora]\nbounds.p96 = '<= 5 ms'\n",
            "suites/gate.toml:2: links.lora.bounds.p96: there is no such field; the nearest is p95",
        ),
        (
            "[links.lora.bounds]\nflash = '<= 64 KiB'\n",
            "suites/gate.toml:2: links.lora.bounds.flash: a row of a link has no such figure; it has median, p50, p75, p95, p99, max, mean, loss",
        ),
        (
            "[boards.sink]\nmeasure = 'bulk'\n[boards.sink.bounds]\nmessages_per_second = '>= 3000'\n",
            "suites/gate.toml:4: boards.sink.bounds.messages_per_second: a row with measure = \"bulk\" has no such figure; it has bits_per_second, flash, ram",
        ),
        (
            "[boards.ping]\nmeasure = 'latency'\nbounds = { messages_per_second = '>= 3000' }\n",
            "boards.ping.bounds.messages_per_second: a row with measure = \"latency\" has no such figure; it has median",
        ),
        (
            "[boards.ping]\nbounds.p95 = '5 ms'\n",
            "suites/gate.toml:2: boards.ping.bounds.p95 is \"5 ms\", but it takes a relation (<=, <, >= or >) and a limit in ns, us, ms or s, such as \"<= 5 ms\"",
        ),
        (
            "[boards.ping]\nbounds.messages_per_second = 3000\n",
            "bounds.messages_per_second is 3000, but it takes a relation",
        ),
        (
            "[boards.ping]\nbounds.loss = '<= 0.1'\n",
            "bounds.loss is \"<= 0.1\", but it takes a relation (<=, <, >= or >) and a limit in %",
        ),
        (
            "[boards.ping]\nbounds.ram = '<= 40 ms'\n",
            "and a limit in B, kB, KiB or MiB, such as \"<= 40 KiB\"",
        ),
        (
            "[boards.ping]\nbounds = '<= 5 ms'\n",
            "boards.ping.bounds is \"<= 5 ms\", but it takes a table, such as [boards.ping.bounds]",
        ),
        (
            "[boards.a]\n[boards.b]\nsame_but = 'a'\nmeasure = 'bulk'\nbounds.p95 = '<= 5 ms'\n",
            "5: boards.b.bounds.p95: a row with measure = \"bulk\"",
        ),
    ] {
        let message = parse(text).expect_err(text);
        assert!(message.contains(expected), "{text:?} gives: {message}");
    }
}

#[test]
fn a_bound_by_itself_reads_as_in_a_suite() {
    let found = RowBound::parse("bits_per_second", ">= 2.5 Mbit/s").unwrap();
    assert_eq!((found.bound.limit, found.bounded.unit()), (2_500_000.0, "bit/s"));
    assert_eq!(RowBound::parse("median", "<= 5 us").unwrap().bound.limit, 5e6);
    assert_eq!(RowBound::parse("p69", "<= 5 us").unwrap_err(), "there is no figure p69; the nearest is p99");
    let refused = RowBound::parse("p95", "<= 5 lightyears").unwrap_err();
    assert!(refused.starts_with("p95 is \"<= 5 lightyears\", but it takes a relation"), "{refused}");
}
