//! Forwarded ports: whoever connects to a port of this machine is connected with a port of the board, by way of the virtual
//! PC. TCP only; the PC's stack, not this machine's, is what the board talks to.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use ethernet::{Application, News, Sockets, TcpId, TcpState};
use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry, Token};
use thiserror::Error;
use units::Picoseconds;

/// Tokens of listeners begin here; connections are looked at in every round anyway.
const FIRST_TOKEN: usize = 1;
/// Connections at a time; more wait at the listener.
const MOST_CONNECTIONS: usize = 512;
const PIECE_BYTES: usize = 16 << 10;
/// What may wait for a slow program on this machine.
const MOST_WAITING_BYTES: usize = 64 << 10;

/// A port of this machine, and where on the board it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forward {
    /// Where this machine listens.
    pub listen: SocketAddr,
    /// The board's address; as soon as it is known, where none is given.
    pub address: Option<Ipv4Addr>,
    /// The board's port.
    pub port: u16,
}

/// A port that cannot be forwarded.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ForwardError {
    /// The text says something else.
    #[error(
        "{0:?} forwards no port: give HOST_PORT:BOARD_PORT, such as 8080:80, or HOST_PORT:BOARD_ADDRESS:BOARD_PORT"
    )]
    Text(String),
    /// The port cannot be listened at.
    #[error(
        "port {port} of this machine cannot be forwarded: {reason}; choose another one, above 1023 without root"
    )]
    Listen {
        /// Which.
        port: u16,
        /// Why.
        reason: String,
    },
}

impl FromStr for Forward {
    type Err = ForwardError;

    fn from_str(text: &str) -> Result<Self, ForwardError> {
        let wrong = || ForwardError::Text(text.to_owned());
        let port = |part: &str| part.parse::<u16>().map_err(|_| wrong());
        let parts: Vec<&str> = text.split(':').collect();
        let (own, address, port) = match parts[..] {
            [own, to] => (port(own)?, None, port(to)?),
            [own, address, to] => (port(own)?, Some(address.parse().map_err(|_| wrong())?), port(to)?),
            _ => return Err(wrong()),
        };
        if port == 0 {
            return Err(wrong());
        }
        Ok(Self { listen: SocketAddr::from(([127, 0, 0, 1], own)), address, port })
    }
}

/// One connection through the relay.
#[derive(Debug)]
struct Pair {
    outer: TcpStream,
    /// What the board sent and the outer program has not taken yet.
    waiting: Vec<u8>,
    outer_finished: bool,
    outer_told: bool,
}

/// The application of the PC that carries bytes between this machine's sockets and the board.
#[derive(Debug)]
pub(super) struct Relay {
    listeners: Vec<(TcpListener, Forward)>,
    pairs: BTreeMap<TcpId, Pair>,
    board: Option<Ipv4Addr>,
    /// Where connections are registered, so that what arrives wakes whoever rests.
    registry: Option<Registry>,
    next_token: usize,
    /// Whether bytes passed since somebody asked.
    passed: bool,
}

impl Relay {
    pub(super) fn new(forwards: &[Forward]) -> Result<Self, ForwardError> {
        let listen = |forward: &Forward| {
            let refused = |error: std::io::Error| ForwardError::Listen {
                port: forward.listen.port(),
                reason: error.to_string(),
            };
            TcpListener::bind(forward.listen).map(|listener| (listener, *forward)).map_err(refused)
        };
        let listeners = forwards.iter().map(listen).collect::<Result<_, _>>()?;
        let next_token = FIRST_TOKEN + forwards.len();
        Ok(Self { listeners, pairs: BTreeMap::new(), board: None, registry: None, next_token, passed: false })
    }

    pub(super) fn has_forwards(&self) -> bool {
        !self.listeners.is_empty()
    }

    /// Where each forwarded port listens, in the order in which they were given.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        let own =
            |(listener, forward): &(TcpListener, Forward)| listener.local_addr().unwrap_or(forward.listen);
        self.listeners.iter().map(own).collect()
    }

    pub(super) fn register(&mut self, registry: &Registry) -> std::io::Result<()> {
        for (index, (listener, _)) in self.listeners.iter_mut().enumerate() {
            registry.register(listener, Token(FIRST_TOKEN + index), Interest::READABLE)?;
        }
        self.registry = Some(registry.try_clone()?);
        Ok(())
    }

    /// Whether anything passed since the last call.
    pub(super) fn take_passed(&mut self) -> bool {
        std::mem::take(&mut self.passed)
    }

    /// The board's address became known, or another.
    pub(super) fn learn(&mut self, board: Option<Ipv4Addr>) {
        self.board = board.or(self.board);
    }

    fn accept(&mut self, sockets: &mut Sockets<'_>) {
        for (listener, forward) in &self.listeners {
            let Some(address) = forward.address.or(self.board) else { continue };
            while self.pairs.len() < MOST_CONNECTIONS {
                let Ok((mut outer, from)) = listener.accept() else { break };
                if !matches!(from.ip(), IpAddr::V4(_)) {
                    continue;
                }
                // A connection that the PC cannot open ends here, as one that is refused.
                if let Ok(id) = sockets.connect(address, forward.port) {
                    sockets.set_nodelay(id, true);
                    let _ = outer.set_nodelay(true);
                    if let Some(registry) = &self.registry {
                        // Without it the connection is looked at a little later.
                        let _ = registry.register(&mut outer, Token(self.next_token), Interest::READABLE);
                        self.next_token += 1;
                    }
                    self.passed = true;
                    let pair = Pair { outer, waiting: Vec::new(), outer_finished: false, outer_told: false };
                    self.pairs.insert(id, pair);
                }
            }
        }
    }
}

impl Pair {
    /// Carries what can be carried; false when the connection is over.
    /// `passed` is set where bytes did.
    fn carry(&mut self, id: TcpId, sockets: &mut Sockets<'_>, passed: &mut bool) -> bool {
        match sockets.state(id) {
            Some(TcpState::Opening) => return true,
            Some(TcpState::Open) => {}
            Some(TcpState::Over(_)) | None => {
                self.carry_to_outer(id, sockets, passed);
                return !self.waiting.is_empty() && self.flush();
            }
        }
        self.carry_to_outer(id, sockets, passed) && self.carry_to_board(id, sockets, passed)
    }

    fn carry_to_outer(&mut self, id: TcpId, sockets: &mut Sockets<'_>, passed: &mut bool) -> bool {
        let waiting = &mut self.waiting;
        sockets.receive(id, |bytes| {
            let taken = bytes.len().min(MOST_WAITING_BYTES.saturating_sub(waiting.len()));
            waiting.extend_from_slice(&bytes[..taken]);
            *passed |= taken > 0;
            taken
        });
        if !self.flush() {
            return false;
        }
        if self.waiting.is_empty() && sockets.peer_finished(id) && !self.outer_told {
            self.outer_told = true;
            let _ = self.outer.shutdown(std::net::Shutdown::Write);
        }
        true
    }

    fn flush(&mut self) -> bool {
        while !self.waiting.is_empty() {
            match self.outer.write(&self.waiting) {
                Ok(0) => return false,
                Ok(written) => drop(self.waiting.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        true
    }

    fn carry_to_board(&mut self, id: TcpId, sockets: &mut Sockets<'_>, passed: &mut bool) -> bool {
        let mut piece = [0; PIECE_BYTES];
        while !self.outer_finished {
            let room = sockets.room(id).min(PIECE_BYTES);
            if room == 0 {
                return true;
            }
            match self.outer.read(&mut piece[..room]) {
                Ok(0) => {
                    self.outer_finished = true;
                    sockets.finish(id);
                }
                Ok(length) => {
                    *passed = true;
                    sockets.send(id, &piece[..length]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        true
    }
}

impl Application for Relay {
    fn run(&mut self, _: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        while sockets.take_news().is_some_and(|news| news != News::Frames) {}
        self.accept(sockets);
        let passed = &mut self.passed;
        self.pairs.retain(|&id, pair| {
            let goes_on = pair.carry(id, sockets, passed);
            if !goes_on {
                sockets.forget(id);
            }
            goes_on
        });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forward_names_a_port_here_and_one_there() {
        let forward: Forward = "8080:80".parse().unwrap();
        assert_eq!((forward.listen.port(), forward.address, forward.port), (8080, None, 80));
        let forward: Forward = "8080:192.168.11.2:5000".parse().unwrap();
        assert_eq!(forward.address, Some(Ipv4Addr::new(192, 168, 11, 2)));
    }

    #[test]
    fn what_forwards_nothing_is_refused_in_a_sentence() {
        for text in ["", "80", "a:b", "8080:0", "70000:80", "1:2:3", "1:2.3.4.5:6:7"] {
            let error = text.parse::<Forward>().unwrap_err().to_string();
            assert!(error.contains("8080:80"), "{error}");
        }
    }
}
