//! Virtual boards as a target: firmware, board and network are brought together ([`Places`]), the boards run, and once the row
//! has enough they are run once more to be looked at (`observation`).
//!
//! What a suite says of such rows is in `suite/boards`.

mod dialogue;
mod edges;
mod facts;
mod images;
mod lines;
mod observation;
mod peers;
mod prepare;
mod rig;
mod rounds;
mod serial_rounds;
mod target;

pub use facts::{BoardFacts, FirmwareEntry, PeerEntry};
pub use images::ImagePlaces;
pub use observation::HEAVY_TAIL;
pub use prepare::{Firmware, ImageSizes, Places, ReadyBoard, ReadyBoards, ReadyTrigger};
