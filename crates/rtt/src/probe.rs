//! When the probe looks at RAM, and what becomes of what it finds there.
//!
//! It looks at fixed moments of virtual time, so that nothing depends on who runs the chip in which slices. Each is a moment at
//! which the board stops anyway, until there is a control block.

use std::collections::{BTreeMap, VecDeque};

use mcu::Mcu;
use mcu::image::Image;
use serde::{Deserialize, Serialize};
use units::{PS_PER_MS, Picoseconds};

use crate::control_block::{Buffer, ControlBlock, Ram};
use crate::defmt::DefmtLog;

/// How far apart two looks at the buffers are. probe-rs looks each millisecond while bytes come (its loop of `run`; each 100 ms
/// while none come, which spares the probe's USB connection); OpenOCD each 100 ms unless it is told otherwise.
const PERIOD: Picoseconds = Picoseconds::new(PS_PER_MS);
/// Searches of RAM are so far apart, and farther as time goes on: a board stops at multiples of this anyway.
const SEARCH_PERIOD: Picoseconds = Picoseconds::new(5 * PS_PER_MS);
/// After a search at some time, the next one comes once this part of that time has passed again.
const GROWTH: i64 = 4;
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);
/// The text channel, and the name of the one with defmt's frames.
const TERMINAL: u32 = 0;
const DEFMT: &str = "defmt";
/// Of a channel's name.
const MOST_NAME_BYTES: usize = 32;

/// A probe at a chip.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Where the image says that its control block is.
    symbol: Option<u32>,
    /// Where it was found.
    found: Option<u32>,
    next: Picoseconds,
    defmt: DefmtLog,
    /// Text that nobody took yet.
    text: Vec<(Picoseconds, u8)>,
    /// What is to be typed, and whether the image reads any.
    typed: VecDeque<u8>,
    reads: bool,
    /// Channels whose contents are not shown: their names, and how many bytes came.
    unshown: BTreeMap<u32, (String, u64)>,
}

/// What a probe knows of a chip, to be kept in a file with the chip's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeState {
    found: Option<u32>,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            symbol: None,
            found: None,
            next: SEARCH_PERIOD,
            defmt: DefmtLog::default(),
            text: Vec::new(),
            typed: VecDeque::new(),
            reads: false,
            unshown: BTreeMap::new(),
        }
    }
}

impl Probe {
    /// At a chip that starts an image.
    pub fn of(image: &Image, now: Picoseconds) -> Self {
        let symbol = image.symbols().address_of("_SEGGER_RTT");
        let probe = Self { symbol, defmt: DefmtLog::of(image), ..Self::default() };
        Self { next: probe.after(now), ..probe }
    }

    /// When it looks next: a run that goes on beyond that is to come back there.
    pub fn next(&self) -> Picoseconds {
        self.next
    }

    /// Looks if it is time; whether the image had written anything.
    #[inline]
    pub fn look(&mut self, chip: &mut dyn Mcu) -> bool {
        chip.now() >= self.next && self.look_at(self.next, chip)
    }

    /// Looks at a chip that has stopped for good.
    pub fn look_once_more(&mut self, chip: &mut dyn Mcu) -> bool {
        let now = chip.now();
        self.next != NEVER && self.look_at(now, chip)
    }

    /// Looks at a chip that sleeps until something comes from outside, which may be so again and again: without a search.
    pub fn look_if_found(&mut self, chip: &mut dyn Mcu) -> bool {
        self.found.or(self.symbol).is_some() && self.look_once_more(chip)
    }

    fn look_at(&mut self, at: Picoseconds, chip: &mut dyn Mcu) -> bool {
        let Some((start, bytes)) = chip.ram() else {
            self.next = NEVER;
            return false;
        };
        let ram = Ram { start, bytes };
        let block = match self.found.or(self.symbol) {
            Some(address) => ControlBlock::at(ram, address),
            None => ControlBlock::find(ram),
        };
        let (mut came, mut writes) = (Vec::new(), Vec::new());
        if let Some(block) = block {
            self.found = Some(block.address());
            let down = block.first_down_buffer(ram);
            self.reads = down.is_some();
            // No more at once than RAM holds, whatever the descriptors say.
            let mut room = bytes.len() as u64;
            for (number, buffer) in block.up_buffers(ram) {
                let waiting = u64::from(buffer.waiting());
                if waiting == 0 || waiting > room {
                    continue;
                }
                room -= waiting;
                came.push((number, buffer.name, buffer.contents(ram)));
                let (address, value) = buffer.all_read();
                writes.push((address, value.to_vec()));
            }
            writes.extend(down.into_iter().flat_map(|buffer| self.type_into(buffer)));
        }
        for (address, value) in writes {
            // It was read from there.
            let _ = chip.write_memory(address, &value);
        }
        for (number, name, content) in &came {
            self.take_in(at, *number, &name_at(chip, *name), content);
        }
        self.next = self.after(chip.now());
        !came.is_empty()
    }

    /// What was typed and fits into the image's buffer.
    fn type_into(&mut self, mut buffer: Buffer) -> Vec<(u32, Vec<u8>)> {
        let bytes = self.typed.len().min(buffer.room() as usize);
        self.typed.drain(..bytes).flat_map(|byte| buffer.put(byte)).collect()
    }

    fn take_in(&mut self, at: Picoseconds, number: u32, name: &str, content: &[u8]) {
        if name == DEFMT {
            let text = self.defmt.received(content);
            self.text.extend(text.into_bytes().into_iter().map(|byte| (at, byte)));
        } else if number == TERMINAL {
            self.text.extend(content.iter().map(|&byte| (at, byte)));
        } else {
            let (_, bytes) = self.unshown.entry(number).or_insert_with(|| (name.to_owned(), 0));
            *bytes += content.len() as u64;
        }
    }

    /// The first moment after a time at which it looks.
    fn after(&self, now: Picoseconds) -> Picoseconds {
        match self.found.or(self.symbol) {
            Some(_) => multiple_after(now, PERIOD),
            None => search_after(now),
        }
    }

    /// Takes the text that came since the last call, each byte with its time.
    pub fn take_text(&mut self) -> Vec<(Picoseconds, u8)> {
        std::mem::take(&mut self.text)
    }

    /// Types at the image: it gets what fits into its buffer at the next look, and the rest later.
    pub fn type_text(&mut self, bytes: &[u8]) {
        self.typed.extend(bytes);
    }

    /// Whether the image has a buffer for what is typed.
    pub fn is_read(&self) -> bool {
        self.reads
    }

    /// What a user should know of what could not be shown.
    pub fn notes(&self) -> Vec<String> {
        let unshown = self.unshown.iter().map(|(number, (name, bytes))| {
            let called = if name.is_empty() { String::new() } else { format!(" ({name})") };
            format!(
                "RTT channel {number}{called} sent {bytes} bytes, which are not shown: only channel 0 and one called defmt are"
            )
        });
        self.defmt.notes().into_iter().chain(unshown).collect()
    }

    /// What is to be kept with the chip's state.
    pub fn state(&self) -> ProbeState {
        ProbeState { found: self.found }
    }

    /// Goes on where a chip's state was kept.
    pub fn resume(&mut self, state: ProbeState, now: Picoseconds) {
        self.found = state.found;
        self.next = self.after(now);
    }
}

/// A name in the memory of a chip, up to its zero.
fn name_at(chip: &dyn Mcu, address: u32) -> String {
    let readable = match chip.read_memory(address, MOST_NAME_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            let bytes = error.0.wrapping_sub(address) as usize;
            chip.read_memory(address, bytes.min(MOST_NAME_BYTES)).unwrap_or_default()
        }
    };
    let name = readable.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).chars().filter(|letter| !letter.is_control()).collect()
}

fn multiple_after(now: Picoseconds, period: Picoseconds) -> Picoseconds {
    Picoseconds::new((now.ps() / period.ps()).saturating_add(1).saturating_mul(period.ps()))
}

/// When RAM is searched next: at first in each period, later so that a long run is searched as often per doubling of its time.
fn search_after(now: Picoseconds) -> Picoseconds {
    let mut at = SEARCH_PERIOD;
    while at <= now {
        at = multiple_after(Picoseconds::new(at.ps().saturating_add(at.ps() / GROWTH)), SEARCH_PERIOD);
        if at.ps() > i64::MAX / 2 {
            return NEVER;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(number: i64) -> Picoseconds {
        Picoseconds::new(number * PS_PER_MS)
    }

    #[test]
    fn searches_begin_after_5_ms_and_grow_rarer() {
        let mut at = Picoseconds::ZERO;
        let mut times = Vec::new();
        while at < ms(10_000) {
            at = search_after(at);
            times.push(at.ps() / PS_PER_MS);
        }
        assert_eq!(times[..9], [5, 10, 15, 20, 30, 40, 55, 70, 90]);
        assert!(times.len() < 35, "{}", times.len());
        assert!(times.iter().all(|time| time % 5 == 0));
        // The next one is the same from wherever one asks.
        assert_eq!(search_after(ms(39)), search_after(Picoseconds::new(ms(30).ps() + 1)));
        assert_eq!(search_after(Picoseconds::new(i64::MAX)), NEVER);
    }
}
