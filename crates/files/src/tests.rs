//! Whatever happens while a file is written, its name holds the whole of the old or the whole of the new.

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_when_it_is_finished_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let mut file = NewFile::create(&path, Existing::Keep).unwrap();
    file.write_all(b"new").unwrap();
    assert!(!path.exists());
    file.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[test]
fn a_file_that_is_given_up_leaves_what_was_there_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    fs::write(&path, "old").unwrap();
    let mut file = NewFile::create(&path, Existing::Replace).unwrap();
    file.write_all(b"half of the new").unwrap();
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[test]
fn a_file_that_appears_meanwhile_is_kept_where_it_is_to_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let file = NewFile::create(&path, Existing::Keep).unwrap();
    fs::write(&path, "somebody else's").unwrap();
    assert_eq!(file.finish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[test]
fn a_folder_is_refused_and_so_is_a_place_in_none() {
    let folder = tempfile::tempdir().unwrap();
    assert!(replace(folder.path(), b"").is_err());
    let absent = replace(&folder.path().join("absent/a.txt"), b"").unwrap_err();
    assert_eq!(absent.kind(), io::ErrorKind::NotFound);
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_stays_one_and_the_file_behind_it_is_replaced_with_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("a.txt", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_link_to_nothing_makes_what_it_leads_to_and_a_circle_of_links_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        symlink("b.txt", folder.path().join("link")).unwrap();
        replace(&folder.path().join("link"), b"new").unwrap();
        assert_eq!(fs::read(folder.path().join("b.txt")).unwrap(), b"new");
        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(replace(&folder.path().join("circle"), b"new").is_err());
    }

    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("null");
        symlink("/dev/null", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(is_device(&fs::metadata(&link).unwrap()));
        assert_eq!(names(folder.path()), ["null"]);
    }
}

#[test]
fn what_is_read_is_a_file_of_some_length_and_no_device() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    fs::write(&path, "text").unwrap();
    assert_eq!(read_text(&path, 4).unwrap(), "text");
    let said = |error: io::Error| error.to_string();
    assert!(said(read(&path, 3).unwrap_err()).contains("it has 4 bytes; such a file has at most 3"));
    assert!(read(folder.path(), 1 << 20).is_err(), "a folder is no file");
    if cfg!(unix) {
        assert!(said(Input::open(Path::new("/dev/zero")).unwrap_err()).contains("this is a device"));
    }
}

/// In one test, as whoever stops waiting stops it for all.
#[cfg(unix)]
#[test]
fn a_pipe_is_waited_for_until_it_is_stopped() {
    it_is_read_from_its_writer();
    it_is_written_for_its_reader();
}

#[cfg(unix)]
fn it_is_read_from_its_writer() {
    use std::time::Duration;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let written = |text: &'static str, wait_ms: u64| {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut file = File::options().write(true).open(path).unwrap();
            std::thread::sleep(Duration::from_millis(wait_ms));
            file.write_all(text.as_bytes()).unwrap();
        })
    };
    let writer = written("late", 50);
    assert_eq!(read_text(&path, 100).unwrap(), "late");
    writer.join().unwrap();

    let nobody = Input::open(&path).unwrap_err().to_string();
    assert!(nobody.contains("nobody writes to this pipe"), "{nobody}");

    let silent = written("", 300);
    let mut input = Input::open(&path).unwrap();
    stop_waiting();
    let stopped = io::Read::read(&mut input, &mut [0; 8]).unwrap_err();
    assert!(stopped.to_string().contains("stopped"), "{stopped}");
    silent.join().unwrap();
}

#[cfg(unix)]
fn it_is_written_for_its_reader() {
    use std::io::Read;
    use std::time::{Duration, Instant};

    const MORE_THAN_A_PIPE_HOLDS: usize = 1 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let content = vec![7; MORE_THAN_A_PIPE_HOLDS];
    let read_by = |wait_ms: u64, bytes: u64| {
        let path = path.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(wait_ms));
            let mut content = Vec::new();
            File::open(path).unwrap().take(bytes).read_to_end(&mut content).unwrap();
            content
        })
    };
    let late = read_by(50, u64::MAX);
    let mut pipe = NewFile::create(&path, Existing::Keep).unwrap();
    pipe.write_all(&content).unwrap();
    pipe.finish().unwrap();
    assert!(late.join().unwrap() == content, "a pipe is never replaced, so there is nothing to keep");

    let begun = Instant::now();
    let nobody = replace(&path, &content).unwrap_err().to_string();
    assert!(nobody.contains("nobody reads from this pipe"), "{nobody}");
    assert!(begun.elapsed() < Duration::from_secs(10));

    let leaves = read_by(0, 10);
    let left = replace(&path, &content).unwrap_err().to_string();
    assert!(left.contains("the reader of this pipe left before the end"), "{left}");
    assert_eq!(leaves.join().unwrap().len(), 10);

    let idle = File::options().read(true).write(true).open(&path).unwrap();
    let mut pipe = NewFile::create(&path, Existing::Replace).unwrap();
    stop_waiting();
    let stopped = pipe.write_all(&content).unwrap_err().to_string();
    assert!(stopped.contains("stopped"), "{stopped}");
    drop(idle);
}
