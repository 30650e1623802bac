//! Replays the corpus of the USB host's fuzz target on the stable compiler, and runs the target over changed seeds.

mod seeds;
#[path = "../../../../fuzz/usb/mod.rs"]
#[allow(unreachable_pub, missing_docs)]
mod usb;

#[test]
fn every_input_of_every_corpus_does_what_its_name_says() {
    testing::replay(&usb::TARGETS);
}

#[test]
fn no_change_of_a_seed_breaks_a_target() {
    testing::run_changed_seeds(&usb::TARGETS, 12);
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    testing::write_seeds("usb_device", seeds::usb_seeds());
}
