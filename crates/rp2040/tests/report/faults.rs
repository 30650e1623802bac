use mcu::Fault;
use mcu::Stop;
use mcu::image::Image;
use rp2040::chip::Rp2040;
use rp2040::report::{FaultReport, Found, describe_stop};
use units::Picoseconds;

use super::support::{load, own_images, started};

const SECOND: Picoseconds = Picoseconds::new(1_000_000_000_000);

fn run(name: &str, extension: &str) -> Option<(Image, Rp2040, Stop)> {
    let image = load(&own_images()?.join(format!("{name}.{extension}")));
    let mut chip = started(&image);
    let stop = chip.run_until(SECOND);
    Some((image, chip, stop))
}

fn fault(stop: Stop) -> Fault {
    let (Stop::Fault(fault) | Stop::LockedUp(fault)) = stop else { panic!("no fault but {stop:?}") };
    fault
}

fn functions(report: &FaultReport) -> Vec<&str> {
    let functions = report.backtrace.frames.iter().filter_map(|frame| frame.place.function.as_ref());
    functions.map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_fault_two_calls_deep_names_every_caller_with_its_line() {
    let Some((image, chip, stop)) = run("fault_unaligned", "elf") else { return };
    let report = FaultReport::of(&chip, image.symbols(), fault(stop));
    assert_eq!(functions(&report), ["read_word", "read_two_words", "main", "reset_handler"]);
    assert!(report.backtrace.frames[1..].iter().all(|frame| frame.found == Found::Called), "{report}");
    assert_eq!(report.registers.r[0], 0x2000_1001);
    assert_eq!(report.instruction.as_deref(), Some("ldr r0, [r0, #0]"));
    assert_eq!(report.place.lines[0].line, 32);
    assert_eq!(report.backtrace.frames[1].place.lines[0].line, 37);
    assert_eq!(report.last_instructions.len(), 32);
    let last: Vec<_> =
        report.last_instructions[28..].iter().map(|executed| executed.instruction.as_str()).collect();
    let call = format!("bl {:#010x} <read_word>", report.place.address);
    assert_eq!(last, ["push {r4, r5, r6, lr}", "movs r4, r0", &call, "ldr r0, [r0, #0]"]);
    assert!(report.to_string().lines().count() <= 60);
    assert!(
        describe_stop(&chip, image.symbols(), stop).ends_with("by the instruction at read_word (fault.c:32)")
    );
}

#[test]
fn a_main_stack_that_has_outgrown_its_room_is_pointed_out() {
    let Some((image, chip, stop)) = run("stack_overflow", "elf") else { return };
    let report = FaultReport::of(&chip, image.symbols(), fault(stop));
    let said = "the main stack has overflowed: it has 512 bytes down to __StackBottom at 0x20041e00, and its pointer is ";
    let note = report.notes.iter().find_map(|note| note.strip_prefix(said)).expect("a note");
    let over_bytes: u32 = note.split(' ').next().and_then(|count| count.parse().ok()).expect("a number");
    assert_eq!(over_bytes, 0x2004_1e00 - report.registers.sp());
    assert!(note.ends_with("in the Pico SDK by PICO_STACK_SIZE"), "{note}");
    let Some((image, chip, stop)) = run("fault_unaligned", "elf") else { return };
    let report = FaultReport::of(&chip, image.symbols(), fault(stop));
    assert_eq!(report.notes, [""; 0], "no symbols, nothing to say");
}

#[test]
fn a_jump_to_unmapped_memory_names_who_jumped() {
    let Some((image, chip, stop)) = run("fault_jump", "elf") else { return };
    let report = FaultReport::of(&chip, image.symbols(), fault(stop));
    assert_eq!(report.place.address, 0x3000_0000);
    assert_eq!(functions(&report), ["read_word", "read_two_words", "main", "reset_handler"]);
    assert_eq!(report.last_instructions.last().map(|last| last.instruction.as_str()), Some("blx r0"));
    assert!(report.what.contains("jump to 0x30000000"), "{}", report.what);
    assert!(report.what.ends_with("from read_word+0x6 (fault.c:30)"), "{}", report.what);
}

#[test]
fn without_names_the_same_callers_are_guessed() {
    let Some((_, chip, stop)) = run("fault_jump", "uf2") else { return };
    let (image, ..) = run("fault_jump", "elf").expect("both are built together");
    let named = FaultReport::of(&chip, image.symbols(), fault(stop));
    let guessed = FaultReport::of(&chip, &mcu::image::Symbols::default(), fault(stop));
    let addresses = |report: &FaultReport| -> Vec<u32> {
        report.backtrace.frames.iter().map(|frame| frame.place.address).collect()
    };
    assert_eq!(addresses(&guessed), addresses(&named));
    assert!(guessed.backtrace.frames[2..].iter().all(|frame| frame.found == Found::Guessed));
}

#[test]
fn a_lock_up_leads_back_through_the_handler_to_the_first_fault() {
    let Some((image, mut chip, _)) = run("fault_lockup", "elf") else { return };
    let stop = chip.run_until(SECOND);
    assert!(matches!(stop, Stop::LockedUp(_)), "{stop:?}");
    let report = FaultReport::of(&chip, image.symbols(), fault(stop));
    assert_eq!(
        functions(&report),
        ["hard_fault_handler", "read_word", "read_two_words", "main", "reset_handler"]
    );
    assert_eq!(report.backtrace.frames[1].found, Found::Interrupted(3));
    assert!(describe_stop(&chip, image.symbols(), stop).ends_with("so that core 0 is locked up"));
}

#[test]
fn a_snapshot_keeps_the_fault() {
    let Some((image, chip, stop)) = run("fault_unaligned", "elf") else { return };
    let copy = chip.snapshot().expect("the chip can be copied").to_chip();
    let report = |chip| FaultReport::of(chip, image.symbols(), fault(stop));
    assert_eq!(report(&copy), report(&chip));
}
