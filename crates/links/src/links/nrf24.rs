//! nRF24L01+ with Enhanced ShockBurst, a microcontroller on either side: 32-byte packets, each acknowledged before the
//! next is loaded. Lost packets, several pipes and acknowledgements with payload are left out.

use units::Picoseconds;

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{Acknowledgement, Cause, Constant, Detection, Load, Uniform};
use crate::{Kind, Setting, SettingError, Settings};

/// The chip's FIFO entry.
const PACKET_BYTES: u32 = 32;
const SECOND_PS: i64 = 1_000_000_000_000;

pub(super) const DEFINITION: Definition = Definition {
    name: "nrf24",
    title: "nRF24L01+, Enhanced ShockBurst",
    settings: SETTINGS,
    max_payload_bytes: 65_535,
    params: include_str!("../../params/nrf24.toml"),
    build,
};

const SETTINGS: &[Setting] = &[
    Setting {
        name: "rate",
        kind: Kind::Choice(&["250k", "1M", "2M"]),
        default: "2M",
        help: "bits per second on the air (RF_DR)",
        alternatives: &["250k", "1M", "2M"],
    },
    Setting {
        name: "padded",
        kind: Kind::Switch,
        default: "on",
        help: "every packet is filled to 32 bytes (static payload length); off: dynamic payload length (DPL)",
        alternatives: &["on", "off"],
    },
    Setting {
        name: "acknowledge",
        kind: Kind::Switch,
        default: "on",
        help: "auto-acknowledgement (EN_AA); off: the next packet follows the end of this one",
        alternatives: &["on", "off"],
    },
    Setting {
        name: "retry_delay",
        kind: Kind::Time { lowest: Picoseconds::from_ns(250_000), highest: Picoseconds::from_ns(4_000_000) },
        default: "1 ms",
        help: "auto-retransmit delay (ARD), in steps of 250 us",
        alternatives: &["250 us", "500 us", "1 ms"],
    },
    Setting {
        name: "retries",
        kind: Kind::Integer { lowest: 0, highest: 15, unit: "" },
        default: "5",
        help: "auto-retransmit count (ARC); 0: an acknowledgement that is lost ends the message",
        alternatives: &[],
    },
    Setting {
        name: "acknowledgement_lost",
        kind: Kind::Choice(&["measured", "never"]),
        default: "measured",
        help: "first acknowledgements that the sender misses: as often as in the captures, or never",
        alternatives: &[],
    },
    Setting {
        name: "address",
        kind: Kind::Integer { lowest: 3, highest: 5, unit: "B" },
        default: "3",
        help: "address width (SETUP_AW)",
        alternatives: &["3", "5"],
    },
    Setting {
        name: "crc",
        kind: Kind::Integer { lowest: 1, highest: 2, unit: "B" },
        default: "2",
        help: "length of the checksum (CRCO)",
        alternatives: &["1", "2"],
    },
    Setting {
        name: "spi_clock",
        kind: Kind::Frequency { lowest: 100_000, highest: 10_500_000 },
        default: "10.5 MHz",
        help: "SPI clock on both sides (the chip is specified to 10 MHz)",
        alternatives: &["1 MHz", "4 MHz", "10 MHz"],
    },
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
    let detection =
        |timing: Timing| Detection::new(timing.part_bits(params.number("detection_bits")), timing.bits(1));
    let firmware = params.time("firmware");
    let firmware_sender = Picoseconds::new(firmware.ps() / 2);
    let firmware_receiver = firmware - firmware_sender;
    let next_packet = params.time("next_packet");
    let received = Steps::new()
        .stage(Constant::of_load("payload over the receiver's SPI", Cause::Bus, move |load| {
            if load.is_last { timing.spi(load) } else { Picoseconds::ZERO }
        }))
        .stage(Constant::of_load("firmware", Cause::Cpu, move |load| {
            if load.is_last { firmware_receiver } else { Picoseconds::ZERO }
        }))
        .done();
    let packet = Steps::new()
        .stage(Constant::of_load("payload over the sender's SPI", Cause::Bus, move |load| timing.spi(load)))
        .stage(Constant::fixed("sender's radio starts", Cause::Protocol, params.time("turnaround")))
        .stage(Constant::of_load("packet on the air", Cause::Air, move |load| timing.packet(load)))
        .stage(detection(timing))
        .then(received)
        .maybe(acknowledgement(settings, params, timing, detection(timing))?)
        .stage(Constant::fixed("firmware", Cause::Cpu, next_packet))
        .stage(Uniform::new("firmware", Cause::Cpu, params.time("next_packet_jitter")));
    Ok(Steps::new()
        .stage(Constant::fixed("firmware", Cause::Cpu, firmware_sender))
        .frames(PACKET_BYTES, packet))
}

fn acknowledgement(
    settings: &Settings,
    params: &Params,
    timing: Timing,
    detection: Detection,
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
        "never" => 0.0,
        _ => params.number("acknowledgement_lost"),
    };
    Ok(Some(Acknowledgement::new(exchange, detection, repeat, lost, settings.integer("retries") > 0)))
}
