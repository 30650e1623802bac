//! The hardwired TCP of one socket, without a socket: segments, commands and the present time go in, segments, interrupt
//! bits and the next time to be called come out. [`Connection`] holds sequence numbers, timers and status and no byte of
//! payload; the memories and their 16-bit pointers stay with whoever owns the registers and are lent for each call as a
//! [`Memory`].
//!
//! This is the chip's TCP, not a modern one: no selective acknowledgement, window scaling, timestamps, congestion control or
//! Nagle's algorithm, no store for segments out of order. ARP, IP and the choice between sockets are left to the caller;
//! so are urgent data, which is received as plain data, and PPPoE.

mod connection;
mod memory;
mod receive;
mod segment;
mod settings;
mod timing;
mod transmit;

#[cfg(test)]
mod tests;

pub(crate) use connection::{Connection, Endpoints, Status, interrupt};
pub(crate) use memory::{Memory, Pointers};
#[cfg(test)]
pub(crate) use segment::flag;
pub(crate) use segment::{Header, checksum_is_right, reset_for};
pub(crate) use settings::{LARGEST_MSS_IPV6, SendOk, Settings};
