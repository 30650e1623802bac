//! The tick of FreeRTOS at which the sending task of an ESP32 test program looks for its trigger: a setting that all of
//! these links share, and the wait for it.

use units::Picoseconds;

use crate::stage::{Gate, GateClock};
use crate::{Kind, Setting, Settings};

pub(super) const TICK: Setting = Setting {
    name: "tick",
    kind: Kind::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::from_ns(1_000_000_000) },
    default: "10 ms",
    help: "FreeRTOS tick at which the sending task sees the trigger (CONFIG_FREERTOS_HZ); none: woken by it",
    alternatives: &["10 ms", "1 ms", "none"],
};

/// The tick's clock, or nothing where an interrupt wakes the task.
pub(super) fn clock(settings: &Settings) -> Option<GateClock> {
    settings.optional_time("tick").map(|period| GateClock::new("tick", period))
}

/// The wait for the tick.
pub(super) fn wait(settings: &Settings) -> Option<Gate> {
    clock(settings).map(|clock| Gate::new("wait for the OS tick", clock))
}
