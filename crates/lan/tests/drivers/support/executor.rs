//! An executor in virtual time, and embassy-time on its clock. Tasks are polled in the order of their making until none is
//! woken; only then does time go on, to the next timer or to the next thing that happens on the network. Tasks take no
//! time of their own: what counts is the bus and what a driver waits for.
//!
//! The clock belongs to the thread, so that tests may run side by side, each in a network of its own.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use lan::Passive;
use units::{PS_PER_US, Picoseconds};

use super::hal::Shared;

thread_local! {
    static CLOCK: RefCell<Option<Shared>> = const { RefCell::new(None) };
    static TIMERS: RefCell<Vec<(u64, Waker)>> = const { RefCell::new(Vec::new()) };
    static AT_NEXT_EVENT: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

/// So often tasks are polled at one instant; those that still wake themselves then spin on something that takes time.
const MOST_ROUNDS: u32 = 64;
/// How long a spinning task is let wait.
const SPIN_TIME: Picoseconds = Picoseconds::new(PS_PER_US);

/// embassy-time's driver.
struct VirtualClock;

impl embassy_time_driver::Driver for VirtualClock {
    fn now(&self) -> u64 {
        CLOCK.with_borrow(|clock| clock.as_ref().map_or(0, now_us))
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        TIMERS.with_borrow_mut(|timers| {
            if !timers.iter().any(|(time, other)| *time == at && other.will_wake(waker)) {
                timers.push((at, waker.clone()));
            }
        });
    }
}

embassy_time_driver::time_driver_impl!(static VIRTUAL_CLOCK: VirtualClock = VirtualClock);

fn now_us(controller: &Shared) -> u64 {
    let us = controller.borrow().now().ps() / PS_PER_US;
    u64::try_from(us).expect("virtual time begins at zero")
}

/// Wakes once, when anything has happened on the network or a timer was due.
pub(crate) fn wake_at_next_event(waker: &Waker) {
    AT_NEXT_EVENT.with_borrow_mut(|waiting| waiting.push(waker.clone()));
}

/// Whether a task was woken.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Task<'a> {
    future: Pin<Box<dyn Future<Output = ()> + 'a>>,
    woken: Arc<Woken>,
    waker: Waker,
}

/// Tasks around one chip.
pub(crate) struct Executor<'a> {
    controller: Shared,
    tasks: Vec<Task<'a>>,
}

impl<'a> Executor<'a> {
    /// An executor whose clock is a controller's; that of this thread until it is dropped.
    pub(crate) fn new(controller: Shared) -> Self {
        CLOCK.set(Some(controller.clone()));
        TIMERS.take();
        AT_NEXT_EVENT.take();
        Self { controller, tasks: Vec::new() }
    }

    /// Adds a task that runs in the background.
    pub(crate) fn spawn(&mut self, future: impl Future<Output = ()> + 'a) {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(woken.clone());
        self.tasks.push(Task { future: Box::pin(future), woken, waker });
    }

    /// Runs until a future has its result; panics when `limit` of virtual time passes first.
    pub(crate) fn run<T>(&mut self, limit: Picoseconds, future: impl Future<Output = T>) -> T {
        let end = self.now() + limit;
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(woken.clone());
        let mut future = Box::pin(future);
        let mut rounds = 0;
        loop {
            rounds += 1;
            let mut idle = true;
            if woken.0.swap(false, Ordering::Relaxed) {
                idle = false;
                if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return result;
                }
            }
            idle &= !self.poll_tasks();
            if idle || rounds > MOST_ROUNDS {
                self.let_time_pass(if idle { end } else { self.now() + SPIN_TIME }, end);
                rounds = 0;
            } else {
                wake_due_timers(now_us(&self.controller));
            }
        }
    }

    /// Polls the tasks that were woken; whether there was any.
    fn poll_tasks(&mut self) -> bool {
        let mut any = false;
        self.tasks.retain_mut(|task| {
            if !task.woken.0.swap(false, Ordering::Relaxed) {
                return true;
            }
            any = true;
            task.future.as_mut().poll(&mut Context::from_waker(&task.waker)).is_pending()
        });
        any
    }

    fn now(&self) -> Picoseconds {
        self.controller.borrow().now()
    }

    /// Goes on to the next timer or event, at most to `most`.
    fn let_time_pass(&self, most: Picoseconds, end: Picoseconds) {
        {
            let mut controller = self.controller.borrow_mut();
            let now = controller.now();
            assert!(
                now < end,
                "the driver did not finish by {:.3} s of virtual time",
                end.ps() as f64 / 1e12
            );
            let timer = TIMERS.with_borrow(|timers| timers.iter().map(|(at, _)| *at).min());
            let due =
                timer.and_then(|us| i64::try_from(us).ok()?.checked_mul(PS_PER_US)).map(Picoseconds::new);
            let event = controller.lan().next_event();
            let next = [due, event, Some(most)].into_iter().flatten().min().unwrap_or(most).max(now);
            controller.wait(next - now);
        }
        wake_due_timers(now_us(&self.controller));
        AT_NEXT_EVENT.take().into_iter().for_each(Waker::wake);
    }
}

impl Drop for Executor<'_> {
    fn drop(&mut self) {
        self.tasks.clear();
        TIMERS.take();
        AT_NEXT_EVENT.take();
        CLOCK.set(None);
    }
}

fn wake_due_timers(now: u64) {
    let due: Vec<Waker> = TIMERS.with_borrow_mut(|timers| {
        let (due, later) = std::mem::take(timers).into_iter().partition(|(at, _)| *at <= now);
        *timers = later;
        let due: Vec<(u64, Waker)> = due;
        due.into_iter().map(|(_, waker)| waker).collect()
    });
    due.into_iter().for_each(Waker::wake);
}
