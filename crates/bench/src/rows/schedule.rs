//! Many rows: on all cores, kept in the order of the suite as soon as all rows before them are done. Rows are begun in that
//! order too, and no more of them than fit into memory until they are kept.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use record::Control;
use record::run_folder::RunFolderError;

use super::measure::{Measure, measure_row};
use super::{ReadyRow, RowEntry, RowResult, SuiteFolder};
use crate::target::TargetError;

/// Samples that may be in memory before they are kept.
const SAMPLES_IN_FLIGHT: u64 = 4_000_000;

/// What became of a suite.
#[derive(Debug, Default)]
pub struct BenchRun {
    /// Rows in the order of the suite, with their entries; those that were stopped before they had anything are missing.
    pub rows: Vec<(RowEntry, RowResult)>,
    /// Why the run folder is not whole, if it is not.
    pub failure: Option<String>,
}

/// Keeps a row.
type Keep<'a> = dyn FnMut(&RowEntry, &RowResult) -> Result<(), RunFolderError> + Send + 'a;

/// How many steps of progress rows take.
pub fn steps(rows: &[ReadyRow]) -> u64 {
    rows.iter().map(|ready| ready.recipe.steps(&ready.row)).sum()
}

/// Runs rows on all cores; one after the other where one takes real time, so that no other disturbs it. Each is handed to `keep` in the order of the suite; its samples and spans are dropped afterwards
/// where `forget` says so, which bounds the memory of long runs. The first failure ends the run: what was kept before it is
/// whole.
pub fn run(
    rows: &[ReadyRow],
    measure: Measure,
    control: &Control,
    forget: bool,
    keep: &mut Keep<'_>,
) -> BenchRun {
    let queue = Queue::new(rows, forget, keep);
    let alone = rows.iter().any(|ready| ready.recipe.takes_real_time());
    let workers = if alone { 1 } else { rayon::current_num_threads().min(rows.len()) };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(place) = queue.next() {
                    let stopped = control.is_stopped();
                    let result = if stopped { Ok(None) } else { measure_row(&rows[place], measure, control) };
                    if queue.put(place, result) {
                        control.stop();
                    }
                }
            });
        }
    });
    queue.state.into_inner().unwrap_or_else(PoisonError::into_inner).done
}

/// Runs rows into a run folder, and closes it whatever became of them. `kept` is told of each row that it holds.
pub fn run_into(
    mut folder: SuiteFolder,
    rows: &[ReadyRow],
    measure: Measure,
    control: &Control,
    environment: &serde_json::Value,
    kept: &mut (dyn FnMut(&RowEntry, &RowResult) + Send),
) -> BenchRun {
    let mut is_empty = true;
    let mut done = run(rows, measure, control, true, &mut |entry, row| {
        let added = folder.add(entry, row);
        added.map_err(|error| if is_empty { error.of_nothing() } else { error })?;
        is_empty = false;
        kept(entry, row);
        Ok(())
    });
    if is_empty && done.failure.is_some() {
        // A run that failed before its first row, as at a port that somebody else has, is none.
        folder.discard();
        return done;
    }
    match folder.finish(environment) {
        // What was said before may have been of parts that are gone now.
        Err(error) if error.keeps_nothing() => done.failure = Some(error.to_string()),
        Err(error) => {
            done.failure.get_or_insert(error.to_string());
        }
        Ok(()) => {}
    }
    done
}

/// Rows that wait for a core, and rows that wait to be kept.
struct Queue<'a> {
    rows: &'a [ReadyRow],
    forget: bool,
    state: Mutex<State<'a>>,
    /// A row was kept, so that there may be room for another.
    room: Condvar,
}

struct State<'a> {
    keep: &'a mut Keep<'a>,
    /// The next row to be begun, and the next one to be kept.
    begin: usize,
    next: usize,
    waiting: BTreeMap<usize, Option<RowResult>>,
    in_flight: u64,
    done: BenchRun,
}

impl<'a> Queue<'a> {
    fn new(rows: &'a [ReadyRow], forget: bool, keep: &'a mut Keep<'_>) -> Self {
        let (begin, next, in_flight) = (0, 0, 0);
        let state =
            State { keep, begin, next, waiting: BTreeMap::new(), in_flight, done: BenchRun::default() };
        Self { rows, forget, state: Mutex::new(state), room: Condvar::new() }
    }

    fn locked(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many samples a row may hold, as far as the suite says it.
    fn most_samples(&self, place: usize) -> u64 {
        self.rows[place].row.measurement.samples.unwrap_or(0)
    }

    /// The next row, once there is room for it. The earliest row that is under way waits for none, so that room comes.
    fn next(&self) -> Option<usize> {
        let mut state = self.locked();
        loop {
            let place = state.begin;
            if place >= self.rows.len() {
                return None;
            }
            let wanted = self.most_samples(place);
            if state.next == place || state.in_flight.saturating_add(wanted) <= SAMPLES_IN_FLIGHT {
                state.begin += 1;
                state.in_flight = state.in_flight.saturating_add(wanted);
                return Some(place);
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes what became of a row, and keeps all that now can be; true where the run has failed.
    fn put(&self, place: usize, result: Result<Option<RowResult>, TargetError>) -> bool {
        let mut state = self.locked();
        let result = result.unwrap_or_else(|error| {
            let message = format!("{}: {error}", self.rows[place].row.name);
            state.done.failure.get_or_insert(message);
            None
        });
        state.waiting.insert(place, result);
        loop {
            let next = state.next;
            let Some(result) = state.waiting.remove(&next) else { break };
            state.in_flight = state.in_flight.saturating_sub(self.most_samples(next));
            state.next += 1;
            if let Some(result) = result.filter(|_| state.done.failure.is_none()) {
                state.keep(result, self.forget);
            }
        }
        self.room.notify_all();
        state.done.failure.is_some()
    }
}

impl State<'_> {
    fn keep(&mut self, mut result: RowResult, forget: bool) {
        let rows = &self.done.rows;
        let find = |name: &str| rows.iter().map(|(entry, _)| entry).find(|entry| entry.run == name);
        let entry = RowEntry::of(&result, &find);
        if let Err(error) = (self.keep)(&entry, &result) {
            self.done.failure = Some(error.to_string());
            return;
        }
        if forget {
            result.forget();
        }
        self.done.rows.push((entry, result));
    }
}
