use super::*;

const TCCRA: u8 = 0;
const TCCRB: u8 = 1;

/// A timer of 8 bits in a mode, with its clock undivided from cycle 1 on.
fn narrow(wgm: u8, com_a: u8, ocra: u8) -> Timer {
    let mut timer = Timer::new(0, false);
    timer.write(TCCRA, wgm & 3 | com_a << 6, 0);
    timer.write(3, ocra, 0);
    timer.compare = timer.buffered;
    timer.write(TCCRB, wgm >> 2 << 3 | 1, 0);
    timer
}

fn count(timer: &mut Timer, cycle: u64) -> u8 {
    timer.read(2, cycle)
}

#[test]
fn it_counts_from_the_cycle_after_its_clock_is_selected() {
    let mut timer = narrow(0, 0, 0x80);
    assert_eq!([1, 2, 10].map(|cycle| count(&mut timer, cycle)), [0, 1, 9]);
    assert_eq!(count(&mut timer, 1 + 256), 0);
    assert_eq!(timer.flags(257), TOV | OCF[0] | OCF[1]);
    assert_eq!(Timer::new(1, true).channels, 3);
}

#[test]
fn a_match_is_flagged_when_the_counter_leaves_it() {
    // "Timer/Counter Timing Diagram, Setting of OCF0x": with OCR0x + 1.
    let mut timer = narrow(0, 0, 0x80);
    assert_eq!(timer.flags(1 + 0x80) & OCF[0], 0);
    assert_eq!(timer.flags(1 + 0x81) & OCF[0], OCF[0]);
}

#[test]
fn clear_on_compare_has_a_period_of_top_plus_one() {
    let mut timer = narrow(2, 1, 99);
    timer.enable(OCF[0], 1);
    let mut due = Vec::new();
    for _ in 0..3 {
        while !timer.interrupts()[1] {
            let next = timer.next();
            timer.advance(next);
        }
        due.push(timer.last);
        timer.acknowledge(1);
    }
    assert_eq!(due, [101, 201, 301]);
    assert_eq!(timer.flags & TOV, 0);
}

#[test]
fn a_prescaler_counts_on_whatever_the_timer_does() {
    let mut timer = Timer::new(1, false);
    timer.write(TCCRB, 3, 100);
    // The first tick is at the next multiple of 64, not 64 cycles later.
    assert_eq!([127, 128, 191, 192].map(|cycle| timer.read(4, cycle)), [0, 1, 1, 2]);
}

#[test]
fn fast_pwm_is_high_from_bottom_to_the_match() {
    // Non-inverting: OCR + 1 of 256 clocks high (datasheet, "Fast PWM Mode").
    let mut timer = narrow(3, 2, 63);
    let mut high = 0;
    for cycle in 257..257 + 256 {
        timer.advance(cycle);
        high += u32::from(timer.outputs[0]);
    }
    assert_eq!(high, 64);
}

#[test]
fn phase_correct_pwm_has_a_period_of_twice_top() {
    let mut timer = narrow(1, 2, 100);
    timer.enable(TOV, 1);
    let first = timer.overflow_from(1);
    let second = timer.overflow_from(first);
    assert_eq!(second - first, 510);
}

impl Timer {
    /// The cycle of its next overflow.
    fn overflow_from(&mut self, cycle: u64) -> u64 {
        self.clear_flags(TOV, cycle);
        (cycle + 1..).find(|&cycle| self.flags(cycle) & TOV != 0).unwrap()
    }
}

#[test]
fn a_write_to_the_counter_blocks_the_next_match() {
    let mut timer = narrow(0, 0, 0x20);
    timer.write(2, 0x20, 9);
    assert_eq!((timer.flags(11) & OCF[0], count(&mut timer, 11)), (0, 0x21));
}

#[test]
fn sixteen_bits_are_read_and_written_as_one() {
    let mut timer = Timer::new(1, false);
    timer.write(5, 0x12, 0);
    timer.write(4, 0xff, 1);
    timer.write(TCCRB, 1, 2);
    assert_eq!((timer.read(4, 3), timer.read(5, 4)), (0xff, 0x12));
    assert_eq!((timer.read(4, 5), timer.read(5, 6)), (0x01, 0x13));
}

#[test]
fn a_capture_keeps_the_count() {
    let mut timer = Timer::new(1, false);
    timer.write(TCCRB, 0x41, 0);
    timer.advance(1001);
    timer.capture_pin(false);
    assert_eq!(timer.flags & ICF, 0);
    timer.capture_pin(true);
    assert_eq!((timer.capture, timer.flags & ICF), (1000, ICF));
}
