//! What one SSI transfer looks like on the wire, as CTRLR0 and SPI_CTRLR0 set it (RP2040 datasheet 4.10.9 and 4.10.13), and
//! how long it takes. The same format serves commands in dual and quad mode and reads through the XIP window.

use units::Picoseconds;

use super::chip::FlashChip;

/// Undriven lines that have a pull-up on the board or in the pad.
const PULLED_UP: u8 = 0b1110;
/// Bits of the address in the XIP window (RP2040 datasheet 2.6.3).
const XIP_ADDRESS_BITS: u32 = 24;

/// The format of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameFormat {
    /// Lines of the data: 1, 2 or 4.
    pub(super) data_lines: u8,
    /// Lines of the instruction.
    pub(super) instruction_lines: u8,
    /// Lines of the address.
    pub(super) address_lines: u8,
    /// Bits of the instruction: 0, 4, 8 or 16.
    pub(super) instruction_bits: u32,
    /// Bits of the address, with mode bits where they follow.
    pub(super) address_bits: u32,
    /// Clocks between address and data.
    pub(super) wait_clocks: u32,
    /// Bits of one data frame.
    pub(super) data_bits: u32,
    /// The instruction of a read through the XIP window, or its mode bits when there is no instruction.
    pub(super) xip_command: u8,
}

impl FrameFormat {
    /// As the registers have it.
    pub(super) fn of(ctrlr0: u32, spi_ctrlr0: u32) -> Self {
        let data_lines = match ctrlr0 >> 21 & 3 {
            0 => 1,
            1 => 2,
            _ => 4,
        };
        let (instruction_lines, address_lines) = match spi_ctrlr0 & 3 {
            0 => (1, 1),
            1 => (1, data_lines),
            _ => (data_lines, data_lines),
        };
        Self {
            data_lines,
            instruction_lines,
            address_lines,
            instruction_bits: [0, 4, 8, 16][(spi_ctrlr0 >> 8 & 3) as usize],
            address_bits: (spi_ctrlr0 >> 2 & 0xf) * 4,
            wait_clocks: spi_ctrlr0 >> 11 & 0x1f,
            data_bits: (ctrlr0 >> 16 & 0x1f) + 1,
            xip_command: (spi_ctrlr0 >> 24) as u8,
        }
    }

    /// Clocks before the first data bit.
    pub(super) fn control_clocks(&self) -> u32 {
        self.instruction_bits.div_ceil(u32::from(self.instruction_lines))
            + self.address_bits.div_ceil(u32::from(self.address_lines))
            + self.wait_clocks
    }

    /// Clocks of one data frame.
    pub(super) fn data_clocks(&self) -> u32 {
        self.data_bits.div_ceil(u32::from(self.data_lines))
    }

    /// Words that software writes into the FIFO before data: the instruction and the address, where there are such.
    pub(super) fn control_words(&self) -> usize {
        usize::from(self.instruction_bits > 0) + usize::from(self.address_bits > 0)
    }

    /// Sends instruction, address and wait clocks to the chip.
    pub(super) fn send_control(
        &self,
        chip: &mut FlashChip,
        now: Picoseconds,
        instruction: u32,
        address: u32,
    ) {
        send(chip, now, u64::from(instruction), self.instruction_bits, self.instruction_lines);
        send(chip, now, u64::from(address), self.address_bits, self.address_lines);
        for _ in 0..self.wait_clocks {
            chip.clock(now, 0);
        }
    }

    /// Sends one data frame to the chip.
    pub(super) fn send_data(&self, chip: &mut FlashChip, now: Picoseconds, word: u32) {
        send(chip, now, u64::from(word), self.data_bits, self.data_lines);
    }

    /// Receives one data frame from the chip.
    pub(super) fn receive_data(&self, chip: &mut FlashChip, now: Picoseconds) -> u32 {
        if self.data_lines == 1 {
            return exchange(chip, now, 0, self.data_bits);
        }
        (0..self.data_clocks()).fold(0, |word, _| word << self.data_lines | u32::from(chip.clock(now, 0)))
    }

    /// Sends what a read through the XIP window at `address` sends before its data.
    pub(super) fn send_xip(&self, chip: &mut FlashChip, now: Picoseconds, address: u32) {
        let (instruction, address) = if self.instruction_bits > 0 {
            (u32::from(self.xip_command), address)
        } else {
            // The mode bits follow the 24 address bits (RP2040 datasheet 4.10.3).
            let mode_bits = self.address_bits.saturating_sub(XIP_ADDRESS_BITS).min(8);
            (0, address << mode_bits | u32::from(self.xip_command) >> (8 - mode_bits))
        };
        self.send_control(chip, now, instruction, address);
    }

    /// Whether a chip in this state would answer reads through the XIP window, found by sending two to a copy of it: the
    /// mode bits of one decide how it takes the next.
    pub(super) fn reads_in_place(&self, chip: &FlashChip, now: Picoseconds) -> bool {
        let mut chip = chip.clone();
        [0x104, 0x108].into_iter().all(|address| {
            chip.select(now);
            self.send_xip(&mut chip, now, address);
            let reads = chip.reading_at() == Some((address, self.data_lines));
            chip.deselect(now);
            reads
        })
    }
}

/// Clocks bits both ways on one line.
pub(super) fn exchange(chip: &mut FlashChip, now: Picoseconds, word: u32, bits: u32) -> u32 {
    (0..bits).rev().fold(0, |received, bit| {
        let lines = PULLED_UP | (word >> bit & 1) as u8;
        received << 1 | u32::from(chip.clock(now, lines) >> 1 & 1)
    })
}

fn send(chip: &mut FlashChip, now: Picoseconds, value: u64, bits: u32, lines: u8) {
    let mut left = bits;
    while left > 0 {
        left = left.saturating_sub(u32::from(lines));
        let group = (value >> left) as u8 & ((1 << lines) - 1);
        chip.clock(now, if lines == 1 { PULLED_UP | group } else { group });
    }
}
