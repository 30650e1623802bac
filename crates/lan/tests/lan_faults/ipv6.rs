//! The W6100 and the PC over IPv6: each finds the other, a ping comes back, and what is sent to a port is refused, as no program
//! of the PC uses IPv6.

use std::net::Ipv6Addr;

use wiznet::Model;

use crate::driver::{BOARD_MAC, Driver, ms, quiet, sn};

/// Registers that the W6100 alone has, and its commands.
const IR: u16 = 0x2100;
const SLIR: u16 = 0x2102;
const SLIRCLR: u16 = 0x2128;
const SLCR: u16 = 0x2130;
const LLAR: u16 = 0x4140;
const SLDIP6R: u16 = 0x4180;
const SLDHAR: u16 = 0x4190;
const UIP6R: u16 = 0x41B0;
const UPORT6R: u16 = 0x41C0;
const SN_DIP6R: u16 = 0x0130;
const TCP6: u8 = 0x09;
const UDP6: u8 = 0x0A;
const CONNECT6: u8 = 0x84;
const SEND6: u8 = 0xA0;
const PING6: u8 = 0x10;
const TIME_OUT: u8 = 0x80;

fn linked() -> (Driver, Ipv6Addr) {
    let mut driver = Driver::on(Model::W6100, &quiet());
    let [a, b, c, d, e, f] = BOARD_MAC;
    let own = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, a ^ 2, b, c, 0xFF, 0xFE, d, e, f];
    driver.write((0, LLAR), &own);
    let pc = driver.spi.lan_mut().with_pc(|pc| pc.link_local_address()).expect("there is a PC");
    (driver, pc)
}

fn aim(driver: &mut Driver, n: u8, to: Ipv6Addr, port: u16) {
    driver.write((4 * n + 1, SN_DIP6R), &to.octets());
    driver.write_socket(n, sn::DPORT, &port.to_be_bytes());
}

#[test]
fn a_ping_comes_back_from_the_pc_and_from_nobody_else() {
    let (mut driver, pc) = linked();
    let hardware_address = [0x02, 0x41, 0x57, 0, 0, 0x01];
    let nobody = "fe80::1234".parse().expect("an address");
    for (address, outcome) in [(pc, PING6), (nobody, TIME_OUT)] {
        driver.write((0, SLDIP6R), &address.octets());
        driver.write((0, SLCR), &[PING6]);
        assert!(driver.wait_until(ms(2_000), |driver| driver.read((0, SLIR), 1) != [0]), "{address}");
        assert_eq!(driver.read((0, SLIR), 1), [outcome], "{address}");
        driver.write((0, SLIRCLR), &[0xFF]);
        if address == pc {
            assert_eq!(driver.read((0, SLDHAR), 6), hardware_address);
        }
    }
}

#[test]
fn a_datagram_is_refused_with_the_address_and_the_port_that_it_was_for() {
    const UNREACHABLE: u8 = 0x10;
    let (mut driver, pc) = linked();
    driver.open(1, UDP6, 4_000);
    aim(&mut driver, 1, pc, 7);
    let at = driver.read_socket(1, sn::TX_WR, 2);
    let at = u16::from_be_bytes([at[0], at[1]]);
    driver.write((4 + 2, at), b"anyone?");
    driver.write_socket(1, sn::TX_WR, &(at + 7).to_be_bytes());
    driver.command(1, SEND6);
    assert!(driver.wait_until(ms(100), |driver| driver.read((0, IR), 1)[0] & UNREACHABLE != 0));
    assert_eq!(driver.read((0, UIP6R), 16), pc.octets());
    assert_eq!(driver.read((0, UPORT6R), 2), [0, 7]);
}

#[test]
fn a_connection_is_refused_at_once() {
    let (mut driver, pc) = linked();
    driver.open(0, TCP6, 4_000);
    aim(&mut driver, 0, pc, 80);
    driver.command(0, CONNECT6);
    assert!(driver.wait_until(ms(50), |driver| driver.status(0) == 0), "no wait for a time-out");
}
