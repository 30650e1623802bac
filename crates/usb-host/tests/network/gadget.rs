//! A device with a network, as simple as one can be: it answers at once, and keeps all that was asked of it.

use std::collections::VecDeque;

use units::Picoseconds;
use usb_host::{Answer, Device, Endpoint, Packet, UsbHost};

const PACKET_BYTES: usize = 64;
pub(crate) const NOTIFICATION: u8 = 1;
pub(crate) const FRAMES: u8 = 2;

/// The protocols of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Ecm,
    Ncm,
    Rndis,
}

/// An endpoint to the host: packets that wait, and the toggle of the first.
#[derive(Debug, Default)]
struct ToHost {
    packets: VecDeque<Vec<u8>>,
    data1: bool,
}

impl ToHost {
    /// A transfer whose last packet is short.
    fn transfer(&mut self, bytes: &[u8]) {
        self.packets.extend(bytes.chunks(PACKET_BYTES).map(<[u8]>::to_vec));
        if bytes.len().is_multiple_of(PACKET_BYTES) {
            self.packets.push_back(Vec::new());
        }
    }
}

/// The device.
#[derive(Debug)]
pub(crate) struct Gadget {
    protocol: Protocol,
    pub(crate) pulls_up: bool,
    address: u8,
    new_address: Option<u8>,
    control_in: ToHost,
    notifications: ToHost,
    frames_in: ToHost,
    /// What came over the bulk endpoint, transfer by transfer; the last one may go on.
    pub(crate) transfers: Vec<Vec<u8>>,
    /// Requests other than those of the enumeration, with what was sent in them.
    pub(crate) requests: Vec<([u8; 8], Vec<u8>)>,
    /// The answers that GET_ENCAPSULATED_RESPONSE brings, in this order.
    pub(crate) answers: VecDeque<Vec<u8>>,
    pub(crate) block_parameters: Vec<u8>,
}

impl Gadget {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            pulls_up: true,
            address: 0,
            new_address: None,
            control_in: ToHost::default(),
            notifications: ToHost::default(),
            frames_in: ToHost::default(),
            transfers: vec![Vec::new()],
            requests: Vec::new(),
            answers: VecDeque::new(),
            block_parameters: Vec::new(),
        }
    }

    /// Sends a transfer over the bulk endpoint.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.frames_in.transfer(bytes);
    }

    /// Says that the network is connected, or no more.
    pub(crate) fn notify_connection(&mut self, connected: bool) {
        self.notifications.transfer(&[0xa1, 0, u8::from(connected), 0, 0, 0, 0, 0]);
    }

    fn descriptors(&self) -> (Vec<u8>, Vec<u8>) {
        let device = vec![18, 1, 0, 2, 0, 0, 0, 64, 0xfe, 0xca, 1, 0, 0, 1, 0, 0, 0, 1];
        let (control, data_protocol) = match self.protocol {
            Protocol::Ecm => ([2, 6, 0], 0),
            Protocol::Ncm => ([2, 0x0d, 0], 1),
            Protocol::Rndis => ([0xe0, 1, 3], 0),
        };
        let endpoint = |address: u8, kind: u8, bytes: u8| [7, 5, address, kind, bytes, 0, 8];
        let mut parts: Vec<Vec<u8>> = vec![
            vec![9, 4, 0, 0, 1, control[0], control[1], control[2], 0],
            vec![5, 0x24, 6, 0, 1],
            endpoint(0x80 | NOTIFICATION, 3, 8).to_vec(),
        ];
        // RNDIS has its endpoints at once, the others in their second setting.
        if self.protocol == Protocol::Rndis {
            parts.push(vec![9, 4, 1, 0, 2, 10, 0, 0, 0]);
        } else {
            parts.push(vec![9, 4, 1, 0, 0, 10, 0, data_protocol, 0]);
            parts.push(vec![9, 4, 1, 1, 2, 10, 0, data_protocol, 0]);
        }
        parts.extend([0x80 | FRAMES, FRAMES].map(|address| endpoint(address, 2, 64).to_vec()));
        let rest = parts.concat();
        let mut configuration = vec![9, 2, (9 + rest.len()) as u8, 0, 2, 1, 0, 0x80, 50];
        configuration.extend(rest);
        (device, configuration)
    }

    /// The data that a request asks for.
    fn asked(&mut self, setup: &[u8; 8]) -> Vec<u8> {
        let (device, configuration) = self.descriptors();
        match (setup[0], setup[1], setup[3]) {
            (0x80, 6, 1) => device,
            (0x80, 6, 2) => configuration,
            (0xa1, 0x80, _) => self.block_parameters.clone(),
            (0xa1, 1, _) => self.answers.pop_front().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn waits_mut(&mut self, endpoint: u8) -> &mut ToHost {
        match endpoint {
            0 => &mut self.control_in,
            NOTIFICATION => &mut self.notifications,
            _ => &mut self.frames_in,
        }
    }

    fn waits(&self, endpoint: u8) -> &ToHost {
        match endpoint {
            0 => &self.control_in,
            NOTIFICATION => &self.notifications,
            _ => &self.frames_in,
        }
    }
}

impl Device for Gadget {
    fn pulls_up(&self) -> bool {
        self.pulls_up
    }

    fn bus_idles(&mut self, _: Picoseconds) {}

    fn bus_gone(&mut self, _: Picoseconds) {}

    fn bus_reset_begins(&mut self, _: Picoseconds) {
        self.address = 0;
    }

    fn bus_reset_ends(&mut self) {}

    fn frames_begin(&mut self, _: Picoseconds) {}

    fn bus_resumes(&mut self) {}

    fn is_at(&self, address: u8) -> bool {
        self.address == address
    }

    fn answer(&self, address: u8, endpoint: Endpoint) -> Answer {
        match (address == self.address, endpoint.out) {
            (false, _) => Answer::Silence,
            (true, true) => Answer::Buffer(0),
            (true, false) if self.waits(endpoint.number).packets.is_empty() => Answer::Nak,
            (true, false) => Answer::Buffer(0),
        }
    }

    fn notices_nak(&self, _: Endpoint) -> bool {
        false
    }

    fn begin(&mut self, address: u8, endpoint: Endpoint) -> Answer {
        self.answer(address, endpoint)
    }

    fn outgoing(&self, endpoint: Endpoint, _: u8) -> Packet {
        let waits = self.waits(endpoint.number);
        Packet::new(waits.data1, &waits.packets[0])
    }

    fn take_setup(&mut self, setup: &[u8]) {
        let setup: [u8; 8] = setup.try_into().expect("a setup packet has eight bytes");
        self.control_in = ToHost { packets: VecDeque::new(), data1: true };
        let length = usize::from(u16::from_le_bytes([setup[6], setup[7]]));
        if setup[0] & 0x60 != 0 || setup[1] == 0x0b {
            self.requests.push((setup, Vec::new()));
        }
        if setup[0] & 0x80 == 0 {
            self.new_address = (setup[1] == 5 && setup[0] == 0).then_some(setup[2]);
            if length == 0 {
                self.control_in.packets.push_back(Vec::new());
            }
            return;
        }
        let data = self.asked(&setup);
        let sent = &data[..data.len().min(length)];
        match sent.len() == length {
            true => self.control_in.packets.extend(sent.chunks(PACKET_BYTES).map(<[u8]>::to_vec)),
            false => self.control_in.transfer(sent),
        }
    }

    fn finish_in(&mut self, endpoint: Endpoint, _: u8) -> bool {
        let waits = self.waits_mut(endpoint.number);
        waits.packets.pop_front();
        waits.data1 = !waits.data1;
        if endpoint.number == 0 {
            self.address = self.new_address.take().unwrap_or(self.address);
        }
        true
    }

    fn finish_out(&mut self, endpoint: Endpoint, _: u8, packet: &Packet) -> bool {
        if endpoint.number == 0 {
            let Some((setup, sent)) = self.requests.last_mut() else { return true };
            if setup[0] & 0x80 == 0 {
                sent.extend_from_slice(packet.payload());
                if sent.len() >= usize::from(u16::from_le_bytes([setup[6], setup[7]])) {
                    self.control_in.packets.push_back(Vec::new());
                }
            }
            return true;
        }
        let transfer = self.transfers.last_mut().expect("there is always one");
        transfer.extend_from_slice(packet.payload());
        if packet.payload().len() < PACKET_BYTES {
            self.transfers.push(Vec::new());
        }
        true
    }

    fn give_up(&mut self, _: Endpoint) {}

    fn next_event(&self, _: Picoseconds) -> Option<Picoseconds> {
        None
    }

    fn advance(&mut self, _: Picoseconds) {}
}

/// A host, the device at the other end of its cable, and the time.
#[derive(Debug)]
pub(crate) struct Cable {
    pub(crate) host: UsbHost,
    pub(crate) gadget: Gadget,
    pub(crate) now: Picoseconds,
}

impl Cable {
    pub(crate) fn to(gadget: Gadget) -> Self {
        Self { host: UsbHost::new(), gadget, now: Picoseconds::ZERO }
    }

    /// Lets milliseconds pass.
    pub(crate) fn run_ms(&mut self, count: i64) {
        let end = self.now + Picoseconds::new(count * units::PS_PER_MS);
        self.host.follow(&mut self.gadget, self.now);
        while let Some(at) = self.host.next_wake(&self.gadget, self.now).filter(|&at| at <= end) {
            self.now = self.now.max(at);
            self.host.wake(&mut self.gadget, self.now);
        }
        self.now = end;
    }

    /// The frames that the host has from the device.
    pub(crate) fn frames(&mut self) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| self.host.take_frame()).map(|(_, frame)| frame).collect()
    }
}
