//! The fields of `[boards.<entry>]`, declared once: parser, schema and reference page come from here.

/// A field of an entry.
#[derive(Debug)]
pub struct BoardField {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// What holds where it is not given.
    pub default: &'static str,
    /// What it means.
    pub help: &'static str,
    /// An example, as TOML.
    pub example: &'static str,
}

const fn field(
    name: &'static str,
    takes: &'static str,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> BoardField {
    BoardField { name, takes, default, help, example }
}

/// All fields.
pub const BOARD_FIELDS: &[BoardField] = &[
    field("title", "a text", "the entry's name", "what the row is called in tables", "\"TCP ping-pong\""),
    field(
        "board",
        "the name of a board, or a board file",
        "w5500-evb-pico",
        "the board that is run",
        "\"w5100s-evb-pico\"",
    ),
    field(
        "firmware",
        "the name of an image",
        "the entry's name with .elf",
        "the image; it is looked for in --firmware, beside the suite, and in build/firmware",
        "\"pingpong.elf\"",
    ),
    field(
        "settings",
        "a table of settings of the image; a list of values makes a row for each",
        "the image's own",
        "values of the image's settings (airwire board settings IMAGE lists them)",
        "{ spi_hz = [\"2 MHz\", \"33 MHz\"], interrupts = true }",
    ),
    field(
        "network",
        "a network file, or a table with its fields",
        "a PC that runs every server",
        "the network of the board (docs/reference/networks.md)",
        "{ cable = { impair = \"loss=1%\" } }",
    ),
    field(
        "traffic",
        "a list of clients and servers of the PC: texts as for --traffic, or tables with kind, name and options",
        "none",
        "what runs on the PC beside the network's own",
        "[{ kind = \"ping\", to = \"board\", count = 100 }]",
    ),
    field(
        "peer",
        "a table: firmware, board, settings",
        "none",
        "a second board in the place of the PC, with one wire between both: the row's image calls and this one is called, at the \
         address that the row's calls (docs/how-to/run-a-suite.md); of the network only the \
         cable's speed counts",
        "{ firmware = \"w5500-evb-pico/pingpong_server-hardware.elf\", settings = { address = \"192.168.1.1\" } }",
    ),
    field(
        "trigger",
        "a table: pin, done, period, by, from",
        "none",
        "with a peer: each rising edge on this pin of the board is a message, which ends with a rising edge on the pin done of the \
         peer; edges come from 5 s on, 20 ms (period) and up to half of that (by) more apart",
        "{ pin = \"GP2\", done = \"GP3\", period = \"20 ms\", from = \"5 s\" }",
    ),
    field(
        "measure",
        "messages, requests, latency or bulk",
        "messages; latency with trigger",
        "what is told: messages or requests per second, the time of a message (its median, or the statistic of published), or \
         bits per second",
        "\"latency\"",
    ),
    field(
        "of",
        "the name of a client or a server of the PC",
        "the first client of traffic, else the server that answered most",
        "whose messages are taken",
        "\"pingpong-server\"",
    ),
    field("skip", "a whole number", "0", "messages that are left out at the start", "1"),
    field("samples", "a whole number", "none", "the row ends after so many messages that count", "1000"),
    field(
        "stop_within",
        "a share in percent",
        "none",
        "the row ends once the 95 % interval of its figure reaches no farther to either side than this",
        "\"1 %\"",
    ),
    field("limit", "a time", "10 s", "the row ends at this virtual time at the latest", "\"60 s\""),
    field(
        "same_but",
        "the name of an entry before this one",
        "none",
        "the entry that this one is compared with: it has all of that entry's fields but those that it gives itself, and \
         exactly one of board, firmware, network, traffic, peer, trigger and the settings differs",
        "\"pingpong\"",
    ),
    field(
        "published",
        "a table: value (or from and to, or at_most), unit, statistic, source, note, compare, connect, processing, times, times_of",
        "none",
        "what others measured; statistic is what of latencies that is, median or mean, and then the row's figure is the same; \
         compare is absolute, ratio (to the row of same_but, unit x) or mechanism (the setup is another, and only the cause \
         is compared); connect and processing are parts of an HTTP request, and times says how many times the figure of the \
         row times_of it was",
        "{ value = 723, unit = \"messages/s\", source = \"...\" }",
    ),
];

/// The names of all fields.
pub(super) fn names() -> Vec<&'static str> {
    BOARD_FIELDS.iter().map(|field| field.name).collect()
}
