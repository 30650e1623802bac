//! Serial lines and wires between this chip and another board's: what leaves on them ([`Outgoing`](outgoing::OutgoingLines)), and
//! the receivers at whose pins they end ([`Receiver`](receiver::Receiver)). `io::lines` joins both with pins and USARTs.

pub(crate) mod outgoing;
pub(crate) mod receiver;

use outgoing::OutgoingLines;
use receiver::Receiver;

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) outgoing: OutgoingLines,
    /// What ends at each USART.
    pub(crate) ends: [Option<Receiver>; 4],
    /// A receiver has to know more of its line before the chip may go on.
    pub(crate) awaits: bool,
}
