//! The pins: what the ports, the peripherals, and whatever is outside make of their levels. A bit of every mask is a GPIO.
//!
//! The chip wins where it and the outside drive one pin. A pin that nobody drives or pulls reads low.

use mcu::Edge;
use units::Picoseconds;

use crate::chips::{NO_PIN, Part};

/// The mask of a GPIO; none for one that is on no pin of the board.
#[inline]
pub(crate) fn bit(gpio: u8) -> u32 {
    if gpio == NO_PIN { 0 } else { 1 << (gpio & 31) }
}

/// The pins.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pins {
    /// DDRx and PORTx of each port, A first, as they were written.
    ports: Vec<[u8; 2]>,
    ddr: u32,
    port: u32,
    /// Whether MCUCR.PUD switches all pull-ups off.
    pull_ups_off: bool,
    /// The bits of each port that DIDRn switch off as digital inputs.
    inputs_off: Vec<u8>,
    /// Levels that peripherals give to outputs in place of PORTx.
    given: u32,
    given_levels: u32,
    /// Pins that peripherals make outputs or inputs in place of DDRx.
    made_outputs: u32,
    made_inputs: u32,
    /// What the outside drives, through a resistor, and by a resistor alone; with the levels.
    outside: [u32; 2],
    weak: [u32; 2],
    pulled: [u32; 2],
    /// The pins that are one net with each, itself among them.
    nets: [u32; 32],
    has_wires: bool,
    levels: u32,
    /// The levels before the last change, and the cycle from which on they were others.
    before: (u32, u64),
    recorded: u32,
    /// The levels behind the edges that were taken.
    told: u32,
    /// The pins that serial lines move, whose edges are changes of level and known as such.
    on_lines: u32,
    edges: Vec<Edge>,
    /// Whether edges were added that may lie in the future, so that they are to be sorted.
    is_unsorted: bool,
}

impl Pins {
    pub(crate) fn new() -> Self {
        Self {
            ports: vec![[0; 2]; 11],
            ddr: 0,
            port: 0,
            pull_ups_off: false,
            inputs_off: vec![0; 11],
            given: 0,
            given_levels: 0,
            made_outputs: 0,
            made_inputs: 0,
            outside: [0; 2],
            weak: [0; 2],
            pulled: [0; 2],
            nets: std::array::from_fn(|pin| 1 << pin),
            has_wires: false,
            levels: 0,
            before: (0, 0),
            recorded: 0,
            told: 0,
            on_lines: 0,
            edges: Vec::new(),
            is_unsorted: false,
        }
    }

    /// As after a reset: every pin is an input without pull-up.
    pub(crate) fn reset(&mut self) {
        self.ports.iter_mut().for_each(|port| *port = [0; 2]);
        self.inputs_off.fill(0);
        (self.ddr, self.port, self.pull_ups_off) = (0, 0, false);
        (self.given, self.given_levels, self.made_outputs, self.made_inputs) = (0, 0, 0, 0);
    }

    pub(crate) fn levels(&self) -> u32 {
        self.levels
    }

    /// The pins that the chip drives.
    pub(crate) fn driven(&self) -> u32 {
        (self.ddr | self.made_outputs) & !self.made_inputs
    }

    /// Whether a pin is low because something drives or pulls its net, and not because nobody does.
    pub(crate) fn is_held_low(&self, pin: u8) -> bool {
        if pin == NO_PIN || self.levels & bit(pin) != 0 {
            return false;
        }
        let held = self.driven() | self.outside[0] | self.weak[0] | self.pulled[0];
        held & self.nets[usize::from(pin & 31)] != 0
    }

    /// Reads PINx, DDRx or PORTx (0 to 2). PINx comes through a synchroniser: it shows a change from the cycle after the
    /// next on.
    pub(crate) fn read(&self, part: &Part, port: u8, which: u8, cycle: u64) -> u8 {
        let Some([ddr, value]) = self.ports.get(usize::from(port)).copied() else { return 0 };
        match which {
            1 => ddr,
            2 => value,
            _ => {
                let levels = if cycle <= self.before.1 { self.before.0 } else { self.levels };
                let gpios = gpios_of(part, port);
                // A pin that is on no board shows what its port makes of it.
                let alone = |bit: u8| value >> bit & 1 == 1;
                let level = |bit: u8| match gpios[usize::from(bit)] {
                    NO_PIN => alone(bit),
                    gpio => levels >> gpio & 1 == 1,
                };
                let pins = (0..8).fold(0, |all, bit| all | u8::from(level(bit)) << bit);
                pins & !self.inputs_off[usize::from(port)]
            }
        }
    }

    /// Writes PINx, DDRx or PORTx; a bit of PINx toggles that of PORTx.
    pub(crate) fn write(&mut self, part: &Part, port: u8, which: u8, value: u8) {
        let Some(registers) = self.ports.get_mut(usize::from(port)) else { return };
        match which {
            0 => registers[1] ^= value,
            1 => registers[0] = value,
            _ => registers[1] = value,
        }
        let registers = *registers;
        for (bit, &gpio) in gpios_of(part, port).iter().enumerate().filter(|(_, gpio)| **gpio != NO_PIN) {
            put(&mut self.ddr, gpio, registers[0] >> bit & 1 == 1);
            put(&mut self.port, gpio, registers[1] >> bit & 1 == 1);
        }
    }

    /// DIDRn is written: its inputs read zero ("DIDR0").
    pub(crate) fn switch_inputs_off(&mut self, part: &Part, register: u16, value: u8) {
        for found in part.input_disables.iter().filter(|one| one.register == register) {
            if let Some(off) = self.inputs_off.get_mut(usize::from(found.port)) {
                *off = *off & !(found.mask << found.first) | (value & found.mask) << found.first;
            }
        }
    }

    pub(crate) fn switch_pull_ups_off(&mut self, off: bool) {
        self.pull_ups_off = off;
    }

    /// A peripheral gives outputs their levels, or no longer does.
    pub(crate) fn give(&mut self, mask: u32, levels: Option<u32>) {
        match levels {
            Some(levels) => {
                self.given |= mask;
                self.given_levels = self.given_levels & !mask | levels & mask;
            }
            None => self.given &= !mask,
        }
    }

    /// A peripheral makes pins outputs or inputs, or leaves that to DDRx.
    pub(crate) fn make(&mut self, mask: u32, output: Option<bool>) {
        let (outputs, inputs) = (output == Some(true), output == Some(false));
        self.made_outputs = self.made_outputs & !mask | if outputs { mask } else { 0 };
        self.made_inputs = self.made_inputs & !mask | if inputs { mask } else { 0 };
    }

    pub(crate) fn drive_outside(&mut self, pin: u8, level: Option<bool>) {
        set(&mut self.outside, pin, level);
    }

    pub(crate) fn pull_outside(&mut self, pin: u8, level: Option<bool>) {
        set(&mut self.weak, pin, level);
    }

    pub(crate) fn pull(&mut self, pin: u8, level: bool) {
        set(&mut self.pulled, pin, Some(level));
    }

    pub(crate) fn wire(&mut self, pin: u8, other: u8) {
        let net = self.nets[usize::from(pin & 31)] | self.nets[usize::from(other & 31)];
        for gpio in (0..32).filter(|gpio| net >> gpio & 1 == 1) {
            self.nets[gpio] = net;
        }
        self.has_wires = true;
    }

    /// Whether a wire leads from any of these pins to another.
    pub(crate) fn is_wired(&self, mask: u32) -> bool {
        self.has_wires && (0..32).any(|pin| mask >> pin & 1 == 1 && self.nets[pin] != 1 << pin)
    }

    /// What the levels are now; the pins that changed from a cycle on.
    pub(crate) fn resolve(&mut self, cycle: u64, at: impl FnOnce() -> Picoseconds) -> u32 {
        let driven = self.driven();
        let values = self.port & !self.given | self.given_levels & self.given;
        let pull_ups = if self.pull_ups_off { 0 } else { self.port & !driven };
        let layers = [[driven, values], self.outside, self.weak, self.pulled, [pull_ups, pull_ups]];
        let levels = if self.has_wires { self.levels_of_nets(&layers) } else { levels_of(&layers) };
        let changed = levels ^ self.levels;
        if changed != 0 {
            if cycle != self.before.1 {
                self.before = (self.levels, cycle);
            }
            self.levels = levels;
            if changed & self.recorded != 0 {
                self.record_edges(changed & self.recorded, at());
            }
        }
        changed
    }

    fn levels_of_nets(&self, layers: &[[u32; 2]; 5]) -> u32 {
        let mut levels = 0;
        for pin in 0..32 {
            let net = self.nets[pin];
            let strongest = layers.iter().find(|[mask, _]| mask & net != 0);
            let level = strongest.is_some_and(|[mask, values]| mask & values & net != 0);
            levels |= u32::from(level) << pin;
        }
        levels
    }

    fn record_edges(&mut self, mut pins: u32, at: Picoseconds) {
        while pins != 0 {
            let pin = pins.trailing_zeros() as u8;
            pins &= pins - 1;
            self.edges.push(Edge { at, pin, level: self.levels >> pin & 1 == 1 });
        }
    }

    pub(crate) fn record(&mut self, mask: u32) {
        self.told = self.levels & !self.recorded | self.told & self.recorded;
        self.recorded = mask;
    }

    pub(crate) fn is_recorded(&self, mask: u32) -> bool {
        self.recorded & mask != 0
    }

    /// Keeps an edge that a byte on a bus stands for, without moving the pin; it may lie in the future.
    pub(crate) fn add_edge(&mut self, edge: Edge) {
        if edge.pin != NO_PIN && self.recorded & bit(edge.pin) != 0 {
            self.edges.push(edge);
            self.is_unsorted = true;
        }
    }

    /// The same of a character on a serial line, which begins at the idle level whatever the pin has of its own.
    pub(crate) fn add_edge_of_line(&mut self, edge: Edge) {
        if edge.pin != NO_PIN {
            self.on_lines |= bit(edge.pin);
            self.add_edge(edge);
        }
    }

    /// Takes the edges up to a time. A byte on a bus does not know which level its wire has before it, so that its first edge
    /// may be none.
    pub(crate) fn take_edges(&mut self, to: Picoseconds) -> Vec<Edge> {
        if std::mem::take(&mut self.is_unsorted) {
            self.edges.sort_by_key(|edge| edge.at);
        }
        let known = self.edges.partition_point(|edge| edge.at <= to);
        let rest = self.edges.split_off(known);
        self.is_unsorted = !rest.is_empty();
        let mut edges = std::mem::replace(&mut self.edges, rest);
        edges.retain(|edge| {
            let is_new = self.on_lines & bit(edge.pin) != 0 || (self.told >> edge.pin & 1 == 1) != edge.level;
            put(&mut self.told, edge.pin, edge.level);
            is_new
        });
        edges
    }
}

fn gpios_of(part: &Part, port: u8) -> [u8; 8] {
    // Port I does not exist: J stands in its place in the registers behind the first 256.
    let letter = if port < 8 { b'A' + port } else { b'A' + port + 1 };
    let known = part.ports.iter().find(|known| known.letter == letter);
    known.map_or([NO_PIN; 8], |port| port.gpios)
}

fn put(mask: &mut u32, gpio: u8, set: bool) {
    *mask = *mask & !bit(gpio) | if set { bit(gpio) } else { 0 };
}

fn set(layer: &mut [u32; 2], pin: u8, level: Option<bool>) {
    put(&mut layer[0], pin, level.is_some());
    put(&mut layer[1], pin, level == Some(true));
}

/// The levels where no two pins are wired together; a layer wins over those behind it.
fn levels_of(layers: &[[u32; 2]; 5]) -> u32 {
    layers.iter().rev().fold(0, |below, [mask, values]| below & !mask | values & mask)
}
