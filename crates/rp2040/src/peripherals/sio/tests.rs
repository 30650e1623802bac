//! The single-cycle block through its registers. The interpolator's figures are those of the worked examples of
//! RP2040 datasheet 2.3.1.6.

use proptest::prelude::*;
use units::Picoseconds;

use super::*;
use crate::lines::Irq;
use crate::pins::Overrides;

const DIV_UDIVISOR: u32 = 0x64;
const DIV_SDIVIDEND: u32 = 0x68;
const DIV_SDIVISOR: u32 = 0x6c;
const DIV_QUOTIENT: u32 = 0x70;
const DIV_REMAINDER: u32 = 0x74;

const ACCUM: [u32; 2] = [0x80, 0x84];
const BASE: [u32; 3] = [0x88, 0x8c, 0x90];
const POP: [u32; 3] = [0x94, 0x98, 0x9c];
const PEEK: [u32; 3] = [0xa0, 0xa4, 0xa8];
const CTRL: [u32; 2] = [0xac, 0xb0];
const ADD: [u32; 2] = [0xb4, 0xb8];
const BASE_1AND0: u32 = 0xbc;
/// From an INTERP0 register to the same of INTERP1.
const INTERP1: u32 = 0x40;
const SIGNED: u32 = 1 << 15;
const CROSS_INPUT: u32 = 1 << 16;
const CROSS_RESULT: u32 = 1 << 17;
const ADD_RAW: u32 = 1 << 18;
const BLEND: u32 = 1 << 21;
const CLAMP: u32 = 1 << 22;

fn lane(shift: u32, lsb: u32, msb: u32) -> u32 {
    shift | lsb << 5 | msb << 10
}

struct Bench {
    sio: Sio,
    io: Io,
}

impl Bench {
    fn new() -> Self {
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        Self { sio: Sio::new(), io }
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.sio.read(0, offset, &mut self.io)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.sio.write(0, offset, value, &mut self.io);
    }

    fn advance_cycles(&mut self, cycles: i64) {
        self.io.now = self.io.now + Picoseconds::from_ns(8 * cycles);
    }

    fn divide(&mut self, operands: [u32; 2], dividend: u32, divisor: u32) -> (u32, u32) {
        self.write(operands[0], dividend);
        self.write(operands[1], divisor);
        self.advance_cycles(9);
        let remainder = self.read(DIV_REMAINDER);
        (self.read(DIV_QUOTIENT), remainder)
    }

    fn divide_unsigned(&mut self, dividend: u32, divisor: u32) -> (u32, u32) {
        self.divide([DIV_UDIVIDEND, DIV_UDIVISOR], dividend, divisor)
    }

    fn divide_signed(&mut self, dividend: i32, divisor: i32) -> (i32, i32) {
        let (q, r) = self.divide([DIV_SDIVIDEND, DIV_SDIVISOR], dividend as u32, divisor as u32);
        (q as i32, r as i32)
    }
}

#[test]
fn each_core_reads_its_own_number() {
    let mut bench = Bench::new();
    assert_eq!(bench.sio.read(0, CPUID, &mut bench.io), 0);
    assert_eq!(bench.sio.read(1, CPUID, &mut bench.io), 1);
}

#[test]
fn set_clear_and_toggle_move_only_their_pins() {
    let mut bench = Bench::new();
    for pin in [0, 5, 29] {
        bench.io.pins.set_control(bench.io.now, pin, Function::Sio as u8, Overrides::default());
    }
    bench.write(GPIO_OE_SET, 1 | 1 << 5 | 1 << 29);
    bench.write(GPIO_OUT, 1 << 29);
    assert_eq!(bench.io.pins.levels(), 1 << 29);
    bench.write(GPIO_OUT_SET, 1 << 5);
    bench.write(GPIO_OUT_XOR, 1 << 5 | 1);
    assert_eq!(bench.io.pins.levels(), 1 << 29 | 1);
    bench.write(GPIO_OUT_CLR, 1 << 29);
    assert_eq!(bench.read(GPIO_OUT), 1);
    bench.advance_cycles(3);
    assert_eq!(bench.read(GPIO_IN), 1);
    bench.write(GPIO_OE_CLR, 1);
    assert_eq!(bench.read(GPIO_OE), 1 << 5 | 1 << 29);
    bench.advance_cycles(3);
    assert_eq!(bench.read(GPIO_IN), 0, "the pull-down wins when nothing drives");
}

#[test]
fn a_level_passes_two_flip_flops_before_software_reads_it() {
    let mut bench = Bench::new();
    bench.advance_cycles(100);
    bench.write(GPIO_OE_SET, 1);
    bench.io.pins.set_control(bench.io.now, 0, Function::Sio as u8, Overrides::default());
    bench.write(GPIO_OUT_SET, 1);
    let mut seen = Vec::new();
    for _ in 0..4 {
        bench.advance_cycles(1);
        seen.push(bench.read(GPIO_IN) & 1);
    }
    assert_eq!(seen, [0, 0, 1, 1], "loads that end 1, 2, 3 and 4 cycles after the store");
    // Half a cycle after an edge of the clock the next one takes it.
    bench.io.pins.drive_outside(bench.io.now + Picoseconds::from_ns(4), 1, Some(true));
    bench.advance_cycles(2);
    assert_eq!(bench.read(GPIO_IN) >> 1 & 1, 0);
    bench.advance_cycles(1);
    assert_eq!(bench.read(GPIO_IN) >> 1 & 1, 1);
}

#[test]
fn there_are_thirty_pins_and_six_more() {
    let mut bench = Bench::new();
    bench.write(GPIO_OUT, u32::MAX);
    bench.write(GPIO_HI_OUT, u32::MAX);
    bench.write(GPIO_HI_OE, 0b10);
    assert_eq!(bench.read(GPIO_OUT), 0x3fff_ffff);
    assert_eq!(bench.sio.high_outputs(), (0x3f, 0b10));
    bench.sio.set_high_inputs(0b10);
    assert_eq!(bench.read(GPIO_HI_IN), 0b10);
}

#[test]
fn a_reset_lets_go_of_the_pins() {
    let mut bench = Bench::new();
    bench.io.pins.set_control(bench.io.now, 3, Function::Sio as u8, Overrides::default());
    bench.write(GPIO_OE, 8);
    bench.write(GPIO_OUT, 8);
    bench.sio.reset(&mut bench.io);
    assert_eq!(bench.io.pins.driven_by(Function::Sio), (0, 0));
    assert_eq!(bench.io.pins.levels(), 0);
}

#[test]
fn a_spinlock_belongs_to_the_core_that_read_it_first() {
    let mut bench = Bench::new();
    let lock = SPINLOCK0 + 4 * 7;
    assert_eq!(bench.sio.read(1, lock, &mut bench.io), 1 << 7);
    assert_eq!(bench.sio.read(0, lock, &mut bench.io), 0);
    assert_eq!(bench.sio.read(1, lock, &mut bench.io), 0, "not even its owner gets it twice");
    assert_eq!(bench.read(SPINLOCK_ST), 1 << 7);
    bench.sio.write(1, lock, 0, &mut bench.io);
    assert_eq!(bench.read(SPINLOCK_ST), 0);
    assert_eq!(bench.sio.peek(0, lock, &bench.io), 1 << 7);
    assert_eq!(bench.read(lock), 1 << 7, "to look at it did not claim it");
    assert_eq!(bench.read(SPINLOCK31), 1 << 31);
}

#[test]
fn eight_words_fit_in_a_mailbox_and_arrive_in_order() {
    let mut bench = Bench::new();
    for word in 0..8 {
        assert_eq!(bench.read(FIFO_ST), 0b10, "ready for more, nothing received");
        bench.write(FIFO_WR, 100 + word);
    }
    assert_eq!(bench.read(FIFO_ST), 0b00);
    for word in 0..8 {
        assert_eq!(bench.sio.read(1, FIFO_ST, &mut bench.io), 0b11);
        assert_eq!(bench.sio.read(1, FIFO_RD, &mut bench.io), 100 + word);
    }
    assert_eq!(bench.sio.read(1, FIFO_ST, &mut bench.io), 0b10);
}

#[test]
fn the_ninth_word_is_lost_and_leaves_a_flag_and_an_interrupt_with_its_sender() {
    let mut bench = Bench::new();
    for word in 0..9 {
        bench.write(FIFO_WR, word);
    }
    assert_eq!(bench.read(FIFO_ST), 0b0100);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::SIO_PROC0.0 | 1 << Irq::SIO_PROC1.0);
    bench.write(FIFO_ST, 0b0100);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::SIO_PROC1.0);
    for word in 0..8 {
        assert_eq!(bench.sio.read(1, FIFO_RD, &mut bench.io), word);
    }
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn reading_an_empty_mailbox_leaves_a_flag_until_it_is_cleared() {
    let mut bench = Bench::new();
    bench.sio.read(1, FIFO_RD, &mut bench.io);
    assert_eq!(bench.sio.read(1, FIFO_ST, &mut bench.io), 0b1010);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::SIO_PROC1.0);
    bench.sio.write(1, FIFO_ST, u32::MAX, &mut bench.io);
    assert_eq!(bench.sio.read(1, FIFO_ST, &mut bench.io), 0b0010);
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn a_division_takes_eight_cycles() {
    let mut bench = Bench::new();
    bench.write(DIV_UDIVIDEND, 123_456);
    bench.write(DIV_UDIVISOR, 321);
    // The load takes a cycle of its own after the eight.
    bench.advance_cycles(8);
    assert_eq!(bench.read(DIV_CSR), 0b10);
    bench.advance_cycles(1);
    assert_eq!(bench.read(DIV_CSR), 0b11);
    assert_eq!(bench.read(DIV_REMAINDER), 192);
    assert_eq!(bench.read(DIV_CSR), 0b11, "only the quotient ends being dirty");
    assert_eq!(bench.read(DIV_QUOTIENT), 384);
    assert_eq!(bench.read(DIV_CSR), 0b01);
}

#[test]
fn divisions_truncate_towards_zero_and_survive_their_corners() {
    let mut bench = Bench::new();
    assert_eq!(bench.divide_signed(123_456, -321), (-384, 192));
    assert_eq!(bench.divide_signed(-123_456, 321), (-384, -192));
    assert_eq!(bench.divide_signed(i32::MIN, -1), (i32::MIN, 0));
    assert_eq!(bench.divide_signed(3000, 0), (-1, 3000));
    assert_eq!(bench.divide_signed(0, 0), (-1, 0));
    assert_eq!(bench.divide_signed(-3000, 0), (1, -3000));
    assert_eq!(bench.divide_unsigned(0x8000_0000, 0), (u32::MAX, 0x8000_0000));
    assert_eq!(bench.divide_unsigned(u32::MAX, 1), (u32::MAX, 0));
}

#[test]
fn a_saved_result_can_be_put_back_in_the_middle_of_another_division() {
    let mut bench = Bench::new();
    let saved = bench.divide_signed(123_456, -321);
    bench.write(DIV_UDIVIDEND, 99);
    bench.write(DIV_REMAINDER, saved.1 as u32);
    bench.write(DIV_QUOTIENT, saved.0 as u32);
    assert_eq!(bench.read(DIV_CSR), 0b11);
    bench.advance_cycles(9);
    assert_eq!(bench.read(DIV_REMAINDER) as i32, saved.1);
    assert_eq!(bench.read(DIV_QUOTIENT) as i32, saved.0);
}

#[test]
fn a_division_takes_eight_cycles_of_its_own_core_however_far_the_other_one_is_ahead() {
    let mut bench = Bench::new();
    bench.advance_cycles(100);
    let cycles = |cycles: i64| Picoseconds::from_ns(8 * cycles);
    bench.io.ahead = cycles(16);
    bench.write(DIV_UDIVIDEND, 1);
    bench.write(DIV_UDIVISOR, 10);
    bench.io.ahead = cycles(8);
    assert_eq!(bench.read(DIV_CSR), 0b10);
    bench.io.ahead = cycles(7);
    assert_eq!(bench.read(DIV_CSR), 0b11);
    assert_eq!((bench.read(DIV_REMAINDER), bench.read(DIV_QUOTIENT)), (1, 0));
}

#[test]
fn each_core_has_a_divider_of_its_own() {
    let mut bench = Bench::new();
    bench.sio.write(1, DIV_UDIVIDEND, 10, &mut bench.io);
    bench.sio.write(1, DIV_UDIVISOR, 3, &mut bench.io);
    assert_eq!(bench.divide_unsigned(100, 7), (14, 2));
    assert_eq!(bench.sio.read(1, DIV_REMAINDER, &mut bench.io), 1);
    assert_eq!(bench.sio.read(1, DIV_QUOTIENT, &mut bench.io), 3);
}

#[test]
fn popping_a_lane_counts_up_by_its_base() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(0, 0, 31));
    bench.write(BASE[0], 9);
    let table: Vec<u32> = (0..10).map(|_| bench.read(POP[0])).collect();
    assert_eq!(table, [9, 18, 27, 36, 45, 54, 63, 72, 81, 90]);
}

#[test]
fn a_moving_mask_cuts_out_nibbles_and_extends_their_sign() {
    let mut bench = Bench::new();
    bench.write(ACCUM[0], 0x1234_abcd);
    for nibble in 0..8 {
        let (low, high) = (nibble * 4, nibble * 4 + 3);
        bench.write(CTRL[0], lane(0, low, high));
        assert_eq!(bench.read(ADD[0]), 0x1234_abcd & (0xf << low));
    }
    for (nibble, expected) in
        [0xffff_fffd, 0xffff_ffc0, 0xffff_fb00, 0xffff_a000, 0x4_0000, 0x30_0000, 0x200_0000, 0x1000_0000]
            .into_iter()
            .enumerate()
    {
        let low = nibble as u32 * 4;
        bench.write(CTRL[0], lane(0, low, low + 3) | SIGNED);
        assert_eq!(bench.read(ADD[0]), expected);
    }
}

#[test]
fn crossed_results_feed_the_other_accumulator() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(0, 0, 31) | CROSS_RESULT);
    bench.write(CTRL[1], lane(0, 0, 31) | CROSS_RESULT);
    bench.write(ACCUM[0], 123);
    bench.write(ACCUM[1], 456);
    bench.write(BASE[0], 1);
    bench.write(BASE[1], 0);
    let pairs: Vec<_> = (0..5).map(|_| (bench.read(PEEK[0]), bench.read(POP[1]))).collect();
    assert_eq!(pairs, [(124, 456), (457, 124), (125, 457), (458, 125), (126, 458)]);
}

#[test]
fn a_blend_lies_between_its_bases() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(0, 0, 31) | BLEND);
    bench.write(CTRL[1], lane(0, 0, 31));
    bench.write(BASE[0], 500);
    bench.write(BASE[1], 1000);
    let values: Vec<u32> = (0..=6)
        .map(|i| {
            bench.write(ACCUM[1], 255 * i / 6);
            bench.read(PEEK[1])
        })
        .collect();
    assert_eq!(values, [500, 582, 666, 748, 832, 914, 998]);
}

#[test]
fn lane_1_says_whether_a_blend_is_signed() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(0, 0, 31) | BLEND);
    bench.write(BASE[0], -1000i32 as u32);
    bench.write(BASE[1], 1000);
    let mut blend = |ctrl: u32| -> Vec<u32> {
        bench.write(CTRL[1], ctrl);
        (0..=6)
            .map(|i| {
                bench.write(ACCUM[1], 255 * i / 6);
                bench.read(PEEK[1])
            })
            .collect()
    };
    let signed: Vec<i32> = blend(lane(0, 0, 31) | SIGNED).into_iter().map(|v| v as i32).collect();
    assert_eq!(signed, [-1000, -672, -336, -8, 328, 656, 992]);
    let unsigned = blend(lane(0, 0, 31));
    assert_eq!(
        unsigned,
        [0xffff_fc18, 0xd5ff_fd60, 0xaaff_feb0, 0x80ff_fff8, 0x5600_0148, 0x2c00_0290, 0x0100_03e0]
    );
}

#[test]
fn both_bases_are_written_at_once_with_the_sign_that_the_blend_has() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(0, 0, 31) | BLEND);
    bench.write(CTRL[1], lane(0, 0, 31));
    bench.write(ACCUM[1], 128);
    bench.write(BASE_1AND0, 0x3000_5000);
    assert_eq!(bench.read(PEEK[1]), 0x4000);
    bench.write(BASE_1AND0, 0xe000_f000);
    assert_eq!(bench.read(PEEK[1]), 0xe800);
    bench.write(CTRL[1], lane(0, 0, 31) | SIGNED);
    bench.write(BASE_1AND0, 0xe000_f000);
    assert_eq!(bench.read(PEEK[1]), 0xffff_e800);
}

#[test]
fn interp1_clamps_between_its_bases() {
    let mut bench = Bench::new();
    bench.write(CTRL[0] + INTERP1, lane(2, 0, 29) | SIGNED | CLAMP);
    bench.write(BASE[0] + INTERP1, 0);
    bench.write(BASE[1] + INTERP1, 255);
    let clamped: Vec<u32> = (-4..=4)
        .map(|i: i32| {
            bench.write(ACCUM[0] + INTERP1, (i * 256) as u32);
            bench.read(PEEK[0] + INTERP1)
        })
        .collect();
    assert_eq!(clamped, [0, 0, 0, 0, 0, 64, 128, 192, 255]);
}

#[test]
fn only_interp0_blends_and_only_interp1_clamps() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], u32::MAX);
    bench.write(CTRL[0] + INTERP1, u32::MAX);
    assert_eq!(bench.read(CTRL[0]) & (BLEND | CLAMP), BLEND);
    assert_eq!(bench.read(CTRL[0] + INTERP1) & (BLEND | CLAMP), CLAMP);
}

#[test]
fn samples_are_interpolated_between_neighbours() {
    let samples: [i16; 5] = [0, 10, -20, -1000, 500];
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(11, 1, 20) | BLEND);
    bench.write(CTRL[1], lane(4, 0, 31) | SIGNED | CROSS_INPUT);
    let mut values = Vec::new();
    for _ in 0..16 {
        let pair = bench.read(PEEK[2]) as usize / 2;
        bench.write(BASE[0], i32::from(samples[pair]) as u32);
        bench.write(BASE[1], i32::from(samples[pair + 1]) as u32);
        values.push(bench.read(PEEK[1]) as i32);
        bench.write(ADD[0], 1024);
    }
    let between = |a: i32, b: i32| (0..4).map(move |k| a + (64 * k * (b - a)).div_euclid(256));
    let expected: Vec<i32> =
        samples.windows(2).flat_map(|pair| between(pair[0].into(), pair[1].into())).collect();
    assert_eq!(values, expected);
}

#[test]
fn a_texture_is_walked_in_two_directions_at_once() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(16, 0, 1) | ADD_RAW);
    bench.write(CTRL[1], lane(14, 2, 3) | ADD_RAW);
    bench.write(BASE[0], 65536 / 2);
    bench.write(BASE[1], 65536 / 3);
    let texels: Vec<u32> = (0..12).map(|_| bench.read(POP[2])).map(|i| i / 4 * 16 + i % 4).collect();
    assert_eq!(texels, [0x00, 0x00, 0x01, 0x01, 0x12, 0x12, 0x13, 0x23, 0x20, 0x20, 0x31, 0x31]);
}

#[test]
fn forced_bits_show_on_the_bus_but_stay_out_of_the_accumulator() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(0, 0, 31) | 0b10 << 19);
    bench.write(BASE[0], 4);
    assert_eq!(bench.read(POP[0]), 0x2000_0004);
    assert_eq!(bench.read(ACCUM[0]), 4);
}

#[test]
fn bits_above_the_mask_are_an_overflow() {
    let mut bench = Bench::new();
    bench.write(CTRL[0], lane(4, 0, 7));
    bench.write(CTRL[1], lane(0, 0, 31));
    bench.write(ACCUM[0], 0xfff);
    assert_eq!(bench.read(CTRL[0]) >> 23, 0);
    bench.write(ACCUM[0], 0x1fff);
    assert_eq!(bench.read(CTRL[0]) >> 23, 0b101);
}

proptest! {
    #[test]
    fn quotient_times_divisor_plus_remainder_is_the_dividend(p: u32, q: u32) {
        let mut bench = Bench::new();
        let (quotient, remainder) = bench.divide_unsigned(p, q);
        prop_assert_eq!(quotient.wrapping_mul(q).wrapping_add(remainder), p);
        let (quotient, remainder) = bench.divide_signed(p as i32, q as i32);
        prop_assert_eq!(quotient.wrapping_mul(q as i32).wrapping_add(remainder), p as i32);
    }

    #[test]
    fn random_traffic_never_panics(
        accesses in prop::collection::vec((0usize..2, 0u32..0x80, any::<bool>(), any::<u32>(), 0i64..30), 1..200),
    ) {
        let mut bench = Bench::new();
        for (core, word, write, value, cycles) in accesses {
            bench.advance_cycles(cycles);
            let peeked = bench.sio.peek(core, word * 4, &bench.io);
            if write {
                bench.sio.write(core, word * 4, value, &mut bench.io);
            } else {
                prop_assert_eq!(bench.sio.read(core, word * 4, &mut bench.io), peeked);
            }
        }
    }
}
