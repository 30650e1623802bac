//! Random cases on a virtual chip, with overflow checks where the profile has them (`--profile checked`): none may panic, hang or
//! grow without bound. `AIRWIRE_RANDOM_INSTRUCTIONS` says how many instructions to run in all, `AIRWIRE_RANDOM_SEED` where to
//! begin. A case that fails is repeated with its number as the seed.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A kind of case; they take turns.
pub trait Kind:
    Copy + Debug + Ord + Send + Sync + std::panic::RefUnwindSafe + std::panic::UnwindSafe + 'static
{
}

impl<K: Copy + Debug + Ord + Send + Sync + std::panic::RefUnwindSafe + std::panic::UnwindSafe + 'static> Kind
    for K
{
}

/// Without the variable: a taste for an ordinary test run.
const INSTRUCTIONS: u64 = 2_000_000;
/// A case that takes longer than this hangs.
const HANG: Duration = Duration::from_secs(60);
/// Failures after which the rest is left.
const MOST_FAILURES: usize = 20;
const MOST_MEMORY_KB: u64 = 1_000_000;

/// Of each worker: the case that it is at, 0 at the end.
static CASES: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// Runs cases until they have executed as many instructions as `AIRWIRE_RANDOM_INSTRUCTIONS` says in all, on each processor;
/// `run` has a kind and a seed, and gives its instructions.
///
/// # Panics
/// When a case panicked, or the process has grown; it aborts when a case hangs.
pub fn random_cases<K: Kind>(kinds: &'static [K], run: fn(K, u64) -> u64) {
    let number = |name: &str, default| {
        std::env::var(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let wanted = number("AIRWIRE_RANDOM_INSTRUCTIONS", INSTRUCTIONS);
    let next = AtomicU64::new(number("AIRWIRE_RANDOM_SEED", 1));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(CASES.len());
    watch_for_hangs(kinds);
    let tally = Mutex::new(Tally { cases: 0, instructions: BTreeMap::new(), failed: Vec::new() });
    std::thread::scope(|scope| {
        for at in &CASES[..workers] {
            scope.spawn(|| work(at, &next, wanted, &tally, kinds, run));
        }
    });
    let tally = tally.into_inner().expect("no worker panicked");
    assert!(
        tally.failed.is_empty(),
        "these panicked; repeat one with AIRWIRE_RANDOM_SEED: {:?}",
        tally.failed
    );
    let memory = resident_kb();
    assert!(memory < MOST_MEMORY_KB, "{memory} kB of memory after {} cases", tally.cases);
    println!("{} cases, {memory} kB of memory, instructions: {:?}", tally.cases, tally.instructions);
}

/// What all workers did so far.
#[derive(Debug)]
struct Tally<K> {
    cases: u64,
    instructions: BTreeMap<K, u64>,
    failed: Vec<(u64, K)>,
}

/// Takes one case after another until there were enough instructions.
fn work<K: Kind>(
    at: &AtomicU64,
    next: &AtomicU64,
    wanted: u64,
    tally: &Mutex<Tally<K>>,
    kinds: &[K],
    run: fn(K, u64) -> u64,
) {
    loop {
        let case = next.fetch_add(1, Ordering::Relaxed);
        at.store(case, Ordering::Relaxed);
        let kind = kind_of(kinds, case);
        let ran = std::panic::catch_unwind(|| run(kind, case));
        let mut tally = tally.lock().expect("no worker panicked");
        tally.cases += 1;
        match ran {
            Ok(instructions) => *tally.instructions.entry(kind).or_default() += instructions,
            Err(_) => tally.failed.push((case, kind)),
        }
        if tally.instructions.values().sum::<u64>() >= wanted || tally.failed.len() >= MOST_FAILURES {
            at.store(0, Ordering::Relaxed);
            return;
        }
    }
}

fn kind_of<K: Kind>(kinds: &[K], case: u64) -> K {
    kinds[case as usize % kinds.len()]
}

/// Ends the process when a case takes too long: nothing else can get out of an endless loop.
fn watch_for_hangs<K: Kind>(kinds: &'static [K]) {
    std::thread::spawn(|| {
        let mut seen = [0; CASES.len()];
        loop {
            std::thread::sleep(HANG);
            let now = CASES.each_ref().map(|case| case.load(Ordering::Relaxed));
            if let Some((case, _)) = now.into_iter().zip(seen).find(|&(now, seen)| now != 0 && now == seen) {
                eprintln!("case {case} ({:?}) hangs", kind_of(kinds, case));
                std::process::abort();
            }
            seen = now;
        }
    });
}

/// What this process has in memory, where the system says so.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
