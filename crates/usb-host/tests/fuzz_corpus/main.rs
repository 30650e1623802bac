//! Replays the corpus of the USB host's fuzz target on the stable compiler, and runs the target over changed seeds.

mod seeds;
#[path = "../../../../fuzz/usb/mod.rs"]
#[allow(unreachable_pub, missing_docs)]
mod usb;

use std::sync::LazyLock;

use proptest::prelude::*;
use testing::Target;

#[test]
fn every_input_of_every_corpus_does_what_its_name_says() {
    testing::replay(&usb::TARGETS);
}

// `PROPTEST_CASES` raises how many there are.
proptest! {
    #[test]
    fn no_change_of_a_seed_breaks_a_target(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        static INPUTS: LazyLock<Vec<(Target, String, Vec<u8>)>> = LazyLock::new(|| testing::corpora(&usb::TARGETS));
        let (target, _, seed) = which.get(&INPUTS[..]);
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
    testing::write_seeds("usb_device", seeds::usb_seeds());
}
