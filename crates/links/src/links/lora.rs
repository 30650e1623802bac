//! LoRa on Semtech's SX1276.

use units::Picoseconds;

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::settings::{Kind, Setting, SettingError, Settings};
use crate::stage::{Constant, PartKind};

pub(super) const DEFINITION: Definition = Definition {
    name: "lora",
    title: "LoRa, SX1276",
    settings: &[
        Setting {
            name: "sf",
            kind: Kind::Integer { lowest: 6, highest: 12, unit: "" },
            default: "7",
            help: "spreading factor",
            alternatives: &["6", "7", "8", "9", "10", "11", "12"],
        },
        Setting {
            name: "bandwidth",
            kind: Kind::Frequency { lowest: 7_800, highest: 500_000 },
            default: "125 kHz",
            help: "signal bandwidth",
            alternatives: &["125 kHz", "250 kHz", "500 kHz"],
        },
    ],
    max_payload_bytes: 65_535,
    params: include_str!("../../params/lora.toml"),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let (sf, bandwidth_hz) = (settings.integer("sf") as i64, settings.integer("bandwidth") as i64);
    let air = Constant::of_load("packet on the air", PartKind::Air, move |load| {
        let symbol_ps = (1i64 << sf) * 1_000_000_000_000 / bandwidth_hz;
        let low_rate = i64::from(symbol_ps > 16_000_000_000);
        let bits = 8 * i64::from(load.frame_bytes) - 4 * sf + 28 + 16;
        let symbols = 8 + ((bits + 4 * (sf - 2 * low_rate) - 1) / (4 * (sf - 2 * low_rate))).max(0) * 5;
        Picoseconds::new(symbol_ps * symbols + symbol_ps * 49 / 4)
    });
    let host = params.time("host_overhead");
    Ok(Steps::new()
        .stage(Constant::fixed("firmware", PartKind::Cpu, host))
        .frames(255, Steps::new().stage(air)))
}
