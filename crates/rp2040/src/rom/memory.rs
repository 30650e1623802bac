//! memcpy and memset of the boot ROM (RP2040 datasheet 2.8.3.1.2), and the look-up in its tables.
//!
//! Copying goes in pieces of some 50 cycles, each a trap of its own, so that interrupts wait no longer than for a few
//! instructions: R0 keeps the destination, which is the result, R1 and R3 where the next piece is read and written, R2
//! how many bytes are left. All but R0 are the callee's own by the procedure call standard.

use super::call::{Outcome, RomCallContext};
use super::costs;

/// Entries after which a table without an end is given up.
const LONGEST_TABLE: u32 = 1024;
/// Bytes of one piece of a copy by words: 52 cycles.
const WORD_PIECE: u32 = 64;
/// Bytes of one piece of a copy by bytes: 56 cycles.
const BYTE_PIECE: u32 = 8;
/// Bytes of one piece of a memset: 48 cycles.
const SET_PIECE: u32 = 96;

/// R0 is a table of pairs of halfwords, R1 the code; the result is the second of its pair, or 0.
pub(super) fn look_up(context: &mut dyn RomCallContext) -> Outcome {
    let (table, wanted) = (context.reg(0), context.reg(1));
    let mut found = 0;
    let mut cycles = costs::LOOK_UP_FOUND;
    for entry in 0..LONGEST_TABLE {
        let at = table.wrapping_add(entry * 4);
        let code = u32::from(context.read16(at));
        if code == 0 || context.faulted() {
            break;
        }
        if code == wanted {
            found = context.read16(at.wrapping_add(2));
            break;
        }
        cycles += costs::LOOK_UP_ENTRY;
    }
    context.set_reg(0, u32::from(found));
    Outcome::Done { cycles }
}

/// R0 destination, R1 source, R2 bytes.
pub(super) fn copy(context: &mut dyn RomCallContext, promised: bool) -> Outcome {
    let (source, left, to) = (context.reg(1), context.reg(2), context.reg(3));
    if left < costs::SHORT && to == context.reg(0) {
        copy_down(context, source, to, left);
        return last(costs::COPY_SHORT, left);
    }
    if (source ^ to) & 3 != 0 {
        // Whole pieces are left for later, so that a rest is never taken for a short copy.
        let piece = if left < 2 * BYTE_PIECE { left } else { BYTE_PIECE + left % BYTE_PIECE };
        let (call, byte) = costs::COPY_BYTES;
        let rest = left - piece;
        copy_down(context, source.wrapping_add(rest), to.wrapping_add(rest), piece);
        context.set_reg(2, rest);
        return piece_outcome(context, rest, byte * piece, call);
    }
    let piece = left.min(WORD_PIECE - (to & 3));
    copy_up(context, source, to, piece);
    let rest = left - piece;
    context.set_reg(1, source.wrapping_add(piece));
    context.set_reg(2, rest);
    context.set_reg(3, to.wrapping_add(piece));
    let (call, block) = if promised { costs::COPY_WORDS_PROMISED } else { costs::COPY_WORDS };
    let blocks = block * (piece / 16);
    piece_outcome(context, rest, blocks, call + tail(&costs::COPY_TAIL, piece % 16))
}

/// R0 destination, R1 byte, R2 bytes.
pub(super) fn set(context: &mut dyn RomCallContext) -> Outcome {
    let (byte, left, to) = (context.reg(1) as u8, context.reg(2), context.reg(3));
    if left < costs::SHORT && to == context.reg(0) {
        for at in 0..left {
            context.write8(to.wrapping_add(at), byte);
        }
        return last(costs::SET_SHORT, left);
    }
    let piece = left.min(SET_PIECE - (to & 3));
    each_unit(to, piece, |at, bytes| {
        match bytes {
            4 => context.write32(at, u32::from_ne_bytes([byte; 4])),
            2 => context.write16(at, u16::from_ne_bytes([byte; 2])),
            _ => context.write8(at, byte),
        }
        !context.faulted()
    });
    let rest = left - piece;
    context.set_reg(2, rest);
    context.set_reg(3, to.wrapping_add(piece));
    let (call, block) = costs::SET_WORDS;
    piece_outcome(context, rest, block * (piece / 16), call + tail(&costs::SET_TAIL, piece % 16))
}

/// From the last byte to the first, as the ROM does.
fn copy_down(context: &mut dyn RomCallContext, source: u32, to: u32, bytes: u32) {
    for at in (0..bytes).rev() {
        let byte = context.read8(source.wrapping_add(at));
        context.write8(to.wrapping_add(at), byte);
        if context.faulted() {
            return;
        }
    }
}

/// In the largest units that both addresses, which differ by whole words, are aligned for.
fn copy_up(context: &mut dyn RomCallContext, source: u32, to: u32, bytes: u32) {
    each_unit(to, bytes, |at, unit| {
        let from = source.wrapping_add(at.wrapping_sub(to));
        match unit {
            4 => {
                let word = context.read32(from);
                context.write32(at, word);
            }
            2 => {
                let half = context.read16(from);
                context.write16(at, half);
            }
            _ => {
                let byte = context.read8(from);
                context.write8(at, byte);
            }
        }
        !context.faulted()
    });
}

/// Goes through a range in words, with halfwords and bytes at its ends, as long as `go_on` says so.
fn each_unit(start: u32, bytes: u32, mut go_on: impl FnMut(u32, u32) -> bool) {
    let mut done = 0;
    while done < bytes {
        let at = start.wrapping_add(done);
        let unit = match bytes - done {
            4.. if at & 3 == 0 => 4,
            2.. if at & 1 == 0 => 2,
            _ => 1,
        };
        if !go_on(at, unit) {
            return;
        }
        done += unit;
    }
}

fn tail(parts: &[(u32, u32)], bytes: u32) -> u32 {
    parts.iter().filter(|(part, _)| bytes & part != 0).map(|(_, cycles)| cycles).sum()
}

fn last((call, byte): (u32, u32), bytes: u32) -> Outcome {
    Outcome::Done { cycles: call - costs::RETURN + byte * bytes }
}

/// What the call itself costs is charged with its last piece.
fn piece_outcome(context: &dyn RomCallContext, rest: u32, cycles: u32, call: u32) -> Outcome {
    if rest == 0 || context.faulted() {
        Outcome::Done { cycles: cycles + call - costs::RETURN }
    } else {
        Outcome::Again { cycles }
    }
}
