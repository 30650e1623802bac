//! A DHCP client: it asks for an address of its own, once, and says which one it was given (RFC 2131 section 3.1). It keeps no
//! lease and configures nobody: it shows whether the server of a board does its work.

use std::net::{IpAddr, Ipv4Addr};

use fields::Field;
use fields::TakesOf::Text;
use smoltcp::wire::{DhcpMessageType, DhcpOpCode, DhcpPacket, EthernetAddress};
use units::{PS_PER_S, Picoseconds};

use super::settings::{HardwareAddress, hardware_address};
use super::wire::{ClientMessage, option as number};
use super::{CLIENT_PORT, SERVER_PORT, SOCKET};
use crate::options::{Values, option};
use crate::outbox::after;
use crate::{Action, Declared, Event, IpEndpoint, Machine, OptionError, Outcome, Results, Sample};

/// RFC 2131 section 4.1: the first repetition comes after 4 s, later ones after twice as long each; so many are sent in all.
const FIRST_WAIT: Picoseconds = Picoseconds::new(4 * PS_PER_S);
const MOST_SENT: u32 = 4;
const TRANSACTION: u32 = 0x4157_0001;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Its Ethernet address.
    pub client: HardwareAddress,
}

const OPTIONS: &[Field] = &[option(
    "client",
    Text("an Ethernet address"),
    "02:41:57:00:00:01",
    "Who asks; the PC itself, unless told otherwise.",
    "02:00:00:00:00:09",
)];

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self { client: values.read("client", hardware_address)? })
    }
}

/// What a server gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// The address.
    pub address: Ipv4Addr,
    /// Who gave it.
    pub server: Ipv4Addr,
    /// How many bits of it name the network; a server that says nothing of that leaves the class of the address (RFC 950).
    pub prefix: u8,
    /// Where everything else is reached, if the server says that.
    pub router: Option<Ipv4Addr>,
}

/// What it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unseated,
    /// An offer.
    Selecting,
    /// The acknowledgement of an address that this server offered.
    Requesting {
        address: Ipv4Addr,
        server: Ipv4Addr,
    },
    Done,
}

/// The client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    state: State,
    sent: u32,
    next: Option<Picoseconds>,
    sample: Option<Sample>,
    leased: Option<Given>,
    failure: Option<String>,
    actions: Vec<Action>,
}

impl Client {
    /// A client that asks as soon as it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            settings,
            state: State::Unseated,
            sent: 0,
            next: None,
            sample: None,
            leased: None,
            failure: None,
            actions: Vec::new(),
        }
    }

    /// What it was given.
    pub fn leased(&self) -> Option<Given> {
        self.leased
    }

    fn send(&mut self, now: Picoseconds) {
        let mut message = ClientMessage::new(match self.state {
            State::Requesting { .. } => DhcpMessageType::Request,
            _ => DhcpMessageType::Discover,
        });
        if let State::Requesting { address, server } = self.state {
            message.add(number::REQUESTED_IP_ADDRESS, &address.octets());
            message.add(number::SERVER_IDENTIFIER, &server.octets());
        }
        let bytes = message.into_bytes(TRANSACTION, self.settings.client);
        if let Some(sample) = &mut self.sample {
            sample.request_bytes += bytes.len() as u64;
        }
        let everybody = IpEndpoint::everyone(SERVER_PORT);
        self.actions.push(Action::SendTo(SOCKET, everybody, bytes));
        self.next = Some(after(now, Picoseconds::new(FIRST_WAIT.ps() << self.sent)));
        self.sent += 1;
    }

    fn wake(&mut self, now: Picoseconds) {
        if self.state == State::Unseated {
            self.state = State::Selecting;
            self.sample = Some(Sample::begun(0, now));
            self.actions.push(Action::Bind(SOCKET, CLIENT_PORT, true));
            return self.send(now);
        }
        if self.next.is_none_or(|next| next > now) {
            return;
        }
        if self.sent < MOST_SENT {
            return self.send(now);
        }
        let waited_for = if self.state == State::Selecting { "offers" } else { "acknowledges" };
        self.end(Some(format!("nobody {waited_for} an address")));
    }

    fn end(&mut self, failure: Option<String>) {
        (self.state, self.next, self.failure) = (State::Done, None, failure);
        self.actions.push(Action::Abort(SOCKET));
    }

    fn datagram(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        let Some(answer) = Answer::parse(bytes, self.settings.client) else { return };
        if let Some(sample) = &mut self.sample {
            sample.response_bytes += bytes.len() as u64;
        }
        let IpAddr::V4(sender) = from.address else { return };
        let server = answer.server.unwrap_or(sender);
        match (self.state, answer.kind) {
            (State::Selecting, DhcpMessageType::Offer) => {
                (self.state, self.sent) = (State::Requesting { address: answer.address, server }, 0);
                self.send(now);
            }
            (State::Requesting { .. }, DhcpMessageType::Ack) => {
                self.leased = Some(answer.given(server));
                if let Some(sample) = &mut self.sample {
                    (sample.done, sample.outcome) = (Some(now), Outcome::Ok);
                }
                self.end(None);
            }
            (State::Requesting { address, .. }, DhcpMessageType::Nak) => {
                self.end(Some(format!("{server} offers {address} and then refuses it")));
            }
            _ => {}
        }
    }
}

/// What a server sent to this client.
struct Answer {
    kind: DhcpMessageType,
    address: Ipv4Addr,
    server: Option<Ipv4Addr>,
    mask: Option<Ipv4Addr>,
    router: Option<Ipv4Addr>,
}

impl Answer {
    fn given(&self, server: Ipv4Addr) -> Given {
        let of_class = match self.address.octets()[0] {
            0..128 => 8,
            128..192 => 16,
            _ => 24,
        };
        let prefix = self.mask.map_or(of_class, |mask| mask.to_bits().leading_ones() as u8);
        Given { address: self.address, server, prefix, router: self.router }
    }

    fn parse(bytes: &[u8], client: HardwareAddress) -> Option<Self> {
        let packet = DhcpPacket::new_checked(bytes).ok()?;
        let is_own = packet.opcode() == DhcpOpCode::Reply
            && packet.transaction_id() == TRANSACTION
            && packet.client_hardware_address() == EthernetAddress(client);
        let mut answer = Self {
            kind: DhcpMessageType::Unknown(0),
            address: packet.your_ip(),
            server: None,
            mask: None,
            router: None,
        };
        for option in packet.options() {
            match (option.kind, option.data) {
                (number::MESSAGE_TYPE, [kind]) => answer.kind = DhcpMessageType::from(*kind),
                (number::SERVER_IDENTIFIER, &[a, b, c, d]) => answer.server = Some([a, b, c, d].into()),
                (number::SUBNET_MASK, &[a, b, c, d]) => answer.mask = Some([a, b, c, d].into()),
                (number::ROUTER, &[a, b, c, d, ..]) => answer.router = Some([a, b, c, d].into()),
                _ => {}
            }
        }
        is_own.then_some(answer)
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake => self.wake(now),
            Event::Datagram { from, bytes, .. } => self.datagram(now, from, bytes),
            Event::Closed(_, Some(why)) if self.state != State::Done => self.end(Some(why.to_owned())),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        (!self.actions.is_empty()).then(|| self.actions.remove(0))
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.next
    }

    fn is_done(&self) -> bool {
        self.state == State::Done
    }

    fn results(&self) -> Results {
        let samples = self.sample.iter().filter(|_| self.is_done()).cloned().collect();
        let mut results = Results::measured(samples, "leases", self.failure.as_deref());
        if let Some(Given { address, server, .. }) = self.leased {
            results.summary = format!("was given {address} by {server}");
        }
        results
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Server, Settings};
    use super::*;
    use crate::options::Declared;

    fn next_datagram(machine: &mut dyn Machine) -> Option<Vec<u8>> {
        std::iter::from_fn(|| machine.poll()).find_map(|action| match action {
            Action::SendTo(_, _, bytes) | Action::SendToStation(_, _, _, bytes) => Some(bytes),
            _ => None,
        })
    }

    #[test]
    fn it_is_given_an_address_by_a_server_and_says_so() {
        let mut client = Client::new(ClientSettings::from_options(&[]).unwrap());
        let mut server = Server::new(
            Settings::from_options(&[
                ("server", "10.0.0.1"),
                ("first", "10.0.0.7"),
                ("last", "10.0.0.9"),
                ("router", "10.0.0.1"),
            ])
            .unwrap(),
        );
        let now = Picoseconds::ZERO;
        client.handle(now, Event::Wake);
        server.handle(now, Event::Wake);
        let ends = |address: [u8; 4], port| IpEndpoint { address: address.into(), port };
        while let Some(bytes) = next_datagram(&mut client) {
            let from = ends([0; 4], CLIENT_PORT);
            server.handle(now, Event::Datagram { socket: SOCKET, from, bytes: &bytes });
            let answer = next_datagram(&mut server).expect("every message is answered");
            let from = ends([10, 0, 0, 1], SERVER_PORT);
            client.handle(now, Event::Datagram { socket: SOCKET, from, bytes: &answer });
        }
        let (address, server) = ([10, 0, 0, 7].into(), [10, 0, 0, 1].into());
        let expected = Given { address, server, prefix: 24, router: Some(server) };
        assert_eq!(client.leased(), Some(expected));
        assert!(client.is_done() && client.results().summary == "was given 10.0.0.7 by 10.0.0.1");
    }

    #[test]
    fn a_thousand_hostile_servers_neither_break_nor_hold_it() {
        let own = [2, 0, 0, 0, 0, 1];
        let from = IpEndpoint { address: [10, 0, 0, 1].into(), port: SERVER_PORT };
        let mut outcomes = std::collections::BTreeSet::new();
        for seed in 0..1000_u64 {
            let mut state = seed;
            let mut below = |limit: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % limit
            };
            let mut client = Client::new(ClientSettings { client: own });
            let (mut now, mut wakes) = (Picoseconds::ZERO, 0);
            client.handle(now, Event::Wake);
            while !client.is_done() {
                for _ in 0..below(20) {
                    // Any reply to it, with options that are right, cut, overlong, or flipped.
                    let mut reply = ClientMessage::new(DhcpMessageType::from(below(10) as u8));
                    reply.add(number::SERVER_IDENTIFIER, &[10; 6][..below(6) as usize]);
                    let mut bytes = reply.into_bytes(TRANSACTION, own);
                    bytes[0] = 2;
                    match below(4) {
                        0 => bytes.truncate(below(bytes.len() as u64 + 1) as usize),
                        1 => bytes[240 + below(8) as usize] = below(256) as u8,
                        2 => bytes[240..].fill(below(256) as u8),
                        _ => {}
                    }
                    client.handle(now, Event::Datagram { socket: SOCKET, from, bytes: &bytes });
                }
                if let Some(at) = client.wake_at() {
                    now = at;
                    client.handle(now, Event::Wake);
                }
                wakes += 1;
                assert!(wakes <= 2 * MOST_SENT, "{client:?}");
            }
            // Twice as many messages, a socket that is bound, and one that is let go.
            assert!(client.actions.len() <= 2 * MOST_SENT as usize + 2, "{client:?}");
            assert!(!client.results().summary.is_empty() && client.wake_at().is_none());
            outcomes.insert((client.leased().is_some(), client.results().failure.is_some()));
        }
        assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [(false, true), (true, false)]);
    }

    #[test]
    fn without_a_server_it_gives_up_after_a_minute() {
        let mut client = Client::new(ClientSettings { client: [2, 0, 0, 0, 0, 1] });
        client.handle(Picoseconds::ZERO, Event::Wake);
        let mut asked = 0;
        while let Some(at) = client.wake_at() {
            asked += usize::from(next_datagram(&mut client).is_some());
            client.handle(at, Event::Wake);
        }
        assert_eq!((asked, client.is_done()), (4, true));
        assert_eq!(client.results().failure.as_deref(), Some("nobody offers an address"));
    }
}
