//! The register blocks of the chip by address (RP2040 datasheet 2.2): which one is where, and what an access through an atomic
//! alias and a bit of RESETS mean for it. Their state is in `blocks`.

use crate::peripherals::adc::Adc;
use crate::peripherals::busctrl::BusCtrl;
use crate::peripherals::clocks::{ClockBlock, ClockTree};
use crate::peripherals::io_bank0::{IoBank0, IoQspi};
use crate::peripherals::pio::Pio;
use crate::peripherals::pwm::Pwm;
use crate::peripherals::resets::block as reset;
use crate::peripherals::system::VregAndChipReset;
use crate::peripherals::timer::Timer;
use crate::peripherals::usb::Usb;

/// TXF0 to RXF3 of a PIO block (RP2040 datasheet 3.7).
const PIO_FIFOS: std::ops::Range<u32> = 0x10..0x30;

/// A block of registers on the APB or the AHB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Block {
    SysInfo,
    SysCfg,
    Clock(ClockBlock),
    Resets,
    Psm,
    IoBank0,
    IoQspi,
    PadsBank0,
    PadsQspi,
    BusCtrl,
    Uart(usize),
    Spi(usize),
    I2c(usize),
    Adc,
    Pwm,
    Timer,
    Watchdog,
    Rtc,
    Vreg,
    Tbman,
    Dma,
    UsbRegisters,
    Pio(usize),
}

impl Block {
    /// The block at an address of the APB.
    pub(crate) fn on_apb(address: u32) -> Option<Self> {
        Some(match address & 0x0fff_c000 {
            0x0_0000 => Self::SysInfo,
            0x0_4000 => Self::SysCfg,
            0x0_8000 => Self::Clock(ClockBlock::Clocks),
            0x0_c000 => Self::Resets,
            0x1_0000 => Self::Psm,
            0x1_4000 => Self::IoBank0,
            0x1_8000 => Self::IoQspi,
            0x1_c000 => Self::PadsBank0,
            0x2_0000 => Self::PadsQspi,
            0x2_4000 => Self::Clock(ClockBlock::Xosc),
            0x2_8000 => Self::Clock(ClockBlock::PllSys),
            0x2_c000 => Self::Clock(ClockBlock::PllUsb),
            0x3_0000 => Self::BusCtrl,
            0x3_4000 => Self::Uart(0),
            0x3_8000 => Self::Uart(1),
            0x3_c000 => Self::Spi(0),
            0x4_0000 => Self::Spi(1),
            0x4_4000 => Self::I2c(0),
            0x4_8000 => Self::I2c(1),
            0x4_c000 => Self::Adc,
            0x5_0000 => Self::Pwm,
            0x5_4000 => Self::Timer,
            0x5_8000 => Self::Watchdog,
            0x5_c000 => Self::Rtc,
            0x6_0000 => Self::Clock(ClockBlock::Rosc),
            0x6_4000 => Self::Vreg,
            0x6_c000 => Self::Tbman,
            _ => return None,
        })
    }

    /// The block at an address of the fast peripherals on the AHB.
    pub(crate) fn on_ahb(address: u32) -> Option<Self> {
        Some(match address >> 16 {
            0x5000 => Self::Dma,
            0x5011 => Self::UsbRegisters,
            0x5020 => Self::Pio(0),
            0x5030 => Self::Pio(1),
            _ => return None,
        })
    }

    /// Whether what is written to a register may change who notices what the PIO blocks do. Their FIFOs are no such registers.
    pub(super) fn concerns_pio(self, offset: u32) -> bool {
        match self {
            Self::Pio(_) => !PIO_FIFOS.contains(&offset),
            Self::Clock(_) | Self::Resets | Self::IoBank0 | Self::PadsBank0 | Self::Pwm => true,
            _ => false,
        }
    }

    /// Cycles that a write through an atomic alias takes beyond a plain one: these blocks' bridge reads, modifies and
    /// writes (RP2040 datasheet 2.1.2).
    pub(crate) fn alias_cycles(self) -> u64 {
        match self {
            Self::Uart(_) | Self::Spi(_) | Self::I2c(_) => 2,
            _ => 0,
        }
    }

    /// The bits of a register that a written 1 clears, which the atomic aliases hand through as they are.
    pub(crate) fn write_clear_mask(self, offset: u32) -> u32 {
        match self {
            Self::Clock(block) => ClockTree::write_clear_mask(block, offset),
            Self::BusCtrl => BusCtrl::write_clear_mask(offset),
            Self::IoBank0 => IoBank0::write_clear_mask(offset),
            Self::IoQspi => IoQspi::write_clear_mask(offset),
            Self::Vreg => VregAndChipReset::write_clear_mask(offset),
            Self::Timer => Timer::write_clear_mask(offset),
            Self::Pio(_) => Pio::write_clear_mask(offset),
            Self::Pwm => Pwm::write_clear_mask(offset),
            Self::Adc => Adc::write_clear_mask(offset),
            Self::UsbRegisters => Usb::write_clear_mask(offset),
            _ => 0,
        }
    }

    /// The bit of RESETS that holds the block in reset.
    #[inline]
    pub(super) fn reset_bit(self) -> u32 {
        match self {
            Self::Adc => reset::ADC,
            Self::BusCtrl => reset::BUSCTRL,
            Self::Dma => reset::DMA,
            Self::I2c(port) => [reset::I2C0, reset::I2C1][port],
            Self::IoBank0 => reset::IO_BANK0,
            Self::IoQspi => reset::IO_QSPI,
            Self::PadsBank0 => reset::PADS_BANK0,
            Self::PadsQspi => reset::PADS_QSPI,
            Self::Pio(block) => [reset::PIO0, reset::PIO1][block],
            Self::Clock(ClockBlock::PllSys) => reset::PLL_SYS,
            Self::Clock(ClockBlock::PllUsb) => reset::PLL_USB,
            Self::Pwm => reset::PWM,
            Self::Rtc => reset::RTC,
            Self::Spi(port) => [reset::SPI0, reset::SPI1][port],
            Self::SysCfg => reset::SYSCFG,
            Self::SysInfo => reset::SYSINFO,
            Self::Tbman => reset::TBMAN,
            Self::Timer => reset::TIMER,
            Self::Uart(port) => [reset::UART0, reset::UART1][port],
            Self::UsbRegisters => reset::USBCTRL,
            Self::Clock(_) | Self::Resets | Self::Psm | Self::Watchdog | Self::Vreg => 0,
        }
    }
}
