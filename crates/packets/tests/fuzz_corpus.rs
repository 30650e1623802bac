//! Replays the corpus of the fuzz target on the stable compiler.

#[path = "../../../fuzz/packets.rs"]
#[allow(unreachable_pub, missing_docs)]
mod target;

use std::path::Path;

#[test]
fn every_input_of_the_corpus_does_what_its_name_says() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/packets");
    let mut inputs = 0;
    for entry in corpus.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let read = target::recording(&std::fs::read(&path).unwrap());
        assert_eq!(read.is_ok(), name.starts_with("valid-"), "{name}: {read:?}");
        inputs += 1;
    }
    assert!(inputs > 2, "the corpus has {inputs} inputs");
}
