//! What a board may know of its microcontroller, whichever it is: that it runs an image in slices of time ([`Mcu`]), with
//! pins ([`Pins`]), lines to other boards ([`Lines`]), a debugger's side ([`Debugger`]), words for how a run ended ([`Reports`])
//! and states ([`State`]); the image
//! itself ([`image`]), what stands around it ([`Outside`]), why a run came back ([`Stop`]), and what its datasheet says
//! ([`Facts`]).
//!
//! A chip is a crate of its own, which implements what is here and has one [`McuKind`]. Left out: chips with more than 32
//! pins, and addresses of more than 32 bits.

mod access;
mod chip;
mod clock_waits;
mod console;
mod counts;
mod debugger;
mod facts;
mod fault;
mod foretold;
pub mod image;
mod level_row;
mod level_words;
mod line;
mod line_end;
mod observe;
pub mod outside;
mod pins;
mod pulses;
mod reports;
mod samples;
mod setup;
mod state;
mod stop;
mod usb;

pub use access::{Edge, UnknownAccess};
pub use chip::{Mcu, McuKind};
pub use clock_waits::ClockWaits;
pub use console::Console;
pub use counts::{Counts, SupplyState, Waits};
pub use debugger::{CoreState, Debugger, GdbFacts, GdbRegion, MemoryError, Register, RegisterRole};
pub use facts::{CodeMemory, Facts};
pub use fault::{Fault, FaultKind, udf_number};
pub use foretold::Foretold;
pub use level_row::LevelRow;
pub use level_words::LevelWords;
pub use line::{Character, Lines, Outgoing};
pub use line_end::{Frame, LineEnd, Next, Reception};
pub use observe::{Observer, Step, Watchpoint};
pub use outside::{BOARD_WINDOW, Outside, Reaction, SpiAnswer, SpiFrame, Unconnected};
pub use pins::Pins;
pub use pulses::{Answer, ClockPulses, ClockWords, DataLine, Patience, Said};
pub use reports::{FaultReport, Reports};
pub use samples::Samples;
pub use setup::{Setup, SetupError};
pub use state::State;
pub use stop::{DebugEvent, Sleep, Slept, Stop, StopAt, Waker};
pub use usb::{DiskAnswer, InputReport, UsbDevice, UsbPacket, UsbPort};
