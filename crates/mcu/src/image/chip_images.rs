//! What the images of a chip are: its memories, the ELFs and UF2s that are for it, and how it starts what is in them. Every
//! chip's crate has one of these; the readers of the formats ask it. Its sentences go on behind the file's name.

use std::fmt;

use super::{Boot, Memory, RawBinary, Segment};

/// The images of a chip.
pub trait ChipImages: fmt::Debug + Sync {
    /// As sentences name the chip.
    fn chip(&self) -> &'static str;

    /// Its memories, those first that a UF2 may fill.
    fn memories(&self) -> &'static [Memory];

    /// Its family in UF2 files; nothing for a chip that takes none.
    fn uf2_family(&self) -> Option<u32> {
        None
    }

    /// What is wrong with the head of an ELF that is of 32 bits and little-endian unless it says otherwise.
    ///
    /// # Errors
    /// With a sentence where it is for another machine.
    fn check_machine(&self, head: &ElfHead) -> Result<(), String>;

    /// What is wrong with the attributes of an ELF for Arm.
    ///
    /// # Errors
    /// With a sentence where it is for another core.
    fn check_arm_attributes(&self, attributes: &ArmAttributes) -> Result<(), String> {
        let _ = attributes;
        Ok(())
    }

    /// What is at an address where this chip has no memory, as a clause that begins with a comma; empty where nobody knows.
    fn instead_of_memory(&self, address: u32) -> &'static str {
        let _ = address;
        ""
    }

    /// Where a raw binary goes, and the address at which it starts where it says so.
    ///
    /// # Errors
    /// With a sentence where it does not look like an image.
    fn place_raw_binary(&self, bytes: &[u8], place: RawBinary) -> Result<(u32, Option<u32>), String>;

    /// What is wrong with these segments where they were built for another chip of the same kind.
    ///
    /// # Errors
    /// With a sentence where they were.
    fn check_contents(&self, segments: &[Segment]) -> Result<(), String> {
        let _ = segments;
        Ok(())
    }

    /// How the chip starts these segments; `entry` is what the file says of it.
    ///
    /// # Errors
    /// With a sentence where it would not.
    fn boot(&self, segments: &[Segment], entry: Option<u32>) -> Result<Boot, String>;
}

/// What stands at the head of an ELF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElfHead {
    /// The machine's number (`e_machine`).
    pub machine: u16,
    /// Whether it is of 32 bits.
    pub is_32_bit: bool,
    /// Whether it is little-endian.
    pub is_little_endian: bool,
}

/// What the build attributes of an ELF for Arm say (Arm's addenda to the ABI, "CPU architecture attributes"); 0 where they are
/// absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArmAttributes {
    /// Whether the compiler was told a core.
    pub names_a_cpu: bool,
    /// Tag_CPU_arch.
    pub architecture: u64,
    /// Tag_CPU_arch_profile.
    pub profile: u64,
}
