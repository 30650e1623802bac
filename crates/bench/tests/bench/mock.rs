//! The driver of a row, the scheduler and the keeper on a target that needs neither link nor board.

use std::path::Path;
use std::sync::Arc;

use bench::rows::{BenchRun, Measure, ReadyRow, SuiteFolder, measure_row, run, run_into, steps};
use bench::suite::{Row, Suite};
use bench::targets::mock::{Mock, Mocks, mocked_rows};
use record::Control;
use record::run_folder::RunFolderError;

fn suite(text: &str) -> Suite {
    Suite::parse(Path::new("mock.toml"), format!("payloads = [12]\n{text}")).unwrap()
}

/// The rows of a suite, on a mock instead of what it names.
fn mocked(suite: &Suite, mock: &Mock) -> Vec<ReadyRow> {
    mocked_rows(suite, &Mocks { others: mock.clone(), ..Mocks::default() })
}

fn measure(intervals: bool) -> Measure {
    Measure { seed: 1, intervals, findings: false, spans_of_first: 0 }
}

/// How many messages a row of this entry ends with.
fn messages(entry: &str, mock: &Mock) -> usize {
    let suite = suite(&format!("[links.lora]\n{entry}"));
    let ready = &mocked(&suite, mock)[0];
    measure_row(ready, measure(true), &Control::default()).unwrap().unwrap().samples.len()
}

#[test]
fn a_row_ends_with_its_samples_its_limit_or_its_interval_whichever_comes_first() {
    let latencies_ps = (0..300).map(|index| Some(1_000_000 + (index * 7919) % 100_000)).collect();
    let spread = Mock { latencies_ps, ..Mock::default() };
    assert_eq!(messages("samples = 300", &spread), 300);
    assert_eq!(messages("samples = 300\nlimit = '50 ms'", &spread), 50);
    let narrow = messages("samples = 300\nstop_within = '5 %'", &spread);
    assert!((40..300).contains(&narrow), "{narrow}");
    assert_eq!(messages("samples = 300\nstop_within = '0.01 %'", &spread), 300);
}

#[test]
fn links_and_boards_say_their_bounds_with_the_same_fields() {
    let bounds = "samples = 7\nstop_within = '2 %'\nlimit = '3 s'\n";
    let suite = suite(&format!("[links.lora]\n{bounds}[boards.pp]\n{bounds}"));
    let of = |row: &Row| (row.measurement.samples, row.measurement.stop_within, row.measurement.limit);
    assert_eq!(of(&suite.rows[0]), of(&suite.rows[1]));
}

#[test]
fn nobody_computes_intervals_that_are_not_wanted() {
    let suite = suite("[links.lora]\nsamples = 100\n[boards.pp]\nsamples = 100\nmeasure = 'latency'\n");
    for wanted in [true, false] {
        for ready in mocked(&suite, &Mock::default()) {
            let result = measure_row(&ready, measure(wanted), &Control::default()).unwrap().unwrap();
            assert_eq!(result.statistics.intervals.is_some(), wanted, "{}", ready.row.name);
            assert_eq!(result.figure.unwrap().interval.is_some(), wanted, "{}", ready.row.name);
        }
    }
}

#[test]
fn rows_that_end_in_another_order_are_kept_in_that_of_the_suite() {
    let suite = suite("samples = 10\n[links.lora]\nsf = [7, 8, 9, 10, 11, 12]\n");
    let mut rows = mocked(&suite, &Mock::default());
    for (place, ready) in (0..).zip(&mut rows) {
        // Rows that begin first end last.
        ready.recipe = Arc::new(Mock { host_us: 6_000 - 1_000 * place, ..Mock::default() });
    }
    let mut kept = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(6).build().unwrap();
    let done: BenchRun = pool.install(|| {
        run(&rows, measure(false), &Control::default(), true, &mut |entry, _| {
            kept.push(entry.run.clone());
            Ok(())
        })
    });
    let names: Vec<String> = suite.rows.iter().map(|row| row.name.clone()).collect();
    assert_eq!(kept, names);
    assert!(
        done.rows.iter().all(|(entry, row)| entry.samples == 10 && row.samples.is_empty()),
        "they are kept"
    );
}

#[test]
fn rows_that_fill_the_memory_wait_and_none_is_left_behind() {
    // Each may hold more than all that may be in flight together.
    let suite =
        suite("samples = 5_000_000\n[links.uart]\nlimit = '5 ms'\nbaud = [9600, 19200, 57600, 115200]\n");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let done = pool.install(|| {
        run(&mocked(&suite, &Mock::default()), measure(false), &Control::default(), true, &mut |_, _| Ok(()))
    });
    assert_eq!((done.rows.len(), done.failure), (4, None));
}

#[test]
fn the_first_failure_ends_the_run_and_names_its_row() {
    let suite = suite("samples = 10\n[links.lora]\nsf = [7, 8, 9]\n");
    let mut rows = mocked(&suite, &Mock::default());
    rows[1].recipe = Arc::new(Mock { breaks_after: Some(0), ..Mock::default() });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let control = Control::default();
    let done = pool.install(|| run(&rows, measure(false), &control, true, &mut |_, _| Ok(())));
    assert_eq!(done.failure.as_deref(), Some("lora sf=8/12B: it came off the bench"));
    assert_eq!(done.rows.len(), 1);
    let full = |_: &_, _: &_| Err(RunFolderError::Capture("the disk is full".to_owned()));
    let done = run(&rows[..1], measure(false), &Control::default(), true, &mut { full });
    assert_eq!((done.rows.len(), done.failure.as_deref()), (0, Some("the disk is full")));
}

#[test]
fn of_a_row_that_is_stopped_a_part_is_kept_where_it_is_of_worth() {
    let suite = suite("samples = 100\n[links.lora]\n[boards.pp]\nsamples = 100\n");
    let rows = mocked(&suite, &Mock { stalls_after: Some(70), ..Mock::default() });
    let stopped = |ready: &ReadyRow, told: u64| {
        let control = Control::default();
        std::thread::scope(|scope| {
            let result = scope.spawn(|| measure_row(ready, measure(false), &control));
            while control.done() < told {
                std::thread::yield_now();
            }
            control.stop();
            result.join().unwrap().unwrap().map(|result| result.samples.len())
        })
    };
    // Of a link each message stands for itself; a board that is stopped has not done what was asked.
    // The stop may come before the mock has stalled: at least what was told of is kept.
    let kept = stopped(&rows[0], 60);
    assert!(kept.is_some_and(|kept| (60..=70).contains(&kept)), "{kept:?}");
    assert_eq!(stopped(&rows[1], 60), None);
    assert_eq!((stopped(&rows[0], 0).is_none_or(|kept| kept <= 70), stopped(&rows[1], 0)), (true, None));
}

#[test]
fn messages_that_a_mock_loses_are_counted_as_missed() {
    let suite = suite("samples = 40\n[links.lora]\n");
    let mock = Mock { latencies_ps: vec![Some(5_000), None], ..Mock::default() };
    let result =
        measure_row(&mocked(&suite, &mock)[0], measure(false), &Control::default()).unwrap().unwrap();
    assert_eq!((result.outcomes.paired, result.outcomes.missed), (20, 20));
}

#[test]
fn all_steps_are_told_whatever_ended_the_row() {
    let suite = suite("samples = 30\n[links.lora]\nsf = [7, 8]\n");
    let rows = mocked(&suite, &Mock::default());
    let control = Control::default();
    run(&rows, measure(false), &control, true, &mut |_, _| Ok(()));
    assert_eq!((control.done(), steps(&rows)), (60, 60));
}

#[test]
fn a_run_folder_says_which_kind_of_target_each_row_had() {
    let suite = suite("samples = 30\n[links.lora]\n");
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("run");
    let folder = SuiteFolder::create(&out, &suite, false).unwrap();
    let environment = serde_json::json!({});
    let mut told = Vec::new();
    let done = run_into(
        folder,
        &mocked(&suite, &Mock::default()),
        measure(false),
        &Control::default(),
        &environment,
        &mut |entry, row| told.push((entry.run.clone(), row.samples.len())),
    );
    assert_eq!(done.failure, None);
    assert_eq!(told, [("lora/12B".to_owned(), 30)], "what is told has its samples still");
    assert!(done.rows[0].1.samples.is_empty(), "then the run folder holds them");
    let text = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let row = &manifest["rows"][0];
    assert_eq!((row["target"].as_str(), row["samples"].as_u64()), (Some("mock"), Some(30)));
    assert_eq!(row["link"].as_str(), Some("lora"), "it says what it stands for");
    assert_eq!(row["figure"]["value"].as_f64(), Some(1000.0));
}
