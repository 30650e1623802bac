//! What the Bluetooth LE links have in common: their settings, and how a connection is put together from them.

use units::Picoseconds;

use crate::params::Params;
use crate::site::Interference;
use crate::stage::{Connection, Direction, EventLimits, Framing, GateClock, Losses, Phy};
use crate::{Field, SettingError, Settings, Takes, Value};

/// The unit of connection intervals (Bluetooth Core Specification 5.4, Vol 6 Part B, 4.5.1).
const INTERVAL_UNIT: Picoseconds = Picoseconds::from_ns(1_250_000);
/// ATT's operation and handle (Vol 3 Part F, 3.4.7.1).
const ATT_HEADER_BYTES: u64 = 3;

/// The shortest advertising interval (Vol 6 Part B, 4.4.2.2.1).
const SHORTEST_ADVERTISING: Picoseconds = Picoseconds::from_ns(20_000_000);

/// The name of the gate of connection events.
const INTERVAL: &str = "connection interval";

pub(super) const fn connection_interval(default: &'static str) -> Field {
    Field {
        name: "connection_interval",
        takes: Takes::Time {
            lowest: Picoseconds::from_ns(7_500_000),
            highest: Picoseconds::from_ns(4_000_000_000),
        },
        default: Some(default),
        help: "time between connection events, in steps of 1.25 ms",
        example: "7.5 ms",
        alternatives: &["7.5 ms", "15 ms", "30 ms"],
    }
}

pub(super) const fn mtu(default: &'static str) -> Field {
    Field {
        name: "mtu",
        takes: Takes::Integer { lowest: 23, highest: 517, unit: "B" },
        default: Some(default),
        help: "ATT MTU that both sides agreed on",
        example: "247",
        alternatives: &["247"],
    }
}

pub(super) const fn chunk(default: &'static str) -> Field {
    Field {
        name: "chunk",
        takes: Takes::Integer { lowest: 1, highest: 514, unit: "B" },
        default: Some(default),
        help: "what the program hands over in one notification or write, at most the MTU less 3 B",
        example: default,
        alternatives: &[],
    }
}

pub(super) const fn data_length(default: &'static str) -> Field {
    Field {
        name: "data_length",
        takes: Takes::Integer { lowest: 27, highest: 251, unit: "B" },
        default: Some(default),
        help: "longest payload of a link-layer PDU: 27 B until the data length is updated",
        example: "27",
        alternatives: &["27", "251"],
    }
}

pub(super) const fn phy(default: &'static str) -> Field {
    Field {
        name: "phy",
        takes: Takes::Choice(&["1M", "2M"]),
        default: Some(default),
        help: "physical layer of the connection",
        example: "1M",
        alternatives: &["1M", "2M"],
    }
}

pub(super) const DIRECTION: Field = Field {
    name: "direction",
    takes: Takes::Choice(&["notify", "write", "write-with-response"]),
    default: Some("notify"),
    help: "from the peripheral (notify) or from the central; with responses each chunk waits for that of the one before",
    example: "notify",
    alternatives: &[],
};

pub(super) const PERIPHERAL_LATENCY: Field = Field {
    name: "peripheral_latency",
    takes: Takes::Integer { lowest: 0, highest: 499, unit: "events" },
    default: Some("0"),
    help: "events that the peripheral may sleep through; delays writes, not notifications",
    example: "0",
    alternatives: &["0"],
};

pub(super) const PDUS_PER_EVENT: Field = Field {
    name: "pdus_per_event",
    takes: Takes::Integer { lowest: 0, highest: 10_000, unit: "PDUs" },
    default: Some("0"),
    help: "the most data PDUs that the controllers put into one connection event; 0: as many as fit",
    example: "6",
    alternatives: &[],
};

pub(super) const EVENT_LENGTH: Field = Field {
    name: "event_length",
    takes: Takes::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::from_ns(4_000_000_000) },
    default: Some("none"),
    help: "the longest connection event that the controllers allow; none: up to the next one",
    example: "7.5 ms",
    alternatives: &[],
};

pub(super) const ENCRYPTED: Field = Field {
    name: "encrypted",
    takes: Takes::Switch,
    default: Some("off"),
    help: "4 B of integrity code in every PDU",
    example: "off",
    alternatives: &[],
};

pub(super) const LOSSES: Field = Field {
    name: "losses",
    takes: Takes::Choice(&["as-captured", "none"]),
    default: Some("as-captured"),
    help: "missed events and lost PDUs: as often as in the captures, or none",
    example: "as-captured",
    alternatives: &[],
};

pub(super) const fn advertising(default: &'static str) -> Field {
    Field {
        name: "advertising",
        takes: Takes::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::from_ns(10_240_000_000) },
        default: Some(default),
        help: "advertising interval of the peripheral while it is connected; none where it stops advertising",
        example: "none",
        alternatives: &["none"],
    }
}

pub(super) fn direction(settings: &Settings) -> Direction {
    match settings.choice("direction") {
        "notify" => Direction::Notify,
        "write" => Direction::Write,
        _ => Direction::WriteWithResponse,
    }
}

/// Checks what the specification rules out.
pub(super) fn check(settings: &Settings) -> Result<(), SettingError> {
    let interval = settings.time("connection_interval");
    if interval.ps() % INTERVAL_UNIT.ps() != 0 {
        let units = interval.ps() / INTERVAL_UNIT.ps();
        let near = Value::Time(Picoseconds::new(units * INTERVAL_UNIT.ps()));
        return Err(SettingError::Impossible(format!(
            "connection_interval is {}, but it goes in steps of 1.25 ms. Use {near}.",
            Value::Time(interval)
        )));
    }
    let (mtu, chunk) = (settings.integer("mtu"), settings.integer("chunk"));
    if chunk + ATT_HEADER_BYTES > mtu {
        return Err(SettingError::Impossible(format!(
            "chunk is {chunk} B, but a notification or write carries at most mtu - 3 = {} B. Lower chunk, or raise mtu \
             to {}.",
            mtu - ATT_HEADER_BYTES,
            chunk + ATT_HEADER_BYTES
        )));
    }
    Ok(())
}

/// The advertising interval, where the peripheral advertises beside the connection.
pub(super) fn advertising_interval(settings: &Settings) -> Result<Option<Picoseconds>, SettingError> {
    match settings.optional_time("advertising") {
        Some(interval) if interval < SHORTEST_ADVERTISING => Err(SettingError::Impossible(format!(
            "advertising is {interval}, but its interval is {SHORTEST_ADVERTISING} at least. Use that, or none."
        ))),
        interval => Ok(interval),
    }
}

/// How messages are cut; `pdu_bytes` is what the controller puts into a PDU.
pub(super) fn framing(settings: &Settings, pdu_bytes: u64, phy: Phy) -> Framing {
    Framing {
        chunk_bytes: settings.integer("chunk") as u32,
        pdu_bytes: pdu_bytes as u32,
        encrypted: settings.switch("encrypted"),
        phy,
        direction: direction(settings),
    }
}

/// A connection without losses whose chunks are all there at once.
pub(super) fn connection(settings: &Settings, params: &Params, framing: Framing) -> Connection {
    Connection {
        framing,
        later_chunks: Picoseconds::ZERO,
        peripheral_latency: settings.integer("peripheral_latency") as u32,
        limits: EventLimits {
            pdus: Some(settings.integer("pdus_per_event") as u32).filter(|most| *most > 0),
            length: settings.optional_time("event_length"),
        },
        losses: Losses { interference: Interference::at(settings, params), ..Losses::default() },
        advertising: None,
    }
}

pub(super) fn events_clock(settings: &Settings) -> GateClock {
    GateClock::new(INTERVAL, settings.time("connection_interval"))
}
