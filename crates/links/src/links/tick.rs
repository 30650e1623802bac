//! The tick of FreeRTOS at which the sending task of an ESP32 test program looks for its trigger: a setting that all of
//! these links share, and the wait for it.

use units::Picoseconds;

use crate::stage::{Gate, GateClock};
use crate::{Field, Settings, Takes};

pub(super) const TICK: Field = Field {
    name: "tick",
    takes: Takes::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::from_ns(1_000_000_000) },
    default: Some("10 ms"),
    help: "FreeRTOS tick at which the sending task sees the trigger (CONFIG_FREERTOS_HZ); none: woken by it",
    example: "10 ms",
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
