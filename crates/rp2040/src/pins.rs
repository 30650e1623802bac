//! The pins as electrical nets: which function drives which pad, what the outside drives, what level results, and which
//! edges there were (RP2040 datasheet 2.19). The registers that set this up are in `peripherals/io_bank0.rs` and
//! `peripherals/pads.rs`. Bit n of every mask is GPIO n.
//!
//! Left out: slew rate, drive strength, and the Schmitt trigger's thresholds. Two drivers that disagree give the
//! level of the outside, and a conflict is counted. A resistor outside wins against the pulls of the pads.

use mcu::Edge;
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
const CHANGES_KEPT: usize = 4;
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
            net: 0,
            inputs: 0,
            changed: 0,
            inputs_changed: 0,
            inputs_pulsed: 0,
            before: [(LONG_AGO, 0); CHANGES_KEPT],
            conflicts: 0,
            recorded: 0,
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
        (0..PIN_COUNT).filter(|&pin| self.function[pin as usize] == function as u8).map(|pin| 1 << pin).sum()
    }

    /// The outside drives a pin, or lets go of it.
    pub fn drive_outside(&mut self, at: Picoseconds, pin: u8, level: Option<bool>) {
        let Some(bit) = 1u32.checked_shl(u32::from(pin)).filter(|bit| bit & ALL_PINS != 0) else { return };
        let driven = if level.is_some() { self.outside_driven | bit } else { self.outside_driven & !bit };
        let was_driven = std::mem::replace(&mut self.outside_driven, driven);
        self.outside_level =
            if level == Some(true) { self.outside_level | bit } else { self.outside_level & !bit };
        if driven != was_driven {
            self.find_plain();
        }
        self.resolve(at, bit);
    }

    /// A resistor outside pulls a pin to a level from here on.
    pub fn pull_outside(&mut self, at: Picoseconds, pin: u8, level: bool) {
        let Some(bit) = 1u32.checked_shl(u32::from(pin)).filter(|bit| bit & ALL_PINS != 0) else { return };
        self.outside_pulled |= bit;
        self.outside_pull_level = self.outside_pull_level & !bit | if level { bit } else { 0 };
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
        self.find_plain();
        self.resolve(at, 1 << pin);
    }

    /// FUNCSEL and overrides of a pin, as set.
    pub fn control(&self, pin: u8) -> (u8, Overrides) {
        (self.function[usize::from(pin)], self.overrides[usize::from(pin)])
    }

    /// The pad of a pin.
    pub fn set_pad(&mut self, at: Picoseconds, pin: u8, pad: Pad) {
        self.pads[usize::from(pin)] = pad;
        self.find_plain();
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

    /// Whether no level changed since it was last asked.
    #[inline]
    pub(crate) fn are_settled(&self) -> bool {
        self.changed | self.inputs_changed == 0
    }

    /// The pins whose level at the net changed since the last call.
    pub(crate) fn take_changed(&mut self) -> u32 {
        std::mem::take(&mut self.changed)
    }

    /// The pins whose level for peripherals changed since the last call.
    pub(crate) fn take_inputs_changed(&mut self) -> u32 {
        self.inputs_pulsed = 0;
        std::mem::take(&mut self.inputs_changed)
    }

    /// The pins that did so more than once.
    #[inline]
    pub(crate) fn inputs_pulsed(&self) -> u32 {
        self.inputs_pulsed
    }

    /// The last changes of the levels that peripherals see, the oldest first: when, and what they were from then on.
    pub(crate) fn inputs_of_late(&self) -> [(Picoseconds, u32); CHANGES_KEPT] {
        let mut levels = self.inputs;
        let mut changes = self.before.map(|(at, before)| (at, std::mem::replace(&mut levels, before)));
        changes.reverse();
        changes
    }

    /// The pins that are one net with any of these.
    pub(crate) fn wired_with(&self, pins: u32) -> u32 {
        pins_of(pins & ALL_PINS).fold(0, |nets, pin| nets | self.wired[pin])
    }

    /// The pins at which lines to other boards begin.
    pub(crate) fn lines_out(&self) -> u32 {
        self.lines.pins()
    }

    /// Keeps every edge of these pins from here on.
    pub fn record(&mut self, mask: u32) {
        self.recorded = mask & ALL_PINS;
    }

    /// The pins whose edges are kept.
    pub fn recorded(&self) -> u32 {
        self.recorded
    }

    /// The edges that were kept since they were taken.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Takes the edges that were kept since the last call.
    pub fn take_edges(&mut self) -> Vec<Edge> {
        std::mem::take(&mut self.edges)
    }

    /// Keeps edges that a frame on a bus stands for (the bits of an SPI byte), without moving the pin.
    pub fn add_edges(&mut self, edges: impl IntoIterator<Item = Edge>) {
        let recorded = self.recorded;
        self.edges.extend(edges.into_iter().filter(|edge| recorded >> edge.pin & 1 == 1));
    }

    /// A line to another board begins at this pin: what the chip drives there is kept from here on.
    pub(crate) fn begin_line(&mut self, at: Picoseconds, pin: u8) {
        self.lines.begin(pin);
        self.find_plain();
        self.resolve(at, 1 << pin);
    }

    /// A wire to another board begins at this pin: the levels of its net are kept from here on.
    pub(crate) fn begin_wire(&mut self, at: Picoseconds, pin: u8) {
        self.lines.begin_wire(pin);
        self.find_plain();
        self.resolve(at, 1 << pin);
    }

    /// The lines that begin at pins.
    pub(crate) fn lines(&mut self) -> &mut OutgoingLines {
        &mut self.lines
    }

    /// How often the chip and the outside drove one pin to different levels.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    fn resolve(&mut self, at: Picoseconds, touched: u32) {
        let touched = pins_of(touched & ALL_PINS).fold(0, |nets, pin| nets | self.wired[pin]);
        for pin in pins_of(touched) {
            self.resolve_pin(at, pin);
        }
    }

    fn resolve_pin(&mut self, at: Picoseconds, pin: usize) {
        let bit = 1u32 << pin;
        let level = self.net_level(pin);
        if level != (self.net & bit != 0) {
            self.net ^= bit;
            self.changed |= bit;
            if self.recorded & bit != 0 {
                self.edges.push(Edge { at, pin: pin as u8, level });
            }
        }
        if self.lines.pins() & bit != 0 {
            let level = if self.lines.wires() & bit != 0 { Some(level) } else { self.output(pin) };
            self.lines.drive(at, pin as u8, level);
        }
        let seen = overridden(self.overrides[pin].input, self.pads[pin].input_enable && level);
        if seen != (self.inputs & bit != 0) {
            self.inputs_change(at, bit);
        }
    }

    #[inline]
    fn inputs_change(&mut self, at: Picoseconds, pins: u32) {
        if self.before[0].0 != at {
            let [a, b, c, _] = self.before;
            self.before = [(at, self.inputs), a, b, c];
        }
        self.inputs ^= pins;
        self.inputs_pulsed |= self.inputs_changed & pins;
        self.inputs_changed |= pins;
    }

    /// Pins that are plainly outputs of the function that drives them get other levels.
    #[inline]
    fn move_plainly(&mut self, at: Picoseconds, pins: u32) {
        self.net ^= pins;
        self.changed |= pins;
        if self.recorded & pins != 0 {
            let net = self.net;
            let edge = |pin| Edge { at, pin: pin as u8, level: net >> pin & 1 == 1 };
            self.edges.extend(pins_of(self.recorded & pins).map(edge));
        }
        self.inputs_change(at, pins);
    }

    /// Finds out anew which pins are plain: nothing but the function that they are given to says what level they and their
    /// inputs have.
    pub(crate) fn find_plain(&mut self) {
        self.selected = std::array::from_fn(|function| {
            let selected = self.function.iter().zip(0..).filter(|(own, _)| usize::from(**own) == function);
            selected.map(|(_, pin): (_, u32)| 1 << pin).sum()
        });
        let plain = |pin: &usize| {
            let pad = self.pads[*pin];
            self.wired[*pin] == 1 << *pin
                && self.overrides[*pin] == Overrides::default()
                && pad.input_enable
                && !pad.output_disable
        };
        let pins: u32 = (0..PIN_COUNT as usize).filter(plain).map(|pin| 1 << pin).sum();
        self.plain = pins & !self.outside_driven & !self.lines.pins();
    }

    /// What the chip drives the pad to, if it does.
    fn output(&self, pin: usize) -> Option<bool> {
        let function = usize::from(self.function[pin]);
        let (out, enable) = match self.enable.get(function) {
            Some(enable) => (self.out[function] >> pin & 1 == 1, enable >> pin & 1 == 1),
            None => (false, false),
        };
        let overrides = self.overrides[pin];
        let enabled = overridden(overrides.enable, enable) && !self.pads[pin].output_disable;
        enabled.then(|| overridden(overrides.output, out))
    }

    fn net_level(&mut self, pin: usize) -> bool {
        let wired = self.wired[pin];
        if wired == 1 << pin && self.outside_driven & wired == 0 {
            return self.output(pin).unwrap_or_else(|| self.pulled(pin));
        }
        let outside = (self.outside_driven & wired != 0)
            .then_some(self.outside_level & self.outside_driven & wired != 0);
        let chip = pins_of(wired).filter_map(|pin| self.output(pin)).reduce(|one, other| one | other);
        if outside.is_some() && chip.is_some() && outside != chip {
            self.conflicts += 1;
        }
        outside.or(chip).unwrap_or_else(|| self.pulled(pin))
    }

    /// The level of a net that nobody drives.
    fn pulled(&self, pin: usize) -> bool {
        let wired = self.wired[pin];
        if self.outside_pulled & wired != 0 {
            return self.outside_pull_level & self.outside_pulled & wired != 0;
        }
        let pull = |wants: fn(&Pad) -> bool| pins_of(wired).any(|pin| wants(&self.pads[pin]));
        match (pull(|pad| pad.pull_up), pull(|pad| pad.pull_down)) {
            (true, false) => true,
            (false, true) => false,
            // Both pulls on keep the last level (bus keeper, RP2040 datasheet 2.19.4); with none it floats where it was.
            _ => self.net >> pin & 1 == 1,
        }
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

fn overridden(over: u8, signal: bool) -> bool {
    match over {
        1 => !signal,
        2 => false,
        3 => true,
        _ => signal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Picoseconds = Picoseconds::ZERO;

    fn drives(pins: &mut Pins, pin: u8, level: bool) {
        pins.set_control(NOW, pin, Function::Sio as u8, Overrides::default());
        pins.drive(NOW, Function::Sio, 1 << pin, u32::from(level) << pin, 1 << pin);
    }

    #[test]
    fn what_one_end_of_a_wire_drives_the_other_sees() {
        for (driver, reader) in [(14, 15), (15, 14)] {
            let mut pins = Pins::default();
            pins.wire(NOW, 14, 15);
            for level in [true, false, true] {
                drives(&mut pins, driver, level);
                assert_eq!(pins.inputs() >> reader & 1 == 1, level);
                assert_eq!(pins.levels() >> driver & 1 == 1, level);
            }
        }
    }

    #[test]
    fn wires_that_meet_make_one_net() {
        let mut pins = Pins::default();
        pins.wire(NOW, 1, 2);
        pins.wire(NOW, 3, 4);
        pins.wire(NOW, 2, 3);
        pins.drive_outside(NOW, 4, Some(true));
        assert_eq!(pins.levels(), 0b11110);
    }

    #[test]
    fn a_pull_up_at_one_end_pulls_both() {
        let mut pins = Pins::default();
        pins.wire(NOW, 1, 2);
        let pad = |pull_up| Pad { pull_up, pull_down: false, ..Pad::default() };
        pins.set_pad(NOW, 1, pad(false));
        pins.set_pad(NOW, 2, pad(true));
        assert_eq!(pins.levels() & 0b110, 0b110);
    }

    #[test]
    fn a_resistor_outside_counts_where_nobody_drives_and_wins_against_the_pads() {
        let mut pins = Pins::default();
        pins.wire(NOW, 1, 2);
        pins.pull_outside(NOW, 2, true);
        assert_eq!(pins.levels(), 0b110, "the pads' pull-downs are on");
        drives(&mut pins, 1, false);
        assert_eq!(pins.levels(), 0);
        pins.drive(NOW, Function::Sio, 1 << 1, 0, 0);
        assert_eq!(pins.levels(), 0b110);
        pins.drive_outside(NOW, 1, Some(false));
        assert_eq!((pins.levels(), pins.conflicts()), (0, 0));
        pins.pull_outside(NOW, 30, true);
    }

    #[test]
    fn a_wire_to_no_pin_does_nothing() {
        let mut pins = Pins::default();
        pins.wire(NOW, 3, 30);
        pins.drive_outside(NOW, 3, Some(true));
        assert_eq!(pins.levels(), 1 << 3);
    }
}
