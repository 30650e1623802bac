//! The pins as electrical nets: which function drives which pad, what the outside drives, what level results, and which
//! edges there were (RP2040 datasheet 2.19). The registers that set this up are in `peripherals/io_bank0.rs` and
//! `peripherals/pads.rs`. Bit n of every mask is GPIO n.
//!
//! Left out: slew rate, drive strength, and the Schmitt trigger's thresholds. Two drivers that disagree give the
//! level of the outside, and a conflict is counted. A resistor outside wins against the pulls of the pads.

mod changes;
mod nets;
#[cfg(test)]
mod tests;

use std::ops::Range;

use mcu::{Edge, Foretold};
use units::Picoseconds;

use crate::outgoing_lines::OutgoingLines;

/// The number of pins of user bank 0.
pub const PIN_COUNT: u32 = 30;
/// All pins of user bank 0.
pub const ALL_PINS: u32 = (1 << PIN_COUNT) - 1;

/// What may drive a pin: FUNCSEL of its control register (RP2040 datasheet 1.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum Function {
    Spi = 1,
    Uart = 2,
    I2c = 3,
    Pwm = 4,
    Sio = 5,
    Pio0 = 6,
    Pio1 = 7,
    Clock = 8,
    Usb = 9,
}

/// How many moments of change are remembered: the delay of a synchroniser is two cycles, and software changes a pin once a
/// cycle, each core.
pub(crate) const CHANGES_KEPT: usize = 4;
const LONG_AGO: Picoseconds = Picoseconds::new(i64::MIN);
const FUNCTIONS: usize = 10;
/// FUNCSEL of a pin that nothing drives.
const FUNCSEL_NULL: u8 = 31;

/// GPIOx_CTRL overrides: 0 as is, 1 inverted, 2 low, 3 high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Overrides {
    /// OUTOVER.
    pub output: u8,
    /// OEOVER.
    pub enable: u8,
    /// INOVER.
    pub input: u8,
    /// IRQOVER.
    pub interrupt: u8,
}

/// The settings of one pad (PADS_BANK0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pad {
    /// PUE.
    pub pull_up: bool,
    /// PDE.
    pub pull_down: bool,
    /// IE.
    pub input_enable: bool,
    /// OD: the output is off whatever the function wants.
    pub output_disable: bool,
}

impl Default for Pad {
    /// After reset: pull-down and input on.
    fn default() -> Self {
        Self { pull_up: false, pull_down: true, input_enable: true, output_disable: false }
    }
}

/// All pins of user bank 0.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Pins {
    function: [u8; PIN_COUNT as usize],
    overrides: [Overrides; PIN_COUNT as usize],
    pads: [Pad; PIN_COUNT as usize],
    out: [u32; FUNCTIONS],
    enable: [u32; FUNCTIONS],
    outside_driven: u32,
    outside_level: u32,
    /// Resistors outside, which count where nobody drives.
    outside_pulled: u32,
    outside_pull_level: u32,
    /// The pins that are wired together with each pin, itself among them.
    wired: [u32; PIN_COUNT as usize],
    /// The pins that are given to each function, and those whose level nothing else has to do with.
    #[serde(skip)]
    selected: [u32; FUNCTIONS],
    #[serde(skip)]
    plain: u32,
    /// Those that would be so if nobody outside drove them.
    #[serde(skip)]
    alone: u32,
    net: u32,
    inputs: u32,
    changed: u32,
    inputs_changed: u32,
    /// Those of them that changed more than once.
    #[serde(skip)]
    inputs_pulsed: u32,
    /// The last changes of `inputs`, the newest first: when, and what they were before.
    before: [(Picoseconds, u32); CHANGES_KEPT],
    conflicts: u64,
    recorded: u32,
    /// The pins whose nets an oscillator outside drives.
    pub(crate) clocked: u32,
    /// The pins for which machines of each block of PIO wait.
    awaited: [u32; 2],
    edges: Vec<Edge>,
    #[serde(skip)]
    lines: OutgoingLines,
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            function: [FUNCSEL_NULL; PIN_COUNT as usize],
            overrides: [Overrides::default(); PIN_COUNT as usize],
            pads: [Pad::default(); PIN_COUNT as usize],
            out: [0; FUNCTIONS],
            enable: [0; FUNCTIONS],
            outside_driven: 0,
            outside_level: 0,
            outside_pulled: 0,
            outside_pull_level: 0,
            wired: std::array::from_fn(|pin| 1 << pin),
            selected: [0; FUNCTIONS],
            plain: 0,
            alone: 0,
            net: 0,
            inputs: 0,
            changed: 0,
            inputs_changed: 0,
            inputs_pulsed: 0,
            before: [(LONG_AGO, 0); CHANGES_KEPT],
            conflicts: 0,
            recorded: 0,
            clocked: 0,
            awaited: [0; 2],
            edges: Vec::new(),
            lines: OutgoingLines::default(),
        }
    }
}

impl Pins {
    /// A function drives `mask` of its pins: the levels and output enables of those bits. What comes out at the pad
    /// depends on FUNCSEL.
    pub fn drive(&mut self, at: Picoseconds, function: Function, mask: u32, levels: u32, enables: u32) {
        let f = function as usize;
        let out = self.out[f] & !mask | levels & mask;
        let enable = self.enable[f] & !mask | enables & mask;
        let turned = enable ^ self.enable[f];
        let touched = (out ^ self.out[f]) | turned;
        self.out[f] = out;
        self.enable[f] = enable;
        // A plain pin that another function has does not care.
        let touched = touched & (self.selected[f] | !self.plain);
        if touched & !(self.plain & enable & !turned) != 0 {
            return self.resolve(at, touched);
        }
        let moved = (out ^ self.net) & touched;
        if moved != 0 {
            self.move_plainly(at, moved);
        }
    }

    /// What a function wants at its pins: levels and output enables.
    pub fn driven_by(&self, function: Function) -> (u32, u32) {
        (self.out[function as usize], self.enable[function as usize])
    }

    /// The pins whose FUNCSEL is this function.
    pub fn selected(&self, function: Function) -> u32 {
        self.selected[function as usize]
    }

    /// Whether the level of a pin gets to the function that it is given to.
    pub(crate) fn lets_in(&self, pin: u8) -> bool {
        // INOVER may invert it, which a clock does not mind.
        self.pads[usize::from(pin)].input_enable && self.overrides[usize::from(pin)].input < 2
    }

    /// The outside drives a pin, or lets go of it.
    pub fn drive_outside(&mut self, at: Picoseconds, pin: u8, level: Option<bool>) {
        let Some(bit) = 1u32.checked_shl(u32::from(pin)).filter(|bit| bit & ALL_PINS != 0) else { return };
        let driven = if level.is_some() { self.outside_driven | bit } else { self.outside_driven & !bit };
        let was_driven = std::mem::replace(&mut self.outside_driven, driven);
        self.outside_level =
            if level == Some(true) { self.outside_level | bit } else { self.outside_level & !bit };
        if driven != was_driven {
            self.find_whether_plain(usize::from(pin));
        }
        self.resolve(at, bit);
    }

    /// The outside drives pins as it was foretold of some steps. Of many changes only the last ones are told apart, where nobody keeps
    /// edges.
    pub(crate) fn drive_outside_in_row(&mut self, foretold: &Foretold, steps: Range<usize>) {
        let mask = foretold.mask();
        let is_plain =
            mask & !(self.left_to_outside() & self.outside_driven) == 0 && mask & self.recorded == 0;
        let mut apart = steps.start;
        if is_plain {
            apart = foretold.last_changes(steps.clone(), CHANGES_KEPT);
            self.skip_outside(foretold, steps.start..apart);
        }
        for step in (apart..steps.end).filter(|&step| foretold.is_change(step)) {
            let (at, levels) = (foretold.at(step).unwrap_or(LONG_AGO), foretold.levels(step));
            if is_plain {
                let moved = (levels ^ self.outside_level) & mask;
                if moved != 0 {
                    self.outside_level ^= moved;
                    self.move_plainly(at, moved);
                }
                continue;
            }
            for pin in pins_of(mask & ALL_PINS) {
                self.drive_outside(at, pin as u8, Some(levels >> pin & 1 == 1));
            }
        }
    }

    /// Levels that nobody tells apart from those that follow: only what others did later is remembered.
    fn skip_outside(&mut self, foretold: &Foretold, steps: Range<usize>) {
        let Some(first) = foretold.at(steps.start).filter(|_| !steps.is_empty()) else { return };
        let (mask, level) = (foretold.mask(), self.outside_level);
        let moved_before =
            |end: usize| if end > steps.start { (level ^ foretold.levels(end - 1)) & mask } else { 0 };
        for (changed, before) in self.before.iter_mut().take_while(|(changed, _)| *changed > first) {
            let end = foretold.first_after(*changed - Picoseconds::new(1)).min(steps.end);
            *before ^= moved_before(end);
        }
        let moved = moved_before(steps.end);
        let (changed, pulsed) = foretold.moved(steps, level);
        self.outside_level ^= moved;
        self.net ^= moved;
        self.changed |= changed;
        self.inputs ^= moved;
        self.inputs_pulsed |= self.inputs_changed & changed | pulsed;
        self.inputs_changed |= changed;
    }

    /// A resistor outside pulls a pin to a level from here on, or no more.
    pub fn pull_outside(&mut self, at: Picoseconds, pin: u8, level: Option<bool>) {
        let Some(bit) = 1u32.checked_shl(u32::from(pin)).filter(|bit| bit & ALL_PINS != 0) else { return };
        let with = |mask: u32, set: bool| if set { mask | bit } else { mask & !bit };
        self.outside_pulled = with(self.outside_pulled, level.is_some());
        self.outside_pull_level = with(self.outside_pull_level, level == Some(true));
        self.resolve(at, bit);
    }

    /// Wires two pins together: from here on they are one net, with the drivers and the pulls of both.
    pub fn wire(&mut self, at: Picoseconds, pin: u8, other: u8) {
        let net = |pin: u8| self.wired.get(usize::from(pin)).copied().unwrap_or(0);
        let (one, another) = (net(pin), net(other));
        if one == 0 || another == 0 {
            return;
        }
        let joined = one | another;
        for pin in pins_of(joined) {
            self.wired[pin] = joined;
        }
        self.find_plain();
        self.resolve(at, joined);
    }

    /// FUNCSEL and overrides of a pin.
    pub fn set_control(&mut self, at: Picoseconds, pin: u8, function: u8, overrides: Overrides) {
        self.function[usize::from(pin)] = function;
        self.overrides[usize::from(pin)] = overrides;
        self.find_whether_plain(usize::from(pin));
        self.resolve(at, 1 << pin);
    }

    /// FUNCSEL and overrides of a pin, as set.
    pub fn control(&self, pin: u8) -> (u8, Overrides) {
        (self.function[usize::from(pin)], self.overrides[usize::from(pin)])
    }

    /// The pad of a pin.
    pub fn set_pad(&mut self, at: Picoseconds, pin: u8, pad: Pad) {
        self.pads[usize::from(pin)] = pad;
        self.find_whether_plain(usize::from(pin));
        self.resolve(at, 1 << pin);
    }

    /// The levels on the nets, as a logic analyser on the pins sees them.
    pub fn levels(&self) -> u32 {
        self.net
    }

    /// The levels that peripherals see: behind input enable and input override.
    #[inline]
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// The same as they were at a time not long ago: changes at that very time or later are left out.
    #[inline]
    pub fn inputs_before(&self, at: Picoseconds) -> u32 {
        if self.before[0].0 < at { self.inputs } else { self.inputs_long_before(at) }
    }

    fn inputs_long_before(&self, at: Picoseconds) -> u32 {
        self.before
            .iter()
            .take_while(|(changed, _)| *changed >= at)
            .last()
            .map_or(self.inputs, |(_, before)| *before)
    }

    /// The pins that the chip itself drives now.
    pub fn driven(&self) -> u32 {
        (0..PIN_COUNT as usize).filter(|&pin| self.output(pin).is_some()).map(|pin| 1 << pin).sum()
    }
}

/// The pins of a mask, from the lowest.
fn pins_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let pin = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(pin)
    })
}
