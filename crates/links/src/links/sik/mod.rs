//! A pair of SiK telemetry radios (915 MHz, TDM) between two hosts with UARTs: from the trigger on one host to the done
//! pin of the other. The radios run the open firmware, release 1.9. MAVLink framing is left out: it matters only for
//! MAVLink frames.

mod rounds;
mod stream;
mod tdm;
mod timing;

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::{Interference, LOSS_SITE};
use crate::stage::{Cause, Constant, Hit, Load, Uniform};
use crate::{Field, SettingError, Settings, Takes};
use tdm::TdmRadios;
use timing::{Choices, Timing};

pub(super) const DEFINITION: Definition = Definition {
    name: "sik",
    title: "SiK telemetry radio, TDM",
    settings: &[
        Field {
            name: "baud",
            takes: Takes::Choice(&[
                "1200", "2400", "4800", "9600", "19200", "38400", "57600", "115200", "230400",
            ]),
            default: Some("57600"),
            help: "SERIAL_SPEED: baud rate of both UARTs",
            example: "57600",
            alternatives: &["57600", "115200", "230400"],
        },
        Field {
            name: "air_rate",
            takes: Takes::Choice(AIR_RATES),
            default: Some("64"),
            help: "AIR_SPEED: kbit/s on the air",
            example: "64",
            alternatives: &["64", "96", "128", "192", "250"],
        },
        Field {
            name: "max_window",
            takes: Takes::Integer { lowest: 20, highest: 131, unit: "ms" },
            default: Some("131 ms"),
            help: "MAX_WINDOW: the longest transmit window",
            example: "20 ms",
            alternatives: &["20 ms", "33 ms", "65 ms"],
        },
        Field {
            name: "opportunistic_resend",
            takes: Takes::Switch,
            default: Some("on"),
            help: "OPPRESEND: a packet goes out twice when fewer than 32 bytes wait (off in firmware since 2016)",
            example: "off",
            alternatives: &["off"],
        },
        LOSS_SITE,
    ],
    // The sending radio's serial buffer.
    max_payload_bytes: 1_900,
    params: concat!(
        include_str!("../../../params/sik.toml"),
        include_str!("../../../params/sites-sub-ghz.toml")
    ),
    build,
};

const AIR_RATES: &[&str] = &["2", "4", "8", "16", "19", "24", "32", "48", "64", "96", "128", "192", "250"];

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let timing = timing_at(settings, settings.choice("air_rate"), params);
    if !timing.carries() {
        let fast_enough = AIR_RATES.iter().find(|rate| timing_at(settings, rate, params).carries());
        return Err(SettingError::Impossible(format!(
            "air_rate is {}, but at that rate a window of {} ms has no room for a packet; use air_rate = {} or more",
            settings.choice("air_rate"),
            settings.integer("max_window"),
            fast_enough.expect("the fastest rate fits the shortest window")
        )));
    }
    let interference = Interference::at(settings, params);
    let frames = timing.clone();
    let on_air = move |load: &Load| frames.on_air(load.payload_bytes);
    let way = Steps::new()
        .stage(Constant::fixed("host notices the trigger", Cause::Cpu, params.time("notice")))
        .stage(Uniform::new("wait for the host's baud clock", Cause::Bus, timing.bit_out()))
        .stage(TdmRadios::new(timing))
        .maybe(Hit::where_there_is_some(interference, on_air))
        .stage(Constant::fixed("host checks the payload", Cause::Cpu, params.time("check")));
    Ok(Steps::new().together(way))
}

fn timing_at(settings: &Settings, air_rate: &str, params: &Params) -> Timing {
    let whole = |text: &str| text.parse::<i64>().expect("the choices are numbers");
    let choices = Choices {
        baud: whole(settings.choice("baud")),
        air_bits_per_s: 1_000 * whole(air_rate),
        max_window_ms: settings.integer("max_window") as i64,
        resend: settings.switch("opportunistic_resend"),
    };
    Timing::new(choices, params)
}

#[cfg(test)]
mod tests;
