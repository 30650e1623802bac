//! Replays the corpora of the boards' fuzz targets on the stable compiler, and runs the targets over changed seeds.

#[path = "../../../../fuzz/boards/mod.rs"]
#[allow(unreachable_pub, missing_docs)]
mod boards;
mod seeds;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::prelude::*;

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// An input with its target.
type Seed = (boards::Target, PathBuf, Vec<u8>);

/// Every input with its target, in the order of their names.
fn inputs() -> &'static [Seed] {
    static INPUTS: OnceLock<Vec<Seed>> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let mut found = Vec::new();
        for (name, target) in boards::TARGETS {
            let folder = corpus(name).read_dir().unwrap();
            let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            assert!(paths.len() > 3 && paths.len() < 60, "{name} has {} inputs", paths.len());
            found.extend(paths.into_iter().map(|path| (target, path.clone(), std::fs::read(path).unwrap())));
        }
        found
    })
}

#[test]
fn every_input_of_every_corpus_does_what_its_name_says() {
    for (target, path, bytes) in inputs() {
        assert!(bytes.len() < 4096, "{} is too large for a seed", path.display());
        let name = path.file_name().unwrap().to_string_lossy();
        match (name.split('-').next().unwrap(), target(bytes)) {
            ("valid", Err(error)) => panic!("{}: {error}", path.display()),
            ("invalid", Ok(())) => panic!("{} is valid", path.display()),
            _ => {}
        }
    }
}

// `PROPTEST_CASES` raises how many there are.
proptest! {
    #[test]
    fn no_change_of_a_seed_breaks_a_target(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let (target, _, seed) = which.get(inputs());
        let mut bytes = seed.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = target(&bytes);
    }
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    for (target, seeds) in seeds::all() {
        std::fs::create_dir_all(corpus(target)).unwrap();
        for (name, bytes) in seeds {
            std::fs::write(corpus(target).join(name), bytes).unwrap();
        }
    }
}
