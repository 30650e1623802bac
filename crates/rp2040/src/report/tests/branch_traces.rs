use super::{BASE, NOP, SVC, UDF, WFI, load_r0, run};
use crate::chip::Rp2040;
use crate::report::{End, FaultReport, Found, describe_stop};
use mcu::Stop;
use mcu::image::Symbols;

fn report((chip, stop): &(Rp2040, Stop)) -> FaultReport {
    let (Stop::Fault(fault) | Stop::LockedUp(fault)) = *stop else { panic!("no fault but {stop:?}") };
    FaultReport::of(chip, &Symbols::default(), fault)
}

fn last(report: &FaultReport) -> Vec<(u32, &str)> {
    let shown = report.last_instructions.iter();
    shown.map(|executed| (executed.place.address - BASE, executed.instruction.as_str())).collect()
}

#[test]
fn the_last_instructions_end_with_the_one_that_faulted() {
    // b.n over one instruction; movs; udf
    let report = report(&run(&[NOP, 0xe000, NOP, 0x2001, UDF]));
    assert_eq!(
        last(&report),
        [(6, "movs r0, #1"), (8, "udf #0")],
        "what lay before the first branch is unknown"
    );
}

#[test]
fn there_are_thirty_two_of_them_at_the_most() {
    // movs r0, #100; 1: subs r0, #1; bne 1; udf
    let report = report(&run(&[0x2064, 0x3801, 0xd1fd, UDF]));
    let shown = last(&report);
    assert_eq!(shown.len(), 32);
    assert_eq!(shown[31], (6, "udf #0"));
    assert_eq!(shown[30], (4, "bne.n 0x20000002"));
    assert_eq!(shown[29], (2, "subs r0, #1"));
}

/// A program whose SVCall handler pushes R4 and LR and faults; and the offset of the SVC.
fn program_with_a_handler() -> (Vec<u16>, u32) {
    // A branch over the constant in front; VTOR = BASE + 0x100; svc.
    let mut program = load_r0(BASE + 0x100).to_vec();
    program.extend([0x21ed, 0x0209, 0x27e0, 0x063f, 0x19c9, 0x6088, 0x2442, SVC, NOP]);
    let svc = 2 * (program.len() as u32 - 2);
    program.resize(0x80, NOP);
    program.resize(0x80 + 22, 0);
    program.extend([0x0141, 0x2000]);
    program.resize(0xa0, NOP);
    program.extend([0xb510, UDF]);
    (program, svc)
}

#[test]
fn an_exception_is_marked_between_the_instructions() {
    let (program, svc) = program_with_a_handler();
    let report = report(&run(&program));
    let shown = last(&report);
    assert_eq!(shown[shown.len() - 3..], [(svc, "svc 0"), (0x140, "push {r4, lr}"), (0x142, "udf #0")]);
    assert!(report.last_instructions[shown.len() - 3].then_exception);
}

#[test]
fn the_backtrace_goes_through_an_exception_to_what_it_interrupted() {
    let (program, svc) = program_with_a_handler();
    let report = report(&run(&program));
    let frames: Vec<_> =
        report.backtrace.frames.iter().map(|frame| (frame.place.address, frame.found)).collect();
    assert_eq!(frames[..2], [(BASE + 0x142, Found::Here), (BASE + svc + 2, Found::Interrupted(11))]);
    assert!(report.to_string().contains("in the handler of SVCall, on the main stack"), "{report}");
    assert!(report.to_string().contains("<SVCall interrupted>"), "{report}");
}

#[test]
fn callers_without_debug_information_are_guesses() {
    // bl first; wfi  |  first: push {r4, lr}; sub sp, #8; bl second; pop  |  second: push {r5, lr}; udf
    let program = [0xf000, 0xf802, WFI, NOP, 0xb510, 0xb082, 0xf000, 0xf801, 0xbd10, 0xb520, UDF];
    let report = report(&run(&program));
    let frames: Vec<_> =
        report.backtrace.frames.iter().map(|frame| (frame.place.address - BASE, frame.found)).collect();
    assert_eq!(frames, [(0x14, Found::Here), (0x10, Found::Guessed), (4, Found::Guessed)], "{report}");
    assert_eq!(report.backtrace.end, End::Unknown);
    assert!(report.to_string().contains("(guess)"));
}

#[test]
fn registers_are_those_at_the_fault_and_not_of_its_handler() {
    // movs r0, #7; cmp r0, #7; udf
    let report = report(&run(&[0x2007, 0x2807, UDF]));
    assert_eq!(report.registers.r[0], 7);
    assert_eq!(report.registers.pc(), BASE + 4);
    assert_eq!((report.registers.exception(), report.registers.flags().as_str()), (0, "nZCv"));
    assert_eq!(report.instruction.as_deref(), Some("udf #0"));
}

#[test]
fn a_return_to_an_address_that_is_even_shows_the_function_that_returned() {
    // r0 = 0x20000100; push {r0}; pop {pc}
    let report = report(&run(&[&load_r0(0x2000_0100)[..], &[0xb401, 0xbd00]].concat()));
    assert_eq!(report.place.address, BASE + 10);
    assert!(report.what.contains("branch to 0x20000100 with bit 0 clear"), "{}", report.what);
}

#[test]
fn a_stack_pointer_outside_memory_is_pointed_out() {
    // sp = 0; push
    let report = report(&run(&[0x2000, 0x4685, 0xb510]));
    assert!(report.notes.iter().any(|note| note.contains("outside SRAM")), "{report}");
}

#[test]
fn the_text_fits_on_sixty_lines() {
    let (program, _) = program_with_a_handler();
    for program in [program, vec![0x2064, 0x3801, 0xd1fd, UDF]] {
        let report = report(&run(&program));
        assert!(report.to_string().lines().count() <= 60, "{report}");
    }
}

#[test]
fn random_programs_are_reported_without_harm() {
    let mut state = 12_345_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u16
    };
    for _ in 0..300 {
        let program: Vec<u16> = (0..200).map(|_| random()).collect();
        let (mut chip, mut stop) = run(&program);
        for _ in 0..3 {
            assert!(!describe_stop(&chip, &Symbols::default(), stop).is_empty());
            if let Stop::Fault(fault) | Stop::LockedUp(fault) = stop {
                let report = FaultReport::of(&chip, &Symbols::default(), fault);
                assert!(report.to_string().lines().count() <= 60, "{report}");
            }
            stop = chip.run_until(chip.now() + units::Picoseconds::new(1_000_000));
        }
    }
}
