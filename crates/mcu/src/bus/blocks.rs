//! The register blocks of the chip by address (RP2040 datasheet 2.2), each with its state after reset. Accesses to them
//! come from the bus, in whole words.

use crate::frequencies::Frequencies;
use crate::io::Io;
use crate::lines::{Dreq, Irq};
use crate::peripherals::adc::Adc;
use crate::peripherals::busctrl::BusCtrl;
use crate::peripherals::clocks::{ClockBlock, ClockTree};
use crate::peripherals::dma::Dma;
use crate::peripherals::i2c::I2c;
use crate::peripherals::io_bank0::{IoBank0, IoQspi};
use crate::peripherals::pads::{PadsBank0, PadsQspi};
use crate::peripherals::pio::Pio;
use crate::peripherals::psm::Psm;
use crate::peripherals::pwm::Pwm;
use crate::peripherals::resets::{Resets, block as reset};
use crate::peripherals::rtc::Rtc;
use crate::peripherals::sio::Sio;
use crate::peripherals::spi::Spi;
use crate::peripherals::system::{ChipReset, SysCfg, SysInfo, Tbman, VregAndChipReset};
use crate::peripherals::timer::Timer;
use crate::peripherals::uart::Uart;
use crate::peripherals::usb::Usb;
use crate::peripherals::watchdog::Watchdog;
use crate::peripherals::{Peripheral, Source};

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
    fn reset_bit(self) -> u32 {
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

/// All register blocks.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Blocks {
    pub(crate) sys_info: SysInfo,
    pub(crate) sys_cfg: SysCfg,
    pub(crate) clocks: ClockTree,
    pub(crate) resets: Resets,
    pub(crate) psm: Psm,
    pub(crate) io_bank0: IoBank0,
    pub(crate) io_qspi: IoQspi,
    pub(crate) pads_bank0: PadsBank0,
    pub(crate) pads_qspi: PadsQspi,
    pub(crate) bus_ctrl: BusCtrl,
    pub(crate) uart: [Uart; 2],
    pub(crate) spi: [Spi; 2],
    pub(crate) i2c: [I2c; 2],
    pub(crate) adc: Adc,
    pub(crate) pwm: Pwm,
    pub(crate) timer: Timer,
    pub(crate) watchdog: Watchdog,
    pub(crate) rtc: Rtc,
    pub(crate) vreg: VregAndChipReset,
    pub(crate) tbman: Tbman,
    pub(crate) dma: Dma,
    pub(crate) usb: Usb,
    pub(crate) pio: [Pio; 2],
    pub(crate) sio: Sio,
}

/// Does something with the block, whatever its type.
macro_rules! with_block {
    ($blocks:expr, $block:expr, $p:ident => $action:expr, $kind:ident => $clock:expr) => {
        match $block {
            Block::SysInfo => {
                let $p = &mut $blocks.sys_info;
                $action
            }
            Block::SysCfg => {
                let $p = &mut $blocks.sys_cfg;
                $action
            }
            Block::Clock($kind) => $clock,
            Block::Resets => {
                let $p = &mut $blocks.resets;
                $action
            }
            Block::Psm => {
                let $p = &mut $blocks.psm;
                $action
            }
            Block::IoBank0 => {
                let $p = &mut $blocks.io_bank0;
                $action
            }
            Block::IoQspi => {
                let $p = &mut $blocks.io_qspi;
                $action
            }
            Block::PadsBank0 => {
                let $p = &mut $blocks.pads_bank0;
                $action
            }
            Block::PadsQspi => {
                let $p = &mut $blocks.pads_qspi;
                $action
            }
            Block::BusCtrl => {
                let $p = &mut $blocks.bus_ctrl;
                $action
            }
            Block::Uart(port) => {
                let $p = &mut $blocks.uart[port];
                $action
            }
            Block::Spi(port) => {
                let $p = &mut $blocks.spi[port];
                $action
            }
            Block::I2c(port) => {
                let $p = &mut $blocks.i2c[port];
                $action
            }
            Block::Adc => {
                let $p = &mut $blocks.adc;
                $action
            }
            Block::Pwm => {
                let $p = &mut $blocks.pwm;
                $action
            }
            Block::Timer => {
                let $p = &mut $blocks.timer;
                $action
            }
            Block::Watchdog => {
                let $p = &mut $blocks.watchdog;
                $action
            }
            Block::Rtc => {
                let $p = &mut $blocks.rtc;
                $action
            }
            Block::Vreg => {
                let $p = &mut $blocks.vreg;
                $action
            }
            Block::Tbman => {
                let $p = &mut $blocks.tbman;
                $action
            }
            Block::Dma => {
                let $p = &mut $blocks.dma;
                $action
            }
            Block::UsbRegisters => {
                let $p = &mut $blocks.usb;
                $action
            }
            Block::Pio(block) => {
                let $p = &mut $blocks.pio[block];
                $action
            }
        }
    };
}

impl Blocks {
    pub(crate) fn new(crystal_hz: u64, seed: u64) -> Self {
        Self {
            sys_info: SysInfo,
            sys_cfg: SysCfg::new(),
            clocks: ClockTree::new(crystal_hz, seed),
            resets: Resets::new(),
            psm: Psm::new(),
            io_bank0: IoBank0::new(),
            io_qspi: IoQspi::new(),
            pads_bank0: PadsBank0::new(),
            pads_qspi: PadsQspi::new(),
            bus_ctrl: BusCtrl::new(),
            uart: [Uart::new(0), Uart::new(1)],
            spi: [Spi::new(0), Spi::new(1)],
            i2c: [I2c::new(0), I2c::new(1)],
            adc: Adc::new(),
            pwm: Pwm::new(),
            timer: Timer::new(),
            watchdog: Watchdog::new(),
            rtc: Rtc::new(),
            vreg: VregAndChipReset::new(ChipReset::PowerOn),
            tbman: Tbman,
            dma: Dma::new(),
            usb: Usb::new(),
            pio: [Pio::new(0), Pio::new(1)],
            sio: Sio::new(),
        }
    }

    /// Whether a block is held in reset: its registers do nothing then.
    pub(crate) fn is_held(&self, block: Block) -> bool {
        self.resets.held() & block.reset_bit() != 0
    }

    pub(crate) fn read(&mut self, block: Block, offset: u32, io: &mut Io) -> u32 {
        with_block!(self, block, p => p.read(offset, io), kind => self.clocks.read(kind, offset, io))
    }

    pub(crate) fn peek(&self, block: Block, offset: u32, io: &Io) -> u32 {
        // The macro borrows the blocks as the others need them.
        match block {
            Block::SysInfo => self.sys_info.peek(offset, io),
            Block::SysCfg => self.sys_cfg.peek(offset, io),
            Block::Clock(kind) => self.clocks.peek(kind, offset, io),
            Block::Resets => self.resets.peek(offset, io),
            Block::Psm => self.psm.peek(offset, io),
            Block::IoBank0 => self.io_bank0.peek(offset, io),
            Block::IoQspi => self.io_qspi.peek(offset, io),
            Block::PadsBank0 => self.pads_bank0.peek(offset, io),
            Block::PadsQspi => self.pads_qspi.peek(offset, io),
            Block::BusCtrl => self.bus_ctrl.peek(offset, io),
            Block::Uart(port) => self.uart[port].peek(offset, io),
            Block::Spi(port) => self.spi[port].peek(offset, io),
            Block::I2c(port) => self.i2c[port].peek(offset, io),
            Block::Adc => self.adc.peek(offset, io),
            Block::Pwm => self.pwm.peek(offset, io),
            Block::Timer => self.timer.peek(offset, io),
            Block::Watchdog => self.watchdog.peek(offset, io),
            Block::Rtc => self.rtc.peek(offset, io),
            Block::Vreg => self.vreg.peek(offset, io),
            Block::Tbman => self.tbman.peek(offset, io),
            Block::Dma => self.dma.peek(offset, io),
            Block::UsbRegisters => self.usb.peek(offset, io),
            Block::Pio(block) => self.pio[block].peek(offset, io),
        }
    }

    pub(crate) fn write(&mut self, block: Block, offset: u32, value: u32, io: &mut Io) {
        with_block!(self, block, p => p.write(offset, value, io), kind => self.clocks.write(kind, offset, value, io));
    }

    /// Wakes whoever asked for it. The DMA and the flash are the bus's own business.
    pub(crate) fn wake(&mut self, source: Source, io: &mut Io) {
        match source {
            Source::Clocks => self.clocks.wake(io),
            Source::Watchdog => self.watchdog.wake(source, io),
            Source::Timer => self.timer.wake(source, io),
            Source::Rtc => self.rtc.wake(source, io),
            Source::Pwm => self.pwm.wake(source, io),
            Source::Adc => self.adc.wake(source, io),
            Source::Uart0 | Source::Uart0Receive => self.uart[0].wake(source, io),
            Source::Uart1 | Source::Uart1Receive => self.uart[1].wake(source, io),
            Source::Spi0 => self.spi[0].wake(source, io),
            Source::Spi1 => self.spi[1].wake(source, io),
            Source::I2c0 => self.i2c[0].wake(source, io),
            Source::I2c1 => self.i2c[1].wake(source, io),
            Source::Usb | Source::UsbHost => self.usb.wake(source, io),
            Source::Pio0 => self.pio[0].wake(source, io),
            Source::Pio1 => self.pio[1].wake(source, io),
            Source::IoBank0 => self.io_bank0.wake(source, io),
            Source::Outside
            | Source::SysTick0
            | Source::SysTick1
            | Source::Ssi
            | Source::Flash
            | Source::Dma
            | Source::Typed0
            | Source::Typed1
            | Source::Sampler => {}
        }
    }

    /// Puts the blocks that went into reset back to their state after reset.
    pub(crate) fn reset(&mut self, mask: u32, io: &mut Io) {
        let hit = |bit: u32| mask & bit != 0;
        for port in 0..2 {
            if hit([reset::UART0, reset::UART1][port]) {
                self.uart[port].reset();
                silence(
                    io,
                    &[
                        [Source::Uart0, Source::Uart1][port],
                        [Source::Uart0Receive, Source::Uart1Receive][port],
                    ],
                );
                lower(io, [Irq::UART0, Irq::UART1][port], Dreq([Dreq::UART0_TX, Dreq::UART1_TX][port].0), 2);
            }
            if hit([reset::SPI0, reset::SPI1][port]) {
                self.spi[port] = Spi::new(port as u8);
                silence(io, &[[Source::Spi0, Source::Spi1][port]]);
                lower(io, [Irq::SPI0, Irq::SPI1][port], [Dreq::SPI0_TX, Dreq::SPI1_TX][port], 2);
            }
            if hit([reset::I2C0, reset::I2C1][port]) {
                self.i2c[port] = I2c::new(port as u8);
                silence(io, &[[Source::I2c0, Source::I2c1][port]]);
                lower(io, [Irq::I2C0, Irq::I2C1][port], [Dreq::I2C0_TX, Dreq::I2C1_TX][port], 2);
            }
            if hit([reset::PIO0, reset::PIO1][port]) {
                self.pio[port].reset(io);
            }
        }
        if hit(reset::ADC) {
            self.adc = Adc::new();
            silence(io, &[Source::Adc]);
            lower(io, Irq::ADC_FIFO, Dreq::ADC, 1);
        }
        if hit(reset::PWM) {
            self.pwm.reset(io);
        }
        if hit(reset::RTC) {
            self.rtc = Rtc::new();
            silence(io, &[Source::Rtc]);
            io.lines.set_irq(Irq::RTC, false);
        }
        if hit(reset::DMA) {
            self.dma = Dma::new();
            silence(io, &[Source::Dma]);
            io.lines.set_irq(Irq::DMA_0, false);
            io.lines.set_irq(Irq::DMA_1, false);
        }
        self.reset_system(&hit, io);
    }

    /// Every block goes back to its state after reset; the watchdog keeps why and its scratch registers.
    pub(crate) fn power_cycle(&mut self, io: &mut Io, keep_watchdog: bool) {
        self.reset(u32::MAX, io);
        self.sio.reset(io);
        self.resets = Resets::new();
        self.psm = Psm::new();
        for block in [ClockBlock::Clocks, ClockBlock::PllSys, ClockBlock::PllUsb, ClockBlock::Rosc] {
            self.clocks.reset(block, io);
        }
        if !keep_watchdog {
            self.watchdog = Watchdog::new();
        }
        silence(io, &[Source::Watchdog]);
        self.watchdog.clocks_changed(io);
        let tick = self.watchdog.tick();
        self.timer.set_tick(tick, io);
    }

    fn reset_system(&mut self, hit: &dyn Fn(u32) -> bool, io: &mut Io) {
        if hit(reset::BUSCTRL) {
            self.bus_ctrl = BusCtrl::new();
        }
        if hit(reset::SYSCFG) {
            self.sys_cfg = SysCfg::new();
        }
        if hit(reset::TIMER) {
            self.timer.reset(io);
        }
        if hit(reset::IO_BANK0) {
            self.io_bank0.reset(io);
        }
        if hit(reset::IO_QSPI) {
            self.io_qspi.reset(io);
        }
        if hit(reset::PADS_BANK0) {
            self.pads_bank0.reset(io);
        }
        if hit(reset::PADS_QSPI) {
            self.pads_qspi = PadsQspi::new();
        }
        if hit(reset::PLL_SYS) {
            self.clocks.reset(ClockBlock::PllSys, io);
        }
        if hit(reset::PLL_USB) {
            self.clocks.reset(ClockBlock::PllUsb, io);
        }
        if hit(reset::USBCTRL) {
            self.usb.reset(io);
        }
    }

    /// What follows for the blocks when a clock got another frequency.
    pub(crate) fn clocks_changed(&mut self, before: &Frequencies, io: &mut Io) {
        if before.ref_hz != io.clocks.ref_hz {
            self.watchdog.clocks_changed(io);
        }
        self.timer.set_tick(self.watchdog.tick(), io);
        self.adc.clocks_changed(io);
        self.rtc.clocks_changed(io);
        if before.sys_hz != io.clocks.sys_hz {
            for pio in &mut self.pio {
                pio.clocks_changed(io);
            }
            self.pwm.clocks_changed(io);
        }
    }
}

fn silence(io: &mut Io, sources: &[Source]) {
    for &source in sources {
        io.cancel(source);
    }
}

/// Lowers an interrupt line and as many requests from the first one on.
fn lower(io: &mut Io, irq: Irq, first: Dreq, requests: u8) {
    io.lines.set_irq(irq, false);
    for request in 0..requests {
        io.lines.set_dreq(Dreq(first.0 + request), false);
    }
}
