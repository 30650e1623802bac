//! What the MAC filter of a socket in MACRAW mode does to multicast, by the address that IP maps a group to (RFC 1112 6.4,
//! RFC 2464 7), or another.

use wiznet::Model;

use crate::support::{Bench, sn};

use super::{MACRAW, plain};

const MAC_FILTER: u8 = 0x80;
const BLOCKS_MULTICAST: u8 = 0x20;
const BLOCKS_IPV6: u8 = 0x10;

const MDNS: [u8; 6] = [0x01, 0x00, 0x5E, 0x00, 0x00, 0xFB];
const ALL_NODES: [u8; 6] = [0x33, 0x33, 0x00, 0x00, 0x00, 0x01];
/// IEEE 1588 over Ethernet, LLDP.
const OF_NO_IP: [[u8; 6]; 2] = [[0x01, 0x1B, 0x19, 0, 0, 0], [0x01, 0x80, 0xC2, 0, 0, 0x0E]];

/// Whether a frame to an address gets to the driver.
fn takes(model: Model, mode: u8, to: [u8; 6], ethertype: u16) -> bool {
    let mut bench = Bench::linked(model);
    bench.open(0, MACRAW | mode, 0);
    bench.arrive(&plain(to, ethertype, 60));
    bench.u16(0, sn::RX_RSR) != 0
}

/// Espressif's drivers say so of either chip, and that it was seen on a W5500 (esp-eth-drivers 400336a, `add_mac_filter`).
#[test]
fn the_mac_filter_lets_multicast_through_that_is_of_ip_alone() {
    for model in [Model::W5500, Model::W6100] {
        assert!(takes(model, MAC_FILTER, MDNS, 0x0800));
        assert!(takes(model, MAC_FILTER, ALL_NODES, 0x86DD));
        for address in OF_NO_IP {
            assert!(!takes(model, MAC_FILTER, address, 0x88F7), "{model:?}, {address:02X?}");
            assert!(takes(model, 0, address, 0x88F7), "without the filter everything comes");
        }
    }
}

#[test]
fn beside_the_mac_filter_of_a_w5500_multicast_of_ipv6_is_blocked_by_its_own_bit_alone() {
    let takes = |mode, to, ethertype| takes(Model::W5500, mode, to, ethertype);
    let filters = MAC_FILTER | BLOCKS_MULTICAST;
    assert!(!takes(filters, MDNS, 0x0800));
    assert!(takes(filters, ALL_NODES, 0x86DD));
    assert!(!takes(filters | BLOCKS_IPV6, ALL_NODES, 0x86DD));
    assert!(!takes(BLOCKS_MULTICAST, ALL_NODES, 0x86DD), "the datasheet's word, where no filter is");
}

/// The address tells what is multicast of IPv6, whatever the frame is.
#[test]
fn a_w6100_has_a_bit_for_either_family() {
    const OF_NO_FAMILY: u16 = 0x88B5;
    let takes = |mode, to| takes(Model::W6100, MAC_FILTER | mode, to, OF_NO_FAMILY);
    assert!(!takes(BLOCKS_MULTICAST, MDNS) && takes(BLOCKS_MULTICAST, ALL_NODES));
    assert!(takes(BLOCKS_IPV6, MDNS) && !takes(BLOCKS_IPV6, ALL_NODES));
}

/// Espressif's driver sets both bits, and its images are reached over IPv6.
#[test]
fn a_driver_that_blocks_multicast_is_not_told_that_nobody_reaches_it_over_ipv6() {
    let mut solicitation = plain([0x33, 0x33, 0xFF, 0, 0, 1], 0x86DD, 14 + 40 + 24);
    // Version 6; 24 bytes of ICMPv6 (58) follow, of type 135 (RFC 4861, 4.3).
    solicitation[14..22].copy_from_slice(&[0x60, 0, 0, 0, 0, 24, 58, 255]);
    solicitation[54] = 135;
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, MACRAW | MAC_FILTER | BLOCKS_MULTICAST, 0);
    bench.arrive(&solicitation);
    assert_eq!(bench.u16(0, sn::RX_RSR), 2 + 14 + 40 + 24);
    assert!(bench.chip.take_warnings().is_empty());
}
