//! Bytes both ways over TCP: the board's end, driven over SPI, and the PC's, an application. Each end sends a pattern of its
//! own and keeps what it received, so that a test sees every byte that is lost, doubled or changed.

use std::sync::{Arc, Mutex};

use ethernet::{Application, Ending, ListenerId, Sockets, TcpId};
use units::Picoseconds;

use crate::driver::{BOARD, Driver, TCP, command, interrupt, ms, sn, status, us};

/// How much a transfer moves in each direction: 64 KiB, or what the environment says.
pub(crate) fn transfer_bytes() -> usize {
    std::env::var("AIRWIRE_TRANSFER_BYTES").ok().and_then(|text| text.parse().ok()).unwrap_or(64 << 10)
}

/// Bytes that do not repeat within what a transfer moves at once: a 32-bit generator's upper byte (Numerical Recipes).
pub(crate) fn pattern(seed: u32, bytes: usize) -> Vec<u8> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..bytes).map(step).collect()
}

/// What the board sends on a socket.
pub(crate) fn board_pattern(n: u8, bytes: usize) -> Vec<u8> {
    pattern(0xB0A4_D000 | u32::from(n), bytes)
}

/// What the PC sends on each of its connections.
pub(crate) fn pc_pattern(bytes: usize) -> Vec<u8> {
    pattern(0x0000_9C00, bytes)
}

/// Fails with the first byte that differs, not with megabytes.
#[track_caller]
pub(crate) fn assert_same(received: &[u8], expected: &[u8], what: &str) {
    let differs = received.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!((differs, received.len()), (None, expected.len()), "{what}: first difference, length");
}

/// What came of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Moved,
    Idle,
    TimedOut,
    Closed,
}

/// The board's end of a connection that is open.
pub(crate) struct Exchange {
    pub(crate) n: u8,
    outgoing: Vec<u8>,
    expected: usize,
    pub(crate) sent: usize,
    sending: bool,
    pub(crate) received: Vec<u8>,
}

impl Exchange {
    pub(crate) fn new(n: u8, bytes: usize) -> Self {
        Self {
            n,
            outgoing: board_pattern(n, bytes),
            expected: bytes,
            sent: 0,
            sending: false,
            received: Vec::new(),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.sent == self.outgoing.len() && self.received.len() >= self.expected
    }

    /// Reads what is there, and sends what fits once the last SEND is done.
    pub(crate) fn step(&mut self, driver: &mut Driver) -> Step {
        let interrupts = driver.take_interrupts(self.n);
        self.sending &= interrupts & interrupt::SENDOK == 0;
        let waiting = driver.size(self.n, sn::RX_RSR);
        if waiting > 0 {
            self.received.extend(driver.receive(self.n, waiting));
        }
        if interrupts & interrupt::TIMEOUT != 0 {
            return Step::TimedOut;
        }
        let mut moved = waiting > 0;
        if !self.sending && self.sent < self.outgoing.len() {
            let free = driver.size(self.n, sn::TX_FSR).min(self.outgoing.len() - self.sent);
            if free > 0 {
                driver.send(self.n, &self.outgoing[self.sent..self.sent + free]);
                self.sent += free;
                self.sending = true;
                moved = true;
            }
        }
        match moved {
            true => Step::Moved,
            false if driver.status(self.n) == status::CLOSED => Step::Closed,
            false => Step::Idle,
        }
    }

    /// Steps until all is moved (then `Moved`), or something ends it; `Idle` when `most` has passed.
    pub(crate) fn run(&mut self, driver: &mut Driver, most: Picoseconds) -> Step {
        let end = driver.now() + most;
        let mut pause = us(20);
        while !self.is_done() && driver.now() < end {
            match self.step(driver) {
                Step::Moved => pause = us(20),
                Step::Idle => {
                    let until = (driver.now() + pause).min(end);
                    driver.spi.wait_for_interrupt(until);
                    pause = (pause + pause).min(ms(10));
                }
                over => return over,
            }
        }
        if self.is_done() { Step::Moved } else { Step::Idle }
    }

    /// All that the PC sent is here, unchanged; what the board sent is with the PC after an orderly end.
    #[track_caller]
    pub(crate) fn finish(&mut self, driver: &mut Driver, talks: &Talks, talk: usize) {
        let what = format!("{:?}, socket {}", driver.model, self.n);
        assert_same(&self.received, &pc_pattern(self.expected), &format!("{what}, to the board"));
        let acknowledged = driver.wait_until(ms(120_000), |driver| driver.size(self.n, sn::TX_FSR) == 2048);
        assert!(acknowledged, "{what}: the PC has not acknowledged everything");
        driver.command(self.n, command::DISCON);
        let closed = driver.wait_until(ms(120_000), |driver| driver.status(self.n) == status::CLOSED);
        assert!(closed, "{what}: the socket does not close");
        let talks = talks.lock().expect("no test has panicked");
        assert_same(&talks[talk].received, &self.outgoing, &format!("{what}, to the PC"));
    }
}

/// A transfer both ways on a socket that the board connects to the PC's port, to its orderly end.
#[track_caller]
pub(crate) fn exchange(driver: &mut Driver, n: u8, local_port: u16, port: u16, talks: &Talks, talk: usize) {
    driver.connect(n, local_port, port);
    let mut exchange = Exchange::new(n, transfer_bytes());
    assert_eq!(exchange.run(driver, ms(600_000)), Step::Moved, "{:?}", driver.model);
    exchange.finish(driver, talks, talk);
}

/// A connection of the PC.
#[derive(Debug)]
pub(crate) struct Talk {
    id: TcpId,
    sent: usize,
    pub(crate) received: Vec<u8>,
    pub(crate) ending: Option<Ending>,
}

/// All connections of one of the PC's applications, in their order.
pub(crate) type Talks = Arc<Mutex<Vec<Talk>>>;

/// How the PC gets its connections.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Opening {
    Listen(u16),
    /// Connects to the board, at a time.
    Call(u16, Picoseconds),
}

/// The PC's end: sends its pattern on each connection, keeps what it receives, finishes after the peer.
#[derive(Debug)]
pub(crate) struct Exchanger {
    opening: Opening,
    outgoing: Vec<u8>,
    /// It reads nothing before this.
    reads_from: Picoseconds,
    /// It resets each connection that has received so much.
    resets_after: Option<usize>,
    listener: Option<ListenerId>,
    called: bool,
    talks: Talks,
}

impl Exchanger {
    pub(crate) fn new(opening: Opening, bytes: usize) -> Self {
        Self {
            opening,
            outgoing: pc_pattern(bytes),
            reads_from: Picoseconds::ZERO,
            resets_after: None,
            listener: None,
            called: false,
            talks: Talks::default(),
        }
    }

    pub(crate) fn reading_from(self, reads_from: Picoseconds) -> Self {
        Self { reads_from, ..self }
    }

    pub(crate) fn resetting_after(self, bytes: usize) -> Self {
        Self { resets_after: Some(bytes), ..self }
    }

    /// Puts it on the PC.
    pub(crate) fn seat(self, driver: &mut Driver) -> Talks {
        let talks = self.talks.clone();
        driver.spi.lan_mut().with_pc(|host| host.seat(Box::new(self))).expect("there is a PC");
        talks
    }

    fn open(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<TcpId> {
        match self.opening {
            Opening::Listen(port) => {
                let listener =
                    *self.listener.get_or_insert_with(|| sockets.listen(port).expect("the port is free"));
                sockets.accept(listener).map(|(id, _)| id)
            }
            Opening::Call(port, at) if now >= at && !self.called => {
                self.called = true;
                Some(sockets.connect(BOARD, port).expect("the board is in the PC's network"))
            }
            Opening::Call(..) => None,
        }
    }

    fn serve(&self, now: Picoseconds, sockets: &mut Sockets<'_>, talk: &mut Talk) {
        let id = talk.id;
        if now >= self.reads_from {
            let received = &mut talk.received;
            let mut take = |bytes: &[u8]| {
                received.extend_from_slice(bytes);
                bytes.len()
            };
            while sockets.receive(id, &mut take) > 0 {}
        }
        if self.resets_after.is_some_and(|bytes| talk.received.len() >= bytes) {
            sockets.abort(id);
        }
        talk.sent += sockets.send(id, &self.outgoing[talk.sent..]);
        if sockets.peer_finished(id) && talk.sent == self.outgoing.len() {
            sockets.finish(id);
        }
        talk.ending = sockets.ending(id);
    }
}

impl Application for Exchanger {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        while sockets.take_news().is_some() {}
        let talks = self.talks.clone();
        let mut talks = talks.lock().expect("no test has panicked");
        while let Some(id) = self.open(now, sockets) {
            talks.push(Talk { id, sent: 0, received: Vec::new(), ending: None });
        }
        for talk in talks.iter_mut().filter(|talk| talk.ending.is_none()) {
            self.serve(now, sockets, talk);
        }
        let call = match self.opening {
            Opening::Call(_, at) => at,
            Opening::Listen(_) => Picoseconds::ZERO,
        };
        [call, self.reads_from].into_iter().filter(|&at| at > now).min()
    }
}

/// Accepts on a listening socket of the board: waits for the connection.
#[track_caller]
pub(crate) fn wait_for_client(driver: &mut Driver, n: u8, most: Picoseconds) {
    let connected = driver.wait_until(most, |driver| driver.status(n) == status::ESTABLISHED);
    assert!(connected, "{:?}: nobody connected to socket {n}", driver.model);
}

/// A socket after its end is as good as new.
#[track_caller]
pub(crate) fn assert_reopens(driver: &mut Driver, n: u8) {
    driver.open(n, TCP, 4999);
    assert_eq!(driver.status(n), status::INIT);
    driver.command(n, command::CLOSE);
}
