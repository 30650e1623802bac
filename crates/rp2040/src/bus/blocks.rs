//! The state of all register blocks. Accesses to them come from the bus, in whole words; what puts them back to their state
//! after reset is in `block_resets`.

use crate::bus::block::Block;
use crate::frequencies::Frequencies;
use crate::io::Io;
use crate::peripherals::adc::Adc;
use crate::peripherals::busctrl::BusCtrl;
use crate::peripherals::clocks::ClockTree;
use crate::peripherals::dma::Dma;
use crate::peripherals::i2c::I2c;
use crate::peripherals::io_bank0::{IoBank0, IoQspi};
use crate::peripherals::pads::{PadsBank0, PadsQspi};
use crate::peripherals::pio::Pio;
use crate::peripherals::psm::Psm;
use crate::peripherals::pwm::Pwm;
use crate::peripherals::resets::Resets;
use crate::peripherals::rtc::Rtc;
use crate::peripherals::sio::Sio;
use crate::peripherals::spi::Spi;
use crate::peripherals::system::{ChipReset, SysCfg, SysInfo, Tbman, VregAndChipReset};
use crate::peripherals::timer::Timer;
use crate::peripherals::uart::Uart;
use crate::peripherals::usb::Usb;
use crate::peripherals::watchdog::Watchdog;
use crate::peripherals::{Peripheral, Source};

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
    #[inline]
    pub(crate) fn is_held(&self, block: Block) -> bool {
        self.resets.held() & block.reset_bit() != 0
    }

    #[inline(always)]
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
            Source::Uart0 | Source::Uart0Receive | Source::Uart0Line | Source::Uart0Bits => {
                self.uart[0].wake(source, io);
            }
            Source::Uart1 | Source::Uart1Receive | Source::Uart1Line | Source::Uart1Bits => {
                self.uart[1].wake(source, io);
            }
            Source::Spi0 | Source::Spi0Bits => self.spi[0].wake(source, io),
            Source::Spi1 | Source::Spi1Bits => self.spi[1].wake(source, io),
            Source::I2c0 | Source::I2c0Target => self.i2c[0].wake(source, io),
            Source::I2c1 | Source::I2c1Target => self.i2c[1].wake(source, io),
            Source::Usb | Source::UsbHost => self.usb.wake(source, io),
            Source::Pio0 => self.pio[0].wake(source, io),
            Source::Pio1 => self.pio[1].wake(source, io),
            Source::IoBank0 => self.io_bank0.wake(source, io),
            Source::Outside
            | Source::Foretold
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

    /// What follows for the blocks when a clock got another frequency.
    pub(crate) fn clocks_changed(&mut self, before: &Frequencies, io: &mut Io) {
        if before.ref_hz != io.clocks.ref_hz {
            self.watchdog.clocks_changed(io);
        }
        self.timer.set_tick(self.watchdog.tick(), io);
        for uart in &mut self.uart {
            uart.reception_changed(io);
        }
        self.adc.clocks_changed(io);
        self.rtc.clocks_changed(io);
        if before.sys_hz == 0 {
            // What pins did while clk_sys stood is seen by its first cycles.
            self.io_bank0.inputs_changed(0, 0, io);
        }
        if before.sys_hz != io.clocks.sys_hz {
            for pio in &mut self.pio {
                pio.clocks_changed(io);
            }
            self.pwm.clocks_changed(io);
        }
    }
}
