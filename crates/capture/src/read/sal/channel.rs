//! One digital channel of a `.sal` file: the stream of the samples at which its level toggles, out of a
//! `digital-N.bin`. Checks that blocks join and add up. Knows its own channel only.
//!
//! The member, little-endian: `<SALEAE>`, i32 version, i32 type (100), u8 1, f64 rate in hertz, u64 start in
//! Unix milliseconds, f64 fraction of a millisecond to add; the first and the last sample to which the capture
//! was trimmed, each a u8 flag and, if that is 1, a u64; u64 number of blocks; the blocks.
//!
//! - Version 1: u64 begin, u64 end, u64 length, u64 rate, u64 1, u64 number of bytes; the runs; u64 number of
//!   index entries; for each u64 sample in the block, u64 byte in the runs, i32 level. The first entry has the
//!   level with which the block begins.
//! - Versions 2 and 3: u64 begin, u64 end, u8 level with which the block begins, u8 0, u64 number of bytes; the
//!   runs.
//!
//! The level may change between two blocks.

use units::Hertz;

use super::runs::{MAX_RUN_BYTES, Runs};
use super::window::Window;
use crate::error::CaptureError;

const MAGIC: &[u8; 8] = b"<SALEAE>";
const TYPE_DIGITAL: u32 = 100;
const MAX_RATE_HZ: f64 = 1e12;
const MAX_FRACTION_MS: f64 = 1e3;
/// Far more than Logic 2 puts into one: a version 1 block is held as a whole, since its level follows its runs.
const MAX_INDEXED_BLOCK_BYTES: u64 = 16 << 20;
const INDEX_ENTRY_BYTES: u64 = 20;
/// Bytes that are decoded at once, and edges that make a piece worth returning.
const PIECE_BYTES: usize = 32 << 10;
const PIECE_EDGES: usize = 8_192;

/// The member's header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    version: u32,
    pub(super) rate: Hertz,
    pub(super) start_unix_ms: u64,
    pub(super) start_fraction_ms: f64,
    pub(super) trim_first: Option<u64>,
    pub(super) trim_last: Option<u64>,
}

impl Header {
    /// Whether samples of both channels with the same number were taken at the same time.
    pub(super) fn same_timing(&self, other: &Self) -> bool {
        Self { version: other.version, ..*self } == *other
    }
}

/// The block whose runs are being read.
struct Block {
    position: u64,
    end: u64,
    bytes_left: u64,
    /// Bytes of the index after the runs.
    index_bytes: u64,
}

pub(super) struct ChannelStream {
    window: Window,
    pub(super) header: Header,
    pub(super) first_sample: u64,
    pub(super) first_level: bool,
    blocks_left: u64,
    block: Option<Block>,
    /// Level and sample at the end of what was read.
    level: bool,
    pub(super) end: u64,
}

impl ChannelStream {
    /// Reads the header and the head of the first block.
    pub(super) fn open(mut window: Window) -> Result<Self, CaptureError> {
        let header = read_header(&mut window)?;
        let blocks_left = u64::from_le_bytes(window.array()?);
        if blocks_left == 0 {
            return Err(window.error(0, "the channel has no samples; record it again"));
        }
        window.consume(size_of::<u64>());
        window.ensure(size_of::<u64>())?;
        let first_sample = u64_at(window.bytes(), 0);
        let mut stream = Self {
            window,
            header,
            first_sample,
            first_level: false,
            blocks_left,
            block: None,
            level: false,
            end: first_sample,
        };
        stream.first_level = stream.begin_block()?;
        stream.level = stream.first_level;
        Ok(stream)
    }

    /// Appends the next samples at which the level toggles; none only at the channel's end.
    pub(super) fn read(&mut self, edges: &mut Vec<u64>) -> Result<(), CaptureError> {
        let before = edges.len();
        while edges.len() - before < PIECE_EDGES {
            if self.block.is_none() {
                if self.blocks_left == 0 {
                    return self.check_end();
                }
                let begin = self.end;
                let level = self.begin_block()?;
                if level != self.level {
                    edges.push(begin);
                    self.level = level;
                }
            }
            self.read_runs(edges)?;
        }
        Ok(())
    }

    fn check_end(&mut self) -> Result<(), CaptureError> {
        if self.window.is_at_end()? {
            return Ok(());
        }
        Err(self.window.error(0, "more data follows the last block"))
    }

    /// Reads the head of the next block; returns the level with which it begins.
    fn begin_block(&mut self) -> Result<bool, CaptureError> {
        let (block, level) = if self.header.version == 1 { self.indexed_head()? } else { self.plain_head()? };
        if block.position != self.end {
            let what = format!(
                "the block begins at sample {}, but the one before it ends at {}; captures with gaps cannot be read",
                block.position, self.end
            );
            return Err(self.window.error(0, what));
        }
        if block.end <= block.position {
            return Err(self.window.error(0, "the block has no samples"));
        }
        self.end = block.end;
        self.block = Some(block);
        self.blocks_left -= 1;
        Ok(level)
    }

    /// A block's head in version 1, and its level from behind its runs.
    fn indexed_head(&mut self) -> Result<(Block, bool), CaptureError> {
        const HEAD_BYTES: usize = 48;
        let head: [u8; HEAD_BYTES] = self.window.array()?;
        let [position, end, length, rate, one, bytes_left] =
            [0, 8, 16, 24, 32, 40].map(|at| u64_at(&head, at));
        let refused = |what: String| Err(self.window.error(0, what));
        if Some(length) != end.checked_sub(position) {
            return refused(format!("the block from sample {position} to {end} claims {length} samples"));
        }
        if rate != self.header.rate.hz() {
            return refused(format!(
                "the block has {rate} samples a second, but the channel {}",
                self.header.rate
            ));
        }
        if one != 1 {
            return refused(format!("the block's fifth field is {one}, but Airwire knows only 1"));
        }
        if bytes_left > MAX_INDEXED_BLOCK_BYTES {
            return refused(format!("the block claims {bytes_left} bytes; the file is damaged"));
        }
        let index_at = HEAD_BYTES + bytes_left as usize;
        let first_entry_at = index_at + size_of::<u64>();
        self.window.ensure(first_entry_at)?;
        let entries = u64_at(self.window.bytes(), index_at);
        if entries == 0 {
            return Err(self.window.error(index_at, "the block has no index, so its level is unknown"));
        }
        self.window.ensure(first_entry_at + INDEX_ENTRY_BYTES as usize)?;
        let entry = &self.window.bytes()[first_entry_at..first_entry_at + INDEX_ENTRY_BYTES as usize];
        let (sample, byte, level) = (u64_at(entry, 0), u64_at(entry, 8), u32_at(entry, 16));
        let index_bytes = entries.checked_mul(INDEX_ENTRY_BYTES).and_then(|bytes| bytes.checked_add(8));
        let (0, 0, 0 | 1, Some(index_bytes)) = (sample, byte, level, index_bytes) else {
            return Err(self.window.error(first_entry_at, "the block's index does not begin with its level"));
        };
        self.window.consume(HEAD_BYTES);
        Ok((Block { position, end, bytes_left, index_bytes }, level == 1))
    }

    /// A block's head in versions 2 and 3.
    fn plain_head(&mut self) -> Result<(Block, bool), CaptureError> {
        const HEAD_BYTES: usize = 26;
        let head: [u8; HEAD_BYTES] = self.window.array()?;
        let (position, end, bytes_left) = (u64_at(&head, 0), u64_at(&head, 8), u64_at(&head, 18));
        let (level, zero) = (head[16], head[17]);
        if level > 1 || zero != 0 {
            let what =
                format!("the block's level is marked {level} {zero}, but Airwire knows only 0 0 and 1 0");
            return Err(self.window.error(16, what));
        }
        self.window.consume(HEAD_BYTES);
        Ok((Block { position, end, bytes_left, index_bytes: 0 }, level == 1))
    }

    /// Decodes a piece of the block's runs.
    fn read_runs(&mut self, edges: &mut Vec<u64>) -> Result<(), CaptureError> {
        let Some(block) = &mut self.block else { return Ok(()) };
        let wanted = usize::try_from(block.bytes_left).unwrap_or(usize::MAX).min(PIECE_BYTES);
        self.window.ensure(wanted.min(MAX_RUN_BYTES))?;
        let in_view = self.window.bytes();
        let data = &in_view[..in_view.len().min(wanted)];
        let is_last = data.len() as u64 == block.bytes_left;
        let before = edges.len();
        let runs = Runs { data, is_last, end: block.end };
        let decoded = runs.decode(&mut block.position, edges);
        let used = decoded.map_err(|bad| self.window.error(bad.at, bad.what))?;
        self.level ^= (edges.len() - before) % 2 == 1;
        block.bytes_left -= used as u64;
        self.window.consume(used);
        if is_last {
            let index_bytes = block.index_bytes;
            self.block = None;
            self.window.skip(index_bytes)?;
        }
        Ok(())
    }
}

fn read_header(window: &mut Window) -> Result<Header, CaptureError> {
    const HEAD_BYTES: usize = 41;
    let head: [u8; HEAD_BYTES] = window.array()?;
    if head[..MAGIC.len()] != *MAGIC {
        return Err(window.error(0, "it does not begin with <SALEAE>; save the capture again"));
    }
    let (version, kind) = (u32_at(&head, 8), u32_at(&head, 12));
    if !(1..=3).contains(&version) {
        let what =
            format!("its format has version {version}, but Airwire knows 1 to 3; export the capture as CSV");
        return Err(window.error(8, what));
    }
    if kind != TYPE_DIGITAL || head[16] != 1 {
        return Err(
            window.error(12, format!("it is of type {kind}, {}, but digital data is 100, 1", head[16]))
        );
    }
    let rate_hz = f64_at(&head, 17);
    let whole_rate = (1.0..=MAX_RATE_HZ).contains(&rate_hz) && rate_hz.fract() == 0.0;
    let Some(rate) = Hertz::new(if whole_rate { rate_hz as u64 } else { 0 }) else {
        let what = format!("a rate of {rate_hz} samples a second is no whole number from 1 to 10^12");
        return Err(window.error(17, what));
    };
    let (start_unix_ms, start_fraction_ms) = (u64_at(&head, 25), f64_at(&head, 33));
    if !(-MAX_FRACTION_MS..=MAX_FRACTION_MS).contains(&start_fraction_ms) {
        return Err(window.error(33, format!("{start_fraction_ms} is no fraction of a millisecond")));
    }
    window.consume(HEAD_BYTES);
    let (trim_first, trim_last) = (read_optional(window)?, read_optional(window)?);
    Ok(Header { version, rate, start_unix_ms, start_fraction_ms, trim_first, trim_last })
}

/// A flag and, if it is set, a number.
fn read_optional(window: &mut Window) -> Result<Option<u64>, CaptureError> {
    let [flag] = window.array()?;
    match flag {
        0 => {
            window.consume(1);
            Ok(None)
        }
        1 => {
            window.consume(1);
            let number = u64::from_le_bytes(window.array()?);
            window.consume(size_of::<u64>());
            Ok(Some(number))
        }
        _ => Err(window.error(0, format!("the flag of an optional field is {flag}, but it must be 0 or 1"))),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("a slice of four bytes is four bytes long"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("a slice of eight bytes is eight bytes long"))
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_bits(u64_at(bytes, at))
}
