//! Clocks of the chip, and when they run. What register 0x1000E says of them follows the clocks, not what was written there.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

/// From the request to the low-power clock, as Embassy's driver logged it on a Pico W.
const ALP_TIME: Picoseconds = Picoseconds::new(75 * units::PS_PER_US);
/// From the release of the core to the fast clock, likewise.
const HT_TIME: Picoseconds = Picoseconds::new(21_300 * units::PS_PER_US);
/// A chip whose firmware runs switches the fast clock on again in about this time (declared: nobody has published it).
const HT_AGAIN_TIME: Picoseconds = Picoseconds::new(100 * units::PS_PER_US);

const FORCE_ALP: u8 = 1;
const FORCE_HT: u8 = 1 << 1;
const REQUEST_ALP: u8 = 1 << 3;
const REQUEST_HT: u8 = 1 << 4;
const HAS_ALP: u8 = 1 << 6;
const HAS_HT: u8 = 1 << 7;
/// Sleep control: keep on, device on.
const KEEP_ON: u8 = 1;
const DEVICE_ON: u8 = 1 << 1;

/// The clocks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Clocks {
    asked: u8,
    sleep: u8,
    alp_from: Option<Picoseconds>,
    ht_from: Option<Picoseconds>,
    firmware_runs: bool,
}

impl Clocks {
    /// The firmware switches the fast clock on as it starts.
    pub(crate) fn firmware_starts(&mut self, at: Picoseconds) -> Picoseconds {
        self.firmware_runs = true;
        self.sleep = KEEP_ON;
        self.ht_from = Some(at + HT_TIME);
        at + HT_TIME
    }

    pub(crate) fn firmware_stops(&mut self) {
        (self.firmware_runs, self.ht_from) = (false, None);
    }

    /// What the driver writes to the register of the clocks.
    pub(crate) fn ask(&mut self, at: Picoseconds, value: u8) {
        self.asked = value & !(HAS_ALP | HAS_HT);
        if self.asked & (FORCE_ALP | REQUEST_ALP | FORCE_HT | REQUEST_HT) != 0 {
            self.alp_from.get_or_insert(at + ALP_TIME);
        }
        if self.asked & (FORCE_HT | REQUEST_HT) != 0 && self.firmware_runs {
            self.ht_from.get_or_insert(at + HT_AGAIN_TIME);
        }
    }

    pub(crate) fn register(&self, at: Picoseconds) -> u8 {
        let runs = |from: Option<Picoseconds>| from.is_some_and(|from| from <= at);
        let ht = runs(self.ht_from);
        let flag = |is: bool, bit: u8| if is { bit } else { 0 };
        self.asked | flag(ht || runs(self.alp_from), HAS_ALP) | flag(ht, HAS_HT)
    }

    /// The bus may sleep (false), or is woken.
    pub(crate) fn keep_on(&mut self, at: Picoseconds, value: u8) {
        let was_on = std::mem::replace(&mut self.sleep, value & KEEP_ON) != 0;
        if self.sleep == 0 {
            self.ht_from = None;
        } else if !was_on && self.firmware_runs {
            self.ht_from.get_or_insert(at + HT_AGAIN_TIME);
        }
    }

    pub(crate) fn sleep_register(&self) -> u8 {
        if self.sleep != 0 { KEEP_ON | DEVICE_ON } else { 0 }
    }
}
