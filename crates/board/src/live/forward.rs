//! Forwarded ports: whoever connects to a port of this machine is connected with a port of the board, by way of the virtual
//! PC. TCP only; the PC's stack, not this machine's, is what the board talks to.

use std::collections::{BTreeMap, VecDeque};
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

/// What came from a program on this machine, and when: the virtual clock may come to that moment later.
#[derive(Debug)]
struct Arrived<T> {
    at: Picoseconds,
    what: T,
}

/// One connection through the relay.
#[derive(Debug)]
struct Pair {
    outer: TcpStream,
    /// What the program sent and the board has not been given yet; an empty piece is its end.
    arrived: VecDeque<Arrived<Vec<u8>>>,
    /// How many bytes of the first piece the board has been given.
    begun: usize,
    outer_ended: bool,
    /// What the board sent and the outer program has not taken yet.
    waiting: Vec<u8>,
    outer_told: bool,
    /// The program has broken the connection off.
    broken: bool,
}

/// The application of the PC that carries bytes between this machine's sockets and the board.
#[derive(Debug)]
pub(super) struct Relay {
    listeners: Vec<(TcpListener, Forward)>,
    /// Connections that are to be opened to the board.
    callers: VecDeque<Arrived<(TcpStream, Ipv4Addr, u16)>>,
    pairs: BTreeMap<TcpId, Pair>,
    board: Option<Ipv4Addr>,
    /// Where connections are registered, so that what arrives wakes whoever rests.
    registry: Option<Registry>,
    next_token: usize,
    /// Whether bytes passed since somebody asked.
    passed: bool,
    /// The board is served no more.
    closed: bool,
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
        Ok(Self {
            listeners,
            callers: VecDeque::new(),
            pairs: BTreeMap::new(),
            board: None,
            registry: None,
            next_token,
            passed: false,
            closed: false,
        })
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

    /// Takes what this machine's sockets have at a moment. The board gets it at that moment of its own clock, which may be
    /// behind: were it given what comes while it catches up, it would have answered before it was asked.
    pub(super) fn look(&mut self, at: Picoseconds) {
        for (listener, forward) in &self.listeners {
            let Some(address) = forward.address.or(self.board) else { continue };
            while self.pairs.len() + self.callers.len() < MOST_CONNECTIONS {
                let Ok((mut outer, from)) = listener.accept() else { break };
                if !matches!(from.ip(), IpAddr::V4(_)) {
                    continue;
                }
                let _ = outer.set_nodelay(true);
                if let Some(registry) = &self.registry {
                    // Without it the connection is looked at a little later.
                    let _ = registry.register(&mut outer, Token(self.next_token), Interest::READABLE);
                    self.next_token += 1;
                }
                self.passed = true;
                self.callers.push_back(Arrived { at, what: (outer, address, forward.port) });
            }
        }
        for pair in self.pairs.values_mut() {
            self.passed |= pair.look(at);
        }
    }

    /// Frees the ports and ends every connection.
    pub(super) fn close(&mut self) {
        self.listeners.clear();
        self.callers.clear();
        self.registry = None;
        self.closed = true;
    }

    fn open(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) {
        while self.callers.front().is_some_and(|caller| caller.at <= now) {
            let Some(Arrived { at, what: (outer, address, port) }) = self.callers.pop_front() else { return };
            // A connection that the PC cannot open ends here, as one that is refused.
            if let Ok(id) = sockets.connect(address, port) {
                sockets.set_nodelay(id, true);
                let mut pair = Pair::new(outer);
                pair.look(at);
                self.pairs.insert(id, pair);
            }
        }
    }

    /// When the board is to get what came next.
    fn next(&self, now: Picoseconds) -> Option<Picoseconds> {
        let callers = self.callers.front().map(|caller| caller.at);
        let pieces = self.pairs.values().filter_map(|pair| pair.arrived.front()).map(|piece| piece.at);
        pieces.chain(callers).filter(|&at| at > now).min()
    }
}

impl Pair {
    fn new(outer: TcpStream) -> Self {
        Self {
            outer,
            arrived: VecDeque::new(),
            begun: 0,
            outer_ended: false,
            waiting: Vec::new(),
            outer_told: false,
            broken: false,
        }
    }

    /// Takes what the program has sent; whether there was anything.
    fn look(&mut self, at: Picoseconds) -> bool {
        let mut waiting: usize = self.arrived.iter().map(|piece| piece.what.len()).sum();
        let mut any = false;
        let mut piece = [0; PIECE_BYTES];
        while !self.outer_ended && waiting < MOST_WAITING_BYTES {
            match self.outer.read(&mut piece) {
                Ok(length) => {
                    self.outer_ended = length == 0;
                    self.arrived.push_back(Arrived { at, what: piece[..length].to_vec() });
                    waiting += length;
                    any |= length > 0;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.outer_ended = true;
                    self.broken = true;
                }
            }
        }
        any
    }

    /// Carries what can be carried; false when the connection is over.
    /// `passed` is set where bytes did.
    fn carry(&mut self, id: TcpId, now: Picoseconds, sockets: &mut Sockets<'_>, passed: &mut bool) -> bool {
        match sockets.state(id) {
            Some(TcpState::Opening) => return true,
            Some(TcpState::Open) => {}
            Some(TcpState::Over(_)) | None => {
                self.carry_to_outer(id, sockets, passed);
                return !self.waiting.is_empty() && self.flush();
            }
        }
        self.carry_to_outer(id, sockets, passed) && self.carry_to_board(id, now, sockets)
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

    /// Gives the board what came by now; false when the program has broken its connection off.
    fn carry_to_board(&mut self, id: TcpId, now: Picoseconds, sockets: &mut Sockets<'_>) -> bool {
        while let Some(piece) = self.arrived.front().filter(|piece| piece.at <= now) {
            if piece.what.is_empty() {
                self.arrived.pop_front();
                sockets.finish(id);
                break;
            }
            let room = sockets.room(id).min(piece.what.len() - self.begun);
            if room == 0 {
                return true;
            }
            sockets.send(id, &piece.what[self.begun..self.begun + room]);
            self.begun += room;
            if self.begun == piece.what.len() {
                self.begun = 0;
                self.arrived.pop_front();
            }
        }
        !self.broken || !self.arrived.is_empty()
    }
}

impl Application for Relay {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        while sockets.take_news().is_some_and(|news| news != News::Frames) {}
        self.open(now, sockets);
        let (passed, closed) = (&mut self.passed, self.closed);
        self.pairs.retain(|&id, pair| {
            let goes_on = !closed && pair.carry(id, now, sockets, passed);
            if !goes_on {
                sockets.forget(id);
            }
            goes_on
        });
        self.next(now)
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
    fn the_board_gets_what_came_at_that_moment_of_its_clock_and_not_while_it_catches_up() {
        use ethernet::{Host, HostOptions, Station};
        let ms = |ms: i64| Picoseconds::new(ms * units::PS_PER_MS);
        let forward = Forward { listen: ([127, 0, 0, 1], 0).into(), address: None, port: 80 };
        let relay = Relay::new(&[forward]).unwrap();
        let address = relay.addresses()[0];
        let options = HostOptions::new("PC", [2, 0, 0, 0, 0, 1], Ipv4Addr::new(192, 168, 1, 1), 24);
        let mut host = Host::new(options).unwrap();
        let seat = host.seat(Box::new(relay));
        host.advance(ms(1));
        let _caller = std::net::TcpStream::connect(address).unwrap();
        // The wall is at 100 ms, and the board at 1 ms.
        let relay = host.application_as::<Relay>(seat).unwrap();
        relay.learn(Some(Ipv4Addr::new(192, 168, 1, 50)));
        relay.look(ms(100));
        host.call(ms(50), seat);
        host.advance(ms(99));
        assert_eq!(host.connections(), 0, "it would be answered before it was asked");
        host.advance(ms(100));
        assert_eq!(host.connections(), 1);
        // Closed, the port is free and the connection forgotten.
        host.application_as::<Relay>(seat).unwrap().close();
        host.call(ms(101), seat);
        host.advance(ms(101));
        assert_eq!(host.connections(), 0);
        assert!(std::net::TcpListener::bind(address).is_ok());
    }

    #[test]
    fn what_forwards_nothing_is_refused_in_a_sentence() {
        for text in ["", "80", "a:b", "8080:0", "70000:80", "1:2:3", "1:2.3.4.5:6:7"] {
            let error = text.parse::<Forward>().unwrap_err().to_string();
            assert!(error.contains("8080:80"), "{error}");
        }
    }
}
