//! One file a link: its settings, and how its stages are put together.

mod esp32_802154;
mod gpio;
mod ieee802154;
mod lora;
mod uart;
mod uart_receiver;

use crate::registry::Definition;

/// Every link, in the order in which they are listed.
pub(crate) const ALL: &[Definition] =
    &[gpio::DEFINITION, uart::DEFINITION, lora::DEFINITION, ieee802154::DEFINITION, esp32_802154::DEFINITION];
