//! Conversions between floating point, integers and fixed point.

use proptest::prelude::*;

use crate::rom::function::{FloatFunction as F, RomFunction as R};
use crate::rom::test_context::Bench;

fn run(function: R, arguments: &[u32]) -> Bench {
    let mut bench = Bench::new();
    bench.run(function, arguments);
    bench
}

fn low_high(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

fn long(bench: &Bench) -> u64 {
    u64::from(bench.regs[1]) << 32 | u64::from(bench.regs[0])
}

fn flushed(x: f64, smallest: f64) -> f64 {
    if x.abs() < smallest { 0.0 } else { x }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn to_integers_rounds_down_and_clamps(bits: u32, exponent in 100u32..170, places in -40i32..40) {
        for x in [f32::from_bits(bits), f32::from_bits(bits & 0x807f_ffff | exponent << 23)] {
            prop_assume!(!x.is_nan());
            let exact = flushed(f64::from(x), f64::from(f32::MIN_POSITIVE));
            let fixed = (exact * 2f64.powi(places)).floor();
            let arguments = [x.to_bits(), places as u32];
            prop_assert_eq!(run(R::Single(F::ToInt), &arguments).regs[0] as i32, exact.floor() as i32);
            prop_assert_eq!(run(R::Single(F::ToUint), &arguments).regs[0], exact.floor() as u32);
            prop_assert_eq!(run(R::Single(F::ToFix), &arguments).regs[0] as i32, fixed as i32);
            prop_assert_eq!(run(R::Single(F::ToUfix), &arguments).regs[0], fixed as u32);
            prop_assert_eq!(long(&run(R::Single(F::ToInt64), &arguments)) as i64, exact.floor() as i64);
            prop_assert_eq!(long(&run(R::Single(F::ToUfix64), &arguments)), fixed as u64);
        }
    }

    #[test]
    fn doubles_to_integers_rounds_down_and_clamps(bits: u64, exponent in 1000u64..1100, places in -40i32..40) {
        for x in [f64::from_bits(bits), f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)] {
            prop_assume!(!x.is_nan() && x.abs() < 2f64.powi(900));
            let [low, high] = low_high(x.to_bits());
            let arguments = [low, high, places as u32];
            let fixed = (flushed(x, f64::MIN_POSITIVE) * 2f64.powi(places)).floor();
            let whole = flushed(x, f64::MIN_POSITIVE).floor();
            prop_assert_eq!(run(R::Double(F::ToInt), &arguments).regs[0] as i32, whole as i32);
            prop_assert_eq!(run(R::Double(F::ToUint), &arguments).regs[0], whole as u32);
            prop_assert_eq!(run(R::Double(F::ToFix), &arguments).regs[0] as i32, fixed as i32);
            prop_assert_eq!(long(&run(R::Double(F::ToFix64), &arguments)) as i64, fixed as i64);
            prop_assert_eq!(long(&run(R::Double(F::ToUfix64), &arguments)), fixed as u64);
        }
    }

    #[test]
    fn from_integers_rounds_to_nearest_even(value: u64, shift in 0u32..64, places in -40i32..40) {
        let value = value >> shift;
        let [low, high] = low_high(value);
        let scale = 2f64.powi(-places);
        let single = |function, arguments: &[u32]| f64::from(f32::from_bits(run(R::Single(function), arguments).regs[0]));
        let double = |function, arguments: &[u32]| f64::from_bits(long(&run(R::Double(function), arguments)));
        let wide = [low, high, places as u32];
        prop_assert_eq!(single(F::FromInt, &[low]), f64::from(low as i32 as f32));
        prop_assert_eq!(single(F::FromUfix, &[low, places as u32]), f64::from(low as f32) * scale);
        prop_assert_eq!(single(F::FromFix64, &wide), f64::from(value as i64 as f32) * scale);
        prop_assert_eq!(single(F::FromUint64, &wide), f64::from(value as f32));
        prop_assert_eq!(double(F::FromFix, &[low, places as u32]), f64::from(low as i32) * scale);
        prop_assert_eq!(double(F::FromUint, &[low]), f64::from(low));
        prop_assert_eq!(double(F::FromInt64, &wide), value as i64 as f64);
        prop_assert_eq!(double(F::FromUfix64, &wide), value as f64 * scale);
    }

    #[test]
    fn precisions_convert_into_each_other(bits: u64) {
        let x = f64::from_bits(bits);
        prop_assume!(!x.is_nan());
        let narrow = f32::from_bits(run(R::Double(F::Convert), &low_high(bits)).regs[0]);
        let wanted = x as f32;
        prop_assert_eq!(narrow, if wanted.is_subnormal() { 0.0 } else { wanted });
        let single = f32::from_bits(bits as u32);
        prop_assume!(!single.is_nan());
        let wide = f64::from_bits(long(&run(R::Single(F::Convert), &[single.to_bits()])));
        prop_assert_eq!(wide, flushed(f64::from(single), f64::from(f32::MIN_POSITIVE)));
    }
}

#[test]
fn conversions_as_the_datasheet_shows_them() {
    assert_eq!(run(R::Single(F::ToFix), &[0.5f32.to_bits(), 16]).regs[0], 0x8000);
    assert_eq!(run(R::Single(F::ToInt), &[(-0.1f32).to_bits()]).regs[0] as i32, -1);
    assert_eq!(run(R::Single(F::ToInt), &[(-0f32).to_bits()]).regs[0], 0);
    assert_eq!(run(R::Single(F::ToInt), &[f32::NAN.to_bits()]).regs[0] as i32, i32::MAX);
    assert_eq!(run(R::Single(F::ToUint), &[(-5f32).to_bits()]).regs[0], 0);
    assert_eq!(f32::from_bits(run(R::Single(F::FromFix), &[0x8000, 16]).regs[0]), 0.5);
    assert_eq!(run(R::Single(F::FromFix), &[1, i32::MIN as u32]).regs[0], f32::INFINITY.to_bits());
    assert_eq!(run(R::Single(F::FromFix), &[1, i32::MAX as u32]).regs[0], 0);
}
