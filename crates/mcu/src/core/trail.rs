//! The last branches of a core. What it executed between two of them lies in a row in memory, so that the last
//! instructions follow from the branches, at the cost of one store for each branch.

const BRANCHES: usize = 32;

/// The last branches taken, each from an instruction to another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    branches: [(u32, u32); BRANCHES],
    taken: usize,
}

impl Trail {
    #[inline(always)]
    pub(crate) fn add(&mut self, from: u32, to: u32) {
        self.branches[self.taken % BRANCHES] = (from, to);
        self.taken = self.taken.wrapping_add(1);
    }

    /// The branches, the last one first.
    pub(crate) fn backwards(&self) -> impl Iterator<Item = (u32, u32)> {
        let kept = self.taken.min(BRANCHES);
        (1..=kept).map(move |back| self.branches[(self.taken - back) % BRANCHES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_branch_comes_first_and_old_ones_are_forgotten() {
        let mut trail = Trail::default();
        assert_eq!(trail.backwards().count(), 0);
        for from in 0..40 {
            trail.add(from, from + 100);
        }
        assert_eq!(trail.backwards().next(), Some((39, 139)));
        assert_eq!(trail.backwards().last(), Some((8, 108)));
    }
}
