//! Which of a file's channels are read, and in which order they become bits: the same rule for every format.

use std::path::Path;

use crate::change::{Channel, ChannelSelector, MAX_CHANNELS};
use crate::error::CaptureError;

/// A message names at most this many channels.
const LISTED_CHANNELS: usize = 32;
/// Of channels that cannot be told apart it names the first.
const LISTED_ALIKE: usize = 4;

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
    wanted.iter().map(|selector| find(path, channels, selector)).collect()
}

/// The one channel that is meant. Where several may be, the first is as likely the wrong one, and nobody would notice.
fn find(path: &Path, channels: &[Channel], selector: &ChannelSelector) -> Result<usize, CaptureError> {
    match selector.matches(channels)[..] {
        [position] => Ok(position),
        [] => Err(CaptureError::NoSuchChannel {
            path: path.to_owned(),
            wanted: selector.to_string(),
            available: listed(channels),
        }),
        ref several => {
            let meant: Vec<String> = several.iter().map(|at| named(&channels[*at])).collect();
            Err(CaptureError::AmbiguousChannel {
                path: path.to_owned(),
                wanted: selector.to_string(),
                meant: joined(&meant, "and"),
                advice: telling_apart(channels, several),
            })
        }
    }
}

/// What to write for each of several channels, where a number or a label is one's own; else where to change that.
fn telling_apart(channels: &[Channel], several: &[usize]) -> String {
    let own = |at: &usize| {
        let Channel { index, label } = &channels[*at];
        // A label that is a number is read as one, and may then mean others too.
        let label = label.parse().unwrap_or_else(|_| ChannelSelector::Label(label.clone()));
        let ways = [label, ChannelSelector::Index(*index)];
        ways.iter().find(|way| way.matches(channels) == [*at]).map(ToString::to_string)
    };
    match several.iter().map(own).collect::<Option<Vec<String>>>() {
        Some(names) => format!("name it as {}", joined(&names, "or")),
        None => "label each by a name of its own and export it again".to_owned(),
    }
}

/// `a, b and c`, of which only the first are there where they are many.
fn joined(names: &[String], word: &str) -> String {
    match names {
        [all @ .., last] if names.len() <= LISTED_ALIKE => format!("{} {word} {last}", all.join(", ")),
        _ => format!("{} {word} others", names[..LISTED_ALIKE].join(", ")),
    }
}

fn named(channel: &Channel) -> String {
    format!("{} ({})", channel.index, channel.label)
}

/// `0 (D0), 1 (D1) and 70 more`.
fn listed(channels: &[Channel]) -> String {
    let names: Vec<String> = channels.iter().take(LISTED_CHANNELS).map(named).collect();
    match channels.len().saturating_sub(LISTED_CHANNELS) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
