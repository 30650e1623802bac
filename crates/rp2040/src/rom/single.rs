//! The single precision functions of the boot ROM, with the semantics of RP2040 datasheet 2.8.3.2: rounding to nearest
//! even; denormals in and out are zeros; not-a-number in is infinity of the same sign, and none comes out.
//!
//! The basic functions are correctly rounded, as in the ROM. The scientific ones take their argument in fixed point as
//! the ROM does (24 places: sin 0.00001 is that of 167/2^24) and round the true result to the places of its fixed point
//! arithmetic, where the ROM's own may be off by one.

use super::call::{Flags, Outcome, RomCallContext};
use super::costs;
use super::fixed::{self, Unpacked, scaled};
use super::function::FloatFunction;

/// Places of the fixed point argument of sin, cos, tan and exp, and of the logarithm.
const ARGUMENT_PLACES: i32 = 24;
/// Places of the fixed point results of sin, cos and atan2.
const RESULT_PLACES: i32 = 29;

pub(super) fn call(function: FloatFunction, context: &mut dyn RomCallContext) -> Outcome {
    use FloatFunction as F;
    let (x, y) = (f32::from_bits(context.reg(0)), f32::from_bits(context.reg(1)));
    let places = context.reg(1) as i32;
    let integer = context.reg(0);
    let long = u64::from(context.reg(1)) << 32 | u64::from(integer);
    let long_places = context.reg(2) as i32;
    match function {
        F::Add => set(context, add(x, y)),
        F::Subtract => set(context, add(x, -y)),
        F::Multiply => set(context, multiply(x, y)),
        F::Divide => set(context, divide(x, y)),
        F::SquareRoot => set(context, square_root(x)),
        F::CompareFast | F::CompareFastFlags => set_order(context, compare_fast(x, y)),
        F::Compare => set_order(context, compare(x, y)),
        F::ToInt => context.set_reg(0, to_fixed(x, 0, fixed::I32) as u32),
        F::ToFix => context.set_reg(0, to_fixed(x, places, fixed::I32) as u32),
        F::ToUint => context.set_reg(0, to_fixed(x, 0, fixed::U32) as u32),
        F::ToUfix => context.set_reg(0, to_fixed(x, places, fixed::U32) as u32),
        F::FromInt => set(context, from_fixed(integer as i32 as f32, 0)),
        F::FromFix => set(context, from_fixed(integer as i32 as f32, places)),
        F::FromUint => set(context, from_fixed(integer as f32, 0)),
        F::FromUfix => set(context, from_fixed(integer as f32, places)),
        F::FromInt64 => set(context, from_fixed(long as i64 as f32, 0)),
        F::FromFix64 => set(context, from_fixed(long as i64 as f32, long_places)),
        F::FromUint64 => set(context, from_fixed(long as f32, 0)),
        F::FromUfix64 => set(context, from_fixed(long as f32, long_places)),
        F::ToInt64 => set_long(context, to_fixed(x, 0, fixed::I64) as u64),
        F::ToFix64 => set_long(context, to_fixed(x, places, fixed::I64) as u64),
        F::ToUint64 => set_long(context, to_fixed(x, 0, fixed::U64) as u64),
        F::ToUfix64 => set_long(context, to_fixed(x, places, fixed::U64) as u64),
        F::Cos => set(context, sin_cos(x).1),
        F::Sin | F::SinCos => {
            let (sin, cos) = sin_cos(x);
            set(context, sin);
            context.set_reg(1, cos.to_bits());
        }
        F::Tan => {
            let (sin, cos) = sin_cos(x);
            set(context, divide(sin, cos));
        }
        F::Exp => set(context, exp(x)),
        F::Ln => set(context, ln(x)),
        F::Atan2 => set(context, atan2(x, y)),
        F::Convert => set_long(context, widen(x).to_bits()),
    }
    Outcome::Done { cycles: costs::single(function) }
}

fn set(context: &mut dyn RomCallContext, value: f32) {
    context.set_reg(0, value.to_bits());
}

pub(super) fn set_long(context: &mut dyn RomCallContext, value: u64) {
    context.set_reg(0, value as u32);
    context.set_reg(1, (value >> 32) as u32);
}

/// -1, 0 or 1 in R0, and the flags of a comparison of that with 0.
pub(super) fn set_order(context: &mut dyn RomCallContext, order: i32) {
    context.set_reg(0, order as u32);
    context.set_flags(Flags { n: order < 0, z: order == 0, c: true, v: false });
}

/// Denormals to zero, not-a-number to infinity.
fn taken(x: f32) -> f32 {
    if x.is_nan() {
        f32::INFINITY.copysign(x)
    } else if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

fn given(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

fn add(x: f32, y: f32) -> f32 {
    let (x, y) = (taken(x), taken(y));
    // The ROM gives +infinity to the one infinity a larger exponent than to the other.
    if x.is_infinite() && y.is_infinite() && x != y { f32::INFINITY } else { given(x + y) }
}

fn multiply(x: f32, y: f32) -> f32 {
    let (x, y) = (taken(x), taken(y));
    let product = x * y;
    // Infinity times zero.
    if product.is_nan() { signed(f32::INFINITY, x, y) } else { given(product) }
}

fn divide(x: f32, y: f32) -> f32 {
    /// Moves quotients that may be denormal well into the normal range.
    const UP: f64 = (1u128 << 100) as f64;
    let (x, y) = (taken(x), taken(y));
    if y == 0.0 || (x.is_infinite() && y.is_infinite()) {
        return signed(f32::INFINITY, x, y);
    }
    // The ROM rounds to 24 bits before it looks whether the result is denormal.
    let rounded = (f64::from(x) / f64::from(y) * UP) as f32;
    if rounded.abs() < (f64::from(f32::MIN_POSITIVE) * UP) as f32 { signed(0.0, x, y) } else { x / y }
}

fn signed(magnitude: f32, x: f32, y: f32) -> f32 {
    if x.is_sign_negative() == y.is_sign_negative() { magnitude } else { -magnitude }
}

fn square_root(x: f32) -> f32 {
    let x = taken(x);
    if x < 0.0 { f32::NEG_INFINITY } else { x.sqrt() }
}

fn compare(x: f32, y: f32) -> i32 {
    let (x, y) = (taken(x), taken(y));
    i32::from(x > y) - i32::from(x < y)
}

/// The order of the bit patterns as signed magnitudes.
fn compare_fast(x: f32, y: f32) -> i32 {
    let key = |x: f32| {
        let magnitude = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    key(x).cmp(&key(y)) as i32
}

fn to_fixed(x: f32, places: i32, limits: std::ops::RangeInclusive<i128>) -> i128 {
    Unpacked::of_single(x).to_fixed(places, limits)
}

/// An integer that is already rounded to 24 bits, divided by 2^places. Underflow is +0 whatever the sign.
fn from_fixed(rounded: f32, places: i32) -> f32 {
    let value = scaled(f64::from(rounded), places) as f32;
    if value.abs() < f32::MIN_POSITIVE { 0.0 } else { value }
}

/// The argument as the scientific functions take it: within ±128.
fn argument(x: f32) -> f64 {
    scaled(to_fixed(x, ARGUMENT_PLACES, fixed::I32) as f64, ARGUMENT_PLACES)
}

fn result(value: f64, places: i32) -> f32 {
    given(scaled(libm::round(scaled(value, -places)), places) as f32)
}

fn sin_cos(x: f32) -> (f32, f32) {
    let (sin, cos) = libm::sincos(argument(x));
    (result(sin, RESULT_PLACES), result(cos, RESULT_PLACES))
}

fn exp(x: f32) -> f32 {
    let value = libm::exp(argument(x)) as f32;
    given(value)
}

fn ln(x: f32) -> f32 {
    match taken(x) {
        x if x <= 0.0 => f32::NEG_INFINITY,
        f32::INFINITY => f32::INFINITY,
        x => result(libm::log(f64::from(x)), ARGUMENT_PLACES),
    }
}

fn atan2(y: f32, x: f32) -> f32 {
    result(libm::atan2(f64::from(taken(y)), f64::from(taken(x))), RESULT_PLACES)
}

fn widen(x: f32) -> f64 {
    f64::from(taken(x))
}
