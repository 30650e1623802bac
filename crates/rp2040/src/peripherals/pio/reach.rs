//! What the programs of a block can do from where they stand, without running them: which pins they may move, and whether they
//! look at pins or raise flags. Whoever knows that need not look at every cycle of theirs.

use super::registers::{Config, RXF0, TXF0};
use super::state_machine::StateMachine;
use super::{MACHINES, Pio};
use crate::lines::Dreq;
use crate::peripherals::dma::flow::Port;

/// Any place of the instruction memory.
const ANYWHERE: u32 = u32::MAX;

/// What state machines may do until a register of their block is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// An instruction sees the levels of pins.
    pub(crate) looks_at_pins: bool,
    /// An instruction sets or clears an IRQ flag.
    pub(super) flags: bool,
    /// An instruction sets the direction of a pin.
    pub(super) turns_pins: bool,
    /// The pins whose level or direction may change.
    pub(crate) pins: u32,
    /// The machines that may take from or give to their FIFOs, a bit each.
    machines: u32,
}

/// The pins of which somebody outside is told late and in order while a block moves them unnoticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) pins: u32,
    /// Nothing is moved in answer, so that levels are told in rows.
    pub(crate) in_rows: bool,
}

impl Reach {
    /// That of machines (a bit each) which go round in loops that move these pins, and whether one of them looks at others.
    pub(super) fn of_loops(machines: u32, pins: u32, looks_at_pins: bool) -> Self {
        Self { looks_at_pins, pins, machines, ..Self::default() }
    }

    fn add(&mut self, other: Self) {
        self.looks_at_pins |= other.looks_at_pins;
        self.flags |= other.flags;
        self.turns_pins |= other.turns_pins;
        self.pins |= other.pins;
        self.machines |= other.machines;
    }

    /// What one instruction may do.
    fn of(instruction: u16, machine: &StateMachine) -> Self {
        let config = &machine.config;
        let operand = instruction >> 5 & 7;
        let pins = match (instruction >> 13, operand) {
            (3, 0 | 4) | (5, 0) => config.out_mask,
            (7, 0 | 4) => config.set_mask,
            _ => 0,
        };
        let looks_at_pins = looks_at_pins(instruction);
        let flags = moves_flags(instruction);
        let side = if config.side_set(instruction).is_some() { config.side_mask } else { 0 };
        let turns_pins =
            matches!((instruction >> 13, operand), (3 | 7, 4)) || side != 0 && config.side_pindirs;
        Self { looks_at_pins, flags, turns_pins, pins: pins | side, machines: 0 }
    }

    /// What an instruction may do that nobody knows yet.
    fn unknown(machine: &StateMachine) -> Self {
        let config = &machine.config;
        let pins = config.out_mask | config.set_mask | config.side_mask;
        Self { looks_at_pins: true, flags: true, turns_pins: true, pins, machines: 0 }
    }
}

/// Whether an instruction sees the levels of pins.
pub(super) fn looks_at_pins(instruction: u16) -> bool {
    let operand = instruction >> 5 & 7;
    match (instruction >> 13, operand) {
        (0, 6) | (2, 0) => true,
        (1, _) => operand & 3 != 2,
        (5, _) => instruction & 7 == 0,
        _ => false,
    }
}

/// Whether an instruction sets or clears an IRQ flag.
pub(super) fn moves_flags(instruction: u16) -> bool {
    matches!((instruction >> 13, instruction >> 5 & 3), (6, _) | (1, 2))
}

/// Where an instruction may lead, a bit for each place; nothing when it executes what nobody knows yet.
pub(super) fn successors(instruction: u16, following: u8) -> Option<u32> {
    let operand = instruction >> 5 & 7;
    let next = 1 << following;
    match (instruction >> 13, operand) {
        (0, 0) => Some(1 << (instruction & 0x1f)),
        (0, _) => Some(next | 1 << (instruction & 0x1f)),
        (3, 7) | (5, 4) => None,
        (3 | 5, 5) => Some(ANYWHERE),
        _ => Some(next),
    }
}

/// All places that a program may come to from one on, a bit each; nothing when it executes what nobody knows yet.
pub(super) fn places_from(from: u8, program: &[u16; 32], config: &Config) -> Option<u32> {
    let (mut met, mut open) = (0u32, 1u32 << from);
    while open & !met != 0 {
        let at = (open & !met).trailing_zeros() as u8;
        met |= 1 << at;
        open |= successors(program[usize::from(at)], config.following(at))?;
    }
    Some(met)
}

/// What a program may do from a place on depends on the machine, this place, EXECCTRL and PINCTRL.
type Standpoint = (u8, u8, u32, u32);

/// What was found of late, as long as the program is the same: drivers set a machine up in the same ways again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownReaches {
    found: [Option<(Standpoint, Reach)>; 8],
    next: usize,
}

impl KnownReaches {
    fn of(&mut self, machine: &StateMachine, find: impl FnOnce() -> Reach) -> Reach {
        let standpoint = (machine.index, machine.pc, machine.execctrl, machine.pinctrl);
        let known = self.found.iter().flatten().find(|(known, _)| *known == standpoint);
        if let Some(&(_, reach)) = known {
            return reach;
        }
        let reach = find();
        self.found[self.next] = Some((standpoint, reach));
        self.next = (self.next + 1) % self.found.len();
        reach
    }
}

impl StateMachine {
    fn reach(&self, program: &[u16; 32], known: &mut KnownReaches) -> Reach {
        if self.is_at_rest() {
            return Reach::default();
        }
        let mut reach = known.of(self, || self.reach_of_program(program));
        if self.executes_written() || self.config.out_sticky {
            reach.add(Reach::unknown(self));
        }
        reach
    }

    /// The same of its program from where it stands.
    fn reach_of_program(&self, program: &[u16; 32]) -> Reach {
        let mut reach = Reach { machines: 1 << self.index, ..Reach::default() };
        let (mut met, mut open) = (0u32, 1u32 << self.pc);
        while open & !met != 0 {
            let at = (open & !met).trailing_zeros() as u8;
            met |= 1 << at;
            let instruction = program[usize::from(at)];
            reach.add(Reach::of(instruction, self));
            match successors(instruction, self.config.following(at)) {
                Some(places) => open |= places,
                None => reach.add(Reach::unknown(self)),
            }
        }
        reach
    }
}

impl Pio {
    /// What the machines may do until a register is written.
    pub(crate) fn reach(&self) -> Reach {
        let mut reach = Reach::default();
        for machine in &self.machines {
            reach.add(machine.reach(&self.program, &mut self.known_reaches.borrow_mut()));
        }
        reach
    }

    /// Whether an interrupt that is switched on may come or go by what the machines may do.
    pub(crate) fn may_interrupt(&self, reach: &Reach) -> bool {
        const FLAGS: u32 = 0xf00;
        let fifos = reach.machines | reach.machines << MACHINES;
        let sources = fifos | if reach.flags { FLAGS } else { 0 };
        self.interrupts.iter().any(|line| line.enabled & sources != 0)
    }

    /// How the DMA sees the machine to which all these requests belong; nothing when they are several machines'.
    pub(crate) fn as_port(&self, requests: u64) -> Option<Port> {
        let own = (requests >> self.block.dreq_tx0) as u32;
        let n = (own | own >> MACHINES).trailing_zeros() % MACHINES as u32;
        let of_one = own != 0 && own & !(1 << n | 1 << (n as usize + MACHINES)) == 0;
        let dreq = |first: u8| Dreq(self.block.dreq_tx0 + first + n as u8);
        of_one.then(|| Port {
            from: self.block.base + RXF0 + 4 * n,
            to: self.block.base + TXF0 + 4 * n,
            receive: dreq(MACHINES as u8),
            transmit: dreq(0),
            machine: n as usize,
        })
    }

    /// The requests to the DMA of one machine, a bit each.
    pub(crate) fn requests_of(&self, n: usize) -> u64 {
        (1 << n | 1 << (n + MACHINES)) << self.block.dreq_tx0
    }

    /// The address of the FIFO behind a request, and whether that is read; nothing where it is another block's.
    pub(crate) fn fifo_of(&self, request: u8) -> Option<(u32, bool)> {
        let own = u32::from(request.checked_sub(self.block.dreq_tx0)?);
        let (machines, base) = (MACHINES as u32, self.block.base);
        match own / machines {
            0 => Some((base + TXF0 + 4 * own, false)),
            1 => Some((base + RXF0 + 4 * (own - machines), true)),
            _ => None,
        }
    }

    /// The requests to the DMA that the machines may raise, a bit each.
    pub(crate) fn requests(&self, reach: &Reach) -> u64 {
        u64::from(reach.machines | reach.machines << MACHINES) << self.block.dreq_tx0
    }
}
