//! Skips equal samples: logic captures are long runs of one value, so a reader is as fast as it finds the end
//! of a run.

/// Samples that are compared one by one before whole blocks are, because edges come in clusters.
const NEAR_SAMPLES: usize = 16;
/// Samples in a block: eight bytes of one channel group, whatever the sample's size.
const BLOCK_SAMPLES: usize = 64;

/// The current sample and which of its bits matter.
pub(super) struct Run {
    sample: Vec<u8>,
    mask: Vec<u8>,
    /// The sample and the mask, repeated to fill a block.
    sample_words: Vec<u64>,
    mask_words: Vec<u64>,
    /// Whether `sample_words` are of an earlier sample: runs that end soon never need them.
    stale: bool,
}

impl Run {
    /// A run of samples of `unit_bytes` in which only the bits `selected` matter.
    pub(super) fn new(unit_bytes: usize, selected: &[u32]) -> Self {
        let mut mask = vec![0; unit_bytes];
        for bit in selected {
            mask[*bit as usize / 8] |= 1 << (bit % 8);
        }
        let block_words = unit_bytes * BLOCK_SAMPLES / 8;
        let mut run = Self {
            sample: vec![0; unit_bytes],
            mask_words: vec![0; block_words],
            sample_words: vec![0; block_words],
            stale: false,
            mask,
        };
        repeat(&run.mask, &mut run.mask_words);
        run
    }

    /// Begins a run of `sample`.
    pub(super) fn hold(&mut self, sample: &[u8]) {
        self.sample.copy_from_slice(sample);
        self.stale = true;
    }

    /// The number of samples at the start of `samples` that continue the run.
    pub(super) fn length(&mut self, samples: &[u8]) -> usize {
        let unit = self.sample.len();
        let near = samples.len().min(NEAR_SAMPLES * unit);
        let length = self.length_one_by_one(&samples[..near]);
        if length * unit < near {
            return length;
        }
        if std::mem::take(&mut self.stale) {
            repeat(&self.sample, &mut self.sample_words);
        }
        let far = &samples[near..];
        let equal_blocks =
            far.chunks_exact(unit * BLOCK_SAMPLES).take_while(|block| self.holds_throughout(block)).count();
        let rest = &far[equal_blocks * unit * BLOCK_SAMPLES..];
        length + equal_blocks * BLOCK_SAMPLES + self.length_one_by_one(rest)
    }

    fn length_one_by_one(&self, samples: &[u8]) -> usize {
        let same = |sample: &&[u8]| {
            sample.iter().zip(&self.sample).zip(&self.mask).all(|((a, b), mask)| (a ^ b) & mask == 0)
        };
        samples.chunks_exact(self.sample.len()).take_while(same).count()
    }

    fn holds_throughout(&self, block: &[u8]) -> bool {
        let words = block.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        let expected = self.sample_words.iter().zip(&self.mask_words);
        let difference =
            words.zip(expected).fold(0, |all, (word, (sample, mask))| all | ((word ^ sample) & mask));
        difference == 0
    }
}

fn repeat(pattern: &[u8], words: &mut [u64]) {
    let mut bytes = pattern.iter().copied().cycle();
    for word in words {
        *word = u64::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0)));
    }
}
