//! What a board may know of its microcontroller, whichever it is: the image that it runs ([`image`]), what stands around it
//! ([`Outside`]), its pins and consoles, what it puts on lines to other boards ([`Outgoing`]), why a run came back
//! ([`Stop`]), who observes it ([`Observer`]), and what its datasheet says of pins and interrupts ([`Facts`]).
//!
//! A chip is a crate of its own, which implements what is here. Left out: images know the memories of the RP2040 alone.

mod access;
mod console;
mod facts;
mod fault;
pub mod image;
mod line;
mod observe;
pub mod outside;
mod stop;

pub use access::{Edge, UnknownAccess};
pub use console::Console;
pub use facts::Facts;
pub use fault::{Fault, FaultKind};
pub use line::{Character, Outgoing};
pub use observe::{Observer, Step, Watchpoint};
pub use outside::{BOARD_WINDOW, Outside, Reaction, SpiFrame, Unconnected};
pub use stop::{DebugEvent, Sleep, Slept, Stop, StopAt};
