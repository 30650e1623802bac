//! The chip as a whole: where it starts, what makes a program fail, copies and states, and a debugger's side.

use mcu::{DebugEvent, FaultKind, Stop, Watchpoint};

use crate::support::{
    DATA, HANG, NOP, PC, RETI, SEI, SP, bare, chip, hex, ldi, lds, load, out, read, rjmp, run, step, sts,
    with_handlers,
};

#[test]
fn a_boot_loader_that_is_alone_is_started_and_comes_round_to_itself() {
    // It jumps to the program that is not there, and the core runs through the erased flash back to it.
    let bytes: Vec<u8> = [0x9403u16, 0x940c, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut chip = bare(&avr::ATMEGA328P);
    chip.load(&load(&avr::ATMEGA328P, hex(0x7000, &bytes).as_bytes()).unwrap()).unwrap();
    assert_eq!(chip.register(0, PC), 0x7000);
    assert_eq!(run(&mut *chip, 50_000), Stop::Time);
    assert!(chip.register(0, 0) > 1);
}

#[test]
fn a_program_that_runs_into_empty_flash_faults_there() {
    let mut chip = chip(&[NOP, NOP]);
    let Stop::Fault(fault) = run(&mut *chip, 100) else { panic!("it went on") };
    assert_eq!((fault.kind, fault.pc), (FaultKind::Erased, 4));
    let report = chip.fault_report(&mcu::image::Symbols::default(), fault);
    let first = "core 0 faulted: it runs into flash that nothing was programmed into, at 0x0004";
    assert!(report.text.starts_with(first), "{}", report.text);
}

#[test]
fn a_stack_that_leaves_ram_faults() {
    // It calls itself.
    let mut chip = chip(&[0xdfff]);
    let Stop::Fault(fault) = run(&mut *chip, 10_000) else { panic!("it went on") };
    assert!(matches!(fault.kind, FaultKind::StackOverflow { .. }), "{fault:?}");
    assert!(chip.register(0, SP) < 0x100);
}

#[test]
fn a_read_behind_ram_is_told_and_gives_zero_and_a_write_faults() {
    let mut chip = chip(&[&[ldi(20, 7)][..], &lds(20, 0x0900), &[HANG]].concat());
    assert_eq!(run(&mut *chip, 100), Stop::Time);
    assert_eq!(chip.register(0, 20), 0);
    let unknown = chip.unknown_accesses();
    assert_eq!((unknown.len(), unknown[0].block, unknown[0].address), (1, "RAM", DATA + 0x900));
    let mut chip = crate::support::chip(&[&sts(0x0900, 20)[..], &[HANG]].concat());
    let Stop::Fault(fault) = run(&mut *chip, 100) else { panic!("it went on") };
    assert_eq!((fault.kind, fault.pc), (FaultKind::Unmapped { address: DATA + 0x900, write: true }, 0));
}

#[test]
fn a_word_that_is_no_instruction_faults() {
    let mut chip_ = chip(&[NOP, 0x9404]);
    let Stop::Fault(fault) = run(&mut *chip_, 100) else { panic!("it went on") };
    assert_eq!((fault.kind, fault.pc), (FaultKind::NoInstruction { code: 0x9404 }, 2));
}

#[test]
fn a_copy_and_a_state_go_on_alike() {
    // Timer 1 at F/8, a UART that prints its count without end.
    let mut words = vec![ldi(16, 8)];
    words.extend(sts(0xc1, 16));
    words.push(ldi(16, 2));
    words.extend(sts(0x81, 16));
    let again = words.len() as i16;
    words.extend(lds(20, 0x84));
    words.extend(sts(0xc6, 20));
    let here = words.len() as i16;
    words.push(rjmp(again - here - 1));
    let mut chip = chip(&words);
    run(&mut *chip, 1234);
    let mut copy = chip.copy().unwrap();
    let bytes = chip.state();
    let mut third = bare(&avr::ATMEGA328P);
    let (state, rest) = third.read_state(&bytes).unwrap();
    assert!(rest.is_empty());
    third.take_state(state);
    for chip in [&mut chip, &mut copy, &mut third] {
        run(&mut **chip, 5000);
    }
    assert_eq!(chip.state(), copy.state());
    assert_eq!(chip.state(), third.state());
    assert!(bare(&avr::ATMEGA1284P).read_state(&bytes).is_none());
    assert!(third.read_state(&bytes[..bytes.len() / 2]).is_none());
}

#[test]
fn breakpoints_and_watchpoints_stop_it() {
    let words = [&[ldi(16, 7), NOP][..], &sts(0x0200, 16), &[0x9503, HANG]].concat();
    let mut chip = chip(&words);
    chip.set_debugger(true);
    chip.set_breakpoints(vec![2]);
    assert_eq!(run(&mut *chip, 100), Stop::Debug(0, DebugEvent::Breakpoint(2)));
    chip.leave_stop(0);
    chip.set_watchpoints(vec![Watchpoint { address: DATA + 0x200, bytes: 1, reads: false, writes: true }]);
    let stop = run(&mut *chip, 100);
    assert_eq!(stop, Stop::Debug(0, DebugEvent::Watchpoint { address: DATA + 0x200, write: true }));
    assert_eq!(chip.read_memory(DATA + 0x200, 1).unwrap(), [7]);
    chip.set_register(0, 16, 0x41);
    step(&mut *chip, 1);
    assert_eq!(chip.register(0, 16), 0x42);
}

/// A program that jumps to where the largest boot loader begins, at word 0x3800, and has these words there.
fn in_boot_section(words: &[u16]) -> Vec<u16> {
    [&[0x940c, 0x3800][..], &vec![NOP; 0x3800 - 2], words].concat()
}

#[test]
fn a_program_may_write_its_own_flash_from_the_boot_section_alone() {
    // The page buffer's first word, then the page of 0x1000: erase, wait, write, wait, read back.
    let spmcsr = 0x37;
    let spm = 0x95e8u16;
    let wait = [0xb767u16, 0xfd60, 0xcffd];
    let step_of = |what: u16| [ldi(16, what), out(spmcsr, 16), spm];
    let words = [
        &[ldi(30, 0), ldi(31, 0x10), ldi(17, 0x34), ldi(18, 0x12), 0x2e01, 0x2e12][..],
        &step_of(0x01),
        &step_of(0x03),
        &wait,
        &step_of(0x05),
        &wait,
        &[0x9145, 0x9154, HANG],
    ]
    .concat();
    let mut boot_loader = chip(&in_boot_section(&words));
    run(&mut *boot_loader, 200_000);
    assert_eq!((boot_loader.register(0, 20), boot_loader.register(0, 21)), (0x34, 0x12));
    assert_eq!(boot_loader.read_memory(0x1000, 3).unwrap(), [0x34, 0x12, 0xff]);
    // ATmega328P datasheet, "Boot Loader Support": elsewhere SPM does nothing.
    let mut application = chip(&[&words[..], &vec![NOP; 0x800 - words.len()], &[0x1234; 64]].concat());
    run(&mut *application, 200_000);
    assert_eq!(application.read_memory(0x1000, 4).unwrap(), [0x34, 0x12, 0x34, 0x12]);
}

#[test]
fn the_section_that_was_written_is_busy_until_somebody_enables_it() {
    let (spmcsr, spm) = (0x37, 0x95e8u16);
    let wait = [0xb767u16, 0xfd60, 0xcffd];
    let step_of = |what: u16| [ldi(16, what), out(spmcsr, 16), spm];
    // Erase a page: R20 is SPMCSR at once and R21 behind it; R22 is SPMCSR behind RWWSRE.
    let words = [
        &[ldi(30, 0), ldi(31, 0x10)][..],
        &step_of(0x03),
        &[read(20, spmcsr)],
        &wait,
        &[read(21, spmcsr)],
        &step_of(0x11),
        &[read(22, spmcsr), HANG],
    ]
    .concat();
    let mut chip = chip(&in_boot_section(&words));
    run(&mut *chip, 200_000);
    // As boot_rww_busy() of avr-libc looks at it.
    assert_eq!([20, 21, 22].map(|number| chip.register(0, number)), [0x43, 0x40, 0x00]);
}

#[test]
fn the_same_program_takes_the_same_course_in_slices_of_any_length() {
    let words: Vec<u16> = [&[ldi(16, 1), out(0x25, 16)][..], &[read_tcnt(), 0x0f14, rjmp(-3)]].concat();
    let mut whole = chip(&words);
    run(&mut *whole, 100_000);
    let mut sliced = chip(&words);
    for slice in (1..).take_while(|slice| slice * (slice + 1) / 2 < 100_000) {
        run(&mut *sliced, slice);
    }
    let rest = whole.now();
    sliced.run_until(rest);
    // A slice ends behind an instruction, so that both may stand one further.
    while sliced.cycles() < whole.cycles() {
        sliced.step(0);
    }
    assert_eq!(whole.register(0, 17), sliced.register(0, 17));
    assert_eq!(whole.cycles(), sliced.cycles());
}

/// IN R20, TCNT0.
fn read_tcnt() -> u16 {
    crate::support::read(20, 0x26)
}

#[test]
fn a_loop_that_looks_at_a_timer_until_it_is_time_is_told_as_a_wait_for_the_clock() {
    const TCCR0B: u16 = 0x25;
    const TCNT0: u16 = 0x26;
    const PORTB: u16 = 0x05;
    // Timer 0 counts every 64 cycles, which are 4 us. At 200 a pin changes, and it all begins anew.
    let until_200 = [read(20, TCNT0), 0x3c08 | (20 - 16) << 4, 0xf3e8];
    let anew = [out(PORTB, 16), out(TCNT0, 17), rjmp(-6)];
    let mut chip =
        chip(&[&[ldi(16, 3), ldi(17, 0), out(TCCR0B, 16)][..], &until_200, &anew, &[HANG]].concat());
    chip.record_waits(true);
    run(&mut *chip, 64 * 200 * 5);
    let waits = chip.take_waits().at_clock;
    assert_eq!(waits.len(), 5, "the last one is under way: {waits:?}");
    for (from, to) in &waits[..4] {
        let us = (*to - *from).ps() / units::PS_PER_US;
        assert!((795..=800).contains(&us), "{us} us");
    }
}

/// A transmitter whose interrupt's handler sends a byte and counts it in RAM, beside a program that waits for the count or works.
fn sender(beside: &[u16]) -> Box<dyn mcu::Mcu> {
    const UCSR0B: u16 = 0xc1;
    const UBRR0L: u16 = 0xc4;
    const UDR0: u16 = 0xc6;
    const COUNT: u16 = 0x200;
    const EMPTY: usize = 19;
    // 62 500 bit/s: a byte takes 160 us. UDRIE0 and TXEN0.
    let start = [&[ldi(16, 15)][..], &sts(UBRR0L, 16), &[ldi(16, 0x28)], &sts(UCSR0B, 16), &[SEI]].concat();
    let inc_r18 = 0x9523;
    let handler = [&[inc_r18][..], &sts(UDR0, 18), &sts(COUNT, 18), &[RETI]].concat();
    let main = [&start[..], beside].concat();
    let mut chip = chip(&with_handlers(&main, &[(EMPTY, &handler)]));
    chip.record_waits(true);
    run(&mut *chip, 16 * 160 * 10);
    chip
}

#[test]
fn a_loop_that_the_handler_of_a_usart_ends_is_told_as_a_wait_for_the_usart() {
    // It looks at RAM, and nothing that it does changes anything.
    let looks = [&lds(20, 0x200)[..], &[rjmp(-3)]].concat();
    let waits = sender(&looks).take_waits().at_uart;
    assert!((8..=10).contains(&waits.len()), "{waits:?}");
    for (from, to) in &waits[3..] {
        let us = (*to - *from).ps() / units::PS_PER_US;
        assert!((155..=161).contains(&us), "{us} us of the 160 us of a byte");
    }
}

#[test]
fn a_loop_that_counts_until_the_handler_of_a_usart_comes_is_no_wait() {
    let inc_r20 = 0x9543;
    assert_eq!(sender(&[inc_r20, rjmp(-2)]).take_waits().at_uart, []);
    // Nor is one that stores.
    let stores = [&sts(0x204, 21)[..], &[rjmp(-3)]].concat();
    assert_eq!(sender(&stores).take_waits().at_uart, []);
}
