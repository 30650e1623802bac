//! Recordings of packets (pcap, pcapng), and what the TCP in them waited for.
//!
//! [`read`] gives packets with their times, [`Segment::of`] the TCP segment in one, and [`Conversation`] follows both ends of a
//! connection: what is under way, what the other end takes, and what ended each silence. Codes and figures only: words are made
//! elsewhere. [`Recorder`] makes such a recording where the user may. IP fragments and IPv6 are left out.

mod conversation;
mod end;
mod file;
mod link;
mod pcap;
mod pcapng;
mod recorder;
mod report;
mod segment;
mod silence;

pub use conversation::Conversation;
pub use file::{Packet, PacketsError, read};
pub use link::Link;
pub use recorder::{Recorded, Recorder, RecorderError};
pub use report::{Report, Waits, report};
pub use segment::{Address, Segment};
pub use silence::{Cause, Side, Silence};
