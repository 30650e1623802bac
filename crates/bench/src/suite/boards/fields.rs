//! The fields of `[boards.<entry>]`, declared once: parser, schema and reference page come from here.

use fields::{Field, Takes};
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::super::tables::{BOUNDS, SKIP_IF_MORE, STOP_WITHIN, limit};
use super::schema;

/// What a row of boards keeps at most.
const MOST_SAMPLES: u64 = 1 << 20;
/// Edges that are closer than this leave no room for what a chip does between them.
const SHORTEST_PERIOD: Picoseconds = Picoseconds::new(PS_PER_MS / 100);
const LONGEST_TIME: Picoseconds = Picoseconds::new(3600 * PS_PER_S);
const TIME: Takes = Takes::Between(Picoseconds::ZERO, LONGEST_TIME);

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
        "the image; it is looked for in --firmware, else beside the suite, in build/firmware and in the package",
        "\"pingpong.elf\"",
    ),
    Field::new(
        "symbols",
        Takes::Text("the name of an ELF"),
        "none",
        "the ELF of the same build as firmware, where that has no names (a UF2, a binary): its settings and functions are known by it; \
         it is looked for where firmware is",
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
        Takes::Other("a table: firmware, symbols, board, settings", schema::peer),
        "none",
        "a second board in the place of the PC, with one wire between both: the row's image calls and this one is called, at the \
         address that the row's calls (docs/how-to/run-a-suite.md); of the network only the \
         cable's speed counts",
        "{ firmware = \"w5500-evb-pico/pingpong_server-hardware.elf\", settings = { address = \"192.168.1.1\" } }",
    ),
    Field::new(
        "lines",
        Takes::Other("a list of tables: from, to", schema::lines),
        "none",
        "with a peer: serial lines between both boards in the place of the Ethernet wire, each from a pin of one to the receiving \
         pin of a UART of the other; what each UART is set to is its firmware's, and rates that differ give garbage as they do on a \
         real line",
        "[{ from = \"board.GP4\", to = \"peer.GP5\" }, { from = \"peer.GP4\", to = \"board.GP5\" }]",
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
    Field::new("skip", Takes::Count(0, MOST_SAMPLES), "0", "messages that are left out at the start", "1"),
    SKIP_IF_MORE,
    Field::new(
        "samples",
        Takes::Count(1, MOST_SAMPLES),
        "none",
        "the row ends after so many messages that count",
        "1000",
    ),
    STOP_WITHIN,
    limit("10 s"),
    BOUNDS,
    Field::new(
        "same_but",
        Takes::Text("the name of an entry before this one"),
        "none",
        "the entry that this one is compared with: it has all of that entry's fields but title, published, bounds and those that it gives itself, and \
         exactly one of board, firmware, network, traffic, peer, lines, trigger and the settings differs",
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

const TEXT: Takes = Takes::Other("a text in quotes", schema::text);
const NUMBER: Takes = Takes::Other("a number above 0", schema::number);
const LINE_PIN: Takes = Takes::Other("a pin of the board or of the peer", schema::text);
const PIN: Takes = Takes::Other("a pin of the board", schema::pin);

/// What a peer says.
pub(super) const PEER_FIELDS: &[Field] = &[
    Field::new("board", TEXT, "w5500-evb-pico", "the second board", "\"w5100s-evb-pico\""),
    Field::needed("firmware", TEXT, "its image", "\"w5500-evb-pico/pingpong_server-hardware.elf\""),
    Field::new(
        "symbols",
        TEXT,
        "none",
        "the ELF of the same build, where its image has no names",
        "\"w5500-evb-pico/pingpong_server-hardware.elf\"",
    ),
    Field::new(
        "settings",
        Takes::Other("a table of settings of the image", schema::peer_settings),
        "the image's own",
        "values of its image's settings",
        "{ address = \"192.168.1.1\" }",
    ),
];

/// What a line between two boards says.
pub(super) const LINE_FIELDS: &[Field] = &[
    Field::needed("from", LINE_PIN, "the pin that drives it", "\"board.GP4\""),
    Field::needed("to", LINE_PIN, "the receiving pin of a UART of the other board", "\"peer.GP5\""),
];

/// What a trigger of a board says.
pub(super) const TRIGGER_FIELDS: &[Field] = &[
    Field::needed("pin", PIN, "its rising edges begin messages", "\"GP2\""),
    Field::needed("done", PIN, "its rising edges end them, on the peer", "\"GP3\""),
    Field::new(
        "period",
        Takes::Between(SHORTEST_PERIOD, LONGEST_TIME),
        "20 ms",
        "the shortest time between two edges",
        "\"20 ms\"",
    ),
    Field::new("by", TIME, "half of period", "what is added to it at most", "\"5 ms\""),
    Field::new("from", TIME, "5 s", "the first edge", "\"5 s\""),
];

/// What a published figure says.
pub(super) const PUBLISHED_FIELDS: &[Field] = &[
    Field::new("value", NUMBER, "", "the figure", "723"),
    Field::new("from", NUMBER, "", "the least of a range", "700"),
    Field::new("to", NUMBER, "", "the most of a range", "750"),
    Field::new("at_most", NUMBER, "", "the most, where the least is not known", "5"),
    Field::needed("unit", TEXT, "the unit of all of them", "\"messages/s\""),
    Field::new(
        "statistic",
        Takes::Other("median or mean", schema::statistic),
        "",
        "what of latencies the figure is",
        "\"mean\"",
    ),
    Field::needed("source", TEXT, "where it was published", "\"somebody's article, table 2\""),
    Field::new("note", TEXT, "", "what is to be known of it", "\"a longer cable\""),
    Field::new(
        "compare",
        Takes::Other("absolute, ratio or mechanism", schema::compare),
        "absolute",
        "how it is compared",
        "\"ratio\"",
    ),
    Field::new("connect", NUMBER, "", "the part of a latency until the connection is there", "1.2"),
    Field::new("processing", NUMBER, "", "the part from then on", "3.4"),
    Field::new("times", NUMBER, "", "how many times the figure of another row it was", "2.5"),
    Field::new("times_of", TEXT, "", "that row", "\"pingpong\""),
];
