//! When conversions of the ADC start and end (ATmega328P datasheet, "Analog-to-Digital Converter"), as a program has them.

use mcu::{Mcu, Stop};

use crate::support::{DATA, HANG, RETI, SEI, SLEEP, chip, ldi, lds, rjmp, run, step, sts, with_handlers};

/// Addresses in the data space.
const PINB: u16 = 0x23;
const DDRB: u16 = 0x24;
const PIND: u16 = 0x29;
const DDRD: u16 = 0x2a;
const TIFR0: u16 = 0x35;
const TIFR1: u16 = 0x36;
const EIFR: u16 = 0x3c;
const TCCR0A: u16 = 0x44;
const TCCR0B: u16 = 0x45;
const OCR0A: u16 = 0x47;
const SMCR: u16 = 0x53;
const EICRA: u16 = 0x69;
const ADCSRA: u16 = 0x7a;
const ADCSRB: u16 = 0x7b;
const TCCR1A: u16 = 0x80;
const TCCR1B: u16 = 0x81;
const ICR1: u16 = 0x86;
const OCR1A: u16 = 0x88;
const OCR1B: u16 = 0x8a;
/// ADEN, ADATE and ADIE, with a clock of a sixteenth.
const TRIGGERED: u16 = 0x80 | 0x20 | 0x08 | 4;
/// ADEN and ADIE, with a clock of a 64th.
const SINGLE: u16 = 0x80 | 0x08 | 6;
/// The vector, and the handler's entry, its jump and its RETI at the most.
const ADC: usize = 21;
const CYCLE_PS: i64 = 62_500;

/// Writes these registers with these values.
fn writes(values: &[(u16, u16)]) -> Vec<u16> {
    values.iter().flat_map(|&(address, value)| [&[ldi(16, value)][..], &sts(address, 16)].concat()).collect()
}

/// How many conversions ended, by their interrupts.
fn conversions(chip: &dyn Mcu) -> u64 {
    chip.interrupts()[ADC - 1].1
}

#[test]
fn a_loop_as_arduino_has_it_takes_14_clocks_a_conversion() {
    let mut words = writes(&[(DDRB, 1), (ADCSRA, 0x87), (PINB, 1)]);
    let start = words.len();
    // 1: toggle PB0, set ADSC; 2: LDS R18, ADCSRA; SBRC R18, 6; RJMP 2b; RJMP 1b.
    words.extend(writes(&[(PINB, 1), (ADCSRA, 0xc7)]));
    words.extend(lds(18, ADCSRA));
    words.extend([0xfd26, 0xcffc]);
    words.push(rjmp(start as i16 - words.len() as i16 - 1));
    let mut chip = chip(&words);
    chip.record_pins(1);
    run(&mut *chip, 100_000);
    let edges = chip.take_edges();
    let ten = (edges[15].at - edges[5].at).ps() / CYCLE_PS;
    // The core sees an end up to one turn of its poll late.
    assert!((ten - 10 * 14 * 128).abs() <= 5, "{ten} cycles");
}

#[test]
fn idle_and_adc_noise_reduction_start_a_conversion_each_time() {
    for mode in [0, 1] {
        let main = [writes(&[(SMCR, mode << 1 | 1), (ADCSRA, SINGLE)]), vec![SEI, SLEEP, rjmp(-2)]].concat();
        let mut chip = chip(&with_handlers(&main, &[(ADC, &[RETI])]));
        assert_eq!(run(&mut *chip, 100_000), Stop::Time, "mode {mode}");
        // The first takes 25 clocks, the others 13, from the next edge on.
        assert_eq!(conversions(&*chip), 1 + (100_000 - 25 * 64) / (14 * 64), "mode {mode}");
    }
}

#[test]
fn power_down_starts_no_conversion_and_stops_one() {
    for control in [SINGLE, SINGLE | 0x40] {
        let main = [writes(&[(SMCR, 2 << 1 | 1), (ADCSRA, control)]), vec![SEI, SLEEP, HANG]].concat();
        let mut chip = chip(&with_handlers(&main, &[(ADC, &[RETI])]));
        assert_eq!(run(&mut *chip, 10_000), Stop::Asleep);
        assert_eq!(conversions(&*chip), 0);
        // ADSC is as the program left it.
        assert_eq!(chip.read_memory(DATA + u32::from(ADCSRA), 1).unwrap(), [control as u8]);
    }
}

/// A program that is set up like this and clears all flags for ever; the conversions of 100000 cycles.
fn conversions_by(source: u16, set_up: &[(u16, u16)]) -> u64 {
    let mut main = writes(set_up);
    main.extend(writes(&[(ADCSRB, source), (ADCSRA, TRIGGERED)]));
    main.push(SEI);
    let clear = writes(&[(TIFR0, 0xff), (TIFR1, 0xff)]);
    main.extend(&clear);
    main.push(rjmp(-(clear.len() as i16) - 1));
    let mut chip = chip(&with_handlers(&main, &[(ADC, &[RETI])]));
    run(&mut *chip, 100_000);
    conversions(&*chip)
}

#[test]
fn flags_of_timers_trigger_conversions_without_their_interrupts() {
    // Every 2000 cycles: timer 0 by 8 to 249 and timer 1 to 1999, with OCR1B at half of it.
    let of_timer_0 = [(TCCR0A, 2), (OCR0A, 249), (TCCR0B, 2)];
    let of_timer_1 = [(OCR1A + 1, 7), (OCR1A, 0xcf), (OCR1B + 1, 3), (OCR1B, 0xe7), (TCCR1B, 0x09)];
    let by_capture = [(TCCR1B, 0x18), (ICR1 + 1, 7), (ICR1, 0xcf), (TCCR1B, 0x19)];
    assert_eq!(conversions_by(3, &of_timer_0), 49);
    assert_eq!(conversions_by(5, &of_timer_1), 50);
    assert_eq!(conversions_by(7, &by_capture), 49);
    // Every 2048 and every 1024 cycles: overflows by 8, and of fast PWM with 10 bits.
    assert_eq!(conversions_by(4, &[(TCCR0B, 2)]), 48);
    assert_eq!(conversions_by(6, &[(TCCR1A, 3), (TCCR1B, 0x09)]), 97);
    // One that does not come.
    assert_eq!(conversions_by(4, &of_timer_0), 0);
}

#[test]
fn an_external_interrupt_triggers_one_conversion_until_its_flag_is_cleared() {
    // Two rising edges at PD2, with the flag cleared between them or not.
    let two_edges = |clears: u16| {
        let wait = vec![0; 1000];
        let edge = writes(&[(PIND, 4), (PIND, 4)]);
        let set_up = writes(&[(DDRD, 4), (EICRA, 3), (ADCSRB, 2), (ADCSRA, TRIGGERED)]);
        let parts = [&set_up[..], &[SEI], &edge, &wait, &writes(&[(EIFR, clears)]), &edge, &wait, &[HANG]];
        let mut chip = chip(&with_handlers(&parts.concat(), &[(ADC, &[RETI])]));
        run(&mut *chip, 4000);
        conversions(&*chip)
    };
    assert_eq!([0, 1].map(two_edges), [1, 2]);
}

#[test]
fn the_comparator_as_a_trigger_is_told_as_one_that_nobody_has() {
    let mut words = writes(&[(ADCSRB, 1), (ADCSRA, 0x84), (ADCSRA, 0xa4), (ADCSRA, 0xa4)]);
    words.push(HANG);
    let mut chip = chip(&words);
    step(&mut *chip, 8);
    let unknown = chip.unknown_accesses();
    let told: Vec<_> = unknown.iter().map(|one| (one.address, one.write, one.pc)).collect();
    // At the STS that sets ADATE.
    assert_eq!(told, [(DATA + u32::from(ADCSRB), true, 2 * (2 * 3 + 1))]);
}
