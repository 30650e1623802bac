//! No radio at all: an interrupt on one pin raises another. What remains is the board's own reaction, the baseline
//! under every other link. Why a spread has its width (flash waits, the loop's length) is left out.

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{Cause, Constant, Quantiles, Uniform};
use crate::{Field, SettingError, Settings, Takes};

pub(super) const DEFINITION: Definition = Definition {
    name: "gpio",
    title: "bare GPIO, one pin to another",
    settings: &[Field {
        name: "build",
        takes: Takes::Choice(BUILDS),
        default: Some("stm32-ll-o3"),
        help: "board, framework and optimisation of the firmware",
        example: "stm32-ll-o3",
        alternatives: BUILDS,
    }],
    max_payload_bytes: 1,
    params: include_str!("../../params/gpio.toml"),
    build,
};

const BUILDS: &[&str] = &[
    "stm32-ll-og",
    "stm32-ll-o3",
    "stm32-ll-os",
    "stm32duino-og",
    "stm32duino-o1",
    "stm32duino-os",
    "esp-idf",
    "rpi-node",
];

/// The shares at which `params/gpio.toml` gives the quantiles of measured shapes.
const PERCENTS: &[f64] = &[0.0, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 97.0, 98.0, 99.0, 99.5, 100.0];

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let build = settings.choice("build");
    let times = params.times(&build.replace('-', "_"));
    Ok(match build {
        "esp-idf" => Steps::new().stage(Quantiles::new("interrupt to pin", Cause::Cpu, PERCENTS, times)),
        "rpi-node" => {
            Steps::new().stage(Quantiles::new("poll loop to pin", Cause::Empirical, PERCENTS, times))
        }
        _ => Steps::new()
            .stage(Constant::fixed("interrupt to pin", Cause::Cpu, times[0]))
            .stage(Uniform::new("spread of the reaction", Cause::Cpu, times[1])),
    })
}
