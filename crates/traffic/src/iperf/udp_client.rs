//! iperf 2 over UDP, the client: datagrams at a rate, then the last one again and again until the server's report comes.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use super::PORT;
use super::datagram::{DatagramHead, LEAST_DATAGRAM_BYTES, ServerReport};
use crate::bulk::{self, Amount};
use crate::losses::{Cause, Losses};
use crate::meter::{Interval, Meter};
use crate::options::{self, Values, option, to};
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, results};
use fields::Field;
use fields::TakesOf::{Duration, Endpoint, Rate, Size};

const SOCKET: Connection = Connection(0);
/// The most that one datagram of IPv4 holds.
const MOST_DATAGRAM_BYTES: u32 = 65_507;
/// Datagrams that are caught up with at once when the clock was read late; those beyond wait for the next wake.
const MOST_AT_ONCE: u32 = 32;
/// Waiting for the report, before the last datagram is sent again.
const REPORT_WAIT: Picoseconds = Picoseconds::new(PS_PER_S / 4);
const MOST_LAST_DATAGRAMS: u32 = 10;

const DEFAULT_AMOUNT: Amount = Amount::Time(Picoseconds::new(10 * PS_PER_S));
/// What one Ethernet frame of 1500 bytes holds beside the headers of IPv4 and UDP.
const MOST_OPTION_BYTES: u64 = 1500 - 20 - 8;

/// What a client sends over IPv6 unless it is told otherwise; iperf 2 has the same default there (`-l` in iperf(1)).
const USUAL_BYTES_OVER_IPV6: u32 = 1450;

/// The settings of [`UdpClient`], declared.
pub const UDP_CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where iperf -s -u listens.", "192.168.1.20:5001"),
    option("rate", Rate, "1 Mbit/s", "Bits of payload a second.", "10 Mbit/s"),
    option(
        "size",
        Size(LEAST_DATAGRAM_BYTES as u64, MOST_OPTION_BYTES),
        "1470B",
        "The size of a datagram; over IPv6 1450 B where none is given.",
        "512B",
    ),
    option("time", Duration, "10s", "How long to send.", "5s"),
    option("send", Size(1, u64::MAX), "", "How much to send, instead of how long.", "1MB"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`UdpClient`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// Bits of payload a second; 0 is taken as 1.
    pub bits_per_second: u64,
    /// The size of a datagram; kept between 40 B and what IPv4 carries.
    pub datagram_bytes: u32,
    /// How long, or how much, to send; at least one datagram.
    pub amount: Amount,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl Declared for UdpClientSettings {
    const OPTIONS: &'static [Field] = UDP_CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let to = values.read("to", |text| options::endpoint(text, PORT))?;
        let is_usual = to.address.is_ipv6() && !values.is_given("size");
        let bytes = if is_usual { USUAL_BYTES_OVER_IPV6 } else { values.read("size", options::size)? };
        Ok(Self {
            to,
            bits_per_second: values.read("rate", options::rate)?,
            datagram_bytes: options::fitting("size", bytes, to.address)?,
            amount: bulk::amount(values)?.unwrap_or(DEFAULT_AMOUNT),
            interval: Some(values.read("interval", options::time)?),
        })
    }
}

impl UdpClientSettings {
    /// The defaults of [`UDP_CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        let second = Picoseconds::new(PS_PER_S);
        let amount = DEFAULT_AMOUNT;
        Self { to, bits_per_second: 1_000_000, datagram_bytes: 1470, amount, interval: Some(second) }
    }

    fn datagram_bytes(&self) -> u32 {
        self.datagram_bytes.clamp(LEAST_DATAGRAM_BYTES as u32, MOST_DATAGRAM_BYTES)
    }

    /// The time of a datagram, from the start; never from a rounded period.
    fn time_of(&self, number: u32) -> Picoseconds {
        let bits = u128::from(number) * u128::from(self.datagram_bytes()) * 8;
        let ps = bits * u128::from(PS_PER_S.unsigned_abs()) / u128::from(self.bits_per_second.max(1));
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX / 2))
    }

    fn is_last(&self, number: u32) -> bool {
        let next = number.saturating_add(1);
        next >= i32::MAX.unsigned_abs()
            || match self.amount {
                Amount::Bytes(bytes) => u64::from(next) * u64::from(self.datagram_bytes()) >= bytes,
                Amount::Time(time) => self.time_of(next) >= time,
            }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Sending,
    /// So many last datagrams have been sent.
    Ending(u32),
    Over,
}

/// An iperf 2 client over UDP.
#[derive(Debug, Clone)]
pub struct UdpClient {
    settings: UdpClientSettings,
    state: State,
    start: Picoseconds,
    wake_at: Option<Picoseconds>,
    sent: u32,
    meter: Meter,
    report: Option<ServerReport>,
    reported_at: Picoseconds,
    error: Option<String>,
    actions: VecDeque<Action>,
}

impl UdpClient {
    /// A client that begins when it is seated.
    pub fn new(settings: UdpClientSettings) -> Self {
        Self {
            meter: Meter::new(settings.interval),
            settings,
            state: State::New,
            start: Picoseconds::ZERO,
            wake_at: Some(Picoseconds::ZERO),
            sent: 0,
            report: None,
            reported_at: Picoseconds::ZERO,
            error: None,
            actions: VecDeque::new(),
        }
    }

    /// Datagrams sent, without the last ones that ask for the report.
    pub fn sent_datagrams(&self) -> u32 {
        self.sent
    }

    /// When and how much was sent.
    pub fn sent(&self) -> Option<Interval> {
        self.meter.whole()
    }

    /// The same in intervals.
    pub fn intervals(&self) -> &[Interval] {
        self.meter.intervals()
    }

    /// What the server said.
    pub fn report(&self) -> Option<ServerReport> {
        self.report
    }

    /// Why there is no report.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    fn begin(&mut self, now: Picoseconds) {
        self.state = State::Sending;
        self.start = now;
        self.meter.start(now);
        self.actions.push_back(Action::Bind(SOCKET, 0, false));
        self.send(now);
    }

    fn send(&mut self, now: Picoseconds) {
        let size = self.settings.datagram_bytes();
        for _ in 0..MOST_AT_ONCE {
            let due = self.start + self.settings.time_of(self.sent);
            if due > now {
                self.wake_at = Some(due);
                return;
            }
            // `is_last` keeps numbers below 2^31.
            let datagram = DatagramHead::datagram(self.sent as i32, now, size as usize);
            self.actions.push_back(Action::SendTo(SOCKET, self.settings.to, datagram));
            self.meter.count(now, u64::from(size));
            let last = self.settings.is_last(self.sent);
            self.sent += 1;
            if last {
                self.meter.finish(now);
                self.state = State::Ending(0);
                // One period later, as any other datagram.
                self.wake_at = Some((self.start + self.settings.time_of(self.sent)).min(now + REPORT_WAIT));
                return;
            }
        }
        self.wake_at = Some(now);
    }

    fn end(&mut self, now: Picoseconds, tries: u32) {
        if tries >= MOST_LAST_DATAGRAMS {
            let server = self.settings.to;
            self.error = Some(format!("{server} did not answer {tries} last datagrams with its report"));
            self.close();
            return;
        }
        let number = (self.sent as i32).wrapping_neg();
        let datagram = DatagramHead::datagram(number, now, self.settings.datagram_bytes() as usize);
        self.actions.push_back(Action::SendTo(SOCKET, self.settings.to, datagram));
        self.state = State::Ending(tries + 1);
        self.wake_at = Some(now + REPORT_WAIT);
    }

    fn close(&mut self) {
        self.actions.push_back(Action::Abort(SOCKET));
        self.state = State::Over;
        self.wake_at = None;
    }
}

impl Machine for UdpClient {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let due = self.wake_at.is_some_and(|at| at <= now);
        match (event, self.state) {
            (Event::Wake, State::New) => self.begin(now),
            (Event::Wake, State::Sending) if due => self.send(now),
            (Event::Wake, State::Ending(tries)) if due => self.end(now, tries),
            (Event::Datagram { from, bytes, .. }, State::Ending(_)) if from == self.settings.to => {
                if let Some(report) = ServerReport::parse(bytes) {
                    (self.report, self.reported_at) = (Some(report), now);
                    self.close();
                }
            }
            (Event::Closed(_, reason), State::Sending | State::Ending(_)) => {
                self.error = reason.map(str::to_owned);
                self.close();
            }
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.wake_at
    }

    fn is_done(&self) -> bool {
        self.state == State::Over
    }

    fn results(&self) -> Results {
        let report = self.report.unwrap_or_default();
        let mut results = Results::counted(&[
            ("sent", self.sent().map_or(0, |sent| sent.bytes), "bytes"),
            ("sent_datagrams", u64::from(self.sent), "datagrams"),
            ("received", report.bytes, "bytes"),
            ("lost", u64::from(report.lost), "datagrams"),
            ("out_of_order", u64::from(report.out_of_order), "datagrams"),
        ]);
        let sent = results::passed("sent", self.sent().into_iter());
        let (lost, jitter) = (report.lost, report.jitter);
        let told = self.report.map(|_| format!("the server lost {lost}, jitter {jitter}"));
        results.summary = sent.into_iter().chain(told).collect::<Vec<_>>().join("; ");
        results.failure = self.error.clone();
        let mut losses = Losses::default();
        losses.counted(Cause::Missing, u64::from(report.lost), self.reported_at, None);
        results.with(&losses)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
