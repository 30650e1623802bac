//! Which of a file's channels are read, and in which order they become bits: the same rule for every format.

use std::path::Path;

use crate::change::{Channel, ChannelSelector, MAX_CHANNELS};
use crate::error::CaptureError;

/// A message names at most this many channels.
const LISTED_CHANNELS: usize = 32;

/// The positions in `channels` to read, in the order of the bits of a change; all when none is asked for.
pub(crate) fn select(
    path: &Path,
    channels: &[Channel],
    wanted: &[ChannelSelector],
) -> Result<Vec<usize>, CaptureError> {
    let count = if wanted.is_empty() { channels.len() } else { wanted.len() };
    if count > MAX_CHANNELS {
        return Err(CaptureError::Format {
            path: path.to_owned(),
            place: None,
            what: format!(
                "{count} channels are more than the {MAX_CHANNELS} that can be read at once; \
                 name the trigger and the done channel"
            ),
        });
    }
    if wanted.is_empty() {
        return Ok((0..channels.len()).collect());
    }
    let find = |selector: &ChannelSelector| {
        selector.find(channels).ok_or_else(|| CaptureError::NoSuchChannel {
            path: path.to_owned(),
            wanted: selector.to_string(),
            available: listed(channels),
        })
    };
    wanted.iter().map(find).collect()
}

/// `0 (D0), 1 (D1) and 70 more`.
fn listed(channels: &[Channel]) -> String {
    let names: Vec<String> =
        channels.iter().take(LISTED_CHANNELS).map(|c| format!("{} ({})", c.index, c.label)).collect();
    match channels.len().saturating_sub(LISTED_CHANNELS) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
