//! The chip as its surroundings see it: SPI, two pins, a cable. SPI bytes are decoded here and become reads and writes of
//! the core's registers and memories, at the instant at which the byte before the answer ended.

use sim::Passive;
use units::Picoseconds;

use crate::core::{Core, WarningKind};
use crate::record::Record;
use crate::spi::{Ahead, Burst, Decoder, Step};
use crate::types::Dropped;
use crate::{Access, LinkPartner, Model, Options, Sent, Warning};

/// A chip.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Chip {
    core: Core,
    decoder: Decoder,
    selected: bool,
    /// What stands on MISO for the next byte.
    answer: u8,
    record: Record,
    /// The clock that was judged last.
    clock_hz: u64,
}

impl Passive for Chip {
    #[inline]
    fn next_event(&self) -> Option<Picoseconds> {
        self.core.next_event()
    }

    fn advance(&mut self, at: Picoseconds) {
        self.core.advance(at);
    }
}

impl Chip {
    /// A chip that is powered up at time zero, without a cable.
    pub fn new(options: Options) -> Self {
        let model = options.model;
        Self {
            core: Core::new(options),
            decoder: Decoder::new(model),
            selected: false,
            answer: 0,
            record: Record::new(model.facts()),
            clock_hz: 0,
        }
    }

    /// Which chip it is.
    pub fn model(&self) -> Model {
        self.core.model()
    }

    /// Its chip select went low (true) or high.
    pub fn select(&mut self, at: Picoseconds, selected: bool) {
        self.core.advance(at);
        if selected != self.selected {
            self.selected = selected;
            self.record.end_frame(self.core.facts());
            self.decoder.select(selected);
            self.sample();
        }
    }

    /// A byte went over SPI: its last bit is on the wire at `at`. The answer was decided when the byte before ended, as
    /// on the chip, whose first bit stands on MISO before the clock begins.
    pub fn spi_byte(&mut self, at: Picoseconds, sent: u8, clock_hz: u64) -> u8 {
        self.core.advance(at);
        if !self.selected {
            return 0;
        }
        self.judge(clock_hz);
        if self.record.is_on() {
            self.record.byte_begins(at - byte_time(clock_hz, 1));
        }
        self.byte_ended(sent)
    }

    /// The answer to the next byte, whose first bit stands on MISO.
    pub fn next_answer(&self) -> u8 {
        self.answer
    }

    /// Whether the next byte does nothing that shows elsewhere than in answers on MISO: a header, a read, or a write to a buffer.
    pub fn next_byte_stays_inside(&self) -> bool {
        match self.decoder.burst() {
            Some(Burst { write: true, block, address, .. }) => {
                self.core.is_ready() && self.core.run_at(self.core.map().place(block, address)).is_some()
            }
            _ => true,
        }
    }

    /// How many of the next bytes do no more than to move to a memory of a socket or from one, as long as nothing happens in the chip of
    /// its own accord; none where accesses are kept, with their times.
    pub fn bytes_inside(&self) -> usize {
        let Some(burst) = self.decoder.burst() else { return 0 };
        if !self.selected || self.record.is_on() {
            return 0;
        }
        self.run_of(&burst).map_or(0, |(_, _, bytes)| bytes)
    }

    /// Takes so many of them in place, of which the last one ends at `end`: what was sent goes in, what was received comes out.
    pub fn pass_inside(&mut self, end: Picoseconds, bytes: &mut [u8], clock_hz: u64) {
        let Some(burst) = self.decoder.burst() else { return };
        let Some((side, index, _)) = self.run_of(&burst) else { return };
        self.core.advance(end);
        self.judge(clock_hz);
        self.move_bytes(&burst, side, index, bytes);
    }

    /// The address in SIPR: what the chip takes for its own; nothing while it has none.
    pub fn address(&self) -> Option<std::net::Ipv4Addr> {
        Some(self.core.own_address()).filter(|address| *address != [0; 4]).map(Into::into)
    }

    /// Whether it hands frames to a driver with a stack of its own (MACRAW).
    pub fn is_network_card(&self) -> bool {
        self.core.is_network_card()
    }

    /// Whether it is that and nothing else: no other socket is open, so that SIPR need not be the address of the board.
    pub fn is_network_card_alone(&self) -> bool {
        self.core.is_network_card_alone()
    }

    /// Bytes back to back, the first of which begins at `start`, in place: what was sent goes in, what was received comes
    /// out. The same as that many [`Self::spi_byte`], except that nothing else may happen in between.
    pub fn spi_burst(&mut self, start: Picoseconds, bytes: &mut [u8], clock_hz: u64) {
        self.core.advance(start);
        if !self.selected {
            self.core.advance(start + byte_time(clock_hz, bytes.len()));
            bytes.fill(0);
            return;
        }
        self.judge(clock_hz);
        let mut done = 0;
        while done < bytes.len() {
            if self.record.is_on() {
                self.record.byte_begins(start + byte_time(clock_hz, done));
            }
            let moved = self.move_piece(start, done, bytes, clock_hz);
            done += moved;
            if moved == 0 {
                self.core.advance(start + byte_time(clock_hz, done + 1));
                bytes[done] = self.byte_ended(bytes[done]);
                done += 1;
            }
        }
    }

    /// The level of its reset input.
    pub fn set_reset(&mut self, at: Picoseconds, high: bool) {
        self.core.set_reset(at, high);
    }

    /// The level of its interrupt output: low while an interrupt stands.
    pub fn interrupt_is_low(&self) -> bool {
        self.core.interrupt_is_low()
    }

    /// A cable is plugged in, or pulled.
    pub fn set_cable(&mut self, at: Picoseconds, partner: Option<LinkPartner>) {
        self.core.set_cable(at, partner);
    }

    /// Whether there is a link, and how fast.
    pub fn link(&self) -> Option<LinkPartner> {
        self.core.link()
    }

    /// How long it was in each state that its supply feels, up to a time: the conditions that datasheets have currents of.
    pub fn supply_states(&self, at: Picoseconds) -> [(&'static str, Picoseconds); 6] {
        let (phy, [sent_10, sent_100]) = self.core.supply_times(at);
        let rest = |link: Picoseconds, sent| (link - sent).max(Picoseconds::ZERO);
        [
            ("power down", phy.power_down),
            ("no link", phy.no_link),
            ("10 Mbit/s link", rest(phy.link_10, sent_10)),
            ("10 Mbit/s transmitting", sent_10),
            ("100 Mbit/s link", rest(phy.link_100, sent_100)),
            ("100 Mbit/s transmitting", sent_100),
        ]
    }

    /// A whole frame arrived: its last bit is in at `at`. Frames with a wrong check sequence are told apart, as the MAC
    /// counts and drops them.
    pub fn receive(&mut self, at: Picoseconds, bytes: &[u8], check_sequence_is_right: bool) {
        self.core.receive(at, bytes, check_sequence_is_right);
    }

    /// When something happens in the chip of its own accord.
    pub fn next_event(&self) -> Option<Picoseconds> {
        self.core.next_event()
    }

    /// Lets everything happen that is due up to and including `at`.
    pub fn advance(&mut self, at: Picoseconds) {
        self.core.advance(at);
    }

    /// The next frame for the wire; its start may lie ahead of the present, never behind what was handed out before.
    pub fn take_sent(&mut self) -> Option<Sent> {
        self.core.take_sent()
    }

    /// Keeps accesses from here on, or no more.
    pub fn record(&mut self, on: bool) {
        self.record.switch(on);
    }

    /// The accesses since the last call.
    pub fn take_accesses(&mut self) -> Vec<Access> {
        if self.record.lost > 0 {
            let lost = self.record.lost;
            self.core.warnings.tell(self.core.now(), WarningKind::AccessesLost, || {
                format!("{lost} SPI accesses were not kept, as nobody took those before them")
            });
        }
        self.record.take()
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        self.core.warnings.take()
    }

    /// What the chip threw away; what TCP did not take counts from the last reset.
    pub fn dropped(&self) -> Dropped {
        self.core.dropped()
    }

    /// A byte has ended, now: what it does, and the answer that was on MISO meanwhile.
    fn byte_ended(&mut self, sent: u8) -> u8 {
        let answer = self.answer;
        let header_may_follow = self.decoder.burst().is_some();
        match self.decoder.byte(sent) {
            Step::Write { block, address } => {
                self.record.data(true, block, address, &[sent], self.core.now());
                if self.core.answers() {
                    let place = self.core.map().place(block, address);
                    self.core.write(place, sent);
                }
            }
            Step::Read { block, address } => {
                self.record.data(false, block, address, &[answer], self.core.now());
            }
            Step::Header | Step::Begin(_) | Step::Ignored => {}
        }
        if header_may_follow && self.decoder.burst().is_none() {
            self.record.end_frame(self.core.facts());
        }
        self.sample();
        answer
    }

    /// Decides the answer for the next byte.
    fn sample(&mut self) {
        self.answer = match self.decoder.ahead() {
            Ahead::Filler(filler) if self.core.is_ready() => filler,
            Ahead::Read { block, address } if self.core.answers() => {
                self.core.read(self.core.map().place(block, address))
            }
            _ => 0,
        };
    }

    /// Data bytes of a memory in one go, as many as fit before something happens, wraps or ends; none where bytes have to go
    /// one by one.
    fn move_piece(&mut self, start: Picoseconds, done: usize, bytes: &mut [u8], clock_hz: u64) -> usize {
        const WORTHWHILE_BYTES: usize = 8;
        let Some(burst) = self.decoder.burst() else { return 0 };
        if bytes.len() - done < WORTHWHILE_BYTES {
            return 0;
        }
        let Some((side, index, run)) = self.run_of(&burst) else { return 0 };
        let most = run.min(bytes.len() - done);
        let count = self.undisturbed(start, done, most, clock_hz);
        if count == 0 {
            return 0;
        }
        self.core.advance(start + byte_time(clock_hz, done + count));
        self.move_bytes(&burst, side, index, &mut bytes[done..done + count]);
        count
    }

    /// Where a burst is in a memory, and how many of its bytes follow there without a break.
    fn run_of(&self, burst: &Burst) -> Option<(crate::map::Side, usize, usize)> {
        let place = self.core.map().place(burst.block, burst.address);
        let (side, index, run) = self.core.run_at(place).filter(|_| self.core.is_ready())?;
        Some((side, index, run.min(burst.left.map_or(usize::MAX, |left| left as usize))))
    }

    fn move_bytes(&mut self, burst: &Burst, side: crate::map::Side, index: usize, bytes: &mut [u8]) {
        let memory = index..index + bytes.len();
        let end = self.core.now();
        if burst.write {
            self.core.memory_mut(side)[memory].copy_from_slice(bytes);
            self.record.data(true, burst.block, burst.address, bytes, end);
            bytes.fill(self.answer);
        } else {
            bytes.copy_from_slice(&self.core.memory(side)[memory]);
            bytes[0] = self.answer;
            self.record.data(false, burst.block, burst.address, bytes, end);
        }
        self.decoder.skip(bytes.len() as u32);
        if self.decoder.burst().is_none() {
            self.record.end_frame(self.core.facts());
        }
        self.sample();
    }

    /// How many of `most` bytes after the first `done` end before anything happens in the chip.
    fn undisturbed(&self, start: Picoseconds, done: usize, most: usize, clock_hz: u64) -> usize {
        let Some(next) = self.core.next_event() else { return most };
        if start + byte_time(clock_hz, done + most) < next {
            return most;
        }
        let before = (next - start).ps() - 1;
        let whole = i128::from(before) * i128::from(clock_hz.max(1)) / BYTE_BITS_PS;
        usize::try_from(whole).unwrap_or(0).saturating_sub(done).min(most)
    }

    fn judge(&mut self, clock_hz: u64) {
        if clock_hz == self.clock_hz {
            return;
        }
        self.clock_hz = clock_hz;
        let limits = self.model().facts().clock_limits;
        let Some(limit) = limits.iter().find(|limit| clock_hz > limit.above_hz) else { return };
        let kind = match limit.is_absolute {
            true => WarningKind::ClockAboveLimit,
            false => WarningKind::ClockAboveGuaranteed,
        };
        let told = limit.told;
        self.core.warnings.tell(self.core.now(), kind, || format!("SPI runs at {clock_hz} Hz; {told}"));
    }
}

/// Eight bits at one hertz, in picoseconds.
const BYTE_BITS_PS: i128 = 8 * units::PS_PER_S as i128;

/// How long so many bytes last, rounded down to the picosecond.
fn byte_time(clock_hz: u64, bytes: usize) -> Picoseconds {
    let bytes = bytes as u64;
    let hz = clock_hz.max(1);
    match bytes.checked_mul(BYTE_BITS_PS as u64) {
        Some(bits_ps) => Picoseconds::new((bits_ps / hz) as i64),
        None => Picoseconds::new((i128::from(bytes) * BYTE_BITS_PS / i128::from(hz)) as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Place;

    #[test]
    fn places_of_reserved_addresses_are_none() {
        let chip = Chip::new(Options::of(Model::W5500));
        assert!(matches!(chip.core.map().place(0, 0x3A), Place::None));
        assert!(matches!(chip.core.map().place(0b100, 0), Place::None));
    }
}
