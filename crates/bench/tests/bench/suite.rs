//! What a suite may say, and what is answered where it says something else.

use std::path::Path;

use bench::suite::Suite;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Suite, String> {
    Suite::parse(Path::new("suites/field.toml"), text.to_owned()).map_err(|error| error.to_string())
}

fn refusal(text: &str) -> String {
    parse(text).expect_err("the suite is wrong")
}

#[test]
fn rows_are_entries_by_payloads_in_the_order_of_the_file() {
    let suite = parse(
        "seed = 7\nsamples = 50\npayloads = [12, 128]\n[links.slow]\nlink = 'lora'\nsf = 12\n[links.lora]\n",
    )
    .unwrap();
    let names: Vec<&str> = suite.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["slow/12B", "slow/128B", "lora/12B", "lora/128B"]);
    assert_eq!((suite.name.as_str(), suite.seed, suite.rows[0].measurement.samples), ("field", 7, Some(50)));
    assert_eq!(suite.rows[0].link().unwrap().settings.integer("sf"), 12);
}

#[test]
fn lists_of_values_make_a_row_for_each_combination() {
    let suite =
        parse("payloads = [12]\n[links.lora]\nsf = [7, 9]\nbandwidth = ['125 kHz', '250 kHz']\n").unwrap();
    let names: Vec<&str> = suite.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names[0], "lora sf=7 bandwidth=125 kHz/12B");
    assert_eq!(names.len(), 4);
}

#[test]
fn an_entry_overrides_what_the_suite_says() {
    let suite = parse(
        "samples = 10\ntrigger = { kind = 'fixed', period = '1s' }\n[links.lora]\nsamples = 3\npayloads = [5]\n\
         trigger = { kind = 'poisson', period = '2s' }\n",
    );
    let row = &suite.unwrap().rows[0];
    assert_eq!((row.measurement.samples, row.link().unwrap().payload_bytes), (Some(3), 5));
    assert_eq!(row.link().unwrap().trigger.period.unwrap().to_string(), "2 s");
}

#[test]
fn every_error_names_file_line_and_field_and_what_would_be_right() {
    for (text, expected) in [
        (
            "\n[links.lora]\nsf = 13\n",
            "suites/field.toml:3: links.lora.sf is 13, but it takes a whole number from 6 to 12",
        ),
        (
            "[links.lora]\nsff = 9\n",
            "suites/field.toml:2: links.lora.sff: lora has no setting sff; the nearest is sf",
        ),
        ("[links.lorra]\n", "suites/field.toml:1: links.lorra: there is no link lorra; the nearest is lora"),
        (
            "samples = 0\n[links.lora]\n",
            "suites/field.toml:1: samples is 0, but it takes a whole number from 1 to 100000000",
        ),
        (
            "payloads = [0]\n[links.lora]\n",
            "suites/field.toml:2: links.lora.payloads: the payload is 0 bytes, but lora carries 1 to",
        ),
        ("payloads = [99999999]\n[links.lora]\n", "the payload is 99999999 bytes, but lora carries"),
        (
            "[links.lora]\ntrigger = { period = '0s' }\n",
            "links.lora.trigger.period is 0 s, but messages need time between them",
        ),
        (
            "[links.lora]\ntrigger = { period = '-1s' }\n",
            "links.lora.trigger.period is -1s, but time runs forward",
        ),
        ("[links.lora]\ntrigger = { period = 'soon' }\n", "suites/field.toml:2: links.lora.trigger.period: "),
        ("[links.lora]\ntrigger = { kind = 'dithred' }\n", "the nearest is dithered"),
        ("[links.lora]\ntrigger = { kind = 'locked' }\n", "a locked trigger names the gate that it follows"),
        ("[links.lora]\ntrigger = { kind = 'locked', gate = 'beacon' }\n", "but the link has no such gate"),
        (
            "sampels = 3\n[links.lora]\n",
            "suites/field.toml:1: sampels: there is no such field; the nearest is samples",
        ),
        ("[links]\n", "suites/field.toml:1: links: a suite names at least one link"),
        ("", "suites/field.toml:1: links: a suite names at least one link"),
        ("[links.lora\n", "suites/field.toml:1: this is not TOML"),
        (
            "[links.lora]\nsf = { a = 1 }\n",
            "links.lora.sf: a setting is a text, a number, true or false, or a list of these",
        ),
        ("[links.lora]\nbandwidth = -1\n", "links.lora.bandwidth is"),
        (
            "[links.lora]\nsf = [7, { a = 1 }]\n",
            "suites/field.toml:2: links.lora.sf: a setting is a text, a number, true or false, or a list of these",
        ),
        ("samples = 5\nsamples = 6\n", "suites/field.toml:2: this is not TOML: duplicate key, at `samples`"),
        (
            "samples = 'many'\n[links.lora]\n",
            "suites/field.toml:1: samples is \"many\", but it takes a whole number",
        ),
        (
            "payloads = ['12B']\n[links.lora]\n",
            "payloads is \"12B\", but it takes sizes in bytes, such as [12",
        ),
        (
            "payloads = [-5]\n[links.lora]\n",
            "suites/field.toml:1: payloads is -5, but it takes sizes in bytes",
        ),
        ("trigger = { period = 5 }\n[links.lora]\n", "trigger.period is 5, but it takes a text in quotes"),
        ("links = ['lora']\n", "suites/field.toml:1: links is a list, but it takes a table, such as [links]"),
        ("[links.\"lo\\nra\"]\n", "links.lo\\nra: there is no link lo\\nra"),
        (
            "[links.lora]\nsf = [7, 8, 7]\n",
            "suites/field.toml:1: links.lora: there are two rows lora sf=7/12B; give each value and payload once",
        ),
        (
            "[links.lora]\ntrigger = { kind = 'fixed', gate = 'chip clock' }\n",
            "suites/field.toml:2: links.lora.trigger.gate: a fixed trigger has none; beside its kind it has period",
        ),
        (
            "[links.lora]\ntrigger = { kind = 'swept', by = '1ms', step = '2ms' }\n",
            "suites/field.toml:2: links.lora.trigger.step is 2 ms, but by is 1 ms",
        ),
    ] {
        let message = refusal(text);
        assert!(message.contains(expected), "{text:?} gave {message}");
        assert!(!message.contains('\n'), "one sentence: {message}");
    }
}

#[test]
fn a_run_that_outlasts_virtual_time_is_refused_with_what_fits() {
    for (text, expected) in [
        (
            "payloads = [12]\ntrigger = { period = '1000000s' }\n[links.lora]\n",
            "suites/field.toml:3: links.lora.samples is 1000, but with up to 1000000 s for each",
        ),
        (
            "samples = 1000000\ntrigger = { kind = 'fixed', period = '60s' }\n[links.lora]\n",
            "use 138286 or fewer, or shorten the trigger's interval",
        ),
        // The interval follows from the link here.
        (
            "payloads = [65535]\n[links.lora]\nsf = 12\nbandwidth = '7.8 kHz'\n",
            "links.lora.samples is 1000, but with",
        ),
        // A link that is slower than its trigger works on after the last one.
        (
            "payloads = [65535]\ntrigger = { kind = 'fixed', period = '1ms' }\n[links.lora]\nsf = 12\nbandwidth = 7800\n",
            "links.lora.samples is 1000, but with",
        ),
    ] {
        let message = refusal(text);
        assert!(message.contains(expected), "{text:?} gave {message}");
        assert!(!message.contains('\n'), "one sentence: {message}");
    }
}

#[test]
fn a_list_that_would_make_too_many_rows_is_refused_before_it_is_made() {
    let many: Vec<String> = (0..200).map(|_| "7".to_owned()).collect();
    let list = many.join(", ");
    let message =
        refusal(&format!("[links.lora]\nsf = [{list}]\nbandwidth = [{}]\n", vec!["125000"; 200].join(", ")));
    assert!(message.contains("more than 10000 rows"), "{message}");
}

#[test]
fn an_entry_that_is_not_there_is_named_with_its_nearest() {
    let suite = parse("[links.lora]\n").unwrap();
    let message = suite.narrowed(&["lorra".to_owned()], None, None).unwrap_err().to_string();
    assert_eq!(message, "suite field has no entry lorra; the nearest is lora");
}

#[test]
fn the_fuzzers_corpus_is_taken_or_refused_in_one_line() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/suite");
    let mut replayed = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        if let Err(message) = parse(&String::from_utf8_lossy(&bytes)) {
            assert!(message.starts_with("suites/field.toml:") && !message.contains('\n'), "{message}");
        }
        replayed += 1;
    }
    assert!(replayed >= 4);
}

proptest! {
    #[test]
    fn any_text_is_a_suite_or_is_refused_without_a_panic(text in ".{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn any_value_of_a_setting_is_taken_or_refused_in_one_line(
        name in "sf|bandwidth|samples|trigger|payloads|link", value in "[-+]?[0-9]{1,30}|'[^'\n]{0,20}'|true|\\[\\]|\\{\\}|[0-9]e[0-9]{1,3}",
    ) {
        if let Err(message) = parse(&format!("[links.lora]\n{name} = {value}\n")) {
            prop_assert!(message.starts_with("suites/field.toml:"), "{}", message);
            prop_assert!(!message.contains('\n'), "{}", message);
        }
    }
}
