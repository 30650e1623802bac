use super::{B_SELF, BASE, BKPT, NOP, SVC, UDF, WFI, load_r0, run};
use crate::chip::Rp2040;
use crate::report::{FaultReport, describe_hang, describe_stop, wakes_from_outside};
use mcu::Stop;
use mcu::image::Symbols;

/// `str r0, [r1, #8]` with 0xe000_ed00 in R1: VTOR is what R0 holds.
const SET_VECTOR_TABLE: [u16; 5] = [0x21ed, 0x0209, 0x27e0, 0x063f, 0x19c9];
const STORE_VECTOR_TABLE: u16 = 0x6088;

fn sentence((chip, stop): &(Rp2040, Stop)) -> String {
    describe_stop(chip, &Symbols::default(), *stop)
}

fn with_vector_table(at: u32, rest: &[u16]) -> Vec<u16> {
    [&load_r0(at)[..], &SET_VECTOR_TABLE, &[STORE_VECTOR_TABLE], rest].concat()
}

#[test]
fn a_loop_of_one_instruction_is_a_hang() {
    let run = run(&[NOP, B_SELF]);
    assert_eq!(
        sentence(&run),
        "the time is over: core 0 hangs at 0x20000002 in SRAM: it branches to itself for ever, core 1 not launched"
    );
    assert!(
        describe_hang(&run.0, &Symbols::default()).is_some_and(|hang| hang.contains("branches to itself"))
    );
}

/// Idle tasks of operating systems are such loops; the ticks of their cores take them away from there.
#[test]
fn a_loop_of_one_instruction_is_no_hang_where_an_interrupt_may_come() {
    let (mut chip, stop) = run(&[NOP, B_SELF]);
    let said = |chip: &Rp2040| describe_stop(chip, &Symbols::default(), stop);
    fn poke(chip: &mut Rp2040, address: u32, value: u32) {
        chip.write_memory(address, &value.to_le_bytes()).unwrap();
    }
    // SysTick: reload, and its counter and its interrupt on; and NVIC_ISER instead.
    for [register, on, off] in [[0xe000_e010, 0b111, 0b101], [0xe000_e100, 1 << 4, 0]] {
        poke(&mut chip, 0xe000_e014, 1_000_000);
        poke(&mut chip, register, on);
        assert!(said(&chip).contains("core 0 waits for interrupts at 0x20000002"), "{}", said(&chip));
        assert_eq!(describe_hang(&chip, &Symbols::default()), None);
        poke(&mut chip, register, off);
        poke(&mut chip, 0xe000_e180, u32::MAX);
        assert!(said(&chip).contains("core 0 hangs"), "{}", said(&chip));
    }
    poke(&mut chip, 0xe000_e100, 1 << 4);
    chip.set_primask(0, true);
    assert!(said(&chip).contains("core 0 hangs"), "no interrupt comes while they are masked");
}

#[test]
fn a_loop_of_several_instructions_is_named_with_its_start() {
    // nop; nop; b.n to the first
    let run = run(&[NOP, NOP, 0xe7fc]);
    assert!(
        sentence(&run).contains("core 0 is in a loop of 6 bytes at 0x20000000 in SRAM"),
        "{}",
        sentence(&run)
    );
    assert_eq!(describe_hang(&run.0, &Symbols::default()), None);
}

#[test]
fn cores_that_sleep_for_ever_are_named_with_the_instruction() {
    let run = run(&[NOP, WFI, B_SELF]);
    assert_eq!(run.1, Stop::Asleep);
    assert_eq!(
        sentence(&run),
        "every core sleeps and nothing can wake it (core 0 in WFI at 0x20000002 in SRAM, core 1 not launched)"
    );
}

#[test]
fn a_core_that_waits_for_a_key_is_told_from_one_that_nothing_wakes() {
    let (mut chip, stop) = run(&[NOP, WFI, B_SELF]);
    assert_eq!((stop, wakes_from_outside(&chip)), (Stop::Asleep, Vec::new()));
    let mut poke = |address: u32, value: u32| chip.write_memory(address, &value.to_le_bytes()).unwrap();
    // RESETS lets UART0 go, UARTIMSC has the interrupts of received characters, NVIC_ISER that of UART0.
    poke(0x4000_f000, 1 << 22);
    poke(0x4003_4038, 1 << 4 | 1 << 6);
    poke(0xe000_e100, 1 << 20);
    assert_eq!(wakes_from_outside(&chip), ["uart0 receives"]);
}

#[test]
fn an_instruction_that_the_core_does_not_have_is_named_with_its_address() {
    // CBZ, which ARMv7-M has.
    let run = run(&[NOP, 0xb100]);
    assert_eq!(
        sentence(&run),
        "core 0 faulted: instruction 0xb100, which ARMv6-M does not have, by the instruction at 0x20000002 in SRAM"
    );
}

#[test]
fn udf_is_an_instruction_that_faults_on_purpose() {
    let run = run(&[NOP, UDF]);
    assert_eq!(
        sentence(&run),
        "core 0 faulted: UDF #0 (a panic or a compiler's trap in most images), by the instruction at 0x20000002 in SRAM"
    );
}

#[test]
fn a_breakpoint_without_names_is_told_as_it_is() {
    let sentence = sentence(&run(&[BKPT]));
    assert!(sentence.starts_with("core 0 faulted: BKPT #0") && sentence.contains("0x20000000"), "{sentence}");
}

#[test]
fn a_jump_to_no_memory_says_where_it_came_from() {
    let run = run(&[&load_r0(0x3000_0001)[..], &[0x4780]].concat());
    assert_eq!(
        sentence(&run),
        "core 0 faulted: jump to 0x30000000, where no memory is that code can run from, from 0x20000008 in SRAM"
    );
}

#[test]
fn a_vector_table_outside_memory_is_named() {
    let run = run(&with_vector_table(0x3000_0000, &[SVC]));
    let sentence = sentence(&run);
    assert!(
        sentence.contains("SVCall came, but the vector table at 0x30000000 (VTOR) is where no memory is"),
        "{sentence}"
    );
}

#[test]
fn a_fault_without_a_handler_says_that_there_is_none_and_that_the_core_is_locked_up() {
    let run = run(&with_vector_table(0x3000_0000, &[UDF]));
    assert!(matches!(run.1, Stop::LockedUp(_)), "{:?}", run.1);
    let sentence = sentence(&run);
    assert!(sentence.starts_with("core 0 faulted: UDF #0"), "{sentence}");
    assert!(sentence.contains("HardFault came, but the vector table at 0x30000000"), "{sentence}");
    assert!(sentence.ends_with("core 0 is locked up"), "{sentence}");
}

#[test]
fn an_entry_of_the_vector_table_that_is_no_handler_is_named() {
    // The table is in SRAM that holds zeros.
    let run = run(&with_vector_table(BASE + 0x1000, &[SVC]));
    let sentence = sentence(&run);
    assert!(
        sentence.contains("SVCall came, but its entry of the vector table at 0x20001000 is 0x00000000"),
        "{sentence}"
    );
}

#[test]
fn a_fault_in_the_handler_of_a_fault_locks_the_core_up() {
    let mut program = with_vector_table(BASE + 0x100, &[UDF]);
    program.resize(0x80, NOP);
    // The vector of HardFault leads to another undefined instruction.
    program.extend([0, 0, 0, 0, 0, 0, 0x0141, 0x2000]);
    program.resize(0xa0, NOP);
    program.push(UDF);
    let (mut chip, first) = run(&program);
    assert!(matches!(first, Stop::Fault(_)), "{first:?}");
    let second = chip.run_until(units::Picoseconds::new(2_000_000_000));
    let sentence = describe_stop(&chip, &Symbols::default(), second);
    assert!(matches!(second, Stop::LockedUp(_)), "{sentence}");
    assert!(sentence.contains("while it handled a fault"), "{sentence}");
    let asleep = describe_stop(&chip, &Symbols::default(), Stop::Asleep);
    assert!(asleep.contains("core 0 locked up after a fault at 0x20000140"), "{asleep}");
}

#[test]
fn semihosting_ends_with_the_reason_that_nothing_went_wrong_as_zero() {
    // movs r0, #0x18; r1 = 0x20026; bkpt 0xab
    let (chip, stop) = run(&[0x2018, 0x2102, 0x0409, 0x3126, 0xbeab]);
    assert_eq!(stop, Stop::Ended(0));
    assert_eq!(describe_stop(&chip, &Symbols::default(), stop), "the image ended itself (semihosting exit)");
    let (_, stop) = run(&[0x2018, 0x2102, 0x0409, 0x3123, 0xbeab]);
    assert_eq!(stop, Stop::Ended(0x2_0023));
}

/// The registers are stacked before the vector is read (ARMv6-M manual, B1.5.6): the vector table is not to blame.
#[test]
fn a_handler_whose_frame_cannot_be_stacked_is_told_with_the_stack_and_not_with_the_vector_table() {
    // sp = 0; push {r4, lr}
    let rest = [0x2000, 0x4685, 0xb510, B_SELF];
    let run = run(&with_vector_table(BASE + 0x100, &rest));
    let Stop::LockedUp(fault) = run.1 else { panic!("no lock-up but {:?}", run.1) };
    let report = FaultReport::of(&run.0, &Symbols::default(), fault);
    let told = report.notes.iter().filter(|note| note.contains("HardFault came")).collect::<Vec<_>>();
    assert_eq!(told.len(), 1, "{report}");
    assert!(told[0].contains("cannot be put on the stack: write at 0xffffffe0"), "{}", told[0]);
    assert!(!told[0].contains("VTOR"), "{}", told[0]);
}
