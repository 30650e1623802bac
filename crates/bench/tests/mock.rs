//! The driver of a row, the scheduler and the keeper on a target that needs neither link nor board.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bench::rows::{BenchRun, Measure, ReadyRow, SuiteFolder, measure_row, run, run_into, steps};
use bench::suite::{Row, Suite};
use bench::target::{Observations, Recipe, Target, TargetEntry, TargetError, Turn};
use bench::targets::Facts;
use record::run_folder::RunFolderError;
use record::{Control, Sample, Samples};
use units::{PS_PER_MS, Picoseconds};

/// A message every millisecond, each of which takes so long.
#[derive(Debug, Clone)]
struct Mock {
    latency_ps: fn(u64) -> i64,
    /// Fails in its first turn.
    breaks: bool,
    /// How long a turn takes the host, by the row's place among those that begin.
    sleeps: Option<Arc<AtomicUsize>>,
}

const MOCK: Mock = Mock { latency_ps: |_| 1_000, breaks: false, sleeps: None };

struct MockTarget {
    mock: Mock,
    now: Picoseconds,
    samples: Samples,
    looked_at: usize,
}

impl Recipe for Mock {
    fn target(&self, _: &Row, _: Measure) -> Result<Box<dyn Target>, TargetError> {
        let (mock, now) = (self.clone(), Picoseconds::ZERO);
        Ok(Box::new(MockTarget { mock, now, samples: Samples::default(), looked_at: 0 }))
    }

    fn steps(&self, _: &Row) -> u64 {
        100
    }
}

impl Target for MockTarget {
    fn now(&self) -> Picoseconds {
        self.now
    }

    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
        if self.mock.breaks {
            return Err(TargetError("it came off the bench".to_owned()));
        }
        if let Some(begun) = &self.mock.sleeps {
            // Rows that begin first end last.
            let place = begun.fetch_add(1, Ordering::Relaxed) as u64;
            std::thread::sleep(Duration::from_millis(60_u64.saturating_sub(10 * place)));
        }
        while self.now < until {
            if control.is_stopped() {
                return Ok(Turn::Stopped);
            }
            let index = self.samples.len() as u64;
            let done = self.now + Picoseconds::new((self.mock.latency_ps)(index));
            self.samples.push(Sample::known(index, self.now, Some(done)));
            self.now = self.now + Picoseconds::new(PS_PER_MS);
        }
        Ok(Turn::Reached)
    }

    fn samples(&mut self) -> &Samples {
        &self.samples
    }

    fn steps_done(&mut self) -> u64 {
        self.samples.len() as u64
    }

    fn observe(&mut self, samples: &Samples, _: &Control) -> Result<Option<Observations>, TargetError> {
        self.looked_at = samples.len();
        Ok(None)
    }

    fn entry(&mut self) -> TargetEntry {
        TargetEntry {
            kind: "mock",
            traffic: "one-way".to_owned(),
            payload_bytes: Some(12),
            end: self.now,
            failure: None,
            why_none: "nobody sent anything".to_owned(),
            facts: Facts::Other(BTreeMap::from([("looked_at".to_owned(), self.looked_at.into())])),
        }
    }
}

fn suite(text: &str) -> Suite {
    Suite::parse(Path::new("mock.toml"), format!("payloads = [12]\n{text}")).unwrap()
}

/// The rows of a suite, on a mock instead of what it names.
fn mocked(suite: &Suite, mock: &Mock) -> Vec<ReadyRow> {
    let ready = |row: &Row| ReadyRow { row: row.clone(), recipe: Arc::new(mock.clone()) };
    suite.rows.iter().map(ready).collect()
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
    let spread = Mock { latency_ps: |index| 1_000_000 + (index as i64 * 7919) % 100_000, ..MOCK };
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
        for ready in mocked(&suite, &MOCK) {
            let result = measure_row(&ready, measure(wanted), &Control::default()).unwrap().unwrap();
            assert_eq!(result.statistics.intervals.is_some(), wanted, "{}", ready.row.name);
            assert_eq!(result.figure.unwrap().interval.is_some(), wanted, "{}", ready.row.name);
        }
    }
}

#[test]
fn rows_that_end_in_another_order_are_kept_in_that_of_the_suite() {
    let suite = suite("samples = 10\n[links.lora]\nsf = [7, 8, 9, 10, 11, 12]\n");
    let mock = Mock { sleeps: Some(Arc::default()), ..MOCK };
    let mut kept = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(6).build().unwrap();
    let done: BenchRun = pool.install(|| {
        run(&mocked(&suite, &mock), measure(false), &Control::default(), true, &mut |entry, _| {
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
        run(&mocked(&suite, &MOCK), measure(false), &Control::default(), true, &mut |_, _| Ok(()))
    });
    assert_eq!((done.rows.len(), done.failure), (4, None));
}

#[test]
fn the_first_failure_ends_the_run_and_names_its_row() {
    let suite = suite("samples = 10\n[links.lora]\nsf = [7, 8, 9]\n");
    let mut rows = mocked(&suite, &MOCK);
    rows[1].recipe = Arc::new(Mock { breaks: true, ..MOCK });
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
fn a_row_that_is_stopped_and_has_no_parts_of_worth_is_left_out() {
    let suite = suite("samples = 10\n[links.lora]\n");
    let control = Control::default();
    control.stop();
    let ready = &mocked(&suite, &MOCK)[0];
    assert!(measure_row(ready, measure(false), &control).unwrap().is_none());
}

#[test]
fn all_steps_are_told_whatever_ended_the_row() {
    let suite = suite("samples = 30\n[links.lora]\nsf = [7, 8]\n");
    let rows = mocked(&suite, &MOCK);
    let control = Control::default();
    run(&rows, measure(false), &control, true, &mut |_, _| Ok(()));
    assert_eq!((control.done(), steps(&rows)), (200, 200));
}

#[test]
fn a_run_folder_says_which_kind_of_target_each_row_had() {
    let suite = suite("samples = 30\n[links.lora]\n");
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("run");
    let folder = SuiteFolder::create(&out, &suite, false).unwrap();
    let environment = serde_json::json!({});
    let done = run_into(folder, &mocked(&suite, &MOCK), measure(false), &Control::default(), &environment);
    assert_eq!(done.failure, None);
    let text = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let row = &manifest["rows"][0];
    assert_eq!((row["target"].as_str(), row["samples"].as_u64()), (Some("mock"), Some(30)));
    assert_eq!(row["looked_at"].as_u64(), Some(30));
    assert_eq!(row["figure"]["value"].as_f64(), Some(1000.0));
}
