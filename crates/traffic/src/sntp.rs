//! An SNTP server (RFC 4330): a request is answered with the time, which is a settable epoch plus the virtual time. It
//! stands beside the other services of the PC. It does not broadcast, authenticate or discipline a clock.

use units::{PS_PER_S, Picoseconds};

use crate::losses::{Cause, Losses};
use crate::options::{self, Values, option};
use crate::outbox::{Outbox, after};
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results};
use fields::Field;
use fields::TakesOf::{Count, Duration, Flag, Port};

/// RFC 4330 section 4.
const PORT: u16 = 123;
/// Without the authenticator, RFC 4330 section 4.
const MESSAGE_BYTES: usize = 48;
/// From 1900-01-01 to 1970-01-01: 70 years with 17 leap days.
const NTP_BEFORE_UNIX_S: u64 = (70 * 365 + 17) * 86_400;
const SOCKET: Connection = Connection(0);

const MODE_SYMMETRIC_ACTIVE: u8 = 1;
const MODE_SYMMETRIC_PASSIVE: u8 = 2;
const MODE_CLIENT: u8 = 3;
const MODE_SERVER: u8 = 4;
/// Not synchronised, RFC 4330 section 4.
const LEAP_ALARM: u8 = 3;
/// Of the server's clock: 2^-20 s is about a microsecond.
const PRECISION: u8 = (-20_i8).cast_unsigned();

/// What the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where it listens.
    pub port: u16,
    /// Unix seconds at the virtual time 0.
    pub epoch: u32,
    /// Of the server; 0 is a kiss-of-death.
    pub stratum: u8,
    /// Whether it answers at all.
    pub answers: bool,
    /// Time from request to answer.
    pub delay: Picoseconds,
}

impl Default for Settings {
    fn default() -> Self {
        Self { port: PORT, epoch: 1_767_225_600, stratum: 1, answers: true, delay: Picoseconds::ZERO }
    }
}

/// The options of the SNTP server.
pub const OPTIONS: &[Field] = &[
    option("port", Port, "123", "Where the server listens.", "1123"),
    option(
        "epoch",
        Count(0, 4_294_967_295),
        "1767225600",
        "The time of day at virtual time 0; the default is 2026-01-01.",
        "1700000000",
    ),
    option("stratum", Count(0, 15), "1", "Of the server; 0 answers with the kiss-of-death code RATE.", "2"),
    option("answers", Flag, "true", "Whether a request is answered at all.", "false"),
    option("delay", Duration, "0 s", "Time from a request to its answer.", "200ms"),
];

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            epoch: values.read("epoch", options::parsed)?,
            stratum: values.read("stratum", options::parsed)?,
            answers: values.read("answers", options::switch)?,
            delay: values.read("delay", options::time)?,
        })
    }
}

/// The server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Settings,
    seated: bool,
    outbox: Outbox,
    answered: u64,
    refused: u64,
    ignored: u64,
    losses: Losses,
}

impl Server {
    /// A server that has no seat yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            seated: false,
            outbox: Outbox::default(),
            answered: 0,
            refused: 0,
            ignored: 0,
            losses: Losses::default(),
        }
    }

    /// Requests that were answered.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Datagrams that were no request.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Late answers that found no place to wait in.
    pub fn dropped(&self) -> u64 {
        self.outbox.dropped()
    }

    /// Seconds since 1900 and their fraction: RFC 4330 section 3. The seconds wrap in 2036 on purpose.
    fn timestamp(&self, at: Picoseconds) -> [u8; 8] {
        let ps = at.ps().max(0).cast_unsigned();
        let seconds = NTP_BEFORE_UNIX_S + u64::from(self.settings.epoch) + ps / PS_PER_S.cast_unsigned();
        let fraction =
            (u128::from(ps % PS_PER_S.cast_unsigned()) << 32) / u128::from(PS_PER_S.cast_unsigned());
        let bits = (seconds << 32) | u64::try_from(fraction).expect("a fraction of 2^32 is below 2^32");
        bits.to_be_bytes()
    }

    fn answer(&self, now: Picoseconds, request: &[u8]) -> Option<Vec<u8>> {
        if request.len() < MESSAGE_BYTES {
            return None;
        }
        let version = request[0] >> 3 & 7;
        let mode = match request[0] & 7 {
            MODE_CLIENT => MODE_SERVER,
            MODE_SYMMETRIC_ACTIVE => MODE_SYMMETRIC_PASSIVE,
            _ => return None,
        };
        if !(1..=4).contains(&version) {
            return None;
        }
        let kiss = self.settings.stratum == 0;
        let leap = if kiss { LEAP_ALARM } else { 0 };
        let mut answer = vec![leap << 6 | version << 3 | mode, self.settings.stratum, request[2], PRECISION];
        answer.extend([0; 8]);
        answer.extend(if kiss { b"RATE" } else { b"LOCL" });
        answer.extend(self.timestamp(now));
        answer.extend(&request[40..48]);
        answer.extend(self.timestamp(now));
        answer.extend(self.timestamp(after(now, self.settings.delay)));
        Some(answer)
    }

    fn datagram(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        let Some(answer) = self.answer(now, bytes) else {
            self.refused += 1;
            self.losses.turned_away(Cause::Malformed, now, Some(from));
            return;
        };
        if !self.settings.answers {
            self.ignored += 1;
            return;
        }
        self.answered += 1;
        let at = after(now, self.settings.delay);
        if !self.outbox.push_at(now, at, Action::SendTo(SOCKET, from, answer)) {
            self.losses.note(Cause::NoRoom, now, None, Some(from), None);
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        self.outbox.release(now);
        match event {
            Event::Wake if !self.seated => {
                self.seated = true;
                self.outbox.push(Action::Bind(SOCKET, self.settings.port, false));
            }
            Event::Datagram { from, bytes, .. } => self.datagram(now, from, bytes),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.outbox.pop()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.outbox.wake_at()
    }

    fn results(&self) -> Results {
        Results::counted(&[
            ("answered", self.answered, "requests"),
            ("refused", self.refused, "datagrams"),
            ("dropped", self.dropped(), "answers"),
            ("ignored", self.ignored, "requests"),
        ])
        .with(&self.losses)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
