//! What the Wi-Fi links share: their settings, and a message's crossing from one station over the access point to
//! the other. The access point and both stations are on one channel at 2.4 GHz.

use units::Picoseconds;

use super::tick;
use crate::params::Params;
use crate::program::Steps;
use crate::site::Interference;
use crate::stage::{
    BeaconDelivery, Cause, Channel, Constant, Dcf, Gate, GateClock, Load, OncePerBurst, PHY_RATES, PhyRate,
    Quantiles, Stage,
};
use crate::{Field, Settings, Takes};

/// Quality-of-service data header 26, CCMP 16, LLC and SNAP 8, checksum 4 (IEEE 802.11-2016, 9.2.4 and 12.5.3).
pub(crate) const MAC_BYTES: u32 = 54;
/// IPv4 without options (RFC 791).
pub(super) const IP_BYTES: u32 = 20;
/// TCP without options (RFC 9293): lwIP sends no timestamps unless told to.
pub(super) const TCP_BYTES: u32 = 20;
/// A null data frame, which says that the station is awake: header 24 and checksum 4 (IEEE 802.11-2016, 9.3.2).
pub(crate) const NULL_BYTES: u32 = 28;
/// A PS-Poll: header 16 and checksum 4 (IEEE 802.11-2016, 9.3.1.5).
pub(crate) const POLL_BYTES: u32 = 20;
/// Both hops go over one channel, on which one frame is at a time.
pub(super) const CHANNEL: &str = "channel";

/// The shares of messages, in per cent, up to each time of a measured tail.
const TAIL_PERCENTS: [f64; 14] =
    [0.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 100.0];

/// A time that was measured and is not understood, from its quantiles.
pub(super) fn tail(name: &str, times: Vec<Picoseconds>) -> Quantiles {
    Quantiles::new(name, Cause::Empirical, &TAIL_PERCENTS, times)
}

const fn ms(ms: i64) -> Picoseconds {
    Picoseconds::from_ns(ms * 1_000_000)
}

pub(super) const RECEIVER_TICK: Field = Field {
    name: "receiver_tick",
    takes: Takes::Time { lowest: Picoseconds::ZERO, highest: ms(1_000) },
    default: Some("none"),
    help: "tick at which the receiving task looks for data; none: it blocks in recv",
    example: "none",
    alternatives: &["none", "1 ms", "10 ms"],
};
pub(crate) const BEACON_INTERVAL: Field = Field {
    name: "beacon_interval",
    takes: Takes::Time {
        lowest: Picoseconds::from_ns(20_480_000),
        highest: Picoseconds::from_ns(1_024_000_000),
    },
    default: Some("102.4 ms"),
    help: "beacon interval of the access point, 100 time units of 1.024 ms almost everywhere",
    example: "102.4 ms",
    alternatives: &[],
};
pub(crate) const DTIM_PERIOD: Field = Field {
    name: "dtim_period",
    takes: Takes::Integer { lowest: 1, highest: 10, unit: "beacons" },
    default: Some("1"),
    help: "beacons from one DTIM to the next: for these a station in power save wakes",
    example: "1",
    alternatives: &["1", "3"],
};
pub(crate) const LISTEN_INTERVAL: Field = Field {
    name: "listen_interval",
    takes: Takes::Integer { lowest: 1, highest: 100, unit: "beacons" },
    default: Some("3"),
    help: "beacons for which a station sleeps with power_save = max (wifi_sta_config_t.listen_interval)",
    example: "3",
    alternatives: &[],
};
pub(crate) const DELIVERY: Field = Field {
    name: "delivery",
    takes: Takes::Choice(&["burst", "ps-poll"]),
    default: Some("burst"),
    help: "with power save. burst: after a beacon the station is awake for all that is buffered; ps-poll: it asks for \
           each frame",
    example: "ps-poll",
    alternatives: &[],
};
pub(crate) const PHY_RATE: Field = Field {
    name: "phy_rate",
    takes: Takes::Choice(&PHY_RATES),
    default: Some("mcs7"),
    help: "rate of data frames on both hops: 802.11b and g in Mbit/s, 802.11n as MCS at 20 MHz",
    example: "mcs7",
    alternatives: &[],
};
pub(super) const FRAME_ERROR: Field = Field {
    name: "frame_error",
    takes: Takes::Number { lowest: 0.0, highest: 50.0, unit: "%" },
    default: Some("0"),
    help: "frames that are not acknowledged and sent again, on top of what the site's tail holds",
    example: "0",
    alternatives: &[],
};
pub(super) const SITE: Field = Field {
    name: "site",
    takes: Takes::Choice(&["measured", "quiet"]),
    default: Some("measured"),
    help: "measured: the contended air of the site where the captures were made; quiet: nobody else on the channel",
    example: "measured",
    alternatives: &[],
};
pub(super) const ACK_TIMER: Field = Field {
    name: "ack_timer",
    takes: Takes::Time { lowest: ms(10), highest: ms(1_000) },
    default: Some("250 ms"),
    help: "timer on which lwIP sends delayed acknowledgements (CONFIG_LWIP_TCP_TMR_INTERVAL)",
    example: "100 ms",
    alternatives: &["100 ms"],
};

/// Whether and how the receiving station sleeps.
pub(crate) const fn power_save(default: &'static str) -> Field {
    Field {
        name: "power_save",
        takes: Takes::Choice(&["none", "min", "max"]),
        default: Some(default),
        help: "none: the radio stays on; min: modem sleep from DTIM to DTIM; max: modem sleep for a listen interval",
        example: "none",
        alternatives: &["none", "min", "max"],
    }
}

/// Nagle's algorithm.
pub(super) const fn nodelay(default: &'static str, help: &'static str) -> Field {
    Field {
        name: "nodelay",
        takes: Takes::Switch,
        default: Some(default),
        help,
        example: "on",
        alternatives: &["on", "off"],
    }
}

/// The way of messages between two stations.
pub(super) struct Path<'a> {
    settings: &'a Settings,
    params: &'a Params,
}

impl<'a> Path<'a> {
    pub(super) fn new(settings: &'a Settings, params: &'a Params) -> Self {
        Self { settings, params }
    }

    /// The wait until the sending task sees the trigger.
    pub(super) fn notice(&self) -> Option<impl Stage + 'static> {
        tick::wait(self.settings)
    }

    /// The wait until the receiving task sees the data.
    pub(super) fn reception(&self) -> Option<impl Stage + 'static> {
        let tick = self.settings.optional_time("receiver_tick");
        tick.map(|tick| Gate::new("wait for the receiver's tick", GateClock::new("receiver tick", tick)))
    }

    /// From the trigger to the reception of frames whose payloads, headers above IP included, are `bytes` for a load.
    /// `limit_bytes` is what the application can put in one; `first` is what is done before.
    pub(super) fn crossing(&self, first: Steps, limit_bytes: u32, bytes: fn(&Load) -> u32) -> Steps {
        let stack = Constant::fixed(
            "network stacks and access point",
            Cause::Cpu,
            self.params.time("crossing_overhead"),
        );
        let channel = Channel::new();
        let frames = |hop| Steps::new().frames(limit_bytes, Steps::new().stage(hop));
        let uplink = frames(self.hop(bytes).first_on(&channel));
        let steps = Steps::new().together(first.stage(stack));
        match self.settings.choice("power_save") {
            "none" => {
                let downlink = frames(self.hop(bytes).next_on(&channel));
                steps
                    .exclusive(CHANNEL, uplink.then(downlink))
                    .together(Steps::new().maybe(self.contention("contended_air")))
            }
            _ => self.sleeping(steps, uplink, frames(self.hop(bytes).first_on(&channel))),
        }
    }

    /// One hop of a frame.
    pub(super) fn hop(&self, bytes: fn(&Load) -> u32) -> Dcf<impl Fn(&Load) -> u32 + Send + 'static> {
        let error = self.settings.number("frame_error") / 100.0;
        let rate = PhyRate::named(self.settings.choice("phy_rate"));
        Dcf::new(rate, error, move |load: &Load| MAC_BYTES + IP_BYTES + bytes(load))
            .among(Interference::at(self.settings, self.params))
    }

    /// What other stations' traffic adds, as measured.
    pub(super) fn contention(&self, param: &str) -> Option<impl Stage + 'static> {
        let measured = self.settings.choice("site") == "measured";
        measured.then(|| tail("contended air", self.params.times(param)))
    }

    /// Two stations in modem sleep: the sender's radio wakes at once, the receiver's with the beacon. The access point
    /// delivers what it has buffered until then, in a burst or frame by frame.
    fn sleeping(&self, steps: Steps, uplink: Steps, downlink: Steps) -> Steps {
        let beacons =
            if self.settings.choice("power_save") == "max" { "listen_interval" } else { "dtim_period" };
        let interval_ps = self.settings.time("beacon_interval").ps() * self.settings.integer(beacons) as i64;
        let (lead, missed) = (self.params.time("announcement_lead"), self.params.number("beacon_missed"));
        let rate = PhyRate::named("1M");
        let beacon = rate.airtime(self.params.integer("beacon_bytes") as u32);
        let wake = tail("sender wakes up and reaches the access point", self.params.times("sender_wake"));
        let waiting = Steps::new()
            .stage(BeaconDelivery::new(Picoseconds::new(interval_ps), lead, missed))
            .stage(Constant::fixed("beacon on the air", Cause::Air, beacon));
        let steps = steps.together(Steps::new().stage(wake)).exclusive(CHANNEL, uplink);
        let steps = if self.settings.choice("delivery") == "burst" {
            let awake = OncePerBurst::new(self.asking(|_| NULL_BYTES));
            steps.together(waiting.stage(awake)).exclusive(CHANNEL, downlink)
        } else {
            let poll = Steps::new().stage(self.asking(|_| POLL_BYTES));
            steps.together(waiting).exclusive(CHANNEL, poll.then(downlink))
        };
        steps.together(Steps::new().maybe(self.contention("air_after_beacon")))
    }

    /// The frame with which the station asks for what is buffered.
    fn asking(&self, bytes: fn(&Load) -> u32) -> Dcf<fn(&Load) -> u32> {
        let error = self.settings.number("frame_error") / 100.0;
        Dcf::new(PhyRate::named(self.settings.choice("phy_rate")), error, bytes)
            .among(Interference::at(self.settings, self.params))
    }

    /// The wait for an acknowledgement that lwIP delays, and its way back.
    pub(super) fn acknowledgement(&self) -> Steps {
        let timer = GateClock::new("delayed acknowledgement", self.settings.time("ack_timer"));
        Steps::new().stage(Gate::new("wait for the delayed acknowledgement", timer)).then(self.crossing(
            Steps::new(),
            u32::MAX,
            |_| TCP_BYTES,
        ))
    }
}
