//! The cells of the flash chip: bytes that programming can only clear bit by bit and erasing sets again. Copies share
//! each sector until one side changes it, so that a snapshot costs nothing and a write after it little.

use std::ops::Range;
use std::sync::Arc;

use super::chip::FlashError;
use super::shared::share;

/// A byte after an erase.
pub(super) const ERASED: u8 = 0xff;
/// Changed ranges that are kept apart before they are reported as one.
const CHANGES: usize = 32;
/// What copies share or not: as much as the smallest erase clears.
pub(super) const SECTOR_BYTES: usize = 4096;

/// A sector's bytes: a part of what may be a whole image, so that loading one copies nothing.
#[derive(Debug, Clone)]
pub(super) struct Sector {
    of: Arc<Vec<u8>>,
    at: usize,
}

impl Sector {
    /// The part that begins at a place; there must be as many bytes.
    pub(super) fn part(of: &Arc<Vec<u8>>, at: usize) -> Self {
        assert!(at + SECTOR_BYTES <= of.len(), "a sector is whole");
        Self { of: of.clone(), at }
    }

    pub(super) fn bytes(&self) -> &[u8; SECTOR_BYTES] {
        self.of[self.at..].first_chunk().expect("a sector is whole")
    }

    /// Where its bytes are.
    pub(super) fn place(&self) -> (&Arc<Vec<u8>>, usize) {
        (&self.of, self.at)
    }

    pub(super) fn is_same_place(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of) && self.at == other.at
    }

    /// The bytes, to change them: from here on they are nobody else's.
    pub(super) fn own(&mut self) -> &mut [u8] {
        if self.of.len() != SECTOR_BYTES {
            *self = Self::from(self.bytes().to_vec());
        }
        let own: &mut Vec<u8> = Arc::make_mut(&mut self.of);
        own
    }
}

impl From<Vec<u8>> for Sector {
    fn from(bytes: Vec<u8>) -> Self {
        Self::part(&Arc::new(bytes), 0)
    }
}

/// The cells, and what changed.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub(super) struct Cells {
    sectors: Box<[Sector]>,
    erased: Sector,
    generation: u64,
    changes: Vec<Range<u32>>,
}

/// The cells in a saved state: sectors that are not erased, by number.
#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    sectors: usize,
    written: Vec<(usize, Vec<u8>)>,
    generation: u64,
    changes: Vec<Range<u32>>,
}

impl From<Cells> for Saved {
    fn from(cells: Cells) -> Self {
        let is_written = |sector: &Sector| sector.bytes() != cells.erased.bytes();
        let written = cells.sectors.iter().enumerate().filter(|(_, sector)| is_written(sector));
        Self {
            sectors: cells.sectors.len(),
            written: written.map(|(number, sector)| (number, sector.bytes().to_vec())).collect(),
            generation: cells.generation,
            changes: cells.changes,
        }
    }
}

impl From<Saved> for Cells {
    fn from(saved: Saved) -> Self {
        let mut cells = Self::new(saved.sectors * SECTOR_BYTES);
        for (number, bytes) in saved.written {
            if let Some(sector) = cells.sectors.get_mut(number).filter(|_| bytes.len() == SECTOR_BYTES) {
                *sector = Sector::from(bytes);
            }
        }
        (cells.generation, cells.changes) = (saved.generation, saved.changes);
        cells
    }
}

impl Cells {
    /// Erased cells, a whole number of sectors.
    pub(super) fn new(size_bytes: usize) -> Self {
        let erased = Sector::from(vec![ERASED; SECTOR_BYTES]);
        let sectors = vec![erased.clone(); size_bytes / SECTOR_BYTES].into();
        Self { sectors, erased, generation: 0, changes: Vec::new() }
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.sectors.len() * SECTOR_BYTES
    }

    /// The aligned word that has the byte at an offset.
    #[inline]
    pub(super) fn word(&self, offset: usize) -> u32 {
        let words = self.sectors[offset / SECTOR_BYTES].bytes().as_chunks::<4>().0;
        u32::from_le_bytes(words[offset % SECTOR_BYTES / 4])
    }

    #[inline]
    pub(super) fn byte(&self, offset: usize) -> u8 {
        self.sectors[offset / SECTOR_BYTES].bytes()[offset % SECTOR_BYTES]
    }

    /// A copy in one piece.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.sectors.iter().flat_map(|sector| *sector.bytes()).collect()
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn take_changes(&mut self) -> Vec<Range<u32>> {
        std::mem::take(&mut self.changes)
    }

    pub(super) fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Range<usize>> + 'a {
        let both = self.sectors.iter().zip(&other.sectors).enumerate();
        let differ =
            |here: &Sector, there: &Sector| !here.is_same_place(there) && here.bytes() != there.bytes();
        let different = both.filter(move |(_, (here, there))| differ(here, there));
        different.map(|(number, _)| number * SECTOR_BYTES..(number + 1) * SECTOR_BYTES)
    }

    /// Puts bytes into the cells. Whole sectors of them are not copied, and shared with other chips that were given the same.
    pub(super) fn load(&mut self, offset: usize, bytes: &Arc<Vec<u8>>) -> Result<(), FlashError> {
        let size = self.size_bytes();
        let end = offset.checked_add(bytes.len()).filter(|&end| end <= size);
        let end = end.ok_or(FlashError::TooLong { offset, bytes: bytes.len(), size })?;
        self.changed(offset..end);
        let mut start = offset;
        while start < end {
            let within = start % SECTOR_BYTES;
            let count = (end - start).min(SECTOR_BYTES - within);
            let sector = &mut self.sectors[start / SECTOR_BYTES];
            let loaded = match count {
                SECTOR_BYTES => Sector::part(bytes, start - offset),
                _ => {
                    let mut whole = sector.bytes().to_vec();
                    whole[within..within + count].copy_from_slice(&bytes[start - offset..][..count]);
                    Sector::from(whole)
                }
            };
            *sector = share(loaded);
            start += count;
        }
        Ok(())
    }

    pub(super) fn program(&mut self, offset: usize, bytes: &[u8]) {
        self.change(offset..offset + bytes.len(), |at, cells| {
            for (cell, &byte) in cells.iter_mut().zip(&bytes[at..]) {
                *cell &= byte;
            }
        });
    }

    /// Erases whole sectors.
    pub(super) fn erase(&mut self, offset: usize, count: usize) {
        self.changed(offset..offset + count);
        self.sectors[offset / SECTOR_BYTES..(offset + count) / SECTOR_BYTES].fill(self.erased.clone());
    }

    /// Lets the cells of a range be changed, sector by sector; each piece comes with its place in the range.
    fn change(&mut self, range: Range<usize>, mut change: impl FnMut(usize, &mut [u8])) {
        self.changed(range.clone());
        let mut start = range.start;
        while start < range.end {
            let within = start % SECTOR_BYTES;
            let count = (range.end - start).min(SECTOR_BYTES - within);
            let sector = self.sectors[start / SECTOR_BYTES].own();
            change(start - range.start, &mut sector[within..within + count]);
            start += count;
        }
    }

    fn changed(&mut self, range: Range<usize>) {
        self.generation += 1;
        self.note(range.start as u32..range.end as u32);
    }

    fn note(&mut self, range: Range<u32>) {
        match self.changes.last_mut() {
            Some(last) if last.end == range.start || *last == range => last.end = range.end,
            _ => self.changes.push(range),
        }
        if self.changes.len() > CHANGES {
            let start = self.changes.iter().map(|change| change.start).min().unwrap_or(0);
            let end = self.changes.iter().map(|change| change.end).max().unwrap_or(0);
            self.changes = vec![Range { start, end }];
        }
    }
}
