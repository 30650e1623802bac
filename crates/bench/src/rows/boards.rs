//! The rows of a suite that run on boards: on all cores, the longest wait being for the longest row, and kept in the order of
//! the suite as soon as all rows before them are done.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::board_rows::{BoardEntry, BoardRowResult, ReadyRow, budget_of, run_row};
use board::BoardError;
use record::Control;
use record::run_folder::RunFolderError;

/// What became of the rows.
#[derive(Debug, Default)]
pub struct BoardRun {
    /// Rows in the order of the suite, with their entries; those that were stopped before their end are missing.
    pub rows: Vec<(BoardEntry, BoardRowResult)>,
    /// Why the run folder is not whole, if it is not.
    pub failure: Option<String>,
}

/// Keeps a row.
type Keep<'a> = dyn FnMut(&BoardEntry, &BoardRowResult) -> Result<(), RunFolderError> + Send + 'a;

/// Puts rows that end in any order back into that of the suite.
struct Keeper<'a> {
    keep: &'a mut Keep<'a>,
    /// The next row to be kept.
    next: usize,
    waiting: BTreeMap<usize, Option<BoardRowResult>>,
    done: BoardRun,
}

/// Runs rows on all cores. Each is handed to `keep` in the order of the suite.
pub fn run_boards<'a>(
    rows: &[ReadyRow],
    seed: u64,
    findings: bool,
    control: &Control,
    keep: &'a mut Keep<'a>,
) -> BoardRun {
    let keeper = Mutex::new(Keeper { keep, next: 0, waiting: BTreeMap::new(), done: BoardRun::default() });
    let locked = || keeper.lock().unwrap_or_else(PoisonError::into_inner);
    rows.par_iter().with_max_len(1).enumerate().for_each(|(place, ready)| {
        let result =
            if control.is_stopped() { Ok(None) } else { explained_row(ready, seed, findings, control) };
        let mut keeper = locked();
        match result {
            Ok(result) => keeper.take(place, result),
            Err(error) => {
                keeper.done.failure.get_or_insert(format!("{}: {error}", ready.row.name));
                keeper.take(place, None);
            }
        }
        if keeper.done.failure.is_some() {
            control.stop();
        }
    });
    keeper.into_inner().unwrap_or_else(PoisonError::into_inner).done
}

/// A row with its budget; nothing where it is stopped before its end.
fn explained_row(
    ready: &ReadyRow,
    seed: u64,
    findings: bool,
    control: &Control,
) -> Result<Option<BoardRowResult>, BoardError> {
    let Some(mut result) = run_row(ready, seed, findings, control)? else { return Ok(None) };
    result.budget = budget_of(&result, seed, control)?;
    Ok(Some(result).filter(|_| !control.is_stopped()))
}

impl Keeper<'_> {
    fn take(&mut self, place: usize, result: Option<BoardRowResult>) {
        self.waiting.insert(place, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Some(result) = result {
                self.keep(result);
            }
        }
    }

    fn keep(&mut self, result: BoardRowResult) {
        let rows = &self.done.rows;
        let find = |name: &str| rows.iter().map(|(entry, _)| entry).find(|entry| entry.run == name);
        let entry = BoardEntry::of(&result, &find);
        if self.done.failure.is_none()
            && let Err(error) = (self.keep)(&entry, &result)
        {
            self.done.failure = Some(error.to_string());
        }
        self.done.rows.push((entry, result));
    }
}
