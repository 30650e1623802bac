//! A board in real time: its virtual clock follows that of the wall, and its network ends in this machine, at a TAP interface
//! or behind forwarded ports. A run like this is not repeatable: what arrives does so when it does.

mod forward;
mod pace;
mod tap;

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use ethernet::{Cable, Frame, PortId, SeatId, Speed};
use mcu::Stop;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use thiserror::Error;
use units::Picoseconds;

pub use forward::{Forward, ForwardError};
pub use pace::Pace;

use self::forward::Relay;
use self::tap::Tap;
use super::run::{Ended, Listener, RunUntil};
use super::{Board, BoardError};
use record::Control;

/// The board runs this long at most before somebody looks at the sockets again.
const SLICE: Picoseconds = Picoseconds::new(units::PS_PER_MS);
/// How long nothing is looked at while the board is ahead of the wall clock; the system rounds it up to a millisecond.
const REST: Duration = Duration::from_micros(500);
/// So long after something passed nobody rests: what comes next would be late by a rest, and a measurement from outside wrong
/// by it.
const ATTENTION: Duration = Duration::from_millis(20);
const TAP: Token = Token(0);

/// How a board's network ends in this machine.
#[derive(Debug, Clone, Default)]
pub struct LiveOptions {
    /// The TAP interface.
    pub tap: Option<String>,
    /// Forwarded ports.
    pub forwards: Vec<Forward>,
}

/// Something that a board in real time needs and cannot have.
#[derive(Debug, Error)]
pub enum LiveError {
    /// No name of an interface.
    #[error(
        "{0:?} is no name of a TAP interface: 1 to 15 characters without blanks or slashes, such as tap0"
    )]
    TapName(String),
    /// The interface.
    #[error("the TAP interface {name} cannot be used: {reason}")]
    Tap {
        /// Its name.
        name: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A forwarded port.
    #[error(transparent)]
    Forward(#[from] ForwardError),
    /// The board has no network.
    #[error("board {0} has no chip with Ethernet; choose one that has, such as w5500-evb-pico")]
    NoNetwork(String),
    /// Ports are forwarded by the PC.
    #[error(
        "ports are forwarded by way of the virtual PC, and the network file says pc.address = \"none\"; give it one"
    )]
    NoPc,
    /// The system's polling.
    #[error("this system cannot wait for sockets: {0}")]
    Poll(#[from] io::Error),
    /// The board.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// Whoever follows a board in real time.
pub trait LiveListener: Listener {
    /// It is reachable now: where each forwarded port listens.
    fn ready(&mut self, forwards: &[SocketAddr]) {
        let _ = forwards;
    }

    /// The host is too slow: a sentence, at most once in a while.
    fn behind(&mut self, sentence: &str) {
        let _ = sentence;
    }
}

/// The machine's side of a board's network.
struct Ends {
    tap: Option<(Tap, PortId)>,
    relay: Option<SeatId>,
}

impl Board {
    /// Runs in real time until `end`, the image ends, or somebody stops it.
    ///
    /// # Errors
    /// When the board has no network, or an interface or a port cannot be had.
    pub fn serve(
        &mut self,
        options: &LiveOptions,
        end: Picoseconds,
        control: &Control,
        listener: &mut dyn LiveListener,
    ) -> Result<(Ended, Pace), LiveError> {
        let mut poll = Poll::new()?;
        let mut ends = self.open_ends(options, &poll, listener)?;
        let mut events = Events::with_capacity(64);
        let mut pace = Pace::from(self.now());
        let mut passed: Option<Instant> = None;
        loop {
            let present = pace.present().min(end);
            let target = present.min(self.now() + SLICE);
            if target > self.now() {
                match self.run(&RunUntil::time(target), control, listener) {
                    Ended::Chip(Stop::Time | Stop::Asleep) => {}
                    ended => return Ok((ended, pace)),
                }
            }
            let lag = present - target;
            if self.exchange(&mut ends, present.max(self.now())) {
                passed = Some(Instant::now());
            }
            if let Some(lan) = self.parts().lan() {
                lan.flush_capture();
            }
            if let Some(sentence) = pace.heed(lag) {
                listener.behind(&sentence);
            }
            if present >= end || control.is_stopped() || !listener.goes_on() {
                let ended = if present >= end { Ended::Chip(Stop::Time) } else { Ended::Interrupted };
                return Ok((ended, pace));
            }
            let attentive = passed.is_some_and(|at| at.elapsed() < ATTENTION);
            let rest = if attentive || lag > Picoseconds::ZERO { Duration::ZERO } else { REST };
            match poll.poll(&mut events, Some(rest)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error.into()),
                _ => {}
            }
        }
    }

    fn open_ends(
        &mut self,
        options: &LiveOptions,
        poll: &Poll,
        listener: &mut dyn LiveListener,
    ) -> Result<Ends, LiveError> {
        let name = self.file.name.clone();
        let tap = options.tap.as_deref().map(Tap::open).transpose()?;
        if let Some(tap) = &tap {
            poll.registry().register(&mut SourceFd(&tap.as_raw_fd()), TAP, Interest::READABLE)?;
        }
        let mut relay = Relay::new(&options.forwards)?;
        relay.register(poll.registry())?;
        listener.ready(&relay.addresses());
        let lan = self.parts().lan().ok_or(LiveError::NoNetwork(name))?;
        let tap = tap.map(|tap| {
            let port = lan.with_network(|network| network.add_port("tap", Cable::new(Speed::Mbps1000)));
            // What this machine asks for is the board's; a PC that answered as well would take its calls.
            lan.with_pc(|pc| pc.answer_for_all(false));
            (tap, port)
        });
        let relay = match relay.has_forwards() {
            true => Some(lan.with_pc(|host| host.seat(Box::new(relay))).ok_or(LiveError::NoPc)?),
            false => None,
        };
        Ok(Ends { tap, relay })
    }

    /// Moves what waits between this machine and the board's network; whether there was anything.
    fn exchange(&mut self, ends: &mut Ends, at: Picoseconds) -> bool {
        let Some(lan) = self.parts().lan() else { return false };
        let mut passed = false;
        if let Some((tap, port)) = &mut ends.tap {
            while let Some(frame) = tap.receive() {
                lan.with_network(|network| network.send(*port, at, Frame::new(frame)));
                passed = true;
            }
            while let Some(arrival) = lan.with_network(|network| network.take_arrival(*port)) {
                tap.send(&arrival.frame.bytes);
                passed = true;
            }
        }
        if let Some(seat) = ends.relay {
            let board = lan.addresses().next();
            lan.with_pc(|host| {
                if let Some(relay) = host.application_as::<Relay>(seat) {
                    relay.learn(board);
                }
                host.call(at, seat);
                passed |= host.application_as::<Relay>(seat).is_some_and(Relay::take_passed);
            });
        }
        passed
    }
}
