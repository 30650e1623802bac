//! Register blocks go back to their state after reset (RP2040 datasheet 2.14): some of them by a bit of RESETS, or all with
//! the chip. What a block had asked for, of lines and appointments, ends with that.

use crate::bus::blocks::Blocks;
use crate::io::Io;
use crate::lines::{Dreq, Irq};
use crate::peripherals::Source;
use crate::peripherals::adc::Adc;
use crate::peripherals::busctrl::BusCtrl;
use crate::peripherals::clocks::ClockBlock;
use crate::peripherals::dma::Dma;
use crate::peripherals::i2c::{self, I2c};
use crate::peripherals::pads::PadsQspi;
use crate::peripherals::psm::Psm;
use crate::peripherals::resets::{Resets, block as reset};
use crate::peripherals::rtc::Rtc;
use crate::peripherals::spi::Spi;
use crate::peripherals::system::SysCfg;
use crate::peripherals::watchdog::Watchdog;

impl Blocks {
    /// Puts the blocks that went into reset back to their state after reset.
    pub(crate) fn reset(&mut self, mask: u32, io: &mut Io) {
        let hit = |bit: u32| mask & bit != 0;
        for port in 0..2 {
            if hit([reset::UART0, reset::UART1][port]) {
                self.uart[port].reset(io);
                silence(
                    io,
                    &[
                        [Source::Uart0, Source::Uart1][port],
                        [Source::Uart0Receive, Source::Uart1Receive][port],
                        [Source::Uart0Bits, Source::Uart1Bits][port],
                    ],
                );
                lower(io, [Irq::UART0, Irq::UART1][port], Dreq([Dreq::UART0_TX, Dreq::UART1_TX][port].0), 2);
            }
            if hit([reset::SPI0, reset::SPI1][port]) {
                self.spi[port] = Spi::new(port as u8);
                silence(
                    io,
                    &[[Source::Spi0, Source::Spi1][port], [Source::Spi0Bits, Source::Spi1Bits][port]],
                );
                lower(io, [Irq::SPI0, Irq::SPI1][port], [Dreq::SPI0_TX, Dreq::SPI1_TX][port], 2);
            }
            if hit([reset::I2C0, reset::I2C1][port]) {
                self.i2c[port] = I2c::new(port as u8);
                i2c::open_drain::release(io, port as u8);
                let sources = [[Source::I2c0, Source::I2c0Target], [Source::I2c1, Source::I2c1Target]];
                silence(io, &sources[port]);
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
