//! How the chip starts an image; which of these it is, the chip says ([`super::ChipImages`]).

/// How the chip starts an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Boot {
    /// As a board does, from its flash: with the chip's boot ROM where it has one.
    Flash,
    /// The flash begins with a vector table, as bare test images do, which the chip's boot ROM would refuse; here a core
    /// starts from the table, with the flash ready to be read.
    FlashVectors,
    /// All of the image lies in RAM, where a core starts.
    Ram {
        /// The address of the first instruction, without the Thumb bit.
        entry: u32,
        /// The stack pointer at the start: that of the image's vector table where the image begins with one,
        /// else the end of the RAM, where the boot ROM puts it.
        stack_pointer: u32,
    },
}
