//! The timer (RP2040 datasheet 4.6): 64 bits of microseconds, or whatever the watchdog's tick is, and four alarms on
//! the lower 32.
//!
//! The bus tells it the tick with [`Timer::set_tick`]; a new rate begins a new tick. Left out: the pauses while a
//! debugger halts a core (DBGPAUSE keeps what is written).

#[cfg(test)]
mod tests;

use super::watchdog::Ticks;
use super::{Peripheral, Source};
use crate::io::Io;
use crate::lines::Irq;
use units::Picoseconds;

const TIMEHW: u32 = 0x00;
const TIMELW: u32 = 0x04;
const TIMEHR: u32 = 0x08;
const TIMELR: u32 = 0x0c;
const ALARM0: u32 = 0x10;
const ALARM3: u32 = 0x1c;
const ARMED: u32 = 0x20;
const TIMERAWH: u32 = 0x24;
const TIMERAWL: u32 = 0x28;
const DBGPAUSE: u32 = 0x2c;
const PAUSE: u32 = 0x30;
const INTR: u32 = 0x34;
const INTE: u32 = 0x38;
const INTF: u32 = 0x3c;
const INTS: u32 = 0x40;

const ALARMS: u32 = 0xf;
const DBGPAUSE_RESET: u32 = 0b111;
const LINES: [Irq; 4] = [Irq::TIMER_0, Irq::TIMER_1, Irq::TIMER_2, Irq::TIMER_3];

/// Whether a register shows the count.
pub(crate) const fn shows_count(offset: u32) -> bool {
    matches!(offset, TIMEHR | TIMELR | TIMERAWH | TIMERAWL)
}

/// The timer.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Timer {
    ticks: Ticks,
    /// The count at the start of `ticks`.
    base: u64,
    /// The count while it is paused.
    paused_at: Option<u64>,
    low_to_write: u32,
    high_read: u32,
    alarm: [u32; 4],
    /// The count at which each armed alarm comes.
    due: [Option<u64>; 4],
    debug_pause: u32,
    raised: u32,
    enabled: u32,
    forced: u32,
}

impl Default for Timer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer {
    /// The state after reset: nothing ticks yet.
    pub fn new() -> Self {
        Self {
            ticks: Ticks::stopped(),
            base: 0,
            paused_at: None,
            low_to_write: 0,
            high_read: 0,
            alarm: [0; 4],
            due: [None; 4],
            debug_pause: DBGPAUSE_RESET,
            raised: 0,
            enabled: 0,
            forced: 0,
        }
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if matches!(offset, ARMED | INTR) { ALARMS } else { 0 }
    }

    /// How many cycles of clk_ref a tick has (nothing: it stands still). The bus calls this after the watchdog was
    /// written and after clk_ref changed; while nothing changed it does nothing.
    pub fn set_tick(&mut self, cycles: Option<u32>, io: &mut Io) {
        if self.ticks.has_rate(io.clocks.ref_hz, cycles) {
            return;
        }
        self.base = self.base.wrapping_add(self.ticks.count(io.now));
        self.ticks = Ticks::new(io.clocks.ref_hz, cycles, io.now);
        self.arm(io);
    }

    /// Back to the state after reset; the tick, which is the watchdog's, goes on.
    pub fn reset(&mut self, io: &mut Io) {
        let ticks = self.ticks.clone();
        *self = Self { base: 0u64.wrapping_sub(ticks.count(io.now)), ticks, ..Self::new() };
        self.update_irqs(io);
        self.arm(io);
    }

    /// The count, as TIMERAWH and TIMERAWL show it.
    #[inline]
    pub fn count(&self, io: &Io) -> u64 {
        match self.paused_at {
            None => self.base.wrapping_add(self.ticks.count(io.now)),
            Some(count) => count,
        }
    }

    /// Up to when a register shows what it shows, unless an alarm or a write comes before; nothing where looking changes anything.
    pub(crate) fn shows_until(&self, offset: u32, io: &Io) -> Option<Picoseconds> {
        let tick = || self.ticks.time_of(self.ticks.count(io.now) + 1).filter(|_| self.paused_at.is_none());
        match offset {
            TIMERAWH | TIMERAWL => Some(tick().unwrap_or(Picoseconds::new(i64::MAX))),
            ARMED | INTR | INTS => Some(Picoseconds::new(i64::MAX)),
            _ => None,
        }
    }

    fn set_count(&mut self, count: u64, io: &mut Io) {
        match &mut self.paused_at {
            None => self.base = count.wrapping_sub(self.ticks.count(io.now)),
            Some(paused) => *paused = count,
        }
        for alarm in 0..4 {
            if self.due[alarm].is_some() {
                self.due[alarm] = Some(self.next_match(alarm, io));
            }
        }
        self.arm(io);
    }

    fn set_paused(&mut self, pause: bool, io: &mut Io) {
        let count = self.count(io);
        self.base = count.wrapping_sub(self.ticks.count(io.now));
        self.paused_at = pause.then_some(count);
        self.arm(io);
    }

    /// The next count, the present one included, whose lower half is the alarm's.
    fn next_match(&self, alarm: usize, io: &Io) -> u64 {
        let count = self.count(io);
        count.wrapping_add(u64::from(self.alarm[alarm].wrapping_sub(count as u32)))
    }

    /// Raises the alarms that are due and asks to be woken for the next.
    fn arm(&mut self, io: &mut Io) {
        let count = self.count(io);
        let mut next: Option<u64> = None;
        for alarm in 0..4 {
            let Some(due) = self.due[alarm] else { continue };
            let left = due.wrapping_sub(count);
            // An alarm lies less than 2³² ahead: what seems further away has passed.
            if left == 0 || left > u64::from(u32::MAX) {
                self.due[alarm] = None;
                self.raised |= 1 << alarm;
            } else {
                next = Some(next.map_or(left, |other| other.min(left)));
            }
        }
        self.update_irqs(io);
        let ticks_now = self.ticks.count(io.now);
        match next.filter(|_| self.paused_at.is_none()).and_then(|left| self.ticks.time_of(ticks_now + left))
        {
            Some(at) => io.wake_at(Source::Timer, at),
            None => io.cancel(Source::Timer),
        }
    }

    fn update_irqs(&self, io: &mut Io) {
        let status = self.raised & self.enabled | self.forced;
        for (alarm, irq) in LINES.into_iter().enumerate() {
            io.lines.set_irq(irq, status >> alarm & 1 == 1);
        }
    }

    fn armed(&self) -> u32 {
        (0..4).filter(|&alarm| self.due[alarm].is_some()).map(|alarm| 1 << alarm).sum()
    }

    fn disarm(&mut self, mask: u32, io: &mut Io) {
        for alarm in (0..4).filter(|alarm| mask >> alarm & 1 == 1) {
            self.due[alarm] = None;
        }
        self.arm(io);
    }
}

impl Peripheral for Timer {
    #[inline]
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        match offset {
            TIMERAWL => self.count(io) as u32,
            TIMELR => {
                let count = self.count(io);
                self.high_read = (count >> 32) as u32;
                count as u32
            }
            _ => {
                if offset > INTS {
                    io.unknown("TIMER", "no such register", false);
                }
                self.peek(offset, io)
            }
        }
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            TIMEHR => self.high_read,
            TIMELR | TIMERAWL => self.count(io) as u32,
            TIMERAWH => (self.count(io) >> 32) as u32,
            ALARM0..=ALARM3 => self.alarm[((offset - ALARM0) / 4) as usize],
            ARMED => self.armed(),
            DBGPAUSE => self.debug_pause,
            PAUSE => u32::from(self.paused_at.is_some()),
            INTR => self.raised,
            INTE => self.enabled,
            INTF => self.forced,
            INTS => self.raised & self.enabled | self.forced,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            TIMELW => self.low_to_write = value,
            TIMEHW => self.set_count(u64::from(value) << 32 | u64::from(self.low_to_write), io),
            ALARM0..=ALARM3 => {
                let alarm = ((offset - ALARM0) / 4) as usize;
                self.alarm[alarm] = value;
                self.due[alarm] = Some(self.next_match(alarm, io));
                self.arm(io);
            }
            ARMED => self.disarm(value, io),
            DBGPAUSE => self.debug_pause = value & DBGPAUSE_RESET,
            PAUSE => self.set_paused(value & 1 == 1, io),
            INTR => self.raised &= !value,
            INTE => self.enabled = value & ALARMS,
            INTF => self.forced = value & ALARMS,
            TIMEHR | TIMELR | TIMERAWH | TIMERAWL | INTS => {}
            _ => io.unknown("TIMER", "no such register", true),
        }
        if matches!(offset, INTR | INTE | INTF) {
            self.update_irqs(io);
        }
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.arm(io);
    }
}
