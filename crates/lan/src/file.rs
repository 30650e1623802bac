//! Network files: TOML that says what is wrong with the board's cable, whether Wi-Fi is on it, what the PC is like, and what
//! runs on it. Every error names file, line and field; parser and reference page come from one table.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::path::{Path, PathBuf};

use cyw43::AccessPoint;
use ethernet::{AddressConfiguration, Host, HostOptions, Impairments, Speed};
use thiserror::Error;
use units::Picoseconds;

use super::NetworkSetup;
use super::access_points::{self, ACCESS_POINT_FIELDS};
use super::pc_station::{PC_STATION_FIELDS, PcStation};
use super::traffic::TrafficSetup;
use super::wifi;
use fields::toml_file::{Field, Misplaced, Told, TomlFile, Value, fields_of, plain, shown, told};
use fields::{Field as Declared, Settings, Takes, Value as Given};

const MAX_FILE_BYTES: u64 = 1 << 20;
const MOST_TRAFFIC: usize = 100;
/// The address of a PC that is a router over IPv6 and is given none: of a network for private use (RFC 4193).
const ROUTERS_ADDRESS: (Ipv6Addr, u8) = (Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 1), 64);
const MOST_ACCESS_POINTS: usize = 50;
const PC_TIME: Takes = Takes::Between(Picoseconds::ZERO, Picoseconds::new(units::PS_PER_S));

/// A network file that cannot be used.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// It cannot be read.
    #[error("{}: the network file cannot be read: {reason}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
}

/// A field of a network file.
#[derive(Debug)]
pub struct NetworkField {
    /// The table that it is in; empty at the top.
    pub table: &'static str,
    /// What it is called, takes and means.
    pub field: Declared,
    /// Takes over what was read; what does not go together is refused with the reason.
    set: fn(&mut NetworkSetup, &Given) -> Result<(), String>,
}

/// All fields but those of `[traffic.<name>]`, which come from the kinds of traffic, of `[wifi]` and `[pc.wifi]`, which are
/// [`WIFI_FIELDS`](super::WIFI_FIELDS) and [`PC_WIFI_FIELDS`](super::PC_WIFI_FIELDS), of `[pc.station]`, and of
/// `[access_points.<name>]`.
pub const NETWORK_FIELDS: &[NetworkField] = &[
    NetworkField {
        table: "",
        field: Declared::new(
            "seed",
            Takes::Count(0, u64::MAX),
            "1",
            "where the random numbers of impairments and of the PC start",
            "7",
        ),
        set: |setup, read| {
            setup.seed = read.integer();
            Ok(())
        },
    },
    NetworkField {
        table: "cable",
        field: Declared::new(
            "speed",
            Takes::Word(&["10 Mbit/s", "100 Mbit/s"]),
            "100 Mbit/s",
            "the speed of the cable between the board, or its access point, and the switch",
            "\"10 Mbit/s\"",
        ),
        set: |setup, read| {
            setup.speed = if read.to_string() == "10 Mbit/s" { Speed::Mbps10 } else { Speed::Mbps100 };
            Ok(())
        },
    },
    NetworkField {
        table: "cable",
        field: Declared::new(
            "impair",
            Takes::Other("impairments, joined by commas", text),
            "none",
            "what happens to frames on the board's cable, in both directions",
            "\"loss=1%,delay=5ms\"",
        ),
        set: |setup, read| {
            let both = impairments(&read.to_string())?;
            setup.impairments = [both.clone(), both];
            Ok(())
        },
    },
    NetworkField {
        table: "cable",
        field: Declared::new(
            "impair_to_board",
            Takes::Other("impairments, joined by commas", text),
            "as impair",
            "what happens to frames to the board",
            "\"loss=1%\"",
        ),
        set: |setup, read| impairments(&read.to_string()).map(|one| setup.impairments[0] = one),
    },
    NetworkField {
        table: "cable",
        field: Declared::new(
            "impair_from_board",
            Takes::Other("impairments, joined by commas", text),
            "as impair",
            "what happens to frames from the board",
            "\"drop=3\"",
        ),
        set: |setup, read| impairments(&read.to_string()).map(|one| setup.impairments[1] = one),
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "address",
            Takes::Other("an IPv4 address with its prefix length, or \"none\" for no PC", text),
            "192.168.1.1/24",
            "the PC's address",
            "\"192.168.11.1/24\"",
        ),
        set: set_address,
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "ipv6",
            Takes::Other("an IPv6 address with its prefix length, or \"none\"", text),
            "none",
            "the PC's address of IPv6 beside the link-local one; there is no gateway",
            "\"fd00::1/64\"",
        ),
        set: set_ipv6,
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "ipv6_router",
            Takes::Flag,
            "false",
            "whether the PC is a router over IPv6: a board that asks is told a prefix, of which it forms an address, and that the PC is its DNS server; the prefix is that of pc.ipv6, or fd00::/64 where none is given; nothing lies behind the router",
            "true",
        ),
        set: |setup, read| pc(setup, |pc| pc.ipv6_router = read.switch()),
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "ipv6_configuration",
            Takes::Word(&["slaac", "stateless-dhcp", "stateful-dhcp"]),
            "slaac",
            "what the PC, which is a router then, has boards do over IPv6: form an address of the prefix, form one and ask its DHCPv6 server for the DNS server, or ask that for both",
            "\"stateful-dhcp\"",
        ),
        set: |setup, read| {
            let configuration = match read.to_string().as_str() {
                "stateless-dhcp" => AddressConfiguration::StatelessDhcp,
                "stateful-dhcp" => AddressConfiguration::StatefulDhcp,
                _ => AddressConfiguration::Slaac,
            };
            pc(setup, |pc| (pc.ipv6_router, pc.ipv6_configuration) = (true, configuration))
        },
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "answers_for_all",
            Takes::Flag,
            "true",
            "whether the PC answers for every address that the board asks for, and its DNS server for every name unless it has records of its own, so that firmware finds its gateway, broker or server wherever that was built in",
            "false",
        ),
        set: |setup, read| pc(setup, |pc| pc.answers_for_all = read.switch()),
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "nagle",
            Takes::Flag,
            "true",
            "whether Nagle's algorithm is on for the PC's connections until its application switches it off",
            "false",
        ),
        set: |setup, read| pc(setup, |pc| pc.nagle = read.switch()),
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "receive_time",
            PC_TIME,
            "10 us",
            "from a frame's last bit to the PC's TCP/IP",
            "\"10 us\"",
        ),
        set: |setup, read| pc(setup, |pc| pc.receive_time = read.time()),
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "application_time",
            PC_TIME,
            "20 us",
            "from data in a socket to the PC's application",
            "\"20 us\"",
        ),
        set: |setup, read| pc(setup, |pc| pc.application_time = read.time()),
    },
    NetworkField {
        table: "pc",
        field: Declared::new(
            "send_time",
            PC_TIME,
            "5 us",
            "from the PC's TCP/IP to the first bit on the wire",
            "\"5 us\"",
        ),
        set: |setup, read| pc(setup, |pc| pc.send_time = read.time()),
    },
];

fn text() -> serde_json::Value {
    serde_json::json!({"type": "string"})
}

pub(super) fn impairments(text: &str) -> Result<Impairments, String> {
    let impairments: Impairments = text.parse().map_err(|error| format!("{error}"))?;
    impairments.check().map_err(|error| error.to_string())?;
    Ok(impairments)
}

fn pc(setup: &mut NetworkSetup, set: impl FnOnce(&mut HostOptions)) -> Result<(), String> {
    if let Some(pc) = setup.pc.as_mut() {
        set(pc);
    }
    Ok(())
}

fn set_address(setup: &mut NetworkSetup, read: &Given) -> Result<(), String> {
    let text = read.to_string();
    if text == "none" {
        setup.pc = None;
        return Ok(());
    }
    let (address, prefix) = text.split_once('/').ok_or_else(String::new)?;
    let address: Ipv4Addr = address.parse().map_err(|_| String::new())?;
    let prefix: u8 = prefix.parse().map_err(|_| String::new())?;
    let Some(pc) = setup.pc.as_mut() else { return Ok(()) };
    (pc.address, pc.prefix) = (address, prefix);
    Host::new(pc.clone()).map(drop).map_err(|error| error.to_string())
}

fn set_ipv6(setup: &mut NetworkSetup, read: &Given) -> Result<(), String> {
    let text = read.to_string();
    let Some(pc) = setup.pc.as_mut() else { return Ok(()) };
    pc.ipv6 = match text.as_str() {
        "none" => None,
        text => {
            let (address, prefix) = text.split_once('/').ok_or_else(String::new)?;
            let address: Ipv6Addr = address.parse().map_err(|_| String::new())?;
            Some((address, prefix.parse().map_err(|_| String::new())?))
        }
    };
    Host::new(pc.clone()).map(drop).map_err(|error| error.to_string())
}

impl NetworkSetup {
    /// Reads a network file.
    ///
    /// # Errors
    /// When it cannot be read, or something in it is wrong; the message names file, line and field.
    pub fn open(path: &Path) -> Result<Self, NetworkError> {
        let unreadable = |reason: String| NetworkError::Read { path: path.to_owned(), reason };
        let text = files::read_text(path, MAX_FILE_BYTES).map_err(|error| unreadable(error.to_string()))?;
        Self::parse(path, &text)
    }

    /// Reads a network file from its text; `path` is what errors call it.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, NetworkError> {
        Ok(Reader { file: TomlFile { path, text } }.read()?)
    }
}

struct Reader<'a> {
    file: TomlFile<'a>,
}

impl Reader<'_> {
    fn read(&self) -> Result<NetworkSetup, Misplaced> {
        let document = self.file.parse()?;
        let mut setup = NetworkSetup::default();
        let mut traffic = Vec::new();
        let fields = fields_of(&document);
        self.file.refuse_unknown(
            "",
            &fields,
            &["seed", "cable", "wifi", "access_points", "pc", "traffic"],
        )?;
        for (name, _, value) in &fields {
            match *name {
                "cable" | "pc" => {
                    for inner in fields_of(self.file.table_of(name, value)?) {
                        match (*name, inner.0) {
                            ("pc", "wifi") => {
                                setup.pc_wifi = Some(self.wifi("pc.wifi", wifi::PC_WIFI_FIELDS, inner.2)?);
                            }
                            ("pc", "station") => setup.pc_station = Some(self.pc_station(&inner)?),
                            _ => self.set(&mut setup, name, &inner)?,
                        }
                    }
                }
                "wifi" => setup.wifi = Some(self.wifi("wifi", wifi::WIFI_FIELDS, value)?),
                "access_points" => setup.access_points = self.access_points(value)?,
                "traffic" => traffic = self.traffic(value)?,
                _ => self.set(&mut setup, "", &(*name, 0..0, *value))?,
            }
        }
        if let Some(pc) = setup.pc.as_mut().filter(|pc| pc.ipv6_router) {
            pc.ipv6.get_or_insert(ROUTERS_ADDRESS);
        }
        // What the PC gives out depends on its address, wherever that stands in the file.
        for (one, span) in traffic {
            let name = one.name.clone();
            one.check(setup.pc.as_ref())
                .and_then(|()| setup.run_in_place(one))
                .map_err(|message| self.file.error(span, told(format!("traffic.{name}"), message)))?;
        }
        Ok(setup)
    }

    fn set(&self, setup: &mut NetworkSetup, table: &str, field: &Field<'_>) -> Result<(), Misplaced> {
        let (name, span, value) = field;
        let within = if table.is_empty() { String::new() } else { format!("{table}.") };
        let Some(found) =
            NETWORK_FIELDS.iter().find(|known| known.table == table && known.field.name == *name)
        else {
            let known: Vec<&str> = NETWORK_FIELDS
                .iter()
                .filter(|known| known.table == table)
                .map(|known| known.field.name)
                .collect();
            let hint = fields::hint(name, &known);
            return Err(self.file.error(
                span.clone(),
                told(format!("{within}{name}"), format!(": there is no such field; {hint}")),
            ));
        };
        let path = format!("{within}{name}");
        let read = self.file.value_of(&path, &found.field, value)?;
        (found.set)(setup, &read).map_err(|why| {
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            let shown = shown(value.get_ref());
            let message = told(&path, format!(" is {shown}, but it takes {}{why}", found.field.takes));
            self.file.error(value.span(), message)
        })
    }

    /// A table of Wi-Fi: `[wifi]` of air, access point and board, or `[pc.wifi]` of the PC's station.
    fn wifi(&self, table: &str, known: &[Declared], value: &Value<'_>) -> Result<Settings, Misplaced> {
        let mut settings = Settings::defaults(known);
        for (name, span, value) in fields_of(self.file.table_of(table, value)?) {
            let place = if known.iter().any(|field| field.name == name) { value.span() } else { span };
            let set = match plain(value.get_ref()) {
                Some(text) => wifi::set(&mut settings, known, name, &text),
                None => {
                    let takes = wifi::takes(known, name);
                    Err(told(name, format!(" is {}, but it takes {takes}", shown(value.get_ref()))))
                }
            };
            set.map_err(|Told { field, words }| {
                self.file.error(place, told(format!("{table}.{field}"), words))
            })?;
        }
        Ok(settings)
    }

    fn access_points(&self, value: &Value<'_>) -> Result<Vec<AccessPoint>, Misplaced> {
        let entries = fields_of(self.file.table_of("access_points", value)?);
        if let Some((_, span, _)) = entries.get(MOST_ACCESS_POINTS) {
            let message = told("access_points", format!(": at most {MOST_ACCESS_POINTS} are on the air"));
            return Err(self.file.error(span.clone(), message));
        }
        entries.into_iter().zip(0..).map(|(entry, number)| self.access_point(&entry, number)).collect()
    }

    fn access_point(&self, (name, span, value): &Field<'_>, number: u8) -> Result<AccessPoint, Misplaced> {
        let within = format!("access_points.{name}");
        let settings = self.settings(&within, ACCESS_POINT_FIELDS, value)?;
        access_points::access_point(name, &settings, number)
            .map_err(|message| self.file.error(span.clone(), told(within, format!(": {message}"))))
    }

    fn pc_station(&self, (_, span, value): &Field<'_>) -> Result<PcStation, Misplaced> {
        let settings = self.settings("pc.station", PC_STATION_FIELDS, value)?;
        PcStation::of(&settings)
            .map_err(|message| self.file.error(span.clone(), told("pc.station", format!(": {message}"))))
    }

    /// A table of declared fields.
    fn settings(&self, within: &str, known: &[Declared], value: &Value<'_>) -> Result<Settings, Misplaced> {
        let names: Vec<&str> = known.iter().map(|field| field.name).collect();
        let fields = fields_of(self.file.table_of(within, value)?);
        self.file.refuse_unknown(&format!("{within}."), &fields, &names)?;
        let mut settings = Settings::defaults(known);
        for (given, _, value) in &fields {
            for field in known.iter().filter(|field| field.name == *given) {
                settings.put(field, self.file.value_of(&format!("{within}.{given}"), field, value)?);
            }
        }
        Ok(settings)
    }

    fn traffic(&self, value: &Value<'_>) -> Result<Vec<(TrafficSetup, Range<usize>)>, Misplaced> {
        let mut traffic = Vec::new();
        let entries = fields_of(self.file.table_of("traffic", value)?);
        if let Some((_, span, _)) = entries.get(MOST_TRAFFIC) {
            return Err(self
                .file
                .error(span.clone(), told("traffic", format!(": a PC runs at most {MOST_TRAFFIC}"))));
        }
        for (name, span, value) in entries {
            let within = format!("traffic.{name}");
            let mut options = Vec::new();
            for (option, _, value) in fields_of(self.file.table_of(&within, value)?) {
                let text = plain(value.get_ref()).ok_or_else(|| {
                    let shown = shown(value.get_ref());
                    self.file.error(
                        value.span(),
                        told(format!("{within}.{option}"), format!(" is {shown}, but it takes a value")),
                    )
                })?;
                options.push((option.to_owned(), text));
            }
            let one = TrafficSetup::parse(name, options)
                .map_err(|message| self.file.error(span.clone(), told(&within, message)))?;
            traffic.push((one, span));
        }
        Ok(traffic)
    }
}
