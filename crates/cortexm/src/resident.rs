//! Runs of code that are known to be in the cache of the flash. A stretch with superinstructions looks a word up once, and not
//! again as long as nothing changes in the cache: a loop that fits into it takes no longer than one in SRAM.
//!
//! While it executes such a run `reach` ends where the run does: what lies behind the end or goes over it is fetched first, and
//! so is what a branch goes back to from before it began. How many words it fetched follows from the branches.

use crate::Core;
use crate::bus::Bus;
use crate::cursor::{After, Cursor, End};
use crate::execute::{IN_FLASH, NO_WORD};
use crate::interpreter::SUPERINSTRUCTIONS;
use crate::isa::{Kind, Op, words_left};
use crate::superinstruction::LONGEST;

/// What a core knows of the run that it is in. It stands in the core, because what seldom changes must not take registers of the
/// machine that emulates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    /// Where it begins and ends, in halfwords from the beginning of the flash.
    first: u32,
    end: u32,
    /// Where no instruction begins any more that is in it as a whole; 0 while no run is known.
    reach: u32,
    /// The word that was fetched last, from the beginning of the flash, where no run is known.
    word: u32,
    /// What added to the word that was fetched last gives the fetches that were not counted yet.
    uncounted: u32,
    /// The state of the cache for which all this holds.
    residents: u32,
}

impl<'a, const REGION: u8, const MODE: u8> Cursor<'a, REGION, MODE> {
    /// Code is looked up in the cache by runs and not by words.
    pub(super) const FETCHES_RUNS: bool = REGION == IN_FLASH && MODE == SUPERINSTRUCTIONS;

    /// The code that may be executed without fetching it first, and what a superinstruction at its end reads besides.
    #[inline(always)]
    pub(super) fn reach(&self, core: &Core) -> &'a [Op] {
        if !Self::FETCHES_RUNS {
            return self.ops;
        }
        match core.run.reach as usize {
            0 => &[],
            reach => self.ops.get(..reach + LONGEST - 1).unwrap_or(self.ops),
        }
    }

    /// Fetches the next instruction, which is in no run that is known, and begins a run with it. False when the stretch ends,
    /// as it is not decoded yet, or to be executed alone, or the cache keeps nothing.
    #[inline(always)]
    pub(super) fn fetch_run<B: Bus>(&mut self, core: &mut Core, bus: &mut B) -> bool {
        self.end_run(core, bus);
        if self.index as usize + LONGEST > self.ops.len() {
            self.ends(End::Undecoded);
            return false;
        }
        if !bus.keeps_code() {
            self.ends(End::Paused);
            return false;
        }
        let (cycle, whole) = fetch_run(core, bus, self.ops, self.index, (self.cycle, self.limit));
        self.cycle = cycle;
        if !whole {
            self.ends(End::Alone);
        }
        whole
    }

    /// A branch of this memory; the word of its target is fetched even if it is that of the last fetch.
    #[inline(always)]
    pub(super) fn branches<B: Bus>(&mut self, core: &mut Core, bus: &mut B, op: &Op, target: u32) -> After {
        if Self::FETCHES_RUNS {
            core.run.uncounted = core.run.uncounted.wrapping_add(op.words_left());
            if target < core.run.first {
                return Self::leaves_run(core, bus, target);
            }
        } else if Self::KNOWS_WORD {
            self.word = NO_WORD;
        }
        After::Elsewhere
    }

    /// The same to anywhere, by an instruction that may have ended the run.
    #[inline(always)]
    pub(super) fn jumps<B: Bus>(&mut self, core: &mut Core, bus: &mut B, target: u32) -> After {
        if Self::FETCHES_RUNS {
            core.run.uncounted = core.run.uncounted.wrapping_add(words_left(self.index, target));
            core.run.word = NO_WORD;
            if core.run.reach == 0 {
                return After::Unfetched;
            }
            if target < core.run.first {
                return Self::leaves_run(core, bus, target);
            }
        } else if Self::KNOWS_WORD {
            self.word = NO_WORD;
        }
        After::Elsewhere
    }

    /// The run ends with a branch.
    #[inline(always)]
    fn leaves_run<B: Bus>(core: &mut Core, bus: &mut B, target: u32) -> After {
        bus.count_fetches(core.run.uncounted.wrapping_add(word_before_fetch(target)));
        (core.run.word, core.run.reach) = (NO_WORD, 0);
        After::Unfetched
    }

    /// Counts the fetches up to that of the instruction that is executed.
    #[inline(always)]
    pub(super) fn count_fetches<B: Bus>(&mut self, core: &mut Core, bus: &mut B) {
        if Self::FETCHES_RUNS {
            let word = self.index >> 1;
            bus.count_fetches(core.run.uncounted.wrapping_add(word));
            core.run.uncounted = word.wrapping_neg();
        }
    }

    /// The run ends with the instruction that is executed.
    #[inline(always)]
    pub(super) fn drop_run<B: Bus>(&mut self, core: &mut Core, bus: &mut B) {
        if Self::FETCHES_RUNS && core.run.reach != 0 {
            self.count_fetches(core, bus);
            (core.run.word, core.run.reach) = (self.index >> 1, 0);
        }
    }

    /// The run ends before the instruction that comes next. The core came to that by a branch if it was the last one's target:
    /// from there on it only goes forwards, until the next branch.
    #[inline(always)]
    pub(super) fn end_run<B: Bus>(&mut self, core: &mut Core, bus: &mut B) {
        if !Self::FETCHES_RUNS || core.run.reach == 0 {
            return;
        }
        if core.branches.last_target() == self.pc() {
            Self::leaves_run(core, bus, self.index);
            return;
        }
        let word = self.index.wrapping_sub(1) >> 1;
        bus.count_fetches(core.run.uncounted.wrapping_add(word));
        (core.run.word, core.run.reach) = (word, 0);
    }

    /// An access through the bus may have changed what is in the cache.
    #[inline(always)]
    pub(super) fn heed_cache<B: Bus>(&mut self, core: &mut Core, bus: &mut B) -> After {
        if Self::FETCHES_RUNS && bus.residents() != core.run.residents {
            self.drop_run(core, bus);
            return After::Unfetched;
        }
        After::Elsewhere
    }

    /// A stretch begins behind the fetch of this word.
    #[inline(always)]
    pub(super) fn know_no_run(core: &mut Core, word: u32) {
        if Self::FETCHES_RUNS {
            (core.run.first, core.run.end, core.run.reach, core.run.word) = (0, 0, 0, word);
        }
    }
}

impl Run {
    /// The word that was fetched last, from the beginning of the flash, at the end of a stretch.
    pub(super) fn word(&self) -> u32 {
        self.word
    }

    /// Whether an instruction begins in the run, in halfwords from the beginning of the flash.
    pub(super) fn holds(&self, index: u32) -> bool {
        (self.first..self.reach).contains(&index)
    }

    /// Branches went over so many words, as [`words_left`] counts them.
    pub(super) fn leave_words(&mut self, words: u32) {
        self.uncounted = self.uncounted.wrapping_add(words);
    }

    /// The next word is fetched whatever was fetched before.
    pub(super) fn forget_word(&mut self) {
        self.word = NO_WORD;
    }
}

/// The word before that of a branch's target, as the last one that was fetched.
#[inline(always)]
fn word_before_fetch(target: u32) -> u32 {
    (target as i32 >> 1).wrapping_sub(1) as u32
}

/// Fetches the instruction at `index`, unless its word was fetched last, and begins a run with it or goes on with the last one.
/// `time` is the cycle and the limit. Gives when it is executed, and whether it is in the run as a whole; its first part is to
/// be executed alone otherwise, or where waiting took it to the limit.
#[cold]
#[inline(never)]
fn fetch_run<B: Bus>(core: &mut Core, bus: &mut B, ops: &[Op], index: u32, time: (u64, u64)) -> (u64, bool) {
    let word = index >> 1;
    let (mut cycle, limit) = time;
    if word != core.run.word {
        core.run.word = word;
        cycle += bus.fetch_flash(core.id, word, cycle);
    }
    let decoded = (ops.len() + 1 - LONGEST) as u32;
    let (residents, until) = (bus.residents(), decoded.min(2 * bus.resident_until(word)));
    let run = &mut core.run;
    if run.residents != residents || !(run.first..=run.end).contains(&index) {
        (run.residents, run.first) = (residents, index);
    }
    run.end = until;
    run.uncounted = word.wrapping_neg();
    let kind = |at: u32| ops.get(at as usize).map_or(Kind::Undecoded, |op| op.kind);
    let is_whole = |at: &u32| at + kind(*at).length() <= until;
    let whole = is_whole(&index) && cycle < limit;
    let last = (index.max(until.saturating_sub(LONGEST as u32))..until).find(|at| !is_whole(at));
    core.run.reach = if whole { last.unwrap_or(until) } else { 0 };
    (cycle, whole)
}
