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
use mcu::{Console, Stop};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use thiserror::Error;
use units::Picoseconds;

pub use forward::{Forward, ForwardError};
pub use pace::Pace;

use self::forward::Relay;
use self::tap::Tap;
use super::run::{Course, Ended, Listener, RunUntil};
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

/// Whose clock says when the time of a run is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EndsBy {
    /// The wall's: that much later, however far the board has come.
    #[default]
    Wall,
    /// The board's: exactly then, however much later that is by the wall's.
    Board,
}

/// How a board's network ends in this machine.
#[derive(Debug, Clone, Default)]
pub struct LiveOptions {
    /// The TAP interface.
    pub tap: Option<String>,
    /// Forwarded ports.
    pub forwards: Vec<Forward>,
    /// Whose time the end of the run is.
    pub ends_by: EndsBy,
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

    /// What somebody typed since the last call, at a console or at the main one.
    fn typed(&mut self) -> Vec<(Option<Console>, Vec<u8>)> {
        Vec::new()
    }

    /// Whether somebody wants it to end as if its time were over.
    fn is_left(&mut self) -> bool {
        false
    }
}

/// The machine's side of a board's network.
struct Ends {
    tap: Option<(Tap, PortId)>,
    relay: Option<SeatId>,
    /// What the virtual PC did before the interface took its place.
    pc_answers_for_all: bool,
}

impl Board {
    /// Runs in real time until something of `until` comes true, the image ends, or somebody stops it. Its end is one of the
    /// clock that `options` say.
    ///
    /// # Errors
    /// When the board has no network, or an interface or a port cannot be had.
    pub fn serve(
        &mut self,
        options: &LiveOptions,
        until: &RunUntil,
        control: &Control,
        listener: &mut dyn LiveListener,
    ) -> Result<(Ended, Pace), LiveError> {
        let mut poll = Poll::new()?;
        let mut ends = self.open_ends(options, &poll, listener)?;
        let served = self.follow_the_wall(&mut poll, &mut ends, (until, options.ends_by), control, listener);
        self.close_ends(&ends);
        if let Some(sentence) = served.as_ref().ok().and_then(|(_, pace)| pace.told_of_catching_up()) {
            listener.behind(&sentence);
        }
        served
    }

    fn follow_the_wall(
        &mut self,
        poll: &mut Poll,
        ends: &mut Ends,
        (until, ends_by): (&RunUntil, EndsBy),
        control: &Control,
        listener: &mut dyn LiveListener,
    ) -> Result<(Ended, Pace), LiveError> {
        let mut events = Events::with_capacity(64);
        let mut pace = Pace::from(self.now());
        let longest = until.end - self.now();
        let mut course = Course::new(until);
        let mut passed: Option<Instant> = None;
        loop {
            let present = pace.present().min(until.end);
            let target = present.min(self.now() + SLICE);
            let mut is_asleep = false;
            if target > self.now() {
                course.end = target;
                match self.run_course(&mut course, control, listener) {
                    Ended::Chip(Stop::Time) => {}
                    Ended::Chip(Stop::Asleep) => is_asleep = true,
                    ended => return Ok((ended, pace)),
                }
            }
            let lag = present - target;
            // What comes in now came after `present`, by as much as the board's run took: it is not older than that.
            let at = pace.present().max(self.now());
            if self.exchange(ends, at) {
                passed = Some(Instant::now());
            }
            for (console, text) in listener.typed() {
                self.send(console.unwrap_or(self.main_console()), &text);
            }
            if let Some(lan) = self.parts().lan() {
                lan.flush_capture();
            }
            if let Some(sentence) = pace.heed(lag) {
                listener.behind(&sentence);
            }
            // The clock of a board that sleeps for good stands still.
            let is_over = match ends_by {
                EndsBy::Board if !is_asleep => self.now() >= until.end,
                EndsBy::Board | EndsBy::Wall => pace.elapsed() >= longest,
            };
            if is_over || listener.is_left() {
                return Ok((Ended::Chip(Stop::Time), pace));
            }
            if control.is_stopped() || !listener.goes_on() {
                return Ok((Ended::Interrupted, pace));
            }
            let attentive = passed.is_some_and(|at| at.elapsed() < ATTENTION);
            let rest = if attentive || lag > Picoseconds::ZERO { Duration::ZERO } else { REST };
            match poll.poll(&mut events, Some(rest)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// Frees the ports and lets go of the interface, so that the board can be served again.
    fn close_ends(&mut self, ends: &Ends) {
        let now = self.now();
        let Some(lan) = self.parts().lan() else { return };
        if let Some((_, port)) = &ends.tap {
            lan.with_network(|network| network.set_plugged(now, *port, false));
            lan.with_pc(|pc| pc.answer_for_all(ends.pc_answers_for_all));
        }
        if let Some(seat) = ends.relay {
            lan.with_pc(|host| {
                if let Some(relay) = host.application_as::<Relay>(seat) {
                    relay.close();
                }
                host.call(now, seat);
            });
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
        let pc_answers_for_all = lan.with_pc(|pc| pc.answers_for_all()).unwrap_or_default();
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
        Ok(Ends { tap, relay, pc_answers_for_all })
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
                    relay.look(at);
                }
                host.call(at, seat);
                passed |= host.application_as::<Relay>(seat).is_some_and(Relay::take_passed);
            });
        }
        passed
    }
}
