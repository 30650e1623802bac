//! Floating point functions against the processor's own arithmetic.

use proptest::prelude::*;

use crate::rom::costs;
use crate::rom::function::{FloatFunction as F, RomFunction};
use crate::rom::test_context::Bench;

fn single(function: F, x: f32, y: f32) -> f32 {
    let mut bench = Bench::new();
    bench.run(RomFunction::Single(function), &[x.to_bits(), y.to_bits()]);
    f32::from_bits(bench.regs[0])
}

fn double(function: F, x: f64, y: f64) -> f64 {
    let mut bench = Bench::new();
    let [x, y] = [x, y].map(f64::to_bits);
    bench.run(RomFunction::Double(function), &[x as u32, (x >> 32) as u32, y as u32, (y >> 32) as u32]);
    f64::from_bits(u64::from(bench.regs[1]) << 32 | u64::from(bench.regs[0]))
}

fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

fn flushed_double(x: f64) -> f64 {
    if x.is_subnormal() { 0f64.copysign(x) } else { x }
}

fn finite() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite())
}

fn finite_double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn single_arithmetic_is_that_of_ieee_754_without_denormals(x in finite(), y in finite(), near in 0u32..64) {
        for y in [y, f32::from_bits(x.to_bits() ^ near), f32::from_bits(x.to_bits() ^ near ^ 1 << 31)] {
            let (a, b) = (flushed(x), flushed(y));
            prop_assert_eq!(single(F::Add, x, y).to_bits(), flushed(a + b).to_bits());
            prop_assert_eq!(single(F::Subtract, x, y).to_bits(), flushed(a - b).to_bits());
            prop_assert_eq!(single(F::Multiply, x, y).to_bits(), flushed(a * b).to_bits());
            if b != 0.0 && (a / b).abs() != f32::MIN_POSITIVE {
                prop_assert_eq!(single(F::Divide, x, y).to_bits(), flushed(a / b).to_bits());
            }
            let order = f64::from(a).partial_cmp(&f64::from(b)).expect("finite") as i32;
            prop_assert_eq!(single(F::Compare, x, y).to_bits() as i32, order);
        }
        prop_assert_eq!(single(F::SquareRoot, x.abs(), 0.0).to_bits(), flushed(x.abs()).sqrt().to_bits());
    }

    #[test]
    fn double_arithmetic_is_that_of_ieee_754_without_denormals(x in finite_double(), y in finite_double(), near in 0u64..64) {
        for y in [y, f64::from_bits(x.to_bits() ^ near), f64::from_bits(x.to_bits() ^ near ^ 1 << 63)] {
            let (a, b) = (flushed_double(x), flushed_double(y));
            prop_assert_eq!(double(F::Add, x, y).to_bits(), flushed_double(a + b).to_bits());
            prop_assert_eq!(double(F::Subtract, x, y).to_bits(), flushed_double(a - b).to_bits());
            prop_assert_eq!(double(F::Multiply, x, y).to_bits(), flushed_double(a * b).to_bits());
            if b != 0.0 && (a / b).abs() != f64::MIN_POSITIVE {
                prop_assert_eq!(double(F::Divide, x, y).to_bits(), flushed_double(a / b).to_bits());
            }
            let order = a.partial_cmp(&b).expect("finite") as i32;
            prop_assert_eq!(double(F::Compare, x, y).to_bits() as u32 as i32, order);
        }
        let root = flushed_double(x.abs()).sqrt();
        prop_assert_eq!(double(F::SquareRoot, x.abs(), 0.0).to_bits(), root.to_bits());
    }

    #[test]
    fn single_scientific_functions_are_within_their_fixed_point(x in -100f32..100.0, y in -100f32..100.0) {
        // A unit in the last place of 1, in which the datasheet states the error, and that of the 24 places of the argument.
        let unit = 2f64.powi(-23);
        let wide = f64::from(x);
        prop_assert!((f64::from(single(F::Sin, x, 0.0)) - wide.sin()).abs() <= unit);
        prop_assert!((f64::from(single(F::Cos, x, 0.0)) - wide.cos()).abs() <= unit);
        let exp = wide.exp();
        if exp > f64::from(f32::MIN_POSITIVE) && exp < f64::from(f32::MAX) {
            prop_assert!((f64::from(single(F::Exp, x, 0.0)) / exp - 1.0).abs() <= 1.5 * unit);
        }
        let atan2 = f64::from(y).atan2(wide);
        prop_assert!((f64::from(single(F::Atan2, y, x)) - atan2).abs() <= 2.0 * unit);
        if wide.cos().abs() > 0.1 {
            prop_assert!((f64::from(single(F::Tan, x, 0.0)) / wide.tan() - 1.0).abs() * wide.tan().abs() <= 200.0 * unit);
        }
        if x > 0.0 {
            let ln = wide.ln();
            prop_assert!((f64::from(single(F::Ln, x, 0.0)) - ln).abs() <= unit * ln.abs().max(1.0));
        }
    }

    #[test]
    fn double_scientific_functions_are_within_a_few_units_of_their_fixed_point(x in -700f64..700.0, y in -700f64..700.0) {
        let unit = 2f64.powi(-52);
        prop_assert!((double(F::Sin, x, 0.0) - x.sin()).abs() <= 2.0 * unit);
        prop_assert!((double(F::Cos, x, 0.0) - x.cos()).abs() <= 2.0 * unit);
        prop_assert!((double(F::Exp, x, 0.0) / x.exp() - 1.0).abs() <= 4.0 * unit);
        prop_assert!((double(F::Atan2, y, x) - y.atan2(x)).abs() <= 4.0 * unit);
        if x > 0.0 {
            prop_assert!((double(F::Ln, x, 0.0) - x.ln()).abs() <= 4.0 * unit * x.ln().abs().max(1.0));
        }
    }
}

#[test]
fn not_a_number_is_taken_for_infinity_and_never_comes_out() {
    let inf = f32::INFINITY;
    assert_eq!(single(F::Add, f32::NAN, 1.0), inf);
    assert_eq!(single(F::Add, -f32::NAN, 1.0), -inf);
    assert_eq!(single(F::Add, inf, -inf), inf);
    assert_eq!(single(F::Subtract, inf, inf), inf);
    assert_eq!(single(F::Multiply, inf, -0.0), -inf);
    assert_eq!(single(F::Divide, 0.0, 0.0), inf);
    assert_eq!(single(F::Divide, -1.0, 0.0), -inf);
    assert_eq!(single(F::Divide, inf, -inf), -inf);
    assert_eq!(single(F::Divide, 1.0, inf), 0.0);
    assert_eq!(single(F::SquareRoot, -1.0, 0.0), -inf);
    assert_eq!(single(F::SquareRoot, -0.0, 0.0).to_bits(), (-0f32).to_bits());
    assert_eq!(single(F::Ln, -1.0, 0.0), -inf);
    assert_eq!(single(F::Ln, 0.0, 0.0), -inf);
    assert_eq!(single(F::Ln, inf, 0.0), inf);
    assert_eq!(single(F::Compare, f32::NAN, inf).to_bits(), 0);
    assert_eq!(double(F::Add, f64::INFINITY, f64::NEG_INFINITY), f64::INFINITY);
    assert_eq!(double(F::Divide, 0.0, -0.0), f64::NEG_INFINITY);
    assert_eq!(double(F::Ln, -3.0, 0.0), f64::NEG_INFINITY);
    assert_eq!(double(F::SquareRoot, f64::NAN, 0.0), f64::INFINITY);
}

#[test]
fn a_quotient_just_below_the_smallest_normal_number_is_zero() {
    let almost_two = f32::from_bits(0x3fff_ffff);
    let x = almost_two * f32::MIN_POSITIVE;
    assert_eq!(x / 2.0, f32::MIN_POSITIVE, "IEEE 754 rounds the denormal up");
    assert_eq!(single(F::Divide, x, 2.0), 0.0);
    assert_eq!(single(F::Multiply, x, 0.5), f32::MIN_POSITIVE, "multiplication does round up");
    let x = f64::from_bits(0x3fff_ffff_ffff_ffff) * f64::MIN_POSITIVE;
    assert_eq!(double(F::Divide, x, -2.0).to_bits(), (-0f64).to_bits());
}

#[test]
fn trigonometry_beyond_its_range_clamps_the_argument() {
    assert_eq!(single(F::Sin, 1e9, 0.0), single(F::Sin, 200.0, 0.0));
    assert_eq!(single(F::Sin, f32::NEG_INFINITY, 0.0), single(F::Sin, -128.0, 0.0));
    assert_eq!(double(F::Cos, 1e9, 0.0), double(F::Cos, 1024.0, 0.0));
    assert_eq!(single(F::Exp, 1000.0, 0.0), f32::INFINITY);
    assert_eq!(single(F::Exp, -1000.0, 0.0), 0.0);
    assert_eq!(single(F::Exp, 0.0, 0.0), 1.0);
    assert_eq!(single(F::Sin, 0.0, 0.0), 0.0);
}

#[test]
fn sine_and_cosine_come_together() {
    let mut bench = Bench::new();
    bench.run(RomFunction::Single(F::SinCos), &[1f32.to_bits()]);
    assert_eq!(f32::from_bits(bench.regs[0]), single(F::Sin, 1.0, 0.0));
    assert_eq!(f32::from_bits(bench.regs[1]), single(F::Cos, 1.0, 0.0));
    let one = 1f64.to_bits();
    bench.run(RomFunction::Double(F::SinCos), &[one as u32, (one >> 32) as u32]);
    let cos = u64::from(bench.regs[3]) << 32 | u64::from(bench.regs[2]);
    assert_eq!(f64::from_bits(cos), double(F::Cos, 1.0, 0.0));
}

#[test]
fn a_comparison_sets_the_flags_for_the_branch_behind_it() {
    let mut bench = Bench::new();
    for (x, y, n, z) in [(1f32, 2f32, true, false), (2.0, 2.0, false, true), (3.0, 2.0, false, false)] {
        bench.run(RomFunction::Single(F::CompareFastFlags), &[x.to_bits(), y.to_bits()]);
        assert_eq!((bench.flags.n, bench.flags.z, bench.flags.c, bench.flags.v), (n, z, true, false));
    }
}

#[test]
fn functions_take_the_published_averages_without_their_return() {
    let mut bench = Bench::new();
    for (function, single, double) in [
        (F::Add, 71, 91),
        (F::Multiply, 58, 155),
        (F::Divide, 71, 183),
        (F::SquareRoot, 63, 169),
        (F::Sin, 577, 1618),
        (F::Exp, 524, 804),
        (F::Ln, 789, 428),
        (F::Atan2, 667, 2168),
        (F::Convert, 15, 23),
    ] {
        assert_eq!(bench.run(RomFunction::Single(function), &[]), single - u64::from(costs::RETURN));
        assert_eq!(bench.run(RomFunction::Double(function), &[]), double - u64::from(costs::RETURN));
    }
}
