//! The level of each net: who drives it, what pulls it, and what peripherals see of it.

use mcu::Edge;
use units::Picoseconds;

use super::{ALL_PINS, Overrides, PIN_COUNT, Pad, Pins, pins_of};

impl Pins {
    pub(super) fn resolve(&mut self, at: Picoseconds, touched: u32) {
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
        if self.before[0].0 < at {
            let [a, b, c, _] = self.before;
            self.before = [(at, self.inputs), a, b, c];
        } else if self.before[0].0 > at {
            self.remember_late(at, pins);
        }
        self.inputs ^= pins;
        self.inputs_pulsed |= self.inputs_changed & pins;
        self.inputs_changed |= pins;
    }

    /// A block that nobody noticed moved pins before others moved theirs.
    #[cold]
    fn remember_late(&mut self, at: Picoseconds, pins: u32) {
        let later = self.before.iter().take_while(|(changed, _)| *changed > at).count();
        let level = self.before[later - 1].1;
        for (_, before) in &mut self.before[..later] {
            *before ^= pins;
        }
        if self.before.get(later).is_some_and(|(changed, _)| *changed < at) {
            self.before[later..].rotate_right(1);
            self.before[later] = (at, level);
        }
    }

    /// Pins that are plainly outputs of the function that drives them get other levels.
    #[inline]
    pub(super) fn move_plainly(&mut self, at: Picoseconds, pins: u32) {
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
        (self.selected, self.plain, self.alone) = Default::default();
        (0..PIN_COUNT as usize).for_each(|pin| self.find_whether_plain(pin));
    }

    /// The same of one pin.
    pub(super) fn find_whether_plain(&mut self, pin: usize) {
        let (bit, pad, function) = (1 << pin, self.pads[pin], usize::from(self.function[pin]));
        for (selected, number) in self.selected.iter_mut().zip(0..) {
            *selected = if number == function { *selected | bit } else { *selected & !bit };
        }
        let is_alone = self.wired[pin] == bit
            && self.overrides[pin] == Overrides::default()
            && pad.input_enable
            && !pad.output_disable
            && self.lines.pins() & bit == 0;
        let is_plain = is_alone && self.outside_driven & bit == 0;
        let with = |mask: u32, is: bool| if is { mask | bit } else { mask & !bit };
        (self.alone, self.plain) = (with(self.alone, is_alone), with(self.plain, is_plain));
    }

    /// Whether the chip drives a pad.
    pub(crate) fn drives(&self, pin: u8) -> bool {
        u32::from(pin) < PIN_COUNT && self.output(usize::from(pin)).is_some()
    }

    /// What the chip drives the pad to, if it does.
    pub(super) fn output(&self, pin: usize) -> Option<bool> {
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

fn overridden(over: u8, signal: bool) -> bool {
    match over {
        1 => !signal,
        2 => false,
        3 => true,
        _ => signal,
    }
}
