//! What a board has at the end of a cable, and how it is spoken of. The network treats every device alike, and whoever drives
//! one knows what it is: its [`DeviceId`] says so.
//!
//! A device is [`Passive`]: it says when something happens in it of its own accord, and the network lets that happen.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::net::Ipv4Addr;

use cyw43::PhaseTimes;
use ethernet::Speed;
use links::{Aggregation, PowerSave};
use sim::Passive;
use units::Picoseconds;
use wiznet::{Access, Facts, Warning};

/// A frame, and when the first bit of its preamble is on the wire.
pub type SentFrame = (Picoseconds, Vec<u8>);

/// How the driver of a station has set its radio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Radio {
    /// How it saves power; nothing where it is always on.
    pub power_save: Option<PowerSave>,
    /// How many frames go in one transmission.
    pub aggregation: Aggregation,
}

/// What a radio, or the USB, was busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deed {
    /// What.
    pub kind: DeedKind,
    /// Its first moment.
    pub start: Picoseconds,
    /// The first moment behind it.
    pub end: Picoseconds,
    /// Bytes that were moved.
    pub bytes: u32,
}

/// The sorts of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeedKind {
    /// A transfer with a register.
    Register,
    /// A packet over the bus.
    Packet {
        /// Whether it comes from the board.
        from_board: bool,
    },
    /// A frame in the radio's own processor.
    Inside {
        /// Whether it comes from the board.
        from_board: bool,
    },
    /// A packet of USB with a piece of a frame.
    OverUsb {
        /// Whether it comes from the board.
        from_board: bool,
    },
}

/// Something with an Ethernet port, or with a radio in its place.
pub trait NetDevice: Passive + Any + Debug + Send {
    /// What is known of its SPI; nothing for a device that is on none.
    fn facts(&self) -> Option<&'static Facts> {
        None
    }

    /// How many frames and datagrams it has dropped, since it was made, because it had no room for them; nothing where that is not
    /// its own affair.
    fn dropped_for_room(&self) -> Option<u64> {
        None
    }

    /// A cable with this speed at its other end is plugged in, or it is pulled.
    fn set_cable(&mut self, at: Picoseconds, speed: Option<Speed>);

    /// The speed that its link has, where it may be slower than its cable; nothing without a link, and where it is that of the cable.
    fn speed(&self) -> Option<Speed> {
        None
    }

    /// Whether there is a link.
    fn has_link(&self) -> bool;

    /// The address that it has by itself.
    fn address(&self) -> Option<Ipv4Addr> {
        None
    }

    /// Whether a cable leads to it; a device without one is at the PC itself, and is told nothing of cables.
    fn has_cable(&self) -> bool {
        true
    }

    /// Whether it hands frames to a TCP/IP stack of the firmware's.
    fn takes_frames(&self) -> bool;

    /// Whether it does nothing but that. The address that it has by itself is then a register that its driver may leave alone:
    /// the board's is the one that the stack speaks from.
    fn is_bare_mac(&self) -> bool {
        false
    }

    /// How its radio is set, where it has one; nothing for a device on a cable.
    fn radio(&self) -> Option<Radio> {
        None
    }

    /// Whether a station has joined the network that its radio makes.
    fn has_station(&self, address: [u8; 6]) -> bool {
        let _ = address;
        false
    }

    /// How long its radio was off, starting and on, where it has one that tells.
    fn phase_times(&self, at: Picoseconds) -> Option<PhaseTimes> {
        let _ = at;
        None
    }

    /// How long it was in each state that its supply feels, up to a time; nothing for one that does not tell.
    fn supply_states(&self, at: Picoseconds) -> Vec<(&'static str, Picoseconds)> {
        let _ = at;
        Vec::new()
    }

    /// The level of its interrupt output.
    fn interrupt_is_low(&self) -> bool;

    /// Whether it is told of frames by their first bit ([`Self::begins`]), and tells its own when their last bit is sent.
    fn hears_bits(&self) -> bool {
        false
    }

    /// The first bit of a frame has arrived; the rest follows at the speed of the wire.
    fn begins(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool) {
        let _ = (at, bytes, is_intact);
    }

    /// A whole frame has arrived.
    fn receive(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool);

    /// The next frame for the wire.
    fn take_sent(&mut self) -> Option<SentFrame>;

    /// Keeps what is done to it over its bus from here on, or no more.
    fn record(&mut self, on: bool) {
        let _ = on;
    }

    /// What was done since the last call.
    fn take_accesses(&mut self) -> Vec<Access> {
        Vec::new()
    }

    /// What it was busy with since the last call, where it is a radio, or on USB.
    fn take_deeds(&mut self) -> Vec<Deed> {
        Vec::new()
    }

    /// What a user should know of how it was treated since the last call.
    fn take_warnings(&mut self) -> Vec<Warning> {
        Vec::new()
    }

    /// Another one in the same state.
    fn boxed_clone(&self) -> Box<dyn NetDevice>;

    /// Its state, to be kept in a file; nothing when it cannot be.
    fn saved(&self) -> Option<Vec<u8>> {
        None
    }

    /// A device like this one in a state that was saved; nothing when that was another kind of device.
    fn restored(&self, saved: &[u8]) -> Option<Box<dyn NetDevice>> {
        let _ = saved;
        None
    }
}

/// A device of a [`Lan`](super::Lan), which is a `D`. One of another network stands for no device here.
pub struct DeviceId<D: ?Sized> {
    pub(super) index: usize,
    device: PhantomData<fn() -> Box<D>>,
}

impl<D: ?Sized> DeviceId<D> {
    pub(super) fn new(index: usize) -> Self {
        Self { index, device: PhantomData }
    }

    /// The same, for where it does not matter what it is.
    pub fn any(self) -> DeviceId<dyn NetDevice> {
        DeviceId::new(self.index)
    }
}

impl<D: ?Sized> Clone for DeviceId<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: ?Sized> Copy for DeviceId<D> {}

impl<D: ?Sized> PartialEq for DeviceId<D> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl<D: ?Sized> Eq for DeviceId<D> {}

impl<D: ?Sized> Debug for DeviceId<D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("DeviceId").field(&self.index).finish()
    }
}
