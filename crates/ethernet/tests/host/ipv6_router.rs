//! The PC as a router over IPv6: what it tells who asks, as smoltcp reads it, and whom it does not answer.

use std::net::Ipv6Addr;

use ethernet::{Frame, Host, HostOptions, Station};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, Icmpv6Packet, Icmpv6Repr, IpProtocol, Ipv6Packet, Ipv6Repr, NdiscPrefixInfoFlags,
    NdiscRepr, RawHardwareAddress,
};

use crate::common::{LEFT_MAC, RIGHT_MAC, ms, options, recorded_of};

const ROUTERS: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 2);
const NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
const ASKER: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 2);
const ROUTER: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 1);
const OWN: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 7, 0, 0, 0, 0, 1);
const HEADERS_BYTES: usize = 14 + 40;

fn router() -> HostOptions {
    HostOptions { ipv6: Some((OWN, 64)), ipv6_router: true, ..options(true) }
}

/// A solicitation as a frame.
fn solicitation(from: Ipv6Addr, lladdr: Option<[u8; 6]>, hop_limit: u8) -> Vec<u8> {
    let lladdr = lladdr.map(|mac| RawHardwareAddress::from(EthernetAddress(mac)));
    frame((from, ROUTERS), hop_limit, NdiscRepr::RouterSolicit { lladdr })
}

fn frame((from, group): (Ipv6Addr, Ipv6Addr), hop_limit: u8, message: NdiscRepr<'_>) -> Vec<u8> {
    let message = Icmpv6Repr::Ndisc(message);
    let mut frame = vec![0; HEADERS_BYTES + message.buffer_len()];
    let [.., a, b, c, d] = group.octets();
    frame[..14].copy_from_slice(&[&[0x33, 0x33, a, b, c, d][..], &RIGHT_MAC, &[0x86, 0xDD]].concat());
    let header = Ipv6Repr {
        src_addr: from,
        dst_addr: group,
        next_header: IpProtocol::Icmpv6,
        payload_len: message.buffer_len(),
        hop_limit,
    };
    header.emit(&mut Ipv6Packet::new_unchecked(&mut frame[14..]));
    let mut packet = Icmpv6Packet::new_unchecked(&mut frame[HEADERS_BYTES..]);
    message.emit(&from, &group, &mut packet, &ChecksumCapabilities::default());
    frame
}

fn answers(options: HostOptions, frame: Vec<u8>) -> Vec<Vec<u8>> {
    let mut host = Host::new(options).expect("a PC");
    host.receive(ms(1), &Frame::new(frame));
    host.advance(ms(1_000));
    std::iter::from_fn(|| host.take_frame()).map(|frame| frame.bytes).collect()
}

#[test]
fn who_asks_is_told_the_prefix_the_router_and_a_dns_server() {
    for (from, mac) in [(ASKER, Some(RIGHT_MAC)), (ASKER, None), (Ipv6Addr::UNSPECIFIED, None)] {
        let answers = answers(router(), solicitation(from, mac, 255));
        let [frame] = &answers[..] else { panic!("one answer, not {}", answers.len()) };
        assert_eq!(frame[..12], [&[0x33, 0x33, 0, 0, 0, 1][..], &LEFT_MAC].concat());
        let packet = Ipv6Packet::new_checked(&frame[14..]).expect("a packet");
        assert_eq!((packet.src_addr(), packet.dst_addr(), packet.hop_limit()), (ROUTER, NODES, 255));
        let message = Icmpv6Packet::new_checked(packet.payload()).expect("a message");
        let caps = ChecksumCapabilities::default();
        let Ok(Icmpv6Repr::Ndisc(NdiscRepr::RouterAdvert {
            router_lifetime,
            lladdr,
            prefix_info: Some(prefix),
            ..
        })) = Icmpv6Repr::parse(&ROUTER, &NODES, &message, &caps)
        else {
            panic!("an advertisement with a prefix")
        };
        assert_eq!(router_lifetime.total_millis(), 1_800_000);
        assert_eq!(lladdr.map(|mac| mac.as_bytes().to_vec()), Some(LEFT_MAC.to_vec()));
        assert_eq!((prefix.prefix, prefix.prefix_len), ("2001:db8:7::".parse().unwrap(), 64));
        assert_eq!(prefix.flags, NdiscPrefixInfoFlags::ON_LINK | NdiscPrefixInfoFlags::ADDRCONF);
        assert!(prefix.preferred_lifetime < prefix.valid_lifetime);
        // RFC 8106 section 5.1: kind, units, two bytes of zero, lifetime, address.
        let dns_server = [&[25, 3, 0, 0, 0, 0, 0x07, 0x08][..], &OWN.octets()].concat();
        assert!(packet.payload().ends_with(&dns_server));
    }
}

#[test]
fn hosts_are_told_what_to_ask_a_dhcp_server_for() {
    use ethernet::AddressConfiguration::{Slaac, StatefulDhcp, StatelessDhcp};
    // RFC 4861 section 4.2: M and O. The DNS server is told where nobody is to be asked for it.
    for (ipv6_configuration, flags, forms_address, tells_server) in
        [(Slaac, 0, true, true), (StatelessDhcp, 0x40, true, false), (StatefulDhcp, 0xC0, false, false)]
    {
        let pc = HostOptions { ipv6_configuration, ..router() };
        let answer = answers(pc, solicitation(ASKER, None, 255)).pop().expect("an advertisement");
        let message = &answer[HEADERS_BYTES..];
        assert_eq!(message[5], flags, "{ipv6_configuration:?}");
        // Behind 16 bytes and 8 of the router's address stands the prefix, the fourth byte of which has its flags.
        assert_eq!((message[24], message[27] & 0x40 != 0), (3, forms_address), "{ipv6_configuration:?}");
        assert_eq!(message.len() > 24 + 32, tells_server, "{ipv6_configuration:?}");
    }
}

#[test]
fn who_asks_where_the_router_is_is_told_that_it_is_one() {
    const ROUTER_FLAG: u8 = 0x80;
    let lladdr = Some(RawHardwareAddress::from(EthernetAddress(RIGHT_MAC)));
    let group = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 1, 0xFF00, 1);
    let question = || frame((ASKER, group), 255, NdiscRepr::NeighborSolicit { target_addr: ROUTER, lladdr });
    for (pc, flag) in [(router(), ROUTER_FLAG), (options(true), 0)] {
        let answer = answers(pc, question()).pop().expect("an advertisement");
        assert_eq!((answer[HEADERS_BYTES], answer[HEADERS_BYTES + 4] & ROUTER_FLAG), (136, flag));
    }
}

#[test]
fn what_is_unsound_or_asked_of_no_router_is_not_answered() {
    let none: [Vec<u8>; 0] = [];
    assert_eq!(answers(options(true), solicitation(ASKER, None, 255)), none, "a PC that is no router");
    assert_eq!(answers(router(), solicitation(ASKER, None, 64)), none, "from beyond the link");
    let nobody = solicitation(Ipv6Addr::UNSPECIFIED, Some(RIGHT_MAC), 255);
    assert_eq!(answers(router(), nobody), none, "from nobody, with an address of hardware");
    let mut broken = solicitation(ASKER, Some(RIGHT_MAC), 255);
    broken[HEADERS_BYTES + 9] = 0;
    assert_eq!(answers(router(), broken), none, "with a check sum that does not fit");
}

#[test]
#[ignore = "takes some seconds of real time, and root"]
fn this_kernel_forms_an_address_and_a_route_of_what_it_is_told() {
    let answer = answers(router(), solicitation(ASKER, None, 255)).pop().expect("an advertisement");
    let digits: String = answer.iter().map(|byte| format!("{byte:02x}")).collect();
    let Some(formed) = recorded_of("kernel_ipv6/addresses.py", &[&digits]) else { return };
    assert!(
        formed.contains("inet6 2001:db8:7:0:") && formed.contains("/64 scope global dynamic"),
        "{formed}"
    );
    assert!(formed.contains(&format!("default via {ROUTER} proto ra")), "{formed}");
}
