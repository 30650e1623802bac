//! Two HC-05 Bluetooth modules as a serial cable between two hosts: from the trigger on one host to the done pin of the
//! other. Pairing, data in the other direction and flow control are left out.

mod module;

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{Cause, Constant, Gate, GateClock};
use crate::{Field, SettingError, Settings, Takes};
use module::{Delays, LastPacket, Packets, Reads, Timing};

pub(super) const DEFINITION: Definition = Definition {
    name: "hc05",
    title: "HC-05 Bluetooth serial modules",
    settings: &[Field {
        name: "baud",
        takes: Takes::Choice(&[
            "4800", "9600", "19200", "38400", "57600", "115200", "230400", "460800", "921600", "1382400",
        ]),
        default: Some("57600"),
        help: "AT+UART: baud rate of both UARTs",
        example: "9600",
        alternatives: &["9600", "57600", "115200", "460800"],
    }],
    max_payload_bytes: 65_535,
    params: include_str!("../../../params/hc05.toml"),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let baud: i64 = settings.choice("baud").parse().expect("the choices are numbers");
    let timing = Timing::new(baud, params);
    let (input, output) = (timing.clone(), timing.clone());
    let delays = Delays::new(params);
    let slots = GateClock::new("slot pair", params.time("slot_pair"));
    let characters_in =
        Constant::of_load("first characters in", Cause::Bus, move |load| input.characters_in(load));
    let characters_out =
        Constant::of_load("characters out", Cause::Bus, move |load| output.characters_out(load));
    let sender = Steps::new()
        .stage(Constant::fixed("host notices the trigger", Cause::Cpu, params.time("notice")))
        .stage(characters_in)
        .stage(Reads::new(timing.clone()))
        .stage(Constant::fixed("modules handle the packet", Cause::Cpu, params.time("processing")))
        .stage(Gate::new("wait for a slot pair", slots))
        .stage(Packets::new(timing.clone(), delays.clone()))
        .stage(LastPacket(timing, delays));
    let receiver = Steps::new().stage(characters_out).stage(Constant::fixed(
        "host checks the payload",
        Cause::Cpu,
        params.time("check"),
    ));
    Ok(Steps::new().together(sender).then(receiver))
}

#[cfg(test)]
mod tests;
