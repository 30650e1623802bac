//! The connection for control: what is read from it piece by piece, however it is cut, and what is written to it.

use crate::pattern::Pattern;

/// A cookie: 36 characters and a zero.
pub(super) const COOKIE_BYTES: usize = 37;
/// A text of JSON may be so long: 128 streams take a fifth of it.
const MOST_TEXT_BYTES: u32 = 128 * 1024;
/// After the state that says that the server failed: two numbers of 32 bits.
const ERROR_BYTES: usize = 8;

/// The states of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    TestStart,
    TestRunning,
    TestEnd,
    ParameterExchange,
    CreateStreams,
    ServerTerminate,
    ClientTerminate,
    ExchangeResults,
    DisplayResults,
    Done,
    AccessDenied,
    ServerError,
}

const STATES: [(i8, State); 12] = [
    (1, State::TestStart),
    (2, State::TestRunning),
    (4, State::TestEnd),
    (9, State::ParameterExchange),
    (10, State::CreateStreams),
    (11, State::ServerTerminate),
    (12, State::ClientTerminate),
    (13, State::ExchangeResults),
    (14, State::DisplayResults),
    (16, State::Done),
    (-1, State::AccessDenied),
    (-2, State::ServerError),
];

impl State {
    fn of(byte: u8) -> Option<Self> {
        STATES.iter().find(|(code, _)| *code == byte as i8).map(|(_, state)| *state)
    }

    /// The byte that tells of it.
    pub(super) fn byte(self) -> u8 {
        STATES.iter().find(|(_, state)| *state == self).map_or(0, |(code, _)| *code as u8)
    }
}

/// What is read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Cookie,
    State,
    Text,
    Errors,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Cookie(Vec<u8>),
    State(State),
    Text(Vec<u8>),
    /// iperf3's own number for what went wrong.
    Errors(i32),
}

/// Why a peer does not speak iperf3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// Reads one thing after another.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    wanted: Wanted,
    bytes: Vec<u8>,
}

impl Reader {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self { wanted, bytes: Vec::new() }
    }

    /// What is read after the thing that was just told.
    pub(super) fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    /// Takes from `bytes` what belongs to the thing that is wanted; tells of it once it is whole.
    pub(super) fn take(&mut self, bytes: &mut &[u8]) -> Result<Option<Told>, Malformed> {
        let whole = match self.wanted {
            Wanted::Cookie => COOKIE_BYTES,
            Wanted::State => 1,
            Wanted::Errors => ERROR_BYTES,
            Wanted::Text => {
                self.take_up_to(4, bytes);
                let Some(length) = self.bytes.first_chunk() else { return Ok(None) };
                let length = u32::from_be_bytes(*length);
                if length > MOST_TEXT_BYTES {
                    return Err(Malformed);
                }
                4 + length as usize
            }
        };
        self.take_up_to(whole, bytes);
        if self.bytes.len() < whole {
            return Ok(None);
        }
        let mut read = std::mem::take(&mut self.bytes);
        Ok(Some(match self.wanted {
            Wanted::Cookie => Told::Cookie(read),
            Wanted::State => Told::State(State::of(read[0]).ok_or(Malformed)?),
            Wanted::Text => Told::Text(read.split_off(4)),
            Wanted::Errors => Told::Errors(i32::from_be_bytes([read[0], read[1], read[2], read[3]])),
        }))
    }

    fn take_up_to(&mut self, length: usize, bytes: &mut &[u8]) {
        let missing = length.saturating_sub(self.bytes.len()).min(bytes.len());
        let (taken, rest) = bytes.split_at(missing);
        self.bytes.extend_from_slice(taken);
        *bytes = rest;
    }
}

/// A text with its length before it.
pub(super) fn framed(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], text.as_bytes()].concat()
}

/// The cookie of a test: letters and digits of which iperf3 makes its own.
pub(super) fn cookie(seed: u64) -> Vec<u8> {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut cookie: Vec<u8> = Pattern::new(seed)
        .bytes(0, COOKIE_BYTES - 1)
        .iter()
        .map(|byte| LETTERS[usize::from(byte % 32)])
        .collect();
    cookie.push(0);
    cookie
}

/// What iperf3 means by a number that its server failed with.
pub(super) fn meaning(error: i32) -> &'static str {
    match error {
        13 => "it does not do such a test",
        _ => "it could not make the test",
    }
}
