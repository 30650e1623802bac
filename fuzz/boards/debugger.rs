//! A debugger that sends what an input says, and what the board answered.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind};
use std::rc::Rc;

use board::gdb::Link;

/// Looks at the connection while nothing comes; after so many the debugger leaves.
const MOST_PAUSES: usize = 100;

/// What a debugger does next.
#[derive(Debug)]
pub(super) enum Sends {
    Bytes(Vec<u8>),
    /// Nothing, for a moment.
    Pause,
}

/// The body of a packet, with its checksum.
pub(super) fn packet(body: &[u8]) -> Vec<u8> {
    let sum = body.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
    [b"$", body, format!("#{sum:02x}").as_bytes()].concat()
}

/// The lines of a script: those that begin with `$` are packets that get their checksum, others are noise as it is, and an
/// empty one is a pause.
pub(super) fn script(text: &[u8]) -> VecDeque<Sends> {
    let line = |line: &[u8]| match line {
        [] => Sends::Pause,
        [b'$', body @ ..] => Sends::Bytes(packet(body)),
        noise => Sends::Bytes(noise.to_vec()),
    };
    text.split(|byte| *byte == b'\n').map(line).collect()
}

/// The debugger's end of the connection.
#[derive(Debug)]
pub(super) struct Debugger {
    sends: VecDeque<Sends>,
    pauses: usize,
    heard: Rc<RefCell<Vec<u8>>>,
}

impl Debugger {
    /// One that sends all this, and the bytes that it will hear.
    pub(super) fn new(sends: VecDeque<Sends>) -> (Self, Rc<RefCell<Vec<u8>>>) {
        let heard = Rc::default();
        (Self { sends, pauses: 0, heard: Rc::clone(&heard) }, heard)
    }
}

impl Link for Debugger {
    fn receive(&mut self, _: bool) -> std::io::Result<Vec<u8>> {
        match self.sends.pop_front() {
            Some(Sends::Bytes(bytes)) => Ok(bytes),
            Some(Sends::Pause) if self.pauses < MOST_PAUSES => {
                self.pauses += 1;
                Ok(Vec::new())
            }
            Some(Sends::Pause) | None => Err(Error::from(ErrorKind::UnexpectedEof)),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.heard.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }
}

/// The bodies of the packets in what a board sent; between them there are acknowledgements and nothing else (GDB manual,
/// "Overview" of the remote protocol).
pub(super) fn answers(heard: &[u8]) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    let mut rest = heard;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if matches!(first, b'+' | b'-') {
            continue;
        }
        assert_eq!(first, b'$', "a packet begins: {}", rest.escape_ascii());
        let end = rest.iter().position(|byte| *byte == b'#').expect("a packet ends");
        let (body, sum) = rest.split_at(end);
        let (sum, behind) = sum.split_at_checked(3).expect("a packet has its checksum");
        assert_eq!(&packet(body)[1 + end..], sum, "the checksum of {}", body.escape_ascii());
        bodies.push(expanded(body));
        rest = behind;
    }
    bodies
}

/// A body without its run lengths and escapes.
fn expanded(body: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = body.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            b'*' => {
                let count = *rest.next().expect("a run has its length");
                assert!((b' '..=b'~').contains(&count), "a run's length can be printed: {count}");
                let last = *bytes.last().expect("a run repeats something");
                bytes.extend(std::iter::repeat_n(last, usize::from(count - 29)));
            }
            b'}' => bytes.push(rest.next().expect("something is escaped") ^ 0x20),
            b'$' => panic!("a packet within a packet: {}", body.escape_ascii()),
            _ => bytes.push(byte),
        }
    }
    bytes
}
