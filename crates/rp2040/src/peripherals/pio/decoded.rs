//! The program of a machine, decoded once for as long as no register is written.

use std::cell::OnceCell;

use super::counting::Patience;
use super::execute::bit_count;
use super::loops::Loop;
use super::registers::Config;
use super::state_machine::StateMachine;
use super::words::{WordPace, ticks_to_flag, ticks_to_word};

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Jump(Condition),
    OutPins,
    OutX,
    OutY,
    OutNull,
    OutIsr,
    OutPc,
    InX,
    InY,
    InNull,
    InIsr,
    InOsr,
    /// For who knows what it sees.
    InPins,
    SetPins,
    SetX,
    SetY,
    /// A MOV of a register to itself: NOP.
    Nothing,
    Mov(Destination, Register, Operation),
    /// A MOV that decides where the program goes on.
    MovPc(Register, Operation),
    /// PUSH or PULL, left to the machine.
    Words,
    /// Left to the machine.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    XIsZero,
    XCounts,
    YIsZero,
    YCounts,
    Unequal,
    OsrNotEmpty,
    /// For who knows what it sees.
    PinIsHigh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Register {
    X,
    Y,
    Isr,
    Osr,
    Null,
    /// How full a FIFO is (EXECCTRL STATUS_SEL): all ones, or zeros.
    Status,
    /// For who knows what it sees.
    Pins,
}

/// Where a MOV writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    Pins,
    X,
    Y,
    Isr,
    Osr,
}

/// What a MOV does to its data on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Copy,
    Invert,
    Reverse,
}

/// No count of a shift register.
const NO_WORD: u8 = u8::MAX;

/// An instruction, with what the machine's settings make of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) bits: u8,
    /// The same where it shifts out, and where it shifts in.
    pub(super) out_bits: u8,
    pub(super) in_bits: u8,
    pub(super) delay: u8,
    pub(super) next: u8,
    pub(super) target: u8,
    /// Levels that SET writes.
    pub(super) levels: u32,
    pub(super) side_mask: u32,
    pub(super) side: u32,
}

/// A program, and the settings that the quick way needs.
#[derive(Debug, Clone)]
pub(super) struct Decoded {
    pub(super) steps: [Step; 32],
    pub(super) config: Config,
    pub(super) side_is_own: bool,
    /// Whether any of them may look at pins.
    pub(super) looks_at_pins: bool,
    /// A shift that makes a count reach these moves a word.
    pub(super) pulls_at: u8,
    pub(super) pushes_at: u8,
    pub(super) words: WordPace,
    /// The place from which that is known, where it follows from the program alone.
    pub(super) words_from: Option<u8>,
    /// The ticks from each place to the first flag, once that was asked for.
    flags: OnceCell<Box<[u64; 32]>>,
    /// The same to the first one that may move a word.
    moved_words: OnceCell<Box<[u64; 32]>>,
    /// When to look again whether a machine only counts.
    pub(super) counting: Patience,
    /// The loop that comes back to each place, once that was asked for.
    loops: [Option<Option<Box<Loop>>>; 32],
}

impl Step {
    fn of(instruction: u16, place: u8, config: &Config, side_is_own: bool) -> Self {
        let low = instruction as u8 & 0x1f;
        let side = config.side_set(instruction);
        let action = match side {
            Some(_) if config.side_pindirs => Action::Other,
            _ => Action::of(instruction, place, side.is_some() && !side_is_own, config),
        };
        let bits = bit_count(low);
        let side_mask = if side.is_some() { config.side_mask } else { 0 };
        let bits_if = |opcode: u16| if instruction >> 13 == opcode { bits } else { 0 };
        Self {
            action,
            bits,
            out_bits: bits_if(3),
            in_bits: bits_if(2),
            delay: config.delay(instruction),
            next: config.following(place),
            target: low,
            levels: u32::from(low).rotate_left(u32::from(config.set_base)),
            side_mask,
            side: side.unwrap_or_default().rotate_left(u32::from(config.side_base)) & side_mask,
        }
    }
}

impl Action {
    fn of(instruction: u16, place: u8, writes_again: bool, config: &Config) -> Self {
        let (operand, low) = ((instruction >> 5) as u8 & 7, instruction as u8 & 0x1f);
        match (instruction >> 13, operand) {
            // A jump to itself that counts is one long delay to the machine.
            (0, 2 | 4) if low == place && !writes_again => Self::Other,
            (0, 0) => Self::Jump(Condition::Always),
            (0, 1) => Self::Jump(Condition::XIsZero),
            (0, 2) => Self::Jump(Condition::XCounts),
            (0, 3) => Self::Jump(Condition::YIsZero),
            (0, 4) => Self::Jump(Condition::YCounts),
            (0, 5) => Self::Jump(Condition::Unequal),
            (0, 6) => Self::Jump(Condition::PinIsHigh),
            (0, 7) => Self::Jump(Condition::OsrNotEmpty),
            (2, 0) => Self::InPins,
            (2, 1) => Self::InX,
            (2, 2) => Self::InY,
            (2, 3) => Self::InNull,
            (2, 6) => Self::InIsr,
            (2, 7) => Self::InOsr,
            (3, 0) if config.inline_out_enable.is_none() => Self::OutPins,
            (3, 1) => Self::OutX,
            (3, 2) => Self::OutY,
            (3, 3) => Self::OutNull,
            (3, 5) => Self::OutPc,
            (3, 6) => Self::OutIsr,
            (4, _) => Self::Words,
            (5, 1) if low == 1 => Self::Nothing,
            (5, 2) if low == 2 => Self::Nothing,
            (5, _) => Self::mov(operand, low).unwrap_or(Self::Other),
            (7, 0) => Self::SetPins,
            (7, 1) => Self::SetX,
            (7, 2) => Self::SetY,
            _ => Self::Other,
        }
    }

    pub(super) fn looks_at_pins(self) -> bool {
        use Action::{InPins, Jump, Mov, MovPc};
        matches!(
            self,
            InPins | Jump(Condition::PinIsHigh) | Mov(_, Register::Pins, _) | MovPc(Register::Pins, _)
        )
    }

    /// A MOV from one register to another, to pins, or to the program counter.
    fn mov(destination: u8, operands: u8) -> Option<Self> {
        const PC: u8 = 5;
        let (register, operation) = (Register::of(operands & 7)?, Operation::of(operands >> 3)?);
        match destination {
            PC => Some(Self::MovPc(register, operation)),
            _ => Some(Self::Mov(Destination::of(destination)?, register, operation)),
        }
    }
}

impl Register {
    /// The source of a MOV.
    fn of(source: u8) -> Option<Self> {
        match source {
            0 => Some(Self::Pins),
            1 => Some(Self::X),
            2 => Some(Self::Y),
            3 => Some(Self::Null),
            5 => Some(Self::Status),
            6 => Some(Self::Isr),
            7 => Some(Self::Osr),
            _ => None,
        }
    }
}

impl Destination {
    /// The destination of a MOV, if that decides nothing about where the program goes on.
    fn of(operand: u8) -> Option<Self> {
        match operand {
            0 => Some(Self::Pins),
            1 => Some(Self::X),
            2 => Some(Self::Y),
            6 => Some(Self::Isr),
            7 => Some(Self::Osr),
            _ => None,
        }
    }
}

impl Operation {
    /// What a MOV does to its data; nothing where the encoding is reserved.
    fn of(encoded: u8) -> Option<Self> {
        match encoded {
            0 => Some(Self::Copy),
            1 => Some(Self::Invert),
            2 => Some(Self::Reverse),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn of_data(self, data: u32) -> u32 {
        match self {
            Self::Copy => data,
            Self::Invert => !data,
            Self::Reverse => data.reverse_bits(),
        }
    }
}

impl Decoded {
    /// The program of a machine from where it stands.
    pub(super) fn new(program: &[u16; 32], machine: &StateMachine) -> Self {
        let (config, side_is_own) = (&machine.config, machine.side_is_own);
        let steps: [Step; 32] =
            std::array::from_fn(|place| Step::of(program[place], place as u8, config, side_is_own));
        let pulls_at = if config.autopull { config.pull_threshold } else { NO_WORD };
        let pushes_at = if config.autopush { config.push_threshold } else { NO_WORD };
        Self {
            steps,
            config: *config,
            side_is_own,
            looks_at_pins: steps.iter().any(|step| step.action.looks_at_pins()),
            pulls_at,
            pushes_at,
            words: WordPace::of(machine, program),
            words_from: words_from(machine),
            flags: OnceCell::new(),
            moved_words: OnceCell::new(),
            counting: Patience::default(),
            loops: Default::default(),
        }
    }

    /// The loop that comes back to a place, if it goes the same way whatever the data.
    #[inline]
    pub(super) fn loop_at(&mut self, place: u8) -> Option<&Loop> {
        let at = usize::from(place) % 32;
        if self.loops[at].is_none() {
            self.look_for_loop(place);
        }
        self.known_loop_at(place)
    }

    /// A machine that stops in the middle of a loop is known to be in it, too.
    #[cold]
    fn look_for_loop(&mut self, place: u8) {
        let from = |place| Loop::from(place, &self.steps, &self.config).map(Box::new);
        let found = from(place);
        let others = found.iter().flat_map(|looped| looped.places()).map(|other| (other, from(other)));
        for (other, looped) in others.collect::<Vec<_>>() {
            self.loops[usize::from(other) % 32].get_or_insert(looped);
        }
        self.loops[usize::from(place) % 32] = Some(found);
    }

    /// Whether such a loop was found there already.
    #[inline]
    pub(super) fn has_loop_at(&self, place: u8) -> bool {
        matches!(self.loops[usize::from(place) % 32], Some(Some(_)))
    }

    /// The loop that comes back to a place, where it was looked for.
    #[inline]
    pub(super) fn known_loop_at(&self, place: u8) -> Option<&Loop> {
        self.loops[usize::from(place) % 32].as_ref()?.as_deref()
    }

    /// How soon a flag may be raised or cleared from a place on.
    pub(super) fn ticks_to_flag(&self, place: u8, program: &[u16; 32]) -> u64 {
        let flags = self.flags.get_or_init(|| Box::new(ticks_to_flag(program, &self.config)));
        flags[usize::from(place) % 32]
    }

    /// How soon an instruction may move a word from a place on.
    pub(super) fn ticks_to_word(&self, place: u8, program: &[u16; 32]) -> u64 {
        let words = self.moved_words.get_or_init(|| Box::new(ticks_to_word(program, &self.config)));
        words[usize::from(place) % 32]
    }

    /// How soon words may move.
    pub(super) fn word_pace(&self) -> &WordPace {
        &self.words
    }
}

/// The place from which a machine goes on, if the next instruction is the program's.
pub(super) fn words_from(machine: &StateMachine) -> Option<u8> {
    (!machine.executes_written()).then_some(machine.pc)
}
