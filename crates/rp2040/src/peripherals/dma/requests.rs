//! When channels may move: who waits for which request, whose request stands, the ticks of the pacing timers, and the appointment
//! with the first of all that. What a channel then moves is the controller's business (`mod.rs`).

use units::Picoseconds;

use super::channel::{HIGH_PRIORITY, TREQ_PERMANENT, TREQ_TIMER0};
use super::{CHANNEL_COUNT, Dma, NEVER, TIMER_COUNT};
use crate::io::Io;
use crate::peripherals::Source;

impl Dma {
    /// A data request rose, or one came as an event: whoever waits for it gets an appointment.
    #[inline]
    pub fn requests_changed(&mut self, io: &mut Io) {
        let pulses = io.lines.take_pulses() & self.listening;
        if pulses != 0 {
            self.add_credits(pulses);
        }
        let mut requested = (io.lines.dreq() | pulses) & self.listening;
        let mut channels = 0;
        while requested != 0 {
            channels |= self.listeners[requested.trailing_zeros() as usize];
            requested &= requested - 1;
        }
        if channels & !self.ready != 0 {
            self.make_ready(channels & !self.ready, io);
        }
    }

    /// The ready channels that may move now; those whose request fell are no longer ready.
    #[inline]
    pub(super) fn candidates(&mut self, io: &Io) -> u16 {
        let (mut candidates, mut ready) = (0, self.ready);
        while ready != 0 {
            let index = ready.trailing_zeros() as usize;
            ready &= ready - 1;
            if !self.is_requested(index, io) {
                self.ready &= !(1 << index);
            } else if self.ready_at[index] <= io.now {
                candidates |= 1 << index;
            }
        }
        candidates
    }

    /// Whether a channel that is under way has something to do: a request, or nothing left but to complete.
    #[inline]
    fn is_requested(&self, index: usize, io: &Io) -> bool {
        let channel = &self.channels[index];
        self.level(channel.treq, io) || channel.credit != 0 || channel.remaining == 0
    }

    #[inline]
    pub(super) fn level(&self, treq: u8, io: &Io) -> bool {
        (io.lines.dreq() | self.standing) >> treq & 1 != 0
    }

    fn add_credits(&mut self, pulses: u64) {
        for (index, treq) in self.listens_to.iter().enumerate() {
            if treq.is_some_and(|treq| pulses >> treq & 1 != 0) {
                self.channels[index].add_credit(1);
            }
        }
    }

    /// Pacing timers ticked.
    pub(super) fn take_ticks(&mut self, io: &Io) {
        for timer in 0..TIMER_COUNT {
            let channels = self.listeners[usize::from(TREQ_TIMER0) + timer];
            if channels == 0 {
                continue;
            }
            let ticks = self.timers[timer].take(io.now, io.clocks.sys_hz);
            for index in (0..CHANNEL_COUNT).filter(|index| ticks != 0 && channels >> index & 1 != 0) {
                self.channels[index].add_credit(ticks);
                self.ready |= 1 << index;
                self.ready_at[index] = io.now;
            }
        }
        self.expect_tick();
    }

    pub(super) fn expect_tick(&mut self) {
        let listened = |timer: &usize| self.listeners[usize::from(TREQ_TIMER0) + timer] != 0;
        let ticks = (0..TIMER_COUNT).filter(listened).filter_map(|timer| self.timers[timer].next());
        self.next_tick = ticks.min().unwrap_or(NEVER);
    }

    /// Brings the masks in line with a channel that started, ended, paused or was set anew.
    pub(super) fn refresh(&mut self, index: usize, io: &Io) {
        let bit = 1 << index;
        let channel = &self.channels[index];
        self.busy = if channel.busy { self.busy | bit } else { self.busy & !bit };
        self.high = if channel.has(HIGH_PRIORITY) { self.high | bit } else { self.high & !bit };
        let wanted = channel.is_active().then_some(channel.treq);
        if self.listens_to[index] != wanted {
            self.listen(index, wanted, io);
        }
        if wanted.is_none() || !self.is_requested(index, io) {
            self.ready &= !bit;
        } else if self.ready & bit == 0 && self.schedule.follow(io.clocks.sys_hz) {
            self.ready |= bit;
            self.ready_at[index] = self.schedule.after_latency(io.now);
        }
    }

    fn listen(&mut self, index: usize, wanted: Option<u8>, io: &Io) {
        for treq in [self.listens_to[index], wanted].into_iter().flatten() {
            let listeners = &mut self.listeners[usize::from(treq)];
            *listeners ^= 1 << index;
            let (bit, heard) = (1 << treq, *listeners != 0);
            self.listening = if heard { self.listening | bit } else { self.listening & !bit };
            if (TREQ_TIMER0..TREQ_PERMANENT).contains(&treq) {
                // Ticks that nobody waited for are nobody's.
                if *listeners == 1 << index {
                    self.timers[usize::from(treq - TREQ_TIMER0)].take(io.now, io.clocks.sys_hz);
                }
                self.expect_tick();
            }
        }
        self.listens_to[index] = wanted;
    }

    fn make_ready(&mut self, channels: u16, io: &mut Io) {
        if !self.schedule.follow(io.clocks.sys_hz) {
            return;
        }
        self.set_ready(channels, io.now);
        self.arm(io);
    }

    /// Channels got their requests: they may move after the latency.
    #[inline]
    pub(super) fn set_ready(&mut self, mut channels: u16, now: Picoseconds) {
        self.ready |= channels;
        let from = self.schedule.after_latency(now);
        while channels != 0 {
            self.ready_at[channels.trailing_zeros() as usize] = from;
            channels &= channels - 1;
        }
    }

    /// When the first channel may move, or a timer ticks.
    #[inline]
    pub(super) fn next_due(&self) -> Picoseconds {
        let (mut due, mut ready) = (NEVER, self.ready);
        while ready != 0 {
            due = due.min(self.ready_at[ready.trailing_zeros() as usize]);
            ready &= ready - 1;
        }
        if due != NEVER {
            due = due.max(self.schedule.free());
        }
        due.min(self.next_tick)
    }

    /// Makes the appointment with the first channel that may move.
    #[inline]
    pub(super) fn arm(&mut self, io: &mut Io) {
        let due = self.next_due();
        if due == self.due {
            return;
        }
        self.due = due;
        match due {
            NEVER => io.cancel(Source::Dma),
            _ => io.wake_at(Source::Dma, due),
        }
    }
}
