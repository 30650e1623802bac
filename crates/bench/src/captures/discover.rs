//! Which files a user means by paths and folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::labels::{group_of, text_of};
use super::options::Failure;

/// Endings of capture files that a folder is searched for, each also with a compression's ending.
const ENDINGS: [&str; 4] = ["csv", "sal", "sr", "vcd"];
const COMPRESSIONS: [&str; 3] = ["gz", "xz", "zst"];
/// Folders deeper than this are left out.
const MAX_DEPTH: usize = 32;

/// A file to analyse and the group that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file, as the user would find it.
    pub path: PathBuf,
    /// The folder below what the user named.
    pub group: String,
    /// The path as text, which no other capture of the batch has.
    pub name: String,
}

impl Source {
    /// A file of a group.
    pub fn new(path: &Path, group: String) -> Self {
        Self { path: path.to_owned(), group, name: text_of(path.as_os_str()) }
    }
}

/// All captures that `paths` mean: files as they are, folders with all capture files below them, sorted by name.
/// What cannot be read, and a folder without captures, becomes a failure.
pub fn discover(paths: &[PathBuf]) -> (Vec<Source>, Vec<Failure>) {
    let (mut sources, mut failures) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let before = sources.len() + failures.len();
            Walk { root: path, visited: BTreeSet::new(), sources: &mut sources, failures: &mut failures }
                .visit(path, 0);
            if sources.len() + failures.len() == before {
                failures.push(Failure::new(
                    path,
                    "there are no captures in this folder; Airwire looks for .csv, .sal, .sr and .vcd files, \
                     also with .gz, .xz or .zst",
                ));
            }
        } else {
            sources.push(Source::new(path, group_of(path, None)));
        }
    }
    // A file that was named twice, or by itself and by its folder, is one capture.
    let mut seen = BTreeSet::new();
    sources.retain(|source| seen.insert(source.path.clone()));
    tell_apart(&mut sources);
    (sources, failures)
}

/// Gives a number to names that bytes outside UTF-8 have made equal.
fn tell_apart(sources: &mut [Source]) {
    let (texts, others): (Vec<_>, Vec<_>) = sources.iter_mut().partition(|one| one.path.to_str().is_some());
    let mut taken: BTreeSet<String> = texts.into_iter().map(|source| source.name.clone()).collect();
    for source in others {
        let name = source.name.clone();
        let mut numbers = 2..;
        while !taken.insert(source.name.clone()) {
            source.name = numbers.next().map_or_else(String::new, |number| format!("{name} ({number})"));
        }
    }
}

/// The way through a folder, in which each folder below is visited once, by whatever links it is reached.
struct Walk<'a> {
    root: &'a Path,
    visited: BTreeSet<PathBuf>,
    sources: &'a mut Vec<Source>,
    failures: &'a mut Vec<Failure>,
}

impl Walk<'_> {
    fn visit(&mut self, folder: &Path, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.failures.push(Failure::new(folder, &format!("cannot list this folder: {error}")));
                return;
            }
        };
        if !fs::canonicalize(folder).is_ok_and(|own| self.visited.insert(own)) {
            return;
        }
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        // Folders by their own names come before links that lead back to one.
        paths.sort_by_cached_key(|path| (path.is_dir() && path.is_symlink(), path.clone()));
        for path in paths {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            if path.is_dir() {
                if depth < MAX_DEPTH {
                    self.visit(&path, depth + 1);
                }
            } else if is_capture_name(&path) {
                self.sources.push(Source::new(&path, group_of(&path, Some(self.root))));
            }
        }
    }
}

fn is_capture_name(path: &Path) -> bool {
    let ending = |path: &Path| path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending(path) {
        Some(last) if COMPRESSIONS.contains(&last.as_str()) => {
            ending(&path.with_extension("")).is_some_and(|inner| ENDINGS.contains(&inner.as_str()))
        }
        Some(last) => ENDINGS.contains(&last.as_str()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_captures_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/12B.csv", "a/1024B.sal", "a/12B.csv.gz", "a/notes.txt", "a/.hidden.csv", "readme.gz"]
        {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let (sources, failures) = discover(&[folder.path().to_owned()]);
        let found: Vec<(&str, String)> = sources
            .iter()
            .map(|s| (s.group.as_str(), s.path.file_name().unwrap().to_string_lossy().into_owned()))
            .collect();
        assert_eq!(found, [("a", "1024B.sal".into()), ("a", "12B.csv.gz".into()), ("b", "12B.csv".into())]);
        assert!(failures.is_empty());
    }

    #[test]
    fn a_file_that_was_named_twice_is_one_capture() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("12B.csv");
        fs::write(&path, "").unwrap();
        assert_eq!(discover(&[path.clone(), folder.path().to_owned(), path]).0.len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_visited_once_by_whatever_links_it_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("own")).unwrap();
        fs::write(folder.path().join("own/12B.csv"), "").unwrap();
        // Each of these doubled the number of ways at each of 32 levels.
        for link in ["a", "own/b", "own/c"] {
            std::os::unix::fs::symlink(folder.path(), folder.path().join(link)).unwrap();
        }
        let (sources, failures) = discover(&[folder.path().to_owned()]);
        assert_eq!((sources.len(), failures.len()), (1, 0));
        assert_eq!(sources[0].group, "own");
    }

    #[test]
    fn an_empty_folder_is_a_failure_that_says_what_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let (sources, failures) = discover(&[folder.path().to_owned()]);
        assert!(sources.is_empty());
        assert!(failures[0].message.contains(".sal"), "{}", failures[0].message);
    }
}
