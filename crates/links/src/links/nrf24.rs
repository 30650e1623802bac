//! nRF24L01+ with Enhanced ShockBurst, a microcontroller on either side: 32-byte packets, each acknowledged before the
//! next is loaded. Lost packets, several pipes and acknowledgements with payload are left out.

use units::Picoseconds;

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::{Interference, LOSS_SITE};
use crate::stage::{Acknowledgement, Cause, Constant, Detection, Hit, Load};
use crate::{Field, SettingError, Settings, Takes};

/// The chip's FIFO entry.
const PACKET_BYTES: u32 = 32;
const SECOND_PS: i64 = 1_000_000_000_000;

pub(super) const DEFINITION: Definition = Definition {
    name: "nrf24",
    title: "nRF24L01+, Enhanced ShockBurst",
    settings: SETTINGS,
    max_payload_bytes: 65_535,
    params: concat!(include_str!("../../params/nrf24.toml"), include_str!("../../params/sites-2-4-ghz.toml")),
    build,
};

const SETTINGS: &[Field] = &[
    Field {
        name: "rate",
        takes: Takes::Choice(&["250k", "1M", "2M"]),
        default: Some("2M"),
        help: "bits per second on the air (RF_DR)",
        example: "250k",
        alternatives: &["250k", "1M", "2M"],
    },
    Field {
        name: "padded",
        takes: Takes::Switch,
        default: Some("on"),
        help: "every packet is filled to 32 bytes (static payload length); off: dynamic payload length (DPL)",
        example: "on",
        alternatives: &["on", "off"],
    },
    Field {
        name: "acknowledge",
        takes: Takes::Switch,
        default: Some("on"),
        help: "auto-acknowledgement (EN_AA); off: the next packet follows the end of this one",
        example: "on",
        alternatives: &["on", "off"],
    },
    Field {
        name: "retry_delay",
        takes: Takes::Time {
            lowest: Picoseconds::from_ns(250_000),
            highest: Picoseconds::from_ns(4_000_000),
        },
        default: Some("1 ms"),
        help: "auto-retransmit delay (ARD), in steps of 250 us",
        example: "250 us",
        alternatives: &["250 us", "500 us", "1 ms"],
    },
    Field {
        name: "retries",
        takes: Takes::Integer { lowest: 0, highest: 15, unit: "" },
        default: Some("5"),
        help: "auto-retransmit count (ARC); 0: an acknowledgement that is lost ends the message",
        example: "5",
        alternatives: &[],
    },
    Field {
        name: "acknowledgement_lost",
        takes: Takes::Choice(&["measured", "never"]),
        default: Some("measured"),
        help: "first acknowledgements that the sender misses: as often as in the captures, or never",
        example: "measured",
        alternatives: &[],
    },
    Field {
        name: "address",
        takes: Takes::Integer { lowest: 3, highest: 5, unit: "B" },
        default: Some("3"),
        help: "address width (SETUP_AW)",
        example: "3",
        alternatives: &["3", "5"],
    },
    Field {
        name: "crc",
        takes: Takes::Integer { lowest: 1, highest: 2, unit: "B" },
        default: Some("2"),
        help: "length of the checksum (CRCO)",
        example: "1",
        alternatives: &["1", "2"],
    },
    Field {
        name: "spi_clock",
        takes: Takes::Frequency { lowest: 100_000, highest: 10_500_000 },
        default: Some("10.5 MHz"),
        help: "SPI clock on both sides (the chip is specified to 10 MHz)",
        example: "1 MHz",
        alternatives: &["1 MHz", "4 MHz", "10 MHz"],
    },
    LOSS_SITE,
];

/// The frame formats, and the times that follow from them.
#[derive(Debug, Clone, Copy)]
struct Timing {
    bit_rate: i64,
    /// Of a packet without payload, which is what an acknowledgement is.
    empty_bits: i64,
    padded: bool,
    spi_byte: Picoseconds,
}

impl Timing {
    fn new(settings: &Settings, params: &Params) -> Self {
        let check_bits = 8 * (settings.integer("address") + settings.integer("crc")) as i64;
        Self {
            bit_rate: match settings.choice("rate") {
                "250k" => 250_000,
                "1M" => 1_000_000,
                _ => 2_000_000,
            },
            empty_bits: params.integer("preamble_bits") + params.integer("control_bits") + check_bits,
            padded: settings.switch("padded"),
            spi_byte: Picoseconds::new(8 * SECOND_PS / settings.integer("spi_clock") as i64)
                + params.time("spi_gap"),
        }
    }

    fn bits(&self, count: i64) -> Picoseconds {
        Picoseconds::new(count * SECOND_PS / self.bit_rate)
    }

    /// A fitted number of bits is no whole number.
    fn part_bits(&self, count: f64) -> Picoseconds {
        Picoseconds::new(libm::round(count * self.bits(1).ps() as f64) as i64)
    }

    fn packet_bytes(&self, load: &Load) -> i64 {
        i64::from(if self.padded { PACKET_BYTES } else { load.frame_bytes })
    }

    fn packet(&self, load: &Load) -> Picoseconds {
        self.bits(self.empty_bits + 8 * self.packet_bytes(load))
    }

    /// The command byte and the payload.
    fn spi(&self, load: &Load) -> Picoseconds {
        Picoseconds::new(self.spi_byte.ps() * (1 + self.packet_bytes(load)))
    }
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let timing = Timing::new(settings, params);
    let detection = Detection::new(timing.part_bits(params.number("detection_bits")), timing.bits(1));
    let firmware = params.time("firmware");
    let firmware_sender = Picoseconds::new(firmware.ps() / 2);
    let firmware_receiver = firmware - firmware_sender;
    let next_packet = params.time("next_packet");
    let per_byte = params.time("check_per_byte");
    let check = move |load: &Load| Picoseconds::new(per_byte.ps() * i64::from(load.payload_bytes));
    let received = Steps::new()
        .stage(Constant::of_load("payload over the receiver's SPI", Cause::Bus, move |load| {
            if load.is_last { timing.spi(load) } else { Picoseconds::ZERO }
        }))
        .stage(Constant::of_load("firmware", Cause::Cpu, move |load| {
            if load.is_last { firmware_receiver + check(load) } else { Picoseconds::ZERO }
        }))
        .done();
    let packet = Steps::new()
        .stage(Constant::of_load("payload over the sender's SPI", Cause::Bus, move |load| timing.spi(load)))
        .then(transmission(settings, params, timing))
        .stage(detection)
        .then(received)
        .maybe(acknowledgement(settings, params, timing)?)
        .stage(Constant::fixed("firmware", Cause::Cpu, next_packet));
    Ok(Steps::new()
        .stage(Constant::fixed("firmware", Cause::Cpu, firmware_sender))
        .frames(PACKET_BYTES, packet))
}

/// A packet on the air: sent again where interference hit it and an acknowledgement is waited for.
fn transmission(settings: &Settings, params: &Params, timing: Timing) -> Steps {
    let interference = Interference::at(settings, params);
    let sent = Steps::new()
        .stage(Constant::fixed("sender's radio starts", Cause::Protocol, params.time("turnaround")))
        .stage(Constant::of_load("packet on the air", Cause::Air, move |load| timing.packet(load)))
        .maybe(Hit::where_there_is_some(interference, move |load: &Load| timing.packet(load)));
    if !interference.is_some() || !settings.switch("acknowledge") {
        return sent;
    }
    let silence =
        Constant::fixed("wait for a missing acknowledgement", Cause::Retry, settings.time("retry_delay"));
    Steps::new().attempts(settings.integer("retries") as u32, sent, Steps::new().stage(silence))
}

fn acknowledgement(
    settings: &Settings,
    params: &Params,
    timing: Timing,
) -> Result<Option<Acknowledgement>, SettingError> {
    if !settings.switch("acknowledge") {
        return Ok(None);
    }
    let turnaround = params.time("turnaround");
    let exchange = turnaround + timing.bits(timing.empty_bits);
    let delay = settings.time("retry_delay");
    let step_ps = Picoseconds::from_ns(250_000).ps();
    if delay.ps() % step_ps != 0 {
        return Err(SettingError::Impossible(format!(
            "retry_delay is {} us, but the chip has steps of 250 us; use a multiple of 250 us",
            delay.ps() / 1_000_000
        )));
    }
    if delay < exchange {
        return Err(SettingError::Impossible(format!(
            "retry_delay is {} us, but turnaround and acknowledgement take {} us at this rate; use {} us or more",
            delay.ps() / 1_000_000,
            exchange.ps() / 1_000_000,
            (exchange.ps() + step_ps - 1) / step_ps * 250,
        )));
    }
    let repeat = delay + turnaround + timing.part_bits(params.number("repeat_bits"));
    let lost = match settings.choice("acknowledgement_lost") {
        "never" => [0.0; 2],
        _ => ["first_acknowledgement_lost", "acknowledgement_lost"].map(|name| params.number(name)),
    };
    let detection = Detection::new(timing.part_bits(params.number("acknowledgement_bits")), timing.bits(1))
        .with_spread(timing.part_bits(params.number("acknowledgement_spread_bits")));
    Ok(Some(Acknowledgement::new(exchange, detection, repeat, lost, settings.integer("retries") > 0)))
}
