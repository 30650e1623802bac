//! The PC with its TCP/IP stack, against a second one, chips' sides of connections, and recordings of a real kernel.

mod aliases;
mod bad_input;
mod chip_common;
mod common;
mod corners;
mod datagrams;
mod ipv6;
mod ipv6_programs;
mod ipv6_router;
mod kernel_acks;
mod kernel_ipv6;
mod kernel_sends;
mod loss_recovery;
mod small_window;
mod snapshot;
mod tcp;
mod unusual_peers;
