//! A server of the GDB remote protocol: GDB connects over TCP and debugs the image that a microcontroller runs, in virtual
//! time. The crate `gdbstub` speaks the protocol; here are the connection ([`GdbServer`]), the chip as its target, and the
//! way in which the cores go on.
//!
//! Each core is a thread. While they stand still no time passes. Left out: non-stop mode, going backwards, and
//! semihosting calls other than the exit.

mod breakpoints;
mod connection;
mod memory;
mod monitor;
mod registers;
mod resume;
mod target;

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::Duration;

use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub};
use mcu::{Mcu, Stop};

use connection::Client;
pub use connection::Link;
use connection::TcpLink;
use record::Control;
use target::Debugged;

/// While nothing runs, how long passes between two looks for a client.
const CLIENT_PATIENCE: Duration = Duration::from_millis(20);
/// The longest packet that GDB may send.
const PACKET_BYTES: usize = 16 << 10;

/// How the debugging ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GdbEnd {
    /// GDB killed the board.
    Killed,
    /// The board came to an end by itself: the image ended or, after GDB detached, it faulted or sleeps for ever.
    Chip(Stop),
    /// Somebody stopped it from outside.
    Interrupted,
}

/// A server that cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum GdbError {
    /// No address.
    #[error("{0:?} is no address for GDB; give a port as in :3333, or host and port as in 0.0.0.0:3333")]
    Address(String),
    /// The port cannot be had.
    #[error(
        "GDB cannot be served at {address}: {reason}; another program may use the port, so try another one"
    )]
    Listen {
        /// Where.
        address: String,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The listening socket broke.
    #[error("no client can be accepted any more: {0}")]
    Accept(std::io::Error),
}

/// What follows the output of the board: called after every slice of virtual time.
pub type OnOutput<'a> = &'a mut dyn FnMut(&mut dyn Mcu);

type Machine<'a> = GdbStubStateMachine<'static, Debugged<'a>, Client>;

/// How a client left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The board is to go on.
    Detached,
    /// The connection broke, or what came over it was no protocol: the board stands still.
    Lost,
    /// The debugging is over.
    End(GdbEnd),
}

/// A server that listens.
#[derive(Debug)]
pub struct GdbServer {
    listener: TcpListener,
    address: SocketAddr,
}

/// Serves GDB at an address until the board or somebody ends it; see [`GdbServer`].
///
/// # Errors
/// When the address is none, or its port cannot be had.
pub fn serve(
    chip: &mut dyn Mcu,
    address: &str,
    control: &Control,
    on_output: OnOutput<'_>,
) -> Result<GdbEnd, GdbError> {
    GdbServer::bind(address)?.serve(chip, control, on_output)
}

/// Serves one client that is there already, over any connection, until it leaves.
pub fn serve_client(
    chip: &mut dyn Mcu,
    link: Box<dyn Link>,
    control: &Control,
    on_output: OnOutput<'_>,
) -> Left {
    attend(Client::new(link), &mut Debugged::new(chip), control, on_output)
}

/// Host and port; the host is this machine unless it is named.
fn parse(address: &str) -> Option<SocketAddr> {
    let (host, port) = address.rsplit_once(':').unwrap_or(("", address));
    let host = if host.is_empty() { "127.0.0.1" } else { host.trim_matches(['[', ']']) };
    (host, port.parse::<u16>().ok()?).to_socket_addrs().ok()?.next()
}

impl GdbServer {
    /// Listens at an address: `:3333` is port 3333 of this machine, and port 0 any that is free.
    ///
    /// # Errors
    /// When the address is none, or its port cannot be had.
    pub fn bind(address: &str) -> Result<Self, GdbError> {
        let socket = parse(address).ok_or_else(|| GdbError::Address(address.to_owned()))?;
        let listen = || {
            let listener = TcpListener::bind(socket)?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok(Self { listener, address })
        };
        listen().map_err(|reason| GdbError::Listen { address: socket.to_string(), reason })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves one client after the other. The board stands still until the first one lets it run, and runs on alone when
    /// one detached.
    ///
    /// # Errors
    /// When the listening socket breaks.
    pub fn serve(
        &self,
        chip: &mut dyn Mcu,
        control: &Control,
        on_output: OnOutput<'_>,
    ) -> Result<GdbEnd, GdbError> {
        let mut runs = false;
        loop {
            let mut debugged = Debugged::new(chip);
            let client = match self.wait_for_client(&mut debugged, runs, control, on_output)? {
                Ok(client) => client,
                Err(end) => return Ok(end),
            };
            match attend(client, &mut debugged, control, on_output) {
                Left::Detached => runs = true,
                Left::Lost => runs = false,
                Left::End(end) => return Ok(end),
            }
        }
    }

    /// The next client, or the end that came first.
    fn wait_for_client(
        &self,
        debugged: &mut Debugged<'_>,
        runs: bool,
        control: &Control,
        on_output: OnOutput<'_>,
    ) -> Result<Result<Client, GdbEnd>, GdbError> {
        debugged.chip.set_debugger(!runs);
        loop {
            if control.is_stopped() {
                return Ok(Err(GdbEnd::Interrupted));
            }
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if let Some(client) = welcome(stream) {
                        debugged.chip.set_debugger(true);
                        return Ok(Ok(client));
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock if !runs => std::thread::sleep(CLIENT_PATIENCE),
                    ErrorKind::WouldBlock => {
                        let report = debugged.run_slice();
                        on_output(debugged.chip);
                        if let Some(stop) = report.and_then(|report| report.stop) {
                            return Ok(Err(GdbEnd::Chip(stop)));
                        }
                    }
                    ErrorKind::ConnectionAborted | ErrorKind::Interrupted => {}
                    _ => return Err(GdbError::Accept(error)),
                },
            }
        }
    }
}

/// A client that is there; nothing when it left already.
fn welcome(stream: TcpStream) -> Option<Client> {
    TcpLink::new(stream).ok().map(|link| Client::new(Box::new(link)))
}

/// Does what a client asks for until it leaves.
fn attend(client: Client, debugged: &mut Debugged<'_>, control: &Control, on_output: OnOutput<'_>) -> Left {
    let stub = GdbStub::builder(client).packet_buffer_size(PACKET_BYTES).build();
    let Some(mut machine) = stub.ok().and_then(|stub| stub.run_state_machine(debugged).ok()) else {
        return Left::Lost;
    };
    loop {
        if control.is_stopped() {
            return Left::End(GdbEnd::Interrupted);
        }
        match turn(machine, debugged, on_output) {
            Ok(next) => machine = next,
            Err(left) => return left,
        }
    }
}

/// One look at the connection, and a slice of time if the board runs.
fn turn<'a>(
    machine: Machine<'a>,
    debugged: &mut Debugged<'a>,
    on_output: OnOutput<'_>,
) -> Result<Machine<'a>, Left> {
    match machine {
        GdbStubStateMachine::Idle(mut idle) => {
            let waits = !debugged.runs_unasked;
            let bytes = idle.borrow_conn().receive(waits).map_err(|_| Left::Lost)?;
            if !bytes.is_empty() {
                debugged.runs_unasked = false;
            } else if debugged.runs_unasked {
                debugged.runs_unasked = debugged.run_slice().is_none();
                on_output(debugged.chip);
            }
            take(idle.into(), debugged, &bytes)
        }
        GdbStubStateMachine::Running(mut running) => {
            let bytes = running.borrow_conn().receive(false).map_err(|_| Left::Lost)?;
            if !bytes.is_empty() {
                return take(running.into(), debugged, &bytes);
            }
            let report = debugged.run_slice();
            on_output(debugged.chip);
            let Some(report) = report else { return Ok(running.into()) };
            if let Some(sentence) = report.sentence {
                running.borrow_conn().tell(&sentence).map_err(|_| Left::Lost)?;
            }
            let next = running.report_stop(debugged, report.reason).map_err(|_| Left::Lost)?;
            match (&next, report.stop) {
                (GdbStubStateMachine::Disconnected(_), Some(stop)) => Err(Left::End(GdbEnd::Chip(stop))),
                _ => Ok(next),
            }
        }
        // It is answered where it comes in.
        interrupt @ GdbStubStateMachine::CtrlCInterrupt(_) => Ok(interrupt),
        GdbStubStateMachine::Disconnected(disconnected) => Err(match disconnected.get_reason() {
            DisconnectReason::Disconnect => Left::Detached,
            _ => Left::End(GdbEnd::Killed),
        }),
    }
}

/// Hands bytes from the client to the protocol, and its answers to the client.
fn take<'a>(machine: Machine<'a>, debugged: &mut Debugged<'a>, bytes: &[u8]) -> Result<Machine<'a>, Left> {
    let mut machine = machine;
    for &byte in bytes {
        machine = match machine {
            GdbStubStateMachine::Idle(idle) => idle.incoming_data(debugged, byte).map_err(|_| Left::Lost)?,
            GdbStubStateMachine::Running(running) => {
                running.incoming_data(debugged, byte).map_err(|_| Left::Lost)?
            }
            // What else came from a client that leaves is of no use.
            other => return Ok(other),
        };
        if let GdbStubStateMachine::CtrlCInterrupt(interrupt) = machine {
            let reason = debugged.interrupted();
            machine = interrupt.interrupt_handled(debugged, Some(reason)).map_err(|_| Left::Lost)?;
        }
    }
    let client = match &mut machine {
        GdbStubStateMachine::Idle(idle) => idle.borrow_conn(),
        GdbStubStateMachine::Running(running) => running.borrow_conn(),
        GdbStubStateMachine::CtrlCInterrupt(interrupt) => interrupt.borrow_conn(),
        GdbStubStateMachine::Disconnected(disconnected) => disconnected.borrow_conn(),
    };
    client.flush().map_err(|_| Left::Lost)?;
    Ok(machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_host_is_this_machine() {
        assert_eq!(parse(":3333").unwrap().to_string(), "127.0.0.1:3333");
        assert_eq!(parse("3333").unwrap().to_string(), "127.0.0.1:3333");
        assert_eq!(parse("[::1]:3333").unwrap().to_string(), "[::1]:3333");
        for none in ["", ":", ":70000", "3333:", "nowhere"] {
            assert!(parse(none).is_none(), "{none}");
        }
    }
}
