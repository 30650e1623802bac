//! One interpolator (RP2040 datasheet 2.3.1.6): two accumulators that are shifted, masked, sign-extended and added to
//! bases in one cycle. The first of each core can blend, the second can clamp.

const CTRL_SIGNED: u32 = 1 << 15;
const CTRL_CROSS_INPUT: u32 = 1 << 16;
const CTRL_CROSS_RESULT: u32 = 1 << 17;
const CTRL_ADD_RAW: u32 = 1 << 18;
const CTRL_BLEND: u32 = 1 << 21;
const CTRL_CLAMP: u32 = 1 << 22;
const CTRL_OVERF0: u32 = 1 << 23;
const CTRL_OVERF1: u32 = 1 << 24;
const CTRL_OVERF: u32 = 1 << 25;
/// The fields that both lanes have.
const CTRL_LANE: u32 = 0x001f_ffff;

/// Registers by their place in the block of 16.
const ACCUM0: u32 = 0;
const ACCUM1: u32 = 1;
const BASE0: u32 = 2;
const BASE2: u32 = 4;
const POP_LANE0: u32 = 5;
const POP_FULL: u32 = 7;
const PEEK_LANE0: u32 = 8;
const PEEK_FULL: u32 = 10;
const CTRL_LANE0: u32 = 11;
const CTRL_LANE1: u32 = 12;
const ACCUM0_ADD: u32 = 13;
const ACCUM1_ADD: u32 = 14;
const BASE_1AND0: u32 = 15;

/// What lane 0 can do besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Speciality {
    /// INTERP0.
    Blend,
    /// INTERP1.
    Clamp,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Interpolator {
    speciality: Speciality,
    accum: [u32; 2],
    base: [u32; 3],
    ctrl: [u32; 2],
}

/// What a lane makes of its input before a base is added.
#[derive(Debug, Clone, Copy)]
struct Lane {
    input: u32,
    masked: u32,
    overflow: bool,
}

impl Interpolator {
    pub(super) fn new(speciality: Speciality) -> Self {
        Self { speciality, accum: [0; 2], base: [0; 3], ctrl: [0; 2] }
    }

    /// Reads the register at `index` of the block; a pop also moves the lanes' results into the accumulators.
    pub(super) fn read(&mut self, index: u32) -> u32 {
        if !(POP_LANE0..=POP_FULL).contains(&index) {
            return self.peek(index);
        }
        let results = self.results();
        for lane in 0..2 {
            let crossed = self.ctrl[lane] & CTRL_CROSS_RESULT != 0;
            self.accum[lane] = results[if crossed { 1 - lane } else { lane }];
        }
        self.seen(&results, index - POP_LANE0)
    }

    pub(super) fn peek(&self, index: u32) -> u32 {
        match index {
            ACCUM0 | ACCUM1 => self.accum[index as usize],
            BASE0..=BASE2 => self.base[(index - BASE0) as usize],
            POP_LANE0..=POP_FULL => self.seen(&self.results(), index - POP_LANE0),
            PEEK_LANE0..=PEEK_FULL => self.seen(&self.results(), index - PEEK_LANE0),
            CTRL_LANE0 => self.ctrl[0] | self.overflows(),
            CTRL_LANE1 => self.ctrl[1],
            ACCUM0_ADD | ACCUM1_ADD => self.lane((index - ACCUM0_ADD) as usize).masked,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, index: u32, value: u32) {
        match index {
            ACCUM0 | ACCUM1 => self.accum[index as usize] = value,
            BASE0..=BASE2 => self.base[(index - BASE0) as usize] = value,
            CTRL_LANE0 => {
                let special = if self.speciality == Speciality::Blend { CTRL_BLEND } else { CTRL_CLAMP };
                self.ctrl[0] = value & (CTRL_LANE | special);
            }
            CTRL_LANE1 => self.ctrl[1] = value & CTRL_LANE,
            ACCUM0_ADD | ACCUM1_ADD => {
                let accum = &mut self.accum[(index - ACCUM0_ADD) as usize];
                *accum = accum.wrapping_add(value);
            }
            BASE_1AND0 => self.write_both_bases(value),
            _ => {}
        }
    }

    /// In blend mode lane 1's SIGNED speaks for both halves, as it does for the blend itself.
    fn write_both_bases(&mut self, value: u32) {
        let signs = [if self.blends() { 1 } else { 0 }, 1];
        for (lane, half) in [value as u16, (value >> 16) as u16].into_iter().enumerate() {
            let signed = self.ctrl[signs[lane]] & CTRL_SIGNED != 0;
            self.base[lane] = if signed { i32::from(half as i16) as u32 } else { u32::from(half) };
        }
    }

    fn blends(&self) -> bool {
        self.ctrl[0] & CTRL_BLEND != 0
    }

    fn lane(&self, lane: usize) -> Lane {
        let ctrl = self.ctrl[lane];
        let input = self.accum[if ctrl & CTRL_CROSS_INPUT != 0 { 1 - lane } else { lane }];
        let (shift, lsb, msb) = (ctrl & 31, ctrl >> 5 & 31, ctrl >> 10 & 31);
        let shifted = input >> shift;
        let below_msb = u32::MAX >> (31 - msb);
        let mut masked = shifted & below_msb & (u32::MAX << lsb);
        if ctrl & CTRL_SIGNED != 0 && masked >> msb & 1 == 1 {
            masked |= !below_msb;
        }
        Lane { input, masked, overflow: shifted & !below_msb != 0 }
    }

    fn overflows(&self) -> u32 {
        let (zero, one) = (self.lane(0).overflow, self.lane(1).overflow);
        (u32::from(zero) * CTRL_OVERF0)
            | (u32::from(one) * CTRL_OVERF1)
            | (u32::from(zero || one) * CTRL_OVERF)
    }

    /// The results of lane 0, lane 1 and both together.
    fn results(&self) -> [u32; 3] {
        let lanes = [self.lane(0), self.lane(1)];
        let mut results = [0; 3];
        for n in 0..2 {
            let raw = self.ctrl[n] & CTRL_ADD_RAW != 0;
            let addend = if raw { lanes[n].input } else { lanes[n].masked };
            results[n] = self.base[n].wrapping_add(addend);
        }
        results[2] = self.base[2].wrapping_add(lanes[0].masked);
        if self.blends() {
            let alpha = lanes[1].masked & 0xff;
            results[0] = alpha;
            results[1] = self.blend(alpha);
        } else {
            results[2] = results[2].wrapping_add(lanes[1].masked);
        }
        if self.ctrl[0] & CTRL_CLAMP != 0 {
            results[0] = self.clamp(lanes[0].masked);
        }
        results
    }

    /// The point at `alpha` / 256 of the way from BASE0 to BASE1.
    fn blend(&self, alpha: u32) -> u32 {
        let signed = self.ctrl[1] & CTRL_SIGNED != 0;
        let wide = |base: u32| if signed { i64::from(base as i32) } else { i64::from(base) };
        let (from, to) = (wide(self.base[0]), wide(self.base[1]));
        (from + (i64::from(alpha) * (to - from)).div_euclid(256)) as u32
    }

    fn clamp(&self, value: u32) -> u32 {
        let [low, high, _] = self.base;
        let signed = self.ctrl[0] & CTRL_SIGNED != 0;
        let less = |a: u32, b: u32| if signed { (a as i32) < (b as i32) } else { a < b };
        if less(value, low) {
            low
        } else if less(high, value) {
            high
        } else {
            value
        }
    }

    /// A result as the bus sees it: FORCE_MSB is added on the way out only.
    fn seen(&self, results: &[u32; 3], which: u32) -> u32 {
        let forced = self.ctrl.get(which as usize).map_or(0, |ctrl| (ctrl >> 19 & 3) << 28);
        results[which as usize] | forced
    }
}
