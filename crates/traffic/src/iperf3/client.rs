//! The client: follows the server's states from the cookie to the results, and ends the test.

use std::collections::VecDeque;

use bytes::Bytes;
use units::Picoseconds;

use super::control::{Reader, State, Told, Wanted, cookie, framed, meaning};
use super::json::{Parameters, Report, report_text};
use super::settings::ClientSettings;
use super::stream::Stream;
use super::{MOST_BLOCK_BYTES, MOST_STREAMS};
use crate::answers::{intervals_as_samples, of_intervals};
use crate::bulk::{Amount, Transfer};
use crate::meter::Meter;
use crate::outbox::after;
use crate::{Action, Connection, Counter, Event, Machine, Results, Sample, Waiting};

const CONTROL: Connection = Connection(0);
/// The streams of the test are numbered from here.
const FIRST_STREAM: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    New,
    /// The connection for control opens.
    Opening,
    /// The cookie has left.
    Introduced,
    /// The parameters have left.
    Asked,
    /// The streams open.
    Connecting,
    /// The server has said that the test starts.
    Starting,
    Running,
    /// The end of the test has been told.
    Ending,
    /// Results have left.
    Exchanging,
    /// The server's results have come.
    Informed,
    Over,
}

/// An iperf 3 client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    phase: Phase,
    reader: Reader,
    streams: Vec<Stream>,
    /// All streams together.
    whole: Meter,
    block: Bytes,
    /// When a test for a time ends.
    end: Option<Picoseconds>,
    /// When the phase began.
    since: Picoseconds,
    /// When the client gives up unless the test goes on before.
    give_up_at: Option<Picoseconds>,
    report: Option<Report>,
    failure: Option<String>,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        let count = settings.parallel.clamp(1, MOST_STREAMS);
        let stream =
            |index| Stream::new(Connection(FIRST_STREAM + index), !settings.reverse, settings.interval);
        let block_bytes = settings.block_bytes.clamp(1, MOST_BLOCK_BYTES) as usize;
        Self {
            phase: Phase::New,
            reader: Reader::new(Wanted::State),
            streams: (0..count).map(stream).collect(),
            whole: Meter::new(settings.interval),
            block: vec![0; block_bytes].into(),
            settings,
            end: None,
            since: Picoseconds::ZERO,
            give_up_at: Some(Picoseconds::ZERO),
            report: None,
            failure: None,
            actions: VecDeque::new(),
        }
    }

    /// What passed on each stream so far, as this side counted it.
    pub fn transfers(&self) -> Vec<Transfer> {
        self.streams.iter().map(|stream| stream.transfer(None)).collect()
    }

    /// Bytes on all streams as the server counted them; nothing before it has said so.
    pub fn bytes_of_server(&self) -> Option<u64> {
        self.report.map(|report| report.bytes)
    }

    fn parameters(&self) -> Parameters {
        Parameters {
            amount: self.settings.amount,
            streams: self.streams.len() as u32,
            from_client: !self.settings.reverse,
            from_server: self.settings.reverse,
            block_bytes: self.block.len() as u32,
        }
    }

    fn enter(&mut self, now: Picoseconds, phase: Phase) {
        (self.phase, self.since) = (phase, now);
        self.give_up_at = Some(after(now, self.settings.timeout));
    }

    fn tell(&mut self, bytes: Vec<u8>) {
        self.actions.push_back(Action::Send(CONTROL, bytes));
    }

    fn begin(&mut self, now: Picoseconds) {
        self.actions.push_back(Action::Connect(CONTROL, self.settings.to));
        self.actions.push_back(Action::NoDelay(CONTROL, true));
        self.enter(now, Phase::Opening);
    }

    fn opened(&mut self, now: Picoseconds, connection: Connection) {
        if connection == CONTROL && self.phase == Phase::Opening {
            self.tell(cookie(0));
            return self.enter(now, Phase::Introduced);
        }
        let stream = self.streams.iter_mut().find(|stream| stream.connection == connection);
        if let (Some(stream), Phase::Connecting) = (stream, self.phase) {
            stream.is_open = true;
            self.actions.push_back(Action::Send(connection, cookie(0)));
        }
    }

    fn hear(&mut self, now: Picoseconds, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.phase != Phase::Over {
            match self.reader.take(&mut bytes) {
                Ok(None) => return,
                Ok(Some(Told::State(state))) => self.follow(now, state),
                Ok(Some(Told::Text(text))) => self.results_came(now, &text),
                Ok(Some(Told::Errors(error))) => {
                    let meant = meaning(error);
                    self.fail(format!(
                        "{} refused the test: {meant} (iperf3's error {error})",
                        self.settings.to
                    ));
                }
                Ok(Some(Told::Cookie(_))) | Err(_) => self.stranger(),
            }
        }
    }

    /// The server is in another state.
    fn follow(&mut self, now: Picoseconds, state: State) {
        let to = self.settings.to;
        match (self.phase, state) {
            (Phase::Introduced, State::ParameterExchange) => {
                self.tell(framed(&self.parameters().text()));
                self.enter(now, Phase::Asked);
            }
            (Phase::Asked, State::CreateStreams) => {
                for stream in &self.streams {
                    self.actions.push_back(Action::Connect(stream.connection, to));
                }
                self.enter(now, Phase::Connecting);
            }
            (Phase::Connecting, State::TestStart) if self.streams.iter().all(|stream| stream.is_open) => {
                self.enter(now, Phase::Starting);
            }
            (Phase::Starting, State::TestRunning) => self.run(now),
            (Phase::Ending, State::ExchangeResults) => {
                let results: Vec<_> = self.streams.iter().map(Stream::result).collect();
                self.tell(framed(&report_text(&results)));
                self.reader.want(Wanted::Text);
                self.enter(now, Phase::Exchanging);
            }
            (Phase::Informed, State::DisplayResults) => self.finish(),
            (_, State::ServerError) => self.reader.want(Wanted::Errors),
            (_, State::AccessDenied) => self.fail(format!("{to} is busy with another test")),
            (_, State::ServerTerminate) => self.fail(format!("{to} ended the test before its end")),
            _ => self.stranger(),
        }
    }

    fn stranger(&mut self) {
        self.fail(format!("what {} says is not what an iperf3 server says", self.settings.to));
    }

    fn run(&mut self, now: Picoseconds) {
        self.enter(now, Phase::Running);
        self.whole.start(now);
        for stream in &mut self.streams {
            stream.start(now, self.block.len(), &mut self.actions);
        }
        if let Amount::Time(time) = self.settings.amount {
            self.end = Some(after(now, time));
            // The clock ends it, and not silence: a slow link may well be silent for long.
            self.give_up_at = None;
        }
    }

    fn left(&self) -> Option<u64> {
        match self.settings.amount {
            Amount::Time(_) => None,
            Amount::Bytes(bytes) => {
                Some(bytes.saturating_sub(self.whole.whole().map_or(0, |whole| whole.bytes)))
            }
        }
    }

    fn passed(&mut self, now: Picoseconds, bytes: u64) {
        if bytes > 0 {
            self.whole.count(now, bytes);
            if self.give_up_at.is_some() {
                self.give_up_at = Some(after(now, self.settings.timeout));
            }
        }
        if self.left() == Some(0) {
            self.end_test(now);
        }
    }

    /// A stream has room, or bytes came on it.
    fn advance(&mut self, now: Picoseconds, connection: Connection, event: &Event<'_>) {
        if self.phase != Phase::Running {
            return;
        }
        let left = self.left();
        let Some(stream) = self.streams.iter_mut().find(|stream| stream.connection == connection) else {
            return;
        };
        let before = stream.bytes();
        match event {
            Event::Room(..) => stream.send(now, &self.block, left, &mut self.actions),
            Event::Received(_, bytes) if !stream.sends => stream.meter.count(now, bytes.len() as u64),
            _ => {}
        }
        let passed = stream.bytes() - before;
        self.passed(now, passed);
    }

    fn end_test(&mut self, now: Picoseconds) {
        for meter in self.streams.iter_mut().map(|stream| &mut stream.meter).chain([&mut self.whole]) {
            meter.finish(now);
        }
        self.end = None;
        self.tell(vec![State::TestEnd.byte()]);
        self.enter(now, Phase::Ending);
    }

    fn results_came(&mut self, now: Picoseconds, text: &[u8]) {
        match Report::parse(text) {
            Some(report) => {
                self.report = Some(report);
                self.reader.want(Wanted::State);
                self.enter(now, Phase::Informed);
            }
            None => self.stranger(),
        }
    }

    fn finish(&mut self) {
        self.tell(vec![State::Done.byte()]);
        self.actions.push_back(Action::Finish(CONTROL));
        self.close_streams();
    }

    fn close_streams(&mut self) {
        if self.phase >= Phase::Connecting {
            self.actions.extend(self.streams.iter().map(|stream| Action::Abort(stream.connection)));
        }
        self.phase = Phase::Over;
        self.give_up_at = None;
        self.end = None;
    }

    fn fail(&mut self, failure: String) {
        self.failure = Some(failure);
        self.actions.push_back(Action::Abort(CONTROL));
        self.close_streams();
    }

    fn closed(&mut self, connection: Connection, reason: Option<&str>) {
        // Once the test has ended, its streams may end as they like.
        if connection != CONTROL && self.phase >= Phase::Ending {
            return;
        }
        let otherwise = || format!("{} closed a connection of the test", self.settings.to);
        self.fail(reason.map_or_else(otherwise, str::to_owned));
    }

    fn wake(&mut self, now: Picoseconds) {
        if self.phase == Phase::New {
            return self.begin(now);
        }
        if self.end.is_some_and(|at| at <= now) {
            self.end_test(now);
        }
        if self.give_up_at.is_some_and(|at| at <= now) {
            let (to, timeout) = (self.settings.to, self.settings.timeout);
            self.fail(match self.phase {
                Phase::Opening => format!("the connection to {to} was not open within {timeout}"),
                Phase::Running => format!("nothing passed between this client and {to} for {timeout}"),
                _ => format!("{to} did not go on with the test within {timeout}"),
            });
        }
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        if self.phase == Phase::Over {
            return;
        }
        match event {
            Event::Wake => self.wake(now),
            Event::Opened(connection) => self.opened(now, connection),
            Event::Received(CONTROL, bytes) => self.hear(now, bytes),
            Event::Received(connection, _) | Event::Room(connection, _) => {
                self.advance(now, connection, &event);
            }
            Event::PeerFinished(connection) => self.closed(connection, None),
            Event::Closed(connection, reason) => self.closed(connection, reason),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.end.into_iter().chain(self.give_up_at).min()
    }

    fn is_done(&self) -> bool {
        self.phase == Phase::Over
    }

    fn results(&self) -> Results {
        let mut results =
            Results { failure: self.failure.clone(), ..Results::transferred(&self.transfers(), 0) };
        if let Some(Report { bytes, retransmits }) = self.report {
            let (name, verb) = if self.settings.reverse {
                ("sent_by_server", "sent")
            } else {
                ("received_by_server", "received")
            };
            results.counters.push(Counter { name, value: bytes, unit: "bytes" });
            results.summary += &format!("; the server {verb} {bytes} bytes");
            if let Some(value) = retransmits {
                results.counters.push(Counter { name: "retransmits", value, unit: "segments" });
            }
        }
        results
    }

    fn work(&self) -> Vec<Sample> {
        match self.streams.len() {
            1 => intervals_as_samples(&self.transfers()),
            _ => of_intervals(self.whole.intervals().iter().copied()),
        }
    }

    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let (to, since) = (self.settings.to, self.since);
        match self.phase {
            Phase::New | Phase::Over => None,
            Phase::Opening => Some(Waiting::for_opening(to, since, now)),
            Phase::Running => {
                let passed = self.whole.whole().map_or(0, |whole| whole.bytes);
                Some(Waiting::for_transfer(to, passed, since, now))
            }
            _ => Some(Waiting::for_answer(to, "what begins an iperf3 test", 0, since, now)),
        }
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
