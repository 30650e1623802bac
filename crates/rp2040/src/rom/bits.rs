//! The bit functions of the boot ROM (RP2040 datasheet 2.8.3.1.1).

use super::call::{Outcome, RomCallContext};
use super::costs;

pub(super) fn population_count(context: &mut dyn RomCallContext) -> Outcome {
    answer(context, u32::count_ones, |_| costs::POPULATION_COUNT)
}

pub(super) fn reverse(context: &mut dyn RomCallContext) -> Outcome {
    answer(context, u32::reverse_bits, |_| costs::REVERSE)
}

pub(super) fn leading_zeros(context: &mut dyn RomCallContext) -> Outcome {
    answer(context, u32::leading_zeros, costs::leading_zeros)
}

pub(super) fn trailing_zeros(context: &mut dyn RomCallContext) -> Outcome {
    answer(context, u32::trailing_zeros, costs::trailing_zeros)
}

fn answer(context: &mut dyn RomCallContext, of: impl Fn(u32) -> u32, cycles: impl Fn(u32) -> u32) -> Outcome {
    let result = of(context.reg(0));
    context.set_reg(0, result);
    Outcome::Done { cycles: cycles(result) }
}
