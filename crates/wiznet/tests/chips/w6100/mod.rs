//! The W6100's own: registers as ioLibrary's header gives them, locks, PHY, and IPv6 against a smoltcp interface.

mod discovery;
mod garbage;
mod sockets;

use std::net::Ipv6Addr;

use smoltcp::socket::tcp;
use wiznet::{Duplex, LinkPartner, Model, Speed};

use crate::support::{Bench, CHIP_MAC, PEER_IP, PEER_MAC, command, ms, sn, us};

pub(crate) const TCP: u8 = 0x01;
pub(crate) const UDP: u8 = 0x02;
pub(crate) const TCP6: u8 = 0x09;
pub(crate) const UDP6: u8 = 0x0A;
pub(crate) const IPRAW6: u8 = 0x0B;
pub(crate) const TCPD: u8 = 0x0D;
pub(crate) const UDPD: u8 = 0x0E;
pub(crate) const CONNECT6: u8 = 0x84;
pub(crate) const SEND6: u8 = 0xA0;

/// Common registers (ioLibrary, w6100.h).
pub(crate) mod common {
    pub(crate) const SYSR: u16 = 0x2000;
    pub(crate) const SYCR1: u16 = 0x2005;
    pub(crate) const IR: u16 = 0x2100;
    pub(crate) const SLIR: u16 = 0x2102;
    pub(crate) const SLIRCLR: u16 = 0x2128;
    pub(crate) const SLPSR: u16 = 0x212C;
    pub(crate) const SLCR: u16 = 0x2130;
    pub(crate) const PHYSR: u16 = 0x3000;
    pub(crate) const PHYRAR: u16 = 0x3008;
    pub(crate) const PHYDIR: u16 = 0x300C;
    pub(crate) const PHYDOR: u16 = 0x3010;
    pub(crate) const PHYACR: u16 = 0x3014;
    pub(crate) const PHYCR0: u16 = 0x301C;
    pub(crate) const PHYCR1: u16 = 0x301D;
    pub(crate) const SHAR: u16 = 0x4120;
    pub(crate) const LLAR: u16 = 0x4140;
    pub(crate) const GUAR: u16 = 0x4150;
    pub(crate) const SUB6R: u16 = 0x4160;
    pub(crate) const GA6R: u16 = 0x4170;
    pub(crate) const SLDIP6R: u16 = 0x4180;
    pub(crate) const SLDHAR: u16 = 0x4190;
    pub(crate) const UIP6R: u16 = 0x41B0;
    pub(crate) const INTPTMR: u16 = 0x41C5;
    pub(crate) const PLR: u16 = 0x41D0;
    pub(crate) const PAR: u16 = 0x41E0;
    pub(crate) const ICMP6BLKR: u16 = 0x41F0;
    pub(crate) const CHPLCKR: u16 = 0x41F4;
    pub(crate) const NETLCKR: u16 = 0x41F5;
    pub(crate) const PHYLCKR: u16 = 0x41F6;
    pub(crate) const SLRCR: u16 = 0x420C;
}

/// Registers of a socket that the other chips do not have; those that they have the bench translates.
pub(crate) mod own {
    pub(crate) const PSR: u16 = 0x0004;
    pub(crate) const ESR: u16 = 0x0031;
    pub(crate) const DIP6R: u16 = 0x0130;
}

pub(crate) fn link_local() -> Ipv6Addr {
    "fe80::8:dcff:fe01:203".parse().unwrap()
}

pub(crate) fn global() -> Ipv6Addr {
    "2001:db8:7::2".parse().unwrap()
}

pub(crate) fn peer() -> Ipv6Addr {
    Ipv6Addr::from(crate::support::PEER_IPV6)
}

/// A W6100 with addresses of both families.
pub(crate) fn addressed(mut bench: Bench) -> Bench {
    bench.common_write(common::LLAR, &link_local().octets());
    bench.common_write(common::GUAR, &global().octets());
    let mask = [[0xFF; 8], [0; 8]].concat();
    bench.common_write(common::SUB6R, &mask);
    bench.common_write(common::GA6R, &peer().octets());
    bench
}

pub(crate) fn linked() -> Bench {
    addressed(Bench::linked(Model::W6100))
}

pub(crate) fn with_peer() -> Bench {
    addressed(Bench::with_peer(Model::W6100))
}

impl Bench {
    /// A register of a socket, at the W6100's own offset.
    pub(crate) fn own_read(&mut self, n: u8, offset: u16, bytes: usize) -> Vec<u8> {
        self.read_at(4 * n + 1, offset, bytes)
    }

    pub(crate) fn own_write(&mut self, n: u8, offset: u16, data: &[u8]) {
        self.write_at(4 * n + 1, offset, data);
    }
}

#[test]
fn after_reset_it_reads_as_its_header_says() {
    let mut bench = Bench::bare(Model::W6100);
    let expected: [(u16, &[u8]); 14] = [
        // The fifth byte, CIDR2, is 0x11 in a W6300 (libogc2 094b250, w6x00if.c).
        (0x0000, &[0x61, 0x00, 0x46, 0x61, 0x10]),
        // All three locks are shut, and SPI is spoken.
        (common::SYSR, &[0xE1]),
        (0x2004, &[0x80, 0x80]),
        (common::IR, &[0; 5]),
        (common::PHYSR, &[0x80]),
        // Drivers take two bytes of PHYSR (WIZnetInterface df957a2, W6100.cpp) and wait for the last bit.
        (0x3001, &[0x01]),
        (0x3018, &[0x01]),
        (common::PHYCR1, &[0x40]),
        (0x4100, &[0x28]),
        (0x4114, &[0xFF, 0xFF]),
        (common::SHAR, &[0; 0x60]),
        (common::INTPTMR, &[0, 0]),
        (0x4208, &[0x07, 0xD0]),
        (0x420F, &[0x80]),
    ];
    for (address, value) in expected {
        assert_eq!(bench.common_read(address, value.len()), value, "0x{address:04X}");
    }
    for n in 0..8 {
        let of_socket: [(u16, &[u8]); 8] = [
            (0x0000, &[0]),
            (0x0024, &[0xFF]),
            (0x0108, &[0x80]),
            (0x010C, &[0x40, 0x00]),
            (0x0118, &[0; 6]),
            (0x0200, &[0x02]),
            (0x0204, &[0x08, 0x00]),
            (0x0220, &[0x02]),
        ];
        for (offset, value) in of_socket {
            assert_eq!(bench.own_read(n, offset, value.len()), value, "socket {n}, 0x{offset:04X}");
        }
    }
}

#[test]
fn addresses_are_locked_until_the_key_is_given_and_the_loss_is_told() {
    let mut bench = Bench::bare(Model::W6100);
    bench.common_write(common::SHAR, &CHIP_MAC);
    bench.common_write(common::GA6R, &[7; 16]);
    assert_eq!(bench.common_read(common::SHAR, 6), [0; 6]);
    assert_eq!(bench.common_read(common::GA6R, 16), [7; 16], "it has no lock");
    let warnings = bench.chip.take_warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].sentence.contains("SHAR was written while NETLCKR"), "{}", warnings[0].sentence);
    bench.common_write(common::NETLCKR, &[0x3A]);
    assert_eq!(bench.common_read(common::SYSR, 1), [0xA1]);
    bench.common_write(common::SHAR, &CHIP_MAC);
    assert_eq!(bench.common_read(common::SHAR, 6), CHIP_MAC);
    // ioLibrary's NETLOCK().
    bench.common_write(common::NETLCKR, &[0xC5]);
    bench.common_write(common::GUAR, &[1; 16]);
    assert_eq!(bench.common_read(common::GUAR, 16), [0; 16]);
}

#[test]
fn a_reset_needs_the_key_of_the_chip_and_shuts_the_locks() {
    let mut bench = linked();
    bench.common_write(0x2004, &[0x00]);
    assert_eq!(bench.common_read(common::SHAR, 6), CHIP_MAC);
    bench.common_write(common::CHPLCKR, &[0xCE]);
    bench.common_write(0x2004, &[0x00]);
    bench.pass(us(10));
    assert_eq!(bench.common_read(common::SHAR, 6), [0; 6]);
    assert_eq!(bench.common_read(common::SYSR, 1), [0xE1]);
}

#[test]
fn the_phy_looks_at_its_mode_when_it_is_reset() {
    let mut bench = linked();
    assert_eq!(bench.common_read(common::PHYSR, 1), [0x01]);
    bench.common_write(common::PHYCR0, &[0x07]);
    bench.common_write(common::PHYCR1, &[0x41]);
    assert_eq!(bench.common_read(common::PHYSR, 1), [0x01], "locked");
    bench.common_write(common::PHYLCKR, &[0x53]);
    bench.common_write(common::PHYCR0, &[0x07]);
    assert_eq!(bench.common_read(common::PHYSR, 1), [0x01], "not yet");
    bench.common_write(common::PHYCR1, &[0x41]);
    assert_eq!(bench.common_read(common::PHYCR1, 1), [0x40], "the bit clears itself");
    // 10 Mbit/s in half duplex, as it was told, and a link.
    assert_eq!(bench.common_read(common::PHYSR, 1), [0x3F]);
    assert_eq!(bench.chip.link(), Some(LinkPartner { speed: Speed::Mbps10, duplex: Duplex::Half }));
    bench.common_write(common::PHYCR1, &[0x60]);
    assert!(bench.chip.link().is_none(), "power down");
}

#[test]
fn the_phys_own_registers_have_the_low_byte_first() {
    // ioLibrary's getPHYDOR() and setPHYDIR(). Its wizphy_getphylink() reads BMSR so, and WIZnet-PICO-C ba247be waits for that.
    let mut bench = linked();
    let basic_control = |bench: &mut Bench, value: [u8; 2]| {
        bench.common_write(common::PHYRAR, &[0]);
        bench.common_write(common::PHYDIR, &value);
        bench.common_write(common::PHYACR, &[1]);
        assert_eq!(bench.common_read(common::PHYACR, 1), [0]);
    };
    let read = |bench: &mut Bench, register: u8| {
        bench.common_write(common::PHYRAR, &[register]);
        bench.common_write(common::PHYACR, &[2]);
        bench.common_read(common::PHYDOR, 2)
    };
    assert_eq!(read(&mut bench, 1), [0x2D, 0x78], "a link, negotiated");
    assert_eq!(read(&mut bench, 0), [0x00, 0x31]);
    // 10 Mbit/s, full duplex.
    basic_control(&mut bench, [0x00, 0x01]);
    bench.pass(ms(5_000));
    assert_eq!(bench.chip.link(), Some(LinkPartner { speed: Speed::Mbps10, duplex: Duplex::Full }));
    // Power down.
    basic_control(&mut bench, [0x00, 0x08]);
    assert!(bench.chip.link().is_none());
    assert_eq!(read(&mut bench, 1)[0] & 0x04, 0);
}

#[test]
fn interrupts_are_switched_off_altogether_by_one_bit() {
    let mut bench = with_peer();
    bench.common_write(0x2114, &[0x02]);
    bench.open(1, UDP, 4000);
    bench.write(1, sn::DIPR, &PEER_IP);
    bench.send(1, b"x");
    bench.pass(ms(1));
    assert!(bench.chip.interrupt_is_low());
    bench.common_write(common::SYCR1, &[0x01]);
    assert!(!bench.chip.interrupt_is_low());
    assert_eq!(bench.common_read(common::SYCR1, 1), [0x00], "the clock has a lock, the bit has none");
    bench.common_write(common::SYCR1, &[0x80]);
    assert!(bench.chip.interrupt_is_low());
    bench.write(1, sn::IR, &[0x1F]);
    assert!(!bench.chip.interrupt_is_low());
}

#[test]
fn intptmr_counts_the_clock_of_the_chip() {
    let mut bench = with_peer();
    bench.common_write(0x2114, &[0x02]);
    // (9,999 + 1) x 4 / 100 MHz = 400 us.
    bench.common_write(common::INTPTMR, &9_999u16.to_be_bytes());
    bench.open(1, UDP, 4000);
    bench.write(1, sn::DIPR, &PEER_IP);
    bench.send(1, b"x");
    bench.pass(ms(1));
    bench.write(1, sn::IR, &[0x1F]);
    let cleared = bench.now;
    bench.send(1, b"y");
    bench.chip.advance(cleared + us(390));
    assert!(!bench.chip.interrupt_is_low());
    bench.chip.advance(cleared + us(401));
    assert!(bench.chip.interrupt_is_low());
}

#[test]
fn only_the_last_segment_of_a_send_is_pushed_unless_all_are_to_be() {
    const PSH: u8 = 0x08;
    for (mode, expected) in [(TCP, [0, PSH]), (TCP | 0x40, [PSH, PSH])] {
        let mut bench = with_peer();
        bench.listen_at_peer(7000);
        bench.open(0, mode, 4001);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &7000u16.to_be_bytes());
        bench.command(0, command::CONNECT);
        assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0x17));
        bench.take_seen();
        bench.send(0, &[0x55; 2000]);
        bench.pass(ms(5));
        let sent = bench.take_seen();
        let flags: Vec<u8> =
            sent.iter().filter(|sent| sent.bytes.len() > 60).map(|sent| sent.bytes[47] & PSH).collect();
        assert_eq!(flags, expected);
    }
}

#[test]
fn the_commands_of_the_other_family_are_ignored() {
    let mut bench = linked();
    bench.open(1, UDP6, 4000);
    bench.send(1, b"x");
    assert_eq!(bench.chip.take_warnings().len(), 1, "SEND is for IPv4");
    let mut bench = linked();
    bench.open(0, TCP, 4001);
    bench.command(0, CONNECT6);
    assert_eq!((bench.u8(0, sn::SR), bench.chip.take_warnings().len()), (0x13, 1));
    let mut bench = linked();
    bench.command(0, command::SEND_MAC);
    assert!(bench.chip.take_warnings()[0].sentence.contains("no command"), "Sn_MR2.DHAM is in its place");
}

#[test]
fn a_packet_of_a_blocked_family_is_as_if_it_had_not_come() {
    let mut bench = with_peer();
    // NETMR.IP4B.
    bench.common_write(0x4008, &[0x01]);
    bench.open(1, UDP, 4000);
    let frame = discovery::arp_request();
    bench.arrive(&frame);
    let answers = bench.take_seen();
    assert_eq!(answers.len(), 1, "ARP is no packet of IPv4");
    assert_eq!(answers[0].bytes[..6], PEER_MAC);
}

/// What a driver has each chip put on the wire: a datagram after ARP, a connection with data both ways, its end.
fn frames_of(model: Model) -> Vec<Vec<u8>> {
    let mut bench = Bench::with_peer(model);
    let handle = bench.listen_at_peer(7000);
    bench.open(1, UDP, 4000);
    bench.write(1, sn::DIPR, &PEER_IP);
    bench.write(1, sn::DPORT, &5999u16.to_be_bytes());
    bench.send(1, b"anyone?");
    bench.pass(ms(3));
    bench.open(0, TCP, 4001);
    bench.write(0, sn::DIPR, &PEER_IP);
    bench.write(0, sn::DPORT, &7000u16.to_be_bytes());
    bench.command(0, command::CONNECT);
    assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0x17), "{model:?}");
    for message in [&b"one message"[..], &[0x5A; 1460]] {
        bench.send(0, message);
        bench.pass(ms(20));
    }
    let peer = bench.peer.as_mut().expect("there is a peer");
    peer.sockets.get_mut::<tcp::Socket<'_>>(handle).send_slice(b"an answer").expect("it is open");
    assert!(bench.wait(ms(100), |bench| bench.u16(0, sn::RX_RSR) == 9), "{model:?}");
    assert_eq!(bench.take(0, 9), b"an answer");
    bench.command(0, command::DISCON);
    bench.pass(ms(50));
    bench.take_seen().into_iter().map(|sent| sent.bytes).collect()
}

#[test]
fn over_ipv4_the_same_driver_puts_the_same_frames_on_the_wire_as_with_a_w5500() {
    let frames = frames_of(Model::W6100);
    assert!(frames.len() > 8, "{} frames", frames.len());
    assert_eq!(frames, frames_of(Model::W5500));
}
