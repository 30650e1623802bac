//! Every client and server by its name, made from options in text.

use fields::Field;
use thiserror::Error;

use crate::options::Declared;
use crate::small::Service;
use crate::{
    Machine, OptionError, bulk, coap, dhcp, dhcpv6, dns, ftp, http, iperf, iperf3, mqtt, ping, pingpong,
    scan, small, sntp, talk, tftp, tls, udp, ws,
};

/// A kind of client or server.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// Whether it waits for others.
    pub serves: bool,
    /// Its options.
    pub options: &'static [Field],
    build: Build,
}

/// Makes one from options.
type Build = fn(&[(&str, &str)]) -> Result<Box<dyn Machine>, OptionError>;

impl Kind {
    /// Makes one.
    ///
    /// # Errors
    /// When an option is wrong.
    pub fn machine(&self, options: &[(&str, &str)]) -> Result<Box<dyn Machine>, OptionError> {
        (self.build)(options)
    }
}

/// A row of the table: what a machine is made from are the settings that its options are read as.
macro_rules! kind {
    ($name:literal, $title:literal, serves: $serves:literal, $settings:ty, $make:expr) => {
        Kind {
            name: $name,
            title: $title,
            serves: $serves,
            options: <$settings as Declared>::OPTIONS,
            build: |options| Ok(Box::new($make(<$settings>::from_options(options)?))),
        }
    };
}

/// All kinds: clients, then servers. No two servers want the same port by default.
pub const KINDS: &[Kind] = &[
    kind!("ping", "ICMP echo requests", serves: false, ping::ClientSettings, ping::Client::new),
    kind!("pingpong", "a message over TCP, its answer, the next message", serves: false, pingpong::ClientSettings, pingpong::Client::new),
    kind!("http", "HTTP requests as ApacheBench makes them", serves: false, http::ClientSettings, http::Client::new),
    kind!("udp", "a datagram over UDP, its answer, the next datagram", serves: false, udp::ClientSettings, udp::Client::new),
    kind!("ws", "a message over WebSocket, its echo, the next message", serves: false, ws::ClientSettings, ws::Client::new),
    kind!("bulk", "bytes over one TCP connection, checked on arrival", serves: false, bulk::ClientSettings, bulk::Client::new),
    kind!("iperf", "iperf 2 over TCP, the client", serves: false, iperf::TcpClientSettings, iperf::TcpClient::new),
    kind!("iperf-udp", "iperf 2 over UDP, the sending client", serves: false, iperf::UdpClientSettings, iperf::UdpClient::new),
    kind!("iperf3", "iperf 3 over TCP, the client", serves: false, iperf3::ClientSettings, iperf3::Client::new),
    kind!("talk", "sends given bytes over TCP or UDP, and keeps what comes back", serves: false, talk::ClientSettings, talk::Client::new),
    kind!("dhcp-client", "asks for an address, and says which one it was given", serves: false, dhcp::ClientSettings, dhcp::Client::new),
    kind!("scan", "knocks at TCP and UDP ports, and finds out what the open ones speak", serves: false, scan::ClientSettings, scan::Client::new),
    kind!("dhcp", "a DHCP server", serves: true, dhcp::Settings, dhcp::Server::new),
    kind!("dhcpv6", "a DHCPv6 server", serves: true, dhcpv6::Settings, dhcpv6::Server::new),
    kind!("dns", "a DNS server", serves: true, dns::Settings, dns::Server::new),
    kind!("sntp", "an SNTP server", serves: true, sntp::Settings, sntp::Server::new),
    kind!("mqtt", "an MQTT 3.1.1 and 3.1 broker", serves: true, mqtt::Settings, mqtt::Broker::new),
    kind!("coap", "a CoAP server", serves: true, coap::Settings, coap::Server::new),
    kind!("echo", "sends back what comes, over TCP and UDP", serves: true, small::ServerSettings, |settings| small::Server::of(Service::Echo, settings)),
    kind!("discard", "throws away what comes, over TCP and UDP", serves: true, small::ServerSettings, |settings| small::Server::of(Service::Discard, settings)),
    kind!("chargen", "sends characters, over TCP and UDP", serves: true, small::ServerSettings, |settings| small::Server::of(Service::Chargen, settings)),
    kind!("pingpong-server", "answers the messages of pingpong", serves: true, pingpong::ServerSettings, pingpong::Server::new),
    kind!("http-server", "an HTTP server with one page", serves: true, http::ServerSettings, http::Server::new),
    kind!("bulk-server", "takes what bulk sends, and sends as much as it is told", serves: true, bulk::ServerSettings, bulk::Server::new),
    kind!("iperf-server", "iperf 2 over TCP, the server", serves: true, iperf::TcpServerSettings, iperf::TcpServer::new),
    kind!("iperf-udp-server", "iperf 2 over UDP, the receiving server", serves: true, iperf::UdpServerSettings, iperf::UdpServer::new),
    kind!("udp-server", "answers the datagrams of udp", serves: true, udp::ServerSettings, udp::Server::new),
    kind!("iperf3-server", "iperf 3 over TCP, the server", serves: true, iperf3::ServerSettings, iperf3::Server::new),
    kind!("ftp", "an FTP server with files in memory", serves: true, ftp::Settings, ftp::Server::new),
    kind!("tftp", "a TFTP server with files in memory", serves: true, tftp::Settings, tftp::Server::new),
    kind!("https-server", "http-server behind TLS", serves: true, tls::Secured<http::ServerSettings>, |settings: tls::Secured<http::ServerSettings>| tls::Server::new(settings.tls, Box::new(http::Server::new(settings.inner)))),
    kind!("mqtts", "mqtt behind TLS", serves: true, tls::Secured<mqtt::Settings>, |settings: tls::Secured<mqtt::Settings>| tls::Server::new(settings.tls, Box::new(mqtt::Broker::new(settings.inner)))),
    kind!("tls-echo", "echo over TCP behind TLS", serves: true, tls::Secured<small::ServerSettings>, |settings: tls::Secured<small::ServerSettings>| tls::Server::new(settings.tls, Box::new(small::Server::of(Service::Echo, settings.inner)))),
    kind!("ws-server", "sends back the messages of ws", serves: true, ws::ServerSettings, ws::Server::new),
];

/// A client or a server that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KindError {
    /// There is none of that name.
    #[error("{name:?} is no kind of client or server; {hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        hint: String,
    },
    /// An option is wrong.
    #[error(transparent)]
    Option(#[from] OptionError),
}

/// The kind of a name.
///
/// # Errors
/// When there is none.
pub fn kind(name: &str) -> Result<&'static Kind, KindError> {
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        KindError::Unknown { name: name.to_owned(), hint: fields::hint(name, &known) }
    })
}

/// Makes a client or a server.
///
/// # Errors
/// When there is none of that name, or an option is wrong.
pub fn machine(kind_name: &str, options: &[(&str, &str)]) -> Result<Box<dyn Machine>, KindError> {
    Ok(kind(kind_name)?.machine(options)?)
}
