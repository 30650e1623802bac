//! The CYW43439, the radio of a Pico W, in virtual time: what a driver sees on its pins, and Ethernet frames towards the air. A
//! [`Chip`] is a plain state machine: levels, edges and frames go in with their time, and [`Chip::next_event`] says when it
//! wants to be called again.
//!
//! The host never sees the radio's processor: it sees a bus, registers, memory that takes a blob, and a protocol of messages. So
//! the blob is kept and not executed, and the handshakes of WPA, which run inside the chip, are a comparison of keys. The
//! bus is gSPI ([`Command`], [`WordOrder`]); messages are SDPCM. The air itself is elsewhere.
//!
//! Left out: SDIO, errors of the bus that overload causes, monitor mode, and all of Bluetooth but the handshake of its start.

mod air;
mod backplane;
mod bluetooth;
mod boot;
mod bus_registers;
mod busy;
mod chip;
mod clock;
mod command;
mod energy;
mod event;
mod firmware;
mod gspi;
mod identity;
mod memory;
mod own_network;
mod pulses;
mod requests;
mod sdpcm;
mod station;
mod turned_away;
mod word_order;

pub use air::{AccessPoint, Security};
pub use busy::{Activity, Busy};
pub use chip::{Chip, Note, Options};
pub use command::{Command, Function};
pub use energy::{CURRENTS, Current, PhaseTimes, saved_by_dozing};
pub use firmware::{Aggregation, Latencies, PowerSave};
pub use own_network::Joiner;
pub use pulses::Response;
pub use sim::Passive;
pub use word_order::WordOrder;
