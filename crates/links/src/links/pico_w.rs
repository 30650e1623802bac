//! UDP between two Pico W over a Wi-Fi access point: processor, gSPI, the radio's own processor, and two hops on one channel. The
//! channel has nobody else on it; a datagram that IP would have to cut is left out.

use units::{Hertz, Picoseconds};

use super::wifi;
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{BeaconDelivery, Cause, Channel, Constant, Dcf, Load, PhyRate};
use crate::{Field, SettingError, Settings, Takes};

/// Ethernet's header, IPv4 and UDP (RFC 894, 791, 768): the frame on gSPI.
const HEADER_BYTES: u32 = 14 + wifi::IP_BYTES + UDP_BYTES;
const UDP_BYTES: u32 = 8;
const MAX_PAYLOAD_BYTES: u32 = 1_500 - wifi::IP_BYTES - UDP_BYTES;
/// A command and a register, or the command alone.
const REGISTER_BYTES: u32 = 8;
const COMMAND_BYTES: u32 = 4;
/// In front of the frame: the packet's header of 12 bytes, four of the frame's own, and a padding so that it begins two bytes
/// behind a word. From the chip it is longer by four, and no packet shorter than 258 bytes, as was measured on boards.
const TO_CHIP_BYTES: u32 = 18;
const FROM_CHIP_BYTES: u32 = 22;
const FROM_CHIP_LEAST_BYTES: u32 = 258;
/// The driver asks for the status before a frame leaves, and for interrupts and status when one comes.
const REGISTERS_TO_SEND: u32 = 1;
const REGISTERS_TO_RECEIVE: u32 = 3;

pub(super) const DEFINITION: Definition = Definition {
    name: "pico-w",
    title: "UDP over Wi-Fi, two Pico W and an access point",
    settings: &[
        Field {
            name: "power_save",
            takes: Takes::Switch,
            default: Some("off"),
            help: "whether the receiving radio sleeps between beacons, as the SDK's default (PM2) does after 200 ms without a frame",
            example: "off",
            alternatives: &["off", "on"],
        },
        Field {
            name: "spi_clock",
            takes: Takes::Frequency { lowest: 100_000, highest: 50_000_000 },
            default: Some("33.25 MHz"),
            help: "the clock of gSPI",
            example: "31.25 MHz",
            alternatives: &[],
        },
        wifi::DTIM_PERIOD,
        wifi::BEACON_INTERVAL,
        wifi::PHY_RATE,
        wifi::FRAME_ERROR,
    ],
    max_payload_bytes: MAX_PAYLOAD_BYTES,
    params: include_str!("../../params/pico-w.toml"),
    build,
};

/// Whole words on the bus.
fn on_bus(clock: Hertz, packet_bytes: u32, registers: u32) -> Picoseconds {
    let bytes = COMMAND_BYTES + packet_bytes.next_multiple_of(4) + REGISTER_BYTES * registers;
    clock.edge(8 * u64::from(bytes))
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let clock = Hertz::new(settings.integer("spi_clock")).expect("the range has no zero");
    let to_chip =
        move |load: &Load| on_bus(clock, TO_CHIP_BYTES + HEADER_BYTES + load.frame_bytes, REGISTERS_TO_SEND);
    let from_chip = move |load: &Load| {
        let packet = (FROM_CHIP_BYTES + HEADER_BYTES + load.frame_bytes).max(FROM_CHIP_LEAST_BYTES);
        on_bus(clock, packet, REGISTERS_TO_RECEIVE)
    };
    let fixed = |name, cause, param| Constant::fixed(name, cause, params.time(param));
    let chip = |name| fixed(name, Cause::Chip, "chip_time");
    let channel = Channel::new();
    let uplink = Steps::new().stage(hop(settings).first_on(&channel));
    let sent = Steps::new()
        .stage(fixed("sender's stack and driver", Cause::Cpu, "send_cpu"))
        .stage(Constant::of_load("frame to the sender's radio over gSPI", Cause::Bus, to_chip))
        .stage(chip("sender's radio"))
        .exclusive(wifi::CHANNEL, uplink);
    let steps = match settings.switch("power_save") {
        true => asleep(settings, params, sent),
        false => sent.exclusive(wifi::CHANNEL, Steps::new().stage(hop(settings).next_on(&channel))),
    };
    Ok(steps
        .stage(chip("receiver's radio"))
        .stage(Constant::of_load("frame from the receiver's radio over gSPI", Cause::Bus, from_chip))
        .stage(fixed("receiver's stack and driver", Cause::Cpu, "receive_cpu")))
}

fn hop(settings: &Settings) -> Dcf<impl Fn(&Load) -> u32 + Send + 'static> {
    let rate = PhyRate::named(settings.choice("phy_rate"));
    let mpdu = |load: &Load| wifi::MAC_BYTES + wifi::IP_BYTES + UDP_BYTES + load.frame_bytes;
    Dcf::new(rate, settings.number("frame_error") / 100.0, mpdu)
}

/// The receiver hears of the frame in the next beacon for which it wakes, and says that it is awake.
fn asleep(settings: &Settings, params: &Params, sent: Steps) -> Steps {
    let beacons = settings.integer("dtim_period") as i64;
    let interval = Picoseconds::new(settings.time("beacon_interval").ps() * beacons);
    let beacon = PhyRate::named("1M").airtime(params.integer("beacon_bytes") as u32);
    let rate = PhyRate::named(settings.choice("phy_rate"));
    let waiting = Steps::new()
        .stage(BeaconDelivery::new(interval, Picoseconds::ZERO, 0.0))
        .stage(Constant::fixed("beacon on the air", Cause::Air, beacon))
        .stage(Dcf::new(rate, 0.0, |_: &Load| wifi::NULL_BYTES));
    sent.then(waiting).exclusive(wifi::CHANNEL, Steps::new().stage(hop(settings).first_on(&Channel::new())))
}
