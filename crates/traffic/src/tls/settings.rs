//! The options of servers behind TLS: those of the server within, and of its certificate and records.

use fields::Field;
use fields::TakesOf::{Count, Port, Size, Text, Word};
use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};

use super::certificate::Origin;
use crate::options::{self, Declared, OptionError, Values, option};
use crate::{http, mqtt, small};

/// Assigned by IANA: https, secure-mqtt.
const HTTPS_PORT: &str = "443";
const MQTTS_PORT: &str = "8883";
/// What `openssl s_server` listens on.
const ECHO_PORT: &str = "4433";

/// A record's payload (RFC 8446, section 5.1), and one small enough for the least of clients.
const MOST_RECORD_BYTES: u64 = 16_384;
const LEAST_RECORD_BYTES: u64 = 512;

const fn port(default: &'static str) -> Field {
    option("port", Port, default, "The TCP port to listen on.", "10443")
}

const TLS_OPTIONS: [Field; 4] = [
    option(
        "certificate",
        Text("a file in PEM"),
        "",
        "The server's certificate, those that signed it, and its P-256 key; without one, a certificate for any name that is asked for, of a test authority.",
        "server.pem",
    ),
    option("version", Word(&["any", "1.2", "1.3"]), "any", "The versions of TLS that are spoken.", "1.2"),
    option(
        "record_size",
        Size(LEAST_RECORD_BYTES, MOST_RECORD_BYTES),
        "16KiB",
        "The most that one record carries, for clients with small buffers.",
        "4KiB",
    ),
    option("seed", Count(0, u64::MAX), "1", "Determines keys and random numbers.", "7"),
];

type Versions = &'static [&'static SupportedProtocolVersion];

const VERSIONS: &[(&str, Versions)] = &[("any", &[&TLS13, &TLS12]), ("1.2", &[&TLS12]), ("1.3", &[&TLS13])];

/// What TLS is to be like.
#[derive(Debug, Clone)]
pub struct TlsSettings {
    pub(super) origin: Origin,
    pub(super) versions: Versions,
    /// The longest record with its header, as rustls counts it; nothing for the longest that there is.
    pub(super) record_bytes: Option<usize>,
    pub(super) seed: u64,
}

impl TlsSettings {
    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let seed = values.read("seed", options::parsed)?;
        let origin = match values.text("certificate") {
            "" => Origin::Made(seed),
            path => {
                Origin::open(path).map_err(|reason| OptionError::Together { name: "certificate", reason })?
            }
        };
        let versions = values.choose("version", VERSIONS)?;
        let record_bytes: u64 = values.read("record_size", options::size)?;
        // Header, content type and tag of TLS 1.3, of which 22 is the sum, count with rustls.
        let record_bytes = (record_bytes < MOST_RECORD_BYTES).then_some(record_bytes as usize + 5);
        Ok(Self { origin, versions, record_bytes, seed })
    }
}

/// A server's own options but for its port, behind that of TLS, with those of TLS.
const fn with_tls<const N: usize>(own: &[Field], default_port: &'static str) -> [Field; N] {
    let mut all = [port(default_port); N];
    let (mut from, mut to) = (0, 1);
    while from < own.len() {
        if !is_port(own[from].name) {
            all[to] = own[from];
            to += 1;
        }
        from += 1;
    }
    let mut from = 0;
    while from < TLS_OPTIONS.len() {
        all[to] = TLS_OPTIONS[from];
        (from, to) = (from + 1, to + 1);
    }
    assert!(to == N, "every server has a port of its own, and so many other options");
    all
}

const fn is_port(name: &str) -> bool {
    matches!(name.as_bytes(), b"port")
}

/// Settings of a server behind TLS.
#[derive(Debug, Clone)]
pub struct Secured<S> {
    pub(crate) inner: S,
    pub(crate) tls: TlsSettings,
}

/// A server that can stand behind TLS.
pub trait Securable: Declared {
    /// The options behind TLS.
    const SECURED: &'static [Field];

    /// Listens on another port.
    fn set_port(&mut self, port: u16);
}

impl<S: Securable> Declared for Secured<S> {
    const OPTIONS: &'static [Field] = S::SECURED;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let mut inner = S::read(&values.of(S::OPTIONS))?;
        inner.set_port(values.read("port", options::parsed)?);
        Ok(Self { inner, tls: TlsSettings::read(values)? })
    }
}

const HTTP: usize = <http::ServerSettings as Declared>::OPTIONS.len() + TLS_OPTIONS.len();
const MQTT: usize = <mqtt::Settings as Declared>::OPTIONS.len() + TLS_OPTIONS.len();
const SMALL: usize = <small::ServerSettings as Declared>::OPTIONS.len() + TLS_OPTIONS.len();

impl Securable for http::ServerSettings {
    const SECURED: &'static [Field] = &with_tls::<HTTP>(<Self as Declared>::OPTIONS, HTTPS_PORT);

    fn set_port(&mut self, port: u16) {
        self.port = port;
    }
}

impl Securable for mqtt::Settings {
    const SECURED: &'static [Field] = &with_tls::<MQTT>(<Self as Declared>::OPTIONS, MQTTS_PORT);

    fn set_port(&mut self, port: u16) {
        self.port = port;
    }
}

impl Securable for small::ServerSettings {
    const SECURED: &'static [Field] = &with_tls::<SMALL>(<Self as Declared>::OPTIONS, ECHO_PORT);

    fn set_port(&mut self, port: u16) {
        self.port = Some(port);
    }
}
