//! What a suite may say of boards, and what is answered where it says something else.

use bench::suite::{Amount, Compare, Quantity, Statistic, Suite};
use std::path::Path;

fn parse(text: &str) -> Result<Suite, String> {
    Suite::parse(Path::new("suites/field.toml"), text.to_owned()).map_err(|error| error.to_string())
}

fn refusal(text: &str) -> String {
    parse(text).expect_err("the suite is wrong")
}

#[test]
fn lists_of_settings_make_a_row_for_each() {
    let suite = parse("[boards.pp]\nsettings = { spi_hz = [48000, '2 MHz'], poll_ms = 0 }\n").unwrap();
    let names: Vec<&str> = suite.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["pp spi_hz=48000", "pp spi_hz=2 MHz"]);
    let row = &suite.rows[1];
    assert_eq!(
        (row.board().unwrap().firmware.as_str(), row.board().unwrap().board.as_str()),
        ("pp.elf", "w5500-evb-pico")
    );
    assert_eq!(row.board().unwrap().settings["spi_hz"], "2 MHz");
    assert_eq!(
        (row.measurement.quantity, row.measurement.limit.to_string()),
        (Quantity::Messages, "10 s".to_owned())
    );
}

#[test]
fn of_thousands_of_rows_each_is_compared_with_its_own() {
    let values: Vec<String> = (0..5000).map(|value| value.to_string()).collect();
    let text = format!(
        "[boards.a]\nsettings = {{ spi_hz = [{}] }}\n[boards.b]\nsame_but = 'a'\nsettings = {{ poll_ms = 1 }}\n",
        values.join(", ")
    );
    let suite = parse(&text).unwrap();
    let last = suite.rows.last().unwrap();
    assert_eq!((suite.rows.len(), last.same_but.as_ref().unwrap().row.as_str()), (10_000, "a spi_hz=4999"));
}

#[test]
fn a_row_cannot_be_asked_for_no_messages() {
    let suite = parse("[boards.a]\n").unwrap();
    let refused = suite.clone().narrowed(&[], Some(0), None).expect_err("no row has 0 messages");
    assert_eq!(refused.to_string(), "a: samples is 0, but it takes a whole number from 1 to 100000000");
    assert_eq!(suite.narrowed(&[], Some(7), None).unwrap().rows[0].measurement.samples, Some(7));
}

#[test]
fn an_entry_has_the_fields_of_the_one_that_it_is_compared_with() {
    let suite = parse(
        "[boards.fast]\nfirmware = 'pp.elf'\nlimit = '20 s'\nskip = 1\nsettings = { spi_hz = 33000000, poll_ms = 0 }\n\
         [boards.slow]\nsame_but = 'fast'\nsettings = { spi_hz = 2000000 }\n",
    )
    .unwrap();
    let slow = &suite.rows[1];
    assert_eq!((slow.board().unwrap().firmware.as_str(), slow.measurement.skip), ("pp.elf", 1));
    let same = slow.same_but.as_ref().unwrap();
    assert_eq!((same.row.as_str(), same.what.as_str()), ("fast", "spi_hz"));
    assert_eq!((same.here.as_deref(), same.there.as_deref()), (Some("2000000"), Some("33000000")));
}

#[test]
fn each_row_of_a_list_is_compared_with_the_row_that_differs_in_one_thing() {
    let suite = parse(
        "[boards.a]\nsettings = { spi_hz = [1, 2] }\n[boards.b]\nsame_but = 'a'\nsettings = { interrupts = true }\n",
    )
    .unwrap();
    let compared: Vec<&str> =
        suite.rows[2..].iter().map(|row| row.same_but.as_ref().unwrap().row.as_str()).collect();
    assert_eq!(compared, ["a spi_hz=1", "a spi_hz=2"]);
}

#[test]
fn a_program_built_for_another_board_differs_in_the_board_alone() {
    let of = |firmware: &str| {
        let other = format!("[boards.b]\nsame_but = 'a'\nboard = 'pico-w5100'\nfirmware = '{firmware}'\n");
        parse(&format!("[boards.a]\nfirmware = 'w5500-evb-pico/x.elf'\n{other}"))
    };
    let suite = of("pico-w5100/x.elf").unwrap();
    assert_eq!(suite.rows[1].same_but.as_ref().unwrap().what, "board");
    assert!(of("pico-w5100/y.elf").unwrap_err().to_string().contains("2 things (board, firmware)"));
    assert!(of("x.elf").unwrap_err().to_string().contains("2 things (board, firmware)"));
}

#[test]
fn published_figures_are_compared_in_the_unit_of_the_row() {
    let published = |text: &str| {
        let suite = parse(text).unwrap();
        let row = suite.rows.last().unwrap();
        let published = row.published.clone().unwrap();
        (published.in_unit_of(row.measurement.quantity).unwrap(), published.compare)
    };
    let bulk = "[boards.a]\nmeasure = 'bulk'\npublished = { value = 1.5, unit = 'MB/s', source = 's' }\n";
    assert_eq!(published(bulk), (Amount::Exact(12e6), Compare::Absolute));
    let ratio = "[boards.a]\n[boards.b]\nsame_but = 'a'\nsettings = { x = 1 }\n\
                 published = { value = 5.8, unit = 'x', source = 's', compare = 'ratio' }\n";
    assert_eq!(published(ratio), (Amount::Exact(5.8), Compare::Ratio));
    let range =
        "[boards.a]\nmeasure = 'bulk'\npublished = { from = 1, to = 2, unit = 'MB/s', source = 's' }\n";
    assert_eq!(published(range), (Amount::Between(8e6, 16e6), Compare::Absolute));
    let most = "[boards.a]\nmeasure = 'latency'\npublished = { at_most = 65, unit = 'ms', source = 's' }\n";
    assert_eq!(published(most), (Amount::AtMost(65e9), Compare::Absolute));
}

#[test]
fn a_figure_within_a_published_range_is_as_published_and_one_beyond_is_held_against_its_nearer_end() {
    let shares = |amount: Amount| [2.0, 4.0, 5.0, 8.0, 20.0].map(|measured| amount.share(measured));
    assert_eq!(shares(Amount::Between(4.0, 8.0)), [0.5, 1.0, 1.0, 1.0, 2.5]);
    assert_eq!(shares(Amount::AtMost(5.0)), [1.0, 1.0, 1.0, 1.6, 4.0]);
    assert_eq!(shares(Amount::Exact(4.0)), [0.5, 1.0, 1.25, 2.0, 5.0]);
}

#[test]
fn a_row_tells_the_statistic_that_was_published() {
    let statistic = |fields: &str| {
        let text = format!(
            "[boards.a]\nmeasure = 'latency'\npublished = {{ unit = 'ms', source = 's', {fields} }}\n"
        );
        parse(&text).unwrap().rows[0].statistic()
    };
    assert_eq!(statistic("value = 5, statistic = 'mean'"), Some(Statistic::Mean));
    assert_eq!(statistic("value = 5"), Some(Statistic::Median));
    assert_eq!(parse("[boards.a]\n").unwrap().rows[0].statistic(), None);
}

#[test]
fn a_network_may_stand_in_the_suite_and_traffic_as_text_or_table() {
    let suite = parse(
        "[boards.a]\ntraffic = ['ping to=board count=3', { kind = 'http', name = 'web', to = 'board', requests = 2 }]\n\
         [boards.a.network.cable]\nimpair = 'loss=1%'\n",
    )
    .unwrap();
    let names: Vec<&str> =
        suite.rows[0].board().unwrap().traffic.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["ping", "web"]);
    assert!(suite.rows[0].board().unwrap().network.text().contains("loss=1%"));
}

#[test]
fn a_peer_takes_the_place_of_the_pc_and_is_one_difference() {
    let suite = parse(
        "[boards.pc]\nfirmware = 'client.elf'\nnetwork = { pc = { application_time = '35 us' } }\n\
         [boards.two]\nsame_but = 'pc'\npeer = { firmware = 'server.elf', settings = { address = '192.168.1.1' } }\n\
         [boards.slow]\nsame_but = 'two'\npeer = { settings = { spi_hz = '2 MHz' } }\n\
         [boards.other]\nsame_but = 'two'\npeer = { firmware = 'lwip.elf' }\n",
    )
    .unwrap();
    let told = |row: usize| {
        let same = suite.rows[row].same_but.clone().unwrap();
        (same.row, same.what, same.here, same.there)
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(told(1), ("pc".into(), "peer".into(), text("server.elf"), text("the PC")));
    assert_eq!(told(2), ("two".into(), "peer.spi_hz".into(), text("2 MHz"), None));
    assert_eq!(told(3), ("two".into(), "peer.firmware".into(), text("lwip.elf"), text("server.elf")));
    let peer = suite.rows[2].board().unwrap().peer.as_ref().unwrap();
    assert_eq!((peer.board.as_str(), peer.firmware.as_str()), ("w5500-evb-pico", "server.elf"));
    assert_eq!(
        (peer.settings["address"].as_str(), peer.settings["spi_hz"].as_str()),
        ("192.168.1.1", "2 MHz")
    );
}

#[test]
fn every_error_names_file_line_and_field_and_what_would_be_right() {
    for (text, expected) in [
        (
            "name = 'x'\n",
            "links: a suite names at least one link, such as [links.lora], one board, such as [boards.pingpong], or one address",
        ),
        (
            "[boards.a]\nfirmwere = 'x'\n",
            "suites/field.toml:2: boards.a.firmwere: there is no such field; the nearest is firmware",
        ),
        (
            "[boards.a]\nmeasure = 'speed'\n",
            "2: boards.a.measure is \"speed\", but it is one of messages, requests, latency, bulk",
        ),
        ("[boards.a]\nboard = ' '\n", "2: boards.a.board is \" \", but it takes a name"),
        ("[boards.a]\nfirmware = ''\n", "2: boards.a.firmware is \"\", but it takes a name"),
        ("[boards.a]\nnetwork = ''\n", "2: boards.a.network is \"\", but it takes a name"),
        ("[boards.'']\n", "1: boards: an entry has a name, such as [boards.pingpong]"),
        ("[boards.a]\nlimit = 'long'\n", "2: boards.a.limit is \"long\", but it takes a time of at most"),
        (
            "[boards.a]\nstop_within = '1'\n",
            "2: boards.a.stop_within is \"1\", but it takes a share from 0.01 % to 50 %",
        ),
        ("[boards.a]\nsettings = { x = [] }\n", "2: boards.a.settings.x: a setting is a text, a number"),
        (
            "[boards.a]\nnetwork = { cabel = {} }\n",
            "2: boards.a.network.cabel: there is no such field; the nearest is cable",
        ),
        ("[boards.a]\ntraffic = ['pong']\n", "is no kind of client or server; the nearest is ping"),
        ("[boards.a]\ntraffic = [{ to = 'board' }]\n", "2: boards.a.traffic: kind is missing"),
        (
            "[boards.a]\nsame_but = 'b'\n[boards.b]\n",
            "2: boards.a.same_but is \"b\", but it names an entry that stands before this one",
        ),
        ("[boards.a]\n[boards.b]\nsame_but = 'a'\n", "2: boards.b: it is the same as a; change one setting"),
        (
            "[boards.a]\n[boards.b]\nsame_but = 'a'\nsettings = { x = 1, y = 2 }\n",
            "boards.b: it differs from a in 2 things (x, y)",
        ),
        ("[boards.a]\npublished = { value = 1, unit = 'ms' }\n", "boards.a.published: source is missing"),
        (
            "[boards.a]\npublished = { value = 0, unit = 'messages/s', source = 's' }\n",
            "published.value is 0, but it takes a number above 0",
        ),
        (
            "[boards.a]\npublished = { value = 1, at_most = 2, unit = 'messages/s', source = 's' }\n",
            "boards.a.published: how much it is stands there twice or by half; give value, or from and to, or at_most",
        ),
        (
            "[boards.a]\npublished = { from = 3, unit = 'messages/s', source = 's' }\n",
            "boards.a.published: how much it is stands there twice or by half",
        ),
        (
            "[boards.a]\npublished = { from = 3, to = 2, unit = 'messages/s', source = 's' }\n",
            "boards.a.published.to is 2, but it takes a number above 3",
        ),
        (
            "[boards.a]\npublished = { value = 3, unit = 'messages/s', statistic = 'mean', source = 's' }\n",
            "published.statistic: a statistic is of latencies, but the row has measure = \"messages\"; leave it out",
        ),
        (
            "[boards.a]\npublished = { value = 1e300, unit = 'messages/s', source = 's' }\n",
            "published.value is 1e300, but it takes a number above 0 and of at most 1e15",
        ),
        (
            "[boards.a]\npublished = { value = nan, unit = 'messages/s', source = 's' }\n",
            "published.value is nan, but it takes a number above 0",
        ),
        (
            "[boards.a]\npublished = { value = 1, unit = 'ms', source = 's' }\n",
            "published.unit is \"ms\", but measure = \"messages\" has messages/s",
        ),
        (
            "[boards.a]\npublished = { value = 1, unit = 'x', source = 's', compare = 'ratio' }\n",
            "a ratio is to another row; name that with same_but",
        ),
        (
            "[boards.a]\npeer = { firmwere = 'x' }\n",
            "2: boards.a.peer.firmwere: there is no such field; the nearest is firmware",
        ),
        ("[boards.a]\npeer = {}\n", "2: boards.a.peer: firmware is missing, such as firmware = "),
        (
            "[boards.a]\npeer = { firmware = ' ' }\n",
            "2: boards.a.peer.firmware is \" \", but it takes a name",
        ),
        ("[boards.a]\npeer = 'x.elf'\n", "2: boards.a.peer is \"x.elf\", but it takes a table"),
        (
            "[boards.a]\npeer = { firmware = 'x', settings = { spi_hz = [1, 2] } }\n",
            "2: boards.a.peer.settings.spi_hz is a list, but a setting of a peer is a text, a number",
        ),
        (
            "[boards.a]\npeer = { firmware = 'x' }\ntraffic = ['ping to=board']\n",
            "3: boards.a.traffic: with a peer there is no PC to run it; leave traffic out",
        ),
        (
            "[boards.a]\npeer = { firmware = 'x' }\nof = 'ping'\n",
            "3: boards.a.of: it is \"ping\", but with a peer the messages are the two boards' own",
        ),
        (
            "[boards.a]\npeer = { firmware = 'x' }\nmeasure = 'bulk'\n",
            "3: boards.a.measure: it is \"bulk\", but two boards play ping-pong: messages or latency",
        ),
        ("payloads = [12]\n[links.lora]\n[boards.'lora/12B']\n", "a link has a row lora/12B as well"),
    ] {
        let found = refusal(text);
        assert!(found.contains(expected), "{text}: {found}");
        assert!(!found.contains('\n'), "{found}");
    }
}
