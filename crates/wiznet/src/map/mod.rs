//! Register maps: a table of a chip's common and one of its socket registers (name, address, width, kind, reset value), and from
//! an address to what stands there. The names are the datasheets' and serve SPI records as well. The tables themselves are in
//! `chips`; what a register does is in `core`.

mod fields;
mod meaning;

pub(crate) use fields::{Common, Field, Registers, SocketRegister, byte_of};
pub(crate) use meaning::{meaning, status_name};

/// Who may change a register, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    ReadWrite,
    ReadOnly,
    /// A one that is written clears the bit.
    ClearByOne,
    /// It takes what is written and reads zero.
    WriteOnly,
}

/// A line of a register map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Register<F: 'static> {
    pub(crate) field: F,
    pub(crate) name: &'static str,
    pub(crate) address: u16,
    pub(crate) bytes: u8,
    pub(crate) kind: Kind,
    pub(crate) reset: u64,
}

pub(crate) const fn line<F>(
    field: F,
    name: &'static str,
    address: u16,
    bytes: u8,
    kind: Kind,
    reset: u64,
) -> Register<F> {
    Register { field, name, address, bytes, kind, reset }
}

/// Either memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Transmit,
    Receive,
}

/// What stands at an address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// A byte of a common register, counted from its first.
    Common(&'static Register<Common>, u8),
    /// A byte of a register of a socket.
    Socket(usize, &'static Register<SocketRegister>, u8),
    /// A byte of a memory, counted over all sockets (W5100, W5100S, W5200).
    Memory(Side, u16),
    /// A byte of a socket's memory; the offset wraps at its size (W5500, W6100).
    SocketMemory(Side, usize, u16),
    /// Reserved: reads zero, writes are lost.
    None,
}

const ABSENT: u8 = u8::MAX;

/// A table of registers, and which of its lines each address belongs to.
#[derive(Debug)]
pub(crate) struct Table<F: 'static> {
    pub(crate) registers: &'static [Register<F>],
    index: &'static [u8],
}

impl<F: 'static> Table<F> {
    pub(crate) const fn new(registers: &'static [Register<F>], index: &'static [u8]) -> Self {
        Self { registers, index }
    }

    /// The register that has an address, and which of its bytes that is.
    fn at(&self, address: u16) -> Option<(&'static Register<F>, u8)> {
        let &line = self.index.get(usize::from(address)).filter(|&&line| line != ABSENT)?;
        let register = &self.registers[usize::from(line)];
        Some((register, (address - register.address) as u8))
    }

    /// What the datasheet calls a register, on a chip that has it.
    pub(crate) fn name_of(&self, field: F) -> Option<&'static str>
    where
        F: PartialEq + Copy,
    {
        self.registers.iter().find(|register| register.field == field).map(|register| register.name)
    }
}

/// The [`Table`] of a constant array of registers.
macro_rules! table {
    ($registers:ident) => {{
        const SPACE: usize = $crate::map::space(&$registers);
        static INDEX: [u8; SPACE] = $crate::map::index(&$registers);
        $crate::map::Table::new(&$registers, &INDEX)
    }};
}
pub(crate) use table;

/// A chip's map.
#[derive(Debug)]
pub(crate) struct Map {
    pub(crate) common: Table<Common>,
    pub(crate) sockets: Table<SocketRegister>,
    /// A bit for each field that the chip has.
    common_present: u128,
    socket_present: u64,
    pub(crate) socket_count: usize,
    /// The size of either memory.
    pub(crate) memory_bytes: u16,
    layout: Layout,
}

/// How a chip lays out its blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout {
    /// One address space.
    Flat { sockets: u16, transmit: u16, receive: u16 },
    /// Block select bits.
    Blocks,
}

/// How far the addresses of a table reach; its lines are in their order.
pub(crate) const fn space<F>(table: &[Register<F>]) -> usize {
    let last = &table[table.len() - 1];
    last.address as usize + last.bytes as usize
}

/// Which line of a table each address belongs to.
pub(crate) const fn index<F, const SPACE: usize>(table: &[Register<F>]) -> [u8; SPACE] {
    let mut index = [ABSENT; SPACE];
    let mut n = 0;
    while n < table.len() {
        let mut byte = 0;
        while byte < table[n].bytes {
            index[table[n].address as usize + byte as usize] = n as u8;
            byte += 1;
        }
        n += 1;
    }
    index
}

macro_rules! present {
    ($table:expr) => {{
        let mut bits = 0;
        let mut n = 0;
        while n < $table.len() {
            bits |= 1 << $table[n].field as u32;
            n += 1;
        }
        bits
    }};
}

impl Map {
    /// The map of a chip with so many sockets and two memories of so many bytes.
    pub(crate) const fn of(
        common: Table<Common>,
        sockets: Table<SocketRegister>,
        socket_count: usize,
        memory_bytes: u16,
        layout: Layout,
    ) -> Self {
        Self {
            common_present: present!(common.registers),
            socket_present: present!(sockets.registers),
            common,
            sockets,
            socket_count,
            memory_bytes,
            layout,
        }
    }

    /// What stands at an address.
    pub(crate) fn place(&self, block: u8, address: u16) -> Place {
        match self.layout {
            Layout::Flat { sockets, transmit, receive } => self.flat(address, sockets, transmit, receive),
            Layout::Blocks => self.blocks(block, address),
        }
    }

    /// Whether the chip has a register.
    pub(crate) fn has(&self, field: Common) -> bool {
        self.common_present & 1 << field as u32 != 0
    }

    /// Whether the chip's sockets have a register.
    pub(crate) fn sockets_have(&self, field: SocketRegister) -> bool {
        self.socket_present & 1 << field as u32 != 0
    }

    /// The name of a register of the chip's sockets, where they have it.
    pub(crate) fn socket_name(&self, field: SocketRegister) -> Option<&'static str> {
        self.sockets.name_of(field)
    }

    fn flat(&self, address: u16, sockets: u16, transmit: u16, receive: u16) -> Place {
        const SOCKET_STRIDE: u16 = 0x100;
        if let Some(offset) = address.checked_sub(receive) {
            return if offset < self.memory_bytes {
                Place::Memory(Side::Receive, offset)
            } else {
                Place::None
            };
        }
        if let Some(offset) = address.checked_sub(transmit)
            && offset < self.memory_bytes
        {
            return Place::Memory(Side::Transmit, offset);
        }
        match address.checked_sub(sockets) {
            Some(offset) => self.socket(usize::from(offset / SOCKET_STRIDE), offset % SOCKET_STRIDE),
            None => self.common(address),
        }
    }

    fn blocks(&self, block: u8, address: u16) -> Place {
        let socket = usize::from(block >> 2);
        if socket >= self.socket_count {
            return Place::None;
        }
        match block & 0b11 {
            0b00 if socket == 0 => self.common(address),
            0b01 => self.socket(socket, address),
            0b10 => Place::SocketMemory(Side::Transmit, socket, address),
            0b11 => Place::SocketMemory(Side::Receive, socket, address),
            _ => Place::None,
        }
    }

    fn common(&self, address: u16) -> Place {
        self.common.at(address).map_or(Place::None, |(register, byte)| Place::Common(register, byte))
    }

    fn socket(&self, socket: usize, offset: u16) -> Place {
        match self.sockets.at(offset) {
            Some((register, byte)) if socket < self.socket_count => Place::Socket(socket, register, byte),
            _ => Place::None,
        }
    }
}
