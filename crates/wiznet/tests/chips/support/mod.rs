//! A driver's side of SPI for all five chips, and a smoltcp interface at the other end of a wire, in the same virtual time.
#![allow(dead_code, unreachable_pub)]

use std::collections::VecDeque;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr, Ipv4Address, Ipv6Address};
use testing::{Cable, w6100};
use units::Picoseconds;
use wiznet::{Chip, Duplex, LinkPartner, Model, Options, Sent, Speed};

pub const MODELS: [Model; 5] = [Model::W5100, Model::W5100S, Model::W5200, Model::W5500, Model::W6100];

pub const CHIP_MAC: [u8; 6] = [0x02, 0x08, 0xDC, 1, 2, 3];
pub const CHIP_IP: [u8; 4] = [192, 168, 7, 2];
pub const PEER_MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 1];
pub const PEER_IP: [u8; 4] = [192, 168, 7, 1];
pub const PEER_IPV6: [u8; 16] = [0x20, 0x01, 0x0D, 0xB8, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// A frame of Ethernet without its check sum has as many bytes at least; shorter ones are padded.
const SHORTEST_FRAME_BYTES: usize = 60;

pub const FAST: LinkPartner = LinkPartner { speed: Speed::Mbps100, duplex: Duplex::Full };

/// A socket's registers, by their offset on the chips before the W6100; the bench has them where the W6100 has them.
pub mod sn {
    pub const MR: u16 = 0x00;
    pub const CR: u16 = 0x01;
    pub const IR: u16 = 0x02;
    pub const SR: u16 = 0x03;
    pub const PORT: u16 = 0x04;
    pub const DHAR: u16 = 0x06;
    pub const DIPR: u16 = 0x0C;
    pub const DPORT: u16 = 0x10;
    pub const MSSR: u16 = 0x12;
    pub const PROTO: u16 = 0x14;
    pub const TTL: u16 = 0x16;
    pub const RXBUF: u16 = 0x1E;
    pub const TXBUF: u16 = 0x1F;
    pub const TX_FSR: u16 = 0x20;
    pub const TX_RD: u16 = 0x22;
    pub const TX_WR: u16 = 0x24;
    pub const RX_RSR: u16 = 0x26;
    pub const RX_RD: u16 = 0x28;
    pub const IMR: u16 = 0x2C;
}

pub mod command {
    pub const OPEN: u8 = 0x01;
    pub const LISTEN: u8 = 0x02;
    pub const CONNECT: u8 = 0x04;
    pub const DISCON: u8 = 0x08;
    pub const CLOSE: u8 = 0x10;
    pub const SEND: u8 = 0x20;
    pub const SEND_MAC: u8 = 0x21;
    pub const RECV: u8 = 0x40;
}

pub const CON: u8 = 0x01;
pub const DISCON: u8 = 0x02;
pub const RECV: u8 = 0x04;
pub const TIMEOUT: u8 = 0x08;
pub const SENDOK: u8 = 0x10;

pub fn ms(n: i64) -> Picoseconds {
    Picoseconds::new(n * units::PS_PER_MS)
}

pub fn us(n: i64) -> Picoseconds {
    Picoseconds::new(n * units::PS_PER_US)
}

/// A chip, a driver's clock, and perhaps somebody at the other end.
pub struct Bench {
    pub chip: Chip,
    pub now: Picoseconds,
    pub clock_hz: u64,
    pub peer: Option<Peer>,
    /// Everything that the chip sent.
    pub seen: Vec<Sent>,
}

impl Bench {
    /// A chip that answers, without a cable.
    pub fn bare(model: Model) -> Self {
        let options = Options { link_up_time: Picoseconds::ZERO, ..Options::of(model) };
        let clock_hz = if model == Model::W5100 { 10_000_000 } else { 20_000_000 };
        Self { chip: Chip::new(options), now: ms(200), clock_hz, peer: None, seen: Vec::new() }
    }

    /// The same with a link and addresses.
    pub fn linked(model: Model) -> Self {
        let mut bench = Self::bare(model);
        bench.chip.set_cable(ms(199), Some(FAST));
        bench.unlock();
        bench.common_write(0x0001, &PEER_IP);
        bench.common_write(0x0005, &[255, 255, 255, 0]);
        bench.common_write(0x0009, &CHIP_MAC);
        bench.common_write(0x000F, &CHIP_IP);
        bench
    }

    /// A W6100 takes addresses from here on.
    pub fn unlock(&mut self) {
        if self.model() == Model::W6100 {
            self.write_at(0, w6100::NETLCKR.0, &[w6100::NETLCKR.1]);
        }
    }

    /// The same with a smoltcp interface at the other end.
    pub fn with_peer(model: Model) -> Self {
        let mut bench = Self::linked(model);
        bench.peer = Some(Peer::new());
        bench
    }

    /// The peer waits for a connection.
    pub fn listen_at_peer(&mut self, port: u16) -> SocketHandle {
        let buffer = || tcp::SocketBuffer::new(vec![0; 8192]);
        let mut server = tcp::Socket::new(buffer(), buffer());
        server.listen(port).expect("the port is free");
        self.peer.as_mut().expect("there is a peer").sockets.add(server)
    }

    pub fn model(&self) -> Model {
        self.chip.model()
    }

    /// One frame on SPI.
    pub fn transfer(&mut self, bytes: &mut [u8]) {
        self.chip.select(self.now, true);
        self.chip.spi_burst(self.now, bytes, self.clock_hz);
        self.now = self.now
            + Picoseconds::new(
                (bytes.len() as i128 * 8 * 1_000_000_000_000 / i128::from(self.clock_hz)) as i64,
            );
        self.chip.select(self.now, false);
        self.now = self.now + Picoseconds::from_ns(200);
        self.run_wire();
    }

    pub fn read_at(&mut self, block: u8, address: u16, bytes: usize) -> Vec<u8> {
        let [high, low] = address.to_be_bytes();
        match self.model() {
            Model::W5500 | Model::W6100 => self.framed(&[high, low, block << 3], &vec![0; bytes], 3),
            Model::W5200 => {
                let [length_high, length_low] = (bytes as u16).to_be_bytes();
                self.framed(&[high, low, length_high, length_low], &vec![0; bytes], 4)
            }
            Model::W5100S => self.framed(&[0x0F, high, low], &vec![0; bytes], 3),
            Model::W5100 => (0..bytes as u16)
                .map(|n| {
                    let [high, low] = (address + n).to_be_bytes();
                    self.framed(&[0x0F, high, low], &[0], 3)[0]
                })
                .collect(),
        }
    }

    pub fn write_at(&mut self, block: u8, address: u16, data: &[u8]) {
        let [high, low] = address.to_be_bytes();
        match self.model() {
            Model::W5500 | Model::W6100 => {
                self.framed(&[high, low, block << 3 | 4], data, 3);
            }
            Model::W5200 => {
                let [length_high, length_low] = (data.len() as u16 | 0x8000).to_be_bytes();
                self.framed(&[high, low, length_high, length_low], data, 4);
            }
            Model::W5100S => {
                self.framed(&[0xF0, high, low], data, 3);
            }
            Model::W5100 => {
                for (n, &byte) in (0..).zip(data) {
                    let [high, low] = (address + n).to_be_bytes();
                    self.framed(&[0xF0, high, low], &[byte], 3);
                }
            }
        }
    }

    fn framed(&mut self, header: &[u8], data: &[u8], header_bytes: usize) -> Vec<u8> {
        let mut bytes = [header, data].concat();
        self.transfer(&mut bytes);
        bytes.split_off(header_bytes)
    }

    pub fn common_read(&mut self, address: u16, bytes: usize) -> Vec<u8> {
        self.read_at(0, self.common_place(address, false), bytes)
    }

    pub fn common_write(&mut self, address: u16, data: &[u8]) {
        self.write_at(0, self.common_place(address, true), data);
    }

    /// Where the chip has what the W5500 has there.
    fn common_place(&self, address: u16, write: bool) -> u16 {
        if self.model() == Model::W6100 { w6100::common_address(address, write) } else { address }
    }

    fn socket_place(&self, n: u8, offset: u16, write: bool) -> (u8, u16) {
        match self.model() {
            Model::W6100 => (4 * n + 1, w6100::socket_offset(offset, write)),
            Model::W5500 => (4 * n + 1, offset),
            Model::W5200 => (0, 0x4000 + 0x100 * u16::from(n) + offset),
            Model::W5100 | Model::W5100S => (0, 0x0400 + 0x100 * u16::from(n) + offset),
        }
    }

    pub fn read(&mut self, n: u8, offset: u16, bytes: usize) -> Vec<u8> {
        let (block, address) = self.socket_place(n, offset, false);
        self.read_at(block, address, bytes)
    }

    pub fn write(&mut self, n: u8, offset: u16, data: &[u8]) {
        let (block, address) = self.socket_place(n, offset, true);
        self.write_at(block, address, data);
    }

    pub fn u8(&mut self, n: u8, offset: u16) -> u8 {
        self.read(n, offset, 1)[0]
    }

    pub fn u16(&mut self, n: u8, offset: u16) -> u16 {
        let bytes = self.read(n, offset, 2);
        u16::from_be_bytes([bytes[0], bytes[1]])
    }

    /// Gives a command and waits until it is taken.
    pub fn command(&mut self, n: u8, code: u8) {
        self.write(n, sn::CR, &[code]);
        for _ in 0..100 {
            if self.u8(n, sn::CR) == 0 {
                return;
            }
        }
        panic!("command 0x{code:02X} of socket {n} was never taken");
    }

    /// Sets up a socket and opens it, in a mode as the chips before the W6100 have it.
    pub fn open(&mut self, n: u8, mode: u8, port: u16) {
        let mode = if self.model() == Model::W6100 { w6100::mode(mode) } else { mode };
        self.write(n, sn::MR, &[mode]);
        self.write(n, sn::PORT, &port.to_be_bytes());
        self.command(n, command::OPEN);
    }

    /// Where a socket's pointer is in its memory, all sockets having 2 KiB: (block, address, bytes until it wraps).
    fn buffer_place(&self, n: u8, pointer: u16, transmit: bool) -> (u8, u16, usize) {
        const SIZE: u16 = 2048;
        let within = pointer % SIZE;
        let base = SIZE * u16::from(n) + within;
        match (self.model(), transmit) {
            (Model::W5500 | Model::W6100, _) => (4 * n + if transmit { 2 } else { 3 }, pointer, usize::MAX),
            (Model::W5200, true) => (0, 0x8000 + base, usize::from(SIZE - within)),
            (Model::W5200, false) => (0, 0xC000 + base, usize::from(SIZE - within)),
            (_, true) => (0, 0x4000 + base, usize::from(SIZE - within)),
            (_, false) => (0, 0x6000 + base, usize::from(SIZE - within)),
        }
    }

    /// Writes into a socket's TX memory `offset` behind Sn_TX_WR, and moves that behind the data.
    pub fn put(&mut self, n: u8, offset: u16, data: &[u8]) {
        let pointer = self.u16(n, sn::TX_WR).wrapping_add(offset);
        let (block, address, run) = self.buffer_place(n, pointer, true);
        let piece = data.len().min(run);
        self.write_at(block, address, &data[..piece]);
        if piece < data.len() {
            let (block, address, _) = self.buffer_place(n, pointer.wrapping_add(piece as u16), true);
            self.write_at(block, address, &data[piece..]);
        }
        self.write(n, sn::TX_WR, &pointer.wrapping_add(data.len() as u16).to_be_bytes());
    }

    /// Writes into a socket's TX memory and gives a command to send it.
    pub fn send_with(&mut self, n: u8, data: &[u8], code: u8) {
        self.put(n, 0, data);
        if (self.model(), code) == (Model::W6100, command::SEND_MAC) {
            // Sn_MR2.DHAM has SEND go to Sn_DHAR.
            self.write_at(4 * n + 1, 0x0144, &[0x02]);
            return self.command(n, command::SEND);
        }
        self.command(n, code);
    }

    /// What stands before a datagram, or with IPRAW's packets before the payload.
    pub fn packet_info(&self, from: [u8; 4], port: Option<u16>, bytes: u16) -> Vec<u8> {
        let port = port.map_or(vec![], |port| port.to_be_bytes().to_vec());
        match self.model() {
            Model::W6100 => [&bytes.to_be_bytes()[..], &from, &port].concat(),
            _ => [&from[..], &port, &bytes.to_be_bytes()].concat(),
        }
    }

    pub fn send(&mut self, n: u8, data: &[u8]) {
        self.send_with(n, data, command::SEND);
    }

    /// Takes so many bytes out of a socket's RX memory.
    pub fn take(&mut self, n: u8, bytes: usize) -> Vec<u8> {
        let pointer = self.u16(n, sn::RX_RD);
        let (block, address, run) = self.buffer_place(n, pointer, false);
        let piece = bytes.min(run);
        let mut data = self.read_at(block, address, piece);
        if piece < bytes {
            let (block, address, _) = self.buffer_place(n, pointer.wrapping_add(piece as u16), false);
            data.extend(self.read_at(block, address, bytes - piece));
        }
        self.write(n, sn::RX_RD, &pointer.wrapping_add(bytes as u16).to_be_bytes());
        self.command(n, command::RECV);
        data
    }

    /// A frame arrives now.
    pub fn arrive(&mut self, frame: &[u8]) {
        self.chip.receive(self.now, frame, true);
        self.pass(us(50));
    }

    /// Time passes.
    pub fn pass(&mut self, time: Picoseconds) {
        let end = self.now + time;
        while self.now < end {
            self.now =
                [self.chip.next_event(), self.peer.as_mut().and_then(|peer| peer.next_event(self.now))]
                    .into_iter()
                    .flatten()
                    .min()
                    .map_or(end, |next| next.clamp(self.now, end));
            self.run_wire();
            if self.chip.next_event().is_some_and(|next| next <= self.now) {
                continue;
            }
            if self
                .peer
                .as_mut()
                .and_then(|peer| peer.next_event(self.now))
                .is_some_and(|next| next <= self.now)
            {
                self.now = self.now + Picoseconds::new(units::PS_PER_US);
            }
        }
        self.chip.advance(self.now);
        self.run_wire();
    }

    /// Waits until something is true, at most so long.
    pub fn wait(&mut self, most: Picoseconds, mut is_true: impl FnMut(&mut Self) -> bool) -> bool {
        let end = self.now + most;
        while self.now < end {
            if is_true(self) {
                return true;
            }
            self.pass(us(100));
        }
        is_true(self)
    }

    fn run_wire(&mut self) {
        self.chip.advance(self.now);
        let Some(peer) = &mut self.peer else {
            while let Some(sent) = self.chip.take_sent() {
                self.seen.push(sent);
            }
            return;
        };
        loop {
            while let Some(sent) = self.chip.take_sent() {
                let end = sent.start + frame_time(&sent.bytes);
                peer.on_the_way.push_back((end, sent.bytes.clone()));
                self.seen.push(sent);
            }
            peer.poll(self.now);
            let Some((at, frame)) = peer.take_frame(self.now) else { return };
            self.chip.receive(at, &frame, true);
        }
    }

    /// The frames that were sent since the last call.
    pub fn take_seen(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.seen)
    }
}

pub fn frame_time(frame: &[u8]) -> Picoseconds {
    Picoseconds::from_ns((frame.len().max(SHORTEST_FRAME_BYTES) as i64 + 12) * 80)
}

/// A smoltcp interface.
pub struct Peer {
    pub interface: Interface,
    pub sockets: SocketSet<'static>,
    device: Cable,
    on_the_way: VecDeque<(Picoseconds, Vec<u8>)>,
    to_chip: VecDeque<(Picoseconds, Vec<u8>)>,
    wire_free: Picoseconds,
}

impl Peer {
    pub fn new() -> Self {
        let mut device = Cable::default();
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(PEER_MAC)));
        config.random_seed = 7;
        let mut interface = Interface::new(config, &mut device, Instant::from_micros(0));
        interface.update_ip_addrs(|addresses| {
            addresses.extend([
                IpCidr::new(Ipv4Address::from(PEER_IP).into(), 24),
                IpCidr::new(Ipv6Address::from(PEER_IPV6).into(), 64),
            ]);
        });
        Self {
            interface,
            sockets: SocketSet::new(Vec::new()),
            device,
            on_the_way: VecDeque::new(),
            to_chip: VecDeque::new(),
            wire_free: Picoseconds::ZERO,
        }
    }

    fn poll(&mut self, now: Picoseconds) {
        while self.on_the_way.front().is_some_and(|&(at, _)| at <= now) {
            let (_, frame) = self.on_the_way.pop_front().expect("there is one");
            self.device.to_smoltcp.push_back(frame);
        }
        let instant = Instant::from_micros(now.ps() / units::PS_PER_US);
        self.interface.poll(instant, &mut self.device, &mut self.sockets);
        while let Some(mut frame) = self.device.from_smoltcp.pop_front() {
            frame.resize(frame.len().max(SHORTEST_FRAME_BYTES), 0);
            let start = self.wire_free.max(now);
            let end = start + frame_time(&frame);
            self.wire_free = end + Picoseconds::from_ns(960);
            self.to_chip.push_back((end, frame));
        }
    }

    fn take_frame(&mut self, now: Picoseconds) -> Option<(Picoseconds, Vec<u8>)> {
        let &(at, _) = self.to_chip.front()?;
        if at <= now { self.to_chip.pop_front().map(|(_, frame)| (now, frame)) } else { None }
    }

    fn next_event(&mut self, now: Picoseconds) -> Option<Picoseconds> {
        let instant = Instant::from_micros(now.ps() / units::PS_PER_US);
        let poll = self
            .interface
            .poll_at(instant, &self.sockets)
            .map(|at| Picoseconds::new(at.total_micros() * units::PS_PER_US).max(now));
        let arrivals = self.on_the_way.front().map(|&(at, _)| at);
        let departures = self.to_chip.front().map(|&(at, _)| at);
        [poll, arrivals, departures].into_iter().flatten().min()
    }
}
