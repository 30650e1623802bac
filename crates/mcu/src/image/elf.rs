//! ELF files: executables of 32 bits, little-endian. Segments go to their physical addresses, as a debugger or a converter
//! to UF2 puts them. Files for other chips are explained by the chip that they are given to: by their machine, their Arm
//! attributes, or their addresses.

use object::elf::{self, FileHeader32, ProgramHeader32, SectionHeader32};
use object::endian::LittleEndian;
use object::read::elf::{
    AttributeReader, AttributesSection, FileHeader, ProgramHeader, SectionHeader, SectionTable,
};

use super::error::{Fault, ImageErrorKind};
use super::segments::{MemoryKind, Piece, Segment, in_words, memory_of, merge};
use super::{ArmAttributes, ChipImages, ElfHead};

pub(super) type Sections<'a> = SectionTable<'a, FileHeader32<LittleEndian>>;

const LE: LittleEndian = LittleEndian;

pub(super) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

/// An ELF file for a chip.
pub(super) struct Elf<'a> {
    header: &'a FileHeader32<LittleEndian>,
    /// The segments with contents, and where in the file these start.
    loads: Vec<Piece<'a>>,
    starts: Vec<u64>,
    pub(super) sections: Sections<'a>,
    pub(super) bytes: &'a [u8],
}

impl<'a> Elf<'a> {
    pub(super) fn parse(bytes: &'a [u8], chip: &'static dyn ChipImages) -> Result<Elf<'a>, Fault> {
        check_identity(bytes, chip)?;
        let damaged = |error: object::read::Error| {
            ImageErrorKind::Damaged
                .because(format!("the ELF is cut off or damaged: {error}. Copy the file again"))
        };
        let header = FileHeader32::parse(bytes).map_err(damaged)?;
        let sections = header.sections(LE, bytes).map_err(damaged)?;
        check_sections(&sections, bytes)?;
        check_attributes(&sections, bytes, chip)?;
        let programs = header.program_headers(LE, bytes).map_err(damaged)?;
        let (starts, loads) = read_loads(programs, bytes, chip)?.into_iter().unzip();
        Ok(Elf { header, loads, starts, sections, bytes })
    }

    /// What it puts into memories.
    pub(super) fn segments(&self) -> Result<Vec<Segment>, Fault> {
        merge(self.loads.clone(), "program header")
    }

    /// Where it says that it begins.
    pub(super) fn entry(&self) -> u32 {
        self.header.e_entry(LE)
    }

    /// Physical addresses and contents of the code. By sections, because converters fill the gaps between
    /// sections as they like; an ELF without sections has segments only.
    pub(super) fn code(&self) -> Vec<(u32, &'a [u8])> {
        let code = self.sections.iter().filter(|section| section.sh_flags(LE).contains(elf::SHF_EXECINSTR));
        let pieces: Vec<_> = code.filter_map(|section| self.loaded(section)).collect();
        if pieces.is_empty() {
            self.loads.iter().map(|load| (load.address, load.bytes)).collect()
        } else {
            pieces
        }
    }

    /// What its sections take of RAM while it runs; nothing where it has none.
    pub(super) fn ram_bytes(&self, chip: &'static dyn ChipImages) -> Option<u32> {
        let kept = self.sections.iter().filter(|section| section.sh_flags(LE).contains(elf::SHF_ALLOC));
        let mut kept = kept.map(|section| (section.sh_addr(LE), section.sh_size(LE))).peekable();
        kept.peek()?;
        let in_ram = |address: u32, bytes: u32| {
            let memory = memory_of(chip, address, bytes as usize);
            memory.is_some_and(|memory| memory.kind == MemoryKind::Ram)
        };
        Some(
            kept.filter(|(address, bytes)| in_ram(*address, *bytes))
                .map(|(_, bytes)| bytes)
                .fold(0, u32::saturating_add),
        )
    }

    /// Where in the file the contents for an address stand, with the address and their length.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, u32, usize)> {
        let loads = self.loads.iter().zip(&self.starts);
        loads.map(|(load, start)| (*start as usize, load.address, load.bytes.len()))
    }

    /// The physical address of a section's contents, where a segment has them.
    pub(super) fn loaded(&self, section: &SectionHeader32<LittleEndian>) -> Option<(u32, &'a [u8])> {
        let (start, length) = section.file_range(LE)?;
        let loads = self.loads.iter().zip(&self.starts);
        let mut holders = loads.filter_map(|(load, segment_start)| {
            let offset = usize::try_from(start.checked_sub(*segment_start)?).ok()?;
            let end = offset.checked_add(usize::try_from(length).ok()?)?;
            let contents = load.bytes.get(offset..end)?;
            Some((load.address + offset as u32, contents))
        });
        holders.find(|(_, bytes)| !bytes.is_empty())
    }
}

/// What stands before everything that depends on the class and the order of bytes.
fn check_identity(bytes: &[u8], chip: &dyn ChipImages) -> Result<(), Fault> {
    let Some(&[class, data]) = bytes.get(4..6) else { return Err(cut_off(bytes)) };
    let Some(&[t0, t1, m0, m1]) = bytes.get(16..20) else { return Err(cut_off(bytes)) };
    let half = |bytes| {
        if data == elf::ELFDATA2MSB.0 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    };
    let (kind, machine) = (elf::FileType(half([t0, t1])), elf::Machine(half([m0, m1])));
    let is_32_bit = class == elf::ELFCLASS32.0;
    let is_little_endian = data == elf::ELFDATA2LSB.0;
    let other_chip = |what: String| ImageErrorKind::OtherMachine.because(what);
    chip.check_machine(&ElfHead { machine: machine.0, is_32_bit, is_little_endian }).map_err(other_chip)?;
    if !is_32_bit || !is_little_endian {
        return Err(other_chip(format!(
            "it is an ELF that is not of 32 bits and little-endian. Build it for the {}",
            chip.chip()
        )));
    }
    let what = match kind {
        elf::ET_EXEC => return Ok(()),
        elf::ET_REL => "a relocatable object, which has no addresses yet. Link it first and give the result",
        elf::ET_DYN => "position-independent or a shared library. Link it as an executable, with -no-pie",
        elf::ET_CORE => "a memory dump. Give the program itself",
        _ => "of a type that is no executable. Give the linker's result",
    };
    Err(ImageErrorKind::NotAnImage.because(format!("the ELF is {what}")))
}

fn cut_off(bytes: &[u8]) -> Fault {
    ImageErrorKind::Damaged.because(format!(
        "the ELF is cut off after {} bytes, within its header. Copy the file again",
        bytes.len()
    ))
}

/// A file that was copied in part has its section headers or their contents behind its end.
fn check_sections(sections: &Sections, bytes: &[u8]) -> Result<(), Fault> {
    for (index, section) in sections.enumerate() {
        let Some((start, length)) = section.file_range(LE) else { continue };
        let (end, length_of_file) = (start.saturating_add(length), bytes.len() as u64);
        if end > length_of_file && section.sh_type(LE) != elf::SHT_NULL {
            return Err(ImageErrorKind::Damaged.because(format!(
                "the file ends at byte {length_of_file}, but its section {} goes to byte {end}. Copy the \
                 file again",
                index.0
            )));
        }
    }
    Ok(())
}

fn read_loads<'a>(
    programs: &[ProgramHeader32<LittleEndian>],
    bytes: &'a [u8],
    chip: &'static dyn ChipImages,
) -> Result<Vec<(u64, Piece<'a>)>, Fault> {
    let loads = programs.iter().enumerate().filter(|(_, program)| program.p_type(LE) == elf::PT_LOAD);
    let filled: Vec<_> = loads.filter(|(_, program)| program.p_filesz(LE) > 0).collect();
    if filled.is_empty() {
        return Err(ImageErrorKind::NotAnImage.because(
            "the ELF has nothing to load: no program header of type LOAD has contents. Link it as a program",
        ));
    }
    // Linkers that know no physical addresses leave all of them 0.
    let physical = filled.iter().any(|(_, program)| program.p_paddr(LE) != 0);
    filled.into_iter().map(|(number, program)| read_load(number, program, physical, bytes, chip)).collect()
}

fn read_load<'a>(
    number: usize,
    program: &ProgramHeader32<LittleEndian>,
    physical: bool,
    bytes: &'a [u8],
    chip: &'static dyn ChipImages,
) -> Result<(u64, Piece<'a>), Fault> {
    let address = if physical { program.p_paddr(LE) } else { program.p_vaddr(LE) };
    let Ok(contents) = program.data(LE, bytes) else {
        let (start, length) = program.file_range(LE);
        return Err(ImageErrorKind::Damaged.because(format!(
            "the file ends at byte {}, but its program header {number} goes to byte {}. Copy the file again",
            bytes.len(),
            start.saturating_add(length)
        )));
    };
    let Some(memory) = memory_of(chip, address, contents.len()) else {
        return Err(ImageErrorKind::OutsideMemory.because(format!(
            "its program header {number} puts {} bytes at {address:#010x}{}, but the {name} has \
             {}. Link it with a linker script for the {name}",
            contents.len(),
            chip.instead_of_memory(address),
            in_words(chip.memories()),
            name = chip.chip()
        )));
    };
    Ok((u64::from(program.p_offset(LE)), Piece { address, bytes: contents, memory, number }))
}

// Arm's addenda to the ABI, "CPU architecture attributes".
const TAG_CPU_RAW_NAME: u64 = 4;
const TAG_CPU_NAME: u64 = 5;
const TAG_CPU_ARCH: u64 = 6;
const TAG_CPU_ARCH_PROFILE: u64 = 7;
const TAG_COMPATIBILITY: u64 = 32;

fn check_attributes(sections: &Sections, bytes: &[u8], chip: &dyn ChipImages) -> Result<(), Fault> {
    let contents = sections.iter().find(|section| section.sh_type(LE) == elf::SHT_ARM_ATTRIBUTES);
    let contents = contents.and_then(|section| section.data(LE, bytes).ok());
    let attributes = contents.and_then(|contents| read_attributes(contents).ok()).unwrap_or_default();
    chip.check_arm_attributes(&attributes).map_err(|what| ImageErrorKind::OtherChip.because(what))
}

fn read_attributes(contents: &[u8]) -> object::read::Result<ArmAttributes> {
    let mut attributes = ArmAttributes::default();
    let section: AttributesSection<FileHeader32<LittleEndian>> = AttributesSection::new(LE, contents)?;
    for subsection in section.subsections()? {
        let subsection = subsection?;
        if subsection.vendor() != b"aeabi" {
            continue;
        }
        for scope in subsection.subsubsections() {
            read_tags(scope?.attributes(), &mut attributes)?;
        }
    }
    Ok(attributes)
}

fn read_tags(mut reader: AttributeReader, attributes: &mut ArmAttributes) -> object::read::Result<()> {
    while let Some(tag) = reader.read_tag()? {
        match tag {
            TAG_CPU_ARCH => attributes.architecture = reader.read_integer()?,
            TAG_CPU_ARCH_PROFILE => attributes.profile = reader.read_integer()?,
            TAG_CPU_NAME => attributes.names_a_cpu = !reader.read_string()?.is_empty(),
            TAG_CPU_RAW_NAME => drop(reader.read_string()?),
            TAG_COMPATIBILITY => {
                reader.read_integer()?;
                reader.read_string()?;
            }
            // From there on odd tags are strings.
            33.. if tag % 2 == 1 => drop(reader.read_string()?),
            _ => drop(reader.read_integer()?),
        }
    }
    Ok(())
}
