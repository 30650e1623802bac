//! The corpora of fuzz targets, which tests replay on the stable compiler.

use std::path::{Path, PathBuf};

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
