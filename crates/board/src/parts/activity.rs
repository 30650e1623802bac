//! What happened on the buses, for a trace: frames that follow each other closely make one burst.

use mcu::SpiFrame;
use units::Picoseconds;

/// Frames with a longer pause between them are two bursts.
const PAUSE_FRAMES: i64 = 4;
/// A burst shows this much of what it carried.
const SHOWN: usize = 16;
/// What is kept between two calls of [`Activity::take`].
const MOST_BURSTS: usize = 1_000_000;

/// A run of frames on one bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Burst {
    /// `SPI0`, `UART1`, `I2C0`.
    pub bus: &'static str,
    /// When the first frame began.
    pub start: Picoseconds,
    /// When the last frame ended.
    pub end: Picoseconds,
    /// How many.
    pub frames: u64,
    /// The first few, as they were sent.
    pub first: Vec<u16>,
}

/// The bursts so far.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    bursts: Vec<Burst>,
    /// The burst of each SPI port that may go on.
    open: [Option<Burst>; 2],
}

impl Activity {
    pub(super) fn spi(&mut self, at: Picoseconds, frame: &SpiFrame) {
        let length = at - frame.start;
        let open = &mut self.open[usize::from(frame.port & 1)];
        match open {
            Some(burst) if (frame.start - burst.end).ps() <= PAUSE_FRAMES * length.ps() => {
                burst.end = at;
                burst.frames += 1;
                if burst.first.len() < SHOWN {
                    burst.first.push(frame.sent);
                }
            }
            _ => {
                let bus = ["SPI0", "SPI1"][usize::from(frame.port & 1)];
                let burst = Burst { bus, start: frame.start, end: at, frames: 1, first: vec![frame.sent] };
                let before = open.replace(burst);
                self.keep(before);
            }
        }
    }

    pub(super) fn uart(&mut self, at: Picoseconds, port: u8, byte: u8) {
        let bus = ["UART0", "UART1"][usize::from(port & 1)];
        self.keep(Some(Burst { bus, start: at, end: at, frames: 1, first: vec![u16::from(byte)] }));
    }

    pub(super) fn i2c(&mut self, at: Picoseconds, port: u8, address: u16, read: bool) {
        let bus = ["I2C0", "I2C1"][usize::from(port & 1)];
        let first = vec![address << 1 | u16::from(read)];
        self.keep(Some(Burst { bus, start: at, end: at, frames: 1, first }));
    }

    /// The bursts since the last call; one that may go on is cut here.
    pub(super) fn take(&mut self) -> Vec<Burst> {
        for port in 0..self.open.len() {
            let open = self.open[port].take();
            self.keep(open);
        }
        std::mem::take(&mut self.bursts)
    }

    fn keep(&mut self, burst: Option<Burst>) {
        if self.bursts.len() < MOST_BURSTS {
            self.bursts.extend(burst);
        }
    }
}
