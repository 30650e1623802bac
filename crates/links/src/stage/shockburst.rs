//! What Enhanced ShockBurst does around a packet on the air: the receiver's detection, and the acknowledgement with
//! the one retransmission that a lost acknowledgement costs. Packets that are lost themselves are left out: the
//! captures show none.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// The receiver reports a packet some bits after its end, and one bit later still in half of all cases: its bit clock
/// runs freely against the sender's.
#[derive(Debug)]
pub struct Detection {
    delay: Picoseconds,
    bit: Picoseconds,
    spread: Picoseconds,
}

impl Detection {
    /// `delay` after the last bit, or `delay` and one `bit`.
    pub fn new(delay: Picoseconds, bit: Picoseconds) -> Self {
        Self { delay, bit, spread: Picoseconds::ZERO }
    }

    /// The same, up to `spread` later, evenly distributed.
    #[must_use]
    pub fn with_spread(self, spread: Picoseconds) -> Self {
        Self { spread, ..self }
    }

    fn draw(&self, visit: &mut Visit<'_>) -> Picoseconds {
        let bit = if visit.random.below(2) == 0 { self.delay } else { self.delay + self.bit };
        if self.spread > Picoseconds::ZERO { bit + visit.random.time_below(self.spread) } else { bit }
    }

    fn mean(&self) -> Picoseconds {
        Picoseconds::new(self.delay.ps() + self.bit.ps() / 2 + self.spread.ps() / 2)
    }
}

impl Stage for Detection {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("detection in the receiver", Cause::Protocol)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let at = visit.now + self.draw(visit);
        Passage::Leave { part: 0, at }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, self.mean());
    }
}

/// The acknowledgement as the sender sees it.
///
/// The receiving chip has announced the packet by then, so an acknowledgement can be lost while the packet is not. The
/// sender repeats the packet; the chip discards the copy without telling its processor, and this second
/// acknowledgement gets through.
#[derive(Debug)]
pub struct Acknowledgement {
    /// Turnaround and the acknowledgement on the air.
    exchange: Picoseconds,
    detection: Detection,
    /// How much longer an exchange takes whose acknowledgement is lost.
    repeat: Picoseconds,
    /// Of a message's first packet, and of those after it.
    lost: [f64; 2],
    /// Whether the sender may repeat a packet at all.
    repeats: bool,
}

impl Acknowledgement {
    /// An acknowledgement that takes `exchange` and its detection; in a share `lost` of cases, for a message's first packet
    /// and for those after it, it takes `repeat` more, or ends the message where the sender does not repeat.
    pub fn new(
        exchange: Picoseconds,
        detection: Detection,
        repeat: Picoseconds,
        lost: [f64; 2],
        repeats: bool,
    ) -> Self {
        Self { exchange, detection, repeat, lost, repeats }
    }
}

impl Acknowledgement {
    fn lost_of(&self, load: &Load) -> f64 {
        self.lost[usize::from(!load.is_first)]
    }
}

impl Stage for Acknowledgement {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("acknowledgement", Cause::Protocol),
            Part::new("packet sent again after a lost acknowledgement", Cause::Retry),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        if visit.stays > 0 {
            return Passage::Leave { part: 1, at: visit.now + self.repeat };
        }
        let until = visit.now + self.exchange + self.detection.draw(visit);
        match (visit.random.chance(self.lost_of(&visit.load)), self.repeats) {
            (false, _) => Passage::Leave { part: 0, at: until },
            (true, true) => Passage::Stay { part: 0, until },
            (true, false) => Passage::Lost { part: 0, at: until },
        }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, self.exchange + self.detection.mean());
        if self.repeats {
            budget.add_weighted(1, self.repeat, self.lost_of(load));
        }
    }

    fn loss(&self, load: &Load) -> f64 {
        if self.repeats { 0.0 } else { self.lost_of(load) }
    }
}
