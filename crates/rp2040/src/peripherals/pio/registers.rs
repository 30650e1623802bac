//! The register map of a PIO block (RP2040 datasheet 3.7) and the settings of a state machine, decoded once when they
//! are written.

pub(super) const CTRL: u32 = 0x000;
pub(super) const FSTAT: u32 = 0x004;
pub(super) const FDEBUG: u32 = 0x008;
pub(super) const FLEVEL: u32 = 0x00c;
pub(super) const TXF0: u32 = 0x010;
pub(super) const TXF3: u32 = 0x01c;
pub(super) const RXF0: u32 = 0x020;
pub(super) const RXF3: u32 = 0x02c;
pub(super) const IRQ: u32 = 0x030;
pub(super) const IRQ_FORCE: u32 = 0x034;
pub(super) const INPUT_SYNC_BYPASS: u32 = 0x038;
pub(super) const DBG_PADOUT: u32 = 0x03c;
pub(super) const DBG_PADOE: u32 = 0x040;
pub(super) const DBG_CFGINFO: u32 = 0x044;
pub(super) const INSTR_MEM0: u32 = 0x048;
pub(super) const INSTR_MEM31: u32 = 0x0c4;
pub(super) const SM0: u32 = 0x0c8;
pub(super) const SM_STRIDE: u32 = 0x18;
pub(super) const SM_END: u32 = SM0 + 4 * SM_STRIDE;
pub(super) const INTR: u32 = 0x128;
pub(super) const IRQ0_INTE: u32 = 0x12c;
pub(super) const IRQ1_INTS: u32 = 0x140;

pub(super) const CLKDIV: u32 = 0x00;
pub(super) const EXECCTRL: u32 = 0x04;
pub(super) const SHIFTCTRL: u32 = 0x08;
pub(super) const ADDR: u32 = 0x0c;
pub(super) const INSTR: u32 = 0x10;
pub(super) const PINCTRL: u32 = 0x14;

/// 32 instructions, 4 state machines, FIFOs 4 deep.
pub(super) const CFGINFO: u32 = 32 << 16 | 4 << 8 | 4;
pub(super) const FDEBUG_BITS: u32 = 0x0f0f_0f0f;
pub(super) const INTERRUPT_BITS: u32 = 0xfff;
pub(super) const CLKDIV_BITS: u32 = 0xffff_ff00;
pub(super) const EXECCTRL_BITS: u32 = 0x7fff_ff9f;
pub(super) const SHIFTCTRL_BITS: u32 = 0xffff_0000;
pub(super) const EXEC_STALLED: u32 = 1 << 31;

pub(super) const CLKDIV_RESET: u32 = 1 << 16;
pub(super) const EXECCTRL_RESET: u32 = 31 << 12;
/// Both shift registers shift to the right.
pub(super) const SHIFTCTRL_RESET: u32 = 0b11 << 18;
/// SET_COUNT is 5.
pub(super) const PINCTRL_RESET: u32 = 5 << 26;

/// FDEBUG flags of state machine 0; those of machine n lie n bits higher.
pub(super) const RXSTALL: u32 = 1;
pub(super) const RXUNDER: u32 = 1 << 8;
pub(super) const TXOVER: u32 = 1 << 16;
pub(super) const TXSTALL: u32 = 1 << 24;

/// What EXECCTRL, SHIFTCTRL and PINCTRL say, ready for use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Config {
    /// Bits of the delay/side-set field that belong to the side-set, with its enable bit.
    side_bits: u8,
    side_enable: bool,
    pub(super) side_pindirs: bool,
    pub(super) side_base: u8,
    pub(super) side_mask: u32,
    pub(super) jmp_pin: u8,
    /// The bit of OUT data that enables the write, where one does (INLINE_OUT_EN).
    pub(super) inline_out_enable: Option<u8>,
    pub(super) out_sticky: bool,
    pub(super) wrap_top: u8,
    pub(super) wrap_bottom: u8,
    pub(super) status_of_receive: bool,
    pub(super) status_level: u8,
    pub(super) autopush: bool,
    pub(super) autopull: bool,
    pub(super) in_right: bool,
    pub(super) out_right: bool,
    pub(super) push_threshold: u8,
    pub(super) pull_threshold: u8,
    pub(super) transmit_depth: u8,
    pub(super) receive_depth: u8,
    pub(super) in_base: u8,
    pub(super) out_base: u8,
    pub(super) out_mask: u32,
    pub(super) set_base: u8,
    pub(super) set_mask: u32,
}

impl Config {
    /// Decodes the three control registers.
    pub(super) fn decode(execctrl: u32, shiftctrl: u32, pinctrl: u32) -> Self {
        let field = |word: u32, low: u32, bits: u32| (word >> low & ((1 << bits) - 1)) as u8;
        let bit = |word: u32, at: u32| word >> at & 1 == 1;
        let threshold = |low: u32| match field(shiftctrl, low, 5) {
            0 => 32,
            count => count,
        };
        let pins = |count: u8, base: u8| mask(count).rotate_left(u32::from(base));
        let side_bits = field(pinctrl, 29, 3).min(5);
        let side_enable = bit(execctrl, 30);
        let (side_base, set_base, out_base) =
            (field(pinctrl, 10, 5), field(pinctrl, 5, 5), field(pinctrl, 0, 5));
        let (join_receive, join_transmit) = (bit(shiftctrl, 31), bit(shiftctrl, 30));
        Self {
            side_bits,
            side_enable,
            side_pindirs: bit(execctrl, 29),
            side_base,
            side_mask: pins(side_bits.saturating_sub(u8::from(side_enable)), side_base),
            jmp_pin: field(execctrl, 24, 5),
            inline_out_enable: bit(execctrl, 18).then(|| field(execctrl, 19, 5)),
            out_sticky: bit(execctrl, 17),
            wrap_top: field(execctrl, 12, 5),
            wrap_bottom: field(execctrl, 7, 5),
            status_of_receive: bit(execctrl, 4),
            status_level: field(execctrl, 0, 4),
            autopush: bit(shiftctrl, 16),
            autopull: bit(shiftctrl, 17),
            in_right: bit(shiftctrl, 18),
            out_right: bit(shiftctrl, 19),
            push_threshold: threshold(20),
            pull_threshold: threshold(25),
            transmit_depth: depth(join_transmit, join_receive),
            receive_depth: depth(join_receive, join_transmit),
            in_base: field(pinctrl, 15, 5),
            out_base,
            out_mask: pins(field(pinctrl, 20, 6).min(32), out_base),
            set_base,
            set_mask: pins(field(pinctrl, 26, 3).min(5), set_base),
        }
    }

    /// The place that comes behind another.
    #[inline]
    pub(super) fn following(&self, place: u8) -> u8 {
        if place == self.wrap_top { self.wrap_bottom } else { (place + 1) % 32 }
    }

    /// The cycles that an instruction asks to be idle after it.
    #[inline]
    pub(super) fn delay(&self, instruction: u16) -> u8 {
        (instruction >> 8) as u8 & 0x1f >> self.side_bits
    }

    /// The side-set value of an instruction, if it has one.
    #[inline]
    pub(super) fn side_set(&self, instruction: u16) -> Option<u32> {
        if self.side_bits == 0 {
            return None;
        }
        let value = (u32::from(instruction) >> 8 & 0x1f) >> (5 - self.side_bits);
        let enabled = !self.side_enable || value >> (self.side_bits - 1) & 1 == 1;
        enabled.then_some(value)
    }
}

/// As many low bits as `count`, 0 to 32.
#[inline]
pub(super) fn mask(count: u8) -> u32 {
    1u32.checked_shl(u32::from(count)).map_or(u32::MAX, |bit| bit.wrapping_sub(1))
}

fn depth(joins: bool, other_joins: bool) -> u8 {
    match (joins, other_joins) {
        (false, false) => 4,
        (true, false) => 8,
        (_, true) => 0,
    }
}
