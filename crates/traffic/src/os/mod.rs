//! The seat on the operating system's sockets: [`Seat`] carries out what machines ask for over IPv4, on one thread, with
//! non-blocking sockets and readiness from `mio`. It is what loads a real board.
//!
//! How it keeps the promises of [`crate::Machine`]:
//! - `Room` counts the seat's own queue of [`QUEUE_BYTES`], which stands before the kernel's send buffer: it is told when the
//!   kernel has taken enough of what waits, not when the peer has acknowledged it.
//! - `Drained` reads the kernel's send queue out of `/proc/net/tcp`, once a millisecond while somebody waits for it. Where
//!   there is no such file, it is told when the kernel has taken everything.
//! - `Abort` resets a connection (SO_LINGER of zero); no event of that connection follows.
//! - ICMP echo needs an unprivileged ping socket or, failing that, the right to open a raw one.
//!
//! Left out: IPv6, and waking more finely than the machine's scheduler does.

mod datagram;
mod drained;
mod echo;
mod perform;
mod seat;
mod sentence;
mod sockets;
mod stamps;
mod stream;
#[cfg(test)]
mod tests;

pub use seat::{Ended, Seat, SeatError, Until};
pub use stream::QUEUE_BYTES;
