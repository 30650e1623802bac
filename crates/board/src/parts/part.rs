//! What stands around the MCU, one part as any other: [`Part`], how it is put on a board ([`Wiring`]) and what it can do there
//! ([`Around`]).

use std::any::Any;
use std::fmt::Debug;

use lan::{DeviceId, Lan, NetDevice, UsbNetwork};
use mcu::{Answer, ClockPulses, ClockWords, Foretold, LevelRow, LevelWords, Patience, Reaction, SpiFrame};
use sim::Passive;
use units::Picoseconds;

use super::i2c_wires::I2cWires;
use super::outputs::Outputs;
use super::wiring::{Buses, Interrupt, Joint, Window};

/// Something on the pins and buses of the MCU. Buses are spoken in frames and bytes, pins in levels. A part is told of what it
/// was put on by [`Self::connect`], and of nothing else.
pub trait Part: Any + Debug + Send {
    /// Takes its place on a board.
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        let _ = wiring;
    }

    /// Pins on which it listens changed their level.
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, around: &mut Around<'_>) {
        let _ = (at, changed, around);
    }

    /// Pins that it hears late ([`Part::patience`]) changed their levels in a row.
    fn pins_changed_in_row(&mut self, row: &LevelRow<'_>, around: &mut Around<'_>) {
        for (at, changed, levels) in row.changes() {
            around.levels = levels;
            self.pins_changed(at, changed, around);
        }
    }

    /// The same of levels that come evenly, as bits of words.
    fn levels_in_words(&mut self, words: &LevelWords<'_>, around: &mut Around<'_>) {
        words.in_row(|row| self.pins_changed_in_row(row, around));
    }

    /// Of the pins on which it listens, those that may be told late, and those that it may pull in answer.
    fn patience(&self) -> Patience {
        Patience::default()
    }

    /// A pin of these pulses in a row; of what it does not take it is told edge by edge.
    fn pulses(&mut self, pulses: &ClockPulses<'_>, around: &mut Around<'_>) -> Answer {
        let _ = (pulses, around);
        Answer::default()
    }

    /// The same of words of pulses, as many as it takes; `answers` gets what it says in each of these.
    fn words(&mut self, words: &ClockWords<'_>, answers: &mut [u32], around: &mut Around<'_>) -> usize {
        let _ = (words, answers, around);
        0
    }

    /// SCK of its last byte that came over pins which are on no SPI; nothing where none did.
    fn clocked_hz(&self) -> Option<u64> {
        None
    }

    /// A pin of the MCU gives a clock from here on, by its first rising edge and its frequency, or gives none any more.
    fn clock_output(&mut self, pin: u8, clock: Option<(Picoseconds, u64)>, around: &mut Around<'_>) {
        let _ = (pin, clock, around);
    }

    /// A frame ends on its SPI; what it sent at the same time, if it is meant.
    fn spi_frame(&mut self, at: Picoseconds, frame: &SpiFrame, around: &mut Around<'_>) -> Option<u16> {
        let _ = (at, frame, around);
        None
    }

    /// A start on its I2C; true acknowledges and makes it the one that is meant.
    fn i2c_start(&mut self, at: Picoseconds, address: u16, read: bool) -> bool {
        let _ = (at, address, read);
        false
    }

    /// A byte from the controller; true acknowledges.
    fn i2c_write(&mut self, at: Picoseconds, byte: u8) -> bool {
        let _ = (at, byte);
        false
    }

    /// A byte for the controller.
    fn i2c_read(&mut self, at: Picoseconds) -> u8 {
        let _ = at;
        0xff
    }

    /// A stop, or the start of somebody else's transfer.
    fn i2c_stop(&mut self, at: Picoseconds) {
        let _ = at;
    }

    /// What the processor reads in its window of the address space; nothing where nothing is. Reading has no effects.
    fn memory_read(&self, at: Picoseconds, offset: u32, bytes: u8, lan: Option<&Lan>) -> Option<u32> {
        let _ = (at, offset, bytes, lan);
        None
    }

    /// What the processor writes there; false where nothing can be written.
    fn memory_write(
        &mut self,
        at: Picoseconds,
        offset: u32,
        (bytes, value): (u8, u32),
        around: &mut Around<'_>,
    ) -> bool {
        let _ = (at, offset, bytes, value, around);
        false
    }

    /// Whether a write at an offset of its window may be felt outside of it at once.
    fn is_register(&self, offset: u32) -> bool {
        let _ = offset;
        false
    }

    /// The pin that it drives when somebody presses it, or lets go of it, and the level; nothing where it cannot be pressed.
    fn pressed(&self, pressed: bool) -> Option<(u8, Option<bool>)> {
        let _ = pressed;
        None
    }

    /// Levels that it will drive from here on, whatever happens; whoever takes them does so in its place.
    fn take_foretold(&mut self) -> Option<Foretold> {
        None
    }

    /// When it does something of its own accord.
    fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    /// Does everything that is due up to and including a time.
    fn advance(&mut self, at: Picoseconds, around: &mut Around<'_>) {
        let _ = (at, around);
    }

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn Part>>;

    /// Its state, to be kept in a file; nothing when it cannot be. That of its device on the network is the network's affair.
    fn saved(&self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on in a state that was saved; false when that is none of its own.
    fn put_back(&mut self, saved: &[u8]) -> bool {
        saved.is_empty()
    }
}

/// What a part can do when something happens to it.
#[derive(Debug)]
pub struct Around<'a> {
    /// The level of every pin, a bit each.
    pub levels: u32,
    pub(super) lan: Option<&'a mut Lan>,
    pub(super) outputs: &'a mut Outputs,
    pub(super) reactions: &'a mut Vec<Reaction>,
}

impl Around<'_> {
    /// Whether a pin is low.
    pub fn is_low(&self, pin: u8) -> bool {
        self.levels >> pin & 1 == 0
    }

    /// Drives a pin of the MCU, or lets go of it.
    pub fn drive(&mut self, pin: u8, level: Option<bool>) {
        self.reactions.push(Reaction::Pin { pin, level });
    }

    /// Sets an output of the part that is on no pin of the MCU.
    pub fn set_output(&mut self, at: Picoseconds, net: u8, level: bool) {
        self.outputs.set(at, net, level);
    }

    /// The time up to which everything has happened on the network.
    pub fn now(&self) -> Picoseconds {
        self.lan.as_ref().map_or(Picoseconds::ZERO, |lan| lan.now())
    }

    /// When something happens next on the network.
    pub fn next_on_network(&self) -> Option<Picoseconds> {
        self.lan.as_ref().and_then(|lan| lan.next_event())
    }

    /// Lets everything happen on the network that is due up to and including a time.
    pub fn advance(&mut self, at: Picoseconds) {
        if let Some(lan) = &mut self.lan {
            lan.advance(at);
        }
    }

    /// The part's device on the network.
    pub fn device<D: NetDevice>(&self, id: DeviceId<D>) -> Option<&D> {
        self.lan.as_ref()?.device(id)
    }

    /// The same, for something that is done to it now.
    pub fn with_device<D: NetDevice, T>(
        &mut self,
        id: DeviceId<D>,
        act: impl FnOnce(&mut D) -> T,
    ) -> Option<T> {
        self.lan.as_mut()?.with_device(id, act)
    }
}

/// Where a part is put on a board.
#[derive(Debug)]
pub struct Wiring<'a> {
    /// What the board calls it.
    pub name: &'a str,
    /// Where its random numbers start.
    pub seed: u64,
    pub(super) part: usize,
    pub(super) buses: &'a mut Buses,
    pub(super) lan: Option<&'a mut Lan>,
}

impl Wiring<'_> {
    /// It listens on pins, a bit each.
    pub fn pins(&mut self, mask: u32) {
        self.buses.listeners.push((mask, self.part));
    }

    /// It is on an SPI port, with a chip select or always meant. Of several that are meant, those with a chip select are asked
    /// first.
    pub fn spi(&mut self, port: u8, has_select: bool) {
        let bus = &mut self.buses.spi[usize::from(port & 1)];
        let place = if has_select { bus.selected } else { bus.parts.len() };
        bus.parts.insert(place, self.part);
        bus.selected += usize::from(has_select);
    }

    /// It is on an I2C port.
    pub fn i2c(&mut self, port: u8) {
        let bus = &mut self.buses.i2c[usize::from(port & 1)];
        if bus.parts.is_empty() {
            self.buses.i2c_wires.extend(I2cWires::of_port(self.buses.facts, port));
        }
        bus.parts.push(self.part);
    }

    /// It joins two pins.
    pub fn wire(&mut self, pin: u8, to: u8) {
        self.buses.routes.wire(self.buses.facts, pin, to);
        self.buses.joints.push(Joint::Wire { pin, to });
    }

    /// It drives a pin from the start, or does not.
    pub fn level(&mut self, pin: u8, level: Option<bool>) {
        self.buses.joints.push(Joint::Level { pin, level });
    }

    /// It drives a pin with a clock from the start, by a rising edge and its frequency.
    pub fn given_clock(&mut self, pin: u8, rise: Picoseconds, hz: u64) {
        self.buses.joints.push(Joint::Clock { pin, rise, hz });
    }

    /// It takes the clock at a pin as such ([`Part::clock_output`]), and nobody keeps its edges unless he asks for that pin.
    pub fn clock(&mut self, pin: u8) {
        self.buses.clocks |= 1 << pin;
    }

    /// It has an input that a resistor pulls up, inside or outside.
    pub fn pulled_up(&mut self, pin: u8) {
        self.buses.pulled_up.push(pin);
    }

    /// It is a voltage at a pin with an ADC input.
    pub fn voltage(&mut self, pin: u8, microvolts: i32) {
        self.buses.set_microvolts(pin, Some(microvolts));
    }

    /// It has registers in the address space of the MCU: so many bytes, behind those of the parts before it.
    pub fn window(&mut self, bytes: u32) {
        let start = self.buses.windows.last().map_or(0, |last| last.offsets.end);
        self.buses.windows.push(Window { offsets: start..start + bytes, part: self.part });
    }

    /// It has outputs that are on no pin of the MCU: so many nets, from the one that it is given on.
    pub fn outputs(&mut self, count: usize) -> u8 {
        self.buses.outputs.reserve(count)
    }

    /// It does things of its own accord.
    pub fn timed(&mut self) {
        self.buses.timed.push(self.part);
    }

    /// What a station finds on the air.
    pub fn access_points(&self) -> Vec<cyw43::AccessPoint> {
        self.lan.as_ref().map_or_else(Vec::new, |lan| lan.access_points())
    }

    /// The stations that join the network of its radio, where it makes one.
    pub fn joiners(&self) -> Vec<cyw43::Joiner> {
        self.lan.as_ref().map_or_else(Vec::new, |lan| lan.joiners())
    }

    /// It has a device on the network; nothing where there is no network.
    pub fn attach<D: NetDevice>(&mut self, device: D) -> Option<DeviceId<D>> {
        let name = self.name;
        self.lan.as_mut().map(|lan| lan.attach(name, device))
    }

    /// The interrupt output of its device is on a pin, which it drives from the start.
    pub fn interrupt<D: NetDevice>(&mut self, device: DeviceId<D>, pin: u8) {
        self.output(device, pin, false);
    }

    /// The same through a resistor: the MCU may drive the pin too, and wins.
    pub fn weak_interrupt<D: NetDevice>(&mut self, device: DeviceId<D>, pin: u8) {
        self.output(device, pin, true);
    }

    /// Its device is the PC's end of the network on USB.
    pub fn usb_network(&mut self, device: DeviceId<UsbNetwork>) {
        self.buses.usb_network = Some(device);
    }

    fn output<D: NetDevice>(&mut self, device: DeviceId<D>, pin: u8, is_weak: bool) {
        self.buses.interrupts.push(Interrupt { device: device.any(), pin, is_weak, told_low: None });
    }
}
