//! What runs on the PC, as a user says it: a kind of client or server with its options, and when it begins.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ::traffic::{Action, Event, KindError, Machine, OptionError};
use ethernet::HostOptions;
use units::Picoseconds;

use super::Transport;
use super::board_address::Known;

/// Where an option takes an address, these words stand for the board's.
const BOARD: &str = "board";
const BOARD_OVER_IPV6: &str = "board6";
/// The option of clients that says where they go.
const TO: &str = "to";
/// The kind that gives out addresses.
const DHCP: &str = "dhcp";
const DHCP_OVER_IPV6: &str = "dhcpv6";
const DNS: &str = "dns";
/// How far from its start the pool of a network over IPv6 begins, and how many addresses it has.
const FIRST_GIVEN: u128 = 0x1000;
const MOST_GIVEN: u128 = 256;
/// What a client's options are checked with before the board's address is known.
const ANY_ADDRESS: Known = Known {
    ipv4: Some(Ipv4Addr::new(192, 168, 1, 100)),
    ipv6: Some(Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, 1)),
};

/// A server asks for its ports before anything else.
const MOST_FIRST_ACTIONS: usize = 16;
/// Beyond all runs, and far from the end of time.
const LATEST_START: Picoseconds = Picoseconds::new(1_000_000 * units::PS_PER_S);

/// A client or a server of the PC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficSetup {
    /// What the user calls it.
    pub name: String,
    /// Its kind, as [`traffic::KINDS`] has it.
    pub kind: String,
    /// Its options, as they were written.
    pub options: Vec<(String, String)>,
    /// When it begins, at the earliest.
    pub start: Picoseconds,
    /// Whether the PC runs it without being asked.
    pub(super) is_built_in: bool,
}

/// Over which IP a client goes to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Ipv4,
    Ipv6,
}

/// Where a server waits for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServerPort {
    pub(super) over: Transport,
    pub(super) port: u16,
}

impl TrafficSetup {
    /// What every PC offers unless it is told otherwise: each server under the name of its kind.
    pub fn services() -> Vec<Self> {
        let server = |kind: &str| Self {
            name: kind.to_owned(),
            kind: kind.to_owned(),
            options: Vec::new(),
            start: Picoseconds::ZERO,
            is_built_in: true,
        };
        ::traffic::KINDS.iter().filter(|kind| kind.serves).map(|kind| server(kind.name)).collect()
    }

    /// From the fields of a network file: `kind` and `start`, and the options of the kind. The kind is the name where none is
    /// given.
    ///
    /// # Errors
    /// A sentence that goes on after the name.
    pub fn parse(name: &str, mut fields: Vec<(String, String)>) -> Result<Self, String> {
        let mut take = |wanted: &str| {
            let place = fields.iter().position(|(field, _)| field == wanted);
            place.map(|place| fields.remove(place).1)
        };
        let kind = take("kind").unwrap_or_else(|| name.to_owned());
        ::traffic::kind(&kind).map_err(|error| format!(": {error}; give kind where the name is another"))?;
        let start = match take("start") {
            None => Picoseconds::ZERO,
            Some(text) => start_of(&text).ok_or_else(|| {
                format!(".start is {text:?}, but it takes a time from 0 to 1000000 s, such as 500ms")
            })?,
        };
        Ok(Self { name: name.to_owned(), kind, options: fields, start, is_built_in: false })
    }

    /// The same as a user says it on a command line: `ping to=board count=10`.
    ///
    /// # Errors
    /// A sentence.
    pub fn from_words(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or("a client or a server has a name, such as ping to=board")?;
        let field = |word: &str| {
            let (field, value) = word.split_once('=').ok_or_else(|| {
                format!("traffic.{name}: {word:?} is no option with its value, such as count=10")
            })?;
            Ok((field.to_owned(), value.to_owned()))
        };
        let fields: Vec<(String, String)> = words.map(field).collect::<Result<_, String>>()?;
        for (place, (field, _)) in fields.iter().enumerate() {
            if fields[..place].iter().any(|(other, _)| other == field) {
                return Err(format!("traffic.{name}.{field} is given twice; write it once"));
            }
        }
        Self::parse(name, fields).map_err(|error| format!("traffic.{name}{error}"))
    }

    /// Whether it does something and is done then.
    pub fn is_client(&self) -> bool {
        ::traffic::kind(&self.kind).is_ok_and(|kind| !kind.serves)
    }

    /// Whether it needs the board's address, and so waits for that and for a link.
    pub fn needs_board(&self) -> bool {
        self.waits_for(Known::default()).is_some()
    }

    /// Of which family it needs an address of the board's that is not among those that are known.
    pub(super) fn waits_for(&self, known: Known) -> Option<Family> {
        let unknown = |value: &String| match named_board(value)?.0 {
            Family::Ipv4 if known.ipv4.is_none() => Some(Family::Ipv4),
            Family::Ipv6 if known.ipv6.is_none() => Some(Family::Ipv6),
            _ => None,
        };
        self.options.iter().find_map(|(_, value)| unknown(value))
    }

    /// The same with a client that says nothing of where it goes going to the board.
    #[must_use]
    pub fn to_the_board(mut self) -> Self {
        let goes =
            ::traffic::kind(&self.kind).is_ok_and(|kind| kind.options.iter().any(|option| option.name == TO));
        if goes && !self.options.iter().any(|(name, _)| name == TO) {
            self.options.insert(0, (TO.to_owned(), BOARD.to_owned()));
        }
        self
    }

    /// Makes it for the sockets of this computer, with a board at an address.
    ///
    /// # Errors
    /// A sentence that goes on after the name.
    pub fn machine_for(&self, board: Ipv4Addr) -> Result<Box<dyn Machine>, String> {
        self.machine(None, Known { ipv4: Some(board), ipv6: None })
    }

    /// Whether it can be made, on a PC like that, once the board's address is known.
    ///
    /// # Errors
    /// A sentence that goes on after the name.
    pub fn check(&self, pc: Option<&HostOptions>) -> Result<(), String> {
        self.machine(pc, ANY_ADDRESS).map(drop)
    }

    /// The ports on which it waits for others, on a PC like that: those that it asks for as soon as it is seated.
    pub(super) fn ports(&self, pc: Option<&HostOptions>) -> Vec<ServerPort> {
        let Ok(mut machine) = self.machine(pc, ANY_ADDRESS) else { return Vec::new() };
        machine.handle(Picoseconds::ZERO, Event::Wake);
        let port_of = |action| match action {
            Action::Listen(_, port) => Some(ServerPort { over: Transport::Tcp, port }),
            Action::Bind(_, port, _) => Some(ServerPort { over: Transport::Udp, port }),
            _ => None,
        };
        std::iter::from_fn(|| machine.poll()).take(MOST_FIRST_ACTIONS).filter_map(port_of).collect()
    }

    /// Makes it; `board` has the board's addresses as far as they are known.
    ///
    /// # Errors
    /// A sentence that goes on after the name.
    pub(super) fn machine(&self, pc: Option<&HostOptions>, board: Known) -> Result<Box<dyn Machine>, String> {
        let resolved = |value: &String| resolved(value, board).unwrap_or_else(|| value.clone());
        let mut options: Vec<(String, String)> =
            self.options.iter().map(|(name, value)| (name.clone(), resolved(value))).collect();
        let own = pc.map(|pc| match self.kind.as_str() {
            DHCP => own_network(pc),
            DHCP_OVER_IPV6 => own_network_over_ipv6(pc),
            DNS => own_names(pc),
            _ => Vec::new(),
        });
        let given = |name: &str| self.options.iter().any(|(known, _)| known == name);
        options.extend(own.into_iter().flatten().filter(|(name, _)| !given(name)));
        let options: Vec<(&str, &str)> =
            options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        ::traffic::machine(&self.kind, &options).map_err(|error| match error {
            KindError::Unknown { .. } => format!(": {error}"),
            KindError::Option(error) => format!(".{error}{}", option_hint(&error)),
        })
    }
}

impl fmt::Display for TrafficSetup {
    /// As it would stand on a command line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.name)?;
        if self.name != self.kind {
            write!(formatter, " kind={}", self.kind)?;
        }
        self.options.iter().try_for_each(|(name, value)| write!(formatter, " {name}={value}"))
    }
}

fn start_of(text: &str) -> Option<Picoseconds> {
    let start: Picoseconds = text.parse().ok()?;
    (Picoseconds::ZERO..=LATEST_START).contains(&start).then_some(start)
}

/// What was meant: a name for one more of a kind, or the word for the board's address, where it is not far from that.
fn option_hint(error: &OptionError) -> &'static str {
    if matches!(error, OptionError::Unknown { name, .. } if name == "name") {
        return "; a name of its own stands first, and its kind behind it, as in \"mine kind=ping\"";
    }
    let OptionError::Value { value, is_address: true, .. } = error else {
        return "";
    };
    let host = value.split(':').next().unwrap_or_default();
    match fields::nearest(host, &[BOARD]) {
        _ if host == BOARD_OVER_IPV6 => {
            "; board6 stands for the board's IPv6 address, which a virtual board alone has"
        }
        Some(_) => "; board stands for the board's address",
        None => "",
    }
}

/// Over which IP a value names the board, and what stands behind that: nothing, or a port as in `board:80`.
fn named_board(value: &str) -> Option<(Family, &str)> {
    let over_ipv6 = value.strip_prefix(BOARD_OVER_IPV6).map(|rest| (Family::Ipv6, rest));
    let named = over_ipv6.or_else(|| value.strip_prefix(BOARD).map(|rest| (Family::Ipv4, rest)));
    named.filter(|(_, rest)| rest.is_empty() || rest.starts_with(':'))
}

/// A value with the board's address in the place of the word for it; nothing where it has none, or that is not known.
fn resolved(value: &str, board: Known) -> Option<String> {
    let (family, rest) = named_board(value)?;
    let address: IpAddr = match family {
        Family::Ipv4 => board.ipv4?.into(),
        Family::Ipv6 => board.ipv6?.into(),
    };
    Some(match address {
        IpAddr::V6(address) if !rest.is_empty() => format!("[{address}]{rest}"),
        address => format!("{address}{rest}"),
    })
}

/// What a DHCP server on the PC gives out: the PC's network, and the PC itself for everything.
fn own_network(pc: &HostOptions) -> Vec<(String, String)> {
    let mask = u32::MAX.checked_shl(32 - u32::from(pc.prefix.min(32))).unwrap_or(0);
    let (first, last) = pool(u32::from(pc.address), mask);
    let own = [("server", pc.address), ("router", pc.address), ("dns", pc.address)];
    let rest = [("subnet_mask", mask), ("first", first), ("last", last)];
    let rest = rest.map(|(name, bits)| (name, Ipv4Addr::from(bits)));
    own.into_iter().chain(rest).map(|(name, address)| (name.to_owned(), address.to_string())).collect()
}

/// What a DHCPv6 server on the PC gives out: addresses of the network in which the PC is, and the PC as DNS server. Without such a
/// network it answers nobody.
fn own_network_over_ipv6(pc: &HostOptions) -> Vec<(String, String)> {
    let own = |name: &str, value: String| (name.to_owned(), value);
    let Some((address, prefix)) = pc.ipv6 else { return vec![own("answers", "false".to_owned())] };
    let hosts = u128::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
    // Behind the first 4096 addresses, among which the PC and other machines are, where there are so many.
    let place = if hosts > 2 * FIRST_GIVEN { FIRST_GIVEN } else { 1.min(hosts) };
    let addresses = (hosts - place).clamp(1, MOST_GIVEN);
    let first = Ipv6Addr::from(address.to_bits() & !hosts | place);
    vec![
        own("first", first.to_string()),
        own("addresses", addresses.to_string()),
        own("dns", address.to_string()),
    ]
}

/// What a DNS server on the PC knows: every name for the PC, if the PC answers for every address.
fn own_names(pc: &HostOptions) -> Vec<(String, String)> {
    let all = pc.answers_for_all.then(|| ("records".to_owned(), format!("*={}", pc.address)));
    all.into_iter().collect()
}

/// The hundredth to the 199th address of a network that has so many; of a smaller one the longer run of hosts before or
/// behind the PC.
fn pool(pc: u32, mask: u32) -> (u32, u32) {
    let (network, broadcast) = (pc & mask, pc | !mask);
    if broadcast - network >= u32::from(u8::MAX) {
        return (network + 100, network + 199);
    }
    let before = (network + 1, pc.saturating_sub(1).max(network));
    let behind = (pc.saturating_add(1).min(broadcast), broadcast.saturating_sub(1));
    let longer =
        if before.1.saturating_sub(before.0) > behind.1.saturating_sub(behind.0) { before } else { behind };
    // A network without another host has an empty pool of one: its own address, which the server never gives out.
    if longer.0 <= longer.1 { longer } else { (pc, pc) }
}
