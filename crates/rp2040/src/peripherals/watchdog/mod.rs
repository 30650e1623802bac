//! The watchdog (RP2040 datasheet 4.7): a count-down that restarts the chip or parts of it, eight words that survive the restart, and
//! the tick that it shares with TIMER.
//!
//! What is reset is for the bus to carry out, by the WDSEL registers of RESETS and the power-on state machine: nothing where
//! neither selects anything. REASON says in any case that it fired, and it no longer counts until it is enabled again.
//! A change of the tick's rate begins a new tick. Left out: the pauses while a debugger halts a core.

mod ticks;

pub(in crate::peripherals) use self::ticks::Ticks;
use super::{Peripheral, Source};
use crate::io::Io;

const CTRL: u32 = 0x00;
const LOAD: u32 = 0x04;
const REASON: u32 = 0x08;
const SCRATCH0: u32 = 0x0c;
const SCRATCH7: u32 = 0x28;
const TICK: u32 = 0x2c;

const CTRL_TRIGGER: u32 = 1 << 31;
const CTRL_ENABLE: u32 = 1 << 30;
/// PAUSE_JTAG, PAUSE_DBG0 and PAUSE_DBG1.
const CTRL_PAUSE: u32 = 0b111 << 24;
const TIME_MASK: u32 = 0x00ff_ffff;
const TICK_CYCLES: u32 = 0x1ff;
const TICK_ENABLE: u32 = 1 << 9;
const TICK_RUNNING: u32 = 1 << 10;
const TICK_COUNT_SHIFT: u32 = 11;
/// The counter goes down by two at each tick (erratum RP2040-E1).
const STEP: u32 = 2;

/// Why the watchdog restarts the chip, with its bit in REASON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Reboot {
    /// The count-down ended.
    Timer = 1 << 0,
    /// Software set CTRL.TRIGGER.
    Forced = 1 << 1,
}

/// The watchdog.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Watchdog {
    pause: u32,
    enabled: bool,
    tick: u32,
    ticks: Ticks,
    /// The counter, and the tick at which it had this value.
    time: u32,
    time_at: u64,
    reason: u32,
    scratch: [u32; 8],
    reboot: Option<Reboot>,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self::new()
    }
}

impl Watchdog {
    /// The state after power-on or a reset by the RUN pin. A restart that the watchdog itself causes leaves it alone.
    pub fn new() -> Self {
        Self {
            pause: CTRL_PAUSE,
            enabled: false,
            tick: TICK_ENABLE,
            ticks: Ticks::stopped(),
            time: 0,
            time_at: 0,
            reason: 0,
            scratch: [0; 8],
            reboot: None,
        }
    }

    /// How many cycles of clk_ref a tick has; nothing while the tick generator is stopped.
    pub fn tick(&self) -> Option<u32> {
        let cycles = self.tick & TICK_CYCLES;
        (self.tick & TICK_ENABLE != 0 && cycles != 0).then_some(cycles)
    }

    /// Whether the chip is to restart.
    #[inline]
    pub(crate) fn wants_reboot(&self) -> bool {
        self.reboot.is_some()
    }

    /// Takes the wish to restart the chip.
    pub fn take_reboot(&mut self) -> Option<Reboot> {
        self.reboot.take()
    }

    /// The bus calls this when clk_ref changed its frequency.
    pub fn clocks_changed(&mut self, io: &mut Io) {
        if self.ticks.has_rate(io.clocks.ref_hz, self.tick()) {
            return;
        }
        self.time = self.time_now(io);
        self.ticks = Ticks::new(io.clocks.ref_hz, self.tick(), io.now);
        self.time_at = 0;
        self.arm(io);
    }

    fn counts(&self) -> bool {
        self.enabled && self.ticks.is_running()
    }

    fn time_now(&self, io: &Io) -> u32 {
        if !self.counts() {
            return self.time;
        }
        let steps = self.ticks.count(io.now).saturating_sub(self.time_at).min(u64::from(TIME_MASK));
        self.time.saturating_sub(steps as u32 * STEP)
    }

    /// Fixes the counter at its present value, from which it goes on.
    fn settle(&mut self, io: &Io) {
        self.time = self.time_now(io);
        self.time_at = self.ticks.count(io.now);
    }

    fn arm(&self, io: &mut Io) {
        let ends = self.time_at.saturating_add(u64::from(self.time.div_ceil(STEP).max(1)));
        match self.ticks.time_of(ends).filter(|_| self.enabled) {
            Some(at) => io.wake_at(Source::Watchdog, at),
            None => io.cancel(Source::Watchdog),
        }
    }

    fn fire(&mut self, reboot: Reboot, io: &mut Io) {
        self.settle(io);
        self.enabled = false;
        self.reason = reboot as u32;
        self.reboot = Some(reboot);
        io.cancel(Source::Watchdog);
    }
}

impl Peripheral for Watchdog {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > TICK {
            io.unknown("WATCHDOG", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            CTRL => (u32::from(self.enabled) * CTRL_ENABLE) | self.pause | self.time_now(io),
            REASON => self.reason,
            SCRATCH0..=SCRATCH7 => self.scratch[((offset - SCRATCH0) / 4) as usize],
            TICK => {
                let left = self.ticks.cycles_left(io.now) as u32 & TICK_CYCLES;
                self.tick | (u32::from(self.ticks.is_running()) * TICK_RUNNING) | left << TICK_COUNT_SHIFT
            }
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            CTRL => {
                self.settle(io);
                self.pause = value & CTRL_PAUSE;
                self.enabled = value & CTRL_ENABLE != 0;
                self.arm(io);
                if value & CTRL_TRIGGER != 0 {
                    self.fire(Reboot::Forced, io);
                }
            }
            LOAD => {
                self.settle(io);
                self.time = value & TIME_MASK;
                self.arm(io);
            }
            SCRATCH0..=SCRATCH7 => self.scratch[((offset - SCRATCH0) / 4) as usize] = value,
            TICK => {
                self.tick = value & (TICK_CYCLES | TICK_ENABLE);
                self.clocks_changed(io);
            }
            REASON => {}
            _ => io.unknown("WATCHDOG", "no such register", true),
        }
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        if self.enabled {
            self.fire(Reboot::Timer, io);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Picoseconds;

    struct Bench {
        watchdog: Watchdog,
        io: Io,
    }

    impl Bench {
        /// With a tick each microsecond.
        fn new() -> Self {
            let mut bench = Self { watchdog: Watchdog::new(), io: Io::default() };
            bench.io.clocks.ref_hz = 12_000_000;
            bench.write(TICK, TICK_ENABLE | 12);
            bench
        }

        fn read(&mut self, offset: u32) -> u32 {
            self.watchdog.read(offset, &mut self.io)
        }

        fn write(&mut self, offset: u32, value: u32) {
            self.watchdog.write(offset, value, &mut self.io);
        }

        fn advance_us(&mut self, us: i64) {
            let end = self.io.now + Picoseconds::from_ns(us * 1000);
            while let Some(at) = self.io.due(Source::Watchdog).filter(|&at| at <= end) {
                self.io.now = at;
                self.io.cancel(Source::Watchdog);
                self.watchdog.wake(Source::Watchdog, &mut self.io);
            }
            self.io.now = end;
        }
    }

    #[test]
    fn the_counter_loses_two_at_each_tick() {
        let mut bench = Bench::new();
        bench.write(LOAD, 1000);
        bench.write(CTRL, CTRL_ENABLE);
        bench.advance_us(100);
        assert_eq!(bench.read(CTRL), CTRL_ENABLE | 800);
    }

    #[test]
    fn a_load_of_twice_the_microseconds_restarts_after_them() {
        let mut bench = Bench::new();
        bench.write(LOAD, 2 * 100_000);
        bench.write(CTRL, CTRL_ENABLE);
        bench.advance_us(99_999);
        assert_eq!(bench.watchdog.take_reboot(), None);
        bench.advance_us(1);
        assert_eq!(bench.watchdog.take_reboot(), Some(Reboot::Timer));
        assert_eq!(bench.read(REASON), 0b01);
        assert_eq!(bench.read(CTRL) & CTRL_ENABLE, 0);
    }

    #[test]
    fn who_feeds_it_in_time_lives_on() {
        let mut bench = Bench::new();
        bench.write(CTRL, CTRL_ENABLE);
        for _ in 0..10 {
            bench.write(LOAD, 2 * 1000);
            bench.advance_us(999);
        }
        assert_eq!(bench.watchdog.take_reboot(), None);
        bench.advance_us(1);
        assert_eq!(bench.watchdog.take_reboot(), Some(Reboot::Timer));
    }

    #[test]
    fn software_can_pull_the_trigger_and_find_its_notes_afterwards() {
        let mut bench = Bench::new();
        for n in 0..8 {
            bench.write(SCRATCH0 + 4 * n, 0xb007_c0d3 + n);
        }
        bench.write(CTRL, CTRL_TRIGGER);
        assert_eq!(bench.watchdog.take_reboot(), Some(Reboot::Forced));
        assert_eq!(bench.watchdog.take_reboot(), None);
        assert_eq!(bench.read(REASON), 0b10);
        assert_eq!(bench.read(SCRATCH7), 0xb007_c0d3 + 7);
        assert_eq!(bench.read(CTRL) & CTRL_TRIGGER, 0);
    }

    #[test]
    fn a_disabled_watchdog_keeps_its_time() {
        let mut bench = Bench::new();
        bench.write(LOAD, 1000);
        bench.write(CTRL, CTRL_ENABLE);
        bench.advance_us(10);
        bench.write(CTRL, 0);
        bench.advance_us(10_000);
        assert_eq!(bench.read(CTRL), 980);
        bench.write(CTRL, CTRL_ENABLE);
        bench.advance_us(489);
        assert_eq!(bench.watchdog.take_reboot(), None);
        bench.advance_us(1);
        assert_eq!(bench.watchdog.take_reboot(), Some(Reboot::Timer));
    }

    #[test]
    fn the_tick_runs_only_with_cycles_and_a_clock() {
        let mut bench = Bench { watchdog: Watchdog::new(), io: Io::default() };
        assert_eq!((bench.read(TICK), bench.watchdog.tick()), (TICK_ENABLE, None));
        bench.write(TICK, TICK_ENABLE | 12);
        assert_eq!(bench.read(TICK) & (TICK_RUNNING | TICK_CYCLES), TICK_RUNNING | 12);
        assert_eq!(bench.watchdog.tick(), Some(12));
        bench.io.clocks.ref_hz = 0;
        bench.watchdog.clocks_changed(&mut bench.io);
        assert_eq!(bench.read(TICK) & TICK_RUNNING, 0);
    }

    #[test]
    fn a_slower_reference_makes_a_later_restart() {
        let mut bench = Bench::new();
        bench.write(LOAD, 2000);
        bench.write(CTRL, CTRL_ENABLE);
        bench.advance_us(500);
        bench.io.clocks.ref_hz = 6_000_000;
        bench.watchdog.clocks_changed(&mut bench.io);
        bench.advance_us(999);
        assert_eq!(bench.watchdog.take_reboot(), None);
        bench.advance_us(1);
        assert_eq!(bench.watchdog.take_reboot(), Some(Reboot::Timer));
    }

    proptest! {
        #[test]
        fn random_traffic_never_panics(
            steps in prop::collection::vec((0u32..13, any::<bool>(), any::<u32>(), 0i64..20_000_000), 1..200),
        ) {
            let mut bench = Bench::new();
            for (word, write, value, us) in steps {
                bench.advance_us(us);
                if write { bench.write(word * 4, value) } else { bench.read(word * 4); }
                let _ = bench.watchdog.take_reboot();
            }
        }
    }
}
