//! The fields of GPIOx_CTRL and GPIOx_STATUS (RP2040 datasheet 2.19.6.1), which both banks have alike.

use crate::pins::Overrides;

pub(super) const CTRL_BITS: u32 = 0x3003_331f;
/// FUNCSEL selects nothing.
pub(super) const CTRL_RESET: u32 = 0x1f;

pub(super) fn funcsel(ctrl: u32) -> u8 {
    (ctrl & 0x1f) as u8
}

pub(super) fn overrides(ctrl: u32) -> Overrides {
    let field = |shift: u32| (ctrl >> shift & 0b11) as u8;
    Overrides { output: field(8), enable: field(12), input: field(16), interrupt: field(28) }
}

pub(super) fn overridden(over: u8, signal: bool) -> bool {
    match over {
        1 => !signal,
        2 => false,
        3 => true,
        _ => signal,
    }
}

/// The signals of one pin on both sides of its overrides.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Status {
    pub(super) out_from_peripheral: bool,
    pub(super) out_to_pad: bool,
    pub(super) enable_from_peripheral: bool,
    pub(super) enable_to_pad: bool,
    pub(super) in_from_pad: bool,
    pub(super) in_to_peripheral: bool,
    pub(super) irq_from_pad: bool,
    pub(super) irq_to_processor: bool,
}

impl Status {
    pub(super) fn bits(self) -> u32 {
        u32::from(self.out_from_peripheral) << 8
            | u32::from(self.out_to_pad) << 9
            | u32::from(self.enable_from_peripheral) << 12
            | u32::from(self.enable_to_pad) << 13
            | u32::from(self.in_from_pad) << 17
            | u32::from(self.in_to_peripheral) << 19
            | u32::from(self.irq_from_pad) << 24
            | u32::from(self.irq_to_processor) << 26
    }
}
