//! Clients and servers made by their names from options in text.

use std::collections::BTreeSet;

use proptest::prelude::*;
use traffic::{Action, Event, KINDS, Kind, kind, machine};
use units::Picoseconds;

/// What a kind cannot do without.
fn needed(kind: &Kind) -> Vec<(&'static str, &'static str)> {
    let needed = kind.options.iter().filter(|option| option.default.is_none());
    needed.map(|option| (option.name, option.example)).collect()
}

/// With some options beside those.
fn made(kind: &Kind, more: &[(&str, &str)]) -> Result<String, String> {
    let mut options: Vec<(&str, &str)> = needed(kind);
    options.extend(more);
    let made = machine(kind.name, &options);
    made.map(|machine| format!("{machine:?}")).map_err(|error| error.to_string())
}

fn options() -> impl Iterator<Item = (&'static Kind, &'static fields::Field)> {
    KINDS.iter().flat_map(|kind| kind.options.iter().map(move |option| (kind, option)))
}

#[test]
fn every_kind_is_made_with_nothing_but_what_it_needs() {
    for kind in KINDS {
        made(kind, &[]).unwrap();
        // It asks everybody, so nobody has to say whom.
        let needs_nothing = kind.serves || kind.name == "dhcp-client";
        assert_eq!(
            needs_nothing,
            needed(kind).is_empty(),
            "{}: clients need `to`, servers nothing",
            kind.name
        );
        assert!(!kind.title.is_empty() && !kind.title.ends_with('.'), "{}", kind.name);
        assert_eq!(KINDS.iter().filter(|other| other.name == kind.name).count(), 1, "{}", kind.name);
    }
}

#[test]
fn every_default_that_is_given_changes_nothing() {
    for (kind, option) in options() {
        let Some(default) = option.default else { continue };
        assert_eq!(made(kind, &[(option.name, default)]), made(kind, &[]), "{}.{}", kind.name, option.name);
    }
}

/// What some options say counts only with others.
fn companions(kind: &Kind, option: &str) -> &'static [(&'static str, &'static str)] {
    match (kind.name, option) {
        ("pingpong", "size" | "seed") => &[("payload", "bytes")],
        ("pingpong-server", "size") => &[("answer", "echo")],
        ("udp", "first_number") => &[("payload", "counter")],
        ("http", "body") => &[("method", "POST")],
        ("talk", "interval") => &[("count", "3")],
        _ => &[],
    }
}

#[test]
fn every_example_is_taken_and_changes_the_machine() {
    for (kind, option) in options() {
        let place = format!("{}.{}", kind.name, option.name);
        // Their examples are files, which are the user's.
        if matches!(option.name, "certificate" | "file") {
            continue;
        }
        let with = companions(kind, option.name);
        let example: Vec<_> = with.iter().copied().chain([(option.name, option.example)]).collect();
        let changed = made(kind, &example).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(
            option.default.is_none() || Ok(changed) != made(kind, with),
            "{place}: the example is the default"
        );
    }
}

#[test]
fn every_option_is_in_its_table_once_under_a_plain_name_with_a_sentence() {
    for (kind, option) in options() {
        let place = format!("{}.{}", kind.name, option.name);
        assert_eq!(kind.options.iter().filter(|other| other.name == option.name).count(), 1, "{place}");
        assert!(
            option.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
            "{place}"
        );
        assert!(option.help.ends_with('.') && option.help.len() > 10, "{place}");
        assert!(!option.takes.to_string().is_empty(), "{place}");
        assert!(!["kind", "start"].contains(&option.name), "{place}: network files have that for every kind");
    }
}

#[test]
fn all_servers_fit_on_one_host() {
    let mut ports = BTreeSet::new();
    for kind in KINDS.iter().filter(|kind| kind.serves) {
        let mut server = kind.machine(&[]).unwrap();
        server.handle(Picoseconds::ZERO, Event::Wake);
        let mut listens = false;
        while let Some(action) = server.poll() {
            let (protocol, port) = match action {
                Action::Listen(_, port) => ("tcp", port),
                Action::Bind(_, port, _) => ("udp", port),
                _ => continue,
            };
            listens = true;
            assert!(ports.insert((protocol, port)), "{}: {protocol} port {port} is taken", kind.name);
        }
        assert!(listens, "{}", kind.name);
    }
    for known in [("tcp", 80), ("tcp", 5000), ("tcp", 5001), ("udp", 5001), ("tcp", 1883), ("udp", 67)] {
        assert!(ports.contains(&known), "{known:?}");
    }
}

#[test]
fn a_client_takes_an_address_with_and_without_a_port() {
    let pingpong = kind("pingpong").unwrap();
    assert_eq!(made(pingpong, &[("to", "10.0.0.9")]), made(pingpong, &[("to", "10.0.0.9:5000")]));
    assert!(made(pingpong, &[("to", "10.0.0.9:81")]).unwrap().contains("port: 81"));
    for wrong in ["", "10.0.0", "10.0.0.9:", "10.0.0.9:0", "10.0.0.9:65536", "host:80"] {
        let error = made(pingpong, &[("to", wrong)]).unwrap_err();
        assert_eq!(
            error,
            format!(
                "to is {wrong:?}, but takes an IPv4 or IPv6 address, or one with a port (else 5000), such as 192.168.1.20:5000"
            )
        );
    }
}

#[test]
fn an_address_of_ipv6_stands_in_brackets_before_a_port() {
    let pingpong = kind("pingpong").unwrap();
    let usual = made(pingpong, &[("to", "fe80::1")]);
    assert!(usual.as_ref().unwrap().contains("address: fe80::1, port: 5000"));
    for same in ["[fe80::1]", "[fe80::1]:5000"] {
        assert_eq!(made(pingpong, &[("to", same)]), usual, "{same}");
    }
    for wrong in
        ["[fe80::1]:0", "[fe80::1", "fe80::1]:80", "[10.0.0.1]:80", "[fe80::1]80", "fe80::1%eth0", "[]:80"]
    {
        let error = made(pingpong, &[("to", wrong)]).unwrap_err();
        assert!(error.contains("takes an IPv4 or IPv6 address, or one with a port"), "{error}");
    }
}

#[test]
fn what_goes_over_ipv6_fits_one_packet_or_is_refused() {
    let said =
        |name: &str, options: &[(&str, &str)]| machine(name, options).map(drop).map_err(|e| e.to_string());
    for (name, option) in [("ping", "size"), ("udp", "size"), ("iperf-udp", "size")] {
        assert_eq!(said(name, &[("to", "fe80::1"), (option, "1452B")]), Ok(()), "{name}");
        assert_eq!(
            said(name, &[("to", "fe80::1"), (option, "1453B")]).unwrap_err(),
            "size: over IPv6 a packet holds at most 1452 bytes, and this would be 1453"
        );
        assert_eq!(said(name, &[("to", "10.0.0.1"), (option, "1472B")]), Ok(()), "{name}");
    }
    assert_eq!(said("iperf-udp", &[("to", "fe80::1")]), Ok(()), "its usual size fits");
}

#[test]
fn what_is_wrong_is_said_in_a_sentence_with_what_is_near() {
    let said = |name: &str, options: &[(&str, &str)]| machine(name, options).unwrap_err().to_string();
    assert_eq!(said("pnig", &[]), "\"pnig\" is no kind of client or server; the nearest is ping");
    assert!(said("telnet", &[]).contains("there are ping, pingpong, http"));
    assert_eq!(
        said("ping", &[("to", "10.0.0.1"), ("sizze", "3")]),
        "sizze: there is no such option; the nearest is size"
    );
    assert_eq!(said("ping", &[]), "to is not given; it takes an IPv4 or IPv6 address, such as 192.168.1.20");
    assert_eq!(
        said("ping", &[("to", "10.0.0.1"), ("size", "9999")]),
        "size is \"9999\", but takes a size from 0 B to 1472 B, such as 1300B"
    );
    assert_eq!(
        said("bulk", &[("to", "10.0.0.1"), ("send", "1kB"), ("time", "1s")]),
        "time: send says how much, and only one of the two can hold"
    );
    assert_eq!(
        said("dhcp", &[("server", "10.0.0.1")]),
        "first: 192.168.1.100 is outside the network of 10.0.0.1/255.255.255.0"
    );
    assert_eq!(
        said("dns", &[("records", "a=1.2.3")]),
        "records is \"a=1.2.3\", but takes name=IPv4 address, between commas, such as pc.airwire.test=192.168.1.2,*.lab=192.168.1.3"
    );
}

#[test]
fn bounds_are_the_last_values_that_are_taken() {
    for (kind, option) in options() {
        let fields::Takes::Count(least, most) = option.takes else { continue };
        let with = |value: u64| {
            let value = value.to_string();
            let options: Vec<_> = companions(kind, option.name)
                .iter()
                .copied()
                .chain([(option.name, value.as_str())])
                .collect();
            made(kind, &options)
        };
        for inside in [least, most] {
            assert!(with(inside).is_ok(), "{}.{} {inside}", kind.name, option.name);
        }
        for outside in [least.checked_sub(1), most.checked_add(1)].into_iter().flatten() {
            assert!(with(outside).is_err(), "{}.{}", kind.name, option.name);
        }
    }
}

#[test]
fn words_for_on_and_off_are_those_of_toml_and_of_people() {
    let dhcp = kind("dhcp").unwrap();
    assert_eq!(made(dhcp, &[("answers", "false")]), made(dhcp, &[("answers", "no")]));
    let pingpong = kind("pingpong").unwrap();
    assert_eq!(made(pingpong, &[("no_delay", "no")]), made(pingpong, &[("no_delay", " false ")]));
}

proptest! {
    #[test]
    fn any_text_for_any_option_makes_a_machine_or_a_sentence(number in 0usize..1000, text in "\\PC{0,20}|[0-9.:/, a-zA-Z=-]{0,24}") {
        let all: Vec<_> = options().collect();
        let (kind, option) = all[number % all.len()];
        if let Err(error) = made(kind, &[(option.name, &text)]) {
            prop_assert!(!error.is_empty() && !error.ends_with('.') && !error.contains('\n'), "{error}");
        }
        let _ = machine(&text, &[(text.as_str(), text.as_str())]);
    }
}

#[test]
fn an_option_that_would_do_nothing_is_refused_with_the_reason() {
    let to = ("to", "10.0.0.1:7");
    for (kind, options, says) in [
        ("udp", [("rate", "100"), ("think_time", "1ms")], "think_time: no datagram waits for an answer"),
        ("udp", [("payload", "bytes"), ("first_number", "5")], "first_number: the payload is no counter"),
        ("udp", [("payload", "counter"), ("size", "9B")], "size: the payload is a counter"),
        ("pingpong", [("rounds", "5"), ("size", "100B")], "size: the payload is a counter"),
        ("pingpong", [("payload", "text"), ("newline", "true")], "newline: the payload is no counter"),
        ("http", [("method", "GET"), ("body", "x")], "body: the method is not POST"),
        ("talk", [("at", "1ms,2ms"), ("count", "3")], "count: at says when each message leaves"),
    ] {
        let [first, second] = options;
        let error = machine(kind, &[to, first, second]).unwrap_err().to_string();
        assert!(error.contains(says) && error.ends_with("leave it out"), "{kind}: {error}");
        let one_alone = |option| machine(kind, &[to, option]).is_ok();
        assert!(one_alone(first), "{kind} {first:?}");
    }
}
