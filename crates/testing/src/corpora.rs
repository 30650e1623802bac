//! The corpora of fuzz targets, which tests replay on the stable compiler.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

/// Seeds are small; what was found is made so.
const MOST_BYTES: usize = 4096;

/// A fuzz target: gives whether the bytes mean something, where they can be wrong.
pub type Target = fn(&[u8]) -> Result<(), String>;

/// The folder of a target's corpus.
pub fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// Every input of these targets with its target and its name, in the order of their names.
///
/// # Panics
/// When a corpus cannot be read, or has too few inputs or too large ones.
pub fn corpora(targets: &[(&str, Target)]) -> Vec<(Target, String, Vec<u8>)> {
    let mut found = Vec::new();
    for &(name, target) in targets {
        let folder = std::fs::read_dir(corpus(name)).expect("a target has a corpus");
        let mut paths: Vec<PathBuf> = folder.map(|entry| entry.expect("it can be read").path()).collect();
        paths.sort();
        assert!(paths.len() > 3 && paths.len() < 60, "{name} has {} inputs", paths.len());
        for path in paths {
            let bytes = std::fs::read(&path).expect("an input can be read");
            assert!(bytes.len() < MOST_BYTES, "{} is too large for a seed", path.display());
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.push((target, file, bytes));
        }
    }
    found
}

/// Gives every input of these targets to its target: one named `valid-` must mean something, and one named `invalid-` nothing.
///
/// # Panics
/// When an input does not do what its name says.
pub fn replay(targets: &[(&str, Target)]) {
    for (target, name, bytes) in corpora(targets) {
        match (name.split('-').next(), target(&bytes)) {
            (Some("valid"), Err(error)) => panic!("{name}: {error}"),
            (Some("invalid"), Ok(())) => panic!("{name} is valid"),
            _ => {}
        }
    }
}

/// Runs these targets over inputs of their corpora in which fewer than so many bytes are others. The environment's `PROPTEST_CASES` says
/// how many.
///
/// # Panics
/// When one breaks its target, with the changes.
pub fn run_changed_seeds(targets: &[(&str, Target)], most_changes: usize) {
    let seeds: Vec<_> = corpora(targets).into_iter().filter(|(.., bytes)| !bytes.is_empty()).collect();
    let changes = proptest::collection::vec((any::<Index>(), any::<u8>()), 1..most_changes);
    // A break is told with its input; no file beside the tests keeps it.
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let ran = runner.run(&(any::<Index>(), changes), |(which, changes)| {
        let (target, _, seed) = which.get(&seeds);
        let mut bytes = seed.clone();
        for (place, byte) in changes {
            bytes[place.index(seed.len())] = byte;
        }
        // Whether it means something is the target's to say.
        let _ = target(&bytes);
        Ok(())
    });
    if let Err(broken) = ran {
        panic!("{broken}");
    }
}

/// Writes the seeds of a target.
///
/// # Panics
/// When they cannot be written.
pub fn write_seeds(target: &str, seeds: Vec<(&str, Vec<u8>)>) {
    std::fs::create_dir_all(corpus(target)).expect("a folder can be made");
    for (name, bytes) in seeds {
        std::fs::write(corpus(target).join(name), bytes).expect("a seed can be written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "byte 7")]
    fn a_change_that_breaks_a_target_is_told() {
        let breaks: Target = |bytes| if bytes.contains(&7) { panic!("byte 7") } else { Ok(()) };
        run_changed_seeds(&[("uf2", breaks)], 200);
    }
}
