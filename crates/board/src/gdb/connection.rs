//! The connection to GDB: answers are gathered and sent in one piece, and what comes in is taken without waiting while
//! the board runs. Over TCP as a rule, or whatever else is a [`Link`].

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use gdbstub::conn::Connection;

/// While the board stands still, how long nothing may come before somebody is asked whether to go on.
const PATIENCE: Duration = Duration::from_millis(50);
/// A client that takes nothing for this long is gone.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// Longer answers are sent in pieces.
const MOST_GATHERED_BYTES: usize = 64 << 10;
const READ_BYTES: usize = 4096;

/// What carries bytes between a debugger and the board.
pub trait Link: fmt::Debug {
    /// What came in, perhaps nothing. Where it may wait, it does so for a moment.
    ///
    /// # Errors
    /// When the debugger is gone.
    fn receive(&mut self, wait: bool) -> std::io::Result<Vec<u8>>;

    /// Sends all of it.
    ///
    /// # Errors
    /// When the debugger is gone.
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()>;
}

/// A connection over TCP.
#[derive(Debug)]
pub(super) struct TcpLink(TcpStream);

impl TcpLink {
    pub(super) fn new(stream: TcpStream) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        Ok(Self(stream))
    }
}

impl Link for TcpLink {
    fn receive(&mut self, wait: bool) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; READ_BYTES];
        self.0.set_nonblocking(!wait)?;
        let read = self.0.read(&mut bytes);
        self.0.set_nonblocking(false)?;
        match read {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes.truncate(count);
                Ok(bytes)
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(Vec::new()),
                _ => Err(error),
            },
        }
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)
    }
}

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    link: Box<dyn Link>,
    gathered: Vec<u8>,
}

impl Client {
    pub(super) fn new(link: Box<dyn Link>) -> Self {
        Self { link, gathered: Vec::new() }
    }

    /// What came in, perhaps nothing; an error when the client is gone.
    pub(super) fn receive(&mut self, wait: bool) -> std::io::Result<Vec<u8>> {
        self.link.receive(wait)
    }

    /// A sentence for GDB's user, which GDB takes only while it waits for the board.
    pub(super) fn tell(&mut self, sentence: &str) -> std::io::Result<()> {
        let text = sentence.bytes().chain([b'\n']).map(|byte| format!("{byte:02x}"));
        let body: String = std::iter::once("O".to_owned()).chain(text).collect();
        let checksum = body.bytes().fold(0, u8::wrapping_add);
        self.write_all(format!("${body}#{checksum:02x}").as_bytes())?;
        self.flush()
    }
}

impl Connection for Client {
    type Error = std::io::Error;

    fn write(&mut self, byte: u8) -> std::io::Result<()> {
        self.write_all(&[byte])
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() < MOST_GATHERED_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.link.send(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }
}
