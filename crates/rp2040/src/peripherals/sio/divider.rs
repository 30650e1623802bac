//! The hardware divider of one core (RP2040 datasheet 2.3.1.5): a quotient and a remainder eight cycles after an
//! operand is written.

use units::Picoseconds;

use crate::io::Io;

pub(super) const DIV_UDIVIDEND: u32 = 0x60;
pub(super) const DIV_UDIVISOR: u32 = 0x64;
pub(super) const DIV_SDIVIDEND: u32 = 0x68;
pub(super) const DIV_SDIVISOR: u32 = 0x6c;
pub(super) const DIV_QUOTIENT: u32 = 0x70;
pub(super) const DIV_REMAINDER: u32 = 0x74;
pub(super) const DIV_CSR: u32 = 0x78;

const CSR_READY: u32 = 1 << 0;
const CSR_DIRTY: u32 = 1 << 1;
/// RP2040 datasheet 2.3.1.5: a calculation takes eight cycles of clk_sys. They begin as the write ends, and a read ends a
/// cycle after it has looked.
const CYCLES: u64 = 8 + 1;
const PS_PER_S: u64 = 1_000_000_000_000;

/// A quotient and its remainder.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Ratio {
    quotient: u32,
    remainder: u32,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Divider {
    dividend: u32,
    divisor: u32,
    result: Ratio,
    /// What the result registers still show while a calculation is under way; the datasheet leaves that undefined.
    before: Ratio,
    ready_at: Picoseconds,
    dirty: bool,
    /// How long a calculation takes at `sys_hz`.
    duration_ps: i64,
    sys_hz: u64,
}

impl Default for Divider {
    fn default() -> Self {
        Self {
            dividend: 0,
            divisor: 0,
            result: Ratio::default(),
            before: Ratio::default(),
            ready_at: Picoseconds::ZERO,
            dirty: false,
            duration_ps: 0,
            sys_hz: 0,
        }
    }
}

impl Divider {
    #[inline]
    pub(super) fn read(&mut self, offset: u32, io: &Io) -> u32 {
        let value = self.peek(offset, io);
        if offset == DIV_QUOTIENT {
            self.dirty = false;
        }
        value
    }

    #[inline]
    pub(super) fn peek(&self, offset: u32, io: &Io) -> u32 {
        let ready = core_now(io) >= self.ready_at;
        let shown = if ready { self.result } else { self.before };
        match offset {
            DIV_UDIVIDEND | DIV_SDIVIDEND => self.dividend,
            DIV_UDIVISOR | DIV_SDIVISOR => self.divisor,
            DIV_QUOTIENT => shown.quotient,
            DIV_REMAINDER => shown.remainder,
            _ => (u32::from(ready) * CSR_READY) | (u32::from(self.dirty) * CSR_DIRTY),
        }
    }

    #[inline]
    pub(super) fn write(&mut self, offset: u32, value: u32, io: &Io) {
        match offset {
            DIV_UDIVIDEND | DIV_SDIVIDEND => self.dividend = value,
            DIV_UDIVISOR | DIV_SDIVISOR => self.divisor = value,
            DIV_QUOTIENT => return self.restore(io, |shown| shown.quotient = value),
            DIV_REMAINDER => return self.restore(io, |shown| shown.remainder = value),
            _ => return,
        }
        self.start(matches!(offset, DIV_SDIVIDEND | DIV_SDIVISOR), io);
    }

    /// A write to a result register ends the calculation under way (used to restore a saved context).
    fn restore(&mut self, io: &Io, set: impl FnOnce(&mut Ratio)) {
        if core_now(io) < self.ready_at {
            self.result = self.before;
        }
        set(&mut self.result);
        self.ready_at = core_now(io);
        self.dirty = true;
    }

    fn start(&mut self, signed: bool, io: &Io) {
        if io.clocks.sys_hz != self.sys_hz {
            self.sys_hz = io.clocks.sys_hz;
            self.duration_ps = (CYCLES * PS_PER_S / self.sys_hz.max(1)) as i64;
        }
        if core_now(io) >= self.ready_at {
            self.before = self.result;
        }
        self.result = divide(self.dividend, self.divisor, signed);
        self.ready_at = core_now(io) + Picoseconds::new(self.duration_ps);
        self.dirty = true;
    }
}

/// The divider counts the cycles of its own core, and firmware counts on them to the cycle.
fn core_now(io: &Io) -> Picoseconds {
    io.now - io.ahead
}

/// The hardware divides magnitudes and then sets the signs, hence its results for a divisor of zero.
fn divide(dividend: u32, divisor: u32, signed: bool) -> Ratio {
    match (divisor, signed) {
        (0, false) => Ratio { quotient: u32::MAX, remainder: dividend },
        (0, true) => {
            let quotient = if (dividend as i32) < 0 { 1 } else { u32::MAX };
            Ratio { quotient, remainder: dividend }
        }
        (_, false) => Ratio { quotient: dividend / divisor, remainder: dividend % divisor },
        (_, true) => {
            let (p, q) = (dividend as i32, divisor as i32);
            Ratio { quotient: p.wrapping_div(q) as u32, remainder: p.wrapping_rem(q) as u32 }
        }
    }
}
