//! What impairments do to each frame, in the order of its arrival. Each kind draws from a stream of its own, so that one
//! more impairment changes no draw of the others.

use sim::RandomStream;
use units::Picoseconds;

use super::{Impairments, JitterShape};
use crate::{DropReason, Frame, Marks};

/// What becomes of a frame.
#[derive(Debug)]
pub(crate) enum Verdict {
    Lost(DropReason),
    /// It passes, and a copy of it as it came follows where there is one.
    Passes {
        copy: Option<Frame>,
    },
}

/// Impairments at work.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    impairments: Impairments,
    loss: RandomStream,
    burst: RandomStream,
    duplicate: RandomStream,
    corrupt: RandomStream,
    bit_errors: RandomStream,
    jitter: RandomStream,
    reorder: RandomStream,
    frames: u64,
    in_burst: bool,
    /// When the rate is done with what it was given, or the bucket is full again.
    rate_free: Picoseconds,
}

impl Process {
    pub(crate) fn new(impairments: Impairments, seed: u64, path: &str) -> Self {
        let stream = |kind: &str| RandomStream::named(seed, &format!("{path}/{kind}"));
        Self {
            impairments,
            loss: stream("loss"),
            burst: stream("burst"),
            duplicate: stream("duplicate"),
            corrupt: stream("corrupt"),
            bit_errors: stream("bit_errors"),
            jitter: stream("jitter"),
            reorder: stream("reorder"),
            frames: 0,
            in_burst: false,
            rate_free: Picoseconds::ZERO,
        }
    }

    pub(crate) fn limit_frames(&self) -> u64 {
        self.impairments.limit_frames
    }

    /// Decides whether a frame is lost, and changes it otherwise.
    pub(crate) fn judge(&mut self, frame: &mut Frame, marks: &mut Marks) -> Verdict {
        self.frames += 1;
        let lost_in_burst = self.burst_loses();
        let Impairments { drop, loss, duplicate, corrupt, .. } = &self.impairments;
        let lost = loss.draw(&mut self.loss);
        let copied = duplicate.draw(&mut self.duplicate);
        let corrupted = corrupt.draw(&mut self.corrupt);
        let scripted = drop.binary_search(&self.frames).is_ok();
        let reasons = [
            (scripted, DropReason::Scripted),
            (lost, DropReason::Loss),
            (lost_in_burst, DropReason::BurstLoss),
        ];
        if let Some((_, reason)) = reasons.into_iter().find(|(happens, _)| *happens) {
            return Verdict::Lost(reason);
        }
        let copy = copied.then(|| frame.clone());
        marks.duplicated |= copied;
        if corrupted {
            marks.corrupted = true;
            flip(frame, self.corrupt.below(frame.bytes.len() as u64 * 8));
        }
        self.flip_bits(frame, marks);
        Verdict::Passes { copy }
    }

    fn burst_loses(&mut self) -> bool {
        let Impairments { burst_start, burst_end, burst_loss, .. } = &self.impairments;
        let turn = if self.in_burst { burst_end } else { burst_start };
        self.in_burst ^= turn.draw(&mut self.burst);
        self.in_burst && burst_loss.draw(&mut self.burst)
    }

    /// Flips each bit with the probability of `bit_errors`, by way of the distances between errors.
    fn flip_bits(&mut self, frame: &mut Frame, marks: &mut Marks) {
        let probability = self.impairments.bit_errors.as_f64();
        if probability <= 0.0 {
            return;
        }
        const CHECK_SEQUENCE_BYTES: usize = 4;
        let bits = (frame.bytes.len() + CHECK_SEQUENCE_BYTES) as f64 * 8.0;
        let per_bit = -libm::log1p(-probability);
        let mut at = self.bit_errors.exponential() / per_bit;
        while at < bits {
            marks.bit_errors = true;
            frame.intact = false;
            flip(frame, at as u64);
            at = libm::floor(at) + 1.0 + self.bit_errors.exponential() / per_bit;
        }
    }

    /// When a frame that enters now leaves, and whether it was held back.
    pub(crate) fn leave_time(&mut self, now: Picoseconds, frame_bytes: usize) -> (Picoseconds, bool) {
        let released = self.release(now, frame_bytes);
        let leaves = released + self.draw_delay();
        match self.impairments.reorder.draw(&mut self.reorder) {
            true => (leaves + self.impairments.reorder_by, true),
            false => (leaves, false),
        }
    }

    /// When the rate lets a frame go.
    fn release(&mut self, now: Picoseconds, frame_bytes: usize) -> Picoseconds {
        let Some(rate) = self.impairments.rate else { return now };
        let cost = rate.time_of(frame_bytes);
        let bucket_bytes = self.impairments.bucket_bytes;
        if bucket_bytes == 0 {
            self.rate_free = self.rate_free.max(now) + cost;
            return self.rate_free;
        }
        // With more bytes than the bucket holds, a frame waits for a full one and leaves it in debt.
        let depth = rate.time_of(bucket_bytes.max(frame_bytes as u64) as usize);
        let released = now.max(self.rate_free - (depth - cost));
        self.rate_free = self.rate_free.max(released) + cost;
        released
    }

    fn draw_delay(&mut self) -> Picoseconds {
        let Impairments { delay, jitter, jitter_shape, .. } = self.impairments;
        if jitter == Picoseconds::ZERO {
            return delay;
        }
        match jitter_shape {
            JitterShape::Uniform => {
                delay - jitter + self.jitter.time_below(jitter + jitter + Picoseconds::new(1))
            }
            JitterShape::Normal => {
                let ps = (self.jitter.normal() * jitter.ps() as f64) as i64;
                (delay + Picoseconds::new(ps)).max(Picoseconds::ZERO)
            }
        }
    }
}

/// Flips a bit; one of the check sequence changes no byte here.
fn flip(frame: &mut Frame, bit: u64) {
    if let Some(byte) = frame.bytes.get_mut((bit / 8) as usize) {
        *byte ^= 1 << (bit % 8);
    }
}
