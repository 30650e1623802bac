//! Seats a client or a server of crate `traffic` on a virtual PC: its actions become calls of the PC's sockets, and what
//! happens there becomes its events.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ethernet::{Application, ListenerId, News, Sockets, TcpId, TcpState, UdpId};
use traffic::{Action, Connection, Event, IpEndpoint, Machine};
use units::Picoseconds;

/// Events and actions of one moment; a machine that wants more than this at once goes on in the next picosecond.
const MOST_ROUNDS: usize = 10_000;

/// A TCP connection of a machine.
#[derive(Debug, Default)]
struct Stream {
    id: Option<TcpId>,
    opened: bool,
    /// What found no room yet.
    waiting: Vec<u8>,
    /// What the machine wants room for; zero for an acknowledgement of everything.
    wanted: Option<usize>,
    finishing: bool,
    peer_finished: bool,
}

/// A machine on a PC.
#[derive(Debug)]
pub struct MachineSeat {
    machine: Box<dyn Machine>,
    started: bool,
    streams: BTreeMap<Connection, Stream>,
    listeners: BTreeMap<Connection, ListenerId>,
    datagrams: BTreeMap<Connection, UdpId>,
    accepted: u32,
    /// Connections where something may have to be done.
    stirred: BTreeSet<Connection>,
    refusals: Vec<(Connection, String)>,
}

impl MachineSeat {
    /// A machine that begins as soon as its PC runs.
    pub fn new(machine: Box<dyn Machine>) -> Self {
        Self {
            machine,
            started: false,
            streams: BTreeMap::new(),
            listeners: BTreeMap::new(),
            datagrams: BTreeMap::new(),
            accepted: 0,
            stirred: BTreeSet::new(),
            refusals: Vec::new(),
        }
    }

    /// The machine.
    pub fn machine(&self) -> &dyn Machine {
        &*self.machine
    }

    fn tell(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, event: Event<'_>) {
        self.machine.handle(now, event);
        self.act(now, sockets);
    }

    fn act(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) {
        for _ in 0..MOST_ROUNDS {
            let Some(action) = self.machine.poll() else { return };
            self.perform(now, sockets, action);
        }
    }

    fn perform(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, action: Action) {
        match action {
            Action::Listen(name, port) => match sockets.listen(port) {
                Ok(id) => {
                    self.listeners.insert(name, id);
                    self.machine.handle(now, Event::Listening(name, port));
                }
                Err(error) => self.refusals.push((name, error.to_string())),
            },
            Action::Connect(name, to) => match sockets.connect(to.address, to.port) {
                Ok(id) => drop(self.streams.insert(name, Stream { id: Some(id), ..Stream::default() })),
                Err(error) => self.refusals.push((name, error.to_string())),
            },
            Action::Bind(name, port, broadcast) => match sockets.bind(port, broadcast) {
                Ok(id) => drop(self.datagrams.insert(name, id)),
                Err(error) => self.refusals.push((name, error.to_string())),
            },
            Action::SendTo(name, to, bytes) => {
                if let Some(&id) = self.datagrams.get(&name) {
                    sockets.send_to(id, to.address, to.port, &bytes);
                }
            }
            Action::SendToStation(name, to, station, bytes) => {
                if let Some(&id) = self.datagrams.get(&name) {
                    sockets.send_to_station(id, (to.address, to.port), station, &bytes);
                }
            }
            Action::EchoRequest { to, identifier, sequence, payload } => {
                sockets.echo_request(to, identifier, sequence, &payload);
            }
            Action::Abort(name) => self.abort(name, sockets),
            action => self.perform_on_stream(now, sockets, action),
        }
    }

    fn perform_on_stream(&mut self, _: Picoseconds, sockets: &mut Sockets<'_>, action: Action) {
        let name = match action {
            Action::Send(name, _)
            | Action::SendBlock(name, _)
            | Action::WantRoom(name, _)
            | Action::Hold(name, _)
            | Action::NoDelay(name, _)
            | Action::Finish(name) => name,
            _ => return,
        };
        let Some(stream) = self.streams.get_mut(&name) else { return };
        let Some(id) = stream.id else { return };
        match action {
            Action::Send(_, bytes) => stream.send(sockets, id, bytes),
            Action::SendBlock(_, bytes) => stream.send(sockets, id, bytes.into()),
            Action::WantRoom(_, bytes) => {
                stream.wanted = Some(bytes);
                self.stirred.insert(name);
            }
            Action::Hold(_, hold) => {
                sockets.hold(id, hold);
                self.stirred.insert(name);
            }
            Action::NoDelay(_, nodelay) => sockets.set_nodelay(id, nodelay),
            _ => {
                stream.finishing = true;
                stream.push(sockets, id);
            }
        }
    }

    fn abort(&mut self, name: Connection, sockets: &mut Sockets<'_>) {
        if let Some(id) = self.streams.remove(&name).and_then(|stream| stream.id) {
            sockets.abort(id);
            sockets.forget(id);
        }
        if let Some(id) = self.listeners.remove(&name) {
            sockets.close_listener(id);
        }
        if let Some(id) = self.datagrams.remove(&name) {
            sockets.close_udp(id);
        }
    }

    /// Takes up what the PC has to tell.
    fn hear(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) {
        while let Some(news) = sockets.take_news() {
            match news {
                News::Tcp(id) => {
                    let found = self.streams.iter().find(|(_, stream)| stream.id == Some(id));
                    self.stirred.extend(found.map(|(&name, _)| name));
                }
                News::Listener(id) => self.accept(now, sockets, id),
                News::Udp(id) => self.take_datagrams(now, sockets, id),
                News::Echo => self.take_echoes(now, sockets),
                News::Unreachable => self.take_notices(now, sockets),
                News::Frames => {}
            }
        }
    }

    fn accept(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, id: ListenerId) {
        let Some(listener) = self.listeners.iter().find(|(_, known)| **known == id).map(|(&name, _)| name)
        else {
            return;
        };
        while let Some((tcp, (address, port))) = sockets.accept(id) {
            let connection = Connection(Connection::FIRST_ACCEPTED | self.accepted);
            self.accepted = self.accepted.wrapping_add(1) & !Connection::FIRST_ACCEPTED;
            let stream = Stream { id: Some(tcp), opened: true, ..Stream::default() };
            self.streams.insert(connection, stream);
            self.stirred.insert(connection);
            let peer = IpEndpoint { address, port };
            let own = sockets.local_address(tcp).zip(sockets.local_port(tcp));
            let (own_address, own_port) = own.unwrap_or((sockets.address().into(), 0));
            let to = IpEndpoint { address: own_address, port: own_port };
            self.tell(now, sockets, Event::Accepted { listener, connection, peer, to });
        }
    }

    fn take_datagrams(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, id: UdpId) {
        let Some(socket) = self.datagrams.iter().find(|(_, known)| **known == id).map(|(&name, _)| name)
        else {
            return;
        };
        let mut datagrams: Vec<((IpAddr, u16), Vec<u8>)> = Vec::new();
        while sockets.receive_from(id, |from, bytes| datagrams.push((from, bytes.to_vec()))) {}
        for ((address, port), bytes) in datagrams {
            let from = IpEndpoint { address, port };
            self.tell(now, sockets, Event::Datagram { socket, from, bytes: &bytes });
        }
    }

    fn take_notices(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) {
        while let Some(notice) = sockets.take_unreachable() {
            if let Some((address, port)) = notice.refused_datagram() {
                self.tell(now, sockets, Event::PortRefused(IpEndpoint { address, port }));
            }
        }
    }

    fn take_echoes(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) {
        while let Some(reply) = sockets.take_echo_reply() {
            let (from, identifier, sequence) = (reply.from, reply.identifier, reply.sequence);
            let event = Event::EchoReply { from, identifier, sequence, payload: &reply.payload };
            self.tell(now, sockets, event);
        }
    }

    /// Looks at a connection: opened, bytes, room, the peer's end, over.
    fn look_at(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, name: Connection) {
        let Some(stream) = self.streams.get_mut(&name) else { return };
        let Some(id) = stream.id else { return };
        let state = sockets.state(id);
        if state == Some(TcpState::Open) && !stream.opened {
            stream.opened = true;
            self.tell(now, sockets, Event::Opened(name));
        }
        self.read(now, sockets, name, id);
        self.write(now, sockets, name, id);
        let Some(stream) = self.streams.get_mut(&name) else { return };
        if sockets.peer_finished(id) && !stream.peer_finished {
            stream.peer_finished = true;
            self.tell(now, sockets, Event::PeerFinished(name));
        }
        let over = match sockets.state(id) {
            Some(TcpState::Over(ending)) => ending.reason(),
            None => Some("the PC forgot the connection"),
            Some(_) => return,
        };
        if self.streams.remove(&name).is_some() {
            sockets.forget(id);
            self.tell(now, sockets, Event::Closed(name, over));
        }
    }

    fn read(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, name: Connection, id: TcpId) {
        while self.streams.contains_key(&name) {
            let Self { machine, .. } = self;
            let taken = sockets.receive(id, |bytes| {
                machine.handle(now, Event::Received(name, bytes));
                bytes.len()
            });
            if taken == 0 {
                return;
            }
            self.act(now, sockets);
        }
    }

    fn write(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, name: Connection, id: TcpId) {
        for _ in 0..MOST_ROUNDS {
            let Some(stream) = self.streams.get_mut(&name).filter(|stream| stream.opened) else { return };
            stream.push(sockets, id);
            let Some(wanted) = stream.wanted else { return };
            let room = if stream.waiting.is_empty() { sockets.room(id) } else { 0 };
            let event = match wanted {
                0 if stream.waiting.is_empty() && sockets.unacknowledged(id) == 0 => Event::Drained(name),
                // What is longer than the buffer goes there bit by bit, as a program's write does that waits.
                wanted
                    if wanted > 0
                        && (room >= wanted || room > 0 && wanted > sockets.send_buffer_bytes(id)) =>
                {
                    Event::Room(name, room.max(wanted))
                }
                _ => return,
            };
            stream.wanted = None;
            self.tell(now, sockets, event);
        }
    }
}

impl Stream {
    fn send(&mut self, sockets: &mut Sockets<'_>, id: TcpId, bytes: Vec<u8>) {
        if self.waiting.is_empty() {
            let sent = if self.opened { sockets.send(id, &bytes) } else { 0 };
            if sent < bytes.len() {
                self.waiting = bytes;
                self.waiting.drain(..sent);
            }
        } else {
            self.waiting.extend(bytes);
        }
    }

    /// Sends what waits, and finishes once nothing does.
    fn push(&mut self, sockets: &mut Sockets<'_>, id: TcpId) {
        if !self.opened {
            return;
        }
        if !self.waiting.is_empty() {
            let sent = sockets.send(id, &self.waiting);
            self.waiting.drain(..sent);
        }
        if self.finishing && self.waiting.is_empty() {
            self.finishing = false;
            sockets.finish(id);
        }
    }
}

impl Application for MachineSeat {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        if !self.started || self.machine.wake_at().is_some_and(|at| at <= now) {
            self.started = true;
            self.tell(now, sockets, Event::Wake);
        }
        self.hear(now, sockets);
        for _ in 0..MOST_ROUNDS {
            if let Some(name) = self.stirred.pop_first() {
                self.look_at(now, sockets, name);
            } else if !self.refusals.is_empty() {
                for (name, reason) in std::mem::take(&mut self.refusals) {
                    self.tell(now, sockets, Event::Closed(name, Some(&reason)));
                }
            } else {
                break;
            }
        }
        let rest = (!self.stirred.is_empty()).then_some(now);
        rest.or_else(|| self.machine.wake_at())
    }

    /// Nothing while it has connections.
    fn snapshot(&self) -> Option<Box<dyn Application>> {
        self.streams.is_empty().then(|| {
            Box::new(Self {
                machine: self.machine.boxed_clone(),
                started: self.started,
                streams: BTreeMap::new(),
                listeners: self.listeners.clone(),
                datagrams: self.datagrams.clone(),
                accepted: self.accepted,
                stirred: self.stirred.clone(),
                refusals: self.refusals.clone(),
            }) as Box<dyn Application>
        })
    }
}
