//! What stands around the chip: whatever is wired to its pins. The chip tells it what happens, it answers with
//! reactions for the chip. Buses are spoken in frames, because most devices care for bytes and not for bits; pins in
//! levels.

use std::any::Any;
use std::fmt::Debug;

use units::Picoseconds;

use crate::foretold::Foretold;
use crate::level_row::LevelRow;
use crate::level_words::LevelWords;
use crate::pulses::{Answer, ClockPulses, ClockWords, Patience};
use crate::usb::UsbPacket;

/// First address of the window that is the board's ([`Outside::memory_read`]).
pub const BOARD_WINDOW: u32 = 0x6000_0000;

/// One frame on an SPI bus, when its last bit is on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpiFrame {
    /// SPI0 or SPI1.
    pub port: u8,
    /// Bits in the frame, 4 to 16.
    pub bits: u8,
    /// What the controller sent (MOSI).
    pub sent: u16,
    /// SCK of this frame.
    pub clock_hz: u64,
    /// SPO and SPH: bit 1 and bit 0 of the SPI mode.
    pub mode: u8,
    /// When the first bit began.
    pub start: Picoseconds,
}

/// What the controller receives in frames that nobody hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpiAnswer {
    /// MISO stays low.
    Low,
    /// MISO is wired to MOSI.
    Sent,
}

impl SpiAnswer {
    /// In a frame in which this was sent.
    #[inline]
    pub fn to(self, sent: u16) -> u16 {
        match self {
            Self::Low => 0,
            Self::Sent => sent,
        }
    }
}

/// What the surroundings do to the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Reaction {
    /// Drives a pin from outside, or lets go of it.
    Pin {
        /// GPIO number.
        pin: u8,
        /// The level, or nothing to let go.
        level: Option<bool>,
    },
    /// Drives a pin from outside through a resistor, or lets go of it: whatever the chip drives wins.
    Pull {
        /// GPIO number.
        pin: u8,
        /// The level, or nothing to let go.
        level: Option<bool>,
    },
    /// A byte arrives at a UART's receive pin; its stop bit ends now.
    UartByte {
        /// UART0 or UART1.
        port: u8,
        /// The byte.
        byte: u8,
    },
    /// Frames wait for the network that the chip offers on USB: [`Outside::take_usb_frame`] has them.
    UsbFrames,
    /// [`Outside::next_event`] is another than it was; not needed from [`Outside::advance`] and [`Outside::pins_changed`],
    /// after which it is asked anyway.
    Rescheduled,
}

/// The surroundings of a chip. Every method has the answer of an unconnected pin as its default.
/// Whoever connected one finds it again by its type.
pub trait Outside: Any + Debug + Send {
    /// Pins changed their level: `changed` and `levels` have a bit for each GPIO.
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        let _ = (at, changed, levels, reactions);
    }

    /// Pins of [`Patience::heard`] changed their levels in a row, where nothing is moved in answer.
    fn pins_changed_in_row(&mut self, row: &LevelRow<'_>, reactions: &mut Vec<Reaction>) {
        for (at, changed, levels) in row.changes() {
            self.pins_changed(at, changed, levels, reactions);
        }
    }

    /// The same of levels that come evenly, as bits of words.
    fn levels_in_words(&mut self, words: &LevelWords<'_>, reactions: &mut Vec<Reaction>) {
        words.in_row(|row| self.pins_changed_in_row(row, reactions));
    }

    /// The pins of which [`Outside::pins_changed`] has to be told, a bit each. Changes of others may be told late, several of
    /// them as one, or together with the next that matters.
    fn listens_to(&self) -> u32 {
        u32::MAX
    }

    /// Those of them that may be told late, and pulses in a row as one thing ([`Outside::pulses`]).
    fn patience(&self) -> Patience {
        Patience::default()
    }

    /// A pin of [`Patience::heard`] pulses in a row; the answer says what follows on that. Of pulses that are not taken every edge
    /// is told.
    fn pulses(&mut self, pulses: &ClockPulses<'_>, reactions: &mut Vec<Reaction>) -> Answer {
        let _ = (pulses, reactions);
        Answer::default()
    }

    /// The same of several words of pulses, as many as it takes, which it gives; `answers` gets the levels that are said in each of
    /// these. It takes none of which follows more than that. Of others [`Outside::pulses`] is told.
    fn words(&mut self, words: &ClockWords<'_>, answers: &mut [u32], reactions: &mut Vec<Reaction>) -> usize {
        let _ = (words, answers, reactions);
        0
    }

    /// A pin gives a clock from here on, by its first rising edge and its frequency, or gives none any more. Its edges are not
    /// told: whoever needs them knows them now.
    fn clock_output(&mut self, pin: u8, clock: Option<(Picoseconds, u64)>, reactions: &mut Vec<Reaction>) {
        let _ = (pin, clock, reactions);
    }

    /// A frame went over an SPI bus; the answer is what the controller received (MISO).
    fn spi_frame(&mut self, at: Picoseconds, frame: SpiFrame, reactions: &mut Vec<Reaction>) -> u16 {
        let _ = (at, frame, reactions);
        0
    }

    /// What comes back in the frames of an SPI bus, if nothing else comes of any of them: nobody need be told of each, but
    /// [`Outside::spi_frames_passed`] of all. Nothing where somebody listens.
    fn unheard_spi(&self, port: u8) -> Option<SpiAnswer> {
        let _ = port;
        None
    }

    /// So many frames went over an SPI bus that nobody hears, at this rate of SCK.
    fn spi_frames_passed(&mut self, port: u8, frames: u64, clock_hz: u64) {
        let _ = (port, frames, clock_hz);
    }

    /// A UART sent a byte; its stop bit ends now.
    fn uart_byte(&mut self, at: Picoseconds, port: u8, byte: u8, reactions: &mut Vec<Reaction>) {
        let _ = (at, port, byte, reactions);
    }

    /// The PC's driver of a network that the chip offers on USB begins to carry frames in both directions, or ends.
    fn usb_network(&mut self, at: Picoseconds, has_link: bool, reactions: &mut Vec<Reaction>) {
        let _ = (at, has_link, reactions);
    }

    /// A packet with a piece of a frame of that network passed.
    fn usb_packet(&mut self, packet: UsbPacket) {
        let _ = packet;
    }

    /// The PC has an Ethernet frame from that network.
    fn usb_frame(&mut self, at: Picoseconds, frame: &[u8], reactions: &mut Vec<Reaction>) {
        let _ = (at, frame, reactions);
    }

    /// The next frame that the PC sends into that network.
    fn take_usb_frame(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// (Repeated) start and address on an I2C bus; true acknowledges.
    fn i2c_start(&mut self, at: Picoseconds, port: u8, address: u16, read: bool) -> bool {
        let _ = (at, port, address, read);
        false
    }

    /// A byte from the controller on an I2C bus; true acknowledges.
    fn i2c_write(&mut self, at: Picoseconds, port: u8, byte: u8) -> bool {
        let _ = (at, port, byte);
        false
    }

    /// A byte from the addressed device on an I2C bus.
    fn i2c_read(&mut self, at: Picoseconds, port: u8) -> u8 {
        let _ = (at, port);
        0xff
    }

    /// A stop on an I2C bus.
    fn i2c_stop(&mut self, at: Picoseconds, port: u8) {
        let _ = (at, port);
    }

    /// A core, or the DMA, reads 1, 2 or 4 bytes, which do not cross a word, in the window that is the board's: 0x60000000 to
    /// 0x6fffffff, where the RP2040 has nothing (datasheet 2.2). Nothing faults, as it does where no board has anything.
    ///
    /// No RP2040 has this window: it stands for a memory-mapped device as other microcontrollers have it on their buses, and an
    /// access to it takes what one to SRAM takes, which is the least that a bus can take.
    fn memory_read(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        reactions: &mut Vec<Reaction>,
    ) -> Option<u32> {
        let _ = (at, address, bytes, reactions);
        None
    }

    /// The same for a write; false faults.
    fn memory_write(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        value: u32,
        reactions: &mut Vec<Reaction>,
    ) -> bool {
        let _ = (at, address, bytes, value, reactions);
        false
    }

    /// What a debugger sees in that window: a read without effects.
    fn memory_peek(&self, address: u32, bytes: u8) -> Option<u32> {
        let _ = (address, bytes);
        None
    }

    /// The voltage at an ADC input (0 to 3 are GPIO 26 to 29; 4 is the temperature sensor) in microvolts; nothing
    /// where the board leaves it open.
    fn adc_microvolts(&mut self, at: Picoseconds, channel: u8) -> Option<i32> {
        let _ = (at, channel);
        None
    }

    /// Levels that they will drive at pins, from a time on that is still to come and whatever happens meanwhile. Whoever takes them
    /// carries them out: out there it is as if they were driven. Where nobody takes them, [`Outside::advance`] drives them.
    fn take_foretold(&mut self) -> Option<Foretold> {
        None
    }

    /// When something happens out there of its own accord.
    fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    /// Lets everything happen out there that is due up to and including `at`.
    fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        let _ = (at, reactions);
    }

    /// A copy in the same state, for a snapshot; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn Outside>>;
}

/// Nothing at all is connected.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unconnected;

impl Outside for Unconnected {
    fn listens_to(&self) -> u32 {
        0
    }

    fn unheard_spi(&self, _: u8) -> Option<SpiAnswer> {
        Some(SpiAnswer::Low)
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(*self))
    }
}
