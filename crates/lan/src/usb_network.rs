//! The network that a board offers on USB, as the PC's driver of it has it: Ethernet frames go through, whole. Where a cable would be
//! there is the PC itself, so a frame is at its TCP/IP when its USB transfer is over.
//!
//! Left out: a speed of the network's own, and pause frames. What the USB takes is the chip's affair.

use std::collections::VecDeque;

use ethernet::Speed;
use sim::Passive;
use units::Picoseconds;

use super::device::{Deed, NetDevice, SentFrame};

/// The PC's end of a network on USB.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct UsbNetwork {
    has_link: bool,
    from_board: VecDeque<SentFrame>,
    to_board: VecDeque<Vec<u8>>,
    /// What passed over USB while somebody records it.
    #[serde(skip)]
    deeds: Option<Vec<Deed>>,
}

impl UsbNetwork {
    /// The driver begins to carry frames in both directions, or ends.
    pub fn set_link(&mut self, has_link: bool) {
        self.has_link = has_link;
        if !has_link {
            self.to_board.clear();
        }
    }

    /// The driver has a frame of the board's.
    pub fn came(&mut self, at: Picoseconds, frame: &[u8]) {
        self.from_board.push_back((at, frame.to_vec()));
    }

    /// A packet of USB with a piece of a frame passed.
    pub fn packet_passed(&mut self, deed: Deed) {
        if let Some(deeds) = &mut self.deeds {
            deeds.push(deed);
        }
    }

    /// Whether a frame waits for the driver.
    pub fn has_frame(&self) -> bool {
        !self.to_board.is_empty()
    }

    /// Takes the next frame for the board.
    pub fn take_frame(&mut self) -> Option<Vec<u8>> {
        self.to_board.pop_front()
    }
}

/// Nothing happens in it but what others do to it.
impl Passive for UsbNetwork {
    fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    fn advance(&mut self, _: Picoseconds) {}
}

impl NetDevice for UsbNetwork {
    fn set_cable(&mut self, _: Picoseconds, _: Option<Speed>) {}

    fn has_cable(&self) -> bool {
        false
    }

    fn has_link(&self) -> bool {
        self.has_link
    }

    fn takes_frames(&self) -> bool {
        true
    }

    /// The PC is in the board's network as soon as there is one.
    fn has_station(&self, _: [u8; 6]) -> bool {
        self.has_link
    }

    fn interrupt_is_low(&self) -> bool {
        false
    }

    fn receive(&mut self, _: Picoseconds, bytes: &[u8], is_intact: bool) {
        if self.has_link && is_intact {
            self.to_board.push_back(bytes.to_vec());
        }
    }

    fn take_sent(&mut self) -> Option<SentFrame> {
        self.from_board.pop_front()
    }

    fn record(&mut self, on: bool) {
        self.deeds = on.then(Vec::new);
    }

    fn take_deeds(&mut self) -> Vec<Deed> {
        self.deeds.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }
}
