//! What users set and read of a network: impairments, hops, taps, the switch, counters.

use units::Picoseconds;

use crate::cable::{CableTap, Terminal};
use crate::impairment::Process;
use crate::network::{End, EndId};
use crate::{
    Direction, Hop, HopId, ImpairmentError, Impairments, Network, PortCounters, Speed, SwitchCounters, TapId,
    Tapped,
};

impl Network {
    /// Impairs one direction of the cable of a port or a station from now on, as seen by it. Default ones take what was
    /// set before away; what is held already keeps its time.
    ///
    /// # Errors
    /// When the impairments contradict each other.
    pub fn set_impairments(
        &mut self,
        end: impl Into<EndId>,
        direction: Direction,
        impairments: Impairments,
    ) -> Result<(), ImpairmentError> {
        impairments.check()?;
        let Some(End { name, cable, side, .. }) = self.ends.get(end.into().0) else { return Ok(()) };
        let (side, way) = match direction {
            Direction::Outbound => (*side, "outbound"),
            Direction::Inbound => (1 - side, "inbound"),
        };
        let lane = self.wires.lane(*cable, side);
        let path = format!("ethernet/{name}/{way}");
        let none = impairments == Impairments::default();
        lane.process = (!none).then(|| Box::new(Process::new(impairments, self.seed, &path)));
        Ok(())
    }

    /// Adds a hop, which is on no cable yet.
    pub fn add_hop(&mut self, hop: Box<dyn Hop>) -> HopId {
        HopId(self.wires.add_hop(hop))
    }

    /// Puts a hop on the cable of a port or a station as one of its members, in the place of one that was there. Its directions
    /// are as seen by this end, or by the first end of a direct cable.
    pub fn set_hop(&mut self, end: impl Into<EndId>, hop: HopId, member: usize) {
        let Some(&End { cable, .. }) = self.ends.get(end.into().0) else { return };
        if hop.0 >= self.wires.hops.len() {
            return;
        }
        self.wires.cables[cable].hop = Some((hop.0, member));
    }

    /// A hop, for something that is done to it now; what follows on that is taken up.
    pub fn with_hop<T>(&mut self, hop: HopId, act: impl FnOnce(&mut (dyn Hop + 'static)) -> T) -> Option<T> {
        let result = act(self.wires.hops.get_mut(hop.0)?.as_mut());
        self.wires.follow_hop(hop.0);
        Some(result)
    }

    /// A hop.
    pub fn hop(&self, hop: HopId) -> Option<&dyn Hop> {
        self.wires.hops.get(hop.0).map(|hop| hop.as_ref())
    }

    /// Taps the cable of a port or a station, where it is plugged into it. A cable has one tap: the first.
    pub fn tap(&mut self, end: impl Into<EndId>) -> Option<TapId> {
        let end = end.into().0;
        let &End { cable, side, .. } = self.ends.get(end)?;
        let number = self.taps.len();
        let tap = self.wires.cables[cable].tap.get_or_insert(CableTap { number, side }).number;
        if tap == number {
            self.taps.push(end);
        }
        Some(TapId(tap))
    }

    /// The next frame that a tap saw, in the order of time. What nobody takes is left out after some thousand frames.
    pub fn take_tapped(&mut self) -> Option<Tapped> {
        self.wires.taps.pop()
    }

    /// How many frames taps left out because nobody took them.
    pub fn left_out_by_taps(&self) -> u64 {
        self.wires.taps.left_out
    }

    /// All taps.
    pub fn taps(&self) -> impl Iterator<Item = TapId> + use<> {
        (0..self.taps.len()).map(TapId)
    }

    /// Whose cable a tap is on, and who is at its other end.
    pub fn tapped_names(&self, tap: TapId) -> Option<(&str, &str)> {
        let End { name, cable, side, .. } = &self.ends[*self.taps.get(tap.0)?];
        let other = match self.wires.cables[*cable].terminals[1 - side] {
            Terminal::End(other) => self.ends[other].name.as_str(),
            Terminal::Switch => "switch",
            Terminal::Nothing => "nothing",
        };
        Some((name, other))
    }

    /// The speed of a tapped cable.
    pub fn tapped_speed(&self, tap: TapId) -> Option<Speed> {
        let end = *self.taps.get(tap.0)?;
        Some(self.wires.cables[self.ends[end].cable].cable.speed)
    }

    /// What is at a port has agreed to a speed with the other end, which may be slower than its cable: frames that begin from here
    /// on take so long. Nothing stands for the cable's own speed.
    pub fn agree(&mut self, end: impl Into<EndId>, speed: Option<Speed>) {
        let Some(&End { cable, side, .. }) = self.ends.get(end.into().0) else { return };
        self.wires.cables[cable].agree(side, speed);
    }

    /// The speed of the link of a port or a station; nothing while its cable is pulled.
    pub fn carrier(&self, end: impl Into<EndId>) -> Option<Speed> {
        let cable = &self.wires.cables[self.ends.get(end.into().0)?.cable];
        cable.plugged.then_some(cable.cable.speed)
    }

    /// How long the switch takes from the last bit of a frame in to the first bit out.
    pub fn set_switch_latency(&mut self, latency: Picoseconds) {
        self.switch.latency = latency.max(Picoseconds::ZERO);
    }

    /// How many frames may wait at the switch for the wire to a port or a station.
    pub fn set_switch_queue(&mut self, end: impl Into<EndId>, frames: usize) {
        let Some(&End { cable, side, .. }) = self.ends.get(end.into().0) else { return };
        self.wires.lane(cable, 1 - side).queue_frames = frames;
    }

    /// What was counted at a port or a station.
    pub fn counters(&self, end: impl Into<EndId>) -> PortCounters {
        let Some(&End { cable, side, .. }) = self.ends.get(end.into().0) else {
            return PortCounters::default();
        };
        let lanes = &self.wires.cables[cable].lanes;
        PortCounters { sent: lanes[side].counters.clone(), received: lanes[1 - side].counters.clone() }
    }

    /// What was counted in the switch.
    pub fn switch_counters(&self) -> &SwitchCounters {
        &self.switch.counters
    }

    /// Frames that are on cables, or wait for them.
    pub fn in_flight_frames(&self) -> usize {
        self.wires.in_flight()
    }

    /// The name of a port or a station.
    pub fn name(&self, end: impl Into<EndId>) -> Option<&str> {
        self.ends.get(end.into().0).map(|end| end.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cable, Frame};

    #[test]
    fn a_cable_is_as_slow_as_what_a_side_agreed_to_and_still_says_what_it_can() {
        let mut network = Network::new(1);
        let [board, pc] = ["board", "PC"].map(|name| network.add_port(name, Cable::new(Speed::Mbps100)));
        network.connect_directly(board, pc).unwrap();
        let mut begin = Picoseconds::ZERO;
        // 72 bytes with preamble and check sequence.
        for (agreed, takes_ns) in
            [(None, 5_760), (Some(Speed::Mbps10), 57_600), (Some(Speed::Mbps1000), 5_760)]
        {
            network.agree(board, agreed);
            for (from, to) in [(pc, board), (board, pc)] {
                network.send(from, begin, Frame::new(vec![0xff; 60]));
                network.advance(begin + Picoseconds::from_ns(100_000));
                let arrival = network.take_arrival(to).unwrap();
                assert_eq!((arrival.at - begin).ps(), takes_ns * 1000, "{agreed:?}");
                begin = begin + Picoseconds::from_ns(200_000);
            }
            assert_eq!(network.carrier(board), Some(Speed::Mbps100));
        }
    }
}
