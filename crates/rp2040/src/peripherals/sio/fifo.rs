//! The two mailboxes between the cores (RP2040 datasheet 2.3.1.4): eight words each way, and each core's status.

use crate::io::Io;
use crate::lines::Irq;

const DEPTH: usize = 8;
const ST_VLD: u32 = 1 << 0;
const ST_RDY: u32 = 1 << 1;
const ST_WOF: u32 = 1 << 2;
const ST_ROE: u32 = 1 << 3;

#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Fifo {
    words: [u32; DEPTH],
    first: usize,
    count: usize,
}

impl Fifo {
    fn push(&mut self, word: u32) -> bool {
        let room = self.count < DEPTH;
        if room {
            self.words[(self.first + self.count) % DEPTH] = word;
            self.count += 1;
        }
        room
    }

    /// The word that is next, or stale ones when empty.
    fn front(&self) -> u32 {
        self.words[self.first]
    }

    fn pop(&mut self) -> bool {
        let held = self.count > 0;
        if held {
            self.first = (self.first + 1) % DEPTH;
            self.count -= 1;
        }
        held
    }
}

/// Both mailboxes, each named by the core that reads it.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Mailboxes {
    to: [Fifo; 2],
    write_overflow: [bool; 2],
    read_underflow: [bool; 2],
}

impl Mailboxes {
    /// FIFO_ST of a core.
    pub(super) fn status(&self, core: usize) -> u32 {
        (u32::from(self.to[core].count > 0) * ST_VLD)
            | (u32::from(self.to[1 - core].count < DEPTH) * ST_RDY)
            | (u32::from(self.write_overflow[core]) * ST_WOF)
            | (u32::from(self.read_underflow[core]) * ST_ROE)
    }

    /// A write to FIFO_ST clears both sticky flags, whichever of the two bits it sets: drivers write any value.
    pub(super) fn clear(&mut self, core: usize, io: &mut Io) {
        self.write_overflow[core] = false;
        self.read_underflow[core] = false;
        self.update_irq(core, io);
    }

    pub(super) fn write(&mut self, core: usize, word: u32, io: &mut Io) {
        if self.to[1 - core].push(word) {
            self.update_irq(1 - core, io);
        } else {
            self.write_overflow[core] = true;
            self.update_irq(core, io);
        }
    }

    pub(super) fn peek(&self, core: usize) -> u32 {
        self.to[core].front()
    }

    pub(super) fn read(&mut self, core: usize, io: &mut Io) -> u32 {
        let word = self.to[core].front();
        if !self.to[core].pop() {
            self.read_underflow[core] = true;
        }
        self.update_irq(core, io);
        word
    }

    fn update_irq(&self, core: usize, io: &mut Io) {
        let irq = if core == 0 { Irq::SIO_PROC0 } else { Irq::SIO_PROC1 };
        io.lines.set_irq(irq, self.status(core) & (ST_VLD | ST_WOF | ST_ROE) != 0);
    }
}
