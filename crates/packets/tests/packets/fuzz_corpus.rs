//! Replays the corpus of the fuzz target on the stable compiler, and its seeds with changes.

#[path = "../../../../fuzz/packets.rs"]
#[allow(unreachable_pub, missing_docs)]
mod target;

use std::path::{Path, PathBuf};

use proptest::prelude::*;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/packets")
}

#[test]
fn every_input_of_the_corpus_does_what_its_name_says() {
    let mut inputs = 0;
    for entry in corpus().read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let read = target::recording(&std::fs::read(&path).unwrap());
        assert_eq!(read.is_ok(), name.starts_with("valid-"), "{name}: {read:?}");
        inputs += 1;
    }
    assert!(inputs > 2, "the corpus has {inputs} inputs");
}

fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut paths: Vec<PathBuf> =
            corpus().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
    })
}

// `PROPTEST_CASES` raises how many there are.
proptest! {
    #[test]
    fn no_change_of_a_seed_breaks_the_target(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let mut bytes = which.get(seeds()).clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = target::recording(&bytes);
    }
}
