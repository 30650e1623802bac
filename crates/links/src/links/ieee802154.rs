//! IEEE 802.15.4 at 2.4 GHz as the standard has it: unslotted CSMA/CA, frame, acknowledgement, spaces between frames;
//! no firmware. Leaves out beacons, security, lost acknowledgements, and other stations but for the chance to find the
//! channel busy. A frame that gets no turn on the channel is tried again like a lost one, where the standard gives up.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use units::Picoseconds;

use crate::budget::Budget;
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::{Interference, LOSS_SITE};
use crate::stage::{Cause, Constant, CsmaCa, CsmaTiming, Load, Part, Passage, Stage, Visit};
use crate::{Field, SettingError, Settings, Takes};

pub(super) const DEFINITION: Definition = Definition {
    name: "ieee802154",
    title: "IEEE 802.15.4, 2.4 GHz, MAC of the standard",
    settings: &[
        ACK,
        Field {
            name: "csma",
            takes: Takes::Switch,
            default: Some("on"),
            help: "random back-off and clear channel assessment before every frame",
            example: "on",
            alternatives: &["on", "off"],
        },
        Field {
            name: "min_be",
            takes: Takes::Integer { lowest: 0, highest: 8, unit: "" },
            default: Some("3"),
            help: "macMinBE: the first back-off is 0 to 2^min_be - 1 units of 320 us",
            example: "0",
            alternatives: &["0", "1", "2", "3"],
        },
        Field {
            name: "max_be",
            takes: Takes::Integer { lowest: 3, highest: 8, unit: "" },
            default: Some("5"),
            help: "macMaxBE: back-offs after a busy channel grow up to this exponent",
            example: "5",
            alternatives: &[],
        },
        Field {
            name: "max_backoffs",
            takes: Takes::Integer { lowest: 0, highest: 5, unit: "" },
            default: Some("4"),
            help: "macMaxCSMABackoffs: busy assessments in a row before the attempt is given up",
            example: "4",
            alternatives: &[],
        },
        Field {
            name: "frame_retries",
            takes: Takes::Integer { lowest: 0, highest: 7, unit: "" },
            default: Some("3"),
            help: "macMaxFrameRetries: how often a frame without acknowledgement is sent again",
            example: "0",
            alternatives: &["0", "3", "7"],
        },
        CHANNEL_BUSY,
        Field {
            name: "frame_loss",
            takes: Takes::Number { lowest: 0.0, highest: 0.9, unit: "" },
            default: Some("0"),
            help: "the probability that a frame does not arrive",
            example: "0",
            alternatives: &[],
        },
        LOSS_SITE,
    ],
    max_payload_bytes: 65_535,
    params: concat!(
        include_str!("../../params/ieee802154.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

pub(super) const ACK: Field = Field {
    name: "ack",
    takes: Takes::Switch,
    default: Some("on"),
    help: "every frame asks for an acknowledgement",
    example: "on",
    alternatives: &["on", "off"],
};

pub(super) const CHANNEL_BUSY: Field = Field {
    name: "channel_busy",
    takes: Takes::Number { lowest: 0.0, highest: 0.9, unit: "" },
    default: Some("0"),
    help: "the probability that an assessment finds the channel busy",
    example: "0",
    alternatives: &[],
};

/// Airtimes and spaces of the PHY.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phy {
    pub(super) symbol: Picoseconds,
    pub(super) turnaround: Picoseconds,
    pub(super) assessment: Picoseconds,
    pub(super) payload_limit_bytes: u32,
    phy_header_bytes: i64,
    overhead_bytes: i64,
    ack_bytes: i64,
    short_frame_bytes: i64,
    short_space: Picoseconds,
    long_space: Picoseconds,
}

impl Phy {
    pub(super) fn of(params: &Params) -> Self {
        let symbol = params.time("symbol");
        let symbols = |name: &str| times(symbol, params.integer(name));
        let overhead_bytes = params.integer("mac_header_bytes") + params.integer("check_bytes");
        Self {
            symbol,
            turnaround: symbols("turnaround_symbols"),
            assessment: symbols("cca_symbols"),
            payload_limit_bytes: (params.integer("frame_bytes_limit") - overhead_bytes) as u32,
            phy_header_bytes: params.integer("phy_header_bytes"),
            overhead_bytes,
            ack_bytes: params.integer("ack_bytes"),
            short_frame_bytes: params.integer("short_frame_bytes"),
            short_space: symbols("sifs_symbols"),
            long_space: symbols("lifs_symbols"),
        }
    }

    /// A data frame on the air: two symbols a byte.
    pub(super) fn frame(&self, load: &Load) -> Picoseconds {
        times(self.symbol, 2 * (self.phy_header_bytes + self.frame_bytes(load)))
    }

    /// An acknowledgement on the air.
    pub(super) fn ack(&self) -> Picoseconds {
        times(self.symbol, 2 * (self.phy_header_bytes + self.ack_bytes))
    }

    fn frame_bytes(&self, load: &Load) -> i64 {
        self.overhead_bytes + i64::from(load.frame_bytes)
    }

    fn space_after(&self, load: &Load) -> Picoseconds {
        if self.frame_bytes(load) <= self.short_frame_bytes { self.short_space } else { self.long_space }
    }
}

fn times(time: Picoseconds, count: i64) -> Picoseconds {
    Picoseconds::new(time.ps() * count)
}

/// From when the next frame may start: the space after an exchange is over. Shared by the stage that sends and the
/// one that keeps the distance.
#[derive(Debug, Clone)]
struct FreeFrom(Arc<AtomicI64>);

impl FreeFrom {
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MIN)))
    }

    fn set(&self, time: Picoseconds) {
        self.0.store(time.ps(), Ordering::Relaxed);
    }

    fn get(&self) -> Picoseconds {
        Picoseconds::new(self.0.load(Ordering::Relaxed))
    }
}

/// Keeps the distance from the frame before.
#[derive(Debug)]
struct Space {
    free_from: FreeFrom,
    /// After a frame that another one of the same message follows.
    between_frames: Picoseconds,
}

impl Stage for Space {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("space after the frame before", Cause::Protocol)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        Passage::Leave { part: 0, at: visit.now.max(self.free_from.get()) }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        if !load.is_first {
            budget.add(0, self.between_frames);
        }
    }
}

/// A frame on the air that may not arrive.
#[derive(Debug)]
struct Frame {
    phy: Phy,
    /// From the end of the frame to the end of its acknowledgement.
    answer: Picoseconds,
    loss: f64,
    interference: Interference,
    free_from: FreeFrom,
}

impl Frame {
    fn loss_of(&self, load: &Load) -> f64 {
        self.interference.hit_or(self.phy.frame(load), self.loss)
    }
}

impl Stage for Frame {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("frame on the air", Cause::Air)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let at = visit.now + self.phy.frame(&visit.load);
        let loss = self.loss_of(&visit.load);
        if loss > 0.0 && visit.random.chance(loss) {
            return Passage::Lost { part: 0, at };
        }
        self.free_from.set(at + self.answer + self.phy.space_after(&visit.load));
        Passage::Leave { part: 0, at }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, self.phy.frame(load));
    }

    fn loss(&self, load: &Load) -> f64 {
        self.loss_of(load)
    }
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let phy = Phy::of(params);
    let acked = settings.switch("ack");
    let answer = if acked { phy.turnaround + phy.ack() } else { Picoseconds::ZERO };
    let free_from = FreeFrom::new();
    let space = Space { free_from: free_from.clone(), between_frames: phy.long_space };
    let interference = Interference::at(settings, params);
    let frame = Frame { phy, answer, loss: settings.number("frame_loss"), interference, free_from };
    let sent = Steps::new().maybe(channel_access(settings, params, phy)?).stage(frame).done();
    let exchange = if acked {
        let silence = times(phy.symbol, params.integer("ack_wait_symbols"));
        let again = Constant::fixed("wait for a missing acknowledgement", Cause::Retry, silence);
        let acknowledged = sent.then(acknowledgement(phy.turnaround, phy.ack()));
        let retries = settings.integer("frame_retries") as u32;
        Steps::new().attempts(retries, acknowledged, Steps::new().stage(again))
    } else {
        sent
    };
    Ok(Steps::new().frames(phy.payload_limit_bytes, Steps::new().stage(space).then(exchange)))
}

/// Turnaround and acknowledgement of the receiver.
pub(super) fn acknowledgement(turnaround: Picoseconds, ack: Picoseconds) -> Steps {
    Steps::new()
        .stage(Constant::fixed("turnaround before the acknowledgement", Cause::Protocol, turnaround))
        .stage(Constant::fixed("acknowledgement on the air", Cause::Protocol, ack))
}

fn channel_access(settings: &Settings, params: &Params, phy: Phy) -> Result<Option<CsmaCa>, SettingError> {
    let (min_be, max_be) = (settings.integer("min_be"), settings.integer("max_be"));
    if min_be > max_be {
        return Err(SettingError::Impossible(format!(
            "min_be is {min_be}, but max_be is {max_be}; raise max_be to at least {min_be}"
        )));
    }
    let timing = CsmaTiming {
        min_exponent: min_be as u32,
        max_exponent: max_be as u32,
        max_backoffs: settings.integer("max_backoffs") as u32,
        unit: times(phy.symbol, params.integer("backoff_symbols")),
        assessment: phy.assessment,
        turnaround: phy.turnaround,
        busy: settings.number("channel_busy"),
    };
    Ok(settings.switch("csma").then(|| CsmaCa::new(timing)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sample, Schedule, Simulation, find};

    const MS: i64 = 1_000_000_000;

    fn samples(set: &[(&str, &str)], payload_bytes: u32, schedule: &Schedule, count: u64) -> Vec<Sample> {
        let link = find("ieee802154").unwrap();
        let settings = link.settings_with(set.iter().copied()).unwrap();
        Simulation::new(link.program(&settings).unwrap(), payload_bytes, schedule, count, 5, "test", 0).run()
    }

    fn mean_us(times: impl Iterator<Item = Picoseconds>) -> f64 {
        let (sum, count) = times.fold((0.0, 0.0), |(sum, count), time| (sum + time.ps() as f64, count + 1.0));
        sum / count / 1e6
    }

    fn one_way_us(samples: &[Sample]) -> f64 {
        mean_us(samples.iter().filter_map(|sample| Some(sample.done? - sample.trigger)))
    }

    #[test]
    fn airtimes_are_32_us_a_byte_with_6_bytes_before_every_frame() {
        let phy = Phy::of(find("ieee802154").unwrap().params());
        assert_eq!(phy.payload_limit_bytes, 116);
        assert_eq!(phy.frame(&Load::whole(12)).to_string(), "928 us");
        assert_eq!(phy.frame(&Load::whole(116)).to_string(), "4.256 ms");
        assert_eq!(phy.ack().to_string(), "352 us");
    }

    #[test]
    fn a_closed_loop_has_the_means_of_ns3() {
        // ns-3.44's LrWpanMac, 100 000 messages of 12 B over 5 m: 3006.3 us one way, 3550.3 us from one to the next.
        let schedule = Schedule::ClosedLoop { pause: Picoseconds::ZERO };
        let samples = samples(&[], 12, &schedule, 100_000);
        let one_way = one_way_us(&samples);
        let cycle = mean_us(samples.windows(2).map(|pair| pair[1].trigger - pair[0].trigger));
        assert!((one_way / 3006.3 - 1.0).abs() < 0.005, "{one_way}");
        assert!((cycle / 3550.3 - 1.0).abs() < 0.005, "{cycle}");
    }

    #[test]
    fn short_frames_are_followed_by_the_short_space() {
        let schedule = Schedule::ClosedLoop { pause: Picoseconds::ZERO };
        let cycle = |payload_bytes| {
            let samples = samples(&[("min_be", "0")], payload_bytes, &schedule, 3);
            (samples[2].trigger - samples[1].trigger).ps() / 1_000_000
        };
        // Assessment and turnaround 320 us, 24 bytes 768 us, turnaround and acknowledgement 544 us, then 12 symbols.
        assert_eq!(cycle(7), 320 + 768 + 544 + 192);
        assert_eq!(cycle(8), 320 + 800 + 544 + 640);
    }

    #[test]
    fn a_frame_that_is_lost_twice_out_of_two_is_lost() {
        let schedule = Schedule::Fixed { period: Picoseconds::new(100 * MS) };
        let samples = samples(&[("frame_loss", "0.5"), ("frame_retries", "1")], 12, &schedule, 20_000);
        let lost = samples.iter().filter(|sample| sample.done.is_none()).count() as f64 / 20_000.0;
        assert!((lost - 0.25).abs() < 0.01, "{lost}");
    }

    #[test]
    fn the_budget_is_the_mean_of_the_simulation() {
        let schedule =
            Schedule::Dithered { period: Picoseconds::new(400 * MS), by: Picoseconds::new(10 * MS) };
        let variants: &[&[(&str, &str)]] = &[
            &[],
            &[("ack", "off")],
            &[("csma", "off")],
            &[("min_be", "0")],
            &[("channel_busy", "0.2")],
            &[("frame_loss", "0.2")],
        ];
        for set in variants {
            for payload_bytes in [12, 1024] {
                let link = find("ieee802154").unwrap();
                let program = link.program(&link.settings_with(set.iter().copied()).unwrap()).unwrap();
                let budget: i64 = program.budget(payload_bytes).iter().map(|line| line.mean.ps()).sum();
                let mean = one_way_us(&samples(set, payload_bytes, &schedule, 20_000));
                let budget = budget as f64 / 1e6;
                assert!(
                    (budget / mean - 1.0).abs() < 0.01,
                    "{set:?}, {payload_bytes} B: {budget} us, not {mean} us"
                );
            }
        }
    }

    #[test]
    fn a_first_back_off_longer_than_the_longest_is_refused() {
        let link = find("ieee802154").unwrap();
        let settings = link.settings_with([("min_be", "6")]).unwrap();
        let error = link.program(&settings).unwrap_err().to_string();
        assert_eq!(error, "min_be is 6, but max_be is 5; raise max_be to at least 6");
    }
}
