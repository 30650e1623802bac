//! Sectors that several chips have alike: boards with the same image hold its bytes once between them. Who changes a sector gets
//! a copy of his own ([`Arc::make_mut`]), so that nothing but memory depends on this.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::cells::{SECTOR_BYTES, Sector};

/// Sectors that nobody has any more are forgotten when there are this many, and then at every doubling.
const FIRST_CLEANING: usize = 1024;

/// The sectors that chips have now, by a digest of their bytes.
#[derive(Default)]
struct Known {
    sectors: HashMap<u64, Weak<Sector>>,
    next_cleaning: usize,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// A sector with these bytes, which may be one that another chip has.
pub(super) fn share(bytes: &Sector) -> Arc<Sector> {
    let digest = digest(bytes);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sector) = known.sectors.get(&digest).and_then(Weak::upgrade)
        && *sector == *bytes
    {
        return sector;
    }
    let sector = Arc::new(*bytes);
    known.sectors.insert(digest, Arc::downgrade(&sector));
    if known.sectors.len() > known.next_cleaning.max(FIRST_CLEANING) {
        known.sectors.retain(|_, sector| sector.strong_count() > 0);
        known.next_cleaning = 2 * known.sectors.len();
    }
    sector
}

/// Two sectors with one digest are held apart by their bytes.
fn digest(bytes: &Sector) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [SECTOR_BYTES as u64, 1, 2, 3];
    for words in bytes.as_chunks::<32>().0 {
        for (lane, word) in lanes.iter_mut().zip(words.as_chunks::<8>().0) {
            *lane = (lane.rotate_left(29) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
        }
    }
    lanes.iter().fold(0, |all: u64, lane| (all.rotate_left(23) ^ lane).wrapping_mul(FACTOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_that_were_given_the_same_bytes_have_one_sector_until_one_changes_it() {
        let bytes: Sector = std::array::from_fn(|n| (n * 7 + 3) as u8);
        let (one, mut other) = (share(&bytes), share(&bytes));
        assert!(Arc::ptr_eq(&one, &other));
        Arc::make_mut(&mut other)[5] = 0;
        assert_eq!((one[5], other[5]), (bytes[5], 0));
        assert!(Arc::ptr_eq(&one, &share(&bytes)));
    }

    #[test]
    fn a_sector_that_nobody_has_is_not_kept() {
        let bytes: Sector = std::array::from_fn(|n| (n * 11 + 1) as u8);
        let digest = digest(&bytes);
        drop(share(&bytes));
        let known = KNOWN.lock().unwrap();
        assert!(known.sectors.get(&digest).is_none_or(|sector| sector.strong_count() == 0));
    }
}
