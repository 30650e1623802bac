//! The server: one test at a time, led from the cookie to the results; whoever comes meanwhile is told that it is busy.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use units::{PS_PER_S, Picoseconds};

use super::control::{Reader, State, Told, Wanted, framed};
use super::json::{Parameters, Refusal, Report, report_text};
use super::settings::ServerSettings;
use super::stream::Stream;
use crate::answers::intervals_as_samples;
use crate::bulk::{Amount, MOST_KEPT, Transfer};
use crate::flow::MOST_CONNECTIONS;
use crate::losses::{Cause, Losses};
use crate::outbox::after;
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results, Sample};

const LISTENER: Connection = Connection(0);
/// How long a client may take for each step, and how long nothing may pass while the test runs.
const STEP: Picoseconds = Picoseconds::new(10 * PS_PER_S);
/// What a server of iperf3 says when it is asked for what it does not do (`IEUNIMP`), with no number of the system's.
const NOT_DONE: [u8; 8] = [0, 0, 0, 13, 0, 0, 0, 0];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Parameters,
    Streams,
    Running,
    /// The client has ended the test, and is to send its results.
    Results,
    /// It has the server's results, and is to say that it is done.
    Displaying,
}

/// A test with one client.
#[derive(Debug, Clone)]
struct Test {
    control: Connection,
    cookie: Vec<u8>,
    phase: Phase,
    reader: Reader,
    parameters: Option<Parameters>,
    streams: Vec<Stream>,
    give_up_at: Picoseconds,
}

impl Test {
    /// Connections that the client opens: those on which it sends come first.
    fn expected_streams(&self) -> usize {
        let one_way = |parameters: &Parameters| {
            let ways = u32::from(parameters.from_client) + u32::from(parameters.from_server);
            (parameters.streams * ways) as usize
        };
        self.parameters.as_ref().map_or(0, one_way)
    }
}

/// An iperf 3 server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: ServerSettings,
    /// Connections whose cookie has not come, and when they are closed for it.
    strangers: BTreeMap<Connection, (Reader, Picoseconds)>,
    test: Option<Test>,
    block: Bytes,
    transfers: VecDeque<Transfer>,
    tests: u64,
    refused: Losses,
    malformed: u64,
    listening: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: ServerSettings) -> Self {
        Self {
            settings,
            strangers: BTreeMap::new(),
            test: None,
            block: Bytes::new(),
            transfers: VecDeque::new(),
            tests: 0,
            refused: Losses::default(),
            malformed: 0,
            listening: false,
            actions: VecDeque::new(),
        }
    }

    /// The streams of tests that are over, the oldest first.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.transfers.iter()
    }

    /// Tests that came to their end.
    pub fn tests(&self) -> u64 {
        self.tests
    }

    fn running(&self) -> Vec<Transfer> {
        let streams = self.test.iter().flat_map(|test| &test.streams);
        streams.map(|stream| stream.transfer(None)).collect()
    }

    fn all(&self) -> Vec<Transfer> {
        self.transfers.iter().cloned().chain(self.running()).collect()
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.strangers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            return self.actions.push_back(Action::Abort(connection));
        }
        self.strangers.insert(connection, (Reader::new(Wanted::Cookie), after(now, STEP)));
    }

    fn introduce(&mut self, now: Picoseconds, connection: Connection, mut bytes: &[u8]) {
        let Some((reader, _)) = self.strangers.get_mut(&connection) else { return };
        let Ok(Some(Told::Cookie(cookie))) = reader.take(&mut bytes) else { return };
        self.strangers.remove(&connection);
        let Some(test) = &self.test else {
            self.begin(now, connection, cookie);
            return self.hear(now, bytes);
        };
        let has_room = test.phase == Phase::Streams && test.streams.len() < test.expected_streams();
        if has_room && test.cookie == cookie {
            return self.add_stream(now, connection);
        }
        self.refused.turned_away(Cause::Busy, now, None);
        self.actions.push_back(Action::Send(connection, vec![State::AccessDenied.byte()]));
        self.actions.push_back(Action::Finish(connection));
    }

    fn begin(&mut self, now: Picoseconds, control: Connection, cookie: Vec<u8>) {
        self.test = Some(Test {
            control,
            cookie,
            phase: Phase::Parameters,
            reader: Reader::new(Wanted::Text),
            parameters: None,
            streams: Vec::new(),
            give_up_at: after(now, STEP),
        });
        self.actions.push_back(Action::NoDelay(control, true));
        self.tell(&[State::ParameterExchange.byte()]);
    }

    fn tell(&mut self, bytes: &[u8]) {
        if let Some(test) = &self.test {
            self.actions.push_back(Action::Send(test.control, bytes.to_vec()));
        }
    }

    fn enter(&mut self, now: Picoseconds, phase: Phase, wanted: Wanted) {
        if let Some(test) = &mut self.test {
            test.phase = phase;
            test.reader.want(wanted);
            test.give_up_at = after(now, STEP);
        }
    }

    fn add_stream(&mut self, now: Picoseconds, connection: Connection) {
        let interval = self.settings.interval;
        let Some((test, parameters)) = self.test.as_mut().and_then(|test| {
            let parameters = test.parameters?;
            Some((test, parameters))
        }) else {
            return;
        };
        let from_client = if parameters.from_client { parameters.streams as usize } else { 0 };
        let sends = test.streams.len() >= from_client;
        test.streams.push(Stream::new(connection, sends, interval));
        if test.streams.len() == test.expected_streams() {
            self.run(now, parameters);
        }
    }

    fn run(&mut self, now: Picoseconds, parameters: Parameters) {
        self.tell(&[State::TestStart.byte(), State::TestRunning.byte()]);
        self.enter(now, Phase::Running, Wanted::State);
        let Some(test) = &mut self.test else { return };
        if let Amount::Time(time) = parameters.amount {
            test.give_up_at = after(after(now, time), STEP);
        }
        if parameters.from_server {
            self.block = vec![0; parameters.block_bytes as usize].into();
        }
        for stream in &mut test.streams {
            stream.start(now, self.block.len(), &mut self.actions);
        }
    }

    fn hear(&mut self, now: Picoseconds, mut bytes: &[u8]) {
        while let Some(test) = self.test.as_mut().filter(|_| !bytes.is_empty()) {
            match test.reader.take(&mut bytes) {
                Ok(None) => return,
                Ok(Some(Told::Text(text))) if test.phase == Phase::Parameters => self.asked(now, &text),
                Ok(Some(Told::Text(text))) => self.exchange(now, &text),
                Ok(Some(Told::State(State::TestEnd))) if test.phase == Phase::Running => {
                    // iperf3 waits for a whole block, even now: only the end of the stream tells it that none comes.
                    for stream in &mut test.streams {
                        stream.meter.finish(now);
                        self.actions.push_back(Action::Finish(stream.connection));
                    }
                    self.tell(&[State::ExchangeResults.byte()]);
                    self.enter(now, Phase::Results, Wanted::Text);
                }
                Ok(Some(Told::State(State::Done))) if test.phase == Phase::Displaying => {
                    self.tests += 1;
                    return self.end(None);
                }
                Ok(Some(Told::State(State::ClientTerminate))) => {
                    return self.end(Some("the client ended the test before its end"));
                }
                _ => return self.stranger(),
            }
        }
    }

    fn stranger(&mut self) {
        self.malformed += 1;
        self.end(Some("what the client says is not what an iperf3 client says"));
    }

    fn asked(&mut self, now: Picoseconds, text: &[u8]) {
        match Parameters::parse(text) {
            Ok(parameters) => {
                if let Some(test) = &mut self.test {
                    test.parameters = Some(parameters);
                }
                self.tell(&[State::CreateStreams.byte()]);
                self.enter(now, Phase::Streams, Wanted::State);
            }
            Err(Refusal::OtherProtocol) => {
                self.refused.turned_away(Cause::ProtocolVersion, now, None);
                self.tell(&[&[State::ServerError.byte()][..], &NOT_DONE].concat());
                self.end(None);
            }
            Err(Refusal::NoJson) => self.stranger(),
        }
    }

    /// The client's results are not looked at: what this side counted is as good.
    fn exchange(&mut self, now: Picoseconds, text: &[u8]) {
        let Some(test) = self.test.as_ref().filter(|_| Report::parse(text).is_some()) else {
            return self.stranger();
        };
        let results: Vec<_> = test.streams.iter().map(Stream::result).collect();
        self.tell(&framed(&report_text(&results)));
        self.tell(&[State::DisplayResults.byte()]);
        self.enter(now, Phase::Displaying, Wanted::State);
    }

    /// The test is over, in order or with an error; its results are kept.
    fn end(&mut self, error: Option<&str>) {
        let Some(test) = self.test.take() else { return };
        for stream in &test.streams {
            self.actions.push_back(Action::Abort(stream.connection));
            if self.transfers.len() >= MOST_KEPT {
                self.transfers.pop_front();
            }
            self.transfers.push_back(stream.transfer(error));
        }
        self.actions.push_back(match error {
            None => Action::Finish(test.control),
            Some(_) => Action::Abort(test.control),
        });
    }

    fn advance(&mut self, now: Picoseconds, connection: Connection, event: &Event<'_>) {
        let Some(test) = self.test.as_mut().filter(|test| test.phase == Phase::Running) else { return };
        let Some(stream) = test.streams.iter_mut().find(|stream| stream.connection == connection) else {
            return;
        };
        match event {
            // The client says when it has enough.
            Event::Room(..) => stream.send(now, &self.block, None, &mut self.actions),
            Event::Received(_, bytes) if !stream.sends => stream.meter.count(now, bytes.len() as u64),
            _ => return,
        }
        if matches!(test.parameters, Some(Parameters { amount: Amount::Bytes(_), .. })) {
            test.give_up_at = after(now, STEP);
        }
    }

    fn is_control(&self, connection: Connection) -> bool {
        self.test.as_ref().is_some_and(|test| test.control == connection)
    }

    fn closed(&mut self, connection: Connection, reason: Option<&str>) {
        if self.strangers.remove(&connection).is_some() {
            return self.actions.push_back(Action::Abort(connection));
        }
        if self.is_control(connection) {
            return self
                .end(Some(reason.unwrap_or("the client closed its connection before the test's end")));
        }
        let of_test = self.test.as_ref().filter(|test| test.phase == Phase::Running);
        if of_test.is_some_and(|test| test.streams.iter().any(|stream| stream.connection == connection)) {
            // The client tells of its end on the connection for control, which may come later than this.
            return;
        }
        if reason.is_none() {
            self.actions.push_back(Action::Finish(connection));
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        let late = |(_, (_, at)): (&Connection, &(Reader, Picoseconds))| *at <= now;
        let silent: Vec<Connection> =
            self.strangers.iter().filter(|entry| late(*entry)).map(|(connection, _)| *connection).collect();
        for connection in silent {
            self.strangers.remove(&connection);
            self.actions.push_back(Action::Abort(connection));
        }
        if self.test.as_ref().is_some_and(|test| test.give_up_at <= now) {
            self.end(Some("the client did not go on with the test"));
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Wake => self.wake(now),
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, bytes) if self.is_control(connection) => self.hear(now, bytes),
            Event::Received(connection, bytes) if self.strangers.contains_key(&connection) => {
                self.introduce(now, connection, bytes);
            }
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
        let strangers = self.strangers.values().map(|(_, at)| *at);
        strangers.chain(self.test.as_ref().map(|test| test.give_up_at)).min()
    }

    fn results(&self) -> Results {
        let mut results = Results::transferred(&self.all(), self.refused.count()).with(&self.refused);
        for (name, value) in [("tests", self.tests), ("malformed", self.malformed)] {
            results.counters.push(crate::Counter { name, value, unit: "tests" });
        }
        results
    }

    fn work(&self) -> Vec<Sample> {
        intervals_as_samples(&self.all())
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
