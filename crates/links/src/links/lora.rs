//! LoRa on Semtech's SX1276: register accesses, wake-up, airtime by the datasheet's formula, the receiver's decoding and
//! its FIFO, and the silence that a duty cycle asks for. Frequency hopping and collisions within one network are left out.

use units::{Hertz, PS_PER_S, Picoseconds};

use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::{Interference, LOSS_SITE};
use crate::stage::{Cause, Constant, Exposed, Gate, GateClock, Load, SpiBus, Uniform};
use crate::{Field, SettingError, Settings, Takes};

pub(super) const DEFINITION: Definition = Definition {
    name: "lora",
    title: "LoRa, SX1276",
    settings: &[
        Field {
            name: "sf",
            takes: Takes::Integer { lowest: 6, highest: 12, unit: "" },
            default: Some("7"),
            help: "spreading factor: a symbol is 2 to its power chips; 6 takes header = implicit",
            example: "7",
            alternatives: &["6", "7", "8", "9", "10", "11", "12"],
        },
        Field {
            name: "bandwidth",
            takes: Takes::Frequency { lowest: 7_800, highest: 500_000 },
            default: Some("125 kHz"),
            help: "signal bandwidth, one of the chip's ten from 7.8 kHz to 500 kHz",
            example: "62500",
            alternatives: &["62500", "125 kHz", "250 kHz", "500 kHz"],
        },
        Field {
            name: "coding_rate",
            takes: Takes::Choice(&["4/5", "4/6", "4/7", "4/8"]),
            default: Some("4/5"),
            help: "data bits over coded bits",
            example: "4/5",
            alternatives: &["4/5", "4/6", "4/7", "4/8"],
        },
        Field {
            name: "preamble",
            takes: Takes::Integer { lowest: 6, highest: 65_535, unit: "symbols" },
            default: Some("8 symbols"),
            help: "programmed length of the preamble; 4.25 symbols are added by the chip",
            example: "6 symbols",
            alternatives: &["6 symbols", "8 symbols"],
        },
        Field {
            name: "header",
            takes: Takes::Choice(&["explicit", "implicit"]),
            default: Some("explicit"),
            help: "whether the packet says its own length and coding rate",
            example: "explicit",
            alternatives: &["explicit", "implicit"],
        },
        Field {
            name: "crc",
            takes: Takes::Switch,
            default: Some("on"),
            help: "two bytes of CRC over the payload",
            example: "on",
            alternatives: &["on", "off"],
        },
        Field {
            name: "low_data_rate",
            takes: Takes::Choice(&["auto", "on", "off"]),
            default: Some("auto"),
            help: "low data rate optimisation; auto is on where a symbol is longer than 16 ms, as Semtech demands",
            example: "auto",
            alternatives: &[],
        },
        Field {
            name: "chunk",
            takes: Takes::Integer { lowest: 1, highest: 255, unit: "B" },
            default: Some("255 B"),
            help: "payload per packet; longer messages take several",
            example: "64 B",
            alternatives: &["64 B", "128 B", "255 B"],
        },
        Field {
            name: "sleep",
            takes: Takes::Switch,
            default: Some("on"),
            help: "whether the sending radio sleeps between messages and must wake its oscillator",
            example: "on",
            alternatives: &["on", "off"],
        },
        Field {
            name: "spi_clock",
            takes: Takes::Frequency { lowest: 100_000, highest: 12_000_000 },
            default: Some("10500 kHz"),
            help: "SCK of both hosts; the datasheet allows 10 MHz",
            example: "1 MHz",
            alternatives: &["1 MHz", "4 MHz", "10 MHz"],
        },
        Field {
            name: "interference",
            takes: Takes::Number { lowest: 0.0, highest: 1_000.0, unit: "/s" },
            default: Some("0 /s"),
            help: "bursts per second that destroy a packet they meet; a property of the site",
            example: "0 /s",
            alternatives: &[],
        },
        Field {
            name: "duty_cycle",
            takes: Takes::Choice(&["none", "0.1%", "1%", "10%"]),
            default: Some("none"),
            help: "most of the time that the sender may be on the air. ETSI EN 300 220-2: 1% at 868.0 to 868.6 MHz, 0.1% at \
                   868.7 to 869.2 MHz, 10% at 869.4 to 869.65 MHz",
            example: "1%",
            alternatives: &[],
        },
        LOSS_SITE,
    ],
    max_payload_bytes: 65_535,
    params: concat!(include_str!("../../params/lora.toml"), include_str!("../../params/sites-sub-ghz.toml")),
    build,
};

const WIDEST_HZ: i64 = 500_000;
/// The chip's bandwidths are fractions of the widest; the datasheet rounds their names.
const BANDWIDTH_FRACTIONS: [i64; 10] = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64];
/// Of a symbol: low data rate optimisation is mandatory beyond (SX1276 datasheet, 4.1.1.6).
const LONGEST_PLAIN_SYMBOL: Picoseconds = Picoseconds::new(16_000_000_000);
/// Register accesses are an address and a value.
const REGISTER_BYTES: u32 = 2;
/// Interrupt mapping, interrupt flags, mode standby.
const ACCESSES_TO_STANDBY: u32 = 3;
/// Reading and clearing the interrupt, sleep or standby.
const ACCESSES_AFTER_TRANSMISSION: u32 = 3;
/// FIFO address and payload length; then the FIFO; then mode transmit.
const ACCESSES_BEFORE_FIFO: u32 = 2;
/// Interrupt read and cleared, two signal levels, channel, length, FIFO address read and set.
const ACCESSES_BEFORE_READING: u32 = 8;

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let modem = Modem::new(settings)?;
    let bus = SpiBus {
        clock: Hertz::new(settings.integer("spi_clock")).expect("the range leaves zero out"),
        byte_gap: params.time("spi_byte_gap"),
        select_overhead: params.time("spi_select_overhead"),
    };
    let chunk = settings.integer("chunk") as u32;
    let decoding = modem.decoding(params.integer("carrier_offset_hz"));
    let interference = Interference::at(settings, params).and(settings.number("interference"));
    let chips = GateClock::new("chip clock", modem.chip());
    let transmission = transmitter(settings.switch("sleep"), bus, params).stage(Exposed::new(
        "packet on the air",
        move |load| modem.airtime(load.frame_bytes),
        interference.bursts_per_second(),
    ));
    let message = Steps::new()
        .stage(Constant::fixed("firmware of the sender", Cause::Cpu, params.time("trigger")))
        .frames(chunk, transmission)
        .stage(Constant::fixed("receiver decodes", Cause::Protocol, decoding))
        .stage(Gate::new("wait for the receiver's chip clock", chips))
        .then(receiver(chunk, bus, params));
    Ok(match silences_per_airtime(settings.choice("duty_cycle")) {
        None => message,
        Some(silences) => message.done().stage(Constant::of_load(
            "silence for the duty cycle",
            Cause::Protocol,
            move |load| Picoseconds::new(silences * modem.airtime_of(load.payload_bytes, chunk).ps()),
        )),
    })
}

/// How many times as long as it was on the air a sender is silent after a message.
fn silences_per_airtime(duty_cycle: &str) -> Option<i64> {
    match duty_cycle {
        "10%" => Some(9),
        "1%" => Some(99),
        "0.1%" => Some(999),
        _ => None,
    }
}

/// The sending host and its radio, up to the first symbol of a packet.
fn transmitter(sleeps: bool, bus: SpiBus, params: &Params) -> Steps {
    let pause = params.time("register_pause");
    let (asleep, awake) = (params.time("wake_from_sleep"), params.time("wake_from_standby"));
    let interrupt = params.time("mode_interrupt");
    let standby = move |load: &Load| {
        let tidy_up = if load.is_first { 0 } else { ACCESSES_AFTER_TRANSMISSION };
        bus.transactions(ACCESSES_TO_STANDBY + tidy_up, REGISTER_BYTES, pause)
    };
    let wake = move |load: &Load| if load.is_first && sleeps { asleep } else { awake };
    let fill = move |load: &Load| {
        bus.transactions(ACCESSES_BEFORE_FIFO + 1, REGISTER_BYTES, pause)
            + bus.transaction(load.frame_bytes + 1)
    };
    let interrupts = move |load: &Load| {
        if load.is_first { interrupt } else { interrupt + interrupt }
    };
    Steps::new()
        .stage(Constant::of_load("registers of the sending radio", Cause::Bus, standby))
        .stage(Constant::of_load("radio wakes up", Cause::Protocol, wake))
        .stage(Constant::of_load("firmware of the sender", Cause::Cpu, interrupts))
        .stage(Constant::of_load("payload over SPI to the radio", Cause::Bus, fill))
        .stage(Constant::fixed("transmitter starts", Cause::Protocol, params.time("transmit_start")))
        .stage(Uniform::new("transmitter starts", Cause::Protocol, params.time("transmit_start_spread")))
}

/// The receiving host, from its radio's interrupt to done. Earlier packets of a message are read while the next one
/// is on the air.
fn receiver(chunk: u32, bus: SpiBus, params: &Params) -> Steps {
    let last_bytes = move |load: &Load| (load.frame_bytes - 1) % chunk + 1;
    let pause = params.time("receive_pause");
    let (interrupt, check) = (params.time("receive_interrupt"), params.time("check"));
    let per_byte_ps = params.time("check_per_byte").ps();
    let read = move |load: &Load| {
        bus.transactions(ACCESSES_BEFORE_READING + 1, REGISTER_BYTES, pause)
            + bus.transaction(last_bytes(load) + 1)
    };
    let checked =
        move |load: &Load| interrupt + check + Picoseconds::new(per_byte_ps * i64::from(last_bytes(load)));
    Steps::new()
        .stage(Constant::of_load("payload over SPI from the radio", Cause::Bus, read))
        .stage(Constant::of_load("firmware of the receiver", Cause::Cpu, checked))
}

/// What decides how long a packet is on the air.
#[derive(Debug, Clone, Copy)]
struct Modem {
    sf: i64,
    /// 500 kHz over the bandwidth.
    fraction: i64,
    coded_bits: i64,
    preamble_symbols: i64,
    implicit_header: bool,
    crc: bool,
    low_data_rate: bool,
}

impl Modem {
    fn new(settings: &Settings) -> Result<Self, SettingError> {
        let sf = settings.integer("sf") as i64;
        let implicit_header = settings.choice("header") == "implicit";
        if sf == 6 && !implicit_header {
            return Err(SettingError::Impossible(
                "sf is 6, which the SX1276 allows with header = implicit only; set that, or sf = 7"
                    .to_owned(),
            ));
        }
        let mut modem = Self {
            sf,
            fraction: bandwidth_fraction(settings.integer("bandwidth") as i64)?,
            coded_bits: match settings.choice("coding_rate") {
                "4/5" => 5,
                "4/6" => 6,
                "4/7" => 7,
                _ => 8,
            },
            preamble_symbols: settings.integer("preamble") as i64,
            implicit_header,
            crc: settings.switch("crc"),
            low_data_rate: false,
        };
        modem.low_data_rate = match settings.choice("low_data_rate") {
            "auto" => modem.symbols(1) > LONGEST_PLAIN_SYMBOL,
            word => word == "on",
        };
        Ok(modem)
    }

    /// Exact in picoseconds: a chip at 500 kHz is 2 us.
    fn quarter_symbols(&self, quarters: i64) -> Picoseconds {
        Picoseconds::new(quarters * (1 << self.sf) * self.fraction * (PS_PER_S / (4 * WIDEST_HZ)))
    }

    fn symbols(&self, symbols: i64) -> Picoseconds {
        self.quarter_symbols(4 * symbols)
    }

    fn chip(&self) -> Picoseconds {
        Picoseconds::new(self.fraction * (PS_PER_S / WIDEST_HZ))
    }

    /// From the end of a packet to the next tick of the receiver's symbol clock. The clock is aligned with the whole
    /// symbols of the preamble, a quarter symbol of which shifts what follows; and a receiver that aligns chirps
    /// takes a difference of carriers for one of times.
    fn decoding(&self, carrier_offset_hz: i64) -> Picoseconds {
        let misalignment_ps = self.symbols(1).ps() * carrier_offset_hz * self.fraction / WIDEST_HZ;
        self.quarter_symbols(3) + Picoseconds::new(misalignment_ps)
    }

    /// SX1276 datasheet, 4.1.1.7: preamble and 4.25 symbols, eight symbols, and whole blocks of coded bits.
    fn airtime(&self, payload_bytes: u32) -> Picoseconds {
        let bits = 8 * i64::from(payload_bytes) - 4 * self.sf + 28 + 16 * i64::from(self.crc)
            - 20 * i64::from(self.implicit_header);
        let bits_per_block = 4 * (self.sf - 2 * i64::from(self.low_data_rate));
        let blocks = (bits + bits_per_block - 1).div_euclid(bits_per_block).max(0);
        let symbols = self.preamble_symbols + 8 + blocks * self.coded_bits;
        self.quarter_symbols(4 * symbols + 17)
    }

    /// All packets of a message.
    fn airtime_of(&self, payload_bytes: u32, chunk: u32) -> Picoseconds {
        let (full, rest) = (payload_bytes / chunk, payload_bytes % chunk);
        let last = if rest > 0 { self.airtime(rest) } else { Picoseconds::ZERO };
        Picoseconds::new(i64::from(full) * self.airtime(chunk).ps()) + last
    }
}

fn bandwidth_fraction(hz: i64) -> Result<i64, SettingError> {
    // Two per cent cover the names that the datasheet rounds, such as 7.8 kHz for 7812.5 Hz.
    let meant = |fraction: &&i64| (hz * **fraction - WIDEST_HZ).abs() <= WIDEST_HZ / 50;
    BANDWIDTH_FRACTIONS.iter().find(meant).copied().ok_or_else(|| {
        SettingError::Impossible(format!(
            "bandwidth is {hz} Hz, but the SX1276 has 7.8, 10.4, 15.6, 20.8, 31.25, 41.7, 62.5, 125, 250 and 500 kHz; \
             take one of these"
        ))
    })
}
