//! UDP ports of a board: a datagram to each, a few at a time, and what comes back. A port that answers nothing is open where
//! the board refuses others, as the ICMP of lwIP and of WIZnet's chips does; of a board that refuses none nothing is known.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use units::{PS_PER_MS, Picoseconds};

use super::{Service, Speaks, question};
use crate::outbox::after;
use crate::talk::Over;
use crate::{Action, Connection, IpEndpoint};

/// Connections are numbered from 0, and do not come so far.
pub(super) const SOCKET: Connection = Connection(Connection::FIRST_ACCEPTED - 1);
/// What is sent to each port: a number, which an echo sends back and a ping-pong answers with the next one.
const NUMBER: &[u8] = b"1";
const NEXT_NUMBER: &[u8] = b"2";
/// So many leave at a time, and then a pause: a small stack has room for few.
const AT_A_TIME: usize = 4;
const PAUSE: Picoseconds = Picoseconds::new(5 * PS_PER_MS);

/// The ports that are asked, and what came.
#[derive(Debug, Clone)]
pub(super) struct Datagrams {
    ports: Vec<u16>,
    /// How long an answer may take.
    answer_time: Picoseconds,
    /// The next port to ask.
    next: usize,
    /// When more leave, or when no more answers are waited for; nothing before it begins and once it is over.
    wake_at: Option<Picoseconds>,
    is_over: bool,
    /// The first answer from each port.
    answers: BTreeMap<u16, Vec<u8>>,
    /// Ports that nobody has, as the board says.
    refused: BTreeSet<u16>,
}

impl Datagrams {
    pub(super) fn new(ports: Vec<u16>, answer_time: Picoseconds) -> Self {
        let is_over = ports.is_empty();
        Self {
            ports,
            answer_time,
            next: 0,
            wake_at: None,
            is_over,
            answers: BTreeMap::new(),
            refused: BTreeSet::new(),
        }
    }

    pub(super) fn wake_at(&self) -> Option<Picoseconds> {
        self.wake_at
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// How many ports were asked.
    pub(super) fn asked(&self) -> u64 {
        self.next as u64
    }

    /// Begins, once.
    pub(super) fn begin(&mut self, now: Picoseconds, actions: &mut VecDeque<Action>) {
        if !self.is_over && self.wake_at.is_none() {
            actions.push_back(Action::Bind(SOCKET, 0, false));
            self.wake_at = Some(now);
        }
    }

    /// Asks the next ports, or ends.
    pub(super) fn wake(&mut self, now: Picoseconds, to: std::net::IpAddr, actions: &mut VecDeque<Action>) {
        if self.wake_at.is_none_or(|at| at > now) {
            return;
        }
        let due = self.ports[self.next..].iter().take(AT_A_TIME);
        let before = self.next;
        for &port in due {
            actions.push_back(Action::SendTo(SOCKET, IpEndpoint::new(to, port), NUMBER.to_vec()));
            self.next += 1;
        }
        if self.next == before {
            actions.push_back(Action::Abort(SOCKET));
            (self.is_over, self.wake_at) = (true, None);
        } else {
            let is_last = self.next == self.ports.len();
            self.wake_at = Some(after(now, if is_last { self.answer_time } else { PAUSE }));
        }
    }

    /// Something came from a port.
    pub(super) fn hear(&mut self, port: u16, bytes: &[u8]) {
        if self.ports[..self.next].contains(&port) {
            self.answers.entry(port).or_insert_with(|| bytes.to_vec());
        }
    }

    /// The board says that nobody has a port.
    pub(super) fn refuse(&mut self, port: u16) {
        self.refused.insert(port);
    }

    /// The ports that answered, and those that were neither answered nor refused where others were; the lowest first.
    pub(super) fn services(&self) -> Vec<Service> {
        let mut asked = self.ports[..self.next].to_vec();
        asked.sort_unstable();
        asked.into_iter().filter_map(|port| self.service(port)).collect()
    }

    fn service(&self, port: u16) -> Option<Service> {
        let answer = self.answers.get(&port).map(Vec::as_slice);
        let speaks = match answer.map(<[u8]>::trim_ascii) {
            Some(NUMBER) => Speaks::Echo,
            Some(NEXT_NUMBER) => Speaks::Counter,
            Some(_) => Speaks::Text,
            None if !self.is_over || self.refused.is_empty() || self.refused.contains(&port) => return None,
            None => Speaks::Silent,
        };
        let line = answer.filter(|_| speaks == Speaks::Text).and_then(question::first_line);
        Some(Service { over: Over::Udp, port, speaks, first_line: line })
    }
}
