//! The run lengths of a block of a `digital-N.bin`: how many samples the level stays before it toggles.
//!
//! A run is a big-endian number of one byte or more, one less than its length. First byte: bit 7 marks another
//! encoding that no known file has, bit 6 says that more bytes follow, the rest are the highest bits. Further
//! bytes: bit 7 says that more follow, the rest are the next lower bits.

/// No run takes more bytes than this.
pub(super) const MAX_RUN_BYTES: usize = 10;

const OTHER_ENCODING: u8 = 0x80;
const FIRST_CONTINUES: u8 = 0x40;
const CONTINUES: u8 = 0x80;

/// A part of a block's data.
pub(super) struct Runs<'a> {
    pub(super) data: &'a [u8],
    /// Whether the block's data ends with `data`; otherwise a run may be cut off by its end.
    pub(super) is_last: bool,
    /// The sample at which the block ends.
    pub(super) end: u64,
}

/// What is wrong with a run, and at which byte of the data.
#[derive(Debug)]
pub(super) struct BadRun {
    pub(super) at: usize,
    pub(super) what: String,
}

impl Runs<'_> {
    /// Appends the samples at which the level toggles, starting from the sample `position`, which moves on.
    /// Returns the number of bytes used: all of them when `data` is the last of the block.
    pub(super) fn decode(&self, position: &mut u64, edges: &mut Vec<u64>) -> Result<usize, BadRun> {
        let mut sample = *position;
        let mut at = 0;
        edges.reserve(self.data.len());
        while at < self.data.len() {
            let first = self.data[at];
            let (less_one, next) = if first < FIRST_CONTINUES {
                (u64::from(first), at + 1)
            } else {
                if !self.is_last && self.data.len() - at < MAX_RUN_BYTES {
                    break;
                }
                self.long_run(at)?
            };
            if less_one >= self.end - sample {
                return Err(bad(
                    at,
                    format!("the runs of this block go on beyond its end, sample {}", self.end),
                ));
            }
            sample += less_one + 1;
            at = next;
            edges.push(sample);
        }
        *position = sample;
        if self.is_last {
            self.close(at, sample, edges)?;
        }
        Ok(at)
    }

    /// The last run ends with the block and not with an edge.
    fn close(&self, at: usize, sample: u64, edges: &mut Vec<u64>) -> Result<(), BadRun> {
        if sample != self.end {
            let what =
                format!("the runs of this block end at sample {sample}, but the block at {}", self.end);
            return Err(bad(at, what));
        }
        edges.pop();
        Ok(())
    }

    /// A run of two bytes or more: its length less one, and where the next one starts.
    #[inline(always)]
    fn long_run(&self, at: usize) -> Result<(u64, usize), BadRun> {
        let first = self.data[at];
        if first & OTHER_ENCODING != 0 {
            return Err(bad(
                at,
                "this run has an encoding that Airwire does not know; export the capture as CSV",
            ));
        }
        let mut value = u64::from(first & !FIRST_CONTINUES);
        for (index, byte) in self.data[at + 1..].iter().enumerate().take(MAX_RUN_BYTES - 1) {
            value = value << 7 | u64::from(byte & !CONTINUES);
            if byte & CONTINUES == 0 {
                return Ok((value, at + 2 + index));
            }
        }
        Err(bad(at, "this run does not end within its block or 10 bytes"))
    }
}

fn bad(at: usize, what: impl Into<String>) -> BadRun {
    BadRun { at, what: what.into() }
}
