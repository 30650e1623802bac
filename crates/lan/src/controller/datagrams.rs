//! Datagrams of the PC, said one by one: to a chip, to everybody, or to a multicast group; and what comes back to their port.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

use ethernet::{Application, Host, SeatId, Sockets, Station};
use sim::Passive;
use units::Picoseconds;

use super::SpiController;

/// Datagrams that wait for whoever takes them; the oldest make way.
const MOST_WAITING: usize = 4_096;
/// What fits in a frame behind the headers of IPv4 and UDP.
const LONGEST_BYTES: usize = 1_472;

/// A datagram that the PC received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedDatagram {
    /// When the PC read it.
    pub at: Picoseconds,
    /// From whom.
    pub from: (IpAddr, u16),
    /// What it says.
    pub bytes: Vec<u8>,
}

/// A port of the PC.
#[derive(Debug, Clone)]
struct DatagramPort {
    port: u16,
    is_refused: bool,
    outgoing: VecDeque<((Ipv4Addr, u16), Vec<u8>)>,
    /// How many could not leave.
    unsent: usize,
    received: VecDeque<ReceivedDatagram>,
    socket: Option<ethernet::UdpId>,
}

impl Application for DatagramPort {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        while sockets.take_news().is_some() {}
        if self.socket.is_none() {
            self.socket = sockets.bind(self.port, true).ok();
            self.is_refused = self.socket.is_none();
        }
        let socket = self.socket?;
        for ((address, port), bytes) in self.outgoing.drain(..) {
            self.unsent += usize::from(!sockets.send_to(socket, address, port, &bytes));
        }
        let received = &mut self.received;
        while sockets.receive_from(socket, |from, bytes| {
            received.push_back(ReceivedDatagram { at: now, from, bytes: bytes.to_vec() });
        }) {}
        while received.len() > MOST_WAITING {
            received.pop_front();
        }
        None
    }

    fn snapshot(&self) -> Option<Box<dyn Application>> {
        Some(Box::new(self.clone()))
    }
}

impl SpiController {
    /// Has the PC send a datagram from a port of its own, which is bound from then on.
    ///
    /// # Errors
    /// A sentence: no PC, a port that something on it has, a destination without a way, more bytes than a packet has.
    pub fn send_datagram(&mut self, port: u16, to: (Ipv4Addr, u16), bytes: &[u8]) -> Result<(), String> {
        if bytes.len() > LONGEST_BYTES {
            return Err(format!(
                "a datagram has up to {LONGEST_BYTES} bytes, and this one has {}",
                bytes.len()
            ));
        }
        let seat = self.datagram_port(port)?;
        let now = self.now;
        let sent = self.lan.with_pc(|host| {
            let seated = host.application_as::<DatagramPort>(seat)?;
            let before = seated.unsent;
            seated.outgoing.push_back((to, bytes.to_vec()));
            host.call(now, seat);
            host.advance(now);
            let seated = host.application_as::<DatagramPort>(seat)?;
            Some((seated.is_refused, seated.unsent == before))
        });
        match sent.flatten() {
            Some((false, true)) => Ok(()),
            Some((true, _)) => {
                Err(format!("port {port} of the PC is taken by one of its servers; give another one"))
            }
            _ => Err(format!("the PC has no way to {} port {}", to.0, to.1)),
        }
    }

    /// The datagrams that came to a port of the PC since the last call.
    ///
    /// # Errors
    /// As for [`Self::send_datagram`].
    pub fn take_datagrams(&mut self, port: u16) -> Result<Vec<ReceivedDatagram>, String> {
        let seat = self.datagram_port(port)?;
        let taken = self.lan.with_pc(|host| {
            let seated = host.application_as::<DatagramPort>(seat)?;
            Some(std::mem::take(&mut seated.received).into())
        });
        Ok(taken.flatten().unwrap_or_default())
    }

    /// The seat of a port, which takes it when it is first spoken of.
    fn datagram_port(&mut self, port: u16) -> Result<SeatId, String> {
        self.lan.advance(self.now);
        let now = self.now;
        if let Some(&(_, seat)) = self.network.ports.iter().find(|(known, _)| *known == port) {
            return Ok(seat);
        }
        let seat = self.lan.with_pc(|host: &mut Host| {
            let empty = DatagramPort {
                port,
                is_refused: false,
                outgoing: VecDeque::new(),
                unsent: 0,
                received: VecDeque::new(),
                socket: None,
            };
            let seat = host.seat(Box::new(empty));
            host.call(now, seat);
            host.advance(now);
            let is_refused = host.application_as::<DatagramPort>(seat).is_none_or(|seated| seated.is_refused);
            (seat, is_refused)
        });
        match seat {
            Some((seat, false)) => {
                self.network.ports.push((port, seat));
                Ok(seat)
            }
            Some(_) => Err(format!("port {port} of the PC is taken by one of its servers; give another one")),
            None => Err("the network has no PC that could send".to_owned()),
        }
    }
}
