//! LAN8720A: a PHY for 10 and 100 Mbit/s behind RMII, whose MAC is whatever is on its pins. Here is its side of the network: the
//! link, negotiated or forced, and frames by their first bit. What passes at its pins is in `rmii` (receive), `transmitter`
//! (transmit) and `management` (MDIO); a board's part joins them.
//!
//! Left out: collisions (half duplex is what registers say), the loopbacks, the energy detect power-down and the interrupt output,
//! CRS_DV that toggles at the end of a frame, and RX_ER: a damaged frame comes with a wrong check sequence. Its partner can whatever
//! the cable can, and all that is slower.

mod check_sequence;
pub mod management;
mod registers;
pub mod rmii;
pub mod transmitter;

use std::collections::VecDeque;

use ethernet::Speed;
use sim::Passive;
use units::Picoseconds;
use wiznet::Warning;

use self::registers::{Registers, Written};
use self::transmitter::Fault;
use super::device::{NetDevice, SentFrame};

/// RMII has this reference clock, whatever the speed of the wire (RMII specification 1.2).
pub const REFERENCE_HZ: u64 = 50_000_000;
/// And no other by more than 50 parts in a million.
const MOST_HZ_OFF: u64 = REFERENCE_HZ / 1_000_000 * 50;
/// Frames of which nobody took the beginning.
const MOST_BEGINNINGS: usize = 64;
const UNASKED: &str = "Another speed in Basic Control made the PHY negotiate anew, as published firmware expects; the datasheet asks \
                       for bit 9, Restart Auto-Negotiate";

/// A frame whose first bit is on the wire to the PHY.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Beginning {
    /// When that was.
    pub at: Picoseconds,
    /// From the destination address to the end of the check sequence.
    pub bytes: Vec<u8>,
}

/// Frames of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Handed to the MAC.
    pub received: u64,
    /// Put on the wire for it.
    pub sent: u64,
    /// Those that no receiver would take, by [`Fault::ALL`].
    pub faults: [u64; Fault::ALL.len()],
}

/// The PHY.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Lan8720 {
    registers: Registers,
    /// At its strap.
    address: u8,
    negotiation_time: Picoseconds,
    /// Plugged in anew where a saved one goes on.
    #[serde(skip)]
    cable: Option<Speed>,
    clock_hz: u64,
    told_of_unasked: bool,
    is_reset: bool,
    /// When negotiation will have ended; nothing while there is none.
    ends: Option<Picoseconds>,
    beginnings: VecDeque<Beginning>,
    sent: VecDeque<SentFrame>,
    counts: Counts,
    warnings: Vec<Warning>,
}

impl Lan8720 {
    /// One that answers at this address of the management interface, and whose negotiation takes so long.
    pub fn new(address: u8, negotiation_time: Picoseconds) -> Self {
        Self {
            registers: Registers::new(address),
            address,
            negotiation_time,
            cable: None,
            clock_hz: 0,
            told_of_unasked: false,
            is_reset: false,
            ends: None,
            beginnings: VecDeque::new(),
            sent: VecDeque::new(),
            counts: Counts::default(),
            warnings: Vec::new(),
        }
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Its reference clock has another frequency; 0 where it stands still.
    pub fn set_clock(&mut self, at: Picoseconds, hz: u64) {
        if hz != 0 && hz.abs_diff(REFERENCE_HZ) > MOST_HZ_OFF {
            let sentence = format!("The PHY's reference clock has {hz} Hz, and RMII needs 50 MHz");
            self.warnings.push(Warning { at, sentence });
        }
        self.clock_hz = hz;
        self.begin_link(at);
    }

    /// The level of its reset input: low resets.
    pub fn set_reset(&mut self, at: Picoseconds, is_high: bool) {
        if self.is_reset == is_high {
            self.is_reset = !is_high;
            self.registers = Registers::new(self.address);
            self.begin_link(at);
        }
    }

    /// A register as the management interface reads it, with the effects that reading has.
    pub fn read(&mut self, at: Picoseconds, register: u8) -> u16 {
        self.advance(at);
        self.registers.read(register, self.has_cable())
    }

    /// The management interface writes a register.
    pub fn write(&mut self, at: Picoseconds, register: u8, value: u16) {
        self.advance(at);
        let written = self.registers.write(register, value);
        if written == Written::Unasked && !std::mem::replace(&mut self.told_of_unasked, true) {
            self.warnings.push(Warning { at, sentence: UNASKED.to_owned() });
        }
        if written != Written::Kept {
            self.begin_link(at);
        }
    }

    /// Its address on the management interface.
    pub fn address(&self) -> u8 {
        self.registers.address()
    }

    /// Whether there is a frame of which the first bit has come.
    pub fn has_beginning(&self) -> bool {
        !self.beginnings.is_empty()
    }

    /// The next of them.
    pub fn take_beginning(&mut self) -> Option<Beginning> {
        self.beginnings.pop_front()
    }

    /// The MAC sent a frame, whose first bit was on the wire at `start`.
    pub fn transmitted(&mut self, start: Picoseconds, bytes: Vec<u8>) {
        if NetDevice::has_link(self) && !self.registers.is_isolated() {
            self.counts.sent += 1;
            self.sent.push_back((start, bytes));
        }
    }

    /// The MAC sent what no receiver takes for a frame.
    pub fn refused(&mut self, at: Picoseconds, fault: Fault) {
        // Without a link nothing of it is on the wire.
        let Some(speed) = self.registers.speed() else { return };
        let count = &mut self.counts.faults[fault as usize];
        if *count == 0 {
            self.warnings.push(Warning { at, sentence: fault.sentence(speed).to_owned() });
        }
        *count += 1;
    }

    fn has_clock(&self) -> bool {
        self.clock_hz != 0 && self.clock_hz.abs_diff(REFERENCE_HZ) <= MOST_HZ_OFF
    }

    fn has_cable(&self) -> bool {
        self.cable.is_some() && self.has_clock() && !self.is_reset && !self.registers.is_powered_down()
    }

    /// Whatever link there was is gone, and another is looked for.
    fn begin_link(&mut self, at: Picoseconds) {
        self.registers.link_lost();
        self.beginnings.clear();
        let time = if self.registers.negotiates() { self.negotiation_time } else { Picoseconds::ZERO };
        self.ends = self.has_cable().then_some(at + time);
        self.advance(at);
    }
}

impl Passive for Lan8720 {
    fn next_event(&self) -> Option<Picoseconds> {
        self.ends
    }

    fn advance(&mut self, at: Picoseconds) {
        if self.ends.is_some_and(|ends| ends <= at) {
            self.ends = None;
            if let Some(speed) = self.cable {
                self.registers.link_found(speed);
            }
        }
    }
}

impl NetDevice for Lan8720 {
    fn set_cable(&mut self, at: Picoseconds, speed: Option<Speed>) {
        self.cable = speed;
        self.begin_link(at);
    }

    fn speed(&self) -> Option<Speed> {
        self.registers.speed()
    }

    fn has_link(&self) -> bool {
        self.registers.speed().is_some()
    }

    fn takes_frames(&self) -> bool {
        true
    }

    fn is_bare_mac(&self) -> bool {
        true
    }

    /// Its interrupt output is the pin that carries the reference clock, and is left out.
    fn interrupt_is_low(&self) -> bool {
        false
    }

    fn hears_bits(&self) -> bool {
        true
    }

    fn begins(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool) {
        if !NetDevice::has_link(self)
            || self.registers.is_isolated()
            || self.beginnings.len() == MOST_BEGINNINGS
        {
            return;
        }
        let mut sequence = check_sequence::of(bytes);
        if !is_intact {
            sequence = !sequence;
        }
        let bytes = [bytes, &sequence.to_le_bytes()].concat();
        self.counts.received += 1;
        self.beginnings.push_back(Beginning { at, bytes });
    }

    /// Over a wire to another board a frame is known once it has come whole.
    fn receive(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool) {
        self.begins(at, bytes, is_intact);
    }

    fn take_sent(&mut self) -> Option<SentFrame> {
        self.sent.pop_front()
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }

    fn saved(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    fn restored(&self, saved: &[u8]) -> Option<Box<dyn NetDevice>> {
        let phy: Self = postcard::from_bytes(saved).ok()?;
        (phy.address == self.address).then(|| Box::new(phy) as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEGOTIATION: Picoseconds = Picoseconds::new(2 * units::PS_PER_S);
    const STATUS: u8 = 1;
    const LINK: u16 = 1 << 2;

    fn at(seconds: i64) -> Picoseconds {
        Picoseconds::new(seconds * units::PS_PER_S)
    }

    fn plugged() -> Lan8720 {
        let mut phy = Lan8720::new(1, NEGOTIATION);
        phy.set_clock(at(0), REFERENCE_HZ);
        phy.set_cable(at(0), Some(Speed::Mbps100));
        phy
    }

    #[test]
    fn there_is_a_link_once_negotiation_has_ended() {
        let mut phy = plugged();
        assert_eq!((phy.read(at(1), STATUS) & LINK, phy.next_event()), (0, Some(at(2))));
        phy.advance(at(2));
        assert!(NetDevice::has_link(&phy));
        // The first read still tells of the link that was lost before (IEEE 802.3 clause 22).
        assert_eq!([phy.read(at(3), STATUS) & LINK, phy.read(at(3), STATUS) & LINK], [0, LINK]);
    }

    #[test]
    fn there_is_no_link_without_a_clock_of_50_mhz() {
        for (hz, is_up) in [(0, false), (25_000_000, false), (50_002_500, true), (50_002_600, false)] {
            let mut phy = Lan8720::new(1, NEGOTIATION);
            phy.set_cable(at(0), Some(Speed::Mbps100));
            phy.set_clock(at(0), hz);
            phy.advance(at(5));
            assert_eq!(NetDevice::has_link(&phy), is_up, "{hz} Hz");
        }
    }

    #[test]
    fn a_forced_link_is_there_at_once_and_a_restart_negotiates_again() {
        let mut phy = plugged();
        phy.write(at(1), 0, 0x2100);
        assert!(NetDevice::has_link(&phy));
        phy.write(at(1), 0, 0x1200);
        assert!(!NetDevice::has_link(&phy));
        phy.advance(at(3));
        assert!(NetDevice::has_link(&phy));
    }

    #[test]
    fn firmware_that_can_do_10_mbit_per_s_alone_gets_that_from_a_partner_that_can_more() {
        let mut phy = plugged();
        phy.advance(at(2));
        assert_eq!(NetDevice::speed(&phy), Some(Speed::Mbps100));
        phy.write(at(5), 4, 0x0061);
        assert_eq!(NetDevice::speed(&phy), Some(Speed::Mbps100));
        // No restart is asked for, and there is one (a note says so).
        phy.write(at(5), 0, 0x1000);
        assert_eq!((NetDevice::speed(&phy), phy.next_event()), (None, Some(at(7))));
        phy.advance(at(7));
        assert_eq!(NetDevice::speed(&phy), Some(Speed::Mbps10));
        let told = phy.take_warnings();
        assert!(told.len() == 1 && told[0].sentence.contains("bit 9"), "{told:?}");
    }

    #[test]
    fn a_fault_counts_while_there_is_a_link() {
        let mut phy = plugged();
        phy.refused(at(1), Fault::Gap);
        assert_eq!((phy.counts().faults, phy.take_warnings().len()), ([0; 7], 0));
        phy.advance(at(2));
        phy.refused(at(3), Fault::Gap);
        assert_eq!(phy.counts().faults[Fault::Gap as usize], 1);
        assert!(phy.take_warnings()[0].sentence.contains("960 ns"));
    }

    #[test]
    fn frames_come_with_their_check_sequence_and_damaged_ones_with_a_wrong_one() {
        let mut phy = plugged();
        phy.advance(at(2));
        phy.begins(at(3), &[0x31; 60], true);
        phy.begins(at(3), &[0x31; 60], false);
        let [intact, damaged] = [0, 1].map(|_| phy.take_beginning().unwrap().bytes);
        assert!(check_sequence::is_right(&intact) && !check_sequence::is_right(&damaged));
        assert_eq!((intact.len(), phy.counts().received), (64, 2));
    }

    #[test]
    fn what_is_sent_or_comes_without_a_link_is_lost() {
        let mut phy = plugged();
        phy.begins(at(1), &[0; 60], true);
        phy.transmitted(at(1), vec![0; 60]);
        assert_eq!((phy.take_beginning(), phy.take_sent()), (None, None));
    }
}
