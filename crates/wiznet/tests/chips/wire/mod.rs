//! What the chips put on the wire and take from it: ARP and its time-outs, frame timing, MACRAW and its filters, IPRAW, what is
//! dropped.

mod latches;
mod mac_filter;

use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol, Ipv4Address,
};
use units::Picoseconds;
use wiznet::{Duplex, LinkPartner, Model, Speed};

use crate::support::{
    Bench, CHIP_IP, CHIP_MAC, MODELS, PEER_IP, PEER_MAC, SENDOK, TIMEOUT, command, frame_time, ms, sn, us,
};

const TCP: u8 = 0x01;
const UDP: u8 = 0x02;
const IPRAW: u8 = 0x03;
const MACRAW: u8 = 0x04;

pub(crate) fn arp(operation: ArpOperation, from: [u8; 6], from_ip: [u8; 4], to_ip: [u8; 4]) -> Vec<u8> {
    let mut frame = vec![0; 60];
    frame[..6].fill(0xFF);
    frame[6..12].copy_from_slice(&from);
    frame[12..14].copy_from_slice(&[0x08, 0x06]);
    let repr = ArpRepr::EthernetIpv4 {
        operation,
        source_hardware_addr: EthernetAddress(from),
        source_protocol_addr: Ipv4Address::from(from_ip),
        target_hardware_addr: EthernetAddress([0; 6]),
        target_protocol_addr: Ipv4Address::from(to_ip),
    };
    repr.emit(&mut ArpPacket::new_unchecked(&mut frame[14..]));
    frame
}

fn is_request_for(frame: &[u8], address: [u8; 4]) -> bool {
    let frame = EthernetFrame::new_checked(frame).expect("it is a frame");
    if frame.ethertype() != EthernetProtocol::Arp {
        return false;
    }
    let packet = ArpPacket::new_checked(frame.payload()).expect("it is whole");
    let ArpRepr::EthernetIpv4 { operation, target_protocol_addr, .. } =
        ArpRepr::parse(&packet).expect("it is right")
    else {
        return false;
    };
    operation == ArpOperation::Request && target_protocol_addr.octets() == address
}

fn send_datagram(bench: &mut Bench, to: [u8; 4]) {
    bench.open(1, UDP, 4000);
    bench.write(1, sn::DIPR, &to);
    bench.write(1, sn::DPORT, &[0, 7]);
    bench.send(1, b"x");
}

#[test]
fn an_unknown_host_is_asked_for_nine_times_in_one_point_eight_seconds() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        send_datagram(&mut bench, PEER_IP);
        let start = bench.seen[0].start;
        bench.chip.advance(start + Picoseconds::new(1_799_999 * units::PS_PER_US));
        let mut before = bench.chip.clone();
        bench.now = start + Picoseconds::new(1_800_001 * units::PS_PER_US);
        before.advance(start + Picoseconds::new(1_799_999 * units::PS_PER_US));
        bench.pass(us(1));
        assert_eq!(bench.seen.len(), 9, "{model:?}");
        assert!(bench.seen.iter().all(|sent| is_request_for(&sent.bytes, PEER_IP)));
        for pair in bench.seen.windows(2) {
            assert_eq!(pair[1].start - pair[0].start, ms(200));
        }
        assert_eq!(bench.u8(1, sn::IR), TIMEOUT, "{model:?}");
        assert_eq!(bench.u8(1, sn::SR), 0x22);
    }
}

#[test]
fn a_connect_without_link_times_out_and_closes_in_the_same_instant() {
    for model in MODELS {
        let mut bench = Bench::bare(model);
        bench.unlock();
        bench.common_write(0x0005, &[255, 255, 255, 0]);
        bench.common_write(0x000F, &CHIP_IP);
        bench.open(0, TCP, 4001);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &[0, 80]);
        bench.write(0, sn::CR, &[command::CONNECT]);
        let connected = bench.now;
        bench.pass(us(10));
        let shown = latches::while_arp_runs(model, 0x15);
        assert_eq!(bench.u8(0, sn::SR), shown, "{model:?}");
        bench.pass(connected + Picoseconds::new(1_799_000 * units::PS_PER_US) - bench.now);
        assert_eq!((bench.u8(0, sn::IR), bench.u8(0, sn::SR)), (0, shown), "{model:?}");
        bench.pass(ms(2));
        assert_eq!((bench.u8(0, sn::IR), bench.u8(0, sn::SR)), (TIMEOUT, 0), "{model:?}");
        assert!(bench.seen.is_empty(), "{model:?} sent without a link");
    }
}

#[test]
fn which_error_a_driver_sees_depends_on_when_it_reads() {
    // ioLibrary's connect() reads SR, IR, SR in turn. At 1.8 s TIMEOUT and CLOSED appear together: before the read of IR it
    // finds TIMEOUT (-13), between IR and the second SR it finds CLOSED without a reason (-4).
    let error_when = |first_read: Picoseconds, gap: Picoseconds| {
        let mut bench = Bench::bare(Model::W5500);
        bench.open(0, TCP, 4001);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::CR, &[command::CONNECT]);
        bench.now = bench.now + first_read;
        loop {
            bench.u8(0, sn::SR);
            bench.now = bench.now + gap;
            if bench.u8(0, sn::IR) & TIMEOUT != 0 {
                return -13;
            }
            bench.now = bench.now + gap;
            if bench.u8(0, sn::SR) == 0 {
                return -4;
            }
            bench.now = bench.now + gap;
        }
    };
    let outcomes: Vec<i32> = (0..30).map(|n| error_when(us(100 * n), us(1_000))).collect();
    let fours = outcomes.iter().filter(|&&error| error == -4).count();
    assert!((8..=12).contains(&fours), "{fours} of 30 were -4");
    assert!(outcomes.contains(&-13));
}

#[test]
fn a_host_beyond_the_subnet_is_reached_through_the_gateway() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        send_datagram(&mut bench, [8, 8, 8, 8]);
        bench.pass(us(20));
        assert!(is_request_for(&bench.seen[0].bytes, PEER_IP), "{model:?}");
        bench.take_seen();
        bench.arrive(&arp(ArpOperation::Reply, PEER_MAC, PEER_IP, CHIP_IP));
        assert_eq!(bench.seen[0].bytes[..6], PEER_MAC);
        assert_eq!(bench.seen[0].bytes[30..34], [8, 8, 8, 8]);
    }
}

#[test]
fn a_known_host_is_not_asked_for_again_unless_arp_is_forced() {
    let mut bench = Bench::linked(Model::W5500);
    send_datagram(&mut bench, PEER_IP);
    bench.arrive(&arp(ArpOperation::Reply, PEER_MAC, PEER_IP, CHIP_IP));
    bench.take_seen();
    bench.send(1, b"y");
    bench.pass(us(20));
    assert_eq!(bench.take_seen().len(), 1);
    bench.common_write(0, &[0x02]);
    bench.send(1, b"z");
    bench.pass(us(20));
    assert!(is_request_for(&bench.seen[0].bytes, PEER_IP));
}

#[test]
fn another_owner_of_the_address_is_a_conflict() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        let conflict = if model == Model::W6100 { 0x04 } else { 0x80 };
        bench.arrive(&arp(ArpOperation::Request, PEER_MAC, CHIP_IP, PEER_IP));
        assert_eq!(bench.common_read(0x15, 1)[0] & conflict, conflict, "{model:?}");
        bench.common_write(0x15, &[conflict]);
        assert_eq!(bench.common_read(0x15, 1)[0] & conflict, 0);
        bench.arrive(&arp(ArpOperation::Request, CHIP_MAC, CHIP_IP, PEER_IP));
        assert_eq!(bench.common_read(0x15, 1)[0] & conflict, 0);
    }
}

#[test]
fn without_an_address_the_chip_keeps_silent() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.common_write(0x0F, &[0; 4]);
        bench.arrive(&arp(ArpOperation::Request, PEER_MAC, PEER_IP, CHIP_IP));
        bench.arrive(&arp(ArpOperation::Request, PEER_MAC, PEER_IP, [0; 4]));
        assert!(bench.seen.is_empty(), "{model:?}");
    }
}

#[test]
fn a_short_frame_takes_five_point_seven_six_microseconds() {
    for (speed, expected_ns) in [(Speed::Mbps100, 5_760), (Speed::Mbps10, 57_600)] {
        let mut bench = Bench::linked(Model::W5500);
        bench.chip.set_cable(bench.now, Some(LinkPartner { speed, duplex: Duplex::Full }));
        bench.open(0, MACRAW, 0);
        bench.send(0, &[0x11; 42]);
        let sent = bench.take_seen();
        assert_eq!(sent[0].bytes.len(), 60);
        assert_eq!(&sent[0].bytes[..42], &[0x11; 42]);
        let mut chip = bench.chip.clone();
        // 8 + 60 + 4 bytes.
        let end = sent[0].start + Picoseconds::from_ns(expected_ns);
        assert!(bench.now < end);
        chip.advance(end - Picoseconds::new(1));
        assert_eq!(chip.next_event(), Some(end));
        bench.now = end;
        assert_eq!(bench.u8(0, sn::IR), SENDOK);
    }
}

#[test]
fn frames_keep_their_gap() {
    let mut bench = Bench::linked(Model::W5500);
    bench.chip.set_cable(bench.now, Some(LinkPartner { speed: Speed::Mbps10, duplex: Duplex::Full }));
    for n in 0..5 {
        let from = [2, 0, 0, 0, 1, n];
        bench.chip.receive(
            bench.now,
            &arp(ArpOperation::Request, from, [192, 168, 7, 50 + n], CHIP_IP),
            true,
        );
    }
    bench.pass(ms(2));
    let sent = bench.take_seen();
    assert_eq!(sent.len(), 5);
    for pair in sent.windows(2) {
        // 72 + 12 bytes at 10 Mbit/s.
        assert_eq!(pair[1].start - pair[0].start, Picoseconds::from_ns(67_200));
    }
}

fn plain(to: [u8; 6], ethertype: u16, bytes: usize) -> Vec<u8> {
    let mut frame = vec![0x33; bytes];
    frame[..6].copy_from_slice(&to);
    frame[12..14].copy_from_slice(&ethertype.to_be_bytes());
    frame
}

#[test]
fn macraw_counts_its_length_into_the_length() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(0, MACRAW, 0);
        assert_eq!(bench.u8(0, sn::SR), 0x42);
        let frame = plain([2, 9, 9, 9, 9, 9], 0x88B5, 100);
        bench.arrive(&frame);
        assert_eq!(bench.u16(0, sn::RX_RSR), 102, "{model:?}");
        assert_eq!(bench.take(0, 102), [&[0, 102], &frame[..]].concat());
    }
}

#[test]
fn macraw_filters_as_its_mode_says() {
    let stranger = plain([2, 9, 9, 9, 9, 9], 0x88B5, 60);
    let own = plain(CHIP_MAC, 0x88B5, 60);
    let all = plain([0xFF; 6], 0x88B5, 60);
    let many = plain([0x33, 0x33, 0, 0, 0, 1], 0x86DD, 60);
    let frames = [stranger, own, all, many];
    let seen = |model, mode, mode2: Option<u8>| {
        let mut bench = Bench::linked(model);
        if let Some(mode2) = mode2 {
            bench.write(0, 0x2F, &[mode2]);
        }
        bench.open(0, mode, 0);
        let mut seen = String::new();
        for (frame, name) in frames.iter().zip(["s", "o", "a", "m"]) {
            bench.arrive(frame);
            if bench.u16(0, sn::RX_RSR) != 0 {
                seen.push_str(name);
                bench.take(0, 62);
            }
        }
        seen
    };
    assert_eq!(seen(Model::W5500, MACRAW, None), "soam");
    assert_eq!(seen(Model::W5500, MACRAW | 0x80, None), "oam");
    assert_eq!(seen(Model::W5500, MACRAW | 0x80 | 0x40, None), "om");
    assert_eq!(seen(Model::W5500, MACRAW | 0x20, None), "soa");
    assert_eq!(seen(Model::W5500, MACRAW | 0x80 | 0x20, None), "oam");
    assert_eq!(seen(Model::W5500, MACRAW | 0x10, None), "soa");
    // As on the W5500, but that multicast of IPv6 has a bit of its own, and neither counts without the MAC filter.
    assert_eq!(seen(Model::W6100, MACRAW, None), "soam");
    assert_eq!(seen(Model::W6100, MACRAW | 0x80, None), "oam");
    assert_eq!(seen(Model::W6100, MACRAW | 0x80 | 0x40, None), "om");
    assert_eq!(seen(Model::W6100, MACRAW | 0x80 | 0x20, None), "oam");
    assert_eq!(seen(Model::W6100, MACRAW | 0x80 | 0x10, None), "oa");
    assert_eq!(seen(Model::W6100, MACRAW | 0x10, None), "soam");
    assert_eq!(seen(Model::W5100, MACRAW | 0x40, None), "oa");
    assert_eq!(seen(Model::W5200, MACRAW | 0x40, None), "oa");
    assert_eq!(seen(Model::W5100S, MACRAW | 0x40, Some(0x60)), "o");
}

#[test]
fn a_filter_that_keeps_those_from_the_driver_who_ask_for_its_address_is_told_once() {
    const BLOCKS_BROADCAST: u8 = 0x40;
    const BLOCKS_MULTICAST: u8 = 0x20;
    let arp = plain([0xFF; 6], 0x0806, 60);
    let mut solicitation = plain([0x33, 0x33, 0xFF, 0, 0, 1], 0x86DD, 14 + 40 + 24);
    // Version 6; 24 bytes of ICMPv6 (58) follow, of type 135 (RFC 4861, 4.3).
    solicitation[14..22].copy_from_slice(&[0x60, 0, 0, 0, 0, 24, 58, 255]);
    solicitation[54] = 135;
    let mut advertisement = solicitation.clone();
    advertisement[54] = 136;
    let told = |mode: u8, frames: &[&Vec<u8>]| {
        let mut bench = Bench::linked(Model::W5500);
        bench.open(0, MACRAW | mode, 0);
        frames.iter().for_each(|frame| bench.arrive(frame));
        let sentences: Vec<String> =
            bench.chip.take_warnings().into_iter().map(|told| told.sentence).collect();
        sentences
    };
    let of_arp = told(BLOCKS_BROADCAST, &[&arp, &arp]);
    assert!(of_arp.len() == 1 && of_arp[0].contains("keeps ARP requests from the driver"), "{of_arp:?}");
    let of_ipv6 = told(BLOCKS_MULTICAST, &[&solicitation]);
    assert!(of_ipv6[0].contains("keeps IPv6 neighbour solicitations from the driver"), "{of_ipv6:?}");
    assert!(told(BLOCKS_MULTICAST, &[&advertisement, &arp]).is_empty());
    assert!(told(0, &[&arp, &solicitation]).is_empty());
}

#[test]
fn frames_that_are_no_frames_are_dropped_and_counted() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, MACRAW, 0);
    bench.chip.receive(bench.now, &plain(CHIP_MAC, 0x88B5, 60), false);
    bench.chip.receive(bench.now, &plain(CHIP_MAC, 0x88B5, 59), true);
    bench.chip.receive(bench.now, &plain(CHIP_MAC, 0x88B5, 1515), true);
    bench.pass(us(10));
    assert_eq!(bench.u16(0, sn::RX_RSR), 0);
    let dropped = bench.chip.dropped();
    assert_eq!((dropped.wrong_check_sequence, dropped.wrong_length), (1, 2));
    bench.arrive(&plain(CHIP_MAC, 0x88B5, 1514));
    assert_eq!(bench.u16(0, sn::RX_RSR), 1516);
}

#[test]
fn a_full_buffer_drops_whole_frames() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, MACRAW, 0);
    bench.arrive(&plain(CHIP_MAC, 0x88B5, 1514));
    bench.arrive(&plain(CHIP_MAC, 0x88B5, 1514));
    bench.arrive(&plain(CHIP_MAC, 0x88B5, 60));
    assert_eq!(bench.u16(0, sn::RX_RSR), 1516 + 62);
}

#[test]
fn ipraw_gives_address_and_length_before_the_payload() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.write(3, sn::PROTO, &[89]);
        bench.open(3, IPRAW, 0);
        assert_eq!(bench.u8(3, sn::SR), 0x32, "{model:?}");
        let mut frame = plain(CHIP_MAC, 0x0800, 60);
        frame[14..34]
            .copy_from_slice(&[0x45, 0, 0, 25, 0, 0, 0, 0, 64, 89, 0, 0, 192, 168, 7, 1, 192, 168, 7, 2]);
        smoltcp::wire::Ipv4Packet::new_unchecked(&mut frame[14..]).fill_checksum();
        bench.arrive(&frame);
        assert_eq!(bench.u16(3, sn::RX_RSR), 11, "{model:?}");
        let info = bench.packet_info(PEER_IP, None, 5);
        assert_eq!(bench.take(3, 11), [&info[..], &[0x33; 5]].concat());
        bench.write(3, sn::DIPR, &PEER_IP);
        bench.write(3, sn::DHAR, &PEER_MAC);
        bench.send_with(3, b"hello", command::SEND_MAC);
        bench.pass(us(20));
        let sent = bench.take_seen();
        assert_eq!((sent[0].bytes[23], &sent[0].bytes[34..39]), (89, &b"hello"[..]));
    }
}

#[test]
fn a_fragment_is_not_put_together() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(1, UDP, 0x3333);
    let mut frame = plain(CHIP_MAC, 0x0800, 60);
    frame[14..34]
        .copy_from_slice(&[0x45, 0, 0, 46, 0, 0, 0x20, 0, 64, 17, 0, 0, 192, 168, 7, 1, 192, 168, 7, 2]);
    smoltcp::wire::Ipv4Packet::new_unchecked(&mut frame[14..]).fill_checksum();
    bench.arrive(&frame);
    assert_eq!(bench.u16(1, sn::RX_RSR), 0);
    assert_eq!(bench.chip.dropped().fragments, 1);
}

#[test]
fn a_w5100s_pings_without_a_socket() {
    let mut bench = Bench::with_peer(Model::W5100S);
    bench.common_write(0x50, &PEER_IP);
    bench.common_write(0x5A, &[0, 1, 0, 9]);
    bench.common_write(0x4C, &[0x01]);
    bench.pass(ms(5));
    assert_eq!(bench.common_read(0x5F, 1), [0x01]);
    assert_eq!(bench.common_read(0x54, 6), PEER_MAC);
    bench.common_write(0x5F, &[0x01]);
    bench.common_write(0x50, &[192, 168, 7, 77]);
    bench.common_write(0x4C, &[0x02]);
    bench.pass(ms(1_810));
    assert_eq!(bench.common_read(0x5F, 1), [0x04]);
}

#[test]
fn a_datagram_that_is_too_long_for_a_frame_is_divided() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(1, UDP, 4000);
    bench.write(1, sn::DIPR, &[255; 4]);
    bench.send(1, &[0x77; 2000]);
    let before = bench.now;
    assert!(bench.wait(ms(1), |bench| bench.u8(1, sn::IR) & SENDOK != 0));
    let sent = bench.take_seen();
    assert_eq!(sent.iter().map(|sent| sent.bytes.len()).collect::<Vec<_>>(), [1514, 42 + 528]);
    assert!(sent.iter().all(|sent| sent.bytes[..6] == [0xFF; 6]));
    assert_eq!(sent[1].start - sent[0].start, frame_time(&sent[0].bytes) + Picoseconds::from_ns(960));
    assert!(bench.now >= before);
    assert_eq!(bench.u16(1, sn::TX_FSR), 2048);
    assert_eq!(bench.u16(1, sn::TX_RD), 2000);
}

#[test]
fn a_group_is_joined_on_open_and_left_on_close() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.write(1, sn::DIPR, &[224, 1, 1, 11]);
        bench.write(1, sn::DHAR, &[1, 0, 0x5E, 1, 1, 11]);
        bench.open(1, UDP | 0x80, 3000);
        bench.command(1, command::CLOSE);
        bench.pass(us(50));
        let kinds: Vec<u8> = bench.seen.iter().map(|sent| sent.bytes[34]).collect();
        assert_eq!(kinds, [0x16, 0x17], "{model:?}: report and leave of RFC 2236");
        assert_eq!(bench.seen[0].bytes[..6], [1, 0, 0x5E, 1, 1, 11]);
    }
}

#[test]
fn a_send_while_another_is_on_the_wire_follows_it() {
    let mut bench = Bench::linked(Model::W5500);
    bench.chip.set_cable(bench.now, Some(LinkPartner { speed: Speed::Mbps10, duplex: Duplex::Full }));
    bench.open(0, MACRAW, 0);
    bench.send(0, &[1; 900]);
    bench.send(0, &[2; 900]);
    assert_eq!((bench.u16(0, sn::TX_FSR), bench.u8(0, sn::IR)), (2048 - 1800, 0));
    bench.pass(ms(1));
    assert_eq!((bench.u16(0, sn::TX_FSR), bench.u8(0, sn::IR)), (2048 - 900, SENDOK));
    bench.pass(ms(1));
    assert_eq!(bench.u16(0, sn::TX_FSR), 2048);
    let sent = bench.take_seen();
    assert_eq!(sent.iter().map(|sent| sent.bytes[0]).collect::<Vec<_>>(), [1, 2]);
}
