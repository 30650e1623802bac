//! A socket that is ready: who connects is accepted, what there is room for is sent, and what has come is read, for a bounded share.

use std::io;
use std::mem;
use std::net::Ipv4Addr;

use super::{Kind, SHARE, Seat, Socket};
use crate::os::sentence;
use crate::os::stream::{Opening, Reading, Stream};
use crate::{Connection, Event, IpEndpoint};

impl Seat {
    pub(super) fn look_after(&mut self, token: usize) {
        let Some(socket) = self.sockets.get(token) else { return };
        let (machine, connection) = (socket.machine, socket.connection);
        let mut buffer = mem::take(&mut self.buffer);
        match &socket.kind {
            Kind::Listener(_) => self.accept(token, machine, connection),
            Kind::Stream(_) => self.look_after_stream(token, machine, connection, &mut buffer),
            Kind::Datagrams(_) => self.look_after_datagrams(token, machine, connection, &mut buffer),
            Kind::Echo(_) => self.look_after_echo(token, machine, &mut buffer),
        }
        self.buffer = buffer;
    }

    fn accept(&mut self, token: usize, machine: usize, listener: Connection) {
        for _ in 0..SHARE {
            let Some(Socket { kind: Kind::Listener(socket), .. }) = self.sockets.get(token) else { return };
            let (stream, peer) = match socket.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Out of descriptors, or the peer went away before it was accepted: later.
                Err(_) => {
                    self.watched.push(token);
                    return;
                }
            };
            let std::net::SocketAddr::V4(from) = peer else { continue };
            let connection = Connection(self.machines[machine].next_accepted);
            self.machines[machine].next_accepted =
                connection.0.checked_add(1).unwrap_or(Connection::FIRST_ACCEPTED);
            let to = match stream.local_addr() {
                Ok(std::net::SocketAddr::V4(at)) => IpEndpoint::new(*at.ip(), at.port()),
                _ => IpEndpoint::new(Ipv4Addr::UNSPECIFIED, 0),
            };
            let stream = Stream::new(stream, peer, Opening::Open);
            self.add_socket(machine, connection, Kind::Stream(Box::new(stream)));
            let peer = IpEndpoint::new(*from.ip(), from.port());
            self.tell(machine, Event::Accepted { listener, connection, peer, to });
        }
        self.ready.push(token);
    }

    fn look_after_stream(&mut self, token: usize, machine: usize, connection: Connection, buffer: &mut [u8]) {
        match self.advance_stream(token, machine, connection, buffer) {
            Ok(()) => {}
            Err(error) => {
                let peer = self.stream(token).map(|stream| stream.peer);
                self.drop_socket(token);
                if let Some(peer) = peer {
                    let reason = sentence::of_connection(&error, peer);
                    self.tell(machine, Event::Closed(connection, Some(&reason)));
                }
            }
        }
    }

    fn stream(&mut self, token: usize) -> Option<&mut Stream> {
        match self.sockets.get_mut(token) {
            Some(Socket { kind: Kind::Stream(stream), .. }) => Some(stream),
            _ => None,
        }
    }

    /// Opens, sends, tells of room and reads, each as far as it goes. The stream is looked up anew after each event, since the
    /// machine may have closed it.
    fn advance_stream(
        &mut self,
        token: usize,
        machine: usize,
        connection: Connection,
        buffer: &mut [u8],
    ) -> io::Result<()> {
        let Some(stream) = self.stream(token) else { return Ok(()) };
        if stream.opening == Opening::Pending {
            if !stream.try_open()? {
                return Ok(());
            }
            self.tell(machine, Event::Opened(connection));
        }
        for _ in 0..SHARE {
            let Some(stream) = self.stream(token) else { return Ok(()) };
            stream.flush()?;
            let Some(bytes) = stream.take_room() else { break };
            self.tell(machine, Event::Room(connection, bytes));
        }
        let Some(stream) = self.stream(token) else { return Ok(()) };
        if stream.take_drained() {
            self.tell(machine, Event::Drained(connection));
        }
        self.read_stream(token, machine, connection, buffer)?;
        let Some(stream) = self.stream(token) else { return Ok(()) };
        if stream.is_over() {
            self.drop_socket(token);
            self.tell(machine, Event::Closed(connection, None));
        } else if stream.wants_drained && stream.opening == Opening::Open {
            self.watched.push(token);
        }
        Ok(())
    }

    fn read_stream(
        &mut self,
        token: usize,
        machine: usize,
        connection: Connection,
        buffer: &mut [u8],
    ) -> io::Result<()> {
        for _ in 0..SHARE {
            let Some(stream) = self.stream(token) else { return Ok(()) };
            match stream.read(buffer)? {
                Reading::Nothing => return Ok(()),
                Reading::Bytes(count, stamp) => {
                    // A short read has taken all there is; the system says when there is more, and only once that it ends.
                    let is_all = count < buffer.len() && !stream.ends;
                    stream.readable = !is_all;
                    self.tell_arrival(machine, stamp);
                    self.tell(machine, Event::Received(connection, &buffer[..count]));
                    if is_all {
                        return Ok(());
                    }
                }
                Reading::End => self.tell(machine, Event::PeerFinished(connection)),
            }
        }
        self.ready.push(token);
        Ok(())
    }

    fn look_after_datagrams(&mut self, token: usize, machine: usize, socket: Connection, buffer: &mut [u8]) {
        for turn in 0..SHARE {
            let Some(Socket { kind: Kind::Datagrams(datagrams), .. }) = self.sockets.get_mut(token) else {
                return;
            };
            if turn == 0 {
                datagrams.flush();
                if let Some(bytes) = datagrams.take_room() {
                    self.tell(machine, Event::Room(socket, bytes));
                    continue;
                }
            }
            let Some((count, from, stamp)) = datagrams.receive(buffer) else { return };
            self.tell_arrival(machine, stamp);
            self.tell(machine, Event::Datagram { socket, from, bytes: &buffer[..count] });
        }
        self.ready.push(token);
    }

    fn look_after_echo(&mut self, token: usize, machine: usize, buffer: &mut [u8]) {
        for _ in 0..SHARE {
            let Some(Socket { kind: Kind::Echo(echo), .. }) = self.sockets.get_mut(token) else { return };
            let identifier = echo.identifier;
            let Some((reply, stamp)) = echo.receive(buffer) else { return };
            self.tell_arrival(machine, stamp);
            let (from, sequence, payload) = (reply.from, reply.sequence, &buffer[reply.payload]);
            self.tell(machine, Event::EchoReply { from: from.into(), identifier, sequence, payload });
        }
        self.ready.push(token);
    }
}
