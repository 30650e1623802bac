//! Neighbour discovery, routers, groups, and the commands without a socket that use them.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{ArpOperation, EthernetAddress, Icmpv6Packet, Icmpv6Repr, NdiscNeighborFlags, NdiscRepr};

use super::*;
use crate::support::{CHIP_IP, PEER_IP, TIMEOUT};

const ALL_NODES: &str = "ff02::1";
const HOP_LIMIT: u8 = 255;

pub(super) fn arp_request() -> Vec<u8> {
    crate::wire::arp(ArpOperation::Request, PEER_MAC, PEER_IP, CHIP_IP)
}

/// A packet of IPv6 as a frame.
pub(super) fn packet(
    to_mac: [u8; 6],
    from: Ipv6Addr,
    to: Ipv6Addr,
    protocol: u8,
    hop_limit: u8,
    payload: &[u8],
) -> Vec<u8> {
    let mut frame = [&to_mac[..], &PEER_MAC, &[0x86, 0xDD, 0x60, 0, 0, 0]].concat();
    frame.extend_from_slice(&(payload.len() as u16).to_be_bytes());
    frame.extend_from_slice(&[protocol, hop_limit]);
    frame.extend_from_slice(&from.octets());
    frame.extend_from_slice(&to.octets());
    frame.extend_from_slice(payload);
    frame.resize(frame.len().max(60), 0);
    frame
}

fn message(from: Ipv6Addr, to: Ipv6Addr, message: &Icmpv6Repr<'_>) -> Vec<u8> {
    let mut bytes = vec![0; message.buffer_len()];
    let caps = ChecksumCapabilities::default();
    message.emit(&from, &to, &mut Icmpv6Packet::new_unchecked(&mut bytes[..]), &caps);
    bytes
}

pub(super) fn solicitation(from: Ipv6Addr, target_addr: Ipv6Addr, hop_limit: u8) -> Vec<u8> {
    let [.., a, b, c] = target_addr.octets();
    let group: Ipv6Addr = Ipv6Addr::from(
        u128::from("ff02::1:ff00:0".parse::<Ipv6Addr>().unwrap())
            | u128::from(u32::from_be_bytes([0, a, b, c])),
    );
    let lladdr = (!from.is_unspecified()).then(|| EthernetAddress(PEER_MAC).into());
    let payload =
        message(from, group, &Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr, lladdr }));
    packet([0x33, 0x33, 0xFF, a, b, c], from, group, 58, hop_limit, &payload)
}

fn advertisement(target_addr: Ipv6Addr, to: Ipv6Addr) -> Vec<u8> {
    let flags = NdiscNeighborFlags::SOLICITED | NdiscNeighborFlags::OVERRIDE;
    let lladdr = Some(EthernetAddress(PEER_MAC).into());
    let advert = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr, lladdr });
    packet(CHIP_MAC, target_addr, to, 58, HOP_LIMIT, &message(target_addr, to, &advert))
}

/// A router's advertisement with a prefix, behind its hardware address or before it.
fn router(order_of_erratum: bool) -> Vec<u8> {
    let (from, to): (Ipv6Addr, Ipv6Addr) = ("fe80::1".parse().unwrap(), ALL_NODES.parse().unwrap());
    let source = [&[1, 1][..], &PEER_MAC].concat();
    let prefix = [
        &[3, 4, 64, 0xC0][..],
        &86_400u32.to_be_bytes(),
        &14_400u32.to_be_bytes(),
        &[0; 4],
        &"2001:db8:7::".parse::<Ipv6Addr>().unwrap().octets(),
    ]
    .concat();
    let options = if order_of_erratum { [source, prefix] } else { [prefix, source] }.concat();
    let mut bytes = [&[134, 0, 0, 0, 64, 0, 0x07, 0x08, 0, 0, 0, 0, 0, 0, 0, 0][..], &options].concat();
    Icmpv6Packet::new_unchecked(&mut bytes[..]).fill_checksum(&from, &to);
    packet([0x33, 0x33, 0, 0, 0, 1], from, to, 58, HOP_LIMIT, &bytes)
}

/// What was sent: kind of ICMPv6, from where, to where, hop limit.
fn sent(bench: &mut Bench) -> Vec<(u8, Ipv6Addr, Ipv6Addr, u8)> {
    bench.pass(us(50));
    let address = |bytes: &[u8]| Ipv6Addr::from(<[u8; 16]>::try_from(bytes).unwrap());
    let of = |frame: Vec<u8>| (frame[54], address(&frame[22..38]), address(&frame[38..54]), frame[21]);
    bench.take_seen().into_iter().map(|sent| of(sent.bytes)).collect()
}

#[test]
fn who_asks_for_an_own_address_is_told_the_hardware_address() {
    for own in [link_local(), global()] {
        let mut bench = linked();
        bench.arrive(&solicitation(peer(), own, HOP_LIMIT));
        let answer = bench.seen[0].bytes.clone();
        assert_eq!(sent(&mut bench), [(136, own, peer(), HOP_LIMIT)]);
        assert_eq!((&answer[..6], &answer[80..86]), (&PEER_MAC[..], &CHIP_MAC[..]));
        assert_eq!(answer[58] & 0xE0, 0x60, "solicited, and to be believed");
    }
}

#[test]
fn who_wants_an_own_address_for_itself_is_told_in_everybodys_hearing() {
    let mut bench = linked();
    bench.arrive(&solicitation(Ipv6Addr::UNSPECIFIED, global(), HOP_LIMIT));
    assert_eq!(sent(&mut bench), [(136, global(), ALL_NODES.parse().unwrap(), HOP_LIMIT)]);
}

#[test]
fn what_comes_from_beyond_the_link_or_is_for_others_is_not_answered() {
    let mut bench = linked();
    bench.arrive(&solicitation(peer(), global(), 64));
    bench.arrive(&solicitation(peer(), "2001:db8:7::9".parse().unwrap(), HOP_LIMIT));
    // ICMP6BLKR.NS.
    bench.common_write(common::ICMP6BLKR, &[0x01]);
    bench.arrive(&solicitation(peer(), global(), HOP_LIMIT));
    assert_eq!(sent(&mut bench), []);
}

#[test]
fn a_blocked_message_goes_to_a_raw_socket() {
    let mut bench = linked();
    bench.write(3, sn::PROTO, &[58]);
    bench.open(3, IPRAW6, 0);
    bench.arrive(&router(true));
    assert_eq!(bench.u16(3, sn::RX_RSR), 0);
    assert_eq!(bench.common_read(common::SLIR, 1), [0x01]);
    bench.common_write(common::SLIRCLR, &[0xFF]);
    // ICMP6BLKR.RA, as ioLibrary's address auto-configuration has it.
    bench.common_write(common::ICMP6BLKR, &[0x04]);
    bench.arrive(&router(true));
    assert_eq!(bench.u16(3, sn::RX_RSR), 18 + 16 + 8 + 32);
    assert_eq!(bench.common_read(common::SLIR, 1), [0]);
}

#[test]
fn an_unknown_neighbour_is_asked_for_nine_times() {
    let mut bench = linked();
    bench.open(1, UDP6, 4000);
    bench.own_write(1, own::DIP6R, &peer().octets());
    bench.send_with(1, b"x", SEND6);
    bench.pass(ms(1_801));
    let questions = sent(&mut bench);
    assert_eq!(questions.len(), 9);
    let group: Ipv6Addr = "ff02::1:ff00:1".parse().unwrap();
    assert_eq!(questions[8], (135, global(), group, HOP_LIMIT));
    assert_eq!((bench.u8(1, sn::IR), bench.u8(1, sn::SR)), (TIMEOUT, 0x22));
}

#[test]
fn beyond_the_prefix_the_router_is_asked() {
    let mut bench = linked();
    let far: Ipv6Addr = "2001:db8:8::5".parse().unwrap();
    bench.common_write(common::GA6R, &"fe80::77".parse::<Ipv6Addr>().unwrap().octets());
    bench.open(1, UDP6, 4000);
    bench.own_write(1, own::DIP6R, &far.octets());
    bench.send_with(1, b"x", SEND6);
    let asked = sent(&mut bench);
    assert_eq!(asked, [(135, link_local(), "ff02::1:ff00:77".parse().unwrap(), HOP_LIMIT)]);
    bench.arrive(&advertisement("fe80::77".parse().unwrap(), link_local()));
    let datagram = bench.take_seen().pop().expect("the datagram follows").bytes;
    assert_eq!((&datagram[..6], &datagram[22..38]), (&PEER_MAC[..], &global().octets()[..]));
    assert_eq!(datagram[38..54], far.octets());
}

#[test]
fn a_driver_prefers_one_of_the_own_addresses() {
    for (preference, destination, expected) in [
        (0, "2001:db8:7::1", global()),
        (0, "fe80::1", link_local()),
        (2, "2001:db8:7::1", link_local()),
        (3, "fe80::1", global()),
    ] {
        let mut bench = linked();
        let destination: Ipv6Addr = destination.parse().unwrap();
        bench.own_write(1, own::PSR, &[preference]);
        bench.open(1, UDP6, 4000);
        bench.own_write(1, own::DIP6R, &destination.octets());
        bench.send_with(1, b"x", SEND6);
        bench.take_seen();
        bench.arrive(&advertisement(destination, expected));
        let datagram = bench.take_seen().pop().expect("the datagram follows").bytes;
        assert_eq!(datagram[22..38], expected.octets(), "{preference} {destination}");
    }
}

#[test]
fn a_ping_and_a_question_need_no_socket() {
    // SLCR.PING6 and SLCR.ARP6.
    for command in [0x08, 0x10] {
        let mut bench = with_peer();
        bench.common_write(common::SLDIP6R, &peer().octets());
        bench.common_write(common::SLCR, &[command]);
        assert_eq!(bench.common_read(common::SLCR, 1), [0]);
        bench.pass(ms(5));
        assert_eq!(bench.common_read(common::SLIR, 1), [command]);
        assert_eq!(bench.common_read(common::SLDHAR, 6), PEER_MAC);
        bench.common_write(common::SLIRCLR, &[command]);
        assert_eq!(bench.common_read(common::SLIR, 1), [0]);
    }
    // SLCR.PING4.
    let mut bench = with_peer();
    bench.common_write(0x418C, &PEER_IP);
    bench.common_write(common::SLCR, &[0x20]);
    bench.pass(ms(5));
    assert_eq!(bench.common_read(common::SLIR, 1), [0x20]);
    // Nobody: TOUT after SLRTR, as SLRCR is 0 after a reset.
    bench.common_write(common::SLIRCLR, &[0xFF]);
    bench.common_write(0x418C, &[192, 168, 7, 77]);
    bench.common_write(common::SLCR, &[0x40]);
    bench.pass(ms(201));
    assert_eq!(bench.common_read(common::SLIR, 1), [0x80]);
}

#[test]
fn an_address_that_somebody_has_is_found_out_before_it_is_taken() {
    let wanted: Ipv6Addr = "2001:db8:7::50".parse().unwrap();
    let mut bench = linked();
    bench.common_write(common::SLDIP6R, &wanted.octets());
    bench.common_write(common::SLCR, &[0x04]);
    let group: Ipv6Addr = "ff02::1:ff00:50".parse().unwrap();
    assert_eq!(sent(&mut bench), [(135, Ipv6Addr::UNSPECIFIED, group, HOP_LIMIT)]);
    bench.arrive(&advertisement(wanted, ALL_NODES.parse().unwrap()));
    assert_eq!(bench.common_read(common::SLIR, 1), [0x04]);
    bench.common_write(common::SLIRCLR, &[0xFF]);
    bench.common_write(common::SLRCR, &[1]);
    bench.common_write(common::SLCR, &[0x04]);
    bench.pass(ms(401));
    assert_eq!(bench.common_read(common::SLIR, 1), [0x80], "nobody has it");
    assert_eq!(sent(&mut bench).len(), 2);
}

#[test]
fn a_router_that_is_asked_tells_its_prefix_where_the_order_of_its_options_is_that_of_the_erratum() {
    for (order_of_erratum, length) in [(true, 64), (false, 0)] {
        let mut bench = linked();
        bench.common_write(common::SLCR, &[0x02]);
        let routers: Ipv6Addr = "ff02::2".parse().unwrap();
        assert_eq!(sent(&mut bench), [(133, link_local(), routers, HOP_LIMIT)]);
        bench.arrive(&router(order_of_erratum));
        assert_eq!(bench.common_read(common::SLIR, 1), [0x02]);
        assert_eq!(bench.common_read(common::PLR, 1), [length]);
        if order_of_erratum {
            assert_eq!(bench.common_read(0x41D4, 1), [0xC0]);
            assert_eq!(bench.common_read(0x41D8, 4), 86_400u32.to_be_bytes());
            assert_eq!(bench.common_read(0x41DC, 4), 14_400u32.to_be_bytes());
            let prefix: Ipv6Addr = "2001:db8:7::".parse().unwrap();
            assert_eq!(bench.common_read(common::PAR, 16), prefix.octets());
        }
    }
}

#[test]
fn an_unasked_advertisement_names_the_address_that_is_preferred() {
    for (preference, own) in [(0, link_local()), (3, global())] {
        let mut bench = linked();
        bench.common_write(common::SLPSR, &[preference]);
        bench.common_write(common::SLCR, &[0x01]);
        assert_eq!(sent(&mut bench), [(136, own, ALL_NODES.parse().unwrap(), HOP_LIMIT)]);
    }
}

#[test]
fn an_unasked_advertisement_has_no_answer_and_ends_with_a_timeout() {
    // WIZnet's wizchip_unsolicited() waits for SLIR, and takes TOUT for success (io6Library 7146c1c, wizchip_conf.h).
    let mut bench = linked();
    bench.common_write(common::SLRCR, &[1]);
    bench.common_write(common::SLCR, &[0x01]);
    bench.pass(ms(399));
    assert_eq!(bench.common_read(common::SLIR, 1), [0]);
    bench.pass(ms(2));
    assert_eq!(bench.common_read(common::SLIR, 1), [0x80]);
    assert_eq!(sent(&mut bench).len(), 2);
}

#[test]
fn a_group_is_joined_on_open_and_left_on_close() {
    let group: Ipv6Addr = "ff05::1:3".parse().unwrap();
    let mut bench = linked();
    bench.own_write(1, own::DIP6R, &group.octets());
    bench.write(1, sn::DHAR, &[0x33, 0x33, 0, 1, 0, 3]);
    bench.open(1, UDP6 | 0x80, 3000);
    bench.command(1, command::CLOSE);
    bench.pass(us(50));
    let frames = bench.take_seen();
    // Behind hop-by-hop options with a router alert (RFC 2710 section 3).
    let kinds: Vec<(u8, u8)> = frames.iter().map(|sent| (sent.bytes[20], sent.bytes[62])).collect();
    assert_eq!(kinds, [(0, 131), (0, 132)]);
    assert_eq!(frames[0].bytes[..6], [0x33, 0x33, 0, 1, 0, 3]);
    assert_eq!(frames[0].bytes[70..86], group.octets());
    assert_eq!(frames[1].bytes[38..54], "ff02::2".parse::<Ipv6Addr>().unwrap().octets());
}
