//! Network files and traffic of the command line: what they give, one sentence for whatever is wrong, and what the clients and
//! servers that they ask for measure.

use std::net::Ipv4Addr;
use std::path::Path;

use lan::Passive;
use lan::{
    Awaited, Lan, NETWORK_FIELDS, NetworkError, NetworkSetup, SpiController, TrafficResults, WIFI_FIELDS,
    network_reference, network_schema,
};
use proptest::prelude::*;
use traffic::{KINDS, dhcp, dns};
use units::{Hertz, PS_PER_MS, Picoseconds};
use wiznet::{Chip, Model, Options};

const CHIP: [u8; 4] = [192, 168, 1, 50];

fn parse(text: &str) -> Result<NetworkSetup, NetworkError> {
    NetworkSetup::parse(Path::new("my.toml"), text)
}

fn sentence(text: &str) -> String {
    parse(text).expect_err("something is wrong").to_string()
}

fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

/// A W5500 that has set its address, on a network whose link is up soon.
fn addressed(setup: &NetworkSetup) -> SpiController {
    let mut lan = Lan::new(setup);
    let chip = lan.attach("chip", Chip::new(Options { link_up_time: ms(10), ..Options::of(Model::W5500) }));
    let mut spi = SpiController::new(lan, chip, Hertz::new(20_000_000).unwrap());
    spi.wait(ms(60));
    // W5500 datasheet 2.2.2 and 4.1: block 0, write, variable length; SUBR, SHAR and SIPR from 0x0005 on.
    let mut frame = vec![0, 5, 0b0000_0100, 255, 255, 255, 0, 2, 8, 0xDC, 1, 2, 3];
    frame.extend(CHIP);
    spi.select(true);
    spi.transfer(&mut frame);
    spi.select(false);
    spi
}

fn results_of(spi: &SpiController, name: &str) -> TrafficResults {
    spi.lan().results().into_iter().find(|one| one.name == name).expect("it runs")
}

#[test]
fn a_ping_from_the_pc_to_a_chip_measures_each_reply() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=5 interval=10ms size=32").unwrap();
    let mut spi = addressed(&setup);
    assert!(spi.lan().has_clients() && !spi.lan().clients_are_done());
    spi.wait(ms(300));
    assert!(spi.lan().clients_are_done());
    let ping = results_of(&spi, "ping");
    assert_eq!((ping.kind.as_str(), ping.is_client, ping.is_done), ("ping", true, true));
    assert_eq!(ping.results.samples.len(), 5);
    assert!(ping.results.failure.is_none());
    let summary = &ping.results.summary;
    assert!(summary.starts_with("5 pings in 4") && summary.ends_with(", 0 lost"), "{summary}");
    // 74 bytes, preamble and gap each way at 100 Mbit/s take more than 2 * 6.7 us.
    let latency = ping.latency().unwrap();
    assert!(latency.min > Picoseconds::new(13_000_000) && latency.max < ms(5), "{latency:?}");
    assert!(latency.min <= latency.percentiles[0] && latency.percentiles[4] <= latency.max);
}

#[test]
fn a_client_waits_until_the_link_is_up_and_the_address_is_whole() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=2 interval=10ms").unwrap();
    let mut lan = Lan::new(&setup);
    let chip = lan.attach("chip", Chip::new(Options { link_up_time: ms(500), ..Options::of(Model::W5500) }));
    let mut spi = SpiController::new(lan, chip, Hertz::new(20_000_000).unwrap());
    spi.wait(ms(60));
    // SIPR byte by byte, with a pause longer than any bus: 192.0.0.0 was never the board.
    for (register, byte) in (15..).zip(CHIP) {
        spi.select(true);
        spi.transfer(&mut [0, register, 0b0000_0100, byte]);
        spi.select(false);
        spi.wait(ms(20));
    }
    spi.wait(ms(1_000));
    let ping = results_of(&spi, "ping");
    assert!(ping.is_done && ping.results.failure.is_none(), "{}", ping.results.summary);
    assert!(ping.results.samples[0].trigger >= ms(600), "{:?}", ping.results.samples[0]);
    assert_eq!(ping.results.counters[0].value, 2);
}

#[test]
fn a_ping_that_nobody_answers_has_failed_and_one_without_a_board_waits() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=192.168.1.77 count=2 interval=10ms timeout=20ms").unwrap();
    setup.pc.as_mut().unwrap().answers_for_all = false;
    let mut spi = addressed(&setup);
    spi.wait(ms(200));
    let failure = results_of(&spi, "ping").results.failure.unwrap();
    assert_eq!(failure, "192.168.1.77 answered none of 2 pings within 20 ms");

    let mut waits = NetworkSetup::default();
    waits.add_traffic("ping to=board").unwrap();
    let lan = Lan::new(&waits);
    let ping = lan.results().into_iter().find(|one| one.name == "ping").unwrap();
    assert_eq!(ping.waits_for, Some(Awaited::Link));
    assert!(!lan.clients_are_done());
}

#[test]
fn a_loss_on_the_command_line_loses_pings() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=200 interval=100ms timeout=50ms").unwrap();
    setup.set_impairments("loss=20%").unwrap();
    let mut spi = addressed(&setup);
    spi.wait(ms(21_000));
    let samples = results_of(&spi, "ping").results.samples;
    let lost = samples.iter().filter(|sample| sample.done.is_none()).count();
    // Both ways: 72 of 200 on average with a standard deviation of 7, and some while the address is asked for.
    assert!((45..110).contains(&lost), "{lost}");
}

#[test]
fn a_client_whose_name_is_taken_gets_a_number_and_a_server_takes_its_place() {
    let mut setup = NetworkSetup::default();
    let servers = setup.traffic.len();
    for _ in 0..3 {
        setup.add_traffic("ping to=board").unwrap();
    }
    setup.add_traffic("page kind=http to=board:8080 requests=10").unwrap();
    setup.add_traffic("http-server size=1KiB").unwrap();
    let names: Vec<&str> = setup.traffic[servers - 1..].iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["ping", "ping-2", "ping-3", "page", "http-server"]);
}

#[test]
fn dhcp_gives_out_the_network_of_the_pc_whatever_that_is() {
    for (address, first, last) in [
        ("192.168.1.1/24", [192, 168, 1, 100], [192, 168, 1, 199]),
        ("10.1.2.3/16", [10, 1, 0, 100], [10, 1, 0, 199]),
        ("10.0.0.1/28", [10, 0, 0, 2], [10, 0, 0, 14]),
        ("10.0.0.14/28", [10, 0, 0, 1], [10, 0, 0, 13]),
    ] {
        let setup = parse(&format!("[pc]\naddress = '{address}'\n")).unwrap();
        let mut lan = Lan::new(&setup);
        let server: dhcp::Server = lan.machine("dhcp").expect("every PC has one");
        let server = format!("{server:?}");
        let own: Ipv4Addr = address.split_once('/').unwrap().0.parse().unwrap();
        let (first, last) = (Ipv4Addr::from(first), Ipv4Addr::from(last));
        for expected in [
            format!("server: {own}"),
            format!("router: Some({own})"),
            format!("dns: [{own}]"),
            format!("first: {first}"),
            format!("last: {last}"),
        ] {
            assert!(server.contains(&expected), "{address}: {expected} in {server}");
        }
    }
    // Even a network that has no room for anybody else.
    for prefix in 0..=32 {
        if let Ok(setup) = parse(&format!("[pc]\naddress = '10.9.8.7/{prefix}'\n")) {
            assert!(Lan::new(&setup).machine::<dhcp::Server>("dhcp").is_some(), "/{prefix}");
        }
    }
}

#[test]
fn dns_knows_every_name_where_the_pc_answers_for_every_address() {
    let own = "[pc]\naddress = '10.1.2.3/16'\n";
    let records = "[traffic.dns]\nrecords = 'a.lab=10.0.0.9'\n";
    for (text, known) in [
        (own.to_owned(), "10.1.2.3"),
        (format!("{own}answers_for_all = false\n"), "records: []"),
        (format!("{own}{records}"), "10.0.0.9"),
    ] {
        let server: dns::Server = Lan::new(&parse(&text).unwrap()).machine("dns").expect("every PC has one");
        let server = format!("{server:?}");
        assert!(server.contains(known), "{text}: {server}");
        assert_eq!(server.contains("10.1.2.3"), known == "10.1.2.3", "{text}: {server}");
    }
}

#[test]
fn what_is_wrong_is_one_sentence_with_its_line() {
    let cases = [
        ("speed = 1\n", "my.toml:1: speed: there is no such field; the nearest is seed"),
        (
            "[cable]\nspeed = '1 Gbit/s'\n",
            "my.toml:2: cable.speed is \"1 Gbit/s\", but it takes 10 Mbit/s or 100 Mbit/s",
        ),
        ("[cable]\nimpair = 'los=1%'\n", "my.toml:2: cable.impair is \"los=1%\", but it takes impairments"),
        (
            "[access_points.lab]\npassphrse = 'x'\n",
            "my.toml:2: access_points.lab.passphrse: there is no such field; the nearest is passphrase",
        ),
        (
            "[access_points.lab]\npassphrase = 'short'\n",
            "my.toml:1: access_points.lab: passphrase takes 8 to 63 characters",
        ),
        (
            "[access_points.lab]\nsecurity = 'wep'\n",
            "my.toml:2: access_points.lab.security is \"wep\", but it takes open, wpa2, wpa3 or wpa2-wpa3",
        ),
        (
            "[access_points.lab]\nsecurity = 'open'\npassphrase = 'correct horse'\n",
            "my.toml:1: access_points.lab: an open network has no passphrase; leave it out, or say security = \"wpa2\"",
        ),
        (
            "[access_points.lab]\nback_at = '3 s'\n",
            "my.toml:1: access_points.lab: back_at takes a time after gone_at",
        ),
        ("[access_points]\nlab = 3\n", "my.toml:2: access_points.lab is 3, but it takes a table"),
        ("[pc]\nadress = ''\n", "my.toml:2: pc.adress: there is no such field; the nearest is address"),
        (
            "[traffic.pnig]\nto = 'board'\n",
            "my.toml:1: traffic.pnig: \"pnig\" is no kind of client or server; the nearest is ping",
        ),
        (
            "[pc]\naddress = 'fe80::1/64'\n",
            "my.toml:2: pc.address is \"fe80::1/64\", but it takes an IPv4 address with its prefix length",
        ),
        (
            "[pc]\nipv6 = '10.0.0.1/24'\n",
            "my.toml:2: pc.ipv6 is \"10.0.0.1/24\", but it takes an IPv6 address with its prefix length",
        ),
        (
            "[pc]\nipv6 = 'fe80::1/64'\n",
            "its IPv6 address is not that of one host beyond its link, or its prefix is longer than 128",
        ),
        (
            "[traffic.ping]\nto = 'board6'\nsize = 1472\n",
            "traffic.ping.size: over IPv6 a packet holds at most 1452 bytes, and this would be 1472",
        ),
        ("[traffic.ping]\n", "my.toml:1: traffic.ping.to is not given; it takes an IPv4 or IPv6 address"),
        (
            "[traffic.ping]\nto = 'board'\nsizze = 1\n",
            "traffic.ping.sizze: there is no such option; the nearest is size",
        ),
        (
            "[traffic.ping]\nto = 'board'\nname = 'second'\n",
            "a name of its own stands first, and its kind behind it, as in \"mine kind=ping\"",
        ),
        (
            "[traffic.ping]\nto = 'board'\nsize = 9999\n",
            "traffic.ping.size is \"9999\", but takes a size from 0 B to 1472 B",
        ),
        (
            "[traffic.ping]\nto = 'board'\nstart = 'soon'\n",
            "traffic.ping.start is \"soon\", but it takes a time",
        ),
        ("[traffic.ping]\nto = [1]\n", "my.toml:2: traffic.ping.to is a list, but it takes a value"),
        (
            "[traffic.dhcp]\nfirst = '10.0.0.1'\n",
            "traffic.dhcp.first: 10.0.0.1 is outside the network of 192.168.1.1/255.255.255.0",
        ),
    ];
    for (text, expected) in cases {
        let said = sentence(text);
        assert!(said.contains(expected), "{text:?}: {said}");
        assert!(!said.contains('\n'), "{said}");
    }
}

#[test]
fn a_pool_fits_the_address_that_stands_further_down() {
    parse("[traffic.dhcp]\nfirst = '10.0.0.5'\nlast = '10.0.0.9'\n[pc]\naddress = '10.0.0.1/24'\n").unwrap();
}

#[test]
fn what_is_wrong_on_the_command_line_is_a_sentence() {
    let said = |text: &str| NetworkSetup::default().add_traffic(text).unwrap_err();
    assert_eq!(said(" "), "a client or a server has a name, such as ping to=board");
    assert_eq!(said("ping board"), "traffic.ping: \"board\" is no option with its value, such as count=10");
    assert_eq!(
        said("ping to=board:80"),
        "traffic.ping.to is \"192.168.1.100:80\", but takes an IPv4 or IPv6 address, such as 192.168.1.20"
    );
    let mut alone = parse("[pc]\naddress = 'none'\n").unwrap();
    assert_eq!(
        alone.add_traffic("ping to=board").unwrap_err(),
        "traffic.ping: the network has no PC to run it"
    );
    assert!(NetworkSetup::default().set_impairments("loss").is_err());
}

#[test]
fn every_example_of_a_field_and_of_every_kind_is_taken_in_a_file() {
    for field in NETWORK_FIELDS {
        let table = if field.table.is_empty() { String::new() } else { format!("[{}]\n", field.table) };
        parse(&format!("{table}{} = {}\n", field.field.name, field.field.example)).unwrap();
    }
    for kind in KINDS {
        let needed = kind.options.iter().filter(|option| option.default.is_none());
        let needed: String =
            needed.map(|option| format!("{} = '{}'\n", option.name, option.example)).collect();
        // The examples of files are the user's to have.
        let is_no_file = |name: &str| !matches!(name, "certificate" | "file");
        for option in kind.options.iter().filter(|one| one.default.is_some() && is_no_file(one.name)) {
            // An example of DHCP may belong to another network than the PC's.
            let network = if kind.name == "dhcp" { "server = '192.168.1.1'\n" } else { "" };
            let network = if option.name == "server" { "" } else { network };
            // These would do nothing alone.
            let with = match (kind.name, option.name) {
                ("pingpong", "size") => "payload = 'bytes'\n",
                ("udp", "first_number") => "payload = 'counter'\n",
                ("http", "body") => "method = 'POST'\n",
                _ => "",
            };
            let text = format!(
                "[traffic.my]\nkind = '{}'\n{needed}{network}{with}{} = '{}'\n",
                kind.name, option.name, option.example
            );
            parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }
}

#[test]
fn schema_and_reference_know_every_field_and_every_option() {
    let (schema, reference) = (network_schema(), network_reference());
    for field in NETWORK_FIELDS {
        let place = match field.table {
            "" => &schema["properties"],
            table => &schema["properties"][table]["properties"],
        };
        assert!(place[field.field.name].is_object(), "{}.{}", field.table, field.field.name);
    }
    for field in WIFI_FIELDS {
        assert!(schema["properties"]["wifi"]["properties"][field.name].is_object(), "wifi.{}", field.name);
    }
    for kind in KINDS {
        let known = &schema["properties"]["traffic"]["properties"][kind.name];
        assert!(
            kind.options.iter().all(|option| known["properties"][option.name].is_object()),
            "{}",
            kind.name
        );
        assert_eq!(known["additionalProperties"], false);
    }
    assert_eq!(reference["kinds"].as_array().unwrap().len(), KINDS.len());
    assert_eq!(reference["fields"].as_array().unwrap().len(), NETWORK_FIELDS.len());
    assert_eq!(reference["wifi"].as_array().unwrap().len(), WIFI_FIELDS.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_a_network_or_a_sentence(text in "\\PC{0,80}") {
        if let Err(error) = parse(&text) {
            prop_assert!(!error.to_string().contains('\n'), "{error}");
        }
        let _ = NetworkSetup::default().add_traffic(&text);
        let _ = NetworkSetup::default().set_impairments(&text);
    }

    #[test]
    fn any_value_of_any_option_is_a_network_that_runs_or_a_sentence(
        kind in (0..KINDS.len()).prop_map(|index| &KINDS[index]),
        number in 0_usize..32,
        value in "board|[0-9]{1,20}|[0-9]{1,9}(ps|us|s|B|kB|MB)|[0-9.:/,]{0,16}|true|no|none|\\PC{0,12}",
    ) {
        let option = &kind.options[number % kind.options.len()];
        let mut words = format!("my kind={}", kind.name);
        for needed in kind.options.iter().filter(|one| one.default.is_none() && one.name != option.name) {
            words += &format!(" {}={}", needed.name, needed.example);
        }
        words += &format!(" {}={value}", option.name);
        let mut setup = NetworkSetup::default();
        match setup.add_traffic(&words) {
            Ok(()) => {
                let mut lan = Lan::new(&setup);
                lan.advance(Picoseconds::from_ns(100_000));
                prop_assert!(lan.results().iter().any(|one| one.name == "my"));
            }
            Err(error) => prop_assert!(!error.contains('\n'), "{error}"),
        }
    }

    #[test]
    fn any_table_of_fields_is_a_network_or_a_sentence(
        table in "cable|pc|traffic\\.[a-z]{1,6}|traffic\\.ping|seed",
        name in "[a-z_]{1,10}|to|kind|start|address|impair|speed",
        value in "[0-9]{1,12}|'[a-z0-9.:/=%,]{0,20}'|true|\\[\\]|\\{\\}|1979-05-27|[0-9.e-]{1,8}",
    ) {
        let text = format!("[{table}]\n{name} = {value}\n");
        if let Err(error) = parse(&text) {
            prop_assert!(error.to_string().starts_with("my.toml:"), "{error}");
        }
    }
}

#[test]
fn a_server_that_a_user_asks_for_takes_the_port_of_one_that_runs_anyway() {
    let setup = parse("[traffic.web]\nkind = \"http-server\"\nsize = \"9B\"\n").unwrap();
    let names: Vec<&str> = setup.traffic.iter().map(|one| one.name.as_str()).collect();
    assert!(names.contains(&"web") && !names.contains(&"http-server"), "{names:?}");
    let refused =
        sentence("[traffic.a]\nkind = \"discard\"\nport = 4000\n[traffic.b]\nkind = \"echo\"\nport = 4000\n");
    assert_eq!(
        refused,
        "my.toml:4: traffic.b: TCP port 4000 is that of a already; give one of them another port"
    );
    let mut setup = NetworkSetup::default();
    setup.add_traffic("dns2 kind=http-server port=53").unwrap();
    assert!(setup.traffic.iter().all(|one| one.name != "dns"), "a part of its ports is no server");
    assert!(setup.traffic.iter().any(|one| one.name == "http-server"));
}

#[test]
fn two_pings_at_once_lose_nothing() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=20 interval=5ms").unwrap();
    setup.add_traffic("ping to=board count=20 interval=7ms").unwrap();
    let mut spi = addressed(&setup);
    spi.wait(ms(400));
    for name in ["ping", "ping-2"] {
        let results = results_of(&spi, name).results;
        assert!(results.summary.ends_with(", 0 lost"), "{name}: {}", results.summary);
        assert!(results.losses.is_empty(), "{name}");
    }
}

#[test]
fn messages_that_are_lost_say_why_and_when() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=4 interval=10ms timeout=20ms").unwrap();
    setup.impairments[0] = "drop=2+3+4+5+6".parse().unwrap();
    let mut spi = addressed(&setup);
    spi.wait(ms(300));
    let losses = results_of(&spi, "ping").results.losses;
    let [loss] = &losses[..] else { panic!("{losses:?}") };
    assert_eq!((loss.cause, loss.first.peer), (traffic::Cause::TimedOut, None));
    assert!(loss.count >= 1 && loss.first.at <= loss.last.at && loss.first.index <= loss.last.index);
}

#[test]
fn a_pc_may_be_a_station_of_the_boards_own_network() {
    let setup = parse("[pc.station]\nssid = \"bench\"\npassphrase = \"correct horse\"").expect("it is right");
    let (joiners, pc) = (Lan::new(&setup).joiners(), setup.pc.expect("there is one"));
    let [only] = &joiners[..] else { panic!("one PC joins, not {}", joiners.len()) };
    assert_eq!((only.address, only.ssid.as_deref()), (pc.mac, Some("bench")));
    assert_eq!(only.passphrase.as_deref(), Some("correct horse"));
    assert!(Lan::new(&parse("").expect("it is right")).joiners().is_empty());
    for (text, why) in [
        ("passphrase = \"short\"", "pc.station: passphrase takes 8 to 63 characters"),
        ("ssid = \"\"", "pc.station: ssid takes 1 to 32 bytes"),
        ("sid = \"bench\"", "pc.station.sid"),
    ] {
        let sentence = sentence(&format!("[pc.station]\n{text}"));
        assert!(sentence.contains(why), "{sentence}");
    }
}
