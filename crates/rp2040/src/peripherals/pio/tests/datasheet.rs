//! One state machine as the RP2040 datasheet's chapter 3 describes it, cycle by cycle and register by register, written
//! from that text alone: an oracle for `differential.rs` that shares nothing with the block it is held against.
//!
//! Where the text does not say what happens, a cycle ends in `Err` with what it leaves open, and nothing is compared from
//! there on. Left out: clock dividers, OUT_STICKY, INLINE_OUT_EN, several machines.

use std::collections::VecDeque;

pub(super) type Undocumented = &'static str;

/// What firmware has set up before it starts the machine.
#[derive(Debug, Clone, Default)]
pub(super) struct Config {
    pub(super) machine: u8,
    pub(super) wrap_bottom: u8,
    pub(super) wrap_top: u8,
    pub(super) side_enable: bool,
    pub(super) side_pindirs: bool,
    pub(super) jmp_pin: u8,
    pub(super) status_rx: bool,
    pub(super) status_n: u8,
    pub(super) join_rx: bool,
    pub(super) join_tx: bool,
    pub(super) pull_threshold: u32,
    pub(super) push_threshold: u32,
    pub(super) out_right: bool,
    pub(super) in_right: bool,
    pub(super) autopull: bool,
    pub(super) autopush: bool,
    pub(super) side_count: u8,
    pub(super) set_count: u8,
    pub(super) out_count: u8,
    pub(super) in_base: u8,
    pub(super) side_base: u8,
    pub(super) set_base: u8,
    pub(super) out_base: u8,
}

/// Where the instruction of a cycle comes from (3.5.7).
#[derive(Debug, Clone, Copy, PartialEq)]
enum From {
    Memory,
    /// Written to SMx_INSTR.
    Forced,
    /// OUT EXEC or MOV EXEC of the cycle before.
    Latch,
}

enum Done {
    Stalled,
    /// It is complete, and the program goes on behind it.
    Next,
    Jumped(u8),
    /// OUT EXEC or MOV EXEC: this one is next.
    Executes(u16),
}

#[derive(Debug, Clone)]
pub(super) struct Machine {
    pub(super) config: Config,
    pub(super) memory: [u16; 32],
    pub(super) enabled: bool,
    pub(super) pc: u8,
    x: u32,
    y: u32,
    isr: u32,
    isr_count: u32,
    osr: u32,
    osr_count: u32,
    delay: u16,
    forced: Option<u16>,
    latch: Option<u16>,
    /// The instruction of the last cycle has not completed.
    stalled: Option<From>,
    /// IRQ with Wait has set its flag.
    irq_waits: bool,
    /// What IN PINS saw when it began to wait for room.
    in_saw: Option<u32>,
    pub(super) tx: VecDeque<u32>,
    pub(super) rx: VecDeque<u32>,
    pub(super) irq: u8,
    pub(super) pad_out: u32,
    pub(super) pad_oe: u32,
    pub(super) tx_stall: bool,
    pub(super) rx_stall: bool,
    pub(super) tx_over: bool,
    pub(super) rx_under: bool,
}

/// The least significant `bits` bits.
fn low(value: u32, bits: u32) -> u32 {
    if bits >= 32 { value } else { value & ((1 << bits) - 1) }
}

/// 0 stands for 32 (3.4.4, 3.4.5).
fn count_of(field: u16) -> u32 {
    match field & 31 {
        0 => 32,
        bits => bits.into(),
    }
}

impl Machine {
    pub(super) fn new(config: Config, memory: [u16; 32]) -> Self {
        Self {
            config,
            memory,
            enabled: false,
            pc: 0,
            x: 0,
            y: 0,
            isr: 0,
            isr_count: 0,
            osr: 0,
            // 3.2.3.4: at reset the input counter is 0, nothing shifted in, and the output counter 32, all shifted out.
            osr_count: 32,
            delay: 0,
            forced: None,
            latch: None,
            stalled: None,
            irq_waits: false,
            in_saw: None,
            tx: VecDeque::new(),
            rx: VecDeque::new(),
            irq: 0,
            pad_out: 0,
            pad_oe: 0,
            tx_stall: false,
            rx_stall: false,
            tx_over: false,
            rx_under: false,
        }
    }

    // What the system does, between two cycles.

    /// 3.5.3: a joined FIFO has eight entries and the other none.
    pub(super) fn tx_room(&self) -> usize {
        if self.config.join_tx { 8 } else { 4 * usize::from(!self.config.join_rx) }
    }

    pub(super) fn rx_room(&self) -> usize {
        if self.config.join_rx { 8 } else { 4 * usize::from(!self.config.join_tx) }
    }

    pub(super) fn put(&mut self, word: u32) {
        if self.tx.len() < self.tx_room() {
            self.tx.push_back(word);
        } else {
            self.tx_over = true;
        }
    }

    pub(super) fn get(&mut self) -> Option<u32> {
        let word = self.rx.pop_front();
        self.rx_under |= word.is_none();
        word
    }

    /// Writes SMx_INSTR; false where the text leaves open what that does to whatever the machine is about.
    pub(super) fn force(&mut self, instruction: u16) -> bool {
        let side_sets_again = self.stalled == Some(From::Memory) && self.config.side_count > 0;
        if self.delay > 0
            || self.latch.is_some()
            || self.irq_waits
            || self.in_saw.is_some()
            || side_sets_again
        {
            return false;
        }
        self.forced = Some(instruction);
        true
    }

    /// CTRL, SM_RESTART.
    pub(super) fn restart(&mut self) {
        (self.isr, self.isr_count, self.osr_count, self.delay) = (0, 0, 32, 0);
        (self.forced, self.latch, self.stalled) = (None, None, None);
        (self.irq_waits, self.in_saw) = (false, None);
    }

    /// EXECCTRL, EXEC_STALLED; nothing is said of what OUT EXEC has put into the latch.
    pub(super) fn exec_stalled(&self) -> Option<bool> {
        (self.stalled != Some(From::Latch)).then_some(self.stalled == Some(From::Forced))
    }

    /// One cycle of a machine whose divider is 1, with what its input synchronisers show.
    pub(super) fn cycle(&mut self, inputs: u32) -> Result<(), Undocumented> {
        let (from, instruction) = match (self.forced, self.latch) {
            (Some(forced), _) => (From::Forced, forced),
            _ if !self.enabled => return Ok(()),
            _ if self.delay > 0 => {
                self.delay -= 1;
                self.refill();
                return Ok(());
            }
            (None, Some(latched)) => (From::Latch, latched),
            (None, None) => (From::Memory, self.memory[usize::from(self.pc)]),
        };
        if !is_defined(instruction) {
            return Err("what a reserved encoding does");
        }
        let side_bits = self.config.side_count.min(5);
        let field = instruction >> 8 & 31;
        let delay = field & ((1 << (5 - side_bits)) - 1);
        let done = self.execute(instruction, inputs)?;
        // 3.5.1: in the first cycle even of an instruction that stalls; 3.5.6: it takes precedence over OUT and SET.
        let before = (self.pad_out, self.pad_oe);
        self.side_set(field >> (5 - side_bits), side_bits);
        if self.stalled == Some(from) && before != (self.pad_out, self.pad_oe) {
            return Err("whether side-set takes precedence over an OUT that has stalled");
        }
        if instruction >> 13 != 3 {
            self.refill();
        }
        self.finish(from, delay, &done);
        Ok(())
    }

    fn finish(&mut self, from: From, delay: u16, done: &Done) {
        if matches!(done, Done::Stalled) {
            self.stalled = Some(from);
            return;
        }
        self.stalled = None;
        match from {
            From::Forced => self.forced = None,
            From::Latch => self.latch = None,
            From::Memory if !matches!(done, Done::Jumped(_)) => {
                self.pc = if self.pc == self.config.wrap_top {
                    self.config.wrap_bottom
                } else {
                    (self.pc + 1) & 31
                };
            }
            From::Memory => {}
        }
        // 3.5.7: no delay on what is written to INSTR.
        self.delay = if from == From::Forced { 0 } else { delay };
        match *done {
            Done::Jumped(to) => self.pc = to,
            Done::Executes(next) => {
                // 3.4.5.2: delay cycles on the initial OUT are ignored.
                self.delay = 0;
                self.latch = Some(next);
            }
            Done::Next | Done::Stalled => {}
        }
    }

    fn execute(&mut self, instruction: u16, inputs: u32) -> Result<Done, Undocumented> {
        let (first, second) = (instruction >> 5 & 7, instruction & 31);
        match instruction >> 13 {
            0 => Ok(self.jmp(first, second as u8, inputs)),
            1 => Ok(self.wait(first >> 2 == 1, first & 3, second, inputs)),
            2 => self.in_(first, count_of(second), inputs),
            3 => Ok(self.out(first, count_of(second))),
            4 if first & 4 == 0 => Ok(self.push(first & 2 != 0, first & 1 != 0)),
            4 => self.pull(first & 2 != 0, first & 1 != 0),
            5 => self.mov(first, second >> 3, second & 7, inputs),
            6 => Ok(self.interrupt(first & 2 != 0, first & 1 != 0, second)),
            _ => {
                self.set(first, u32::from(second));
                Ok(Done::Next)
            }
        }
    }

    fn jmp(&mut self, condition: u16, to: u8, inputs: u32) -> Done {
        let taken = match condition {
            0 => true,
            1 => self.x == 0,
            2 => {
                self.x = self.x.wrapping_sub(1);
                self.x != u32::MAX
            }
            3 => self.y == 0,
            4 => {
                self.y = self.y.wrapping_sub(1);
                self.y != u32::MAX
            }
            5 => self.x != self.y,
            6 => inputs >> self.config.jmp_pin & 1 == 1,
            _ => self.osr_count < self.config.pull_threshold,
        };
        if taken { Done::Jumped(to) } else { Done::Next }
    }

    /// 3.4.3, 3.4.9: the highest bit adds the machine's number to the lowest two.
    fn flag(&self, index: u16) -> u8 {
        let index = index as u8;
        let low = if index & 16 != 0 { index + self.config.machine } else { index };
        1 << (index & 4 | low & 3)
    }

    fn wait(&mut self, high: bool, source: u16, index: u16, inputs: u32) -> Done {
        let level = match source {
            0 => inputs >> index & 1 == 1,
            1 => inputs >> ((u16::from(self.config.in_base) + index) & 31) & 1 == 1,
            _ => self.irq & self.flag(index) != 0,
        };
        if level != high {
            return Done::Stalled;
        }
        if source == 2 && high {
            self.irq &= !self.flag(index);
        }
        Done::Next
    }

    fn in_(&mut self, source: u16, bits: u32, inputs: u32) -> Result<Done, Undocumented> {
        let value = match source {
            0 => inputs.rotate_right(self.config.in_base.into()),
            1 => self.x,
            2 => self.y,
            3 => 0,
            6 => self.isr,
            _ => self.visible_osr()?,
        };
        let full = self.config.autopush && (self.isr_count + bits).min(32) >= self.config.push_threshold;
        if full && self.rx.len() >= self.rx_room() {
            self.rx_stall = true;
            self.in_saw.get_or_insert(low(value, bits));
            return Ok(Done::Stalled);
        }
        if self.in_saw.take().is_some_and(|saw| saw != low(value, bits)) {
            return Err("whether IN takes the pins before or after it waited for room");
        }
        let value = low(value, bits);
        self.isr = match (bits, self.config.in_right) {
            (32, _) => value,
            (_, true) => self.isr >> bits | value << (32 - bits),
            (_, false) => self.isr << bits | value,
        };
        self.isr_count = (self.isr_count + bits).min(32);
        if full {
            self.push_isr();
        }
        Ok(Done::Next)
    }

    fn push_isr(&mut self) {
        self.rx.push_back(self.isr);
        (self.isr, self.isr_count) = (0, 0);
    }

    /// 3.5.4.2, of cycles that are no OUT.
    fn refill(&mut self) {
        if self.config.autopull
            && self.osr_count >= self.config.pull_threshold
            && let Some(word) = self.tx.pop_front()
        {
            (self.osr, self.osr_count) = (word, 0);
        }
    }

    /// 3.5.4: reading the OSR is a race while autopull may replace it.
    fn visible_osr(&self) -> Result<u32, Undocumented> {
        let may_change =
            self.config.autopull && self.osr_count >= self.config.pull_threshold && !self.tx.is_empty();
        if may_change { Err("what is read of an OSR that autopull is about to fill") } else { Ok(self.osr) }
    }

    fn out(&mut self, destination: u16, bits: u32) -> Done {
        if self.config.autopull && self.osr_count >= self.config.pull_threshold {
            self.tx_stall |= self.tx.is_empty();
            self.refill();
            return Done::Stalled;
        }
        let value =
            if self.config.out_right { low(self.osr, bits) } else { low(self.osr.rotate_left(bits), bits) };
        self.osr = match (bits, self.config.out_right) {
            (32, _) => 0,
            (_, true) => self.osr >> bits,
            (_, false) => self.osr << bits,
        };
        self.osr_count = (self.osr_count + bits).min(32);
        self.refill();
        let (base, count) = (self.config.out_base, self.config.out_count);
        match destination {
            0 => self.pad_out = mapped(self.pad_out, value, base, count),
            1 => self.x = value,
            2 => self.y = value,
            3 => {}
            4 => self.pad_oe = mapped(self.pad_oe, value, base, count),
            5 => return Done::Jumped(value as u8 & 31),
            6 => (self.isr, self.isr_count) = (value, bits),
            _ => return Done::Executes(value as u16),
        }
        Done::Next
    }

    fn push(&mut self, if_full: bool, block: bool) -> Done {
        if if_full && self.isr_count < self.config.push_threshold {
            return Done::Next;
        }
        if self.rx.len() < self.rx_room() {
            self.push_isr();
            return Done::Next;
        }
        self.rx_stall = true;
        if block {
            return Done::Stalled;
        }
        (self.isr, self.isr_count) = (0, 0);
        Done::Next
    }

    fn pull(&mut self, if_empty: bool, block: bool) -> Result<Done, Undocumented> {
        if if_empty && self.osr_count < self.config.pull_threshold {
            return Ok(Done::Next);
        }
        if self.config.autopull && self.osr_count < self.config.pull_threshold {
            // 3.5.4: "a no-op when the OSR is full". It is not said what that is of one that is half shifted out.
            return if self.osr_count == 0 {
                Ok(Done::Next)
            } else {
                Err("PULL with autopull, and a part of the OSR out")
            };
        }
        match self.tx.pop_front() {
            Some(word) => self.osr = word,
            None if block => {
                self.tx_stall = true;
                return Ok(Done::Stalled);
            }
            None => self.osr = self.x,
        }
        self.osr_count = 0;
        Ok(Done::Next)
    }

    fn mov(
        &mut self,
        destination: u16,
        operation: u16,
        source: u16,
        inputs: u32,
    ) -> Result<Done, Undocumented> {
        let level = if self.config.status_rx { self.rx.len() } else { self.tx.len() };
        let value = match source {
            0 => inputs.rotate_right(self.config.in_base.into()),
            1 => self.x,
            2 => self.y,
            3 => 0,
            5 if level < usize::from(self.config.status_n) => !0,
            5 => 0,
            6 => self.isr,
            _ => self.visible_osr()?,
        };
        let value = match operation {
            0 => value,
            1 => !value,
            _ => value.reverse_bits(),
        };
        match destination {
            0 => self.pad_out = mapped(self.pad_out, value, self.config.out_base, self.config.out_count),
            1 => self.x = value,
            2 => self.y = value,
            4 => return Ok(Done::Executes(value as u16)),
            5 => return Ok(Done::Jumped(value as u8 & 31)),
            6 => (self.isr, self.isr_count) = (value, 0),
            _ => (self.osr, self.osr_count) = (value, 0),
        }
        Ok(Done::Next)
    }

    fn interrupt(&mut self, clear: bool, wait: bool, index: u16) -> Done {
        let flag = self.flag(index);
        if clear {
            self.irq &= !flag;
            return Done::Next;
        }
        if !self.irq_waits {
            self.irq |= flag;
            self.irq_waits = wait;
            return if wait { Done::Stalled } else { Done::Next };
        }
        if self.irq & flag != 0 {
            return Done::Stalled;
        }
        self.irq_waits = false;
        Done::Next
    }

    fn set(&mut self, destination: u16, data: u32) {
        let (base, count) = (self.config.set_base, self.config.set_count);
        match destination {
            0 => self.pad_out = mapped(self.pad_out, data, base, count),
            1 => self.x = data,
            2 => self.y = data,
            _ => self.pad_oe = mapped(self.pad_oe, data, base, count),
        }
    }

    /// 3.5.1: with SIDE_EN the highest of the bits says whether there is one.
    fn side_set(&mut self, data: u16, bits: u8) {
        let optional = self.config.side_enable;
        if bits == 0 || optional && data >> (bits - 1) & 1 == 0 {
            return;
        }
        let pads = if self.config.side_pindirs { &mut self.pad_oe } else { &mut self.pad_out };
        *pads = mapped(*pads, data.into(), self.config.side_base, bits - u8::from(optional));
    }
}

/// Whether 3.4 defines an instruction; OUT EXEC and MOV EXEC find any word.
fn is_defined(instruction: u16) -> bool {
    let (first, second) = (instruction >> 5 & 7, instruction & 31);
    match instruction >> 13 {
        1 => first & 3 < 2 || first & 3 == 2 && second & 8 == 0,
        2 => first != 4 && first != 5,
        4 => second == 0,
        5 => first != 3 && second >> 3 != 3 && second & 7 != 4,
        6 => first & 4 == 0 && second & 8 == 0,
        7 => matches!(first, 0 | 1 | 2 | 4),
        _ => true,
    }
}

/// `count` pins from `base` on, pin 0 behind pin 31 (3.5.6).
fn mapped(before: u32, value: u32, base: u8, count: u8) -> u32 {
    let mask = low(!0, count.into()).rotate_left(base.into());
    before & !mask | value.rotate_left(base.into()) & mask
}
