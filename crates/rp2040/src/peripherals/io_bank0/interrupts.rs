//! Interrupts of a bank of pins (RP2040 datasheet 2.19.3): low and high levels, falling and rising edges, a bit each
//! for every pin; enabled and forced separately for core 0, core 1 and the wake-up from dormant mode.

/// LEVEL_LOW, LEVEL_HIGH, EDGE_LOW and EDGE_HIGH, in the order of their bits in a pin's nibble.
const KINDS: usize = 4;
const LEVEL_LOW: usize = 0;
const LEVEL_HIGH: usize = 1;
const EDGE_LOW: usize = 2;
const EDGE_HIGH: usize = 3;
/// Eight pins share a register.
const PINS_PER_REGISTER: u32 = 8;

/// Who is interrupted.
pub(super) const DESTINATIONS: usize = 3;
pub(super) const DORMANT_WAKE: usize = 2;

/// For each kind a bit per pin.
type Kinds = [u32; KINDS];

#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct PinInterrupts {
    /// The pins that there are.
    all: u32,
    /// The levels, as the interrupt logic sees them.
    signal: u32,
    edge_low: u32,
    edge_high: u32,
    enabled: [Kinds; DESTINATIONS],
    forced: [Kinds; DESTINATIONS],
    /// Whether a destination has anything enabled or forced: most have not, and pins move often.
    listens: [bool; DESTINATIONS],
}

impl PinInterrupts {
    pub(super) fn new(pins: u32) -> Self {
        Self { all: (1 << pins) - 1, ..Self::default() }
    }

    /// Takes new levels. `pulsed` are pins that may have changed there and back since the last call.
    #[inline]
    pub(super) fn set_signal(&mut self, signal: u32, pulsed: u32) {
        let both = pulsed & !(signal ^ self.signal);
        self.edge_high |= signal & !self.signal | both;
        self.edge_low |= !signal & self.signal | both;
        self.signal = signal;
    }

    /// These pins had an edge of either kind.
    pub(super) fn note_pulses(&mut self, pins: u32) {
        self.edge_high |= pins;
        self.edge_low |= pins;
    }

    /// The pins that any destination has enabled.
    pub(super) fn listens_to(&self) -> u32 {
        self.enabled.iter().flatten().fold(0, |all, pins| all | pins)
    }

    pub(super) fn signal(&self) -> u32 {
        self.signal
    }

    /// Whether a destination has an interrupt pending.
    #[inline]
    pub(super) fn is_pending(&self, destination: usize) -> bool {
        self.listens[destination] && self.status(destination).into_iter().any(|pins| pins != 0)
    }

    fn listen(&mut self, destination: usize) {
        let (enabled, forced) = (&self.enabled[destination], &self.forced[destination]);
        self.listens[destination] = enabled.iter().chain(forced).any(|&pins| pins != 0);
    }

    fn raw(&self) -> Kinds {
        let mut raw = [0; KINDS];
        raw[LEVEL_LOW] = !self.signal & self.all;
        raw[LEVEL_HIGH] = self.signal;
        raw[EDGE_LOW] = self.edge_low;
        raw[EDGE_HIGH] = self.edge_high;
        raw
    }

    fn status(&self, destination: usize) -> Kinds {
        let (raw, enabled, forced) = (self.raw(), self.enabled[destination], self.forced[destination]);
        std::array::from_fn(|kind| raw[kind] & enabled[kind] | forced[kind])
    }

    /// INTR of the eight pins of a register.
    pub(super) fn intr(&self, register: u32) -> u32 {
        nibbles(&self.raw(), register)
    }

    /// INTE.
    pub(super) fn inte(&self, destination: usize, register: u32) -> u32 {
        nibbles(&self.enabled[destination], register)
    }

    /// INTF.
    pub(super) fn intf(&self, destination: usize, register: u32) -> u32 {
        nibbles(&self.forced[destination], register)
    }

    /// INTS.
    pub(super) fn ints(&self, destination: usize, register: u32) -> u32 {
        nibbles(&self.status(destination), register)
    }

    /// A write to INTR clears the edges whose bits it sets; levels follow the pin.
    pub(super) fn clear(&mut self, register: u32, value: u32) {
        let written = self.pins(register, value);
        self.edge_low &= !written[EDGE_LOW];
        self.edge_high &= !written[EDGE_HIGH];
    }

    /// Forgets every edge.
    pub(super) fn clear_all(&mut self) {
        (self.edge_low, self.edge_high) = (0, 0);
    }

    pub(super) fn enable(&mut self, destination: usize, register: u32, value: u32) {
        let written = self.pins(register, value);
        merge(&mut self.enabled[destination], written, register);
        self.listen(destination);
    }

    pub(super) fn force(&mut self, destination: usize, register: u32, value: u32) {
        let written = self.pins(register, value);
        merge(&mut self.forced[destination], written, register);
        self.listen(destination);
    }

    /// A register's nibbles, sorted by kind.
    fn pins(&self, register: u32, value: u32) -> Kinds {
        let mut kinds = [0; KINDS];
        for pin in 0..PINS_PER_REGISTER {
            for (kind, pins) in kinds.iter_mut().enumerate() {
                *pins |= (value >> (4 * pin + kind as u32) & 1) << pin;
            }
        }
        kinds.map(|pins| pins << (register * PINS_PER_REGISTER) & self.all)
    }
}

fn merge(kinds: &mut Kinds, written: Kinds, register: u32) {
    let mask = 0xff << (register * PINS_PER_REGISTER);
    for (pins, written) in kinds.iter_mut().zip(written) {
        *pins = *pins & !mask | written;
    }
}

/// A nibble of kinds for each of a register's pins.
fn nibbles(kinds: &Kinds, register: u32) -> u32 {
    (0..PINS_PER_REGISTER).fold(0, |value, pin| {
        let place = register * PINS_PER_REGISTER + pin;
        let nibble =
            kinds.iter().enumerate().fold(0, |nibble, (kind, pins)| nibble | (pins >> place & 1) << kind);
        value | nibble << (4 * pin)
    })
}
