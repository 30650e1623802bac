//! The Bluetooth half of the chip as far as a combined image needs it to start: its memory takes the firmware, and its control
//! register says that it is ready and awake. Its HCI is silent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use units::Picoseconds;

const MEMORY: std::ops::Range<u32> = 0x1900_0000..0x1a00_0000;
const POWER: u32 = 0x1964_0894;
const POWER_ON: u32 = 3;
const BT_CONTROL: u32 = 0x1800_0c7c;
const HOST_CONTROL: u32 = 0x1800_0d6c;
const BUFFER_BASE: u32 = 0x1800_0d68;
/// Ready, and awake.
const READY_AND_AWAKE: u32 = 1 << 24 | 1 << 8;
/// From power to readiness: drivers wait so long before they look.
const START_TIME: Picoseconds = Picoseconds::new(150 * units::PS_PER_MS);
/// Where the rings for HCI are (declared: any place in its memory does).
const RINGS: u32 = 0x1900_8000;

/// Its registers and memory.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Bluetooth {
    words: BTreeMap<u32, u32>,
    ready_from: Option<Picoseconds>,
}

impl Bluetooth {
    /// Whether anybody switched it on.
    pub(crate) fn is_on(&self) -> bool {
        self.ready_from.is_some()
    }

    pub(crate) fn word(&self, at: Picoseconds, address: u32) -> Option<u32> {
        match address {
            BT_CONTROL if self.ready_from.is_some_and(|from| from <= at) => Some(READY_AND_AWAKE),
            BT_CONTROL => Some(0),
            BUFFER_BASE => Some(RINGS),
            HOST_CONTROL => Some(self.words.get(&address).copied().unwrap_or(0)),
            _ if MEMORY.contains(&address) => Some(self.words.get(&address).copied().unwrap_or(0)),
            _ => None,
        }
    }

    /// Whether the address is one of its own.
    pub(crate) fn set_word(&mut self, at: Picoseconds, address: u32, value: u32) -> bool {
        let is_own = matches!(address, BT_CONTROL | BUFFER_BASE | HOST_CONTROL) || MEMORY.contains(&address);
        if is_own {
            self.words.insert(address, value);
        }
        if address == POWER && value & POWER_ON == POWER_ON {
            self.ready_from.get_or_insert(at + START_TIME);
        }
        is_own
    }
}
