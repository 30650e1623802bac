//! Results and flags of the arithmetic (AVR Instruction Set Manual, DS40002198: the Boolean formulas of each instruction). Flags
//! are a byte as SREG has them.

/// Carry.
pub const C: u8 = 1 << 0;
/// Zero.
pub const Z: u8 = 1 << 1;
/// Negative.
pub const N: u8 = 1 << 2;
/// Overflow of two's complement.
pub const V: u8 = 1 << 3;
/// Sign, N xor V.
pub const S: u8 = 1 << 4;
/// Half carry.
pub const H: u8 = 1 << 5;
/// The bit that BST and BLD copy.
pub const T: u8 = 1 << 6;
/// Interrupts are enabled.
pub const I: u8 = 1 << 7;

/// What no arithmetic changes.
const KEPT: u8 = I | T;

/// N, V, S and Z of a result whose overflow is bit 0 of `v`.
#[inline(always)]
fn signs(r: u8, v: u8) -> u8 {
    let n = r >> 7;
    (n ^ v) << 4 | v << 3 | n << 2 | u8::from(r == 0) << 1
}

/// d + s + carry, with the new SREG.
#[inline(always)]
pub fn add(sreg: u8, d: u8, s: u8, carry: u8) -> (u8, u8) {
    let r = d.wrapping_add(s).wrapping_add(carry);
    let carries = d & s | (d | s) & !r;
    let v = ((d ^ r) & (s ^ r)) >> 7;
    (r, sreg & KEPT | (carries >> 3 & 1) << 5 | signs(r, v) | carries >> 7)
}

/// d - s, with the new SREG.
#[inline(always)]
pub fn subtract(sreg: u8, d: u8, s: u8) -> (u8, u8) {
    let r = d.wrapping_sub(s);
    (r, sreg & KEPT | borrows(d, s, r))
}

/// d - s - carry, with the new SREG: Z stays clear once it is.
#[inline(always)]
pub fn subtract_on(sreg: u8, d: u8, s: u8) -> (u8, u8) {
    let r = d.wrapping_sub(s).wrapping_sub(sreg & C);
    let flags = borrows(d, s, r);
    (r, sreg & KEPT | flags & (!Z | sreg))
}

#[inline(always)]
fn borrows(d: u8, s: u8, r: u8) -> u8 {
    let borrows = !d & s | (!d | s) & r;
    let v = ((d ^ s) & (d ^ r)) >> 7;
    (borrows >> 3 & 1) << 5 | signs(r, v) | borrows >> 7
}

/// The new SREG of a logical result: V is clear, C and H stay.
#[inline(always)]
pub fn logical(sreg: u8, r: u8) -> u8 {
    sreg & (KEPT | H | C) | signs(r, 0)
}

/// One more; C and H stay.
#[inline(always)]
pub fn increment(sreg: u8, d: u8) -> (u8, u8) {
    let r = d.wrapping_add(1);
    (r, sreg & (KEPT | H | C) | signs(r, u8::from(r == 0x80)))
}

/// One less; C and H stay.
#[inline(always)]
pub fn decrement(sreg: u8, d: u8) -> (u8, u8) {
    let r = d.wrapping_sub(1);
    (r, sreg & (KEPT | H | C) | signs(r, u8::from(r == 0x7f)))
}

/// One's complement: C is set.
#[inline(always)]
pub fn complement(sreg: u8, d: u8) -> (u8, u8) {
    let r = !d;
    (r, sreg & (KEPT | H) | signs(r, 0) | C)
}

/// Two's complement.
#[inline(always)]
pub fn negate(sreg: u8, d: u8) -> (u8, u8) {
    let r = d.wrapping_neg();
    let half = ((r | d) >> 3 & 1) << 5;
    (r, sreg & KEPT | half | signs(r, u8::from(r == 0x80)) | u8::from(r != 0))
}

/// A shift to the right, with what comes in at the top; C is what leaves, V is N xor C.
#[inline(always)]
pub fn shift_right(sreg: u8, d: u8, top: u8) -> (u8, u8) {
    let (r, c) = (d >> 1 | top, d & 1);
    (r, sreg & (KEPT | H) | signs(r, r >> 7 ^ c) | c)
}

/// A word plus or minus a small number.
#[inline(always)]
pub fn word(sreg: u8, before: u16, r: u16, minus: bool) -> u8 {
    let (before, n) = ((before >> 15) as u8, (r >> 15) as u8);
    let (rises, falls) = (n & (before ^ 1), before & (n ^ 1));
    let (v, c) = if minus { (falls, rises) } else { (rises, falls) };
    sreg & (KEPT | H) | (n ^ v) << 4 | v << 3 | n << 2 | u8::from(r == 0) << 1 | c
}

/// The new SREG of a product; a fractional one is shifted left first, and C is the bit that leaves.
#[inline(always)]
pub fn product(sreg: u8, product: u16, is_fraction: bool) -> (u16, u8) {
    let r = if is_fraction { product << 1 } else { product };
    (r, sreg & !(Z | C) | u8::from(r == 0) << 1 | (product >> 15) as u8)
}
