//! The seam between the PC and a device: what the host does to the bus, and what a device answers to a token. A USB
//! controller of a microcontroller implements [`Device`]; nothing here knows how it does that.

use units::Picoseconds;

use crate::wire::Packet;

/// An endpoint and direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Endpoint {
    /// 0 to 15.
    pub number: u8,
    /// From the host to the device.
    pub out: bool,
}

impl Endpoint {
    /// An endpoint; of the number the lowest four bits count.
    pub fn new(number: u8, out: bool) -> Self {
        Self { number: number & 15, out }
    }
}

/// What the device has on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Answer {
    /// Nothing: another address, an endpoint that is not enabled, no clock.
    Silence,
    /// It has nothing, or no room, for now.
    Nak,
    /// The endpoint is halted.
    Stall,
    /// It takes or gives the data of this buffer.
    Buffer(u8),
}

/// The device at the other end of the cable.
pub trait Device {
    /// Whether the host sees a full-speed device: the pull-up on D+.
    fn pulls_up(&self) -> bool;

    /// The bus is idle from here on: attached, but no frames.
    fn bus_idles(&mut self, now: Picoseconds);

    /// There is no bus to speak of any more.
    fn bus_gone(&mut self, now: Picoseconds);

    /// The host drives a reset.
    fn bus_reset_begins(&mut self, now: Picoseconds);

    /// The reset is over.
    fn bus_reset_ends(&mut self);

    /// The host sends SOF packets; the first ends at `first`.
    fn frames_begin(&mut self, first: Picoseconds);

    /// The host signals that it resumes.
    fn bus_resumes(&mut self);

    /// Whether it has this address and hears at all: enough to take a setup packet.
    fn is_at(&self, address: u8) -> bool;

    /// What it would answer to an IN or OUT token now.
    fn answer(&self, address: u8, endpoint: Endpoint) -> Answer;

    /// Whether its firmware can tell that a NAK was sent: only then does an idle poll change anything.
    fn notices_nak(&self, endpoint: Endpoint) -> bool;

    /// A token arrives; from here on the endpoint is busy until the transaction ends.
    fn begin(&mut self, address: u8, endpoint: Endpoint) -> Answer;

    /// The data packet that a buffer of an IN endpoint holds.
    fn outgoing(&self, endpoint: Endpoint, buffer: u8) -> Packet;

    /// A setup packet arrived whole.
    fn take_setup(&mut self, setup: &[u8]);

    /// The host acknowledged the data of a buffer. False when the device was reset meanwhile.
    fn finish_in(&mut self, endpoint: Endpoint, buffer: u8) -> bool;

    /// The data of an OUT transaction arrived whole, and the device acknowledges it. False when it was reset meanwhile.
    fn finish_out(&mut self, endpoint: Endpoint, buffer: u8, packet: &Packet) -> bool;

    /// A transaction ended without an acknowledgement: nothing changes.
    fn give_up(&mut self, endpoint: Endpoint);

    /// When its own clockwork has something to show.
    fn next_event(&self, now: Picoseconds) -> Option<Picoseconds>;

    /// Lets its own clockwork go on.
    fn advance(&mut self, now: Picoseconds);
}
