//! Replays the corpora of the blocks' fuzz targets on the stable compiler, makes their seeds, and runs the targets over changed
//! seeds.

#[path = "../../../../fuzz/blocks/mod.rs"]
#[allow(unreachable_pub, missing_docs)]
mod blocks;

#[test]
fn every_input_of_every_corpus_does_what_its_name_says() {
    for (target, name, bytes) in testing::corpora(&blocks::TARGETS) {
        assert_eq!(target(&bytes), Ok(()), "{name}");
    }
}

#[test]
fn no_change_of_a_seed_breaks_a_target() {
    testing::run_changed_seeds(&blocks::TARGETS, 24);
}

/// A wait of 2^n ns, and the registers' writes of a target.
const I2C_WAITS: u8 = 0xB0;
const LINE_WAITS: u8 = 0xA0;

fn i2c_seeds() -> Vec<(&'static str, Vec<u8>)> {
    let write = |port: u8, command: u16| [&[port][..], &command.to_be_bytes()].concat();
    let wait = [I2C_WAITS + 17];
    // Two bytes and a stop, and what the target received.
    let sent = [write(0, 0x041), write(0, 0x242), wait.to_vec(), vec![0x81, 0x81, 0xF8]].concat();
    // Three bytes are asked for; the target gives them one by one, as its controller waits.
    let asked = [write(0, 0x100), write(0, 0x100), write(0, 0x300)].concat();
    let given: Vec<u8> = [0x10, 0x20, 0x30]
        .into_iter()
        .flat_map(|byte| [wait.to_vec(), vec![0xA1, 0x14], write(1, byte)].concat())
        .collect();
    let asked = [asked, given, wait.to_vec(), vec![0x80, 0x80, 0x80]].concat();
    let held = [write(0, 0x2A5), vec![I2C_WAITS + 12, 0xDC, I2C_WAITS + 16, 0xD8], wait.to_vec()].concat();
    let many: Vec<u8> = (0..40).flat_map(|byte| write(0, byte)).collect();
    vec![
        ("valid-written", [vec![0], sent.clone()].concat()),
        ("valid-read", [vec![0], asked.clone()].concat()),
        ("valid-other-way-round", [vec![1], sent.clone()].concat()),
        ("valid-scl-held", [vec![0], held].concat()),
        ("valid-overrun", [vec![0], many, wait.to_vec(), wait.to_vec()].concat()),
        ("valid-repeated", [vec![0], sent, vec![0xF0], asked, vec![0xF0, 0xEB, 0xEC]].concat()),
    ]
}

fn line_seeds() -> Vec<(&'static str, Vec<u8>)> {
    let sent: Vec<u8> = b"line".iter().flat_map(|&byte| [0, byte]).collect();
    let wait = [LINE_WAITS + 19];
    // Start bit, 0x55 and stop bit: ten levels of a bit each, behind an idle bit.
    let heard = [&[0x89][..], &[4; 10]].concat();
    let overrun: Vec<u8> = (0..5).flat_map(|_| [&heard[..], &wait].concat()).collect();
    let broken = [0x80, 1 | 63 << 2, LINE_WAITS + 20, 0x80, 4];
    vec![
        ("valid-sent", [&sent[..], &wait, &[0xC8]].concat()),
        ("valid-heard", [&heard[..], &wait, &[0x61, 0xF1]].concat()),
        ("valid-without-fifo", [&[0x41, 0x0B, 0x60][..], &overrun, &[0x61, 0x61]].concat()),
        ("valid-break", [&broken[..], &wait, &[0x61]].concat()),
        ("valid-loop-back", [&[0x42, 0x0C, 0, 0, 0x03, 0x81][..], &sent, &wait, &[0x60, 0x60]].concat()),
        ("valid-repeated", [&sent[..], &heard, &[0xE0], &wait, &[0xC8, 0xDB, 0xDC]].concat()),
        ("valid-known-late", [&heard[..], &[0xE8, 0xFF, 0xFF], &heard, &[0xE8, 0, 9]].concat()),
    ]
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    for (target, seeds) in [("i2c_target", i2c_seeds()), ("serial_line", line_seeds())] {
        testing::write_seeds(target, seeds);
    }
}
