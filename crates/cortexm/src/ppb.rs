//! The private peripheral bus of a core: NVIC, SysTick and the system control block (ARMv6-M Architecture Reference Manual
//! B3, RP2040 datasheet 2.4.8). It decides which exception comes next; `exception` takes it.
//!
//! The MPU's registers keep what is written to them, but nothing is guarded.

use mcu::Sleep;

use crate::Core;

/// The exception number of the NMI.
pub const NMI: u32 = 2;
/// The exception number of HardFault.
pub const HARD_FAULT: u32 = 3;
pub(crate) const SV_CALL: u32 = 11;
pub(crate) const PEND_SV: u32 = 14;
/// The exception number of SysTick.
pub const SYS_TICK: u32 = 15;
/// The exception number of interrupt line 0.
pub(crate) const FIRST_IRQ: u32 = 16;
const EXCEPTIONS: usize = 48;

/// The priority of thread mode: below everything.
const THREAD_PRIORITY: i8 = 4;

const CPUID: u32 = 0x410c_c601;
/// MPU_TYPE: eight regions.
const MPU_TYPE: u32 = 0x800;
/// AIRCR: what must be in the upper half for a write to count.
const VECTKEY: u32 = 0x05fa;

/// What a write asks of the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PpbEffect {
    /// Nothing.
    None,
    /// SysTick was changed: its next interrupt comes at another time.
    SysTick,
    /// AIRCR.SYSRESETREQ.
    Reset,
    /// Something that is not modelled was switched on.
    Unknown(&'static str),
}

/// The state of one core's private bus.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Ppb {
    systick: crate::systick::SysTick,
    pending: u64,
    active: u64,
    enabled: u64,
    lines: u32,
    /// By exception number.
    #[serde(with = "sim::state::array")]
    priority: [i8; EXCEPTIONS],
    primask: bool,
    vector_table: u32,
    system_control: u32,
    mpu: [u32; 4],
    /// The core runs unprivileged code, which may not access this bus.
    unprivileged: bool,
    /// The exception that would be taken now.
    ready: Option<u32>,
}

impl Default for Ppb {
    fn default() -> Self {
        let mut priority = [0; EXCEPTIONS];
        (priority[NMI as usize], priority[HARD_FAULT as usize]) = (-2, -1);
        Self {
            systick: Default::default(),
            pending: 0,
            active: 0,
            enabled: (1 << FIRST_IRQ) - 1,
            lines: 0,
            priority,
            primask: false,
            vector_table: 0,
            system_control: 0,
            mpu: [0; 4],
            unprivileged: false,
            ready: None,
        }
    }
}

impl Ppb {
    /// The cycle of SysTick's next interrupt after `cycle`; nothing when it is off.
    #[inline]
    pub fn next_tick(&self, cycle: u64) -> Option<u64> {
        self.systick.next_interrupt(cycle)
    }

    /// The cycle from which on SYST_CSR shows that SysTick has passed zero; nothing where it does so already.
    pub fn passes_zero_at(&self, cycle: u64) -> Option<u64> {
        self.systick.passes_zero_at(cycle)
    }

    /// SysTick's reference clock has a step of so many cycles from here on.
    pub fn set_reference_cycles(&mut self, cycles: u64) {
        self.systick.reference_cycles = cycles;
    }

    /// Where the vector table is (VTOR).
    pub fn vector_table(&self) -> u32 {
        self.vector_table
    }

    /// Sets where the vector table is.
    pub fn set_vector_table(&mut self, address: u32) {
        self.vector_table = address & !0xff;
    }

    /// PRIMASK: whether interrupts wait.
    pub fn primask(&self) -> bool {
        self.primask
    }

    /// Sets PRIMASK.
    pub fn set_primask(&mut self, masked: bool) {
        self.primask = masked;
        self.decide();
    }

    /// Whether the core runs unprivileged code.
    pub fn is_unprivileged(&self) -> bool {
        self.unprivileged
    }

    /// The core runs unprivileged code from here on, or no longer.
    pub fn set_unprivileged(&mut self, unprivileged: bool) {
        self.unprivileged = unprivileged;
    }

    /// The interrupt lines of the chip have these levels now.
    pub fn set_lines(&mut self, lines: u32) {
        let rose = lines & !self.lines;
        self.lines = lines;
        if rose != 0 {
            self.pending |= u64::from(rose) << FIRST_IRQ;
            self.decide();
        }
    }

    /// An exception becomes pending.
    pub fn pend(&mut self, number: u32) {
        self.pending |= 1 << number;
        self.decide();
    }

    /// The exception to take before the next instruction.
    #[inline]
    pub fn ready(&self) -> Option<u32> {
        self.ready
    }

    /// Whether WFI ends: an exception is pending that would be taken if PRIMASK did not mask it.
    #[inline]
    pub fn wakes(&self) -> bool {
        self.most_urgent().is_some_and(|number| self.priority_of(number) < self.active_priority())
    }

    /// The exception by which a core that sleeps wakes.
    pub fn wakes_by(&self) -> Option<u32> {
        self.most_urgent()
    }

    #[inline]
    pub(crate) fn may_preempt(&self, number: u32) -> bool {
        self.priority_of(number) < self.execution_priority()
    }

    pub(crate) fn at_fault_priority(&self) -> bool {
        self.active_priority() < 0
    }

    pub(crate) fn enter(&mut self, number: u32) {
        self.pending &= !(1 << number);
        self.active |= 1 << number;
        self.decide();
    }

    /// Ends an exception; true when another one is still active. A line that is still high pends again.
    pub(crate) fn leave(&mut self, number: u32) -> bool {
        self.active &= !(1 << number);
        if number >= FIRST_IRQ && self.lines >> (number - FIRST_IRQ) & 1 == 1 {
            self.pending |= 1 << number;
        }
        self.decide();
        self.active != 0
    }

    pub(crate) fn sleeps_on_exit(&self) -> bool {
        self.system_control & 2 != 0
    }

    /// SCR.SEVONPEND: an interrupt that becomes pending is an event, even when it is not enabled.
    pub fn event_on_pending(&self) -> bool {
        self.system_control & 1 << 4 != 0
    }

    /// The interrupts that are pending, enabled or not, a bit each.
    #[inline]
    pub fn pending_irqs(&self) -> u32 {
        Self::irqs(self.pending)
    }

    /// The interrupts that are enabled, a bit each.
    pub fn enabled_irqs(&self) -> u32 {
        Self::irqs(self.enabled)
    }

    fn priority_of(&self, number: u32) -> i8 {
        self.priority[number as usize]
    }

    fn most_urgent(&self) -> Option<u32> {
        let mut left = self.pending & self.enabled;
        let mut best = None;
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left - 1;
            if best.is_none_or(|best| self.priority_of(number) < self.priority_of(best)) {
                best = Some(number);
            }
        }
        best
    }

    fn active_priority(&self) -> i8 {
        let mut left = self.active;
        let mut priority = THREAD_PRIORITY;
        while left != 0 {
            priority = priority.min(self.priority_of(left.trailing_zeros()));
            left &= left - 1;
        }
        priority
    }

    fn execution_priority(&self) -> i8 {
        let active = self.active_priority();
        if self.primask { active.min(0) } else { active }
    }

    fn decide(&mut self) {
        self.ready = match self.pending & self.enabled {
            0 => None,
            _ => self.most_urgent().filter(|&number| self.may_preempt(number)),
        };
    }

    fn irqs(set: u64) -> u32 {
        (set >> FIRST_IRQ) as u32
    }

    /// Reads a register; `offset` counts from 0xe0000000. Nothing when there is none.
    pub fn read(&mut self, offset: u32, cycle: u64) -> Option<u32> {
        if offset == 0xe010 {
            return Some(self.systick.read_control(cycle));
        }
        self.peek(offset, cycle)
    }

    /// What reading would give, without its effects.
    pub fn peek(&self, offset: u32, cycle: u64) -> Option<u32> {
        Some(match offset {
            0xe010 => self.systick.peek_control(cycle),
            0xe014 => self.systick.reload(),
            0xe018 => self.systick.value(cycle),
            0xe01c => crate::systick::CALIBRATION,
            0xe100 | 0xe180 => Self::irqs(self.enabled),
            0xe200 | 0xe280 => Self::irqs(self.pending),
            0xe400..=0xe41c => self.priority_word(FIRST_IRQ + (offset & 0x1c)),
            0xed00 => CPUID,
            0xed04 => self.interrupt_state(),
            0xed08 => self.vector_table,
            0xed0c => 0xfa05 << 16,
            0xed10 => self.system_control,
            // CCR: unaligned accesses trap, frames are aligned to eight bytes.
            0xed14 => 0x208,
            0xed1c => self.priority_word(8),
            0xed20 => self.priority_word(12),
            0xed24 => u32::from(self.pending >> SV_CALL & 1 == 1) << 15,
            0xed90 => MPU_TYPE,
            0xed94..=0xeda0 => self.mpu[(offset - 0xed94) as usize / 4],
            _ => return None,
        })
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Option<PpbEffect> {
        let irqs = u64::from(value) << FIRST_IRQ;
        match offset {
            0xe010 => self.systick.write_control(value, cycle),
            0xe014 => self.systick.write_reload(value, cycle),
            0xe018 => self.systick.write_value(cycle),
            0xe100 => self.enabled |= irqs,
            0xe180 => self.enabled &= !irqs,
            0xe200 => self.pending |= irqs,
            // A line that is high pends again at once.
            0xe280 => {
                let high = u64::from(self.lines) << FIRST_IRQ & !self.active;
                self.pending = self.pending & !irqs | high & irqs;
            }
            0xe400..=0xe41c => self.set_priority_word(FIRST_IRQ + (offset & 0x1c), value),
            0xed04 => self.set_interrupt_state(value),
            0xed08 => self.set_vector_table(value),
            0xed0c if value >> 16 == VECTKEY && value & 4 != 0 => return Some(PpbEffect::Reset),
            0xed0c | 0xed00 | 0xed14 | 0xed90 | 0xe01c => {}
            0xed10 => self.system_control = value & 0x16,
            0xed1c => self.set_priority_word(8, value),
            0xed20 => self.set_priority_word(12, value),
            0xed24 => {}
            0xed94..=0xeda0 => {
                self.mpu[(offset - 0xed94) as usize / 4] = value;
                if offset == 0xed94 && value & 1 == 1 {
                    return Some(PpbEffect::Unknown("MPU_CTRL (the MPU guards nothing here)"));
                }
            }
            _ => return None,
        }
        self.decide();
        Some(if offset & 0xfff0 == 0xe010 { PpbEffect::SysTick } else { PpbEffect::None })
    }

    fn priority_word(&self, first: u32) -> u32 {
        (0..4).map(|i| (self.priority_of(first + i) as u32 & 3) << (8 * i + 6)).sum()
    }

    fn set_priority_word(&mut self, first: u32, value: u32) {
        for i in 0..4 {
            let number = first + i;
            if matches!(number, SV_CALL | PEND_SV | SYS_TICK) || number >= FIRST_IRQ {
                self.priority[number as usize] = (value >> (8 * i + 6) & 3) as i8;
            }
        }
    }

    fn interrupt_state(&self) -> u32 {
        let bit = |number: u32, at: u32| (self.pending >> number & 1) as u32 * (1 << at);
        let irq_pending = u32::from(Self::irqs(self.pending & self.enabled) != 0) << 22;
        let active = self.active_exception();
        bit(NMI, 31)
            | bit(PEND_SV, 28)
            | bit(SYS_TICK, 26)
            | irq_pending
            | self.most_urgent().unwrap_or(0) << 12
            | active
    }

    /// Whether an exception is being handled.
    pub fn is_handling(&self) -> bool {
        self.active != 0
    }

    /// VECTACTIVE: of the active exceptions the one that runs.
    fn active_exception(&self) -> u32 {
        let numbers = (0..EXCEPTIONS as u32).filter(|&number| self.active >> number & 1 == 1);
        numbers.min_by_key(|&number| self.priority_of(number)).unwrap_or(0)
    }

    fn set_interrupt_state(&mut self, value: u32) {
        for (set, clear, number) in [(31, 32, NMI), (28, 27, PEND_SV), (26, 25, SYS_TICK)] {
            if value >> set & 1 == 1 {
                self.pending |= 1 << number;
            }
            if clear < 32 && value >> clear & 1 == 1 {
                self.pending &= !(1 << number);
            }
        }
    }
}

impl Core {
    /// Whether the core's sleep ends with what is pending.
    pub fn wakes(&self, ppb: &Ppb, event: bool) -> bool {
        match self.sleep {
            Sleep::Interrupt => ppb.wakes(),
            Sleep::Event => event || ppb.wakes(),
            _ => false,
        }
    }
}
