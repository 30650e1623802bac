//! Builders of small images: what a linker, a converter and a compiler would write.

/// A part of an ELF program that is loaded.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) physical: u32,
    pub(crate) virtual_: u32,
    pub(crate) bytes: Vec<u8>,
    /// Length in memory, with what is not in the file.
    pub(crate) memory_bytes: u32,
}

#[derive(Clone)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) kind: u32,
    pub(crate) flags: u32,
    pub(crate) address: u32,
    pub(crate) contents: Contents,
}

#[derive(Clone)]
pub(crate) enum Contents {
    /// Of its own.
    Own(Vec<u8>),
    /// A part of a program, by its index and range.
    OfProgram(usize, std::ops::Range<u32>),
}

#[derive(Clone)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) value: u32,
    pub(crate) size: u32,
    /// Binding and type.
    pub(crate) info: u8,
    pub(crate) section: u16,
}

pub(crate) const LOCAL: u8 = 0x00;
pub(crate) const GLOBAL: u8 = 0x10;
pub(crate) const WEAK: u8 = 0x20;
pub(crate) const NO_TYPE: u8 = 0;
pub(crate) const OBJECT: u8 = 1;
pub(crate) const FUNCTION: u8 = 2;
pub(crate) const EXECUTABLE: u32 = 4;
pub(crate) const PROGBITS: u32 = 1;

pub(crate) fn symbol(name: &str, value: u32, size: u32, info: u8) -> Symbol {
    Symbol { name: name.into(), value, size, info, section: 1 }
}

/// An executable for Arm; its fields may be set to anything.
#[derive(Clone)]
pub(crate) struct Elf {
    pub(crate) kind: u16,
    pub(crate) machine: u16,
    pub(crate) entry: u32,
    pub(crate) programs: Vec<Program>,
    pub(crate) sections: Vec<Section>,
    pub(crate) symbols: Vec<Symbol>,
}

impl Elf {
    /// One program at one address, with its entry point.
    pub(crate) fn new(address: u32, bytes: Vec<u8>, entry: u32) -> Elf {
        let memory_bytes = bytes.len() as u32;
        let program = Program { physical: address, virtual_: address, bytes, memory_bytes };
        Elf {
            kind: 2,
            machine: 40,
            entry,
            programs: vec![program],
            sections: Vec::new(),
            symbols: Vec::new(),
        }
    }

    /// With all of the first program as the section `.text`, which symbols need.
    pub(crate) fn with_text(mut self) -> Elf {
        let Program { virtual_, bytes, .. } = &self.programs[0];
        let contents = Contents::OfProgram(0, 0..bytes.len() as u32);
        self.sections.insert(
            0,
            Section { name: ".text", kind: PROGBITS, flags: 2 | EXECUTABLE, address: *virtual_, contents },
        );
        self
    }

    pub(crate) fn with_symbols(mut self, symbols: impl IntoIterator<Item = Symbol>) -> Elf {
        self.symbols.extend(symbols);
        self
    }

    pub(crate) fn with_section(mut self, name: &'static str, kind: u32, bytes: Vec<u8>) -> Elf {
        self.sections.push(Section { name, kind, flags: 0, address: 0, contents: Contents::Own(bytes) });
        self
    }

    /// With Arm attributes, as pairs of tag and value.
    pub(crate) fn with_attributes(self, tags: &[(u8, u8)]) -> Elf {
        let tags: Vec<u8> = tags.iter().flat_map(|(tag, value)| [*tag, *value]).collect();
        self.with_raw_attributes(&tags)
    }

    pub(crate) fn with_raw_attributes(self, tags: &[u8]) -> Elf {
        let scope = [&[1], &(tags.len() as u32 + 5).to_le_bytes()[..], tags].concat();
        let length = 4 + 6 + scope.len() as u32;
        self.with_section(
            ".ARM.attributes",
            0x7000_0003,
            [b"A", &length.to_le_bytes()[..], b"aeabi\0", &scope].concat(),
        )
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut contents = Vec::new();
        let contents_start = 52 + 32 * self.programs.len() as u32;
        let mut put = |bytes: &[u8]| {
            contents.resize(contents.len().next_multiple_of(4), 0);
            let start = contents_start + contents.len() as u32;
            contents.extend_from_slice(bytes);
            start
        };
        let starts: Vec<u32> = self.programs.iter().map(|program| put(&program.bytes)).collect();
        let headers =
            if self.sections.is_empty() { Vec::new() } else { self.section_headers(&starts, &mut put) };
        let sections_start = contents_start + contents.len() as u32;
        let mut file = self.header(if headers.is_empty() { 0 } else { sections_start }, headers.len() as u16);
        for (program, start) in self.programs.iter().zip(starts) {
            let Program { physical, virtual_, bytes, memory_bytes } = program;
            file.extend(words(&[1, start, *virtual_, *physical, bytes.len() as u32, *memory_bytes, 5, 4]));
        }
        file.extend(contents);
        file.extend(headers.iter().flat_map(|header| words(header)));
        file
    }

    fn header(&self, sections_start: u32, sections: u16) -> Vec<u8> {
        let mut file = b"\x7fELF\x01\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend([self.kind, self.machine].map(u16::to_le_bytes).concat());
        file.extend(words(&[1, self.entry, 52, sections_start, 0x0500_0000]));
        let names = if sections == 0 { 0 } else { sections - 1 };
        file.extend([52, 32, self.programs.len() as u16, 40, sections, names].map(u16::to_le_bytes).concat());
        file
    }

    /// The null section, the given ones, the symbol table with its strings, and the names of sections, last.
    fn section_headers(&self, programs: &[u32], put: &mut impl FnMut(&[u8]) -> u32) -> Vec<[u32; 10]> {
        let mut names = vec![0];
        let mut name = |text: &str| add_string(&mut names, text);
        let mut headers = vec![[0; 10]];
        for section in &self.sections {
            let (start, length) = match &section.contents {
                Contents::Own(bytes) => (put(bytes), bytes.len() as u32),
                Contents::OfProgram(index, range) => {
                    (programs[*index] + range.start, range.end - range.start)
                }
            };
            let Section { kind, flags, address, .. } = *section;
            headers.push([name(section.name), kind, flags, address, start, length, 0, 0, 4, 0]);
        }
        let mut strings = vec![0];
        let mut table = vec![0; 16];
        for Symbol { name, value, size, info, section } in &self.symbols {
            table.extend(words(&[add_string(&mut strings, name), *value, *size]));
            table.extend([&[*info, 0][..], &section.to_le_bytes()].concat());
        }
        let table_start = put(&table);
        let strings_index = headers.len() as u32 + 1;
        headers.push([name(".symtab"), 2, 0, 0, table_start, table.len() as u32, strings_index, 1, 4, 16]);
        headers.push([name(".strtab"), 3, 0, 0, put(&strings), strings.len() as u32, 0, 0, 1, 0]);
        let own_name = name(".shstrtab");
        headers.push([own_name, 3, 0, 0, put(&names), names.len() as u32, 0, 0, 1, 0]);
        headers
    }
}

fn add_string(strings: &mut Vec<u8>, text: &str) -> u32 {
    let start = strings.len() as u32;
    strings.extend(text.bytes().chain([0]));
    start
}

pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) const FLASH: u32 = 0x1000_0000;
pub(crate) const SRAM: u32 = 0x2000_0000;
pub(crate) const STACK: u32 = 0x2004_2000;

/// The checksum of the second stage, as long division of a message by the polynomial.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mut remainder = u64::from(u32::MAX);
    for byte in bytes {
        remainder ^= u64::from(*byte) << 24;
        for _ in 0..8 {
            remainder <<= 1;
            if remainder & 1 << 32 != 0 {
                remainder ^= 0x1_04c1_1db7;
            }
        }
    }
    remainder as u32
}

/// A second stage of 256 bytes with its checksum, then a vector table, then counting bytes.
pub(crate) fn flash_image(length: usize) -> Vec<u8> {
    let mut image: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
    let sum = checksum(&image[..252]);
    image[252..256].copy_from_slice(&sum.to_le_bytes());
    if let Some(table) = image.get_mut(256..264) {
        table.copy_from_slice(&words(&[STACK, FLASH + 0x109]));
    }
    image
}

/// A vector table, then counting bytes.
pub(crate) fn bare_image(start: u32, length: usize) -> Vec<u8> {
    let code = (8..length).map(|at| (at * 7) as u8);
    words(&[STACK, start + 9]).into_iter().chain(code).collect()
}

#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) flags: u32,
    pub(crate) address: u32,
    pub(crate) number: u32,
    pub(crate) total: u32,
    pub(crate) family: u32,
    pub(crate) payload: Vec<u8>,
}

pub(crate) const FAMILY_FLAG: u32 = 0x2000;
pub(crate) const RP2040: u32 = 0xe48b_ff56;

/// Blocks of 256 bytes for the RP2040, as converters write them.
pub(crate) fn blocks(address: u32, bytes: &[u8]) -> Vec<Block> {
    let total = bytes.len().div_ceil(256) as u32;
    let blocks = (0..).zip(bytes.chunks(256));
    let block = |(number, payload): (u32, &[u8])| Block {
        flags: FAMILY_FLAG,
        address: address + 256 * number,
        number,
        total,
        family: RP2040,
        payload: payload.to_vec(),
    };
    blocks.map(block).collect()
}

pub(crate) fn uf2(blocks: &[Block]) -> Vec<u8> {
    blocks.iter().flat_map(Block::bytes).collect()
}

impl Block {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Block { flags, address, number, total, family, payload } = self;
        let length = payload.len() as u32;
        let mut bytes =
            words(&[0x0a32_4655, 0x9e5d_5157, *flags, *address, length, *number, *total, *family]);
        bytes.extend(payload);
        bytes.resize(508, 0);
        bytes.extend(words(&[0x0ab1_6f30]));
        bytes
    }
}
