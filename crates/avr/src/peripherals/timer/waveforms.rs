//! Outputs of all modes: what the datasheet says of a whole period, and random registers against the [`Reference`].

use super::reference::{Reference, Top, Wave, modes};
use super::*;
use testing::Random;

const TCCRA: u8 = 0;
const TCCRB: u8 = 1;
const TCNT: u8 = 4;
const ICR: u8 = 6;
const OCRA: u8 = 8;

/// Timers of each kind: 8 bits, 8 bits with more divisions, 16 bits with two outputs and with three.
const TIMERS: [(usize, bool); 4] = [(0, false), (2, false), (1, false), (3, true)];
const CASES: u64 = 60;
/// Each writes so many times.
const WRITES: u32 = 60;

/// A write of a register of 16 bits as the writes of bytes, or of the register of 8 bits that a smaller timer has for it.
fn bytes(is_wide: bool, register: u8, value: u16) -> Vec<(u8, u8)> {
    let [low, high] = value.to_le_bytes();
    match register {
        _ if is_wide => vec![(register + 1, high), (register, low)],
        TCNT => vec![(2, low)],
        OCRA.. => vec![(3 + (register - OCRA) / 2, low)],
        _ => Vec::new(),
    }
}

/// A timer that is written a byte a cycle.
struct Bench {
    timer: Timer,
    cycle: u64,
}

impl Bench {
    /// A timer with its clock undivided, and a register of 16 bits after the other.
    fn new(which: (usize, bool), wgm: u8, com: [u8; 3], registers: &[(u8, u16)]) -> Self {
        let mut bench = Self { timer: Timer::new(which.0, which.1), cycle: 0 };
        bench.write(TCCRA, com[0] << 6 | com[1] << 4 | com[2] << 2 | wgm & 3);
        bench.write(TCCRB, wgm >> 2 << 3);
        for &(register, value) in registers {
            bench.set(register, value);
        }
        bench.write(TCCRB, wgm >> 2 << 3 | 1);
        bench
    }

    fn write(&mut self, register: u8, value: u8) {
        self.timer.write(register, value, self.cycle);
        self.cycle += 1;
    }

    fn set(&mut self, register: u8, value: u16) {
        for (register, value) in bytes(self.timer.is_wide, register, value) {
            self.write(register, value);
        }
    }
}

/// A PWM mode of a timer, with an output of it.
#[derive(Debug, Clone, Copy)]
struct Pwm {
    which: (usize, bool),
    wgm: u8,
    wave: Wave,
    top: u16,
    channel: usize,
}

impl Pwm {
    /// Every PWM mode of every timer, with each output whose OCR is not TOP.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for which in TIMERS {
            let timer = Timer::new(which.0, which.1);
            for (wgm, &(wave, source)) in (0..).zip(modes(timer.is_wide)) {
                let top = if let Top::Is(top) = source { top } else { 100 };
                let first = usize::from(source == Top::Ocra);
                let one = |channel| Self { which, wgm, wave, top, channel };
                all.extend(timer.channels().skip(first).filter(|_| wave != Wave::Counting).map(one));
            }
        }
        all
    }

    fn period(&self) -> u64 {
        if self.wave == Wave::Fast { u64::from(self.top) + 1 } else { 2 * u64::from(self.top) }
    }

    /// How many clocks of a period the output is high, after some that were the same.
    fn clocks_high(&self, ocr: u16, com: u8) -> u64 {
        let registers = [(ICR, self.top), (OCRA, self.top), (OCRA + 2 * self.channel as u8, ocr)];
        let coms = [0, 1, 2].map(|channel| if channel == self.channel { com } else { 0 });
        let mut bench = Bench::new(self.which, self.wgm, coms, &registers);
        let start = bench.cycle + 4 * self.period();
        let high = (start..start + self.period()).filter(|cycle| {
            bench.timer.advance(*cycle);
            bench.timer.outputs[self.channel]
        });
        high.count() as u64
    }
}

#[test]
fn phase_correct_pwm_is_high_for_twice_its_ocr_in_twice_top() {
    // BOTTOM is continuously low, TOP continuously high, and inverting PWM the other way round.
    for pwm in Pwm::all().iter().filter(|pwm| pwm.wave != Wave::Fast) {
        for ocr in [0, 1, pwm.top / 2, pwm.top - 1, pwm.top] {
            let high = 2 * u64::from(ocr);
            let expected = [high, pwm.period() - high];
            assert_eq!([2, 3].map(|com| pwm.clocks_high(ocr, com)), expected, "OCR {ocr} of {pwm:?}");
        }
    }
}

#[test]
fn fast_pwm_is_high_for_its_ocr_and_one_clock_more() {
    // BOTTOM is a spike of one clock in TOP + 1, TOP is constant, and inverting PWM the other way round.
    for pwm in Pwm::all().iter().filter(|pwm| pwm.wave == Wave::Fast) {
        for ocr in [0, 1, pwm.top / 2, pwm.top - 1, pwm.top] {
            let high = u64::from(ocr) + 1;
            let expected = [high, pwm.period() - high];
            assert_eq!([2, 3].map(|com| pwm.clocks_high(ocr, com)), expected, "OCR {ocr} of {pwm:?}");
        }
    }
}

#[test]
fn an_output_whose_ocr_is_top_toggles_once_a_period() {
    for pwm in Pwm::all() {
        let (_, source) = modes(pwm.which.0 % 2 == 1)[usize::from(pwm.wgm)];
        if source == Top::Ocra {
            let of_a = Pwm { channel: 0, ..pwm };
            let mut bench = Bench::new(pwm.which, pwm.wgm, [1, 0, 0], &[(OCRA, pwm.top)]);
            let start = bench.cycle + 4 * of_a.period();
            let levels = (0..4).map(|period| {
                bench.timer.advance(start + period * of_a.period());
                bench.timer.outputs[0]
            });
            let levels: Vec<bool> = levels.collect();
            assert!(levels.windows(2).all(|pair| pair[0] != pair[1]), "{pwm:?}");
        }
    }
}

#[test]
fn an_output_falls_at_max_when_its_ocr_comes_down_from_there() {
    // "Phase Correct PWM Mode, Timing Diagram", the start of period 2: without a match, for symmetry around BOTTOM.
    let mut bench = Bench::new((0, false), 1, [2, 0, 0], &[(OCRA, 0xff)]);
    bench.cycle += 3 * 510;
    bench.set(OCRA, 50);
    let mut changes = Vec::new();
    for cycle in bench.cycle..bench.cycle + 2 * 510 {
        let before = bench.timer.outputs[0];
        bench.timer.advance(cycle);
        if bench.timer.outputs[0] != before {
            changes.push((bench.timer.outputs[0], bench.timer.count));
        }
    }
    // In the clocks after MAX, after the match downwards, and after the one upwards.
    assert_eq!(changes, [(false, 254), (true, 49), (false, 51), (true, 49)]);
}

#[test]
fn a_fixed_top_masks_what_is_written_to_an_ocr() {
    let mut bench = Bench::new((1, false), 1, [2, 0, 0], &[(OCRA, 0x17f)]);
    assert_eq!([8, 9].map(|half| bench.timer.read(half, bench.cycle)), [0x7f, 0]);
}

/// The same writes to two timers and to the reference. One is asked in every cycle, the other only when it says that something
/// is due, as the chip does.
struct Case {
    often: Timer,
    seldom: Timer,
    reference: Reference,
    cycle: u64,
    random: Random,
    /// What was done, for whoever reads a failure.
    story: Vec<String>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let (number, has_third) = random.of(&TIMERS);
        let often = Timer::new(number, has_third);
        let reference = Reference::new(often.is_wide, often.channels().len());
        let story = vec![format!("seed {seed}: timer {number}")];
        Self { seldom: often.clone(), often, reference, cycle: 0, random, story }
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle += 1;
            self.reference.cycle();
            self.often.advance(self.cycle);
            if self.seldom.next() <= self.cycle {
                self.seldom.advance(self.cycle);
            }
            self.compare();
        }
    }

    fn compare(&self) {
        let expected = (0..3).filter(|channel| self.reference.is_connected(*channel));
        let expected = expected.fold((0, 0), |(mask, levels), channel| {
            (mask | 1 << channel, levels | u8::from(self.reference.levels[channel]) << channel)
        });
        let shown = |timer: &Timer| timer.outputs();
        let both = [shown(&self.often), shown(&self.seldom)].map(|(mask, levels)| (mask, levels & mask));
        assert_eq!(both, [expected; 2], "in cycle {} of {:#?}", self.cycle, self.story);
        let (count, flags) = (self.often.count, self.often.flags);
        assert_eq!((count, flags), (self.reference.tcnt, self.reference.flags), "{:#?}", self.story);
    }

    /// Writes in a cycle, at the end of which the effect is there.
    fn write(&mut self, register: u8, value: u8) {
        self.reference.cycle();
        self.often.write(register, value, self.cycle);
        self.seldom.write(register, value, self.cycle);
        self.cycle += 1;
    }

    fn write_control(&mut self, register: u8, value: u8) {
        self.write(register, value);
        let [a, b] = self.often.control;
        let wide = self.often.is_wide;
        let (wave, top) = modes(wide)[usize::from(a & 3 | b >> 1 & if wide { 0xc } else { 4 })];
        self.reference.set_mode(wave, top);
        self.reference.com = [a >> 6, a >> 4 & 3, if wide { a >> 2 & 3 } else { 0 }];
        self.reference.division = self.often.division();
    }

    fn write_all(&mut self, register: u8, value: u16) {
        let value = value & self.often.max();
        bytes(self.often.is_wide, register, value)
            .into_iter()
            .for_each(|(register, half)| self.write(register, half));
        match register {
            TCNT => self.reference.write_tcnt(value),
            ICR => self.reference.icr = value,
            _ => self.reference.write_ocr(usize::from(register - OCRA) / 2, value),
        }
    }

    /// Values at which something is special, and others.
    fn value(&mut self) -> u16 {
        let (top, count) = (self.reference.top(), self.reference.tcnt);
        let [small, any] = [40, 1 << 16].map(|limit| self.random.below(limit) as u16);
        let near = [top.saturating_sub(1), top, top.saturating_add(1), count, 0xffff];
        let value = self.random.of(&near);
        self.random.of(&[0, 1, 2, small, small, small, small, value, value, any])
    }

    fn act(&mut self) {
        let value = self.value();
        let channel = self.random.below(self.often.channels().len() as u32) as u8;
        let control = self.random.any() as u8;
        let clock = self.random.of(&[1, 1, 1, 2, 3]);
        let act = self.random.below(10);
        self.story.push(format!("{act} in cycle {}: {value} or {control:#x} at {channel}", self.cycle));
        match act {
            0 if !self.often.is_wide => self.write_control(TCCRA, control & 0xf3),
            0 => self.write_control(TCCRA, control),
            1 => self.write_control(TCCRB, control & 0x18 | clock),
            2 => self.write_all(TCNT, value),
            3 | 4 => self.write_all(ICR, value),
            5..8 => self.write_all(OCRA + 2 * channel, value),
            _ => {
                let flags = self.often.flags;
                self.often.clear_flags(flags, self.cycle);
                self.seldom.clear_flags(flags, self.cycle);
                self.reference.flags = 0;
            }
        }
        self.compare();
    }
}

#[test]
fn random_registers_give_the_outputs_counts_and_flags_of_the_reference() {
    for seed in 0..CASES {
        let mut case = Case::new(seed);
        case.write_control(TCCRB, 1);
        for _ in 0..WRITES {
            case.act();
            let cycles = case.random.of(&[3, 20, 200, 2000]);
            let cycles = case.random.below(cycles).into();
            case.run(cycles);
        }
        case.seldom.advance(case.cycle);
        assert_eq!(case.seldom, case.often, "{:#?}", case.story);
    }
}
