//! The run loop: which core executes next and until when, and what happens between.
//!
//! One core awake runs up to the next event without a stop. Two cores awake take turns of a few cycles, and whoever is ahead
//! waits with everything that is not memory. None awake: time jumps to the next event.

use cortexm::{Core, Exit};
use mcu::{Samples, Sleep, Slept, Stop};
use units::Picoseconds;

use crate::bus::Bus;
use crate::chip::Rp2040;
use crate::facts;

/// By how many cycles a core may run ahead of the other one while both are awake: what one writes to memory the other sees
/// this much too late or too early at the most.
const TURN_CYCLES: u64 = 16;

/// Events and instructions of the other core for which a step waits.
const MOST_STEPS: u32 = 1_000_000;

/// How far the cores may run before anything has to be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Horizon {
    pub(super) time: Picoseconds,
    pub(super) cycle: u64,
    /// Accesses to what is not memory up to here: without any nothing happens before its time.
    accesses: u32,
}

impl Horizon {
    /// Whether it still is the horizon of a core that has come to a cycle.
    #[inline]
    fn holds(&self, bus: &Bus, cycle: u64) -> bool {
        cycle < self.cycle && self.accesses == bus.spin.accesses()
    }
}

/// Whoever looks at the cores from time to time, if anybody does.
struct Looks<'a>(Option<&'a mut dyn Samples>);

impl Rp2040 {
    /// Runs until `end`, or until something comes up before.
    pub fn run_until(&mut self, end: Picoseconds) -> Stop {
        self.run(end, &mut Looks(None))
    }

    /// The same with looks at where the cores are, which stop nothing else.
    pub fn run_sampled(&mut self, end: Picoseconds, samples: &mut dyn Samples) -> Stop {
        self.run(end, &mut Looks(Some(samples)))
    }

    fn run(&mut self, end: Picoseconds, looks: &mut Looks<'_>) -> Stop {
        self.bus.stopped = None;
        self.bus.flow = None;
        self.bus.spin.end();
        // Whoever reached for the surroundings since the last run may have changed their plans.
        self.bus.outside_changed();
        self.bus.pio_outlook_changed();
        self.bus.plan_lines();
        loop {
            if let Some(stop) = self.bus.stopped.take() {
                self.bus.lead_all_on(self.bus.looked_until());
                return stop;
            }
            if let Some(stop) = self.look_around() {
                return stop;
            }
            if self.bus.stands_still() {
                if let Some(stop) = self.stand_still(end) {
                    return stop;
                }
                continue;
            }
            self.look_asleep(looks);
            self.wake_cores();
            let turn = self.next_turn();
            let until = self.until_answered(end);
            let stop = match turn {
                Some((core, turn_end)) => self.execute(core, turn_end, until, looks),
                None => self.pass_time(until),
            };
            let stop = if stop == Some(Stop::Time) && until < end { self.look_for_answer() } else { stop };
            if let Some(stop) = stop {
                self.look_asleep(looks);
                return stop;
            }
        }
    }

    /// What came up while the cores executed.
    fn look_around(&mut self) -> Option<Stop> {
        self.code.forget_stale(&mut self.bus);
        self.bus.attention = false;
        if let Some(on) = self.bus.proc1.take() {
            self.power_core1(on);
        }
        match self.bus.reset.take() {
            Some(cause) => self.reset(cause).err().map(|_| Stop::BootLoader),
            None => None,
        }
    }

    /// Executes one instruction of a core (more on the other core, if that is behind); a core that sleeps waits for its
    /// wake-up first.
    pub fn step(&mut self, core: usize) -> Stop {
        let before = self.cores[core].instructions();
        self.pass_breakpoint(core);
        for _ in 0..MOST_STEPS {
            match self.run_until(self.next_moment().max(self.now())) {
                Stop::Time if self.cores[core].instructions() == before => {}
                stop => return stop,
            }
        }
        Stop::Asleep
    }

    /// Which core executes next, and the cycle at which the other one's turn comes.
    fn next_turn(&mut self) -> Option<(usize, u64)> {
        let awake = self.cores.each_ref().map(|core| core.sleep == Sleep::Awake);
        let cycles = self.cores.each_ref().map(|core| core.cycle);
        self.bus.may_run_to = [
            if awake[1] { cycles[1] } else { u64::MAX },
            // Of two at one cycle core 0 comes first.
            if awake[0] { cycles[0].saturating_sub(1) } else { u64::MAX },
        ];
        match awake {
            [true, false] => Some((0, u64::MAX)),
            [false, true] => Some((1, u64::MAX)),
            [false, false] => None,
            [true, true] if cycles[0] <= cycles[1] => Some((0, cycles[1] + TURN_CYCLES)),
            [true, true] => Some((1, cycles[0] + TURN_CYCLES)),
        }
    }

    fn execute(
        &mut self,
        mut core: usize,
        mut turn_end: u64,
        run_end: Picoseconds,
        looks: &mut Looks<'_>,
    ) -> Option<Stop> {
        let shared = turn_end != u64::MAX;
        self.bus.share_memory(shared);
        let end = self.look_awake(looks, run_end);
        let mut looks_once_more = self.bus.spin.take_iteration() && self.leave_out_iterations(core, end);
        let mut known = None;
        loop {
            let end = self.look_awake(looks, run_end);
            let horizon = match known.filter(|known: &Horizon| known.holds(&self.bus, self.cores[core].cycle))
            {
                Some(horizon) => horizon,
                None => match self.horizon(core, end) {
                    Ok(horizon) => horizon,
                    Err(stop) => return stop,
                },
            };
            known = Some(horizon);
            self.bus.set_horizon(horizon.time, horizon.cycle.min(turn_end));
            if !shared {
                self.bus.let_horizon_move(end, turn_end);
            }
            let pending = if std::mem::take(&mut looks_once_more) {
                None
            } else {
                self.cores[core].take_pending(&mut self.bus)
            };
            let exit = match pending {
                Some(exit) => exit,
                None => self.cores[core].run(&mut self.bus, &mut self.code.code),
            };
            if !matches!(exit, Exit::Limit | Exit::Sleep) {
                self.bus.process_events(self.bus.clock.time_of(self.cores[core].cycle));
            }
            match exit {
                Exit::Limit if self.bus.attention => return None,
                // Nothing came up: the other one's turn.
                Exit::Limit if shared => (core, turn_end) = self.next_turn()?,
                Exit::Limit => {
                    self.leave_out_laps(core, end);
                    if self.bus.attention {
                        return None;
                    }
                }
                Exit::Sleep => return None,
                Exit::Debug(event) => return Some(Stop::Debug(core, event)),
                Exit::Ended(code) => return Some(Stop::Ended(code)),
                Exit::BootLoader => return Some(Stop::BootLoader),
                Exit::Fault(fault) => return self.handle_fault(core, fault),
            }
        }
    }

    /// Looks at cores of which one is awake, where that is due. Gives up to when they run before the next look, or else up to `end`.
    #[inline]
    fn look_awake(&self, looks: &mut Looks<'_>, end: Picoseconds) -> Picoseconds {
        let Some(samples) = &mut looks.0 else { return end };
        let now = self.now();
        if samples.due() <= now {
            let mut pcs = [0; 2];
            let awake = self.cores.iter().filter(|core| core.sleep == Sleep::Awake);
            let count = pcs.iter_mut().zip(awake).map(|(pc, core)| *pc = core.r[15]).count();
            samples.look(now, (self.cycles(), self.sys_hz()), &pcs[..count]);
        }
        end.min(samples.due())
    }

    /// Makes up for looks at cores that all slept.
    fn look_asleep(&self, looks: &mut Looks<'_>) {
        let Some(samples) = &mut looks.0 else { return };
        if self.cores.iter().any(|core| core.sleep == Sleep::Awake) {
            return;
        }
        while samples.due() <= self.bus.io.now {
            let at = samples.due();
            samples.look(at, (self.bus.clock.cycle_at(at), self.sys_hz()), &[]);
        }
    }

    /// How far a core may run, after everything that is due before it; what the run ends with where that is nowhere.
    pub(super) fn horizon(&mut self, core: usize, end: Picoseconds) -> Result<Horizon, Option<Stop>> {
        let now = self.bus.clock.time_of(self.cores[core].cycle);
        if now >= end {
            let until = end.max(self.bus.looked_until());
            self.bus.process_events(until);
            // Whoever looks between two runs sees what is there at the end, and not at the last event.
            self.bus.io.now = self.bus.io.now.max(until);
            return Err((!self.bus.attention).then_some(Stop::Time));
        }
        self.bus.asks_anew = true;
        let mut has_led = self.bus.words_are_due(now) && self.bus.lead_words(now);
        let mut latest = self.bus.latest_wake();
        if latest <= now && !has_led && self.bus.lead_words(now) {
            (has_led, latest) = (true, self.bus.latest_wake());
        }
        if latest <= now {
            self.bus.process_events(now);
            (has_led, latest) = (true, self.bus.latest_wake());
        }
        self.bus.asks_anew = false;
        self.bus.io.take_agenda_changed();
        if has_led && self.bus.attention {
            return Err(None);
        }
        let time = end.min(latest);
        let cycle = self.bus.clock.cycle_at(time);
        Ok(Horizon { time, cycle, accesses: self.bus.spin.accesses() })
    }

    /// No core is awake: time jumps to the next event.
    pub(super) fn pass_time(&mut self, end: Picoseconds) -> Option<Stop> {
        self.bus.asks_anew = true;
        let stop = self.pass_time_asleep(end);
        self.bus.asks_anew = false;
        stop
    }

    fn pass_time_asleep(&mut self, end: Picoseconds) -> Option<Stop> {
        self.bus.find_patient(true);
        while self.bus.let_outside_come_first(end) {}
        self.bus.lead_all_asleep(end);
        if let Some(first) = self.bus.io.first_due(end)
            && self.bus.let_flow(first, end)
        {
            return None;
        }
        if self.bus.io.next_wake() == Picoseconds::new(i64::MAX) {
            return Some(Stop::Asleep);
        }
        let next = self.bus.next_noticed();
        let at = next.min(end);
        self.bus.process_events(at);
        self.bus.io.now = self.bus.io.now.max(at);
        (next > end).then_some(Stop::Time)
    }

    /// clk_sys stands: time jumps to the next event, which may start it. The cores go on from there.
    fn stand_still(&mut self, end: Picoseconds) -> Option<Stop> {
        if self.bus.stands_for_good() {
            return Some(Stop::Asleep);
        }
        let stop = self.pass_time(end);
        let cycle = self.bus.cycle_now();
        for core in self.cores.iter_mut().filter(|core| core.sleep == Sleep::Awake) {
            core.idle_cycles += cycle.saturating_sub(core.cycle);
            core.cycle = core.cycle.max(cycle);
        }
        stop
    }

    /// Ends the sleep of every core that has a reason to wake.
    fn wake_cores(&mut self) {
        if self.cores[1].sleep == Sleep::Launch && std::mem::take(&mut self.bus.events[1]) {
            self.launch();
        }
        if self.cores.iter().all(|core| core.sleep == Sleep::Awake) {
            return;
        }
        let cycle = self.bus.cycle_now();
        let wakes = |core: &Core, bus: &Bus| {
            core.sleep != Sleep::Awake && core.wakes(&bus.ppb[core.id], bus.events[core.id])
        };
        if self.cores.iter().any(|core| wakes(core, &self.bus)) {
            self.end_of_sleep(cycle);
        }
        for (id, core) in self.cores.iter_mut().enumerate() {
            if !wakes(core, &self.bus) {
                continue;
            }
            if core.sleep == Sleep::Event {
                self.bus.events[id] = false;
            }
            if let Some(waits) = &mut self.bus.waits {
                let woken_by = self.bus.ppb[id].wakes_by().map(|number| facts::waker(number as u8));
                let [from, to] = [core.cycle, cycle.max(core.cycle)].map(|at| self.bus.clock.time_of(at));
                waits.slept(Slept { core: id as u8, from, to, woken_by });
            }
            core.sleep = Sleep::Awake;
            core.idle_cycles += cycle.saturating_sub(core.cycle);
            core.cycle = core.cycle.max(cycle);
        }
    }
}
