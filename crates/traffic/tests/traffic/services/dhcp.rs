//! DHCP: exchanges of RFC 2131, with requests written out here and replies read by smoltcp's parser.

use std::net::Ipv4Addr;

use proptest::prelude::*;
use smoltcp::wire::{DhcpMessageType, DhcpPacket, DhcpRepr};
use traffic::dhcp::{LeaseState, Server, Settings};
use traffic::{Action, Cause, Declared, IpEndpoint};

use super::seat::{Seat, Sent, causes, host, ms, s};

const DISCOVER: u8 = 1;
const REQUEST: u8 = 3;
const DECLINE: u8 = 4;
const RELEASE: u8 = 7;
const INFORM: u8 = 8;
const SERVER: [u8; 4] = [192, 168, 1, 1];

/// A message of a client, as RFC 2131 section 2 lays it out.
#[derive(Clone)]
struct Client {
    mac: u8,
    broadcast: bool,
    ciaddr: [u8; 4],
    giaddr: [u8; 4],
}

fn client(mac: u8) -> Client {
    Client { mac, broadcast: false, ciaddr: [0; 4], giaddr: [0; 4] }
}

impl Client {
    fn message(&self, kind: u8, options: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![1, 1, 6, 0, 0x39, 3, 0xF3, 0x26, 0, 0, u8::from(self.broadcast) << 7, 0];
        bytes.extend(self.ciaddr);
        bytes.extend([0; 8]);
        bytes.extend(self.giaddr);
        bytes.extend([2, 0, 0, 0, 0, self.mac]);
        bytes.resize(236, 0);
        bytes.extend([99, 130, 83, 99, 53, 1, kind]);
        for (number, value) in options {
            bytes.extend([*number, value.len() as u8]);
            bytes.extend(*value);
        }
        bytes.push(255);
        bytes
    }
}

fn server(pairs: &[(&str, &str)]) -> Seat<Server> {
    Seat::new(Server::new(Settings::from_options(pairs).unwrap()))
}

fn anywhere() -> IpEndpoint {
    IpEndpoint::new(Ipv4Addr::UNSPECIFIED, 68)
}

fn ask(seat: &mut Seat<Server>, message: &[u8]) -> Sent {
    let sent = seat.datagram(anywhere(), message);
    assert_eq!(sent.len(), 1, "one reply");
    sent[0].clone()
}

fn kind(sent: &Sent) -> DhcpMessageType {
    let packet = DhcpPacket::new_checked(&sent.bytes[..]).unwrap();
    DhcpRepr::parse(&packet).unwrap().message_type
}

fn yiaddr(sent: &Sent) -> Ipv4Addr {
    DhcpPacket::new_checked(&sent.bytes[..]).unwrap().your_ip()
}

fn option(sent: &Sent, number: u8) -> Option<Vec<u8>> {
    let packet = DhcpPacket::new_checked(&sent.bytes[..]).unwrap();
    packet.options().find(|option| option.kind == number).map(|option| option.data.to_vec())
}

/// Discovers and requests; the ACK.
fn bind(seat: &mut Seat<Server>, client: &Client) -> Sent {
    let offer = ask(seat, &client.message(DISCOVER, &[]));
    assert_eq!(kind(&offer), DhcpMessageType::Offer);
    let address = yiaddr(&offer).octets();
    ask(seat, &client.message(REQUEST, &[(50, &address), (54, &SERVER)]))
}

#[test]
fn the_server_binds_port_67_and_may_broadcast() {
    let seat = server(&[]);
    assert_eq!(seat.opened, [Action::Bind(traffic::Connection(0), 67, true)]);
}

#[test]
fn a_client_that_discovers_and_requests_gets_the_configuration() {
    let mut seat = server(&[("router", "192.168.1.1"), ("hostname", "board-1")]);
    let offer = ask(&mut seat, &client(1).message(DISCOVER, &[]));
    assert_eq!((offer.to, offer.station), (host(100, 68), Some([2, 0, 0, 0, 0, 1])));
    assert_eq!(yiaddr(&offer), Ipv4Addr::new(192, 168, 1, 100));
    let ack = ask(&mut seat, &client(1).message(REQUEST, &[(50, &[192, 168, 1, 100]), (54, &SERVER)]));
    let packet = DhcpPacket::new_checked(&ack.bytes[..]).unwrap();
    let repr = DhcpRepr::parse(&packet).unwrap();
    assert_eq!(repr.message_type, DhcpMessageType::Ack);
    assert_eq!(repr.transaction_id, 0x3903_F326);
    assert_eq!(repr.client_hardware_address.0, [2, 0, 0, 0, 0, 1]);
    assert_eq!(repr.your_ip, Ipv4Addr::new(192, 168, 1, 100));
    assert_eq!(repr.server_identifier, Some(Ipv4Addr::from(SERVER)));
    assert_eq!(repr.subnet_mask, Some(Ipv4Addr::new(255, 255, 255, 0)));
    assert_eq!(repr.router, Some(Ipv4Addr::new(192, 168, 1, 1)));
    assert_eq!(repr.dns_servers.unwrap()[..], [Ipv4Addr::new(192, 168, 1, 1)]);
    // T1 and T2: 0.5 and 0.875 of the lease, RFC 2131 section 4.4.5.
    assert_eq!(
        (repr.lease_duration, repr.renew_duration, repr.rebind_duration),
        (Some(3600), Some(1800), Some(3150))
    );
    assert_eq!(option(&ack, 12).as_deref(), Some(&b"board-1"[..]));
    assert_eq!(option(&ack, 15).as_deref(), Some(&b"airwire.test"[..]));
    assert!(ack.bytes.len() >= 300, "a BOOTP message, RFC 1542 section 2.1");
    let (_, lease) = seat.machine.leases().next().unwrap();
    assert_eq!((lease.state, lease.until), (LeaseState::Bound, s(3600)));
}

#[test]
fn names_and_time_servers_are_told_only_to_who_asks_for_them() {
    let mut seat = server(&[("ntp", "192.168.1.1")]);
    let offer = ask(&mut seat, &client(1).message(DISCOVER, &[(55, &[1, 3, 42])]));
    assert_eq!((option(&offer, 15), option(&offer, 28)), (None, None));
    assert_eq!(option(&offer, 42).as_deref(), Some(&SERVER[..]));
}

#[test]
fn a_reply_goes_to_the_client_alone_unless_its_flag_asks_for_a_broadcast() {
    // RFC 2131, 4.1: to the address that is given and to the hardware address, without ARP.
    let mut seat = server(&[]);
    let ack = bind(&mut seat, &client(1));
    assert_eq!((ack.to, ack.station), (host(100, 68), Some([2, 0, 0, 0, 0, 1])));
    let marked = Client { broadcast: true, ..client(1) };
    let offer = ask(&mut seat, &marked.message(DISCOVER, &[]));
    assert_eq!((offer.to.address, offer.station), (Ipv4Addr::BROADCAST.into(), None));
    assert_eq!(offer.bytes[10], 0x80, "the flag comes back");
    let relayed = Client { giaddr: [192, 168, 1, 9], ..client(1) };
    assert_eq!(ask(&mut seat, &relayed.message(DISCOVER, &[])).to, host(9, 67));
    let renews = Client { ciaddr: [192, 168, 1, 100], ..client(1) };
    let ack = ask(&mut seat, &renews.message(REQUEST, &[]));
    assert_eq!((ack.to, ack.station), (host(100, 68), None), "it answers ARP");
    let mut seat = server(&[("reply", "broadcast")]);
    assert_eq!(ask(&mut seat, &client(1).message(DISCOVER, &[])).to.address, Ipv4Addr::BROADCAST);
}

#[test]
fn a_client_finds_its_address_again_and_another_gets_another() {
    let mut seat = server(&[]);
    let first = yiaddr(&bind(&mut seat, &client(1)));
    let second = yiaddr(&bind(&mut seat, &client(2)));
    assert_ne!(first, second);
    seat.advance(s(10_000));
    assert_eq!(yiaddr(&bind(&mut seat, &client(2))), second);
    assert_eq!(yiaddr(&bind(&mut seat, &client(1))), first);
}

#[test]
fn a_client_identifier_counts_more_than_the_hardware_address_and_comes_back() {
    let mut seat = server(&[]);
    let first = ask(&mut seat, &client(1).message(DISCOVER, &[(61, b"\x00one")]));
    let second = ask(&mut seat, &client(1).message(DISCOVER, &[(61, b"\x00two")]));
    assert_ne!(yiaddr(&first), yiaddr(&second));
    assert_eq!(option(&second, 61).as_deref(), Some(&b"\x00two"[..]), "RFC 6842");
}

#[test]
fn a_free_address_that_a_client_asks_for_is_offered() {
    let mut seat = server(&[]);
    let offer = ask(&mut seat, &client(1).message(DISCOVER, &[(50, &[192, 168, 1, 150])]));
    assert_eq!(yiaddr(&offer), Ipv4Addr::new(192, 168, 1, 150));
    let other = ask(&mut seat, &client(2).message(DISCOVER, &[(50, &[192, 168, 1, 150])]));
    assert_eq!(yiaddr(&other), Ipv4Addr::new(192, 168, 1, 100));
    let outside = ask(&mut seat, &client(3).message(DISCOVER, &[(50, &[10, 0, 0, 1])]));
    assert_eq!(yiaddr(&outside), Ipv4Addr::new(192, 168, 1, 101));
}

#[test]
fn a_reserved_address_is_its_clients_and_nobody_elses() {
    let mut seat = server(&[("reservations", "02:00:00:00:00:07=192.168.1.100")]);
    assert_eq!(yiaddr(&bind(&mut seat, &client(1))), Ipv4Addr::new(192, 168, 1, 101));
    assert_eq!(yiaddr(&bind(&mut seat, &client(7))), Ipv4Addr::new(192, 168, 1, 100));
}

#[test]
fn renewing_goes_to_the_clients_address_and_holds_the_lease_longer() {
    let mut seat = server(&[("lease_s", "100")]);
    let address = yiaddr(&bind(&mut seat, &client(1)));
    seat.advance(s(50));
    let renewing = Client { ciaddr: address.octets(), ..client(1) };
    let ack = ask(&mut seat, &renewing.message(REQUEST, &[]));
    assert_eq!((kind(&ack), ack.to.address), (DhcpMessageType::Ack, address.into()));
    assert_eq!(seat.machine.leases().next().unwrap().1.until, s(150));
}

#[test]
fn a_shorter_lease_is_granted_when_it_is_asked_for_and_a_longer_is_not() {
    let mut seat = server(&[("lease_s", "100")]);
    for (asked, granted) in [(40_u32, 40_u32), (4_000, 100), (u32::MAX, 100), (0, 1)] {
        let offer = ask(&mut seat, &client(1).message(DISCOVER, &[(51, &asked.to_be_bytes())]));
        assert_eq!(option(&offer, 51).as_deref(), Some(&granted.to_be_bytes()[..]), "{asked}");
    }
}

#[test]
fn an_address_of_another_network_or_of_another_client_is_refused_by_broadcast() {
    let mut seat = server(&[]);
    let taken = yiaddr(&bind(&mut seat, &client(1))).octets();
    for address in [[10, 0, 0, 5], taken] {
        let nak = ask(&mut seat, &client(2).message(REQUEST, &[(50, &address)]));
        assert_eq!((kind(&nak), nak.to.address), (DhcpMessageType::Nak, Ipv4Addr::BROADCAST.into()));
        assert_eq!(yiaddr(&nak), Ipv4Addr::UNSPECIFIED);
    }
}

#[test]
fn a_rebooting_client_that_the_server_does_not_know_hears_nothing() {
    let mut seat = server(&[]);
    let message = client(1).message(REQUEST, &[(50, &[192, 168, 1, 120])]);
    assert_eq!(seat.datagram(anywhere(), &message), [], "RFC 2131 section 4.3.2, INIT-REBOOT");
}

#[test]
fn an_offer_is_free_again_when_the_client_chose_another_server() {
    let mut seat = server(&[]);
    let address = yiaddr(&ask(&mut seat, &client(1).message(DISCOVER, &[])));
    let other = client(1).message(REQUEST, &[(50, &[192, 168, 1, 77]), (54, &[192, 168, 1, 3])]);
    assert_eq!(seat.datagram(anywhere(), &other), []);
    assert_eq!(yiaddr(&ask(&mut seat, &client(2).message(DISCOVER, &[]))), address);
}

#[test]
fn a_declined_address_is_not_given_out_until_a_lease_has_passed() {
    let mut seat = server(&[("first", "192.168.1.100"), ("last", "192.168.1.100"), ("lease_s", "100")]);
    let address = yiaddr(&bind(&mut seat, &client(1))).octets();
    assert_eq!(seat.datagram(anywhere(), &client(1).message(DECLINE, &[(50, &address), (54, &SERVER)])), []);
    assert_eq!(seat.datagram(anywhere(), &client(1).message(DISCOVER, &[])), []);
    assert_eq!((seat.machine.counters().declines, seat.machine.counters().exhausted), (1, 1));
    seat.advance(s(101));
    assert_eq!(yiaddr(&bind(&mut seat, &client(1))).octets(), address);
}

#[test]
fn a_released_address_serves_the_next_client_when_the_pool_is_empty() {
    let mut seat = server(&[("first", "192.168.1.100"), ("last", "192.168.1.100")]);
    let address = yiaddr(&bind(&mut seat, &client(1)));
    assert_eq!(seat.datagram(anywhere(), &client(2).message(DISCOVER, &[])), []);
    assert_eq!(causes(&seat.machine), [(Cause::NoAddress, 1)]);
    let releasing = Client { ciaddr: address.octets(), ..client(1) };
    assert_eq!(seat.datagram(anywhere(), &releasing.message(RELEASE, &[(54, &SERVER)])), []);
    assert_eq!(yiaddr(&bind(&mut seat, &client(2))), address);
}

#[test]
fn inform_gets_the_configuration_without_a_lease() {
    let mut seat = server(&[]);
    let informing = Client { ciaddr: [192, 168, 1, 33], ..client(1) };
    let ack = ask(&mut seat, &informing.message(INFORM, &[]));
    assert_eq!(
        (kind(&ack), ack.to, yiaddr(&ack)),
        (DhcpMessageType::Ack, host(33, 68), Ipv4Addr::UNSPECIFIED)
    );
    assert_eq!((option(&ack, 51), option(&ack, 1).is_some()), (None, true), "RFC 2131 section 4.3.5");
    assert_eq!(seat.machine.leases().count(), 0);
}

#[test]
fn the_manners_for_tests_are_silence_lateness_refusal_and_an_address_in_use() {
    let discover = client(1).message(DISCOVER, &[]);
    assert_eq!(server(&[("answers", "no")]).datagram(anywhere(), &discover), []);

    let mut late = server(&[("delay", "5s")]);
    assert_eq!(late.datagram(anywhere(), &discover), []);
    assert_eq!(late.advance(s(10)).iter().map(|sent| sent.at).collect::<Vec<_>>(), [s(5)]);

    assert_eq!(kind(&bind(&mut server(&[("answers", "nak")]), &client(1))), DhcpMessageType::Nak);

    let mut taken = server(&[("offer", "192.168.1.1")]);
    let address = yiaddr(&bind(&mut taken, &client(1)));
    assert_eq!(address, Ipv4Addr::from(SERVER), "the server's own");
    taken.datagram(anywhere(), &client(1).message(DECLINE, &[(50, &SERVER), (54, &SERVER)]));
    assert_eq!(
        yiaddr(&bind(&mut taken, &client(1))),
        Ipv4Addr::new(192, 168, 1, 100),
        "from the pool after a decline"
    );
    assert_eq!(taken.now, ms(0));
}

proptest! {
    #[test]
    fn any_bytes_and_any_options_are_taken_and_replies_fit_what_every_client_takes(
        tail in prop::collection::vec(any::<u8>(), 0..400),
        kind in 0..10_u8,
        cut in 0..700_usize,
    ) {
        let mut seat = server(&[("hostname", "board-1"), ("ntp", "192.168.1.2")]);
        let mut message = client(1).message(kind, &[]);
        message.pop();
        message.extend(tail);
        message.truncate(cut);
        for sent in seat.datagram(anywhere(), &message) {
            prop_assert!(sent.bytes.len() <= 548, "576 bytes less the headers of IP and UDP: RFC 2131 section 2");
            prop_assert!(DhcpRepr::parse(&DhcpPacket::new_checked(&sent.bytes[..]).unwrap()).is_ok());
        }
    }

    #[test]
    fn no_two_clients_ever_hold_one_address(steps in prop::collection::vec((0..8_u8, 0..3_u8), 0..60)) {
        let mut seat = server(&[("last", "192.168.1.103"), ("lease_s", "50")]);
        let mut held = std::collections::BTreeMap::new();
        for (mac, step) in steps {
            seat.advance(s(7));
            let offers = seat.datagram(anywhere(), &client(mac).message(DISCOVER, &[]));
            let Some(offer) = offers.first() else { continue };
            let address = yiaddr(offer).octets();
            if step > 0 {
                let ack = ask(&mut seat, &client(mac).message(REQUEST, &[(50, &address), (54, &SERVER)]));
                prop_assert_eq!(kind(&ack), DhcpMessageType::Ack);
                held.retain(|_, (_, until)| *until > seat.now);
                if let Some((other, _)) = held.insert(address, (mac, seat.now + s(50))) {
                    prop_assert_eq!(other, mac, "{:?} was {}'s", address, other);
                }
            }
        }
    }
}
