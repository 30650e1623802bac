//! Sectors that several chips have alike: boards with the same image hold its bytes once between them. Who changes a sector gets
//! a copy of his own, so that nothing but memory depends on this.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::cells::{SECTOR_BYTES, Sector};

/// Sectors that nobody has any more are forgotten when there are this many, and then at every doubling.
const FIRST_CLEANING: usize = 1024;

/// The sectors that chips have now, by a digest of their bytes.
#[derive(Default)]
struct Known {
    sectors: HashMap<u64, (Weak<Vec<u8>>, usize)>,
    next_cleaning: usize,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The same sector, or one that another chip has with the same bytes.
pub(super) fn share(sector: Sector) -> Sector {
    let digest = digest(sector.bytes());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, at)) = known.sectors.get(&digest)
        && let Some(of) = of.upgrade()
        && let other = Sector::part(&of, *at)
        && other.bytes() == sector.bytes()
    {
        return other;
    }
    let (of, at) = sector.place();
    known.sectors.insert(digest, (Arc::downgrade(of), at));
    if known.sectors.len() > known.next_cleaning.max(FIRST_CLEANING) {
        known.sectors.retain(|_, (of, _)| of.strong_count() > 0);
        known.next_cleaning = 2 * known.sectors.len();
    }
    sector
}

/// Two sectors with one digest are held apart by their bytes.
fn digest(bytes: &[u8; SECTOR_BYTES]) -> u64 {
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

    fn sector(factor: usize) -> Sector {
        Sector::from((0..SECTOR_BYTES).map(|n| (n * factor + 3) as u8).collect::<Vec<u8>>())
    }

    #[test]
    fn chips_that_were_given_the_same_bytes_have_one_sector_until_one_changes_it() {
        let (one, mut other) = (share(sector(7)), share(sector(7)));
        assert!(one.is_same_place(&other));
        other.own()[5] = 0;
        assert_eq!((one.bytes()[5], other.bytes()[5]), (38, 0));
        assert!(one.is_same_place(&share(sector(7))));
    }

    #[test]
    fn a_sector_that_nobody_has_is_not_kept() {
        let digest = digest(sector(11).bytes());
        drop(share(sector(11)));
        let known = KNOWN.lock().unwrap();
        assert!(known.sectors.get(&digest).is_none_or(|(of, _)| of.strong_count() == 0));
    }

    #[test]
    fn a_sector_of_a_large_image_is_changed_without_the_rest() {
        let image = Arc::new(vec![0x55; 3 * SECTOR_BYTES]);
        let mut middle = Sector::part(&image, SECTOR_BYTES);
        middle.own()[0] = 0;
        assert_eq!((middle.bytes()[0], middle.bytes()[1]), (0, 0x55));
        assert!(image.iter().all(|&byte| byte == 0x55));
    }
}
