//! Figures behind a verdict that no span holds.

use serde::Serialize;

/// What was seen while messages were traced.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Evidence {
    /// Messages that were traced.
    pub messages: usize,
    /// SCK, as the last frame had it.
    pub sck_hz: Option<u64>,
    /// The highest SCK that the chip takes in every case, and the microcontroller gives.
    pub highest_sck_hz: Option<u64>,
    /// The highest that the microcontroller gives at its clock.
    pub mcu_sck_hz: Option<u64>,
    /// The microcontroller's channels of DMA, which could move bytes in the processor's place.
    pub dma_channels: Option<u8>,
    /// Transfers of the DMA for each frame of SPI, where any passed.
    pub dma_transfers_per_frame: Option<f64>,
    /// The time between ends of sleeps by a timer, after which the chip was asked for news.
    pub poll_period_ps: Option<i64>,
    /// The time between frames with answers that the board held back until a timer of its own.
    pub held_period_ps: Option<i64>,
    /// Frames and datagrams that the network's chip dropped because it had no room for them.
    pub dropped_for_room: Option<u64>,
    /// The share of the processor's work in which it waited for the flash.
    pub xip_stall_share: Option<f64>,
    /// What a dozing radio of the board draws less than one that is awake, in milliamperes, where it saves power.
    pub power_save_milliamperes: Option<f64>,
    /// The speed of the board's cable.
    pub cable_bits_per_second: u64,
}
