//! DHCPv6 (RFC 8415): what a client is told, byte by byte, and what becomes of its addresses.

use std::net::Ipv6Addr;

use proptest::prelude::*;
use traffic::dhcpv6::{Server, Settings};
use traffic::{Action, Cause, Connection, Declared, IpEndpoint, Machine};

use super::seat::{Seat, causes, ms, s};

const SOLICIT: u8 = 1;
const ADVERTISE: u8 = 2;
const REQUEST: u8 = 3;
const CONFIRM: u8 = 4;
const RENEW: u8 = 5;
const REBIND: u8 = 6;
const REPLY: u8 = 7;
const RELEASE: u8 = 8;
const DECLINE: u8 = 9;
const INFORMATION_REQUEST: u8 = 11;

fn server(pairs: &[(&str, &str)]) -> Seat<Server> {
    Seat::new(Server::new(Settings::from_options(pairs).unwrap()))
}

fn client() -> IpEndpoint {
    IpEndpoint::new("fe80::208:dcff:fe01:203".parse::<Ipv6Addr>().unwrap(), 546)
}

fn option(code: u16, data: &[u8]) -> Vec<u8> {
    [&code.to_be_bytes(), &(data.len() as u16).to_be_bytes(), data].concat()
}

/// The identifier of the numbered client, by its link-layer address.
fn identifier(client: u8) -> Vec<u8> {
    vec![0, 3, 0, 1, 2, 0, 0, 0, 0, client]
}

/// An association with the number 7, and the addresses in it.
fn association(addresses: &[&str]) -> Vec<u8> {
    let address = |text: &&str| {
        let octets = text.parse::<Ipv6Addr>().unwrap().octets();
        option(5, &[&octets[..], &[0; 8]].concat())
    };
    let inner: Vec<u8> = addresses.iter().flat_map(address).collect();
    option(3, &[&[0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0][..], &inner].concat())
}

fn message(kind: u8, client: u8, options: &[Vec<u8>]) -> Vec<u8> {
    [&[kind, 1, 2, 3][..], &option(1, &identifier(client)), &options.concat()].concat()
}

/// The options of what the server sent, in their order.
fn options(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut found = Vec::new();
    while let [a, b, c, d, rest @ ..] = bytes {
        let length = usize::from(u16::from_be_bytes([*c, *d]));
        found.push((u16::from_be_bytes([*a, *b]), rest[..length].to_vec()));
        bytes = &rest[length..];
    }
    found
}

/// The one answer to a message: its kind and its options.
fn said(seat: &mut Seat<Server>, bytes: &[u8]) -> (u8, Vec<(u16, Vec<u8>)>) {
    let sent = seat.datagram(client(), bytes);
    assert_eq!(sent.len(), 1, "{bytes:?}");
    assert_eq!((sent[0].to, &sent[0].bytes[1..4]), (client(), &[1, 2, 3][..]));
    (sent[0].bytes[0], options(&sent[0].bytes[4..]))
}

fn of(options: &[(u16, Vec<u8>)], code: u16) -> Option<&[u8]> {
    options.iter().find(|(known, _)| *known == code).map(|(_, data)| data.as_slice())
}

/// The address in an answer, or the status that stands in its place.
fn given(options: &[(u16, Vec<u8>)]) -> Result<Ipv6Addr, u8> {
    let inner = self::options(&of(options, 3).expect("an association")[12..]);
    match of(&inner, 5) {
        Some(data) => Ok(Ipv6Addr::from(<[u8; 16]>::try_from(&data[..16]).unwrap())),
        None => Err(of(&inner, 13).expect("a status")[1]),
    }
}

fn address(text: &str) -> Result<Ipv6Addr, u8> {
    Ok(text.parse().unwrap())
}

/// The identifier that the server has.
fn servers(seat: &mut Seat<Server>) -> Vec<u8> {
    let (_, options) = said(seat, &message(INFORMATION_REQUEST, 9, &[]));
    option(2, of(&options, 2).unwrap())
}

#[test]
fn an_address_comes_after_four_messages() {
    let mut seat = server(&[("lease_s", "1600")]);
    assert_eq!(seat.opened, [Action::Bind(Connection(0), 547, false)]);
    let (kind, options) = said(&mut seat, &message(SOLICIT, 1, &[association(&[])]));
    assert_eq!((kind, given(&options)), (ADVERTISE, address("fd00::1000")));
    assert_eq!(of(&options, 1), Some(identifier(1).as_slice()), "whom it is for");
    let own = option(2, of(&options, 2).expect("who says it"));
    let (kind, options) = said(&mut seat, &message(REQUEST, 1, &[own, association(&["fd00::1000"])]));
    assert_eq!((kind, given(&options)), (REPLY, address("fd00::1000")));
    let inner = of(&options, 3).unwrap();
    let seconds = |at: usize| u32::from_be_bytes(inner[at..at + 4].try_into().unwrap());
    assert_eq!(inner[..4], [0, 0, 0, 7], "the client's number");
    // T1 and T2 are half and four fifths of the preferred lifetime (section 21.4).
    assert_eq!([seconds(4), seconds(8)], [500, 800]);
    assert_eq!([seconds(32), seconds(36)], [1000, 1600], "preferred and valid");
    assert_eq!(of(&options, 23), Some(&"fd00::1".parse::<Ipv6Addr>().unwrap().octets()[..]));
    assert_eq!(of(&options, 24), None, "nobody asked for the domain");
}

#[test]
fn two_messages_do_where_the_client_wishes_it() {
    let wish = [option(14, &[]), association(&[])];
    let (kind, options) = said(&mut server(&[]), &message(SOLICIT, 1, &wish));
    assert_eq!((kind, given(&options), of(&options, 14)), (REPLY, address("fd00::1000"), Some(&[][..])));
    let (kind, options) = said(&mut server(&[("rapid_commit", "false")]), &message(SOLICIT, 1, &wish));
    assert_eq!((kind, of(&options, 14)), (ADVERTISE, None));
}

#[test]
fn information_comes_without_an_address_and_without_an_identifier() {
    let mut seat = server(&[("dns", "2001:db8::1,2001:db8::2"), ("domain", "lab.test")]);
    let bytes = [&[INFORMATION_REQUEST, 1, 2, 3][..], &option(6, &[0, 23, 0, 24])].concat();
    let (kind, options) = said(&mut seat, &bytes);
    assert_eq!((kind, of(&options, 1), of(&options, 3)), (REPLY, None, None));
    assert_eq!(of(&options, 23).unwrap().len(), 32);
    assert_eq!(of(&options, 24), Some(&b"\x03lab\x04test\0"[..]));
}

#[test]
fn each_client_has_an_address_of_its_own_until_there_is_none() {
    let mut seat = server(&[("first", "fd00::1"), ("addresses", "3"), ("dns", "fd00::2")]);
    let mut solicit = |client: u8| given(&said(&mut seat, &message(SOLICIT, client, &[association(&[])])).1);
    assert_eq!(solicit(1), address("fd00::1"));
    assert_eq!(solicit(2), address("fd00::3"), "the DNS server has the second");
    assert_eq!(solicit(1), address("fd00::1"), "as before");
    assert_eq!(solicit(3), Err(2), "NoAddrsAvail");
    assert_eq!(causes(&seat.machine), [(Cause::NoAddress, 1)]);
    seat.advance(s(61));
    let (_, options) = said(&mut seat, &message(SOLICIT, 3, &[association(&[])]));
    assert_eq!(given(&options), address("fd00::1"), "offers are not kept for ever");
}

#[test]
fn a_wish_is_granted_where_it_can_be() {
    let mut seat = server(&[]);
    let mut solicit = |client: u8, wish: &str| {
        given(&said(&mut seat, &message(SOLICIT, client, &[association(&[wish])])).1)
    };
    assert_eq!(solicit(1, "fd00::1042"), address("fd00::1042"));
    assert_eq!(solicit(2, "fd00::1042"), address("fd00::1000"), "somebody has it");
    assert_eq!(solicit(3, "fd00::9999"), address("fd00::1001"), "it is not in the pool");
}

#[test]
fn addresses_are_renewed_released_and_declined() {
    let mut seat = server(&[]);
    let own = servers(&mut seat);
    let held = association(&["fd00::1000"]);
    said(&mut seat, &message(REQUEST, 1, &[own.clone(), association(&[])]));
    seat.advance(s(3000));
    let (_, options) = said(&mut seat, &message(RENEW, 1, &[own.clone(), held.clone()]));
    assert_eq!(given(&options), address("fd00::1000"));
    seat.advance(s(3000));
    let (kind, options) = said(&mut seat, &message(REBIND, 1, std::slice::from_ref(&held)));
    assert_eq!(
        (kind, given(&options)),
        (REPLY, address("fd00::1000")),
        "it was renewed, and no server is named"
    );
    let (kind, options) = said(&mut seat, &message(RELEASE, 1, &[own.clone(), held.clone()]));
    assert_eq!((kind, of(&options, 13)), (REPLY, Some(&[0, 0][..])));
    let (_, options) = said(&mut seat, &message(RELEASE, 1, &[own.clone(), held.clone()]));
    assert_eq!(given(&options), Err(3), "NoBinding");
    said(&mut seat, &message(REQUEST, 2, &[own.clone(), association(&[])]));
    let (kind, _) = said(&mut seat, &message(DECLINE, 2, &[own.clone(), held]));
    assert_eq!(kind, REPLY);
    let (_, options) = said(&mut seat, &message(REQUEST, 2, &[own, association(&[])]));
    assert_eq!(given(&options), address("fd00::1001"), "another host has the first");
    assert_eq!(
        seat.machine.results().summary,
        "given 5 addresses, informed 1 clients, released 1 addresses, declined 1 addresses"
    );
}

#[test]
fn a_client_is_told_whether_its_address_fits_the_network() {
    let mut seat = server(&[]);
    let mut confirm = |addresses: &[&str]| {
        let (_, options) = said(&mut seat, &message(CONFIRM, 1, &[association(addresses)]));
        of(&options, 13).unwrap()[1]
    };
    assert_eq!((confirm(&["fd00::77"]), confirm(&["fd00::77", "fd01::77"])), (0, 4), "Success, NotOnLink");
    assert_eq!(seat.datagram(client(), &message(CONFIRM, 1, &[association(&[])])), []);
}

#[test]
fn what_is_for_another_server_or_for_nobody_is_not_answered() {
    let mut seat = server(&[]);
    let other = option(2, &[0, 3, 0, 1, 9, 9, 9, 9, 9, 9]);
    for (kind, options) in [
        (SOLICIT, vec![other.clone(), association(&[])]),
        (REQUEST, vec![other.clone(), association(&[])]),
        (REQUEST, vec![association(&[])]),
        (RENEW, vec![association(&["fd00::1000"])]),
        (INFORMATION_REQUEST, vec![other]),
        (12, vec![]),
    ] {
        assert_eq!(seat.datagram(client(), &message(kind, 1, &options)), [], "{kind}");
    }
    assert_eq!(seat.datagram(client(), &[SOLICIT, 1, 2, 3]), [], "a client has an identifier");
    assert_eq!(causes(&seat.machine), []);
    assert_eq!(seat.datagram(client(), &[SOLICIT, 1, 2, 3, 0, 1, 0, 9, 0]), []);
    assert_eq!(causes(&seat.machine), [(Cause::Malformed, 1)]);
}

#[test]
fn an_answer_may_be_late_or_never_come() {
    let mut seat = server(&[("delay", "200ms")]);
    assert_eq!(seat.datagram(client(), &message(SOLICIT, 1, &[association(&[])])), []);
    assert_eq!(seat.advance(s(1))[0].at, ms(200));
    let mut silent = server(&[("answers", "false")]);
    assert_eq!(silent.datagram(client(), &message(SOLICIT, 1, &[association(&[])])), []);
}

proptest! {
    #[test]
    fn any_bytes_are_answered_once_at_most(kind in 0_u8..14, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut seat = server(&[]);
        let options = [&[kind, 0, 0, 0][..], &option(1, &identifier(1)), &bytes].concat();
        prop_assert!(seat.datagram(client(), &options).len() <= 1);
    }
}
