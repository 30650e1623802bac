//! Packets of IPv6 whose check sums are right and whose contents are not: the chip stays up, sends whole frames, and keeps
//! to its memories.

use proptest::prelude::*;

use super::discovery::packet;
use super::*;

const HOP_BY_HOP: u8 = 0;
const TCP_PROTOCOL: u8 = 6;
const UDP_PROTOCOL: u8 = 17;
const ICMPV6: u8 = 58;

/// A packet: its protocol, whether it is for all nodes, whether options come before it, and what it carries.
type Packet = (u8, bool, bool, Vec<u8>);

fn packets() -> impl Strategy<Value = Vec<Packet>> {
    let protocol = prop::sample::select(vec![0u8, 6, 6, 6, 17, 17, 43, 44, 58, 58, 58, 58, 59, 60, 89]);
    let payload = prop::collection::vec(any::<u8>(), 0..120);
    prop::collection::vec((protocol, any::<bool>(), any::<bool>(), payload), 1..40)
}

/// The sum of RFC 8200 section 8.1.
fn checksum(from: Ipv6Addr, to: Ipv6Addr, protocol: u8, payload: &[u8]) -> [u8; 2] {
    let mut bytes = [&from.octets()[..], &to.octets(), &(payload.len() as u32).to_be_bytes()].concat();
    bytes.extend_from_slice(&[0, 0, 0, protocol]);
    bytes.extend_from_slice(payload);
    let words =
        bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |&low| low.into()));
    let mut sum: u32 = words.sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

/// Half of the bytes of a header are made likely, so that more than the first check is seen.
fn made_likely(protocol: u8, payload: &mut [u8]) -> Option<usize> {
    const PORTS: [[u8; 2]; 4] = [[0, 80], [0, 81], [0x0F, 0xA0], [0x0F, 0xA1]];
    const KINDS: [u8; 10] = [1, 2, 3, 4, 128, 129, 130, 134, 135, 136];
    let chance = usize::from(*payload.first()?);
    match protocol {
        ICMPV6 if payload.len() >= 4 => {
            payload[..2].copy_from_slice(&[KINDS[chance % KINDS.len()], 0]);
            if payload.len() >= 24 && chance & 0x80 != 0 {
                payload[8..24].copy_from_slice(&link_local().octets());
            }
            Some(2)
        }
        UDP_PROTOCOL if payload.len() >= 8 => {
            payload[2..4].copy_from_slice(&PORTS[chance % PORTS.len()]);
            let length = payload.len() as u16;
            payload[4..6].copy_from_slice(&length.to_be_bytes());
            Some(6)
        }
        TCP_PROTOCOL if payload.len() >= 20 => {
            payload[..2].copy_from_slice(&[0x20, 0x00]);
            payload[2..4].copy_from_slice(&PORTS[chance % PORTS.len()]);
            payload[12] = payload[12] & 0x1F | 0x50;
            Some(16)
        }
        _ => None,
    }
}

fn frame((protocol, to_all, has_options, payload): &Packet) -> Vec<u8> {
    let to = if *to_all { "ff02::1".parse().unwrap() } else { link_local() };
    let mac = if *to_all { [0x33, 0x33, 0, 0, 0, 1] } else { CHIP_MAC };
    let mut payload = payload.clone();
    if let Some(at) = made_likely(*protocol, &mut payload) {
        payload[at..at + 2].fill(0);
        let sum = checksum(peer(), to, *protocol, &payload);
        payload[at..at + 2].copy_from_slice(&sum);
    }
    let hop_limit = if *has_options { 64 } else { 255 };
    if *has_options {
        payload.splice(..0, [*protocol, 0, 5, 2, 0, 0, 1, 0]);
        return packet(mac, peer(), to, HOP_BY_HOP, hop_limit, &payload);
    }
    packet(mac, peer(), to, *protocol, hop_limit, &payload)
}

fn with_sockets() -> Bench {
    let mut bench = linked();
    for (n, mode, port) in [(0, TCP6, 80), (1, TCPD, 81), (2, UDP6, 4000), (3, UDPD, 4001)] {
        bench.open(n, mode, port);
        if matches!(mode, TCP6 | TCPD) {
            bench.command(n, command::LISTEN);
        }
    }
    bench.write(4, sn::PROTO, &[89]);
    bench.open(4, IPRAW6, 0);
    bench.pass(ms(1));
    bench.take_seen();
    bench
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_with_right_check_sums_leaves_the_chip_as_it_should_be(packets in packets()) {
        let mut bench = with_sockets();
        for one in &packets {
            bench.arrive(&frame(one));
            bench.pass(us(200));
            for sent in bench.take_seen() {
                prop_assert!((60..=1514).contains(&sent.bytes.len()));
                prop_assert_eq!(&sent.bytes[6..12], &CHIP_MAC);
            }
        }
        for n in 0..5 {
            prop_assert!(bench.u16(n, sn::RX_RSR) <= 2_048, "socket {}", n);
        }
        bench.arrive(&discovery::solicitation(peer(), link_local(), 255));
        bench.pass(us(50));
        let answers = bench.take_seen();
        prop_assert!(answers.iter().any(|sent| sent.bytes[54] == 136), "it still tells where it is");
    }
}
