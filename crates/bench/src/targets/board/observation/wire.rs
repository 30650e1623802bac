//! The frames of the traced messages as a capture for Wireshark, each with the message that it belongs to.

use std::time::Duration;

use ethernet::{Capture, CaptureError, Direction, Interface, Packet};
use units::Picoseconds;

use lan::TracedFrame;
use record::Sample;

/// LINKTYPE_ETHERNET (tcpdump.org, link-layer header types).
const ETHERNET: u16 = 1;

/// The capture as the bytes of a file; nothing where there are no frames.
pub(super) fn pcapng(
    frames: &[TracedFrame],
    chosen: &[Sample<'_>],
    bits_per_second: u64,
) -> Result<Vec<u8>, CaptureError> {
    if frames.is_empty() {
        return Ok(Vec::new());
    }
    let mut capture = Capture::new(Vec::new(), Duration::ZERO)?;
    let interface = capture.add_interface(&Interface {
        name: "board",
        description: "the board's cable, during the messages that were traced",
        link_type: ETHERNET,
        bits_per_second: Some(bits_per_second),
    })?;
    for frame in frames {
        let comment =
            message_at(chosen, frame.start).map_or_else(String::new, |index| format!("message {index}"));
        let direction = if frame.from_board { Direction::Outbound } else { Direction::Inbound };
        capture.write(
            interface,
            &Packet {
                at: frame.start,
                direction: Some(direction),
                intact: true,
                bytes: &frame.bytes,
                comment: &comment,
            },
        )?;
    }
    Ok(capture.into_inner())
}

/// The message in whose time something lies.
fn message_at(chosen: &[Sample<'_>], at: Picoseconds) -> Option<u64> {
    let holds = |sample: &&Sample<'_>| sample.trigger <= at && sample.done.is_some_and(|done| at <= done);
    chosen.iter().find(holds).map(|sample| sample.index)
}
