//! A board and a debugger that sends anything. Each answer is a whole packet with the right checksum. What a second debugger
//! then reads of memory is what the chip has. A board that was only looked at goes on as one that never had a debugger.

use std::sync::LazyLock;

use board::gdb::{GdbEnd, Left, serve_client};
use mcu::Mcu;
use record::Control;
use units::{PS_PER_MS, Picoseconds};

use super::chips::Counting;
use super::debugger::{Debugger, answers, script};
use super::input::Input;

static RP2040: LazyLock<Counting> = LazyLock::new(Counting::rp2040);
static AVR: LazyLock<Counting> = LazyLock::new(Counting::avr);
/// More than a slice of a run, and the instructions in it.
const MOST_BEYOND: Picoseconds = Picoseconds::new(200 * PS_PER_MS);
/// Longer than the answer to any packet of a script, many times.
const MOST_HEARD_BYTES: usize = 32 << 20;

/// The first byte chooses the chip, the rest is the script of `debugger.rs`.
pub fn gdb_packets(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let counting: &Counting = input.one_of(&[&RP2040, &AVR]);
    let text = input.0;
    let mut chip = counting.chip();
    let (left, heard) = debug(&mut *chip, text);
    answers(&heard);
    assert!(heard.len() < MOST_HEARD_BYTES, "{} bytes were sent", heard.len());
    assert!(chip.now() < MOST_BEYOND, "it ran to {}", chip.now());
    if matches!(left, Left::End(GdbEnd::Chip(_))) {
        return Ok(());
    }
    check_memory(counting, &mut *chip, text);
    if text.split(|byte| *byte == b'\n').all(only_looks) {
        check_undisturbed(counting, &mut *chip);
    }
    Ok(())
}

/// Lets a debugger send a script to a chip; how it left, and what it heard.
fn debug(chip: &mut dyn Mcu, text: &[u8]) -> (Left, Vec<u8>) {
    let (debugger, heard) = Debugger::new(script(text));
    let left = serve_client(chip, Box::new(debugger), &Control::default(), &mut |_| {});
    (left, heard.take())
}

/// Memory as a debugger reads it, around the chip's ends of memories and at an address of the input.
fn check_memory(counting: &Counting, chip: &mut dyn Mcu, text: &[u8]) {
    let tail = &text[text.len().saturating_sub(5)..];
    let mut last = Input(tail);
    let length = usize::from(last.byte() & 63) + 1;
    let places: Vec<u32> = counting.places.into_iter().chain([counting.counter, last.long()]).collect();
    let lines: String = places.iter().map(|address| format!("$m{address:x},{length:x}\n")).collect();
    let (left, heard) = debug(chip, format!("$QStartNoAckMode\n{lines}$D\n").as_bytes());
    assert_eq!(left, Left::Detached);
    let answers = answers(&heard);
    assert_eq!(answers.len(), places.len() + 2, "each packet has its answer");
    for (&address, answer) in places.iter().zip(&answers[1..]) {
        let has = match chip.read_memory(address, length) {
            Ok(bytes) => bytes,
            Err(error) => {
                chip.read_memory(address, error.0.wrapping_sub(address) as usize).expect("it is readable")
            }
        };
        let text = String::from_utf8_lossy(answer);
        if has.is_empty() {
            assert!(text.starts_with('E'), "{address:#x}: {text}");
        } else {
            let digits: String = has.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(text, digits, "{address:#x}");
        }
    }
}

/// Whether a line of a script changes nothing: it reads, sets breakpoints, lets all cores run, or leaves.
fn only_looks(line: &[u8]) -> bool {
    let Some(body) = line.strip_prefix(b"$") else { return matches!(line, b"" | b"+" | b"-" | b"\x03") };
    let beginnings: [&[u8]; 11] =
        [b"m", b"p", b"g", b"?", b"H", b"T", b"qSupported", b"qXfer", b"qfThread", b"Z", b"z"];
    let whole: [&[u8]; 5] = [b"D", b"vCont;c", b"vCont;s:p1.1;c", b"vCont?", b"QStartNoAckMode"];
    beginnings.iter().any(|beginning| body.starts_with(beginning)) || whole.contains(&body)
}

/// The same chip without a debugger is at the same place at the same time.
fn check_undisturbed(counting: &Counting, chip: &mut dyn Mcu) {
    let end = Picoseconds::new(chip.now().ps() + PS_PER_MS);
    let mut twin = counting.chip();
    for chip in [&mut *chip, &mut *twin] {
        chip.run_until(end);
    }
    assert_eq!(chip.now(), twin.now());
    assert_eq!(chip.counts(), twin.counts());
    for core in 0..counting.kind.facts.cores {
        let registers = 0..counting.kind.facts.gdb.registers.len();
        let [own, others] = [&*chip, &*twin]
            .map(|chip| registers.clone().map(|number| chip.register(core, number)).collect::<Vec<_>>());
        assert_eq!(own, others, "core {core}");
    }
    assert_eq!(chip.read_memory(counting.counter, 4), twin.read_memory(counting.counter, 4));
    assert_eq!((chip.levels(), chip.driven()), (twin.levels(), twin.driven()));
}
