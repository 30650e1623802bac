//! Folds the states that a text format lists into changes: equal neighbours become one, and of several states
//! at one time the last counts.

use crate::change::Change;

#[derive(Debug, Default)]
pub(crate) struct Fold {
    /// The state that the next one may still replace.
    open: Option<Change>,
    given: Option<u64>,
}

impl Fold {
    /// Takes the levels from `time_ps` on; times must not descend.
    pub(crate) fn state(&mut self, time_ps: i64, levels: u64, batch: &mut Vec<Change>) {
        if self.open.is_some_and(|open| open.time_ps < time_ps) {
            self.finish(batch);
        }
        self.open = Some(Change { time_ps, levels });
    }

    /// Gives out the last state.
    pub(crate) fn finish(&mut self, batch: &mut Vec<Change>) {
        if let Some(open) = self.open.take().filter(|open| self.given != Some(open.levels)) {
            batch.push(open);
            self.given = Some(open.levels);
        }
    }
}
