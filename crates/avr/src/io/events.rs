//! What happens by itself: a peripheral that is due, something around the chip, and pins that change.

use mcu::{Edge, Reaction, SpiFrame};

use super::{Devices, Io, SLOTS, Slot};
use crate::chips::NO_PIN;
use crate::chips::power::Module;
use crate::peripherals::NEVER;
use crate::peripherals::adc::Trigger;
use crate::peripherals::spi::Byte;
use crate::peripherals::twi::Step;
use crate::peripherals::usart::Frame;
use crate::peripherals::watchdog::Expired;
use crate::pins::bit;

/// Rounds in which pins and surroundings may answer each other at one instant, before that is taken for an oscillation.
const MOST_ROUNDS: usize = 64;
/// The only SPI and the only TWI.
const PORT: u8 = 0;
/// What selects the ADC's trigger.
const ADCSRB: u16 = 0x7b;

impl Io {
    /// Lets everything happen that is due up to a cycle, in its order.
    #[inline]
    pub(crate) fn advance(&mut self, cycle: u64) {
        if self.next() <= cycle {
            self.advance_all(cycle);
        }
    }

    fn advance_all(&mut self, cycle: u64) {
        while self.next() <= cycle {
            if self.outside_due <= self.devices.due_first {
                let at = self.outside_due;
                self.advance_outside(at);
            } else {
                let at = self.devices.due_first;
                let due = SLOTS.into_iter().find(|slot| self.devices.due[slot.place()] == at);
                self.happen(due.expect("somebody is due first"), at);
            }
        }
    }

    fn advance_outside(&mut self, cycle: u64) {
        let at = self.time(cycle);
        let mut reactions = std::mem::take(&mut self.reactions);
        self.outside.advance(at, &mut reactions);
        self.reactions = reactions;
        self.outside_is_rescheduled(cycle);
        self.react(cycle);
    }

    /// Asks when something happens out there next; what is due lies behind this cycle.
    pub(crate) fn outside_is_rescheduled(&mut self, cycle: u64) {
        let due = self.outside.next_event().map_or(NEVER, |at| self.devices.clock.cycle_at(at));
        // What was due by now has been heard.
        let heard = self.outside.next_event().is_some_and(|at| at <= self.time(cycle));
        self.outside_due = if heard { cycle + 1 } else { due };
    }

    fn happen(&mut self, slot: Slot, cycle: u64) {
        match slot {
            Slot::Timer(number) => self.devices.timers[usize::from(number)].advance(cycle),
            Slot::Spi => self.end_spi(cycle),
            Slot::Usart(number) => self.usart_is_due(number, cycle),
            Slot::Eeprom => self.devices.eeprom.advance(cycle),
            Slot::Watchdog => {
                let hz = self.devices.clock.hz();
                if self.devices.watchdog.expire(cycle, hz) == Some(Expired::Reset) {
                    self.devices.resets = true;
                }
            }
            Slot::Adc => self.end_conversion(cycle),
            Slot::Twi => self.end_twi(cycle),
            Slot::ProgramMemory => self.devices.program.advance(cycle),
            // What was asked for is asked for again at the next run.
            Slot::Lines if !self.look_at_lines(cycle) => return self.devices.schedule(slot, NEVER),
            Slot::Lines => {}
            Slot::UsartWire(number) => self.wire_is_due(number, cycle),
        }
        self.refresh(slot);
        if let Slot::Timer(number) = slot {
            self.trigger_may_have_changed(cycle);
            self.show_timer(number, cycle);
        }
    }

    /// What came from outside.
    pub(crate) fn react(&mut self, cycle: u64) {
        if !self.reactions.is_empty() {
            self.carry_out_reactions(cycle);
            self.pins_may_have_changed(cycle);
        }
    }

    fn carry_out_reactions(&mut self, cycle: u64) {
        for reaction in std::mem::take(&mut self.reactions) {
            match reaction {
                Reaction::Pin { pin, level } => self.devices.pins.drive_outside(pin, level),
                Reaction::Pull { pin, level } => self.devices.pins.pull_outside(pin, level),
                Reaction::UartByte { port, byte } => self.receive(port, byte),
                // No AVR here has USB.
                Reaction::UsbFrames => {}
                Reaction::Rescheduled => self.outside_is_rescheduled(cycle),
            }
        }
    }

    fn receive(&mut self, port: u8, byte: u8) {
        if let Some(usart) = self.devices.usarts.get_mut(usize::from(port)) {
            usart.receive(byte, 0);
            self.refresh(Slot::Usart(port));
        }
    }

    /// Finds the levels of the pins, and tells whoever looks at those that changed.
    pub(crate) fn pins_may_have_changed(&mut self, cycle: u64) {
        for _ in 0..MOST_ROUNDS {
            let clock = self.devices.clock;
            let changed = self.devices.pins.resolve(cycle, || clock.time(cycle));
            self.lines_see(cycle);
            // SS counts by its level: one that begins to be held low was low before, if nobody drove it.
            let lost_bus = self.spi_may_lose_its_bus();
            if changed == 0 && !lost_bus {
                return;
            }
            self.pins_changed(changed, cycle);
            self.carry_out_reactions(cycle);
        }
    }

    fn pins_changed(&mut self, changed: u32, cycle: u64) {
        if self.devices.pins.is_wired(changed) {
            self.wires_changed(changed, cycle);
        }
        let levels = self.devices.pins.levels();
        let external = &mut self.devices.external;
        if changed & self.external_pins != 0 || external.masks != [0; 4] {
            external.pins_changed(self.part, changed, levels);
            self.refresh_external();
        }
        for (number, pins) in (0..).zip(self.part.timers) {
            let [captures, clocks] = [pins.capture, pins.clock].map(|pin| changed & bit(pin) != 0);
            if captures || clocks {
                let timer = &mut self.devices.timers[usize::from(number)];
                timer.advance(cycle);
                if captures {
                    timer.capture_pin(levels & bit(pins.capture) != 0);
                }
                if clocks {
                    timer.clock_pin(levels & bit(pins.clock) != 0);
                }
                self.refresh(Slot::Timer(number));
            }
        }
        self.trigger_may_have_changed(cycle);
        self.stopped_by_pin |= changed & self.stops.pins != 0;
        if changed & self.outside.listens_to() != 0 {
            let at = self.time(cycle);
            let mut reactions = std::mem::take(&mut self.reactions);
            self.outside.pins_changed(at, changed, levels, &mut reactions);
            self.reactions = reactions;
            self.outside_is_rescheduled(cycle);
        }
    }

    /// A controller whose SS is an input and low becomes a device ("SS Pin Functionality", "Master Mode"); whether it did. The pins
    /// that it had are to be looked at then.
    pub(super) fn spi_may_lose_its_bus(&mut self) -> bool {
        let Devices { spi, pins, power, .. } = &mut self.devices;
        let select = self.part.spi[3];
        if power.stops(Module::Spi)
            || !spi.is_controller()
            || pins.driven() & bit(select) != 0
            || !pins.is_held_low(select)
        {
            return false;
        }
        spi.lose_bus();
        self.give_spi_its_pins();
        self.refresh(Slot::Spi);
        true
    }

    /// A byte begins on the SPI: its bits on SCK and MOSI, where somebody records them.
    pub(crate) fn show_spi(&mut self, byte: Byte) {
        let [sck, mosi, ..] = self.part.spi;
        let pins = &self.devices.pins;
        if !pins.is_recorded(bit(sck) | bit(mosi)) {
            return;
        }
        let driven = pins.driven();
        let (rest, late) = (self.devices.spi.mode() & 2 != 0, self.devices.spi.mode() & 1 != 0);
        let half = self.devices.spi.divider() / 2;
        let mut level = None;
        for place in 0..8 {
            let start = byte.start + 2 * half * place;
            let (first, second) = if late { (start, start + half) } else { (start + half, start + 2 * half) };
            let data = byte.sent << place & 0x80 != 0;
            if level != Some(data) && driven & bit(mosi) != 0 {
                let at = self.devices.clock.time(start);
                self.devices.pins.add_edge(Edge { at, pin: mosi, level: data });
                level = Some(data);
            }
            for (cycle, level) in [(first, !rest), (second, rest)] {
                let at = self.devices.clock.time(cycle);
                self.devices.pins.add_edge(Edge { at, pin: sck, level });
            }
        }
    }

    fn end_spi(&mut self, cycle: u64) {
        let Some(byte) = self.devices.spi.ending(cycle) else { return };
        let spi = &self.devices.spi;
        let frame = SpiFrame {
            port: PORT,
            bits: 8,
            sent: byte.sent.into(),
            clock_hz: self.devices.clock.hz() / spi.divider(),
            mode: spi.mode(),
            start: self.time(byte.start),
        };
        let at = self.time(cycle);
        let mut reactions = std::mem::take(&mut self.reactions);
        let received = self.outside.spi_frame(at, frame, &mut reactions);
        self.reactions = reactions;
        self.devices.spi.end(received as u8);
        self.show_miso(byte, received as u8);
        self.react(cycle);
    }

    fn show_miso(&mut self, byte: Byte, received: u8) {
        let miso = self.part.spi[2];
        if !self.devices.pins.is_recorded(bit(miso)) {
            return;
        }
        let mut level = None;
        for place in 0..8 {
            let data = received << place & 0x80 != 0;
            if level != Some(data) {
                let at = self.time(byte.start + self.devices.spi.divider() * place);
                self.devices.pins.add_edge(Edge { at, pin: miso, level: data });
                level = Some(data);
            }
        }
    }

    fn usart_is_due(&mut self, number: u8, cycle: u64) {
        let place = usize::from(number);
        self.devices.usarts[place].hear_typed(cycle);
        while let Some((ended, next)) = self.devices.usarts[place].end_frame(cycle) {
            let at = self.time(ended.end);
            if let Some(printed) = self.devices.printed.get_mut(place) {
                printed.push((at, ended.byte));
                self.stopped_by_console |= self.stops.console;
                let mut reactions = std::mem::take(&mut self.reactions);
                let before = reactions.len();
                self.outside.uart_byte(at, number, ended.byte, &mut reactions);
                if self.sends_to_wire(number) {
                    // Who is at the other end of a wire has heard the bits.
                    let later = reactions.split_off(before);
                    reactions.extend(later.into_iter().filter(|it| !matches!(it, Reaction::UartByte { .. })));
                }
                self.reactions = reactions;
            }
            if let Some(next) = next {
                self.show_frame(number, next);
            } else if !self.devices.usarts[place].holds_txd() {
                self.give_usart_its_txd(number);
                self.pins_may_have_changed(cycle);
            }
        }
        self.react(cycle);
    }

    /// A frame begins on TXD: its bits, where somebody records the pin.
    pub(crate) fn show_frame(&mut self, number: u8, frame: Frame) {
        if self.sends_to_wire(number) {
            return self.send_to_wire(number, frame);
        }
        let pin = self.part.usarts[usize::from(number)][1];
        if pin == NO_PIN
            || !(self.devices.pins.is_recorded(bit(pin)) || self.lines.outgoing.pins() & bit(pin) != 0)
        {
            return;
        }
        let shape = self.devices.usarts[usize::from(number)].shape();
        let levels = shape.levels(frame.byte);
        let mut before = true;
        let mut edges = Vec::new();
        for place in 0..=shape.bits_before_stop() {
            let level = levels >> place & 1 == 1;
            if level != before {
                let at = self.time(frame.start + place * shape.bit_cycles);
                edges.push(Edge { at, pin, level });
                before = level;
            }
        }
        edges.iter().for_each(|edge| self.devices.pins.add_edge_of_line(*edge));
        self.send_on_line(pin, frame.byte, [frame.start, frame.end], &edges);
    }

    fn end_conversion(&mut self, cycle: u64) {
        let Some(selected) = self.devices.adc.ending(cycle) else { return };
        let at = self.time(cycle);
        let outside = &mut self.outside;
        let result = self.part.adc_inputs.convert(selected, |channel| outside.adc_microvolts(at, channel));
        self.devices.adc.end(result);
    }

    /// The ADC's trigger may be another one: only the timer that it belongs to has to be looked at whenever it may be flagged. The
    /// comparator is none here: a run tells so.
    pub(super) fn select_trigger(&mut self, cycle: u64) {
        let trigger = self.devices.adc.trigger();
        if trigger == Some(Trigger::Comparator) {
            self.note_unknown(ADCSRB, true);
        }
        for number in 0..self.devices.timers.len() as u8 {
            let is_watched = matches!(trigger, Some(Trigger::Timer(which, _)) if which == number);
            let timer = &mut self.devices.timers[usize::from(number)];
            timer.advance(cycle);
            timer.watch(is_watched);
            self.refresh(Slot::Timer(number));
        }
        self.trigger_may_have_changed(cycle);
    }

    /// Shows the ADC the level of its trigger.
    #[inline]
    pub(super) fn trigger_may_have_changed(&mut self, cycle: u64) {
        let devices = &mut self.devices;
        let is_triggered = match devices.adc.trigger() {
            None | Some(Trigger::FreeRunning | Trigger::Comparator) => false,
            Some(Trigger::External) => devices.external.flags & 1 != 0,
            Some(Trigger::Timer(number, which)) => devices.timers[usize::from(number)].flagged(which),
        };
        if !devices.power.stops(Module::Adc) && devices.adc.see_trigger(is_triggered, cycle) {
            self.refresh(Slot::Adc);
        }
    }

    fn end_twi(&mut self, cycle: u64) {
        let Some(step) = self.devices.twi.ending(cycle) else { return };
        let at = self.time(cycle);
        let outside = &mut self.outside;
        let (acknowledged, received) = match step {
            Step::Start => (true, 0),
            Step::Address(byte) => (outside.i2c_start(at, PORT, u16::from(byte >> 1), byte & 1 == 1), 0),
            Step::Write(byte) => (outside.i2c_write(at, PORT, byte), 0),
            Step::Read(_) => (true, outside.i2c_read(at, PORT)),
            Step::Stop => {
                outside.i2c_stop(at, PORT);
                (true, 0)
            }
        };
        self.devices.twi.end(acknowledged, received);
    }

    /// Gives the pins of a timer the levels of its outputs.
    pub(crate) fn show_timer(&mut self, number: u8, cycle: u64) {
        let Some(timer) = self.devices.timers.get(usize::from(number)) else { return };
        let (mask, levels) = timer.outputs();
        let outputs = self.part.timers[usize::from(number)].outputs;
        for (output, &pin) in outputs.iter().enumerate() {
            let is_on = mask >> output & 1 == 1;
            let level = if levels >> output & 1 == 1 { bit(pin) } else { 0 };
            self.devices.pins.give(bit(pin), is_on.then_some(level));
        }
        self.pins_may_have_changed(cycle);
    }
}
