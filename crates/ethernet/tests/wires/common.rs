//! Stations and frames for the tests of the wire.

use std::any::Any;
use std::collections::VecDeque;

use ethernet::{Frame, Network, Speed, Station, StationId};
use units::Picoseconds;

pub(crate) const MS: i64 = units::PS_PER_MS;

pub(crate) fn ns(ns: i64) -> Picoseconds {
    Picoseconds::from_ns(ns)
}

/// A frame of so many bytes from `source` to `destination`, each the last byte of an address; `tag` fills the payload.
pub(crate) fn frame(destination: u8, source: u8, bytes: usize, tag: u32) -> Frame {
    let mut all = vec![0u8; bytes];
    let address = |last| if last == 0xff { [0xff; 6] } else { [2, 0, 0, 0, 0, last] };
    all[..6].copy_from_slice(&address(destination));
    all[6..12].copy_from_slice(&address(source));
    all[12..14].copy_from_slice(&[0x88, 0xb5]);
    if bytes >= 18 {
        all[14..18].copy_from_slice(&tag.to_be_bytes());
    }
    Frame::new(all)
}

/// The tag of a frame.
pub(crate) fn tag(frame: &Frame) -> u32 {
    u32::from_be_bytes(frame.bytes[14..18].try_into().expect("a tagged frame has 18 bytes"))
}

/// A station that sends what it is given and notes what it receives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notebook {
    pub(crate) outbox: VecDeque<Frame>,
    pub(crate) received: Vec<(Picoseconds, Frame)>,
    pub(crate) links: Vec<(Picoseconds, Option<Speed>)>,
}

impl Station for Notebook {
    fn receive(&mut self, at: Picoseconds, frame: &Frame) {
        self.received.push((at, frame.clone()));
    }

    fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    fn advance(&mut self, _: Picoseconds) {}

    fn take_frame(&mut self) -> Option<Frame> {
        self.outbox.pop_front()
    }

    fn link_changed(&mut self, at: Picoseconds, link: Option<Speed>) {
        self.links.push((at, link));
    }

    fn snapshot(&self) -> Option<Box<dyn Station>> {
        Some(Box::new(self.clone()))
    }
}

pub(crate) fn notebook(network: &mut Network, id: StationId) -> &mut Notebook {
    (network.station_mut(id).expect("it is this network's") as &mut dyn Any)
        .downcast_mut()
        .expect("it is a notebook")
}
