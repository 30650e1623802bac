//! The last branches of a core. What it executed between two of them lies in order in memory, so that the last
//! instructions follow from the branches, at the cost of one store for each branch.

const BRANCHES: usize = 32;

/// The last branches taken, each from an instruction to another. Of entries into exceptions bit 0 of `from` is set.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct BranchTrace {
    branches: [(u32, u32); BRANCHES],
    taken: usize,
}

/// A branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Branch {
    /// The instruction that branched.
    pub from: u32,
    /// The next one that was executed.
    pub to: u32,
    /// The entry into an exception, before the instruction at `from` was executed.
    pub is_exception: bool,
}

impl BranchTrace {
    /// A branch was taken.
    #[inline(always)]
    pub fn add(&mut self, from: u32, to: u32) {
        self.branches[self.taken % BRANCHES] = (from, to);
        self.taken = self.taken.wrapping_add(1);
    }

    /// An exception was entered before the instruction at `from`.
    pub fn add_exception(&mut self, from: u32, to: u32) {
        self.add(from | 1, to);
    }

    /// How many branches were taken.
    #[inline]
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Where the last branch went to.
    #[inline]
    pub(crate) fn last_target(&self) -> u32 {
        self.branches[self.taken.wrapping_sub(1) % BRANCHES].1
    }

    /// The last `branches` were taken again as many times.
    #[inline]
    pub fn repeat(&mut self, branches: usize, times: u64) {
        let kept = times.min(BRANCHES.div_ceil(branches.max(1)) as u64);
        let (before, first) = (self.branches, self.taken.wrapping_sub(branches));
        self.taken = self.taken.wrapping_add((times - kept) as usize * branches);
        for _ in 0..kept {
            for place in 0..branches {
                let (from, to) = before[first.wrapping_add(place) % BRANCHES];
                self.add(from, to);
            }
        }
    }

    /// The branches, the last one first.
    pub fn backwards(&self) -> impl Iterator<Item = Branch> {
        let kept = self.taken.min(BRANCHES);
        (1..=kept).map(move |back| {
            let (from, to) = self.branches[(self.taken - back) % BRANCHES];
            Branch { from: from & !1, to, is_exception: from & 1 != 0 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_is_repeated_leaves_the_trace_of_its_branches() {
        for times in [0, 1, 5, 11, 40] {
            let (mut repeated, mut taken) = (BranchTrace::default(), BranchTrace::default());
            for trace in [&mut repeated, &mut taken] {
                (0..40).for_each(|number| trace.add(number, number + 1));
                [(100, 50), (60, 90), (92, 94)].iter().for_each(|&(from, to)| trace.add(from, to));
            }
            repeated.repeat(3, times);
            for _ in 0..times {
                [(100, 50), (60, 90), (92, 94)].iter().for_each(|&(from, to)| taken.add(from, to));
            }
            assert!(repeated.backwards().eq(taken.backwards()), "{times} times");
            assert_eq!(repeated.taken(), taken.taken());
        }
    }

    #[test]
    fn the_last_branch_comes_first_and_old_ones_are_forgotten() {
        let mut trace = BranchTrace::default();
        assert_eq!(trace.backwards().count(), 0);
        for from in 0..40 {
            trace.add(2 * from, from + 100);
        }
        let branch = |from, to| Some(Branch { from, to, is_exception: false });
        assert_eq!(trace.backwards().next(), branch(78, 139));
        assert_eq!(trace.backwards().last(), branch(16, 108));
    }

    #[test]
    fn an_exception_is_told_from_a_branch() {
        let mut trace = BranchTrace::default();
        trace.add(2, 8);
        trace.add_exception(10, 100);
        let found: Vec<_> = trace.backwards().map(|branch| (branch.from, branch.is_exception)).collect();
        assert_eq!(found, [(10, true), (2, false)]);
    }
}
