//! Whether a core's main stack has grown beyond the room that the linker script of the Pico SDK gives it.

use mcu::image::Symbols;

use super::Registers;

/// The ends of each core's main stack, the lower one first, and what sets its size (pico-sdk 2.2.0, memmap_default.ld).
const STACKS: [[&str; 3]; 2] = [
    ["__StackBottom", "__StackTop", "PICO_STACK_SIZE"],
    ["__StackOneBottom", "__StackOneTop", "PICO_CORE1_STACK_SIZE"],
];

/// A pointer further below is that of another stack: this is the SRAM bank that the script puts each stack into.
const BANK_BYTES: u32 = 4096;

/// What to say of a main stack whose pointer stands below its room.
pub(super) fn overflow(core: usize, registers: &Registers, symbols: &Symbols) -> Option<String> {
    let [bottom_name, top_name, setting] = *STACKS.get(core)?;
    let (bottom, top) = (symbols.address_of(bottom_name)?, symbols.address_of(top_name)?);
    let room_bytes = top.checked_sub(bottom)?;
    let over_bytes = bottom.checked_sub(registers.main_stack)?;
    (room_bytes > 0 && (1..=BANK_BYTES).contains(&over_bytes)).then(|| {
        format!(
            "the main stack has overflowed: it has {room_bytes} bytes down to {bottom_name} at {bottom:#010x}, and its pointer is \
             {over_bytes} bytes below that; make it larger, in the Pico SDK by {setting}"
        )
    })
}
