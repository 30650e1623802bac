//! The PC of a network: its field for playing every host, and a copy of it with all that it serves.

use std::path::Path;

use ethernet::AddressConfiguration;
use lan::{Lan, NetworkSetup, Passive};
use units::Picoseconds;
use wiznet::{Chip, Model, Options};

fn parse(text: &str) -> Result<NetworkSetup, String> {
    NetworkSetup::parse(Path::new("network.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn the_pc_answers_for_all_unless_told_otherwise() {
    let answers = |text: &str| parse(text).expect("a network").pc.expect("a PC").answers_for_all;
    assert!(answers(""));
    assert!(answers("[pc]\nanswers_for_all = true\n"));
    assert!(!answers("[pc]\nanswers_for_all = false\n"));
    let error = parse("[pc]\nanswers_for_all = \"sometimes\"\n").expect_err("no such value");
    assert!(error.contains("pc.answers_for_all") && error.contains("true or false"), "{error}");
}

#[test]
fn a_router_over_ipv6_has_a_network_wherever_that_stands_in_the_file() {
    let pc = |text: &str| parse(&format!("[pc]\n{text}")).expect("a network").pc.expect("a PC");
    let given = Some(("2001:db8::1".parse().expect("an address"), 64));
    for text in
        ["ipv6_router = true\nipv6 = '2001:db8::1/64'\n", "ipv6 = '2001:db8::1/64'\nipv6_router = true\n"]
    {
        assert_eq!((pc(text).ipv6_router, pc(text).ipv6), (true, given));
    }
    let private = Some(("fd00::1".parse().expect("an address"), 64));
    assert_eq!(pc("ipv6_router = true\n").ipv6, private);
    assert_eq!((pc("ipv6_router = false\n").ipv6_router, pc("").ipv6), (false, None));
}

#[test]
fn a_pc_that_has_boards_ask_a_dhcp_server_is_a_router() {
    let pc = |text: &str| parse(&format!("[pc]\n{text}")).expect("a network").pc.expect("a PC");
    let told = pc("ipv6_configuration = 'stateful-dhcp'\n");
    assert_eq!((told.ipv6_router, told.ipv6_configuration), (true, AddressConfiguration::StatefulDhcp));
    assert_eq!(told.ipv6, pc("ipv6_router = true\n").ipv6);
    assert_eq!(pc("ipv6_router = true\n").ipv6_configuration, AddressConfiguration::Slaac);
}

#[test]
fn a_pc_with_all_its_services_and_no_connection_can_be_copied() {
    let mut lan = Lan::new(&NetworkSetup::default());
    lan.advance(Picoseconds::from_ns(10_000_000));
    assert_eq!(lan.with_pc(|pc| pc.snapshot_refusal()), Some(None));
    let copy = lan.snapshot().expect("a copy");
    assert_eq!(copy.now(), lan.now());
    assert_eq!(copy.next_event(), lan.next_event());
}

/// Lets everything happen up to a time, event by event, as an owner of time does; how many there were.
fn brought(to: Picoseconds, passive: &mut dyn Passive) -> usize {
    let mut events = 0;
    while let Some(at) = passive.next_event().filter(|&at| at <= to) {
        passive.advance(at);
        assert!(passive.next_event().is_none_or(|next| next > at), "it stays at {at}");
        events += 1;
    }
    events
}

#[test]
fn a_network_has_no_time_of_its_own() {
    let mut lan = Lan::new(&NetworkSetup::default());
    let link_up_time = Picoseconds::from_ns(10_000_000);
    let chip = lan.attach("chip", Chip::new(Options { link_up_time, ..Options::of(Model::W5500) }));
    let has_link = |lan: &Lan| lan.device(chip).is_some_and(|chip| chip.link().is_some());
    let end = Picoseconds::from_ns(200_000_000);
    assert!(!has_link(&lan));
    assert!(brought(end, &mut lan) > 0 && has_link(&lan));
    assert!(lan.now() <= end && lan.next_event().is_none_or(|at| at > end));
    let before = lan.now();
    lan.advance(Picoseconds::ZERO);
    assert_eq!(lan.now(), before, "a time before its own changes nothing");
}
