//! The sockets of a seat, each under a number that the system tells it by. They stand in one row, since each is looked up several
//! times in every message.

use super::seat::Socket;

/// Sockets by their numbers.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    places: Vec<Option<Socket>>,
    free: Vec<usize>,
    /// Free from the next pass on: until then somebody may still look for the socket that was there.
    left: Vec<usize>,
}

impl Sockets {
    /// A number that nobody has, for [`Self::put`].
    pub(super) fn number(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        })
    }

    pub(super) fn put(&mut self, number: usize, socket: Socket) {
        self.places[number] = Some(socket);
    }

    pub(super) fn get(&self, number: usize) -> Option<&Socket> {
        self.places.get(number)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Socket> {
        self.places.get_mut(number)?.as_mut()
    }

    pub(super) fn remove(&mut self, number: usize) -> Option<Socket> {
        let socket = self.places.get_mut(number)?.take()?;
        self.left.push(number);
        Some(socket)
    }

    /// A pass is over.
    pub(super) fn next_pass(&mut self) {
        self.free.append(&mut self.left);
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Socket> {
        self.places.iter().flatten()
    }
}
