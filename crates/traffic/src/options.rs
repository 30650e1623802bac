//! How a client or server declares its settings: one constant table each, from which command line, suite fields and reference
//! pages can be derived. The tables only describe; each machine takes a plain structure.

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number, not negative.
    Count,
    /// A time with its unit, as `units::Picoseconds` reads it.
    Time,
    /// A size with its unit, as `units::Bytes` reads it.
    Size,
    /// Yes or no.
    Switch,
    /// Any text.
    Text,
    /// An IPv4 address.
    Address,
    /// An IPv4 address with a port.
    Endpoint,
    /// A TCP or UDP port.
    Port,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// As it is written in suites and on the command line.
    pub name: &'static str,
    /// What the value is.
    pub kind: OptionKind,
    /// The unit of a number that carries none, such as `messages`; else empty.
    pub unit: &'static str,
    /// What holds when nothing is given; empty where a value must be given or nothing is the default.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// A value that would be accepted.
    pub example: &'static str,
}

/// A table's row in the order name, kind, unit, default, help, example.
pub(crate) const fn option(
    name: &'static str,
    kind: OptionKind,
    unit: &'static str,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> OptionSpec {
    OptionSpec { name, kind, unit, default, help, example }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddrV4};

    use units::{Bytes, Picoseconds};

    use super::*;

    fn is_a(kind: OptionKind, text: &str) -> bool {
        match kind {
            OptionKind::Count => text.parse::<u64>().is_ok(),
            OptionKind::Time => text.parse::<Picoseconds>().is_ok(),
            OptionKind::Size => text.parse::<Bytes>().is_ok(),
            OptionKind::Switch => text.parse::<bool>().is_ok(),
            OptionKind::Text => true,
            OptionKind::Address => text.parse::<Ipv4Addr>().is_ok(),
            OptionKind::Endpoint => text.parse::<SocketAddrV4>().is_ok(),
            OptionKind::Port => text.parse::<u16>().is_ok(),
            OptionKind::Choice(words) => words.contains(&text),
        }
    }

    #[test]
    fn every_default_and_example_is_a_value_of_its_kind_and_every_help_a_sentence() {
        for (table, rows) in crate::OPTION_TABLES {
            for row in *rows {
                assert!(row.default.is_empty() || is_a(row.kind, row.default), "{table}.{}", row.name);
                assert!(is_a(row.kind, row.example), "{table}.{}", row.name);
                assert!(row.help.ends_with('.') && row.help.len() > 10, "{table}.{}", row.name);
                let twins = rows.iter().filter(|other| other.name == row.name).count();
                assert_eq!(twins, 1, "{table}.{}", row.name);
            }
        }
    }
}
