//! What a run of a suite leaves behind: the same bytes on any number of workers, and edges that read back the same.

use std::fs;
use std::path::{Path, PathBuf};

use bench::analysis::analyze;
use bench::captures::{Options, discover};
use bench::rows::{self, Measure, RowEntry, RowResult, SuiteFolder};
use bench::suite::Suite;
use bench::targets::{Facts, ImagePlaces, VirtualEdges, ready_rows};
use record::{Control, Samples};

const SUITE: &str = "samples = 300\npayloads = [12, 1024]\n[links.lora]\nsf = [7, 8, 9]\n[links.fast]\nlink = 'lora'\n\
                     bandwidth = '500 kHz'\ntrigger = { kind = 'fixed', period = '20ms' }\n";

fn measure() -> Measure {
    Measure { seed: 1, intervals: true, findings: true, spans_of_first: 50 }
}

fn run(suite: &str, out: &Path, workers: usize) -> Vec<(RowEntry, RowResult)> {
    let suite = Suite::parse(Path::new("suite.toml"), suite.to_owned()).unwrap();
    let mut folder = SuiteFolder::create(out, &suite, true).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
    let ready = ready_rows(&suite, &ImagePlaces::default()).unwrap();
    let result = pool.install(|| {
        let keep = &mut |entry: &RowEntry, row: &RowResult| folder.add(entry, row);
        rows::run(&ready, measure(), &Control::default(), false, keep)
    });
    assert_eq!(result.failure, None);
    folder.finish(&serde_json::json!({})).unwrap();
    result.rows
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn one_two_and_eight_workers_leave_the_same_bytes() {
    let work = tempfile::tempdir().unwrap();
    let outs: Vec<PathBuf> = [1, 2, 8, 8]
        .iter()
        .enumerate()
        .map(|(i, workers)| {
            let out = work.path().join(format!("run{i}"));
            run(SUITE, &out, *workers);
            out
        })
        .collect();
    let first = files(&outs[0]);
    assert!(first.len() > 4, "manifest, environment, samples, spans and captures");
    for out in &outs[1..] {
        let others = files(out);
        assert_eq!(first.len(), others.len());
        for (a, b) in first.iter().zip(&others) {
            assert_eq!(a.strip_prefix(&outs[0]).unwrap(), b.strip_prefix(out).unwrap());
            assert!(fs::read(a).unwrap() == fs::read(b).unwrap(), "{} differs", b.display());
        }
    }
}

#[test]
fn the_captures_of_a_run_give_its_very_figures_and_findings() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("run");
    let rows = run("samples = 400\npayloads = [12]\n[links.lora]\nsf = [7, 9]\n", &out, 2);
    let (sources, failures) = discover(&[out.join("captures")]);
    assert!(failures.is_empty());
    let options = Options {
        trigger: "trigger".parse().unwrap_or(capture::ChannelSelector::Label("trigger".to_owned())),
        done: capture::ChannelSelector::Label("done".to_owned()),
        pairing: capture::pairing::Settings::default(),
        payload_bytes: None,
        seed: 1,
        intervals: true,
        findings: Some(stats::detect::Settings::default()),
        sha256: true,
    };
    let analysis = analyze(&sources, &options, &Control::default(), &mut |_| Ok(()));
    assert_eq!(analysis.captures.len(), rows.len());
    for (capture, (_, row)) in analysis.captures.iter().zip(&rows) {
        assert_eq!(capture.payload_bytes, Some(12));
        assert_eq!(capture.samples.latencies_ps(), row.samples.latencies_ps());
        assert_eq!(capture.statistics.summary, row.statistics.summary);
        assert_eq!(capture.statistics.findings, row.statistics.findings);
    }
}

#[test]
fn rows_whose_names_make_the_same_file_name_keep_a_capture_each() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("run");
    let rows = run(
        "samples = 50\npayloads = [12]\n[links.'a b']\nlink = 'lora'\nsf = 7\n[links.'a-b']\nlink = 'lora'\nsf = 9\n",
        &out,
        1,
    );
    assert_eq!(rows.len(), 2);
    let captures = files(&out.join("captures"));
    let names: Vec<_> = captures.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["12B-a-b-2.vcd", "12B-a-b.vcd"]);
    assert!(fs::read(&captures[0]).unwrap() != fs::read(&captures[1]).unwrap(), "each row has its own edges");
}

#[test]
fn a_trigger_faster_than_the_link_queues_and_loses_nothing() {
    let work = tempfile::tempdir().unwrap();
    let rows = run(
        "samples = 50\npayloads = [12]\n[links.lora]\ntrigger = { kind = 'fixed', period = '1ms' }\n",
        &work.path().join("run"),
        1,
    );
    let (entry, row) = &rows[0];
    let Facts::Link(link) = &entry.facts else { panic!("{entry:?}") };
    assert_eq!(row.outcomes.paired, 50);
    assert!(link.longest_queue >= 45, "{}", link.longest_queue);
    let latencies = row.samples.latencies_ps();
    assert!(latencies.windows(2).all(|pair| pair[1] > pair[0]), "each waits longer than the one before");
}

#[test]
fn a_steady_trigger_that_meets_one_phase_of_a_gate_is_told() {
    let found = |trigger: &str| {
        let work = tempfile::tempdir().unwrap();
        let suite = format!("samples = 400\npayloads = [12]\n[links.nrf52840-ble]\ntrigger = {trigger}\n");
        let rows = run(&suite, &work.path().join("run"), 1);
        let findings = rows[0].1.statistics.findings.iter();
        findings.map(|finding| (finding.kind.name(), finding.period_ps)).collect::<Vec<_>>()
    };
    // Against the connection interval of 30 ms, 150 ms meet one phase and 200 ms three.
    let frozen = found("{ kind = 'fixed', period = '150ms' }");
    assert!(frozen.contains(&("frozen_phase", Some(30_000_000_000))), "{frozen:?}");
    let banded = found("{ kind = 'fixed', period = '200ms' }");
    assert!(banded.contains(&("phase_coverage", Some(30_000_000_000))), "{banded:?}");
    for even in
        ["{ kind = 'fixed', period = '150.7ms' }", "{ kind = 'dithered', period = '150ms', by = '30ms' }"]
    {
        let told = found(even);
        assert!(told.iter().all(|(kind, _)| !kind.contains("phase")), "{even}: {told:?}");
    }
}

#[test]
fn a_frozen_phase_is_told_without_a_look_for_findings() {
    let found = |trigger: &str| {
        let text = format!("samples = 400\npayloads = [12]\n[links.nrf52840-ble]\ntrigger = {trigger}\n");
        let suite = Suite::parse(Path::new("suite.toml"), text).unwrap();
        let ready = ready_rows(&suite, &ImagePlaces::default()).unwrap();
        let measure = Measure { intervals: false, findings: false, ..measure() };
        let row = rows::measure_row(&ready[0], measure, &Control::default()).unwrap().unwrap();
        row.statistics.findings.iter().map(|finding| finding.kind.name()).collect::<Vec<_>>()
    };
    assert_eq!(found("{ kind = 'fixed', period = '150ms' }"), ["frozen_phase"]);
    assert_eq!(found("{ kind = 'fixed', period = '200ms' }"), ["phase_coverage"]);
    assert!(found("{ kind = 'fixed', period = '150.7ms' }").is_empty());
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_has() {
    let suite = Suite::parse(Path::new("suite.toml"), SUITE.to_owned()).unwrap();
    let control = Control::default();
    let mut kept = 0;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    control.stop();
    let ready = ready_rows(&suite, &ImagePlaces::default()).unwrap();
    let result = pool.install(|| {
        rows::run(&ready, measure(), &control, false, &mut |_, _| {
            kept += 1;
            Ok(())
        })
    });
    assert!(result.rows.is_empty() && kept == 0, "stopped before the first message");
}

#[test]
fn edges_are_pulses_that_end_before_the_next_edge() {
    use capture::ChangeSource;
    let samples = Samples::of_times([(100, Some(103)), (110, None), (120, Some(120_000_000))]);
    let mut edges = VirtualEdges::new(&samples, 120_000_000);
    let mut batch = Vec::new();
    edges.next_batch(&mut batch).unwrap();
    let levels: Vec<(i64, u64)> = batch.iter().map(|change| (change.time_ps, change.levels)).collect();
    assert_eq!(levels[..7], [(0, 0), (100, 1), (101, 0), (103, 2), (106, 0), (110, 1), (115, 0)]);
    edges.next_batch(&mut batch).unwrap();
    assert!(batch.is_empty());
}
