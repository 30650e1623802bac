//! Replays the corpora of the boards' fuzz targets on the stable compiler, and runs the targets over changed seeds.

#[path = "../../../../fuzz/boards/mod.rs"]
#[allow(unreachable_pub, missing_docs)]
mod boards;
mod seeds;

#[test]
fn every_input_of_every_corpus_does_what_its_name_says() {
    testing::replay(&boards::TARGETS);
}

#[test]
fn no_change_of_a_seed_breaks_a_target() {
    testing::run_changed_seeds(&boards::TARGETS, 12);
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    for (target, seeds) in seeds::all() {
        testing::write_seeds(target, seeds);
    }
}
