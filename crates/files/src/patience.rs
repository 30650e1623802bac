//! Waiting for the other end of a pipe: a while for somebody to open it, and from then on until it is read or written. It ends
//! when the user has pressed Ctrl-C, which a system call that waits would not hear of.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A shell starts the writer of a pipe and its reader at once, one of them a little later.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between looks at a pipe that is empty or full: the first, and the longest.
const SHORTEST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// How often waiting was to end.
static STOPS: AtomicU64 = AtomicU64::new(0);
/// Whether it is to end now, by what the program knows of the user.
static ASK: OnceLock<fn() -> bool> = OnceLock::new();

/// Ends the waiting for every pipe that is open now.
pub fn stop_waiting() {
    STOPS.fetch_add(1, Ordering::Relaxed);
}

/// Whoever waits for a pipe calls `ask` now and then, on its own thread, and goes on while it says false. The first one given
/// holds.
pub fn ask_while_waiting(ask: fn() -> bool) {
    let _ = ASK.set(ask);
}

/// How long a pipe is waited for.
#[derive(Debug)]
pub(crate) struct Patience {
    begun: Instant,
    stops_before: u64,
}

impl Patience {
    pub(crate) fn begin() -> Self {
        Self { begun: Instant::now(), stops_before: STOPS.load(Ordering::Relaxed) }
    }

    /// Whether the other end should have been opened by now.
    pub(crate) fn is_over(&self) -> bool {
        self.begun.elapsed() > PATIENCE
    }

    pub(crate) fn pause_for_other_end(&self) -> io::Result<()> {
        self.pause(LONGEST_PAUSE)
    }

    /// Tries until it need not wait for the other end.
    pub(crate) fn until_done(&self, mut try_it: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        let mut pause = SHORTEST_PAUSE;
        loop {
            match try_it() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.pause(pause)?,
                done => return done,
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn pause(&self, time: Duration) -> io::Result<()> {
        std::thread::sleep(time);
        let stopped =
            STOPS.load(Ordering::Relaxed) != self.stops_before || ASK.get().is_some_and(|ask| ask());
        // An interrupted call would be repeated by whoever reads or writes to an end.
        if stopped { Err(io::Error::other("stopped while it waited for a pipe")) } else { Ok(()) }
    }
}
