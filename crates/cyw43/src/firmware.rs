//! What the WLAN firmware does, as the driver sees it: answers to requests, events, frames in both directions, and credits. The
//! firmware itself is a blob that nobody executes.

mod answers;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use crate::air::AccessPoint;
use crate::event::{self, Event};
use crate::identity::Identity;
use crate::own_network::{Joiner, OwnNetwork};
use crate::requests::{self, ioctl};
use crate::sdpcm::{self, Channel, Content, Refused};
use crate::station::{State, Station, Step};

const fn us(count: i64) -> Picoseconds {
    Picoseconds::new(count * units::PS_PER_US)
}

/// Frames of the host's that the firmware takes before it has sent any (declared; drivers distrust more than 20).
const CREDITS: u8 = 16;
/// Two frames come before any driver asked for something, as logs of boards have it.
const FIRST_FRAME_BYTES: usize = 256;

/// In-chip times that no data sheet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latencies {
    /// From a frame off the air to its readiness for the host.
    pub receive: Picoseconds,
    /// From the last bit of a frame on the bus to its readiness for the air.
    pub transmit: Picoseconds,
}

/// How the driver wants the radio to save power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PowerSave {
    /// 0 never, 1 at once after each frame, 2 after a while without any.
    pub mode: u8,
    /// That while, in milliseconds (`pm2_sleep_ret`).
    pub sleep_return_ms: u32,
    /// Beacons between two that the station wakes for; 0 leaves it to the access point's DTIM.
    pub listen_beacons: u32,
    /// DTIM beacons between two that it wakes for; 0 means each.
    pub listen_dtims: u32,
}

/// How many frames the driver lets go in one transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aggregation {
    /// From the station.
    pub frames: u32,
    /// The longest A-MPDU that it takes.
    pub takes_bytes: u32,
}

/// Where the driver sets nothing, what those of boards set (declared: the firmware's own values are not published).
const AGGREGATED_FRAMES: u32 = 4;
const BLOCK_ACK_WINDOW: u32 = 8;
/// IEEE 802.11-2016, 9.4.2.56.3: the longest A-MPDU is 2 to the power of (13 + factor), less 1; the factor is 0 to 3.
const AGGREGATE_EXPONENT: u32 = 13;
const MOST_AGGREGATE_FACTOR: u32 = 3;

/// What comes to the host, or leaves for the air, at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Due {
    ToHost(Vec<u8>),
    /// From an interface.
    ToAir(u8, Vec<u8>),
}

/// The firmware.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Firmware {
    address: [u8; 6],
    /// What was uploaded.
    identity: Identity,
    latencies: Latencies,
    values: BTreeMap<u32, Vec<u8>>,
    variables: BTreeMap<String, Vec<u8>>,
    /// What drivers asked for that the model does not know, and when first.
    unknown: BTreeMap<String, Option<Picoseconds>>,
    /// The access point of the station sends nothing.
    is_silent: bool,
    station: Station,
    own_network: OwnNetwork,
    /// The processor is at work until then; requests are answered one after another.
    busy_until: Picoseconds,
    due: BTreeMap<(Picoseconds, u64), Due>,
    count: u64,
    /// Frames that the host may read, the oldest first.
    ready: VecDeque<Vec<u8>>,
    sequence: u8,
    /// The sequence number that the host's next frame will have.
    expected: u8,
    /// Frames of the host's that have not left yet.
    pending: u8,
    /// What the host was told last.
    credit: u8,
    sent: VecDeque<(Picoseconds, Vec<u8>)>,
    /// Changes of the outputs that the driver asked for.
    gpio: Option<(u32, u32)>,
    /// The levels at the chip's pads.
    pads: u32,
    /// Why a frame of the host's was thrown away, since anybody asked.
    refused: Option<Refused>,
}

impl Firmware {
    /// As it is when it has started.
    pub(crate) fn started(
        address: [u8; 6],
        identity: Identity,
        latencies: Latencies,
        joiners: Vec<Joiner>,
    ) -> Self {
        let mut firmware = Self {
            address,
            identity,
            latencies,
            values: BTreeMap::new(),
            variables: BTreeMap::new(),
            unknown: BTreeMap::new(),
            is_silent: false,
            station: Station::default(),
            own_network: OwnNetwork::with(joiners),
            busy_until: Picoseconds::ZERO,
            due: BTreeMap::new(),
            count: 0,
            ready: VecDeque::new(),
            sequence: 0,
            expected: 0,
            pending: 0,
            credit: CREDITS,
            sent: VecDeque::new(),
            gpio: None,
            pads: 0,
            refused: None,
        };
        for _ in 0..2 {
            let mut frame = vec![0; FIRST_FRAME_BYTES];
            frame[..12].copy_from_slice(&sdpcm::credit_only());
            frame[0..2].copy_from_slice(&(FIRST_FRAME_BYTES as u16).to_le_bytes());
            frame[2..4].copy_from_slice(&(!(FIRST_FRAME_BYTES as u16)).to_le_bytes());
            frame[5] = Channel::Event as u8;
            firmware.ready.push_back(frame);
        }
        firmware
    }

    pub(crate) fn own_network(&self) -> &OwnNetwork {
        &self.own_network
    }

    /// Who did not come together since the last call, as sentences: its station and a network, or a station and its own network.
    pub(crate) fn take_refusals(&mut self) -> Vec<(Picoseconds, String)> {
        let mut refusals = self.own_network.take_refused();
        refusals.extend(self.station.take_turned_away());
        refusals
    }

    pub(crate) fn station(&self) -> &Station {
        &self.station
    }

    /// What drivers asked for that the model does not know, and when first; each is told once.
    pub(crate) fn take_unknown(&mut self) -> Vec<(String, Picoseconds)> {
        let fresh = |(name, at): (&String, &mut Option<Picoseconds>)| Some((name.clone(), at.take()?));
        self.unknown.iter_mut().filter_map(fresh).collect()
    }

    pub(crate) fn power_save(&self) -> PowerSave {
        let variable = |name: &str| self.variables.get(name).map_or(0, |data| requests::number(data));
        PowerSave {
            mode: self.values.get(&ioctl::SET_PM).map_or(0, |data| requests::number(data)) as u8,
            sleep_return_ms: self.variables.get("pm2_sleep_ret").map_or(200, |data| requests::number(data)),
            listen_beacons: variable("bcn_li_bcn"),
            listen_dtims: variable("bcn_li_dtim"),
        }
    }

    pub(crate) fn aggregation(&self) -> Aggregation {
        let variable =
            |name: &str, unset: u32| self.variables.get(name).map_or(unset, |data| requests::number(data));
        let window = variable("ampdu_ba_wsize", BLOCK_ACK_WINDOW);
        let factor = variable("ampdu_rx_factor", 0).min(MOST_AGGREGATE_FACTOR);
        Aggregation {
            frames: variable("ampdu_mpdu", AGGREGATED_FRAMES).min(window).max(1),
            takes_bytes: (1 << (AGGREGATE_EXPONENT + factor)) - 1,
        }
    }

    /// The levels at the chip's pads, which its outputs drive.
    pub(crate) fn see_pads(&mut self, levels: u32) {
        self.pads = levels;
    }

    pub(crate) fn take_gpio(&mut self) -> Option<(u32, u32)> {
        self.gpio.take()
    }

    /// The length of the frame that waits for the host.
    pub(crate) fn waiting_bytes(&self) -> Option<u32> {
        self.ready.front().map(|frame| frame.len() as u32)
    }

    /// The frame that the host reads now, with its sequence and credit.
    pub(crate) fn stamp_front(&mut self) -> &[u8] {
        let credit = self.expected.wrapping_add(CREDITS - self.pending.min(CREDITS));
        self.credit = credit;
        let Some(frame) = self.ready.front_mut() else { return &[] };
        sdpcm::stamp(frame, self.sequence, credit);
        frame
    }

    /// The host has read it; whether another one waits.
    pub(crate) fn pop_front(&mut self) -> bool {
        if self.ready.pop_front().is_some() {
            self.sequence = self.sequence.wrapping_add(1);
        }
        !self.ready.is_empty()
    }

    pub(crate) fn next_event(&self) -> Option<Picoseconds> {
        let due = self.due.first_key_value().map(|((at, _), _)| *at);
        due.into_iter().chain(self.station.next_event()).chain(self.own_network.next_event()).min()
    }

    /// Does what is due.
    pub(crate) fn advance(&mut self, at: Picoseconds) {
        if let Some((joined_at, events)) = self.own_network.let_join(at) {
            events.iter().for_each(|event| self.tell(joined_at, event));
        }
        loop {
            let due = self.due.first_key_value().map(|((due, _), _)| *due).filter(|due| *due <= at);
            let step = self.station.next_event().filter(|due| *due <= at);
            match (due, step) {
                (Some(due), step) if step.is_none_or(|step| due <= step) => self.carry_out(),
                (_, Some(_)) => self.step(at),
                _ => break,
            }
        }
    }

    fn carry_out(&mut self) {
        let Some(((at, _), due)) = self.due.pop_first() else { return };
        match due {
            Due::ToHost(frame) => self.ready.push_back(frame),
            Due::ToAir(interface, frame) => {
                self.pending = self.pending.saturating_sub(1);
                let is_heard = match interface {
                    own if own == self.own_network.interface => self.own_network.is_up(),
                    _ => self.station.access_point().is_some() && !self.is_silent,
                };
                if is_heard {
                    self.sent.push_back((at, frame));
                }
                // A host that has used up what it was told waits for news.
                if self.credit == self.expected && self.ready.is_empty() {
                    self.ready.push_back(sdpcm::credit_only());
                }
            }
        }
    }

    fn step(&mut self, at: Picoseconds) {
        let Some((at, step)) = self.station.due(at) else { return };
        match step {
            Step::Tell(event) => self.tell(at, &event),
            Step::Joined(access_point) => self.station.state = State::Joined(access_point),
            Step::Failed => self.station.state = State::Idle,
            Step::LostBeacons => self.station.lose(at),
        }
    }

    fn tell(&mut self, at: Picoseconds, event: &Event) {
        let mask = self.variables.get("bsscfg:event_msgs").map(|data| data.get(4..).unwrap_or_default());
        let mask = mask.or_else(|| self.variables.get("event_msgs").map(Vec::as_slice));
        if mask.is_some_and(|mask| event::is_wanted(mask, event.kind)) {
            let frame = sdpcm::build(Channel::Event, 0, &event.frame(self.address));
            self.later(at, Due::ToHost(frame));
        }
    }

    fn later(&mut self, at: Picoseconds, due: Due) {
        self.due.insert((at, self.count), due);
        self.count += 1;
    }

    /// A frame of the host's is whole.
    pub(crate) fn take(&mut self, at: Picoseconds, bytes: &[u8], air: &[AccessPoint]) {
        let frame = match sdpcm::parse(bytes) {
            Ok(frame) => frame,
            Err(why) => {
                self.refused = Some(why);
                return;
            }
        };
        self.expected = frame.sequence.wrapping_add(1);
        match frame.content {
            Content::Request(request) => self.answer(at, &request, air),
            Content::Frame(..) if self.pending >= CREDITS => self.refused = Some(Refused::Credit),
            Content::Frame(interface, frame) => {
                self.pending = self.pending.saturating_add(1);
                self.later(at + self.latencies.transmit, Due::ToAir(interface, frame.to_vec()));
            }
        }
    }

    /// Why a frame of the host's was thrown away since the last call, if one was.
    pub(crate) fn take_refused(&mut self) -> Option<Refused> {
        self.refused.take()
    }

    /// A frame from the air.
    pub(crate) fn receive(&mut self, at: Picoseconds, frame: &[u8]) {
        let to_group = frame.first().is_some_and(|first| first & 1 == 1);
        let is_meant = to_group || frame.get(..6) == Some(&self.address[..]);
        let is_joined = self.station.access_point().is_some();
        let interface = match (is_joined, self.own_network.is_up()) {
            (true, _) if !self.is_silent => 0,
            (false, true) if self.is_of_own_network(at, frame) => self.own_network.interface,
            _ => return,
        };
        if is_meant {
            let frame = sdpcm::build(Channel::Data, interface, frame);
            self.later(at + self.latencies.receive, Due::ToHost(frame));
        }
    }

    /// Whether a frame's sender has joined the chip's own network, or does so with this frame.
    fn is_of_own_network(&mut self, at: Picoseconds, frame: &[u8]) -> bool {
        let Some(sender) = frame.get(6..12).and_then(|bytes| bytes.try_into().ok()) else { return false };
        let (is_member, event) = self.own_network.hear(sender);
        if let Some(event) = event {
            self.tell(at, &event);
        }
        is_member
    }

    pub(crate) fn take_sent(&mut self) -> Option<(Picoseconds, Vec<u8>)> {
        self.sent.pop_front()
    }

    /// Its access point is there, or is silent.
    pub(crate) fn air_changed(&mut self, at: Picoseconds, is_there: bool) {
        self.is_silent = !is_there;
        self.station.air_changed(at, is_there);
    }

    pub(crate) fn deauthenticated(&mut self, at: Picoseconds) {
        self.station.deauthenticated(at);
    }
}
