//! ELF files: executables for ARMv6-M. Segments go to their physical addresses, as a debugger or a converter
//! to UF2 puts them. Files for other chips are explained by their machine, their Arm attributes, or their
//! addresses.

use object::elf::{self, FileHeader32, ProgramHeader32, SectionHeader32};
use object::endian::LittleEndian;
use object::read::elf::{
    AttributeReader, AttributesSection, FileHeader, ProgramHeader, SectionHeader, SectionTable,
};

use super::boot::{Boot, from_flash, from_ram};
use super::error::{Fault, ImageErrorKind};
use super::segments::{MEMORIES_IN_WORDS, Memory, Piece, Segment, merge};

pub(super) type Sections<'a> = SectionTable<'a, FileHeader32<LittleEndian>>;

const LE: LittleEndian = LittleEndian;

pub(super) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

/// An ELF file for the RP2040.
pub(super) struct Elf<'a> {
    header: &'a FileHeader32<LittleEndian>,
    /// The segments with contents, and where in the file these start.
    loads: Vec<Piece<'a>>,
    starts: Vec<u64>,
    pub(super) sections: Sections<'a>,
    pub(super) bytes: &'a [u8],
}

impl<'a> Elf<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, Fault> {
        check_identity(bytes)?;
        let damaged = |error: object::read::Error| {
            ImageErrorKind::Damaged
                .because(format!("the ELF is cut off or damaged: {error}. Copy the file again"))
        };
        let header = FileHeader32::parse(bytes).map_err(damaged)?;
        let sections = header.sections(LE, bytes).map_err(damaged)?;
        check_sections(&sections, bytes)?;
        check_attributes(&sections, bytes)?;
        let programs = header.program_headers(LE, bytes).map_err(damaged)?;
        let (starts, loads) = read_loads(programs, bytes)?.into_iter().unzip();
        Ok(Elf { header, loads, starts, sections, bytes })
    }

    /// What it puts into memories.
    pub(super) fn segments(&self) -> Result<Vec<Segment>, Fault> {
        merge(self.loads.clone(), "program header")
    }

    pub(super) fn boot(&self, segments: &[Segment]) -> Result<Boot, Fault> {
        if segments.iter().any(|segment| segment.memory() == Memory::Flash) {
            from_flash(segments)
        } else {
            from_ram(segments, self.header.e_entry(LE))
        }
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

/// Machines that users of the RP2040 meet, by number and name.
const MACHINES: [(elf::Machine, &str); 8] = [
    (elf::EM_X86_64, "x86-64"),
    (elf::EM_386, "x86"),
    (elf::EM_AARCH64, "AArch64"),
    (elf::EM_RISCV, "RISC-V (such as the RP2350's other cores, or an ESP32-C3)"),
    (elf::EM_XTENSA, "Xtensa (such as an ESP32 or ESP8266)"),
    (elf::EM_AVR, "AVR"),
    (elf::EM_MSP430, "MSP430"),
    (elf::EM_MIPS, "MIPS"),
];

/// What stands before everything that depends on the class and the order of bytes.
fn check_identity(bytes: &[u8]) -> Result<(), Fault> {
    let Some(&[class, data]) = bytes.get(4..6) else { return Err(cut_off(bytes)) };
    let Some(&[t0, t1, m0, m1]) = bytes.get(16..20) else { return Err(cut_off(bytes)) };
    let half = |bytes| {
        if data == elf::ELFDATA2MSB.0 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    };
    let (kind, machine) = (elf::FileType(half([t0, t1])), elf::Machine(half([m0, m1])));
    if machine != elf::EM_ARM {
        let known = MACHINES.iter().find(|(number, _)| *number == machine);
        let name = known.map_or_else(|| format!("machine number {}", machine.0), |(_, name)| (*name).into());
        return Err(ImageErrorKind::OtherChip.because(format!(
            "it is an ELF for {name}, not for the RP2040's Arm cores. Build it with a compiler for Arm, for \
             cortex-m0plus"
        )));
    }
    if data != elf::ELFDATA2LSB.0 || class != elf::ELFCLASS32.0 {
        let what = if class == elf::ELFCLASS32.0 { "big-endian" } else { "not a 32-bit file" };
        return Err(ImageErrorKind::OtherChip.because(format!(
            "it is an ELF for Arm, but {what}. Build it for the RP2040: -mcpu=cortex-m0plus -mthumb"
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
    filled.into_iter().map(|(number, program)| read_load(number, program, physical, bytes)).collect()
}

fn read_load<'a>(
    number: usize,
    program: &ProgramHeader32<LittleEndian>,
    physical: bool,
    bytes: &'a [u8],
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
    if Memory::of(address, contents.len()).is_none() {
        return Err(ImageErrorKind::OutsideMemory.because(format!(
            "its program header {number} puts {} bytes at {address:#010x}{}, but the RP2040 has \
             {MEMORIES_IN_WORDS}. Link it with a linker script for the RP2040",
            contents.len(),
            whose_memory(address)
        )));
    }
    Ok((u64::from(program.p_offset(LE)), Piece { address, bytes: contents, number }))
}

/// What is at an address in other chips.
fn whose_memory(address: u32) -> &'static str {
    match address {
        0x0000_0000..0x0000_4000 => {
            ", where the RP2040 has its boot ROM and nRF, SAM and LPC chips have their flash"
        }
        0x0000_4000..0x0800_0000 => ", where nRF, SAM and LPC chips have their flash",
        0x0800_0000..0x1000_0000 => ", where STM32 chips have their flash",
        0x4000_0000..0x5000_0000 => ", where ESP32 chips have their code",
        _ => "",
    }
}

// Arm's addenda to the ABI, "CPU architecture attributes".
const TAG_CPU_RAW_NAME: u64 = 4;
const TAG_CPU_NAME: u64 = 5;
const TAG_CPU_ARCH: u64 = 6;
const TAG_CPU_ARCH_PROFILE: u64 = 7;
const TAG_COMPATIBILITY: u64 = 32;

/// What the tags say; 0 where they are absent.
#[derive(Default)]
struct Attributes {
    names_a_cpu: bool,
    architecture: u64,
    profile: u64,
}

/// Architectures by the value of Tag_CPU_arch.
const ARCHITECTURES: [(u64, &str); 21] = [
    (0, "one older than ARMv4"),
    (1, "ARMv4"),
    (2, "ARMv4T, as an ARM7TDMI has"),
    (3, "ARMv5T"),
    (4, "ARMv5TE"),
    (5, "ARMv5TEJ"),
    (6, "ARMv6"),
    (7, "ARMv6KZ, as an ARM1176 has"),
    (8, "ARMv6T2"),
    (9, "ARMv6K"),
    (10, "ARMv7, as a Cortex-M3 has"),
    (13, "ARMv7E-M, as a Cortex-M4 or M7 has"),
    (14, "ARMv8-A"),
    (15, "ARMv8-R"),
    (16, "ARMv8-M Baseline, as a Cortex-M23 has"),
    (17, "ARMv8-M Mainline, as the RP2350's Cortex-M33 has"),
    (18, "ARMv8.1-A"),
    (19, "ARMv8.2-A"),
    (20, "ARMv8.3-A"),
    (21, "ARMv8.1-M Mainline, as a Cortex-M55 has"),
    (22, "ARMv9-A"),
];

impl Attributes {
    /// Whether an ARMv6-M core (11, or 12 with system extensions) can run the code. An assembler that was
    /// told no core states the oldest architecture that has its instructions, which for those of ARMv6-M is
    /// at most ARMv6K.
    fn suit_the_rp2040(&self) -> bool {
        let told_no_core =
            !self.names_a_cpu && self.profile == 0 && self.architecture <= 9 && self.architecture != 8;
        matches!(self.architecture, 11 | 12) || told_no_core
    }
}

fn check_attributes(sections: &Sections, bytes: &[u8]) -> Result<(), Fault> {
    let contents = sections.iter().find(|section| section.sh_type(LE) == elf::SHT_ARM_ATTRIBUTES);
    let contents = contents.and_then(|section| section.data(LE, bytes).ok());
    let attributes = contents.and_then(|contents| read_attributes(contents).ok()).unwrap_or_default();
    if attributes.suit_the_rp2040() {
        return Ok(());
    }
    let known = ARCHITECTURES.iter().find(|(number, _)| *number == attributes.architecture);
    let name = known.map_or("one that is not known here", |(_, name)| name);
    Err(ImageErrorKind::OtherChip.because(format!(
        "it is an ELF for another Arm core than the RP2040's Cortex-M0+ (ARMv6-M): its attributes state \
         {name}. Build it for the RP2040: -mcpu=cortex-m0plus, or PICO_BOARD=pico"
    )))
}

fn read_attributes(contents: &[u8]) -> object::read::Result<Attributes> {
    let mut attributes = Attributes::default();
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

fn read_tags(mut reader: AttributeReader, attributes: &mut Attributes) -> object::read::Result<()> {
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
