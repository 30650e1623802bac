//! What each kind of client or server tells of a board, and which server of this computer answers a client while it is measured
//! what the computer itself takes.

use lan::TrafficSetup;

use super::row::Quantity;

/// What a kind is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Its name.
    kind: &'static str,
    /// What is told of it, unless a suite says otherwise.
    pub quantity: Quantity,
    /// The server that answers it; nothing where the system does, or nobody can.
    pub answered_by: Option<&'static str>,
    /// The option that says how many messages there are; nothing where they are no messages.
    counted_by: Option<&'static str>,
    /// What to look at where the other end is there and answers nothing.
    if_silent: &'static str,
    /// What to look at where it cannot be told whether the other end is there, or where it is not.
    if_absent: &'static str,
    /// Options that make the same load for whatever answers.
    pub keeps: &'static [&'static str],
    /// Options that have many messages in a short time.
    pub hurries: &'static [(&'static str, &'static str)],
    /// Options that suit the sockets of a computer better than the defaults, which are a virtual network's.
    on_sockets: &'static [(&'static str, &'static str)],
}

const fn probe(
    kind: &'static str,
    quantity: Quantity,
    answered_by: Option<&'static str>,
    keeps: &'static [&'static str],
) -> Probe {
    Probe {
        kind,
        quantity,
        answered_by,
        counted_by: None,
        if_silent: "look whether this port is served by what was asked there",
        if_absent: "look whether it is on, has this address, and listens at this port",
        keeps,
        hurries: &[],
        on_sockets: &[],
    }
}

/// What to look at where nothing says whether anybody is there.
const OF_PINGS: &str = "look whether it is on, has this address, and answers pings at all";
const OF_DATAGRAMS: &str = "look whether it is on, has this address, and sends back what comes at this UDP port; answer=any \
                            takes other answers";
const OF_MESSAGES: &[&str] = &["payload", "size", "newline", "no_delay"];
/// What iperf 2 writes at a time.
const OF_BLOCKS: &[(&str, &str)] = &[("block", "131072B")];
const OF_REQUESTS: &[&str] = &["concurrency", "keep_alive"];

/// All kinds that are about something else than messages.
const PROBES: &[Probe] = &[
    Probe {
        hurries: &[("interval", "1ms"), ("count", "200")],
        counted_by: Some("count"),
        if_silent: OF_PINGS,
        if_absent: OF_PINGS,
        ..probe("ping", Quantity::Latency, None, &["size"])
    },
    Probe {
        counted_by: Some("rounds"),
        if_silent: "look whether it answers a number with the next one; newline=true ends numbers with a line, and payload=text \
                    or bytes is for an echo",
        ..probe("pingpong", Quantity::Messages, Some("pingpong-server"), OF_MESSAGES)
    },
    Probe {
        counted_by: Some("requests"),
        if_silent: "look whether this port speaks HTTP without TLS",
        ..probe("http", Quantity::Requests, Some("http-server"), OF_REQUESTS)
    },
    Probe {
        counted_by: Some("rounds"),
        if_silent: OF_DATAGRAMS,
        if_absent: OF_DATAGRAMS,
        ..probe("udp", Quantity::Latency, Some("udp-server"), &["size"])
    },
    Probe {
        counted_by: Some("rounds"),
        if_silent: "look whether this port speaks WebSocket without TLS, and sends messages back",
        ..probe("ws", Quantity::Messages, Some("ws-server"), &["size"])
    },
    probe("iperf3", Quantity::Bulk, Some("iperf3-server"), &["reverse"]),
    probe("iperf3-server", Quantity::Bulk, None, &[]),
    probe("http-server", Quantity::Requests, None, &[]),
    probe("bulk", Quantity::Bulk, Some("bulk-server"), &[]),
    probe("bulk-server", Quantity::Bulk, None, &[]),
    Probe { on_sockets: OF_BLOCKS, ..probe("iperf", Quantity::Bulk, Some("iperf-server"), &["block"]) },
    Probe { on_sockets: OF_BLOCKS, ..probe("iperf-server", Quantity::Bulk, None, &[]) },
    probe("iperf-udp", Quantity::Bulk, Some("iperf-udp-server"), &[]),
    probe("iperf-udp-server", Quantity::Bulk, None, &[]),
];

impl Probe {
    /// Of a kind; of one that is not in the table messages are told.
    pub fn of(kind: &str) -> Self {
        let other = probe("", Quantity::Messages, None, &[]);
        PROBES.iter().find(|probe| probe.kind == kind).copied().unwrap_or(other)
    }

    /// What to look at where nothing was answered.
    pub fn advice(&self, is_reached: bool) -> &'static str {
        if is_reached { self.if_silent } else { self.if_absent }
    }

    /// The same load that ends after so many messages, so that nobody is asked more often than was wanted.
    pub fn of_messages(asked: &TrafficSetup, most: u64) -> TrafficSetup {
        let mut setup = asked.clone();
        let Some(option) = Self::of(&asked.kind).counted_by else { return setup };
        match setup.options.iter_mut().find(|(name, _)| name == option) {
            // What is no number is refused by the client itself.
            Some((_, given)) if given.parse::<u64>().is_ok_and(|given| given <= most) => {}
            Some((_, given)) if given.parse::<u64>().is_ok() => *given = most.to_string(),
            Some(_) => {}
            None => setup.options.push((option.to_owned(), most.to_string())),
        }
        setup
    }

    /// A client or a server as it is to be on the sockets of a computer, unless its suite says otherwise.
    pub fn on_sockets(asked: &TrafficSetup) -> TrafficSetup {
        let mut setup = asked.clone();
        for (name, value) in Self::of(&asked.kind).on_sockets {
            if !asked.options.iter().any(|(given, _)| given == name) {
                setup.options.push(((*name).to_owned(), (*value).to_owned()));
            }
        }
        setup
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_on_sockets_are_those_of_iperf_unless_a_suite_says_otherwise() {
        let blocks = |words: &str| {
            let setup = Probe::on_sockets(&TrafficSetup::from_words(words).unwrap());
            setup.machine_for(std::net::Ipv4Addr::LOCALHOST).unwrap();
            let options = setup.options.into_iter().filter(|(name, _)| name == "block");
            options.map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(blocks("iperf to=board"), ["131072B"]);
        assert_eq!(blocks("iperf-server block=1460B"), ["1460B"]);
        assert!(blocks("iperf3 to=board").is_empty());
    }

    #[test]
    fn a_client_asks_no_more_often_than_is_wanted() {
        let options = |words: &str, most| {
            let setup = Probe::of_messages(&TrafficSetup::from_words(words).unwrap(), most);
            setup.machine_for(std::net::Ipv4Addr::LOCALHOST).unwrap();
            setup.to_string()
        };
        assert!(options("http to=board", 5).ends_with("requests=5"));
        assert!(options("pingpong to=board rounds=1000", 5).ends_with("rounds=5"));
        assert!(options("ping to=board count=3", 5).ends_with("count=3"));
        assert_eq!(options("iperf to=board", 5), "iperf to=board");
    }

    #[test]
    fn every_kind_of_the_table_is_there_and_its_options_are_its_own() {
        for probe in PROBES {
            let kind = traffic::kind(probe.kind).unwrap();
            let named = |name: &str| kind.options.iter().any(|option| option.name == name);
            let set = probe.hurries.iter().chain(probe.on_sockets).map(|(name, _)| *name);
            let mut known = probe.keeps.iter().copied().chain(set).chain(probe.counted_by);
            assert!(known.all(named), "{}", probe.kind);
            assert!(
                probe.answered_by.is_none_or(|server| traffic::kind(server).is_ok_and(|kind| kind.serves))
            );
        }
    }
}
