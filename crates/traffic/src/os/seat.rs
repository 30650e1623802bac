//! The loop: waits for readiness or the next wake, looks after the sockets that are ready in order of their numbers, and tells
//! the machines. Each pass gives every socket a bounded share, so that a fast one starves nobody.

mod ready;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::mem;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use mio::{Events, Poll};
use thiserror::Error;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::datagram::Datagrams;
use super::echo::EchoSocket;
use super::sockets::Sockets;
use super::stamps;
use super::stream::Stream;
use crate::{Connection, Event, Machine, Sample};

/// Reads, accepts or datagrams of one socket in one pass.
const SHARE: usize = 32;
const BUFFER_BYTES: usize = 64 * 1024;
/// How soon a stop flag is noticed.
const STOP_CHECK: Duration = Duration::from_millis(20);
/// How often sockets are looked at that the system reports no readiness for.
const WATCH_PERIOD: Duration = Duration::from_millis(1);
/// The system's waits end on whole milliseconds; a wake that is nearer is waited for without sleep.
const NO_SLEEP: Picoseconds = Picoseconds::new(PS_PER_MS);
/// How long data that machines left behind may still take to leave.
const LINGER: Picoseconds = Picoseconds::new(2 * PS_PER_S);

/// Why a seat cannot do what a machine asked for.
#[derive(Debug, Error)]
pub enum SeatError {
    /// The system gives no readiness queue, or it failed.
    #[error("the operating system's readiness queue failed: {0}")]
    Poll(#[source] io::Error),
    /// A port cannot be listened on or bound; the text says why.
    #[error("{0}")]
    Port(String),
    /// Datagrams or pings to an address of IPv6.
    #[error(
        "{0} is an IPv6 address, to which this computer's own sockets send no datagrams and no pings; give an IPv4 address"
    )]
    Ipv6(Ipv6Addr),
    /// ICMP echo is not allowed to this user.
    #[error(
        "ICMP echo is not allowed here: {0}; put this user's group into sysctl net.ipv4.ping_group_range, or give the \
         program CAP_NET_RAW"
    )]
    Echo(#[source] io::Error),
}

/// What ends a run besides its machines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Until<'a> {
    /// Counted from the seat's making.
    pub deadline: Option<Picoseconds>,
    /// Ends the run soon after it is set.
    pub stop: Option<&'a AtomicBool>,
}

/// What ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All machines that the run waits for are done.
    Done,
    /// The deadline came first.
    Deadline,
    /// The stop flag was set.
    Stopped,
}

#[derive(Debug)]
pub(super) struct Seated {
    pub(super) machine: Box<dyn Machine>,
    awaited: bool,
    pub(super) tokens: BTreeMap<Connection, usize>,
    next_accepted: u32,
}

#[derive(Debug)]
pub(super) enum Kind {
    Listener(mio::net::TcpListener),
    Stream(Box<Stream>),
    Datagrams(Datagrams),
    Echo(EchoSocket),
}

#[derive(Debug)]
pub(super) struct Socket {
    pub(super) machine: usize,
    pub(super) connection: Connection,
    pub(super) kind: Kind,
}

/// One or more machines on the system's sockets.
#[derive(Debug)]
pub struct Seat {
    pub(super) poll: Poll,
    events: Events,
    start: Instant,
    pub(super) address: Ipv4Addr,
    pub(super) machines: Vec<Seated>,
    pub(super) sockets: Sockets,
    pub(super) echoes: BTreeMap<(usize, u16), usize>,
    /// Sockets that may have something to do.
    pub(super) ready: Vec<usize>,
    /// Sockets to look at once in [`WATCH_PERIOD`].
    pub(super) watched: Vec<usize>,
    /// Connections that broke while an action was carried out; their machines are told in the next pass.
    pub(super) broken: VecDeque<(usize, Connection, String)>,
    /// Listeners of which their machines have not heard yet, and their ports.
    pub(super) listening: VecDeque<(usize, Connection, u16)>,
    pub(super) failure: Option<SeatError>,
    dropped_datagrams: u64,
    kernel_stamps: bool,
    buffer: Vec<u8>,
}

impl Seat {
    /// A seat whose listeners and UDP sockets stand on all addresses of this computer.
    pub fn new() -> Result<Self, SeatError> {
        Self::at(Ipv4Addr::UNSPECIFIED)
    }

    /// A seat whose listeners and UDP sockets stand on one address of this computer.
    pub fn at(address: Ipv4Addr) -> Result<Self, SeatError> {
        Ok(Self {
            poll: Poll::new().map_err(SeatError::Poll)?,
            events: Events::with_capacity(256),
            start: Instant::now(),
            address,
            machines: Vec::new(),
            sockets: Sockets::default(),
            echoes: BTreeMap::new(),
            ready: Vec::new(),
            watched: Vec::new(),
            broken: VecDeque::new(),
            listening: VecDeque::new(),
            failure: None,
            dropped_datagrams: 0,
            kernel_stamps: false,
            buffer: vec![0; BUFFER_BYTES],
        })
    }

    /// Seats a machine that a run waits for, and wakes it; its number is returned.
    pub fn add(&mut self, machine: Box<dyn Machine>) -> usize {
        self.seat(machine, true)
    }

    /// That what the machines asked for so far could be had: their ports, first of all.
    ///
    /// # Errors
    /// When it could not.
    pub fn check(&mut self) -> Result<(), SeatError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Seats a machine that serves others: a run ends without it.
    pub fn add_background(&mut self, machine: Box<dyn Machine>) -> usize {
        self.seat(machine, false)
    }

    fn seat(&mut self, machine: Box<dyn Machine>, awaited: bool) -> usize {
        let number = self.machines.len();
        let next_accepted = Connection::FIRST_ACCEPTED;
        self.machines.push(Seated { machine, awaited, tokens: BTreeMap::new(), next_accepted });
        self.tell(number, Event::Wake);
        number
    }

    /// A machine as the type that was seated.
    pub fn machine<M: Machine>(&self, number: usize) -> Option<&M> {
        let machine: &dyn std::any::Any = &*self.machines.get(number)?.machine;
        machine.downcast_ref()
    }

    /// What a machine measured, without the first `from` messages.
    pub fn work_since(&self, machine: usize, from: usize) -> Vec<Sample> {
        self.machines.get(machine).map(|seated| seated.machine.work_since(from)).unwrap_or_default()
    }

    /// Whether the kernel stamped what arrived; else this program did when it read it.
    pub fn has_kernel_stamps(&self) -> bool {
        self.kernel_stamps
    }

    /// Gives the machines back, in the order of their seating, and closes their sockets.
    pub fn into_machines(self) -> Vec<Box<dyn Machine>> {
        self.machines.into_iter().map(|seated| seated.machine).collect()
    }

    /// The port that a listener or UDP socket has, also when the system chose it.
    pub fn local_port(&mut self, machine: usize, connection: Connection) -> Option<u16> {
        let token = *self.machines.get(machine)?.tokens.get(&connection)?;
        let address = match &mut self.sockets.get_mut(token)?.kind {
            Kind::Listener(listener) => listener.local_addr(),
            Kind::Stream(stream) => stream.socket().local_addr(),
            Kind::Datagrams(datagrams) => datagrams.socket().local_addr(),
            Kind::Echo(_) => return None,
        };
        address.ok().map(|address| address.port())
    }

    /// Datagrams that found no room in a queue, or that the system would not send.
    pub fn dropped_datagrams(&self) -> u64 {
        self.dropped_datagrams + self.sockets.values().map(Socket::dropped_datagrams).sum::<u64>()
    }

    /// Time since the seat was made.
    pub fn now(&self) -> Picoseconds {
        Picoseconds::from_ns(i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX / 1_000))
    }

    /// Runs until every awaited machine is done and what they sent has left, or until something else ends it. With nobody to
    /// wait for, only the deadline and the stop flag end it.
    pub fn run(&mut self, until: Until<'_>) -> Result<Ended, SeatError> {
        let mut done_since: Option<Picoseconds> = None;
        loop {
            if until.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(Ended::Stopped);
            }
            let now = self.now();
            if self.all_done() {
                let since = *done_since.get_or_insert(now);
                if !self.has_unsent() || now - since > LINGER {
                    return Ok(Ended::Done);
                }
            }
            if until.deadline.is_some_and(|deadline| now >= deadline) {
                return Ok(Ended::Deadline);
            }
            self.step(until.deadline)?;
        }
    }

    /// One pass: waits (not for long), then looks after everything that is ready.
    fn step(&mut self, deadline: Option<Picoseconds>) -> Result<(), SeatError> {
        let timeout = self.wait_time(deadline);
        match self.poll.poll(&mut self.events, Some(timeout)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(SeatError::Poll(error)),
            _ => {}
        }
        for event in &self.events {
            let token = event.token().0;
            self.ready.push(token);
            let ends = event.is_read_closed() || event.is_error();
            if let Some(Socket { kind: Kind::Stream(stream), .. }) = self.sockets.get_mut(token) {
                stream.ends |= ends;
                stream.readable |= ends || event.is_readable();
            }
        }
        self.sockets.next_pass();
        let mut due = mem::take(&mut self.ready);
        due.append(&mut self.watched);
        due.sort_unstable();
        due.dedup();
        for token in due {
            self.look_after(token);
        }
        for (machine, listener, port) in mem::take(&mut self.listening) {
            self.tell(machine, Event::Listening(listener, port));
        }
        for (machine, connection, reason) in mem::take(&mut self.broken) {
            self.tell(machine, Event::Closed(connection, Some(&reason)));
        }
        for number in 0..self.machines.len() {
            if self.machines[number].machine.wake_at().is_some_and(|at| at <= self.now()) {
                self.tell(number, Event::Wake);
            }
        }
        self.check()
    }

    fn wait_time(&self, deadline: Option<Picoseconds>) -> Duration {
        if !self.ready.is_empty() || !self.broken.is_empty() || !self.listening.is_empty() {
            return Duration::ZERO;
        }
        let longest = if self.watched.is_empty() { STOP_CHECK } else { WATCH_PERIOD };
        let wakes = self.machines.iter().filter_map(|seated| seated.machine.wake_at());
        let Some(next) = wakes.chain(deadline).min() else { return longest };
        let left = next - self.now();
        if left <= NO_SLEEP {
            return Duration::ZERO;
        }
        // One millisecond less, since the system rounds up.
        let left = Duration::from_nanos(((left - NO_SLEEP).ps() / 1_000).unsigned_abs());
        left.max(Duration::from_micros(1)).min(longest)
    }

    fn all_done(&self) -> bool {
        let mut awaited = self.machines.iter().filter(|seated| seated.awaited).peekable();
        awaited.peek().is_some() && awaited.all(|seated| seated.machine.is_done())
    }

    fn has_unsent(&self) -> bool {
        self.sockets.values().any(|socket| {
            self.machines[socket.machine].awaited
                && matches!(&socket.kind, Kind::Stream(stream) if stream.has_unsent())
        })
    }

    /// Hands an event to a machine and carries out what it asks for.
    pub(super) fn tell(&mut self, machine: usize, event: Event<'_>) {
        let now = self.now();
        self.machines[machine].machine.handle(now, event);
        while let Some(action) = self.machines[machine].machine.poll() {
            self.perform(machine, action);
        }
    }

    /// Tells a machine when the bytes of its next event arrived, where the kernel says it.
    fn tell_arrival(&mut self, machine: usize, stamp: Option<SystemTime>) {
        let Some(age) = stamps::age(stamp) else { return };
        self.kernel_stamps = true;
        let age = Picoseconds::from_ns(i64::try_from(age.as_nanos()).unwrap_or(i64::MAX / 1_000));
        let at = self.now() - age;
        self.machines[machine].machine.arrived(at.max(Picoseconds::ZERO));
    }

    /// Closes a socket.
    pub(super) fn drop_socket(&mut self, token: usize) {
        let Some(mut socket) = self.sockets.remove(token) else { return };
        self.dropped_datagrams += socket.dropped_datagrams();
        self.machines[socket.machine].tokens.remove(&socket.connection);
        // Closing would do; a failure leaves nothing to be done.
        let _ = match &mut socket.kind {
            Kind::Listener(listener) => self.poll.registry().deregister(listener),
            Kind::Stream(stream) => self.poll.registry().deregister(stream.socket()),
            Kind::Datagrams(datagrams) => self.poll.registry().deregister(datagrams.socket()),
            Kind::Echo(echo) => self.poll.registry().deregister(echo.socket()),
        };
    }
}

impl Socket {
    fn dropped_datagrams(&self) -> u64 {
        match &self.kind {
            Kind::Datagrams(datagrams) => datagrams.dropped,
            _ => 0,
        }
    }
}
