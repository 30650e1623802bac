//! The W6100 and the PC over IPv6: each finds the other, pings come back, programs of both exchange messages, and what is sent to a
//! port without a program is refused.

use std::net::Ipv6Addr;

use lan::{NetworkSetup, TrafficResults, TrafficSetup};
use wiznet::Model;

use crate::driver::{BOARD_MAC, Driver, command, ms, quiet, sn, status};

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
    linked_with(&[])
}

/// The same with clients and servers on the PC.
fn linked_with(traffic: &[&str]) -> (Driver, Ipv6Addr) {
    let one = |text: &&str| TrafficSetup::from_words(text).expect("there is such a one");
    let setup = NetworkSetup { traffic: traffic.iter().map(one).collect(), ..quiet() };
    let mut driver = Driver::on(Model::W6100, &setup);
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

/// Sends a datagram from socket 1 to port 7 of the PC.
fn ask_anyone(driver: &mut Driver, pc: Ipv6Addr) {
    driver.open(1, UDP6, 4_000);
    aim(driver, 1, pc, 7);
    send(driver, 1, b"anyone?");
}

fn send(driver: &mut Driver, n: u8, data: &[u8]) {
    let at = driver.read_socket(n, sn::TX_WR, 2);
    let at = u16::from_be_bytes([at[0], at[1]]);
    driver.write((4 * n + 2, at), data);
    driver.write_socket(n, sn::TX_WR, &(at + data.len() as u16).to_be_bytes());
    driver.command(n, SEND6);
}

#[test]
fn a_datagram_is_refused_with_the_address_and_the_port_that_it_was_for() {
    const UNREACHABLE: u8 = 0x10;
    let (mut driver, pc) = linked();
    ask_anyone(&mut driver, pc);
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

/// Opens a connection to a port of the PC.
fn connect(driver: &mut Driver, n: u8, pc: Ipv6Addr, port: u16) {
    driver.open(n, TCP6, 4_000);
    aim(driver, n, pc, port);
    driver.command(n, CONNECT6);
    assert!(driver.wait_until(ms(100), |driver| driver.status(n) == status::ESTABLISHED));
}

fn results_of(driver: &Driver, name: &str) -> TrafficResults {
    driver.spi.lan().results().into_iter().find(|one| one.name == name).expect("it runs")
}

#[test]
fn a_server_of_the_pc_serves_the_chips_client_over_both_families_at_one_port() {
    let (mut driver, pc) = linked_with(&["echo"]);
    connect(&mut driver, 0, pc, 7);
    driver.connect(1, 4_001, 7);
    for n in [0, 1] {
        let said = format!("socket {n}");
        driver.send(n, said.as_bytes());
        assert!(driver.wait_until(ms(100), |driver| driver.size(n, sn::RX_RSR) == said.len()), "{said}");
        assert_eq!(driver.receive(n, said.len()), said.as_bytes());
    }
}

#[test]
fn a_datagram_is_answered_by_a_server_of_the_pc() {
    // The address, the port and the length stand before a datagram's bytes.
    const BEFORE_BYTES: usize = 2 + 16 + 2;
    let (mut driver, pc) = linked_with(&["echo"]);
    ask_anyone(&mut driver, pc);
    assert!(driver.wait_until(ms(100), |driver| driver.size(1, sn::RX_RSR) == BEFORE_BYTES + 7));
    let received = driver.receive(1, BEFORE_BYTES + 7);
    assert_eq!(&received[2..18], &pc.octets());
    assert_eq!((&received[18..20], &received[20..]), (&[0, 7][..], &b"anyone?"[..]));
}

#[test]
fn clients_of_the_pc_reach_the_chip_at_the_address_that_they_are_given() {
    let (mut driver, _) = linked_with(&[
        "ping to=fe80::8:dcff:fe01:203 count=3 interval=10ms start=400ms",
        "talk to=[fe80::8:dcff:fe01:203]:5000 send=hello answers=true start=400ms",
    ]);
    driver.open(0, TCP6, 5_000);
    driver.command(0, command::LISTEN);
    assert!(driver.wait_until(ms(300), |driver| driver.size(0, sn::RX_RSR) == 5));
    assert_eq!(driver.receive(0, 5), b"hello");
    driver.send(0, b"and you");
    driver.wait(ms(100));
    for (name, messages) in [("ping", 3), ("talk", 1)] {
        let told = results_of(&driver, name);
        assert!(told.is_done, "{name}: {}", told.results.summary);
        assert_eq!(told.latency().map(|_| told.results.samples.len()), Some(messages), "{name}");
    }
}

#[test]
fn chip_and_pc_reach_each_other_in_a_network_of_their_own() {
    /// GUAR and SUB6R.
    const GUAR: u16 = 0x4150;
    const SUB6R: u16 = 0x4160;
    let (board, pc) = ("fd00::2".parse::<Ipv6Addr>().unwrap(), "fd00::1".parse::<Ipv6Addr>().unwrap());
    let mut setup = NetworkSetup {
        traffic: ["echo", "ping to=fd00::2 count=3 interval=10ms start=400ms"]
            .map(|text| TrafficSetup::from_words(text).expect("there is such a one"))
            .into(),
        ..quiet()
    };
    setup.pc.as_mut().expect("there is a PC").ipv6 = Some((pc, 64));
    let mut driver = Driver::on(Model::W6100, &setup);
    driver.write((0, GUAR), &board.octets());
    driver.write((0, SUB6R), &[[0xFF; 8], [0; 8]].concat());
    connect(&mut driver, 0, pc, 7);
    driver.send(0, b"far");
    assert!(driver.wait_until(ms(100), |driver| driver.size(0, sn::RX_RSR) == 3));
    driver.wait(ms(300));
    let ping = results_of(&driver, "ping");
    assert_eq!((ping.is_done, ping.latency().is_some()), (true, true), "{}", ping.results.summary);
}

#[test]
fn a_chip_forms_its_address_of_what_the_pc_tells_as_a_router() {
    /// SLCR.RS, and where the prefix is told.
    const RS: u8 = 0x02;
    const PLR: u16 = 0x41D0;
    const PAR: u16 = 0x41E0;
    let mut setup = quiet();
    let pc = setup.pc.as_mut().expect("there is a PC");
    (pc.ipv6, pc.ipv6_router) = (Some(("2001:db8:7::1".parse().expect("an address"), 64)), true);
    let mut driver = Driver::on(Model::W6100, &setup);
    driver.write((0, LLAR), &"fe80::8:dcff:fe01:203".parse::<Ipv6Addr>().expect("an address").octets());
    driver.write((0, SLCR), &[RS]);
    assert!(driver.wait_until(ms(100), |driver| driver.read((0, SLIR), 1) != [0]));
    assert_eq!(driver.read((0, SLIR), 1), [RS]);
    assert_eq!(driver.read((0, PLR), 1), [64]);
    let prefix = "2001:db8:7::".parse::<Ipv6Addr>().expect("a prefix").octets();
    assert_eq!(driver.read((0, PAR), 16), prefix);
}

#[test]
fn a_chip_has_its_address_from_the_dhcp_server_of_the_pc() {
    // Solicit with Rapid Commit, a client's identifier, and an association (RFC 8415).
    let mut solicit = vec![1, 7, 8, 9, 0, 14, 0, 0, 0, 1, 0, 10, 0, 3, 0, 1];
    solicit.extend(BOARD_MAC);
    solicit.extend([&[0, 3, 0, 12][..], &[0; 12]].concat());
    for (network, first) in [
        (Some("2001:db8:7::1/64"), Some("2001:db8:7::1000")),
        (Some("2001:db8:7::10/120"), Some("2001:db8:7::1")),
        (None, None),
    ] {
        let mut setup =
            NetworkSetup { traffic: vec![TrafficSetup::from_words("dhcpv6").expect("a server")], ..quiet() };
        let split = |text: &str| {
            let (address, prefix) = text.split_once('/').expect("a network");
            (address.parse().expect("an address"), prefix.parse().expect("a length"))
        };
        setup.pc.as_mut().expect("there is a PC").ipv6 = network.map(split);
        let mut driver = Driver::on(Model::W6100, &setup);
        driver.write((0, LLAR), &"fe80::8:dcff:fe01:203".parse::<Ipv6Addr>().expect("an address").octets());
        driver.open(0, UDP6, 546);
        aim(&mut driver, 0, "ff02::1:2".parse().expect("a group"), 547);
        send(&mut driver, 0, &solicit);
        driver.wait(ms(50));
        let came = driver.size(0, sn::RX_RSR);
        let answer = driver.receive(0, came);
        let expected = first.map(|text| text.parse::<Ipv6Addr>().expect("an address").octets());
        let found = expected.map(|octets| answer.windows(16).filter(|window| *window == octets).count());
        assert_eq!((found, came > 0), (expected.map(|_| 1), first.is_some()), "{network:?}: {answer:?}");
    }
}

#[test]
fn a_client_of_the_pc_is_told_at_once_that_a_port_of_the_chip_is_shut() {
    let (mut driver, _) = linked_with(&["talk to=[fe80::8:dcff:fe01:203]:5001 send=hello start=400ms"]);
    driver.wait(ms(500));
    let told = results_of(&driver, "talk").results;
    assert_eq!(told.failure.as_deref(), Some("connection refused"));
}

#[test]
fn a_client_that_goes_to_the_board_over_ipv6_waits_until_the_board_speaks_it() {
    let (mut driver, pc) = linked_with(&["echo", "ping to=board6 count=3 interval=10ms"]);
    driver.wait(ms(1_000));
    let waits_for = |driver: &Driver| results_of(driver, "ping").waits_for.map(lan::Awaited::word);
    assert_eq!(waits_for(&driver), Some("ipv6-address"));
    connect(&mut driver, 0, pc, 7);
    assert_eq!(waits_for(&driver), Some("settling"));
    driver.wait(ms(300));
    assert!(results_of(&driver, "ping").is_done);
}
