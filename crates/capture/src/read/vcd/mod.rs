//! Value change dump (IEEE 1364-2005, section 18). Bits of vectors are channels of their own; unknown and
//! high-impedance values keep the level that was; real values and strings are passed over.

mod header;
mod tokens;

use std::collections::HashMap;
use std::ops::Range;

use crate::change::{CaptureInfo, Change, ChangeSource};
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::clock::TOO_LATE;
use crate::read::fold::Fold;
use crate::read::input::Input;
use crate::read::select::select;
use header::{Header, VariableBit};
use tokens::Tokens;

const FORMAT: &str = "value change dump (VCD)";
const BATCH_CHANGES: usize = 4096;
const FS_PER_PS: u128 = 1_000;
/// Keywords that a dump may begin with.
const FIRST_KEYWORDS: &[&[u8]] = &[
    b"$date",
    b"$version",
    b"$comment",
    b"$timescale",
    b"$scope",
    b"$var",
    b"$enddefinitions",
    b"$attrbegin",
];

/// Whether a text that begins with `head` is a value change dump.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let start = head.trim_ascii_start();
    let word = start.split(|byte| *byte <= b' ').next().unwrap_or_default();
    FIRST_KEYWORDS.contains(&word)
}

/// Opens a value change dump.
pub(crate) fn open(input: Input, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let path = input.path.clone();
    let mut tokens = Tokens::new(input);
    let header = header::read(&mut tokens)?;
    let selected = select(&path, &header.channels, &options.channels)?;
    Ok(Box::new(VcdSource {
        codes: Codes::new(&header, &selected),
        info: CaptureInfo {
            format: FORMAT,
            channels: selected.iter().map(|position| header.channels[*position].clone()).collect(),
            start: None,
            sample_rate: None,
        },
        tick_fs: header.tick_fs,
        tokens,
        levels: 0,
        value: Vec::new(),
        fold: Fold::default(),
        first_stamp: None,
        stamp: 0,
        time_ps: 0,
        ended: false,
    }))
}

/// Which level one bit of a variable drives.
#[derive(Clone, Copy)]
struct Drive {
    position: usize,
    level: u64,
}

/// From identifier codes to the levels that they drive.
struct Codes {
    /// For codes of one or two characters, which nearly all are: one more than the place in `drives`.
    short: Vec<u32>,
    long: HashMap<Vec<u8>, u32>,
    drives: Vec<Vec<Drive>>,
}

impl Codes {
    fn new(header: &Header, selected: &[usize]) -> Self {
        let mut codes = Self { short: vec![0; 1 << 16], long: HashMap::new(), drives: Vec::new() };
        for code in header.bits.iter().map(|bit| &bit.code).chain(&header.others) {
            codes.entry(code);
        }
        for (level, position) in selected.iter().enumerate() {
            let VariableBit { code, position } = &header.bits[*position];
            codes.entry(code).push(Drive { position: *position, level: 1 << level });
        }
        codes
    }

    fn entry(&mut self, code: &[u8]) -> &mut Vec<Drive> {
        let slot = match short_code(code) {
            Some(short) => &mut self.short[short],
            None => self.long.entry(code.to_vec()).or_default(),
        };
        if *slot == 0 {
            self.drives.push(Vec::new());
            *slot = u32::try_from(self.drives.len()).expect("the header limits the number of variables");
        }
        &mut self.drives[*slot as usize - 1]
    }

    /// The levels that a code drives; nothing for a code that was not declared.
    fn find(&self, code: &[u8]) -> Option<&[Drive]> {
        let slot = match short_code(code) {
            Some(short) => self.short[short],
            None => *self.long.get(code)?,
        };
        (slot as usize).checked_sub(1).map(|place| self.drives[place].as_slice())
    }
}

fn short_code(code: &[u8]) -> Option<usize> {
    match *code {
        [only] => Some(usize::from(only)),
        [first, second] => Some(usize::from(first) | usize::from(second) << 8),
        _ => None,
    }
}

/// Sets the levels that `drives` name from a value of one or more characters, the last of which is bit 0.
fn apply(levels: &mut u64, drives: &[Drive], value: &[u8]) {
    for drive in drives {
        let character = match value.len().checked_sub(drive.position + 1) {
            Some(at) => value[at],
            // A short value is extended to the left, a 1 by zeros.
            None => match value.first() {
                Some(b'1') | None => b'0',
                Some(other) => *other,
            },
        };
        match character {
            b'1' | b'H' | b'h' => *levels |= drive.level,
            b'0' | b'L' | b'l' => *levels &= !drive.level,
            _ => {}
        }
    }
}

struct VcdSource {
    info: CaptureInfo,
    tokens: Tokens,
    codes: Codes,
    tick_fs: u128,
    levels: u64,
    /// The value of a vector while its code is read.
    value: Vec<u8>,
    fold: Fold,
    first_stamp: Option<u64>,
    stamp: u64,
    time_ps: i64,
    ended: bool,
}

impl ChangeSource for VcdSource {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        while !self.ended && batch.len() < BATCH_CHANGES {
            let Some(word) = self.tokens.next()? else {
                self.finish(batch)?;
                break;
            };
            match self.tokens.bytes(word.clone()) {
                [b'#', stamp @ ..] => {
                    let stamp = parse_stamp(stamp);
                    self.advance(stamp, batch)?;
                }
                [b'b' | b'B', ..] => self.vector(&word)?,
                [b'r' | b'R' | b's' | b'S', ..] => {
                    self.tokens.next()?;
                }
                b"$comment" => self.tokens.skip_to_end()?,
                [b'$', ..] => {}
                [value, code @ ..] => match self.codes.find(code) {
                    Some(drives) if is_value(*value) => apply(&mut self.levels, drives, &[*value]),
                    _ => return Err(self.refused_word(word)),
                },
                [] => {}
            }
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.time_ps
    }
}

/// Verilog's four values, and the further ones of VHDL.
fn is_value(character: u8) -> bool {
    matches!(character, b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' | b'H' | b'h' | b'L' | b'l')
        || matches!(character, b'U' | b'u' | b'W' | b'w' | b'-')
}

fn parse_stamp(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+')).and_then(|text| text.parse().ok())
}

impl VcdSource {
    /// Closes the state of the time that was and goes on to the next.
    fn advance(&mut self, stamp: Option<u64>, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        let stamp = stamp
            .ok_or_else(|| self.tokens.refused("a # must be followed by a whole number of time units"))?;
        let Some(first) = self.first_stamp else {
            (self.first_stamp, self.stamp) = (Some(stamp), stamp);
            return Ok(());
        };
        if stamp < self.stamp {
            let what =
                format!("the time goes back from #{} to #{stamp}; export the capture again", self.stamp);
            return Err(self.tokens.refused(&what));
        }
        self.fold.state(self.time_ps, self.levels, batch);
        self.stamp = stamp;
        self.time_ps = self.elapsed_ps(stamp - first).ok_or_else(|| self.tokens.refused(TOO_LATE))?;
        Ok(())
    }

    fn elapsed_ps(&self, ticks: u64) -> Option<i64> {
        let fs = u128::from(ticks).checked_mul(self.tick_fs)?;
        match u64::try_from(fs) {
            Ok(fs) => i64::try_from(fs / FS_PER_PS as u64).ok(),
            Err(_) => i64::try_from(fs / FS_PER_PS).ok(),
        }
    }

    /// Takes `bVALUE CODE`.
    fn vector(&mut self, word: &Range<usize>) -> Result<(), CaptureError> {
        self.value.clear();
        self.value.extend_from_slice(&self.tokens.bytes(word.clone())[1..]);
        let Some(word) = self.tokens.next()? else {
            return Err(self.tokens.refused("the file ends within a value; export or copy it again"));
        };
        match self.codes.find(self.tokens.bytes(word.clone())) {
            Some(drives) if self.value.iter().all(|character| is_value(*character)) => {
                apply(&mut self.levels, drives, &self.value);
                Ok(())
            }
            _ => Err(self.refused_word(word)),
        }
    }

    fn finish(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        if self.first_stamp.is_none() {
            return Err(self.tokens.refused("the dump has no times (#0); record or export it again"));
        }
        self.fold.state(self.time_ps, self.levels, batch);
        self.fold.finish(batch);
        self.ended = true;
        Ok(())
    }

    fn refused_word(&self, word: Range<usize>) -> CaptureError {
        const SHOWN_BYTES: usize = 32;
        let word = self.tokens.bytes(word);
        let shown = String::from_utf8_lossy(&word[..word.len().min(SHOWN_BYTES)]);
        self.tokens.refused(&format!(
            "`{shown}` is no value change of a declared variable; export or copy the file again"
        ))
    }
}
