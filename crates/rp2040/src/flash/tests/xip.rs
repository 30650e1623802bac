//! The XIP cache against a slow model, and its registers.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use units::Picoseconds;

use crate::flash::FlashChip;
use crate::flash::ssi::XipTiming;
use crate::flash::xip::{Alias, FLUSH_CYCLES, Replacement, STREAM_FIFO, XipCache};
use crate::io::Io;
use crate::peripherals::{Peripheral, Source};

const CTRL: u32 = 0x00;
const FLUSH: u32 = 0x04;
const STAT: u32 = 0x08;
const CTR_HIT: u32 = 0x0c;
const CTR_ACC: u32 = 0x10;
const STREAM_ADDR: u32 = 0x14;
const STREAM_CTR: u32 = 0x18;
const MISS: u32 = 48;

fn cache(replacement: Replacement) -> XipCache {
    let mut cache = XipCache::default();
    cache.set_timing(XipTiming { sck_clocks: 20, wire_cycles: 40, miss_cycles_32bit: MISS });
    cache.set_replacement(replacement);
    cache
}

fn io() -> Io {
    let mut io = Io::default();
    io.clocks.sys_hz = 125_000_000;
    io
}

/// Lines by set, the one used last at the end, each with the words that it holds.
#[derive(Default)]
struct SlowModel {
    sets: BTreeMap<u32, Vec<(u32, BTreeSet<u32>)>>,
}

impl SlowModel {
    fn access(&mut self, alias: Alias, offset: u32) -> bool {
        let (line, word) = (offset / 8, offset / 4);
        let set = self.sets.entry(line % 1024).or_default();
        let place = set.iter().position(|(held, _)| *held == line);
        let hit = place.is_some_and(|place| set[place].1.contains(&word));
        match alias {
            Alias::Uncached => return false,
            Alias::NoAllocate => return hit,
            Alias::Cached | Alias::NoCheck => {}
        }
        let mut entry = place.map_or((line, BTreeSet::new()), |place| set.remove(place));
        entry.1.insert(word);
        if set.len() == 2 {
            set.remove(0);
        }
        set.push(entry);
        hit && alias == Alias::Cached
    }

    fn invalidate(&mut self, offset: u32) {
        if let Some(set) = self.sets.get_mut(&(offset / 8 % 1024)) {
            set.retain(|(line, _)| *line != offset / 8);
        }
    }
}

/// Offsets that often fall into the same sets.
fn offset() -> impl Strategy<Value = u32> {
    (0u32..6, 0u32..4, 0u32..8).prop_map(|(tag, set, byte)| tag << 13 | set << 3 | byte)
}

fn alias() -> impl Strategy<Value = Alias> {
    prop_oneof![6 => Just(Alias::Cached), 1 => Just(Alias::NoAllocate), 1 => Just(Alias::NoCheck), 1 => Just(Alias::Uncached)]
}

proptest! {
    #[test]
    fn with_least_recently_used_it_is_the_slow_model(steps in prop::collection::vec((offset(), alias(), 0u8..12), 1..300)) {
        let (mut cache, mut model) = (cache(Replacement::LeastRecentlyUsed), SlowModel::default());
        for (offset, alias, act) in steps {
            if act == 0 {
                cache.invalidate(offset);
                model.invalidate(offset);
            }
            let hit = model.access(alias, offset);
            prop_assert_eq!(cache.access_through(alias, offset), if hit { 0 } else { MISS });
        }
    }

    #[test]
    fn with_pseudo_random_replacement_two_lines_of_a_set_stay(steps in prop::collection::vec((offset(), 0u8..8), 1..300)) {
        let mut cache = cache(Replacement::PseudoRandom);
        // Every word that was ever there since it was last dropped, and the line used last in each set.
        let (mut seen, mut last) = (BTreeSet::new(), BTreeMap::new());
        for (offset, act) in steps {
            if act == 0 {
                cache.invalidate(offset);
                seen.retain(|word| word / 2 != offset / 8);
                last.retain(|_, words: &mut BTreeSet<u32>| !words.iter().any(|word| word / 2 == offset / 8));
            }
            let hit = cache.access(offset) == 0;
            prop_assert!(!hit || seen.contains(&(offset / 4)));
            let line: &mut BTreeSet<u32> = last.entry(offset / 8 % 1024).or_default();
            if line.iter().all(|word| word / 2 != offset / 8) {
                line.clear();
            }
            prop_assert!(hit || !line.contains(&(offset / 4)), "the line used last was gone");
            line.insert(offset / 4);
            seen.insert(offset / 4);
        }
    }
}

#[test]
fn a_working_set_of_16_kilobytes_misses_once_for_each_word() {
    for replacement in [Replacement::LeastRecentlyUsed, Replacement::PseudoRandom] {
        let mut cache = cache(replacement);
        let pass = |cache: &mut XipCache| (0..4096).map(|word| cache.access(0x1000 + word * 4)).sum::<u32>();
        // The second way fills only where the first is occupied; random replacement may need more passes for that.
        let first = pass(&mut cache);
        assert_eq!(first, 4096 * MISS);
        if replacement == Replacement::LeastRecentlyUsed {
            assert_eq!(pass(&mut cache), 0);
        }
        for _ in 0..40 {
            pass(&mut cache);
        }
        assert_eq!(pass(&mut cache), 0);
    }
}

#[test]
fn the_counters_are_those_of_the_datasheets_example() {
    let (mut cache, mut io) = (cache(Replacement::default()), io());
    cache.write(FLUSH, 1, &mut io);
    cache.write(CTR_ACC, 1, &mut io);
    cache.write(CTR_HIT, 1, &mut io);
    let counters = |cache: &XipCache, io: &Io| (cache.peek(CTR_HIT, io), cache.peek(CTR_ACC, io));
    cache.access(0x4000);
    assert_eq!(counters(&cache, &io), (0, 1));
    cache.access(0x4000);
    assert_eq!(counters(&cache, &io), (1, 2));
    cache.invalidate(0x4000);
    cache.access(0x4000);
    assert_eq!(counters(&cache, &io), (1, 3));
    cache.access_through(Alias::Uncached, 0x4000);
    assert_eq!(counters(&cache, &io), (1, 4));
    cache.write(CTR_HIT, 0, &mut io);
    assert_eq!(counters(&cache, &io), (0, 4));
}

#[test]
fn a_flush_takes_1024_cycles_for_which_reading_its_register_waits() {
    let (mut cache, mut io) = (cache(Replacement::default()), io());
    cache.access(0);
    cache.write(FLUSH, 1, &mut io);
    assert_eq!(cache.read(STAT, &mut io) & 1, 0);
    assert_eq!(cache.take_stall(), 0);
    io.now = Picoseconds::from_ns(24 * 8);
    cache.read(FLUSH, &mut io);
    let stall = cache.take_stall();
    assert!(stall.abs_diff(FLUSH_CYCLES - 24) <= 1, "{stall}");
    assert_eq!(cache.take_stall(), 0);
    io.now = Picoseconds::from_ns(1024 * 8);
    assert_eq!(cache.read(STAT, &mut io) & 1, 1);
    assert_eq!(cache.access(0), MISS);
}

#[test]
fn a_cache_that_is_off_misses_always_and_is_sram() {
    let (mut cache, mut io) = (cache(Replacement::default()), io());
    cache.access(0);
    assert!(cache.sram().is_none());
    cache.write(CTRL, 0, &mut io);
    assert_eq!((cache.access(0), cache.access(0)), (MISS, MISS));
    cache.sram_mut().expect("off")[16383] = 7;
    assert_eq!(cache.sram().expect("off")[16383], 7);
    cache.write(CTRL, 0x9, &mut io);
    assert_eq!(cache.read(CTRL, &mut io), 0x8, "powered down it cannot be on");
    assert!(cache.sram().is_none());
}

#[test]
fn writes_beside_the_cached_window_are_faults_unless_switched_off() {
    let (mut cache, mut io) = (cache(Replacement::default()), io());
    assert!(!cache.write_is_fault(Alias::Cached));
    assert!(cache.write_is_fault(Alias::Uncached));
    cache.write(CTRL, 1, &mut io);
    assert!(!cache.write_is_fault(Alias::Uncached));
}

#[test]
fn windows_are_told_by_their_addresses() {
    let aliases =
        [0x1000_0000, 0x11ff_ffff, 0x1234_5678, 0x1300_0000, 0x1400_0000, 0x0fff_ffff].map(Alias::of);
    use Alias::{Cached, NoAllocate, NoCheck, Uncached};
    assert_eq!(aliases, [Some(Cached), Some(NoAllocate), Some(NoCheck), Some(Uncached), None, None]);
}

#[test]
fn a_stream_fills_its_fifo_at_the_pace_of_the_flash_and_waits_for_room() {
    let (mut cache, mut io) = (cache(Replacement::default()), io());
    let mut flash = FlashChip::new(65536).expect("a size");
    flash.load(0, &(0..=255).collect::<Vec<u8>>()).expect("it fits");
    let run = |cache: &mut XipCache, io: &mut Io| {
        while let Some(at) = io.due(Source::Flash) {
            io.now = at;
            io.cancel(Source::Flash);
            cache.wake_stream(&flash, io);
        }
    };
    cache.write(STREAM_ADDR, 0x1000_0041, &mut io);
    cache.write(STREAM_CTR, 3, &mut io);
    assert_eq!(io.lines.dreq() >> 37 & 1, 0);
    run(&mut cache, &mut io);
    assert_eq!(io.now.ps(), 2 * i64::from(MISS + 7) * 8000);
    assert_eq!((io.lines.dreq() >> 37 & 1, cache.read(STAT, &mut io) & 6), (1, 4));
    assert_eq!(cache.read(STREAM_CTR, &mut io), 1);
    let mut words = Vec::new();
    for _ in 0..3 {
        words.push(cache.read(STREAM_FIFO, &mut io));
        run(&mut cache, &mut io);
    }
    assert_eq!(words, [0x4342_4140, 0x4746_4544, 0x4b4a_4948]);
    assert_eq!((io.lines.dreq() >> 37 & 1, cache.read(STAT, &mut io) & 6), (0, 2));
    assert_eq!(cache.read(STREAM_ADDR, &mut io), 0x1000_004c);
}
