//! The controller as the host at the other end of its cable sees it: its state on the bus, together with the pins and
//! clocks on which that depends.

use units::Picoseconds;
use usb_host::{Answer, Endpoint, Packet};

use super::device::Device;
use crate::io::Io;

/// The device's end of the cable.
#[derive(Debug)]
pub(super) struct Port<'a> {
    pub(super) device: &'a mut Device,
    pub(super) io: &'a Io,
}

impl usb_host::Device for Port<'_> {
    fn pulls_up(&self) -> bool {
        self.device.pulls_up(self.io)
    }

    fn bus_idles(&mut self, now: Picoseconds) {
        self.device.bus_idles(now);
    }

    fn bus_gone(&mut self, now: Picoseconds) {
        self.device.bus_gone(now);
    }

    fn bus_reset_begins(&mut self, now: Picoseconds) {
        self.device.bus_reset_begins(now);
    }

    fn bus_reset_ends(&mut self) {
        self.device.bus_reset_ends();
    }

    fn frames_begin(&mut self, first: Picoseconds) {
        self.device.frames_begin(first);
    }

    fn bus_resumes(&mut self) {
        self.device.bus_resumes();
    }

    fn is_at(&self, address: u8) -> bool {
        self.device.is_at(address, self.io)
    }

    fn answer(&self, address: u8, endpoint: Endpoint) -> Answer {
        self.device.answer(address, endpoint, self.io)
    }

    fn notices_nak(&self, endpoint: Endpoint) -> bool {
        self.device.notices_nak(endpoint)
    }

    fn begin(&mut self, address: u8, endpoint: Endpoint) -> Answer {
        self.device.begin(address, endpoint, self.io)
    }

    fn outgoing(&self, endpoint: Endpoint, buffer: u8) -> Packet {
        self.device.outgoing(endpoint, buffer)
    }

    fn take_setup(&mut self, setup: &[u8]) {
        self.device.take_setup(setup);
    }

    fn finish_in(&mut self, endpoint: Endpoint, buffer: u8) -> bool {
        self.device.finish_in(endpoint, buffer)
    }

    fn finish_out(&mut self, endpoint: Endpoint, buffer: u8, packet: &Packet) -> bool {
        self.device.finish_out(endpoint, buffer, packet)
    }

    fn give_up(&mut self, endpoint: Endpoint) {
        self.device.give_up(endpoint);
    }

    fn next_event(&self, now: Picoseconds) -> Option<Picoseconds> {
        self.device.next_event(now)
    }

    fn advance(&mut self, now: Picoseconds) {
        self.device.advance(now);
    }
}
