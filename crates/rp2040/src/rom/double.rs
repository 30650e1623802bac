//! The double precision functions of the boot ROM, with the semantics of `single.rs` (RP2040 datasheet 2.8.3.2). The ROM's
//! own scientific functions have 62 places of fixed point; here they are the true results, rounded.

use super::call::{Outcome, RomCallContext};
use super::costs;
use super::fixed::{self, Unpacked, scaled};
use super::function::FloatFunction;
use super::single::{set_long, set_order};

/// Sin, cos, tan and exp clamp their argument to this (RP2040 datasheet 2.8.3.2.1).
const LARGEST_ARGUMENT: f64 = 1024.0;

pub(super) fn call(function: FloatFunction, context: &mut dyn RomCallContext) -> Outcome {
    use FloatFunction as F;
    let pair = |low: usize| u64::from(context.reg(low + 1)) << 32 | u64::from(context.reg(low));
    let (x, y) = (f64::from_bits(pair(0)), f64::from_bits(pair(2)));
    let (integer, long) = (context.reg(0), pair(0));
    let (places, long_places) = (context.reg(1) as i32, context.reg(2) as i32);
    match function {
        F::Add => set(context, add(x, y)),
        F::Subtract => set(context, add(x, -y)),
        F::Multiply => set(context, multiply(x, y)),
        F::Divide => set(context, divide(x, y)),
        F::SquareRoot => set(context, square_root(x)),
        F::CompareFast | F::CompareFastFlags => set_order(context, compare_fast(x, y)),
        F::Compare => set_order(context, compare(x, y)),
        F::ToInt => context.set_reg(0, to_fixed(x, 0, fixed::I32) as u32),
        F::ToFix => context.set_reg(0, to_fixed(x, long_places, fixed::I32) as u32),
        F::ToUint => context.set_reg(0, to_fixed(x, 0, fixed::U32) as u32),
        F::ToUfix => context.set_reg(0, to_fixed(x, long_places, fixed::U32) as u32),
        F::FromInt => set(context, f64::from(integer as i32)),
        F::FromFix => set(context, from_fixed(f64::from(integer as i32), places)),
        F::FromUint => set(context, f64::from(integer)),
        F::FromUfix => set(context, from_fixed(f64::from(integer), places)),
        F::FromInt64 => set(context, long as i64 as f64),
        F::FromFix64 => set(context, from_fixed(long as i64 as f64, long_places)),
        F::FromUint64 => set(context, long as f64),
        F::FromUfix64 => set(context, from_fixed(long as f64, long_places)),
        F::ToInt64 => set_long(context, to_fixed(x, 0, fixed::I64) as u64),
        F::ToFix64 => set_long(context, to_fixed(x, long_places, fixed::I64) as u64),
        F::ToUint64 => set_long(context, to_fixed(x, 0, fixed::U64) as u64),
        F::ToUfix64 => set_long(context, to_fixed(x, long_places, fixed::U64) as u64),
        F::Cos => set(context, libm::cos(argument(x))),
        F::Sin => set(context, libm::sin(argument(x))),
        F::SinCos => {
            let (sin, cos) = libm::sincos(argument(x));
            set(context, sin);
            context.set_reg(2, cos.to_bits() as u32);
            context.set_reg(3, (cos.to_bits() >> 32) as u32);
        }
        F::Tan => {
            let (sin, cos) = libm::sincos(argument(x));
            set(context, divide(sin, cos));
        }
        F::Exp => set(context, given(libm::exp(argument(x)))),
        F::Ln => set(context, ln(x)),
        F::Atan2 => set(context, given(libm::atan2(taken(x), taken(y)))),
        F::Convert => context.set_reg(0, narrow(x).to_bits()),
    }
    Outcome::Done { cycles: costs::double(function) }
}

fn set(context: &mut dyn RomCallContext, value: f64) {
    set_long(context, value.to_bits());
}

/// Denormals to zero, not-a-number to infinity.
fn taken(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY.copysign(x) } else { given(x) }
}

fn given(x: f64) -> f64 {
    if x.is_subnormal() { 0f64.copysign(x) } else { x }
}

fn add(x: f64, y: f64) -> f64 {
    let (x, y) = (taken(x), taken(y));
    if x.is_infinite() && y.is_infinite() && x != y { f64::INFINITY } else { given(x + y) }
}

fn multiply(x: f64, y: f64) -> f64 {
    let (x, y) = (taken(x), taken(y));
    let product = x * y;
    if product.is_nan() { signed(f64::INFINITY, x, y) } else { given(product) }
}

fn divide(x: f64, y: f64) -> f64 {
    let (x, y) = (taken(x), taken(y));
    if y == 0.0 || (x.is_infinite() && y.is_infinite()) {
        return signed(f64::INFINITY, x, y);
    }
    let quotient = x / y;
    if quotient.abs() > f64::MIN_POSITIVE {
        return quotient;
    }
    // A quotient just below the smallest normal number is zero, also where rounding to a denormal would lift it.
    let up = libm::ldexp(1.0, 600);
    if (x * up / y).abs() < f64::MIN_POSITIVE * up { signed(0.0, x, y) } else { quotient }
}

fn signed(magnitude: f64, x: f64, y: f64) -> f64 {
    if x.is_sign_negative() == y.is_sign_negative() { magnitude } else { -magnitude }
}

fn square_root(x: f64) -> f64 {
    let x = taken(x);
    if x < 0.0 { f64::NEG_INFINITY } else { x.sqrt() }
}

fn compare(x: f64, y: f64) -> i32 {
    let (x, y) = (taken(x), taken(y));
    i32::from(x > y) - i32::from(x < y)
}

/// The order of the bit patterns as signed magnitudes.
fn compare_fast(x: f64, y: f64) -> i32 {
    let key = |x: f64| {
        let magnitude = (x.to_bits() & (u64::MAX >> 1)) as i64;
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    key(x).cmp(&key(y)) as i32
}

fn to_fixed(x: f64, places: i32, limits: std::ops::RangeInclusive<i128>) -> i128 {
    Unpacked::of_double(x).to_fixed(places, limits)
}

fn from_fixed(rounded: f64, places: i32) -> f64 {
    given(scaled(rounded, places))
}

fn argument(x: f64) -> f64 {
    taken(x).clamp(-LARGEST_ARGUMENT, LARGEST_ARGUMENT)
}

fn ln(x: f64) -> f64 {
    match taken(x) {
        x if x <= 0.0 => f64::NEG_INFINITY,
        f64::INFINITY => f64::INFINITY,
        x => libm::log(x),
    }
}

fn narrow(x: f64) -> f32 {
    let value = taken(x) as f32;
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}
