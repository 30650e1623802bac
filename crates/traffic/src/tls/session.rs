//! The server's end of one TLS connection, in bytes: what arrives goes in, and what it says and what has to be sent come out.

use std::io::{Read, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::UnixTime;
use rustls::server::{
    ClientHello, NoServerSessionStorage, ResolvesServerCert, ServerConfig, ServerConnection,
};
use rustls::sign::CertifiedKey;
use rustls::time_provider::TimeProvider;

use super::certificate::Origin;
use super::provider::provider;
use super::random::Random;
use super::settings::TlsSettings;

/// The end of one connection.
#[derive(Debug)]
pub(super) struct Session {
    connection: ServerConnection,
    random: Random,
}

/// What arrived came to.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) plain: Vec<u8>,
    /// The peer said that it will send no more.
    pub(super) finished: bool,
    /// Why the connection cannot go on.
    pub(super) error: Option<String>,
}

impl Session {
    /// The end of the connection of a number, at an address of the PC's.
    ///
    /// # Errors
    /// What rustls has against the settings.
    pub(super) fn new(settings: &TlsSettings, number: u64, address: IpAddr) -> Result<Self, String> {
        let resolver = Resolver { origin: settings.origin.clone(), address };
        let builder = ServerConfig::builder_with_details(provider(), Arc::new(NoTime));
        let builder = builder.with_protocol_versions(settings.versions).map_err(|error| error.to_string())?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(Arc::new(resolver));
        config.max_fragment_size = settings.record_bytes;
        // Tickets would be kept for another connection; each begins anew, so that all of one kind take the same time.
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        let random = Random::named(settings.seed, &format!("tls/connection/{number}"));
        let connection = ServerConnection::new(Arc::new(config)).map_err(|error| error.to_string())?;
        Ok(Self { connection, random })
    }

    pub(super) fn is_open(&self) -> bool {
        !self.connection.is_handshaking()
    }

    /// Takes bytes of the connection.
    pub(super) fn receive(&mut self, mut bytes: &[u8]) -> Heard {
        let Self { connection, random } = self;
        let mut heard = Heard::default();
        while !bytes.is_empty() && heard.error.is_none() {
            // A record that does not fit its buffer is refused by rustls itself.
            if let Err(error) = connection.read_tls(&mut bytes) {
                heard.error = Some(error.to_string());
                break;
            }
            match random.lent(|| connection.process_new_packets()) {
                Ok(state) => {
                    let before = heard.plain.len();
                    heard.plain.resize(before + state.plaintext_bytes_to_read(), 0);
                    let read = connection.reader().read(&mut heard.plain[before..]).unwrap_or(0);
                    heard.plain.truncate(before + read);
                    heard.finished |= state.peer_has_closed();
                }
                Err(error) => heard.error = Some(error.to_string()),
            }
        }
        heard
    }

    /// Says something; [`Self::take_output`] has it encrypted.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        let Self { connection, random } = self;
        connection.set_buffer_limit(None);
        random.lent(|| connection.writer().write_all(bytes)).expect("a writer into memory takes everything");
    }

    /// Says that nothing more comes.
    pub(super) fn finish(&mut self) {
        self.connection.send_close_notify();
    }

    /// What has to be sent.
    pub(super) fn take_output(&mut self) -> Vec<u8> {
        let mut output = Vec::new();
        while self.connection.wants_write() {
            self.connection.write_tls(&mut output).expect("a vector takes everything");
        }
        output
    }
}

#[derive(Debug)]
struct Resolver {
    origin: Origin,
    address: IpAddr,
}

impl ResolvesServerCert for Resolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.origin.certified(hello.server_name(), self.address)
    }
}

/// The time is asked for tickets alone, of which there are none.
#[derive(Debug)]
struct NoTime;

impl TimeProvider for NoTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::ZERO))
    }
}
