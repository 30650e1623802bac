//! The modes of a timer: what it counts to, how, and what its outputs do (ATmega328P datasheet, "Waveform Generation Mode Bit
//! Description" of the 8-bit and the 16-bit timers).

/// How it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Up to the largest number, or to TOP (CTC).
    Plain,
    /// Up to TOP; OCRn take effect at BOTTOM.
    Fast,
    /// Up and down; OCRn take effect at TOP, or at BOTTOM with phase and frequency correct.
    Phase {
        /// Whether it is the mode that is frequency correct too.
        frequency: bool,
    },
}

/// Where it turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    Fixed(u16),
    /// OCRnA.
    Compare,
    /// ICRn.
    Capture,
}

/// A mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) kind: Kind,
    pub(super) top: Top,
    /// Whether COMnA = 1 toggles OCnA, which in most PWM modes it does not.
    pub(super) toggles_a: bool,
}

const fn mode(kind: Kind, top: Top, toggles_a: bool) -> Mode {
    Mode { kind, top, toggles_a }
}

const PHASE: Kind = Kind::Phase { frequency: false };
const PHASE_AND_FREQUENCY: Kind = Kind::Phase { frequency: true };

/// By WGMn2:0 of a timer of 8 bits; the reserved ones count like normal mode.
pub(super) const OF_8_BITS: [Mode; 8] = [
    mode(Kind::Plain, Top::Fixed(0xff), true),
    mode(PHASE, Top::Fixed(0xff), false),
    mode(Kind::Plain, Top::Compare, true),
    mode(Kind::Fast, Top::Fixed(0xff), false),
    mode(Kind::Plain, Top::Fixed(0xff), true),
    mode(PHASE, Top::Compare, true),
    mode(Kind::Plain, Top::Fixed(0xff), true),
    mode(Kind::Fast, Top::Compare, true),
];

/// By WGMn3:0 of a timer of 16 bits.
pub(super) const OF_16_BITS: [Mode; 16] = [
    mode(Kind::Plain, Top::Fixed(0xffff), true),
    mode(PHASE, Top::Fixed(0xff), false),
    mode(PHASE, Top::Fixed(0x1ff), false),
    mode(PHASE, Top::Fixed(0x3ff), false),
    mode(Kind::Plain, Top::Compare, true),
    mode(Kind::Fast, Top::Fixed(0xff), false),
    mode(Kind::Fast, Top::Fixed(0x1ff), false),
    mode(Kind::Fast, Top::Fixed(0x3ff), false),
    mode(PHASE_AND_FREQUENCY, Top::Capture, false),
    mode(PHASE_AND_FREQUENCY, Top::Compare, true),
    mode(PHASE, Top::Capture, false),
    mode(PHASE, Top::Compare, true),
    mode(Kind::Plain, Top::Capture, true),
    mode(Kind::Plain, Top::Fixed(0xffff), true),
    mode(Kind::Fast, Top::Capture, true),
    mode(Kind::Fast, Top::Compare, true),
];

/// What happens to an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Toggle,
    Clear,
    Set,
}

impl Action {
    pub(super) fn on(self, level: bool) -> bool {
        match self {
            Self::Toggle => !level,
            Self::Clear => false,
            Self::Set => true,
        }
    }

    fn inverse(self) -> Self {
        match self {
            Self::Clear => Self::Set,
            Self::Set => Self::Clear,
            Self::Toggle => Self::Toggle,
        }
    }
}

/// By COMnx1:0.
fn action(bits: u8) -> Option<Action> {
    [None, Some(Action::Toggle), Some(Action::Clear), Some(Action::Set)][usize::from(bits & 3)]
}

impl Mode {
    /// What an output does when the counter meets its OCR; outputs are numbered from A.
    pub(super) fn at_match(&self, output: usize, bits: u8, counts_up: bool) -> Option<Action> {
        let action = action(bits)?;
        let is_pwm = self.kind != Kind::Plain;
        if action == Action::Toggle && is_pwm && !(output == 0 && self.toggles_a) {
            return None;
        }
        let is_down = matches!(self.kind, Kind::Phase { .. }) && !counts_up;
        Some(if is_down { action.inverse() } else { action })
    }

    /// What it does at BOTTOM of fast PWM.
    pub(super) fn at_bottom(&self, bits: u8) -> Option<Action> {
        let action = action(bits).filter(|action| *action != Action::Toggle)?;
        (self.kind == Kind::Fast).then(|| action.inverse())
    }
}
