//! The two directions of a cable, with smoltcp's interface at one end. A test carries the frames to and from the other end.

use std::collections::VecDeque;

use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

/// Frames on their way to smoltcp, and from there.
#[derive(Debug, Default)]
pub struct Cable {
    /// What smoltcp reads next.
    pub to_smoltcp: VecDeque<Vec<u8>>,
    /// What smoltcp has sent, without the padding of short frames.
    pub from_smoltcp: VecDeque<Vec<u8>>,
}

/// A frame that smoltcp reads.
#[derive(Debug)]
pub struct Arrived(Vec<u8>);

/// Where smoltcp puts a frame.
#[derive(Debug)]
pub struct Leaving<'a>(&'a mut VecDeque<Vec<u8>>);

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Leaving<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut frame = vec![0; length];
        let result = write(&mut frame);
        self.0.push_back(frame);
        result
    }
}

impl Device for Cable {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Leaving<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Leaving<'_>)> {
        let frame = self.to_smoltcp.pop_front()?;
        Some((Arrived(frame), Leaving(&mut self.from_smoltcp)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaving<'_>> {
        Some(Leaving(&mut self.from_smoltcp))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = 1514;
        capabilities
    }
}
