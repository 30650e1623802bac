//! A device that answers as it should, but for the deviations that an input lists: one for each token, in their order.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;
use usb_host::{Answer, Endpoint, Packet};

use super::descriptors::{DISK_IN, DISK_OUT, Descriptors, PRESSES, SHOWS, TYPES};
use super::disk::Disk;

const PACKET_BYTES: usize = 64;

/// How an answer deviates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deviation {
    None,
    Nak,
    Stall,
    Silence,
    /// Data with the other toggle.
    Toggled,
    /// Data of another length: cut off, or with more behind it.
    Sized(u8),
    /// Other data of the same length.
    Changed(u8),
    /// It was reset before the transaction ended.
    Lost,
}

impl Deviation {
    fn of(byte: u8) -> Self {
        match byte & 7 {
            0 => Self::None,
            1 => Self::Nak,
            2 => Self::Stall,
            3 => Self::Silence,
            4 => Self::Toggled,
            5 => Self::Sized(byte >> 3),
            6 => Self::Changed(byte >> 3),
            _ => Self::Lost,
        }
    }

    fn answer(self) -> Option<Answer> {
        match self {
            Self::Nak => Some(Answer::Nak),
            Self::Stall => Some(Answer::Stall),
            Self::Silence => Some(Answer::Silence),
            _ => None,
        }
    }
}

/// The stages of a control transfer, as the device has them.
#[derive(Debug, Default)]
struct Control {
    stalled: bool,
    data: VecDeque<Vec<u8>>,
    new_address: Option<u8>,
}

#[derive(Debug)]
pub(super) struct Device {
    pub(super) pulls_up: bool,
    descriptors: Descriptors,
    address: u8,
    control: Control,
    /// DATA1 is next, by endpoint address.
    toggles: BTreeMap<u8, bool>,
    printed: VecDeque<u8>,
    pressed: VecDeque<u8>,
    pub(super) heard: Vec<u8>,
    disk: Disk,
    /// Answers of RNDIS so far.
    answers: u32,
    deviations: VecDeque<Deviation>,
    /// The deviation of the transaction that is under way.
    now: Deviation,
    /// The pull-up that is there after so many tokens.
    pull_up: Option<(bool, usize)>,
}

fn address_of(endpoint: Endpoint) -> u8 {
    endpoint.number | if endpoint.out { 0 } else { 0x80 }
}

impl Device {
    pub(super) fn new(descriptors: Descriptors) -> Self {
        Self {
            pulls_up: false,
            descriptors,
            address: 0,
            control: Control::default(),
            toggles: BTreeMap::new(),
            printed: VecDeque::new(),
            pressed: VecDeque::new(),
            heard: Vec::new(),
            disk: Disk::default(),
            answers: 0,
            deviations: VecDeque::new(),
            now: Deviation::None,
            pull_up: None,
        }
    }

    pub(super) fn deviate(&mut self, bytes: &[u8]) {
        self.deviations.extend(bytes.iter().map(|byte| Deviation::of(*byte)));
    }

    pub(super) fn deviate_no_more(&mut self) {
        self.deviations.clear();
        self.pull_up = None;
    }

    pub(super) fn print(&mut self, bytes: &[u8]) {
        self.printed.extend(bytes);
    }

    pub(super) fn press(&mut self, key: u8) {
        self.pressed.push_back(key);
    }

    pub(super) fn pulls_up_at(&mut self, on: bool, tokens: usize) {
        self.pull_up = Some((on, tokens));
    }

    fn reset(&mut self) {
        self.address = 0;
        self.control = Control::default();
        self.toggles.clear();
        self.disk = Disk::default();
        self.answers = 0;
    }

    fn next_deviation(&self) -> Deviation {
        self.deviations.front().copied().unwrap_or(Deviation::None)
    }

    /// What it would send; nothing where it has nothing.
    fn payload(&self, endpoint: Endpoint) -> Option<Vec<u8>> {
        match address_of(endpoint) {
            0x80 => Some(self.control.data.front().cloned().unwrap_or_default()),
            SHOWS if !self.printed.is_empty() => {
                Some(self.printed.iter().copied().take(PACKET_BYTES).collect())
            }
            PRESSES => self.pressed.front().map(|key| vec![0, 0, *key, 0, 0, 0, 0, 0]),
            DISK_IN => self.disk.next().map(<[u8]>::to_vec),
            _ => None,
        }
    }

    fn sound_answer(&self, endpoint: Endpoint) -> Answer {
        if endpoint.number == 0 && self.control.stalled {
            return Answer::Stall;
        }
        let ready = endpoint.out || self.payload(endpoint).is_some();
        if ready { Answer::Buffer(0) } else { Answer::Nak }
    }

    /// One of the device's own requests, or one of its classes (USB 2.0 9.4).
    fn request(&mut self, setup: [u8; 8]) {
        let [kind, request, low, high, index, _, length, more] = setup;
        let asked = usize::from(u16::from_le_bytes([length, more]));
        self.control = Control::default();
        let data = match (kind, request) {
            (0x80 | 0x81, 6) => self.descriptors.get(high, low),
            (0, 5) => {
                self.control.new_address = Some(low);
                Some(Vec::new())
            }
            (0, 9) => {
                self.toggles.clear();
                Some(Vec::new())
            }
            (2, 1) => {
                self.toggles.remove(&index);
                Some(Vec::new())
            }
            (0x21, 0xff) => {
                self.disk = Disk::default();
                Some(Vec::new())
            }
            (0xa1, 0xfe) => Some(vec![0]),
            // What a network says of itself is its string.
            (0xa1, 0x80) => Some(self.descriptors.string()),
            (0xa1, 1) => Some(self.answer_to_message()),
            (0x21, _) => Some(Vec::new()),
            _ => None,
        };
        self.control.stalled = data.is_none();
        let data = data.unwrap_or_default();
        let told = &data[..data.len().min(asked)];
        self.control.data = told.chunks(PACKET_BYTES).map(<[u8]>::to_vec).collect();
        self.toggles.insert(0x80, true);
    }

    /// Its string as the answer to one message of RNDIS after the other: initialize, query, set.
    fn answer_to_message(&mut self) -> Vec<u8> {
        let mut answer = self.descriptors.string();
        let kind = [2, 4, 5].get(self.answers as usize).copied().unwrap_or(5);
        self.answers += 1;
        if answer.len() >= 12 {
            answer[0] = kind;
            answer[8..12].copy_from_slice(&self.answers.to_le_bytes());
        }
        answer
    }

    fn flip(&mut self, address: u8) {
        let data1 = self.toggles.entry(address).or_default();
        *data1 = !*data1;
    }
}

impl usb_host::Device for Device {
    fn pulls_up(&self) -> bool {
        self.pulls_up
    }

    fn bus_idles(&mut self, _: Picoseconds) {}

    fn bus_gone(&mut self, _: Picoseconds) {
        self.reset();
    }

    fn bus_reset_begins(&mut self, _: Picoseconds) {
        self.reset();
    }

    fn bus_reset_ends(&mut self) {}

    fn frames_begin(&mut self, _: Picoseconds) {}

    fn bus_resumes(&mut self) {}

    fn is_at(&self, address: u8) -> bool {
        address == self.address && self.next_deviation() != Deviation::Silence
    }

    fn answer(&self, address: u8, endpoint: Endpoint) -> Answer {
        if address != self.address {
            return Answer::Silence;
        }
        self.next_deviation().answer().unwrap_or_else(|| self.sound_answer(endpoint))
    }

    fn notices_nak(&self, _: Endpoint) -> bool {
        self.next_deviation() == Deviation::Nak
    }

    fn begin(&mut self, address: u8, endpoint: Endpoint) -> Answer {
        let answer = self.answer(address, endpoint);
        self.now = self.deviations.pop_front().unwrap_or(Deviation::None);
        if let Some((on, tokens)) = self.pull_up.take() {
            match tokens {
                0 => self.pulls_up = on,
                _ => self.pull_up = Some((on, tokens - 1)),
            }
        }
        answer
    }

    fn outgoing(&self, endpoint: Endpoint, _: u8) -> Packet {
        let mut payload = self.payload(endpoint).unwrap_or_default();
        let data1 = self.toggles.get(&address_of(endpoint)).copied().unwrap_or(false);
        match self.now {
            Deviation::Sized(bytes) if bytes < 16 => payload.truncate(usize::from(bytes)),
            Deviation::Sized(bytes) => payload.resize(payload.len() + usize::from(bytes - 15) * 5, bytes),
            Deviation::Changed(by) => payload.iter_mut().for_each(|byte| *byte = byte.wrapping_mul(3) ^ by),
            _ => {}
        }
        Packet::new(data1 ^ (self.now == Deviation::Toggled), &payload)
    }

    fn take_setup(&mut self, setup: &[u8]) {
        self.request(setup.try_into().expect("a setup packet has eight bytes"));
    }

    fn finish_in(&mut self, endpoint: Endpoint, _: u8) -> bool {
        if self.now == Deviation::Lost {
            return false;
        }
        let address = address_of(endpoint);
        self.flip(address);
        match address {
            0x80 => {
                self.control.data.pop_front();
                self.address = self.control.new_address.take().unwrap_or(self.address);
            }
            SHOWS => drop(self.printed.drain(..self.printed.len().min(PACKET_BYTES))),
            PRESSES => drop(self.pressed.pop_front()),
            DISK_IN => self.disk.taken(),
            _ => {}
        }
        true
    }

    fn finish_out(&mut self, endpoint: Endpoint, _: u8, packet: &Packet) -> bool {
        if self.now == Deviation::Lost {
            return false;
        }
        let address = address_of(endpoint);
        if endpoint.number != 0 {
            let expected = self.toggles.get(&address).copied().unwrap_or(false);
            if packet.data1 != expected {
                return true;
            }
            self.flip(address);
        }
        match address {
            TYPES => self.heard.extend_from_slice(packet.payload()),
            DISK_OUT => self.disk.write(packet.payload()),
            _ => {}
        }
        true
    }

    fn give_up(&mut self, endpoint: Endpoint) {
        // A setup packet that was not heard has no token of its own here.
        if endpoint.number == 0 && self.next_deviation() == Deviation::Silence {
            self.deviations.pop_front();
        }
    }

    fn next_event(&self, _: Picoseconds) -> Option<Picoseconds> {
        None
    }

    fn advance(&mut self, _: Picoseconds) {}
}
