//! Where the W6100 has the registers of the chips before it, as ioLibrary's w6100.h gives them: a driver of a test that knows
//! those chips reaches the W6100 by their addresses.

/// RTR as the W5500 has it.
const RTR: u16 = 0x19;

/// What moved: from where, how many bytes, to where.
type Moved = (u16, u16, u16);

const COMMON: [Moved; 7] = [
    (0x01, 4, 0x4130),
    (0x05, 4, 0x4134),
    (0x09, 6, 0x4120),
    (0x0F, 4, 0x4138),
    (0x15, 1, 0x2100),
    (RTR, 2, 0x4200),
    (RTR + 2, 1, 0x4204),
];

const SOCKET: [Moved; 18] = [
    (0x00, 1, 0x0000),
    (0x01, 1, 0x0010),
    (0x02, 1, 0x0020),
    (0x03, 1, 0x0030),
    (0x04, 2, 0x0114),
    (0x06, 6, 0x0118),
    (0x0C, 4, 0x0120),
    (0x10, 2, 0x0140),
    (0x12, 2, 0x0110),
    (0x14, 1, 0x0100),
    (0x16, 1, 0x0108),
    (0x1E, 1, 0x0220),
    (0x1F, 1, 0x0200),
    (0x20, 2, 0x0204),
    (0x22, 2, 0x0208),
    (0x24, 2, 0x020C),
    (0x26, 2, 0x0224),
    (0x28, 2, 0x0228),
];

/// Sn_IMR, which stands behind what else moved.
const SN_IMR: (u16, u16) = (0x2C, 0x0024);
/// IR and Sn_IR are cleared by registers of their own, so far behind them.
const CLEAR: u16 = 0x0008;

fn moved(table: &[Moved], address: u16) -> Option<u16> {
    let line = table.iter().find(|(from, bytes, _)| (*from..from + bytes).contains(&address))?;
    Some(line.2 + (address - line.0))
}

/// Where a common register of the W5500 is; an address at which that has none stays.
pub fn common_address(address: u16, write: bool) -> u16 {
    const IR: u16 = 0x15;
    let clears = if write && address == IR { CLEAR } else { 0 };
    moved(&COMMON, address).unwrap_or(address) + clears
}

/// Where a register of a socket of the W5500 is; an offset at which that has none stays.
pub fn socket_offset(offset: u16, write: bool) -> u16 {
    const SN_IR: u16 = 0x02;
    match offset {
        SN_IR if write => 0x0020 + CLEAR,
        _ if offset == SN_IMR.0 => SN_IMR.1,
        _ => moved(&SOCKET, offset).unwrap_or(offset),
    }
}

/// Sn_MR: MACRAW has another number.
pub fn mode(mode: u8) -> u8 {
    const MACRAW: u8 = 0x04;
    const OF_W6100: u8 = 0x07;
    if mode & 0x0F == MACRAW { mode & 0xF0 | OF_W6100 } else { mode }
}

/// The address of NETLCKR, and the key that opens it.
pub const NETLCKR: (u16, u8) = (0x41F5, 0x3A);
