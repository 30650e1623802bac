//! A state machine: its registers, when it has something to do next, and what a cycle does to it. What an instruction
//! does is in `execute.rs`.
//!
//! Nothing is stepped for nothing: delay cycles and divided cycles are computed, a machine that is stalled on something
//! that only others can change sleeps until they do, and a jump to itself that counts X or Y down is one long delay.

use super::cycle::{Cycle, PinWrites};
use super::divider::Divider;
use super::fifo::Fifo;
use super::foreseen::Foreseen;
use super::registers::{CLKDIV_RESET, Config, EXECCTRL_RESET, PINCTRL_RESET, SHIFTCTRL_RESET};

/// A cycle that never comes.
pub(super) const NEVER: u64 = u64::MAX;
/// Shift counters saturate here.
pub(super) const FULL_COUNT: u8 = 32;

/// What ends a stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Stall {
    /// The next cycle of the machine: an empty OSR was refilled.
    Refill,
    /// The system reads or writes a FIFO.
    Fifo,
    /// One of these pins changes.
    Pins(u32),
    /// An IRQ flag changes.
    Irq,
}

/// How an instruction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Next,
    Jump(u8),
    /// The next cycle executes this.
    Execute(u16),
    Stalled(Stall),
}

/// A jump to itself that counts a register down. The register is 0 already, the delay is that of all rounds; who wants to
/// know more undoes it ([`StateMachine::stop_counting`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Counting {
    in_y: bool,
    /// Ticks of a round.
    period: u64,
}

/// One of the four state machines of a block.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct StateMachine {
    pub(super) index: u8,
    pub(super) clkdiv: u32,
    pub(super) execctrl: u32,
    pub(super) shiftctrl: u32,
    pub(super) pinctrl: u32,
    pub(super) config: Config,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) isr: u32,
    pub(super) osr: u32,
    pub(super) isr_count: u8,
    pub(super) osr_count: u8,
    pub(super) pc: u8,
    pub(super) transmit: Fifo,
    /// Words that are in that no more, but that it has not come to yet.
    #[serde(skip)]
    pub(super) foreseen: Foreseen,
    pub(super) receive: Fifo,
    pub(super) enabled: bool,
    /// An `IRQ WAIT` has set its flag.
    pub(super) irq_waiting: bool,
    /// A stalled `IN` has shifted already and waits for room.
    pub(super) in_shifted: bool,
    /// The instruction has stalled: its first cycle, with the side-set, is over.
    pub(super) begun: bool,
    pub(super) sticky: PinWrites,
    pub(super) stall: Option<Stall>,
    /// A written instruction did not complete and waits in the latch.
    pub(super) exec_stalled: bool,
    /// The cycle at which the machine has something to do, whoever is asked.
    pub(super) due: u64,
    pub(super) divider: Divider,
    pub(super) delay: u64,
    pub(super) counting: Option<Counting>,
    pub(super) latch: Option<u16>,
    pub(super) forced: Option<(u64, u16)>,
    /// A written instruction took a word, and FSTAT and FLEVEL show it in this cycle only.
    pub(super) shown_late_at: Option<u64>,
    /// A stalled machine looks again at its first tick from here on; while it is disabled, in this very cycle.
    pub(super) look_again: u64,
    /// No other machine writes to the pins of its side-set before a register is written.
    #[serde(default)]
    pub(super) side_is_own: bool,
    /// Its jumps on a pin find that high up to this cycle at least, because levels were foretold.
    #[serde(skip)]
    pub(super) sure_jumps_until: u64,
}

impl StateMachine {
    /// The state after reset.
    pub(super) fn new(index: u8) -> Self {
        let config = Config::decode(EXECCTRL_RESET, SHIFTCTRL_RESET, PINCTRL_RESET);
        Self {
            index,
            clkdiv: CLKDIV_RESET,
            execctrl: EXECCTRL_RESET,
            shiftctrl: SHIFTCTRL_RESET,
            pinctrl: PINCTRL_RESET,
            config,
            x: 0,
            y: 0,
            isr: 0,
            osr: 0,
            isr_count: 0,
            osr_count: FULL_COUNT,
            pc: 0,
            transmit: Fifo::new(config.transmit_depth),
            foreseen: Foreseen::default(),
            receive: Fifo::new(config.receive_depth),
            enabled: false,
            irq_waiting: false,
            in_shifted: false,
            begun: false,
            sticky: PinWrites::default(),
            stall: None,
            exec_stalled: false,
            due: NEVER,
            divider: Divider::new(0),
            delay: 0,
            counting: None,
            latch: None,
            forced: None,
            shown_late_at: None,
            look_again: NEVER,
            side_is_own: false,
            sure_jumps_until: 0,
        }
    }

    /// Lets the ticks up to and including `cycle` pass in which the machine does nothing.
    pub(super) fn settle(&mut self, cycle: u64) {
        let ticks = self.divider.ticks_through(cycle);
        if ticks > 0 {
            self.divider.skip(ticks);
            if self.enabled && self.stall.is_none() {
                self.delay = self.delay.saturating_sub(ticks);
            }
        }
    }

    /// The program is about to change under the machine.
    pub(super) fn program_changes(&mut self, cycle: u64) {
        self.settle(cycle);
        self.stop_counting();
        self.reschedule();
    }

    /// Takes the rounds of a counting jump that are still to come out of the delay, and gives them back to the register.
    pub(super) fn stop_counting(&mut self) {
        if let Some(Counting { in_y, period }) = self.counting.take() {
            let rounds = (self.delay / period) as u32;
            self.delay %= period;
            *(if in_y { &mut self.y } else { &mut self.x }) = rounds;
        }
    }

    /// Makes a delay of all further rounds of a jump to itself that has just been taken.
    fn count_ahead(&mut self, instruction: u16) {
        let in_y = match instruction >> 5 & 7 {
            2 => false,
            4 => true,
            _ => return,
        };
        // A side-set is written again in every round, which changes nothing where nobody else wrote meanwhile.
        if self.config.side_set(instruction).is_some() && !self.side_is_own {
            return;
        }
        let period = 1 + self.delay;
        let rounds = std::mem::take(if in_y { &mut self.y } else { &mut self.x });
        self.delay += u64::from(rounds) * period;
        self.counting = Some(Counting { in_y, period });
    }

    /// Something that the machine may be stalled on changed; it looks again at its first tick after `cycle`.
    pub(super) fn wake_up(&mut self, cycle: u64) {
        self.look_again_from(cycle + 1);
    }

    /// A stalled machine has nothing to see before `cycle`.
    pub(super) fn look_again_from(&mut self, cycle: u64) {
        if self.stall.is_some() {
            self.look_again = self.look_again.min(cycle);
        }
        self.reschedule();
    }

    /// Enables or disables the machine after the edge of `cycle`.
    pub(super) fn enable(&mut self, enabled: bool, cycle: u64) {
        self.settle(cycle);
        self.stop_counting();
        self.enabled = enabled;
        if enabled && self.delay > 0 {
            // What stalls of a written instruction is looked at again when the program's delay is over.
            (self.stall, self.look_again) = (None, cycle + 1);
        }
        self.look_again = self.look_again.max(cycle + 1);
        self.reschedule();
    }

    /// SM_RESTART (RP2040 datasheet 3.7, CTRL).
    pub(super) fn restart(&mut self, cycle: u64) {
        self.settle(cycle);
        self.stop_counting();
        (self.isr, self.isr_count, self.osr_count) = (0, 0, FULL_COUNT);
        (self.delay, self.latch, self.forced, self.exec_stalled) = (0, None, None, false);
        (self.irq_waiting, self.in_shifted, self.begun, self.stall) = (false, false, false, None);
        self.sticky = PinWrites::default();
        self.reschedule();
    }

    /// CLKDIV_RESTART: the first tick is in the next cycle.
    pub(super) fn restart_divider(&mut self, cycle: u64) {
        self.settle(cycle);
        self.divider.restart(cycle + 1);
        self.reschedule();
    }

    /// CLKDIV; the period under way keeps its length.
    pub(super) fn set_clkdiv(&mut self, clkdiv: u32, cycle: u64) {
        self.settle(cycle);
        self.clkdiv = clkdiv;
        let whole = if clkdiv >> 16 == 0 { 1 << 16 } else { clkdiv >> 16 };
        self.divider.set(whole, clkdiv >> 8 & 0xff);
        self.reschedule();
    }

    /// EXECCTRL, SHIFTCTRL and PINCTRL were written.
    pub(super) fn reconfigure(&mut self, cycle: u64) {
        self.settle(cycle);
        self.stop_counting();
        let before = self.config;
        self.config = Config::decode(self.execctrl, self.shiftctrl, self.pinctrl);
        let depths = (self.config.transmit_depth, self.config.receive_depth);
        if depths != (before.transmit_depth, before.receive_depth) {
            self.transmit = Fifo::new(depths.0);
            self.receive = Fifo::new(depths.1);
            self.shown_late_at = None;
        }
        self.wake_up(cycle);
    }

    /// Whether the machine does nothing until a register is written.
    pub(super) fn is_at_rest(&self) -> bool {
        !self.enabled && self.forced.is_none() && self.shown_late_at.is_none() && !self.exec_stalled
    }

    /// What is to come comes some cycles later. A machine that has nothing to do waits whatever the time.
    pub(super) fn put_off(&mut self, cycles: u64) {
        if self.due == NEVER {
            return;
        }
        let later = |cycle: u64| if cycle == NEVER { NEVER } else { cycle + cycles };
        self.divider.put_off(cycles);
        (self.due, self.look_again) = (later(self.due), later(self.look_again));
        self.forced = self.forced.map(|(cycle, instruction)| (later(cycle), instruction));
        self.shown_late_at = self.shown_late_at.map(later);
    }

    /// Whether the machine was the same some cycles ago.
    pub(super) fn comes_again(&self, later: &Self, cycles: u64) -> bool {
        let mut put_off = self.clone();
        put_off.put_off(cycles);
        put_off == *later
    }

    /// Whether the machine does nothing before somebody brings it a word.
    pub(super) fn waits_for_word(&self) -> bool {
        let has_room = self.config.receive_depth == 0 || !self.receive.is_full();
        self.stall == Some(Stall::Fifo) && self.due == NEVER && !self.has_word() && has_room
    }

    /// Computes when the machine has something to do. A disabled one completes a written instruction, and nothing else.
    pub(super) fn reschedule(&mut self) {
        let due = match (self.forced, self.stall) {
            (Some((cycle, _)), _) => cycle,
            _ if !self.enabled && self.exec_stalled => self.look_again,
            _ if !self.enabled => NEVER,
            (None, Some(_)) if self.look_again == NEVER => NEVER,
            (None, Some(_)) => self.divider.at_or_after(self.look_again),
            (None, None) if self.delay > 0 && self.wants_refill() => self.divider.next(),
            (None, None) => self.divider.after(self.delay),
        };
        self.due = due.min(self.shown_late_at.unwrap_or(NEVER));
    }

    /// Does what is due in this cycle.
    #[inline]
    pub(super) fn step(&mut self, cycle: &mut Cycle<'_>) {
        if self.shown_late_at == Some(cycle.number) && !self.show_late(cycle) {
            return;
        }
        if self.divider.next() < cycle.number {
            self.settle(cycle.number - 1);
        }
        if self.forced.is_some() {
            self.step_forced(cycle);
        } else if !self.enabled {
            self.step_program(cycle);
            self.pass_tick_of(cycle.number);
        } else if self.delay > 0 {
            self.delay -= 1;
            self.divider.tick();
            self.refill(cycle);
        } else {
            self.divider.tick();
            self.step_program(cycle);
        }
        self.reschedule();
    }

    #[inline]
    pub(super) fn step_program(&mut self, cycle: &mut Cycle<'_>) {
        self.counting = None;
        let latched = self.latch;
        let instruction = latched.unwrap_or_else(|| cycle.program[usize::from(self.pc)]);
        let outcome = self.execute(instruction, cycle);
        self.begun = matches!(outcome, Outcome::Stalled(_));
        if let Outcome::Stalled(stall) = outcome {
            self.stall(stall, cycle);
            return;
        }
        (self.stall, self.look_again) = (None, NEVER);
        if !self.exec_stalled {
            self.delay = u64::from(self.config.delay(instruction));
        }
        (self.latch, self.exec_stalled) = (None, false);
        if let Outcome::Jump(target) = outcome {
            let before = std::mem::replace(&mut self.pc, target);
            if target == before && latched.is_none() && instruction >> 13 == 0 {
                self.count_ahead(instruction);
            }
        } else if latched.is_none() {
            self.pc = self.config.following(self.pc);
        }
        if let Outcome::Execute(next) = outcome {
            (self.latch, self.delay) = (Some(next), 0);
        }
    }

    /// A tick that comes in a cycle whose instruction it did not pace passes.
    pub(super) fn pass_tick_of(&mut self, cycle: u64) {
        if self.divider.next() == cycle {
            self.settle(cycle);
        }
    }

    fn stall(&mut self, stall: Stall, cycle: &Cycle<'_>) {
        self.stall = match stall {
            Stall::Refill => None,
            Stall::Pins(mask) if !cycle.inputs.are_settled(cycle.number, mask) => None,
            stall => Some(stall),
        };
        self.look_again = if self.stall.is_some() { NEVER } else { cycle.number + 1 };
    }

    pub(super) fn wants_refill(&self) -> bool {
        self.config.autopull && self.osr_count >= self.config.pull_threshold && self.has_word()
    }

    /// Autopull, in any cycle that has no `OUT` and at the end of one that has (RP2040 datasheet 3.5.4.2).
    #[inline]
    pub(super) fn refill(&mut self, cycle: &mut Cycle<'_>) {
        if self.wants_refill()
            && let Some((word, has_moved)) = self.take_word()
        {
            (self.osr, self.osr_count) = (word, 0);
            cycle.fifo_moved |= has_moved;
        }
    }
}
