//! The fields of `[boards.<entry>]`, declared once: parser, schema and reference page come from here.

use fields::{Field, Takes};
use serde_json::json;

use super::schema;

/// All fields.
pub const BOARD_FIELDS: &[Field] = &[
    Field::new(
        "title",
        Takes::Text("a text"),
        "the entry's name",
        "what the row is called in tables",
        "\"TCP ping-pong\"",
    ),
    Field::new(
        "board",
        Takes::Text("the name of a board, or a board file"),
        "w5500-evb-pico",
        "the board that is run",
        "\"w5100s-evb-pico\"",
    ),
    Field::new(
        "firmware",
        Takes::Text("the name of an image"),
        "the entry's name with .elf",
        "the image; it is looked for in --firmware, beside the suite, and in build/firmware",
        "\"pingpong.elf\"",
    ),
    Field::new(
        "settings",
        Takes::Other(
            "a table of settings of the image; a list of values makes a row for each",
            schema::settings,
        ),
        "the image's own",
        "values of the image's settings (airwire board settings IMAGE lists them)",
        "{ spi_hz = [\"2 MHz\", \"33 MHz\"], interrupts = true }",
    ),
    Field::new(
        "network",
        Takes::Other("a network file, or a table with its fields", schema::network),
        "a PC that runs every server",
        "the network of the board (docs/reference/networks.md)",
        "{ cable = { impair = \"loss=1%\" } }",
    ),
    Field::new(
        "traffic",
        Takes::Other(
            "a list of clients and servers of the PC: texts as for --traffic, or tables with kind, name and options",
            schema::traffic,
        ),
        "none",
        "what runs on the PC beside the network's own",
        "[{ kind = \"ping\", to = \"board\", count = 100 }]",
    ),
    Field::new(
        "peer",
        Takes::Other("a table: firmware, board, settings", schema::peer),
        "none",
        "a second board in the place of the PC, with one wire between both: the row's image calls and this one is called, at the \
         address that the row's calls (docs/how-to/run-a-suite.md); of the network only the \
         cable's speed counts",
        "{ firmware = \"w5500-evb-pico/pingpong_server-hardware.elf\", settings = { address = \"192.168.1.1\" } }",
    ),
    Field::new(
        "trigger",
        Takes::Other("a table: pin, done, period, by, from", schema::trigger),
        "none",
        "with a peer: each rising edge on this pin of the board is a message, which ends with a rising edge on the pin done of the \
         peer; edges come from 5 s on, 20 ms (period) and up to half of that (by) more apart",
        "{ pin = \"GP2\", done = \"GP3\", period = \"20 ms\", from = \"5 s\" }",
    ),
    Field::new(
        "measure",
        Takes::Other("messages, requests, latency or bulk", schema::measure),
        "messages; latency with trigger",
        "what is told: messages or requests per second, the time of a message (its median, or the statistic of published), or \
         bits per second",
        "\"latency\"",
    ),
    Field::new(
        "of",
        Takes::Text("the name of a client or a server of the PC"),
        "the first client of traffic, else the server that answered most",
        "whose messages are taken",
        "\"pingpong-server\"",
    ),
    Field::new(
        "skip",
        Takes::Other("a whole number", || json!({"type": "integer", "minimum": 0})),
        "0",
        "messages that are left out at the start",
        "1",
    ),
    Field::new(
        "samples",
        Takes::Other("a whole number", || json!({"type": "integer", "minimum": 1})),
        "none",
        "the row ends after so many messages that count",
        "1000",
    ),
    Field::new(
        "stop_within",
        Takes::Text("a share in percent"),
        "none",
        "the row ends once the 95 % interval of its figure reaches no farther to either side than this",
        "\"1 %\"",
    ),
    Field::new(
        "limit",
        Takes::Text("a time"),
        "10 s",
        "the row ends at this virtual time at the latest",
        "\"60 s\"",
    ),
    Field::new(
        "same_but",
        Takes::Text("the name of an entry before this one"),
        "none",
        "the entry that this one is compared with: it has all of that entry's fields but those that it gives itself, and \
         exactly one of board, firmware, network, traffic, peer, trigger and the settings differs",
        "\"pingpong\"",
    ),
    Field::new(
        "published",
        Takes::Other(
            "a table: value (or from and to, or at_most), unit, statistic, source, note, compare, connect, processing, times, times_of",
            schema::published,
        ),
        "none",
        "what others measured; statistic is what of latencies that is, median or mean, and then the row's figure is the same; \
         compare is absolute, ratio (to the row of same_but, unit x) or mechanism (the setup is another, and only the cause \
         is compared); connect and processing are parts of an HTTP request, and times says how many times the figure of the \
         row times_of it was",
        "{ value = 723, unit = \"messages/s\", source = \"...\" }",
    ),
];
