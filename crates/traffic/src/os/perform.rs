//! What machines ask for, carried out on sockets. Actions on connections that are gone are passed over: the machine has not
//! heard yet.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};

use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Token};

use super::datagram::Datagrams;
use super::echo::EchoSocket;
use super::seat::{Kind, Seat, SeatError, Socket};
use super::sentence;
use super::stream::{Opening, Stream};
use crate::{Action, Connection, IpEndpoint};

impl Seat {
    pub(super) fn perform(&mut self, machine: usize, action: Action) {
        match action {
            Action::Listen(listener, port) => self.listen(machine, listener, port),
            Action::Connect(connection, to) => self.connect(machine, connection, to),
            // What is sent needs nobody to look after the stream: the system says when there is room again.
            Action::Send(connection, bytes) => {
                self.try_on_stream(machine, connection, |stream| stream.send(&bytes));
            }
            Action::SendBlock(connection, bytes) => {
                self.try_on_stream(machine, connection, |stream| stream.send_block(bytes));
            }
            Action::WantRoom(connection, bytes) => self.want_room(machine, connection, bytes),
            Action::Hold(connection, held) => self.on_stream(machine, connection, |stream| {
                stream.held = held;
                Ok(())
            }),
            Action::NoDelay(connection, on) => {
                self.on_stream(machine, connection, |stream| stream.set_no_delay(on));
            }
            Action::Finish(connection) => self.on_stream(machine, connection, Stream::finish),
            Action::Abort(connection) => self.abort(machine, connection),
            Action::Bind(socket, port, broadcast) => self.bind(machine, socket, port, broadcast),
            // The kernel of this machine would ask by ARP for who cannot answer.
            Action::SendToStation(socket, to, _, bytes) => {
                self.perform(machine, Action::SendTo(socket, IpEndpoint::everyone(to.port), bytes));
            }
            Action::SendTo(socket, to, bytes) => {
                let Some(address) = self.over_ipv4(to.address) else { return };
                if let Some(Socket { kind: Kind::Datagrams(datagrams), .. }) = self.socket_of(machine, socket)
                {
                    datagrams.send(SocketAddrV4::new(address, to.port), bytes);
                }
            }
            Action::EchoRequest { to, identifier, sequence, payload } => {
                let Some(to) = self.over_ipv4(to) else { return };
                self.echo_request(machine, to, identifier, sequence, &payload);
            }
        }
    }

    /// The address for a socket that speaks IPv4 alone, as those of datagrams and pings do here.
    fn over_ipv4(&mut self, to: IpAddr) -> Option<Ipv4Addr> {
        match to {
            IpAddr::V4(to) => Some(to),
            IpAddr::V6(to) => {
                self.failure = Some(SeatError::Ipv6(to));
                None
            }
        }
    }

    fn token_of(&self, machine: usize, connection: Connection) -> Option<usize> {
        self.machines[machine].tokens.get(&connection).copied()
    }

    fn socket_of(&mut self, machine: usize, connection: Connection) -> Option<&mut Socket> {
        let token = self.token_of(machine, connection)?;
        self.sockets.get_mut(token)
    }

    /// Does something with a connection; what breaks it is told later.
    fn on_stream(
        &mut self,
        machine: usize,
        connection: Connection,
        act: impl FnOnce(&mut Stream) -> io::Result<()>,
    ) {
        if let Some(token) = self.try_on_stream(machine, connection, act) {
            self.ready.push(token);
        }
    }

    /// The same; the socket's token where there is one, and nothing broke.
    fn try_on_stream(
        &mut self,
        machine: usize,
        connection: Connection,
        act: impl FnOnce(&mut Stream) -> io::Result<()>,
    ) -> Option<usize> {
        let token = self.token_of(machine, connection)?;
        let Some(Socket { kind: Kind::Stream(stream), .. }) = self.sockets.get_mut(token) else {
            return None;
        };
        let (result, peer) = (act(stream), stream.peer);
        if let Err(error) = result {
            self.drop_socket(token);
            self.broken.push_back((machine, connection, sentence::of_connection(&error, peer)));
            return None;
        }
        Some(token)
    }

    /// Registers a socket under a connection's name; an older one of that name is closed.
    pub(super) fn add_socket(&mut self, machine: usize, connection: Connection, mut kind: Kind) {
        let token = self.sockets.number();
        let registry = self.poll.registry();
        let both = Interest::READABLE | Interest::WRITABLE;
        let registered = match &mut kind {
            Kind::Listener(listener) => registry.register(listener, Token(token), Interest::READABLE),
            Kind::Stream(stream) => registry.register(stream.socket(), Token(token), both),
            Kind::Datagrams(datagrams) => registry.register(datagrams.socket(), Token(token), both),
            Kind::Echo(echo) => registry.register(echo.socket(), Token(token), Interest::READABLE),
        };
        if let Err(error) = registered {
            self.failure = Some(SeatError::Poll(error));
            return;
        }
        if let Kind::Echo(echo) = &kind {
            self.echoes.insert((machine, echo.identifier), token);
        } else if let Some(older) = self.machines[machine].tokens.insert(connection, token) {
            self.drop_socket(older);
            self.machines[machine].tokens.insert(connection, token);
        }
        self.sockets.put(token, Socket { machine, connection, kind });
        self.ready.push(token);
    }

    fn listen(&mut self, machine: usize, listener: Connection, port: u16) {
        match TcpListener::bind(SocketAddrV4::new(self.address, port).into()) {
            Ok(socket) => {
                let port = socket.local_addr().map_or(port, |address| address.port());
                self.add_socket(machine, listener, Kind::Listener(socket));
                self.listening.push_back((machine, listener, port));
            }
            Err(error) => self.no_port(machine, listener, sentence::of_port(&error, "TCP", port)),
        }
    }

    fn bind(&mut self, machine: usize, socket: Connection, port: u16, broadcast: bool) {
        match Datagrams::bind(self.address, port, broadcast) {
            Ok(datagrams) => self.add_socket(machine, socket, Kind::Datagrams(datagrams)),
            Err(error) => self.no_port(machine, socket, sentence::of_port(&error, "UDP", port)),
        }
    }

    /// A machine that has a port already may do with another one, and hears of it.
    fn no_port(&mut self, machine: usize, connection: Connection, reason: String) {
        self.broken.push_back((machine, connection, reason.clone()));
        if self.machines[machine].tokens.is_empty() {
            self.failure = Some(SeatError::Port(reason));
        }
    }

    fn connect(&mut self, machine: usize, connection: Connection, to: IpEndpoint) {
        let peer = SocketAddr::new(to.address, to.port);
        match TcpStream::connect(peer) {
            Ok(socket) => {
                let stream = Stream::new(socket, peer, Opening::Pending);
                self.add_socket(machine, connection, Kind::Stream(Box::new(stream)));
            }
            Err(error) => {
                self.broken.push_back((machine, connection, sentence::of_connection(&error, peer)));
            }
        }
    }

    fn want_room(&mut self, machine: usize, connection: Connection, bytes: usize) {
        let Some(token) = self.token_of(machine, connection) else { return };
        match self.sockets.get_mut(token).map(|socket| &mut socket.kind) {
            Some(Kind::Stream(stream)) => stream.want_room(bytes),
            Some(Kind::Datagrams(datagrams)) => datagrams.want_room(bytes),
            _ => return,
        }
        self.ready.push(token);
    }

    fn abort(&mut self, machine: usize, connection: Connection) {
        let Some(token) = self.token_of(machine, connection) else { return };
        if let Some(Socket { kind: Kind::Stream(stream), .. }) = self.sockets.get(token) {
            // Without it the connection ends in order, which is no less an end.
            let _ = stream.reset_on_close();
        }
        self.drop_socket(token);
    }

    fn echo_request(&mut self, machine: usize, to: Ipv4Addr, identifier: u16, sequence: u16, payload: &[u8]) {
        if !self.echoes.contains_key(&(machine, identifier)) {
            match EchoSocket::open(identifier) {
                Ok(echo) => self.add_socket(machine, Connection(u32::from(identifier)), Kind::Echo(echo)),
                Err(error) => {
                    self.failure = Some(SeatError::Echo(error));
                    return;
                }
            }
        }
        let Some(&token) = self.echoes.get(&(machine, identifier)) else { return };
        if let Some(Socket { kind: Kind::Echo(echo), .. }) = self.sockets.get(token) {
            // A request that cannot leave is a request without reply.
            let _ = echo.send(to, sequence, payload);
        }
    }
}
