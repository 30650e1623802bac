//! What a run folder promises: complete parts only, never overwritten, the same bytes for the same captures.

use std::fs;
use std::path::Path;

use bench::analysis::{CaptureFolder, analyze};
use bench::captures::{Options, discover};
use capture::ChannelSelector;
use record::Control;
use record::run_folder::{RunFolderError, check_absent};

fn options() -> Options {
    Options {
        trigger: ChannelSelector::Index(0),
        done: ChannelSelector::Index(1),
        pairing: capture::pairing::Settings::default(),
        payload_bytes: None,
        seed: 1,
        intervals: true,
        findings: Some(stats::detect::Settings::default()),
        sha256: true,
    }
}

/// A capture of `messages` messages, 100 ms apart, that take 7 ms each.
fn write_capture(path: &Path, messages: usize) {
    let mut text = String::from("Time [s],Channel 0,Channel 1\n0.0,0,0\n");
    for k in 1..=messages {
        let (second, tenth) = (k / 10, k % 10);
        for (ms, levels) in [("00", "1,0"), ("01", "0,0"), ("07", "0,1"), ("08", "0,0")] {
            text.push_str(&format!("{second}.{tenth}{ms},{levels}\n"));
        }
    }
    fs::write(path, text).unwrap();
}

fn run(captures: &Path, out: &Path, control: &Control) -> bench::analysis::Analysis {
    let (sources, failures) = discover(&[captures.to_owned()]);
    assert!(failures.is_empty());
    let mut folder = CaptureFolder::create(out, &options()).unwrap();
    let analysis = analyze(&sources, &options(), control, &mut |capture| folder.add(capture));
    folder.finish(&serde_json::json!({})).unwrap();
    analysis
}

#[test]
fn the_same_captures_leave_the_same_bytes_and_no_temporary_names() {
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    for (name, messages) in [("a-12B.csv", 40), ("b-12B.csv", 60)] {
        write_capture(&captures.join(name), messages);
    }
    for out in ["first", "second"] {
        run(&captures, &work.path().join(out), &Control::default());
    }
    for file in ["manifest.json", "samples/part-00000.parquet", "edges/part-00000.parquet"] {
        let bytes = |out: &str| fs::read(work.path().join(out).join(file)).unwrap();
        assert!(bytes("first") == bytes("second"), "{file} differs");
    }
    for folder in ["first", "first/samples", "first/edges"] {
        for entry in fs::read_dir(work.path().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with(".unfinished"), "{folder}/{name}");
        }
    }
}

#[test]
fn a_folder_that_exists_is_refused() {
    let work = tempfile::tempdir().unwrap();
    assert!(matches!(CaptureFolder::create(work.path(), &options()), Err(RunFolderError::Exists(_))));
    assert!(matches!(check_absent(work.path()), Err(RunFolderError::Exists(_))));
}

#[test]
fn many_messages_fill_several_parts_that_are_complete_before_the_run_ends() {
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    for k in 0..3 {
        write_capture(&captures.join(format!("{k}-12B.csv")), 70_000);
    }
    let out = work.path().join("run");
    let (sources, _) = discover(&[captures]);
    let mut folder = CaptureFolder::create(&out, &options()).unwrap();
    let mut quiet = options();
    (quiet.intervals, quiet.findings) = (false, None);
    analyze(&sources, &quiet, &Control::default(), &mut |capture| folder.add(capture));
    // The run is not finished: what a kill at this moment would leave.
    assert!(out.join("samples/part-00000.parquet").exists());
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["captures"].as_array().unwrap().len(), 2, "the captures whose parts are complete");
    folder.finish(&serde_json::json!({})).unwrap();
    assert!(out.join("samples/part-00001.parquet").exists());
}

#[test]
fn an_analysis_that_is_stopped_keeps_what_was_finished() {
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    for k in 0..40 {
        write_capture(&captures.join(format!("{k:02}-12B.csv")), 20);
    }
    let (sources, _) = discover(&[captures]);
    let control = Control::default();
    let mut kept = 0;
    let analysis = analyze(&sources, &options(), &control, &mut |_| {
        kept += 1;
        control.stop();
        Ok(())
    });
    assert!(kept > 0 && analysis.captures.len() == kept && kept < 40, "kept {kept}");
}

#[test]
fn an_error_of_the_run_folder_is_told_once_and_the_analysis_goes_on() {
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    for k in 0..5 {
        write_capture(&captures.join(format!("{k}-12B.csv")), 20);
    }
    let (sources, _) = discover(&[captures]);
    let analysis = analyze(&sources, &options(), &Control::default(), &mut |_| {
        Err(RunFolderError::unwritten(
            Path::new("run"),
            &std::io::Error::from(std::io::ErrorKind::StorageFull),
        ))
    });
    assert_eq!((analysis.captures.len(), analysis.failures.len()), (5, 1));
    assert!(analysis.failures[0].message.contains("the parts written before are complete"));
}

#[test]
fn a_run_of_which_nothing_could_be_written_leaves_no_folder() {
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    write_capture(&captures.join("a-12B.csv"), 20);
    let (sources, _) = discover(&[captures]);
    let out = work.path().join("run");
    let mut folder = CaptureFolder::create(&out, &options()).unwrap();
    analyze(&sources, &options(), &Control::default(), &mut |capture| folder.add(capture));
    // The place of the first part is gone, as on a disk that has no room for it.
    fs::remove_dir(out.join("samples")).unwrap();
    let refused = folder.finish(&serde_json::json!({})).unwrap_err().to_string();
    assert!(refused.contains("part-00000.parquet: cannot write it: "), "{refused}");
    assert!(
        refused.ends_with("; nothing of this run is kept; make room, or name another place"),
        "{refused}"
    );
    assert!(!out.exists(), "a folder with a manifest and no row would be taken for a run");
}

fn manifest_of(out: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn a_capture_that_vanishes_or_is_replaced_once_it_was_read_keeps_its_own_hash() {
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    let [vanishes, replaced, stays] = ["a-12B.csv", "b-12B.csv", "c-12B.csv"].map(|name| captures.join(name));
    write_capture(&vanishes, 20);
    write_capture(&replaced, 30);
    write_capture(&stays, 40);
    run(&captures, &work.path().join("before"), &Control::default());
    let (sources, _) = discover(&[captures]);
    let out = work.path().join("run");
    let mut folder = CaptureFolder::create(&out, &options()).unwrap();
    let analysis = analyze(&sources, &options(), &Control::default(), &mut |capture| {
        let _ = fs::remove_file(&vanishes);
        write_capture(&replaced, 5);
        folder.add(capture)
    });
    folder.finish(&serde_json::json!({})).unwrap();
    assert!(analysis.failures.is_empty(), "{:?}", analysis.failures);
    assert_eq!(manifest_of(&out)["captures"], manifest_of(&work.path().join("before"))["captures"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_outside_utf_8_are_told_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let work = tempfile::tempdir().unwrap();
    let captures = work.path().join("captures");
    fs::create_dir(&captures).unwrap();
    let names: [&[u8]; 3] = [b"\xe8-12B.csv", b"\xe9-12B.csv", b"\\xe9-12B.csv"];
    for name in names {
        write_capture(&captures.join(OsStr::from_bytes(name)), 20);
    }
    let out = work.path().join("run");
    run(&captures, &out, &Control::default());
    let entries = manifest_of(&out)["captures"].as_array().unwrap().clone();
    let mut runs: Vec<&str> = entries.iter().map(|entry| entry["run"].as_str().unwrap()).collect();
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(runs.len(), names.len(), "{runs:?}");
    assert!(runs.iter().any(|run| run.ends_with("captures/\\xe8-12B.csv")), "{runs:?}");
}

#[test]
fn a_folder_that_cannot_be_begun_is_not_left_behind() {
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(CaptureFolder::create(&file.join("run"), &options()).is_err());
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 1);
}
