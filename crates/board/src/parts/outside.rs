//! The parts as the chip meets them: whatever it does at its pins and on its buses goes to those that are there.

use lan::{Deed, DeedKind, Lan, UsbNetwork};
use mcu::{
    Answer, ClockPulses, ClockWords, Foretold, LevelRow, LevelWords, Outside, Patience, SpiAnswer, UsbPacket,
};
use sim::Passive;
use units::Picoseconds;

use super::{Around, Part, Parts, Reaction, SpiFrame};

impl Parts {
    /// The part that hears a clock is told of its pulses.
    fn clocked<T: Default>(
        &mut self,
        clock: u8,
        levels: u32,
        reactions: &mut Vec<Reaction>,
        tell: impl FnOnce(&mut dyn Part, &mut Around<'_>) -> T,
    ) -> T {
        let Self { parts, lan, buses, .. } = self;
        let heard = |(pins, _): &&(u32, usize)| pins >> clock & 1 == 1;
        let Some(&(_, part)) = buses.listeners.iter().find(heard) else { return T::default() };
        buses.levels = levels;
        let mut around = Around { levels, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        let answer = tell(&mut *parts[part], &mut around);
        buses.follow(lan.as_ref(), parts[part].patience().moved, reactions);
        answer
    }
}

impl Outside for Parts {
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        self.buses.levels = levels;
        let mut all_wires = std::mem::take(&mut self.buses.i2c_wires);
        for wires in &mut all_wires {
            wires.changed(at, changed, levels, self, reactions);
        }
        let Self { parts, lan, buses, .. } = self;
        buses.i2c_wires = all_wires;
        let mut around = Around { levels, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        for &(_, part) in buses.listeners.iter().filter(|(mask, _)| mask & changed != 0) {
            parts[part].pins_changed(at, changed, &mut around);
        }
        buses.tell(lan.as_ref(), reactions);
    }

    fn pins_changed_in_row(&mut self, row: &LevelRow<'_>, reactions: &mut Vec<Reaction>) {
        let Self { parts, lan, buses, .. } = self;
        buses.levels = row.last();
        let changed = row.changed();
        let mut around =
            Around { levels: row.before, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        for &(_, part) in buses.listeners.iter().filter(|(mask, _)| mask & changed != 0) {
            parts[part].pins_changed_in_row(row, &mut around);
        }
        buses.tell(lan.as_ref(), reactions);
    }

    fn levels_in_words(&mut self, words: &LevelWords<'_>, reactions: &mut Vec<Reaction>) {
        let Self { parts, lan, buses, .. } = self;
        buses.levels = words.last();
        let mut around =
            Around { levels: words.before, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        for &(_, part) in buses.listeners.iter().filter(|(mask, _)| mask & words.mask() != 0) {
            parts[part].levels_in_words(words, &mut around);
        }
        buses.tell(lan.as_ref(), reactions);
    }

    fn listens_to(&self) -> u32 {
        let parts = self.buses.listeners.iter().map(|(pins, _)| pins);
        parts.fold(self.buses.i2c_wires.iter().fold(0, |pins, wires| pins | wires.pins()), |all, pins| {
            all | pins
        })
    }

    fn patience(&self) -> Patience {
        let wires = self.buses.i2c_wires.iter().fold(0, |pins, wires| pins | wires.pins());
        // What one device sends may raise another's interrupt at once.
        let strong = self.buses.interrupts.iter().filter(|interrupt| !interrupt.is_weak);
        let interrupts = strong.fold(0, |pins, interrupt| pins | 1 << interrupt.pin);
        let mut patience = Patience::default();
        for &(pins, part) in &self.buses.listeners {
            let others = self.buses.listeners.iter().filter(|&&(_, other)| other != part);
            let others = others.fold(wires, |all, (pins, _)| all | pins);
            let own = self.parts[part].patience();
            if own.heard != 0 && own.heard & pins & !others == own.heard {
                patience.heard |= own.heard;
                patience.moved |= own.moved | interrupts;
            }
        }
        patience
    }

    fn pulses(&mut self, pulses: &ClockPulses<'_>, reactions: &mut Vec<Reaction>) -> Answer {
        self.clocked(pulses.clock, pulses.levels, reactions, |part, around| part.pulses(pulses, around))
    }

    fn words(&mut self, words: &ClockWords<'_>, answers: &mut [u32], reactions: &mut Vec<Reaction>) -> usize {
        self.clocked(words.clock, words.levels, reactions, |part, around| part.words(words, answers, around))
    }

    fn clock_output(&mut self, pin: u8, clock: Option<(Picoseconds, u64)>, reactions: &mut Vec<Reaction>) {
        let Self { parts, lan, buses, .. } = self;
        let mut around =
            Around { levels: buses.levels, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        for part in parts {
            part.clock_output(pin, clock, &mut around);
        }
        buses.tell(lan.as_ref(), reactions);
    }

    fn spi_frame(&mut self, at: Picoseconds, frame: SpiFrame, reactions: &mut Vec<Reaction>) -> u16 {
        let Self { parts, lan, buses, .. } = self;
        let port = usize::from(frame.port & 1);
        buses.passed[port].spi_frames += 1;
        buses.passed[port].spi_clock_hz = frame.clock_hz;
        if let Some(activity) = &mut buses.activity {
            activity.spi(at, &frame);
        }
        let mut around =
            Around { levels: buses.levels, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        let mut answer = None;
        for &part in &buses.spi[port].parts {
            let theirs = parts[part].spi_frame(at, &frame, &mut around);
            answer = answer.or(theirs);
        }
        buses.tell(lan.as_ref(), reactions);
        match answer {
            Some(answer) => answer,
            None if buses.routes.spi_loops(frame.port) => frame.sent,
            None => 0,
        }
    }

    fn unheard_spi(&self, port: u8) -> Option<SpiAnswer> {
        let Self { lan, buses, .. } = self;
        let is_heard =
            lan.is_some() || buses.activity.is_some() || !buses.spi[usize::from(port & 1)].parts.is_empty();
        let loops = buses.routes.spi_loops(port);
        (!is_heard).then_some(if loops { SpiAnswer::Sent } else { SpiAnswer::Low })
    }

    fn spi_frames_passed(&mut self, port: u8, frames: u64, clock_hz: u64) {
        let passed = &mut self.buses.passed[usize::from(port & 1)];
        (passed.spi_frames, passed.spi_clock_hz) = (passed.spi_frames + frames, clock_hz);
    }

    fn uart_byte(&mut self, at: Picoseconds, port: u8, byte: u8, reactions: &mut Vec<Reaction>) {
        self.buses.passed[usize::from(port & 1)].uart_bytes += 1;
        if let Some(activity) = &mut self.buses.activity {
            activity.uart(at, port, byte);
        }
        let heard = self.buses.routes.uarts_behind(port);
        reactions.extend(heard.map(|port| Reaction::UartByte { port, byte }));
    }

    fn usb_network(&mut self, at: Picoseconds, has_link: bool, reactions: &mut Vec<Reaction>) {
        if let (Some(lan), Some(device)) = (&mut self.lan, self.buses.usb_network) {
            lan.set_usb_link(at, device, has_link);
        }
        self.buses.tell(self.lan.as_ref(), reactions);
    }

    fn usb_packet(&mut self, packet: UsbPacket) {
        let UsbPacket { start, end, from_chip: from_board, bytes } = packet;
        if let (Some(lan), Some(device)) = (&mut self.lan, self.buses.usb_network) {
            let deed = Deed { kind: DeedKind::OverUsb { from_board }, start, end, bytes };
            lan.with_device(device, |device| device.packet_passed(deed));
        }
    }

    fn usb_frame(&mut self, at: Picoseconds, frame: &[u8], reactions: &mut Vec<Reaction>) {
        if let (Some(lan), Some(device)) = (&mut self.lan, self.buses.usb_network) {
            lan.advance(at);
            lan.with_device(device, |device| device.came(at, frame));
        }
        self.buses.tell(self.lan.as_ref(), reactions);
    }

    fn take_usb_frame(&mut self) -> Option<Vec<u8>> {
        let device = self.buses.usb_network?;
        self.lan.as_mut()?.with_device(device, UsbNetwork::take_frame)?
    }

    fn i2c_start(&mut self, at: Picoseconds, port: u8, address: u16, read: bool) -> bool {
        let Self { parts, buses, .. } = self;
        buses.passed[usize::from(port & 1)].i2c_bytes += 1;
        if let Some(activity) = &mut buses.activity {
            activity.i2c(at, port, address, read);
        }
        let bus = &mut buses.i2c[usize::from(port & 1)];
        let meant = bus.parts.iter().copied().find(|&part| parts[part].i2c_start(at, address, read));
        if let Some(before) = bus.meant.filter(|&before| Some(before) != meant) {
            parts[before].i2c_stop(at);
        }
        bus.meant = meant;
        meant.is_some()
    }

    fn i2c_write(&mut self, at: Picoseconds, port: u8, byte: u8) -> bool {
        self.buses.passed[usize::from(port & 1)].i2c_bytes += 1;
        let meant = self.buses.i2c[usize::from(port & 1)].meant;
        meant.is_some_and(|meant| self.parts[meant].i2c_write(at, byte))
    }

    fn i2c_read(&mut self, at: Picoseconds, port: u8) -> u8 {
        self.buses.passed[usize::from(port & 1)].i2c_bytes += 1;
        let meant = self.buses.i2c[usize::from(port & 1)].meant;
        meant.map_or(0xff, |meant| self.parts[meant].i2c_read(at))
    }

    fn i2c_stop(&mut self, at: Picoseconds, port: u8) {
        if let Some(meant) = self.buses.i2c[usize::from(port & 1)].meant.take() {
            self.parts[meant].i2c_stop(at);
        }
    }

    fn memory_read(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        _: &mut Vec<Reaction>,
    ) -> Option<u32> {
        let (part, offset) = self.buses.window(address)?;
        if let Some(lan) = &mut self.lan {
            lan.advance(at);
        }
        self.parts[part].memory_read(at, offset, bytes, self.lan.as_ref())
    }

    fn memory_write(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        value: u32,
        reactions: &mut Vec<Reaction>,
    ) -> bool {
        let Self { parts, lan, buses, .. } = self;
        let Some((part, offset)) = buses.window(address) else { return false };
        let part = &mut parts[part];
        let mut around =
            Around { levels: buses.levels, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        let written = part.memory_write(at, offset, (bytes, value), &mut around);
        if part.is_register(offset) {
            buses.tell(lan.as_ref(), reactions);
        }
        written
    }

    fn memory_peek(&self, address: u32, bytes: u8) -> Option<u32> {
        let (part, offset) = self.buses.window(address)?;
        let now = self.lan.as_ref().map_or(Picoseconds::ZERO, Lan::now);
        self.parts[part].memory_read(now, offset, bytes, self.lan.as_ref())
    }

    fn adc_microvolts(&mut self, _: Picoseconds, channel: u8) -> Option<i32> {
        self.buses.microvolts.get(usize::from(channel)).copied().flatten()
    }

    fn take_foretold(&mut self) -> Option<Foretold> {
        let Self { parts, buses, .. } = self;
        buses.timed.iter().find_map(|&part| parts[part].take_foretold())
    }

    fn next_event(&self) -> Option<Picoseconds> {
        let network = self.lan.as_ref().and_then(Lan::next_event);
        let timed = self.buses.timed.iter().filter_map(|&part| self.parts[part].next_event());
        timed.chain(network).chain(self.arrivals.next_event()).min()
    }

    fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        let Self { parts, lan, buses, arrivals } = self;
        arrivals.advance(at, reactions);
        let mut around =
            Around { levels: buses.levels, lan: lan.as_mut(), outputs: &mut buses.outputs, reactions };
        for &part in &buses.timed {
            parts[part].advance(at, &mut around);
        }
        around.advance(at);
        buses.tell(lan.as_ref(), reactions);
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        let lan = match &self.lan {
            Some(lan) => Some(lan.snapshot()?),
            None => None,
        };
        let parts = self.parts.iter().map(|part| part.snapshot()).collect::<Option<_>>()?;
        let arrivals = self.arrivals.clone();
        Some(Box::new(Self { parts, lan, buses: self.buses.clone(), arrivals }))
    }
}
