//! Behaviour of the Logic 2 CSV reader, mostly through [`open`].

mod properties;
mod refusals;
mod times;

use std::io::{self, Cursor, Read};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::change::{Channel, ChannelSelector};

const HEADER: &str = "Time [s],Channel 0,Channel 1\n";

/// A reader that hands out its bytes in portions of a given size.
struct Portions {
    bytes: Cursor<Vec<u8>>,
    portion: usize,
}

impl Read for Portions {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.portion);
        self.bytes.read(&mut buffer[..count])
    }
}

#[derive(Debug, PartialEq)]
struct Capture {
    info: CaptureInfo,
    changes: Vec<(i64, u64)>,
    end_ps: i64,
}

fn input(text: impl Into<Vec<u8>>, portion: usize) -> Input {
    let portions = Portions { bytes: Cursor::new(text.into()), portion };
    Input::new(Path::new("capture.csv"), Box::new(portions))
}

fn drain(mut source: Box<dyn ChangeSource>) -> (Vec<(i64, u64)>, Result<Capture, String>) {
    let (mut changes, mut batch) = (Vec::new(), Vec::new());
    loop {
        if let Err(error) = source.next_batch(&mut batch) {
            return (changes, Err(error.to_string()));
        }
        if batch.is_empty() {
            let capture =
                Capture { info: source.info().clone(), changes: changes.clone(), end_ps: source.end_ps() };
            return (changes, Ok(capture));
        }
        changes.extend(batch.iter().map(|change| (change.time_ps, change.levels)));
    }
}

fn read_selected(text: &str, channels: &[&str]) -> Result<Capture, String> {
    let channels = channels.iter().map(|name| name.parse::<ChannelSelector>().unwrap()).collect();
    let source =
        open(input(text, usize::MAX), &OpenOptions { channels }).map_err(|error| error.to_string())?;
    drain(source).1
}

fn read(text: &str) -> Result<Capture, String> {
    read_selected(text, &[])
}

fn changes(text: &str) -> Vec<(i64, u64)> {
    read(text).unwrap_or_else(|error| panic!("{error} in {text:?}")).changes
}

/// Changes of a file with one channel that toggles at each of these times.
fn toggles_at(times: &[&str]) -> Vec<i64> {
    let rows: String = times.iter().enumerate().map(|(row, time)| format!("{time},{}\n", row % 2)).collect();
    changes(&format!("Time [s],Channel 0\n{rows}")).into_iter().map(|(time_ps, _)| time_ps).collect()
}
