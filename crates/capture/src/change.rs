//! What every reader yields: channels, and the times at which their levels change.

use std::fmt;
use std::str::FromStr;

use crate::error::CaptureError;

/// The most channels that one capture may have; levels are kept as bits of a `u64`.
pub const MAX_CHANNELS: usize = 64;

/// The level of every selected channel from `time_ps` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Picoseconds from the start of the capture.
    pub time_ps: i64,
    /// Bit i is the level of the i-th selected channel.
    pub levels: u64,
}

/// A channel as the file names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The analyser's channel number where the file has one, otherwise the position in the file.
    pub index: u32,
    /// The label shown in the analyser's software.
    pub label: String,
}

/// What is known of a capture before its edges are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureInfo {
    /// The file format, for people: `Saleae Logic 2 CSV`.
    pub format: &'static str,
    /// The selected channels, in the order of the bits in [`Change::levels`].
    pub channels: Vec<Channel>,
    /// The absolute time of the capture's start, RFC 3339 with nanoseconds, where the file has one.
    pub start: Option<String>,
    /// Samples a second where the file says so.
    pub sample_rate: Option<units::Hertz>,
}

/// A stream of level changes in ascending time.
///
/// The first change states the levels at the start of the capture; after that only times at which a selected
/// channel changed are given (equal neighbours are folded). Two changes may have the same time where the file has
/// a pulse shorter than its time step. After an error the source has nothing more to give.
pub trait ChangeSource: Send {
    /// Channels, start and sample rate.
    fn info(&self) -> &CaptureInfo;

    /// Replaces the content of `batch` by the next changes (a few thousand at most).
    /// An empty batch means that the capture has ended.
    ///
    /// # Errors
    /// When the file cannot be read on or breaks its format; the message says where.
    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError>;

    /// The end of the capture in picoseconds from its start, known once `next_batch` returned no changes.
    fn end_ps(&self) -> i64;

    /// Whether somebody has stopped it, so that what was read is not wanted any more.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// How a user names a channel: by number or by label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelSelector {
    /// The analyser's channel number.
    Index(u32),
    /// The label, exactly as the file has it.
    Label(String),
}

impl ChannelSelector {
    /// The positions in `channels` of all that may be meant: a label wins over a number.
    pub(crate) fn matches(&self, channels: &[Channel]) -> Vec<usize> {
        let those = |is_meant: &dyn Fn(&Channel) -> bool| -> Vec<usize> {
            (0..channels.len()).filter(|at| is_meant(&channels[*at])).collect()
        };
        match self {
            Self::Label(label) => those(&|c| c.label == *label),
            Self::Index(index) => {
                let label = index.to_string();
                let labelled = those(&|c| c.label == label);
                if labelled.is_empty() { those(&|c| c.index == *index) } else { labelled }
            }
        }
    }
}

impl FromStr for ChannelSelector {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.parse() {
            Ok(index) => Self::Index(index),
            Err(_) => Self::Label(text.to_owned()),
        })
    }
}

impl fmt::Display for ChannelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Label(label) => write!(f, "\"{label}\""),
        }
    }
}
