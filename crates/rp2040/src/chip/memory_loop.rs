//! Laps of a core that waits for memory to change are left out: a short loop that only computes and looks at memory does the same
//! until an event writes that memory or interrupts. A core is found in such a loop where it has to stop for an event. What the laps
//! would have counted is counted, so that nobody can tell.

use cortexm::{Exit, LoopStep, Region, loop_step};
use units::Picoseconds;

use crate::bus::{ROM_BYTES, Size};
use crate::chip::Rp2040;

/// Instructions in the longest lap.
const MOST_STEPS: usize = 24;
/// Addresses that one lap may look at.
const MOST_LOOKS: usize = 8;
/// Branches in one lap, whose trace is kept.
const MOST_BRANCHES: usize = 8;
/// Fewer laps are executed as fast as they are left out.
const FEWEST_LAPS: u64 = 4;
/// Stops in the same loop until its laps are looked at again, where too few could be left out.
const STOPS_UNTIL_MORE: i32 = 3;
/// Loops that are known to do more than wait, and stops after which that is forgotten.
const REFUSED: usize = 4;
const STOPS_UNTIL_FORGOTTEN: u32 = 1024;

/// The loop in which a core stood when it had to stop. Nothing of this is state of the chip.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MemoryLoop {
    /// The last branch that the core took.
    branch: Option<(u32, u32)>,
    /// How often it stopped with that one, negative while a retry is to wait.
    stops: i32,
    /// The last branches of loops that are no use to look at, and how long that has been known.
    refused: [Option<(u32, u32)>; REFUSED],
    known_for: u32,
}

/// Why nothing was left out.
enum Refusal {
    /// The loop does more than wait.
    NoLoop,
    /// Something has to be looked at first.
    TooNear,
}

/// What a lap takes, and where it looks.
struct Lap {
    cycles: u64,
    instructions: u64,
    xip_accesses: u64,
    branches: usize,
    looks: [u32; MOST_LOOKS],
    look_count: usize,
}

/// What has to be the same at the end of a lap, and the counts at its beginning.
struct Start {
    registers: [u32; 16],
    xpsr: u32,
    residents: u32,
    cycle: u64,
    instructions: u64,
    xip: (u64, u64),
    branches: usize,
}

impl Rp2040 {
    /// A core that is alone awake has to stop: leaves out the laps of a loop in which it only looks at memory, up to the next
    /// event, with all that flows meanwhile unheard.
    #[inline]
    pub(super) fn leave_out_laps(&mut self, id: usize, end: Picoseconds) {
        let branch = self.cores[id].branches.backwards().next().map(|branch| (branch.from, branch.to));
        let known = &mut self.memory_loop;
        known.known_for += 1;
        if known.known_for > STOPS_UNTIL_FORGOTTEN {
            (known.refused, known.known_for) = ([None; REFUSED], 0);
        }
        if branch != known.branch {
            (known.branch, known.stops) = (branch, 0);
            return;
        }
        known.stops += 1;
        if known.stops > 0 && branch.is_some() && !known.refused.contains(&branch) {
            self.leave_out_known(id, end);
        }
    }

    #[inline(never)]
    fn leave_out_known(&mut self, id: usize, end: Picoseconds) {
        self.memory_loop.stops = 0;
        if self.bus.is_observed() || self.bus.attention || self.bus.ppb[id].ready().is_some() {
            return;
        }
        let lap = match self.lap(id, end) {
            Ok(lap) => lap,
            Err(Refusal::TooNear) => return,
            Err(Refusal::NoLoop) => {
                self.memory_loop.refused.rotate_right(1);
                self.memory_loop.refused[0] = self.memory_loop.branch;
                return;
            }
        };
        self.bus.let_flow_past(end, &lap.looks[..lap.look_count]);
        let until = if self.bus.attention { end.min(self.bus.io.now) } else { end };
        let until = self.bus.clock.cycle_at(until.min(self.bus.next_noticed()));
        let core = &mut self.cores[id];
        let laps = until.saturating_sub(core.cycle + 1) / lap.cycles;
        core.leave_out(laps, lap.cycles, lap.instructions, lap.branches);
        self.bus.xip.count_hits(laps * lap.xip_accesses);
        if laps < FEWEST_LAPS {
            self.memory_loop.stops = -STOPS_UNTIL_MORE;
        }
    }

    /// Executes one lap, instruction by instruction, if it ends before anything has to be looked at.
    fn lap(&mut self, id: usize, end: Picoseconds) -> Result<Lap, Refusal> {
        let horizon = self.horizon(id, end).map_err(|_| Refusal::TooNear)?;
        let core = &self.cores[id];
        let start = Start {
            registers: core.registers(),
            xpsr: core.xpsr(),
            residents: self.bus.xip.residents(),
            cycle: core.cycle,
            instructions: core.instructions(),
            xip: self.bus.xip.statistics_of_cores(),
            branches: core.branches.taken(),
        };
        let (mut looks, mut look_count) = ([0; MOST_LOOKS], 0);
        for _ in 0..MOST_STEPS {
            if let Some(address) = self.step_of_lap(id).ok_or(Refusal::NoLoop)? {
                *looks.get_mut(look_count).ok_or(Refusal::NoLoop)? = address;
                look_count += 1;
            }
            let cycle = self.cores[id].cycle;
            if cycle >= horizon.cycle {
                return Err(Refusal::TooNear);
            }
            self.bus.set_horizon(horizon.time, cycle + 1);
            let exit = self.cores[id].run(&mut self.bus, &mut self.code.code);
            assert_eq!(exit, Exit::Limit, "an instruction that computes or looks at memory ends by itself");
            let core = &self.cores[id];
            if (core.registers(), core.xpsr()) == (start.registers, start.xpsr) {
                return self.length_of_lap(id, &start, looks, look_count).ok_or(Refusal::NoLoop);
            }
        }
        Err(Refusal::NoLoop)
    }

    /// Where the next instruction looks, if it looks anywhere; nothing when it does anything else than that or compute, or looks at
    /// what is not memory.
    fn step_of_lap(&self, id: usize) -> Option<Option<u32>> {
        let core = &self.cores[id];
        let pc = core.registers()[cortexm::PC];
        let half = |address| self.bus.peek(address, Size::Half).map(|half| half as u16);
        if <crate::bus::Bus as cortexm::Bus>::region(pc) == Region::Other {
            return None;
        }
        let (first, second) = (half(pc)?, half(pc.wrapping_add(2))?);
        match loop_step(pc, first, second) {
            LoopStep::Computes => Some(None),
            LoopStep::LoadsLiteral(_) | LoopStep::Loads => {
                let (address, bytes) = core.load_of(first, second)?;
                let is_memory = crate::bus::is_sram(address) || address < ROM_BYTES || address >> 24 == 0x10;
                (is_memory && address.is_multiple_of(bytes)).then_some(Some(address))
            }
            LoopStep::Other => None,
        }
    }

    fn length_of_lap(
        &self,
        id: usize,
        start: &Start,
        looks: [u32; MOST_LOOKS],
        look_count: usize,
    ) -> Option<Lap> {
        let (core, xip) = (&self.cores[id], self.bus.xip.statistics_of_cores());
        let lap = Lap {
            cycles: core.cycle - start.cycle,
            instructions: core.instructions() - start.instructions,
            xip_accesses: xip.0 - start.xip.0,
            branches: core.branches.taken().wrapping_sub(start.branches),
            looks,
            look_count,
        };
        let all_hit = xip.1 - start.xip.1 == lap.xip_accesses && self.bus.xip.residents() == start.residents;
        (all_hit && (1..=MOST_BRANCHES).contains(&lap.branches) && !self.bus.attention).then_some(lap)
    }
}
