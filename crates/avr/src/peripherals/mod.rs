//! The peripherals, one file each. Each knows when something happens in it next (`next`), is brought to a cycle (`advance`),
//! and says which of its interrupts are pending.

pub(crate) mod adc;
pub(crate) mod adc_inputs;
pub(crate) mod eeprom;
pub(crate) mod external;
pub(crate) mod program_memory;
pub(crate) mod spi;
pub(crate) mod system;
pub(crate) mod timer;
pub(crate) mod twi;
pub(crate) mod usart;
pub(crate) mod watchdog;

/// Nothing ever happens.
pub(crate) const NEVER: u64 = u64::MAX;

/// Bit `n` of a byte.
#[inline]
pub(crate) fn has(value: u8, n: u8) -> bool {
    value >> n & 1 == 1
}
