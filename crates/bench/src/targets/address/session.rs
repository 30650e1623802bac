//! A client or a server at work on this computer's sockets, in a thread of its own. What it measures comes in batches.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use traffic::os::{Ended, Seat, SeatError, Until};
use traffic::{Machine, Results, Sample, Waiting};
use units::{PS_PER_MS, Picoseconds};

/// How often what was measured is handed over; each time somebody else needs a processor.
const BATCH: Picoseconds = Picoseconds::new(100 * PS_PER_MS);

/// What was measured since the batch before.
#[derive(Debug)]
struct Batch {
    now: Picoseconds,
    messages: Vec<Sample>,
}

/// How it ended, and what its client or server tells.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) results: Results,
    /// What it waited for when it was ended.
    pub(super) waiting: Option<Waiting>,
    /// All messages as they stand at the end: one that came late may have been told as lost before.
    pub(super) messages: Vec<Sample>,
    /// Whether arrivals were stamped by the kernel.
    pub(super) kernel_stamps: bool,
}

/// What a wait brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    /// Messages, perhaps none.
    Batch,
    /// Nothing in that time.
    Nothing,
    /// The end.
    End,
}

/// A client or a server at work.
#[derive(Debug)]
pub(super) struct Session {
    batches: Receiver<Batch>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Told, SeatError>>>,
    now: Picoseconds,
}

impl Session {
    /// Begins at once, with sockets that stand. Listeners stand on `at`.
    ///
    /// # Errors
    /// When a port cannot be had.
    pub(super) fn begin(machine: Box<dyn Machine>, at: Ipv4Addr) -> Result<Self, SeatError> {
        let (sender, batches) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&stop);
        let thread = std::thread::spawn(move || work(machine, at, &sender, &own));
        let mut session = Self { batches, stop, thread: Some(thread), now: Picoseconds::ZERO };
        // The first batch is empty: it says that the sockets stand.
        match session.batches.recv() {
            Ok(_) => Ok(session),
            Err(_) => Err(session.end().expect_err("a thread that stands nowhere says why")),
        }
    }

    /// The time of the last batch, from the beginning of the work.
    pub(super) fn now(&self) -> Picoseconds {
        self.now
    }

    /// Waits for messages, which are added to `messages`.
    pub(super) fn wait(&mut self, longest: Duration, messages: &mut Vec<Sample>) -> Waited {
        match self.batches.recv_timeout(longest) {
            Ok(batch) => {
                self.now = batch.now;
                messages.extend(batch.messages);
                Waited::Batch
            }
            Err(RecvTimeoutError::Timeout) => Waited::Nothing,
            Err(RecvTimeoutError::Disconnected) => Waited::End,
        }
    }

    /// Ends the work.
    pub(super) fn end(&mut self) -> Result<Told, SeatError> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().expect("a session ends once");
        let told = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        while self.wait(Duration::ZERO, &mut Vec::new()) == Waited::Batch {}
        told
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Its panic was one of a row that nobody wants any more.
            let _ = thread.join();
        }
    }
}

fn work(
    machine: Box<dyn Machine>,
    at: Ipv4Addr,
    batches: &Sender<Batch>,
    stop: &AtomicBool,
) -> Result<Told, SeatError> {
    let mut seat = Seat::at(at)?;
    let number = seat.add(machine);
    seat.check()?;
    let _ = batches.send(Batch { now: seat.now(), messages: Vec::new() });
    let mut told = 0;
    loop {
        let until = Until { deadline: Some(seat.now() + BATCH), stop: Some(stop) };
        let ended = seat.run(until)?;
        let messages = seat.work_since(number, told);
        told += messages.len();
        // Somebody who no longer listens has set the stop flag.
        let _ = batches.send(Batch { now: seat.now(), messages });
        if ended != Ended::Deadline {
            break;
        }
    }
    let (kernel_stamps, now) = (seat.has_kernel_stamps(), seat.now());
    let machine = seat.into_machines().swap_remove(number);
    let waiting = machine.waiting(now);
    Ok(Told { results: machine.results(), waiting, messages: machine.work(), kernel_stamps })
}
