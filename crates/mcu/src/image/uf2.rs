//! UF2 files: blocks of 512 bytes, each with up to 476 bytes for an address. A file may come in any order,
//! have blocks twice, and hold an image for another chip besides. Stricter than the boot ROM, which ignores
//! what it does not like; laxer in that it takes payloads of any length, where the boot ROM takes 256 bytes
//! only.

use std::borrow::Cow;

use super::boot::Boot;
use super::error::{Fault, ImageErrorKind};
use super::segments::{MemoryKind, Piece, Segment, in_words, memory_of, merge};
use super::{ChipImages, unbootable};

// The UF2 specification, "File format" and "Overview".
const BLOCK_BYTES: usize = 512;
const HEAD_BYTES: usize = 32;
const PAYLOAD_MAX_BYTES: u32 = 476;
/// The only length that the boot ROM takes.
const WRITTEN_PAYLOAD_BYTES: usize = 256;
const MAGIC_START: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const MAGIC_END: u32 = 0x0ab1_6f30;
const FLAG_NOT_MAIN_FLASH: u32 = 0x0000_0001;
const FLAG_FILE_CONTAINER: u32 = 0x0000_1000;
const FLAG_FAMILY: u32 = 0x0000_2000;

/// Blocks that belong to no chip: the work-around for erratum RP2350-E10 puts one in front of an image.
const FAMILY_ABSOLUTE: u32 = 0xe48b_ff57;
/// The UF2 project's list of families and the RP2350 datasheet 5.5.3, by what their users call the chips.
const FAMILIES: [(u32, &str); 36] = [
    (0xe48b_ff56, "the RP2040"),
    (FAMILY_ABSOLUTE, "absolute addresses"),
    (0xe48b_ff58, "the RP2350's data partitions"),
    (0xe48b_ff59, "the RP2350's Arm cores"),
    (0xe48b_ff5a, "the RP2350's RISC-V cores"),
    (0xe48b_ff5b, "the RP2350's Arm cores in the non-secure state"),
    (0x68ed_2b88, "the SAMD21"),
    (0x1851_780a, "the SAML21"),
    (0x5511_4460, "the SAMD51"),
    (0xada5_2840, "the nRF52840"),
    (0x621e_937a, "the nRF52833"),
    (0x1b57_745f, "the nRF52"),
    (0x1c5f_21b0, "the ESP32"),
    (0xbfdd_4eee, "the ESP32-S2"),
    (0xc47e_5767, "the ESP32-S3"),
    (0x2b88_d29c, "the ESP32-C2"),
    (0xd42b_a06c, "the ESP32-C3"),
    (0x540d_df62, "the ESP32-C6"),
    (0x3327_26f6, "the ESP32-H2"),
    (0x3d30_8e94, "the ESP32-P4"),
    (0x7eab_61ed, "the ESP8266"),
    (0x6478_24b6, "the STM32F0"),
    (0x5ee2_1072, "the STM32F1"),
    (0x5d1a_0a2e, "the STM32F2"),
    (0x6b84_6188, "the STM32F3"),
    (0x5775_5a57, "the STM32F4"),
    (0x6d09_22fa, "the STM32F407"),
    (0x53b8_0f00, "the STM32F7"),
    (0x300f_5633, "the STM32G0"),
    (0x4c71_240a, "the STM32G4"),
    (0x6db6_6082, "the STM32H7"),
    (0x202e_3a91, "the STM32L0"),
    (0x00ff_6919, "the STM32L4"),
    (0x70d1_6653, "the STM32WB"),
    (0x4fb2_d5bd, "the i.MX RT10xx"),
    (0x2abc_77ec, "the LPC55"),
];

pub(super) fn is_uf2(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC_START[0].to_le_bytes())
}

#[derive(Clone, Copy)]
struct Block<'a> {
    /// Where it stands in the file.
    position: usize,
    flags: u32,
    address: u32,
    payload: &'a [u8],
    number: u32,
    total: u32,
    family: Option<u32>,
}

impl Block<'_> {
    fn is_for(&self, family: u32) -> bool {
        self.family.is_none_or(|own| own == family)
    }

    fn is_for_memory(&self) -> bool {
        self.flags & (FLAG_NOT_MAIN_FLASH | FLAG_FILE_CONTAINER) == 0
    }

    fn place(&self) -> String {
        place(self.position)
    }
}

fn place(position: usize) -> String {
    format!("block {position} (byte {})", position * BLOCK_BYTES)
}

pub(super) fn load(bytes: &[u8], chip: &'static dyn ChipImages) -> Result<(Vec<Segment>, Boot), Fault> {
    let family = family_of(chip).map_err(|what| ImageErrorKind::OtherMachine.because(what))?;
    let blocks = read_blocks(bytes)?;
    let is_mine = |block: &Block| block.is_for(family) && block.is_for_memory();
    // Mostly all of them are, and need not be there twice.
    let mine: Cow<'_, [Block]> = match blocks.iter().all(is_mine) {
        true => Cow::Borrowed(&blocks),
        false => blocks.iter().copied().filter(is_mine).collect(),
    };
    if mine.is_empty() {
        return Err(explain_foreign(&blocks, chip.chip(), family));
    }
    check_numbers(&mine, &blocks, family)?;
    let segments = merge(pieces(&mine, chip)?, "block")?;
    let boot = chip.boot(&segments, None).map_err(unbootable)?;
    Ok((segments, boot))
}

/// Where in a file the contents for an address stand, with the address and their length.
pub(super) fn places(bytes: &[u8], chip: &dyn ChipImages) -> Result<Vec<(usize, u32, usize)>, Fault> {
    let blocks = read_blocks(bytes)?;
    let family = family_of(chip).map_err(|what| ImageErrorKind::NotWritable.because(what))?;
    let mine = blocks.iter().filter(|block| block.is_for(family) && block.is_for_memory());
    Ok(mine
        .map(|block| (block.position * BLOCK_BYTES + HEAD_BYTES, block.address, block.payload.len()))
        .collect())
}

/// A file with contents for an address, in blocks as the boot ROM takes them: 256 bytes each, at multiples of 256
/// (RP2040 datasheet 2.8.5.2). What the first and the last block have besides is zero.
pub(super) fn make(address: u32, contents: &[u8], chip: &dyn ChipImages) -> Result<Vec<u8>, Fault> {
    let family = family_of(chip).map_err(|what| ImageErrorKind::NotWritable.because(what))?;
    let before = address as usize % WRITTEN_PAYLOAD_BYTES;
    let padded = [&vec![0; before], contents].concat();
    let total = padded.len().div_ceil(WRITTEN_PAYLOAD_BYTES) as u32;
    let mut file = Vec::with_capacity(total as usize * BLOCK_BYTES);
    for (number, payload) in (0..).zip(padded.chunks(WRITTEN_PAYLOAD_BYTES)) {
        let start = file.len();
        let target = address - before as u32 + number * WRITTEN_PAYLOAD_BYTES as u32;
        let [first, second] = MAGIC_START;
        let length = WRITTEN_PAYLOAD_BYTES as u32;
        for word in [first, second, FLAG_FAMILY, target, length, number, total, family] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(payload);
        file.resize(start + BLOCK_BYTES - MAGIC_END.to_le_bytes().len(), 0);
        file.extend_from_slice(&MAGIC_END.to_le_bytes());
    }
    Ok(file)
}

/// The family of a chip's files; a sentence for one that takes none.
fn family_of(chip: &dyn ChipImages) -> Result<u32, String> {
    chip.uf2_family()
        .ok_or_else(|| format!("a UF2 is nothing for the {}. Take an ELF or a raw binary", chip.chip()))
}

fn read_blocks(bytes: &[u8]) -> Result<Vec<Block<'_>>, Fault> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
    let blocks = blocks.iter().enumerate().map(|(position, block)| read_block(position, block));
    let blocks: Vec<Block> = blocks.collect::<Result<_, _>>()?;
    if !rest.is_empty() {
        return Err(ImageErrorKind::Damaged.because(format!(
            "the file ends after {} of the {BLOCK_BYTES} bytes of {}. Copy the file again",
            rest.len(),
            place(blocks.len())
        )));
    }
    Ok(blocks)
}

fn read_block(position: usize, bytes: &[u8; BLOCK_BYTES]) -> Result<Block<'_>, Fault> {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let damaged = |what: String| Err(ImageErrorKind::Damaged.because(format!("{} {what}", place(position))));
    let magic = [word(0), word(4), word(508)];
    if magic != [MAGIC_START[0], MAGIC_START[1], MAGIC_END] {
        let [first, second, last] = magic;
        return damaged(format!(
            "has the magic numbers {first:#010x}, {second:#010x} and {last:#010x}, which are not those of \
             UF2. Copy the file again"
        ));
    }
    let [flags, address, length, number, total, family] = [8, 12, 16, 20, 24, 28].map(word);
    if length == 0 || length > PAYLOAD_MAX_BYTES {
        return damaged(format!(
            "has a payload of {length} bytes, but a payload has 1 to {PAYLOAD_MAX_BYTES}. Build the file \
             again"
        ));
    }
    let payload = &bytes[HEAD_BYTES..HEAD_BYTES + length as usize];
    let family = (flags & FLAG_FAMILY != 0).then_some(family);
    Ok(Block { position, flags, address, payload, number, total, family })
}

/// A file without a block for the chip's memories.
fn explain_foreign(blocks: &[Block], chip: &str, own: u32) -> Fault {
    let foreign = blocks.iter().filter(|block| !block.is_for(own)).filter_map(|block| block.family);
    let named = foreign.clone().find(|&family| family != FAMILY_ABSOLUTE).or_else(|| foreign.clone().next());
    let Some(family) = named else {
        return ImageErrorKind::NotAnImage
            .because("all its blocks are marked as not for the main flash. Take the file with the firmware");
    };
    let known = FAMILIES.iter().find(|(id, _)| *id == family);
    let name = known.map_or("a chip that is not known here", |(_, name)| name);
    ImageErrorKind::OtherChip.because(format!(
        "it is for {name} (family {family:#010x}), not for the {chip} (family {own:#010x}). \
         Take the image for the {chip}"
    ))
}

/// All numbers from 0 to the total must be there. In a file for several chips each image counts by itself, or
/// all blocks of the file together.
fn check_numbers(mine: &[Block], all: &[Block], family: u32) -> Result<(), Fault> {
    let damaged = |what: String| Err(ImageErrorKind::Damaged.because(what));
    let first = mine[0];
    for block in mine {
        let Block { number, total, .. } = *block;
        if total != first.total {
            return damaged(format!(
                "{} says that there are {total} blocks, but {} says {}. Give the images one by one",
                block.place(),
                first.place(),
                first.total
            ));
        }
        if number >= total {
            let place = block.place();
            return damaged(format!("{place} has number {number} of {total}. Build the file again"));
        }
    }
    let counts_all = all.len() == first.total as usize;
    let counted = all.iter().filter(|block| counts_all || block.is_for(family));
    let mut numbers: Vec<(u32, u32, usize)> =
        counted.map(|block| (block.number, block.address, block.position)).collect();
    numbers.sort_unstable();
    if let Some(pair) = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
        let [(number, _, one), (_, _, other)] = [pair[0], pair[1]];
        return damaged(format!(
            "{} has number {number} of {} as {} has, for another address. Build the file again",
            place(one.max(other)),
            first.total,
            place(one.min(other)),
        ));
    }
    numbers.dedup_by_key(|(number, ..)| *number);
    match (0..first.total).zip(&numbers).find(|(expected, (number, ..))| expected != number) {
        Some((missing, _)) => damaged(format!(
            "block {missing} of {} is missing (the file has {} of them). Copy the file again",
            first.total,
            numbers.len()
        )),
        None if numbers.len() < first.total as usize => damaged(format!(
            "block {0} of {1} is missing (the file ends after {0} blocks). Copy the file again",
            numbers.len(),
            first.total
        )),
        None => Ok(()),
    }
}

/// The blocks with the memories that they are for; a boot loader takes no file for both flash and RAM.
fn pieces<'a>(blocks: &[Block<'a>], chip: &'static dyn ChipImages) -> Result<Vec<Piece<'a>>, Fault> {
    let mut first = None;
    let mut pieces = Vec::with_capacity(blocks.len());
    for block in blocks {
        let &Block { address, payload, position, .. } = block;
        let memory = memory_of(chip, address, payload.len()).filter(|memory| memory.takes_uf2);
        let memory = memory.ok_or_else(|| outside_memory(block, chip))?;
        let in_flash = memory.kind == MemoryKind::Flash;
        let (expected, other) = *first.get_or_insert((in_flash, block));
        if in_flash != expected {
            return Err(ImageErrorKind::OutsideMemory.because(format!(
                "{} is for {address:#010x} and {} for {:#010x}, but an image is either for flash or for RAM. \
                 Make two files of it",
                block.place(),
                other.place(),
                other.address
            )));
        }
        pieces.push(Piece { address, bytes: payload, memory, number: position });
    }
    Ok(pieces)
}

fn outside_memory(block: &Block, chip: &dyn ChipImages) -> Fault {
    let memories = chip.memories();
    // Those that a UF2 may fill stand first.
    let which = match memories.iter().filter(|memory| memory.takes_uf2).count() {
        filled if filled == memories.len() => String::new(),
        1 => ", of which a UF2 may fill the first one".to_owned(),
        2 => ", of which a UF2 may fill the first two".to_owned(),
        3 => ", of which a UF2 may fill the first three".to_owned(),
        filled => format!(", of which a UF2 may fill the first {filled}"),
    };
    ImageErrorKind::OutsideMemory.because(format!(
        "{} has {} bytes for {:#010x}, but the {name} has {}{which}. Build the file again for the {name}",
        block.place(),
        block.payload.len(),
        block.address,
        in_words(memories),
        name = chip.chip()
    ))
}
