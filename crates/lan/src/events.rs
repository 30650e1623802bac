//! How time passes in a network: what is due happens in order, frames go from chips to wires and from wires to chips, and the next
//! appointment is kept at hand.

use ethernet::{Frame, Network};
use sim::Passive;
use units::Picoseconds;

use super::calls::Calls;
use super::pc::SETTLING;
use super::wire::OpenWire;
use super::{Lan, Line, NetDevice, Wired};

impl Passive for Lan {
    #[inline]
    fn next_event(&self) -> Option<Picoseconds> {
        self.next
    }

    #[inline]
    fn advance(&mut self, at: Picoseconds) {
        if self.next.is_some_and(|next| next <= at) {
            self.let_happen(at);
        }
        self.now = self.now.max(at);
    }
}

impl Lan {
    /// The virtual time up to which everything has happened.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// Chips come before the network at one instant: what they send then is on the wire then.
    fn let_happen(&mut self, until: Picoseconds) {
        while let Some(at) = self.next.filter(|&next| next <= until) {
            self.now = self.now.max(at);
            for index in 0..self.wired.len() {
                if self.wired[index].line.due.is_some_and(|due| due <= at) {
                    self.wired[index].device.advance(at);
                    self.carry_out(index);
                }
            }
            self.follow_radios();
            self.network.advance(at);
            self.bring_in();
            self.follow_pc_station();
            if !self.awaited.is_empty() {
                self.begin_traffic();
                self.call_the_roll();
            }
            self.changed();
        }
    }

    /// What a device sends goes on its wire; whether there was anything.
    pub(super) fn carry_out(&mut self, index: usize) -> bool {
        let Wired { device, line, .. } = &mut self.wired[index];
        line.carry_out(&mut **device, self.open.as_mut(), &mut self.network, self.calls.as_mut())
    }

    /// What arrived goes into the chips; what they answer at once goes out.
    pub(super) fn bring_in(&mut self) {
        for index in 0..self.wired.len() {
            let mut received = false;
            while let Some(beginning) = self.network.take_beginning(self.wired[index].line.port) {
                let ethernet::Arrival { at, frame } = beginning;
                self.wired[index].device.begins(at, &frame.bytes, frame.intact);
                received = true;
            }
            while let Some(arrival) = self.network.take_arrival(self.wired[index].line.port) {
                if let Some(calls) = &mut self.calls {
                    calls.received(&arrival.frame.bytes);
                }
                self.wired[index].line.heard.received(self.now, &arrival.frame.bytes);
                if !self.wired[index].device.hears_bits() {
                    self.wired[index].device.receive(arrival.at, &arrival.frame.bytes, arrival.frame.intact);
                }
                received = true;
            }
            while let Some(frame) = self.open.as_mut().and_then(|open| open.take_arrival(self.now)) {
                self.wired[index].device.receive(frame.end, &frame.bytes, true);
                received = true;
            }
            if received {
                self.carry_out(index);
            }
        }
    }

    /// Something was done to a device, and the network has it.
    #[inline]
    pub(super) fn taken_up(&mut self, network_changed: bool) {
        if network_changed {
            self.changed();
        } else {
            self.chips_changed();
        }
    }

    pub(super) fn changed(&mut self) {
        let starts = self.awaited.iter().map(|one| one.start).filter(|&start| start > self.now);
        let settled = self.board.settled_at(SETTLING).filter(|&at| at > self.now && !self.awaited.is_empty());
        let silent = self.wired.iter().flat_map(|wired| wired.line.heard.counts_at());
        let silent = silent.filter(|&at| at > self.now && !self.awaited.is_empty());
        let roll_call = self.roll_call.next_event().filter(|&at| at > self.now && !self.awaited.is_empty());
        let over_the_wire = self.open.as_ref().and_then(OpenWire::next_arrival);
        let others = starts.chain(settled).chain(silent).chain(roll_call).chain(over_the_wire);
        self.next_outside = others.chain(self.network.next_event()).min();
        self.chips_changed();
    }

    #[inline]
    fn chips_changed(&mut self) {
        let chips = self.wired.iter().filter_map(|wired| wired.line.due);
        self.next = chips.chain(self.next_outside).min();
    }
}

impl Line {
    /// What a device sends goes on its wire; whether there was anything. To be called after anything that may have changed
    /// when the device wants to be called again, or its interrupt output.
    pub(super) fn carry_out<D: NetDevice + ?Sized>(
        &mut self,
        device: &mut D,
        mut open: Option<&mut OpenWire>,
        network: &mut Network,
        mut calls: Option<&mut Calls>,
    ) -> bool {
        let speed = device.speed();
        if speed != self.speed {
            self.speed = speed;
            network.agree(self.port, speed);
            if let Some(open) = &mut open {
                open.agree(speed);
            }
        }
        let mut sent_any = false;
        while let Some((start, bytes)) = device.take_sent() {
            self.heard.sent(start, &bytes, device.address());
            if let Some(calls) = &mut calls {
                calls.sent(&bytes);
            }
            match &mut open {
                Some(open) => open.send(start, bytes),
                None if device.hears_bits() => network.send_begun(self.port, start, Frame::new(bytes)),
                None => network.send(self.port, start, Frame::new(bytes)),
            }
            sent_any = true;
        }
        (self.due, self.interrupt_is_low) = (device.next_event(), device.interrupt_is_low());
        sent_any
    }
}
