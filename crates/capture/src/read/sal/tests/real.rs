//! Real captures beside the repository, and their own exports.

use super::*;

/// Every regular file under `folder` with this extension, in a fixed order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let found = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files(&path, extension),
        false if path.extension().is_some_and(|found| found == extension) => vec![path],
        false => Vec::new(),
    });
    found.collect()
}

fn read_real(path: &Path, channels: &[&str]) -> Capture {
    let channels = channels.iter().map(|name| name.parse::<ChannelSelector>().unwrap()).collect();
    let options = OpenOptions { channels };
    let source = if path.extension().is_some_and(|extension| extension == "csv") {
        logic2_csv::open(Input::new(path, Box::new(File::open(path).unwrap())), &options)
    } else {
        open(
            Archive { path: path.to_owned(), file: ArchiveFile::OnDisk(Arc::new(File::open(path).unwrap())) },
            &options,
        )
    };
    drain(source).1.unwrap_or_else(|error| panic!("{error}"))
}

fn real_captures() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    if !folder.is_dir() {
        eprintln!("skipped: the real captures are not beside the repository");
        return None;
    }
    Some(folder)
}

/// The exports of this folder come from other captures than the session files beside them.
const UNRELATED: &str = "hc-05";
/// This export begins and ends elsewhere than its session file: (change to begin with, its delay).
const PARTLY_EXPORTED: (&str, i64) = ("12B-250ms-trigger", 113_693_860_000);

#[test]
fn a_real_session_file_and_its_own_csv_export_give_the_same_changes() {
    let Some(folder) = real_captures() else { return };
    let mut compared = 0;
    for path in files(&folder, "sal") {
        let csv = path.with_extension("csv");
        if !csv.is_file() || path.parent().is_some_and(|parent| parent.ends_with(UNRELATED)) {
            continue;
        }
        let session = read_real(&path, &["0", "1"]);
        let export = read_real(&csv, &["0", "1"]);
        compared += 1;
        if path.file_stem().is_some_and(|stem| stem == PARTLY_EXPORTED.0) {
            let later = |(ps, levels): &(i64, u64)| (ps - PARTLY_EXPORTED.1, *levels);
            let same: Vec<(i64, u64)> = session.changes[1..].iter().map(later).collect();
            assert_eq!(export.changes[0], (0, session.changes[0].1));
            assert_eq!(export.changes[1..], same[..], "{}", path.display());
            assert_eq!(export.end_ps, session.end_ps - PARTLY_EXPORTED.1);
            continue;
        }
        assert_eq!(session.changes, export.changes, "{}", path.display());
        assert_eq!(session.info.start, export.info.start, "{}", path.display());
        assert_eq!(session.end_ps, export.end_ps, "{}", path.display());
    }
    println!("{compared} pairs compared");
    assert!(compared >= 10, "only {compared} pairs were found");
}

#[test]
fn every_real_session_file_reads_to_its_end() {
    let Some(folder) = real_captures() else { return };
    for path in files(&folder, "sal") {
        let capture = read_real(&path, &[]);
        assert!(capture.end_ps > 0 && capture.changes.len() > 1, "{}", path.display());
        assert!(capture.changes.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
    }
}
