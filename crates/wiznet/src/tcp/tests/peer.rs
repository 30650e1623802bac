//! The engine against smoltcp's TCP over a channel that loses, delays, repeats and overtakes, in virtual time: what was sent
//! arrives, unchanged and in order, or the chip says TIMEOUT.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sim::RandomStream;
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr, IpEndpoint};
use testing::Cable;

use super::*;

const CHIP_IP: [u8; 4] = [192, 168, 1, 1];
const PEER_IP: [u8; 4] = [192, 168, 1, 2];
const CHIP_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
const PEER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 2];
const ETHERTYPE_IP: [u8; 2] = [0x08, 0x00];
const ETHERTYPE_ARP: [u8; 2] = [0x08, 0x06];
const MAC_BYTES: usize = 14;
const IP_BYTES: usize = 20;

/// smoltcp with one TCP socket.
struct Peer {
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    cable: Cable,
    received: Vec<u8>,
    sent: usize,
}

impl Peer {
    fn new(seed: u64, buffer_bytes: usize) -> Self {
        let mut cable = Cable::default();
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(PEER_MAC)));
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut cable, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(PEER_ADDRESS.into(), 24)).expect("room for one");
        });
        let buffer = || tcp::SocketBuffer::new(vec![0; buffer_bytes]);
        let mut sockets = SocketSet::new(Vec::new());
        let mut socket = tcp::Socket::new(buffer(), buffer());
        // smoltcp 0.14 stops its timer for good when a lost zero-window probe carried its last byte and the window then opens;
        // three answers to keep-alives make it repeat the byte.
        socket.set_keep_alive(Some(Duration::from_secs(1)));
        let handle = sockets.add(socket);
        Self { interface, sockets, handle, cable, received: Vec::new(), sent: 0 }
    }

    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    fn connect(&mut self) {
        let remote = IpEndpoint::new(IpAddress::Ipv4(CHIP_IP.into()), CHIP_PORT);
        let socket = self.sockets.get_mut::<tcp::Socket>(self.handle);
        socket.connect(self.interface.context(), remote, PEER_PORT).expect("a fresh socket connects");
    }

    fn poll(&mut self, now: Instant) {
        let Self { interface, sockets, cable, .. } = self;
        interface.poll(now, cable, sockets);
    }

    /// Its application reads at most `most` bytes, writes what it can of `bytes`, and closes when all is written and read.
    fn serve(&mut self, bytes: &[u8], most: usize, expected: usize) {
        let (sent, mut received) = (self.sent, std::mem::take(&mut self.received));
        let socket = self.socket();
        let mut chunk = vec![0; most];
        let read = socket.recv_slice(&mut chunk).unwrap_or(0);
        received.extend_from_slice(&chunk[..read]);
        let written = socket.send_slice(&bytes[sent..]).unwrap_or(0);
        let done = sent + written == bytes.len() && received.len() == expected;
        if done && socket.may_send() {
            socket.close();
        }
        self.sent += written;
        self.received = received;
    }
}

/// What the channel does to a frame, in thousandths, and how long it takes.
#[derive(Debug, Clone, Copy)]
struct Channel {
    loss: u64,
    repetition: u64,
    delay_us: u64,
    jitter_us: u64,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    seed: u64,
    chip_isn: u32,
    chip_is_server: bool,
    chip_closes_first: bool,
    memory_bytes: usize,
    peer_buffer_bytes: usize,
    chip_sends: usize,
    peer_sends: usize,
    no_delayed_ack: bool,
    send_ok: SendOk,
    mss: u16,
    channel: Channel,
}

#[derive(Debug)]
enum End {
    Closed,
    TimedOut,
}

struct World {
    case: Case,
    bench: Bench,
    peer: Peer,
    random: RandomStream,
    /// Frames under way by time and number: to the peer or to the chip.
    under_way: BTreeMap<(Picoseconds, u64), (bool, Vec<u8>)>,
    frames: u64,
    interrupts: u8,
    chip_received: Vec<u8>,
    chip_sent: usize,
    awaits_send_ok: bool,
    disconnected: bool,
}

fn stream(seed: u64, name: &str, bytes: usize) -> Vec<u8> {
    let mut random = RandomStream::named(seed, name);
    (0..bytes).map(|_| random.below(256) as u8).collect()
}

impl World {
    fn new(case: Case) -> Self {
        let mut bench = Bench::new();
        bench.tx = vec![0; case.memory_bytes];
        bench.rx = vec![0; case.memory_bytes];
        bench.chip_isn = case.chip_isn;
        bench.settings.no_delayed_ack = case.no_delayed_ack;
        bench.settings.send_ok = case.send_ok;
        bench.settings.mss = case.mss;
        let mut peer = Peer::new(case.seed, case.peer_buffer_bytes);
        if case.chip_is_server {
            bench.listen();
            peer.connect();
        } else {
            peer.socket().listen(PEER_PORT).expect("a fresh socket listens");
            bench.connect();
        }
        Self {
            case,
            bench,
            peer,
            random: RandomStream::named(case.seed, "channel"),
            under_way: BTreeMap::new(),
            frames: 0,
            interrupts: 0,
            chip_received: Vec::new(),
            chip_sent: 0,
            awaits_send_ok: false,
            disconnected: false,
        }
    }

    fn put_under_way(&mut self, to_peer: bool, frame: &[u8]) {
        let channel = self.case.channel;
        let copies = 1 + u64::from(self.random.below(1000) < channel.repetition);
        for _ in 0..copies {
            if self.random.below(1000) < channel.loss {
                continue;
            }
            let delay = channel.delay_us + self.random.below(channel.jitter_us + 1);
            self.frames += 1;
            let key = (self.bench.now + us(delay as i64), self.frames);
            self.under_way.insert(key, (to_peer, frame.to_vec()));
        }
    }

    fn chip_sends(&mut self) {
        while let Some((header, payload)) = self.bench.take() {
            let mut frame = [&PEER_MAC[..], &CHIP_MAC[..], &ETHERTYPE_IP[..]].concat();
            let length = (IP_BYTES + 20 + if header.mss.is_some() { 4 } else { 0 } + payload.len()) as u16;
            let mut ip = [0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0];
            ip[2..4].copy_from_slice(&length.to_be_bytes());
            let ip = [&ip[..], &CHIP_IP, &PEER_IP].concat();
            let sum: u32 = ip.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
            frame.extend_from_slice(&ip);
            let checksum = !(((sum & 0xFFFF) + (sum >> 16)) as u16);
            frame[MAC_BYTES + 10..MAC_BYTES + 12].copy_from_slice(&checksum.to_be_bytes());
            header.emit(CHIP_IP.into(), PEER_ADDRESS, [&payload, &[]], &mut frame);
            self.put_under_way(true, &frame);
        }
    }

    fn peer_sends(&mut self) {
        while let Some(frame) = self.peer.cable.from_smoltcp.pop_front() {
            if frame[12..14] == ETHERTYPE_ARP {
                self.answer_arp(&frame);
            } else {
                self.put_under_way(false, &frame);
            }
        }
    }

    fn answer_arp(&mut self, request: &[u8]) {
        if request[21] == 1 {
            let mut reply = [&PEER_MAC[..], &CHIP_MAC[..], &request[12..21], &[2]].concat();
            reply.extend_from_slice(&[&CHIP_MAC[..], &CHIP_IP, &PEER_MAC, &PEER_IP].concat());
            self.peer.cable.to_smoltcp.push_back(reply);
        }
    }

    fn chip_receives(&mut self, frame: &[u8]) {
        let ip = &frame[MAC_BYTES..];
        let segment = &ip[IP_BYTES..usize::from(u16::from_be_bytes([ip[2], ip[3]]))];
        assert!(checksum_is_right(PEER_ADDRESS, CHIP_IP.into(), segment));
        let (header, payload) = Header::parse(segment).expect("smoltcp sends whole headers");
        let connection = &self.bench.connection;
        if connection.matches(PEER_ADDRESS, &header) || connection.would_accept(&header) {
            self.bench.deliver_header(&header, payload);
        }
    }

    /// The chip's driver: reads what is there, sends as memory and SENDOK allow, closes when its part is done.
    fn drive(&mut self, bytes: &[u8], expected: usize) {
        self.interrupts |= self.bench.interrupts();
        self.awaits_send_ok &= self.interrupts & interrupt::SENDOK == 0;
        if self.bench.received_bytes() > 0 && self.random.below(3) > 0 {
            let read = self.bench.read_all();
            self.chip_received.extend_from_slice(&read);
        }
        let may_send = matches!(self.bench.status(), Status::Established | Status::CloseWait);
        let left = bytes.len() - self.chip_sent;
        let size = left.min(self.bench.tx_free()).min(1 + self.random.below(4000) as usize);
        if may_send && !self.awaits_send_ok && size > 0 {
            self.interrupts &= !interrupt::SENDOK;
            assert!(self.bench.send(&bytes[self.chip_sent..self.chip_sent + size]));
            self.chip_sent += size;
            self.awaits_send_ok = true;
        }
        let done = left == 0 && self.chip_received.len() == expected;
        let peer_has_closed = self.bench.status() == Status::CloseWait;
        let turn = self.case.chip_closes_first || peer_has_closed;
        if may_send && !self.disconnected && !self.awaits_send_ok && done && turn {
            self.disconnected = self.bench.connection.disconnect();
        }
    }

    fn poll_peer(&mut self, bytes: &[u8], expected: usize) {
        let now = Instant::from_micros(self.bench.now.ps() / PS_PER_US);
        let most = 1 + self.random.below(3000) as usize;
        self.peer.poll(now);
        self.peer.serve(bytes, most, expected);
        self.peer.poll(now);
    }

    fn next_time(&mut self) -> Option<Picoseconds> {
        let now = Instant::from_micros(self.bench.now.ps() / PS_PER_US);
        let delay = self.peer.interface.poll_delay(now, &self.peer.sockets);
        let peer =
            delay.map(|delay| self.bench.now + us(delay.max(Duration::from_micros(1)).total_micros() as i64));
        let frame = self.under_way.keys().next().map(|&(at, _)| at);
        [peer, frame, self.bench.next_event()].into_iter().flatten().min()
    }

    /// Whether the programs on both sides will do something though nothing arrives.
    fn drivers_have_work(&mut self) -> bool {
        let to_send =
            self.chip_sent < self.case.chip_sends && !self.awaits_send_ok && self.bench.tx_free() > 0;
        to_send || self.bench.received_bytes() > 0 || self.peer.socket().recv_queue() > 0
    }

    fn run(&mut self) -> End {
        let from_chip = stream(self.case.seed, "from the chip", self.case.chip_sends);
        let from_peer = stream(self.case.seed, "from the peer", self.case.peer_sends);
        for _ in 0..400_000 {
            self.poll_peer(&from_peer, from_chip.len());
            self.drive(&from_chip, from_peer.len());
            self.chip_sends();
            self.peer_sends();
            assert_eq!(self.peer.received, from_chip[..self.peer.received.len()], "chip to peer");
            assert_eq!(self.chip_received, from_peer[..self.chip_received.len()], "peer to chip");
            if self.interrupts & interrupt::TIMEOUT != 0 {
                return End::TimedOut;
            }
            let chip_is_closed = self.bench.status() == Status::Closed;
            if chip_is_closed
                && self.bench.received_bytes() == 0
                && self.peer.received.len() == from_chip.len()
            {
                assert_eq!(self.chip_received.len(), from_peer.len());
                return End::Closed;
            }
            let poll = self.drivers_have_work().then(|| self.bench.now + ms(1));
            let next = self.next_time().into_iter().chain(poll).min().unwrap_or_else(|| {
                panic!("all wait: {:?} {:?}", self.bench.connection, self.peer.socket().state())
            });
            self.bench.advance_to(next);
            while self.under_way.first_key_value().is_some_and(|(&(at, _), _)| at <= next) {
                let (_, (to_peer, frame)) = self.under_way.pop_first().expect("it was looked at");
                if to_peer {
                    self.peer.cable.to_smoltcp.push_back(frame);
                } else {
                    self.chip_receives(&frame);
                    self.chip_sends();
                }
            }
        }
        panic!("no end: chip {:?}, {:?}", self.bench.connection, self.bench.pointers);
    }
}

fn case() -> impl Strategy<Value = Case> {
    let channel = (0u64..150, 0u64..100, 1u64..2000, prop_oneof![Just(0u64), 0u64..20_000]).prop_map(
        |(loss, repetition, delay_us, jitter_us)| Channel { loss, repetition, delay_us, jitter_us },
    );
    let sizes = (10usize..15, 6usize..16, 0usize..20_000, 0usize..20_000);
    let switches = any::<(bool, bool, bool, bool)>();
    let isn = prop_oneof![any::<u32>(), u32::MAX - 30_000..u32::MAX];
    let mss = prop_oneof![Just(0u16), 50u16..1460];
    (any::<u64>(), isn, switches, sizes, mss, channel).prop_map(
        |(seed, chip_isn, switches, sizes, mss, channel)| Case {
            seed,
            chip_isn,
            chip_is_server: switches.0,
            chip_closes_first: switches.1,
            no_delayed_ack: switches.2,
            send_ok: if switches.3 { SendOk::Sent } else { SendOk::Acknowledged },
            memory_bytes: 1 << sizes.0,
            peer_buffer_bytes: 1 << sizes.1,
            chip_sends: sizes.2,
            peer_sends: sizes.3,
            mss,
            channel,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bytes_arrive_over_a_bad_channel_or_the_chip_says_time_out(case in case()) {
        let end = World::new(case).run();
        // At 3 % each way nine losses in a row are out of the question.
        prop_assert!(matches!(end, End::Closed) || case.channel.loss > 30);
    }
}

fn good_channel(seed: u64) -> Case {
    Case {
        seed,
        chip_isn: u32::MAX - 20_000,
        chip_is_server: seed.is_multiple_of(2),
        chip_closes_first: seed % 4 < 2,
        memory_bytes: 2048,
        peer_buffer_bytes: 65_536,
        chip_sends: 100_000,
        peer_sends: 100_000,
        no_delayed_ack: true,
        send_ok: SendOk::Sent,
        mss: 0,
        channel: Channel { loss: 0, repetition: 0, delay_us: 100, jitter_us: 0 },
    }
}

#[test]
fn over_a_good_channel_everything_arrives_and_both_sides_close() {
    for seed in 0..8 {
        let mut world = World::new(good_channel(seed));
        assert!(matches!(world.run(), End::Closed));
        let counters = world.bench.connection.counters();
        assert_eq!((counters.out_of_order, counters.beyond_window), (0, 0));
    }
}

#[test]
fn at_one_percent_loss_nobody_times_out() {
    for seed in 0..20 {
        let mut case = good_channel(seed);
        case.channel = Channel { loss: 10, repetition: 5, delay_us: 200, jitter_us: 300 };
        assert!(matches!(World::new(case).run(), End::Closed), "seed {seed}");
    }
}

#[test]
fn a_dead_channel_is_a_time_out_at_31_8_seconds() {
    for chip_is_server in [false, true] {
        let mut case = good_channel(0);
        case.chip_is_server = chip_is_server;
        let mut world = World::new(case);
        if chip_is_server {
            while world.bench.status() == Status::Listen {
                world.poll_peer(&[], 1);
                world.peer_sends();
                if let Some((_, (false, frame))) = world.under_way.pop_first() {
                    world.chip_receives(&frame);
                }
            }
        }
        world.case.channel.loss = 1000;
        assert!(matches!(world.run(), End::TimedOut));
        assert_eq!(world.bench.now, ms(31_800));
    }
}
