//! The FTP server's data connections over IPv6, on a wire in memory: PASV has no address for it, and EPSV needs none.

use std::net::IpAddr;

use traffic::memory::Memory;
use traffic::{IpEndpoint, Machine, machine, talk};
use units::Picoseconds;

/// What a server at an address says to these commands of a client at another.
fn said(server: &str, client: &str, commands: &str) -> String {
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    let mut wire = Memory::new(Picoseconds::from_ns(1_000));
    wire.add(address(server), machine("ftp", &[]).unwrap());
    let to = IpEndpoint::new(address(server), 21).to_string();
    let options = [("to", to.as_str()), ("send", commands), ("answers", "false"), ("linger", "100ms")];
    let client = wire.add(address(client), machine("talk", &options).unwrap());
    assert!(wire.run_until_done(client, Picoseconds::new(units::PS_PER_S)));
    let received = wire.machine::<talk::Client>(client).unwrap().results().received;
    String::from_utf8(received.unwrap_or_default()).unwrap()
}

const LOGIN: &str = r"USER anybody\r\nPASS x\r\n";

#[test]
fn pasv_tells_an_address_of_ipv4_alone() {
    let commands = format!("{LOGIN}PASV\\r\\n");
    let over_ipv4 = said("10.0.0.1", "10.0.0.2", &commands);
    assert!(over_ipv4.contains("227 Entering Passive Mode (10,0,0,1,"), "{over_ipv4}");
    let over_ipv6 = said("fe80::1", "fe80::2", &commands);
    assert!(over_ipv6.contains("425 PASV knows no addresses of IPv6; use EPSV."), "{over_ipv6}");
}

#[test]
fn epsv_and_eprt_serve_both_families() {
    let commands = format!("{LOGIN}EPSV\\r\\nEPRT |2|fe80::2|5000|\\r\\nEPRT |3|fe80::2|5000|\\r\\n");
    let over_ipv6 = said("fe80::1", "fe80::2", &commands);
    assert!(over_ipv6.contains("229 Entering Extended Passive Mode (|||"), "{over_ipv6}");
    assert!(over_ipv6.contains("200 The data connection goes there."), "{over_ipv6}");
}

#[test]
fn epsv_refuses_the_other_family_and_opens_no_port_where_it_is_a_notice() {
    let commands = format!("{LOGIN}EPSV 2\\r\\nEPSV ALL\\r\\nEPSV 1\\r\\n");
    let over_ipv4 = said("10.0.0.1", "10.0.0.2", &commands);
    let codes: Vec<&str> = over_ipv4.lines().filter_map(|line| line.get(..4)).collect();
    // RFC 2428 sections 3 and 4.
    assert_eq!(codes[codes.len() - 3..], ["522 ", "200 ", "229 "], "{over_ipv4}");
    assert!(over_ipv4.contains("use (1)."), "{over_ipv4}");
}
