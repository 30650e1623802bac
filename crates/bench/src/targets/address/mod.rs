//! A board on the network of this computer: the clients and servers that load a virtual board, on this computer's sockets.
//! Time is the wall clock's, and a thread of its own has the sockets, so that nothing that is computed meanwhile delays them.

mod facts;
mod floor;
mod session;
mod target;

pub use facts::{AddressFacts, FloorEntry};
pub use target::ReadyAddress;
