//! Which application asks under which ICMP identifier. As with Linux' ping sockets, an identifier belongs to one asker at a
//! time: a second one that wants the same gets the next free one on the wire, and hears replies under the one that it chose.

use std::collections::BTreeMap;

use super::SeatId;

/// The identifiers in use.
#[derive(Debug, Clone, Default)]
pub(super) struct Echoers {
    /// By the identifier on the wire: who asks, and what it calls itself.
    askers: BTreeMap<u16, (SeatId, u16)>,
}

impl Echoers {
    /// The identifier on the wire of one that a seat chose; nothing where all are taken.
    pub(super) fn on_the_wire(&mut self, seat: SeatId, chosen: u16) -> Option<u16> {
        let following = (0..=u16::MAX).map(|n| chosen.wrapping_add(n));
        for identifier in following {
            match self.askers.get(&identifier) {
                Some(&asker) if asker == (seat, chosen) => return Some(identifier),
                Some(_) => {}
                None => {
                    self.askers.insert(identifier, (seat, chosen));
                    return Some(identifier);
                }
            }
        }
        None
    }

    /// Whose an identifier on the wire is, and what that seat calls it.
    pub(super) fn asker(&self, identifier: u16) -> Option<(SeatId, u16)> {
        self.askers.get(&identifier).copied()
    }
}
